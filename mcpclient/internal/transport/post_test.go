package transport

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
)

func TestPostReplies(t *testing.T) {
	for _, tc := range []struct {
		name, kind, body string
		want             []string
	}{
		{"json", "application/json", reply(1), []string{"reply"}},
		{"json with parameters", "Application/JSON; charset=utf-8", "\xef\xbb\xbf\n" + reply(1) + "\n", []string{"reply"}},
		{"json under another name", "text/plain", reply(1), []string{"reply"}},
		{"an array", "application/json", "[" + note(1) + "," + reply(1) + "," + note(2) + "]", []string{`{"n":1}`, "reply", `{"n":2}`}},
		{"stream", "text/event-stream", data("", reply(1)), []string{"reply"}},
		{"messages before the reply", "text/event-stream", data("", note(1)) + data("", reply(5)) + data("a", note(2)) + data("", reply(1)),
			[]string{`{"n":1}`, `{"n":2}`, "reply"}},
		{"an array in an event", "text/event-stream; charset=utf-8", data("", "["+note(1)+","+reply(1)+"]"), []string{`{"n":1}`, "reply"}},
		{"what is no message", "text/event-stream", data("", "{}") + data("", "hello") + "event: ping\n" + data("", note(7)) + "event: message\n" + data("", reply(1)), []string{"reply"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", tc.kind)
				_, _ = io.WriteString(w, tc.body)
			})
			var c collector
			if err := tr.Post(context.Background(), Call{Body: request(), Handle: c.until(1)}); err != nil {
				t.Error(err)
			}
			end() // waits for what came behind the reply
			want(t, c.all(), tc.want)
		})
	}
}

func TestPostHeaders(t *testing.T) {
	heads := make(chan http.Header, 1)
	bodies := make(chan string, 1)
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		heads <- r.Header
		bodies <- r.Method + " " + r.RequestURI + " " + string(b)
		w.Header().Set("Mcp-Session-Id", "s1")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, reply(1))
	}, func(c *Config) {
		c.Header = http.Header{"x-key": {"k"}, "Accept": {"nonsense"}}
		c.UserAgent = "callboard/1"
		c.Endpoint = &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/mcp", RawQuery: "a=b", User: url.UserPassword("me", "pass")}
	})
	defer end()
	if err := tr.SetSession("s0", "2025-11-25"); err != nil {
		t.Fatal(err)
	}
	var head Head
	var c collector
	if err := tr.Post(context.Background(), Call{Body: request(), Handle: c.until(1), Head: func(h Head) { head = h }}); err != nil {
		t.Fatal(err)
	}
	if got, want := <-bodies, "POST /mcp?a=b "+string(request()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	h := <-heads
	for k, v := range map[string]string{
		"Accept": "application/json, text/event-stream", "Content-Type": "application/json", "X-Key": "k", "User-Agent": "callboard/1",
		"Mcp-Session-Id": "s0", "Mcp-Protocol-Version": "2025-11-25", "Authorization": "Basic bWU6cGFzcw==",
	} {
		if got := h.Values(k); len(got) != 1 || got[0] != v {
			t.Errorf("%s is %q, want %q", k, got, v)
		}
	}
	if head.SessionID != "s1" || head.Status != 200 || head.Date.IsZero() || head.Stream || head.Received.Before(head.Sent) {
		t.Errorf("head is %+v", head)
	}
	if err := tr.SetSession("a\nb", ""); err == nil {
		t.Error("a session id with a line break was taken")
	}
}

func TestPostOneWay(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		kind   string
		body   string
		fails  bool
	}{
		{"accepted", 202, "", "", false},
		{"no content", 204, "", "", false},
		{"ok with words", 200, "text/plain", "ok", false},
		{"ok with a message", 200, "application/json", note(3), false},
		{"ok with garbage", 200, "application/json", "{", false},
		{"a stream", 200, "text/event-stream", data("", note(3)), false},
		{"a page", 200, "text/html", "<html>", true},
		{"bad request", 400, "text/plain", "no", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if tc.kind != "" {
					w.Header().Set("Content-Type", tc.kind)
				}
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			})
			var c collector
			err := tr.Post(context.Background(), Call{Body: []byte(note(1)), OneWay: true, Handle: c.until(0)})
			if (err != nil) != tc.fails {
				t.Errorf("got %v", err)
			}
			end()
			if strings.Contains(tc.body, "method") {
				want(t, c.all(), []string{`{"n":3}`})
			}
		})
	}
}

