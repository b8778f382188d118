package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient"
	"callboard/model/task"
)

// Servers of the npm folder, by their files.
const (
	everything = "@modelcontextprotocol/server-everything/dist/index.js"
	simple     = "@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js"
	ssePolling = "@modelcontextprotocol/sdk/dist/esm/examples/server/ssePollingExample.js"
)

// npmServer is a server from npm as a child process.
type npmServer struct {
	url    string
	cancel context.CancelFunc
	done   chan struct{}
}

// serveNpm starts a server from npm, which ends with the test.
func serveNpm(t *testing.T, file string, args ...string) *npmServer {
	t.Helper()
	preload, err := filepath.Abs("preload.cjs")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := node(ctx, t, file, args...)
	cmd.Args = slices.Insert(cmd.Args, 1, "--unhandled-rejections=warn", "-r", preload)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &npmServer{cancel: cancel, done: make(chan struct{})}
	port := make(chan int, 1)
	go func() {
		defer close(s.done)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			var n int
			if _, err := fmt.Sscanf(lines.Text(), "listening on port %d", &n); err == nil {
				port <- n
			}
		}
		_ = cmd.Wait() // it is killed at the end
	}()
	t.Cleanup(s.stop)
	select {
	case n := <-port:
		s.url = fmt.Sprintf("http://127.0.0.1:%d/mcp", n)
	case <-s.done:
		t.Fatalf("%s ended at once", file)
	case <-time.After(patience):
		t.Fatalf("%s does not listen", file)
	}
	return s
}

// stop kills the server.
func (s *npmServer) stop() {
	s.cancel()
	<-s.done
}

func any1[E task.Event](E) bool { return true }

func TestEverythingResearch(t *testing.T) {
	c := attach(t, serveNpm(t, everything, "streamableHttp").url)
	if got := c.tool("simulate-research-query").Support; got != task.Required {
		t.Errorf("task support %v", got)
	}
	wait(c, "the stream", func(e task.Stream) bool { return e.Up })
	id := c.start("simulate-research-query", `{"topic":"python","ambiguous":true}`, time.Minute).ID
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := c.Get(t.Context(), id)
		if err != nil || now.Status.Terminal() {
			t.Fatalf("it never asked: %+v, %v", now, err)
		}
		if now.Status == task.InputRequired {
			break
		}
		<-tick.C
	}
	c.Attend([]task.ID{id})
	p := wait(c, "the question", any1[task.Prompted]).Prompt
	if p.Task != id || p.Guessed || len(p.Form.Fields) != 1 || len(p.Form.Fields[0].Choices) == 0 {
		t.Fatalf("prompt: %+v", p)
	}
	var choice string
	if err := json.Unmarshal(p.Form.Fields[0].Choices[0].Value, &choice); err != nil {
		t.Fatal(err)
	}
	c.accept(p, `{"interpretation":"`+choice+`"}`)
	if got := c.end(id).Status; got != task.Completed {
		t.Errorf("ended %s", got)
	}
	if r := c.result(id); !strings.Contains(text(&r), "python ("+choice+")") {
		t.Errorf("the answer did not arrive: %.200s", text(&r))
	}
}

func TestEverythingCancels(t *testing.T) {
	c := attach(t, serveNpm(t, everything, "streamableHttp").url)
	id := c.start("simulate-research-query", `{"topic":"x"}`, time.Minute).ID
	if got, err := c.Cancel(t.Context(), id); err != nil || got.Status != task.Cancelled {
		t.Fatalf("%+v, %v", got, err)
	}
	if tasks, _ := c.sweep(); tasks[id].Status != task.Cancelled {
		t.Errorf("the list says %+v", tasks[id])
	}
	var e *task.Error
	if _, err := c.Cancel(t.Context(), id); !errors.As(err, &e) || e.Kind != task.RPC {
		t.Errorf("cancelled again: %v", err)
	}
	if _, err := c.Get(t.Context(), "no-such-task"); !errors.As(err, &e) || e.Kind != task.RPC {
		t.Errorf("an unknown task: %v", err)
	}
}

// A plain call that asks for a field of each type.
func TestEverythingElicits(t *testing.T) {
	c := attach(t, serveNpm(t, everything, "streamableHttp").url)
	call := c.call("trigger-elicitation-request", `{}`, false, 0)
	p := wait(c, "the question", any1[task.Prompted]).Prompt
	if p.Call != call || p.Task != "" || p.Form.JSONOnly != "" || len(p.Form.Fields) < 10 {
		t.Fatalf("prompt: %+v", p)
	}
	kinds := map[task.FieldKind]bool{}
	for _, f := range p.Form.Fields {
		kinds[f.Kind] = true
	}
	if len(kinds) < 5 {
		t.Errorf("kinds of fields: %v", kinds)
	}
	if p.Form.Check == nil || len(p.Form.Check(json.RawMessage(`{"name":"Ann","integer":1000}`))) == 0 {
		t.Error("an integer above its maximum passes our check")
	}
	c.accept(p, `{"name":"Ann","check":true,"email":"ann@example.com","birthdate":"2000-02-29","integer":7,"number":1.5,`+
		`"untitledMultipleSelectEnum":["Piano","Drums"]}`)
	r := wait(c, "the result", func(e task.Returned) bool { return e.Call == call })
	if r.Result == nil || !strings.Contains(text(r.Result), "ann@example.com") || !strings.Contains(text(r.Result), "Piano") {
		t.Errorf("%+v", r)
	}
}

