package ui

import (
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
)

// laneFrom is the width from which on each step has its part of the bar beside
// it; a narrower time line has one bar for all.
const laneFrom = 60

// stretch is a time in which one thing was so.
type stretch struct {
	from, to time.Time
	fill     string
	role     *themes.Role
	word     string // for the legend
	step     int    // with which it begins, -1 for the time before the first
}

// timeline lists every seen change with its time, how long it lasted and how it
// was learnt, what is missing between them, and which part of the whole each took.
func (p *page) timeline(r *model.Row) {
	steps := p.s.m.TimeLine(r.Key)
	if len(steps) == 0 {
		return
	}
	s, t := p.s, p.s.t
	all := s.stretches(r, steps)
	p.head("Time line")
	total := whole(all)
	if words := s.inAll(r, total); words != "" {
		p.lines[len(p.lines)-1] += t.Dim.Paint(" " + t.Glyphs.Dot + " " + words)
	}
	states := s.states(all)
	wide := p.w >= laneFrom
	if len(states) > 1 {
		if !wide {
			p.bar(all, total)
		}
		p.legend(states)
	}
	if r.Dropped > 0 {
		p.text(count(int(r.Dropped), "step", "steps")+" before these no longer kept", &t.Dim)
	}
	for i := range steps {
		p.step(r, steps, i, all, wide && len(states) > 1)
	}
}

// inAll says how long the row took, or has been.
func (s *scene) inAll(r *model.Row, total time.Duration) string {
	switch {
	case total < time.Second:
		return ""
	case r.Live():
		return age(total) + " so far"
	}
	return span(total) + " in all"
}

// stretches are what the steps say was so, one after the other, from the row's
// begin to its end or to now. What is later reported changes nothing.
func (s *scene) stretches(r *model.Row, steps []task.Step) []stretch {
	var all []stretch
	if first := steps[0].At; first.Sub(r.Began.Time()) >= time.Second {
		all = append(all, stretch{from: r.Began.Time(), to: first, fill: s.t.Glyphs.FillUnseen, role: &s.t.Dim, word: "before it was seen", step: -1})
	}
	for i := range steps {
		step := &steps[i]
		if step.Late {
			continue
		}
		if n := len(all); n > 0 && all[n-1].step >= 0 {
			all[n-1].to = step.At
			if step.Gap && steps[all[n-1].step].How == task.Remembered { // what was so meanwhile nobody knows
				all[n-1].fill, all[n-1].role, all[n-1].word = s.t.Glyphs.FillGap, &s.t.Warning, "not heard of"
			}
		}
		if step.Kind == task.Told && step.Status.Terminal() || step.Kind == task.Forgotten || step.Kind == task.RanOut {
			break
		}
		next := s.stretchOf(step)
		next.from, next.to, next.step = step.At, step.At, i
		all = append(all, next)
	}
	n := len(all) - 1
	if n < 0 || !r.Live() {
		return s.ended(r, all)
	}
	if last := &all[n]; last.step >= 0 {
		last.to = last.from.Add(coarse(s.since(last.from)))
	}
	return all
}

// ended sets right the end of what was first seen when it had ended: the server
// says when that was.
func (s *scene) ended(r *model.Row, all []stretch) []stretch {
	if len(all) == 1 && all[0].step < 0 && r.Task.Status.Terminal() && r.Since.Time().After(all[0].from) && r.Since.Time().Before(all[0].to) {
		all[0].to = r.Since.Time()
	}
	return all
}

// stretchOf is how what begins with a step fills a bar.
func (s *scene) stretchOf(step *task.Step) stretch {
	g, t := &s.t.Glyphs, s.t
	switch {
	case step.Kind == task.LinkLost:
		return stretch{fill: g.FillGap, role: &t.Warning, word: "link lost"}
	case step.Status == task.InputRequired:
		return stretch{fill: g.FillAsking, role: &t.PromptFrame, word: step.Status.String()}
	case step.Status == task.Working:
		return stretch{fill: g.FillWorking, role: &t.Working, word: step.Status.String()}
	}
	return stretch{fill: g.FillUnseen, role: &t.Dim, word: step.Status.String()}
}

// coarse cuts a time that goes on as its words are: what is drawn of it changes no
// oftener than they do.
func coarse(d time.Duration) time.Duration {
	switch {
	case d < time.Minute:
		return d.Truncate(ageStep)
	case d < time.Hour:
		return d.Truncate(time.Minute)
	}
	return d.Truncate(time.Hour / 4)
}

func (x *stretch) lasted() time.Duration { return max(x.to.Sub(x.from), 0) }

// whole is how long all stretches together are.
func whole(all []stretch) time.Duration {
	var d time.Duration
	for i := range all {
		d += all[i].lasted()
	}
	return d
}

// states joins the stretches that are alike, in the order in which they came; those
// that took no time are left out.
func (s *scene) states(all []stretch) []stretch {
	var out []stretch
	for i := range all {
		x := all[i]
		if x.lasted() < time.Second {
			continue
		}
		known := false
		for j := range out {
			if out[j].word == x.word {
				out[j].to, known = out[j].to.Add(x.lasted()), true
			}
		}
		if !known {
			out = append(out, x)
		}
	}
	return out
}

