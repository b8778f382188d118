package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/r3labs/sse/v2"
	"golang.org/x/net/http/httpguts"
	"gopkg.in/cenkalti/backoff.v1"

	"callboard/mcpclient/internal/jsonrpc"
)

// Why an attempt's own context ended.
var (
	errNoAnswer = errors.New("no answer in time")
	errIdle     = errors.New("the stream was silent for too long")
	errLinger   = errors.New("the reply has come")
)

// errTaken makes r3labs return after a body that was no stream and has been
// dealt with.
var errTaken = errors.New("taken")

// attempt is one HTTP exchange whose response may be a stream: a POST, the
// resumption of its stream, or the GET stream. It is the RoundTripper and the
// ResponseValidator of one sse.Client.
type attempt struct {
	t       *Transport
	method  string
	body    []byte
	header  http.Header // of this exchange alone
	oneWay  bool
	resumed bool          // continues the stream of a POST
	answer  time.Duration // bound on the wait for headers, 0 for none
	idle    time.Duration // bound on silence in the stream, 0 for none
	lastID  string        // the last event id taken over
	handle  Handler
	head    func(Head)
	seen    func(id string)
	replied func() // the reply has come, or a one-way message was taken
	reread  *Reread
	repeats bool // what the stream brought comes again where it is begun anew

	cancel    context.CancelCauseFunc
	guard     *time.Timer // ends the attempt when nothing comes, or nil
	number    uint64      // of the exchange
	sentAt    time.Time
	sent      sentState
	secrets   []string // not to be repeated in an error
	opened    time.Time
	gate      *gate
	events    int
	messages  int
	retry     time.Duration // what the stream asked us to wait; negative if it did not
	malformed error         // the last event that was no message
	torn      bool          // in front of it
	passed    error         // the last one that was damaged, and was gone past
	large     *TooLargeError
	refused   error // what the validator or the round trip made of the response
}

// ending is how an attempt ended. At most one of refused and broken is set.
type ending struct {
	refused error // a typed error: there was a response, and it was no stream and no reply
	broken  *NetError
	opened  bool // there was a stream
	good    bool // it made progress: an event, or time
}

// ofPost reports whether the stream is to end with a reply.
func (a *attempt) ofPost() bool { return a.method == http.MethodPost || a.resumed }

