package schema

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxHops bounds how far references and wrappings of one property are
// followed, maxMerged how many parts of allOf are put together in all: they may
// double at each step.
const (
	maxHops   = 16
	maxMerged = 2000
)

// keywords are those that a field is made from; flatten merges no others.
var keywords = [...]string{
	"title", "description", "default", "type", "enum", "enumNames", "x-enumNames", "const", "format",
	"minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "oneOf", "anyOf", "allOf", "not", "if",
	"properties", "required", "additionalProperties", "patternProperties", "dependentSchemas", "writeOnly",
	"readOnly", "deprecated", "examples", "example", "nullable", "then", "else", "minProperties",
}

// flat is a schema with its references, its wrappings (allOf, and anyOf of one)
// and its "or null" taken away.
type flat struct {
	members  map[string]*value
	nullable bool
	never    bool // the schema false
	odd      bool // a part could not be followed
}

// flatten follows what can be followed without choosing: local $ref, allOf, and
// anyOf or oneOf of which only one branch is not null. Properties come from all
// of them; of the rest, what stands beside them wins over what they bring.
func (s *source) flatten(v *value, hops int) flat {
	f := flat{members: map[string]*value{}}
	if v.is(boolean) {
		f.never = !v.yes
		return f
	}
	if !v.is(object) || hops > maxHops {
		f.odd = v != nil
		return f
	}
	for _, k := range keywords {
		if m := v.members[k]; m != nil {
			f.members[k] = m
		}
	}
	if ref := v.get("$ref"); ref.is(text) {
		if target := s.resolve(ref.str); target != nil {
			f.beneath(s.flatten(target, hops+1))
		} else {
			f.odd = true
		}
	}
	if n, ok := f.members["nullable"]; ok && n.is(boolean) { // OpenAPI 3.0
		f.nullable = n.yes
	}
	if all := f.members["allOf"]; all.is(array) && len(all.items) > 0 && s.merged+len(all.items) <= maxMerged {
		delete(f.members, "allOf")
		for _, part := range all.items {
			s.merged++
			f.beneath(s.flatten(part, hops+1))
		}
	}
	for _, k := range [...]string{"anyOf", "oneOf"} {
		s.unwrap(&f, k, hops)
	}
	return f
}

// unwrap takes null out of an anyOf or oneOf, and the wrapping away where one
// branch is left.
func (s *source) unwrap(f *flat, keyword string, hops int) {
	list := f.members[keyword]
	if !list.is(array) || len(list.items) == 0 {
		return
	}
	var rest []*value
	for _, branch := range list.items {
		if onlyNull(branch) {
			f.nullable = true
		} else {
			rest = append(rest, branch)
		}
	}
	if len(rest) == 0 {
		return
	}
	f.members[keyword] = &value{kind: array, raw: list.raw, items: rest}
	if single, _ := constants(f.members[keyword]); len(rest) == 1 && single == nil {
		delete(f.members, keyword)
		f.beneath(s.flatten(rest[0], hops+1))
	}
}

// beneath adds what f does not say itself.
func (f *flat) beneath(under flat) {
	for k, m := range under.members {
		had := f.members[k]
		switch {
		case had == nil:
			f.members[k] = m
		case k == "properties" && had.is(object) && m.is(object):
			f.members[k] = merge(had, m)
		case k == "required" && had.is(array) && m.is(array):
			f.members[k] = &value{kind: array, items: slices.Concat(had.items, m.items)}
		}
	}
	f.nullable = f.nullable || under.nullable
	f.never = f.never || under.never
	f.odd = f.odd || under.odd
}

// merge returns the properties of both; what both describe has to be as both
// say.
func merge(a, b *value) *value {
	out := &value{kind: object, keys: slices.Clone(a.keys), members: maps.Clone(a.members)}
	for _, k := range b.keys {
		had := out.members[k]
		switch {
		case had == nil:
			out.keys = append(out.keys, k)
			out.members[k] = b.members[k]
		case had != b.members[k]:
			both := &value{kind: array, items: []*value{had, b.members[k]}}
			out.members[k] = &value{kind: object, keys: []string{"allOf"}, members: map[string]*value{"allOf": both}}
		}
	}
	return out
}

// onlyNull reports whether a schema allows null and nothing else.
func onlyNull(v *value) bool {
	if t := v.get("type"); t.text() == "null" {
		return true
	}
	if c := v.get("const"); c.is(null) {
		return true
	}
	e := v.get("enum")
	return e.is(array) && len(e.items) == 1 && e.items[0].kind == null
}

// types returns the types that a schema allows, without null and unknown
// ones; empty for any.
func (f flat) types() []string {
	var list []string
	add := func(v *value) {
		if t := v.text(); t != "null" && typeWords[t] != "" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if t := f.members["type"]; t.is(array) {
		for _, item := range t.items {
			add(item)
		}
	} else {
		add(t)
	}
	return list
}

// allowsNull reports whether null is allowed beside something else.
func (f flat) allowsNull() bool {
	if f.nullable {
		return true
	}
	if t := f.members["type"]; t.is(array) {
		for _, item := range t.items {
			if item.text() == "null" {
				return true
			}
		}
	}
	return false
}

// resolve returns what a local $ref (a JSON Pointer, RFC 6901) points to, nil
// for anything else: nothing is ever fetched.
func (s *source) resolve(ref string) *value {
	base, fragment, _ := strings.Cut(ref, "#")
	if base != "" && base != strings.TrimSuffix(s.root.get("$id").text(), "#") && base != strings.TrimSuffix(s.root.get("id").text(), "#") {
		return nil
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil || len(pointer) > 4096 || pointer != "" && pointer[0] != '/' {
		return nil
	}
	v := s.root
	if pointer == "" {
		return v
	}
	for _, token := range strings.Split(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch {
		case v.is(object):
			v = v.members[token]
		case v.is(array):
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.items) {
				return nil
			}
			v = v.items[i]
		default:
			return nil
		}
	}
	return v
}
