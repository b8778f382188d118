package mcptest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sort"
)

func (s *Server) getTask(ss *session, params json.RawMessage) (any, *Error) {
	if !s.serves(s.cfg.caps.TasksCall || s.cfg.caps.TasksList || s.cfg.caps.TasksCancel) {
		return nil, errorf(CodeNoMethod, "Method not found")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ss, params, "retrieve")
	if err != nil {
		return nil, err
	}
	if s.faults.Load().BumpOnPoll {
		r.Updated = s.now()
	}
	return s.wire(r), nil
}

func (s *Server) serves(declared bool) bool { return declared || s.faults.Load().ServeUndeclared }

func (s *Server) cancelTask(ss *session, params json.RawMessage) (any, *Error) {
	if !s.serves(s.cfg.caps.TasksCancel) {
		return nil, errorf(CodeNoMethod, "Method not found")
	}
	f := s.faults.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ss, params, "cancel")
	if err != nil {
		return nil, err
	}
	if r.Status.Terminal() && !f.FlipTerminal {
		return nil, errorf(CodeInvalidParams, "Cannot cancel task: already in terminal status '%s'", r.Status)
	}
	if f.FlipTerminal && r.script != nil {
		// The script is not stopped, so that its end can contradict the cancellation.
		script := r.script
		r.script = nil
		defer func() { r.script = script }()
	}
	s.move(r, Cancelled, "The task was cancelled by request.")
	w := s.wire(r)
	if f.DropCancelled {
		s.remove(r)
	}
	return w, nil
}

// tasksPage is schema type ListTasksResult.
type tasksPage struct {
	Tasks      []wireTask `json:"tasks"`
	NextCursor *string    `json:"nextCursor,omitempty"`
}

// listTasks gives the page of tasks that a cursor points at, oldest first.
func (s *Server) listTasks(ss *session, params json.RawMessage) (any, *Error) {
	if !s.serves(s.cfg.caps.TasksList) {
		return nil, errorf(CodeNoMethod, "Method not found")
	}
	f := s.faults.Load()
	after, ok := readCursor(params)
	if !ok && !f.CursorRestarts {
		return nil, errorf(CodeInvalidParams, "Invalid cursor")
	}
	if f.CursorLoop {
		after = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	page, last, more := s.page(ss, after)
	if len(page.Tasks) > 0 && (f.EmptyLastPage && len(page.Tasks) == s.cfg.pageSize || f.CursorLoop) {
		more = true
	}
	if more {
		c := cursor(last)
		page.NextCursor = &c
	}
	if f.RandomOrder {
		rand.Shuffle(len(page.Tasks), func(i, j int) { page.Tasks[i], page.Tasks[j] = page.Tasks[j], page.Tasks[i] })
	}
	return page, nil
}

// page collects the tasks after a place in the list. last is the place of the last of them; more reports whether the
// session sees others behind it. s.mu is held.
func (s *Server) page(ss *session, after uint64) (page tasksPage, last uint64, more bool) {
	size := s.cfg.pageSize
	if size <= 0 {
		size = len(s.list)
	}
	page.Tasks = make([]wireTask, 0, min(size, len(s.list)))
	from := sort.Search(len(s.list), func(i int) bool { return s.list[i].seq > after })
	for _, sl := range s.list[from:] {
		if sl.r == nil || !s.sees(ss, sl.r) {
			continue
		}
		if len(page.Tasks) == size {
			return page, last, true
		}
		page.Tasks = append(page.Tasks, s.wire(sl.r))
		last = sl.seq
	}
	return page, last, false
}

// A cursor is opaque to clients; here it is the place after which the next page begins.
func cursor(place uint64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "after %d", place))
}

