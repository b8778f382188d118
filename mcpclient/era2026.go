package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// Keys of `_meta` that each request has (Basic, "_meta").
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// meta2026 is the `_meta` of each request: schema type RequestMetaObject.
// logLevel is not among it, since that feature is deprecated. The tasks
// extension is declared by read-only sessions too: without it a server has to
// refuse tasks/get.
func (ep *Endpoint) meta2026() map[string]any {
	can := ep.declared()
	can["extensions"] = map[string]any{extensionTasks: struct{}{}}
	return map[string]any{metaVersion: version2026, metaClient: ep.client(), metaCapabilities: can}
}

// client is schema type Implementation, of callboard.
func (ep *Endpoint) client() clientInfo {
	version := ep.cfg.ClientVersion
	if version == "" {
		version = "dev"
	}
	return clientInfo{"callboard", "callboard", version}
}

// era2026 speaks MCP 2026-07-28 with the extension io.modelcontextprotocol/tasks:
// no session, each request complete in itself.
type era2026 struct {
	engine
	meta map[string]any // of each request
	push *subscription

	// Guarded by engine.mu.
	asking  map[task.ID]*inquiry // tasks that asked something, as long as they live
	mirrors map[string][]mirror  // of tools that want arguments as headers
	listed  toolList
}

func (ep *Endpoint) new2026(info task.About) (*era2026, error) {
	e := &era2026{meta: ep.meta2026(), asking: make(map[task.ID]*inquiry), mirrors: make(map[string][]mirror)}
	if err := e.begin(ep, e, info); err != nil {
		return nil, err
	}
	return e, e.tr.SetSession("", version2026)
}

// dial2026 begins to speak with a server that was found to be of this
// generation. There is no handshake: all that is sent is subscriptions/listen,
// in its own time.
func (ep *Endpoint) dial2026(_ context.Context, found discovery) (*Session, error) {
	info := task.About{
		Era: task.Modern, Version: version2026,
		Name: found.name, ServerVersion: found.serverVersion, Instructions: found.instructions,
		List: task.CanNo, Tools: found.tools, Note: task.CleanMax(found.note, maxMessage),
	}
	switch {
	case found.extension:
		info.Cancel, info.TaskCalls = task.CanYes, task.CanYes
	case found.known:
		info.Cancel, info.TaskCalls = task.CanNo, task.CanNo
	}
	e, err := ep.new2026(info)
	if err != nil {
		return nil, ep.explain("connecting", err)
	}
	e.push = newSubscription(e)
	return &Session{ep: ep, era: e, feed: e.feed}, nil
}

// dress is manners.dress: `_meta`, and what of the request stands in headers too
// (Streamable HTTP, "Request Metadata"). A broken stream loses its request.
func (e *era2026) dress(r *request) (fields, http.Header, error) {
	r.final = true
	params := maps.Clone(r.params)
	if params == nil {
		params = fields{}
	}
	meta := maps.Clone(e.meta)
	if own, ok := params["_meta"].(fields); ok {
		maps.Copy(meta, own)
	}
	params["_meta"] = meta
	header := http.Header{"Mcp-Method": {r.method}}
	switch {
	case r.method == "tools/call":
		name, _ := params["name"].(string)
		header.Set("Mcp-Name", headerValue(name))
		args, _ := params["arguments"].(json.RawMessage)
		e.mu.Lock()
		mirrors := e.mirrors[name]
		e.mu.Unlock()
		for _, m := range mirrors {
			if v, ok := m.value(args); ok {
				header.Set(paramHeader+m.name, headerValue(v))
			}
		}
	case strings.HasPrefix(r.method, "tasks/"):
		header.Set("Mcp-Name", headerValue(string(r.task)))
	}
	return params, header, nil
}

// accept is manners.accept (Basic, "Responses"). That some servers call the
// reply to tasks/get a task is let pass; it is one.
func (e *era2026) accept(r *request, result json.RawMessage) error {
	kind := resultType(result)
	if kind == complete || kind == becameTask && r.method == "tasks/get" {
		return nil
	}
	out := fail(task.Protocol, "the reply has the resultType %q, which %s cannot have", task.CleanLine(kind, 32).Line(), r.method)
	out.Tried = task.Own(r.method + " to " + e.ep.shown)
	return out
}

// Values of resultType.
const (
	complete      = "complete"
	becameTask    = "task"
	inputRequired = "input_required"
)

// resultType returns the type of a result; one that names none is complete. Of
// what is no string it returns the JSON, which is no type that we know.
func resultType(result json.RawMessage) string {
	raw := member(result, "resultType")
	if raw == nil || string(raw) == "null" {
		return complete
	}
	if kind, ok := unquote(raw); ok {
		return kind
	}
	return string(raw[:min(len(raw), maxName)])
}

// lost is manners.lost. There is no session to lose, but the server can have
// been replaced by one that speaks another version.
func (e *era2026) lost(r *request, err error) *task.Error {
	te := e.ep.explain(r.method, err)
	if te.Kind != task.RPC || te.Code != codeUnsupportedVersion {
		return nil
	}
	out := &task.Error{
		Kind:    task.SessionLost,
		Message: task.CleanMax("the server does not speak "+version2026+" any more: "+te.Message.Line(), maxMessage),
		Tried:   task.Own(r.method + " to " + e.ep.shown),
		Advice:  te.Advice,
		Err:     err,
	}
	e.ep.Note(out.Message.Line())
	e.lose(out)
	return out
}

// giveUp is manners.giveUp: the closed stream has said it (Streamable HTTP,
// "Cancellation").
func (e *era2026) giveUp(request, string) {}

// answered is manners.answered.
func (e *era2026) answered() {}

// ending is manners.ending: questions stand in the state of their tasks here.
func (e *era2026) ending() {}

// lives is manners.lives.
func (e *era2026) lives(id task.ID, live bool) {
	e.push.follow(id, live)
	if live {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.asking, id)
}

// stoppedAsking is manners.stoppedAsking: which questions are open shows in what
// tasks/get lists, see detail.
func (e *era2026) stoppedAsking(task.Task) (which func(*prompt) bool, look func()) { return nil, nil }

// asked is manners.asked. Requests of a server come within results here, and a
// client answers none.
func (e *era2026) asked(m *jsonrpc.Message, _ *origin) {
	e.ep.Note("dropped: the server sent a request (" + task.CleanLine(m.Method, maxName).Line() + "), which " + version2026 + " does not know")
}

// told is manners.told.
func (e *era2026) told(m *jsonrpc.Message, _ *origin) {
	if m.Method == "notifications/tools/list_changed" {
		e.forgetTools()
	}
}

func (e *era2026) resume() task.Resume { return task.Resume{Era: task.Modern, About: e.about()} }

// attend does nothing: what a task asks stands in its state.
func (e *era2026) attend([]task.ID) {}

// close ends the session. A server takes the closed stream of a call for its
// cancellation; the tasks that calls became go on.
func (e *era2026) close(context.Context, bool) {
	e.mu.Lock()
	e.closed = true
	calls := len(e.calls.running)
	e.mu.Unlock()
	if calls > 0 && e.life.Err() == nil {
		e.ep.Note(fmt.Sprintf("calls that are on their way (%d) end with their streams, which the server takes for a cancellation; tasks go on", calls))
	}
	e.halt()
}
