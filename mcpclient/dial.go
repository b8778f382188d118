package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// initializeParams is schema type InitializeRequestParams.
type initializeParams struct {
	ProtocolVersion string         `json:"protocolVersion"`
	Capabilities    map[string]any `json:"capabilities"`
	ClientInfo      clientInfo     `json:"clientInfo"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// declared is what a session offers to the server. A read-only one offers
// nothing: a server must not wait for what never comes.
func (ep *Endpoint) declared() map[string]any {
	if ep.cfg.ReadOnly {
		return map[string]any{}
	}
	type none struct{}
	return map[string]any{"elicitation": map[string]any{"form": none{}, "url": none{}}}
}

// dial2025 begins or rejoins a session of MCP 2025-11-25.
func (ep *Endpoint) dial2025(ctx context.Context, resume task.Resume) (*Session, error) {
	e, err := ep.new2025()
	if err != nil {
		return nil, ep.explain("connecting", err)
	}
	for range outboxWorkers {
		e.spawn(e.sendOwn)
	}
	if resume.IsZero() {
		err = e.initialize(ctx)
	} else {
		err = e.rejoin(ctx, resume)
	}
	if err != nil {
		e.halt()
		return nil, err
	}
	e.listen()
	return &Session{ep: ep, era: e, feed: e.feed}, nil
}

func (e *era2025) initialize(ctx context.Context) error {
	version := e.ep.cfg.ClientVersion
	if version == "" {
		version = "dev"
	}
	var id task.Secret
	raw, err := e.do(ctx, request{
		method: "initialize",
		params: initializeParams{version2025, e.ep.declared(), clientInfo{"callboard", "callboard", version}},
		first:  true,
		head: func(h transport.Head) {
			if h.SessionID != "" {
				e.mu.Lock()
				defer e.mu.Unlock()
				id = task.Secret(h.SessionID)
			}
		},
	})
	if err != nil {
		return e.initializeError(ctx, err)
	}
	e.mu.Lock()
	e.session = id
	e.mu.Unlock()
	e.ep.log.hide(string(id))
	about, err := e.read2025(raw)
	if err != nil {
		// The server made a session for us that nobody needs.
		if e.tr.SetSession(string(id), "") == nil && id != "" {
			e.delete(context.WithoutCancel(ctx))
		}
		return err
	}
	if err := e.tr.SetSession(string(id), version2025); err != nil {
		return fail(task.Protocol, "the session id that the server gave does not fit in a header")
	}
	about.Session = id != ""
	e.mu.Lock()
	e.info = about
	e.mu.Unlock()
	body, err := jsonrpc.Notification("notifications/initialized", nil)
	if err != nil {
		return e.ep.explain("notifications/initialized", err)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	if err := e.oneWay(ctx, body); err != nil {
		return e.ep.explain("POST notifications/initialized", err)
	}
	return nil
}

// read2025 decodes InitializeResult.
func (e *era2025) read2025(raw json.RawMessage) (task.About, error) {
	a := task.About{Era: task.Legacy, ReadOnly: e.ep.cfg.ReadOnly, List: task.CanNo, Cancel: task.CanNo, TaskCalls: task.CanNo, Tools: task.CanNo}
	var supported json.RawMessage
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "protocolVersion":
			a.Version = text(v)
		case "supportedVersions":
			supported = v
		case "serverInfo":
			if a.Name = task.CleanLine(text(member(v, "title")), maxName); a.Name.IsZero() {
				a.Name = task.CleanLine(text(member(v, "name")), maxName)
			}
			a.ServerVersion = task.CleanLine(text(member(v, "version")), maxName)
		case "instructions":
			a.Instructions = task.CleanMax(text(v), maxProse)
		case "capabilities":
			tasks := member(v, "tasks")
			a.List = can(member(tasks, "list"))
			a.Cancel = can(member(tasks, "cancel"))
			a.TaskCalls = can(member(member(member(tasks, "requests"), "tools"), "call"))
			a.Tools = can(member(v, "tools"))
		}
		return true
	})
	if a.Version == version2025 {
		return a, nil
	}
	var err *task.Error
	switch {
	case a.Version == "" && supported == nil:
		err = fail(task.Protocol, "the reply to initialize names no protocol version")
		err.Advice = task.Own("this may be no MCP server: check the URL")
	case a.Version == "":
		err = versionError(versions(supported))
	default:
		err = versionError([]string{a.Version})
	}
	err.Tried = task.Own("initialize to " + e.ep.shown)
	return a, err
}

// can reads a capability: an object, or true where a server says it so.
func can(raw json.RawMessage) task.Can {
	if isObject(raw) || isTrue(raw) {
		return task.CanYes
	}
	return task.CanNo
}

// versions reads a list of protocol versions, for words.
func versions(raw json.RawMessage) []string {
	var vs []string
	elements(raw, func(v []byte) bool {
		if s := task.CleanLine(text(v), 32).Line(); s != "" {
			vs = append(vs, s)
		}
		return len(vs) < 8
	})
	return vs
}

// versionError says that a server speaks other revisions than ours. Revisions
// are dates, so that they compare as text.
func versionError(vs []string) *task.Error {
	list := task.CleanLine(strings.Join(vs, ", "), 200).Line()
	switch {
	case len(vs) == 0:
		e := fail(task.Version, "the server speaks another generation of MCP than %s", version2025)
		e.Advice = task.Own("this callboard speaks " + version2025 + " only")
		return e
	case slices.Max(vs) < version2025:
		e := fail(task.Version, "the server speaks MCP %s, which has no tasks", list)
		e.Advice = task.Own("tasks came with " + version2025 + ": the server needs a newer version")
		return e
	}
	e := fail(task.Version, "the server speaks MCP %s, and not %s", list, version2025)
	e.Advice = task.Own("this callboard speaks " + version2025 + " only")
	return e
}

// initializeError finds the most telling words for why a session could not be
// begun.
func (e *era2025) initializeError(ctx context.Context, err error) error {
	var te *task.Error
	if !errors.As(err, &te) {
		return err
	}
	switch {
	case te.Kind == task.RPC:
		return e.initializeRefused(te)
	case te.Kind == task.Lost:
		return e.initializeLost(te)
	case te.Kind == task.HTTP && (te.Status == http.StatusNotFound || te.Status == http.StatusMethodNotAllowed ||
		te.Status == http.StatusBadRequest) && e.oldTransport(ctx):
		te.Kind = task.Version
		te.Message = task.Own("the server speaks the old HTTP+SSE transport (2024-11-05), which has no tasks")
		te.Advice = task.Own("if it offers streamable HTTP too, that has another path, often /mcp")
	}
	return te
}

// initializeLost is for a server that took initialize and answered nothing of
// use. No harm was done, so that only the question remains who it is.
func (e *era2025) initializeLost(te *task.Error) error {
	te.Kind = task.Unreachable
	var lost *transport.LostError
	if errors.As(te.Err, &lost) && lost.Kind != transport.Timeout {
		te.Message = task.CleanLine("no answer to initialize: "+lost.Why, 300)
	}
	te.Advice = task.Own(e.ep.brokenAdvice())
	return te
}

// initializeRefused reads the JSON-RPC error in reply to initialize: a server of
// a later generation does not know the method, or names its versions.
func (e *era2025) initializeRefused(te *task.Error) error {
	supported := versions(member(te.Data, "supported"))
	if supported == nil {
		supported = versions(member(te.Data, "supportedVersions"))
	}
	words := strings.ToLower(te.Message.Line())
	// Of the generation after this one: a header that does not fit, a
	// capability that is missing, a version that is not spoken.
	const headerMismatch, unsupportedVersion = -32020, -32022
	later := te.Code <= headerMismatch && te.Code >= unsupportedVersion
	switch {
	case slices.Contains(supported, version2025):
		return te
	case len(supported) > 0, later, te.Code == jsonrpc.CodeMethodNotFound,
		strings.Contains(words, "protocol version"), strings.Contains(words, "protocolversion"), strings.Contains(words, "server/discover"):
		out := versionError(supported)
		out.Tried, out.Status, out.Code, out.Data = te.Tried, te.Status, te.Code, te.Data
		out.Message = task.CleanMax(out.Message.Line()+" (it says: "+te.Message.Line()+")", maxMessage)
		return out
	}
	if te.Advice.IsZero() {
		te.Advice = task.Own("an MCP server answers there, but it begins no session")
	}
	return te
}

// oldTransport reports whether a GET of the URL opens a stream although no POST
// is taken there: so does the transport of 2024-11-05, and it alone.
func (e *era2025) oldTransport(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	opened := false
	_ = e.tr.Listen(ctx, transport.Listening{
		Handle: func(*jsonrpc.Message) bool { return false },
		Up:     func(bool) { opened = true; cancel() },
		Down:   func(error, time.Time) { cancel() },
	})
	return opened
}

// rejoin goes on with a session that exists. One read tells whether it still
// does.
func (e *era2025) rejoin(ctx context.Context, r task.Resume) error {
	if err := e.tr.SetSession(string(r.Session), version2025); err != nil {
		return fail(task.Internal, "the session id does not fit in a header")
	}
	e.ep.log.hide(string(r.Session))
	e.mu.Lock()
	e.session, e.lastEvent = r.Session, string(r.LastEvent)
	if r.About != (task.About{}) {
		e.info = r.About
		e.info.ReadOnly = e.ep.cfg.ReadOnly
	}
	e.info.Joined = r.Joined
	e.info.Session = r.Session != ""
	e.mu.Unlock()
	_, err := e.page(ctx, task.Cursor{})
	var te *task.Error
	if errors.As(err, &te) && (te.Kind == task.RPC || te.Kind == task.Unsupported) {
		return nil // the session answers, if not this
	}
	return err
}
