package mcptest

import (
	"context"
	"encoding/json"
	"time"
)

// AsTask is how a question is put whose answer the server polls for: as a task of the client's (2025-11-25,
// basic/utilities/tasks).
type AsTask struct {
	TTL   time.Duration // that is asked for; zero: none
	Poll  time.Duration // between two tasks/get; zero: what the client says
	Block bool          // no tasks/get at all: tasks/result at once, which waits
	Limit time.Duration // then the task is cancelled by tasks/cancel; zero: never
	GET   bool          // every request goes on the GET stream, that of the call is left alone
}

// received is schema type Task, as a client makes it.
type received struct {
	TaskID       string `json:"taskId"`
	Status       Status `json:"status"`
	PollInterval int64  `json:"pollInterval"`
}

// Request sends a request to the caller and waits for its result: on the stream of a plain call or on the open
// tasks/result of a task, else on GET. An error that the client answers is an [*Error]. Modern clients take no requests:
// [ErrCannotAsk].
func (c *Call) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return c.request(ctx, false, method, params)
}

func (c *Call) request(ctx context.Context, onGET bool, method string, params any) (json.RawMessage, error) {
	if c.sess == nil || c.errand != nil {
		return nil, ErrCannotAsk
	}
	return c.s.awaitAnswer(ctx, c.put(onGET, method, params))
}

func (c *Call) put(onGET bool, method string, params any) *asked {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	st := c.st
	if c.r != nil {
		st = c.r.attended(c.sess)
	}
	if onGET || st != nil && (st.plain || st.over()) {
		st = nil
	}
	return c.s.put(c.sess, st, method, params)
}

// asked is a request to a client whose answer is waited for.
type asked struct {
	to      *session
	id      json.RawMessage
	answers chan *incoming // cap 1
}

// put sends a request to a session, on st or on GET where that is nil. s.mu is held.
func (s *Server) put(to *session, st *stream, method string, params any) *asked {
	a := &asked{to: to, id: s.requestID(to), answers: make(chan *incoming, 1)}
	to.pending[string(a.id)] = func(m *incoming) { a.answers <- m }
	data := s.encode(method, outgoing{ID: a.id, Method: method, Params: params})
	if st == nil || !st.push(data) && st.over() {
		s.volunteer(to, data)
	}
	return a
}

// awaitAnswer waits for the answer to a request, and forgets the request when ctx ends.
func (s *Server) awaitAnswer(ctx context.Context, a *asked) (json.RawMessage, error) {
	select {
	case m := <-a.answers:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(a.to.pending, string(a.id))
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return nil, ErrNoSession // the server is closing
}

// ElicitAsTask is Elicit by way of a task of the client's. A client that does not receive tasks for such questions is
// asked as by [Call.Elicit]. The status of the call's own task does not change meanwhile.
func (c *Call) ElicitAsTask(ctx context.Context, e Elicitation, how AsTask) (Reply, error) {
	if !c.mayAugment(e) {
		return c.Elicit(e)
	}
	whole := ctx
	if how.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, how.Limit)
		defer cancel()
	}
	id, err := c.CreateRemote(ctx, e, how)
	if err != nil {
		return Reply{}, err
	}
	raw, err := c.fetchRemote(ctx, id, how)
	if err != nil && ctx.Err() != nil {
		c.put(how.GET, "tasks/cancel", map[string]any{"taskId": id}) // its answer is of no interest
		if whole.Err() == nil {
			return Reply{}, ErrUnanswered
		}
		return Reply{}, ErrWithdrawn
	}
	if err != nil {
		return Reply{}, err
	}
	a := e.reply(raw, c.s.faults.Load())
	return a.reply, a.err
}

// mayAugment reports whether the caller receives tasks for such questions.
func (c *Call) mayAugment(e Elicitation) bool {
	if c.sess == nil || c.errand != nil {
		return false
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if e.Sampling != nil {
		return c.sess.sampling && c.sess.tasks.sampling
	}
	return c.sess.takes(e) && c.sess.tasks.elicitation
}

// CreateRemote puts a question as a task and returns its id at the client. What becomes of it is the script's affair.
func (c *Call) CreateRemote(ctx context.Context, e Elicitation, how AsTask) (id string, err error) {
	if e.URL != "" && e.ID == "" {
		e.ID = "elicit-" + randomID()[:8]
	}
	params := e.params()
	augment := map[string]any{}
	if how.TTL != 0 {
		augment["ttl"] = how.TTL.Milliseconds()
	}
	params["task"] = augment
	raw, err := c.request(ctx, how.GET, e.method(), params)
	if err != nil {
		return "", err
	}
	var res struct {
		Task received `json:"task"`
	}
	if json.Unmarshal(raw, &res) != nil || res.Task.TaskID == "" {
		return "", errorf(CodeInvalidRequest, "the answer is no CreateTaskResult")
	}
	return res.Task.TaskID, nil
}

// fetchRemote waits for the end of a task at the client and returns its result.
func (c *Call) fetchRemote(ctx context.Context, id string, how AsTask) (json.RawMessage, error) {
	params := map[string]any{"taskId": id}
	for !how.Block {
		raw, err := c.request(ctx, how.GET, "tasks/get", params)
		if err != nil {
			return nil, err
		}
		var t received
		if json.Unmarshal(raw, &t) != nil {
			return nil, errorf(CodeInvalidRequest, "the answer is no GetTaskResult")
		}
		if t.Status.Terminal() {
			break
		}
		pause := how.Poll
		if pause == 0 {
			pause = max(time.Duration(t.PollInterval)*time.Millisecond, 100*time.Millisecond)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
	return c.request(ctx, how.GET, "tasks/result", params)
}
