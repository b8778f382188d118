// Package themes says how everything looks. A palette names colours by what
// they mean; a Theme gives each kind of thing on the screen its role, made
// from that palette. Panes ask for roles only and never name a colour.
//
// Colour is never the only signal: whatever a role tells is told by a glyph or
// a word as well.
package themes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// Theme is a set of roles and glyphs. It is read only once New returned it.
type Theme struct {
	Name   string
	ASCII  bool
	Glyphs Glyphs

	Text, Dim, Strong, Title, Accent   Role
	Emphasis                           Role
	Border, BorderFocused              Role // frames of panes
	Selected, SelectedBlurred          Role // the row under the cursor; use Around
	Header                             Role // the columns' names
	Key, KeyDesc                       Role // in the footer and the help
	Working, Asking, Completed, Failed Role
	Cancelled, Gone                    Role // Gone: expired ones too
	Live, Quiet, Connecting, Down      Role // states of a link
	Error, Warning, OK                 Role
	Banner                             Role // a line that must not be overlooked
	Link, Host                         Role // an URL, and the host within it
	Match, MatchHere                   Role // what a search found; MatchHere: the one that is stood on

	JSONKey, JSONString, JSONNumber, JSONBool, JSONNull, JSONPunct Role

	FieldLabel, FieldFocused, FieldError, FieldHint, Placeholder, Cursor Role
	// PromptFrame is the frame of a question that a server asks, used with
	// Glyphs.Prompt. Nothing else looks so.
	PromptFrame, PromptTitle Role
}

// Names returns the names that New knows, the default first.
func Names() []string { return []string{"ansi", "dark", "light", "high-contrast", "mono"} }

// New returns the theme of that name ("" is ansi). With ascii all glyphs are
// ASCII. With noColor (NO_COLOR) it shows no colours, as mono does; bold,
// underlined and reversed text stay, since the cursor is shown so.
func New(name string, ascii, noColor bool) (*Theme, error) {
	if name == "" {
		name = "ansi"
	}
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("no theme %q: there are %s", name, strings.Join(Names(), ", "))
	}
	if noColor {
		name = "mono"
	}
	return made(name, palettes[name], ascii, renderer), nil
}

func made(name string, p palette, ascii bool, r *lipgloss.Renderer) *Theme {
	t := &Theme{Name: name, ASCII: ascii, Glyphs: unicodeGlyphs}
	if ascii {
		t.Glyphs = asciiGlyphs
	}
	t.paint(p, r)
	return t
}

func (t *Theme) paint(p palette, r *lipgloss.Renderer) {
	fg := func(c string) look { return look{fg: c} }
	bold := func(c string) look { return look{fg: c, bold: true} }
	for role, l := range map[*Role]look{
		&t.Text: {}, &t.Dim: {fg: p.dim, faint: p.faint}, &t.Strong: {bold: true}, &t.Emphasis: {italic: true},
		&t.Title: bold(p.accent), &t.Accent: fg(p.accent),
		&t.Border: {fg: p.dim, faint: p.faint}, &t.BorderFocused: bold(p.accent),
		&t.Selected: p.selected, &t.SelectedBlurred: {bold: true},
		&t.Header: {fg: p.dim, bold: !p.faint},
		&t.Key:    bold(p.key), &t.KeyDesc: {fg: p.dim, faint: p.faint},

		&t.Working: fg(p.working), &t.Asking: {fg: p.asking, bold: !p.badge, reverse: p.badge}, &t.Completed: fg(p.good),
		&t.Failed: bold(p.bad), &t.Cancelled: {fg: p.dim, faint: p.faint}, &t.Gone: {fg: p.dim, faint: p.faint},
		&t.Live: fg(p.good), &t.Quiet: fg(p.working), &t.Connecting: fg(p.asking), &t.Down: bold(p.bad),
		&t.Error: bold(p.bad), &t.Warning: fg(p.asking), &t.OK: fg(p.good),
		&t.Banner: {fg: p.bad, bold: true, reverse: true},
		&t.Link:   {fg: p.key, underline: true}, &t.Host: {fg: p.asking, bold: !p.badge, underline: true},
		&t.Match: {reverse: true}, &t.MatchHere: {fg: p.asking, bold: !p.badge, underline: true, reverse: true},

		&t.JSONKey: fg(p.accent), &t.JSONString: fg(p.good), &t.JSONNumber: fg(p.asking),
		&t.JSONBool: fg(p.other), &t.JSONNull: {fg: p.dim, faint: p.faint}, &t.JSONPunct: {fg: p.dim, faint: p.faint},

		&t.FieldLabel: {bold: true}, &t.FieldFocused: bold(p.accent), &t.FieldError: bold(p.bad),
		&t.FieldHint: {fg: p.dim, faint: p.faint}, &t.Placeholder: {fg: p.dim, faint: p.faint}, &t.Cursor: {reverse: true},
		&t.PromptFrame: {fg: p.asking, bold: !p.badge}, &t.PromptTitle: {fg: p.asking, bold: !p.badge, reverse: true},
	} {
		*role = l.role(r)
	}
}
