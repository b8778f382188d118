package model

import (
	"context"
	"errors"
	"os"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// What is kept beyond the program's life: how long its parts may take, and how
// long changes are gathered.
const (
	recallLimit = 5 * time.Second
	flushLimit  = time.Second
	newsPause   = time.Second     // after trouble
	keepEvery   = 2 * time.Second // so much is lost where callboard is killed
)

// recalled is what was kept, at the start or as another process left it. It
// belongs to no attempt at a session.
type recalled struct {
	link  int
	first bool
	kept  task.Kept
	err   error
}

// recall reads what is kept, before the first attempt at a session.
func (m *Model) recall(l *link) {
	l.dialing = true // connecting begins with it
	m.settleState(l)
	m.askMemory(l, recalled{link: l.index, first: true}, func(ctx context.Context, mem Memory) (task.Kept, error) {
		ctx, cancel := context.WithTimeout(ctx, recallLimit)
		defer cancel()
		return mem.Recall(ctx)
	})
}

// overhear waits for what other processes keep.
func (m *Model) overhear(l *link, pause time.Duration) {
	at := m.now.Add(pause)
	m.askMemory(l, recalled{link: l.index}, func(ctx context.Context, mem Memory) (task.Kept, error) {
		if !sleepUntil(ctx, at) {
			return task.Kept{}, ctx.Err()
		}
		return mem.News(ctx)
	})
}

func (m *Model) askMemory(l *link, n recalled, f func(context.Context, Memory) (task.Kept, error)) {
	ctx, mem, after := l.life, l.target.Memory, l.after
	l.after = nil
	m.do(func() tea.Msg {
		await(ctx, after)
		n.err = safely(func() (err error) { n.kept, err = f(ctx, mem); return err })
		if ctx.Err() != nil {
			return nil
		}
		return n
	})
}

// recalled takes in what is kept. At the start the link is reached for with it.
func (m *Model) recalled(n recalled) {
	if errors.Is(n.err, os.ErrClosed) {
		return // nothing is kept any more
	}
	l := m.byIndex[n.link]
	if l == nil || l.left {
		return
	}
	m.warned(l, n.err)
	if n.first {
		l.resume = resumeOf(l.target.Resume, n.kept.Resume)
	} else {
		l.succeeds(n.kept.Resume, m.now)
	}
	m.remember(l, n.kept)
	m.rememberDrafts(l, n.kept.Drafts)
	if n.first {
		m.dial(l)
	}
	if n.err != nil {
		m.overhear(l, newsPause)
	} else {
		m.overhear(l, 0)
	}
}

// resumeOf chooses what is rejoined: what the person named wins.
func resumeOf(named, kept task.Resume) task.Resume {
	if named.Session != "" || named.Era != task.AnyEra && named.Era != kept.Era {
		return named
	}
	return kept
}

// warned tells of trouble with what is kept, once for each that is new.
func (m *Model) warned(l *link, err error) {
	why := ""
	if err != nil {
		why = asError(err).Message.Line()
	}
	if why != "" && why != l.warning {
		m.note(l, "what is kept: "+why)
		m.tell(true, "%s: %s", l.target.Name, why)
	}
	l.warning = why
}

// keep hands changes to the memory, where there is one.
func (m *Model) keep(l *link, changes ...task.Keep) {
	if mem := l.target.Memory; mem != nil && len(changes) > 0 {
		_ = safely(func() error { mem.Keep(changes...); return nil })
	}
}

// keepSoon lets what changed be kept within a while.
func (m *Model) keepSoon(l *link) {
	if l.target.Memory != nil && l.keepDue.IsZero() {
		l.keepDue = m.now.Add(keepEvery)
	}
}

// keepNow keeps what changed since it was kept last.
func (m *Model) keepNow(l *link) {
	l.keepDue = time.Time{}
	var changes []task.Keep
	for id := range l.unkept {
		if r := l.store.tasks[id]; r != nil && r.ours() {
			changes = append(changes, task.KeepHandle{Handle: *r.handleNow(l.session)})
		}
	}
	clear(l.unkept)
	m.keep(l, append(changes, m.resumeChange(l)...)...)
}

// resumeChange returns what is to be kept of l's session: itself from its
// beginning, so that other processes work in it and not in one of their own
// whose tasks this one could not see. It is empty where that is kept already. A
// session that another program began is not ours to keep.
func (m *Model) resumeChange(l *link) []task.Keep {
	if l.server == nil || l.target.Memory == nil {
		return nil
	}
	resume := l.server.Resume()
	postOnly := l.resume.PostOnly
	if l.resume.Joined {
		resume = resume.Afresh()
	} else if postOnly {
		resume.PostOnly = true
	}
	was := l.keptResume.Streams
	if l.keptResume.Session == "" && l.resume.Session == resume.Session {
		was = l.resume.Streams // as they were kept before
	}
	if resume == l.keptResume || resume.Session == "" && resume.Era == l.keptResume.Era {
		return nil
	}
	l.keptResume = resume
	return []task.Keep{task.KeepResume{Resume: resume, Was: was}}
}

// hasResults reports whether l's session holds ended tasks whose handles are
// kept: with the session their results would be gone.
func (l *link) hasResults(now time.Time) bool {
	if l.target.Memory == nil || l.session == "" {
		return false
	}
	for _, r := range l.store.tasks {
		if !r.ours() || !r.Task.Status.Terminal() || r.Mark != NoMark || r.How == task.Remembered && r.Handle.Session != l.session {
			continue
		}
		if end, limited := r.Expiry(); !limited || now.Before(end) {
			return true
		}
	}
	return false
}

// sessionOver notes that l's session is no more.
func (m *Model) sessionOver(l *link) {
	if gone := l.resume.Session; gone != "" && !l.resume.Joined {
		l.keptResume = l.resume.Afresh()
		m.keep(l, task.KeepResume{Resume: l.keptResume, Gone: gone})
	}
}

// ours reports whether r's handle is kept, and ours to keep.
func (r *Row) ours() bool { return r.Handle != nil && r.Mark != NotOurs && !r.foreign }

// handleNow returns r's handle as it is now, seen in that session.
func (r *Row) handleNow(session task.Secret) *task.Handle {
	h := r.Handle
	h.Task = r.Task
	h.Task.Message = task.Text{}
	if r.How != task.Remembered {
		h.Seen, h.Session = r.Heard.Time(), session
	}
	return h
}

// handled begins to keep r's handle.
func (m *Model) handled(l *link, r *Row, with task.Handle) {
	if h := r.Handle; h != nil && !r.foreign {
		with.Watched = with.Watched || h.Watched
		with.Since = h.Since
		if with.Tool == "" {
			with.Tool, with.Digest = h.Tool, h.Digest
		}
	}
	if with.Since.IsZero() {
		with.Since = m.now
	}
	r.Handle, r.foreign = &with, false
	delete(l.unkept, r.Key.ID)
	m.keep(l, task.KeepHandle{Handle: *r.handleNow(l.session)})
	m.keepSoon(l)
}

// handleMoved notes that a row whose handle is kept changed.
func (m *Model) handleMoved(l *link, r *Row) {
	if r.ours() && l.target.Memory != nil {
		l.unkept[r.Key.ID] = true
		m.keepSoon(l)
	}
}
