package transport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// minRetry keeps a server that says `retry: 0` and ends each stream at once
// from making us spin.
const minRetry = 20 * time.Millisecond

// pace says how long to wait before the next attempt at a stream. Its back-off
// starts afresh on progress, not on connection: a server that accepts and drops
// is no better than one that is down.
type pace struct {
	timing Timing
	retry  time.Duration // what the server asked for last; negative if it did not
	fails  int           // attempts without progress, in a row
}

func newPace(t Timing) pace { return pace{timing: t, retry: -1} }

// next returns the wait after the attempt a, which ended as e.
func (p *pace) next(a *attempt, e ending) time.Duration {
	if a.retry >= 0 {
		p.retry = a.retry
	}
	if e.good {
		p.fails = 0
	} else {
		p.fails++
	}
	var status *StatusError
	if errors.As(e.refused, &status) {
		if status.Status == http.StatusConflict && !a.resumed {
			return spread(p.timing.Held)
		}
		if status.RetryAfter > 0 {
			return p.atLeast(status.RetryAfter)
		}
	}
	if p.fails == 0 && p.retry >= 0 {
		return later(max(p.retry, min(minRetry, p.timing.Base)))
	}
	return p.atLeast(p.retry)
}

// atLeast is our own back-off, doubled with each failure behind the first, or
// the wait that the server asked for where that is longer.
func (p *pace) atLeast(asked time.Duration) time.Duration {
	own := p.timing.Base
	for i := 1; i < p.fails && own < p.timing.Cap; i++ {
		own *= 2
	}
	own = min(own, p.timing.Cap)
	if asked > own {
		return later(asked)
	}
	return max(spread(own), asked)
}

// spread is d with a fifth more or less, so that many clients of a server that
// came back do not come all at once.
func spread(d time.Duration) time.Duration {
	return d - d/5 + rand.N(d*2/5+1)
}

// later is d and up to a tenth more: never sooner than the server asked for.
func later(d time.Duration) time.Duration {
	return d + rand.N(d/10+1)
}

// sleep waits, and fails where ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// transient reports whether a refusal may pass by itself: the server is busy,
// down, or still holds the stream for a connection that is gone.
func transient(err error) bool {
	var status *StatusError
	if !errors.As(err, &status) {
		return false
	}
	switch status.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented:
		return false
	}
	return status.Status >= 500
}
