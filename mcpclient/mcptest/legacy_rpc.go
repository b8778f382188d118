package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
)

// encodeReply makes a response of body, which may be an *Error itself, or of err if there is one.
func (s *Server) encodeReply(method string, id json.RawMessage, body any, err *Error) []byte {
	if e, ok := body.(*Error); ok && err == nil {
		err = e
	}
	if err != nil {
		return s.encode(method, outgoing{ID: id, Error: err})
	}
	if body == nil {
		body = struct{}{}
	}
	return s.encode(method, outgoing{ID: id, Result: body})
}

// writeReply writes one JSON response; nil data, of a request that the client cancelled, an empty stream.
func (s *Server) writeReply(w http.ResponseWriter, data []byte, modern bool) {
	if data == nil {
		w.Header().Set("Content-Type", typeSSE)
		w.WriteHeader(http.StatusOK)
		return
	}
	w.Header().Set("Content-Type", typeJSON)
	if f := s.faults.Load(); f.ErrorStatus != 0 || modern {
		var m struct{ Error *Error }
		if json.Unmarshal(data, &m) == nil && m.Error != nil {
			w.WriteHeader(f.errorStatus(m.Error.Code, modern))
		}
	}
	_, _ = w.Write(data)
}

// shape decides how the reply to a request goes out: as SSE at once, or as JSON unless something precedes it.
func (s *Server) shape(r *http.Request) (sse, onlyJSON bool) {
	f := s.faults.Load()
	if !wantsSSE(r) {
		return false, true
	}
	switch f.Replies {
	case ReplyJSON:
		return false, true
	case ReplySSE:
		return true, false
	case ReplyTurns:
		return s.turn.Add(1)%2 == 0, false
	default:
		return f.Noise, false
	}
}

// send writes the reply to a request that is answered at once.
func (s *Server) send(w http.ResponseWriter, r *http.Request, ss *session, data []byte) {
	sse, _ := s.shape(r)
	if !sse {
		s.writeReply(w, data, false)
		return
	}
	s.mu.Lock()
	st := ss.stream(s)
	s.noise(ss, st)
	s.mu.Unlock()
	st.finish(data)
	s.carry(w, r, st, 1, false, nil)
}

// noise puts messages on a stream that have nothing to do with its reply. s.mu is held.
func (s *Server) noise(ss *session, st *stream) {
	if !s.faults.Load().Noise || st.plain {
		return
	}
	id := s.requestID(ss)
	ss.pending[string(id)] = func(*incoming) {}
	st.push(s.encodeNote("notifications/message", map[string]any{"level": "debug", "logger": "noise", "data": "unrelated"}))
	st.push(s.encodeNote("notifications/progress", map[string]any{"progressToken": "nobody's", "progress": 1}))
	st.push(s.encodeNote("notifications/resources/list_changed", nil))
	st.push(s.encodeNote("notifications/x-unheard-of", map[string]any{"anything": []int{1, 2, 3}}))
	st.push(s.encode("ping", outgoing{ID: id, Method: "ping"}))
}

// response takes the client's answer to a request of ours.
func (s *Server) response(ss *session, m *incoming) {
	key := string(bytes.TrimSpace(m.ID))
	s.mu.Lock()
	take := ss.pending[key]
	delete(ss.pending, key)
	s.mu.Unlock()
	if take != nil {
		take(m)
	}
}

func (s *Server) notification(ss *session, m *incoming) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Method {
	case "notifications/initialized":
		ss.ready = true
	case "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			if cancel := ss.inflight[string(p.RequestID)]; cancel != nil {
				cancel()
			}
		}
	}
	s.log.changed()
}

