package ui

import (
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// maxShownFrames is how far the log can be scrolled back.
const maxShownFrames = 4000

// logPane shows the messages of the wire and what happened to the links. At
// its end it follows; moving up holds it still.
type logPane struct {
	win    window
	held   []model.LogLine // what is looked at while it does not follow
	reveal bool            // masked answers are shown
	doc    *render.Document
	docOf  model.LogLine
}

func (p *logPane) title(s *scene) string {
	switch {
	case p.doc != nil:
		return "Log " + s.t.Glyphs.Dot + " " + frameName(p.docOf)
	case p.held != nil:
		return "Log " + s.t.Glyphs.Dot + " held, " + keyOf(s.k.List.Bottom) + " follows"
	case p.reveal:
		return "Log " + s.t.Glyphs.Dot + " answers shown"
	}
	return "Log"
}

func (p *logPane) note(s *scene) string {
	if p.doc != nil {
		return s.docNote(p.doc)
	}
	if p.held == nil {
		return "following"
	}
	return count(p.win.cursor+1, "line", "lines") + " of " + count(len(p.held), "line", "lines")
}

func frameName(l model.LogLine) string {
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
	frames := p.held
	if frames == nil {
		frames = s.m.Frames(h - 1)
		p.win = window{cursor: len(frames) - 1, height: h - 1}
	}
	if len(frames) == 0 {
		return s.centred([]string{"Nothing was sent or received yet."}, w, h)
	}
	p.win.show(len(frames), h-1)
	cols := logColumns(w, s.many)
	lines := []string{s.t.Header.Paint(s.fit(logHead(cols), w))}
	for i := p.win.offset; i < len(frames) && len(lines) < h; i++ {
		lines = append(lines, s.logLine(&frames[i], cols, w, i == p.win.cursor, focused, p.reveal))
	}
	return lines
}

// logCols are the widths of the log's columns, 0 for those not shown.
type logCols struct{ time, server, stream, method, id, task, size, took int }

func logColumns(w int, many bool) logCols {
	c := logCols{time: 8, method: 26}
	if w >= 70 {
		c.time, c.stream, c.size = 12, 6, 9
	}
	if w >= 110 {
		c.id, c.took = 14, 7
	}
	if w >= 130 {
		c.task = 9
	}
	if many && w >= 60 {
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

func (s *scene) logLine(l *model.LogLine, c logCols, w int, selected, focused, reveal bool) string {
	g, t := &s.t.Glyphs, s.t
	var b strings.Builder
	mark := " "
	if selected {
		mark = g.Select
	}
	b.WriteString(mark + " ")
	add := func(text string, w int) {
		if w > 0 {
			b.WriteString(s.fit(text, w) + " ")
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
	add(s.serverName(l.Server, c.server), c.server)
	body := task.CleanMax(digest(shown(l, reveal)), 4*max(w, 1)).Line()
	if l.Dir == task.Note {
		b.WriteString(t.Warning.Paint(body))
	} else {
		add(l.Stream, c.stream)
		b.WriteString(t.Strong.Paint(s.fit(task.CleanLine(l.Method, 200).Line(), c.method)) + " ")
		add(task.CleanLine(l.ID, 100).Line(), c.id)
		if c.task > 0 {
			add(s.shortID(l.Task.Text().Line(), c.task-1), c.task)
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
		b.WriteString(t.Dim.Paint(body))
	}
	line := s.fit(b.String(), w)
	switch {
	case selected && focused:
		return t.Selected.Around(line)
	case selected:
		return t.SelectedBlurred.Around(line)
	}
	return line
}

func (p *logPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case key.Matches(k, r.k.Log.Reveal):
		p.reveal = !p.reveal
		if p.doc != nil {
			p.open(r)
		}
		r.say(map[bool]string{true: "Answers are shown now. " + keyOf(r.k.Log.Reveal) + " masks them again.", false: "Answers are masked."}[p.reveal])
		return nil, true
	case p.doc != nil && key.Matches(k, r.k.Everywhere.Back):
		p.doc = nil
		return nil, true
	case p.doc != nil:
		return nil, p.doc.Update(k, &r.k.List)
	case key.Matches(k, r.k.List.Open):
		p.pick(r)
		return nil, true
	case key.Matches(k, r.k.List.Bottom):
		p.held = nil
		return nil, true
	}
	p.hold(r)
	moved := p.win.key(&r.k.List, k, len(p.held))
	if p.win.cursor >= len(p.held)-1 {
		p.held = nil // at its end it follows again
	}
	return nil, moved
}

// hold stops following, with the same lines in sight.
func (p *logPane) hold(r *Root) {
	if p.held != nil {
		return
	}
	height := p.win.height
	p.held = r.m.Frames(maxShownFrames)
	p.win = window{cursor: len(p.held) - 1, height: height}
	p.win.show(len(p.held), height)
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
	return strings.TrimSuffix(strings.TrimPrefix(body, `"result":`), "}")
}

// pick opens the line under the cursor.
func (p *logPane) pick(r *Root) {
	frames := p.held
	if frames == nil {
		frames = r.m.Frames(1)
		p.win.cursor = len(frames) - 1
	}
	if p.win.cursor < 0 || p.win.cursor >= len(frames) {
		r.say("There is no line to open.")
		return
	}
	p.docOf = frames[p.win.cursor]
	p.open(r)
}

func (p *logPane) open(r *Root) { p.doc = render.Frame(shown(&p.docOf, p.reveal), r.t) }

func (p *logPane) hints(r *Root) []key.Binding {
	return []key.Binding{r.k.List.Open, named(r.k.Log.Reveal, "answers"), named(r.k.List.Bottom, "follow"), r.k.Task.Copy, r.k.Everywhere.Back}
}

// line returns the line that y copies: the open one, or that under the cursor.
func (p *logPane) line(r *Root) (model.LogLine, bool) {
	if p.doc != nil {
		return p.docOf, true
	}
	frames := p.held
	if frames == nil {
		if frames = r.m.Frames(1); len(frames) == 1 {
			return frames[0], true
		}
		return model.LogLine{}, false
	}
	return frames[p.win.cursor], true
}

// shown returns the text of a line: with what is masked as dots, unless the
// person asked to see it.
func shown(l *model.LogLine, reveal bool) string {
	if l.Masked != "" && !reveal {
		return l.Masked
	}
	return l.Body
}
