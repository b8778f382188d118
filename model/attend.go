package model

import (
	"cmp"
	"math"
	"slices"

	"callboard/model/task"

	"github.com/tidwall/btree"
)

// attendMost is how many tasks' questions are waited for at a time.
const attendMost = 32

// askQueue is a server's tasks in input_required: those whose ttl ends, the
// nearest end first, then the others, the one that has waited longest first.
type askQueue struct{ tree *btree.BTreeG[*Row] }

func newAskQueue() *askQueue {
	less := func(a, b *Row) bool {
		if a.urgent != b.urgent {
			return a.urgent < b.urgent
		}
		if a.queued != b.queued {
			return a.queued < b.queued
		}
		return a.Key.ID < b.Key.ID
	}
	return &askQueue{btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})}
}

// follow takes r in or out as its status asks. It reports whether r is new in
// the queue.
func (q *askQueue) follow(r *Row) bool {
	if !r.Live() || r.Task.Status != task.InputRequired {
		q.leave(r)
		return false
	}
	fresh, end := r.queued == 0, urgency(r)
	switch {
	case fresh:
		r.queued = cmp.Or(r.Since, -1) // 0 is for those that are not in it
	case end == r.urgent:
		return false
	default:
		q.tree.Delete(r) // by the place that it had
	}
	r.urgent = end
	q.tree.Set(r)
	return fresh
}

// urgency is the second in which the row's ttl ends, of our clock.
func urgency(r *Row) int64 {
	if end, limited := r.Expiry(); limited {
		return end.Unix()
	}
	return math.MaxInt64
}

// leave takes r out.
func (q *askQueue) leave(r *Row) {
	if r.queued != 0 {
		q.tree.Delete(r)
		r.queued = 0
	}
}

// attend tells the session whose questions are waited for: those that the
// selected one, those that the person opened, then the ones that end soonest, then
// those that have waited longest.
func (m *Model) attend(l *link) {
	if l.server == nil || l.target.ReadOnly {
		return
	}
	var ids []task.ID
	add := func(r *Row) bool {
		if r != nil && r.queued != 0 && !slices.Contains(ids, r.Key.ID) {
			ids = append(ids, r.Key.ID)
		}
		return len(ids) < attendMost
	}
	if r := l.store.tasks[m.selected.ID]; r != nil && r.Key == m.selected && (!l.target.OnDemand || slices.Contains(l.wanted, r.Key.ID)) {
		add(r)
	}
	l.wanted = slices.DeleteFunc(l.wanted, func(id task.ID) bool {
		r := l.store.tasks[id]
		return r == nil || !r.Live()
	})
	for _, id := range l.wanted {
		if !add(l.store.tasks[id]) {
			break
		}
	}
	if !l.target.OnDemand && len(ids) < attendMost {
		l.asking.tree.Scan(add)
	}
	if slices.Equal(ids, l.attended) {
		return
	}
	l.attended = ids
	if err := safely(func() error { l.server.Attend(slices.Clone(ids)); return nil }); err != nil {
		m.tell(true, "%s: %s", l.target.Name, asError(err).Message.Line())
	}
}

// attendTo opens a task's question: it is waited for first.
func (m *Model) attendTo(key task.Key) {
	l, r := m.rowLink(key)
	if r == nil {
		return
	}
	if why := m.CanAnswer(key); why != "" && len(r.Asks) == 0 && !r.Asking() {
		m.tell(true, "Nothing to answer: %s.", why)
		return
	}
	if l.target.ReadOnly {
		m.tell(true, "Nothing is answered: %s.", l.readOnlyWhy())
		return
	}
	if id := r.Key.ID; id != "" {
		l.wanted = slices.DeleteFunc(l.wanted, func(o task.ID) bool { return o == id })
		l.wanted = slices.Insert(l.wanted, 0, id)
		if l.about.Era == task.Modern && len(r.Asks) == 0 {
			l.sched.want(id, m.now) // its questions come with its state
		}
	}
}

// look takes over which row the person looks at.
func (m *Model) look(key task.Key) {
	if r := m.Row(key); r != nil {
		key = r.Key
	}
	if key == m.selected {
		return
	}
	if l := m.byName[m.selected.Server]; l != nil {
		l.sched.selected = ""
	}
	m.selected = key
	if l := m.byName[key.Server]; l != nil {
		l.sched.selected = key.ID
	}
}
