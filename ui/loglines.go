package ui

import (
	"slices"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// What the log can be scrolled back over: lines, and bytes of their messages. The
// logs of the servers hold no more than that each, and share the text.
const (
	maxShownFrames = 4000
	maxShownBytes  = 16 << 20
)

// logEntry is a line of the log.
type logEntry struct {
	model.LogLine
	hidden bool // its method is
	match  bool // it is looked for
}

func (e *logEntry) size() int { return len(e.Body) + len(e.Masked) }

// logOnly is the task, or the call, whose messages are shown; zero for all.
type logOnly struct {
	key  task.Key
	call task.CallID // that it began with, where that was sent here
}

func (o *logOnly) on() bool { return o.key != task.Key{} }

// onlyOf is for the messages of a row.
func onlyOf(row *model.Row) logOnly {
	o := logOnly{key: row.Key, call: row.Key.Call}
	if row.Call != nil {
		o.call = row.Call.ID
	}
	return o
}

// has reports whether a line is one of its messages.
func (o *logOnly) has(l *model.LogLine) bool {
	return !o.on() || l.Server == o.key.Server && (o.key.ID != "" && l.Task == o.key.ID || o.call != "" && l.Call == o.call)
}

// words name it.
func (o *logOnly) words(s *scene) string {
	if row := s.m.Row(o.key); row != nil {
		return s.rowName(row)
	}
	if o.key.ID == "" {
		return "the call"
	}
	return "task " + s.shortID(o.key.ID.Text().Line(), 13)
}

// How many lines are taken in within one message at the most. Where more came, the
// newest are shown, and those before them are read in a command.
const (
	firstLines, firstBytes = 200, 1 << 20
	newLines               = 250
)

// logLines are the lines that are held, because the log stands still, or not all
// of it is shown. Each line is looked at once, when it comes.
type logLines struct {
	mark   model.LogMark
	began  bool
	unread bool // what is before the first of them is still to be read
	asked  bool // a command reads it
	run    int  // counts the beginnings, so that what was read for an earlier one is dropped
	all    []*logEntry
	shown  []*logEntry // those of all that are to be seen
	bytes  int         // of all
	hidden int         // lines of all that would be seen but for their methods
	logChoice
}

// sync takes in the lines that came.
func (p *logLines) sync(m *model.Model, find *logFind) {
	if p.only.on() && p.only.key.ID == "" {
		if row := m.Row(p.only.key); row != nil && row.Key.ID != "" { // the call has become a task
			p.only.key = row.Key
			p.sort(find)
		}
	}
	var lines []model.LogLine
	whole := false
	if p.began {
		lines, whole = m.FramesAfter(&p.mark, newLines)
	}
	if !whole {
		p.drop()
		p.began, p.unread = true, true
		lines, p.mark = m.LogEnd().Before(firstLines, firstBytes)
		find.again(0)
	}
	for _, l := range lines {
		e := &logEntry{LogLine: l}
		p.all = append(p.all, e)
		p.bytes += e.size()
		if p.judge(e) {
			find.look(e)
		}
	}
	p.trim(find)
}

// olderMsg are the lines before those of a beginning.
type olderMsg struct {
	run   int
	lines []*logEntry
}

// readOlder returns the command that reads what is before the first line, nil where
// that is done, or under way.
func (p *logLines) readOlder() tea.Cmd {
	if !p.unread || p.asked {
		return nil
	}
	p.asked = true
	mark, run, n, size := p.mark, p.run, maxShownFrames-len(p.all), maxShownBytes*3/4-p.bytes
	return func() tea.Msg {
		lines, _ := mark.Before(n, size)
		return olderMsg{run, entries(lines)}
	}
}

func entries(lines []model.LogLine) []*logEntry {
	all := make([]*logEntry, len(lines))
	for i, l := range lines {
		all[i] = &logEntry{LogLine: l}
	}
	return all
}

// older takes in what is before the first line, and returns how many of it are to
// be seen.
func (p *logLines) older(lines []*logEntry, find *logFind) int {
	shown := p.shown
	p.unread, p.asked, p.shown = false, false, nil
	for _, e := range lines {
		p.bytes += e.size()
		p.judge(e)
	}
	n := len(p.shown)
	p.all, p.shown = append(lines, p.all...), append(p.shown, shown...)
	if find.pattern != nil {
		find.todo += n
	}
	before := len(p.shown)
	p.trim(find)
	return n - (before - len(p.shown))
}

// logChoice are the lines that are to be seen.
type logChoice struct {
	only logOnly
	hide []string // methods, the one that was hidden last at the end
}

// judge reports whether a line is to be seen, or would be but for its method.
func (c *logChoice) judge(l *model.LogLine) (shown, hidden bool) {
	if !c.only.has(l) {
		return false, false
	}
	hidden = l.Method != "" && slices.Contains(c.hide, l.Method)
	return !hidden, hidden
}

// judge puts a line to those that are shown, or not.
func (p *logLines) judge(e *logEntry) bool {
	var shown bool
	shown, e.hidden = p.logChoice.judge(&e.LogLine)
	e.match = false
	switch {
	case e.hidden:
		p.hidden++
	case shown:
		p.shown = append(p.shown, e)
	}
	return shown
}

// sort judges all lines anew.
func (p *logLines) sort(find *logFind) {
	p.shown, p.hidden = nil, 0
	for _, e := range p.all {
		p.judge(e)
	}
	find.again(len(p.shown))
}

// trim lets the oldest lines go, a quarter at a time.
func (p *logLines) trim(find *logFind) {
	if len(p.all) <= maxShownFrames+maxShownFrames/4 && p.bytes <= maxShownBytes {
		return
	}
	gone, seen := 0, 0
	for len(p.all)-gone > maxShownFrames || p.bytes > maxShownBytes*3/4 && len(p.all)-gone > 1 {
		e := p.all[gone]
		p.bytes -= e.size()
		if e.hidden {
			p.hidden--
		}
		if seen < len(p.shown) && p.shown[seen] == e {
			seen++
			find.lost(e)
		}
		gone++
	}
	p.all = append([]*logEntry(nil), p.all[gone:]...)
	p.shown = append([]*logEntry(nil), p.shown[seen:]...)
}

// drop lets all lines go.
func (p *logLines) drop() {
	*p = logLines{logChoice: p.logChoice, run: p.run + 1}
}

// plain reports whether the log follows, and all of it is shown.
func (p *logPane) plain() bool {
	return !p.held && !p.lines.only.on() && len(p.lines.hide) == 0 && p.find.pattern == nil
}

// rows returns the lines that are to be seen. Where the log is plain these are the
// last n, and none is held.
func (p *logPane) rows(m *model.Model, n int) []*logEntry {
	if p.plain() {
		p.lines.drop()
		return entries(m.Frames(n))
	}
	if !p.held {
		p.lines.sync(m, &p.find)
	}
	return p.lines.shown
}

// settle takes in what came, where the log is in sight, and has the rest read and
// searched.
func (p *logPane) settle(r *Root) tea.Cmd {
	if r.at == atLog && !p.held && !p.plain() {
		p.lines.sync(r.m, &p.find)
	}
	return tea.Batch(p.lines.readOlder(), p.goOn())
}

// older takes in the lines before the first. What is in sight stays where it is.
func (p *logPane) older(r *Root, msg olderMsg) {
	if msg.run != p.lines.run {
		return
	}
	n := p.lines.older(msg.lines, &p.find)
	if p.held {
		p.win.cursor += n
		p.win.offset += n
	}
	if p.find.choose && p.find.todo == 0 {
		p.choose()
	}
	r.viewOf = viewKey{}
}

// keepCursor runs change, after which other lines are shown, and leaves the
// cursor on its line, or on the one before.
func (p *logPane) keepCursor(r *Root, change func()) {
	var at *logEntry
	if p.held && p.win.cursor < len(p.lines.shown) && p.win.cursor >= 0 {
		at = p.lines.shown[p.win.cursor]
	}
	change()
	p.lines.sort(&p.find)
	if !p.held {
		return
	}
	cursor, i := 0, 0
	for _, e := range p.lines.all {
		if i < len(p.lines.shown) && p.lines.shown[i] == e {
			cursor = i
			i++
		}
		if e == at {
			break
		}
	}
	p.win.cursor = cursor
	p.win.show(len(p.lines.shown), p.win.height)
	r.viewOf = viewKey{}
}
