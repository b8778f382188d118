package mcptest

import (
	"context"
	"encoding/json"
	"errors"
)

// ErrNoSession means that no such session is alive.
var ErrNoSession = errors.New("mcptest: no such session")

// Push sends a notification on the GET stream of one session, or of all when sessionID is empty. params may be nil.
func (s *Server) Push(sessionID, method string, params any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broadcast(sessionID, method, params)
}

// PushRaw sends bytes, which need not be JSON, as the data of one event on the GET stream of one session or all. They
// must not hold a line break.
func (s *Server) PushRaw(sessionID string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.eachSession(sessionID, func(ss *session) { s.volunteer(ss, data) })
}

// Announce notifies the status of a task as it is, whatever the configured transitions, and reports whether there is
// such a task.
func (s *Server) Announce(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.tasks[id]
	if r != nil {
		s.notifyStatus(r)
	}
	return r != nil
}

// CompleteElicitation tells that what was to be done at the URL of a URL elicitation is done
// (notifications/elicitation/complete), to one session or all.
func (s *Server) CompleteElicitation(sessionID, elicitationID string) {
	s.Push(sessionID, "notifications/elicitation/complete", map[string]any{"elicitationId": elicitationID})
}

// SendRequest sends a request on the GET stream of a session, any if sessionID is empty, and waits for the result. An
// error that the client answers is an [*Error].
func (s *Server) SendRequest(ctx context.Context, sessionID, method string, params any) (json.RawMessage, error) {
	s.mu.Lock()
	var to *session
	s.eachSession(sessionID, func(ss *session) { to = ss })
	if to == nil {
		s.mu.Unlock()
		return nil, ErrNoSession
	}
	a := s.put(to, nil, method, params)
	s.mu.Unlock()
	return s.awaitAnswer(ctx, a)
}

// broadcast sends a notification on GET streams. s.mu is held.
func (s *Server) broadcast(sessionID, method string, params any) {
	data := s.encodeNote(method, params)
	s.eachSession(sessionID, func(ss *session) { s.note(ss, nil, data) })
}

// note sends an encoded notification on st, or on GET where st is nil or can carry nothing. s.mu is held.
func (s *Server) note(ss *session, st *stream, data []byte) {
	times := 1
	if s.faults.Load().Duplicate {
		times = 2
	}
	for range times {
		if st != nil && !st.plain && !st.over() {
			st.push(data)
		} else {
			s.volunteer(ss, data)
		}
	}
}

// volunteer puts a message on the GET stream and reports whether a connection carries it now. s.mu is held.
func (s *Server) volunteer(ss *session, data []byte) bool {
	if s.faults.Load().GET == GETSilent {
		return false
	}
	return ss.get.push(data)
}

// notifyStatus tells the sessions that see r how it stands. s.mu is held.
func (s *Server) notifyStatus(r *record) {
	f := s.faults.Load()
	var data []byte
	s.eachSession("", func(ss *session) {
		if !s.sees(ss, r) && !f.Leak {
			return
		}
		if data == nil {
			data = s.statusNote(r, f)
		}
		var st *stream
		if s.cfg.statusRoute != ByGET {
			st = r.attended(ss)
		}
		s.note(ss, st, data)
	})
	s.notifyListens(r)
}

// statusNote is how the legacy half tells of a task.
func (s *Server) statusNote(r *record, f *Faults) []byte {
	if f.ModernPush {
		return s.encodeNote("notifications/tasks", s.detail(r))
	}
	return s.encodeNote("notifications/tasks/status", s.wire(r))
}

// attended is the open tasks/result of the session, nil where there is none that can carry messages.
func (r *record) attended(ss *session) *stream {
	for _, w := range r.waits {
		if w.sess == ss && !w.st.plain && w.st.connected() {
			return w.st
		}
	}
	return nil
}
