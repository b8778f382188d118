package mcptest

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	maxErrands = 1000             // modern calls that wait for their next round; then the oldest is given up
	roundsKept = 10 * time.Minute // how long one waits
)

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
