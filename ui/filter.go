package ui

import (
	"strconv"
	"strings"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// filterOverlay is the filter's line, in the place of the footer, and a line above
// it: what is wrong with the filter, or how many tasks pass it and what its last
// word could become. The table follows what is typed.
type filterOverlay struct {
	typedLine
	before  string // the filter that esc brings back
	history historyWalk
	found   foundWords
}

// foundWords are what the word at the cursor could become: each takes the place of
// the text from from to end, in runes. taken is the one that tab took last, -1 for
// none; of and at are the text and the cursor that they were found for.
type foundWords struct {
	words     []string
	from, end int
	taken     int
	of        string
	at        int
	known     bool
}

// lineMost is how many characters a line may have: a URL may be long.
const lineMost = 2000

// textLine returns a line to type into.
func (r *Root) textLine(prompt, text string) textinput.Model {
	in := textinput.New()
	in.Prompt = prompt
	in.CharLimit = lineMost
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

// typedLine is a line that is typed into, in the place of the footer.
type typedLine struct{ input textinput.Model }

func (l *typedLine) typing() bool { return true }

func (l *typedLine) draw(*Root, *scene, []string) {}

func (l *typedLine) foot(r *Root, _ *scene) string {
	l.input.Width = max(r.width-width(l.input.Prompt)-2, 1)
	return l.input.View()
}

// edit gives the line a message, and reports whether its text became another.
func (l *typedLine) edit(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	was := l.input.Value()
	l.input, cmd = l.input.Update(msg)
	return cmd, l.input.Value() != was
}

// openFilter opens the filter line.
func (r *Root) openFilter() {
	before := r.m.Board().Filter()
	r.over = &filterOverlay{typedLine: typedLine{r.textLine(" / ", before)}, before: before, history: walkOf(r.taste.Filters)}
}

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
		if why := filterFault(r.m); why != "" {
			r.say(why)
			return nil
		}
		r.over = nil
		if remember(&r.taste.Filters, strings.TrimSpace(f.input.Value())) {
			return r.keepTaste()
		}
		return nil
	case key.Matches(k, keys.Complete):
		return f.complete(r)
	case key.Matches(k, keys.Older):
		return f.recall(r, -1)
	case key.Matches(k, keys.Newer):
		return f.recall(r, 1)
	}
	was := f.input.Value()
	cmd, changed := f.edit(msg)
	if changed {
		f.history.leave()
	}
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
	text, why := f.history.step(step, f.input.Value())
	if why != "" {
		r.say(why)
		return nil
	}
	return f.set(r, text)
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

// words returns what the word at the cursor could become.
func (f *filterOverlay) words(r *Root) *foundWords {
	w, text, at := &f.found, f.input.Value(), f.input.Position()
	if w.known && w.of == text && w.at == at {
		return w
	}
	*w = foundWords{taken: -1, of: text, at: at, end: at, known: true}
	w.from, w.words = model.CompleteFilter(text, at, r.m)
	return w
}

// complete takes the next of what the word at the cursor could become.
func (f *filterOverlay) complete(r *Root) tea.Cmd {
	w := f.words(r)
	if len(w.words) == 0 {
		r.say("Nothing known begins like that.")
		return nil
	}
	w.taken = (w.taken + 1) % len(w.words)
	was, text, word := f.input.Value(), []rune(f.input.Value()), []rune(w.words[w.taken])
	f.input.SetValue(string(text[:w.from]) + string(word) + string(text[w.end:]))
	w.end = w.from + len(word)
	f.input.SetCursor(w.end)
	w.of, w.at = f.input.Value(), f.input.Position()
	f.history.leave()
	return f.changed(r, was)
}

// about is the line above a filter that holds.
func (f *filterOverlay) about(r *Root, s *scene) string {
	b := r.m.Board()
	line := " " + thousands(b.Len()) + " of " + thousands(b.Total())
	if b.Busy() {
		line += ", still looking"
	}
	w := f.words(r)
	if len(w.words) == 0 {
		return s.t.Strong.Paint(s.cut(line, r.width))
	}
	line = s.t.Strong.Paint(line) + " " + s.t.Dim.Paint(s.t.Glyphs.Dot) + " " + s.t.Key.Paint(keyOf(r.k.Line.Complete))
	for i := max(w.taken-2, 0); i < len(w.words); i++ {
		word := task.CleanLine(w.words[i], 60).Line()
		if width(line)+width(word)+5 > r.width {
			return line + " " + s.t.Dim.Paint(s.t.Glyphs.Ellipsis)
		}
		if i == w.taken {
			line += " " + s.t.Selected.Around("["+word+"]")
		} else {
			line += " " + s.t.KeyDesc.Paint(word)
		}
	}
	return line
}

// thousands is a number in groups of three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
