package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"callboard/model/task"
)

// Limits of what is told of the inside of a value.
const (
	maxVariants = 6   // told by name
	maxParts    = 8   // properties told by name
	maxShape    = 300 // bytes of a wording
	// maxBlank is how deep a skeleton nests, and maxBlanks how many values all
	// skeletons of a form have together.
	maxBlank  = 6
	maxBlanks = 4000
)

// variantsOf words the alternatives of a schema, "" where it has none that are
// objects.
func (s *source) variantsOf(f flat) string {
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		if words := s.variants(f.members[keyword]); words != "" {
			return words
		}
	}
	return ""
}

// variants words alternatives that are objects: how many, what each is called,
// and what it holds. It is empty where they are none.
func (s *source) variants(list *value) string {
	if !list.is(array) || len(list.items) < 2 {
		return ""
	}
	words := make([]string, 0, maxVariants+1)
	for i, branch := range list.items {
		if len(words) == maxVariants {
			words = append(words, fmt.Sprintf("and %d more", len(list.items)-maxVariants))
			break
		}
		f := s.flatten(branch, maxHops/2)
		if f.members["properties"] == nil && !slices.Equal(f.types(), []string{"object"}) {
			return ""
		}
		words = append(words, s.called(f, i)+s.contents(f))
	}
	return task.CleanLine(fmt.Sprintf("%d variants: %s", len(list.items), strings.Join(words, "; ")), maxShape).Line()
}

// called is what a variant is called: its title, or the constant that tells it
// from the others.
func (s *source) called(f flat, i int) string {
	if title := task.CleanLine(f.members["title"].text(), 60); !title.IsZero() {
		return name(title.String())
	}
	if p := f.members["properties"]; p.is(object) {
		for _, k := range p.keys {
			if c := s.constant(p.members[k]); c.is(text) {
				return name(c.str)
			}
		}
	}
	return fmt.Sprintf("variant %d", i+1)
}

// constant is the one value that a schema allows, nil for none.
func (s *source) constant(v *value) *value {
	m := s.flatten(v, maxHops/2).members
	if e := m["enum"]; m["const"] == nil && e.is(array) && len(e.items) == 1 {
		return e.items[0]
	}
	return m["const"]
}

// contents words the properties of an object: " with a, b, optionally c"; it is
// empty where they are not known.
func (s *source) contents(f flat) string {
	p := f.members["properties"]
	if !p.is(object) || len(p.keys) == 0 {
		return ""
	}
	required := requiredOf(f)
	var must, may []string
	for _, k := range p.keys {
		switch word := task.CleanLine(k, 40).Line(); {
		case required[k]:
			must = append(must, word)
		default:
			may = append(may, word)
		}
	}
	after := func(before string, names []string) string {
		if len(names) == 0 {
			return ""
		}
		return before + listed(names)
	}
	out := after(" with ", must)
	if out == "" {
		return after(" with optional ", may)
	}
	return out + after(", optionally ", may)
}

// listed joins the names of properties, of many the first ones.
func listed(names []string) string {
	more := ""
	if n := len(names); n > maxParts {
		names, more = names[:maxParts], fmt.Sprintf(" and %d more", n-maxParts)
	}
	return strings.Join(names, ", ") + more
}

func requiredOf(f flat) map[string]bool {
	required := map[string]bool{}
	if list := f.members["required"]; list.is(array) {
		for _, item := range list.items {
			required[item.text()] = true
		}
	}
	return required
}

// beyond warns of properties that no field stands for, since they depend on
// what is chosen.
func (s *source) beyond(top flat, properties *value) {
	var names []string
	seen := map[string]bool{}
	add := func(v *value) {
		p := s.flatten(v, maxHops/2).members["properties"]
		if !p.is(object) {
			return
		}
		for _, k := range p.keys {
			if properties.get(k) == nil && !seen[k] {
				seen[k] = true
				names = append(names, k)
			}
		}
	}
	for _, keyword := range [...]string{"oneOf", "anyOf", "allOf"} {
		if list := top.members[keyword]; list.is(array) {
			for _, branch := range list.items[:min(len(list.items), maxHops)] {
				add(branch)
			}
		}
	}
	add(top.members["then"])
	add(top.members["else"])
	if d := top.members["dependentSchemas"]; d.is(object) {
		for _, k := range d.keys {
			add(d.members[k])
		}
	}
	if len(names) == 0 {
		return
	}
	for i := range names {
		names[i] = name(names[i])
	}
	s.warn("Depending on what is answered the schema asks for more, which only the JSON editor can set: %s.", listed(names))
}

// skeleton returns a value of the shape that a schema tells, nil where it tells
// none. Nothing is chosen for the person, so that nothing passes that was
// overlooked: what is to be filled in is null, and a list holds one such item.
// Defaults and constants stand as they are.
func (s *source) skeleton(v *value) json.RawMessage {
	f := s.flatten(v, 0)
	if types := f.types(); !slices.Contains(types, "object") && !slices.Contains(types, "array") && f.members["properties"] == nil && s.variantsOf(f) == "" {
		return nil
	}
	var b bytes.Buffer
	s.blank(&b, v, maxBlank)
	if out := b.String(); out == "null" || out == "{}" || out == "[null]" {
		return nil
	}
	return b.Bytes()
}

// blank writes the skeleton of one schema.
func (s *source) blank(b *bytes.Buffer, v *value, depth int) {
	s.blanks++
	f := s.flatten(v, maxHops/2)
	m := f.members
	if s.blanks > maxBlanks || depth == 0 {
		b.WriteString("null")
		return
	}
	for _, given := range [...]*value{m["default"], s.constant(v)} {
		if given != nil && len(given.raw) < maxDefault && task.Clean(string(given.raw)).String() == string(given.raw) {
			b.Write(given.compact())
			return
		}
	}
	types := f.types()
	for _, keyword := range [...]string{"oneOf", "anyOf"} {
		if s.variants(m[keyword]) != "" && !m["properties"].is(object) {
			s.blank(b, m[keyword].items[0], depth-1)
			return
		}
	}
	switch {
	case m["enum"] != nil:
		b.WriteString("null")
	case m["properties"].is(object) || len(types) == 1 && types[0] == "object":
		s.blankObject(b, f, depth)
	case len(types) == 1 && types[0] == "array":
		b.WriteByte('[')
		s.blank(b, m["items"], depth-1)
		b.WriteByte(']')
	default:
		b.WriteString("null")
	}
}

// blankObject writes an object with what it must have, or where it must have
// nothing, with what it may.
func (s *source) blankObject(b *bytes.Buffer, f flat, depth int) {
	required := requiredOf(f)
	properties := f.members["properties"]
	all := !properties.is(object) || !slices.ContainsFunc(properties.keys, func(k string) bool { return required[k] })
	b.WriteByte('{')
	if properties.is(object) {
		first := true
		for _, k := range properties.keys {
			if !all && !required[k] {
				continue
			}
			if !first {
				b.WriteByte(',')
			}
			first = false
			quoted, _ := json.Marshal(k) // a string always encodes
			b.Write(quoted)
			b.WriteByte(':')
			s.blank(b, properties.members[k], depth-1)
		}
	}
	b.WriteByte('}')
}