// Every refusal says in a field what it is, and nothing of what we sent.
func TestPostRefusals(t *testing.T) {
	rpc := `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no session s3cret-session for t0ken-value"}}`
	for _, tc := range []struct {
		name   string
		status int
		head   string
		body   string
		check  func(*StatusError) bool
	}{
		{"rpc error with 400", 400, "", fmt.Sprintf(rpc, "null", -32000), func(e *StatusError) bool {
			return e.RPC.Code == -32000 && e.ID == jsonrpc.Null && e.Snippet == ""
		}},
		{"rpc error with 404", 404, "", fmt.Sprintf(rpc, "1", -32001), func(e *StatusError) bool { return e.RPC.Code == -32001 && e.ID == "1" }},
		{"plain words", 400, "Content-Type: text/plain; charset=x", "No valid session ID s3cret-session", func(e *StatusError) bool {
			return e.RPC == nil && e.ContentType == "text/plain" && e.Snippet == "No valid session ID [masked]"
		}},
		{"a page", 404, "Content-Type: text/html", "<html>" + strings.Repeat("x", 5000), func(e *StatusError) bool { return len(e.Snippet) == maxSnippet }},
		{"nothing", 403, "", "", func(e *StatusError) bool { return e.Snippet == "" }},
		{"unauthorized", 401, `WWW-Authenticate: Bearer realm="x"`, "", func(e *StatusError) bool { return e.Challenge == `Bearer realm="x"` }},
		{"too many", 429, "Retry-After: 7", "", func(e *StatusError) bool { return e.RetryAfter == 7*time.Second }},
		{"unavailable", 503, "Retry-After: Mon, 02 Jan 2006 15:04:35 GMT", "", func(e *StatusError) bool { return e.RetryAfter == 30*time.Second }},
		{"unavailable for ages", 503, "Retry-After: 999999999", "", func(e *StatusError) bool { return e.RetryAfter == maxRetryAfter }},
		{"a stream", 400, "Content-Type: text/event-stream", "data: x\n\n", func(e *StatusError) bool { return e.Snippet == "" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", "Mon, 02 Jan 2006 15:04:05 GMT")
				if k, v, ok := strings.Cut(tc.head, ": "); ok {
					w.Header().Set(k, v)
				}
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			}, func(c *Config) {
				c.Authorize = func(context.Context, string) (string, error) { return "Bearer t0ken-value", nil }
			})
			defer end()
			if err := tr.SetSession("s3cret-session", ""); err != nil {
				t.Fatal(err)
			}
			err := ask(context.Background(), tr)
			var e *StatusError
			if !errors.As(err, &e) || e.Status != tc.status || !tc.check(e) {
				t.Errorf("got %#v", err)
			}
			all := fmt.Sprintf("%v %+v %v", err, e, e.RPC)
			if strings.Contains(all, "t0ken") || strings.Contains(all, "s3cret") || strings.Contains(all, "/mcp") {
				t.Errorf("secrets in %s", all)
			}
		})
	}
}

