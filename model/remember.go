package model

import (
	"slices"

	"callboard/model/task"
)

// remember takes in what is kept: rows of it stand at once, and what another
// process forgot leaves.
func (m *Model) remember(l *link, kept task.Kept) {
	now := make(map[task.Key]bool, len(kept.Handles)+len(kept.Foreign)+len(kept.Unsettled))
	key := func(id task.ID) task.Key { return task.Key{Server: l.target.Name, ID: id} }
	var ended []*Row
	for _, h := range kept.Handles {
		now[key(h.Task.ID)] = true
		if r, fresh := m.rememberHandle(l, h); fresh && !r.Live() {
			ended = append(ended, r)
		}
	}
	m.lookBack(l, ended)
	for _, h := range kept.Foreign {
		now[key(h.Task.ID)] = true
		m.rememberForeign(l, h)
	}
	for _, s := range kept.Unsettled {
		now[task.Key{Server: l.target.Name, Call: s.Call}] = true
		m.rememberSent(l, s)
	}
	for k := range l.recorded {
		if r := m.Row(k); !now[k] && r != nil && r.Key == k && (r.Handle != nil || r.Sent != nil && !r.Live()) {
			m.remove(l, r)
		}
	}
	l.recorded = now
}

// lookedBack is how many of the tasks that had ended are asked for at the start:
// what they said last is not kept, and the server may have forgotten them.
const lookedBack = 50

// lookBack lets those of rows that ended last be heard of once more.
func (m *Model) lookBack(l *link, rows []*Row) {
	if l.server != nil {
		return // another callboard ended them just now
	}
	slices.SortFunc(rows, func(a, b *Row) int { return b.Task.Updated.Compare(a.Task.Updated) })
	for _, r := range rows[:min(len(rows), lookedBack)] {
		l.sched.recall(r.Task, l.brings(r.Handle), m.now)
	}
}

// brings reports whether the list is expected to have a task whose handle is kept:
// it has those of the session to be rejoined, the others are asked for one by one.
func (l *link) brings(h *task.Handle) bool {
	return h.Session == l.resume.Session && l.resume.Era != task.Modern
}

// rememberHandle makes or completes the row of a handle. It returns nil where
// there is to be none, and whether the row is new.
func (m *Model) rememberHandle(l *link, h task.Handle) (r *Row, fresh bool) {
	id := h.Task.ID
	if id == "" || l.forgotten[id] {
		return nil, false
	}
	r = l.store.tasks[id]
	if fresh = r == nil; fresh {
		if r = m.rememberTask(l, h); r == nil {
			return nil, false
		}
	}
	r.Handle, r.foreign = &h, false
	if r.Mark == NotOurs {
		r.Mark = NoMark
	}
	if r.Tool.IsZero() {
		r.Tool = task.CleanLine(h.Tool, 256)
	}
	switch {
	case !r.Live():
	case fresh && l.server == nil:
		l.sched.remember(r.Task, l.brings(&h), m.now)
	case fresh, At(h.Seen) > r.Heard && h.Task.Status != r.Task.Status:
		l.sched.want(id, m.now)
	}
	if r.Live() {
		l.asking.follow(r)
	}
	m.changed(r)
	return r, fresh
}

// rememberTask makes a row of what was last known of a task, nil where the table
// has no room for it.
func (m *Model) rememberTask(l *link, h task.Handle) *Row {
	seen := orNow(h.Seen, m.now)
	c := l.store.apply(report{task: h.Task, how: task.Remembered, sentAt: seen, at: seen})
	if c.row == nil {
		m.turnedAway(l)
		return nil
	}
	c.row.unfold()
	c.row.First = At(orNow(h.Since, seen))
	m.adopt(l, c.row)
	return c.row
}

// rememberForeign makes the row of a handle that other credentials made. It is
// never asked for: a task's id may be all that protects it.
func (m *Model) rememberForeign(l *link, h task.Handle) {
	id := h.Task.ID
	if id == "" || l.forgotten[id] || l.store.tasks[id] != nil {
		return
	}
	r := m.rememberTask(l, h)
	if r == nil {
		return
	}
	r.Handle, r.foreign, r.Mark = &h, true, NotOurs
	r.Tool = task.CleanLine(h.Tool, 256)
	if l.named[id] {
		delete(l.named, id)
		l.sched.forget(id)
		m.tell(true, "%s is not asked for: %s.", id.Text().Line(), notOursWhy)
	}
	m.changed(r)
}

// rememberSent makes the row of a call whose outcome nobody knows.
func (m *Model) rememberSent(l *link, s task.Sent) {
	if s.Call == "" || l.store.calls[s.Call] != nil || len(l.store.calls) >= l.store.limit {
		return
	}
	at := orNow(s.At, m.now)
	r := &Row{
		Key: task.Key{Server: l.target.Name, Call: s.Call}, Task: task.Task{Status: task.Working}, Plain: true,
		Mark: UnknownOutcome, How: task.Remembered, Sent: &s, Tool: task.CleanLine(s.Tool, 256), known: true,
		First: At(at), Since: At(at), Began: At(at), Heard: At(at),
	}
	r.steps = []task.Step{{Status: task.Working, At: at, How: task.Remembered}}
	l.store.calls[s.Call] = r
	m.board.add(r)
	m.changed(r)
}
