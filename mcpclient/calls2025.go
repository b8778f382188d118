package mcpclient

import (
	"context"
	"errors"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// call is manners.call.
func (e *era2025) call(ctx context.Context, c *call, p fields) (*jsonrpc.Message, error) {
	e.awaitStream(ctx)
	return e.exchange(ctx, request{method: "tools/call", params: p, id: c.request, patient: true, outcome: true, call: c.id, told: &c.told})
}

func (e *era2025) abandon(ctx context.Context, id task.CallID) error {
	e.mu.Lock()
	c := e.calls.running[id]
	e.mu.Unlock()
	if c == nil {
		return fail(task.Unsupported, "the call is not on its way any more")
	}
	c.abandoned.Store(true)
	c.told.Store(true)
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := e.oneWay(ctx, cancelled(c.request, "the person cancelled it")); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = timedOut(requestTimeout)
		}
		c.abandoned.Store(false)
		return e.ep.explain("notifications/cancelled", err)
	}
	e.spawn(func() {
		t := time.NewTimer(abandonGrace)
		defer t.Stop()
		select {
		case <-t.C:
		case <-e.life.Done():
		}
		c.cancel()
	})
	return nil
}

// awaitStream waits until the GET stream is open, or was tried, or keeps us
// waiting for too long: what work asks may come on it at once. So it does where
// the stream went down and comes back. Where it was left until now it is opened.
func (e *era2025) awaitStream(ctx context.Context) {
	e.wantStream() //nolint:contextcheck // what it opens lives as long as the session
	select {
	case <-e.streamTried:
	case <-ctx.Done():
		return
	}
	tried, patience := e.comingBack()
	if patience == 0 {
		return
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-tried:
	case <-late.C:
	case <-ctx.Done():
	}
}
