package mcptest

import (
	"context"
	"time"
)

// Asked is a question that waits for its answer now.
type Asked struct {
	Task     string // id of the task that asks; empty for plain calls, and modern calls that are no task yet
	Key      string // of inputRequests; empty in the legacy era for plain calls
	Message  string // of an elicitation
	Sampling bool   // it is sampling/createMessage
	Handed   bool   // legacy: it has been written to a stream of some session
	// Open reports of a plain call whether somebody waits for its result, or may send its next round.
	Open bool
}

// Asking gives the questions that are open, oldest first.
func (s *Server) Asking() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Asked, 0, len(s.asking))
	for _, p := range s.asking {
		a := Asked{Key: p.key, Message: p.e.Message, Sampling: p.e.Sampling != nil, Handed: p.handed}
		switch {
		case p.r != nil:
			a.Task, a.Open = p.r.ID, true
		case p.plain.errand != nil:
			a.Open = p.plain.errand.st != nil || p.plain.errand.state != ""
		default:
			a.Open = p.plain.sess != nil && s.sessions[p.plain.sess.id] == p.plain.sess
		}
		out = append(out, a)
	}
	return out
}

// ElicitWithin is Elicit for a script that gives up after d, and tells so by notifications/cancelled where the era has
// that for requests of the server. The error is then [ErrUnanswered].
func (c *Call) ElicitWithin(d time.Duration, e Elicitation) (Reply, error) {
	ctx, cancel := context.WithTimeout(c.ctx, d)
	defer cancel()
	replies, err := c.s.ask(ctx, &prompt{e: e, r: c.r, plain: c})
	switch {
	case err == nil:
		return replies[0], nil
	case ctx.Err() != nil && c.ctx.Err() == nil:
		return Reply{}, ErrUnanswered
	}
	return Reply{}, err
}
