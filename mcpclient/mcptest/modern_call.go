package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	maxRuns    = 5                // runs of a tool that wants pages visited first
	maxErrands = 1000             // modern calls that wait for their next round; then the oldest is given up
	roundsKept = 10 * time.Minute // how long one waits
)

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

// attach goes on with the call under a new request. s.mu is held.
func (e *errand) attach(id json.RawMessage, st *stream, who *caller, responses map[string]json.RawMessage) {
	e.wake()
	e.id, e.st, e.token, e.who = id, st, who.token, who
	f := e.s.faults.Load()
	for _, p := range append([]*prompt(nil), e.open...) {
		if raw, given := responses[p.key]; given {
			e.s.respond(p, raw, f)
		}
	}
	switch {
	case e.done != nil:
		e.answer(*e.done)
	case e.empty > 0:
		e.empty--
		e.rest()
	case e.begin != nil:
		e.begin()
		e.begin = nil
	case len(e.open) > 0:
		e.rest() // what is missing is asked again
	}
}

// wake takes the call out of those that wait. s.mu is held.
func (e *errand) wake() {
	if e.state != "" {
		delete(e.s.errands, e.state)
		e.state = ""
	}
	if e.timer != nil {
		e.timer.Stop()
	}
}

// pose asks in the next round, which begins at once if a request is open. s.mu is held.
func (e *errand) pose(ps []*prompt) {
	for _, p := range ps {
		if p.key == "" {
			e.keys++
			p.key = fmt.Sprintf("input-%d", e.keys)
		}
		e.s.asking = append(e.s.asking, p)
		e.open = append(e.open, p)
	}
	if e.st != nil {
		e.rest()
	}
}

// rest answers the open request by what is asked, and waits for the next. s.mu is held.
func (e *errand) rest() {
	s := e.s
	body := map[string]any{}
	if len(e.open) > 0 {
		asked := map[string]any{}
		for _, p := range e.open {
			asked[p.key] = p.e.request()
		}
		body["inputRequests"] = asked
	}
	if s.faults.Load().NoState && len(e.open) > 0 {
		e.state = stateless(e.who, e.what)
	} else {
		e.state = randomID()
		body["requestState"] = e.state
	}
	e.since = s.now()
	s.errands[e.state] = e
	s.boundErrands()
	e.timer = time.AfterFunc(roundsKept, e.expire)
	e.st.finish(s.modernReply("tools/call", e.id, "input_required", body, nil))
	e.st = nil
	s.log.changed()
}

// boundErrands gives the oldest waiting call up where there are too many. s.mu is held.
func (s *Server) boundErrands() {
	if len(s.errands) <= maxErrands {
		return
	}
	var oldest *errand
	for _, e := range s.errands {
		if oldest == nil || e.since.Before(oldest.since) {
			oldest = e
		}
	}
	oldest.abort()
}

// expire gives a call up whose next round did not come.
func (e *errand) expire() {
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	if e.st == nil && e.state != "" {
		e.abort()
	}
}

// abort ends the call without an answer. s.mu is held.
func (e *errand) abort() {
	e.wake()
	e.stop()
	if e.begin != nil { // no script will ever pay this back
		e.begin = nil
		e.s.work.Done()
	}
	if e.st != nil {
		e.st.finish(nil)
		e.st = nil
	}
	e.s.log.changed()
}

// hangUp is the end of the response stream: before the answer it cancels the call (basic/patterns/cancellation).
func (e *errand) hangUp(st *stream) {
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	if e.st == st && !st.over() {
		e.abort()
	}
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
