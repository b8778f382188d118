package schema

import (
	"encoding/json"
	"slices"
	"strconv"

	"callboard/model/task"
)

// Limits of what is handed to the validator, whose compiler takes time that
// grows with the square of the number of subschemas.
const (
	maxSubschemas = 4000
	maxPattern    = 4 << 10
	// maxNesting bounds how many subschemas apply to one value within each
	// other, references followed, and maxVisits how many do in all: a few
	// references that double each other outnumber atoms.
	maxNesting = 200
	maxVisits  = 10_000
)

// tamer rewrites a schema into one of dialect 2020-12 that the validator
// certainly compiles, in time that is bounded: keywords whose value has the
// wrong shape and references that lead nowhere are left out with a warning,
// local references are gathered under $defs, and what other dialects write
// otherwise is translated. Nothing in the outcome names another document.
type tamer struct {
	*source
	defs    map[string]any
	targets map[*value]string // the name in $defs of what is referred to
	pending []*value
	count   int
	// applied are the subschemas that begin at a value of their own, by what
	// applies to the same value within them.
	applied map[string][]edge
	roots   int
}

// tame returns the schema for the validator, nil with a warning where there
// can be none.
func (s *source) tame() map[string]any {
	if !s.root.sane() {
		s.warn("The answer is checked for types only: the schema holds numbers that are too large.")
		return nil
	}
	t := &tamer{source: s, defs: map[string]any{}, targets: map[*value]string{}, applied: map[string][]edge{}}
	doc := t.schema(s.root, t.fresh())
	for len(t.pending) > 0 {
		v := t.pending[0]
		t.pending = t.pending[1:]
		t.defs[t.targets[v]] = t.schema(v, place{root: t.targets[v]})
	}
	switch {
	case t.count > maxSubschemas:
		s.warn("The answer is checked for types only: the schema has more than %d parts.", maxSubschemas)
		return nil
	case !t.bounded():
		s.warn("The answer is checked for types only: the schema refers to itself without end, or nests too deeply.")
		return nil
	}
	root, ok := doc.(map[string]any)
	if !ok {
		root = map[string]any{"allOf": []any{doc}}
	}
	if len(t.defs) > 0 {
		root["$defs"] = t.defs
	}
	return root
}

// fresh begins a subschema at a value of its own.
func (t *tamer) fresh() place {
	t.roots++
	return place{root: "value " + strconv.Itoa(t.roots)}
}

// schema rewrites one subschema.
func (t *tamer) schema(v *value, at place) any {
	t.count++
	if v.is(boolean) {
		return v.yes
	}
	if !v.is(object) {
		t.warn("A part of the schema is no schema and is not checked.")
		return true
	}
	if t.count > maxSubschemas {
		return true
	}
	out := map[string]any{}
	t.reference(v, out, at)
	t.values(v, out)
	t.bounds(v, out)
	t.strings(v, out)
	within := place{at.root, at.depth + 1}
	for _, k := range [...]string{"allOf", "anyOf", "oneOf"} {
		t.list(v, k, k, out, within)
	}
	for _, k := range [...]string{"not", "if", "then", "else"} {
		if m := v.members[k]; m != nil {
			out[k] = t.schema(m, within)
		}
	}
	t.object(v, out, within)
	t.array(v, out)
	if n := v.members["nullable"]; n.is(boolean) && n.yes { // OpenAPI 3.0
		return orNull(out)
	}
	return out
}

// orNull allows null beside what a schema takes.
func orNull(out map[string]any) map[string]any {
	types, ok := out["type"].([]any)
	if ok && len(out) == 1 {
		if !slices.Contains(types, any("null")) {
			out["type"] = append(types, "null")
		}
		return out
	}
	return map[string]any{"anyOf": []any{out, map[string]any{"type": []any{"null"}}}}
}

