package task

import (
	"encoding/json"
	"testing"
)

func TestDigestKnowsEqualArguments(t *testing.T) {
	same := func(a, b string) bool { return Digest(json.RawMessage(a)) == Digest(json.RawMessage(b)) }
	for _, each := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[{"x":1,"y":2}]}`, "{ \"b\": [ {\"y\":2, \"x\":1} ],\n\"a\":1 }", true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":"<"}`, `{"a":"\u003c"}`, true},
		{`{}`, ``, true},
		{`null`, ` { } `, true},
		{`{broken`, `{broken `, true},
		{`{broken`, `{brokem`, false},
	} {
		if same(each.a, each.b) != each.same {
			t.Errorf("%s and %s: same digest %v, want %v", each.a, each.b, !each.same, each.same)
		}
	}
	if d := Digest(nil); d != "" {
		t.Errorf("no arguments: %q, want none", d)
	}
	if d := Digest(json.RawMessage(`{"a":1}`)); len(d) != 16 {
		t.Errorf("%q has not 16 digits", d)
	}
}
