package mcptest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

const (
	headerMethod = "Mcp-Method"
	headerName   = "Mcp-Name"
	headerParam  = "Mcp-Param-"

	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLevel        = "io.modelcontextprotocol/logLevel"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// caller is what a modern request says of its sender. Nothing of it is remembered from one request to the next.
type caller struct {
	account             string // bearer token, empty where there is none
	form, url, sampling bool   // the questions it takes
	tasks               bool   // it declared the extension
	level               int    // least severity of notifications/message; -1: it wants none
	token               json.RawMessage
}

// takes reports whether the client declared what e needs.
func (w *caller) takes(e Elicitation) bool {
	switch {
	case e.Sampling != nil:
		return w.sampling
	case e.URL != "":
		return w.url
	default:
		return w.form
	}
}

// needs are the client capabilities without which e cannot be asked.
func (e Elicitation) needs() map[string]any {
	switch {
	case e.Sampling != nil:
		return map[string]any{"sampling": struct{}{}}
	case e.URL != "":
		return map[string]any{"elicitation": map[string]any{"url": struct{}{}}}
	default:
		return map[string]any{"elicitation": map[string]any{"form": struct{}{}}}
	}
}

// missing is MissingRequiredClientCapabilityError.
func missing(required map[string]any) *Error {
	return &Error{Code: CodeMissingCapability, Message: "Missing required client capability", Data: map[string]any{"requiredCapabilities": required}}
}

func missingTasks() *Error {
	return missing(map[string]any{"extensions": map[string]any{extensionTasks: struct{}{}}})
}

// refusal is an error with the HTTP status it goes out with.
type refusal struct {
	status int
	err    *Error
}

func bad(code int, format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, errorf(code, format, args...)}
}

