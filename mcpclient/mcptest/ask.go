package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Why a question got no answer.
var (
	ErrUnanswered = errors.New("mcptest: nobody answered in time")
	ErrWithdrawn  = errors.New("mcptest: the question was withdrawn")
	ErrCannotAsk  = errors.New("mcptest: the client does not take such questions")
	ErrNoTask     = errors.New("mcptest: no such task")
)

// prompt is a question that waits. Its fields belong to Server.mu.
type prompt struct {
	e       Elicitation
	r       *record // nil for plain calls
	before  string  // statusMessage of the task before it asked
	sent    map[*session]json.RawMessage
	plain   *Call // of a plain call
	handed  bool
	over    bool
	answers chan promptAnswer // cap 1
}

type promptAnswer struct {
	reply Reply
	err   error
}

// Elicit asks a person and waits for the answer. A task is input_required meanwhile. The error is [ErrUnanswered],
// [ErrWithdrawn], [ErrCannotAsk], or the [*Error] that the client answered.
func (c *Call) Elicit(e Elicitation) (Reply, error) {
	return c.s.ask(c.ctx, &prompt{e: e, r: c.r, plain: c})
}

// ElicitationDone sends notifications/elicitation/complete to the caller, or to all for a launched task.
func (c *Call) ElicitationDone(id string) { c.s.CompleteElicitation(c.Session(), id) }

// Ask asks on behalf of a task that was added by hand.
func (s *Server) Ask(ctx context.Context, taskID string, e Elicitation) (Reply, error) {
	s.mu.Lock()
	r := s.tasks[taskID]
	s.mu.Unlock()
	if r == nil {
		return Reply{}, ErrNoTask
	}
	return s.ask(ctx, &prompt{e: e, r: r})
}

func (s *Server) ask(ctx context.Context, p *prompt) (Reply, error) {
	p.sent = map[*session]json.RawMessage{}
	p.answers = make(chan promptAnswer, 1)
	f := s.faults.Load()
	if err := s.pose(p, f); err != nil {
		return Reply{}, err
	}
	var patience <-chan time.Time
	if f.AskPatience > 0 {
		t := time.NewTimer(f.AskPatience)
		defer t.Stop()
		patience = t.C
	}
	select {
	case a := <-p.answers:
		return a.reply, a.err
	case <-patience:
		s.giveUp(p, "nobody answered in time", f.AskSilently)
	case <-ctx.Done():
		s.giveUp(p, "no longer needed", false)
	}
	// The answer may have come meanwhile; whoever closed the prompt put something there.
	a := <-p.answers
	if ctx.Err() == nil && errors.Is(a.err, ErrWithdrawn) {
		return Reply{}, ErrUnanswered
	}
	return a.reply, a.err
}

// pose opens the prompt and offers it to whom it may concern.
func (s *Server) pose(p *prompt, f *Faults) error {
	defer s.log.changed() // who waits for the question need not see its task move
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.e.URL != "" && p.e.ID == "" {
		s.elicited++
		p.e.ID = fmt.Sprintf("elicit-%d-%s", s.elicited, randomID()[:8])
	}
	if p.r == nil {
		if !p.plain.sess.takes(p.e) {
			return ErrCannotAsk
		}
		s.asking = append(s.asking, p)
		s.offer(p, p.plain.sess, p.plain.st)
		return nil
	}
	r := p.r
	if s.tasks[r.ID] != r || r.Status.Terminal() {
		return ErrWithdrawn
	}
	if owner := s.sessions[r.Session]; owner != nil && !owner.takes(p.e) && !s.cfg.shared {
		return ErrCannotAsk
	}
	p.before = r.Message
	if n := len(r.prompts); n > 0 {
		p.before = r.prompts[0].before
	}
	s.asking = append(s.asking, p)
	r.prompts = append(r.prompts, p)
	if !f.AskWorking {
		s.move(r, InputRequired, p.e.Message)
	}
	if s.cfg.promptRoute == ByGET {
		s.eachSession("", func(ss *session) {
			if s.sees(ss, r) {
				s.offer(p, ss, nil)
			}
		})
		return nil
	}
	for _, w := range r.waits {
		s.offer(p, w.sess, w.st)
	}
	return nil
}

