package keymap

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	m := Default()
	faults := m.Apply([]Override{
		{Name: "task.cancel", Keys: []string{"ctrl+k", "Shift+E"}},
		{Name: "list.filter", Keys: []string{"ctrl+space"}},
		{Name: "table.range"},
		{Name: "everywhere.retry"},
		{Name: "form.toggle", Keys: []string{"space"}},
		{Name: "form.send", Keys: []string{"alt+Enter"}},
		{Name: "sort.age", Keys: []string{"é"}},
	})
	if faults != nil {
		t.Fatal(faults)
	}
	for name, want := range map[string]struct {
		keys  []string
		shown string
	}{
		"task.cancel": {[]string{"ctrl+k", "E"}, "ctrl+k"}, "list.filter": {[]string{"ctrl+@"}, "ctrl+space"},
		"everywhere.retry": {nil, ":everywhere.retry"}, "form.toggle": {[]string{" "}, "space"},
		"form.send": {[]string{"alt+enter"}, "alt+enter"}, "sort.age": {[]string{"é"}, "é"}, "task.copy": {[]string{"y"}, "y"},
	} {
		b := m.Binding(name)
		if !slices.Equal(b.Keys(), want.keys) || b.Help().Key != want.shown {
			t.Errorf("%s has %q, shown as %q", name, b.Keys(), b.Help().Key)
		}
	}
}

// What is wrong is said so that the line can be mended, and nothing is applied.
func TestApplyRefuses(t *testing.T) {
	for _, c := range []struct {
		all  []Override
		line int
		want string
	}{
		{[]Override{{"task.cancle", []string{"x"}, 3}}, 3, "no action task.cancle: did you mean task.cancel?"},
		{[]Override{{"cancel", []string{"x"}, 3}}, 3, "no action cancel: did you mean task.cancel?"},
		{[]Override{{"task.half up", []string{"x"}, 3}}, 3, `no action "task.half up"`},
		{[]Override{{"zzzzzzz", []string{"x"}, 3}}, 3, "no action zzzzzzz"},
		{[]Override{{"task.cancel", []string{"contrl+x"}, 3}}, 3, "task.cancel: no key contrl+x: did you mean ctrl+x?"},
		{[]Override{{"task.cancel", []string{"hyper+x"}, 3}}, 3, "no key hyper+x"},
		{[]Override{{"task.cancel", []string{""}, 3}}, 3, `no key ""`},
		{[]Override{{"task.cancel", []string{"\x1b"}, 3}}, 3, `no key "\x1b"`},
		{[]Override{{"task.cancel", []string{"é\x1b[31m"}, 3}}, 3, `\x1b`},
		{[]Override{{"form.send", []string{"alt+alt+x"}, 3}}, 3, "as one key"},
		{[]Override{{"task.cancel", []string{"alt+x"}, 3}}, 3, "alt works in forms and lines only"},
		{[]Override{{"form.send", []string{"x"}, 3}}, 3, "form.send: x is text there"},
		{[]Override{{"line.older", []string{"space"}, 3}}, 3, "line.older: space is text there"},
		{[]Override{{"form.send", []string{"backspace"}, 3}}, 3, "edits the text"},
		{[]Override{{"form.send", nil, 3}}, 3, "form.send: it needs a key"},
		{[]Override{{"everywhere.abort", []string{"q"}, 3}}, 3, "ctrl+c always quits"},
		{[]Override{{"everywhere.abort", nil, 3}}, 3, "ctrl+c always quits"},
		{[]Override{{"form.hold", []string{"ctrl+c"}, 3}}, 3, "form.hold: ctrl+c is the key that everywhere.abort has by default"},
		{[]Override{{"task.cancel", []string{"q"}, 3}}, 3, "task.cancel: q is the key that everywhere.quit has by default"},
		{[]Override{{"everywhere.quit", []string{"c"}, 3}}, 3, "everywhere.quit: c is the key that task.cancel has by default"},
		{[]Override{{"task.cancel", []string{"Q"}, 12}, {"everywhere.quit", []string{"Q"}, 14}}, 14, "everywhere.quit: Q is the key that task.cancel has too, in line 12"},
		{[]Override{{"task.cancel", []string{"Q"}, 14}, {"everywhere.quit", []string{"Q"}, 12}}, 14, "task.cancel: Q is the key that everywhere.quit has too, in line 12"},
		{[]Override{{"task.cancel", []string{"x"}, 3}, {"task.cancel", []string{"ctrl+x"}, 5}}, 5, "given twice, before in line 3"},
	} {
		m := Default()
		faults := m.Apply(append(c.all, Override{"task.save", []string{"ctrl+f"}, 99}))
		if len(faults) != 1 || faults[0].Line != c.line || !strings.Contains(faults[0].Error(), c.want) {
			t.Errorf("%v: %+v, want %q", c.all, faults, c.want)
		}
		if !reflect.DeepEqual(m, Default()) {
			t.Errorf("%v: something was applied", c.all)
		}
		for _, f := range faults {
			if strings.ContainsFunc(f.Why, func(c rune) bool { return c < ' ' }) {
				t.Errorf("%q", f.Why)
			}
		}
	}
}

// Scopes that never meet may share a key, and a pair may swap theirs.
func TestApplyAllows(t *testing.T) {
	for _, all := range [][]Override{
		{{"log.reveal", []string{"S"}, 1}},                                       // sorting is at the tasks
		{{"form.hold", []string{"ctrl+u"}, 1}},                                   // a list is no form
		{{"task.cancel", []string{"y"}, 1}, {"task.copy", []string{"c"}, 2}},     // swapped
		{{"everywhere.abort", []string{"ctrl+c", "ctrl+q"}, 1}},                  // one more way out
		{{"menu.decline", []string{"c"}, 1}, {"menu.dismiss", []string{"d"}, 2}}, // letters are no text there
	} {
		if faults := Default().Apply(all); faults != nil {
			t.Errorf("%v: %v", all, faults)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"task.cancel", "task.copy", "list.half-up", "list.half-down", "watch"}
	for word, want := range map[string][]string{
		"task.cancle": {"task.cancel"}, "wacth": {"watch"}, "list.half-op": {"list.half-up"}, "q": nil, "": nil, "nothing at all": nil,
	} {
		if got := Nearest(word, names); !slices.Equal(got, want) {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
