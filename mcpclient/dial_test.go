package mcpclient

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

func jsonReply(status int, body string) mcptest.Interception {
	return mcptest.Interception{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
}

// TestDialRefused: whatever stands in the way of a session is told in words
// that a person can act upon.
func TestDialRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply mcptest.Interception
		kind  task.ErrorKind
		words string // of the message
		hint  string // of the advice
	}{
		{"a web page", mcptest.HTMLPage("", 1, 200), task.NotMCP, "web page", "path"},
		{"a web page with 404", mcptest.HTMLPage("", 1, 404), task.HTTP, "404", "/mcp"},
		{"401", mcptest.HTTPError("", 1, 401, 0), task.Unauthorized, "wants a token", "--token-file"},
		{"403", mcptest.HTTPError("", 1, 403, 0), task.Denied, "refuses", "permission"},
		{"405", mcptest.HTTPError("", 1, 405, 0), task.HTTP, "405", "/mcp"},
		{"406", mcptest.HTTPError("", 1, 406, 0), task.HTTP, "406", "server"},
		{"429", mcptest.HTTPError("", 1, 429, time.Second), task.Busy, "too often", ""},
		{"503", mcptest.HTTPError("", 1, 503, time.Second), task.Busy, "503", ""},
		{"500", mcptest.HTTPError("", 1, 500, 0), task.HTTP, "500", ""},
		{"a redirect", mcptest.Interception{Status: 307, Header: http.Header{"Location": {"https://evil.example/mcp?x=secret"}}},
			task.HTTP, "redirects", "https://evil.example"},
		{"JSON that is no message", jsonReply(200, `{"hello":"world"}`), task.Protocol, "no message", "log"},
		{"plain text", mcptest.Interception{Status: 200, Body: "hello"}, task.NotMCP, "not MCP", "URL"},
		{"a redirect to its neighbour", mcptest.Interception{Status: 308, Header: http.Header{"Location": {"/mcp/v1/?x=secret"}}},
			task.HTTP, "redirects", "http://127.0.0.1/mcp/v1/"},
		{"an empty reply", jsonReply(200, ``), task.Unreachable, "empty body", "https://"},
		{"a broken connection", mcptest.Interception{Drop: true}, task.Unreachable, "the link broke", "https://"},
		{"refused in JSON-RPC", jsonReply(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"go away"}}`), task.RPC, "go away", "begins no session"},
		{"headers of a later generation", jsonReply(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"Mcp-Method is missing"}}`),
			task.Version, "begins no session of MCP 2025-11-25", "--protocol auto"},
		{"a later generation", jsonReply(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"unsupported","data":{"supported":["2026-07-28"]}}}`),
			task.Version, "begins no session of MCP 2025-11-25", "2026-07-28"},
		{"a generation that is not ours", jsonReply(400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"unsupported","data":{"supported":["2027-03-01"]}}}`),
			task.Version, "MCP 2027-03-01, which callboard does not", "2026-07-28"},
		{"a generation without initialize", jsonReply(404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"unknown method initialize"}}`),
			task.Version, "begins no session of MCP 2025-11-25", "--protocol auto"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := newRig(t, Config{})
				// The page that a lost GET would look at stays shut as well.
				r.srv.Intercept(mcptest.HTTPError("GET", -1, 404, 0))
				c.reply.Method = "initialize"
				r.srv.Intercept(c.reply)
				_, err := r.ep.Dial(t.Context(), task.Resume{})
				te := failure(t, err, c.kind)
				if !strings.Contains(te.Message.String(), c.words) || !strings.Contains(te.Advice.String(), c.hint) {
					t.Errorf("message %q, advice %q", te.Message, te.Advice)
				}
				if got := te.Tried.String(); got != "initialize to http://127.0.0.1/mcp" {
					t.Errorf("tried %q", got)
				}
				if strings.Contains(fmt.Sprintf("%v %v", te, te.Advice), "secret") {
					t.Errorf("%v", te)
				}
				if !noted(r, "no session") {
					t.Error("the log has no line of it")
				}
			})
		})
	}
}

// TestOlderVersions: a server without tasks is good for plain calls, and says
// why there is no more.
func TestOlderVersions(t *testing.T) {
	for _, v := range []string{"2025-06-18", "2025-03-26", "2024-11-05"} {
		t.Run(v, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := newRig(t, Config{}, mcptest.WithVersion(v), mcptest.WithTools(mcptest.Tool{
					Name: "plain", Run: func(context.Context, *mcptest.Call) mcptest.Outcome { return mcptest.Answered("done") },
				}))
				r.dial(task.Resume{})
				a := r.s.About()
				if a.Era != task.Legacy || a.Version != v || a.List != task.CanNo || a.Cancel != task.CanNo || a.TaskCalls != task.CanNo || a.Tools != task.CanYes {
					t.Errorf("%+v", a)
				}
				if got := a.Note.Line(); !strings.Contains(got, "MCP "+v+" has no tasks") {
					t.Errorf("note %q", got)
				}
				if _, err := r.s.Tools(t.Context()); err != nil {
					t.Error(err)
				}
				r.call(task.Call{ID: "c", Tool: "plain"})
				if e := any1[task.Returned](r); e.Err != nil || e.Result == nil {
					t.Errorf("%+v", e)
				}
				kept := r.s.Resume()
				r.close(true)
				r.dial(kept)
				if a := r.s.About(); a.Version != v || a.Note.IsZero() {
					t.Errorf("after rejoining: %+v", a)
				}
				header := v
				if v < "2025-06-18" {
					header = "" // not known yet
				}
				for _, q := range r.srv.Requests() {
					if got := q.Header.Get("MCP-Protocol-Version"); q.Method != "initialize" && got != header {
						t.Errorf("%s with the version %q", q.Method, got)
					}
				}
			})
		})
	}
}

// TestBatches: 2025-03-26 lets servers send arrays of messages.
func TestBatches(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", jsonRPCError(400, -32000, "not initialized"))
		s.on("initialize", result(`{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`))
		s.on("notifications/initialized", func(w http.ResponseWriter, _ *scriptedRequest) { w.WriteHeader(http.StatusAccepted) })
		s.on("tools/list", func(w http.ResponseWriter, q *scriptedRequest) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}]`, q.id)
		})
		session := s.dial(Config{}, task.Resume{})
		tools, err := session.Tools(t.Context())
		if err != nil || len(tools) != 1 {
			t.Errorf("%v, %v", tools, err)
		}
	})
}

