package model

import (
	"maps"
	"testing"

	"callboard/model/task"
)

// TestPublicDraft holds what of a draft is kept on a disk.
func TestPublicDraft(t *testing.T) {
	name, password := task.Field{Name: "name"}, task.Field{Name: "password", Secret: true}
	for _, c := range []struct {
		what          string
		form          task.Form
		draft, public Draft
		whole         bool
	}{
		{"no secret", task.Form{Fields: []task.Field{name}}, Draft{"name": "Ada", "": "{}", "more": "1"}, Draft{"name": "Ada", "": "{}", "more": "1"}, true},
		{"a secret field", task.Form{Fields: []task.Field{name, password}}, Draft{"name": "Ada", "password": "x"}, Draft{"name": "Ada"}, false},
		{"not typed yet", task.Form{Fields: []task.Field{name, password}}, Draft{"name": "Ada"}, Draft{"name": "Ada"}, true},
		{"the JSON of a form that asks for one", task.Form{Secret: true}, Draft{"": `{"password":"x"}`}, nil, false},
		{"a property beside the fields", task.Form{Fields: []task.Field{name}, Secret: true}, Draft{"name": "Ada", "password": `"x"`, "\x00ttl": "5m"}, Draft{"name": "Ada", "\x00ttl": "5m"}, false},
	} {
		public, whole := publicDraft(&c.form, c.draft)
		if !maps.Equal(public, c.public) || whole != c.whole {
			t.Errorf("%s: %v %v, want %v %v", c.what, public, whole, c.public, c.whole)
		}
	}
}
