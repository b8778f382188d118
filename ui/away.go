package ui

import (
	"fmt"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// How long without the focus, or without a key, is to be away.
const (
	blurIsAway = time.Minute
	idleIsAway = 10 * time.Minute
)

// away is when the person was not here.
type away struct {
	from, to time.Time // the last time, zero for never
	keyed    time.Time // the last key
	blurred  time.Time // when the terminal lost the focus
	untold   bool      // what happened is still to be said
	still    bool      // callboard stood still, too: it has to find out first
}

// catchUp is how long servers have to tell what happened while callboard stood
// still.
const catchUp = 3 * time.Second

// cameBack notes that the person was away since from; what happened will be said.
// still: callboard itself did not run.
func (r *Root) cameBack(from time.Time, still bool) {
	a := &r.away
	a.from, a.to, a.untold, a.still = from, r.now, true, still
	a.keyed = r.now
	r.awayPane.from, r.awayPane.to = from, r.now
}

// caughtUp reports whether all servers that are reached have told their tasks
// since the person came back.
func (r *Root) caughtUp() bool {
	if !r.away.still || r.now.Sub(r.away.to) >= catchUp {
		return true
	}
	for _, l := range r.m.Links() {
		if l.State != model.Down && !l.Swept.After(r.away.to) {
			return false
		}
	}
	return true
}

// awayWords counts what happened, "" for nothing.
func awayWords(a *model.Away) string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{a.Asked, "asked", "asked"}, {a.Failed, "failed", "failed"}, {a.Ended, "completed", "completed"},
		{a.Cancelled, "was cancelled", "were cancelled"}, {a.Expired, "expired", "expired"},
		{a.Withdrawn, "question was withdrawn", "questions were withdrawn"},
		{a.Began, "began", "began"}, {a.Lost, "link broke", "links broke"},
	} {
		if p.n > 0 {
			parts = append(parts, count(p.n, p.one, p.many))
		}
	}
	return strings.Join(parts, ", ")
}

// welcome says what happened while the person was away, once it is known and
// nothing else is said.
func (r *Root) welcome() {
	a := &r.away
	if !a.untold || r.notice().text != "" || !r.caughtUp() {
		return
	}
	a.untold, r.awayPane.to = false, r.now
	happened := r.m.Since(a.from)
	if words := awayWords(&happened); words != "" {
		r.say("While you were away (" + age(a.to.Sub(a.from)) + "): " + words + ". " +
			r.k.Everywhere.Away.Help().Key + " shows them.")
		r.said.keep = true
	}
}

// touched notes a key, which may be the first one in a long time.
func (r *Root) touched() {
	if r.now.Sub(r.away.keyed) >= idleIsAway {
		r.cameBack(r.away.keyed, false)
	}
	r.away.keyed = r.now
}

// awayPane lists what happened since the start, the newest first, with a line
// where the person went and came back.
type awayPane struct {
	win      window
	from, to time.Time
	n        int // events when it was drawn last
	lines    []awayLine
	tools    bool // the tool of one of them is known
}

// awayLine is one line of it: an event, or words.
type awayLine struct {
	event *model.AwayRow
	words string
}

func (p *awayPane) title(s *scene) string {
	all := s.m.Since(time.Time{})
	title := "Happened " + fmt.Sprint(all.Total())
	if words := awayWords(&all); words != "" {
		title += " " + s.t.Glyphs.Dot + " " + words
	}
	return title
}

func (p *awayPane) note(*scene) string { return p.win.place(len(p.lines)) }

// list makes the lines anew. What came on top moves the cursor along.
func (p *awayPane) list(s *scene) {
	all := s.m.Since(time.Time{})
	lines := make([]awayLine, 0, len(all.Rows)+3)
	marks := []awayLine{}
	if !p.to.IsZero() {
		marks = []awayLine{
			{words: "you came back at " + s.when(p.to) + ", after " + age(p.to.Sub(p.from))},
			{words: "you went at " + s.when(p.from)},
		}
	}
	p.tools = false
	at := []time.Time{p.to.Add(1), p.from} // what was learnt on coming back belongs to the time before
	for i := len(all.Rows) - 1; i >= 0; i-- {
		for len(marks) > 0 && all.Rows[i].At.Before(at[2-len(marks)]) {
			lines, marks = append(lines, marks[0]), marks[1:]
		}
		lines = append(lines, awayLine{event: &all.Rows[i]})
		p.tools = p.tools || !s.awayTool(&all.Rows[i]).IsZero()
	}
	lines = append(lines, marks...)
	if all.More > 0 {
		lines = append(lines, awayLine{words: count(all.More, "event", "events") + " before these, not kept by name"})
	}
	if n := all.Total(); p.n > 0 && p.win.cursor > 0 && n > p.n {
		p.win.cursor += n - p.n
	}
	p.n, p.lines = all.Total(), lines
}

