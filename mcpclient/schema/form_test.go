package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"callboard/model/task"
)

var kindNames = [...]string{"string", "number", "integer", "boolean", "choice", "choices", "json"}

// sketch writes a field on one line, with only what is set.
func sketch(f task.Field) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.Name, kindNames[f.Kind])
	part := func(ok bool, format string, args ...any) {
		if ok {
			fmt.Fprintf(&b, " "+format, args...)
		}
	}
	part(f.Label.String() != f.Name, "[%s]", f.Label)
	part(f.Required, "required")
	part(f.Nullable, "nullable")
	part(f.Secret, "secret")
	part(f.Default != nil, "default=%s", f.Default)
	for _, c := range f.Choices {
		part(true, "(%s %s)", c.Value, c.Label)
	}
	part(f.MoreChoices, "more")
	part(!f.Constraint().IsZero() && f.Constraint().String() != "number", "{%s}", f.Constraint())
	return b.String()
}

func sketches(form task.Form) string {
	lines := make([]string, len(form.Fields))
	for i, f := range form.Fields {
		lines[i] = sketch(f)
	}
	return strings.Join(lines, "\n")
}

func TestFieldKinds(t *testing.T) {
	for _, c := range []struct{ name, property, want string }{
		{"string", `{"type":"string"}`, `p: string`},
		{"title and description", `{"type":"string","title":"T","description":"D"}`, `p: string [T]`},
		{"lengths", `{"type":"string","minLength":3,"maxLength":20}`, `p: string {3 to 20 characters}`},
		{"lengths written as decimals", `{"type":"string","minLength":3.0}`, `p: string {at least 3 characters}`},
		{"format", `{"type":"string","format":"email","maxLength":1}`, `p: string {at most 1 character, e-mail address}`},
		{"pattern", `{"type":"string","pattern":"^a+$"}`, `p: string {pattern ^a+$}`},
		{"number", `{"type":"number","minimum":0.10,"exclusiveMaximum":9007199254740993}`, `p: number {at least 0.10, less than 9007199254740993}`},
		{"integer", `{"type":"integer","minimum":1,"maximum":10,"multipleOf":2}`, `p: integer {whole number, 1 to 10, multiple of 2}`},
		{"draft 4 exclusive", `{"type":"number","minimum":0,"exclusiveMinimum":true}`, `p: number {more than 0}`},
		{"boolean", `{"type":"boolean","default":false}`, `p: boolean default=false`},
		{"enum", `{"type":"string","enum":["a","b"],"default":"b"}`, `p: choice default="b" ("a" a) ("b" b)`},
		{"enumNames", `{"type":"string","enum":["a","b"],"enumNames":["A",5]}`, `p: choice ("a" A) ("b" b)`},
		{"oneOf with titles", `{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}]}`, `p: choice ("a" A) ("b" b)`},
		{"enum of numbers", `{"enum":[1,2.50],"default":1.0}`, `p: choice default=1.0 (1 1) (2.50 2.50)`},
		{"empty choice", `{"enum":["","a"]}`, `p: choice ("" "") ("a" a)`},
		{"const", `{"const":"v1"}`, `p: choice ("v1" v1)`},
		{"array of enum", `{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"default":["a"]}`,
			`p: choices default=["a"] ("a" a) ("b" b) {choose 1 to 2}`},
		{"array of anyOf", `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`, `p: choices ("a" A) {choose any number}`},
		{"array of strings", `{"type":"array","items":{"type":"string"},"minItems":2}`, `p: json {a JSON array of strings, at least 2 items}`},
		{"object", `{"type":"object","properties":{"x":{"type":"string"}}}`, `p: json {a JSON object with optional x}`},
		{"anything", `{}`, `p: json {any JSON}`},
		{"true", `true`, `p: json {any JSON}`},
		{"false is not asked for", `false`, ``},
		{"null or string", `{"type":["string","null"],"default":null}`, `p: string nullable default=null {or null}`},
		{"optional of pydantic", `{"anyOf":[{"type":"integer","maximum":5},{"type":"null"}],"default":null,"title":"P"}`, `p: integer [P] nullable default=null {whole number, at most 5, or null}`},
		{"nullable enum", `{"type":["string","null"],"enum":["a",null]}`, `p: choice nullable ("a" a) {or null}`},
		{"alternatives of one type", `{"anyOf":[{"type":"string","format":"date"},{"type":"string","const":1,"pattern":"x"}]}`, `p: string`},
		{"alternatives of two types", `{"anyOf":[{"type":"string"},{"type":"number"}]}`, `p: json {JSON: text or a number}`},
		{"two types", `{"type":["string","boolean"]}`, `p: json {JSON: text or yes or no}`},
		{"number and integer", `{"type":["integer","number"]}`, `p: number`},
		{"type by default", `{"default":3}`, `p: number default=3`},
		{"type by pattern", `{"pattern":"x"}`, `p: string {pattern x}`},
		{"type by minimum", `{"minimum":2}`, `p: number {at least 2}`},
		{"local ref with siblings", `{"$ref":"#/$defs/c~1d","description":"own"}`, `p: choice [Colour] ("r" r)`},
		{"allOf of one ref", `{"allOf":[{"$ref":"#/$defs/c~1d"}],"default":"r"}`, `p: choice [Colour] default="r" ("r" r)`},
		{"ref by id", `{"$ref":"https://example.com/s#/$defs/c~1d"}`, `p: choice [Colour] ("r" r)`},
		{"ref in circles", `{"$ref":"#/$defs/loop"}`, `p: json {any JSON}`},
		{"ref elsewhere", `{"$ref":"https://example.com/other"}`, `p: json {any JSON}`},
		{"unknown type", `{"type":"colour"}`, `p: json {any JSON}`},
		{"wrong types of everything", `{"type":"string","minLength":"x","maxLength":-1,"pattern":5,"format":[],"title":{},"description":7,"enum":{},"default":1}`, `p: string`},
		{"default of another type", `{"type":"integer","default":1.5}`, `p: integer {whole number}`},
		{"default beyond the choices", `{"type":"array","items":{"enum":["a"]},"default":["z"]}`, `p: choices ("a" a) {choose any number}`},
		{"default with hidden characters", `{"type":"string","default":"a\u202eb"}`, `p: string`},
		{"default with an escape", `{"type":"string","default":"\u001b[31m"}`, `p: string`},
		{"exact default", `{"type":"number","default":1.10}`, `p: number default=1.10`},
		{"large default", `{"type":"integer","default":9007199254740993}`, `p: integer default=9007199254740993 {whole number}`},
		{"title with escapes", `{"type":"string","title":"a\u001b[31m\nb"}`, `p: string [a b]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			form := Form(json.RawMessage(`{"$id":"https://example.com/s","type":"object","properties":{"p":` + c.property + `},
				"$defs":{"c/d":{"type":"string","enum":["r"],"title":"Colour"},"loop":{"$ref":"#/$defs/loop"}}}`))
			if form.JSONOnly != "" {
				t.Fatalf("JSONOnly: %s", form.JSONOnly)
			}
			if got := sketches(form); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestWholeSchemas(t *testing.T) {
	for _, c := range []struct{ name, schema, fields, only string }{
		{"nothing", ``, "", ""},
		{"no properties", `{"type":"object"}`, "", ""},
		{"empty properties", `{"type":"object","properties":{},"additionalProperties":false}`, "", ""},
		{"no type", `{"properties":{"a":{"type":"string"}}}`, "a: string", ""},
		{"schema's order, required last and undescribed", `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"boolean"},"m":{"type":"number"}},"required":["m","more",5,"m"]}`,
			"z: string\na: boolean\nm: number required\nmore: json required {any JSON}", ""},
		{"duplicate keys: first place, last meaning", `{"properties":{"a":{"type":"string"},"b":{"type":"string"},"a":{"type":"boolean"}}}`, "a: boolean\nb: string", ""},
		{"required of draft 3", `{"properties":{"a":{"type":"string","required":true}}}`, "a: string required", ""},
		{"required const is prefilled", `{"properties":{"a":{"const":"x"}},"required":["a"]}`, `a: choice required default="x" ("x" x)`, ""},
		{"top ref", `{"$ref":"#/definitions/T","definitions":{"T":{"type":"object","properties":{"a":{"type":"string"}}}}}`, "a: string", ""},
		{"alternatives beside properties", `{"properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, "a: string", ""},
		{"no name", `{"properties":{"":{"type":"string"},"a":{"type":"string"}}}`, "a: string", ""},
		{"true", `true`, "", "the schema allows anything"},
		{"false", `false`, "", "the schema allows nothing"},
		{"a list", `[]`, "", "the schema is not a JSON object"},
		{"not JSON", `{"a"`, "", "the schema is not JSON"},
		{"asks for a string", `{"type":"string"}`, "", "the schema asks for text, not for an object"},
		{"properties of wrong shape", `{"type":"object","properties":[1]}`, "", "the schema's properties are not an object"},
		{"free names", `{"type":"object","additionalProperties":true}`, "", "the schema leaves the names of the properties to you"},
		{"free names by schema", `{"type":"object","additionalProperties":{"type":"string"}}`, "", "the schema leaves the names of the properties to you"},
		{"free names by pattern", `{"type":"object","patternProperties":{"^x":{}}}`, "", "the schema leaves the names of the properties to you"},
		{"oneOf on top", `{"type":"object","oneOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}]}`, "", "the schema takes one of 2 variants: variant 1 with optional a; variant 2 with optional b"},
		{"ref elsewhere", `{"$ref":"file:///etc/passwd"}`, "", "the schema refers to what lies elsewhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			form := Form(json.RawMessage(c.schema))
			if form.JSONOnly != c.only {
				t.Errorf("JSONOnly %q, want %q", form.JSONOnly, c.only)
			}
			if got := sketches(form); got != c.fields {
				t.Errorf("got\n%s\nwant\n%s", got, c.fields)
			}
			if got := form.Check(json.RawMessage(`[]`)); len(got) != 1 || got[0].Text.String() != "The content must be a JSON object." {
				t.Errorf("a list passed: %v", got)
			}
		})
	}
}

