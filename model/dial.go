package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// News of dialling and of the feed.
type (
	dialed struct {
		server Server
		err    *task.Error
	}
	fed struct {
		batch task.Batch
		err   *task.Error
	}
)

// dial begins an attempt at a session.
func (m *Model) dial(l *link) {
	l.attempt++
	l.ctx, l.cancel = context.WithCancel(l.life)
	l.dialing, l.nextTry = true, time.Time{}
	stamp, ctx, endpoint, resume := reply{link: l.index, attempt: l.attempt}, l.ctx, l.target.Endpoint, l.resume
	after := l.after
	l.after = nil
	m.do(func() tea.Msg {
		await(ctx, after)
		bounded, cancel := context.WithTimeout(ctx, dialLimit)
		defer cancel()
		var d dialed
		d.err = asError(safely(func() (err error) {
			d.server, err = endpoint.Dial(bounded, resume)
			return err
		}))
		if d.server != nil && (d.err != nil || ctx.Err() != nil) {
			closeSession(d.server) //nolint:contextcheck // the attempt's context has ended; this has to go on
			return nil
		}
		if d.server != nil {
			m.unclaimed.hold(stamp.dial(), d.server)
		}
		stamp.news = d
		return stamp
	})
	m.settleState(l)
}

// await waits until done is closed, nil for nothing to wait for, or ctx ends.
func await(ctx context.Context, done <-chan struct{}) {
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// closeSession ends s in bounded time; the session itself stays. What becomes of
// it helps nobody.
func closeSession(s Server) {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	_ = safely(func() error { return s.Close(ctx, true) })
}

func (m *Model) dialed(l *link, d dialed) {
	l.dialing = false
	if d.err != nil {
		m.down(l, d.err)
		return
	}
	l.server = d.server
	if l.target.ReadOnly {
		l.server = readOnly{d.server, l.readOnlyWhy()}
	}
	l.begun, l.err, l.mute, l.mutes, l.why = m.now, nil, nil, 0, ""
	l.stream, l.attended = task.Stream{}, nil
	l.mended(m.now)
	if session := l.server.Resume().Session; session != l.session || session == "" {
		l.session, l.sessionFrom = session, m.now
	}
	l.rejoined = (l.rejoined || !l.met) && l.session != "" && l.session == l.resume.Session && !l.resume.Joined
	l.listErr, l.noList, l.missing = "", false, missing{}
	l.sched.reset()
	l.sched.resync(m.now)
	m.learn(l)
	if l.met && !l.quiet {
		m.note(l, "connected again: all tasks are asked for anew")
		m.tell(false, "%s is connected again.", l.target.Name)
	} else if l.called {
		m.tell(false, "%s is connected.", l.target.Name)
	}
	l.called = false
	l.met, l.quiet = true, false
	m.keep(l, m.resumeChange(l)...)
	m.follow(l)
	m.settleState(l)
}

// follow waits for the feed's next batch.
func (m *Model) follow(l *link) {
	m.ask(l, 0, func(ctx context.Context, s Server) any {
		batch, err := s.Next(ctx)
		return fed{batch, asError(err)}
	})
}

// modernList is why no board of the Modern era is ever listed.
const modernList = "the tasks of 2026-07-28 are not listed; those started here are followed, and :watch ID adds others"

// learn takes over what the session knows of its server by now.
func (m *Model) learn(l *link) {
	l.about = l.server.About()
	l.sched.listable = l.listable()
	switch {
	case l.listErr != "":
	case l.about.Era == task.Modern:
		l.listErr = modernList
	case l.about.List == task.CanNo && l.about.TaskCalls == task.CanNo && !l.about.Note.IsZero():
		l.listErr = l.about.Note.Line()
	case l.about.List == task.CanNo:
		l.listErr = "the server does not list tasks (it did not declare tasks.list); :force tries once"
	}
}

// listable reports whether tasks/list may be used.
func (l *link) listable() bool {
	return l.about.List != task.CanNo && l.about.Era != task.Modern && !l.noList
}

// down ends the session or the attempt at one, and plans the next.
func (m *Model) down(l *link, e *task.Error) {
	l.faults.add(e.Kind)
	l.cancel()
	l.attempt++ // whatever is still on its way answers a question of the past
	joined, postOnly := l.resume.Joined, l.resume.PostOnly
	progress := l.retries == 0 && l.server != nil
	if s := l.server; s != nil {
		if e.Kind != task.SessionLost {
			m.keepNow(l)
		}
		l.resume = s.Resume()
		l.resume.Joined, l.resume.PostOnly = joined, postOnly
		l.server = nil
		m.do(func() tea.Msg { closeSession(s); return nil })
		m.failCancels(l, e.Message.Line())
		m.cut(l, e, cutWhy(e))
		m.lostWishes(l)
	} else if l.quiet {
		m.failCancels(l, e.Message.Line())
		m.cut(l, e, cutWhy(e)) // the session was left for its stream, and is not to be had again
	}
	l.dialing, l.err, l.why, l.mute, l.quiet = false, e, e.Message.Line(), nil, false
	l.stream = task.Stream{}
	l.retries++
	kept := l.resume.Session != "" && !l.met && !joined
	if e.Kind == task.SessionLost {
		m.sessionOver(l)
	}
	switch {
	case e.Kind == task.SessionLost && joined:
		l.resume, l.nextTry = l.resume.Afresh(), time.Time{}
		l.why = "the session that was joined is gone; r begins one of our own"
	case e.Kind == task.SessionLost:
		l.resume = l.resume.Afresh()
		l.nextTry = m.now.Add(backoff(l.retries - 1))
		if progress || l.retries == 1 {
			l.nextTry = m.now
		}
	case hopeless(e, l.target.Refreshes):
		l.nextTry = time.Time{}
	case e.RetryAfter > 0:
		l.busyTo = m.now.Add(min(e.RetryAfter, retryMost))
		l.nextTry = l.busyTo
	case slow(e):
		l.nextTry = m.now.Add(jitter(backoffMost))
	default:
		l.nextTry = m.now.Add(backoff(l.retries))
	}
	if !l.nextTry.IsZero() && l.nextTry.Before(l.busyTo) {
		l.nextTry = l.busyTo
	}
	m.note(l, "down: "+l.why)
	if kept && e.Kind == task.SessionLost {
		m.tell(true, "%s: the session kept from before is over; a new one is begun.", l.target.Name)
	} else if l.met || l.nextTry.IsZero() {
		m.tell(true, "%s: %s%s", l.target.Name, l.why, m.trying(l))
	}
	m.settleState(l)
}

// trying says when the next dial is due.
func (m *Model) trying(l *link) string {
	switch d := l.nextTry.Sub(m.now); {
	case l.nextTry.IsZero():
		return ""
	case d < time.Second:
		return "; trying again"
	default:
		return fmt.Sprintf("; next try in %d s", int(d.Round(time.Second)/time.Second))
	}
}

// retryMost bounds the Retry-After that is obeyed.
const retryMost = time.Hour

// hopeless reports whether trying again cannot help before the person acts.
func hopeless(e *task.Error, refreshes bool) bool {
	switch e.Kind {
	case task.Unauthorized, task.Denied:
		return !refreshes
	case task.NotMCP:
		return e.Status < 500 // else it is the page of a proxy whose server is down
	default:
		return e.Kind == task.Version || e.Kind == task.Unsupported
	}
}

// slow reports whether trying again helps only after somebody has mended
// something.
func slow(e *task.Error) bool {
	if e.Kind == task.HTTP {
		return e.Status < 500
	}
	return slices.Contains([]task.ErrorKind{
		task.TLS, task.Unauthorized, task.Denied, task.Internal, task.Protocol, task.Limit,
	}, e.Kind)
}

// backoff returns how long to wait before try n, from 1 on.
func backoff(n int) time.Duration {
	if n <= 0 {
		return 0
	}
	return jitter(min(500*time.Millisecond<<min(n-1, 10), backoffMost/2))
}

// jitter moves d by up to a fifth, so that many callboards do not come back
// together.
func jitter(d time.Duration) time.Duration { return d - d/10 + rand.N(d/5+1) }

// progressed notes that the session answered: later troubles begin anew.
func (m *Model) progressed(l *link) {
	l.heard = m.now
	if m.now.Sub(l.begun) >= sweepLeast {
		l.retries = 0 // a session that dies at once is no progress
	}
	if l.mute != nil {
		l.mute, l.mutes = nil, 0
		l.store.gapAt = m.now
		l.mended(m.now)
		l.sched.resync(m.now)
		m.note(l, "it answers again: all tasks are asked for anew")
		m.tell(false, "%s answers again.", l.target.Name)
	}
	m.settleState(l)
}

// troubled takes in an error of a call on the session; it reports whether the
// whole link is concerned.
func (m *Model) troubled(l *link, e *task.Error) bool {
	// A lost session is counted by down; that a task is not known any more is an
	// answer like others.
	if e.Kind != task.SessionLost && !unknownTask(e) {
		l.faults.add(e.Kind)
	}
	switch e.Kind {
	case task.SessionLost:
		m.down(l, e)
		return true
	case task.RPC, task.Unsupported:
		l.heard = m.now // it answers, if not this
		return false
	case task.Busy:
		wait := min(e.RetryAfter, retryMost)
		if wait <= 0 {
			wait = m.strike(l)
		}
		l.sched.waitUntil(m.now.Add(wait))
		l.busyTo = l.sched.hold
		l.why = e.Message.Line()
		m.note(l, "the server is busy; nothing is asked before "+l.sched.hold.Format("15:04:05"))
		m.rev++
		return true
	case task.Unreachable, task.TLS, task.Unauthorized, task.Denied:
		m.silent(l, e)
		return true
	default:
		return false
	}
}

// unanswered takes in that what was asked at asked had no reply. Unless
// something else came since, the server does not answer at all; that a stream
// is open proves nothing. It reports whether that is so.
func (m *Model) unanswered(l *link, e *task.Error, asked time.Time) bool {
	if e.Kind != task.Timeout && e.Kind != task.Lost || l.heard.After(asked) {
		return false
	}
	m.silent(l, e)
	return true
}

// strike counts a failure of the link, and returns how long to leave its server
// alone. What fails while it is left alone was sent with what failed before, and
// counts as one with that: else a burst of requests would count as a long outage.
func (m *Model) strike(l *link) time.Duration {
	if l.mutes == 0 || !m.now.Before(l.sched.hold) {
		l.mutes++
	}
	return backoff(l.mutes)
}

// silent takes in that the server does not answer, or lets nothing through;
// its session may live on.
func (m *Model) silent(l *link, e *task.Error) {
	wait := m.strike(l)
	if slow(e) {
		wait = jitter(backoffMost)
	}
	l.sched.waitUntil(m.now.Add(wait))
	if l.mute == nil {
		m.note(l, "does not answer: "+e.Message.Line())
		m.tell(true, "%s: %s", l.target.Name, e.Message.Line())
		l.broke(m.now, e.Message)
	}
	l.mute = e
	m.settleState(l)
}