func (p *awayPane) view(s *scene, w, h int, focused bool) []string {
	p.list(s)
	if p.n == 0 {
		return s.centred([]string{
			"Nothing has happened since callboard began.",
			"",
			"What begins, asks, ends or breaks from now on stands here, and is counted for you when you were away.",
		}, w, h)
	}
	p.win.show(len(p.lines), h)
	var out []string
	for i := p.win.offset; i < len(p.lines) && len(out) < h; i++ {
		line := s.awayLine(&p.lines[i], w-2, p.tools)
		switch {
		case i == p.win.cursor && focused:
			line = s.t.Selected.Around(s.fitPainted(s.t.Glyphs.Select+" "+line, w))
		case i == p.win.cursor:
			line = s.t.SelectedBlurred.Around(s.t.Glyphs.Select + " " + line)
		default:
			line = "  " + line
		}
		out = append(out, line)
	}
	return out
}

// fitPainted fills a painted line up to w cells.
func (s *scene) fitPainted(line string, w int) string { return line + spaces(w-width(line)) }

// awayLine draws one line: when, what, and of which task.
//
// tools: there is a column for the tool.
func (s *scene) awayLine(l *awayLine, w int, tools bool) string {
	if l.event == nil {
		dash := strings.Repeat(s.t.Glyphs.Border.Top, 2)
		return s.t.Dim.Paint(s.cut(dash+" "+l.words+" "+dash, w))
	}
	e := l.event
	st := s.awayLook(e.Kind)
	line := s.t.Dim.Paint(s.fitRight(s.when(e.At), 8)) + " " + st.role.Paint(st.glyph+" "+s.fit(st.word, 9)) + "  "
	if e.Key.ID == "" && e.Key.Call == "" {
		line += s.cut(task.CleanLine(e.Key.Server, 100).Line(), 30)
		if e.Why != "" {
			line += s.t.Dim.Paint(" " + s.t.Glyphs.Dot + " " + oneLine(e.Why))
		}
		return s.cut(line, w)
	}
	line += s.rowID(e.Key, 13)
	if tool := s.awayTool(e); tools {
		line += "  " + s.fit(tool.Line(), mostTool)
	}
	if s.many {
		line += "  " + s.t.Dim.Paint(s.fit(s.serverName(e.Key.Server, 14), 14))
	}
	switch row := s.m.Row(e.Key); {
	case e.Why != "":
		line += "  " + s.t.Dim.Paint(oneLine(e.Why))
	case row == nil:
		line += "  " + s.t.Dim.Paint("no longer known")
	default:
		now := s.statusOf(row)
		if now.glyph != st.glyph && e.Kind != model.AwayBegan {
			line += "  " + s.t.Dim.Paint("now ") + now.role.Paint(now.glyph+" "+now.word)
		}
		if words := message(row); words != "" {
			line += "  " + s.t.Dim.Paint(words)
		}
	}
	return s.cut(line, w)
}

// awayTool is the tool of an event's task, as far as it is known by now.
func (s *scene) awayTool(e *model.AwayRow) task.Text {
	if row := s.m.Row(e.Key); e.Tool.IsZero() && row != nil {
		return row.Tool
	}
	return e.Tool
}

// awayLook is how a kind of event looks.
func (s *scene) awayLook(k model.AwayKind) status {
	g, t := &s.t.Glyphs, s.t
	look := status{g.Working, k.String(), &t.Working}
	switch k {
	case model.AwayEnded:
		look.glyph, look.role = g.Completed, &t.Completed
	case model.AwayFailed:
		look.glyph, look.role = g.Failed, &t.Failed
	case model.AwayCancelled:
		look.glyph, look.role = g.Cancelled, &t.Cancelled
	case model.AwayExpired:
		look.glyph, look.role = g.Gone, &t.Gone
	case model.AwayAsked:
		look.glyph, look.role = g.Asking, &t.Asking
	case model.AwayWithdrawn:
		look.glyph, look.role = g.Warning, &t.Warning
	case model.AwayLost:
		look.glyph, look.role = g.Down, &t.Down
	case model.AwayBack:
		look.glyph, look.role = g.Live, &t.Live
	case model.AwayBegan:
	}
	return look
}

func (p *awayPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	if p.win.key(&r.k.List, k, len(p.lines)) {
		return nil, true
	}
	if key.Matches(k, r.k.List.Open) {
		p.open(r)
		return nil, true
	}
	return nil, false
}

// open goes to the task of the event under the cursor.
func (p *awayPane) open(r *Root) {
	if p.win.cursor >= len(p.lines) || p.lines[p.win.cursor].event == nil {
		r.say("There is no task on this line.")
		return
	}
	of := p.lines[p.win.cursor].event.Key
	if of.ID == "" && of.Call == "" {
		r.visit(atServers)
		return
	}
	row := r.m.Row(of)
	if row == nil {
		r.say("Nothing is known of that task any more.")
		return
	}
	if _, seen := r.m.Board().Rank(row.Key); !seen {
		r.say("The filter hides that task.")
		return
	}
	r.at, r.onSide, r.side = atTasks, false, r.detail
	r.tasks.take(r.m, row.Key)
	r.watch(true)
}

func (p *awayPane) hints(r *Root) []key.Binding {
	return []key.Binding{named(r.k.List.Open, "go to the task"), r.k.Everywhere.Back}
}
