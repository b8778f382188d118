package model

import (
	"time"

	"callboard/model/task"
)

// gapsKept is how many of a link's last gaps the time lines show.
const gapsKept = 16

// gap is a time in which a link was broken. to is zero while it lasts.
type gap struct {
	from, to time.Time
	why      task.Text
}

// broke notes that l broke, unless it is known to be broken.
func (l *link) broke(now time.Time, why task.Text) {
	if n := len(l.gaps); n > 0 && l.gaps[n-1].to.IsZero() {
		return
	}
	if len(l.gaps) >= gapsKept {
		l.gaps = append(l.gaps[:0], l.gaps[1:]...)
	}
	l.gaps = append(l.gaps, gap{from: now, why: why})
}

// mended notes that l stands again.
func (l *link) mended(now time.Time) {
	if n := len(l.gaps); n > 0 && l.gaps[n-1].to.IsZero() {
		l.gaps[n-1].to = now
	}
}

// TimeLine returns the steps of the row that key names, oldest first, and
// between them when the link to its server was lost and stood again. A gap that
// is not over is the last step.
func (m *Model) TimeLine(key task.Key) []task.Step {
	l, r := m.rowLink(key)
	if r == nil {
		return nil
	}
	rest := r.Steps()
	line := make([]task.Step, 0, len(rest)+2)
	status := r.Task.Status
	if len(rest) > 0 {
		status = rest[0].Status
	}
	until := func(at time.Time) {
		for len(rest) > 0 && !rest[0].At.After(at) {
			line, status, rest = append(line, rest[0]), rest[0].Status, rest[1:]
		}
	}
	for _, g := range l.gaps {
		if !g.to.IsZero() && At(g.to) <= r.First {
			continue // the row came after it
		}
		until(g.from)
		if len(rest) == 0 && !r.Live() {
			break // it had ended before
		}
		if At(g.from) >= r.First {
			line = append(line, task.Step{Kind: task.LinkLost, Status: status, Message: g.why, At: g.from})
		}
		if g.to.IsZero() {
			break
		}
		// What came of it at the very moment of the mending came after it.
		for len(rest) > 0 && At(rest[0].At) < At(g.to) {
			line, status, rest = append(line, rest[0]), rest[0].Status, rest[1:]
		}
		line = append(line, task.Step{Kind: task.LinkBack, Status: status, At: g.to})
	}
	return append(line, rest...)
}
