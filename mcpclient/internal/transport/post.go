package transport

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Call is one message to send by POST.
type Call struct {
	// Body is the JSON text. It must not be written to afterwards.
	Body []byte

	// Header is added to this call's request. It wins over Config.Header, not
	// over what this package sets itself.
	Header http.Header

	// OneWay says that the message is a notification or a response, to which
	// no reply belongs: any status of success ends the call.
	OneWay bool

	// Final says that a stream that breaks before the reply is not resumed,
	// whatever event ids it showed (MCP 2026-07-28 has no resumption). Then
	// ending ctx, which closes the stream, cancels the request.
	Final bool

	// Idle, if set, is for how long the stream may be silent, a comment being
	// as good as an event, and the headers may keep us waiting.
	Idle time.Duration

	// LastEventID, if set, has the call begin with the resumption of a stream
	// that an earlier call opened, behind that event; Body is not sent. A
	// refusal of it is the error, as it is of a message.
	LastEventID string

	// Seen, if set, is told each event id of the stream after its event was
	// handled; empty when the server took the last one back.
	Seen func(id string)

	// Reread, if set, says that asking again is safe: the stream is given up at
	// an event that cannot be read, even where it cannot be resumed. It is kept
	// from one such call to the next.
	Reread *Reread

	// Patient says that the server may take as long as it likes before its
	// first byte (tools/call, tasks/result of a live task). Other calls fail
	// when Timing.Answer passes without.
	Patient bool

	// Handle takes what the server sends in return. It may be called after
	// Post returned, for what comes behind the reply on the same stream
	// (within Timing.Linger); Close waits for it. Nil drops all.
	Handle Handler

	// Head, if set, is called with the headers of each successful response,
	// the ones of resumed streams included, before the first message of it.
	Head func(Head)
}

// Head is what a session wants to know of a response's headers.
type Head struct {
	Status    int
	SessionID string    // Mcp-Session-Id, a secret; empty where there is none
	Date      time.Time // by the server's clock, whole seconds; zero where there is none
	Sent      time.Time // when the request was sent, by our clock
	Received  time.Time // when the headers came, by our clock
	Stream    bool      // the body is a stream of events
}

// Post sends a message and returns once its reply has been handled, or, one
// way, once the server took it. A stream that breaks before the reply is
// resumed by its event id, for as long as ctx lives; ending ctx closes the
// stream, which is not cancelling (the session sends a notification for that).
//
// Errors: *NetError (not sent), *LostError (sent, no reply to be had),
// *StatusError, *RedirectError, *ContentError, *MalformedError,
// *TooLargeError, and what Authorize returned. All of the end of ctx or of the
// transport match context.Canceled, context.DeadlineExceeded or ErrClosed.
func (t *Transport) Post(ctx context.Context, c Call) error {
	if ctx.Err() != nil {
		return causeError(ctx)
	}
	if err := t.enter(); err != nil {
		return err
	}
	p := &post{t: t, call: c, replied: make(chan struct{}), ended: make(chan struct{})}
	// The stream may outlive this function, so it must outlive ctx too, which
	// the caller is free to end when it has its reply.
	run, cancel := t.bound(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { cancel(ctx.Err()) })
	p.cancel = cancel
	go func() {
		defer t.wg.Done()
		defer cancel(nil)
		p.err = p.run(run)
		if p.linger != nil {
			p.linger.Stop()
		}
		close(p.ended)
	}()
	defer unhook()
	select {
	case <-p.replied:
		return nil
	case <-p.ended:
	}
	select {
	case <-p.replied:
		return nil
	default:
		return p.err
	}
}

// post is one Call on its way, over as many exchanges as its stream needs.
type post struct {
	t       *Transport
	call    Call
	cancel  context.CancelCauseFunc
	replied chan struct{} // closed when the reply has been handled
	linger  *time.Timer   // set with replied
	ended   chan struct{} // closed when the goroutine is through
	err     error         // set before ended
	pace    pace
	reread  *Reread // nil: its stream is not torn
	unread  *skipped
}

