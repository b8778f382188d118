package mcpclient

import (
	"context"
	"encoding/json"
	"net/http"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// era is what differs between generations of the protocol, and the only place
// where they differ: a session passes on to it what it does not do itself.
// Methods are those of Session; an era reports what happens to the feed that it
// was made with, and ends the feed when the session is over.
type era interface {
	about() task.About
	page(ctx context.Context, from task.Cursor) (task.Page, error)
	get(ctx context.Context, id task.ID) (task.Task, error)
	result(ctx context.Context, id task.ID) (task.Result, error)
	attend(ids []task.ID)
	answer(ctx context.Context, replies []task.Reply) (task.Receipt, error)
	cancel(ctx context.Context, id task.ID) (task.Task, error)
	tools(ctx context.Context) ([]task.Tool, error)
	start(ctx context.Context, call task.Call) error
	abandon(ctx context.Context, id task.CallID) error
	resume() task.Resume
	// close ends all goroutines and waits for them; keep says that the server
	// is not to be told.
	close(ctx context.Context, keep bool)

	manners
}

// manners is what the engine asks of the generation that it works for. Methods
// marked so are called with engine.mu held, and must not wait.
type manners interface {
	// dress returns the params of a request as they go on the wire, and the
	// headers that it has beside those of all requests.
	dress(r *request) (params fields, header http.Header, err error)
	// lost returns the error that ended the session where err, the transport's
	// or a JSON-RPC error in a reply, says that it is gone; else nil.
	lost(r *request, err error) *task.Error
	// accept returns why a result is none that the request can have, nil where
	// it can.
	accept(r *request, result json.RawMessage) error
	// giveUp tells the server that the reply to r is no longer waited for.
	giveUp(r request, why string)
	// answered notes that the server answers.
	answered()
	// call sends a tools/call and returns its reply.
	call(ctx context.Context, c *call, p fields) (*jsonrpc.Message, error)
	// asked handles a request of the server, told a notification, for what the
	// engine leaves to do.
	asked(m *jsonrpc.Message, o *origin)
	told(m *jsonrpc.Message, o *origin)
	// detail takes what a message says of a task beyond its state, and returns
	// the state to believe.
	detail(t task.Task, raw json.RawMessage) task.Task
	// stoppedAsking returns which prompts t, which may have ended, went on
	// without waiting for, nil for none. look is to be run then, nil for nothing.
	// engine.mu is held.
	stoppedAsking(t task.Task) (which func(*prompt) bool, look func())
	// ending notes that the session ends, and its open prompts with it.
	// engine.mu is held.
	ending()
	// lives notes that a task was not known to live, or lives no more.
	lives(id task.ID, live bool)
	// tool takes what a tool's entry says beyond the tool, and reports whether
	// it is one to offer.
	tool(t *task.Tool, raw json.RawMessage) bool
}
