package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
)

// to is a Transport to a URL on this machine.
func to(t *testing.T, raw string, change ...func(*Config)) *Transport {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	rt := NewRoundTripper(nil)
	rt.Proxy = nil
	cfg := Config{Endpoint: u, RoundTripper: rt, Timing: quick}
	for _, f := range change {
		f(&cfg)
	}
	tr, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

func TestNetworkErrors(t *testing.T) {
	closed, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of our refusal
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()

	noName := func(c *Config) {
		c.RoundTripper.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}}
		}
	}
	mute := func(c *Config) {
		c.RoundTripper.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
		c.Timing.Answer, c.Timing.Idle = 20*time.Millisecond, 20*time.Millisecond
	}
	for _, tc := range []struct {
		name, url string
		change    func(*Config)
		kind      Kind
		word      string
	}{
		{"refused", "http://" + closed.Addr().String() + "/secret?token=secret", nil, Refused, "refused"},
		{"dns", "http://nowhere.invalid/secret", noName, DNS, "no such host"},
		{"certificate", secure.URL + "/secret", nil, TLS, "unknown authority"},
		{"no tls there", strings.Replace(plain.URL, "http:", "https:", 1) + "/secret", nil, TLS, "HTTP response to HTTPS"},
		{"no connection", "http://127.0.0.1:9/secret", mute, Timeout, "in time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			change := tc.change
			if change == nil {
				change = func(*Config) {}
			}
			tr := to(t, tc.url, change)
			err := ask(context.Background(), tr)
			var e *NetError
			var lost *LostError
			if !errors.As(err, &e) || e.Kind != tc.kind || errors.As(err, &lost) {
				t.Errorf("got %#v %v", err, err)
			}
			if text := err.Error(); !strings.Contains(text, tc.word) || strings.Contains(text, "secret") {
				t.Errorf("the text is %q", text)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var down error
			_ = tr.Listen(ctx, Listening{Down: func(why error, _ time.Time) { down = why; cancel() }})
			if !errors.As(down, &e) || e.Kind != tc.kind {
				t.Errorf("listen: %v", down)
			}
			if tc.kind == TLS && tc.name == "certificate" {
				var unknown x509.UnknownAuthorityError
				if !errors.As(err, &unknown) {
					t.Error("the certificate's fault is not in the error")
				}
			}
		})
	}
}

// A connection that ends once the request was sent leaves its effect unknown.
func TestBrokenAfterSending(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   http.HandlerFunc
	}{
		{"before the headers", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		}},
		{"in the body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, reply(1)[:10])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		{"in the stream", func(w http.ResponseWriter, r *http.Request) {
			stream(w, data("", note(1)))
			panic(http.ErrAbortHandler)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, end := serve(t, tc.do)
			defer end()
			var lost *LostError
			if err := ask(context.Background(), tr); !errors.As(err, &lost) || lost.Kind != Broken {
				t.Errorf("got %#v %v", err, err)
			}
		})
	}
}

