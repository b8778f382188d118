package mcptest

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Kind says what a received message was.
type Kind int

// The kinds of messages. KindStream is a GET, KindDelete a DELETE.
const (
	KindRequest Kind = iota
	KindNotification
	KindResponse
	KindStream
	KindDelete
)

// Request is one message that the server received. Its header and params hold the secrets they came with.
type Request struct {
	Kind    Kind
	Method  string          // JSON-RPC method; "GET" and "DELETE" for those; empty for responses
	ID      json.RawMessage // as it came
	Params  json.RawMessage // of a response: its result
	Error   *Error          // of a response
	Header  http.Header
	Session string // Mcp-Session-Id
	At      time.Time
}

// recorder keeps the last messages and wakes those who wait for something to change.
type recorder struct {
	mu     sync.Mutex
	size   int
	ring   []Request // the oldest at head when full
	head   int
	counts map[string]int
	wake   chan struct{} // closed at the next change; nil while nobody waits
}

func (l *recorder) add(r Request) {
	l.mu.Lock()
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	// What a client may call a method is up to the client, so the number of names is bounded.
	if _, known := l.counts[r.Method]; known || len(l.counts) < 1000 {
		l.counts[r.Method]++
	}
	switch {
	case l.size == 0:
	case len(l.ring) < l.size:
		l.ring = append(l.ring, r)
	default:
		l.ring[l.head] = r
		l.head = (l.head + 1) % l.size
	}
	l.mu.Unlock()
	l.changed()
}

// changed wakes those who wait.
func (l *recorder) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wake != nil {
		close(l.wake)
		l.wake = nil
	}
}

func (l *recorder) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wake == nil {
		l.wake = make(chan struct{})
	}
	return l.wake
}

// Requests gives the messages received so far, oldest first, as far as they are kept ([WithRecord]); with methods, of
// those only.
func (s *Server) Requests(methods ...string) []Request {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	var out []Request
	for i := range s.log.ring {
		r := s.log.ring[(s.log.head+i)%len(s.log.ring)]
		if len(methods) == 0 {
			out = append(out, r)
			continue
		}
		for _, m := range methods {
			if r.Method == m {
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// Count says how many messages of this method were received since the server began.
func (s *Server) Count(method string) int {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.counts[method]
}

// WaitFor waits until n messages of this method were received since the server began.
func (s *Server) WaitFor(ctx context.Context, method string, n int) error {
	return s.WaitUntil(ctx, func() bool { return s.Count(method) >= n })
}

// WaitUntil waits until cond holds. It looks again whenever the server received a message or something of a stream,
// task or session changed; cond may call the server's methods.
func (s *Server) WaitUntil(ctx context.Context, cond func() bool) error {
	for {
		changed := s.log.next()
		if cond() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
}

// WaitStream waits until a session, any if id is empty, has its GET stream open.
func (s *Server) WaitStream(ctx context.Context, id string) error {
	return s.WaitUntil(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		open := false
		s.eachSession(id, func(ss *session) { open = open || ss.get.connected() })
		return open
	})
}

// Drain waits until everything that was pushed has been written to the connections that are open.
func (s *Server) Drain(ctx context.Context) error {
	return s.WaitUntil(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		done := true
		for _, l := range s.listens {
			done = done && l.st.drained()
		}
		s.eachSession("", func(ss *session) {
			done = done && ss.get.drained()
			for _, st := range ss.streams {
				done = done && st.drained()
			}
		})
		return done
	})
}

func itoa(n int) string { return strconv.Itoa(n) }
