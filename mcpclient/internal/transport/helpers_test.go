package transport

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/leaktest"
	"callboard/mcpclient/internal/jsonrpc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// pipes is a listener whose connections are in memory, so that virtual time
// sees who waits.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// quick is a timing for tests in real time.
var quick = Timing{Base: time.Millisecond, Cap: 5 * time.Millisecond, Held: 5 * time.Millisecond, Linger: time.Second}

// serve runs handler as the server of a new Transport. Both end by the returned
// function.
func serve(t testing.TB, handler http.HandlerFunc, change ...func(*Config)) (*Transport, func()) {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // always http.ErrServerClosed
	}()
	rt := NewRoundTripper(nil)
	rt.Proxy, rt.DialContext = nil, l.dial
	cfg := Config{Endpoint: &url.URL{Scheme: "http", Host: "127.0.0.1:80", Path: "/mcp"}, RoundTripper: rt, Timing: quick}
	for _, f := range change {
		f(&cfg)
	}
	tr, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tr, func() {
		tr.Close()
		_ = server.Close()
		<-served
	}
}

// request is the text of request 1.
func request() []byte {
	return []byte(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}`)
}

func reply(n int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, n) }

func note(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":{"n":%d}}`, n)
}

// collector gathers what a call or stream brought.
type collector struct {
	mu   sync.Mutex
	seen []string // params of notifications, or "reply"
}

// until is a Handler that takes the response to request n for the reply.
func (c *collector) until(n int) Handler {
	return func(m *jsonrpc.Message) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !m.Response() {
			c.seen = append(c.seen, string(m.Params))
			return false
		}
		if m.ID != jsonrpc.IntID(int64(n)) {
			return false
		}
		c.seen = append(c.seen, "reply")
		return true
	}
}

func (c *collector) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.seen...)
}

// ask sends request 1 and waits for its reply.
func ask(ctx context.Context, tr *Transport) error {
	var c collector
	return tr.Post(ctx, Call{Body: request(), Handle: c.until(1)})
}

func stream(w http.ResponseWriter, text ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, s := range text {
		_, _ = io.WriteString(w, s)
	}
	w.(http.Flusher).Flush()
}

func data(id, text string) string {
	s := "data: " + text + "\n\n"
	if id != "" {
		s = "id: " + id + "\n" + s
	}
	return s
}

func want(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %.500q\nwant %.500q", got, want)
	}
}
