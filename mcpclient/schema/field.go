package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"

	"callboard/model/task"
)

// Limits of the text of a field, in bytes.
const (
	maxLabel       = 200
	maxDescription = 4 << 10
	maxDefault     = 64 << 10
	maxExample     = 80
	maxExamples    = 3 // in number
)

// field makes the field of one property; v is nil for one that is required
// and not described. It reports false for a property that must not be given.
func (s *source) field(key string, v *value, required bool) (task.Field, bool) {
	f := task.Field{Name: key, Required: required, MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1}
	flat := s.flatten(v, 0)
	if flat.never {
		return f, false
	}
	m := flat.members
	f.Label = task.CleanLine(m["title"].text(), maxLabel)
	if f.Label.IsZero() {
		f.Label = nameLabel(key)
	}
	f.Description = task.CleanMax(m["description"].text(), maxDescription)
	f.Nullable = flat.allowsNull()
	s.kind(&f, flat)
	s.constraints(&f, m)
	s.defaults(&f, m)
	s.notes(&f, m)
	if f.Kind == task.JSONField {
		f.Skeleton = s.skeleton(v)
	}
	return f, true
}

// kind finds out which input the field wants.
func (s *source) kind(f *task.Field, flat flat) {
	m := flat.members
	if c := s.choices(f, m); c != nil {
		f.Kind, f.Choices = task.ChoiceField, c
		return
	}
	types := flat.types()
	if len(types) == 0 {
		types = s.guess(flat)
	}
	if len(types) == 2 && slices.Contains(types, "integer") && slices.Contains(types, "number") {
		types = []string{"number"}
	}
	f.Kind = task.JSONField
	if len(types) != 1 {
		f.Shape = shape(types)
		return
	}
	if words := s.variantsOf(flat); words != "" && types[0] == "object" {
		f.Shape = "a JSON object, one of " + words
		return
	}
	switch types[0] {
	case "string":
		f.Kind = task.StringField
	case "number":
		f.Kind = task.NumberField
	case "integer":
		f.Kind = task.IntegerField
	case "boolean":
		f.Kind = task.BooleanField
	case "array":
		items := s.flatten(m["items"], 0)
		if c := s.choices(f, items.members); c != nil && m["prefixItems"] == nil && !items.allowsNull() {
			f.Kind, f.Choices = task.ChoicesField, c
			return
		}
		f.Shape = "a JSON array"
		if t := items.types(); len(t) == 1 && plural[t[0]] != "" {
			f.Shape += " of " + plural[t[0]] + s.contents(items)
		}
	default:
		f.Shape = "a JSON object" + s.contents(flat)
	}
}

var plural = map[string]string{
	"string": "strings", "number": "numbers", "integer": "whole numbers", "boolean": "true or false",
	"array": "arrays", "object": "objects",
}

// shape words what a JSONField takes that may be of several types.
func shape(types []string) string {
	if len(types) == 0 {
		return "any JSON"
	}
	out := "JSON: "
	for i, t := range words(types) {
		if i > 0 {
			out += " or "
		}
		out += t
	}
	return out
}

// guess infers the types of a schema that does not tell them.
func (s *source) guess(flat flat) []string {
	m := flat.members
	for _, k := range [...]string{"anyOf", "oneOf"} {
		if list := m[k]; list.is(array) {
			return s.union(list.items)
		}
	}
	if flat.odd {
		return nil
	}
	for _, hint := range [...]struct{ keyword, kind string }{
		{"properties", "object"}, {"items", "array"}, {"prefixItems", "array"}, {"minItems", "array"}, {"maxItems", "array"},
		{"pattern", "string"}, {"minLength", "string"}, {"maxLength", "string"}, {"format", "string"},
		{"minimum", "number"}, {"maximum", "number"}, {"exclusiveMinimum", "number"}, {"exclusiveMaximum", "number"}, {"multipleOf", "number"},
	} {
		if m[hint.keyword] != nil {
			return []string{hint.kind}
		}
	}
	if d := m["default"]; d != nil && d.kind != null {
		return []string{[...]string{"", "boolean", "number", "string", "array", "object"}[d.kind]}
	}
	return nil
}

