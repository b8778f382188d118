package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"callboard/model/task"
)

// scripted is a server over net.Pipe that answers each method as a test says,
// where mcptest is too well-behaved.
type scripted struct {
	t    *testing.T
	srv  *http.Server
	conn chan net.Conn
	done chan struct{}

	mu      sync.Mutex
	answers map[string]answer
	got     []*scriptedRequest
}

// scriptedRequest is one message that came in.
type scriptedRequest struct {
	*http.Request
	id, method string // id as JSON, "" for a notification
	params     json.RawMessage
	at         time.Time
}

type answer func(w http.ResponseWriter, q *scriptedRequest)

func newScripted(t *testing.T) *scripted {
	t.Helper()
	s := &scripted{t: t, conn: make(chan net.Conn), done: make(chan struct{}), answers: make(map[string]answer)}
	s.srv = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.srv.Serve(s) // ends by Close
	}()
	t.Cleanup(func() {
		_ = s.srv.Close()
		<-ended
	})
	return s
}

func (s *scripted) Accept() (net.Conn, error) {
	select {
	case c := <-s.conn:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

func (s *scripted) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
	default:
		close(s.done)
	}
	return nil
}

func (s *scripted) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (s *scripted) roundTripper() *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		here, there := net.Pipe()
		select {
		case s.conn <- there:
			return here, nil
		case <-s.done:
			return nil, errors.New("closed")
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
}

// on says how to answer a method from now on.
func (s *scripted) on(method string, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[method] = a
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client hung up
	}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &m); err != nil {
			s.t.Errorf("%s: %v", body, err)
		}
	} else {
		m.Method = r.Method
	}
	q := &scriptedRequest{Request: r, id: string(m.ID), method: m.Method, params: m.Params, at: time.Now()}
	s.mu.Lock()
	s.got = append(s.got, q)
	a := s.answers[m.Method]
	s.mu.Unlock()
	switch {
	case a != nil:
		a(w, q)
	case r.Method != http.MethodPost:
		http.Error(w, "no", http.StatusMethodNotAllowed)
	case q.id == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		jsonRPCError(http.StatusNotFound, -32601, "Method not found")(w, q)
	}
}

// requests are those of the methods named, or all.
func (s *scripted) requests(methods ...string) []*scriptedRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*scriptedRequest
	for _, q := range s.got {
		if len(methods) == 0 || slices.Contains(methods, q.method) {
			found = append(found, q)
		}
	}
	return found
}

// asked are the methods of the requests that decide on a generation.
func (s *scripted) asked() []string {
	var all []string
	for _, q := range s.requests("server/discover", "initialize") {
		all = append(all, q.method)
	}
	return all
}

// result answers with a result.
func result(raw string) answer {
	return func(w http.ResponseWriter, q *scriptedRequest) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.id, raw) // the client may be gone
	}
}

func jsonRPCError(status, code int, message string) answer {
	return rpcAnswer(status, fmt.Sprintf(`{"code":%d,"message":%q}`, code, message))
}

func rpcAnswer(status int, raw string) answer {
	return func(w http.ResponseWriter, q *scriptedRequest) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, q.id, raw) // the client may be gone
	}
}

func plainStatus(status int) answer {
	return func(w http.ResponseWriter, _ *scriptedRequest) { http.Error(w, "no", status) }
}

// silence answers nothing for as long as the client waits.
func silence(_ http.ResponseWriter, q *scriptedRequest) { <-q.Context().Done() }

func (s *scripted) endpoint(cfg Config) *Endpoint {
	s.t.Helper()
	cfg.URL, cfg.RoundTripper = "http://127.0.0.1/mcp", s.roundTripper()
	return newEndpoint(s.t, cfg)
}

// dial begins a session that ends with the test.
func (s *scripted) dial(cfg Config, resume task.Resume) *Session {
	s.t.Helper()
	session, err := s.endpoint(cfg).Dial(s.t.Context(), resume)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := session.Close(context.Background(), false); err != nil {
			s.t.Error(err)
		}
	})
	return session
}

// refused is the error of a dial that must fail.
func (s *scripted) refused(cfg Config, resume task.Resume, kind task.ErrorKind) *task.Error {
	s.t.Helper()
	session, err := s.endpoint(cfg).Dial(s.t.Context(), resume)
	if err == nil {
		_ = session.Close(context.Background(), false)
		s.t.Fatal("dialled")
	}
	return failure(s.t, err, kind)
}
