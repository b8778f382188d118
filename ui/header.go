package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
)

// clockFrom is the width from which on the header has a clock.
const clockFrom = 100

// wordsFrom is the width from which on each count has its word.
const wordsFrom = 180

// noteWidth is how much of what a person should know of a server the header
// shows.
const noteWidth = 48

// header is the first line: what we are attached to and how that is, and the
// counts. What is less wanted goes where it gets narrow.
func (r *Root) header(s *scene) string {
	right := r.counts(s)
	links := r.m.Links()
	for _, left := range s.attached(r.title(), links) {
		if gap := r.width - width(left) - width(right); gap >= 2 {
			return left + spaces(gap) + right
		}
	}
	short := s.attached(r.title(), links)
	left := s.cut(short[len(short)-1], max(r.width-width(right)-1, 0))
	return s.cut(left+spaces(r.width-width(left)-width(right))+right, r.width)
}

func (r *Root) title() string {
	if r.o.Title != "" {
		return r.o.Title
	}
	return "callboard"
}

// attached says what we are attached to, the longest form first.
func (s *scene) attached(title string, links []model.LinkView) []string {
	dot := s.t.Dim.Paint(" " + s.t.Glyphs.Dot + " ")
	name := " " + s.t.Title.Paint(title)
	if len(links) != 1 {
		states, servers := s.linkCounts(links), name+"  "+count(len(links), "server", "servers")+dot
		var versions []string
		for _, l := range links {
			if v := task.CleanLine(l.About.Version, 20).Line(); v != "" && !slices.Contains(versions, v) {
				versions = append(versions, v)
			}
		}
		all := servers
		if versions != nil {
			slices.Sort(versions)
			all += s.t.Dim.Paint(strings.Join(versions, ", ")) + dot
		}
		if words := s.guards(links); words != "" {
			return []string{all + words + dot + states, servers + words + dot + states, " " + words + dot + states}
		}
		return []string{all + states, servers + states, " " + states}
	}
	l := &links[0]
	st := s.linkStatus(l.State)
	state := st.role.Paint(st.glyph + " " + st.word)
	if l.State == model.Down && !l.NextTry.IsZero() {
		state += s.t.Dim.Paint(", next try " + nextTryShort(l.NextTry.Sub(s.now)))
	}
	if l.Stalled && l.State != model.Down {
		state += s.t.Warning.Paint(", an answer is overdue")
	}
	if l.Flood > 0 {
		state += s.t.Warning.Paint(fmt.Sprintf(", floods: %d more", l.Flood))
	}
	if l.About.ReadOnly {
		state = s.t.Warning.Paint("read only") + dot + state
	}
	server := s.t.Strong.Paint(task.CleanLine(l.Name, 60).Line())
	if l.Guard != "" {
		server = s.t.Banner.Paint(guardWord(l.Guard)) + " " + server
	}
	url := s.t.Dim.Paint(task.CleanLine(l.URL, 200).Line())
	version := task.CleanLine(l.About.Version, 20).Line()
	note := ""
	if version != "" {
		if said := oneLine(l.About.Note.Line()); said != "" {
			note = s.t.Warning.Paint(s.cut(said, noteWidth)) + dot
			version += " " + s.t.Glyphs.Warning // the servers say more
		}
		version = s.t.Dim.Paint(version) + dot
	}
	joined := ""
	switch {
	case l.About.Joined:
		joined = s.t.Dim.Paint("joined") + dot
	case l.Rejoined:
		joined = s.t.Dim.Paint("rejoined") + dot
	}
	return []string{
		name + "  " + server + dot + url + dot + version + note + joined + state,
		name + "  " + server + dot + url + dot + version + joined + state,
		name + "  " + server + dot + version + joined + state,
		name + "  " + server + dot + version + state,
		" " + server + dot + version + state,
		name + "  " + server + dot + state,
		" " + server + dot + state,
		" " + state,
	}
}