func TestPostNotMCP(t *testing.T) {
	var content *ContentError
	var malformed *MalformedError
	var lost *LostError
	for _, tc := range []struct {
		kind, body string
		want       any
	}{
		{"text/html; charset=utf-8", "<html>hello " + reply(1), &content},
		{"", "hello", &content},
		{"application/json", "{", &malformed},
		{"application/json", `{"status":"up"}`, &malformed},
		{"application/json", "", &lost},
		{"application/json", note(1), &lost},
		{"text/event-stream", data("", note(1)), &lost},
		{"text/event-stream", data("", "nonsense"), &malformed},
		{"text/event-stream", "data: " + reply(1) + "\n", &lost},
	} {
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", tc.kind)
			_, _ = io.WriteString(w, tc.body)
		})
		if err := ask(context.Background(), tr); !errors.As(err, tc.want) {
			t.Errorf("%s %s: got %#v, want a %T", tc.kind, tc.body, err, tc.want)
		}
		end()
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/x?session=s3cret", status)
		})
		var e *RedirectError
		for what, err := range map[string]error{
			"post": ask(context.Background(), tr), "listen": tr.Listen(context.Background(), Listening{}), "delete": tr.Delete(context.Background()),
		} {
			if !errors.As(err, &e) || e.Status != status || e.Host != other.URL || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s, %d: %v", what, status, err)
			}
		}
		end()
	}
	if asked.Load() != 0 {
		t.Error("the other server was asked")
	}
}

func TestAuthorizeAnew(t *testing.T) {
	var asked atomic.Int32
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.Header.Get("Authorization") != "Bearer new" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		b, _ := io.ReadAll(r.Body)
		if string(b) != string(request()) {
			t.Errorf("the second body is %q", b)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, reply(1))
	}, func(c *Config) {
		c.Authorize = func(_ context.Context, refused string) (string, error) {
			switch refused {
			case "":
				return "Bearer old", nil
			case "Bearer old":
				return "Bearer new", nil
			}
			return "", errors.New("never")
		}
	})
	defer end()
	if err := ask(context.Background(), tr); err != nil || asked.Load() != 2 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
}

// A token that stays the same is not sent twice, and one that cannot be had
// ends the call before it is sent.
func TestAuthorizeInVain(t *testing.T) {
	var asked atomic.Int32
	noToken := errors.New("no token")
	var fail atomic.Bool
	tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}, func(c *Config) {
		c.Authorize = func(context.Context, string) (string, error) {
			if fail.Load() {
				return "", noToken
			}
			return "Bearer old", nil
		}
	})
	defer end()
	var e *StatusError
	if err := ask(context.Background(), tr); !errors.As(err, &e) || e.Status != 401 || asked.Load() != 1 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
	fail.Store(true)
	if err := ask(context.Background(), tr); !errors.Is(err, noToken) || asked.Load() != 1 {
		t.Errorf("%v after %d requests", err, asked.Load())
	}
	if err := tr.Listen(context.Background(), Listening{}); !errors.Is(err, noToken) {
		t.Errorf("listen: %v", err)
	}
}

