package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// TestHostileSchemas gives schemas that are made to hang, crash or swell what
// reads them. Each has to be done with.
func TestHostileSchemas(t *testing.T) {
	nest := func(n int, open, inner, shut string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	list := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(format, "NEXT", fmt.Sprint(i+1)), "THIS", fmt.Sprint(i))
		}
		return strings.Join(parts, ",")
	}
	for _, c := range []struct{ name, schema, content string }{
		{"deep beyond the limit", nest(5000, `{"properties":{"a":`, `{}`, `}}`), `{}`},
		{"deep within it", nest(60, `{"properties":{"a":`, `{"type":"string"}`, `}}`), nest(60, `{"a":`, `1`, `}`)},
		{"10,000 properties", `{"properties":{` + list(10000, `"pTHIS":{"type":"string"}`) + `},"required":["p9999"]}`, `{"p1":1}`},
		{"10,000 required", `{"required":[` + list(10000, `"pTHIS"`) + `]}`, `{}`},
		{"10,000 choices", `{"properties":{"a":{"enum":[` + list(10000, `"cTHIS"`) + `]}}}`, `{"a":"c9999"}`},
		{"2^60 visits", `{"$ref":"#/$defs/d0","$defs":{` + list(60, `"dTHIS":{"allOf":[{"$ref":"#/$defs/dNEXT"},{"$ref":"#/$defs/dNEXT"}]}`) + `,"d60":{"type":"string"}}}`, `{}`},
		{"2^60 visits that fail late", `{"$ref":"#/$defs/d0","$defs":{` + list(60, `"dTHIS":{"anyOf":[{"$ref":"#/$defs/dNEXT"},{"$ref":"#/$defs/dNEXT"}]}`) + `,"d60":false}}`, `{}`},
		{"2^60 visits by depth", `{"$ref":"#/$defs/d","$defs":{"d":{"allOf":[{"properties":{"a":{"$ref":"#/$defs/d"}}},{"properties":{"a":{"$ref":"#/$defs/d"}}}]}}}`, nest(60, `{"a":`, `1`, `}`)},
		{"a chain of 3,000 references", `{"$ref":"#/$defs/d0","$defs":{` + list(3000, `"dTHIS":{"$ref":"#/$defs/dNEXT"}`) + `,"d3000":{"properties":{"a":{"$ref":"#/$defs/d0"}}}}}`, nest(100, `{"a":`, `1`, `}`)},
		{"the longest chain that is checked, deep", `{"$ref":"#/$defs/d0","$defs":{` + list(190, `"dTHIS":{"$ref":"#/$defs/dNEXT"}`) + `,"d190":{"properties":{"a":{"$ref":"#/$defs/d0"}}}}}`, nest(120, `{"a":`, `1`, `}`)},
		{"circles", `{"$ref":"#","allOf":[{"$ref":"#"}],"properties":{"a":{"$ref":"#"}}}`, `{"a":{}}`},
		{"500 wide references", `{"properties":{` + list(500, `"pTHIS":{"allOf":[{"$ref":"#/$defs/d"}]}`) + `},"$defs":{"d":{` + list(5000, `"kTHIS":1`) + `}}}`, `{"p1":1}`},
		{"huge counts", `{"properties":{"a":{"type":"string","minLength":1e400,"maxLength":-1e400}}}`, `{"a":"x"}`},
		{"huge numbers", `{"properties":{"a":{"type":"number","multipleOf":1e-999999999,"default":1e999999999}}}`, `{"a":1}`},
		{"patterns that explode elsewhere", `{"properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}`, `{"a":"` + strings.Repeat("a", 50000) + `!"}`},
		{"patterns that are large", `{"properties":{"a":{"type":"string","pattern":"` + strings.Repeat("(a{0,900}){0,900}", 100) + `"}}}`, `{"a":"aaa"}`},
		{"1,000 pattern properties", `{"patternProperties":{` + list(1000, `"^THIS":{"type":"string"}`) + `}}`, `{"1":1}`},
		{"3 MiB", `{"description":"` + strings.Repeat("x", 3<<20) + `"}`, `{}`},
		{"names that hide", `{"properties":{"a\u001b]0;x\u0007\u202e":{"type":"string","title":"\u001b[2J"}},"required":["\u009b31m"]}`, `{}`},
		{"every keyword null", `{"type":null,"properties":null,"required":null,"$ref":null,"allOf":null,"enum":null,"items":null,"$defs":null}`, `{}`},
		{"every keyword a list", `{"properties":{"a":{"type":[[]],"enum":[[]],"const":[],"items":[[]],"anyOf":[[]],"pattern":[],"format":[],"default":[],"title":[],"minimum":[]}}}`, `{"a":[]}`},
		{"lone surrogates and bad UTF-8", "{\"properties\":{\"\\ud800\xff\":{\"type\":\"string\",\"enum\":[\"\\udfff\",\"\xfe\"]}}}", `{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			form := Form(json.RawMessage(c.schema))
			list := form.Check(json.RawMessage(c.content))
			task.Assemble(form, task.Prefill(form))
			// All take well under a second alone, more on a busy machine, and what explodes
			// would take years.
			if took := time.Since(began); took > 3*time.Minute {
				t.Errorf("took %v", took)
			}
			if len(form.Fields) > maxFields || len(form.Warnings) > maxWarnings+1 || len(list) > maxProblems {
				t.Errorf("%d fields, %d warnings, %d problems", len(form.Fields), len(form.Warnings), len(list))
			}
			for _, text := range texts(form, list) {
				if clean := task.Clean(text.String()); clean != text {
					t.Errorf("%q is not clean", text)
				}
			}
		})
	}
}

// texts returns all that a form would show.
func texts(form task.Form, list []task.Problem) []task.Text {
	out := append([]task.Text{task.Own(form.JSONOnly)}, form.Warnings...)
	for _, f := range form.Fields {
		out = append(out, f.Label, f.Description, f.Constraint(), task.Own(f.Shape))
		for _, c := range f.Choices {
			out = append(out, c.Label)
		}
	}
	for _, p := range list {
		out = append(out, p.Text)
	}
	return out
}

// TestCaps holds what is left where a schema is too large.
func TestCaps(t *testing.T) {
	var b strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&b, `"p%d":{"type":"string"},`, i)
	}
	form := Form(json.RawMessage(`{"properties":{` + strings.TrimSuffix(b.String(), ",") + `},"required":["p9999"]}`))
	if n := len(form.Fields); n != maxFields || form.Fields[n-1].Name != "p9999" || form.Fields[n-2].Name != "p498" {
		t.Errorf("%d fields", n)
	}
	if got := fmt.Sprint(form.Warnings); !strings.Contains(got, "has 10000 properties; the form shows 500") || !strings.Contains(got, "more than 4000 parts") {
		t.Errorf("warnings %s", got)
	}
	if got := problems(form.Check(json.RawMessage(`{"p1":5}`))); got != "p1: must be text\np9999: is required" {
		t.Errorf("check: %s", got)
	}

	var choices []string
	for i := range 2000 {
		choices = append(choices, fmt.Sprint(i))
	}
	form = Form(json.RawMessage(`{"properties":{"p":{"enum":[` + strings.Join(choices, ",") + `]}}}`))
	if f := form.Fields[0]; len(f.Choices) != maxChoices || !f.MoreChoices {
		t.Errorf("%d choices, more %v", len(f.Choices), f.MoreChoices)
	}
	for typed, want := range map[string]string{"1999": "", "2000": "p: must be one of the choices"} {
		if _, list := task.Assemble(form, map[string]string{"p": typed}); problems(list) != want {
			t.Errorf("choice %s: %v", typed, list)
		}
	}
}