func TestOtherVersions(t *testing.T) {
	for _, v := range []string{"2026-07-28", "2027-01-01", "x"} {
		t.Run(v, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := newRig(t, Config{}, mcptest.WithVersion(v))
				_, err := r.ep.Dial(t.Context(), task.Resume{})
				te := failure(t, err, task.Version)
				if !strings.Contains(te.Message.String(), "MCP "+v) || !strings.Contains(te.Advice.String(), "2025-11-25") {
					t.Errorf("%v, %v", te, te.Advice)
				}
				if n := r.count("notifications/initialized"); n != 0 {
					t.Error("the session was begun all the same")
				}
				if n := len(r.srv.Sessions()); n != 0 {
					t.Errorf("%d sessions are left behind", n)
				}
			})
		})
	}
}

// TestOldTransport: a server of 2024-11-05 takes no POST where it opens a
// stream.
func TestOldTransport(t *testing.T) {
	for _, status := range []int{404, 405} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.Method != http.MethodGet {
				http.Error(w, "no", status)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: /messages?sessionId=1\n\n")
			w.(http.Flusher).Flush()
			<-q.Context().Done()
		}))
		te := dialError(t, Config{URL: srv.URL + "/sse"})
		if te.Kind != task.Version || !strings.Contains(te.Message.String(), "old HTTP+SSE") {
			t.Errorf("%d: %v", status, te)
		}
		srv.Close()
	}
}

