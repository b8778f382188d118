package model

import (
	"context"
	"fmt"
	"time"

	"callboard/model/task"
)

// cancel cancels a task, or gives a plain call up.
func (m *Model) cancel(key task.Key) {
	l, r := m.rowLink(key)
	if why := m.CanCancel(key); why != "" {
		m.tell(true, "Not cancelled: %s.", why)
		return
	}
	if r.Wish != nil && r.Wish.Verb == "cancel" && r.Wish.State == Sending {
		m.tell(true, "That cancel is being sent already.")
		return
	}
	m.sendCancel(l, r)
}

// sendCancel begins the wish of a cancel that nothing stands against.
func (m *Model) sendCancel(l *link, r *Row) *Wish {
	w := m.wish(r, "cancel")
	m.putCancel(l, r)
	return w
}

// putCancel puts a cancel on its way.
func (m *Model) putCancel(l *link, r *Row) {
	if r.Key.ID == "" {
		m.abandon(l, r)
		return
	}
	id := r.Key.ID
	delete(l.forceStop, id) // forced once
	m.ask(l, callLimit, func(ctx context.Context, s Server) any {
		n := cancelledNews{id: id, asked: time.Now()}
		// A cancelled task may be gone at once: what it says now is fetched first.
		first, done := context.WithTimeout(ctx, stalledAfter)
		if t, err := s.Get(first, id); err == nil {
			n.before = &t
		}
		done()
		n.sent = time.Now()
		t, err := s.Cancel(ctx, id)
		n.after, n.err = t, asError(err)
		return n
	})
}

// intentOnly is what a cancel means that the server acknowledged as an intent
// (io.modelcontextprotocol/tasks, tasks/cancel).
const intentOnly = "the server took it as a wish; the task may still end otherwise"

// notProof is what an acknowledged cancel leaves open.
const notProof = "it does not prove that the work stopped, or that what was done is undone"

func (m *Model) cancelled(l *link, n cancelledNews) {
	if n.before != nil && n.before.ID == n.id {
		m.take(l, report{task: *n.before, how: task.Polled, sentAt: n.asked, at: m.now})
	}
	r := l.store.tasks[n.id]
	if r == nil || r.Wish == nil || r.Wish.Verb != "cancel" || r.Wish.State != Sending {
		return
	}
	w := r.Wish
	if n.err != nil {
		if m.bulkBusy(l, w, n.err) {
			return
		}
		many := w.bulk
		state, why := failedWish(n.err)
		if n.err.Kind == task.RPC {
			why = "the server refused: " + why
		}
		m.wishMoved(w, state, why)
		if !many { // the sum of many is told at their end
			m.tell(true, "Cancel of %s: %s.", r.Key.ID.Text().Line(), why)
		}
		if r.Live() {
			l.sched.want(n.id, m.now)
		}
		if !m.troubled(l, n.err) && many {
			m.unanswered(l, n.err, n.sent)
		}
		return
	}
	w.intent = n.after.ID == ""
	if w.intent {
		m.wishMoved(w, Delivered, intentOnly)
	} else {
		m.wishMoved(w, Delivered, notProof)
	}
	if n.after.ID == n.id {
		m.take(l, report{task: n.after, how: task.Acted, sentAt: n.sent, at: m.now})
	}
	switch {
	case !r.Live() && w.State == Delivered:
		m.cancelTaken(w, r)
	case r.Live():
		l.sched.want(n.id, m.now)
	}
}

func (m *Model) cancelTaken(w *Wish, r *Row) {
	why := notProof
	if r.Task.Status != task.Cancelled {
		why = fmt.Sprintf("%s; the cancel came too late", r.Task.Status)
	}
	m.wishMoved(w, Taken, why)
}
