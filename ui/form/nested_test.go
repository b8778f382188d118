package form

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/model/task"
)

func nestedForm(schema string) task.Form {
	return task.Form{
		Schema: json.RawMessage(schema),
		Fields: []task.Field{field("address", task.JSONField, func(f *task.Field) { f.Shape = "a JSON object" })},
	}
}

// A field that takes an object says which keys that must have, and writes them
// while it is empty.
func TestANestedObjectSaysItsKeys(t *testing.T) {
	f := open(t, question(nestedForm(`{"properties":{"address":{"type":"object","required":["street","no","\u001b[31mx"],
		"properties":{"street":{"type":"string"},"no":{"type":"integer","default":7},"\u001b[31mx":{"type":"array"}}}}}`)))
	if got := look(t, f, 100, 24); !strings.Contains(got, "it must have street, no, x: ctrl+o k writes them") {
		t.Errorf("no hint:\n%s", got)
	}
	if e := press(f, "ctrl+o", "k"); e.Kind != Changed {
		t.Errorf("event %+v", e)
	}
	if got := f.Draft()["address"]; got != "{\n  \"street\": \"\",\n  \"no\": 7,\n  \"\\u001b[31mx\": []\n}" {
		t.Errorf("wrote %s", got)
	}
	got := look(t, f, 100, 24)
	if !strings.Contains(got, "it must have street, no, x") || strings.Contains(got, "writes them") {
		t.Errorf("after it was written:\n%s", got)
	}
	press(f, "ctrl+o")
	if got := look(t, f, 100, 24); strings.Contains(got, "write the keys") {
		t.Errorf("the menu would write over what is typed:\n%s", got)
	}
}

// Schemas that say it otherwise, or nonsense, say nothing.
func TestANestedObjectThatIsNotUnderstood(t *testing.T) {
	for _, schema := range []string{
		``, `[]`, `{"properties":7}`, `{"properties":{"address":{"required":"street"}}}`, `{"properties":{"address":true}}`,
		`{"properties":{"address":{"$ref":"#/$defs/a"}}}`, `{"properties":{"address":{"required":[]}}}`,
	} {
		f := open(t, question(nestedForm(schema)))
		if got := look(t, f, 100, 24); strings.Contains(got, "it must have") {
			t.Errorf("%s:\n%s", schema, got)
		}
	}
}
