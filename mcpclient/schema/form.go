// Package schema makes forms for people from the JSON Schemas of servers: the
// requestedSchema of elicitation/create and the inputSchema of a tool. Schemas
// come from strangers: nothing in one is fetched, all of it is bounded, and
// what cannot be honoured is said in a warning instead of standing in the way
// of an answer.
package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"callboard/model/task"
)

// Limits of a schema. What is beyond them is left to the JSON editor.
const (
	maxBytes    = 1 << 20
	maxFields   = 500
	maxChoices  = 1000
	maxWarnings = 20
)

// source is one schema while a form is made of it.
type source struct {
	root     *value
	warnings []task.Text
	dropped  int             // warnings beyond maxWarnings
	merged   int             // parts of allOf that were put together
	blanks   int             // values in skeletons
	sought   map[*value]bool // what was looked into for secrets, and whether there is one
}

// warn adds a warning, a sentence of ours with server text quoted by name.
func (s *source) warn(format string, args ...any) {
	if len(s.warnings) == maxWarnings {
		s.dropped++
		return
	}
	w := task.Own(fmt.Sprintf(format, args...))
	for _, had := range s.warnings {
		if had == w {
			return
		}
	}
	s.warnings = append(s.warnings, w)
}

// name quotes a name of the server for a sentence.
func name(raw string) string { return `"` + task.CleanLine(raw, 60).Line() + `"` }

// Form makes a form of a JSON Schema (client/elicitation "Requested Schema",
// server/tools "inputSchema"). It never fails: a schema of which no fields can
// be made gives a form whose JSONOnly says why, an empty one asks for nothing.
// Dialects other than 2020-12 are read by what their keywords mean.
func Form(raw json.RawMessage) task.Form {
	form := task.Form{Schema: raw}
	if len(raw) == 0 {
		form.Check = objectOnly
		return form
	}
	if len(raw) > maxBytes {
		form.JSONOnly = "the schema is larger than 1 MiB"
		form.Warnings = []task.Text{task.Own("The answer is not checked: the schema is larger than 1 MiB.")}
		form.Check = objectOnly
		return form
	}
	root, err := parse(raw)
	if err != nil {
		form.JSONOnly = "the schema " + err.Error()
		form.Warnings = []task.Text{task.Own("The answer is not checked: the schema " + err.Error() + ".")}
		form.Check = objectOnly
		return form
	}
	s := &source{root: root}
	form.Fields, form.JSONOnly = s.fields()
	if form.JSONOnly != "" {
		form.Skeleton = s.skeleton(root)
	}
	form.Secret = s.markSecrets(form.Fields)
	c := newChecker(s, form.Fields)
	form.Check = c.check
	if s.dropped > 0 {
		s.warnings = append(s.warnings, task.Own(fmt.Sprintf("And %d warnings more.", s.dropped)))
	}
	form.Warnings = s.warnings
	return form
}

// fields makes the fields of the whole schema, or says why none can be made.
func (s *source) fields() ([]task.Field, string) {
	switch {
	case s.root.kind == boolean && s.root.yes:
		return nil, "the schema allows anything"
	case s.root.kind == boolean:
		return nil, "the schema allows nothing"
	case s.root.kind != object:
		return nil, "the schema is not a JSON object"
	}
	top := s.flatten(s.root, 0)
	if types := top.types(); len(types) > 0 && !slices.Contains(types, "object") {
		return nil, "the schema asks for " + strings.Join(words(types), " or ") + ", not for an object"
	}
	properties := top.members["properties"]
	if properties != nil && properties.kind != object {
		return nil, "the schema's properties are not an object"
	}
	names, required := s.names(top.members, properties)
	if len(names) == 0 {
		return nil, s.withoutFields(top)
	}
	if names = s.capped(names, required); names == nil {
		return nil, fmt.Sprintf("the schema requires more than %d fields", maxFields)
	}
	fields := make([]task.Field, 0, len(names))
	for _, n := range names {
		if f, ok := s.field(n, properties.get(n), required[n]); ok {
			fields = append(fields, f)
		}
	}
	tellApart(fields)
	s.beyond(top, properties)
	return fields, ""
}

// tellApart gives fields with the same label their names too.
func tellApart(fields []task.Field) {
	count := make(map[task.Text]int, len(fields))
	for i := range fields {
		count[fields[i].Label]++
	}
	for i := range fields {
		if f := &fields[i]; count[f.Label] > 1 && f.Label != nameLabel(f.Name) {
			f.Label = task.Own(f.Label.Line() + " (" + nameLabel(f.Name).Line() + ")")
		}
	}
}

// nameLabel is a name as a label: where not all of it shows, quoted, so that it
// cannot pass for another one.
func nameLabel(raw string) task.Text {
	t := task.CleanLine(raw, maxLabel)
	if t.String() != raw && len(raw) <= maxLabel || t.IsZero() {
		return task.CleanLine(strconv.QuoteToGraphic(raw), maxLabel)
	}
	return t
}

// names returns the properties in the schema's order, those that are only
// required after them, and which are required.
func (s *source) names(top map[string]*value, properties *value) ([]string, map[string]bool) {
	var names []string
	required := map[string]bool{}
	if properties != nil {
		names = append(names, properties.keys...)
	}
	if list := top["required"]; list.is(array) {
		for _, item := range list.items {
			if item.kind != text || required[item.str] {
				continue
			}
			required[item.str] = true
			if properties.get(item.str) == nil {
				names = append(names, item.str)
			}
		}
	}
	for i, n := range names {
		if n == "" {
			s.warn("A property without a name is asked for; only the JSON editor can set it.")
			names = append(names[:i:i], names[i+1:]...)
			break
		}
	}
	for _, n := range names { // draft 3 and its followers mark the property itself
		if mark := properties.get(n).get("required"); mark.is(boolean) && mark.yes {
			required[n] = true
		}
	}
	return names, required
}

// capped returns at most maxFields of names in their order, the required ones
// before all others. It returns nil where those alone are too many.
func (s *source) capped(names []string, required map[string]bool) []string {
	if len(names) <= maxFields {
		return names
	}
	if len(required) > maxFields {
		return nil
	}
	room := maxFields - len(required)
	var kept []string
	for _, n := range names {
		if !required[n] {
			if room == 0 {
				continue
			}
			room--
		}
		kept = append(kept, n)
	}
	s.warn("The schema has %d properties; the form shows %d of them, the JSON editor can set the others.", len(names), len(kept))
	return kept
}

// withoutFields says why a schema without properties needs the JSON editor, ""
// where it asks for nothing.
func (s *source) withoutFields(t flat) string {
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		if words := s.variants(t.members[keyword]); words != "" {
			return "the schema takes one of " + words
		}
	}
	for _, keyword := range [...]string{"oneOf", "anyOf", "allOf", "if", "dependentSchemas"} {
		if t.members[keyword] != nil {
			return "the schema describes its properties by " + keyword
		}
	}
	if t.odd {
		return "the schema refers to what lies elsewhere"
	}
	if p := t.members["patternProperties"]; p.is(object) && len(p.keys) > 0 {
		return "the schema leaves the names of the properties to you"
	}
	if a := t.members["additionalProperties"]; a.is(boolean) && a.yes || a.is(object) {
		return "the schema leaves the names of the properties to you"
	}
	return ""
}

// words are the types of JSON Schema in words for a person.
func words(types []string) []string {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = typeWords[t]
	}
	return out
}

var typeWords = map[string]string{
	"string": "text", "number": "a number", "integer": "a whole number", "boolean": "yes or no",
	"array": "a list", "object": "an object", "null": "null",
}
