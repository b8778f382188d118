package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/model/task"
)

func TestCompose(t *testing.T) {
	choices := []task.Choice{{Value: json.RawMessage(`"r"`), Label: task.Own("Red")}, {Value: json.RawMessage(`2`), Label: task.Own("2")}}
	form := task.Form{Fields: []task.Field{
		{Name: "s", Kind: task.StringField}, {Name: "n", Kind: task.NumberField, Default: json.RawMessage("1")},
		{Name: "b", Kind: task.BooleanField}, {Name: "c", Kind: task.ChoiceField, Choices: choices},
		{Name: "m", Kind: task.ChoicesField, Choices: choices}, {Name: "j", Kind: task.JSONField, Shape: "a JSON array"}, {Name: "o", Kind: task.JSONField, Shape: "a JSON object"},
		{Name: "u", Kind: task.StringField, Nullable: true}, {Name: "d", Kind: task.StringField, Format: "date-time"},
	}}
	for _, c := range []struct {
		pairs, content, problem string
		strict                  bool
	}{
		{"", `{"n":1}`, "", true},
		{"s=true n=2.50 b=yes", `{"s":"true","n":2.50,"b":true}`, "", true},
		{"c=Red m=r m=2", `{"n":1,"c":"r","m":["r",2]}`, "", true},
		{`c="r" j=1 j=x o={"a":1}`, `{"n":1,"c":"r","j":[1,"x"],"o":{"a":1}}`, "", true},
		{`j=[1]`, `{"n":1,"j":[1]}`, "", true},
		{"x=1 y=z", `{"n":1,"x":1,"y":"z"}`, "", false},
		{"u=:null", `{"n":1,"u":null}`, "", true},
		{"u=null", `{"n":1,"u":"null"}`, "", true},
		{"u= s=:null", `{"s":":null","n":1,"u":""}`, "", true},
		{"d=2026-12-01T09:00Z", `{"n":1,"d":"2026-12-01T09:00:00Z"}`, "", true},
		{"x=1", "", "there is no field x", true},
		{"s=1 s=2", "", "s was given twice", true},
		{"c=blue", "", "c must be one of the choices", true},
		{"n=s3cret", "", "n must be a number", true},
	} {
		var pairs []Pair
		for _, w := range strings.Fields(c.pairs) {
			name, value, _ := strings.Cut(w, "=")
			pairs = append(pairs, Pair{name, value})
		}
		content, problem := compose(form, pairs, nil, c.strict)
		if c.problem == "" && string(content) != c.content || !strings.Contains(problem, c.problem) || (c.problem == "") != (problem == "") || strings.Contains(problem, "s3cret") {
			t.Errorf("%s: %s %q", c.pairs, content, problem)
		}
	}
	if content, problem := compose(form, nil, json.RawMessage(`{"z":0}`), true); string(content) != `{"z":0}` || problem != "" {
		t.Errorf("--data: %s %q", content, problem)
	}
}

// TestComposeOfVariants holds that what is to be filled in is not sent as it is.
func TestComposeOfVariants(t *testing.T) {
	form := task.Form{JSONOnly: "there are variants", Skeleton: json.RawMessage(`{"a":""}`)}
	if content, problem := compose(form, []Pair{{"b", "1"}}, nil, false); string(content) != `{"b":1}` || problem != "" {
		t.Errorf("%s %q", content, problem)
	}
}

func TestVisible(t *testing.T) {
	raw := "\"a\x7f\u009b\u202e\U000e0041\xffé日\""
	got := visible(raw)
	if got != `"a\u007f\u009b\u202e\udb40\udc41\ufffdé日"` {
		t.Errorf("%s", got)
	}
}