// union returns the types that alternatives allow together, nil where one of
// them does not tell.
func (s *source) union(branches []*value) []string {
	var list []string
	for i, branch := range branches {
		if i == maxHops {
			return nil
		}
		types := s.flatten(branch, maxHops/2).types()
		if len(types) == 0 {
			return nil
		}
		for _, t := range types {
			if !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	return list
}

// constraints copies those that have the form the protocol gives them.
func (s *source) constraints(f *task.Field, m map[string]*value) {
	switch f.Kind {
	case task.StringField:
		f.MinLength, f.MaxLength = count(m["minLength"]), count(m["maxLength"])
		f.Pattern, f.Format = m["pattern"].text(), m["format"].text()
	case task.NumberField, task.IntegerField:
		f.Minimum, f.Maximum = figure(m["minimum"]), figure(m["maximum"])
		f.Above, f.Below = figure(m["exclusiveMinimum"]), figure(m["exclusiveMaximum"])
		f.MultipleOf = figure(m["multipleOf"])
		if e := m["exclusiveMinimum"]; e.is(boolean) && e.yes { // draft 4
			f.Minimum, f.Above = "", f.Minimum
		}
		if e := m["exclusiveMaximum"]; e.is(boolean) && e.yes {
			f.Maximum, f.Below = "", f.Maximum
		}
	case task.ChoicesField, task.JSONField:
		f.MinItems, f.MaxItems = count(m["minItems"]), count(m["maxItems"])
	case task.BooleanField, task.ChoiceField:
	}
}

// count returns a length or a number of items, -1 for none.
func count(v *value) int {
	if !v.is(number) || !task.SaneNumber(v.str) {
		return -1
	}
	r, ok := new(big.Rat).SetString(v.str)
	if !ok || !r.IsInt() || r.Sign() < 0 {
		return -1
	}
	if n := r.Num(); n.IsInt64() && n.Int64() <= math.MaxInt32 {
		return int(n.Int64())
	}
	return math.MaxInt32
}

// figure returns a number as the schema writes it, "" for none.
func figure(v *value) string {
	if !v.is(number) || len(v.str) > 40 || !task.SaneNumber(v.str) {
		return ""
	}
	return v.str
}

// defaults takes the default over where it fits the field and hides nothing
// from the person who is to send it.
func (s *source) defaults(f *task.Field, m map[string]*value) {
	d := m["default"]
	if d == nil && f.Required && m["const"] != nil {
		d = m["const"]
	}
	if d == nil {
		return
	}
	fits := true
	if d.kind == null && f.Nullable {
		f.Default = d.compact()
		return
	}
	switch f.Kind {
	case task.StringField:
		fits = d.kind == text
	case task.NumberField, task.IntegerField, task.BooleanField:
		if fits = d.kind == number || d.kind == boolean; fits {
			_, err := f.Encode(string(d.raw))
			fits = err == nil
		}
	case task.ChoiceField:
		fits = f.ChoiceIndex(d.compact()) >= 0
	case task.ChoicesField:
		if fits = d.kind == array; fits {
			_, err := f.Encode(string(d.raw))
			fits = err == nil
		}
	case task.JSONField:
	}
	shown := f.Typed(d.raw)
	switch {
	case !fits:
		s.warn("The default of %s does not fit it and is left out.", name(f.Name))
	case len(d.raw) > maxDefault:
		s.warn("The default of %s is too long and is left out.", name(f.Name))
	case f.Kind != task.ChoiceField && f.Kind != task.ChoicesField && task.Clean(shown).String() != shown:
		s.warn("The default of %s holds characters that do not show and is left out.", name(f.Name))
	case f.Kind == task.JSONField:
		f.Default = append(json.RawMessage(nil), d.raw...) // as it is laid out
	default:
		f.Default = d.compact()
	}
}

// choices returns the choices of enum, const, or oneOf and anyOf of constants
// with titles; nil where the schema is none of these.
func (s *source) choices(f *task.Field, m map[string]*value) []task.Choice {
	var values []*value
	var labels []string
	if c := m["const"]; c != nil {
		values, labels = []*value{c}, []string{""}
	} else if e := m["enum"]; e.is(array) && len(e.items) > 0 {
		names := m["enumNames"]
		if names == nil {
			names = m["x-enumNames"]
		}
		values, labels = e.items, make([]string, len(e.items))
		for i := range labels {
			if names.is(array) && len(names.items) == len(labels) {
				labels[i] = names.items[i].text()
			}
		}
		if names.is(array) && len(names.items) != len(labels) {
			s.warn("%s has %d choices and %d names for them: the names are left out, for they may belong to others.", name(f.Name), len(labels), len(names.items))
		}
	} else if values, labels = constants(m["oneOf"]); values == nil {
		values, labels = constants(m["anyOf"])
	}
	var out []task.Choice
	for i, v := range values {
		if v.kind == null && f.Nullable && len(values) > 1 {
			continue // task.TypedNull is the way to choose it
		}
		if len(out) == maxChoices {
			f.MoreChoices = true
			s.warn("%s has %d choices; the form shows %d of them.", name(f.Name), len(values), maxChoices)
			break
		}
		out = append(out, task.Choice{Value: v.compact(), Label: label(v, labels[i])})
	}
	count := make(map[task.Text]int, len(out))
	for _, c := range out {
		count[c.Label]++
	}
	for i, c := range out {
		if value := task.CleanLine(string(c.Value), maxLabel); count[c.Label] > 1 && c.Label != value {
			out[i].Label = task.Own(c.Label.Line() + " (" + value.Line() + ")")
		}
	}
	return out
}

// notes takes over what is told of a property beside its value.
func (s *source) notes(f *task.Field, m map[string]*value) {
	yes := func(keyword string) bool { return m[keyword].is(boolean) && m[keyword].yes }
	f.Deprecated, f.ReadOnly = yes("deprecated"), yes("readOnly")
	var list []*value
	if e := m["examples"]; e.is(array) {
		list = e.items
	}
	if e := m["example"]; e != nil && list == nil { // OpenAPI
		list = []*value{e}
	}
	for _, e := range list[:min(len(list), maxExamples)] {
		words := string(e.compact())
		if e.is(text) && f.Kind == task.StringField {
			words = e.str
		}
		if t := task.CleanLine(words, maxExample); !t.IsZero() {
			f.Examples = append(f.Examples, t)
		}
	}
}

// label is what a choice shows: its title, or its value.
func label(v *value, title string) task.Text {
	if t := task.CleanLine(title, maxLabel); !t.IsZero() {
		return t
	}
	if v.kind == text {
		if t := task.CleanLine(v.str, maxLabel); !t.IsZero() {
			return t
		}
	}
	return task.CleanLine(string(v.compact()), maxLabel)
}

// constants returns the values and titles of alternatives that are all
// constants.
func constants(list *value) ([]*value, []string) {
	if !list.is(array) {
		return nil, nil
	}
	var values []*value
	var labels []string
	for _, branch := range list.items {
		v := branch.get("const")
		if e := branch.get("enum"); v == nil && e.is(array) && len(e.items) == 1 {
			v = e.items[0]
		}
		if v == nil {
			return nil, nil
		}
		title := branch.get("title").text()
		if title == "" {
			title = branch.get("description").text()
		}
		values, labels = append(values, v), append(labels, title)
	}
	return values, labels
}