// run makes the exchange and reads its stream to the end.
//
// r3labs' own reconnecting is switched off (StopBackOff, one Client for each
// attempt): it would give up 15 minutes after it began however healthy it was
// since, take a clean end for the end of all, retry what cannot be helped (401,
// 405, the end of the context), and pass over `retry:`. Its channels leak
// goroutines, and two subscriptions on one Client race, so this is the only
// call of it.
func (a *attempt) run(ctx context.Context) ending {
	ctx, a.cancel = context.WithCancelCause(ctx)
	defer a.cancel(nil)
	a.retry = -1
	client := sse.NewClient(a.t.url, sse.ClientMaxBufferSize(a.t.cfg.Limits.Event+2*maxEventID+gateChunk))
	client.ReconnectStrategy = &backoff.StopBackOff{}
	client.Connection = &http.Client{
		Transport:     a,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	client.ResponseValidator = a.validate
	// LastEventID need not be seeded: request sets the header, and an event
	// without an id changes nothing of ours.
	err := client.SubscribeRawWithContext(ctx, a.event)
	if a.guard != nil {
		a.guard.Stop()
	}
	return a.ending(ctx, err)
}

func (a *attempt) ending(ctx context.Context, err error) ending {
	e := ending{opened: !a.opened.IsZero()}
	e.good = a.events > 0 || (e.opened && time.Since(a.opened) >= a.t.cfg.Timing.Alive)
	var cutOff *LostError
	switch {
	case a.large != nil && a.ofPost():
		e.refused = a.large
	case ctx.Err() != nil && (a.refused == nil || errors.As(a.refused, &cutOff)):
		e.broken = causeError(ctx)
	case a.refused != nil:
		if !errors.Is(a.refused, errTaken) {
			e.refused = a.refused
		}
	case a.gate != nil:
		switch {
		case a.gate.err != nil && !errors.Is(a.gate.err, io.EOF):
			e.broken = netError(a.gate.err)
		case a.gate.cut:
			e.broken = &NetError{Kind: Broken, Err: errors.New("the stream ended within an event")}
		}
	case err != nil:
		e.broken = netError(err)
	}
	return e
}

// validate sees each response first: only here is the exchange known to be
// connected. It closes the body of whatever it refuses, for r3labs does not.
func (a *attempt) validate(_ *sse.Client, resp *http.Response) error {
	stream, err := a.judge(resp)
	if stream {
		return nil
	}
	_ = resp.Body.Close() // there is nothing to be done about it
	if err == nil {
		err = errTaken
	}
	a.refused = err
	return err
}

// judge reports whether the response is a stream to be read, or else deals with
// it.
func (a *attempt) judge(resp *http.Response) (stream bool, err error) {
	kind := mediaType(resp.Header)
	switch code := resp.StatusCode; {
	case code >= 300 && code < 400:
		return false, redirectError(resp)
	case code < 200 || code >= 300:
		return false, a.statusError(resp, kind)
	}
	stream = kind == "text/event-stream"
	if a.method == http.MethodGet && !stream {
		if resp.StatusCode == http.StatusNoContent {
			return false, ErrNoStream
		}
		return false, a.contentError(resp, kind, a.snippet(resp), nil)
	}
	if a.oneWay && kind == "text/html" {
		return false, a.contentError(resp, kind, a.snippet(resp), nil)
	}
	if a.head != nil {
		a.head(readHead(resp, a.sentAt, stream))
	}
	if a.oneWay {
		a.replied()
	}
	if !stream {
		return false, a.plain(resp, kind)
	}
	a.openGate(resp)
	return true, nil
}

func (a *attempt) openGate(resp *http.Response) {
	a.opened = time.Now()
	a.gate = newGate(resp.Body, a.t.cfg.Limits.Event)
	a.gate.onLarge = a.tooLarge
	if a.guard != nil && a.idle == 0 {
		a.guard.Stop()
	}
	if a.idle > 0 {
		a.watch(a.idle, errIdle)
		a.gate.onBytes = func() { a.guard.Reset(a.idle) }
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{a.gate, resp.Body}
}

// watch ends the attempt when d passes, unless the guard is reset or stopped.
func (a *attempt) watch(d time.Duration, cause error) {
	if a.guard != nil {
		a.guard.Stop()
	}
	a.guard = time.AfterFunc(d, func() { a.cancel(cause) })
}

// tooLarge is the gate's report of an event beyond the limit. The GET stream
// goes on behind it. A POST's stream ends: what was too large may have been the
// reply, and waiting on for it would be for ever.
func (a *attempt) tooLarge() bool {
	a.large = &TooLargeError{What: "event", Limit: a.t.cfg.Limits.Event}
	if !a.ofPost() {
		a.t.fault(a.large)
		return true
	}
	return false
}

// event takes one event from r3labs. Its id counts as seen only when the event
// has been handled.
func (a *attempt) event(e *sse.Event) {
	if a.torn {
		return // it comes again
	}
	a.events++
	if len(e.Retry) > 0 {
		if ms, err := strconv.ParseUint(string(e.Retry), 10, 32); err == nil {
			a.retry = min(time.Duration(ms)*time.Millisecond, maxRetry)
		}
	}
	id := a.lastID
	if len(e.ID) > 0 && string(e.ID) != id {
		id = string(e.ID)
		if id == resetID || !httpguts.ValidHeaderFieldValue(id) {
			id = ""
		}
	}
	// Other event types than the default are none of MCP's.
	if len(e.Data) > 0 && (len(e.Event) == 0 || string(e.Event) == "message") {
		if !a.data(e.Data, id) && a.unread(e.Data, id) {
			return
		}
	}
	if id != a.lastID {
		a.lastID = id
		if a.seen != nil {
			a.seen(id)
		}
	}
}

// data takes the text of one event or body: a message, or an array of them. It
// reports whether it was one.
func (a *attempt) data(text []byte, id string) bool {
	a.t.frame(Frame{Stream: a.method, Exchange: a.number, Resumed: a.resumed, EventID: id}, text)
	if string(text) == "{}" {
		return true // some servers prime a stream, or fill a replay, with this
	}
	if text[0] != '[' {
		m, err := jsonrpc.Decode(text)
		if err != nil {
			a.fault(text, err)
			return false
		}
		a.message(&m)
		return true
	}
	ms, err := jsonrpc.DecodeAll(text)
	if err != nil {
		a.fault(text, err)
	}
	for i := range ms {
		a.message(&ms[i])
	}
	return err == nil || len(ms) > 0
}

func (a *attempt) fault(text []byte, err error) {
	a.malformed = &MalformedError{Stream: a.method, Size: len(text), Err: err}
	a.t.fault(a.malformed)
}

func (a *attempt) message(m *jsonrpc.Message) {
	a.messages++
	if a.handle != nil && a.handle(m) && a.replied != nil {
		a.replied()
	}
}

// plain takes the body of a successful POST that is no stream.
func (a *attempt) plain(resp *http.Response, kind string) error {
	if kind == "text/html" {
		return a.contentError(resp, kind, a.snippet(resp), nil)
	}
	text, err := a.readBody(resp, a.t.cfg.Limits.Body)
	if err != nil {
		return err
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	if len(text) == 0 {
		if a.oneWay {
			return nil
		}
		return &LostError{Kind: Other, Why: fmt.Sprintf("the server answered HTTP %d with an empty body", resp.StatusCode)}
	}
	if kind != "application/json" {
		// Not all servers say what they send; a message is a message.
		if _, err := jsonrpc.DecodeAll(text); err != nil {
			if a.oneWay {
				return nil
			}
			return a.contentError(resp, kind, a.mask(text), err)
		}
	}
	a.data(text, "")
	if a.malformed != nil && !a.oneWay {
		return a.malformed
	}
	return nil
}

// readBody reads a whole body of at most limit bytes, and resets the guard as
// it comes. The limit is behind the decompression, so it bounds that too.
func (a *attempt) readBody(resp *http.Response, limit int) ([]byte, error) {
	buf := make([]byte, 0, 4<<10)
	for {
		if len(buf) == cap(buf) {
			larger := make([]byte, len(buf), a.room(len(buf), resp.ContentLength, limit))
			copy(larger, buf)
			buf = larger
		}
		n, err := resp.Body.Read(buf[len(buf):cap(buf)])
		if a.guard != nil && n > 0 {
			a.guard.Reset(a.answer)
		}
		if len(buf)+n > limit {
			return nil, &TooLargeError{What: "body", Limit: limit}
		}
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			if len(buf) > gateChunk {
				a.t.large.Store(int64(len(buf)))
			}
			return buf, nil
		}
		if err != nil {
			return nil, &LostError{Kind: kindOf(err), Why: "the reply was cut off", Err: cleanError(err)}
		}
	}
}

// room returns to how many bytes the room for a body grows of which n have
// come: towards its length where that is told, or the size of the last large
// one where it is getting large itself; at least to twice as much, and to no
// more than 16 times of it, since a length is only a claim. Lists of ten
// thousand tasks come every few seconds; by doubling alone, each would leave
// three times its size to the garbage collector.
func (a *attempt) room(n int, length int64, limit int) int {
	want := int64(2 * n)
	switch {
	case length > int64(n):
		want = length + 1 // the end is seen by reading on
	case n >= gateChunk:
		large := a.t.large.Load()
		want = max(want, large+large/16)
	}
	return int(min(want, int64(16*n), int64(limit)+1))
}
