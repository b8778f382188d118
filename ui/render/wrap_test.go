package render

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"callboard/model/task"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"hello   world  foo", 10, []string{"hello", "world  foo"}},
		{"    indented code here", 14, []string{"    indented", "code here"}},
		{"aaaaaaaaaaaaa b", 5, []string{"aaaaa", "aaaaa", "aaa b"}},
		{"日本語日本語 x", 5, []string{"日本", "語日", "本語", "x"}},
		{"one\ntwo\n", 10, []string{"one", "two", ""}},
		{"a\tb", 20, []string{"a       b"}},
		{"日本", 1, []string{"?", "?"}},
		{"ab ", 2, []string{"ab"}},
		{"go 🏳️‍🌈 now", 5, []string{"go 🏳️‍🌈", "now"}},
	} {
		got := Wrap(c.text, c.width)
		if !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
		for _, row := range got {
			if Width(row) > c.width {
				t.Errorf("Wrap(%q, %d): row %q is %d wide", c.text, c.width, row, Width(row))
			}
		}
	}
}

func TestFitIsExact(t *testing.T) {
	for _, s := range []string{"", "abc", "日本語日本語", "e\u0301e\u0301e\u0301", "\x1b[1mbold text\x1b[0m"} {
		for width := range 8 {
			if got := Width(Fit(s, width, "…")); got != width {
				t.Errorf("Fit(%q, %d) is %d wide", s, width, got)
			}
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("some words and 日本語 text", 7)
	f.Add("\u0301\u0301a\t\t🏳️‍🌈", 1)
	f.Fuzz(func(t *testing.T, raw string, width int) {
		width = 1 + (width&0x7fffffff)%100
		text := task.Clean(raw).String()
		rows := Wrap(text, width)
		for _, row := range rows {
			if Width(row) > width {
				t.Errorf("row %q of %q is %d wide, not %d", row, text, Width(row), width)
			}
			if utf8.ValidString(text) && !utf8.ValidString(row) {
				t.Errorf("row %q of %q is cut within a character", row, text)
			}
		}
		if width < 2 {
			return
		}
		// Nothing but spaces is lost.
		squeeze := func(s string) string {
			return strings.Map(func(r rune) rune {
				if r == ' ' || r == '\n' || r == '\t' {
					return -1
				}
				return r
			}, s)
		}
		if got := squeeze(strings.Join(rows, "")); got != squeeze(text) {
			t.Errorf("%q became %q", squeeze(text), got)
		}
	})
}
