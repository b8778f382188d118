package task

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Approve rollout?", "Approve rollout?"},
		{"lines and tabs stay", "a\n\tb", "a\n\tb"},
		{"csi", "a\x1b[31;1mred\x1b[0mb", "aredb"},
		{"csi cut", "a\x1b[31", "a"},
		{"osc by bel", "a\x1b]0;title\x07b", "ab"},
		{"osc by st", "a\x1b]52;c;aGk=\x1b\\b", "ab"},
		{"osc without end", "a\x1b]52;c;aGk=", "a"},
		{"dcs, apc, pm, sos", "a\x1bPq\x1b\\b\x1b_x\x1b\\c\x1b^y\x1b\\d\x1bXz\x1b\\e", "abcde"},
		{"bel does not end dcs", "a\x1bPq\x07evil\x1b\\b", "ab"},
		{"two byte escapes", "a\x1bcb\x1b7c\x1b(Bd", "abcd"},
		{"lone escape", "a\x1b", "a"},
		{"c1 in utf-8", "a\u009b31mb\u009d0;t\u009cc", "abc"},
		{"c1 bare", "a\x9b31mb\x9d0;t\x9cc", "abc"},
		{"c0 and del", "a\x00\x08\x07\x7fb", "ab"},
		{"carriage return is a line", "ok\rEVIL\r\nx", "ok\nEVIL\nx"},
		{"bidi", "a\u202eb\u2066c", "a<U+202E>b<U+2066>c"},
		{"zero width", "a\u200bb\ufeffc\u00add", "a<U+200B>b<U+FEFF>c<U+00AD>d"},
		{"tags", "a\U000e0041b", "a<U+E0041>b"},
		{"line separators", "a\u2028b\u2029c", "a\nb\nc"},
		{"marks are bounded", "e" + strings.Repeat("\u0301", 50) + "x", "e" + strings.Repeat("\u0301", 4) + "x"},
		{"what is left out begins no new marks", "e" + strings.Repeat("\u0301\u0301\x01\x1b[m\u009bm\x87", 50), "e" + strings.Repeat("\u0301", 4)},
		{"not utf-8", "a\xffb", "a\ufffdb"},
		{"letters whose last byte looks like C1", "a\u00dbb\u061bc", "a\u00dbb\u061bc"},
		{"string holding a letter with byte 9c", "a\x1b]0;\u011cT\x07b", "ab"},
		{"cjk and emoji", "日本 🚀", "日本 🚀"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in).String(); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestTextLine(t *testing.T) {
	if got := Clean("a\n\n\tb\nc").Line(); got != "a b c" {
		t.Errorf("Line = %q", got)
	}
	if got := CleanMax("héllo", 2).String(); got != "h…" {
		t.Errorf("CleanMax cuts inside a character: %q", got)
	}
}

// FuzzClean holds that nothing a terminal would act on comes through, that
// cleaning twice is cleaning once, and that nothing grows without bound.
func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a\x1b[31mb", "\x1b]8;;http://x\x07y", "\x9b1m", "\u009d0;\u009c", "a\r\nb", "\u202e", "e\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := Clean(raw).String()
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || hidden(r) {
				t.Fatalf("Clean(%q) lets %U through", raw, r)
			}
		}
		if again := Clean(got).String(); again != got {
			t.Fatalf("Clean is not stable: %q, then %q", got, again)
		}
		if len(got) > 9*len(raw)+3 {
			t.Fatalf("%d bytes grew to %d", len(raw), len(got))
		}
	})
}
