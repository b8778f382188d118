package state

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestTaste(t *testing.T) {
	f, err := Open(t.TempDir() + "/callboard")
	if err != nil {
		t.Fatal(err)
	}
	load := func(taste *Taste) string {
		t.Helper()
		raw, err := taste.Load()
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	save := func(taste *Taste, object string) {
		t.Helper()
		if err := taste.Save(t.Context(), json.RawMessage(object)); err != nil {
			t.Fatal(err)
		}
	}
	one, two := f.Taste(), f.Taste()
	if load(one) != "" || load(two) != "" {
		t.Error("something is kept from the beginning")
	}
	save(one, `{"side":40,"filters":["a"]}`)
	save(two, `{"commands":["quit"],"filters":["b"]}`)
	if got := load(f.Taste()); got != `{"commands":["quit"],"filters":["b"],"side":40}` {
		t.Errorf("two callboards: %s", got)
	}
	save(one, `{"filters":["a"],"met":true}`) // the side is the default again, the filters are as they were here
	if got := load(f.Taste()); got != `{"commands":["quit"],"filters":["b"],"met":true}` {
		t.Errorf("merged: %s", got)
	}
	info, err := os.Stat(f.TastePath())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	third := f.Taste()
	save(third, load(third)) // nothing changed here
	save(two, `{}`)
	save(third, `{"met":true}`)
	if got := load(f.Taste()); got != `{"met":true}` {
		t.Errorf("%s", got)
	}
}

func TestTasteDamaged(t *testing.T) {
	f, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{"", "{", "[]", "null", strings.Repeat(" ", tasteMost+1)} {
		if err := os.WriteFile(f.TastePath(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		taste := f.Taste()
		if _, err := taste.Load(); err == nil || !strings.Contains(err.Error(), "was damaged; it is taste.json.damaged-") {
			t.Errorf("%.10q: %v", content, err)
		}
		if err := taste.Save(t.Context(), json.RawMessage(`{"met":true}`)); err != nil {
			t.Errorf("%.10q: %v", content, err)
		}
		if err := os.Remove(f.TastePath()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(f.TastePath(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Taste().Load(); err == nil {
		t.Error("a folder is a taste")
	}
}
