package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"callboard/model/task"
)

// TestRandomSchemas gives schemas whose keywords hold anything: what is tamed
// must compile, every form must take its own defaults through the editor and
// back, and nothing may panic.
func TestRandomSchemas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	compiled := 0
	for range 300 {
		raw := json.RawMessage(randomSchema(rng, 4))
		root, err := parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		s := &source{root: root}
		c := newChecker(s, nil)
		tamed := c.doc != nil
		c.compile()
		switch {
		case tamed && c.schema == nil:
			t.Fatalf("does not compile: %s", raw)
		case c.schema != nil:
			compiled++
		}
		form := Form(raw)
		for range 3 {
			form.Check(json.RawMessage(`{"a":` + randomValue(rng, 3) + `,"b":` + randomValue(rng, 2) + `}`))
		}
		content, _ := task.Assemble(form, task.Prefill(form))
		if form.JSONOnly != "" {
			continue // there are no fields to come back to
		}
		draft, err := task.Split(form, content)
		if err != nil {
			t.Fatalf("%s of %s: %v", content, raw, err)
		}
		if again, _ := task.Assemble(form, draft); string(again) != string(content) {
			t.Fatalf("%s came back as %s", content, again)
		}
	}
	if compiled < 100 {
		t.Errorf("only %d schemas were worth compiling", compiled)
	}
}

func pick(rng *rand.Rand, list ...string) string { return list[rng.IntN(len(list))] }

// randomSchema writes a schema, mostly of keywords whose values have the right
// shape.
func randomSchema(rng *rand.Rand, depth int) string {
	if depth == 0 || rng.IntN(12) == 0 {
		return pick(rng, `true`, `false`, `{}`, `{"type":"string"}`, `{"type":"null"}`, `{"const":"a"}`, `{"$ref":"#"}`)
	}
	sub := func() string { return randomSchema(rng, depth-1) }
	named := func() string {
		return fmt.Sprintf(`{"a":%s,"b":%s,%q:%s}`, sub(), sub(), pick(rng, "c", "^a", "(?=x)", "/~", ""), sub())
	}
	subs := func() string { return `[` + sub() + `,` + sub() + `]` }
	var parts []string
	for range 1 + rng.IntN(6) {
		k := pick(rng, "type", "type", "properties", "properties", "properties", "items", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const",
			"default", "minLength", "maximum", "exclusiveMinimum", "multipleOf", "pattern", "format", "required", "dependencies", "dependentSchemas",
			"dependentRequired", "patternProperties", "additionalProperties", "propertyNames", "contains", "minContains", "prefixItems", "additionalItems",
			"unevaluatedItems", "unevaluatedProperties", "$ref", "$defs", "definitions", "$id", "id", "$schema", "$anchor", "$vocabulary", "uniqueItems",
			"title", "enumNames", "minItems", "maxProperties", "contentSchema", "$dynamicRef", "$comment", "deprecated")
		v := ""
		switch {
		case rng.IntN(10) == 0:
			v = randomValue(rng, 2)
		case strings.Contains("properties dependentSchemas patternProperties $defs definitions dependencies", k):
			v = named()
		case strings.Contains("anyOf oneOf allOf prefixItems enum", k):
			v = subs()
		case k == "type":
			v = pick(rng, `"object"`, `"string"`, `"array"`, `"number"`, `["string","null"]`, `["integer","integer"]`, `"any"`)
		case k == "$ref":
			v = pick(rng, `"#"`, `"#/$defs/a"`, `"#/properties/b"`, `"#/enum/0"`, `"#/default"`, `"http://x/y"`, `"#a"`, `"%zz"`)
		case strings.HasPrefix(k, "min") || strings.HasPrefix(k, "max") || k == "exclusiveMinimum" || k == "multipleOf":
			v = pick(rng, `1`, `2.0`, `0`, `0.5`, `-1`, `true`, `1e400`, `3`)
		case k == "required" || k == "enumNames":
			v = pick(rng, `["a"]`, `["a","a","z"]`, `true`, `[]`)
		case k == "pattern" || k == "format" || k == "title":
			v = pick(rng, `"^a"`, `"(?!x)"`, `"date"`, `"regex"`, `"email"`, `"\\u0041"`, `"["`)
		case k == "$id" || k == "id" || k == "$schema" || k == "$anchor" || k == "$dynamicRef":
			v = pick(rng, `"http://json-schema.org/draft-04/schema#"`, `"http://json-schema.org/draft-07/schema"`, `"x"`, `"#a"`, `"::"`)
		case k == "dependentRequired":
			v = `{"a":["b","b"]}`
		case k == "const" || k == "default":
			v = randomValue(rng, 2)
		default:
			v = sub()
		}
		parts = append(parts, fmt.Sprintf("%q:%s", k, v))
	}
	return `{` + strings.Join(parts, ",") + `}`
}

func randomValue(rng *rand.Rand, depth int) string {
	if depth > 0 && rng.IntN(3) == 0 {
		if rng.IntN(2) == 0 {
			return `[` + randomValue(rng, depth-1) + `,` + randomValue(rng, depth-1) + `]`
		}
		return `{"a":` + randomValue(rng, depth-1) + `,"c":` + randomValue(rng, depth-1) + `}`
	}
	return pick(rng, `null`, `true`, `1`, `1.0`, `-0.5`, `1e300`, `1e9999`, `""`, `"a"`, `"2026-01-01"`, `"\u202e"`, `{}`, `[]`)
}
