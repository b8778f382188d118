package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Call is a tool at work, as its Run sees it. Its methods may be called from several goroutines.
type Call struct {
	Tool string
	Args json.RawMessage // arguments; {} when the client gave none
	Data any             // for the tool's own use, from Before to Run

	s     *Server
	ctx   context.Context
	sess  *session // who called; nil for tasks the server launched
	r     *record  // its task; nil for plain calls
	st    *stream  // of a plain call: the stream that answers it
	token json.RawMessage

	errand  *errand        // of a modern call
	begun   bool           // Before has run
	lacking map[string]any // client capabilities without which a question could not be asked; belongs to Server.mu
}

// Bind decodes the arguments into v.
func (c *Call) Bind(v any) error { return json.Unmarshal(c.Args, v) }

// TaskID is the id of the task, empty for plain calls.
func (c *Call) TaskID() string {
	if c.r == nil {
		return ""
	}
	return c.r.ID
}

// Session is the id of the session that called, empty where there is none.
func (c *Call) Session() string {
	if c.sess == nil {
		return ""
	}
	return c.sess.id
}

// Sleep waits and reports whether the call still goes on.
func (c *Call) Sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// Status sets the statusMessage of the task; it does nothing for plain calls and ended tasks.
func (c *Call) Status(message string) {
	if c.r == nil {
		return
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.s.tasks[c.r.ID] == c.r && !c.r.Status.Terminal() {
		c.s.move(c.r, c.r.Status, message)
	}
}

// CancelAsked reports whether a modern tasks/cancel was acknowledged for the task ([Tool.Deaf]).
func (c *Call) CancelAsked() bool {
	if c.r == nil {
		return false
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.r.asked
}

// progressToken is that of the request which is open now.
func (c *Call) progressToken() json.RawMessage {
	if c.errand == nil {
		return c.token
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.errand.token
}

// Progress sends notifications/progress, if the caller gave a token. total 0 and an empty message are left out. Modern
// tasks have no progress (extension tasks, task status notifications): there it does nothing.
func (c *Call) Progress(progress, total float64, message string) {
	token := c.progressToken()
	if len(token) == 0 {
		return
	}
	params := map[string]any{"progressToken": token, "progress": progress}
	if total != 0 {
		params["total"] = total
	}
	if message != "" {
		params["message"] = message
	}
	c.Notify("notifications/progress", params)
}

// levels of notifications/message, least severe first (RFC 5424).
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

func severity(level string) int {
	for i, l := range levels {
		if l == level {
			return i
		}
	}
	return -1
}

// wantsLog reports whether the caller asked for messages of this severity: by logging/setLevel, in the modern era by
// the logLevel of the request.
func (c *Call) wantsLog(level string) bool {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	switch {
	case c.errand != nil:
		least := c.errand.who.level
		return least >= 0 && severity(level) >= least
	case c.sess != nil:
		return severity(level) >= c.sess.level
	default:
		return false
	}
}

// Log sends notifications/message to the caller unless its level says that this is too little.
func (c *Call) Log(level, logger string, data any) {
	if !c.wantsLog(level) {
		return
	}
	params := map[string]any{"level": level, "data": data}
	if logger != "" {
		params["logger"] = logger
	}
	c.Notify("notifications/message", params)
}

// Notify sends any notification to the caller: on the stream of a plain call, on the open tasks/result of a task, else
// on GET. A modern call carries them on its stream as long as no task was made of it.
func (c *Call) Notify(method string, params any) {
	s := c.s
	if c.errand != nil {
		c.errand.note(s.encodeNote(method, params))
		return
	}
	if c.sess == nil {
		return
	}
	data := s.encodeNote(method, params)
	s.mu.Lock()
	defer s.mu.Unlock()
	st := c.st
	if c.r != nil {
		if c.r.Status.Terminal() || s.tasks[c.r.ID] != c.r {
			return // progress must stop once a task has ended (2025-11-25, utilities/progress)
		}
		st = c.r.attended(c.sess)
	}
	s.note(c.sess, st, data)
}

// Launch runs a tool as a task that no client of now asked for, as another client's would be. t gives the task's
// fields; args may be nil. The tool need not be among the server's.
func (s *Server) Launch(tool Tool, t Task, args json.RawMessage) (id string) {
	if tool.Poll != 0 && t.Poll == 0 {
		t.Poll = tool.Poll
	}
	if !s.begin() {
		return ""
	}
	s.mu.Lock()
	r := s.add(t)
	r.deaf = tool.Deaf
	c := &Call{Tool: tool.Name, Args: orEmpty(args), s: s, r: r}
	start := s.prepare(tool, c)
	s.mu.Unlock()
	go start()
	return r.ID
}

func orEmpty(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}

// prepare gives c its context and returns what runs it. The caller has called begin, which the run pays back. s.mu is
// held.
func (s *Server) prepare(tool Tool, c *Call) (start func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	c.ctx = ctx
	c.r.script = cancel
	return func() {
		defer s.work.Done()
		defer cancel()
		s.conclude(c.r, run(ctx, tool, c))
	}
}

// run is the script from its beginning to its end.
func run(ctx context.Context, tool Tool, c *Call) Outcome {
	if o := runBefore(ctx, tool, c); o != nil {
		return *o
	}
	for range maxRuns {
		o := runOnce(ctx, tool, c)
		if o.urls == nil || c.errand == nil {
			return c.honest(o)
		}
		if failed := c.visit(o.urls); failed != nil {
			return c.honest(*failed)
		}
	}
	return ToolError("the pages did not help")
}

// runBefore is the part of a script before there may be a task; nil: the call goes on.
func runBefore(ctx context.Context, tool Tool, c *Call) (o *Outcome) {
	defer recovered(tool, func(e Outcome) { o = &e })
	if tool.Before == nil || c.begun {
		return nil
	}
	c.begun = true
	if o = tool.Before(ctx, c); o != nil {
		*o = c.honest(*o)
	}
	return o
}

func runOnce(ctx context.Context, tool Tool, c *Call) (o Outcome) {
	defer recovered(tool, func(e Outcome) { o = e })
	if tool.Run == nil {
		return Answered()
	}
	return tool.Run(ctx, c)
}

// recovered is to be deferred: a panic of a script becomes an error, as it does in servers that last.
func recovered(tool Tool, outcome func(Outcome)) {
	if p := recover(); p != nil {
		outcome(Refused(CodeInternal, fmt.Sprintf("tool %s panicked", tool.Name), nil))
	}
}
