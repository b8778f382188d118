package ui

import (
	"strings"

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

	buttons buttons
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
	lines = lines[:min(len(lines), max(len(screen)-6, 1))]
	c.buttons.draw(r, s, screen, lines, w, c.title, "", c.hints(r))
}

func (c *confirm) foot(r *Root, s *scene) string {
	return " " + s.hint(r.k.Confirm.Yes) + "  " + s.hint(r.k.Confirm.No)
}

func (c *confirm) hints(r *Root) []key.Binding {
	return []key.Binding{r.k.Confirm.Yes, r.k.Confirm.No}
}

func (c *confirm) click(r *Root, x, y int) tea.Cmd { return c.buttons.click(r, x, y, c.hints(r)) }

func (c *confirm) wheel(*Root, int, int, int) {}

// buttons is the line of the keys that answer a question of callboard's own: where
// it stood in the last view.
type buttons struct{ at box }

// draw lays the question over the middle of the screen, its keys in the last line.
func (b *buttons) draw(r *Root, s *scene, screen, lines []string, w int, title, note string, keys []key.Binding) {
	hints := make([]string, len(keys))
	for i, k := range keys {
		hints[i] = s.hint(k)
	}
	lines = append(lines, "", " "+strings.Join(hints, "   "))
	at := s.popUp(screen, lines, r.width, w, title, note)
	b.at = box{at.x + 1, at.y + at.h - 2, w - 2, 1}
}

// click takes a press on one of the keys; a server's words are no buttons.
func (b *buttons) click(r *Root, x, y int, keys []key.Binding) tea.Cmd {
	if !b.at.has(x, y) {
		return nil
	}
	if k, ok := hintAt(r.lineAt(y), x, keys); ok {
		return r.pushed(k)
	}
	return nil
}
