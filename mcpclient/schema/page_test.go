package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// try is what a person types, and what goes out or is wrong.
type try struct {
	typed    map[string]string
	content  string
	problems string
}

type typed = map[string]string

// TestEveryQuestion follows what real schemas hold both ways: to the fields
// that a person sees, and from what is typed to what goes out.
func TestEveryQuestion(t *testing.T) {
	const null = task.TypedNull
	for _, c := range []struct {
		name, schema           string
		fields, only, warnings string // what the person sees, a line each
		tries                  []try
	}{
		{"enumNames", `{"properties":{"p":{"type":"string","enum":["a","b"],"enumNames":["A","B"]}}}`,
			`p: choice ("a" A) ("b" B)`, "", "", []try{
				{typed{"p": `"a"`}, `{"p":"a"}`, ""}, {typed{"p": "b"}, `{"p":"b"}`, ""}, {typed{"p": "A"}, `{"p":"A"}`, "p: must be one of the choices"}}},
		{"enumNames, too few", `{"properties":{"p":{"enum":["a","b"],"enumNames":["B"]}}}`,
			`p: choice ("a" a) ("b" b)`, "", `"p" has 2 choices and 1 names for them: the names are left out, for they may belong to others.`, nil},
		{"enumNames, too many", `{"properties":{"p":{"enum":["a"],"enumNames":["A","B"]}}}`,
			`p: choice ("a" a)`, "", `"p" has 1 choices and 2 names for them: the names are left out, for they may belong to others.`, nil},
		{"enumNames, one name twice", `{"properties":{"p":{"enum":["a","b"],"enumNames":["X","X"]}}}`,
			`p: choice ("a" X ("a")) ("b" X ("b"))`, "", "", nil},

		{"nullable union of types", `{"properties":{"p":{"type":["string","null"]}},"required":["p"]}`,
			`p: string required nullable {or null}`, "", "", []try{
				{typed{}, `{}`, "p: is required: give a value, or null"}, {typed{"p": null}, `{"p":null}`, ""},
				{typed{"p": ""}, `{"p":""}`, ""}, {typed{"p": "null"}, `{"p":"null"}`, ""}}},
		{"nullable union, optional: absent, empty and null are three", `{"properties":{"p":{"type":["null","string"]}}}`,
			`p: string nullable {or null}`, "", "", []try{
				{typed{}, `{}`, ""}, {typed{"p": ""}, `{"p":""}`, ""}, {typed{"p": null}, `{"p":null}`, ""}}},
		{"anyOf with null", `{"properties":{"p":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}}}`,
			`p: integer nullable default=null {whole number, or null}`, "", "", []try{
				{typed{"p": null}, `{"p":null}`, ""}, {typed{"p": "3"}, `{"p":3}`, ""}, {typed{"p": "x"}, `{"p":"x"}`, "p: must be a number"}}},
		{"oneOf with null of a choice", `{"properties":{"p":{"oneOf":[{"enum":["a","b"]},{"type":"null"}]}}}`,
			`p: choice nullable ("a" a) ("b" b) {or null}`, "", "", []try{{typed{"p": null}, `{"p":null}`, ""}, {typed{"p": "a"}, `{"p":"a"}`, ""}}},
		{"nullable of OpenAPI", `{"properties":{"p":{"type":"string","nullable":true},"q":{"type":"integer","nullable":true,"minimum":1},"r":{"enum":["a"],"nullable":true},"s":{"type":"string","nullable":false}}}`,
			"p: string nullable {or null}\nq: integer nullable {whole number, at least 1, or null}\nr: choice nullable (\"a\" a) {or null}\ns: string", "", "", []try{
				{typed{"p": null, "q": null, "r": null}, `{"p":null,"q":null,"r":null}`, ""},
				{typed{"p": "x", "q": "0"}, `{"p":"x","q":0}`, "q: must be at least 1"},
				{typed{"s": null}, `{"s":null}`, "s: cannot be null: give a value, or unset it"}}},
		{"null where nothing is said of it", `{"properties":{"p":{"type":"string"},"b":{"type":"boolean"}}}`, "p: string\nb: boolean", "", "", []try{
			{typed{"p": null}, `{"p":null}`, "p: cannot be null: give a value, or unset it"}, {typed{"b": null}, `{"b":null}`, "b: cannot be null: give a value, or unset it"}}},
		{"null among the choices", `{"properties":{"p":{"enum":["a",null]}}}`, `p: choice ("a" a) (null null)`, "", "", []try{
			{typed{"p": "null"}, `{"p":null}`, ""}, {typed{"p": null}, `{"p":null}`, ""}}},

		{"nested object", `{"properties":{"p":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"},"at":{"type":"string","format":"date"}},"required":["name"]}}}`,
			`p: json {a JSON object with name, optionally age, at} skeleton={"name":null}`, "", "", []try{
				{typed{"p": `{"name":"Ada","age":1.0}`}, `{"p":{"name":"Ada","age":1.0}}`, ""},
				{typed{"p": `{"age":"x","at":"today"}`}, `{"p":{"age":"x","at":"today"}}`, "p: \"age\" must be a whole number\np: \"at\" is not a date as YYYY-MM-DD\np: \"name\" is required"},
				{typed{"p": `{`}, `{"p":"{"}`, "p: is not whole JSON yet"}}},
		{"array of objects", `{"properties":{"p":{"type":"array","minItems":1,"items":{"type":"object","properties":{"host":{"type":"string"},"port":{"type":"integer"}},"required":["host","port"]}}}}`,
			`p: json {a JSON array of objects with host, port, at least 1 item} skeleton=[{"host":null,"port":null}]`, "", "", []try{
				{typed{"p": `[{"host":"a","port":1}]`}, `{"p":[{"host":"a","port":1}]}`, ""},
				{typed{"p": `[{"host":"a","port":1},{"host":"b"}]`}, `{"p":[{"host":"a","port":1},{"host":"b"}]}`, `p: "port" in item 2 is required`},
				{typed{"p": `[]`}, `{"p":[]}`, "p: must have at least 1 item"}}},
		{"array of strings", `{"properties":{"p":{"type":"array","items":{"type":"string"},"uniqueItems":true}}}`, `p: json {a JSON array of strings}`, "", "", []try{
			{typed{"p": `["a","a"]`}, `{"p":["a","a"]}`, "p: must not hold the same item twice"}}},

		{"const, required", `{"properties":{"p":{"const":"v1"}},"required":["p"]}`, `p: choice required default="v1" ("v1" v1)`, "", "", []try{
			{typed{"p": `"v1"`}, `{"p":"v1"}`, ""}, {typed{}, `{}`, "p: is required"}}},
		{"const, optional", `{"properties":{"p":{"const":1}}}`, `p: choice (1 1)`, "", "", []try{{typed{}, `{}`, ""}, {typed{"p": "1.0"}, `{"p":1}`, ""}, {typed{"p": "2"}, `{"p":"2"}`, "p: must be one of the choices"}}},
		{"const null", `{"properties":{"p":{"const":null}},"required":["p"]}`, `p: choice required default=null (null null)`, "", "", []try{{typed{"p": "null"}, `{"p":null}`, ""}}},

		{"oneOf of constants", `{"properties":{"p":{"oneOf":[{"const":"a","title":"A"},{"const":"b","description":"B"}]}}}`, `p: choice ("a" A) ("b" B)`, "", "", []try{{typed{"p": "a"}, `{"p":"a"}`, ""}}},
		{"anyOf of constants", `{"properties":{"p":{"anyOf":[{"const":1},{"enum":[2]}]}}}`, `p: choice (1 1) (2 2)`, "", "", []try{{typed{"p": "2"}, `{"p":2}`, ""}}},
		{"anyOf of types", `{"properties":{"p":{"anyOf":[{"type":"string"},{"type":"integer"}]}}}`, `p: json {JSON: text or a whole number}`, "", "", []try{
			{typed{"p": `"a"`}, `{"p":"a"}`, ""}, {typed{"p": "5"}, `{"p":5}`, ""}, {typed{"p": "a"}, `{"p":"a"}`, `p: is not JSON: text needs "quotes"`},
			{typed{"p": "true"}, `{"p":true}`, "p: must be text or a whole number"}}},
		{"oneOf of object variants, on top", `{"type":"object","oneOf":[{"title":"Card","properties":{"kind":{"const":"card"},"number":{"type":"string"}},"required":["kind","number"]},
			{"properties":{"kind":{"const":"bank"},"iban":{"type":"string"},"bic":{"type":"string"}},"required":["kind","iban"]},{"title":"Cash","properties":{"kind":{"const":"cash"}},"required":["kind"]}]}`,
			"", `the schema takes one of 3 variants: "Card" with kind, number; "bank" with kind, iban, optionally bic; "Cash" with kind`, "", []try{
				{nil, `{"kind":"card","number":null}`, `: "number" must be text.`}, {typed{"": `{}`}, `{}`, `: "kind" is required.`},
				{typed{"": `{"kind":"bank","iban":"x"}`}, `{"kind":"bank","iban":"x"}`, ""}, {typed{"": `{"kind":"bank"}`}, `{"kind":"bank"}`, `: "iban" is required.`},
				{typed{"": `{"kind":"cash"}`}, `{"kind":"cash"}`, ""},
				{typed{"": `{"kind":"gold"}`}, `{"kind":"gold"}`, `: "kind" must be one of: "bank", "card", "cash".`}}},
		{"anyOf of object variants, on top", `{"type":"object","anyOf":[{"properties":{"email":{"type":"string"}},"required":["email"]},{"properties":{"phone":{"type":"integer"}},"required":["phone"]}]}`,
			"", "the schema takes one of 2 variants: variant 1 with email; variant 2 with phone", "", []try{
				{nil, `{"email":null}`, `: "email" must be text.`}, {typed{"": `{"phone":1}`}, `{"phone":1}`, ""}, {typed{"": `{}`}, `{}`, `: The content needs one of: "email", "phone".`}}},
		{"object variants of a property", `{"properties":{"p":{"oneOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"boolean"}},"required":["b"]}]}}}`,
			`p: json {a JSON object, one of 2 variants: variant 1 with a; variant 2 with b} skeleton={"a":null}`, "", "", []try{
				{typed{"p": `{"b":true}`}, `{"p":{"b":true}}`, ""}, {typed{"p": `{}`}, `{"p":{}}`, `p: needs one of: "a", "b"`}}},
		{"variants beside properties", `{"properties":{"kind":{"enum":["a","b"]}},"oneOf":[{"properties":{"kind":{"const":"a"},"x":{}},"required":["x"]},{"properties":{"kind":{"const":"b"},"y":{}}}]}`,
			`kind: choice ("a" a) ("b" b)`, "", `Depending on what is answered the schema asks for more, which only the JSON editor can set: "x", "y".`, []try{
				{typed{"": `{"kind":"a","x":1}`}, `{"kind":"a","x":1}`, ""}, {typed{"kind": "b"}, `{"kind":"b"}`, ""}}},
		{"what depends on an answer", `{"properties":{"a":{"type":"boolean"}},"if":{"properties":{"a":{"const":true}},"required":["a"]},"then":{"properties":{"why":{"type":"string"}},"required":["why"]}}`,
			"a: boolean", "", `Depending on what is answered the schema asks for more, which only the JSON editor can set: "why".`, []try{
				{typed{"a": "yes"}, `{"a":true}`, `: "why" is required.`}, {typed{"a": "no"}, `{"a":false}`, ""}}},
		{"allOf of several", `{"allOf":[{"$ref":"#/$defs/base"},{"properties":{"b":{"type":"integer"},"a":{"minLength":2}},"required":["b"]}],"$defs":{"base":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`,
			"a: string required {at least 2 characters}\nb: integer required {whole number}", "", "", []try{
				{typed{"a": "x"}, `{"a":"x"}`, "a: must be at least 2 characters\nb: is required"}, {typed{"a": "xy", "b": "1"}, `{"a":"xy","b":1}`, ""}}},

		{"local $ref and $defs", `{"properties":{"p":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string","title":"T","maxLength":2}}}`, `p: string [T] {at most 2 characters}`, "", "", []try{
			{typed{"p": "abc"}, `{"p":"abc"}`, "p: must be at most 2 characters"}}},
		{"recursive $ref", `{"properties":{"p":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"}},"required":["name"]}}}`,
			`p: json {a JSON object with name, optionally next} skeleton={"name":null}`, "", "", []try{
				{typed{"p": `{"name":"a","next":{"name":"b","next":{}}}`}, `{"p":{"name":"a","next":{"name":"b","next":{}}}}`, `p: "name" in "next" in "next" is required`}}},
		{"$ref to the whole", `{"properties":{"p":{"$ref":"#"},"q":{"type":"string"}},"required":["q"]}`, "p: json {a JSON object with q, optionally p} skeleton={\"q\":null}\nq: string required", "", "", []try{
			{typed{"q": "x", "p": `{}`}, `{"p":{},"q":"x"}`, `p: "q" is required`}}},
		{"remote $ref", `{"properties":{"p":{"$ref":"https://example.com/schema"}}}`, `p: json {any JSON}`, "", `The schema refers to "https://example.com/schema", which is not fetched; that part is not checked.`, []try{
			{typed{"p": "[1]"}, `{"p":[1]}`, ""}}},

		{"additionalProperties: false", `{"properties":{"a":{"type":"string"}},"additionalProperties":false}`, "a: string", "", "", []try{
			{typed{"": `{"a":"x","b":1}`}, `{"a":"x","b":1}`, `: "b" is not asked for.`}, {typed{"a": "x", "b": "1"}, `{"a":"x","b":1}`, `: "b" is not asked for.`}}},
		{"additionalProperties: true", `{"properties":{"a":{"type":"string"}},"additionalProperties":true}`, "a: string", "", "", []try{
			{typed{"": `{"a":"x","b":[1]}`}, `{"a":"x","b":[1]}`, ""}, {typed{"a": "x", "b": "[1]"}, `{"a":"x","b":[1]}`, ""}}},
		{"additionalProperties by a schema", `{"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}}`, "a: string", "", "", []try{
			{typed{"a": "x", "b": "1"}, `{"a":"x","b":1}`, ""}, {typed{"": `{"b":"x"}`}, `{"b":"x"}`, `: "b" must be a whole number.`}}},
		{"patternProperties", `{"properties":{"a":{"type":"string"}},"patternProperties":{"^n_":{"type":"number"}},"additionalProperties":false}`, "a: string", "", "", []try{
			{typed{"": `{"n_1":1}`}, `{"n_1":1}`, ""}, {typed{"": `{"n_1":"x","z":1}`}, `{"n_1":"x","z":1}`, ": \"n_1\" must be a number.\n: \"z\" is not asked for."}}},
		{"patternProperties alone", `{"type":"object","patternProperties":{"^n_":{"type":"number"}}}`, "", "the schema leaves the names of the properties to you", "", []try{{typed{"": `{"n_1":1}`}, `{"n_1":1}`, ""}}},

		{"integers beyond 2^53", `{"properties":{"p":{"type":"integer","maximum":9007199254740993}}}`, `p: integer {whole number, at most 9007199254740993}`, "", "", []try{
			{typed{"p": "9007199254740993"}, `{"p":9007199254740993}`, ""}, {typed{"p": "9007199254740994"}, `{"p":9007199254740994}`, "p: must be at most 9007199254740993"},
			{typed{"p": "-170141183460469231731687303715884105729"}, `{"p":-170141183460469231731687303715884105729}`, ""}}},
		{"numbers as they are typed", `{"properties":{"p":{"type":"number"}}}`, `p: number`, "", "", []try{
			{typed{"p": "1.10"}, `{"p":1.10}`, ""}, {typed{"p": "1e400"}, `{"p":1e400}`, ""}, {typed{"p": "-0"}, `{"p":-0}`, ""}, {typed{"p": "1E+2"}, `{"p":1E+2}`, ""},
			{typed{"p": "0.1e-7"}, `{"p":0.1e-7}`, ""}, {typed{"": `{"p":1.10}`}, `{"p":1.10}`, ""},
			{typed{"p": "1,5"}, `{"p":"1,5"}`, "p: must be a number: write the decimals after a point, not a comma, and no separators"}}},
		{"multipleOf, exactly", `{"properties":{"p":{"type":"number","multipleOf":0.1}}}`, `p: number {multiple of 0.1}`, "", "", []try{
			{typed{"p": "0.3"}, `{"p":0.3}`, ""}, {typed{"p": "1000000000000000.7"}, `{"p":1000000000000000.7}`, ""}, {typed{"p": "0.35"}, `{"p":0.35}`, "p: must be a multiple of 0.1"}}},

		{"formats", `{"properties":{"m":{"type":"string","format":"email"},"u":{"type":"string","format":"uri"},"d":{"type":"string","format":"date"},"t":{"type":"string","format":"date-time"},"x":{"type":"string","format":"colour"}}}`,
			"m: string {e-mail address}\nu: string {URI such as https://example.com/}\nd: string {date such as 2026-01-31, tomorrow or +3d}\nt: string {date and time such as 2026-01-31 14:00, now or +2h}\nx: string {colour}", "", "", []try{
				{typed{"m": "müller@exämple.de", "u": "https://x.example/", "d": "tomorrow", "t": "+2h", "x": "reddish"},
					`{"m":"müller@exämple.de","u":"https://x.example/","d":"2026-12-01","t":"2026-11-30T17:00:00+01:00","x":"reddish"}`, ""},
				{typed{"m": "x", "u": "x", "d": "x", "t": "2026-02-30 10:00"}, `{"m":"x","u":"x","d":"x","t":"2026-02-30 10:00"}`,
					"m: is not an e-mail address\nu: is not a URI such as https://example.com/\nd: is not a date such as 2026-01-31, tomorrow or +3d\nt: is not a date and time such as 2026-01-31 14:00, now or +2h"},
				{typed{"": `{"d":"tomorrow"}`}, `{"d":"tomorrow"}`, "d: is not a date such as 2026-01-31, tomorrow or +3d"}}},
		{"a pattern that Go cannot run", `{"properties":{"p":{"type":"string","pattern":"(?<=x)y"}}}`, `p: string {pattern (?<=x)y}`, "", "The pattern (?<=x)y cannot be checked here; the server will.", []try{{typed{"p": "z"}, `{"p":"z"}`, ""}}},
		{"a pattern of ECMA", `{"properties":{"p":{"type":"string","pattern":"^(?=.*\\d)\\p{L}[^\\s]+$"}}}`, `p: string {pattern ^(?=.*\d)\p{L}[^\s]+$}`, "", "", []try{
			{typed{"p": "é1"}, `{"p":"é1"}`, ""}, {typed{"p": "éé"}, `{"p":"éé"}`, `p: must match the pattern ^(?=.*\d)\p{L}[^\s]+$`}}},
		{"lengths in code points", `{"properties":{"p":{"type":"string","minLength":2,"maxLength":3}}}`, `p: string {2 to 3 characters}`, "", "", []try{
			{typed{"p": "😀"}, `{"p":"😀"}`, "p: must be at least 2 characters"}, {typed{"p": "😀😀😀"}, `{"p":"😀😀😀"}`, ""}, {typed{"p": "日本語字"}, `{"p":"日本語字"}`, "p: must be at most 3 characters"}}},

		{"odd names", `{"properties":{"__proto__":{"type":"string"},"a b":{"type":"string"},"a\u0007":{"type":"string"},"\u202e":{"type":"string"},"ä/~\"":{"type":"string"}}}`,
			"__proto__: string\na b: string\na\a: string [\"a\\a\"]\n\u202e: string [\"\\u202e\"]\nä/~\": string", "", "", []try{
				{typed{"__proto__": "1", "a\a": "2", "\u202e": "3", "ä/~\"": "4"}, "{\"__proto__\":\"1\",\"a\\u0007\":\"2\",\"\u202e\":\"3\",\"ä/~\\\"\":\"4\"}", ""}}},
		{"no name", `{"properties":{"":{"type":"string"},"a":{"type":"string"}},"required":[""]}`, "a: string", "", "A property without a name is asked for; only the JSON editor can set it.", []try{
			{typed{"": `{"":"x"}`}, `{"":"x"}`, ""}, {typed{"a": "x"}, `{"a":"x"}`, `: "" is required.`}}},
		{"one name twice", `{"properties":{"a":{"type":"string"},"a":{"type":"integer"}}}`, "a: integer {whole number}", "", "", []try{
			{typed{"": `{"a":1,"a":2}`}, `{"a":1,"a":2}`, "a: is given twice"}}},
		{"one title twice", `{"properties":{"a":{"type":"string","title":"T"},"b":{"type":"string","title":"T"}}}`, "a: string [T (a)]\nb: string [T (b)]", "", "", nil},
		{"a title that is another's name", `{"properties":{"a":{"type":"string","title":"b"},"b":{"type":"string"}}}`, "a: string [b (a)]\nb: string", "", "", nil},

		{"default of a wrong type", `{"properties":{"p":{"type":"integer","default":"three"}}}`, `p: integer {whole number}`, "", `The default of "p" does not fit it and is left out.`, nil},
		{"default null", `{"properties":{"p":{"type":["string","null"],"default":null},"q":{"type":"string","default":null}}}`, "p: string nullable default=null {or null}\nq: string", "", `The default of "q" does not fit it and is left out.`, []try{
			{nil, `{"p":null}`, ""}}},
		{"notes", `{"properties":{"p":{"type":"string","deprecated":true,"examples":["a","b"]},"q":{"type":"integer","readOnly":true,"example":5},"r":{"type":"string","writeOnly":true}}}`,
			"p: string {for example a or b, deprecated}\nq: integer {whole number, for example 5, meant to be read only}\nr: string secret", "", "", nil},
		{"a title alone", `{"properties":{"p":{"title":"T"}}}`, `p: json [T] {any JSON}`, "", "", []try{{typed{"p": `"x"`}, `{"p":"x"}`, ""}, {typed{"p": "null"}, `{"p":null}`, ""}}},

		{"empty", `{}`, "", "", "", []try{{nil, `{}`, ""}}},
		{"empty object", `{"type":"object"}`, "", "", "", []try{{nil, `{}`, ""}}},
		{"empty properties", `{"type":"object","properties":{}}`, "", "", "", []try{{nil, `{}`, ""}}},
		{"true", `true`, "", "the schema allows anything", "", []try{{nil, `{}`, ""}, {typed{"": `{"a":1}`}, `{"a":1}`, ""}}},
		{"false", `false`, "", "the schema allows nothing", "", []try{{nil, `{}`, ": The schema allows no answer at all."}}},
		{"a list", `[1]`, "", "the schema is not a JSON object", "A part of the schema is no schema and is not checked.", []try{{typed{"": `[]`}, `[]`, ": The content must be a JSON object."}}},
		{"text", `"x"`, "", "the schema is not a JSON object", "A part of the schema is no schema and is not checked.", nil},
		{"null", `null`, "", "the schema is not a JSON object", "A part of the schema is no schema and is not checked.", nil},
		{"broken", `{"type":`, "", "the schema is not JSON", "The answer is not checked: the schema is not JSON.", []try{{typed{"": `{"a":1}`}, `{"a":1}`, ""}}},
		{"too deep", strings.Repeat(`{"properties":{"a":`, 70) + `{}` + strings.Repeat(`}}`, 70), "", "the schema is nested too deeply", "The answer is not checked: the schema is nested too deeply.", []try{
			{typed{"": `{"a":1}`}, `{"a":1}`, ""}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			form := Form(json.RawMessage(c.schema))
			form.Now = func() time.Time { return time.Date(2026, 11, 30, 15, 0, 0, 0, time.FixedZone("", 3600)) }
			if got := seen(form); got != c.fields {
				t.Errorf("fields\ngot  %s\nwant %s", got, c.fields)
			}
			if form.JSONOnly != c.only {
				t.Errorf("only JSON: %q, want %q", form.JSONOnly, c.only)
			}
			warnings := make([]string, len(form.Warnings))
			for i, w := range form.Warnings {
				warnings[i] = w.String()
			}
			if got := strings.Join(warnings, "\n"); got != c.warnings {
				t.Errorf("warnings\ngot  %s\nwant %s", got, c.warnings)
			}
			for _, try := range c.tries {
				draft := try.typed
				if draft == nil {
					draft = task.Prefill(form)
				}
				content, list := task.Assemble(form, draft)
				if tight(string(content)) != try.content || problems(list) != try.problems {
					t.Errorf("%q goes out as %s\nwant %s\nproblems %s\nwant     %s", try.typed, content, try.content, problems(list), try.problems)
				}
				again, err := task.Split(form, content)
				if _, whole := draft[""]; whole || list != nil || err != nil {
					continue
				}
				if back, _ := task.Assemble(form, again); string(back) != string(content) {
					t.Errorf("%s came back as %s", content, back)
				}
			}
		})
	}
}

// tight takes the white space of an editor out of a content.
func tight(content string) string {
	if strings.Contains(content, "\n") {
		return strings.Join(strings.Fields(content), "")
	}
	return content
}

// seen is the sketches of a form with the skeletons of its fields.
func seen(form task.Form) string {
	lines := make([]string, len(form.Fields))
	for i, f := range form.Fields {
		lines[i] = sketch(f)
		if f.Skeleton != nil {
			lines[i] += fmt.Sprintf(" skeleton=%s", f.Skeleton)
		}
	}
	return strings.Join(lines, "\n")
}
