package model

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// How long calls may take. The limit of a whole command comes on top of what
// the server asked us to wait.
const (
	dialLimit   = 30 * time.Second
	getLimit    = 15 * time.Second
	callLimit   = 30 * time.Second
	resultLimit = 5 * time.Minute
	closeLimit  = 2 * time.Second
	getsAtATime = 4
)

// reply is what a command about a link brings back. It is dropped where the
// link has begun another attempt since.
type reply struct {
	link    int
	attempt uint64
	news    any
}

// panicked is the news of a command that panicked.
type panicked struct{ what string }

// crew counts the commands that run, so that Shutdown can wait for them. A
// command that the loop had not begun by then does nothing.
type crew struct {
	mu   sync.Mutex
	n    int
	over bool
	idle chan struct{} // closed when n falls to 0 after over
}

func newCrew() *crew { return &crew{idle: make(chan struct{})} }

func (c *crew) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.n++
	return true
}

func (c *crew) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 && c.over {
		close(c.idle)
	}
}

// dismiss lets no further command begin; the channel is closed when the last
// one has ended.
func (c *crew) dismiss() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.over = true
		if c.n == 0 {
			close(c.idle)
		}
	}
	return c.idle
}

// unclaimed has the sessions that commands began and Update has not taken in, or
// not closed: where the loop ends before it does, Shutdown closes them.
type unclaimed struct {
	mu       sync.Mutex
	sessions map[attempt]Server
}

// attempt names a command that dials, which there is one of at a time.
type attempt struct {
	link int
	nth  uint64
}

func (r reply) dial() attempt { return attempt{r.link, r.attempt} }

func (u *unclaimed) hold(a attempt, s Server) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sessions[a] = s
}

func (u *unclaimed) claim(a attempt) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.sessions, a)
}

// close closes them all, side by side, in bounded time.
func (u *unclaimed) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range u.sessions {
		all.Go(func() { closeSession(s) })
	}
	all.Wait()
	clear(u.sessions)
}

// do queues a command, which Update returns. It is counted, and its panic ends
// itself alone.
func (m *Model) do(f func() tea.Msg) {
	crew := m.crew
	m.cmds = append(m.cmds, func() (msg tea.Msg) {
		if !crew.enter() {
			return nil
		}
		defer crew.leave()
		return f()
	})
}

// ask queues a command that calls l's server. f gets the server and a context
// that ends with the attempt, and after limit (0: only with the attempt). What
// it returns comes back to Update unless the link has moved on. Where the server
// asked to be left alone for a while, f waits for that first.
func (m *Model) ask(l *link, limit time.Duration, f func(context.Context, Server) any) {
	if limit > 0 {
		l.load.requests++
	}
	stamp, ctx, server, hold := reply{link: l.index, attempt: l.attempt}, l.ctx, l.server, l.busyTo
	m.do(func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				stamp.news = panicked{fmt.Sprintf("%v\n%s", r, debug.Stack())}
				msg = stamp
			}
		}()
		if !sleepUntil(ctx, hold) {
			return nil
		}
		if limit > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, limit)
			defer cancel()
		}
		stamp.news = f(ctx, server)
		return stamp
	})
}

// sleepUntil waits until at and reports whether ctx lived so long. It is how a
// server's Retry-After is obeyed also by what a person wants.
func sleepUntil(ctx context.Context, at time.Time) bool {
	d := time.Until(at)
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// alarm is the one timer of the model. alarmMsg says that it went off.
type alarm struct {
	n    uint64
	at   time.Time // zero: not set
	stop context.CancelFunc
}

type alarmMsg struct{ n uint64 }

// arm sets the alarm to at unless it is set to an earlier time, at which at is
// looked at anew. A zero at sets nothing.
func (m *Model) arm(at time.Time) {
	if at.IsZero() || !m.alarm.at.IsZero() && !at.Before(m.alarm.at) {
		return
	}
	if m.alarm.stop != nil {
		m.alarm.stop()
	}
	ctx, stop := context.WithCancel(m.ctx)
	n := m.alarm.n + 1
	m.alarm = alarm{n: n, at: at, stop: stop}
	m.do(func() tea.Msg {
		if !sleepUntil(ctx, at) {
			return nil
		}
		return alarmMsg{n}
	})
}

// woke takes in that the alarm went off; one that was set anew since is not
// it.
func (m *Model) woke(msg alarmMsg) {
	if msg.n == m.alarm.n {
		m.alarm.stop()
		m.alarm.at = time.Time{}
	}
}

// asError returns err as a *task.Error, nil for nil.
func asError(err error) *task.Error {
	if err == nil {
		return nil
	}
	var e *task.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, errors.ErrUnsupported):
		return &task.Error{Kind: task.Unsupported, Message: task.Own("the server does not offer this"), Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &task.Error{Kind: task.Timeout, Message: task.Own("no answer in time"), Err: err}
	}
	return &task.Error{Kind: task.Internal, Message: task.CleanMax(err.Error(), 1024), Err: err}
}

// safely runs f; its panic becomes an error.
func safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &task.Error{Kind: task.Internal, Message: task.CleanMax(fmt.Sprintf("a fault of callboard: %v", r), 1024)}
		}
	}()
	return f()
}