// readCursor reads the cursor of a request; none is the first page.
func readCursor(params json.RawMessage) (place uint64, ok bool) {
	var p struct {
		Cursor *string `json:"cursor"`
	}
	if len(params) > 0 && json.Unmarshal(params, &p) != nil {
		return 0, false
	}
	if p.Cursor == nil {
		return 0, true
	}
	raw, err := base64.RawURLEncoding.DecodeString(*p.Cursor)
	if err != nil {
		return 0, false
	}
	n, err := fmt.Fscanf(bytes.NewReader(raw), "after %d", &place)
	return place, err == nil && n == 1
}

// serveResult answers tasks/result: at once for an ended task, else when it ends. Prompts of the task come on the
// stream meanwhile.
func (s *Server) serveResult(w http.ResponseWriter, r *http.Request, ss *session, m *incoming) {
	f := s.faults.Load()
	s.mu.Lock()
	t, err := s.find(ss, m.Params, "retrieve")
	if !s.serves(s.cfg.caps.TasksCall || s.cfg.caps.TasksList || s.cfg.caps.TasksCancel) {
		err = errorf(CodeNoMethod, "Method not found")
	}
	if err == nil && !t.Status.Terminal() && f.RefuseResult {
		err = errorf(CodeInternal, "no result stored")
	}
	if err != nil || t.Status.Terminal() {
		var body any
		if err == nil {
			body = s.payload(t)
		}
		s.mu.Unlock()
		s.send(w, r, ss, s.encodeReply(m.Method, m.ID, body, err))
		return
	}
	sse, onlyJSON := s.shape(r)
	st := ss.stream(s)
	st.plain = onlyJSON || f.LateHeaders
	s.noise(ss, st)
	wt := &wait{sess: ss, id: m.ID, st: st}
	t.waits = append(t.waits, wt)
	ss.inflight[string(m.ID)] = func() { // s.mu is held
		delete(ss.inflight, string(m.ID))
		for i, o := range t.waits {
			if o == wt {
				t.waits = append(t.waits[:i:i], t.waits[i+1:]...)
				break
			}
		}
		st.finish(nil)
	}
	s.mu.Unlock()
	s.carry(w, r, st, 1, onlyJSON || f.LateHeaders && !sse, func() {
		if s.cfg.promptRoute != ByGET {
			for _, p := range t.prompts {
				s.offer(p, ss, st)
			}
		}
	})
}

// listTools is schema type ListToolsResult, in either era.
func (s *Server) listTools(params json.RawMessage, modern bool) (map[string]any, *Error) {
	if !s.serves(s.cfg.caps.Tools) {
		return nil, errorf(CodeNoMethod, "Method not found")
	}
	from, ok := readCursor(params)
	s.mu.Lock()
	tools := s.tools
	s.mu.Unlock()
	if !ok || from > uint64(len(tools)) {
		return nil, errorf(CodeInvalidParams, "Invalid cursor")
	}
	page, list := map[string]any{}, []map[string]any{}
	for i := int(from); i < len(tools); i++ {
		if s.cfg.toolPageSize > 0 && len(list) == s.cfg.toolPageSize {
			page["nextCursor"] = cursor(uint64(i))
			break
		}
		list = append(list, tools[i].wire(s.cfg.caps.TasksCall && !modern))
	}
	page["tools"] = list
	if modern {
		page["ttlMs"], page["cacheScope"] = s.cfg.toolsTTL.Milliseconds(), s.cfg.cacheScope
	}
	return page, nil
}

// wire is schema type Tool.
func (t Tool) wire(tasks bool) map[string]any {
	schema := t.InputSchema
	if schema == nil {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	w := map[string]any{"name": t.Name, "inputSchema": schema}
	if t.Title != "" {
		w["title"] = t.Title
	}
	if t.Description != "" {
		w["description"] = t.Description
	}
	if t.OutputSchema != nil {
		w["outputSchema"] = t.OutputSchema
	}
	if t.Annotations != nil {
		w["annotations"] = t.Annotations
	}
	if t.TaskSupport != "" && tasks {
		w["execution"] = map[string]any{"taskSupport": t.TaskSupport}
	}
	return w
}
