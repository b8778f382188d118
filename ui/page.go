package ui

import (
	"time"

	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
)

// page collects the lines of a text pane.
type page struct {
	s     *scene
	w     int
	lines []string
}

const labelWidth = 10

// add puts a line under a label; what is too long wraps beneath itself.
func (p *page) add(label, words string, role *themes.Role) {
	if words == "" {
		return
	}
	indent := labelWidth
	if p.w < 30 {
		indent = 2
	}
	for i, part := range render.Wrap(words, max(p.w-indent, 1)) {
		head := spaces(indent)
		if i == 0 && indent == labelWidth {
			head = p.s.t.Dim.Paint(p.s.fit(label, labelWidth))
		} else if i == 0 {
			p.lines = append(p.lines, p.s.t.Dim.Paint(p.s.cut(label, p.w)))
		}
		p.lines = append(p.lines, head+role.Paint(part))
	}
}

// head starts a part of the page.
func (p *page) head(words string) {
	p.lines = append(p.lines, "", p.s.t.Header.Paint(p.s.cut(words, p.w)))
}

// text adds words without a label.
func (p *page) text(words string, role *themes.Role) {
	for _, part := range render.Wrap(words, p.w) {
		p.lines = append(p.lines, role.Paint(part))
	}
}

// quote adds words of a server behind a bar.
func (p *page) quote(words string) {
	bar := p.s.t.Accent.Paint(p.s.t.Glyphs.Bar)
	for _, part := range render.Wrap(words, max(p.w-2, 1)) {
		p.lines = append(p.lines, bar+" "+part)
	}
}

// when words a time of day, with the date where it is not today.
func (s *scene) when(at time.Time) string {
	at = at.Local()
	if y, m, d := s.now.Local().Date(); at.Day() == d && at.Month() == m && at.Year() == y {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}

// centred puts a few sentences into the middle of a pane.
func (s *scene) centred(words []string, w, h int) []string {
	inner := min(w-2, 64)
	var text []string
	for _, line := range words {
		text = append(text, render.Wrap(line, max(inner, 1))...)
	}
	out := make([]string, 0, h)
	for range max((h-len(text))/2, 0) {
		out = append(out, "")
	}
	indent := spaces((w - inner) / 2)
	for _, line := range text {
		out = append(out, indent+line)
	}
	return out[:min(len(out), h)]
}

// named returns a binding under another word, for a footer.
func named(b key.Binding, desc string) key.Binding {
	b.SetHelp(b.Help().Key, desc)
	return b
}
