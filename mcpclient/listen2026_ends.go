package mcpclient

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// failed is the end of a stream that was not acknowledged, or just so. s.mu is
// held.
func (s *subscription) failed(n *listening, now time.Time) []task.Event {
	if s.cur != nil && now.Sub(s.cur.begun) >= steady {
		s.fails, s.hasty = 0, 0
	}
	s.fails++
	v := s.judge(n)
	if v.refused || n.graceful {
		s.hasty++
	}
	up := s.cur != nil && !s.cur.over
	switch {
	case up && (v.refused || v.never): // it goes on with what it has
		s.slow = true
		s.retryAt = now.Add(slowPause)
		s.change(slowPause)
	case v.never, s.hasty >= maxHasty:
		s.never = true
		if n.graceful {
			v.why = "the server ends each stream at once"
		}
		s.e.ep.Note("no push: " + v.why)
		return []task.Event{task.Stream{Never: true, Why: v.why + ": tasks are asked for"}}
	default:
		s.retryAt = now.Add(s.pause(v.after))
		s.change(0)
	}
	s.e.ep.Note("push is not open: " + v.why)
	if up {
		return nil
	}
	s.missed = s.missed || n.acked
	return []task.Event{task.Stream{Why: v.why, RetryAt: s.retryAt}}
}

// broken is the end of the stream that counted. s.mu is held.
func (s *subscription) broken(c *listening, now time.Time) task.Event {
	s.missed = true
	s.covered, s.announce = make(map[task.ID]bool), time.Time{}
	v := s.judge(c)
	switch {
	case c.news > 0 || now.Sub(c.begun) >= steady:
		s.fails, s.hasty = 0, 0
	case c.graceful:
		s.hasty++
		fallthrough
	default:
		s.fails++
	}
	s.e.ep.Note("push is down: " + v.why)
	if s.hasty >= maxHasty {
		s.never = true
		return task.Stream{Never: true, Why: "the server ends each stream at once: tasks are asked for"}
	}
	e := task.Stream{Why: v.why}
	if s.next == nil {
		s.retryAt = now.Add(s.pause(v.after))
		e.RetryAt = s.retryAt
	}
	return e
}

// pause is the wait before the next try, at least what the server asked for.
// s.mu is held.
func (s *subscription) pause(asked time.Duration) time.Duration {
	d := backOffBase << min(max(s.fails-1, 0), 6)
	d = min(d, backOffMost)
	return max(d-d/5+rand.N(d*2/5+1), asked)
}

// judgement is what the end of a stream means.
type judgement struct {
	why     string
	never   bool          // there is no such stream
	refused bool          // the server does not want this one
	after   time.Duration // wait at least so long
}

// judge finds out what the end of a stream means. s.mu is held.
func (s *subscription) judge(l *listening) judgement {
	if l.graceful {
		return judgement{why: "the server ended the stream; it is opened again"}
	}
	var (
		status  *transport.StatusError
		content *transport.ContentError
		rpc     *jsonrpc.Error
		lost    *transport.LostError
	)
	if errors.As(l.err, &lost) {
		if lost.Kind == transport.Timeout {
			return judgement{why: fmt.Sprintf("the stream was silent for %s", listenIdle)}
		}
		return judgement{why: "the stream broke: " + task.CleanLine(lost.Error(), 300).Line()}
	}
	te := s.e.ep.explain("subscriptions/listen", l.err)
	j := judgement{why: te.Message.Line(), after: te.RetryAfter}
	if errors.As(l.err, &status) {
		switch code := status.Status; {
		case code == http.StatusUnauthorized, code == http.StatusForbidden:
			j.after = listenAgain
			return j
		case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code >= 500 && code != http.StatusNotImplemented:
			return j
		}
	}
	switch {
	case errors.As(l.err, &rpc) && rpc.Code == jsonrpc.CodeMethodNotFound:
		j.never, j.why = true, "the server does not know subscriptions/listen"
	case rpc != nil && rpc.Code == codeMissingCapability:
		j.never = true
	case rpc != nil:
		j.refused = true
	case status != nil, errors.As(l.err, &content):
		j.never = true
	}
	return j
}
