package themes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Own is a theme that a person made: one of New's, with other colours.
type Own struct {
	Base string // a name that New knows, "" for the default
	// Colours are by the tokens of Tokens. A colour is a number of the
	// terminal's palette (0 to 255), one of its first 16 by name (ColourNames),
	// #rrggbb, or "" for the terminal's own.
	Colours map[string]string
	// Selected are attributes of the row under the cursor (Attributes) in place
	// of the base's; nil for those.
	Selected []string
}

// Token is a colour of a theme, named by what it means.
type Token struct{ Name, Help string }

// Tokens returns what Own.Colours may hold.
func Tokens() []Token {
	all := make([]Token, len(tokens))
	for i, t := range tokens {
		all[i] = t.Token
	}
	return all
}

// place is a token with where its colour stands.
type place struct {
	Token
	of func(*palette) *string
}

var tokens = [...]place{
	{Token{"accent", "titles, frames with the keys, names in JSON"}, func(p *palette) *string { return &p.accent }},
	{Token{"key", "keys in the footer and the help, links"}, func(p *palette) *string { return &p.key }},
	{Token{"dim", "what matters less: frames, ended tasks, hints"}, func(p *palette) *string { return &p.dim }},
	{Token{"working", "tasks that work"}, func(p *palette) *string { return &p.working }},
	{Token{"asking", "tasks that ask, questions, warnings"}, func(p *palette) *string { return &p.asking }},
	{Token{"good", "completed tasks, links that are live"}, func(p *palette) *string { return &p.good }},
	{Token{"bad", "failed tasks, errors, links that are down"}, func(p *palette) *string { return &p.bad }},
	{Token{"other", "true and false in JSON"}, func(p *palette) *string { return &p.other }},
	{Token{"selected", "the background of the row under the cursor"}, func(p *palette) *string { return &p.selected.bg }},
	{Token{"selected-text", "its text"}, func(p *palette) *string { return &p.selected.fg }},
}

// Attributes are what Own.Selected may hold.
func Attributes() []string { return []string{"bold", "faint", "italic", "underline", "reverse"} }

// ColourNames are the first 16 colours of a terminal by name, in their order.
func ColourNames() []string {
	plain := []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	all := slices.Clone(plain)
	for _, name := range plain {
		all = append(all, "bright-"+name)
	}
	return all
}

// CheckColour says what is wrong with a colour, nil for nothing.
func CheckColour(c string) error {
	_, err := colourOf(c)
	return err
}

var errColour = errors.New(`a colour is a number from 0 to 255, #rrggbb, or a name such as red or bright-blue`)

// colourOf returns a colour as the renderer wants it.
func colourOf(c string) (string, error) {
	if c == "" {
		return "", nil
	}
	if hex, ok := strings.CutPrefix(c, "#"); ok {
		if _, err := strconv.ParseUint(hex, 16, 32); err != nil || len(hex) != 6 {
			return "", errColour
		}
		return c, nil
	}
	if i := slices.Index(ColourNames(), c); i >= 0 {
		return strconv.Itoa(i), nil
	}
	if n, err := strconv.ParseUint(c, 10, 8); err != nil || strconv.FormatUint(n, 10) != c {
		return "", errColour
	}
	return c, nil
}

// NewOwn returns a theme that a person made. ascii and noColor are as in New;
// with trueColour #rrggbb is shown as it is, else as the nearest of the 256
// colours. An error is the first that there is.
func NewOwn(name string, o Own, ascii, noColor, trueColour bool) (*Theme, error) {
	if _, err := New(o.Base, ascii, noColor); err != nil || noColor {
		t, err2 := New("mono", ascii, noColor)
		return t, errors.Join(err, err2)
	}
	base := o.Base
	if base == "" {
		base = Names()[0]
	}
	p := palettes[base]
	coloured := false // the selected row
	for token, colour := range o.Colours {
		i := slices.IndexFunc(tokens[:], func(t place) bool { return t.Name == token })
		if i < 0 {
			return nil, fmt.Errorf("%s: no such colour", token)
		}
		c, err := colourOf(colour)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", token, err)
		}
		*tokens[i].of(&p) = c
		coloured = coloured || strings.HasPrefix(token, "selected")
	}
	if o.Colours["dim"] != "" {
		p.faint = false
	}
	if o.Colours["asking"] != "" {
		p.badge = false
	}
	s := &p.selected
	if coloured && o.Selected == nil {
		s.reverse = false // colours that are given are not turned around
	}
	if o.Selected != nil {
		s.bold, s.faint, s.italic, s.underline, s.reverse = false, false, false, false, false
	}
	for _, word := range o.Selected {
		switch word {
		case "bold":
			s.bold = true
		case "faint":
			s.faint = true
		case "italic":
			s.italic = true
		case "underline":
			s.underline = true
		case "reverse":
			s.reverse = true
		default:
			return nil, fmt.Errorf("selected-attributes: %q is none of %s", word, strings.Join(Attributes(), ", "))
		}
	}
	// The colours of statuses may not be readable on a background that turns
	// around, nor beside a text colour that was chosen for it.
	s.flat = s.reverse || s.fg != ""
	r := renderer
	if trueColour {
		r = deep
	}
	return made(name, p, ascii, r), nil
}
