package model

import (
	"context"
	"slices"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// disconnectedWhy is why nothing of a server waits any more.
const disconnectedWhy = "the server was disconnected here"

// connect attaches to a further server. A name that is there already is told; an
// address may have several, with other credentials. Where the last rows of a server of that name are still being
// cleared away it is connected to after that.
func (m *Model) connect(t Target) {
	if slices.ContainsFunc(m.links, func(l *link) bool { return l.target.Name == t.Name }) {
		m.tell(true, "%s is attached to already.", t.Name)
		return
	}
	if old := m.byName[t.Name]; old != nil { // it is being cleared away
		old.next = &t
		return
	}
	l := m.attach(t)
	l.called = true
	if closed := m.closing[t.Name]; closed != nil {
		l.after = closed
		delete(m.closing, t.Name)
	}
	m.tell(false, "Connecting to %s.", t.Name)
	m.begin(l)
}

// attach makes the link to a target.
func (m *Model) attach(t Target) *link {
	l := newLink(m.linked, t, m.options)
	m.linked++
	l.life, l.end = context.WithCancel(m.ctx)
	m.links = append(m.links, l)
	m.byName[t.Name], m.byIndex[l.index] = l, l
	return l
}

// begin reaches for a server for the first time.
func (m *Model) begin(l *link) {
	for _, id := range l.target.Watch {
		l.named[id] = true
		l.sched.want(id, m.now)
	}
	if l.target.Memory != nil {
		m.recall(l)
	} else {
		m.dial(l)
	}
}

// disconnect lets go of a server as quitting does: a session with live tasks stays
// where it can be rejoined, an idle one is ended. Its rows and questions leave the
// board; what is kept of it on the disk comes back where it is connected to again.
func (m *Model) disconnect(name string) {
	i := slices.IndexFunc(m.links, func(l *link) bool { return l.target.Name == name })
	if i < 0 {
		m.tell(true, "There is no server named %q.", name)
		return
	}
	l := m.links[i]
	said := "Disconnected from " + name + "."
	live := l.live()
	for _, words := range []string{l.farewell(live, "connecting again"), l.cutOff()} {
		if words != "" {
			said += " " + sentence(words[len(name)+2:])
		}
	}
	keep := m.outlives(l, live)
	m.failCancels(l, disconnectedWhy)
	m.cut(l, &task.Error{Kind: task.Lost, Message: task.Own("disconnected by the person")}, disconnectedWhy)
	m.lostWishes(l)
	m.keepLast(l, keep)
	m.note(l, "disconnected by the person")
	m.closeApart(l, keep)
	m.links = slices.Delete(m.links, i, i+1)
	l.attempt++ // whatever is still on its way is dropped
	l.cancel()
	l.end()
	l.server, l.dialing, l.keepDue, l.left = nil, false, m.now.Add(-1), true
	m.forgetAsks(l)
	m.watched = slices.DeleteFunc(m.watched, func(w *Wish) bool {
		return w.key.Server == name || w.ask != nil && w.ask.Server == name
	})
	m.kept = slices.DeleteFunc(m.kept, func(r *Row) bool { return r.Key.Server == name })
	m.tell(false, "%s", said)
	for _, r := range l.store.tasks {
		l.leaving = append(l.leaving, r)
	}
	for _, r := range l.store.calls {
		if r.Key.ID == "" {
			l.leaving = append(l.leaving, r)
		}
	}
	m.clear(clearSlice{l.index})
}

// outlives reports whether l's session stays when it is let go of.
func (m *Model) outlives(l *link, live int) bool {
	return live > 0 || l.hasResults(m.now) || m.receives(l) || l.resume.Joined || l.about.Joined || l.resume.PostOnly
}

// closedLink is the news that a link was closed, and in a sentence what could not be
// kept, "" for nothing.
type closedLink struct {
	name, why string
	done      chan struct{}
}

// closeApart closes a link's session and memory in a command.
func (m *Model) closeApart(l *link, keep bool) {
	if l.server == nil && l.target.Memory == nil {
		return
	}
	c := closing{l.server, l.target.Memory, keep, l.target.Name, l.warning, l.keptResume}
	done := make(chan struct{})
	m.closing[l.target.Name] = done
	m.do(func() tea.Msg {
		defer close(done)
		return closedLink{c.name, c.close(), done}
	})
}

// closed takes in that a link was closed.
func (m *Model) closed(n closedLink) {
	if m.closing[n.name] == n.done {
		delete(m.closing, n.name)
	}
	if n.why != "" {
		m.tell(true, "%s", n.why)
	}
}

// forgetAsks forgets the questions of a server, which are closed. What was typed
// stays on the disk, as far as it is kept there.
func (m *Model) forgetAsks(l *link) {
	m.askOrder = slices.DeleteFunc(m.askOrder, func(a *Ask) bool {
		if a.Server != l.target.Name {
			return false
		}
		m.endSample(a)
		delete(m.asks, a.Prompt.ID)
		delete(m.drafts, a.Prompt.ID)
		return true
	})
}

// clearSlice clears away the next rows of a link that was left.
type clearSlice struct{ link int }

// clear takes the next rows of a link that was left off the board, in slices: there
// may be many. With the last one the link is gone.
func (m *Model) clear(msg clearSlice) {
	l := m.byIndex[msg.link]
	if l == nil || !l.left {
		return
	}
	n := min(sliceRows, len(l.leaving))
	for _, r := range l.leaving[:n] {
		m.parted(r)
		m.uncount(r)
		m.board.remove(r)
	}
	m.rev++
	if l.leaving = l.leaving[n:]; len(l.leaving) > 0 {
		m.do(func() tea.Msg { return msg })
		return
	}
	name := l.target.Name
	delete(m.byName, name)
	delete(m.byIndex, l.index)
	m.marks.tidy()
	if m.selected.Server == name {
		m.selected = task.Key{}
	}
	if l.next != nil {
		m.connect(*l.next)
	}
}

// UnsentTo returns how many forms of a server hold something that disconnecting
// would lose, as Unsent counts them for all.
func (m *Model) UnsentTo(server string) int {
	lost, _ := m.unsent(server)
	return lost
}
