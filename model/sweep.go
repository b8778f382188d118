package model

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// How many rows one Update works on, so that a key never waits for a page of
// ten thousand.
const (
	sliceRows = 4000 // of a new order
	pageRows  = 1000 // of a page
)

// sweepMost bounds a list that does not end.
const sweepMost = taskLimit + taskLimit/5

// sweep is a walk through tasks/list that is under way.
type sweep struct {
	asked   time.Time // when the page that is awaited was
	cursors map[string]bool
	pages   map[uint64]bool // hashes of the pages' ids
	items   int
	empty   int  // empty pages in a row
	circles bool // the list came back to where it was
}

// paged is the news of a page. rest: it is what is left of one.
type paged struct {
	page task.Page
	err  *task.Error
	rest bool
	took time.Duration
}

var pageSeed = maphash.MakeSeed()

func (m *Model) startSweep(l *link) {
	l.sweep = &sweep{cursors: map[string]bool{}, pages: map[uint64]bool{}}
	m.askPage(l, task.Cursor{})
}

func (m *Model) askPage(l *link, from task.Cursor) {
	l.sweep.asked = m.now
	m.ask(l, callLimit, func(ctx context.Context, s Server) any {
		sentAt := time.Now()
		page, err := s.Page(ctx, from)
		if page.SentAt.IsZero() {
			page.SentAt = sentAt
		}
		return paged{page: page, err: asError(err), took: time.Since(sentAt)}
	})
}

// paged takes in a page, or a slice of it, and goes on to the next.
func (m *Model) paged(l *link, p paged) {
	if l.sweep == nil {
		return
	}
	m.learn(l)
	if !p.rest {
		l.answered(p.took, p.err)
	}
	if p.err != nil {
		m.sweepFailed(l, p.err)
		return
	}
	m.progressed(l)
	sw := l.sweep
	if !p.rest {
		sw.asked = m.now.Add(time.Hour) // nothing is awaited while it is taken in
		sw.enter(p.page)
	}
	n := min(len(p.page.Tasks), pageRows)
	for _, t := range p.page.Tasks[:n] {
		m.take(l, report{task: t, how: task.Listed, sentAt: p.page.SentAt, at: m.now})
	}
	if p.page.Tasks = p.page.Tasks[n:]; len(p.page.Tasks) > 0 {
		p.rest = true
		rest := reply{link: l.index, attempt: l.attempt, news: p}
		m.do(func() tea.Msg { return rest })
		return
	}
	if p.page.Next.Set && !sw.circles && sw.items < sweepMost {
		m.askPage(l, p.page.Next)
		return
	}
	l.sweep, l.swept, l.listErr = nil, m.now, ""
	l.sched.swept(true, len(sw.pages), sw.items, m.now)
	l.load.swept = l.sched.sweepTo.Sub(l.sched.sweepFrom)
	m.judgeMissing(l)
}

// enter notes a page and whether the list has come back to where it was: a
// repeated cursor or a whole repeated page ends the sweep. The empty string is
// a cursor like any other.
func (s *sweep) enter(p task.Page) {
	var h maphash.Hash
	h.SetSeed(pageSeed)
	for _, t := range p.Tasks {
		h.WriteString(string(t.ID))
		h.WriteByte(0)
	}
	sum := h.Sum64()
	switch {
	case len(p.Tasks) == 0:
		if s.empty++; s.empty > 3 {
			s.circles = true
		}
	case s.pages[sum]:
		s.circles = true
	default:
		s.empty = 0
	}
	s.pages[sum] = true
	s.items += len(p.Tasks)
	if p.Next.Set {
		s.circles = s.circles || s.cursors[p.Next.Value]
		s.cursors[p.Next.Value] = true
	}
}

// sweepFailed ends a sweep that did not come to its end.
func (m *Model) sweepFailed(l *link, e *task.Error) {
	asked := l.sweep.asked
	l.sweep = nil
	l.sched.swept(false, 0, 0, m.now)
	if m.troubled(l, e) {
		return
	}
	if m.unanswered(l, e, asked) {
		return
	}
	switch {
	case e.Kind == task.RPC && e.Code == codeMethodNotFound, e.Kind == task.Unsupported:
		l.noList = true
		l.listErr = fmt.Sprintf("the server does not list tasks (%s)", e.Message.Line())
		l.sched.listable = false
	default:
		l.listErr = e.Message.Line()
	}
	m.note(l, "tasks/list failed: "+l.listErr)
	m.rev++
}
