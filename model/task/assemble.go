package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Assemble makes the content of an answer from what was typed: a JSON object
// with the fields that are set, in the form's order, judged by the form's
// Check. draft maps names of fields to what was typed (see Field.Encode); a
// field that is not in it is unset, which is not the same as empty. The name ""
// stands for the JSON editor: its text is then the whole content. Names that
// are no fields hold JSON for properties beside the fields, as Split leaves
// them. TypedNull is null, and dates are settled by the form's clock.
//
// With problems the content is for showing only, never for sending: what
// could not be encoded stands in it as text, so that an editor loses nothing.
func Assemble(form Form, draft map[string]string) (json.RawMessage, []Problem) {
	if text, ok := draft[""]; ok {
		content := json.RawMessage(validUTF8(strings.TrimSpace(text)))
		return content, check(form, content)
	}
	var b bytes.Buffer
	var problems []Problem
	b.WriteByte('{')
	member := func(name string, value json.RawMessage) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(quoteJSON(name))
		b.WriteByte(':')
		b.Write(value)
	}
	faulty := map[string]bool{}
	rest := maps.Clone(draft)
	now := form.now()
	for i := range form.Fields {
		f := &form.Fields[i]
		typed, set := draft[f.Name]
		delete(rest, f.Name)
		if !set {
			continue
		}
		typed, _ = f.Settle(typed, now)
		value, err := f.Encode(typed)
		if err != nil {
			problems = append(problems, Problem{Field: f.Name, Text: Own(err.Error())})
			faulty[f.Name] = true
			if value = quoteJSON(typed); typed == TypedNull {
				value = json.RawMessage("null")
			}
		}
		member(f.Name, value)
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		value := json.RawMessage(validUTF8(strings.TrimSpace(rest[name])))
		if rest[name] == TypedNull {
			value = json.RawMessage("null")
		}
		if !json.Valid(value) {
			problems = append(problems, Problem{Text: Own(`"` + CleanLine(name, 60).Line() + `" is not JSON.`)})
			value = quoteJSON(rest[name])
		}
		member(name, value)
	}
	b.WriteByte('}')
	whole := len(problems) == 0
	for _, p := range check(form, b.Bytes()) {
		// What does not even encode has its problem already, and what Check
		// says of the whole may only follow from it.
		if whole || p.Field != "" && !faulty[p.Field] {
			problems = append(problems, p)
		}
	}
	return b.Bytes(), problems
}

// now is the time of the form's clock.
func (f *Form) now() time.Time {
	if f.Now != nil {
		return f.Now()
	}
	return time.Now()
}

// check is form.Check, or for a form without one that content is an object.
func check(form Form, content json.RawMessage) []Problem {
	if form.Check != nil {
		return form.Check(content)
	}
	if len(content) == 0 || content[0] != '{' || !json.Valid(content) {
		return []Problem{{Text: Own("The content must be a JSON object.")}}
	}
	return nil
}

// Split is the reverse of Assemble, for coming back from a JSON editor to the
// fields. Properties that are no fields stay in the draft as JSON, so that
// Assemble finds them again. null becomes TypedNull, but in the text of a
// JSONField, where it can be written. The error is in words for a person.
func Split(form Form, content json.RawMessage) (map[string]string, error) {
	members, err := members(content)
	if err != nil {
		return nil, err
	}
	fields := make(map[string]*Field, len(form.Fields))
	for i := range form.Fields {
		fields[form.Fields[i].Name] = &form.Fields[i]
	}
	draft := make(map[string]string, len(members))
	for name, value := range members {
		if name == "" {
			return nil, errors.New("a property without a name can only be edited as JSON")
		}
		f, ok := fields[name]
		switch {
		case !ok:
			draft[name] = string(value)
		default:
			draft[name] = f.Typed(value)
		}
	}
	return draft, nil
}

// members returns the values of a JSON object by name.
func members(content json.RawMessage) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(content))
	if err := dec.Decode(&m); err != nil {
		var shape *json.UnmarshalTypeError
		if errors.As(err, &shape) {
			return nil, errors.New("the content must be a JSON object")
		}
		return nil, errors.New("the content is not JSON yet")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the content must be one JSON object with nothing after it")
	}
	if m == nil {
		return nil, errors.New("the content must be a JSON object")
	}
	return m, nil
}

// Prefill returns the draft that a form starts with: the defaults of its
// fields, or for the JSON editor alone the skeleton of the content.
func Prefill(form Form) map[string]string {
	if form.JSONOnly != "" && form.Skeleton != nil {
		var b bytes.Buffer
		if json.Indent(&b, form.Skeleton, "", "  ") == nil {
			return map[string]string{"": b.String()}
		}
	}
	draft := make(map[string]string, len(form.Fields))
	for i := range form.Fields {
		if f := &form.Fields[i]; f.Default != nil {
			draft[f.Name] = f.Typed(f.Default)
		}
	}
	return draft
}
