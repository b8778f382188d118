package ui

import (
	"slices"

	"callboard/model"
	"callboard/model/task"
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

// logLines are the lines that are held, because the log stands still, or not all
// of it is shown. Each line is looked at once, when it comes.
type logLines struct {
	mark   model.LogMark
	all    []*logEntry
	shown  []*logEntry // those of all that are to be seen
	bytes  int         // of all
	hidden int         // lines of all that would be seen but for their methods
	only   logOnly
	hide   []string // methods, the one that was hidden last at the end
}

// sync takes in the lines that came.
func (p *logLines) sync(m *model.Model, find *logFind) {
	if p.only.on() && p.only.key.ID == "" {
		if row := m.Row(p.only.key); row != nil && row.Key.ID != "" { // the call has become a task
			p.only.key = row.Key
			p.sort(find)
		}
	}
	for _, l := range m.FramesAfter(&p.mark, maxShownFrames) {
		e := &logEntry{LogLine: l}
		p.all = append(p.all, e)
		p.bytes += e.size()
		if p.judge(e) {
			find.look(e)
		}
	}
	p.trim(find)
}

// judge puts a line to those that are shown, or not.
func (p *logLines) judge(e *logEntry) bool {
	e.hidden, e.match = false, false
	switch {
	case !p.only.has(&e.LogLine):
	case e.Method != "" && slices.Contains(p.hide, e.Method):
		e.hidden = true
		p.hidden++
	default:
		p.shown = append(p.shown, e)
		return true
	}
	return false
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
	*p = logLines{only: p.only, hide: p.hide}
}

// rows returns the lines that are to be seen. Where all are and the log follows,
// these are the last n, and none is held.
func (p *logPane) rows(m *model.Model, n int) []*logEntry {
	if !p.held && !p.lines.only.on() && len(p.lines.hide) == 0 && p.find.pattern == nil {
		p.lines.drop()
		lines := m.Frames(n)
		rows := make([]*logEntry, len(lines))
		for i := range lines {
			rows[i] = &logEntry{LogLine: lines[i]}
		}
		return rows
	}
	if !p.held {
		p.lines.sync(m, &p.find)
	}
	return p.lines.shown
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
