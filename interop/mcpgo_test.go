package interop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/model/task"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// goServer runs a server on mark3labs/mcp-go until the end of the test.
type goServer struct {
	*httptest.Server
	mu      sync.Mutex
	release chan struct{} // closed to let "waits" go on
}

func (g *goServer) url() string { return g.URL + "/mcp" }

// letGo ends the work of the tasks that wait.
func (g *goServer) letGo() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.release:
	default:
		close(g.release)
	}
}

func serveGo(t *testing.T, page int, options ...server.StreamableHTTPOption) *goServer {
	t.Helper()
	g := &goServer{release: make(chan struct{})}
	g.Server = httptest.NewServer(g.handler(page, options...))
	t.Cleanup(func() {
		g.letGo()
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

// handler makes the server with its tools.
func (g *goServer) handler(page int, options ...server.StreamableHTTPOption) http.Handler {
	s := server.NewMCPServer("mcp-go", "1.2.1",
		server.WithTaskCapabilities(true, true, true), server.WithToolCapabilities(true),
		server.WithElicitation(), server.WithRecovery(), server.WithPaginationLimit(page))
	required := mcp.WithTaskSupport(mcp.TaskSupportRequired)
	says := func(text string) *mcp.CreateTaskResult {
		return &mcp.CreateTaskResult{Content: []mcp.Content{mcp.NewTextContent(text)}}
	}
	type request = mcp.CallToolRequest
	s.AddTaskTool(mcp.NewTool("quick", required), func(context.Context, request) (*mcp.CreateTaskResult, error) {
		return says("quickly done"), nil
	})
	// The work outlives the request that began it: mcp-go ends the context with that.
	s.AddTaskTool(mcp.NewTool("waits", required), func(context.Context, request) (*mcp.CreateTaskResult, error) {
		<-g.release
		return says("waited"), nil
	})
	s.AddTaskTool(mcp.NewTool("fails", required), func(context.Context, request) (*mcp.CreateTaskResult, error) {
		return nil, errors.New("upstream said no")
	})
	s.AddTaskTool(mcp.NewTool("panics", required), func(context.Context, request) (*mcp.CreateTaskResult, error) {
		panic("a fault of the server")
	})
	ask := func(ctx context.Context) (string, error) {
		reply, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
			Message: "Which region?",
			RequestedSchema: map[string]any{"type": "object", "required": []string{"region"}, "properties": map[string]any{
				"region": map[string]any{"type": "string", "enum": []string{"north", "south"}},
				"nodes":  map[string]any{"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
			}},
		}})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(reply.Action, reply.Content), nil
	}
	// mcp-go sends a question by the response to the request that began the work, as
	// long as there is one, and loses it where that ends at the same moment. So this
	// one asks once it has ended, by the GET stream.
	s.AddTaskTool(mcp.NewTool("asks", required), func(ctx context.Context, _ request) (*mcp.CreateTaskResult, error) {
		<-ctx.Done()
		said, err := ask(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		return says(said), nil
	})
	s.AddTool(mcp.NewTool("plainly asks"), func(ctx context.Context, _ request) (*mcp.CallToolResult, error) {
		said, err := ask(ctx)
		return mcp.NewToolResultText(said), err
	})
	s.AddTool(mcp.NewTool("either", mcp.WithTaskSupport(mcp.TaskSupportOptional)), func(context.Context, request) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultError("the tool itself says no"), nil
	})
	s.AddTool(mcp.NewTool("plain"), func(context.Context, request) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("plainly done"), nil
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.NewStreamableHTTPServer(s, options...))
	return mux
}

// serveGoAsChild starts the same as a process of its own, this test binary, so
// that it can be stopped and killed.
func serveGoAsChild(t *testing.T, port int) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return serveChild(t, port, exec.CommandContext(context.Background(), self, goServerArg))
}

// goServerArg makes this binary a server, until it is killed.
const goServerArg = "mcp-go-server"

func serveGoForever() {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:"+os.Getenv(portEnv))
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(os.Stderr, "listening on port %d\n", listener.Addr().(*net.TCPAddr).Port)
	g := &goServer{release: make(chan struct{})}
	panic(http.Serve(listener, g.handler(50))) //nolint:gosec // only the tests call it
}

