package mcptest

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "MCP-Protocol-Version"
	headerEvent   = "Last-Event-ID"
	maxBody       = 16 << 20 // bytes of a POST
	typeJSON      = "application/json"
	typeSSE       = "text/event-stream"
)

// revisions that the HTTP face accepts, newest first.
var revisions = []string{Revision, "2025-06-18", "2025-03-26"}

// ServeHTTP answers on any path: the streamable HTTP transport of the eras that are configured.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		http.Error(w, "the server is closing", http.StatusServiceUnavailable)
		return
	}
	defer s.work.Done()
	if !localOrigin(r.Header.Get("Origin")) {
		http.Error(w, "origin not allowed", http.StatusForbidden) // 2025-11-25, basic/transports, security warning
		return
	}
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	for k, vs := range s.faults.Load().Header {
		w.Header()[k] = vs
	}
	if r.Method != http.MethodPost && s.cfg.eras&LegacyEra == 0 {
		w.Header().Set("Allow", "POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.servePOST(w, r)
	case http.MethodGet:
		s.log.add(Request{Kind: KindStream, Method: "GET", Header: r.Header.Clone(), Session: r.Header.Get(headerSession), At: s.now()})
		s.guarded(w, r, "GET", nil, s.serveGET)
	case http.MethodDelete:
		s.log.add(Request{Kind: KindDelete, Method: "DELETE", Header: r.Header.Clone(), Session: r.Header.Get(headerSession), At: s.now()})
		s.guarded(w, r, "DELETE", nil, s.serveDELETE)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

// localOrigin keeps web pages of other origins from reaching a server on loopback by DNS rebinding.
func localOrigin(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *Server) servePOST(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "body too large or broken", http.StatusRequestEntityTooLarge)
		return
	}
	var m incoming
	bad := json.Unmarshal(body, &m) != nil || m.JSONRPC != "2.0"
	rec := Request{Kind: m.kind(), Method: m.Method, ID: m.ID, Params: m.Params, Error: m.Error, Header: r.Header.Clone(), Session: r.Header.Get(headerSession), At: s.now()}
	if rec.Kind == KindResponse {
		rec.Params = m.Result
	}
	s.log.add(rec)
	s.guarded(w, r, m.Method, m.ID, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.isModern(r, &m):
			s.serveModern(w, r, &m, bad) //nolint:contextcheck // a task outlives the request that makes it
		case bad && bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")):
			s.refuse(w, http.StatusBadRequest, errorf(CodeInvalidRequest, "batches are not part of this revision"))
		case bad:
			s.refuse(w, http.StatusBadRequest, errorf(CodeParse, "Parse error"))
		default:
			s.serveMessage(w, r, &m) //nolint:contextcheck // a task outlives the request that makes it
		}
	})
}

