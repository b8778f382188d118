package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// fields is the params of a request, or an object within them.
type fields map[string]any

// request is one request of ours.
type request struct {
	method string
	params fields

	id      jsonrpc.ID    // made where it is not given
	patient bool          // the server may take as long as it likes
	timeout time.Duration // of the whole; requestTimeout where 0, none where patient
	first   bool          // initialize, which is never cancelled
	final   bool          // a broken stream loses it; a closed one cancels it
	outcome bool          // the reply is the outcome of a tool, which may speak of sessions of its own
	after   string        // it was sent before: its stream is resumed behind this event, in place of sending it

	told *atomic.Bool // set once the server was told that the reply is no longer waited for; may be nil

	task task.ID     // the task it is about
	call task.CallID // the call it is
	head func(transport.Head)
	seen func(id string) // told each event id of its stream

	reread *transport.Reread // set where it is safe to ask again at an event that cannot be read
}

// pending is a request that waits for its reply, on whatever stream that comes.
type pending struct {
	reply  atomic.Pointer[jsonrpc.Message]
	cancel context.CancelFunc
	held   bool // a tasks/result that waits for a task
}

// origin is what a message came on.
type origin struct {
	task    task.ID     // the tasks/result of this task
	call    task.CallID // the tools/call
	request jsonrpc.ID  // of ours, whose stream it is; "" for the GET stream
	method  string      // of the request
	last    string      // the last event of the stream so far, "" for none; of the goroutine that reads it
	at      time.Time   // when the message came, where it is handled later; else zero
	nth     int32       // which opening of the stream that was on, where at is set
	heads   atomic.Int32
	stream  *carrier
}

// carrier is one stream of messages, however often it is resumed.
type carrier struct {
	// opened is when it was last asked for, in Unix nanoseconds by our clock.
	opened   atomic.Int64
	openings atomic.Int32 // how often it was asked for
}

// newOrigin is what the messages come on of a stream that is asked for now.
func newOrigin() *origin {
	o := &origin{stream: new(carrier)}
	o.opensAt(time.Now())
	return o
}

func (o *origin) opensAt(t time.Time) {
	o.stream.opened.Store(t.UnixNano())
	o.stream.openings.Add(1)
}

// opening is which opening of its stream the message at hand came on.
func (o *origin) opening() int32 {
	if !o.at.IsZero() || o.stream == nil {
		return o.nth
	}
	return o.stream.openings.Load()
}

// crosses reports whether what the stream brings can have been on its way at a
// time: it was not asked for after that.
func (o *origin) crosses(t time.Time) bool {
	return o.stream != nil && o.stream.opened.Load() <= t.UnixNano()
}

// reopened reports whether the stream was asked for anew after one of its openings:
// servers without event ids send all that is open once more then. It goes by the
// count, since a stream can break in the very moment in which it brings something.
func (o *origin) reopened(after int32) bool { return o.opening() > after }

// now is what o is for the message at hand, to handle it later.
func (o *origin) now() *origin {
	n := &origin{task: o.task, call: o.call, request: o.request, method: o.method, last: o.last, at: time.Now(), nth: o.opening(), stream: o.stream}
	n.heads.Store(o.heads.Load())
	return n
}

// repeats reports whether the stream may bring once more what ended at a time: it
// is resumed by an event id, or it is a new one, and the news of that end were
// still on their way. A server without event ids that was started anew may use its
// request ids anew, too.
func (o *origin) repeats(ended time.Time) bool {
	const crossing = time.Second
	return o.heads.Load() > 1 && (o.last != "" || time.Since(ended) < crossing)
}

// do sends a request and returns its result. Its error is a *task.Error; a
// JSON-RPC error is one of kind RPC.
func (e *engine) do(ctx context.Context, r request) (json.RawMessage, error) {
	m, err := e.exchange(ctx, r)
	if err != nil {
		return nil, err
	}
	if m.Error == nil {
		return m.Result, e.manners.accept(&r, m.Result)
	}
	if gone := e.manners.lost(&r, m.Error); gone != nil {
		return nil, gone
	}
	out := rpcError(m.Error)
	if out.Code == jsonrpc.CodeInvalidParams && r.task != "" && out.Advice.IsZero() {
		out.Advice = task.Own("the server may not know the task any more, or not let these credentials see it")
	}
	out.Tried = task.Own(r.method + " to " + e.ep.shown)
	return nil, out
}

