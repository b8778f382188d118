package form

import (
	"encoding/json"
	"strings"
	"testing"

	"callboard/model/task"
)

// A field that takes an object writes its shape while it is empty.
func TestANestedObjectIsWritten(t *testing.T) {
	f := open(t, question(task.Form{Fields: []task.Field{field("address", task.JSONField, func(f *task.Field) {
		f.Shape, f.Skeleton = "a JSON object with street", json.RawMessage(`{"street":"","no":7}`)
	})}}))
	if got := look(t, f, 100, 24); !strings.Contains(got, "ctrl+o k writes its shape") {
		t.Errorf("no hint:\n%s", got)
	}
	if e := press(f, "ctrl+o", "k"); e.Kind != Changed {
		t.Errorf("event %+v", e)
	}
	if got := f.Draft()["address"]; got != "{\n  \"street\": \"\",\n  \"no\": 7\n}" {
		t.Errorf("wrote %s", got)
	}
	if got := look(t, f, 100, 24); strings.Contains(got, "writes its shape") {
		t.Errorf("after it was written:\n%s", got)
	}
	press(f, "ctrl+o")
	if got := look(t, f, 100, 24); strings.Contains(got, "write the shape") {
		t.Errorf("the menu would write over what is typed:\n%s", got)
	}
}

func TestAFieldOfUnknownShapeWritesNone(t *testing.T) {
	f := open(t, question(task.Form{Fields: []task.Field{field("any", task.JSONField)}}))
	if e := press(f, "ctrl+o", "k"); e.Kind != Nothing || f.Message() == "" {
		t.Errorf("%+v %q", e, f.Message())
	}
}

// A form of JSON alone begins with what it must have, and says why.
func TestAFormOfJSONAloneBeginsWithASkeleton(t *testing.T) {
	spec := question(task.Form{
		JSONOnly: "the schema has no properties of its own", Skeleton: json.RawMessage(`{"name":"","n":3}`),
	})
	f := open(t, spec)
	if got := f.jsonText; got != "{\n  \"name\": \"\",\n  \"n\": 3\n}" {
		t.Errorf("skeleton %s", got)
	}
	if view := look(t, f, 80, 24); !strings.Contains(view, "Edited as JSON: the schema has no properties of its own") {
		t.Errorf("view:\n%s", view)
	}
	spec.Form.Skeleton = nil
	if f := open(t, spec); f.jsonText != "{}" {
		t.Errorf("of nonsense %s", f.jsonText)
	}
}
