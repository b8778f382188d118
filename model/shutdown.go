package model

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"callboard/model/task"
)

// What the memory has of the time in which all is closed, and what is left to tell
// how that went.
const (
	memoryLeast = 500 * time.Millisecond
	tellLeast   = 50 * time.Millisecond
)

// Shutdown closes all sessions in bounded time (at most 2 s): one with live
// tasks, or with results of tasks whose handles are kept, is left alone; an idle
// one of our own gets its DELETE. What the next
// start needs is kept. It returns a sentence for the person for each link whose
// tasks go on, or whose calls do not. It is called after the program's loop has ended.
func (m *Model) Shutdown() []string {
	idle := m.crew.dismiss()
	m.stop()
	if m.alarm.stop != nil {
		m.alarm.stop()
	}
	m.now = time.Now()
	m.writeAudit()
	var told []string
	closed := make(chan string, len(m.links))
	open := 0
	for _, l := range m.links {
		s, mem := l.server, l.target.Memory
		if s == nil && mem == nil {
			continue
		}
		live := l.live()
		if words := l.farewell(live, "the next start"); words != "" {
			told = append(told, words)
		}
		if words := l.cutOff(); words != "" {
			told = append(told, words)
		}
		keep := m.outlives(l, live)
		m.keepLast(l, keep)
		l.server = nil
		open++
		c := closing{s, mem, keep, l.target.Name, l.warning, l.keptResume}
		go func() { closed <- c.close() }()
	}
	limit := time.NewTimer(closeLimit)
	defer limit.Stop()
	for open > 0 {
		select {
		case why := <-closed:
			open--
			if why != "" {
				m.untold = append(m.untold, why)
			}
		case <-limit.C:
			return told
		}
	}
	select {
	case <-idle:
	case <-limit.C:
		return told
	}
	claimed := make(chan struct{})
	go func() { m.unclaimed.close(); close(claimed) }()
	select {
	case <-claimed:
	case <-limit.C:
	}
	return told
}

// closing is what is closed of a link, away from the model.
type closing struct {
	server  Server // nil for none, as memory
	memory  Memory
	keep    bool // the session goes on
	name    string
	warning string // the trouble with the memory that was told last
	kept    task.Resume
}

// close says in a sentence what could not be kept, "" for nothing that was not told
// before.
func (c closing) close() string {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit-tellLeast)
	defer cancel()
	if c.server != nil {
		closeWithin(ctx, c.server, c.keep, c.memory != nil)
		if c.memory != nil && c.keep {
			keepClosed(c.memory, c.server, c.kept)
		}
	}
	if c.memory == nil {
		return ""
	}
	why := forgotten(safely(func() error { return c.memory.Close(ctx) }))
	if why == "" || why == c.warning {
		return ""
	}
	return c.name + ": " + why
}

// receives reports whether the server may still come for an answer of l: with the
// session its question would be gone.
func (m *Model) receives(l *link) bool {
	return slices.ContainsFunc(m.askOrder, func(a *Ask) bool {
		return a.Server == l.target.Name && a.Prompt.Polled && (a.waits() || a.State == Answered && !a.fetched) && m.now.Before(a.Prompt.Until)
	})
}

// forgotten says why a memory could not be closed in good order, "" for nothing.
func forgotten(err error) string {
	switch {
	case err == nil, errors.Is(err, os.ErrClosed):
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return "what changed last could not be kept in time"
	}
	return asError(err).Message.Line()
}

// Untold returns, after Shutdown, a sentence for each link of which something
// that was to be kept could not be, and nobody was told before.
func (m *Model) Untold() []string { return m.untold }

// closeWithin ends a session, and leaves time for the memory where there is one.
func closeWithin(ctx context.Context, s Server, keep, memory bool) {
	if memory {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, closeLimit-memoryLeast)
		defer cancel()
	}
	_ = safely(func() error { return s.Close(ctx, keep) })
}

// keepClosed keeps what changed of a session while it was closed: a server may have
// come for an answer, so that its question need not be asked again.
func keepClosed(mem Memory, s Server, kept task.Resume) {
	now, left := kept, s.Resume()
	now.Streams, now.LastEvent = left.Streams, left.LastEvent
	if kept.Session != "" && now != kept {
		mem.Keep(task.KeepResume{Resume: now, Was: kept.Streams})
	}
}

// keepLast keeps what the next start needs of l. keep: its session goes on.
func (m *Model) keepLast(l *link, keep bool) {
	if l.target.Memory == nil {
		return
	}
	for id, r := range l.store.tasks {
		if r.ours() && r.How != task.Remembered && r.Live() {
			l.unkept[id] = true // when it was last heard of
		}
	}
	m.keepNow(l)
	if l.server != nil && !keep {
		l.resume = l.server.Resume()
		m.sessionOver(l)
	}
}

// farewell tells what goes on at l's server after the end, until next, "" where nothing does
// that a person has to know.
func (l *link) farewell(live int, next string) string {
	kept := l.target.Memory != nil && l.warning == "" && !l.resume.Joined
	switch {
	case live == 0:
		return ""
	case l.server != nil && l.about.Session && kept:
		return fmt.Sprintf("%s: the session is left open, since %s in it; %s rejoins it.", l.target.Name, liveWords(live), next)
	case l.server != nil && l.about.Session:
		return fmt.Sprintf("%s: the session is left open, since %s in it.", l.target.Name, liveWords(live))
	case kept:
		if n := l.handles(); n > 0 {
			return fmt.Sprintf("%s: %s; %s asks for what is kept of them.", l.target.Name, liveWords(n), next)
		}
	}
	return ""
}

// cutOff tells of calls without a reply that end with their connections: the
// server takes that for a cancellation (2026-07-28), and nobody sees what became
// of them.
func (l *link) cutOff() string {
	n := 0
	for _, r := range l.store.calls {
		if r.Key.ID == "" && r.Live() {
			n++
		}
	}
	switch {
	case l.server == nil || l.about.Era != task.Modern || n == 0:
		return ""
	case n == 1:
		return l.target.Name + ": 1 call had no reply yet, and was cut off; what became of it is not known."
	}
	return fmt.Sprintf("%s: %d calls had no reply yet, and were cut off; what became of them is not known.", l.target.Name, n)
}

// handles returns how many live tasks of l are kept.
func (l *link) handles() int {
	n := 0
	for _, r := range l.store.tasks {
		if r.Live() && r.ours() {
			n++
		}
	}
	return n
}

func liveWords(n int) string {
	if n == 1 {
		return "1 task is live"
	}
	return fmt.Sprintf("%d tasks are live", n)
}

// live returns how many of l's tasks and calls may still change.
func (l *link) live() int {
	n := 0
	for _, r := range l.store.tasks {
		if r.Live() {
			n++
		}
	}
	for _, r := range l.store.calls {
		if r.Key.ID == "" && r.Live() {
			n++
		}
	}
	return n
}