func dialError(t *testing.T, cfg Config) *task.Error {
	t.Helper()
	ep, err := NewEndpoint(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := contextFor(t, 10*time.Second)
	defer cancel()
	s, err := ep.Dial(ctx, task.Resume{})
	if err == nil {
		_ = s.Close(ctx, false)
		t.Fatal("dialled")
	}
	var te *task.Error
	if !errors.As(err, &te) {
		t.Fatalf("%v is no *task.Error", err)
	}
	return te
}

func TestUnreachable(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	te := dialError(t, Config{URL: "http://user:pass-word@" + addr + "/mcp?key=se-cret"})
	if te.Kind != task.Unreachable || !strings.Contains(te.Message.String(), "refused") || te.Advice.IsZero() {
		t.Errorf("%v", te)
	}
	if s := fmt.Sprintf("%v %v %v", te, te.Advice, te.Unwrap()); strings.Contains(s, "pass-word") || strings.Contains(s, "se-cret") {
		t.Errorf("a secret of the URL is in %s", s)
	}
	te = dialError(t, Config{URL: "https://" + addr + "/mcp", RoundTripper: failing{&net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}}})
	if te.Kind != task.Unreachable || !strings.Contains(te.Message.String(), "name of the host") {
		t.Errorf("%v", te)
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestTLS(t *testing.T) {
	mcp := mcptest.New()
	defer func() { _ = mcp.Close() }()
	srv := httptest.NewUnstartedServer(mcp)
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	te := dialError(t, Config{URL: srv.URL})
	if te.Kind != task.TLS || !strings.Contains(te.Advice.String(), "--ca-file") {
		t.Errorf("%v, %v", te, te.Advice)
	}
	te = dialError(t, Config{URL: strings.Replace(srv.URL, "https:", "http:", 1)})
	if te.Kind == task.Internal {
		t.Errorf("http to https: %v", te)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cfg := range []Config{{URL: srv.URL, CAFile: ca}, {URL: srv.URL, InsecureSkipVerify: true}} {
		ep, err := NewEndpoint(cfg)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ep.Dial(t.Context(), task.Resume{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context(), false); err != nil {
			t.Error(err)
		}
	}
	if _, err := NewEndpoint(Config{URL: srv.URL, CAFile: filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("a file that is not there was read")
	}
	if _, err := NewEndpoint(Config{URL: srv.URL, ClientCert: ca}); err == nil {
		t.Error("a certificate without its key was taken")
	}
}

func TestPlainServerOverTLS(t *testing.T) {
	mcp := mcptest.New()
	defer func() { _ = mcp.Close() }()
	url, err := mcp.Start()
	if err != nil {
		t.Fatal(err)
	}
	te := dialError(t, Config{URL: strings.Replace(url, "http:", "https:", 1)})
	if te.Kind != task.TLS || !strings.Contains(te.Advice.String(), "http://") {
		t.Errorf("%v, %v", te, te.Advice)
	}
}

func TestBadURL(t *testing.T) {
	for _, u := range []string{"", "localhost", "ftp://host/x", "https://", "http://us:pw%zz@h/"} {
		_, err := NewEndpoint(Config{URL: u})
		if err == nil {
			t.Errorf("%q was taken", u)
		} else if strings.Contains(err.Error(), "pw") {
			t.Errorf("%v", err)
		}
	}
}

// TestTokenStaysHome: no credential goes over plain http to another machine.
func TestTokenStaysHome(t *testing.T) {
	const far = "http://mcp.example.com/mcp"
	for name, cfg := range map[string]Config{
		"token":  {URL: far, Token: "t0ken-xyz"},
		"header": {URL: far, Header: http.Header{"Authorization": {"Bearer t0ken-xyz"}}},
		"url":    {URL: "http://me:t0ken-xyz@mcp.example.com/mcp"},
	} {
		_, err := NewEndpoint(cfg)
		te := failure(t, err, task.Unauthorized)
		if !strings.Contains(te.Advice.String(), "--allow-insecure-token") || strings.Contains(te.Error(), "t0ken") {
			t.Errorf("%s: %v, %v", name, te, te.Advice)
		}
		cfg.AllowInsecureToken = true
		if _, err := NewEndpoint(cfg); err != nil {
			t.Errorf("%s, allowed: %v", name, err)
		}
	}
	if _, err := NewEndpoint(Config{URL: "http://127.0.0.1:1/mcp", Token: "t"}); err != nil {
		t.Errorf("loopback: %v", err)
	}
}

func TestTokenFileIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(s string) {
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first-token\n")
	inBubble(t, func(t *testing.T) {
		var logFile lockedBuffer
		r := newRig(t, Config{TokenFile: file, LogFile: &logFile}, mcptest.WithToken("first-token"))
		r.dial(task.Resume{})
		r.srv.SetToken("second-token")
		_, err := r.s.Page(t.Context(), task.Cursor{})
		te := failure(t, err, task.Unauthorized)
		if !strings.Contains(te.Advice.String(), file) {
			t.Errorf("%v", te.Advice)
		}
		write("second-token")
		if _, err := r.s.Page(t.Context(), task.Cursor{}); err != nil {
			t.Errorf("the file was not read again: %v", err)
		}
		r.close(false)
		if err := r.ep.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := logFile.String()
		for _, f := range r.ep.Frames(0, 1000) {
			all += f.Body
		}
		for _, secret := range []string{"first-token", "second-token"} {
			if strings.Contains(all, secret) {
				t.Errorf("%s is in the log", secret)
			}
		}
	})
	for _, bad := range []string{"", "two tokens", "tok\x00en", strings.Repeat("x", maxToken+1)} {
		write(bad)
		if _, err := NewEndpoint(Config{URL: "http://127.0.0.1/mcp", TokenFile: file}); err == nil {
			t.Errorf("the token file %.10q was taken", bad)
		}
	}
}

func TestDialIsBoundByItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{})
		r.srv.Intercept(mcptest.Interception{Method: "initialize", Hang: true})
		ctx, cancel := contextFor(t, 3*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := r.ep.Dial(ctx, task.Resume{})
		if d := time.Since(begun); err == nil || d > 4*time.Second {
			t.Errorf("%v after %v", err, d)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v hides the end of the context", err)
		}
	})
}