// errorStatus is the HTTP status of a JSON-RPC error.
func (f *Faults) errorStatus(code int, modern bool) int {
	switch {
	case f.ErrorStatus != 0:
		return f.ErrorStatus
	case !modern:
		return http.StatusOK
	case code == CodeNoMethod:
		return http.StatusNotFound
	case code == CodeParse, code == CodeInvalidRequest, code == CodeHeaderMismatch, code == CodeMissingCapability, code == CodeVersion:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}

// refuseModern answers a request that is not acted on.
func (s *Server) refuseModern(w http.ResponseWriter, id json.RawMessage, no *refusal) {
	status := no.status
	if f := s.faults.Load(); f.ErrorStatus != 0 {
		status = f.ErrorStatus
	}
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	_, _ = w.Write(s.encode("", outgoing{ID: id, Error: no.err}))
}

// serveModern answers a POST of 2026-07-28.
func (s *Server) serveModern(w http.ResponseWriter, r *http.Request, m *incoming, broken bool) {
	if no := s.readable(r, m, broken); no != nil {
		s.refuseModern(w, nil, no)
		return
	}
	if m.kind() == KindNotification {
		w.WriteHeader(http.StatusAccepted) // none has a meaning here (basic/transports/streamable-http)
		return
	}
	who, no := s.admit(r, m)
	if no != nil {
		s.refuseModern(w, m.ID, no)
		return
	}
	switch m.Method {
	case "server/discover":
		s.sendModern(w, r, m, s.discover(), nil)
	case "tools/list":
		page, err := s.listTools(m.Params, true)
		s.sendModern(w, r, m, page, err)
	case "tools/call":
		s.modernCall(w, r, m, who)
	case "tasks/get":
		res, err := s.modernGet(who, m.Params)
		s.sendModern(w, r, m, res, err)
	case "tasks/update", "tasks/cancel":
		s.modernIntent(w, r, m, who)
	case "subscriptions/listen":
		s.serveListen(w, r, m, who)
	}
}

// readable reports what of a POST cannot be a message of this revision.
func (s *Server) readable(r *http.Request, m *incoming, broken bool) *refusal {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	switch {
	case broken && len(m.Params) == 0 && m.JSONRPC == "":
		return bad(CodeParse, "Parse error: a POST is one JSON-RPC request or notification")
	case broken:
		return bad(CodeInvalidRequest, "Invalid request: jsonrpc must be 2.0")
	case m.kind() == KindResponse:
		return bad(CodeInvalidRequest, "Invalid request: clients send no responses")
	case bytes.Equal(bytes.TrimSpace(m.ID), []byte("null")), len(m.ID) > 0 && !isRequestID(m.ID):
		return bad(CodeInvalidRequest, "Invalid request: the id must be a string or an integer")
	case !strings.HasPrefix(r.Header.Get("Content-Type"), typeJSON):
		return &refusal{http.StatusUnsupportedMediaType, errorf(CodeInvalidRequest, "Content-Type must be application/json")}
	case !strings.Contains(accept, "*/*") && !(strings.Contains(accept, typeJSON) && strings.Contains(accept, typeSSE)):
		return &refusal{http.StatusNotAcceptable, errorf(CodeInvalidRequest, "Accept must list application/json and text/event-stream")}
	}
	return nil
}

func isRequestID(id json.RawMessage) bool {
	var n int64
	var t string
	return json.Unmarshal(id, &n) == nil || json.Unmarshal(id, &t) == nil
}

// admit holds a request against the rules that all of them follow: version, headers, `_meta` (basic/index, per-request
// protocol fields; basic/transports/streamable-http, server validation; extension tasks, routing headers).
func (s *Server) admit(r *http.Request, m *incoming) (*caller, *refusal) {
	var p struct {
		Name   *string                    `json:"name"`
		TaskID *string                    `json:"taskId"`
		Meta   map[string]json.RawMessage `json:"_meta"`
	}
	if len(m.Params) > 0 && json.Unmarshal(m.Params, &p) != nil {
		return nil, bad(CodeInvalidParams, "Invalid params")
	}
	if no := s.checkVersion(r, m, p.Meta[metaVersion]); no != nil {
		return nil, no
	}
	if got := r.Header.Get(headerMethod); got != m.Method {
		return nil, bad(CodeHeaderMismatch, "Header mismatch: %s header value %q does not match body value %q", headerMethod, got, m.Method)
	}
	if !s.servesModern(m.Method) {
		return nil, &refusal{http.StatusNotFound, errorf(CodeNoMethod, "Method not found")}
	}
	who, no := readCaller(r, p.Meta)
	if no != nil {
		return nil, no
	}
	s.sampled.Store(who.sampling)
	switch {
	case m.Method == "tools/call":
		no = checkName(r, p.Name)
	case strings.HasPrefix(m.Method, "tasks/"):
		if !who.tasks {
			return nil, &refusal{http.StatusBadRequest, missingTasks()}
		}
		no = checkName(r, p.TaskID)
	}
	return who, no
}

// checkVersion holds the version in the header against that in the body, and both against what the server speaks.
func (s *Server) checkVersion(r *http.Request, m *incoming, inBody json.RawMessage) *refusal {
	header := r.Header.Get(headerVersion)
	var body string
	switch {
	case m.Method == "initialize" && header != ModernRevision:
		// Whoever sends it has no other way to learn what would work (basic/versioning, backward compatibility).
		var p struct{ ProtocolVersion string }
		_ = json.Unmarshal(m.Params, &p) // without a version the error still lists ours
		return s.unsupported(p.ProtocolVersion)
	case header == "":
		return bad(CodeHeaderMismatch, "Header mismatch: %s header is missing", headerVersion)
	case inBody == nil || json.Unmarshal(inBody, &body) != nil:
		return bad(CodeInvalidParams, "Invalid params: _meta lacks %s", metaVersion)
	case header != body:
		return bad(CodeHeaderMismatch, "Header mismatch: %s header value %q does not match body value %q", headerVersion, header, body)
	case header != ModernRevision:
		return s.unsupported(header)
	}
	return nil
}

// unsupported is UnsupportedProtocolVersionError.
func (s *Server) unsupported(requested string) *refusal {
	return &refusal{http.StatusBadRequest, &Error{
		Code: CodeVersion, Message: "Unsupported protocol version",
		Data: map[string]any{"supported": s.versions(), "requested": requested},
	}}
}

// servesModern reports whether a modern request of this method is answered.
func (s *Server) servesModern(method string) bool {
	f := s.faults.Load()
	switch method {
	case "server/discover":
		return true
	case "tools/list", "tools/call":
		return s.serves(s.cfg.caps.Tools)
	case "tasks/get", "tasks/update", "tasks/cancel":
		return s.extension() || f.ServeUndeclared
	case "subscriptions/listen":
		return f.Listen != ListenRefused
	default:
		return false
	}
}

// extension reports whether the modern half has tasks.
func (s *Server) extension() bool {
	return s.cfg.caps.TasksExtension && !s.faults.Load().BlockInDiscover
}

// readCaller reads what `_meta` says of the sender.
func readCaller(r *http.Request, meta map[string]json.RawMessage) (*caller, *refusal) {
	var caps *clientCaps
	if raw := meta[metaCapabilities]; raw == nil || json.Unmarshal(raw, &caps) != nil || caps == nil {
		return nil, bad(CodeInvalidParams, "Invalid params: _meta lacks %s", metaCapabilities)
	}
	who := &caller{account: account(r), level: -1, token: meta["progressToken"]}
	who.form, who.url, who.sampling = caps.modes()
	_, who.tasks = caps.Extensions[extensionTasks]
	if raw := meta[metaLevel]; raw != nil {
		var level string
		if json.Unmarshal(raw, &level) != nil || severity(level) < 0 {
			return nil, bad(CodeInvalidParams, "Invalid params: unknown log level")
		}
		who.level = severity(level)
	}
	return who, nil
}
