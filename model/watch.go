package model

import (
	"slices"

	"callboard/model/task"
)

// watchTask asks for a task that the person named by its id.
func (m *Model) watchTask(server string, id task.ID) {
	l := m.byName[server]
	switch {
	case l == nil:
		m.tell(true, "There is no server named %q.", server)
		return
	case id == "":
		m.tell(true, "Nothing to watch: an id is missing.")
		return
	}
	r := l.store.tasks[id]
	if r != nil && r.Mark == NotOurs {
		m.tell(true, "Not asked for: %s.", notOursWhy)
		return
	}
	delete(l.forgotten, id)
	l.named[id] = true
	if r != nil && (r.Live() || r.Task.Status.Terminal() && r.Mark == NoMark) {
		m.named(l, r)
	}
	if r == nil || r.Live() || r.Mark != NoMark {
		l.sched.want(id, m.now)
	}
	if l.server == nil {
		m.tell(false, "%s is asked for %s as soon as it is reached.", server, id.Text().Line())
	}
}

// Sought reports whether a server has not said yet what it knows of a task that
// the person named by its id, or of one that is kept and had ended.
func (m *Model) Sought(server string, id task.ID) bool {
	l := m.byName[server]
	return l != nil && (l.named[id] || l.sched.recalls(id))
}

// notOursWhy is why nothing is done with a handle of other credentials.
const notOursWhy = "other credentials than those in use made this task"

// named takes in that a task which the person named is known.
func (m *Model) named(l *link, r *Row) {
	delete(l.named, r.Key.ID)
	with := task.Handle{Watched: true}
	if r.Sent != nil {
		with.Tool, with.Digest = r.Sent.Tool, r.Sent.Digest
	}
	m.handled(l, r, with)
	m.rev++
}

// unnamed takes in that the server does not know what the person named, or
// could not be asked for it.
func (m *Model) unnamed(l *link, id task.ID, why string) {
	if !l.named[id] {
		return
	}
	delete(l.named, id)
	m.note(l, "the task to be watched is not known here: "+why)
	m.tell(true, "%s knows no task %s: %s.", l.target.Name, id.Text().Line(), why)
}

// CanForget returns "" where ForgetMsg takes that row away, else the reason why
// it does not.
func (m *Model) CanForget(key task.Key) string {
	switch _, r := m.rowLink(key); {
	case r == nil:
		return "no row is selected"
	case r.Key.ID == "" && r.Live():
		return "the call is under way; it can be forgotten when it has ended"
	}
	return ""
}

// forget takes a row away, and what is kept of it.
func (m *Model) forget(key task.Key) {
	if why := m.CanForget(key); why != "" {
		m.tell(true, "Not forgotten: %s.", why)
		return
	}
	l, r := m.rowLink(key)
	name := r.Tool.Line()
	if id := r.Key.ID; id != "" {
		name = id.Text().Line()
		l.forgotten[id] = true
	}
	live, foreign := r.Live(), r.foreign
	if r.Handle != nil && !foreign {
		m.keep(l, task.DropHandle{ID: r.Key.ID})
	}
	if r.Sent != nil {
		m.keep(l, task.Settled{Call: r.Sent.Call})
	}
	m.remove(l, r)
	switch {
	case foreign:
		m.tell(false, "%s is not shown any more; it is kept for the credentials that made it.", name)
	case live:
		m.tell(false, "%s is forgotten, not cancelled: it goes on at the server, and :watch brings it back.", name)
	default:
		m.tell(false, "%s is forgotten.", name)
	}
}

// remove takes a row out of all that knows it.
func (m *Model) remove(l *link, r *Row) {
	for _, a := range slices.Clone(r.Asks) {
		m.closeAsk(a, Withdrawn, "the task was forgotten here")
	}
	l.sched.forget(r.Key.ID)
	l.asking.leave(r)
	l.store.drop(r)
	delete(l.missing.ids, r.Key.ID)
	delete(l.recorded, r.Key)
	delete(l.unkept, r.Key.ID)
	m.parted(r)
	m.uncount(r)
	m.board.remove(r)
	m.watched = slices.DeleteFunc(m.watched, func(w *Wish) bool { return w.key == r.Key })
	m.kept = slices.DeleteFunc(m.kept, func(k *Row) bool { return k == r })
	m.rev++
}
