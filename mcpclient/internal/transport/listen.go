package transport

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Listening is how the GET stream is listened to.
type Listening struct {
	// Handle takes the messages; what it returns is of no matter here.
	Handle Handler

	// LastEventID seeds the resumption, where the session is a rejoined one.
	LastEventID string

	// Seen, if set, is told each event id after its event was handled; empty
	// when the server no longer knows the last one.
	Seen func(id string)

	// Up, if set, is called each time the stream is open, before its first
	// message. gap says that messages may have been missed since it was last
	// open: it could not be resumed, or something was left out.
	Up func(gap bool)

	// Down, if set, is called each time the stream ended or could not be
	// opened and will be tried again. why is an error of this package; nil
	// where the server closed the stream in good order. retryAt is when the
	// next try is.
	Down func(why error, retryAt time.Time)
}

// Listen opens the GET stream and keeps it open: it comes back when the stream
// ends, resumed where the server knows the last event id, with a back-off that
// starts afresh after progress. It returns when ctx or the transport ends, or
// where trying again cannot help: ErrNoStream, *StatusError (401, 403, 404 and
// others that blame the request), *RedirectError, *ContentError, or what
// Authorize returned. Waits of the server (Retry-After, retry:) are obeyed, and
// 409 is tried again slowly.
func (t *Transport) Listen(ctx context.Context, l Listening) error {
	if err := t.enter(); err != nil {
		return err
	}
	defer t.wg.Done()
	ctx, cancel := t.bound(ctx)
	defer cancel(nil)
	s := &listener{t: t, l: l, lastID: l.LastEventID, pace: newPace(t.cfg.Timing)}
	for {
		a := s.attempt()
		e := a.run(ctx)
		if ctx.Err() != nil {
			return causeError(ctx)
		}
		s.lastID = a.lastID
		if e.opened && s.lastID == "" {
			s.missed = true
		}
		if e.refused != nil {
			if s.forgotten(e.refused) {
				continue
			}
			if !transient(e.refused) {
				return refusal(e.refused)
			}
		}
		wait := s.pace.next(a, e)
		if l.Down != nil {
			l.Down(firstOf(e), time.Now().Add(wait))
		}
		if sleep(ctx, wait) != nil {
			return causeError(ctx)
		}
	}
}

// listener is the state of one Listen.
type listener struct {
	t      *Transport
	l      Listening
	lastID string
	missed bool // something may have been, since the stream was last open
	pace   pace
	reread Reread
}

func (s *listener) attempt() *attempt {
	return &attempt{
		t:      s.t,
		method: http.MethodGet,
		// Not every server sends headers before it has something to say.
		answer: s.t.cfg.Timing.Idle,
		idle:   s.t.cfg.Timing.Idle,
		lastID: s.lastID,
		handle: s.l.Handle,
		seen:   s.l.Seen,
		reread: &s.reread, repeats: true,
		head: func(Head) {
			if s.l.Up != nil {
				s.l.Up(s.missed)
			}
			s.missed = false
		},
	}
}

// refusal gives the two statuses that say that there is no such stream the
// error that says so.
func refusal(err error) error {
	var status *StatusError
	if errors.As(err, &status) &&
		(status.Status == http.StatusMethodNotAllowed || status.Status == http.StatusNotImplemented) {
		return ErrNoStream
	}
	return err
}

// forgotten reports whether the refusal means that the server no longer knows
// the last event id. Then the stream begins afresh, at once, with a gap.
func (s *listener) forgotten(err error) bool {
	var status *StatusError
	if s.lastID == "" || !errors.As(err, &status) || status.Status != http.StatusBadRequest {
		return false
	}
	s.lastID, s.missed = "", true
	if s.l.Seen != nil {
		s.l.Seen("")
	}
	return true
}
