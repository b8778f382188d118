package task

import (
	"encoding/json"
	"strings"
	"testing"
)

var choiceValues = []Choice{{Value: json.RawMessage(`"a"`)}, {Value: json.RawMessage(`1`)}, {Value: json.RawMessage(`{"x":[1,null]}`)}}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		kind              FieldKind
		typed, want, hint string
	}{
		{StringField, ``, `""`, ""},
		{StringField, ` a<b>&"c" `, `" a<b>&\"c\" "`, ""},
		{StringField, "two\nlines", `"two\nlines"`, ""},
		{NumberField, ` 1.10 `, `1.10`, ""},
		{NumberField, `9007199254740993`, `9007199254740993`, ""},
		{NumberField, `-0`, `-0`, ""},
		{NumberField, `1e3`, `1e3`, ""},
		{NumberField, ``, ``, "is empty"},
		{NumberField, `1,5`, ``, "not a comma"},
		{NumberField, `1.000,5`, ``, "not a comma"},
		{NumberField, `1_000`, ``, "leave out the separators"},
		{NumberField, `1 000`, ``, "leave out the separators"},
		{NumberField, `+5`, ``, "leave out the plus sign"},
		{NumberField, `.5`, ``, "write a 0 before the point"},
		{NumberField, `-.5`, ``, "write a 0 before the point"},
		{NumberField, `5.`, ``, "leave out the point at the end"},
		{NumberField, `05`, ``, "leave out the zeros"},
		{NumberField, `-`, ``, "must be a number"},
		{NumberField, `1e`, ``, "must be a number"},
		{NumberField, `0x10`, ``, "must be a number"},
		{NumberField, `NaN`, ``, "must be a number"},
		{NumberField, `true`, ``, "must be a number"},
		{NumberField, `1}`, ``, "must be a number"},
		{NumberField, `1e1001`, ``, "too long"},
		{NumberField, `1e-99999999999999999999`, ``, "too long"},
		{NumberField, strings.Repeat("9", 6000), ``, "too long"},
		{IntegerField, `1.0`, `1.0`, ""},
		{IntegerField, `1e3`, `1e3`, ""},
		{IntegerField, `1.5`, ``, "must be a whole number"},
		{IntegerField, `1e-1`, ``, "must be a whole number"},
		{BooleanField, `Yes`, `true`, ""},
		{BooleanField, `false`, `false`, ""},
		{BooleanField, `perhaps`, ``, "must be yes or no"},
		{ChoiceField, `"a"`, `"a"`, ""},
		{ChoiceField, `a`, `"a"`, ""},
		{ChoiceField, ` 1.0`, `1`, ""},
		{ChoiceField, `{"x": [1.0, null]}`, `{"x":[1,null]}`, ""},
		{ChoiceField, `"1"`, ``, "must be one of the choices"},
		{ChoiceField, ``, ``, "must be one of the choices"},
		{ChoicesField, `[]`, `[]`, ""},
		{ChoicesField, `["a", 1.0]`, `["a",1]`, ""},
		{ChoicesField, `["z"]`, ``, "must hold its choices only"},
		{ChoicesField, `null`, ``, "must be a list"},
		{ChoicesField, `"a"`, ``, "must be a list"},
		{JSONField, ` {"a": 1.10} `, `{"a": 1.10}`, ""},
		{JSONField, ``, ``, "is empty"},
		{JSONField, `{"a"`, ``, "is not whole JSON yet"},
		{JSONField, `hello`, ``, `text needs "quotes"`},
	} {
		f := &Field{Kind: c.kind, Choices: choiceValues}
		got, err := f.Encode(c.typed)
		switch {
		case c.hint == "" && err != nil:
			t.Errorf("%d %.40q: %v", c.kind, c.typed, err)
		case c.hint != "" && (err == nil || !strings.Contains(err.Error(), c.hint)):
			t.Errorf("%d %.40q: error %v, want one with %q", c.kind, c.typed, err, c.hint)
		case string(got) != c.want:
			t.Errorf("%d %.40q = %s, want %s", c.kind, c.typed, got, c.want)
		}
	}
}

func TestTyped(t *testing.T) {
	for _, c := range []struct {
		kind        FieldKind
		value, want string
	}{
		{StringField, `"a\n\"b\""`, "a\n\"b\""},
		{StringField, `"\ud800\ufffd"`, "\uFFFD\uFFFD"},
		{StringField, `null`, TypedNull},
		{StringField, `"\u0000null"`, `"\u0000null"`},
		{StringField, `5`, `5`},
		{NumberField, ` 1.10 `, `1.10`},
		{NumberField, `"1,5"`, `1,5`},
		{BooleanField, `true`, `true`},
		{ChoiceField, `"a"`, `"a"`},
		{ChoicesField, `["a"]`, `["a"]`},
		{JSONField, `"a"`, `"a"`},
		{JSONField, "{\n  \"a\": 1\n}", "{\n  \"a\": 1\n}"},
		{StringField, ``, ``},
	} {
		if got := (&Field{Kind: c.kind}).Typed(json.RawMessage(c.value)); got != c.want {
			t.Errorf("%d %s = %q, want %q", c.kind, c.value, got, c.want)
		}
	}
}

func TestMoreChoices(t *testing.T) {
	f := &Field{Kind: ChoiceField, Choices: choiceValues, MoreChoices: true}
	if got, err := f.Encode(`"beyond"`); err != nil || string(got) != `"beyond"` {
		t.Errorf("a choice that is not shown: %s, %v", got, err)
	}
	if _, err := f.Encode(`beyond`); err == nil {
		t.Error("what is no JSON passed for a choice")
	}
}
