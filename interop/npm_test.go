package interop

import (
	"context"
	"encoding/json"
	"errors"
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

// serveNpm starts a server from npm, which ends with the test.
func serveNpm(t *testing.T, file string, args ...string) *child {
	t.Helper()
	return serveNpmAt(t, 0, file, args...)
}

// serveNpmAt starts it on that port, 0 for a free one.
func serveNpmAt(t *testing.T, port int, file string, args ...string) *child {
	t.Helper()
	preload, err := filepath.Abs("preload.cjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := node(context.Background(), t, file, args...)
	cmd.Args = slices.Insert(cmd.Args, 1, "--unhandled-rejections=warn", "-r", preload)
	return serveChild(t, port, cmd)
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
