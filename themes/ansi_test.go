package themes

import (
	"fmt"
	"testing"
)

// What the default needs a person to see has a contrast of at least 3 to 1 (WCAG
// 2, for large text and signs) on black and on white, in the palettes that
// terminals come with: what asks, what failed, warnings.
func TestTheDefaultHoldsOnDarkAndLight(t *testing.T) {
	p := palettes["ansi"]
	if !p.badge {
		t.Error("what asks is no block")
	}
	for terminal, palette := range map[string]map[string]string{
		"xterm":       {"1": "#cd0000", "5": "#cd00cd"},
		"vga":         {"1": "#aa0000", "5": "#aa00aa"},
		"vte":         {"1": "#c01c28", "5": "#a347ba"},
		"kitty":       {"1": "#cc0403", "5": "#cb1ed1"},
		"xterm, bold": {"1": "#ff0000"},
		"macOS, bold": {"1": "#e50000"},
		"macOS":       {"5": "#b200b2"},
	} {
		for token, colour := range map[string]string{"asking": p.asking, "bad": p.bad, "other": p.other} {
			rgb, ok := palette[colour]
			if !ok { // what is bad is always bold, and nothing else
				continue
			}
			l := luminance(t, rgb) + 0.05
			if dark, light := l/0.05, 1.05/l; dark < 2.5 || light < 3 {
				t.Errorf("%s, %s: %.1f to 1 on black, %.1f on white", terminal, token, dark, light)
			}
		}
	}
	if got := p.asking + p.bad; got != "51" {
		t.Errorf("red and magenta were looked at, not %s", got)
	}
	// Titles, keys and working tasks are in the terminal's own colour.
	if got := fmt.Sprint(p.accent, p.key, p.working); got != "" {
		t.Errorf("a colour too many: %s", got)
	}
	for name, r := range map[string]Role{"asking": theme(t, "ansi", false).Asking, "a question": theme(t, "ansi", false).PromptTitle} {
		if r.prefix != "\x1b[7;35m" && r.prefix != "\x1b[35;7m" {
			t.Errorf("%s: %q", name, r.prefix)
		}
	}
}