// serveRequest answers one request of an initialised session.
func (s *Server) serveRequest(w http.ResponseWriter, r *http.Request, ss *session, m *incoming) {
	var res any
	var err *Error
	switch m.Method {
	case "ping":
	case "logging/setLevel":
		err = s.setLevel(ss, m.Params)
	case "tools/list":
		var page map[string]any
		if page, err = s.listTools(m.Params, false); err == nil {
			res = page
		}
	case "tools/call":
		s.serveCall(w, r, ss, m)
		return
	case "tasks/get":
		res, err = s.getTask(ss, m.Params)
	case "tasks/list":
		res, err = s.listTasks(ss, m.Params)
	case "tasks/cancel":
		res, err = s.cancelTask(ss, m.Params)
	case "tasks/result":
		s.serveResult(w, r, ss, m)
		return
	default:
		err = errorf(CodeNoMethod, "Method not found")
	}
	s.send(w, r, ss, s.encodeReply(m.Method, m.ID, res, err))
}

func (s *Server) serveInitialize(w http.ResponseWriter, r *http.Request, m *incoming) {
	var p struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(m.Params, &p) != nil || p.ProtocolVersion == "" {
		s.refuse(w, http.StatusBadRequest, errorf(CodeInvalidParams, "Invalid initialize params"))
		return
	}
	version := s.cfg.version
	if version == "" {
		version = revisions[0]
		if known(p.ProtocolVersion) {
			version = p.ProtocolVersion
		}
	}
	ss := s.open
	s.mu.Lock()
	if ss == nil {
		ss = s.newSession(randomID())
		ss.declare(p.Capabilities)
		ss.account = account(r)
		s.keepSession(ss)
		w.Header().Set(headerSession, ss.id)
	}
	ss.version = version
	s.mu.Unlock()
	res := map[string]any{
		"protocolVersion": version,
		"capabilities":    s.cfg.caps.wire(version, s.faults.Load()),
		"serverInfo":      s.info(),
	}
	if s.cfg.instructions != "" {
		res["instructions"] = s.cfg.instructions
	}
	s.send(w, r, ss, s.encodeReply(m.Method, m.ID, res, nil))
}

// wire is schema type ServerCapabilities; revisions before 2025-11-25 have no tasks.
func (c Capabilities) wire(version string, f *Faults) map[string]any {
	caps := c.common()
	if f.ExtensionInInitialize {
		caps["extensions"] = map[string]any{extensionTasks: struct{}{}}
	}
	if tasks := c.tasks(); len(tasks) > 0 && version >= Revision {
		caps["tasks"] = tasks
	}
	return caps
}

// common is what both eras declare alike.
func (c Capabilities) common() map[string]any {
	caps := map[string]any{}
	if c.Tools {
		caps["tools"] = map[string]any{"listChanged": c.ToolsListChanged}
	}
	if c.Logging {
		caps["logging"] = struct{}{}
	}
	return caps
}

// tasks is the block of 2025-11-25.
func (c Capabilities) tasks() map[string]any {
	tasks := map[string]any{}
	if c.TasksList {
		tasks["list"] = struct{}{}
	}
	if c.TasksCancel {
		tasks["cancel"] = struct{}{}
	}
	if c.TasksCall {
		tasks["requests"] = map[string]any{"tools": map[string]any{"call": struct{}{}}}
	}
	return tasks
}

