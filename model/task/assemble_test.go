package task

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"unicode/utf8"
)

func testForm() Form {
	return Form{
		Fields: []Field{
			{Name: "z", Kind: StringField},
			{Name: "n", Kind: NumberField, Default: json.RawMessage("1.10")},
			{Name: "a", Kind: StringField, Required: true, Nullable: true},
			{Name: "c", Kind: ChoicesField, Choices: choiceValues},
			{Name: "o", Kind: BooleanField, Nullable: true},
		},
		Check: func(content json.RawMessage) []Problem {
			return []Problem{{Field: "z", Text: Own("checked")}, {Field: "n", Text: Own("checked")}, {Text: Own(fmt.Sprintf("%d bytes.", len(content)))}}
		},
	}
}

func TestAssemble(t *testing.T) {
	for _, c := range []struct {
		name     string
		draft    map[string]string
		content  string
		problems string
	}{
		{"unset is not empty", map[string]string{"z": ""}, `{"z":""}`, "[{z checked} {n checked} { 8 bytes.}]"},
		{"null is neither", map[string]string{"a": TypedNull, "o": TypedNull, "x": TypedNull}, `{"a":null,"o":null,"x":null}`, "[{z checked} {n checked} { 28 bytes.}]"},
		{"null where none is taken", map[string]string{"z": TypedNull, "c": TypedNull}, `{"z":null,"c":null}`,
			"[{z cannot be null: give a value, or unset it} {c cannot be null: give a value, or unset it} {n checked}]"},
		{"the word null is text", map[string]string{"z": "null", "a": "null"}, `{"z":"null","a":"null"}`, "[{z checked} {n checked} { 23 bytes.}]"},
		{"the form's order", map[string]string{"c": `["a"]`, "a": "x", "n": "2.50"}, `{"n":2.50,"a":"x","c":["a"]}`, "[{z checked} {n checked} { 28 bytes.}]"},
		{"what does not encode is shown as text, and judged once", map[string]string{"n": "1,5"}, `{"n":"1,5"}`,
			"[{n must be a number: write the decimals after a point, not a comma, and no separators} {z checked}]"},
		{"properties beside the fields", map[string]string{"y": "2", "x": `{"k":1}`}, `{"x":{"k":1},"y":2}`, "[{z checked} {n checked} { 19 bytes.}]"},
		{"such that are no JSON", map[string]string{"x": "{"}, `{"x":"{"}`, `[{ "x" is not JSON.} {z checked} {n checked}]`},
		{"the JSON editor", map[string]string{"": ` {"q": 1} `, "z": "lost"}, `{"q": 1}`, "[{z checked} {n checked} { 8 bytes.}]"},
	} {
		content, problems := Assemble(testForm(), c.draft)
		if string(content) != c.content {
			t.Errorf("%s: content %s, want %s", c.name, content, c.content)
		}
		if got := fmt.Sprint(problems); got != c.problems {
			t.Errorf("%s: problems %s, want %s", c.name, got, c.problems)
		}
	}
}

// What a person sees as one text is sent as one value, whatever bytes it came
// with, and comes back from the JSON editor as it went.
func TestAssembleIsUTF8(t *testing.T) {
	form := Form{Fields: []Field{
		{Name: "text", Kind: StringField}, {Name: "json", Kind: JSONField},
		{Name: "one", Kind: ChoiceField, MoreChoices: true}, {Name: "some", Kind: ChoicesField, MoreChoices: true},
	}}
	draft := func(s string) map[string]string {
		return map[string]string{"text": s, "json": `{"` + s + `":"` + s + `"}`, "one": `"` + s + `"`, "some": `["` + s + `"]`, "beside": `"` + s + `"`}
	}
	want, problems := Assemble(form, draft("a\uFFFDb\u2028<"))
	got, _ := Assemble(form, draft("a\xffb\u2028<"))
	if !utf8.Valid(got) || string(got) != string(want) || problems != nil {
		t.Errorf("%q of bytes, %q of what they show as, %v", got, want, problems)
	}
	if back, err := Split(form, got); err != nil || !maps.Equal(back, draft("a\uFFFDb\u2028<")) {
		t.Errorf("came back as %q, %v", back, err)
	}
	if got, _ := Assemble(form, map[string]string{"": "{\"a\":\"\xff\"}"}); string(got) != "{\"a\":\"\uFFFD\"}" {
		t.Errorf("the JSON editor: %q", got)
	}
	if got, _ := Assemble(form, map[string]string{"text": "a\xff", "json": "{\xff"}); !utf8.Valid(got) {
		t.Errorf("what does not encode: %q", got)
	}
}

