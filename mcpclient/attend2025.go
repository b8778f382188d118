package mcpclient

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

const (
	maxAttended = 32
	// attendAgain is the pause after a server answered tasks/result of a task
	// that is attended: it refused to block, or it is done with the task.
	attendAgain = time.Minute
	attendBase  = time.Second
	attendCap   = 30 * time.Second
	// attendGrace is how long a tasks/result whose task has ended may still
	// bring the result that is on its way.
	attendGrace = 5 * time.Second
)

// attendance is one tasks/result that is held open.
type attendance struct {
	cancel context.CancelFunc
	left   bool // the task is no longer in the list
	reread transport.Reread
	asked  chan struct{} // closed when the tasks/result on its way has ended; nil where none is
}

func (e *era2025) attend(ids []task.ID) {
	if len(ids) > maxAttended {
		ids = ids[:maxAttended]
	}
	wanted := make(map[task.ID]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	e.mu.Lock()
	var begun []func()
	for id, a := range e.attended {
		if !wanted[id] && !a.left {
			a.left = true
			begun = append(begun, e.leaveTask(id, a))
		}
	}
	for _, id := range ids {
		a := e.attended[id]
		if a != nil && !a.left || e.closed {
			continue
		}
		ctx, cancel := context.WithCancel(e.life)
		a = &attendance{cancel: cancel}
		e.attended[id] = a
		begun = append(begun, func() { e.hold(ctx, id, a) })
	}
	e.mu.Unlock()
	for _, f := range begun {
		e.spawn(f)
	}
}

// leaveTask returns what ends an attendance: at once where the task lives, so
// that somebody else gets its prompts; a little later where it has ended, for
// then the result is on its way. e.mu is held.
func (e *era2025) leaveTask(id task.ID, a *attendance) func() {
	if _, lives := e.live[id]; lives {
		return a.cancel
	}
	return func() {
		t := time.NewTimer(attendGrace)
		defer t.Stop()
		select {
		case <-t.C:
		case <-e.life.Done():
		}
		a.cancel()
	}
}

// hold keeps tasks/result of a task open until ctx ends.
func (e *era2025) hold(ctx context.Context, id task.ID, a *attendance) {
	defer a.cancel()
	defer func() {
		e.mu.Lock()
		if e.attended[id] == a {
			delete(e.attended, id)
		}
		e.mu.Unlock()
	}()
	e.awaitStream(ctx)
	if e.reopen(ctx, id) && (e.leaving(a) || !wait(ctx, attendAgain)) {
		return
	}
	for fails := 0; ctx.Err() == nil; {
		begun := time.Now()
		m, err := e.ask(ctx, id, a)
		pause := attendAgain
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && m.Error == nil:
			if e.leaving(a) {
				return
			}
		case err == nil:
			if sessionLost(m.Error, false) {
				_ = e.gone("tasks/result", m.Error) // Next tells it
				return
			}
		default:
			if time.Since(begun) >= transportAlive {
				fails = 0
			}
			pause = attendPause(err, fails)
			fails++
		}
		if !wait(ctx, pause) {
			return
		}
	}
}

// transportAlive is for how long a held request must have lasted for its break
// to be no failure to begin with.
const transportAlive = 10 * time.Second

func (e *era2025) leaving(a *attendance) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return a.left
}

// attendPause is the wait before tasks/result is asked anew after an error.
func attendPause(err error, fails int) time.Duration {
	var te *task.Error
	if !errors.As(err, &te) {
		return attendCap
	}
	switch te.Kind {
	case task.Busy:
		return max(te.RetryAfter, attendCap)
	case task.Lost, task.Unreachable, task.Timeout:
		return min(attendBase<<min(fails, 10), attendCap)
	default:
		return min(attendBase<<min(fails, 10), attendAgain) // it need not have been the server's word
	}
}

// wait reports whether d passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func resultRequest(id task.ID) request {
	return request{
		method: "tasks/result", params: onTask(id), patient: true, outcome: true, task: id,
		id: jsonrpc.StringID(newName("w")), told: new(atomic.Bool),
	}
}

// ask sends tasks/result for an attendance, and caches the result.
func (e *era2025) ask(ctx context.Context, id task.ID, a *attendance) (*jsonrpc.Message, error) {
	asked := make(chan struct{})
	e.mu.Lock()
	a.asked = asked
	e.mu.Unlock()
	r := resultRequest(id)
	r.reread = &a.reread
	m, err := e.exchange(ctx, r)
	rpc := refusal(m, err)
	e.pagesOf(id, rpc)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case rpc != nil && rpc.Code == jsonrpc.CodeURLElicitationRequired:
		e.results.add(id, cachedResult{raw: rpc.Data, rpc: rpc})
	case err == nil && m.Error == nil:
		e.results.add(id, cachedResult{raw: m.Result})
	}
	a.asked = nil
	close(asked)
	return m, err
}

// cached returns the result of a task that was attended. One that is on its way
// just now is waited for a little.
func (e *era2025) cached(ctx context.Context, id task.ID) (cachedResult, bool) {
	e.mu.Lock()
	r, ok := e.results.results[id]
	var asked chan struct{}
	if a := e.attended[id]; a != nil {
		asked = a.asked
	}
	e.mu.Unlock()
	if ok || asked == nil {
		return r, ok
	}
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-asked:
	case <-t.C:
	case <-ctx.Done():
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r, ok = e.results.results[id]
	return r, ok
}

// giveUpAll tells the server that the tasks/result that are held are no longer
// waited for, in bounded time.
func (e *era2025) giveUpAll(ctx context.Context) {
	e.mu.Lock()
	var ids []jsonrpc.ID
	for id, p := range e.pending {
		if p.held {
			ids = append(ids, id)
		}
	}
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	done := make(chan struct{})
	for _, id := range ids {
		go func() {
			_ = e.oneWay(ctx, cancelled(id, "callboard is closing")) // a courtesy
			done <- struct{}{}
		}()
	}
	for range ids {
		<-done
	}
}
