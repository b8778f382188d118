package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"
)

const maxRuns = 5 // runs of a tool that wants pages visited first

// errand is a modern tools/call from its first request to its result, or to the task that is made of it, over all the
// rounds between (basic/patterns/mrtr). Its fields belong to Server.mu.
type errand struct {
	s     *Server
	c     *Call
	tool  Tool
	who   *caller
	what  string // tool and arguments: what a retry must repeat
	asks  bool   // the call becomes a task once Before has run
	stop  context.CancelFunc
	begin func() // starts the script; nil once it runs

	id    json.RawMessage // of the request that is open
	st    *stream         // that answers it; nil while none is open
	token json.RawMessage // its progress token

	state string // what resumes it; empty while a request is open
	since time.Time
	timer *time.Timer
	open  []*prompt
	keys  int      // made so far
	empty int      // rounds without questions that are still to come, for Faults.EmptyRounds
	done  *Outcome // how it ended while no request was open
}

// modernParams is schema type CallToolRequestParams of 2026-07-28; a `task` in it has no meaning any more.
type modernParams struct {
	Name      string                     `json:"name"`
	Arguments json.RawMessage            `json:"arguments"`
	Responses map[string]json.RawMessage `json:"inputResponses"`
	State     *string                    `json:"requestState"`
}

// modernCall answers tools/call: with a result, a task, or the questions that come first.
func (s *Server) modernCall(w http.ResponseWriter, r *http.Request, m *incoming, who *caller) {
	p, tool, no := s.readModernCall(r, m.Params, who)
	if no != nil {
		s.refuseModern(w, m.ID, no)
		return
	}
	sse, onlyJSON := s.shape(r)
	st := s.modernStream()
	st.plain = onlyJSON
	s.mu.Lock()
	e, err := s.errandOf(p, tool, who)
	if err == nil {
		s.modernNoise(st)
		e.attach(m.ID, st, who, p.Responses)
	}
	s.mu.Unlock()
	if err != nil {
		s.sendModern(w, r, m, nil, err)
		return
	}
	defer e.hangUp(st)
	s.carry(w, r, st, 1, !sse, nil)
}

// readModernCall finds the tool and holds the call against its headers and what the client can do.
func (s *Server) readModernCall(r *http.Request, params json.RawMessage, who *caller) (*modernParams, Tool, *refusal) {
	var p modernParams
	if json.Unmarshal(params, &p) != nil {
		return nil, Tool{}, bad(CodeInvalidParams, "Invalid tools/call params")
	}
	if a := bytes.TrimSpace(p.Arguments); len(a) > 0 && a[0] != '{' {
		return nil, Tool{}, bad(CodeInvalidParams, "arguments must be an object")
	}
	for _, raw := range p.Responses {
		if !isObject(raw) {
			return nil, Tool{}, bad(CodeInvalidParams, "an input response must be an object")
		}
	}
	tool, ok := s.toolNamed(s.faults.Load().calmString(p.Name))
	if !ok {
		return nil, Tool{}, &refusal{http.StatusOK, errorf(CodeInvalidParams, "Unknown tool: %s", p.Name)}
	}
	if no := checkParams(r, tool, p.Arguments); no != nil {
		return nil, tool, no
	}
	if tool.TaskSupport == Required && !who.tasks && s.extension() {
		return nil, tool, &refusal{http.StatusBadRequest, missingTasks()}
	}
	return &p, tool, nil
}

