package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

const (
	maxCalls  = 64   // calls on their way at once
	maxTokens = 4096 // calls whose progress is followed
	// abandonGrace is how long the reply to an abandoned call may still come:
	// it may have crossed our notification.
	abandonGrace = 2 * time.Second
)

// call is one tools/call of ours, from sending to its end, or to the end of the
// task that it became.
type call struct {
	id        task.CallID
	request   jsonrpc.ID
	token     string
	task      task.ID     // "" as long as it is none
	abandoned atomic.Bool // the person cancelled it
	told      atomic.Bool // the server knows that the reply is no longer waited for
	unknown   bool        // the server said last that it does not know the task; engine.mu guards it
	cancel    context.CancelFunc
}

// callTable is the calls of a session. engine.mu guards it.
type callTable struct {
	running map[task.CallID]*call // without a reply so far
	byToken map[string]*call
	byTask  map[task.ID]*call // live tasks that calls of ours became
	order   []string          // tokens, oldest first
}

func newCallTable() callTable {
	return callTable{
		running: make(map[task.CallID]*call),
		byToken: make(map[string]*call),
		byTask:  make(map[task.ID]*call),
	}
}

func (t *callTable) add(c *call) {
	t.running[c.id] = c
	t.byToken[c.token] = c
	t.order = append(t.order, c.token)
	if len(t.order) > maxTokens {
		delete(t.byToken, t.order[0])
		t.order = t.order[1:]
	}
}

// became notes that c is a task now.
func (t *callTable) became(c *call, id task.ID) {
	delete(t.running, c.id)
	c.task = id
	t.byTask[id] = c
}

// returned notes that c has ended as a call.
func (t *callTable) returned(c *call) {
	delete(t.running, c.id)
	delete(t.byToken, c.token)
}

// ended notes that a task has ended.
func (t *callTable) ended(id task.ID) {
	if c := t.byTask[id]; c != nil {
		delete(t.byTask, id)
		delete(t.byToken, c.token)
	}
}

func (e *engine) start(ctx context.Context, in task.Call) error { //nolint:contextcheck // ctx bounds the sending, the call lives as long as the session
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.feed.over(); err != nil {
		return err
	}
	if in.Args != nil && !isObject(in.Args[skipSpace(in.Args, 0):]) || in.Args != nil && !json.Valid(in.Args) {
		return fail(task.Internal, "the arguments of a tool must be a JSON object")
	}
	run, cancel := context.WithCancel(e.life)
	c := &call{id: in.ID, request: jsonrpc.StringID(newName("c")), token: newName("p"), cancel: cancel}
	p := callParams(in, c.token)
	e.mu.Lock()
	if len(e.calls.running) >= maxCalls {
		e.mu.Unlock()
		cancel()
		return fail(task.Limit, "%d calls are on their way already, which is as many as callboard sends at once", maxCalls)
	}
	e.calls.add(c)
	e.mu.Unlock()
	e.spawn(func() {
		defer cancel()
		m, err := e.manners.call(run, c, p)
		e.finishCall(c, m, err)
	})
	return nil
}

// callParams is schema type CallToolRequestParams.
func callParams(in task.Call, token string) fields {
	p := fields{"name": in.Tool, "_meta": fields{"progressToken": token}}
	if in.Args != nil {
		p["arguments"] = in.Args
	}
	if in.AsTask {
		augment := fields{} // schema type TaskMetadata
		if ttl := in.TTL.Milliseconds(); ttl != 0 {
			augment["ttl"] = ttl
		}
		p["task"] = augment
	}
	return p
}

// finishCall reports what became of a call.
func (e *engine) finishCall(c *call, m *jsonrpc.Message, err error) {
	if err == nil && m.Error == nil {
		if t, note, ok := e.strings.createdTask(m.Result); ok {
			e.mu.Lock()
			e.calls.became(c, t.ID)
			e.prompts.became(c.id, t.ID)
			e.ep.log.became(c.id, t.ID)
			e.mu.Unlock()
			e.feed.add(task.Started{Call: c.id, Task: e.heard(t, m.Result), Note: note})
			return
		}
	}
	e.mu.Lock()
	e.calls.returned(c)
	e.mu.Unlock()
	out := task.Returned{Call: c.id}
	var (
		te  *task.Error
		rpc *jsonrpc.Error
	)
	switch {
	case errors.As(err, &te) && te.Kind == task.RPC && errors.As(err, &rpc): // with an HTTP status of its own
		out.Err = e.refusedCall(c, rpc)
		out.Err.Status, out.Err.Tried = te.Status, te.Tried
	case err != nil:
		out.Err = e.callError(c, err)
	case m.Error != nil:
		out.Err = e.refusedCall(c, m.Error)
	default:
		r := parseResult(m.Result)
		out.Result = &r
	}
	e.feed.add(out)
}

// callError is what Returned says of a call that got no reply.
func (e *engine) callError(c *call, err error) *task.Error {
	if c.abandoned.Load() && !errors.Is(err, errNothingRuns) {
		return &task.Error{
			Kind:    task.Lost,
			Message: task.Own("cancelled here: the server was told to stop; whether it did is not known"),
			Err:     context.Canceled,
		}
	}
	return e.ep.explain("tools/call", err)
}

// refusedCall is what Returned says of a JSON-RPC error in reply to a call.
func (e *engine) refusedCall(c *call, rpc *jsonrpc.Error) *task.Error {
	out := rpcError(rpc)
	switch rpc.Code {
	case jsonrpc.CodeInvalidRequest:
		out.Advice = task.Own("the tool may have to run as a task")
	case jsonrpc.CodeMethodNotFound:
		out.Advice = task.Own("the tool may not be called this way: a tool is called as a task, plainly, or both, as its taskSupport says")
	case jsonrpc.CodeInvalidParams:
		out.Advice = task.Own("the server may not know the tool any more, or its arguments have changed: look at the list of tools again")
	case jsonrpc.CodeURLElicitationRequired:
		if n := e.urlsRequired(task.Prompt{Call: c.id}, rpc.Data); n > 0 {
			out.Advice = task.Own("open the pages that it asks for, then start it again")
		}
	}
	return out
}