func TestMCPGoTools(t *testing.T) {
	c := attach(t, serveGo(t, 3).url())
	for name, want := range map[string]task.Support{"quick": task.Required, "either": task.Optional, "plain": task.Forbidden} {
		if got := c.tool(name).Support; got != want {
			t.Errorf("%s: task support %v, want %v", name, got, want)
		}
	}
	if a := c.About(); a.Version != "2025-11-25" || a.List != task.CanYes || a.Cancel != task.CanYes || a.TaskCalls != task.CanYes || !a.Session {
		t.Errorf("about: %+v", a)
	}
}

func TestMCPGoEndings(t *testing.T) {
	c := attach(t, serveGo(t, 50).url())
	for _, tt := range []struct {
		tool string
		want task.Status
		says string
	}{
		{"quick", task.Completed, "quickly done"},
		{"fails", task.Failed, "upstream said no"},
		{"panics", task.Failed, "a fault of the server"},
	} {
		id := c.start(tt.tool, "{}", time.Minute).ID
		ended := c.end(id)
		if ended.Status != tt.want {
			t.Errorf("%s ended %s, want %s", tt.tool, ended.Status, tt.want)
		}
		r := c.result(id)
		said := text(&r) + ended.Message.Line()
		if r.Err != nil {
			said += r.Err.Message.Line()
		}
		if !strings.Contains(said, tt.says) {
			t.Errorf("%s: %q, want %q", tt.tool, said, tt.says)
		}
	}
	id := c.start("either", "{}", time.Minute).ID
	c.end(id)
	if r := c.result(id); !r.IsError || text(&r) != "the tool itself says no" {
		t.Errorf("either: %+v", r)
	}
	if r := c.returned("plain", "{}"); r.Result == nil || text(r.Result) != "plainly done" {
		t.Errorf("plain: %+v", r)
	}
	if r := c.returned("quick", "{}"); r.Err == nil || r.Err.Code != -32601 {
		t.Errorf("a required task, called plainly: %+v", r)
	}
}

func TestMCPGoAsks(t *testing.T) {
	c := attach(t, serveGo(t, 50).url())
	id := c.start("asks", "{}", time.Minute).ID
	c.Attend([]task.ID{id})
	p := wait(c, "the question", func(task.Prompted) bool { return true }).Prompt
	if p.Message.Line() != "Which region?" || len(p.Form.Fields) != 2 {
		t.Errorf("prompt: %+v", p)
	}
	c.accept(p, `{"region":"north","nodes":4}`)
	if got := c.end(id).Status; got != task.Completed {
		t.Errorf("ended %s", got)
	}
	if r := c.result(id); !strings.Contains(text(&r), "accept") || !strings.Contains(text(&r), "region:north") {
		t.Errorf("the answer did not arrive: %q", text(&r))
	}
	if _, err := c.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline}); err == nil {
		t.Error("a prompt was answered twice")
	}
}

// A plain call asks on the stream of its own response.
func TestMCPGoAsksPlainly(t *testing.T) {
	c := attach(t, serveGo(t, 50).url())
	call := c.call("plainly asks", "{}", false, 0)
	p := wait(c, "the question", func(task.Prompted) bool { return true }).Prompt
	if p.Call != call || p.Guessed || p.Task != "" {
		t.Errorf("prompt: %+v", p)
	}
	c.accept(p, `{"region":"south"}`)
	r := wait(c, "the result", func(e task.Returned) bool { return e.Call == call })
	if r.Result == nil || !strings.Contains(text(r.Result), "region:south") {
		t.Errorf("the answer did not arrive: %+v", r)
	}
}

func TestMCPGoCancel(t *testing.T) {
	c := attach(t, serveGo(t, 50).url())
	id := c.start("waits", "{}", time.Minute).ID
	got, err := c.Cancel(t.Context(), id)
	if err != nil || got.Status != task.Cancelled {
		t.Fatalf("%+v, %v", got, err)
	}
	var e *task.Error
	if _, err := c.Cancel(t.Context(), id); !errors.As(err, &e) || e.Kind != task.RPC || e.Code != -32602 {
		t.Errorf("cancelled again: %v", err)
	}
}

