package mcpclient

import (
	"context"
	"errors"
	"net/http"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// listenAgain is the pause after a refusal of the GET stream that no waiting
// cures by itself, such as a token that must be renewed first.
const listenAgain = time.Minute

// An answer to GET that only seems to say that there is no stream, such as the page
// of a proxy while its server starts, is believed when it came so often; until then
// GET is sent again after refusedAgain.
const (
	refusedAgain = 5 * time.Second
	refusedTries = 3
)

// listen begins the GET stream. That of another program's session stays its own,
// since a second one could take its messages: where we only look on, and, on
// demand, until the person asks for something that may come on it.
func (e *era2025) listen() {
	joined := e.about().Joined
	switch {
	case e.silent() && joined:
		e.triedStream()
		e.feed.add(task.Stream{Never: true, Why: "another program's session is only looked at: its stream stays its own"})
	case e.ep.cfg.OnDemand && joined:
		e.mu.Lock()
		e.unasked = true
		e.mu.Unlock()
		e.feed.add(task.Stream{Never: true, Why: "on demand: the stream of another program's session stays its own until a question is opened"})
	default:
		e.listenNow()
	}
}

// wantStream begins the GET stream where it was left until somebody asks.
func (e *era2025) wantStream() {
	e.mu.Lock()
	unasked := e.unasked
	e.unasked = false
	e.mu.Unlock()
	if unasked {
		e.ep.Note("the stream of another program's session is opened: something that may come on it was asked for")
		e.listenNow()
		e.reopenAll()
	}
}

func (e *era2025) listenNow() {
	e.spawn(func() {
		if wait(e.life, streamPatience) {
			e.triedStream()
		}
	})
	e.spawn(e.keepListening)
}

func (e *era2025) triedStream() { e.tried.Do(func() { close(e.streamTried) }) }

func (e *era2025) keepListening() {
	defer e.triedStream()
	for refused := 0; ; {
		err := e.listenOnce()
		if e.life.Err() != nil {
			return
		}
		e.triedStream()
		if errors.Is(err, context.Canceled) {
			continue // nudged
		}
		e.mu.Lock()
		e.streamTriedAgain(time.Time{}, time.Time{})
		e.mu.Unlock()
		never, why := e.refusedStream(err)
		if e.life.Err() != nil {
			return // it was the session that is gone
		}
		pause := listenAgain
		if refused++; !never {
			refused = 0
		} else if !errors.Is(err, transport.ErrNoStream) && refused < refusedTries {
			never, pause = false, refusedAgain
		}
		out := task.Stream{Never: never, Why: why}
		if !never {
			out.RetryAt = time.Now().Add(pause)
		}
		e.ep.Note("the GET stream: " + why)
		e.feed.add(out)
		if never || !wait(e.life, pause) {
			return
		}
	}
}

// listenOnce keeps the GET stream open until trying again cannot help, or until
// it is nudged.
func (e *era2025) listenOnce() error {
	ctx, cancel := context.WithCancel(e.life)
	defer cancel()
	quit := make(chan struct{})
	defer close(quit)
	e.spawn(func() {
		select {
		case <-e.nudge:
			cancel()
		case <-quit:
		}
	})
	o := newOrigin()
	e.mu.Lock()
	last := e.lastEvent
	missed := e.wasUp && last == "" // what came since it was up is lost
	e.mu.Unlock()
	if o.last = last; last != "" {
		o.heads.Store(1) // what comes first may be a replay
	}
	return e.tr.Listen(ctx, transport.Listening{
		LastEventID: last,
		Handle:      func(m *jsonrpc.Message) bool { e.take(m, o, ""); return false },
		Seen: func(id string) {
			o.last = id
			e.mu.Lock()
			defer e.mu.Unlock()
			e.lastEvent = id
		},
		Up: func(gap bool) {
			o.heads.Add(1)
			e.mu.Lock()
			e.wasUp = true
			e.streamTriedAgain(time.Time{}, time.Time{})
			e.mu.Unlock()
			e.ep.Note("the GET stream is open")
			e.feed.add(task.Stream{Up: true, Gap: gap || missed})
			missed = false
			e.triedStream()
		},
		Down: func(err error, retryAt time.Time) {
			o.opensAt(time.Now())
			e.streamDown(err, retryAt)
		},
	})
}

func (e *era2025) streamDown(err error, retryAt time.Time) {
	why := "the server closed the stream; it is opened again"
	if err != nil {
		why = e.ep.explain("GET", err).Message.Line()
	}
	var network *transport.NetError
	var failed, back time.Time
	if errors.As(err, &network) {
		failed = retryAt
	}
	e.mu.Lock()
	// A server that numbers its events says them again, unless it was started anew.
	if !failed.IsZero() || e.lastEvent == "" {
		back = retryAt
	}
	e.streamTriedAgain(failed, back)
	e.mu.Unlock()
	e.ep.Note("the GET stream is down: " + why)
	e.feed.add(task.Stream{Why: why, RetryAt: retryAt})
	e.triedStream()
}

// nudgeMin is how much sooner a nudge must bring the stream back to be worth it.
const nudgeMin = 2 * time.Second

// answered notes that the server answers again. A GET stream that waits because
// it did not comes back at once, not when its back-off ends.
func (e *era2025) answered() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.retryAt.IsZero() && time.Until(e.retryAt) > nudgeMin {
		e.nudgeStream()
	}
}

// nudgeStream has the GET stream tried now. e.mu is held.
func (e *era2025) nudgeStream() {
	e.retryAt, e.backAt = time.Time{}, time.Now()
	select {
	case e.nudge <- struct{}{}:
	default:
	}
}

// streamTriedAgain notes the outcome of a try at the GET stream: when the next is,
// zero where it is up or stays away. e.mu is held.
func (e *era2025) streamTriedAgain(retryAt, backAt time.Time) {
	e.retryAt, e.backAt = retryAt, backAt
	close(e.triedNow)
	e.triedNow = make(chan struct{})
}

// comingBack returns what is closed once a GET stream that went down was tried
// again, and how long that is worth waiting for; 0 where it is not. One that the
// network failed is tried now.
func (e *era2025) comingBack() (tried <-chan struct{}, patience time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.retryAt.After(time.Now()) {
		e.nudgeStream()
	}
	if e.backAt.IsZero() || time.Until(e.backAt) > streamPatience {
		return nil, 0
	}
	return e.triedNow, max(0, time.Until(e.backAt.Add(streamPatience)))
}

func (e *era2025) streamWasUp() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.wasUp
}

// refusedStream finds out what it means that there is no GET stream. It ends
// the session where that is what was refused.
func (e *era2025) refusedStream(err error) (never bool, why string) {
	if errors.Is(err, transport.ErrNoStream) {
		return true, "the server offers no stream of its own"
	}
	var (
		status  *transport.StatusError
		content *transport.ContentError
	)
	wasUp := e.streamWasUp()
	why = e.ep.explain("GET", err).Message.Line()
	if !errors.As(err, &status) {
		return errors.As(err, &content) && !wasUp, why
	}
	switch status.Status {
	case http.StatusNotFound:
		// A server may have no route for GET, which is no lost session.
		if wasUp || status.RPC != nil && lostWords(status.RPC.Message) || lostWords(status.Snippet) {
			if e.lostBy(err) {
				_ = e.gone("GET", err) // Next tells it
			}
		}
		return true, why
	case http.StatusBadRequest:
		if e.lostBy(err) {
			_ = e.gone("GET", err) // Next tells it
		}
		return true, why
	}
	return false, why
}
