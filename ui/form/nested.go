package form

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"callboard/model/task"
)

// maxNested is how many keys of a nested object are looked at.
const maxNested = 20

// nested is what the object of a JSON field must have.
type nested struct {
	keys     []string // cleaned, in the schema's order
	skeleton string   // an object with these keys, to be filled in
}

// nestedOf reads the schema of a whole form for the objects that its JSON
// fields take. What it does not understand it says nothing of: the form's Check
// judges what is typed.
func nestedOf(form *task.Form) map[string]nested {
	if !slices.ContainsFunc(form.Fields, func(f task.Field) bool { return f.Kind == task.JSONField }) {
		return nil
	}
	var whole struct{ Properties map[string]json.RawMessage }
	if json.Unmarshal(form.Schema, &whole) != nil {
		return nil
	}
	found := map[string]nested{}
	for i := range form.Fields {
		f := &form.Fields[i]
		if f.Kind != task.JSONField {
			continue
		}
		var object struct {
			Required   []string
			Properties map[string]json.RawMessage
		}
		if json.Unmarshal(whole.Properties[f.Name], &object) != nil || len(object.Required) == 0 {
			continue
		}
		n := nested{skeleton: pretty(filled(object.Required, object.Properties))}
		for _, key := range object.Required[:min(len(object.Required), maxNested)] {
			n.keys = append(n.keys, task.CleanLine(key, 60).Line())
		}
		found[f.Name] = n
	}
	return found
}

// skeleton is the JSON with which a form without fields begins: what the draft
// holds, else an object with the keys that its schema requires.
func skeleton(form *task.Form, draft map[string]string) string {
	content, _ := task.Assemble(*form, draft)
	var whole struct {
		Required   []string
		Properties map[string]json.RawMessage
	}
	if string(content) != "{}" || json.Unmarshal(form.Schema, &whole) != nil || len(whole.Required) == 0 {
		return pretty(content)
	}
	return pretty(filled(whole.Required, whole.Properties))
}

// filled is an object with these keys, to be filled in.
func filled(keys []string, properties map[string]json.RawMessage) []byte {
	var b bytes.Buffer
	for i, key := range keys[:min(len(keys), maxNested)] {
		name, err := json.Marshal(key)
		if err != nil { // a string always encodes
			continue
		}
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.Write(name)
		b.WriteByte(':')
		b.Write(blank(properties[key]))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// blank is the value with which a property stands in a skeleton.
func blank(schema json.RawMessage) json.RawMessage {
	var p struct {
		Type    any
		Default json.RawMessage
	}
	if json.Unmarshal(schema, &p) != nil {
		return json.RawMessage("null")
	}
	if len(p.Default) > 0 {
		return p.Default
	}
	switch p.Type {
	case "string":
		return json.RawMessage(`""`)
	case "number", "integer":
		return json.RawMessage("0")
	case "boolean":
		return json.RawMessage("false")
	case "array":
		return json.RawMessage("[]")
	case "object":
		return json.RawMessage("{}")
	}
	return json.RawMessage("null")
}

// needs returns what the object of row r must have, no keys where that is not
// known or r takes none.
func (f *Form) needs(r *row) nested {
	if r == nil || r.kind != fieldRow {
		return nested{}
	}
	return f.nested[r.field.Name]
}

// needsHint words it for the row under the cursor.
func (f *Form) needsHint(r *row) string {
	n := f.needs(r)
	if len(n.keys) == 0 {
		return ""
	}
	words := "it must have " + strings.Join(n.keys, ", ")
	if strings.TrimSpace(r.text) == "" {
		words += ": " + shown(f.keys.Form.Menu) + " " + shown(f.keys.Menu.Keys) + " writes them"
	}
	return words
}

// writeKeys puts the keys that must be there into the empty field under the
// cursor.
func (f *Form) writeKeys() Event {
	r := f.current()
	r.assign(f.needs(r).skeleton)
	f.enter()
	return Event{Kind: Changed}
}
