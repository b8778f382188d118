//go:build unix

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"callboard/mcpclient/mcptest"
)

// watchUntil runs callboard watch with an environment of its own until it
// printed text.
func watchUntil(t *testing.T, text string, env []string, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	cmd := command(t, append([]string{"watch"}, args...)...)
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	waitFor(t, out, text)
	stop()
	_ = cmd.Wait() // it was killed
}

// A server that only a proxy can reach is reached by it, and a proxy that
// refuses is not taken for the server.
func TestProxyOfTheEnvironment(t *testing.T) {
	s, address := serve(t)
	s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "behind the proxy"})
	behind, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	forward := httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			asked.Add(1)
			r.Out.URL.Host, r.Out.Host = behind.Host, behind.Host
		},
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) {},
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			http.Error(w, "not for you", http.StatusForbidden)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	defer proxy.Close()

	watchUntil(t, "behind the proxy", []string{"HTTP_PROXY=" + proxy.URL}, "http://mcp.callboard.invalid/mcp")
	if asked.Load() == 0 {
		t.Error("the proxy saw nothing")
	}
	password := strings.Replace(proxy.URL, "http://", "http://me:pass-word@", 1)
	watchUntil(t, "the proxy answered 403 Forbidden", []string{"HTTPS_PROXY=" + password}, "https://mcp.callboard.invalid/mcp")
	watchUntil(t, "the proxy does not let us through", []string{"HTTPS_PROXY=http://127.0.0.1:1"}, "https://mcp.callboard.invalid/mcp")
}
