package ui

import (
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// logPane shows the messages of the wire and what happened to the links. At its
// end it follows; moving up holds it still.
type logPane struct {
	win    window
	lines  logLines
	find   logFind
	held   bool // it does not follow
	reveal bool // masked answers are shown
	// called: a task's log was asked for where the task is, so that esc leads back
	// there.
	called bool
	doc    *render.Document
	docOf  model.LogLine
}

func (p *logPane) title(s *scene) string {
	parts := []string{"Log"}
	if p.doc != nil {
		return strings.Join(append(parts, s.frameFacts(&p.docOf)...), " "+s.t.Glyphs.Dot+" ")
	}
	if p.lines.only.on() {
		parts = append(parts, p.lines.only.words(s))
	}
	if p.held {
		parts = append(parts, "held, "+keyOf(s.k.List.Bottom)+" follows")
	}
	if n := len(p.lines.hide); n > 0 {
		parts = append(parts, count(n, "method", "methods")+" hidden, "+count(p.lines.hidden, "line", "lines"))
	}
	if p.reveal {
		parts = append(parts, "answers shown")
	}
	return strings.Join(parts, " "+s.t.Glyphs.Dot+" ")
}

func (p *logPane) note(s *scene) string {
	if p.doc != nil {
		return s.docNote(p.doc)
	}
	where := "following"
	if p.held {
		where = number(float64(p.win.cursor+1)) + " of " + count(len(p.lines.shown), "line", "lines")
	}
	return s.withFound(p.found(), where)
}

// frameFacts are what is known of a message beside its text.
func (s *scene) frameFacts(l *model.LogLine) []string {
	facts := []string{frameName(l)}
	if l.Dir == task.Note {
		return facts
	}
	way := map[task.Dir]string{task.Out: "sent", task.In: "received"}[l.Dir]
	if l.Reply {
		way += ", a reply"
	}
	facts = append(facts, way)
	if l.ID != "" {
		facts = append(facts, "id "+s.cut(task.CleanLine(l.ID, 100).Line(), 14))
	}
	if row := s.ownerOf(l); row != nil {
		facts = append(facts, s.rowName(row))
	} else if l.Task != "" {
		facts = append(facts, "task "+s.shortID(l.Task.Text().Line(), 13))
	}
	facts = append(facts, size(l.Size))
	if l.Took > 0 {
		facts = append(facts, "took "+span(l.Took))
	}
	return facts
}

// ownerOf returns the row that a message speaks of, nil for none that is known.
func (s *scene) ownerOf(l *model.LogLine) *model.Row { return ownerOf(s.m, l) }

func ownerOf(m *model.Model, l *model.LogLine) *model.Row {
	if l.Task != "" {
		if row := m.Row(task.Key{Server: l.Server, ID: l.Task}); row != nil {
			return row
		}
	}
	if l.Call != "" {
		return m.Row(task.Key{Server: l.Server, Call: l.Call})
	}
	return nil
}

// taskOf is the id of the task that a message speaks of, "" for none.
func (s *scene) taskOf(l *model.LogLine) task.ID {
	if l.Task == "" && l.Call != "" {
		if row := s.ownerOf(l); row != nil {
			return row.Key.ID // the call has become it since
		}
	}
	return l.Task
}

func frameName(l *model.LogLine) string {
	name := task.CleanLine(l.Method, 100).Line()
	if name == "" {
		name = "response"
	}
	if l.Dir == task.Note {
		name = "note"
	}
	return name + " at " + l.At.Local().Format("15:04:05.000")
}

func (p *logPane) view(s *scene, w, h int, focused bool) []string {
	if p.doc != nil {
		return strings.Split(p.doc.View(w, h), "\n")
	}
	rows := p.rows(s.m, h-1)
	if !p.held {
		p.win.cursor = len(rows) - 1
	}
	if len(rows) == 0 {
		return s.centred(p.emptyWords(s), w, h)
	}
	p.win.show(len(rows), h-1)
	cols := logColumns(w, s.many)
	lines := []string{s.t.Header.Paint(s.fit(logHead(cols), w))}
	for i := p.win.offset; i < len(rows) && len(lines) < h; i++ {
		line := s.fit(p.line(s, rows[i], cols, w, i == p.win.cursor), w)
		switch {
		case i == p.win.cursor && focused:
			line = s.t.Selected.Around(line)
		case i == p.win.cursor:
			line = s.t.SelectedBlurred.Around(line)
		}
		lines = append(lines, line)
	}
	return lines
}

// emptyWords say why there is no line, and which key helps.
func (p *logPane) emptyWords(s *scene) []string {
	k := &s.k.Log
	switch {
	case p.lines.unread:
		return []string{"The log is being read."}
	case p.lines.hidden > 0:
		return []string{
			"All " + count(p.lines.hidden, "line", "lines") + " here are of methods that are hidden.", "",
			keyOf(k.Unhide) + " shows the method that was hidden last.",
		}
	case p.lines.only.on():
		return []string{
			"No message of " + p.lines.only.words(s) + " is in the log: it holds the newest only.", "",
			keyOf(k.Task) + " shows the messages of all tasks.",
		}
	}
	return []string{"Nothing was sent or received yet."}
}

// logCols are the widths of the log's columns, 0 for those not shown.
type logCols struct{ time, server, stream, method, id, task, size, took int }

func logColumns(w int, many bool) logCols {
	c := logCols{time: 8, method: 26}
	if w >= 70 {
		c.size, c.took = 9, 7
	}
	if w >= 100 {
		c.task = 9
	}
	if w >= 110 {
		c.time, c.id = 12, 10
	}
	if w >= 130 {
		c.id, c.stream = 14, 6
	}
	switch {
	case many && w >= 100:
		c.server = 12
	case many && w >= 70:
		c.server, c.method = 10, 22
	case many && w >= 60:
		c.server = 12
	}
	return c
}

// logHead names the columns of logLine.
func logHead(c logCols) string {
	var b strings.Builder
	add := func(name string, w int) {
		if w > 0 {
			b.WriteString(name + spaces(w-len(name)) + " ")
		}
	}
	add("", 1)
	add("TIME", c.time)
	add("", 1)
	add("SERVER", c.server)
	add("STREAM", c.stream)
	add("METHOD", c.method)
	add("ID", c.id)
	add("TASK", c.task)
	add("     SIZE", c.size)
	add("   TOOK", c.took)
	return b.String() + "BODY"
}

// line draws a line; what is looked for is marked, but in times and sizes, which
// are not searched.
func (p *logPane) line(s *scene, e *logEntry, c logCols, w int, selected bool) string {
	g, t, l := &s.t.Glyphs, s.t, &e.LogLine
	var b strings.Builder
	mark := " "
	if selected {
		mark = g.Select
	}
	b.WriteString(mark + " ")
	add := func(role *themes.Role, text string, w int) {
		if w > 0 {
			b.WriteString(p.marked(s, e, selected, s.fit(text, w), role) + " ")
		}
	}
	stamp := time.TimeOnly
	if c.time > 8 {
		stamp = "15:04:05.000"
	}
	b.WriteString(t.Dim.Paint(s.fit(l.At.Local().Format(stamp), c.time)) + " ")
	dir, role := g.Dot, &t.Warning
	switch l.Dir {
	case task.Out:
		dir, role = g.Right, &t.Accent
	case task.In:
		dir, role = g.Left, &t.OK
	case task.Note:
	}
	b.WriteString(role.Paint(dir) + " ")
	add(&t.Text, s.serverName(l.Server, c.server), c.server)
	if l.Dir == task.Note {
		b.WriteString(p.marked(s, e, selected, p.body(s, e, w-width(b.String())), &t.Warning))
		return b.String()
	}
	if c.stream > 0 {
		b.WriteString(s.fit(l.Stream, c.stream) + " ")
	}
	add(&t.Strong, task.CleanLine(l.Method, 200).Line(), c.method)
	add(&t.Text, s.tail(task.CleanLine(l.ID, 100).Line(), c.id), c.id)
	if c.task > 0 {
		b.WriteString(s.fit(s.shortID(s.taskOf(l).Text().Line(), c.task-1), c.task) + " ")
	}
	if c.size > 0 {
		b.WriteString(s.fitRight(size(l.Size), c.size) + " ")
	}
	if c.took > 0 {
		took := ""
		if l.Took > 0 {
			took = span(l.Took)
		}
		b.WriteString(s.fitRight(took, c.took) + " ")
	}
	b.WriteString(p.marked(s, e, selected, p.body(s, e, w-width(b.String())), &t.Dim))
	return b.String()
}

// body is the beginning of a message, or that part of it which is looked for.
func (p *logPane) body(s *scene, e *logEntry, room int) string {
	text := shown(&e.LogLine, p.reveal)
	room = max(room, 1)
	body := s.cut(task.CleanMax(digest(text), 4*room).Line(), room)
	if !e.match {
		return body
	}
	if at, _ := p.find.pattern.First(body); at >= 0 {
		return body
	}
	at, _ := p.find.pattern.First(text)
	if at < 0 {
		return body // another column matches
	}
	before := min(12, room/4) // bytes in front of it
	return s.cut(s.t.Glyphs.Ellipsis+task.CleanMax(strings.ToValidUTF8(text[max(at-before, 0):], ""), 4*room).Line(), room)
}

func (p *logPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	l := &r.k.Log
	switch {
	case key.Matches(k, l.Reveal):
		p.reveal = !p.reveal
		if p.doc != nil {
			p.open(r)
		}
		r.say(map[bool]string{true: "Answers are shown now. " + keyOf(l.Reveal) + " masks them again.", false: "Answers are masked."}[p.reveal])
	case key.Matches(k, l.Task):
		p.toggleTask(r)
	case key.Matches(k, l.Owner):
		p.toOwner(r)
	case key.Matches(k, l.Export):
		return p.export(r), true
	case key.Matches(k, l.Curl):
		return p.copyCurl(r), true
	case key.Matches(k, l.Hide):
		p.hideMethod(r)
	case key.Matches(k, l.Unhide):
		p.unhide(r)
	case p.doc != nil && key.Matches(k, r.k.Everywhere.Back):
		p.doc = nil
	case p.doc != nil:
		return nil, p.doc.Update(k, &r.k.List)
	case key.Matches(k, r.k.Everywhere.Back) && p.lines.only.on():
		p.showOnly(r, logOnly{})
		return nil, !p.called // esc goes on to where the task is
	case key.Matches(k, r.k.List.Open):
		p.pick(r)
	case key.Matches(k, r.k.List.Bottom):
		p.held = false
	default:
		return nil, p.move(r, k)
	}
	return nil, true
}

// move takes the keys of a list: moving up holds the log still.
func (p *logPane) move(r *Root, k tea.KeyMsg) bool {
	if _, ok := moved(&r.k.List, k, 0, 0, 0); !ok {
		return false
	}
	p.hold(r)
	p.win.key(&r.k.List, k, len(p.lines.shown))
	p.atEnd()
	return true
}

// atEnd follows again where the cursor is at the end.
func (p *logPane) atEnd() {
	if p.win.cursor >= len(p.lines.shown)-1 {
		p.held = false
	}
}

// hold stops following, with the same lines in sight.
func (p *logPane) hold(r *Root) {
	if p.held {
		return
	}
	p.lines.sync(r.m, &p.find)
	p.held = true
	p.win = window{cursor: len(p.lines.shown) - 1, height: p.win.height}
	p.win.show(len(p.lines.shown), p.win.height)
}

// digest leaves out of a message what other columns tell: it begins at what is
// asked, answered, or wrong.
func digest(body string) string {
	at := -1
	for _, part := range []string{`"params":`, `"result":`, `"error":`} {
		if i := strings.Index(body[:min(len(body), 400)], part); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at < 0 || !strings.HasPrefix(body, "{") {
		return body
	}
	body = strings.TrimPrefix(body[at:], `"params":`)
	return withoutMeta(strings.TrimSuffix(strings.TrimPrefix(body, `"result":`), "}"))
}

// withoutMeta leaves out the _meta in front of what a message says.
func withoutMeta(body string) string {
	const meta = `{"_meta":{`
	if !strings.HasPrefix(body, meta) {
		return body
	}
	depth, quoted := 1, false
	for i := len(meta); i < min(len(body), 4096); i++ {
		switch c := body[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
		if depth == 0 {
			return "{" + strings.TrimPrefix(body[i+1:], ",")
		}
	}
	return body
}

// tail is the end of an id that has no room: ids of one session begin alike.
func (s *scene) tail(id string, w int) string {
	if w <= 1 || len(id) <= w || !simple(id) {
		return id
	}
	return s.t.Glyphs.Ellipsis + id[len(id)-(w-width(s.t.Glyphs.Ellipsis)):]
}

// pick opens the line under the cursor.
func (p *logPane) pick(r *Root) {
	line, ok := p.current(r)
	if !ok {
		r.say("There is no line to open.")
		return
	}
	p.docOf = line
	p.open(r)
}

func (p *logPane) open(r *Root) { p.doc = render.Frame(shown(&p.docOf, p.reveal), r.t) }

func (p *logPane) hints(r *Root) []key.Binding {
	l, open := &r.k.Log, r.k.List.Open
	search := named(r.k.List.Filter, "search")
	if p.doc != nil {
		return []key.Binding{search, named(l.Owner, "its task"), named(l.Curl, "as curl"), r.k.Everywhere.Back, named(l.Reveal, "answers"), r.k.Task.Copy}
	}
	tasks := named(l.Task, "one task's")
	if p.lines.only.on() {
		tasks = named(l.Task, "all tasks'")
	}
	return []key.Binding{
		open, search, tasks, named(l.Owner, "its task"), r.k.Everywhere.Back, named(l.Hide, "hide"), named(l.Export, "save"),
		named(l.Curl, "as curl"), named(r.k.List.Bottom, "follow"), named(l.Reveal, "answers"), r.k.Task.Copy,
	}
}

// current returns the line that keys act on: the open one, or that under the
// cursor.
func (p *logPane) current(r *Root) (model.LogLine, bool) {
	if p.doc != nil {
		return p.docOf, true
	}
	rows := p.rows(r.m, 1)
	if !p.held {
		p.win.cursor = len(rows) - 1
	}
	if p.win.cursor < 0 || p.win.cursor >= len(rows) {
		return model.LogLine{}, false
	}
	return rows[p.win.cursor].LogLine, true
}

// shown returns the text of a line: with what is masked as dots, unless the
// person asked to see it.
func shown(l *model.LogLine, reveal bool) string {
	if l.Masked != "" && !reveal {
		return l.Masked
	}
	return l.Body
}