// reply notes that the reply has come. What follows on the stream is still
// taken, for a while: some servers go on about a task on the stream of the call
// that made it, and a stream that the server ends leaves its connection whole.
func (p *post) reply() {
	if p.linger != nil {
		return
	}
	p.linger = time.AfterFunc(p.t.cfg.Timing.Linger, func() { p.cancel(errLinger) })
	close(p.replied)
}

func (p *post) attempt(method, lastID string) *attempt {
	a := &attempt{
		t:       p.t,
		method:  method,
		resumed: method == http.MethodGet,
		oneWay:  p.call.OneWay,
		lastID:  lastID,
		handle:  p.call.Handle,
		head:    p.call.Head,
		seen:    p.call.Seen,
		replied: p.reply,
		reread:  p.reread,
		repeats: p.call.Reread != nil,
	}
	if method == http.MethodPost {
		a.body, a.header = p.call.Body, p.call.Header
	}
	switch a.idle = p.call.Idle; {
	case a.idle > 0:
		a.answer = a.idle
	case !p.call.Patient:
		a.answer = p.t.cfg.Timing.Answer
	}
	return a
}

// run sends the message, and resumes its stream until the reply has come.
func (p *post) run(ctx context.Context) error {
	p.pace = newPace(p.t.cfg.Timing)
	if p.reread = p.call.Reread; p.reread == nil && !p.call.Final {
		p.reread = new(Reread)
	}
	a := p.attempt(http.MethodPost, "")
	if p.call.LastEventID != "" {
		a = p.attempt(http.MethodGet, p.call.LastEventID)
	}
	e := a.run(ctx)
	switch {
	case p.linger != nil:
		return nil
	case e.refused != nil:
		return e.refused
	case e.broken != nil && !e.opened:
		if !a.sent.whole() || refusedCertificate(e.broken.Err) {
			return e.broken
		}
		return p.lost(e.broken, "the link broke")
	}
	for healthy := time.Now(); ; {
		if ctx.Err() != nil {
			return p.lost(causeError(ctx), "it was no longer waited for")
		}
		if p.unread = p.unread.after(a); p.unread.hopeless() {
			return p.lost(p.unread.err, "an event of its stream could not be read, and nothing came behind it")
		}
		if a.lastID == "" || p.call.Final {
			return p.unresumable(a, e)
		}
		if e.opened {
			healthy = time.Now()
		} else if time.Since(healthy) >= p.t.cfg.Timing.Resume {
			return p.lost(firstOf(e), "its stream broke and could not be resumed")
		}
		if sleep(ctx, p.pace.next(a, e)) != nil {
			continue // which finds out why
		}
		a = p.attempt(http.MethodGet, a.lastID)
		e = a.run(ctx)
		if p.linger != nil {
			return nil
		}
		if e.refused != nil && !transient(e.refused) {
			return p.lost(e.refused, "its stream broke and could not be resumed")
		}
	}
}

// unresumable is the error for a stream that ended before the reply and cannot
// be resumed.
func (p *post) unresumable(a *attempt, e ending) error {
	switch {
	case e.broken != nil:
		return p.lost(e.broken, "its stream broke")
	case a.malformed != nil:
		return a.malformed
	case a.gate == nil:
		return p.lost(nil, "the response held other messages only")
	}
	return p.lost(nil, "its stream ended without it")
}

func (p *post) lost(err error, why string) error {
	lost := &LostError{Kind: Other, Why: why, Err: err}
	var n *NetError
	if errors.As(err, &n) {
		lost.Kind = n.Kind
	}
	return lost
}

func firstOf(e ending) error {
	if e.refused != nil {
		return e.refused
	}
	if e.broken != nil {
		return e.broken
	}
	return nil
}