// One that ends before all of the request was written does not.
func TestBrokenBeforeSending(t *testing.T) {
	long := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"` + strings.Repeat("x", 20_000) + `"}}`)
	for _, tc := range []struct {
		name string
		body []byte
		read int64 // bytes that the server reads before it is gone
	}{
		{"in the headers", request(), 10},
		{"in the body", long, 3000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, end := serve(t, func(http.ResponseWriter, *http.Request) {}, func(c *Config) {
				c.RoundTripper.(*http.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go func() {
						_, _ = io.CopyN(io.Discard, theirs, tc.read)
						_ = theirs.Close()
					}()
					return ours, nil
				}
			})
			defer end()
			var never *NetError
			var lost *LostError
			err := tr.Post(context.Background(), Call{Body: tc.body})
			if !errors.As(err, &never) || errors.As(err, &lost) {
				t.Errorf("got %#v %v", err, err)
			}
		})
	}
}

func TestCloseEndsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if r.Method == http.MethodGet {
				stream(w)
			}
			<-r.Context().Done()
		}, func(c *Config) { c.Timing = Timing{} })
		defer end()
		errs := make(chan error, 3)
		go func() { errs <- tr.Listen(context.Background(), Listening{}) }()
		go func() { errs <- tr.Post(context.Background(), Call{Body: request(), Patient: true}) }()
		go func() { errs <- tr.Delete(context.Background()) }()
		synctest.Wait()
		start := time.Now()
		tr.Close()
		for range 3 {
			if err := <-errs; !errors.Is(err, ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
		for what, err := range map[string]error{
			"post": ask(context.Background(), tr), "listen": tr.Listen(context.Background(), Listening{}), "delete": tr.Delete(context.Background()),
		} {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("%s after Close: %v", what, err)
			}
		}
		tr.Close() // twice is once
		if time.Since(start) != 0 {
			t.Errorf("closing took %v", time.Since(start))
		}
	})
}

func TestDelete(t *testing.T) {
	for _, status := range []int{200, 204, 404, 405} {
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodDelete || r.Header.Get("Mcp-Session-Id") != "s" || r.Header.Get("Authorization") != "Bearer t" {
				t.Errorf("%s %v", r.Method, r.Header)
			}
			w.WriteHeader(status)
		}, func(c *Config) {
			c.Authorize = func(context.Context, string) (string, error) { return "Bearer t", nil }
		})
		if err := tr.SetSession("s", "2025-11-25"); err != nil {
			t.Fatal(err)
		}
		err := tr.Delete(context.Background())
		var e *StatusError
		if (err == nil) != (status < 300) || (err != nil && (!errors.As(err, &e) || e.Status != status)) {
			t.Errorf("%d: %v", status, err)
		}
		end()
	}
}

func TestFrames(t *testing.T) {
	var mu sync.Mutex
	var frames []Frame
	long := `{"jsonrpc":"2.0","method":"n","params":{"x":"` + strings.Repeat("x", 200) + `"}}`
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPost:
			stream(w, data("1", long))
		case http.MethodGet:
			if r.Header.Get("Last-Event-ID") != "" {
				stream(w, data("2", reply(1)))
				return
			}
			w.WriteHeader(http.StatusMethodNotAllowed)
			_, _ = io.WriteString(w, "none here")
		}
	}, func(c *Config) {
		c.Limits.Frame = 100
		c.Frame = func(f Frame) {
			mu.Lock()
			defer mu.Unlock()
			if f.At.IsZero() {
				t.Error("a frame without a time")
			}
			f.At = time.Time{}
			frames = append(frames, f)
		}
	})
	defer end()
	handled := 0
	err := tr.Post(context.Background(), Call{Body: request(), Handle: func(m *jsonrpc.Message) bool {
		mu.Lock()
		defer mu.Unlock()
		handled++
		if len(frames) != 1+handled {
			t.Errorf("message %d is handled after %d frames", handled, len(frames))
		}
		return m.Response()
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Listen(context.Background(), Listening{}); !errors.Is(err, ErrNoStream) {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for i, want := range []Frame{
		{Out: true, Stream: "POST", Exchange: 1, Size: len(request()), Data: request()},
		{Stream: "POST", Exchange: 1, EventID: "1", Size: len(long), Data: []byte(long[:100])},
		{Stream: "GET", Exchange: 2, Resumed: true, EventID: "2", Size: len(reply(1)), Data: []byte(reply(1))},
		{Stream: "GET", Exchange: 3, Status: 405, Size: 9, Data: []byte("none here")},
	} {
		if i >= len(frames) {
			t.Fatalf("only %d frames", len(frames))
		}
		got := frames[i]
		if string(got.Data) != string(want.Data) {
			t.Errorf("frame %d holds %q, want %q", i, got.Data, want.Data)
		}
		if cap(got.Data) > 2*100 && want.Size > 100 {
			t.Errorf("frame %d holds on to %d bytes", i, cap(got.Data))
		}
		got.Data, want.Data = nil, nil
		if got.At != want.At || got.Out != want.Out || got.Stream != want.Stream || got.Exchange != want.Exchange ||
			got.Resumed != want.Resumed || got.Status != want.Status || got.EventID != want.EventID || got.Size != want.Size {
			t.Errorf("frame %d is %+v, want %+v", i, got, want)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&StatusError{Status: 503}, "the server answered HTTP 503 Service Unavailable"},
		{&StatusError{Status: 400, RPC: &jsonrpc.Error{Code: -1, Message: "a\x1bb"}}, `the server answered HTTP 400 Bad Request: error -1: "a\x1bb"`},
		{&ContentError{Status: 200, ContentType: "text/html"}, `the server answered HTTP 200 with "text/html", which is not MCP`},
		{&TooLargeError{What: "event", Limit: 16 << 20}, "the server sent a message (event) larger than 16 MiB"},
		{netError(&url.Error{Op: "Get", URL: "http://u:p@h/", Err: errors.New("x\x1b[31m")}), "network error: x?[31m"},
		{netError(&url.Error{Op: "Get", URL: "http://h/", Err: errors.New(`invalid proxy address "http://u:p@h"`)}), "network error: the proxy's address in the environment is not valid"},
		{&LostError{Kind: Broken, Why: "the link broke", Err: io.ErrUnexpectedEOF}, "no reply came after the request was sent: the link broke: unexpected EOF"},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

// HTTP/2, which refuses some headers that HTTP/1 has, carries both streams.
func TestHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("spoken is %s", r.Proto)
		}
		stream(w, data("1", note(1)))
		if r.Method == http.MethodPost {
			stream(w, data("2", reply(1)))
			return
		}
		<-r.Context().Done()
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	tr := to(t, server.URL, func(c *Config) { c.RoundTripper = NewRoundTripper(&tls.Config{RootCAs: roots}) })
	var c collector
	if err := tr.Post(context.Background(), Call{Body: request(), Handle: c.until(1)}); err != nil {
		t.Error(err)
	}
	want(t, c.all(), []string{`{"n":1}`, "reply"})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := tr.Listen(ctx, Listening{Seen: func(string) { cancel() }}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	tr.Close()
}
