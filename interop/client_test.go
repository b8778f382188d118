package interop

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"callboard/mcpclient"
	"callboard/model/task"

	"go.uber.org/goleak"
)

// scratch is a folder for what all tests share.
var scratch string

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == goServerArg {
		serveGoForever()
	}
	var err error
	if scratch, err = os.MkdirTemp("", "callboard-interop-"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m,
		goleak.Cleanup(func(code int) {
			_ = os.RemoveAll(scratch)
			os.Exit(code)
		}),
		// mcp-go keeps a goroutine asleep for the ttl of each task.
		goleak.IgnoreAnyFunction("github.com/mark3labs/mcp-go/server.(*MCPServer).scheduleTaskCleanup"))
}

// patience is how long a test waits for what a server should do. It stands for
// never: on a busy machine most things take long.
const patience = time.Minute

// client is a session and all that it reported.
type client struct {
	*mcpclient.Session
	t *testing.T

	mu      sync.Mutex
	events  []task.Event
	changed chan struct{}
	calls   int
	ended   error
}

// attach begins a session that ends with the test.
func attach(t *testing.T, url string) *client { return join(t, url, task.Resume{}) }

// join rejoins a session.
func join(t *testing.T, url string, resume task.Resume) *client {
	t.Helper()
	return dial(t, mcpclient.Config{URL: url, ClientVersion: "interop"}, resume)
}

// sampling begins a session in which a person answers sampling requests, too.
func sampling(t *testing.T, url string) *client {
	t.Helper()
	return dial(t, mcpclient.Config{URL: url, ClientVersion: "interop", Sampling: true}, task.Resume{})
}

func dial(t *testing.T, config mcpclient.Config, resume task.Resume) *client {
	t.Helper()
	ep, err := mcpclient.NewEndpoint(config)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ep.Dial(t.Context(), resume)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{Session: s, t: t, changed: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			batch, err := s.Next(context.Background()) // ends with the session
			c.mu.Lock()
			c.events, c.ended = append(c.events, batch.Events...), err
			close(c.changed)
			c.changed = make(chan struct{})
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Close(ctx, false); err != nil {
			t.Errorf("close: %v", err)
		}
		<-done
		tellFrames(t, ep)
	})
	return c
}

// tellFrames logs what went over the wire last, where the test failed.
func tellFrames(t *testing.T, ep *mcpclient.Endpoint) {
	t.Helper()
	if !t.Failed() {
		return
	}
	for _, f := range ep.Frames(0, 200) {
		t.Logf("%s %d %s %s %.300s", f.At.Format("05.000"), f.Dir, f.Stream, f.Method, f.Body)
	}
}

// wait waits for the first event of type E that ok likes.
func wait[E task.Event](c *client, what string, ok func(E) bool) E {
	c.t.Helper()
	deadline := time.After(patience)
	for seen := 0; ; {
		c.mu.Lock()
		fresh, changed, ended := c.events[seen:], c.changed, c.ended
		c.mu.Unlock()
		seen += len(fresh)
		for _, each := range fresh {
			if e, is := each.(E); is && ok(e) {
				return e
			}
		}
		if ended != nil {
			c.t.Fatalf("%s: the session ended: %v", what, ended)
		}
		select {
		case <-changed:
		case <-deadline:
			c.t.Fatalf("%s: nothing came in %s", what, patience)
		}
	}
}

// call sends a tools/call.
func (c *client) call(tool, args string, asTask bool, ttl time.Duration) task.CallID {
	c.t.Helper()
	c.calls++
	id := task.CallID(strconv.Itoa(c.calls))
	if err := c.Start(c.t.Context(), task.Call{ID: id, Tool: tool, Args: json.RawMessage(args), AsTask: asTask, TTL: ttl}); err != nil {
		c.t.Fatalf("start %s: %v", tool, err)
	}
	return id
}

// start calls a tool as a task and waits for the task.
func (c *client) start(tool, args string, ttl time.Duration) task.Task {
	c.t.Helper()
	id := c.call(tool, args, true, ttl)
	return wait(c, tool, func(e task.Started) bool { return e.Call == id }).Task
}

// returned calls a tool plainly and waits for its result.
func (c *client) returned(tool, args string) task.Returned {
	c.t.Helper()
	id := c.call(tool, args, false, 0)
	return wait(c, tool, func(e task.Returned) bool { return e.Call == id })
}

// end polls until the task has ended, as callboard does where nothing is pushed.
func (c *client) end(id task.ID) task.Task {
	c.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		now, err := c.Get(c.t.Context(), id)
		if err != nil {
			c.t.Fatalf("get: %v", err)
		}
		if now.Status.Terminal() {
			return now
		}
		select {
		case <-tick.C:
		case <-deadline:
			c.t.Fatalf("the task is still %s", now.Status)
		}
	}
}

// result reads the result of a task that has ended.
func (c *client) result(id task.ID) task.Result {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	r, err := c.Result(ctx, id)
	if err != nil {
		c.t.Fatalf("result: %v", err)
	}
	return r
}

// accept answers a prompt.
func (c *client) accept(p task.Prompt, content string) {
	c.t.Helper()
	if p.Form.Check != nil {
		if problems := p.Form.Check(json.RawMessage(content)); len(problems) > 0 {
			c.t.Fatalf("our own check refuses the answer: %+v", problems)
		}
	}
	if _, err := c.Answer(c.t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(content)}); err != nil {
		c.t.Fatalf("answer: %v", err)
	}
}

// sweep reads all pages of tasks/list.
func (c *client) sweep() (tasks map[task.ID]task.Task, pages int) {
	c.t.Helper()
	tasks = map[task.ID]task.Task{}
	for from := (task.Cursor{}); ; {
		page, err := c.Page(c.t.Context(), from)
		if err != nil {
			c.t.Fatalf("list: %v", err)
		}
		pages++
		for _, each := range page.Tasks {
			tasks[each.ID] = each
		}
		if !page.Next.Set {
			return tasks, pages
		}
		from = page.Next
	}
}

// tool finds one tool.
func (c *client) tool(name string) task.Tool {
	c.t.Helper()
	tools, err := c.Tools(c.t.Context())
	if err != nil {
		c.t.Fatalf("tools: %v", err)
	}
	for _, each := range tools {
		if each.Name == name {
			return each
		}
	}
	c.t.Fatalf("there is no tool %s", name)
	return task.Tool{}
}

// text joins the text of a result.
func text(r *task.Result) (all string) {
	for _, c := range r.Content {
		all += c.Text
	}
	return all
}