func TestCredentialsInTheClear(t *testing.T) {
	token := func(context.Context, string) (string, error) { return "", nil }
	for _, tc := range []struct {
		url   string
		auth  bool
		allow bool
		fails bool
	}{
		{"http://example.com/", false, false, false},
		{"http://example.com/", true, false, true},
		{"http://me:pw@example.com/", false, false, true},
		{"http://example.com/", true, true, false},
		{"https://example.com/", true, false, false},
		{"http://localhost:80/", true, false, false},
		{"http://127.0.0.9:80/", true, false, false},
		{"http://[::1]:80/", true, false, false},
		{"http://localhost.example.com/", true, false, true},
	} {
		u, err := url.Parse(tc.url)
		if err != nil {
			t.Fatal(err)
		}
		cfg := Config{Endpoint: u, AllowInsecure: tc.allow}
		if tc.auth {
			cfg.Authorize = token
		}
		_, err = New(cfg)
		var insecure *InsecureError
		if errors.As(err, &insecure) != tc.fails || (err != nil && strings.Contains(err.Error(), "pw")) {
			t.Errorf("%+v: %v", tc, err)
		}
		cfg.Authorize = nil
		if tc.auth {
			cfg.Header = http.Header{"authorization": {"x"}}
			if _, err = New(cfg); errors.As(err, &insecure) != tc.fails {
				t.Errorf("%+v by header: %v", tc, err)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	big := strings.Repeat("x", 5000)
	message := `{"jsonrpc":"2.0","id":1,"result":{"x":"` + big + `"}}`
	for _, tc := range []struct {
		name, what string
		serve      http.HandlerFunc
	}{
		{"body", "body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, message)
		}},
		{"compressed body", "body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, message)
			_ = z.Close()
		}},
		{"event", "event", func(w http.ResponseWriter, r *http.Request) {
			stream(w, data("1", note(1)), data("2", message))
			<-r.Context().Done()
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr, end := serve(t, tc.serve, func(c *Config) { c.Limits = Limits{Event: 1000, Body: 1000} })
			defer end()
			var e *TooLargeError
			if err := ask(context.Background(), tr); !errors.As(err, &e) || e.What != tc.what || e.Limit != 1000 {
				t.Errorf("got %v", err)
			}
		})
	}
}

// tasks/result may send no header for an hour; nothing else may.
func TestPatience(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-time.After(time.Hour):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, reply(1))
		case <-r.Context().Done():
		}
	}
	synctest.Test(t, func(t *testing.T) {
		tr, end := serve(t, slow, func(c *Config) { c.Timing = Timing{} })
		defer end()
		start := time.Now()
		var c collector
		if err := tr.Post(context.Background(), Call{Body: request(), Handle: c.until(1), Patient: true}); err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d != time.Hour {
			t.Errorf("the patient call took %v", d)
		}
		start = time.Now()
		err := ask(context.Background(), tr)
		var lost *LostError
		if !errors.As(err, &lost) || lost.Kind != Timeout {
			t.Errorf("got %v", err)
		}
		if d := time.Since(start); d != 30*time.Second {
			t.Errorf("the other call took %v", d)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := ask(ctx, tr); !errors.As(err, &lost) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deadline: %v", err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		if err := ask(ctx, tr); !errors.As(err, &lost) || !errors.Is(err, context.Canceled) {
			t.Errorf("a cancel: %v", err)
		}
		var never *NetError
		if err := ask(ctx, tr); !errors.As(err, &never) {
			t.Errorf("a context that had ended: %v", err)
		}
	})
}

// A body that stalls ends a call that is not patient.
func TestStalledBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 5 {
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Second)
			}
			<-r.Context().Done()
		}, func(c *Config) { c.Timing = Timing{} })
		defer end()
		start := time.Now()
		var lost *LostError
		if err := ask(context.Background(), tr); !errors.As(err, &lost) || lost.Kind != Timeout {
			t.Errorf("got %v", err)
		}
		if d := time.Since(start); d != 110*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

// What comes behind the reply is still taken, for a while, and the stream of a
// server that never ends it is ended.
func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open time.Duration
		tr, end := serve(t, func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			stream(w, data("", reply(1)))
			time.Sleep(time.Second)
			stream(w, data("", note(1)))
			<-r.Context().Done()
			open = time.Since(start)
		}, func(c *Config) { c.Timing = Timing{} })
		start := time.Now()
		var c collector
		ctx, cancel := context.WithCancel(context.Background())
		if err := tr.Post(ctx, Call{Body: request(), Handle: c.until(1)}); err != nil {
			t.Error(err)
		}
		cancel() // as a caller does that is through
		if d := time.Since(start); d != 0 {
			t.Errorf("the call took %v", d)
		}
		time.Sleep(10 * time.Second)
		want(t, c.all(), []string{"reply", `{"n":1}`})
		end()
		if open != 2*time.Second {
			t.Errorf("the stream was open for %v", open)
		}
	})
}

// Several SSE replies use one connection, where the server ends its streams.
func TestConnectionIsKept(t *testing.T) {
	remote := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		remote[r.RemoteAddr] = true
		stream(w, data("", reply(1)))
	}))
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := New(Config{Endpoint: u, RoundTripper: NewRoundTripper(nil)})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for range 20 {
		ended := make(chan struct{})
		var c collector
		until := c.until(1)
		err := tr.Post(context.Background(), Call{Body: request(), Handle: func(m *jsonrpc.Message) bool { defer close(ended); return until(m) }})
		if err != nil {
			t.Fatal(err)
		}
		<-ended
		tr.wg.Wait()
	}
	if len(remote) > 2 {
		t.Errorf("%d connections for 20 calls", len(remote))
	}
}