// guarded lets interceptions and the token have their say before next.
func (s *Server) guarded(w http.ResponseWriter, r *http.Request, method string, id json.RawMessage, next http.HandlerFunc) {
	i, met := s.interception(method)
	if met && i.Delay > 0 && !s.pause(r, i.Delay) {
		return
	}
	switch {
	case !met:
	case i.Hang:
		s.pause(r, 0)
		return
	case i.Drop:
		panic(http.ErrAbortHandler)
	case i.DropReply:
		next(&discard{header: http.Header{}}, r)
		panic(http.ErrAbortHandler)
	case i.Status != 0 || i.Err != nil:
		s.intercepted(w, i, method, id)
		return
	}
	s.mu.Lock()
	tokens := s.tokens
	s.mu.Unlock()
	if len(tokens) > 0 && !slices.Contains(tokens, account(r)) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="mcptest", error="invalid_token"`)
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	next(w, r)
}

func (s *Server) intercepted(w http.ResponseWriter, i Interception, method string, id json.RawMessage) {
	for k, vs := range i.Header {
		w.Header()[k] = vs
	}
	status := i.Status
	if status == 0 {
		status = http.StatusOK
	}
	body := []byte(i.Body)
	if i.Err != nil {
		w.Header().Set("Content-Type", typeJSON)
		body = s.encode(method, outgoing{ID: id, Error: i.Err})
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// pause waits for d, for ever if d is zero, and reports whether there still is somebody to answer.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	var done <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		done = t.C
	}
	select {
	case <-done:
		return true
	case <-r.Context().Done():
	case <-s.ctx.Done():
	}
	return false
}

// refuse answers a POST that is none of a session's business. There is no id: the request is not read that far.
func (s *Server) refuse(w http.ResponseWriter, status int, err *Error) {
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	_, _ = w.Write(s.encode("", outgoing{Error: err}))
}

func (s *Server) serveMessage(w http.ResponseWriter, r *http.Request, m *incoming) {
	if v := r.Header.Get(headerVersion); v != "" && !known(v) && m.Method != "initialize" {
		s.refuse(w, http.StatusBadRequest, errorf(-32000, "Bad Request: Unsupported protocol version"))
		return
	}
	if m.Method == "initialize" && m.kind() == KindRequest {
		s.serveInitialize(w, r, m)
		return
	}
	ss, ok := s.sessionOf(w, r)
	if !ok {
		return
	}
	switch m.kind() {
	case KindResponse:
		s.response(ss, m)
		w.WriteHeader(http.StatusAccepted)
	case KindNotification:
		s.notification(ss, m)
		w.WriteHeader(http.StatusAccepted)
	default:
		s.serveRequest(w, r, ss, m)
	}
}

func known(version string) bool {
	for _, v := range revisions {
		if v == version {
			return true
		}
	}
	return false
}

// sessionOf finds the session of a request, or answers that there is none.
func (s *Server) sessionOf(w http.ResponseWriter, r *http.Request) (*session, bool) {
	id := r.Header.Get(headerSession)
	ss := s.lookUp(id)
	switch {
	case ss != nil:
		return ss, true
	case id == "":
		s.refuse(w, http.StatusBadRequest, errorf(-32000, "Bad Request: Mcp-Session-Id header is required"))
	case s.faults.Load().Loss == Loss400:
		http.Error(w, "No valid session ID provided", http.StatusBadRequest)
	default:
		s.refuse(w, http.StatusNotFound, errorf(-32001, "Session not found"))
	}
	return nil, false
}

// lookUp is the session of this id, or nil.
func (s *Server) lookUp(id string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != nil {
		return s.open
	}
	ss := s.sessions[id]
	if ss == nil && id != "" && s.faults.Load().Loss == LossEmpty {
		ss = s.newSession(id)
		s.keepSession(ss)
	}
	if ss != nil {
		ss.seen = s.now()
	}
	return ss
}

// keepSession adds a session, at the cost of the one that was silent longest where there are too many. s.mu is held.
func (s *Server) keepSession(ss *session) {
	s.sessions[ss.id] = ss
	if len(s.sessions) <= s.cfg.maxSessions {
		return
	}
	var oldest *session
	for _, o := range s.sessions {
		if o != ss && !o.get.connected() && (oldest == nil || o.seen.Before(oldest.seen)) {
			oldest = o
		}
	}
	if oldest != nil {
		delete(s.sessions, oldest.id)
		s.dropSession(oldest)
	}
}

func (s *Server) serveDELETE(w http.ResponseWriter, r *http.Request) {
	switch s.faults.Load().Delete {
	case Delete405:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	case Delete404HTML:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<html><body>Cannot DELETE /mcp</body></html>")
		return
	case DeleteIgnored:
		return
	case DeleteOK:
	}
	ss, ok := s.sessionOf(w, r)
	if !ok || ss == s.open {
		return
	}
	s.mu.Lock()
	delete(s.sessions, ss.id)
	s.dropSession(ss)
	ss.get.finish(nil)
	s.mu.Unlock()
	s.log.changed()
}

// account is the bearer token of a request, empty where there is none.
func account(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return token
}

// wantsSSE reports whether the client accepts a stream.
func wantsSSE(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept"), ","), typeSSE)
}

// discard is the response of a request whose reply is lost.
type discard struct{ header http.Header }

// Header gives headers that nobody sees.
func (d *discard) Header() http.Header { return d.header }

// Write drops p.
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader does nothing.
func (d *discard) WriteHeader(int) {}

// Flush does nothing.
func (d *discard) Flush() {}