// TestEverything reads the schema that npm's server-everything asks with, and
// answers with its defaults.
func TestEverything(t *testing.T) {
	raw, err := os.ReadFile("testdata/everything.json")
	if err != nil {
		t.Fatal(err)
	}
	form := Form(raw)
	want := `name: string [String] required
check: boolean [Boolean]
firstLine: string [String with default] default="It was a dark and stormy night."
email: string [String with email format] {e-mail address}
homepage: string [String with uri format] {URI such as https://example.com/}
birthdate: string [String with date format] {date such as 2026-01-31, tomorrow or +3d}
integer: integer [Integer] default=42 {whole number, 1 to 100}
number: number [Number in range 1-1000] default=3.14 {0 to 1000}
untitledSingleSelectEnum: choice [Untitled Single Select Enum] default="Monica" ("Monica" Monica) ("Rachel" Rachel) ("Joey" Joey) ("Chandler" Chandler) ("Ross" Ross) ("Phoebe" Phoebe)
untitledMultipleSelectEnum: choices [Untitled Multiple Select Enum] default=["Guitar"] ("Guitar" Guitar) ("Piano" Piano) ("Violin" Violin) ("Drums" Drums) ("Bass" Bass) {choose 1 to 3}
titledSingleSelectEnum: choice [Titled Single Select Enum] default="hero-1" ("hero-1" Superman) ("hero-2" Green Lantern) ("hero-3" Wonder Woman)
titledMultipleSelectEnum: choices [Titled Multiple Select Enum] default=["fish-1"] ("fish-1" Tuna) ("fish-2" Salmon) ("fish-3" Trout) {choose 1 to 3}
legacyTitledEnum: choice [Legacy Titled Single Select Enum] default="pet-1" ("pet-1" Cats) ("pet-2" Dogs) ("pet-3" Birds) ("pet-4" Fish) ("pet-5" Reptiles)`
	if got := sketches(form); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(form.Warnings) != 0 {
		t.Errorf("warnings: %v", form.Warnings)
	}
	draft := task.Prefill(form)
	if _, list := task.Assemble(form, draft); problems(list) != "name: is required" {
		t.Errorf("of the defaults: %v", list)
	}
	for name, typed := range map[string]string{"name": "Ada", "email": "ada at home", "homepage": "home", "birthdate": "1815-02-30",
		"integer": "101", "number": "1,5", "untitledMultipleSelectEnum": "[]", "legacyTitledEnum": `"pet-9"`} {
		draft[name] = typed
	}
	_, list := task.Assemble(form, draft)
	if got, want := problems(list), `number: must be a number: write the decimals after a point, not a comma, and no separators
legacyTitledEnum: must be one of the choices
email: is not an e-mail address
homepage: is not a URI such as https://example.com/
birthdate: is not a date such as 2026-01-31, tomorrow or +3d
integer: must be at most 100
untitledMultipleSelectEnum: choose at least 1`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
