package ui

import (
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// helpPane lists all keys, from the bindings themselves.
type helpPane struct{ text scroll }

func (p *helpPane) title(*scene) string  { return "Keys" }
func (p *helpPane) note(s *scene) string { return s.withFound(p.text.find.words(), p.text.note()) }

// helpColumn is the width of a column of keys.
const helpColumn = 38

func (p *helpPane) view(s *scene, w, h int, _ bool) []string {
	columns := max(min(w/helpColumn, 3), 1)
	var lines []string
	for _, scope := range s.k.Scopes() {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, s.t.Title.Paint(s.cut(scope.Name, w)))
		per := (len(scope.Bindings) + columns - 1) / columns
		for i := range per {
			line := ""
			for c := range columns {
				if j := c*per + i; j < len(scope.Bindings) {
					line += s.keyHelp(scope.Bindings[j], min(w, helpColumn))
				}
			}
			lines = append(lines, line)
		}
	}
	lines = append(lines, "", s.t.Title.Paint("Commands"))
	for _, c := range commands {
		lines = append(lines, s.defined(":"+c.name, c.help, 12, w)...)
	}
	lines = append(lines, "", s.t.Title.Paint("Words"))
	for _, word := range s.vocabulary() {
		lines = append(lines, s.defined(word[0], word[1], wordColumn, w)...)
	}
	return p.text.show(lines, h)
}

// defined is a word and what it means, which wraps beside it.
func (s *scene) defined(word, means string, column, w int) []string {
	var lines []string
	for _, part := range render.Wrap(means, max(w-column, 1)) {
		lines = append(lines, s.cut(s.t.Key.Paint(s.fit(word, column))+s.t.KeyDesc.Paint(part), w))
		word = ""
	}
	return lines
}

// wordColumn is as wide as the longest word that is explained.
const wordColumn = 18

// vocabulary explains the words that callboard has for what it knows.
func (s *scene) vocabulary() [][2]string {
	g := &s.t.Glyphs
	return [][2]string{
		{g.Live + " live", "the server is reached, and its own messages arrive"},
		{g.Quiet + " quiet", "the server is reached, but sends nothing by itself: it is polled"},
		{g.Down + " down", "the server is not reached; what is shown may be out of date"},
		{"rejoined", "the session is one of an earlier callboard"},
		{"pushed", "the server told of the task by itself"},
		{"polled", "callboard asked for this task"},
		{"listed", "callboard asked for all tasks"},
		{"kept from before", "known before callboard was started, and not heard of since"},
		{"a ? behind a word", "it may be out of date"},
		{"cancelling", "you want it cancelled; until it has ended it may still end otherwise"},
		{"tool error", "the task completed, and its result says that the tool failed"},
		{"must visit", "the call wants an address visited first, and is then sent again"},
		{"held", "your answer waits for those to the other questions of the task"},
		{"(most likely)", "inferred: the question named no task, and this one fits"},
		{"sampling", "the server wants text in the place of a model's; you write it, or a command of yours does"},
		{"floods", "the server asks faster than anybody could read: its questions are taken in slowly"},
		{"withdrawn", "the question can no longer be answered"},
		{"draft kept", "it can no longer be answered, and what you typed can be read"},
		{"no effect seen", "the server took it, and its task has not moved since"},
		{"declined", "you told the server no"},
		{"dismissed", "you told the server that there is no answer"},
		{"expired", "the server forgot the task after its time to live"},
		{"gone", "the server forgot the task before that"},
		{"push only", "the server tells of the task, but does not let it be read"},
		{"not ours", "the task was started with other credentials; it is not asked for"},
		{"unknown", "the call's reply was never seen: it may have done something"},
	}
}

func (s *scene) keyHelp(b key.Binding, w int) string {
	return s.t.Key.Paint(s.fit(b.Help().Key, 11)) + s.t.Text.Paint(s.fit(b.Help().Desc, w-12)) + " "
}

func (p *helpPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, r.k.Everywhere.Help) {
		r.leave()
		return nil, true
	}
	return nil, p.text.key(&r.k.List, k)
}

func (p *helpPane) hints(r *Root) []key.Binding {
	return []key.Binding{r.k.List.PageDown, r.k.Everywhere.Back}
}
