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
	can := map[string]any{"elicitation": map[string]any{"form": none{}, "url": none{}}}
	if ep.sampling() {
		can["sampling"] = none{}
	}
	return can
}

// sampling reports whether sampling is declared.
func (ep *Endpoint) sampling() bool { return ep.cfg.Sampling && !ep.cfg.ReadOnly }

// declared2025 is declared, and the requests of the server that may be tasks of
// ours: those that a person answers (basic/utilities/tasks, "Client Capabilities").
func (ep *Endpoint) declared2025() map[string]any {
	can := ep.declared()
	if ep.cfg.ReadOnly {
		return can
	}
	type none struct{}
	requests := map[string]any{"elicitation": map[string]any{"create": none{}}}
	if ep.cfg.Sampling {
		requests["sampling"] = map[string]any{"createMessage": none{}}
	}
	can["tasks"] = map[string]any{"list": none{}, "cancel": none{}, "requests": requests}
	return can
}

// dial2025 begins or rejoins a session of MCP 2025-11-25, or of an older
// revision where the server has no other. note is for About.
func (ep *Endpoint) dial2025(ctx context.Context, resume task.Resume, note string) (*Session, error) {
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
	e.remark(note)
	e.mu.Lock()
	e.postOnly = resume.PostOnly && !resume.IsZero()
	e.mu.Unlock()
	e.restore()
	if !resume.IsZero() && resume.PostOnly {
		e.leaveStream()
	} else {
		e.listen()
		e.reopenAll() //nolint:contextcheck // what it resumes lives as long as the session
	}
	return &Session{ep: ep, era: e, feed: e.feed}, nil
}

// remark adds to what a person should know of the server.
func (e *era2025) remark(note string) {
	if note == "" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.info.Note.IsZero() {
		note = e.info.Note.Line() + "; " + note
	}
	e.info.Note = task.CleanMax(note, maxMessage)
}

// leaveStream is listen for a session whose GET stream another callboard holds:
// a second one could take its messages.
func (e *era2025) leaveStream() {
	e.triedStream()
	e.feed.add(task.Stream{Never: true, Why: "this session's stream is left to other callboards: news come by asking"})
}

func (e *era2025) initialize(ctx context.Context) error {
	var id task.Secret
	raw, err := e.do(ctx, request{
		method: "initialize",
		params: fields{"protocolVersion": version2025, "capabilities": e.ep.declared2025(), "clientInfo": e.ep.client()},
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
	if err := e.tr.SetSession(string(id), versionHeader(about.Version)); err != nil {
		return fail(task.Protocol, "the session id that the server gave does not fit in a header")
	}
	about.Session = id != ""
	e.mu.Lock()
	e.info, e.modest = about, about.ReadOnly
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
	a := task.About{Era: task.Legacy, ReadOnly: e.ep.cfg.ReadOnly, Sampling: e.ep.sampling(), List: task.CanNo, Cancel: task.CanNo, TaskCalls: task.CanNo, Tools: task.CanNo}
	var supported json.RawMessage
	extension := false
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "protocolVersion":
			a.Version = text(v)
		case "supportedVersions":
			supported = v
		case "serverInfo":
			a.Name, a.ServerVersion = serverNames(v)
		case "instructions":
			a.Instructions = task.CleanMax(text(v), maxProse)
		case "capabilities":
			tasks := member(v, "tasks")
			a.List = can(member(tasks, "list"))
			a.Cancel = can(member(tasks, "cancel"))
			a.TaskCalls = can(member(member(member(tasks, "requests"), "tools"), "call"))
			a.Tools = can(member(v, "tools"))
			extension = can(member(member(v, "extensions"), extensionTasks)) == task.CanYes
		}
		return true
	})
	switch {
	case slices.Contains(olderVersions, a.Version):
		a.List, a.Cancel, a.TaskCalls = task.CanNo, task.CanNo, task.CanNo
		a.Note = task.Own("MCP " + a.Version + " has no tasks: plain calls and the log only")
		return a, nil
	case a.Version == version2025 && extension && a.TaskCalls == task.CanNo:
		// What becomes a task, the server decides; how it lists them, if it
		// does, is laid down nowhere.
		a.Cancel = task.CanYes
		if a.List == task.CanNo {
			a.List = task.CanUnknown
		}
		a.Note = task.Own("it declares the tasks of " + version2026 + " within a session of " + version2025)
		return a, nil
	case a.Version == version2025:
		return a, nil
	}
	var err *task.Error
	switch {
	case a.Version == "" && supported == nil:
		err = fail(task.Protocol, "the reply to initialize names no protocol version")
		err.Advice = task.Own("this may be no MCP server: check the URL")
	case a.Version == "":
		err = versionError(versions(supported))
	case a.Version == version2026:
		err = fail(task.Version, "the server answers initialize with MCP %s, which knows no initialize", version2026)
		err.Advice = task.Own("--protocol auto looks whether it speaks that all the same; callboard asks for " + version2025)
	default:
		err = versionError([]string{a.Version})
	}
	err.Tried = task.Own("initialize to " + e.ep.shown)
	return a, err
}

