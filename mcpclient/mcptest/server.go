package mcptest

import (
	"container/heap"
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a scripted MCP server and an http.Handler. Make one with [New], end it with [Server.Close].
type Server struct {
	cfg    config
	faults atomic.Pointer[Faults]
	// cutting is held while Faults.CutBytes runs.
	cutting sync.Mutex
	ctx     context.Context // ends with Close
	stop    context.CancelFunc
	work    sync.WaitGroup // scripts and requests under way
	log     recorder
	turn    atomic.Uint64 // counts replies, for ReplyTurns
	sampled atomic.Bool   // the newest modern request declared sampling

	mu       sync.Mutex
	closed   bool
	tokens   []string
	tools    []Tool
	sessions map[string]*session
	open     *session // of a stateless server, shared by all
	conns    map[*conn]*stream
	holds    []*Interception
	tasks    map[string]*record
	list     []slot // by seq
	gone     int    // slots in list without a task
	seq      uint64
	expiry   expiryHeap
	alarm    *time.Timer
	asking   []*prompt // open prompts, oldest first
	elicited int       // elicitation ids made
	listens  []*listen
	errands  map[string]*errand // modern calls that wait for their next round, by what resumes them

	serving sync.Mutex
	hosts   []*host
	url     string
	addr    string // of the TCP listener
	down    bool   // after StopListening
	memory  *memoryListener
}

// New makes a server. It answers as an http.Handler at once, whatever the path; [Server.Start] gives it a port and
// [Server.Transport] a connection in memory.
func New(opts ...Option) *Server {
	cfg := defaults()
	for _, o := range opts {
		o(&cfg)
	}
	s := &Server{cfg: cfg, tokens: cfg.tokens, tools: cfg.tools, errands: map[string]*errand{}, sessions: map[string]*session{}, conns: map[*conn]*stream{}, tasks: map[string]*record{}}
	s.log.size = cfg.record
	s.faults.Store(&cfg.faults)
	s.ctx, s.stop = context.WithCancel(context.Background())
	if cfg.stateless {
		s.open = s.newSession("")
		s.open.form, s.open.url, s.open.sampling, s.open.ready = true, true, true, true
	}
	return s
}

// now is the server's clock.
func (s *Server) now() time.Time { return time.Now().Add(s.cfg.skew) }

// Close ends every stream, script and connection and waits for their goroutines. It may be called twice.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	if s.alarm != nil {
		s.alarm.Stop()
	}
	s.mu.Unlock()
	s.stop()
	s.dropErrands()
	s.serving.Lock()
	err := s.closeHosts()
	s.serving.Unlock()
	s.work.Wait()
	return err
}

// dropErrands ends the calls that wait for a next round.
func (s *Server) dropErrands() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.errands {
		e.abort()
	}
}

// closeHosts closes all listeners and connections. s.serving is held.
func (s *Server) closeHosts() error {
	errs := make([]error, 0, len(s.hosts))
	for _, h := range s.hosts {
		errs = append(errs, h.close())
	}
	s.hosts, s.memory = nil, nil
	return errors.Join(errs...)
}

// begin counts a piece of work that Close waits for; it reports false when the server is closed.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Add(1)
	return true
}

// Fault changes how the server misbehaves, for what comes after.
func (s *Server) Fault(change func(*Faults)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := *s.faults.Load()
	change(&f)
	s.faults.Store(&f)
}

// Intercept makes matching requests meet i, after those that are already set.
func (s *Server) Intercept(i Interception) {
	if i.Times == 0 {
		i.Times = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = append(s.holds, &i)
}

// ClearInterceptions lets all requests through again; those that hang go on hanging.
func (s *Server) ClearInterceptions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = nil
}

// interception finds what a request of this method meets, and counts it.
func (s *Server) interception(method string) (Interception, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, i := range s.holds {
		if i.Method != "" && i.Method != method {
			continue
		}
		if i.Times > 0 {
			if i.Times--; i.Times == 0 {
				s.holds = append(s.holds[:n:n], s.holds[n+1:]...)
			}
		}
		return *i, true
	}
	return Interception{}, false
}

// SetToken changes the bearer token that requests need; empty: none is needed.
func (s *Server) SetToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = nil
	if token != "" {
		s.tokens = []string{token}
	}
}