// cellsOf shares w cells out among the stretches by how long they are. What took
// some time has one at least, as far as there is room.
func cellsOf(all []stretch, total time.Duration, w int) []int {
	cells := make([]int, len(all))
	sum := 0
	for i := range all {
		if d := all[i].lasted(); d > 0 && total > 0 {
			cells[i] = max(int(float64(w)*float64(d)/float64(total)+0.5), 1)
		}
		sum += cells[i]
	}
	for sum > 0 && sum != w { // the widest makes up for the rounding
		widest := 0
		for i := range cells {
			if cells[i] > cells[widest] {
				widest = i
			}
		}
		d := max(w-sum, -1)
		cells[widest] += d
		sum += d
	}
	return cells
}

// bar draws all stretches on one line.
func (p *page) bar(all []stretch, total time.Duration) {
	var b strings.Builder
	for i, n := range cellsOf(all, total, p.w) {
		b.WriteString(all[i].role.Paint(strings.Repeat(all[i].fill, n)))
	}
	p.lines = append(p.lines, b.String())
}

// legend says what the fills mean, and how long each was so in all.
func (p *page) legend(states []stretch) {
	line, used := "", 0
	for i := range states {
		x := &states[i]
		part := x.role.Paint(x.fill) + p.s.t.Dim.Paint(" "+x.word+" "+duration(x.lasted()))
		if n := width(part); used > 0 && used+2+n > p.w {
			p.lines, line, used = append(p.lines, line), part, n
		} else if used > 0 {
			line, used = line+"  "+part, used+2+n
		} else {
			line, used = part, n
		}
	}
	p.lines = append(p.lines, p.s.cut(line, p.w))
}

// duration words how long a stretch lasted, in at most five cells.
func duration(d time.Duration) string {
	if words := span(d); len(words) <= 5 {
		return words
	}
	return age(d)
}

// step adds one step, with what it says below it.
func (p *page) step(r *model.Row, steps []task.Step, i int, all []stretch, lanes bool) {
	s, t, step := p.s, p.s.t, &steps[i]
	if step.Gap {
		what := "the link was broken here"
		if i > 0 && steps[i-1].How == task.Remembered {
			what = "callboard did not run here"
		}
		p.text(t.Glyphs.Gap+t.Glyphs.Gap+" "+what+": steps may be missing", &t.Warning)
	}
	st, word, how := s.stepLook(step)
	line := t.Dim.Paint(step.At.Format(time.TimeOnly)) + " " + s.inText(st).Paint(st.glyph+" "+s.fit(word, 14))
	if step.Kind == task.Forgotten || step.Kind == task.RanOut { // nothing lasts
		p.lines = append(p.lines, s.cut(line+" "+t.Dim.Paint(how), p.w))
		return
	}
	line += s.fitRight(stood(r, steps, i, all), 6) + " "
	if lanes {
		line += t.Dim.Paint(s.fit(how, 12)) + " " + s.lane(all, i, p.w-width(line)-14)
	} else {
		line += t.Dim.Paint(how)
	}
	p.lines = append(p.lines, s.cut(line, p.w))
	if !step.Message.IsZero() {
		p.lines = append(p.lines, spaces(9)+t.Text.Paint(s.cut(step.Message.Line(), p.w-9)))
	}
	if step.Late {
		p.lines = append(p.lines, spaces(9)+t.Warning.Paint(s.cut(t.Glyphs.Warning+" contradicts the end, which holds", p.w-9)))
	}
}

// stood words how long what a step tells of lasted, "" for an end, and for a step
// that goes on with what was so before.
func stood(r *model.Row, steps []task.Step, i int, all []stretch) string {
	var lasted time.Duration
	found, open := false, false
	for j := range all {
		switch x := &all[j]; {
		case x.step == i && i > 0 && j > 0 && x.word == all[j-1].word && steps[i].Kind == task.Told:
			return ""
		case x.step == i || found && x.word == all[j-1].word && steps[x.step].Kind == task.Told:
			lasted, found, open = lasted+x.lasted(), true, j == len(all)-1
		case found:
			return duration(lasted)
		}
	}
	switch {
	case !found:
		return ""
	case open && r.Live() && lasted < ageStep:
		return "now"
	}
	return duration(lasted)
}

// lane draws which part of the whole a step took, w cells wide.
func (s *scene) lane(all []stretch, step, w int) string {
	if w < 8 {
		return ""
	}
	at := 0
	for i, n := range cellsOf(all, whole(all), w) {
		if all[i].step == step {
			return spaces(at) + all[i].role.Paint(strings.Repeat(all[i].fill, n))
		}
		at += n
	}
	return ""
}

// stepLook is how a step of the time line looks: by its status where the server
// told of the task, else by what befell our knowledge of it.
func (s *scene) stepLook(step *task.Step) (look status, word, how string) {
	g, t := &s.t.Glyphs, s.t
	switch step.Kind {
	case task.Forgotten:
		return status{glyph: g.Gone, role: &t.Gone}, step.Kind.String(), "not found"
	case task.RanOut:
		return status{glyph: g.Gone, role: &t.Gone}, step.Kind.String(), "TTL ran out"
	case task.LinkLost:
		return status{glyph: g.Down, role: &t.Down}, step.Kind.String(), ""
	case task.LinkBack:
		return status{glyph: g.Live, role: &t.Live}, step.Kind.String(), ""
	case task.Told:
	}
	how = step.How.String()
	switch step.How { // the column is narrow
	case task.Remembered:
		how = "before"
	case task.Created:
		how = "called"
	case task.Acted:
		how = "cancel"
	case task.Replied:
		how = "reply"
	case task.Pushed, task.Polled, task.Listed:
	}
	return s.stepStatus(step.Status), step.Status.String(), how
}
