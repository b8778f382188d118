package model

import (
	"time"

	"callboard/model/task"
)

// missing are tasks that a get did not find, until it is clear what that
// means: one task that is gone is gone, a whole board gone at once points at
// the session.
type missing struct {
	since time.Time
	ids   map[task.ID]bool
}

const (
	// missingMany tasks in a row unknown, with not one known between them,
	// are as good as all.
	missingMany  = 10
	missingDoubt = 5 * time.Second
)

// unknown takes in that a get answered that there is no such task.
func (m *Model) unknown(l *link, id task.ID) {
	r := l.store.tasks[id]
	m.unnamed(l, id, "it may have run out, or belong to another session or account")
	if r == nil {
		l.sched.forget(id)
		return
	}
	if m.strange(l, r) {
		m.mark(l, r)
		return
	}
	if !r.known && l.sessionFrom.After(time.Unix(0, r.pushedAt)) {
		r.known = true // the session that told of it is over, and so is what it alone was told
	}
	if end, limited := r.Expiry(); !r.known || limited && !m.now.Before(end) || !r.Live() {
		m.mark(l, r)
		return
	}
	if l.missing.ids == nil {
		l.missing = missing{since: m.now, ids: map[task.ID]bool{}}
	}
	l.missing.ids[id] = true
	m.pollFailed(r, "the server does not know it")
}

// strange reports whether it says nothing of the session that the server does not
// know r: there are none in the Modern era, and what was last seen in another
// session may be unknown to this one.
func (m *Model) strange(l *link, r *Row) bool {
	if l.about.Era == task.Modern {
		return r.known
	}
	return r.How == task.Remembered && r.Handle != nil && r.Handle.Session != l.session
}

// goneWords say in the audit trail what a mark means.
var goneWords = map[Mark]string{Expired: "expired: its ttl had run out", Gone: "gone before its ttl had run out"}

// mark notes at the row that the server does not know the task.
func (m *Model) mark(l *link, r *Row) {
	before := r.Mark
	l.store.unknown(r, m.now)
	if r.Mark == before {
		return
	}
	switch r.Mark {
	case PushOnly:
		r.PollError = "known by push alone: the server does not answer for it"
	case Expired, Gone:
		kind := task.Forgotten
		if r.Mark == Expired {
			kind = task.RanOut
		}
		step := task.Step{Kind: kind, Status: r.Task.Status, At: m.now, How: task.Polled}
		if l.about.Era != task.Modern && r.Mark == Gone && m.strange(l, r) {
			step.Message = task.Own("it was last seen in an earlier session")
		}
		r.addStep(step)
		m.recordRow(l, r, task.Entry{What: task.TaskGone, Text: goneWords[r.Mark]})
		if !r.Task.Status.Terminal() {
			m.closePrompts(r, "the server does not know the task any more")
		}
		m.watch(l, r, 0)
	case NoMark, UnknownOutcome, NotOurs:
	}
	m.changed(r)
}

// judgeMissing decides what it means that tasks were not found.
func (m *Model) judgeMissing(l *link) {
	if len(l.missing.ids) == 0 || l.server == nil {
		return
	}
	live := l.sched.live()
	all := len(l.missing.ids) >= min(live, missingMany)
	switch {
	case l.sure.After(l.missing.since) || live == 1 || l.vanished && all:
		m.markMissing(l)
	case all && l.about.Joined:
		m.tell(true, "%s: the joined session knows none of its live tasks any more; it has probably ended.", l.target.Name)
		l.listErr = "the joined session knows none of its live tasks any more; it has probably ended"
		l.missing = missing{}
	case all && l.about.Session && l.starts == 0:
		l.vanished = true
		m.down(l, &task.Error{Kind: task.SessionLost,
			Message: task.Own("the server knows none of the live tasks any more: the session seems to be lost")})
	case all:
		m.tell(true, "%s knows none of the live tasks any more; it was probably started anew.", l.target.Name)
		m.markMissing(l)
	case m.now.Sub(l.missing.since) >= missingDoubt:
		m.markMissing(l)
	}
}

func (m *Model) markMissing(l *link) {
	ids := l.missing.ids
	l.missing = missing{}
	for id := range ids {
		if r := l.store.tasks[id]; r != nil && r.Live() {
			m.mark(l, r)
		}
	}
}

// due returns when it is decided at the latest, zero where nothing is missing.
func (s *missing) due() time.Time {
	if len(s.ids) == 0 {
		return time.Time{}
	}
	return s.since.Add(missingDoubt)
}