func TestAssembleWithoutCheck(t *testing.T) {
	for typed, good := range map[string]bool{`{"a":1}`: true, `[]`: false, ``: false, `{`: false} {
		if _, problems := Assemble(Form{}, map[string]string{"": typed}); (problems == nil) != good {
			t.Errorf("%q: %v", typed, problems)
		}
	}
}

func TestSplit(t *testing.T) {
	draft := map[string]string{"z": "a \"b\"", "n": "1,5", "a": "x", "c": `["a",1]`, "x": `{"k": 1}`}
	content, _ := Assemble(testForm(), draft)
	back, err := Split(testForm(), content)
	if err != nil || !maps.Equal(back, draft) {
		t.Errorf("%s came back as %v, %v", content, back, err)
	}
	back, err = Split(testForm(), json.RawMessage(`{"o":null,"z":null,"n":9007199254740993}`))
	if want := map[string]string{"o": TypedNull, "z": TypedNull, "n": "9007199254740993"}; err != nil || !maps.Equal(back, want) {
		t.Errorf("null: %v, %v", back, err)
	}
	for _, bad := range []string{``, `{`, `[]`, `null`, `"a"`, `{} {}`, `{"":1}`} {
		if back, err := Split(testForm(), json.RawMessage(bad)); err == nil {
			t.Errorf("%q was split into %v", bad, back)
		}
	}
}

func TestPrefill(t *testing.T) {
	if got := Prefill(testForm()); !maps.Equal(got, map[string]string{"n": "1.10"}) {
		t.Errorf("got %v", got)
	}
}

func TestConstraint(t *testing.T) {
	bare := Field{MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1}
	for _, c := range []struct {
		set  func(*Field)
		want string
	}{
		{func(*Field) {}, ""},
		{func(f *Field) { f.MinLength, f.MaxLength, f.Format = 3, 20, "email" }, "3 to 20 characters, e-mail address"},
		{func(f *Field) { f.MinLength, f.MaxLength = 4, 4 }, "exactly 4 characters"},
		{func(f *Field) { f.MinLength = 1 }, "at least 1 character"},
		{func(f *Field) { f.MinLength, f.MaxLength = 0, 5 }, "at most 5 characters"},
		{func(f *Field) { f.Pattern = "a\x1b[31m\nb" }, "pattern a b"},
		{func(f *Field) { f.Format = "x\u202e" }, "x<U+202E>"},
		{func(f *Field) { f.Kind = NumberField }, "number"},
		{func(f *Field) { f.Kind, f.Minimum, f.Maximum = NumberField, "1", "10" }, "1 to 10"},
		{func(f *Field) { f.Kind, f.Above, f.Maximum, f.MultipleOf = IntegerField, "0", "1e3", "5" }, "whole number, more than 0, at most 1e3, multiple of 5"},
		{func(f *Field) { f.Kind, f.Minimum, f.Below = NumberField, "0", "1" }, "at least 0, less than 1"},
		{func(f *Field) { f.Kind, f.MinItems, f.MaxItems = ChoicesField, 1, 3 }, "choose 1 to 3"},
		{func(f *Field) { f.Kind = ChoicesField }, "choose any number"},
		{func(f *Field) { f.Kind, f.Shape, f.MaxItems = JSONField, "a JSON array", 1 }, "a JSON array, at most 1 item"},
		{func(f *Field) { f.Kind = BooleanField }, ""},
	} {
		f := bare
		c.set(&f)
		if got := f.Constraint().String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
