package model

import (
	"slices"
	"time"

	"callboard/model/task"
)

// cut takes in that a session has ended: what was under way in it is not
// known, and nobody waits for answers in it any more, for that reason.
func (m *Model) cut(l *link, e *task.Error, why string) {
	l.store.gapAt = m.now
	l.broke(m.now, e.Message)
	l.unasked()
	for _, a := range slices.Clone(m.askOrder) {
		if a.Server != l.target.Name || !a.waits() {
			continue
		}
		switch {
		case a.State == Answering:
			m.wishMoved(a.Wish, WishUnknown, unknownWhy)
		case a.State == Held && !m.underWay(a):
			a.again = true
		}
		m.closeAsk(a, Withdrawn, why)
	}
	for _, r := range l.store.calls {
		if r.Key.ID == "" && r.Live() {
			r.Mark = UnknownOutcome
			if r.Wish != nil {
				m.wishMoved(r.Wish, WishUnknown, unknownWhy)
			}
			m.changed(r)
		}
	}
	for _, r := range m.busyRows(l) {
		if r.Wish != nil && r.Wish.State == Sending {
			m.wishMoved(r.Wish, WishUnknown, unknownWhy)
		}
		if r.Outcome != nil && r.Outcome.Loading {
			r.Outcome = &Outcome{Err: e, At: m.now}
			m.changed(r)
		}
	}
}

// cutWhy is why nobody waits for answers in a session that ended with e.
func cutWhy(e *task.Error) string {
	if e.Kind == task.SessionLost {
		return "the session that asked is gone"
	}
	return "the connection to the server broke"
}

// unasked forgets what was asked for in a session that is left.
func (l *link) unasked() {
	l.sweep, l.getting, l.missing = nil, map[uint64]time.Time{}, missing{}
	l.tools.Loading, l.toolsOld, l.toolsDue = false, true, time.Time{}
	l.attended, l.starts, l.flood = nil, 0, 0
}

// underWay reports whether a held answer may have gone out with another one of
// its row.
func (m *Model) underWay(a *Ask) bool {
	return a.holder == bySession && slices.ContainsFunc(m.askOrder, func(o *Ask) bool {
		return o != a && o.Row == a.Row && o.Wish != nil && (o.Wish.State == Sending || o.Wish.State == WishUnknown)
	})
}

// busyRows returns l's rows with something under way. It is asked for when a
// session ends, not for events.
func (m *Model) busyRows(l *link) []*Row {
	var busy []*Row
	for _, r := range l.store.tasks {
		if r.Wish != nil && r.Wish.State == Sending || r.Outcome != nil && r.Outcome.Loading {
			busy = append(busy, r)
		}
	}
	return busy
}