// CutStreams breaks every open SSE connection off, as a lost network would.
func (s *Server) CutStreams() { s.endStreams(true) }

// EndStreams closes every open SSE connection in good order, as a server does that wants its clients to reconnect. A
// subscriptions/listen is told so ([Faults.ListenEnd]); any other modern request is lost with its stream.
func (s *Server) EndStreams() {
	s.EndListens()
	s.endStreams(false)
}

func (s *Server) endStreams(cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, st := range s.conns {
		if cut || !st.ending() {
			c.end(cut)
		}
	}
}

// LoseSessions forgets all sessions and, unless tasks are shared, their tasks, as a restart would. What then becomes
// of requests that name one is [Faults.Loss].
func (s *Server) LoseSessions() {
	s.mu.Lock()
	lost := s.sessions
	s.sessions = map[string]*session{}
	for _, ss := range lost {
		s.dropSession(ss)
	}
	s.mu.Unlock()
	s.EndStreams()
}

// Sessions gives the ids of the sessions that are alive, in no order.
func (s *Server) Sessions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.sessions))
	for id := range s.sessions {
		ids = append(ids, id)
	}
	return ids
}

// dropSession ends the tasks and calls of a session that is no longer in s.sessions. s.mu is held.
func (s *Server) dropSession(ss *session) {
	for _, cancel := range ss.inflight {
		cancel()
	}
	if s.cfg.shared {
		return
	}
	for _, sl := range slices.Clone(s.list) { // remove may compact the list
		if sl.r != nil && sl.r.Session == ss.id {
			s.remove(sl.r)
		}
	}
}

// SetTools replaces the tools and tells every session so.
func (s *Server) SetTools(tools ...Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = tools
	if s.cfg.caps.ToolsListChanged {
		s.broadcast("", "notifications/tools/list_changed", nil)
		s.notifyTools()
	}
}

// eachSession calls f for every session, or for the one that is named. s.mu is held.
func (s *Server) eachSession(id string, f func(*session)) {
	if s.open != nil {
		f(s.open)
		return
	}
	if id != "" {
		if ss := s.sessions[id]; ss != nil {
			f(ss)
		}
		return
	}
	for _, ss := range s.sessions {
		f(ss)
	}
}

// expire deletes the tasks whose ttl has run out and sets the alarm for the next. s.mu is held.
func (s *Server) expire() {
	now := s.now()
	for len(s.expiry) > 0 {
		r := s.expiry[0]
		at, _ := r.expires()
		if now.Before(at) {
			s.setAlarm(at.Sub(now))
			return
		}
		s.remove(r)
	}
}

func (s *Server) setAlarm(d time.Duration) {
	switch {
	case s.closed:
	case s.alarm == nil:
		s.alarm = time.AfterFunc(d, s.onAlarm)
	default:
		s.alarm.Reset(d)
	}
}

func (s *Server) onAlarm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.expire()
	}
	s.log.changed()
}

// reschedule puts r where its ttl belongs. s.mu is held.
func (s *Server) reschedule(r *record) {
	at, never := r.expires()
	switch {
	case never && r.queue >= 0:
		heap.Remove(&s.expiry, r.queue)
	case never:
	case r.queue >= 0:
		heap.Fix(&s.expiry, r.queue)
	default:
		heap.Push(&s.expiry, r)
	}
	if !never && s.expiry[0] == r {
		s.setAlarm(max(0, at.Sub(s.now())))
	}
}

// host is an http.Server of ours and what it takes to end it without leaving a goroutine.
type host struct {
	http  *http.Server
	done  chan struct{}
	conns sync.WaitGroup
}

func (s *Server) host(l net.Listener) *host {
	h := &host{done: make(chan struct{})}
	h.http = &http.Server{
		Handler: s, ReadHeaderTimeout: time.Minute, ErrorLog: quiet,
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				h.conns.Add(1)
			case http.StateClosed, http.StateHijacked:
				h.conns.Done()
			case http.StateActive, http.StateIdle:
			}
		},
	}
	go func() {
		defer close(h.done)
		_ = h.http.Serve(l) // always ErrServerClosed, after close
	}()
	return h
}

func (h *host) close() error {
	err := h.http.Close()
	<-h.done
	h.conns.Wait()
	return err
}
