package mcpclient

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

const (
	// reopenPatience is how long a stream that is resumed may take to bring the
	// question for which it is. Servers that do not know the event are silent.
	reopenPatience = 5 * time.Second
	reopenAgain    = time.Second
	// reopenLinger is how long a stream is still read after another tasks/result
	// took its place: what is on its way comes on it.
	reopenLinger = 2 * time.Second
	// reopenLook is how often the stream of a call is resumed anew once nothing is
	// asked on it any more: some servers give one that was resumed what is there,
	// and nothing that comes.
	reopenLook = 20 * time.Second
	// receivedLook is the same, after the last event, where the server polls on that
	// stream for a task that we receive; longer each time that nothing came.
	receivedLook = 2 * receivedPoll
)

// reopening is a stream that is resumed for the questions that stand in it. A
// server goes on with the request of ours that opened it: its reply comes there
// too, unless it was given up, or the server gives what comes live to nobody.
type reopening struct {
	place             // the oldest
	mine  *call       // the plain call that it is of; nil for none
	told  atomic.Bool // the server knows that the reply is no longer waited for, or is not to be told that here

	// Guarded by engine.mu.
	asks map[askedAs]bool // have not come
	open int              // have come, and wait for an answer
	gone bool             // over is closed

	came chan struct{} // closed once nothing is left of asks
	over chan struct{} // closed once nothing is open any more either
	due  chan struct{} // closed once another tasks/result may take its place
}

// glance reports whether the stream is left again as soon as the questions have
// come: it is another process's to read, or brings nothing else of use.
func (g *reopening) glance() bool { return g.mine == nil && g.told.Load() }

// closed notes that a question that g brought is no longer open. engine.mu is
// held; g may be nil.
func (g *reopening) closed() {
	if g != nil {
		g.open--
		g.settle()
	}
}

// settle closes over where it is time. engine.mu is held.
func (g *reopening) settle() {
	if len(g.asks) == 0 && g.open == 0 && !g.gone {
		g.gone = true
		close(g.over)
	}
}

// cameAgain notes that a question came, which p is, or was: then p is nil. e.mu
// is held.
func (e *era2025) cameAgain(as askedAs, p *prompt) {
	e.kept = slices.DeleteFunc(e.kept, func(k place) bool { return k.Mine != "" && k.as() == as })
	for _, g := range e.reopens {
		if !g.asks[as] {
			continue
		}
		delete(g.asks, as)
		if p != nil && p.reopens == nil {
			p.reopens = g
			g.open++
		}
		if len(g.asks) == 0 {
			close(g.came)
		}
		g.settle()
	}
}

// reopenings returns the streams in which the questions stand that which
// chooses, and that are not resumed already.
func (e *era2025) reopenings(which func(place) bool) []*reopening {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ep.cfg.ReadOnly {
		return nil
	}
	var gs []*reopening
	for _, p := range e.kept {
		if p.Of == "" || p.After == "" || !which(p) || p.Mine != "" && e.postOnly || slices.ContainsFunc(e.reopens, func(g *reopening) bool { return g.asks[p.as()] }) {
			continue
		}
		i := slices.IndexFunc(gs, func(g *reopening) bool { return g.Of == p.Of && g.Task == p.Task })
		if i >= 0 { // kept in the order in which they came
			gs[i].asks[p.as()] = true
			continue
		}
		g := &reopening{
			place: p, asks: map[askedAs]bool{p.as(): true},
			came: make(chan struct{}), over: make(chan struct{}), due: make(chan struct{}),
		}
		g.told.Store(!p.Waits || e.postOnly)
		gs = append(gs, g)
	}
	e.reopens = append(e.reopens, gs...)
	// Those of tasks that we receive are open again already.
	for _, p := range slices.Clone(e.kept) {
		if q := e.prompts.asked[p.Ask]; p.Mine != "" && q != nil && q.params == p.Sum {
			e.cameAgain(p.as(), q)
		}
	}
	return gs
}

// reopenAll resumes the streams of the questions that no task is attended for:
// those of plain calls, and the server's own. A session that others use as well
// is left to them.
func (e *era2025) reopenAll() {
	e.mu.Lock()
	unasked := e.unasked
	e.mu.Unlock()
	if unasked {
		return
	}
	for _, g := range e.reopenings(func(p place) bool { return p.Task == "" }) {
		ctx, cancel := context.WithCancel(e.life)
		if g.Call != "" {
			g.mine = &call{id: g.Call, request: g.Of, cancel: cancel}
			e.mu.Lock()
			e.calls.running[g.Call] = g.mine
			e.mu.Unlock()
		}
		e.spawn(func() {
			defer cancel()
			e.awaitStream(ctx)
			_ = e.resumeStream(ctx, g) // what came of it is told
		})
	}
}

// reopen resumes the streams of a task's questions that were left open, and
// returns when its tasks/result is due. It reports whether that has its reply.
func (e *era2025) reopen(ctx context.Context, id task.ID) (replied bool) {
	var got atomic.Bool
	gs := e.reopenings(func(p place) bool { return p.Task == id })
	for _, g := range gs {
		e.spawn(func() {
			if e.resumeStream(ctx, g) {
				got.Store(true)
			}
		})
	}
	for _, g := range gs {
		select {
		case <-g.due:
		case <-ctx.Done():
			return false
		}
	}
	return got.Load()
}

