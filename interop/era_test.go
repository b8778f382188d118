package interop

import (
	"context"
	"testing"

	"callboard/mcpclient"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// Which generation a server speaks is found out with one probe, and by where its
// tasks are: mcp-go answers the probe, and has them in the older one.
func TestFindsTheGeneration(t *testing.T) {
	for name, url := range map[string]func(*testing.T) string{
		"mcp-go":                func(t *testing.T) string { return serveGo(t, 50).url() },
		"mcp-go, stateless":     func(t *testing.T) string { return serveGo(t, 50, stateless()...).url() },
		everything:              func(t *testing.T) string { return serveNpm(t, everything, "streamableHttp").url },
		simple:                  func(t *testing.T) string { return serveNpm(t, simple).url },
		ssePolling:              func(t *testing.T) string { return serveNpm(t, ssePolling).url },
		"mcptest, of both eras": func(t *testing.T) string { return start(t, mcptest.Conformance()) },
	} {
		t.Run(name, func(t *testing.T) {
			want := task.Legacy
			if name == "mcptest, of both eras" {
				want = task.Modern
			}
			ep, err := mcpclient.NewEndpoint(mcpclient.Config{URL: url(t)})
			if err != nil {
				t.Fatal(err)
			}
			s, err := ep.Dial(t.Context(), task.Resume{})
			if err != nil {
				t.Fatal(err)
			}
			if a := s.About(); a.Era != want {
				t.Errorf("about: %+v", a)
			}
			resume := s.Resume().Afresh()
			leave(t, s)
			if n := sent(ep, "server/discover"); n != 1 {
				t.Errorf("%d probes, want one", n)
			}
			// What was found out is not asked for again.
			s, err = ep.Dial(t.Context(), resume)
			if err != nil {
				t.Fatal(err)
			}
			defer leave(t, s)
			if a := s.About(); a.Era != want {
				t.Errorf("the second time: %+v", a)
			}
			if n := sent(ep, "server/discover"); want == task.Legacy && n != 1 {
				t.Errorf("%d probes after the second time, want one", n)
			}
		})
	}
}

// sent counts the requests of a method.
func sent(ep *mcpclient.Endpoint, method string) (n int) {
	for _, f := range ep.Frames(0, 1000) {
		if f.Dir == task.Out && f.Method == method {
			n++
		}
	}
	return n
}

// leave ends our side of a session.
func leave(t *testing.T, s *mcpclient.Session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Close(ctx, false); err != nil {
		t.Errorf("close: %v", err)
	}
}
