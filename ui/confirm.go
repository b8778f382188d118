package ui

import (
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// overlay stands over the panes and takes all keys.
type overlay interface {
	// update takes a key, or a message of a component of its own.
	update(r *Root, msg tea.Msg) tea.Cmd
	// typing reports whether keys are text.
	typing() bool
	// draw lays the overlay over the screen's lines.
	draw(r *Root, s *scene, screen []string)
	// foot is the footer while the overlay is open.
	foot(r *Root, s *scene) string
}

// confirm is a question of callboard's own, answered by y or n.
type confirm struct {
	title string
	lines []string
	quote string // words of a server, shown after the first line behind a bar
	yes   func(r *Root) tea.Cmd

	buttons box // where its keys stood in the last view
}

func (c *confirm) typing() bool { return false }

func (c *confirm) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	switch {
	case !ok || k.Paste:
	case key.Matches(k, r.k.Confirm.Yes):
		r.over = nil
		return c.yes(r)
	case key.Matches(k, r.k.Confirm.No):
		r.over = nil
		r.say("Nothing was done.")
	default:
		r.say("Press " + r.k.Confirm.Yes.Help().Key + " for yes, " + keysOr(r.k.Confirm.No) + " for no.")
	}
	return nil
}

func (c *confirm) draw(r *Root, s *scene, screen []string) {
	w := min(r.width-2, 68)
	var lines []string
	for i, line := range c.lines {
		for _, part := range render.Wrap(line, w-4) {
			lines = append(lines, " "+part)
		}
		if i > 0 || c.quote == "" {
			continue
		}
		for _, part := range render.Wrap(c.quote, w-6) { // each line behind the bar: none passes for ours
			lines = append(lines, " "+s.t.Accent.Paint(s.t.Glyphs.Bar)+" "+part)
		}
	}
	keys := &r.k.Confirm
	lines = lines[:min(len(lines), max(len(screen)-6, 1))]
	lines = append(lines, "", " "+s.hint(keys.Yes)+"   "+s.hint(keys.No))
	frame := s.frame(lines, w, len(lines)+2, s.cut(c.title, w-6), "", true)
	x, y := (r.width-w)/2, max((len(screen)+1-len(frame))/2, 1)
	c.buttons = box{x + 1, y + len(frame) - 2, w - 2, 1}
	s.over(screen, frame, x, y)
}

func (c *confirm) foot(r *Root, s *scene) string {
	return " " + s.hint(r.k.Confirm.Yes) + "  " + s.hint(r.k.Confirm.No)
}

func (c *confirm) hints(r *Root) []key.Binding {
	return []key.Binding{r.k.Confirm.Yes, r.k.Confirm.No}
}

// click takes a press on one of the keys; a server's words are no buttons.
func (c *confirm) click(r *Root, x, y int) tea.Cmd {
	if !c.buttons.has(x, y) {
		return nil
	}
	if b, ok := hintAt(r.lineAt(y), x, c.hints(r)); ok {
		return r.pushed(b)
	}
	return nil
}

func (c *confirm) wheel(*Root, int, int, int) {}