func (s *Server) toolNamed(name string) (Tool, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tools {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// errandOf finds the call that a request goes on with, or begins one. s.mu is held.
func (s *Server) errandOf(p *modernParams, tool Tool, who *caller) (*errand, *Error) {
	what := digest(p.Name, p.Arguments)
	if p.State != nil {
		e := s.errands[*p.State]
		// The state is worth nothing to other credentials or with another call (basic/patterns/mrtr, server requirements).
		if e == nil || e.who.account != who.account || e.what != what {
			return nil, errorf(CodeInvalidParams, "Invalid requestState")
		}
		return e, nil
	}
	if e := s.errands[stateless(who, what)]; e != nil && p.Responses != nil {
		return e, nil
	}
	return s.newErrand(p, tool, who, what)
}

// stateless is what resumes a call of which the client was given no requestState.
func stateless(who *caller, what string) string { return who.account + "\x00" + what }

// digest is the same for the same call, however its JSON is written.
func digest(name string, args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) == nil {
		if canonical, err := json.Marshal(v); err == nil {
			args = canonical
		}
	}
	return name + "\x00" + string(args)
}

// newErrand prepares a call. s.mu is held.
func (s *Server) newErrand(p *modernParams, tool Tool, who *caller, what string) (*errand, *Error) {
	if s.closed {
		return nil, errorf(CodeInternal, "the server is closing")
	}
	s.work.Add(1) // paid back by the script
	f := s.faults.Load()
	ctx, cancel := context.WithCancel(s.ctx)
	e := &errand{
		s: s, tool: tool, who: who, what: what, stop: cancel, empty: f.EmptyRounds,
		asks: who.tasks && s.extension() && (tool.TaskSupport == Required || tool.TaskSupport == Optional),
	}
	e.c = &Call{Tool: tool.Name, Args: orEmpty(f.calm(p.Arguments)), s: s, ctx: ctx, errand: e}
	e.begin = func() { go e.run(ctx) }
	return e, nil
}

// note sends a notification on the stream of the call, unless it became a task, or none is open.
func (e *errand) note(data []byte) {
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	if e.st == nil || e.st.plain {
		return
	}
	e.st.push(data)
	if e.s.faults.Load().Duplicate {
		e.st.push(data)
	}
}

// answer gives the outcome to the open request, or keeps it for the next. s.mu is held.
func (e *errand) answer(o Outcome) {
	if e.st == nil {
		e.done = &o
		return
	}
	e.st.finish(e.s.modernReply("tools/call", e.id, "complete", o.result(""), o.Err))
	e.st = nil
	e.wake()
}

// run is the script: Before, then Run, as a task or not.
func (e *errand) run(ctx context.Context) {
	defer e.s.work.Done()
	defer e.stop()
	o := runBefore(ctx, e.tool, e.c)
	if o == nil && e.asks {
		if start := e.becomeTask(); start != nil { //nolint:contextcheck // the task outlives the call
			start()
		}
		return
	}
	if o == nil {
		end := run(ctx, e.tool, e.c)
		o = &end
	}
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	e.answer(*o)
	e.s.log.changed()
}

// becomeTask makes the task of the call, answers by it, and gives what runs the rest of the script; nil if nobody is
// there to take the task.
func (e *errand) becomeTask() (start func()) {
	s := e.s
	f := s.faults.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.st == nil || s.closed {
		// Its last question was given up while no request was open; who comes back is told.
		e.answer(Refused(CodeInternal, "the call was given up", nil))
		return nil
	}
	r := s.add(Task{Poll: e.tool.Poll, Account: e.who.account})
	r.deaf = e.tool.Deaf
	e.c.r = r
	s.work.Add(1) // paid back by start
	start = s.prepare(e.tool, e.c)
	t := s.brief(r)
	if f.Born != "" {
		t["status"] = f.Born
	}
	e.st.finish(s.modernReply("tools/call", e.id, "task", t, nil))
	e.st = nil
	return start
}

// honest turns the failure of a script that could not ask into the error that says what the client lacks.
func (c *Call) honest(o Outcome) Outcome {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.lacking == nil || !o.IsError {
		return o
	}
	err := missing(c.lacking)
	return Outcome{Err: err, Message: o.Message}
}

// visit asks to open pages; nil: all were accepted.
func (c *Call) visit(pages []Elicitation) *Outcome {
	qs := make([]Question, 0, len(pages))
	for _, e := range pages {
		qs = append(qs, Question{Elicitation: e})
	}
	replies, err := c.ElicitAll(qs...)
	if err != nil {
		o := ToolError("the pages were not opened: " + err.Error())
		return &o
	}
	for _, r := range replies {
		if !r.Accepted() {
			o := ToolError("the pages were not opened: " + r.Action)
			return &o
		}
	}
	return nil
}