func (s *Server) setLevel(ss *session, params json.RawMessage) *Error {
	var p struct {
		Level string `json:"level"`
	}
	if json.Unmarshal(params, &p) != nil || severity(p.Level) < 0 {
		return errorf(CodeInvalidParams, "Unknown log level")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ss.level = severity(p.Level)
	return nil
}

// serveCall answers tools/call, plain or as a task.
func (s *Server) serveCall(w http.ResponseWriter, r *http.Request, ss *session, m *incoming) {
	p, tool, err := s.readCall(m.Params)
	if err == nil && !s.begin() {
		err = errorf(CodeInternal, "the server is closing")
	}
	if err != nil {
		s.send(w, r, ss, s.encodeReply(m.Method, m.ID, nil, err))
		return
	}
	c := &Call{Tool: tool.Name, Args: orEmpty(s.faults.Load().calm(p.Arguments)), s: s, sess: ss, token: p.Meta.ProgressToken}
	if p.Task != nil {
		s.send(w, r, ss, s.startTask(ss, m, tool, c, p.Task.TTL))
		return
	}
	sse, onlyJSON := s.shape(r)
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	st := ss.stream(s)
	st.plain = onlyJSON
	s.noise(ss, st)
	ss.inflight[string(m.ID)] = func() {
		cancel()
		st.finish(nil)
	}
	s.mu.Unlock()
	c.ctx, c.st = ctx, st
	go func() {
		defer s.work.Done()
		defer cancel()
		o := run(ctx, tool, c)
		s.mu.Lock()
		delete(ss.inflight, string(m.ID))
		s.mu.Unlock()
		var body any = o.result("")
		if o.Err != nil {
			body = o.Err
		}
		st.finish(s.encodeReply(m.Method, m.ID, body, nil))
	}()
	s.carry(w, r, st, 1, !sse, nil)
}

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Task      *struct {
		TTL *float64 `json:"ttl"`
	} `json:"task"`
	Meta struct {
		ProgressToken json.RawMessage `json:"progressToken"`
	} `json:"_meta"`
}

// readCall finds the tool and holds the call against its task support (2025-11-25, basic/utilities/tasks, tool-level
// negotiation).
func (s *Server) readCall(params json.RawMessage) (*callParams, Tool, *Error) {
	var p callParams
	if json.Unmarshal(params, &p) != nil || p.Name == "" {
		return nil, Tool{}, errorf(CodeInvalidParams, "Invalid tools/call params")
	}
	if a := bytes.TrimSpace(p.Arguments); len(a) > 0 && a[0] != '{' {
		return nil, Tool{}, errorf(CodeInvalidParams, "arguments must be an object")
	}
	f := s.faults.Load()
	name := f.calmString(p.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tools {
		if t.Name != name {
			continue
		}
		if !s.cfg.caps.TasksCall && !f.ServeUndeclared {
			p.Task = nil // a receiver without the capability ignores it
			return &p, t, nil
		}
		switch {
		case t.TaskSupport == Required && p.Task == nil:
			return nil, t, errorf(CodeNoMethod, "Tool %s requires task augmentation (taskSupport: 'required')", name)
		case t.TaskSupport != Required && t.TaskSupport != Optional && p.Task != nil:
			return nil, t, errorf(CodeNoMethod, "Tool %s does not support task augmentation (taskSupport: 'forbidden')", name)
		}
		return &p, t, nil
	}
	return nil, Tool{}, errorf(CodeInvalidParams, "Unknown tool: %s", name)
}

// startTask makes the task of a call, starts it and gives the CreateTaskResult.
func (s *Server) startTask(ss *session, m *incoming, tool Tool, c *Call, ttl *float64) []byte {
	f := s.faults.Load()
	s.mu.Lock()
	t := Task{TTL: s.capTTL(ttl), Poll: tool.Poll, Session: ss.id}
	if s.cfg.shared {
		t.Session = ""
	}
	c.r = s.add(t)
	c.r.deaf = tool.Deaf
	start := s.prepare(tool, c)
	if f.EarlyStatus {
		s.notifyStatus(c.r)
	}
	w := s.wire(c.r)
	s.mu.Unlock()
	if f.Born != "" {
		w.Status = f.Born
	}
	res := map[string]any{"task": w}
	if tool.Immediate != "" {
		res["_meta"] = map[string]any{"io.modelcontextprotocol/model-immediate-response": tool.Immediate}
	}
	if f.EarlyStatus {
		// Nothing of the answer goes out before the notification has.
		_ = s.WaitUntil(s.ctx, ss.get.drained)
	}
	go start()
	return s.encodeReply(m.Method, m.ID, res, nil)
}