// resumeStream resumes the stream of a request that was sent before. It reports
// whether the reply to a tasks/result came.
func (e *era2025) resumeStream(ctx context.Context, g *reopening) (replied bool) {
	r := request{
		method: "tools/call", id: g.Of, after: g.After, patient: true, outcome: true, task: g.Task, call: g.Call, told: &g.told,
	}
	if g.Waits {
		// Where it breaks again, another one takes its place.
		r.method, r.final = "tasks/result", true
	}
	var opened atomic.Bool
	r.head = func(transport.Head) { opened.Store(true) }
	e.ep.Note("the stream of an earlier " + r.method + " is resumed: a question on it is open")
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	e.spawn(func() { e.guard(run, cancel, g, r) })
	m, err := e.readOn(run, g, r)
	for passing(err) && run.Err() == nil && !e.leftOpen(g) && wait(run, reopenAgain) {
		m, err = e.readOn(run, g, r)
	}
	switch came := e.leftOpen(g); {
	case err == nil && g.mine != nil:
		e.finishCall(g.mine, m, nil)
	case err == nil && g.Waits && m.Error == nil:
		e.mu.Lock()
		e.results.add(g.Task, cachedResult{raw: m.Result})
		e.mu.Unlock()
		replied = true
	case g.mine != nil && came:
		e.finishCall(g.mine, nil, err)
	}
	// What did not come for want of a connection may come another time.
	e.reopened(g, ctx.Err() != nil || passing(err) || run.Err() != nil && !opened.Load())
	if g.Waits && !replied && ctx.Err() == nil {
		e.giveUp(r, "its stream was lost")
	}
	e.dueNow(g)
	return replied
}

// readOn reads a stream that is resumed, up to the reply.
func (e *era2025) readOn(ctx context.Context, g *reopening, r request) (*jsonrpc.Message, error) {
	if g.mine == nil {
		return e.exchange(ctx, r)
	}
	var last atomic.Pointer[time.Time] // event
	r.seen = func(id string) {
		now := time.Now()
		last.Store(&now)
		if id != "" {
			r.after = id
		}
	}
	pause := receivedLook
	for {
		look, cancel := context.WithCancel(ctx)
		before, patience := last.Load(), pause
		e.spawn(func() {
			if g.Mine != "" {
				quiet(look, &last, patience)
				cancel()
				return
			}
			select {
			case <-g.over:
			case <-look.Done():
			}
			if wait(look, reopenLook) {
				cancel()
			}
		})
		m, err := e.exchange(look, r)
		if pause *= 2; last.Load() != before {
			pause = receivedLook
		}
		pause = min(pause, reopenLook)
		again := err != nil && ctx.Err() == nil && look.Err() != nil
		cancel()
		if !again {
			return m, err
		}
	}
}

// quiet waits until nothing came for d, or ctx ends.
func quiet(ctx context.Context, last *atomic.Pointer[time.Time], d time.Duration) {
	for left := d; left > 0 && wait(ctx, left); {
		at := last.Load()
		if at == nil {
			return
		}
		left = d - time.Since(*at)
	}
}

// guard watches over a stream that is resumed, and ends it when it is of no more
// use.
func (e *era2025) guard(ctx context.Context, end context.CancelFunc, g *reopening, r request) {
	t := time.NewTimer(reopenPatience)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return
	case <-t.C:
		if !e.leftOpen(g) {
			end()
			return
		}
		e.expect(g)
	case <-g.came:
	}
	switch {
	case g.mine != nil:
		return
	case g.glance():
		end()
		return
	}
	select {
	case <-ctx.Done():
		return
	case <-g.over:
	}
	// The task goes on. On this stream too, perhaps: which server gives what
	// comes live to a stream that was resumed is not known. But it gives a
	// question to one tasks/result only, so that there must not be two.
	e.giveUp(r, "no longer waited for")
	e.dueNow(g)
	if wait(ctx, reopenLinger) {
		end()
	}
}

// leftOpen reports whether any of the questions came.
func (e *era2025) leftOpen(g *reopening) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return g.open > 0 || len(g.asks) == 0
}

// expect stops waiting for those of g's questions that have not come.
func (e *era2025) expect(g *reopening) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forget(g)
	g.settle()
}

// forget forgets the places of the questions that g did not bring. e.mu is held.
func (e *era2025) forget(g *reopening) {
	e.kept = slices.DeleteFunc(e.kept, func(p place) bool { return g.asks[p.as()] })
	clear(g.asks)
}

// reopened notes that g's stream has ended. again: what it did not bring stays
// where it is.
func (e *era2025) reopened(g *reopening, again bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !again {
		e.forget(g)
	}
	e.reopens = slices.DeleteFunc(e.reopens, func(o *reopening) bool { return o == g })
	if g.mine != nil && e.calls.running[g.Call] == g.mine {
		delete(e.calls.running, g.Call)
	}
}

// dueNow lets another tasks/result take the place of g's.
func (e *era2025) dueNow(g *reopening) {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-g.due:
	default:
		close(g.due)
	}
}

// passing reports whether what kept a stream from being resumed may pass by
// itself.
func passing(err error) bool {
	var (
		status  *transport.StatusError
		network *transport.NetError
	)
	if errors.As(err, &status) {
		return status.Status == http.StatusConflict || status.Status == http.StatusTooManyRequests || status.Status >= 500
	}
	return errors.As(err, &network)
}