// offer sends the prompt to a session on st, or on GET where st is nil or can carry nothing; again, under the same id,
// to a session that has had it. s.mu is held.
func (s *Server) offer(p *prompt, ss *session, st *stream) {
	f := s.faults.Load()
	if p.over || !ss.takes(p.e) || f.PromptsOnce && p.handed {
		return
	}
	id, again := p.sent[ss]
	if !again {
		id = s.requestID(ss)
		p.sent[ss] = id
		ss.pending[string(id)] = func(m *incoming) { s.answered(p, ss, m) }
	}
	params := p.e.params()
	if p.r != nil && !f.NoRelatedTask {
		params["_meta"] = map[string]any{metaRelated: map[string]any{"taskId": p.r.ID}}
	}
	data := s.encode("elicitation/create", outgoing{ID: id, Method: "elicitation/create", Params: params})
	if st != nil && !st.plain && s.cfg.promptRoute != ByGET {
		p.handed = st.push(data) || p.handed
		return
	}
	p.handed = s.volunteer(ss, data) || p.handed
}

// offerOnGET offers a session, whose GET stream has just opened, the prompts that go there. s.mu is held.
func (s *Server) offerOnGET(ss *session) {
	for _, p := range s.asking {
		switch {
		case p.r == nil && p.plain.sess == ss && (p.plain.st.plain || s.cfg.promptRoute == ByGET),
			p.r != nil && s.cfg.promptRoute == ByGET && s.sees(ss, p.r):
			s.offer(p, ss, nil)
		}
	}
}

// answered is the client's response to a prompt. s.mu is not held.
func (s *Server) answered(p *prompt, ss *session, m *incoming) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(p.sent, ss)
	if p.over {
		return // too late
	}
	var a promptAnswer
	var res struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	switch {
	case m.Error != nil:
		a.err = m.Error
	case json.Unmarshal(m.Result, &res) != nil:
		a.err = errorf(CodeInvalidRequest, "the answer is no ElicitResult")
	default:
		a.reply = Reply{Action: res.Action, Content: s.faults.Load().calm(res.Content)}
	}
	s.closePrompt(p, a, "answered elsewhere", false)
	s.resume(p)
}

// giveUp withdraws a prompt for its asker.
func (s *Server) giveUp(p *prompt, reason string, silently bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.over {
		return
	}
	s.closePrompt(p, promptAnswer{err: ErrWithdrawn}, reason, silently)
	s.resume(p)
}

// withdraw closes all prompts of a task. s.mu is held.
func (s *Server) withdraw(r *record, reason string) {
	for len(r.prompts) > 0 {
		s.closePrompt(r.prompts[0], promptAnswer{err: ErrWithdrawn}, reason, false)
	}
}

// closePrompt ends a prompt with an answer and tells the sessions that still have it. s.mu is held.
func (s *Server) closePrompt(p *prompt, a promptAnswer, reason string, silently bool) {
	defer s.log.changed()
	p.over = true
	p.answers <- a
	s.asking = without(s.asking, p)
	if p.r != nil {
		p.r.prompts = without(p.r.prompts, p)
	}
	for ss, id := range p.sent {
		delete(ss.pending, string(id)) // a late answer is accepted and ignored
		if silently {
			continue
		}
		var st *stream
		switch {
		case s.cfg.promptRoute == ByGET:
		case p.r == nil:
			st = p.plain.st
		default:
			st = p.r.attended(ss)
		}
		s.note(ss, st, s.encodeNote("notifications/cancelled", map[string]any{"requestId": id, "reason": reason}))
	}
}

// resume sets a task to work again once nothing is asked any more. s.mu is held.
func (s *Server) resume(p *prompt) {
	if r := p.r; r != nil && len(r.prompts) == 0 && r.Status == InputRequired && s.tasks[r.ID] == r {
		s.move(r, Working, p.before)
	}
	s.log.changed()
}

func without(ps []*prompt, p *prompt) []*prompt {
	for i, q := range ps {
		if q == p {
			return append(ps[:i:i], ps[i+1:]...)
		}
	}
	return ps
}