// versionHeader returns the value of MCP-Protocol-Version for a session, "" for
// revisions that do not know that header yet (2025-06-18, Changelog).
func versionHeader(version string) string {
	if version < "2025-06-18" {
		return ""
	}
	return version
}

// can reads a capability: an object, or true where a server says it so.
func can(raw json.RawMessage) task.Can {
	if isObject(raw) || isTrue(raw) {
		return task.CanYes
	}
	return task.CanNo
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
	supported := versions(supportedIn(te.Data))
	words := strings.ToLower(te.Message.Line())
	switch {
	case slices.Contains(supported, version2025):
		return te
	case len(supported) > 0, modernCode(te.Code), te.Code == jsonrpc.CodeMethodNotFound,
		strings.Contains(words, "protocol version"), strings.Contains(words, "protocolversion"), strings.Contains(words, "server/discover"):
		out := refusedVersion(te, supported)
		if slices.Contains(supported, version2026) || len(supported) == 0 {
			out.Message = task.CleanMax("the server begins no session of MCP "+version2025+" (it says: "+te.Message.Line()+")", maxMessage)
			out.Advice = task.Own("it may speak " + version2026 + " only: --protocol auto finds out")
		}
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
	version := version2025
	if r.About.Era == task.Legacy && r.About.Version != "" {
		version = r.About.Version
	}
	if err := e.tr.SetSession(string(r.Session), versionHeader(version)); err != nil {
		return fail(task.Internal, "the session id does not fit in a header")
	}
	e.ep.log.hide(string(r.Session))
	e.mu.Lock()
	e.session, e.lastEvent = r.Session, string(r.LastEvent)
	e.kept, e.prompts.closed = readPlaces(string(r.Streams))
	if r.About != (task.About{}) {
		e.info = r.About
		e.info.ReadOnly = e.ep.cfg.ReadOnly
	}
	// What is asked in a session that was begun to answer in is for who can.
	e.modest = r.About.ReadOnly
	e.onlooker = e.ep.cfg.ReadOnly && (r.Joined || !e.modest)
	e.info.Joined = r.Joined
	e.info.Session = r.Session != ""
	if e.ep.sampling() && !r.Joined && !r.About.Sampling && r.About.Note.IsZero() && r.About != (task.About{}) {
		e.info.Note, e.info.Unsampled = task.Own("this session was begun without sampling: until it ends, the server asks for no texts"), true
	}
	e.mu.Unlock()
	_, err := e.page(ctx, task.Cursor{})
	var te *task.Error
	switch {
	case errors.As(err, &te) && te.Kind == task.RPC && modernCode(te.Code):
		// There are no sessions any more.
		return e.gone("tasks/list", err)
	case te != nil && (te.Kind == task.RPC || te.Kind == task.Unsupported):
		return nil // the session answers, if not this
	}
	return err
}
