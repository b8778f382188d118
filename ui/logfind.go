package ui

import (
	"strings"

	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"

	tea "github.com/charmbracelet/bubbletea"
)

// logSlice is how many bytes of the log are searched within one message, so that
// keys come in between.
const logSlice = 256 << 10

// logFind is what is looked for in the log. Lines are searched once each, the
// newest first, and by method, id, server and their masked text.
type logFind struct {
	pattern *render.Pattern
	todo    int  // shown[:todo] is still to be searched
	n       int  // lines that match
	run     int  // counts the searches, so that the slices of earlier ones are dropped
	asked   bool // a slice is under way
	choose  bool // the cursor is still to be put onto a match
	// from is where the cursor was, and whether the log was held.
	from *logEntry
	was  bool
}

// look searches one line.
func (f *logFind) look(e *logEntry) int {
	if f.pattern == nil {
		return 0
	}
	text := shown(&e.LogLine, false)
	for _, part := range []string{e.Method, e.ID, e.Server, text} {
		if at, _ := f.pattern.First(part); at >= 0 {
			e.match = true
			f.n++
			break
		}
	}
	return len(text) + 100
}

// lost forgets a line that is let go.
func (f *logFind) lost(e *logEntry) {
	if e.match {
		f.n--
	}
	f.todo = max(f.todo-1, 0)
}

// again searches n lines from the beginning.
func (f *logFind) again(n int) { f.todo, f.n = n, 0 }

// logFoundMsg goes on with a search.
type logFoundMsg struct{ run int }

// searchOn searches a slice of the log, and returns the command that goes on.
func (p *logPane) searchOn(r *Root, msg logFoundMsg) tea.Cmd {
	f := &p.find
	if f.pattern == nil || msg.run != f.run {
		return nil
	}
	f.asked = false
	for room := logSlice; f.todo > 0 && room > 0; {
		f.todo--
		room -= f.look(p.lines.shown[f.todo])
	}
	if f.choose && (f.n > 0 || f.todo == 0) {
		p.choose()
	}
	r.viewOf = viewKey{}
	return p.goOn()
}

// goOn is the command that goes on with a search, nil where it is done, or under
// way.
func (p *logPane) goOn() tea.Cmd {
	if p.find.pattern == nil || p.find.todo == 0 || p.find.asked {
		return nil
	}
	p.find.asked = true
	next := logFoundMsg{p.find.run}
	return func() tea.Msg { return next }
}

// choose puts the cursor onto the match that is nearest above, or else onto the
// first below.
func (p *logPane) choose() {
	rows := p.lines.shown
	for i := min(p.win.cursor, len(rows)-1); i >= p.find.todo; i-- {
		if rows[i].match {
			p.standOn(i)
			return
		}
	}
	if p.unsearched() {
		return // what is above is still to be searched
	}
	p.find.choose = false
	for i := range rows {
		if rows[i].match {
			p.standOn(i)
			return
		}
	}
}

// unsearched reports whether lines are still to be searched.
func (p *logPane) unsearched() bool { return p.find.todo > 0 || p.lines.unread }

func (p *logPane) standOn(i int) {
	p.find.choose = false
	p.win.cursor = i
	p.win.show(len(p.lines.shown), p.win.height)
}

// found says how many lines match, and which of them the cursor stands on.
func (p *logPane) found() string {
	f := &p.find
	more := ""
	if p.unsearched() {
		more = "+"
	}
	switch {
	case f.pattern == nil:
		return ""
	case f.n == 0 && p.unsearched():
		return "searching"
	case f.n == 0:
		return "no match"
	}
	rows := p.lines.shown
	if at := p.win.cursor; at < 0 || at >= len(rows) || !rows[at].match {
		return count(f.n, "match", "matches") + more
	}
	at := 0
	for _, e := range rows[:p.win.cursor+1] {
		if e.match {
			at++
		}
	}
	return number(float64(at)) + " of " + number(float64(f.n)) + more
}

// marked paints a part of a line, what is looked for as a match.
func (p *logPane) marked(s *scene, e *logEntry, here bool, text string, role *themes.Role) string {
	if !e.match {
		return role.Paint(text)
	}
	hit := &s.t.Match
	if here {
		hit = &s.t.MatchHere
	}
	var b strings.Builder
	from := 0
	for _, m := range p.find.pattern.All(text, 100) {
		b.WriteString(role.Paint(text[from:m[0]]) + hit.Paint(text[m[0]:m[1]]))
		from = m[1]
	}
	return b.String() + role.Paint(text[from:])
}

// searchable is the open message, or the log.
func (p *logPane) searchable(r *Root) searchable {
	if p.doc != nil {
		return p.doc
	}
	return &searchedLog{p, r}
}

// searchedLog searches the lines of the log, which stands still meanwhile.
type searchedLog struct {
	p *logPane
	r *Root
}

func (l *searchedLog) Begin() {
	p := l.p
	p.find.was, p.find.from = p.held, nil
	p.hold(l.r)
	if rows := p.lines.shown; p.win.cursor >= 0 && p.win.cursor < len(rows) {
		p.find.from = rows[p.win.cursor]
	}
}

func (l *searchedLog) Search(pattern *render.Pattern) tea.Cmd {
	p := l.p
	l.back()
	for _, e := range p.lines.shown {
		e.match = false
	}
	f := &p.find
	*f = logFind{pattern: pattern, run: f.run + 1, from: f.from, was: f.was, choose: true}
	if pattern == nil {
		return nil
	}
	f.again(len(p.lines.shown))
	return p.searchOn(l.r, logFoundMsg{f.run})
}

// back puts the cursor where it was when the search began.
func (l *searchedLog) back() {
	for i, e := range l.p.lines.shown {
		if e == l.p.find.from {
			l.p.win.cursor = i
			l.p.win.show(len(l.p.lines.shown), l.p.win.height)
		}
	}
}

func (l *searchedLog) Step(n int) bool {
	p := l.p
	if p.find.n == 0 {
		return false
	}
	p.hold(l.r)
	rows := p.lines.shown
	step := 1
	if n < 0 {
		step = -1
	}
	for i := range rows {
		if at := (p.win.cursor + step*(i+1) + 2*len(rows)) % len(rows); rows[at].match {
			p.standOn(at)
			return true
		}
	}
	return false
}

func (l *searchedLog) Clear(back bool) {
	was := l.p.find.was
	if back {
		l.back()
	}
	for _, e := range l.p.lines.shown {
		e.match = false
	}
	l.p.find = logFind{run: l.p.find.run}
	if back {
		l.p.held = was
	}
}

func (l *searchedLog) Searching() bool { return l.p.find.pattern != nil }
func (l *searchedLog) Found() string   { return l.p.found() }

// methodWord is a method for a sentence.
func methodWord(method string) string { return task.CleanLine(method, 60).Line() }
