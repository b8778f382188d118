package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"callboard/model/task"
)

// FuzzForm holds that any schema gives a form, that its defaults assemble to
// JSON which comes back from the editor as it went, and that a schema that was
// tamed always compiles: warnings are given before the first check.
func FuzzForm(f *testing.F) {
	if raw, err := os.ReadFile("testdata/everything.json"); err == nil {
		f.Add(raw)
	}
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":["string","null"],"default":"x","pattern":"^x"},"b":{"$ref":"#/$defs/d"}},"required":["b"],"$defs":{"d":{"type":"integer","exclusiveMinimum":true,"minimum":1}}}`,
		`{"properties":{"a":{"anyOf":[{"const":1,"title":"A"},{"type":"null"}]},"l":{"type":"array","items":{"enum":["a"]},"default":["a"]}},"dependencies":{"a":["l"],"l":{"not":{"required":["a"]}}}}`,
		`{"properties":{"t":{"items":[{"type":"string"}],"additionalItems":false,"contains":{},"minContains":1},"o":{"patternProperties":{"^x":{"type":"number"}},"unevaluatedProperties":false}}}`,
		`{"if":{"properties":{"k":{"const":1}}},"then":{"required":["m"]},"else":false,"properties":{"k":{"default":1},"m":{"format":"date"}}}`,
		`{"$id":"x","id":"y","$anchor":"z","$schema":"w","type":"any","properties":{"p":{"$dynamicRef":"#z"}}}`,
		`{"oneOf":[{"title":"Card","properties":{"kind":{"const":"card"},"number":{"type":"string","nullable":true}},"required":["kind"]},{"$ref":"#/$defs/n"}],"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"at":{"type":"string","format":"date-time","default":null}}}}}`,
		`{"allOf":[{"properties":{"a":{"type":"string","pattern":"^(?=.*\d)(?!x)[^\s]\p{Lu}"}},"required":["a"]},{"properties":{"a":{"minLength":2},"token":{"examples":[1,"x"],"deprecated":true}}}],"then":{"properties":{"z":{}}}}`,
		`true`, `[]`, `{"type":"string"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		form := Form(raw)
		draft := task.Prefill(form)
		content, list := task.Assemble(form, draft)
		if !json.Valid(content) {
			t.Fatalf("assembled %s", content)
		}
		for _, text := range texts(form, list) {
			if task.Clean(text.String()) != text {
				t.Fatalf("%q is not clean", text)
			}
		}
		for i := range form.Fields {
			if s := form.Fields[i].Skeleton; s != nil && !json.Valid(s) {
				t.Fatalf("skeleton %s", s)
			}
		}
		if form.JSONOnly == "" {
			back, err := task.Split(form, content)
			if err != nil {
				t.Fatalf("split %s: %v", content, err)
			}
			again, _ := task.Assemble(form, back)
			if string(again) != string(content) {
				t.Fatalf("%s came back as %s", content, again)
			}
		}
		if root, err := parse(raw); err == nil && len(raw) <= maxBytes {
			s := &source{root: root}
			c := newChecker(s, nil)
			tamed := c.doc != nil
			if c.compile(); tamed && c.schema == nil {
				t.Fatalf("a tamed schema does not compile: %s", raw)
			}
		}
	})
}

// FuzzPattern holds that a pattern is run or refused, and never in the way.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{`^(?=.*\d)(?!x)[^\s]\p{Lu}$`, `[^][]](?<n>a)\cJ\uD83D\uDE00`, `(?i:a{2,3})\b[\b\S[:x]`, `^(?=a|b)`, `\u{1F600}`} {
		f.Add(p, "aB1 x")
	}
	f.Fuzz(func(t *testing.T, source, s string) {
		if len(source) > maxPattern {
			t.Skip()
		}
		p, err := compilePattern(source)
		if err != nil {
			return
		}
		p.MatchString(s)
		if p.String() != source {
			t.Errorf("%q is called %q", source, p)
		}
	})
}

func large(fields int) json.RawMessage {
	parts := make([]string, fields)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"field%d":%s`, i, [...]string{
			`{"type":"string","title":"A title","description":"What it is for","minLength":1,"maxLength":80,"default":"x"}`,
			`{"type":"integer","minimum":1,"maximum":100,"default":42}`,
			`{"type":"string","enum":["a","b","c"],"enumNames":["A","B","C"],"default":"b"}`,
			`{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1,"default":["a"]}`,
			`{"type":"string","format":"email","default":"ada@example.com"}`,
		}[i%5])
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(parts, ",") + `}}`)
}

// BenchmarkForm makes a form of 200 fields.
func BenchmarkForm(b *testing.B) {
	raw := large(200)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if form := Form(raw); len(form.Fields) != 200 {
			b.Fatal(form.JSONOnly)
		}
	}
}

// BenchmarkAssemble is what a key press in a form of 200 fields costs that
// shows problems as one types.
func BenchmarkAssemble(b *testing.B) {
	form := Form(large(200))
	draft := task.Prefill(form)
	for b.Loop() {
		if _, list := task.Assemble(form, draft); list != nil {
			b.Fatal(list)
		}
	}
}

// BenchmarkFirstCheck is the check that compiles the schema of 200 fields.
func BenchmarkFirstCheck(b *testing.B) {
	raw := large(200)
	for b.Loop() {
		b.StopTimer()
		form := Form(raw)
		b.StartTimer()
		form.Check(json.RawMessage(`{}`))
	}
}
