package themes

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

const reset = "\x1b[0m"

// Role is how one kind of thing looks. Its escape sequences are prepared once,
// since Style.Render costs microseconds a call.
type Role struct {
	prefix string
	style  lipgloss.Style
	flat   bool
}

// Paint returns s in the role's look. An empty s stays empty.
func (r *Role) Paint(s string) string {
	if r.prefix == "" || s == "" {
		return s
	}
	return r.prefix + s + reset
}

// Around paints s, which may hold painted parts: what they leave open gets
// the role's look. In a flat role (one with a background of the 16 colours,
// on which theirs may not be readable) the parts lose their own look.
func (r *Role) Around(s string) string {
	if r.prefix == "" || s == "" {
		return s
	}
	if r.flat {
		return r.Paint(ansi.Strip(s))
	}
	return r.prefix + strings.ReplaceAll(s, reset, reset+r.prefix) + reset
}

// Style returns the role as a style, for components that want one.
func (r *Role) Style() lipgloss.Style { return r.style }

// look is a role before its preparation. Colours are numbers of the terminal's
// palette or #rrggbb, "" for its own.
type look struct {
	fg, bg                         string
	bold, faint, italic, underline bool
	reverse, flat                  bool
}

// These prepare escape sequences whatever the terminal of this process is: the
// theme alone decides about colours. Where the terminal has no 24 bits a colour
// such as #88c0d0 becomes the nearest of the 256.
var renderer, deep = newRenderer(termenv.ANSI256), newRenderer(termenv.TrueColor)

func newRenderer(p termenv.Profile) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard, termenv.WithProfile(p))
	r.SetColorProfile(p)
	r.SetHasDarkBackground(true) // never asked for: the palettes are fixed
	return r
}

func (l look) role(r *lipgloss.Renderer) Role {
	s := r.NewStyle()
	if l.fg != "" {
		s = s.Foreground(lipgloss.Color(l.fg))
	}
	if l.bg != "" {
		s = s.Background(lipgloss.Color(l.bg))
	}
	if l.bold {
		s = s.Bold(true)
	}
	if l.faint {
		s = s.Faint(true)
	}
	if l.italic {
		s = s.Italic(true)
	}
	if l.underline {
		s = s.Underline(true)
	}
	if l.reverse {
		s = s.Reverse(true)
	}
	prefix, _, _ := strings.Cut(s.Render("x"), "x")
	return Role{prefix: prefix, style: s, flat: l.flat}
}
