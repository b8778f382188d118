package mcptest

import (
	"encoding/json"
	"net/http"
	"time"
)

// modernStatus is the state of a task in the words of the extension: a tool result that reports failure is a completed
// task, failed is for JSON-RPC errors (extension tasks, task execution errors).
func (r *record) modernStatus() Status {
	if r.Status == Failed && r.Outcome.Err == nil && r.Outcome.IsError {
		return Completed
	}
	return r.Status
}

// brief is schema type Task of the extension.
func (s *Server) brief(r *record) map[string]any {
	w := s.wire(r)
	t := map[string]any{"taskId": w.TaskID, "status": r.modernStatus(), "createdAt": w.CreatedAt, "lastUpdatedAt": w.LastUpdatedAt, "ttlMs": w.TTL}
	if w.StatusMessage != "" {
		t["statusMessage"] = w.StatusMessage
	}
	if w.PollInterval != nil {
		t["pollIntervalMs"] = *w.PollInterval
	}
	return t
}

// detail is schema type DetailedTask. s.mu is held.
func (s *Server) detail(r *record) map[string]any {
	t := s.brief(r)
	switch r.modernStatus() {
	case InputRequired:
		asked := map[string]any{}
		for _, p := range r.prompts {
			asked[p.key] = p.e.request()
		}
		t["inputRequests"] = asked
	case Completed:
		// What the request itself would have returned.
		res := r.Outcome.result("")
		res["resultType"] = "complete"
		t["result"] = res
	case Failed:
		t["error"] = r.failure()
	case Working, Cancelled:
	}
	return t
}

// failure is the error of a failed task; one that was moved there by hand need not have any.
func (r *record) failure() *Error {
	if r.Outcome.Err != nil {
		return r.Outcome.Err
	}
	message := r.Message
	if message == "" {
		message = "the task failed"
	}
	return errorf(CodeInternal, "%s", message)
}

// findModern gives the task of taskId in params as far as the account may know of it. s.mu is held.
func (s *Server) findModern(who *caller, params json.RawMessage, verb string) (*record, *Error) {
	var p struct {
		TaskID string `json:"taskId"`
	}
	_ = json.Unmarshal(params, &p) // it was read before, to hold the header against it
	r := s.tasks[p.TaskID]
	if r == nil || r.Session != "" && !s.cfg.shared || r.Account != "" && r.Account != who.account {
		return nil, errorf(CodeInvalidParams, "Failed to %s task: Task not found", verb)
	}
	return r, nil
}

func (s *Server) modernGet(who *caller, params json.RawMessage) (map[string]any, *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.findModern(who, params, "retrieve")
	if err != nil {
		return nil, err
	}
	if s.faults.Load().BumpOnPoll {
		r.Updated = s.now()
	}
	return s.detail(r), nil
}

// modernIntent answers tasks/update and tasks/cancel: acknowledged by an empty result, whatever comes of it.
func (s *Server) modernIntent(w http.ResponseWriter, r *http.Request, m *incoming, who *caller) {
	f := s.faults.Load()
	s.mu.Lock()
	var effect func() // called with s.mu held
	var err *Error
	if m.Method == "tasks/cancel" {
		effect, err = s.modernCancel(who, m.Params)
	} else {
		effect, err = s.modernUpdate(who, m.Params, f)
	}
	if effect != nil && f.EffectLag == 0 {
		effect()
		effect = nil
	}
	s.mu.Unlock()
	if effect != nil {
		s.later(f.EffectLag, effect)
	}
	if err == nil && f.AckDelay > 0 && !s.pause(r, f.AckDelay) {
		return
	}
	s.sendModern(w, r, m, nil, err)
}

// later does something in a while, with s.mu held, unless the server is closed before.
func (s *Server) later(d time.Duration, do func()) {
	if !s.begin() {
		return
	}
	go func() {
		defer s.work.Done()
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		do()
	}()
}

// modernCancel gives the effect of tasks/cancel, nil for a task that has ended. s.mu is held.
func (s *Server) modernCancel(who *caller, params json.RawMessage) (func(), *Error) {
	r, err := s.findModern(who, params, "cancel")
	if err != nil || r.Status.Terminal() {
		return nil, err
	}
	return func() {
		f := s.faults.Load()
		if s.tasks[r.ID] != r || r.Status.Terminal() {
			return
		}
		r.asked = true
		if r.deaf || f.CancelLoses {
			s.log.changed()
			return
		}
		if f.FlipTerminal && r.script != nil {
			// The script is not stopped, so that its end can contradict the cancellation.
			script := r.script
			r.script = nil
			defer func() { r.script = script }()
		}
		s.move(r, Cancelled, "The task was cancelled by request.")
		if f.DropCancelled {
			s.remove(r)
		}
	}, nil
}

// modernUpdate gives the effect of tasks/update. Answers to what is not asked are ignored. s.mu is held.
func (s *Server) modernUpdate(who *caller, params json.RawMessage, f *Faults) (func(), *Error) {
	r, err := s.findModern(who, params, "update")
	if err != nil {
		return nil, err
	}
	var p struct {
		Responses map[string]json.RawMessage `json:"inputResponses"`
	}
	if json.Unmarshal(params, &p) != nil || p.Responses == nil {
		return nil, errorf(CodeInvalidParams, "Failed to update task: inputResponses is missing or not an object")
	}
	if r.Status.Terminal() {
		if f.AckLate {
			return nil, nil
		}
		return nil, errorf(CodeInvalidParams, "Failed to update task: already in terminal status '%s'", r.modernStatus())
	}
	for _, q := range r.prompts {
		raw, given := p.Responses[q.key]
		if !given && f.WholeUpdates {
			return nil, errorf(CodeInvalidParams, "Failed to update task: all open inputs must be answered together")
		}
		if given && !isObject(raw) {
			return nil, errorf(CodeInvalidParams, "Failed to update task: an input response must be an object")
		}
	}
	asked := append([]*prompt(nil), r.prompts...)
	return func() {
		f := s.faults.Load()
		for _, q := range asked {
			if raw, given := p.Responses[q.key]; given && !q.over {
				s.respond(q, raw, f)
			}
		}
	}, nil
}

// respond takes an input response. s.mu is held.
func (s *Server) respond(p *prompt, raw json.RawMessage, f *Faults) {
	if p.ignored < f.Reask {
		p.ignored++
		s.log.changed()
		return
	}
	s.closePrompt(p, p.e.reply(raw, f), "answered elsewhere", false)
	s.resume(p)
}

func isObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}
