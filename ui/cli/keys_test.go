package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPrintKeys(t *testing.T) {
	scopes := []KeyScope{
		{Name: "Lists", Actions: []KeyAction{{Name: "list.up", Keys: []string{"k", "up"}, Help: "up"}}},
		{Name: "A task", Places: []string{"tasks"}, Actions: []KeyAction{{Name: "task.cancel", Help: "cancel", Changed: true}}},
	}
	var text, doc strings.Builder
	if err := PrintKeys(&text, scopes, false); err != nil {
		t.Fatal(err)
	}
	const want = "Lists\n  k, up   list.up      up\n\nA task\n  no key  task.cancel  cancel (changed)\n"
	if text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
	if err := PrintKeys(&doc, scopes, true); err != nil {
		t.Fatal(err)
	}
	var got struct{ Scopes []KeyScope }
	if err := json.Unmarshal([]byte(doc.String()), &got); err != nil || len(got.Scopes) != 2 || got.Scopes[0].Actions[0].Keys[1] != "up" || !got.Scopes[1].Actions[0].Changed {
		t.Errorf("%v: %s", err, doc.String())
	}
}
