package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"callboard/model/task"
)

func problems(list []task.Problem) string {
	lines := make([]string, len(list))
	for i, p := range list {
		lines[i] = strings.TrimSpace(p.Field + ": " + p.Text.String())
	}
	return strings.Join(lines, "\n")
}

// TestCheckKeywords gives the one property p of each schema a value, and "-"
// for leaving it out.
func TestCheckKeywords(t *testing.T) {
	const date, stamp = "p: is not a date such as 2026-01-31, tomorrow or +3d", "p: is not a date and time such as 2026-01-31 14:00, now or +2h"
	for _, c := range []struct{ property, value, want string }{
		{`{"type":"string"}`, `"a"`, ""},
		{`{"type":"string"}`, `-`, ""},
		{`{"type":"string"}`, `5`, "p: must be text"},
		{`{"type":"string","minLength":3}`, `"ab"`, "p: must be at least 3 characters"},
		{`{"type":"string","minLength":3}`, `"äöü"`, ""},
		{`{"type":"string","minLength":1}`, `""`, "p: must not be empty"},
		{`{"type":"string","maxLength":1}`, `"ab"`, "p: must be at most 1 character"},
		{`{"type":"string","maxLength":2e30}`, `"ab"`, ""},
		{`{"type":"string","pattern":"^\\u0061\\/$"}`, `"b/"`, `p: must match the pattern ^\u0061\/$`},
		{`{"type":"string","pattern":"^\\u0061\\/$"}`, `"a/"`, ""},
		{`{"type":"string","pattern":"^\\u{1F600}\\cI$"}`, `"😀\t"`, ""},
		{`{"type":"string","pattern":"^a","minLength":3}`, `"b"`, "p: must be at least 3 characters\np: must match the pattern ^a"},
		{`{"type":"string","format":"email"}`, `"a@b.example"`, ""},
		{`{"type":"string","format":"email"}`, `"a at b"`, "p: is not an e-mail address"},
		{`{"type":"string","format":"uri"}`, `"x"`, "p: is not a URI such as https://example.com/"},
		{`{"type":"string","format":"uri"}`, `"https://example.com/a?b"`, ""},
		{`{"type":"string","format":"date"}`, `"2026-02-30"`, date},
		{`{"type":"string","format":"date"}`, `"2026-02-28"`, ""},
		{`{"type":"string","format":"date-time"}`, `"2026-02-28 10:00"`, stamp},
		{`{"type":"string","format":"date-time"}`, `"2026-02-28T10:00:00+02:00"`, ""},
		{`{"type":"string","format":"uuid"}`, `"x"`, "p: is not a valid uuid"},
		{`{"type":"string","format":"colour"}`, `"x"`, ""},
		{`{"type":"number","minimum":0.1}`, `0.09`, "p: must be at least 0.1"},
		{`{"type":"number","maximum":9007199254740992}`, `9007199254740993`, "p: must be at most 9007199254740992"},
		{`{"type":"number","exclusiveMinimum":0}`, `0`, "p: must be more than 0"},
		{`{"type":"number","exclusiveMaximum":5}`, `5.0`, "p: must be less than 5"},
		{`{"type":"number","minimum":0,"exclusiveMinimum":true}`, `0`, "p: must be more than 0"},
		{`{"type":"number","multipleOf":0.01}`, `1.10`, ""},
		{`{"type":"number","multipleOf":0.01}`, `1.101`, "p: must be a multiple of 0.01"},
		{`{"type":"number"}`, `1e99999`, "p: holds too long a number"},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `1.5`, "p: must be a whole number"},
		{`{"type":"boolean"}`, `"true"`, "p: must be yes or no"},
		{`{"enum":["a",1]}`, `1.0`, ""},
		{`{"enum":["a",1]}`, `"b"`, "p: must be one of the choices"},
		{`{"const":"x"}`, `"y"`, `p: must be "x"`},
		{`{"oneOf":[{"const":"a"},{"const":"b"}]}`, `"c"`, "p: must be one of the choices"},
		{`{"type":"array","items":{"enum":["a","b","c"]},"minItems":2}`, `["a"]`, "p: choose at least 2"},
		{`{"type":"array","items":{"enum":["a","b","c"]},"maxItems":1}`, `["a","b"]`, "p: choose at most 1"},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `["a","z"]`, "p: item 2 must be one of the choices"},
		{`{"type":"array","items":{"enum":["a"]},"uniqueItems":true}`, `["a","a"]`, "p: must not hold the same item twice"},
		{`{"type":"array","items":{"type":"string"},"minItems":2}`, `["a"]`, "p: must have at least 2 items"},
		{`{"type":"array","items":{"type":"object","required":["x"]}}`, `[{"x":1},{}]`, `p: "x" in item 2 is required`},
		{`{"anyOf":[{"type":"integer","maximum":5},{"type":"null"}]}`, `9`, "p: must be at most 5"},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `null`, ""},
		{`{"anyOf":[{"type":"string"},{"type":"number"}]}`, `true`, "p: must be text or a number"},
		{`{"oneOf":[{"minimum":1},{"maximum":5}]}`, `3`, "p: fits more than one of the alternatives that exclude each other"},
		{`{"not":{"const":"a"}}`, `"a"`, "p: has a value that is not allowed"},
		{`{"type":"object","additionalProperties":false}`, `{"z":1}`, `p: "z" is not asked for`},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`, "p: item 2 must be left out"},
		{`{"type":"array","contains":{"const":1}}`, `[2]`, "p: lacks an item that it must hold"},
		{`{"propertyNames":{"maxLength":1}}`, `{"zz":1}`, `p: holds a name that is not allowed: "zz"`},
		{`{"$ref":"#/$defs/small"}`, `9`, "p: must be at most 5"},
		{`{"$ref":"#/elsewhere/small"}`, `9`, "p: must be at most 5"},
		{`{"if":{"const":1},"then":false}`, `1`, "p: must be left out"},
	} {
		t.Run(c.property+" "+c.value, func(t *testing.T) {
			form := Form(json.RawMessage(`{"type":"object","properties":{"p":` + c.property + `},
				"$defs":{"small":{"maximum":5}},"elsewhere":{"small":{"maximum":5}}}`))
			content := `{"p":` + c.value + `}`
			if c.value == "-" {
				content = `{}`
			}
			for range 2 { // the second time with what the first compiled
				if got := problems(form.Check(json.RawMessage(content))); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			}
			if len(form.Warnings) > 0 {
				t.Errorf("warnings: %v", form.Warnings)
			}
		})
	}
}

func TestCheckWhole(t *testing.T) {
	for _, c := range []struct{ schema, content, want string }{
		{`{"properties":{"a":{},"b":{}},"required":["b","a"]}`, `{}`, "a: is required\nb: is required"},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"z":1}`, `: "z" is not asked for.`},
		{`{"properties":{"a":{},"b":{}},"minProperties":2}`, `{"a":1}`, ": The content must have at least 2 properties."},
		{`{"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, `: The content needs one of: "a", "b".`},
		{`{"properties":{"a":{},"b":{}},"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `b: is required where "a" is set`},
		{`{"properties":{"a":{},"b":{}},"dependencies":{"a":["b"]}}`, `{"a":1}`, `b: is required where "a" is set`},
		{`{"properties":{"a":{},"b":{}},"dependencies":{"a":{"required":["b"]}}}`, `{"a":1}`, `b: is required`},
		{`{"properties":{"a":{"type":"string","required":true}}}`, `{}`, "a: is required"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"T":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/T"}}}`, `{"a":"x"}`, "a: must be a whole number"},
		{`{"$schema":"https://example.com/own","properties":{"a":{"type":"integer"}}}`, `{"a":"x"}`, "a: must be a whole number"},
		{`{"properties":{"a":{"type":"integer"}}}`, `{"a":1,"a":2}`, "a: is given twice"},
		{`{"properties":{"a":{"type":"integer"},"b":{}}}`, `{"b":1,"b":2,"a":1,"a":2}`, "a: is given twice\nb: is given twice"},
		{`{"properties":{"a":{}}}`, `{"a":[{"x":{"y":1,"y":2}}]}`, "a: holds one name twice"},
		{`{"properties":{"a":{}}}`, `{"a":`, ": The content is not JSON yet."},
		{`{"properties":{"a":{}}}`, `{"a":1} x`, ": The content is not JSON yet."},
		{`{"properties":{"a":{}}}`, `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, ": The content is nested too deeply."},
		{`false`, `{}`, ": The schema allows no answer at all."},
	} {
		if got := problems(Form(json.RawMessage(c.schema)).Check(json.RawMessage(c.content))); got != c.want {
			t.Errorf("%s of %s\ngot  %s\nwant %s", c.schema, c.content, got, c.want)
		}
	}
}

// TestWarnings holds that what cannot be honoured is said, and stands in
// nobody's way.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ property, accepts, warning string }{
		{`{"type":"string","pattern":"(?<=a)b"}`, `"b"`, "The pattern (?<=a)b cannot be checked here; the server will."},
		{`{"type":"string","pattern":"` + strings.Repeat("a", 5000) + `"}`, `"b"`, "A pattern of more than 4 KiB is not checked."},
		{`{"type":"string","minLength":"3"}`, `"b"`, "The schema's minLength is not as JSON Schema writes it and is not checked."},
		{`{"type":"number","multipleOf":0}`, `1`, "The schema's multipleOf is not as JSON Schema writes it and is not checked."},
		{`{"type":"colour"}`, `1`, `The type "colour" is not known and is not checked.`},
		{`{"$ref":"file:///etc/passwd"}`, `1`, `The schema refers to "file:///etc/passwd", which is not fetched; that part is not checked.`},
		{`{"$dynamicRef":"#x"}`, `1`, "A part of the schema that is chosen while checking is not checked."},
		{`{"anyOf":[]}`, `1`, "The schema's anyOf is not as JSON Schema writes it and is not checked."},
		{`{"not":5}`, ``, "A part of the schema is no schema and is not checked."},
		{`{"type":"string","default":5}`, `"b"`, `The default of "p" does not fit it and is left out.`},
		{`{"type":"string","default":"a\u200bb"}`, `"b"`, `The default of "p" holds characters that do not show and is left out.`},
		{`{"type":"number","maximum":1e999999999}`, `5`, "The answer is checked for types only: the schema holds numbers that are too large."},
		{`{"$ref":"#/$defs/loop"}`, `5`, "The answer is checked for types only: the schema refers to itself without end, or nests too deeply."},
	} {
		form := Form(json.RawMessage(`{"type":"object","properties":{"p":` + c.property + `},"$defs":{"loop":{"allOf":[{"$ref":"#/$defs/loop"}]}}}`))
		if len(form.Warnings) != 1 || form.Warnings[0].String() != c.warning {
			t.Errorf("%.80s warns %v, want %s", c.property, form.Warnings, c.warning)
		}
		if got := form.Check(json.RawMessage(`{"p":` + c.accepts + `}`)); c.accepts != "" && got != nil {
			t.Errorf("%.80s refuses %s: %v", c.property, c.accepts, got)
		}
	}
}

// TestBasicCheck holds what is still checked where the schema is beyond the
// validator.
func TestBasicCheck(t *testing.T) {
	form := Form(json.RawMessage(`{"properties":{"s":{"type":"string"},"n":{"type":"number"},"i":{"type":"integer","maximum":1e999999},
		"b":{"type":"boolean"},"c":{"enum":["x"]},"l":{"type":"array","items":{"enum":["x"]}},"j":{"type":"object"},"o":{"type":["string","null"]}},"required":["s","j"]}`))
	if got := problems(form.Check(json.RawMessage(`{"s":1,"n":"1","i":1.5,"b":"yes","c":"z","l":["z"],"o":null}`))); got != `s: must be text
n: must be a number
i: must be a whole number
b: must be yes or no
c: must be one of the choices
l: must hold its choices only
j: is required` {
		t.Errorf("got %s", got)
	}
	if got := form.Check(json.RawMessage(`{"s":"1","n":1,"i":1.0,"b":true,"c":"x","l":["x"],"j":{}}`)); got != nil {
		t.Errorf("refused: %v", got)
	}
}

// TestCheckConcurrently is for the race detector: forms are shared between
// the loop and its commands.
func TestCheckConcurrently(t *testing.T) {
	form := Form(json.RawMessage(`{"properties":{"a":{"type":"integer"}}}`))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if got := problems(form.Check(fmt.Appendf(nil, `{"a":%d.5}`, i))); got != "a: must be a whole number" {
				t.Error(got)
			}
		})
	}
	wg.Wait()
}

// TestProblemsHoldNoAnswers holds that no value of a content is repeated.
func TestProblemsHoldNoAnswers(t *testing.T) {
	form := Form(json.RawMessage(`{"properties":{"a":{"type":"string","pattern":"^x","format":"email","maxLength":2},"b":{"type":"integer"},"c":{"enum":["x"]}},"additionalProperties":false}`))
	content, list := task.Assemble(form, map[string]string{"a": "hunter2", "b": "hunter2", "c": "hunter2", "d": `"hunter2"`})
	if len(list) == 0 || strings.Contains(problems(list), "hunter2") || !strings.Contains(string(content), "hunter2") {
		t.Errorf("problems %v of %s", list, content)
	}
}
