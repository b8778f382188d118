package ui

import (
	"strings"

	"callboard/model"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// filterOverlay is the filter's line, in the place of the footer. The table
// follows what is typed.
type filterOverlay struct {
	input  textinput.Model
	before string // the filter that esc brings back
	at     int    // in the history; its length for the line being typed
}

// textLine returns a line to type into.
func (r *Root) textLine(prompt, text string) textinput.Model {
	in := textinput.New()
	in.Prompt = prompt
	in.CharLimit = 500
	in.Width = max(r.width-width(prompt)-2, 1)
	in.PromptStyle, in.TextStyle = r.t.Key.Style(), r.t.Text.Style()
	in.Cursor.Style, in.Cursor.TextStyle = r.t.Cursor.Style(), r.t.Text.Style()
	in.Cursor.SetMode(cursor.CursorStatic)
	in.SetValue(text)
	in.CursorEnd()
	in.KeyMap.Paste.SetEnabled(false) // the terminal pastes
	in.Focus()
	return in
}

// openFilter opens the filter line.
func (r *Root) openFilter() {
	before := r.m.Board().Filter()
	r.over = &filterOverlay{input: r.textLine(" / ", before), before: before, at: len(r.taste.Filters)}
}

func (f *filterOverlay) typing() bool { return true }

func (f *filterOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	keys := &r.k.Line
	switch {
	case !ok:
	case key.Matches(k, keys.Leave):
		r.over = nil
		if f.input.Value() != f.before {
			return r.m.Update(model.FilterMsg{Text: f.before})
		}
		return nil
	case key.Matches(k, keys.Accept):
		r.over = nil
		if remember(&r.taste.Filters, strings.TrimSpace(f.input.Value())) {
			return r.keepTaste()
		}
		return nil
	case key.Matches(k, keys.Complete):
		r.say("The filter is plain text: part of a status, an id, a tool, a message or a server.")
		return nil
	case key.Matches(k, keys.Older):
		return f.recall(r, -1)
	case key.Matches(k, keys.Newer):
		return f.recall(r, 1)
	}
	was := f.input.Value()
	var cmd tea.Cmd
	f.input, cmd = f.input.Update(msg)
	return tea.Batch(cmd, f.changed(r, was))
}

// changed filters while one types.
func (f *filterOverlay) changed(r *Root, was string) tea.Cmd {
	if f.input.Value() == was {
		return nil
	}
	return r.m.Update(model.FilterMsg{Text: f.input.Value()})
}

func (f *filterOverlay) set(r *Root, text string) tea.Cmd {
	was := f.input.Value()
	f.input.SetValue(text)
	f.input.CursorEnd()
	return f.changed(r, was)
}

// recall steps through what was entered before.
func (f *filterOverlay) recall(r *Root, step int) tea.Cmd {
	at, history := f.at+step, r.taste.Filters
	switch {
	case at < 0:
		r.say("There is nothing older.")
		return nil
	case at >= len(history):
		f.at = len(history)
		return f.set(r, "")
	}
	f.at = at
	return f.set(r, history[at])
}

// maxHistory is how many lines are remembered.
const maxHistory = 100

// remember adds a line to a history, the newest last, and reports whether the
// history changed.
func remember(history *[]string, line string) bool {
	h := *history
	if line == "" || len(h) > 0 && h[len(h)-1] == line {
		return false
	}
	*history = append(h[max(len(h)-maxHistory+1, 0):], line)
	return true
}

func (f *filterOverlay) draw(*Root, *scene, []string) {}

func (f *filterOverlay) foot(r *Root, _ *scene) string {
	f.input.Width = max(r.width-width(f.input.Prompt)-2, 1)
	return f.input.View()
}
