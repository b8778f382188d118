package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// serverColumn is one column of the list of servers.
type serverColumn struct {
	title string
	width int // 0: takes what is left
	right bool
	cell  func(s *scene, l *model.LinkView, w int) string
}

// serverColumns returns the columns that a list w cells wide has room for. The
// counts go first, last what an operator looks for.
func serverColumns(links []model.LinkView, w int) []serverColumn {
	name := 6
	for i := range links {
		l := &links[i]
		n := width(task.CleanLine(l.Name, 100).Line())
		if l.Guard != "" {
			n += width(guardWord(l.Guard)) + 1
		}
		name = max(name, n)
	}
	name = min(name, max(w/4, 10))
	number := func(title string, width int, of func(*model.LinkView) int) serverColumn {
		return serverColumn{title, width, true, func(_ *scene, l *model.LinkView, _ int) string { return strconv.Itoa(of(l)) }}
	}
	cols := []serverColumn{
		{"STATE", 12, false, func(s *scene, l *model.LinkView, _ int) string {
			st := s.linkStatus(l.State)
			return st.role.Paint(st.glyph + " " + st.word)
		}},
		{"SERVER", name, false, func(s *scene, l *model.LinkView, w int) string {
			return s.t.Strong.Paint(s.serverCell(l.Name, w))
		}},
	}
	if w >= 46 {
		cols = append(cols, number("LIVE", 5, func(l *model.LinkView) int { return l.Live }),
			number("ASK", 4, func(l *model.LinkView) int { return l.Asking }))
	}
	if w >= 64 {
		cols = append(cols, number("ENDED", 6, func(l *model.LinkView) int { return l.Ended }))
	}
	if w >= 56 {
		cols = append(cols, number("FAULTS", 6, func(l *model.LinkView) int { return l.Faults }))
	}
	if w >= 90 {
		cols = append(cols, serverColumn{"TRIP", 6, true, func(_ *scene, l *model.LinkView, _ int) string { return trip(l.RoundTrip) }})
	}
	return append(cols, serverColumn{"NEWS", 0, false, func(s *scene, l *model.LinkView, _ int) string { return linkNote(s, l) }})
}

// trip is a round trip in five cells.
func trip(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// linkNote says in a few words how news of a server come, or what stands against it.
func linkNote(s *scene, l *model.LinkView) string {
	t := s.t
	switch {
	case l.State == model.Down && l.NextTry.IsZero():
		return t.Error.Paint("stopped") + t.Dim.Paint(": "+oneLine(l.Why))
	case l.State == model.Down:
		return t.Warning.Paint("retry in "+left(max(l.NextTry.Sub(s.now), 0))) + t.Dim.Paint(": "+oneLine(l.Why))
	case l.State == model.Connecting:
		return ""
	case l.Flood > 0:
		return t.Warning.Paint("floods")
	case l.NextTry.After(s.now):
		return t.Warning.Paint("busy, " + left(l.NextTry.Sub(s.now)))
	case l.Stalled:
		return t.Warning.Paint("overdue")
	}
	news := "polled"
	if l.Pushed {
		news = "pushed"
	}
	if l.About.ReadOnly {
		news += t.Dim.Paint(", read only")
	}
	return news
}

// headOf is the titles of the columns.
func headOf(s *scene, cols []serverColumn) string {
	var cells []string
	for _, c := range cols {
		cells = append(cells, s.aligned(c.title, c))
	}
	return strings.Join(cells, columnGap)
}

func (s *scene) aligned(text string, c serverColumn) string {
	switch {
	case c.width == 0:
		return text
	case c.right:
		return spaces(c.width-width(text)) + s.cut(text, c.width)
	}
	return s.fit(text, c.width)
}

// row is the line of a server.
func (p *serversPane) row(s *scene, cols []serverColumn, l *model.LinkView, w int, focused bool) string {
	mark := "  "
	if l.Name == p.at {
		mark = s.t.Glyphs.Select + " "
	}
	var cells []string
	for _, c := range cols {
		cells = append(cells, s.aligned(c.cell(s, l, c.width), c))
	}
	line := s.fit(mark+strings.Join(cells, columnGap), w)
	switch {
	case l.Name != p.at:
		return line
	case focused:
		return s.t.Selected.Around(line)
	}
	return s.t.SelectedBlurred.Around(line)
}
