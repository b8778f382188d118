package themes

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

func theme(t *testing.T, name string, noColor bool) *Theme {
	t.Helper()
	th, err := New(name, false, noColor)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func TestUnknownThemeNamesTheOthers(t *testing.T) {
	_, err := New("neon", false, false)
	if err == nil || !strings.Contains(err.Error(), "ansi, dark, light, high-contrast, mono") {
		t.Errorf("error = %v", err)
	}
}

func TestEmptyNameIsTheDefault(t *testing.T) {
	if th := theme(t, "", false); th.Name != "ansi" {
		t.Errorf("name = %q", th.Name)
	}
}

var colour = regexp.MustCompile(`\x1b\[[0-9;]*\b(3[0-8]|4[0-8]|9[0-7]|10[0-7])\b[0-9;]*m`)

// Every role of every theme is prepared, adds no cell, and closes what it
// opens; without colours there is no colour in any.
func TestRoles(t *testing.T) {
	for _, name := range Names() {
		for _, noColor := range []bool{false, true} {
			th := theme(t, name, noColor)
			v := reflect.ValueOf(th).Elem()
			coloured := 0
			for i := range v.NumField() {
				r, ok := v.Field(i).Addr().Interface().(*Role)
				if !ok {
					continue
				}
				got := r.Paint("ab")
				if ansi.Strip(got) != "ab" || r.prefix != "" && !strings.HasSuffix(got, reset) {
					t.Errorf("%s.%s paints %q", name, v.Type().Field(i).Name, got)
				}
				if colour.MatchString(got) {
					coloured++
				}
			}
			if plain := name == "mono" || noColor; plain != (coloured == 0) {
				t.Errorf("%s, no colour %v: %d roles have a colour", name, noColor, coloured)
			}
		}
	}
}

func TestPaintLeavesEmptyTextEmpty(t *testing.T) {
	th := theme(t, "dark", false)
	if got := th.Failed.Paint("") + th.Selected.Around(""); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestAroundKeepsItsLookBehindAPart(t *testing.T) {
	th := theme(t, "dark", false)
	got := th.Selected.Around("a" + th.Failed.Paint("b") + "c")
	if !strings.Contains(got, reset+th.Selected.prefix+"c"+reset) || ansi.Strip(got) != "abc" {
		t.Errorf("got %q", got)
	}
	flat := theme(t, "ansi", false)
	if got := flat.Selected.Around("a" + flat.Failed.Paint("b") + "c"); got != flat.Selected.prefix+"abc"+reset {
		t.Errorf("flat: got %q", got)
	}
}

func TestGlyphs(t *testing.T) {
	for name, g := range map[string]Glyphs{"unicode": unicodeGlyphs, "ascii": asciiGlyphs} {
		v := reflect.ValueOf(g)
		for i := range v.NumField() {
			field := v.Type().Field(i).Name
			if b, ok := v.Field(i).Interface().(lipgloss.Border); ok {
				for _, part := range []string{b.Top, b.Bottom, b.Left, b.Right, b.TopLeft, b.TopRight, b.BottomLeft, b.BottomRight} {
					if ansi.StringWidth(part) != 1 || name == "ascii" && part[0] >= 0x80 {
						t.Errorf("%s.%s has %q", name, field, part)
					}
				}
				continue
			}
			s := v.Field(i).String()
			if name == "ascii" && strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) {
				t.Errorf("%s is no ASCII: %q", field, s)
			}
			if w := ansi.StringWidth(s); w != 1 && (name != "ascii" || field != "Ellipsis" && field != "Arrow") {
				t.Errorf("%s.%s is %d cells wide", name, field, w)
			}
		}
		// What tells statuses apart without colour.
		seen := map[string]bool{}
		for _, s := range []string{g.Working, g.Asking, g.Completed, g.Failed, g.Cancelled, g.Gone} {
			if seen[s] {
				t.Errorf("%s: two statuses share %q", name, s)
			}
			seen[s] = true
		}
		if g.Prompt == g.Border {
			t.Errorf("%s: a server's question has the frame of a pane", name)
		}
	}
}

func BenchmarkPaint(b *testing.B) {
	th, err := New("ansi", false, false)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		th.Asking.Paint("asking")
	}
}