func TestEverythingURL(t *testing.T) {
	c := attach(t, serveNpm(t, everything, "streamableHttp").url)
	const page = "https://example.com/consent?a=1"
	call := c.call("trigger-url-elicitation", `{"url":"`+page+`","elicitationId":"e-1"}`, false, 0)
	p := wait(c, "the question", any1[task.Prompted]).Prompt
	if p.Mode != task.URLMode || p.URL != page || p.ElicitationID != "e-1" {
		t.Fatalf("prompt: %+v", p)
	}
	if _, err := c.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline}); err != nil {
		t.Fatal(err)
	}
	wait(c, "the result", func(e task.Returned) bool { return e.Call == call && e.Result != nil })
	// The same by the error that says that a page must be visited first.
	call = c.call("trigger-url-elicitation", `{"url":"`+page+`","elicitationId":"e-2","errorPath":true}`, false, 0)
	second := wait(c, "the second question", func(e task.Prompted) bool { return e.Prompt.Call == call }).Prompt
	if second.Mode != task.URLMode || second.URL != "https://modelcontextprotocol.io" {
		t.Errorf("prompt: %+v", second)
	}
	if r := wait(c, "the error", func(e task.Returned) bool { return e.Call == call }); r.Err == nil || r.Err.Code != -32042 {
		t.Errorf("%+v", r)
	}
}

func TestEverythingPages(t *testing.T) {
	c := attach(t, serveNpm(t, everything, "streamableHttp").url)
	made := map[task.ID]bool{}
	for range 12 {
		made[c.start("simulate-research-query", `{"topic":"x"}`, time.Minute).ID] = true
	}
	tasks, pages := c.sweep()
	if pages < 2 {
		t.Errorf("%d pages", pages)
	}
	for id := range made {
		if tasks[id].ID == "" {
			t.Errorf("the list lacks %s", id)
		}
	}
}

// A prompt on the GET stream that names no task, while the task is working.
func TestSimpleAsksByGET(t *testing.T) {
	c := attach(t, serveNpm(t, simple).url)
	wait(c, "the stream", func(e task.Stream) bool { return e.Up })
	id := c.start("collect-user-info-task", `{"infoType":"preferences"}`, time.Minute).ID
	p := wait(c, "the question", any1[task.Prompted]).Prompt
	if p.Task != "" && !p.Guessed {
		t.Errorf("the server ties no prompt to a task, yet this one is said to be: %+v", p)
	}
	if len(p.Form.Fields) != 2 {
		t.Fatalf("prompt: %+v", p)
	}
	c.accept(p, `{"theme":"dark","notifications":false}`)
	if got := c.end(id).Status; got != task.Completed {
		t.Errorf("ended %s", got)
	}
	if r := c.result(id); !strings.Contains(text(&r), `"theme": "dark"`) {
		t.Errorf("the answer did not arrive: %s", text(&r))
	}
}

func TestSimpleExpires(t *testing.T) {
	c := attach(t, serveNpm(t, simple).url)
	id := c.start("delay", `{"duration":50}`, 500*time.Millisecond).ID
	if got := c.end(id).Status; got != task.Completed {
		t.Errorf("ended %s", got)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		var e *task.Error
		if _, err := c.Get(t.Context(), id); errors.As(err, &e) {
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

// The server closes the stream of the call before its reply, so that the client
// comes back for it.
func TestPollingStream(t *testing.T) {
	c := attach(t, serveNpm(t, ssePolling).url)
	r := c.returned("long-task", `{}`)
	if r.Result == nil || text(r.Result) != "Long task completed successfully!" {
		t.Fatalf("%+v", r)
	}
	seen := map[string]int{}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		if l, ok := e.(task.Logged); ok {
			seen[l.Text.Line()]++
		}
	}
	for _, percent := range []string{"25%", "50%", "75%", "100%"} {
		found := 0
		for line, n := range seen {
			if strings.Contains(line, "Progress: "+percent) {
				found += n
			}
		}
		if found != 1 {
			t.Errorf("%s was logged %d times", percent, found)
		}
	}
}

// The server is killed and started again: the session is lost, and says so.
func TestServerStartsAgain(t *testing.T) {
	first := serveNpm(t, everything, "streamableHttp")
	c := attach(t, first.url)
	resume := c.Resume()
	first.stop()
	second := serveNpm(t, everything, "streamableHttp")
	if resume.Session == "" {
		t.Fatal("no session to be lost")
	}
	ep, err := mcpclient.NewEndpoint(mcpclient.Config{URL: second.url})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ep.Dial(t.Context(), resume)
	var e *task.Error
	if !errors.As(err, &e) || e.Kind != task.SessionLost {
		t.Errorf("a session of a server that started again: %v", err)
	}
}
