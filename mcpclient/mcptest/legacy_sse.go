package mcptest

import (
	"fmt"
	"net/http"
	"time"
)

const batch = 512 // events per write

// serveGET opens or resumes a stream.
func (s *Server) serveGET(w http.ResponseWriter, r *http.Request) {
	f := s.faults.Load()
	switch {
	case f.GET == GET405 || s.open != nil || f.Replies == ReplyJSON:
		w.Header().Set("Allow", "POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	case !wantsSSE(r):
		s.refuse(w, http.StatusNotAcceptable, errorf(-32000, "Not Acceptable: Client must accept text/event-stream"))
		return
	}
	ss, ok := s.sessionOf(w, r)
	if !ok {
		return
	}
	if id := r.Header.Get(headerEvent); id != "" {
		s.resumeStream(w, r, ss, id)
		return
	}
	if f.GET == GET409 || ss.get.connected() && !f.StealGET {
		s.refuse(w, http.StatusConflict, errorf(-32000, "Conflict: Only one SSE stream is allowed per session"))
		return
	}
	s.carry(w, r, ss.get, 0, false, func() { s.offerOnGET(ss) })
}

// resumeStream goes on with the stream that an event id belongs to.
func (s *Server) resumeStream(w http.ResponseWriter, r *http.Request, ss *session, id string) {
	key, n, ok := parseEventID(id)
	s.mu.Lock()
	st := ss.streams[key]
	s.mu.Unlock()
	if key == "g" {
		st = ss.get
	}
	switch {
	case ok && st != nil && s.cfg.keep > 0 && st.has(n+1):
		if s.faults.Load().MuteResumed && key != "g" {
			st = st.snapshot(n + 1)
		}
		s.carry(w, r, st, n+1, false, nil)
	case s.faults.Load().UnknownID:
		s.carry(w, r, newStream("x", 0, 0), 0, false, nil)
	default:
		s.refuse(w, http.StatusBadRequest, errorf(-32000, "Bad Request: Unknown Last-Event-ID"))
	}
}

// carry writes st to a connection from event number from on (zero: what comes from now on) until the stream, the
// connection or the server ends. If lazy, a reply that nothing precedes is written as plain JSON. opened is called
// when the stream is attached, with s.mu held.
func (s *Server) carry(w http.ResponseWriter, r *http.Request, st *stream, from int, lazy bool, opened func()) {
	c := &conn{wake: make(chan struct{}, 1), stop: make(chan struct{})}
	s.mu.Lock()
	st.attach(c, from)
	s.conns[c] = st
	if opened != nil {
		opened()
	}
	s.mu.Unlock()
	defer func() {
		st.detach(c)
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		s.log.changed()
	}()
	if lazy || st.plain {
		if !s.awaitFirst(r, st, c) {
			return
		}
		if data, only := st.onlyReply(); only && lazy {
			s.writeReply(w, data, st.modern)
			return
		}
	}
	s.log.changed()
	f := s.faults.Load()
	out := &sseWriter{w: w, rc: http.NewResponseController(w), events: f.CutEvents}
	if f.CutBytes != nil {
		s.cutting.Lock() // the function may keep count, or a seeded source
		out.bytes = f.CutBytes()
		s.cutting.Unlock()
	}
	w.Header().Set("Content-Type", typeSSE)
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	if st.modern {
		w.Header().Set("X-Accel-Buffering", "no")
	}
	w.WriteHeader(http.StatusOK)
	if s.cfg.priming && st.keep > 0 {
		out.write(s.prime(st), 0)
	}
	out.flush()
	s.pump(r, st, c, out, f.StreamLife)
}

// prime is the event with an id and no data, from which a client can resume before anything came.
func (s *Server) prime(st *stream) []byte {
	st.mu.Lock()
	n := st.next - 1
	st.mu.Unlock()
	var buf []byte
	if s.cfg.retry > 0 {
		buf = fmt.Appendf(buf, "retry: %d\n", s.cfg.retry.Milliseconds())
	}
	return fmt.Appendf(buf, "id: %s-%d\ndata: \n\n", st.key, n)
}

// awaitFirst waits for the first message of a stream (for its end, where nothing may precede the reply).
func (s *Server) awaitFirst(r *http.Request, st *stream, c *conn) bool {
	for {
		st.mu.Lock()
		ready := st.ended || !st.plain && len(st.events) > 0
		st.mu.Unlock()
		if ready {
			return true
		}
		select {
		case <-c.wake:
		case <-c.stop:
			if c.cut {
				panic(http.ErrAbortHandler)
			}
			return true
		case <-r.Context().Done():
			return false
		case <-s.ctx.Done():
			return false
		}
	}
}

// pump moves events from the stream to its connection.
func (s *Server) pump(r *http.Request, st *stream, c *conn, out *sseWriter, life time.Duration) {
	var ends, beats <-chan time.Time
	if life > 0 {
		t := time.NewTimer(life)
		defer t.Stop()
		ends = t.C
	}
	if s.cfg.keepAlive > 0 {
		t := time.NewTicker(s.cfg.keepAlive)
		defer t.Stop()
		beats = t.C
	}
	var buf []byte
	for {
		most := batch
		if out.events > 0 {
			most = min(most, out.events)
		}
		events, first, last := st.take(c, most)
		buf = buf[:0]
		for i, e := range events {
			buf = st.frame(buf, e.data, first+i)
		}
		if len(buf) > 0 {
			out.write(buf, len(events))
			out.flush()
			s.log.changed()
		}
		if last {
			return
		}
		if len(events) == most {
			select {
			case <-c.stop:
			default:
				continue
			}
		}
		select {
		case <-c.wake:
		case <-c.stop:
			if c.cut {
				panic(http.ErrAbortHandler)
			}
			return
		case <-beats:
			out.write([]byte(": keep-alive\n\n"), 0)
			out.flush()
		case <-ends:
			return
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// sseWriter writes a stream and breaks it off where a fault says so.
type sseWriter struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	bytes  int // left before the break; zero: no limit
	events int // the same in events
}

func (o *sseWriter) write(p []byte, events int) {
	if o.bytes > 0 && len(p) >= o.bytes {
		_, _ = o.w.Write(p[:o.bytes])
		o.flush()
		panic(http.ErrAbortHandler)
	}
	if o.bytes > 0 {
		o.bytes -= len(p)
	}
	_, _ = o.w.Write(p) // a connection that is gone is noticed by the request's context
	if o.events > 0 && events > 0 {
		if o.events -= events; o.events <= 0 {
			o.flush()
			panic(http.ErrAbortHandler)
		}
	}
}

func (o *sseWriter) flush() { _ = o.rc.Flush() }