// guards names the servers with a guard, "" where there are none; more than two
// are counted.
func (s *scene) guards(links []model.LinkView) string {
	var all []string
	for _, l := range links {
		if l.Guard != "" {
			all = append(all, s.t.Banner.Paint(guardWord(l.Guard))+" "+s.t.Strong.Paint(task.CleanLine(l.Name, 20).Line()))
		}
	}
	if len(all) > 2 {
		return s.t.Banner.Paint(fmt.Sprintf("%d guarded", len(all)))
	}
	return strings.Join(all, " ")
}

func nextTryShort(d time.Duration) string {
	if d <= 0 {
		return "now"
	}
	return "in " + left(d)
}

// linkCounts says how many links are in which state.
func (s *scene) linkCounts(links []model.LinkView) string {
	var n [4]int
	for _, l := range links {
		n[l.State]++
	}
	var parts []string
	for _, st := range []model.LinkState{model.Live, model.Quiet, model.Connecting, model.Down} {
		if n[st] > 0 {
			look := s.linkStatus(st)
			parts = append(parts, look.role.Paint(fmt.Sprintf("%s %d %s", look.glyph, n[st], look.word)))
		}
	}
	for _, l := range links {
		if l.Flood > 0 {
			parts = append(parts, s.t.Warning.Paint(fmt.Sprintf("%s floods: %d more", task.CleanLine(l.Name, 20).Line(), l.Flood)))
		}
	}
	return strings.Join(parts, "  ")
}

// counts are the numbers of tasks by status, and the time.
func (r *Root) counts(s *scene) string {
	c, g, t := r.m.Counts(), &s.t.Glyphs, s.t
	word := func(role *themes.Role, glyph string, n int, word string) string {
		if n == 0 {
			role = &t.Dim
		}
		text := fmt.Sprintf("%s%d", glyph, n)
		if r.width >= 80 && (r.width >= wordsFrom || word == " working" || word == " asking") {
			text += word
		}
		return role.Paint(text)
	}
	parts := []string{
		word(&t.Working, g.Working, c.Working+c.Calls, " working"),
		word(&t.Asking, g.Asking, c.Asking, " asking"),
	}
	if r.width >= 56 {
		parts = append(parts, word(&t.Completed, g.Completed, c.Completed, " completed"),
			word(&t.Failed, g.Failed, c.Failed, " failed"), word(&t.Cancelled, g.Cancelled, c.Cancelled, " cancelled"))
		if c.Gone > 0 {
			parts = append(parts, word(&t.Gone, g.Gone, c.Gone, " gone"))
		}
	}
	if faults := r.faults(s); faults != "" {
		parts = append(parts, faults)
	}
	line := strings.Join(parts, "  ")
	if r.width >= clockFrom {
		line += "   " + t.Dim.Paint(r.now.Local().Format(time.TimeOnly))
	}
	return line + " "
}

// faults counts what went wrong on the links since the start, "" where there were none: on narrow
// screens as a number, and in words, with their kinds, where there is room.
func (r *Root) faults(s *scene) string {
	var all model.Faults
	for _, l := range r.m.Links() {
		all = all.Plus(l.FaultKinds)
	}
	all.Errors = 0 // a server that refuses something speaks well enough
	n := all.Total()
	switch {
	case n == 0 || r.width < 56:
		return ""
	case r.width < clockFrom:
		return s.t.Warning.Paint(fmt.Sprintf("%s%d", s.t.Glyphs.Warning, n))
	case r.width < wordsFrom:
		return s.t.Warning.Paint(s.t.Glyphs.Warning + count(n, "fault", "faults"))
	}
	var kinds []string
	for _, k := range []struct {
		n    int
		name string
	}{
		{all.Refused, "refused"}, {all.Timeouts, "timed out"}, {all.Broken, "broken"}, {all.Bad, "no MCP"},
		{all.Auth, "not allowed"}, {all.Busy, "busy"},
	} {
		if k.n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", k.n, k.name))
		}
	}
	return s.t.Warning.Paint(s.t.Glyphs.Warning + count(n, "fault", "faults") + " (" + strings.Join(kinds, ", ") + ")")
}