// reference rewrites $ref, and leaves out the references that depend on where
// validation came from.
func (t *tamer) reference(v *value, out map[string]any, at place) {
	if v.members["$dynamicRef"] != nil || v.members["$recursiveRef"] != nil {
		t.warn("A part of the schema that is chosen while checking is not checked.")
	}
	ref := v.members["$ref"]
	if ref == nil {
		return
	}
	target := t.resolve(ref.text())
	if ref.kind != text || target == nil {
		t.warn("The schema refers to %s, which is not fetched; that part is not checked.", name(ref.text()))
		return
	}
	key, ok := t.targets[target]
	if !ok {
		key = "r" + strconv.Itoa(len(t.targets))
		t.targets[target] = key
		t.pending = append(t.pending, target)
	}
	t.applied[at.root] = append(t.applied[at.root], edge{key, at.depth})
	out["$ref"] = "#/$defs/" + key
}

// values copies the keywords that speak of any value.
func (t *tamer) values(v *value, out map[string]any) {
	if m := v.members["type"]; m != nil {
		var types []any
		list := []*value{m}
		if m.is(array) {
			list = m.items
		}
		had := map[string]bool{}
		for _, item := range list {
			switch w := item.text(); {
			case w == "any":
				types, list = nil, nil
			case typeWords[w] == "":
				t.warn("The type %s is not known and is not checked.", name(item.text()))
				types, list = nil, nil
			case !had[w]:
				had[w] = true
				types = append(types, w)
			}
			if list == nil {
				break
			}
		}
		if types != nil {
			out["type"] = types
		}
	}
	if m := v.members["enum"]; m.is(array) {
		out["enum"] = m.plain()
	} else if m != nil {
		t.ill("enum")
	}
	if m := v.members["const"]; m != nil {
		out["const"] = m.plain()
	}
}

// bounds copies the keywords that are numbers.
func (t *tamer) bounds(v *value, out map[string]any) {
	for _, k := range [...]string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"} {
		m := v.members[k]
		if m == nil {
			continue
		}
		if n := count(m); n >= 0 {
			out[k] = json.Number(strconv.Itoa(n))
		} else {
			t.ill(k)
		}
	}
	for _, k := range [...]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		m := v.members[k]
		switch {
		case m == nil || m.kind == boolean && k[0] == 'e':
		case m.kind != number || k == "multipleOf" && !positive(m.str):
			t.ill(k)
		default:
			out[k] = json.Number(m.str)
		}
	}
	for inclusive, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
		if m := v.members[exclusive]; m.is(boolean) && m.yes && out[inclusive] != nil { // draft 4
			out[exclusive] = out[inclusive]
			delete(out, inclusive)
		}
	}
	if m := v.members["uniqueItems"]; m.is(boolean) {
		out["uniqueItems"] = m.yes
	}
}

// strings copies the keywords of text.
func (t *tamer) strings(v *value, out map[string]any) {
	if m := v.members["pattern"]; m.is(text) {
		if t.pattern(m.str) {
			out["pattern"] = m.str
		}
	} else if m != nil {
		t.ill("pattern")
	}
	// What a regular expression is differs between languages.
	if m := v.members["format"]; m.is(text) && m.str != "regex" {
		out["format"] = m.str
	}
}

// pattern reports whether a pattern can be enforced, with a warning where not.
func (t *tamer) pattern(p string) bool {
	if len(p) > maxPattern {
		t.warn("A pattern of more than 4 KiB is not checked.")
		return false
	}
	if _, err := compilePattern(p); err != nil {
		t.warn("The pattern %s cannot be checked here; the server will.", task.CleanLine(p, 60).Line())
		return false
	}
	return true
}

// ill warns of a keyword whose value has the wrong shape.
func (t *tamer) ill(keyword string) {
	t.warn("The schema's %s is not as JSON Schema writes it and is not checked.", keyword)
}

func (t *tamer) list(v *value, from, to string, out map[string]any, at place) {
	m := v.members[from]
	if m == nil {
		return
	}
	if m.kind != array || len(m.items) == 0 {
		t.ill(from)
		return
	}
	out[to] = t.schemas(m.items, at)
}

// schemas rewrites a list; with a zero place each begins at its own value.
func (t *tamer) schemas(items []*value, at place) []any {
	list := make([]any, 0, len(items))
	for _, item := range items {
		where := at
		if at.root == "" {
			where = t.fresh()
		}
		list = append(list, t.schema(item, where))
	}
	return list
}