// read is do for requests that are safe to repeat: one whose connection broke
// is sent once more.
func (e *engine) read(ctx context.Context, r request) (json.RawMessage, error) {
	raw, err := e.do(ctx, r)
	var te *task.Error
	if err == nil || !errors.As(err, &te) || te.Kind != task.Lost || ctx.Err() != nil {
		return raw, err
	}
	r.id = ""
	if raw, err = e.do(ctx, r); errors.As(err, &te) && te.Kind == task.Lost {
		te.Kind, te.Advice = task.Unreachable, task.Text{} // nothing hangs on a read
	}
	return raw, err
}

// exchange sends a request and returns the response, which may be an error.
func (e *engine) exchange(ctx context.Context, r request) (*jsonrpc.Message, error) {
	if r.id == "" {
		r.id = jsonrpc.StringID(newName("r"))
	}
	params, header, err := e.manners.dress(&r)
	if err != nil {
		return nil, e.ep.explain(r.method, err)
	}
	body, err := encode(r.id, r.method, params)
	if err != nil {
		return nil, e.ep.explain(r.method, err)
	}
	if r.timeout == 0 && !r.patient {
		r.timeout = requestTimeout
	}
	run, cancel := context.WithCancel(ctx)
	if r.timeout > 0 {
		run, cancel = context.WithTimeout(ctx, r.timeout)
	}
	defer cancel()
	defer context.AfterFunc(e.life, cancel)() //nolint:contextcheck // the session's end ends it too
	p := &pending{cancel: cancel, held: r.method == "tasks/result" && (r.told == nil || !r.told.Load())}
	e.enter(r.id, p)
	defer e.leave(r.id)
	meta, _ := r.params["_meta"].(fields)
	token, _ := meta["progressToken"].(string)
	e.ep.log.request(false, r.id, r.method, subject{task: r.task, call: r.call, token: token})
	o := newOrigin()
	o.task, o.call, o.request, o.method, o.last = r.task, r.call, r.id, r.method, r.after
	if r.after != "" {
		o.heads.Store(1) // what comes first may be a replay
	}
	err = e.tr.Post(run, transport.Call{
		Body:        body,
		LastEventID: r.after,
		Header:      header,
		Final:       r.final,
		Reread:      r.reread,
		Patient:     r.patient,
		Handle:      func(m *jsonrpc.Message) bool { return e.take(m, o, r.id) },
		Seen: func(id string) {
			o.last = id
			if r.seen != nil {
				r.seen(id)
			}
		},
		Head: func(h transport.Head) {
			o.heads.Add(1)
			o.opensAt(h.Sent)
			e.skew.sample(h.Date, h.Sent, h.Received)
			if r.head != nil {
				r.head(h)
			}
		},
	})
	if m := p.reply.Load(); m != nil {
		e.manners.answered()
		return m, nil
	}
	return nil, e.failed(ctx, run, r, err)
}

// encode returns the text of a request. Nil params are left out.
func encode(id jsonrpc.ID, method string, params fields) ([]byte, error) {
	if params == nil {
		return jsonrpc.Request(id, method, nil)
	}
	return jsonrpc.Request(id, method, params)
}

func (e *engine) enter(id jsonrpc.ID, p *pending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pending[id] = p
}

func (e *engine) leave(id jsonrpc.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.pending, id)
}

// failed finds out what it means that a request got no reply, and tells the
// server where we stop waiting.
func (e *engine) failed(ctx, run context.Context, r request, err error) error {
	what := r.method
	if e.life.Err() != nil {
		if ended := e.feed.over(); ended != nil {
			return e.ep.explain(what, ended)
		}
	}
	if err == nil { // Post returned, yet there is no reply: only a fault of ours could do that
		return fail(task.Internal, "%s returned without a reply", what)
	}
	var status *transport.StatusError
	if gone := e.manners.lost(&r, err); gone != nil {
		return gone
	}
	if errors.As(err, &status) && status.RPC != nil {
		e.ep.log.note(what + " was refused with HTTP " + task.CleanLine(status.Error(), 200).Line())
	}
	var lost *transport.LostError
	slow := errors.As(err, &lost) && lost.Kind == transport.Timeout
	if run.Err() != nil || slow {
		e.manners.giveUp(r, "no longer waited for")
	}
	switch {
	case ctx.Err() != nil:
		out := e.ep.explain(what, ctx.Err())
		out.Err = ctx.Err()
		return out
	case run.Err() != nil || slow && !r.outcome:
		out := timedOut(max(r.timeout, requestTimeout))
		out.Tried = task.Own(what + " to " + e.ep.shown)
		return out
	}
	return e.ep.explain(what, err)
}