func TestMCPGoPages(t *testing.T) {
	c := attach(t, serveGo(t, 10).url())
	made := map[task.ID]bool{}
	for range 25 {
		made[c.start("quick", "{}", time.Minute).ID] = true
	}
	tasks, pages := c.sweep()
	if pages < 3 {
		t.Errorf("%d pages", pages)
	}
	for id := range made {
		if _, ok := tasks[id]; !ok {
			t.Errorf("the list lacks %s", id)
		}
	}
}

func TestMCPGoPushes(t *testing.T) {
	g := serveGo(t, 50)
	c := attach(t, g.url())
	wait(c, "the stream", func(e task.Stream) bool { return e.Up })
	id := c.start("waits", "{}", time.Minute).ID
	g.letGo()
	got := wait(c, "the push", func(e task.Changed) bool { return e.Task.ID == id && e.Task.Status == task.Completed })
	if got.How != task.Pushed {
		t.Errorf("learnt by %s", got.How)
	}
}

func TestMCPGoExpires(t *testing.T) {
	c := attach(t, serveGo(t, 50).url())
	id := c.start("quick", "{}", 300*time.Millisecond).ID
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		_, err := c.Get(t.Context(), id)
		var e *task.Error
		if errors.As(err, &e) {
			if e.Kind != task.RPC || e.Code != -32602 && e.Code != -32603 {
				t.Errorf("an expired task: %+v", e)
			}
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the task does not expire")
		}
	}
}

func stateless() []server.StreamableHTTPOption {
	return []server.StreamableHTTPOption{server.WithStateLess(true), server.WithDisableStreaming(true)}
}

// Without sessions everybody sees everybody's tasks, and nothing is pushed.
func TestMCPGoStateless(t *testing.T) {
	g := serveGo(t, 50, stateless()...)
	ours, theirs := attach(t, g.url()), attach(t, g.url())
	if never := wait(ours, "the refusal of a stream", func(e task.Stream) bool { return e.Never }); never.Up {
		t.Errorf("%+v", never)
	}
	id := theirs.start("quick", "{}", time.Minute).ID
	theirs.end(id)
	if tasks, _ := ours.sweep(); tasks[id].Status != task.Completed {
		t.Errorf("we see %+v", tasks)
	}
	if r := ours.result(id); text(&r) != "quickly done" {
		t.Errorf("%+v", r)
	}
}

// Streams that break go on where they broke.
func TestMCPGoResumes(t *testing.T) {
	g := serveGo(t, 50, server.WithStateful(true), server.WithEventStore(server.NewInMemoryEventStore()))
	c := attach(t, g.url())
	wait(c, "the stream", func(e task.Stream) bool { return e.Up })
	first := c.start("quick", "{}", time.Minute).ID
	wait(c, "a push", func(e task.Changed) bool { return e.Task.ID == first && e.Task.Status == task.Completed })
	waits := c.start("waits", "{}", time.Minute).ID
	g.CloseClientConnections()
	wait(c, "the end of the stream", func(e task.Stream) bool { return !e.Up })
	g.letGo()
	wait(c, "what was pushed meanwhile", func(e task.Changed) bool {
		return e.Task.ID == waits && e.Task.Status == task.Completed && e.How == task.Pushed
	})
}

func TestMCPGoLosesSession(t *testing.T) {
	g := serveGo(t, 50, server.WithStateful(true))
	c := attach(t, g.url())
	second := join(t, g.url(), c.Resume())
	id := c.start("quick", "{}", time.Minute).ID
	c.end(id)
	if tasks, _ := second.sweep(); tasks[id].ID != id {
		t.Errorf("a rejoined session sees %+v", tasks)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := second.Close(ctx, false); err != nil {
		t.Fatal(err)
	}
	_, err := c.Get(t.Context(), id)
	var e *task.Error
	if !errors.As(err, &e) || e.Kind != task.SessionLost {
		t.Errorf("a session that is gone: %v", err)
	}
}
