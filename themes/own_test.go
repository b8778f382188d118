package themes

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/muesli/termenv"
)

func TestOwn(t *testing.T) {
	own := Own{Base: "dark", Colours: map[string]string{"accent": "#88c0d0", "working": "6", "bad": "bright-red", "dim": ""}}
	for _, c := range []struct {
		deep         bool
		title, fails string
	}{
		{true, "1;38;2;136;192;208", "1;91"},
		{false, "1;38;5;", "1;91"},
	} {
		th, err := NewOwn("mine", own, false, false, c.deep)
		if err != nil {
			t.Fatal(err)
		}
		if got := th.Title.Paint("x"); !strings.Contains(got, c.title) || strings.Contains(got, "38;2") != c.deep {
			t.Errorf("true colour %v: title %q", c.deep, got)
		}
		if got := th.Failed.Paint("x"); !strings.Contains(got, c.fails) {
			t.Errorf("failed %q", got)
		}
		if th.Name != "mine" || th.Completed.prefix != theme(t, "dark", false).Completed.prefix {
			t.Error("what is not given is the base's")
		}
	}
	th, err := NewOwn("mine", own, false, true, true)
	if err != nil || th.Title.Paint("x") != theme(t, "mono", true).Title.Paint("x") {
		t.Errorf("NO_COLOR: %v", err)
	}
}

func TestOwnSelected(t *testing.T) {
	for _, c := range []struct {
		own  Own
		want string
	}{
		{Own{Base: "ansi"}, "\x1b[1;7m"},
		{Own{Base: "ansi", Colours: map[string]string{"selected": "4"}}, "\x1b[1;44m"},
		{Own{Base: "dark", Selected: []string{}}, "\x1b[48;5;238m"},
		{Own{Base: "dark", Selected: []string{"underline"}}, "\x1b[4;48;5;238;4m"},
		{Own{Base: "mono", Selected: []string{"underline"}}, "\x1b[4;4m"},
	} {
		th, err := NewOwn("mine", c.own, false, false, false)
		if err != nil {
			t.Fatal(err)
		}
		if th.Selected.prefix != c.want {
			t.Errorf("%+v: %q, want %q", c.own, th.Selected.prefix, c.want)
		}
	}
}

func TestOwnFaults(t *testing.T) {
	for _, c := range []struct {
		own  Own
		want string
	}{
		{Own{Base: "neon"}, `no theme "neon"`},
		{Own{Colours: map[string]string{"nose": "red"}}, "nose: no such colour"},
		{Own{Colours: map[string]string{"bad": "256"}}, "bad: a colour is"},
		{Own{Colours: map[string]string{"bad": "#12345"}}, "bad: a colour is"},
		{Own{Colours: map[string]string{"bad": "#-1f2f3"}}, "bad: a colour is"},
		{Own{Colours: map[string]string{"bad": "007"}}, "bad: a colour is"},
		{Own{Selected: []string{"blink"}}, `"blink" is none of bold`},
	} {
		if _, err := NewOwn("mine", c.own, false, false, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.own, err, c.want)
		}
	}
}

// What high-contrast promises: 7 to 1 on black for whatever has a colour.
func TestHighContrast(t *testing.T) {
	p := palettes["high-contrast"]
	if p.faint || p.selected.bg != "231" || p.selected.fg != "16" {
		t.Errorf("faint %v, selected %+v", p.faint, p.selected)
	}
	for _, token := range tokens {
		if strings.HasPrefix(token.Name, "selected") {
			continue
		}
		c := *token.of(&p)
		if got := (luminance(t, c) + 0.05) / 0.05; got < 7 {
			t.Errorf("%s: colour %s has %.1f to 1 on black", token.Name, c, got)
		}
	}
}

// luminance is that of WCAG 2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	rgb := termenv.ConvertToRGB(termenv.TrueColor.Color(colour))
	if rgb.Hex() == "#000000" {
		t.Fatal(fmt.Errorf("colour %s is none", colour))
	}
	linear := func(v float64) float64 {
		if v <= 0.03928 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(rgb.R) + 0.7152*linear(rgb.G) + 0.0722*linear(rgb.B)
}
