package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// TestMainPath goes the whole way: attach, start, be asked, answer, read.
func TestMainPath(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, asking("deploy", nameForm), mcptest.WithInfo("srv", "The Server", "1.2"))
		if up := any1[task.Stream](r); !up.Up || up.Gap {
			t.Errorf("the stream: %+v", up)
		}
		a := r.s.About()
		if a.Version != "2025-11-25" || a.Name.String() != "The Server" || a.List != task.CanYes || a.Cancel != task.CanYes ||
			a.TaskCalls != task.CanYes || a.Tools != task.CanYes || !a.Session || a.Joined {
			t.Errorf("About: %+v", a)
		}
		r.call(task.Call{ID: "c1", Tool: "deploy", Args: json.RawMessage(`{"to":"prod"}`), AsTask: true, TTL: time.Minute})
		started := any1[task.Started](r)
		if started.Call != "c1" || started.Task.TTL != time.Minute {
			t.Errorf("Started: %+v", started)
		}
		id := started.Task.ID
		r.s.Attend([]task.ID{id})
		p := any1[task.Prompted](r).Prompt
		if p.Task != id || p.Guessed || p.Message.String() != "Who?" || len(p.Form.Fields) != 1 {
			t.Errorf("Prompt: %+v", p)
		}
		got, err := r.s.Get(t.Context(), id)
		if err != nil || got.Status != task.InputRequired {
			t.Errorf("Get: %+v, %v", got, err)
		}
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{"name":"Ann"}`)}); err != nil {
			t.Fatal(err)
		}
		wait1(r, func(c task.Changed) bool { return c.Task.ID == id && c.Task.Status == task.Completed })
		res, err := r.s.Result(t.Context(), id)
		if err != nil || len(res.Content) != 1 || res.Content[0].Text != `accept {"name":"Ann"}` {
			t.Errorf("Result: %+v, %v", res, err)
		}
		if n := r.count("tasks/result"); n != 1 {
			t.Errorf("%d tasks/result were sent, the one that was held had the result", n)
		}
		r.close(false)
		assertWire(t, r, id)
	})
}

// assertWire looks at what the server received in TestMainPath.
func assertWire(t *testing.T, r *rig, id task.ID) {
	t.Helper()
	var order []string
	for _, q := range r.srv.Requests() {
		order = append(order, q.Method)
		switch q.Kind {
		case mcptest.KindResponse:
			var answer struct {
				Meta map[string]struct{ TaskID string } `json:"_meta"`
			}
			if err := json.Unmarshal(q.Params, &answer); err != nil || answer.Meta[metaRelated].TaskID != string(id) {
				t.Errorf("the answer %s does not name its task: %v", q.Params, err)
			}
		case mcptest.KindRequest:
			if strings.HasPrefix(q.Method, "tasks/") && strings.Contains(string(q.Params), metaRelated) {
				t.Errorf("%s carries a related task: %s", q.Method, q.Params)
			}
			if !strings.HasPrefix(string(q.ID), `"`+unique.prefix) {
				t.Errorf("the id %s lacks the prefix of this process", q.ID)
			}
		case mcptest.KindNotification, mcptest.KindStream, mcptest.KindDelete:
		}
		if q.Method == "initialize" {
			want := `{"capabilities":{"elicitation":{"form":{},"url":{}},"tasks":{"cancel":{},"list":{},` +
				`"requests":{"elicitation":{"create":{}}}}},"clientInfo":{"name":"callboard",`
			if !strings.HasPrefix(string(q.Params), want) || !strings.HasSuffix(string(q.Params), `"protocolVersion":"2025-11-25"}`) {
				t.Errorf("initialize says %s", q.Params)
			}
			continue
		}
		if q.Header.Get("MCP-Protocol-Version") != "2025-11-25" || q.Session == "" {
			t.Errorf("%q lacks the headers of its session", q.Method)
		}
	}
	got := strings.Join(order, " ")
	want := "initialize notifications/initialized GET tools/call tasks/result tasks/get  DELETE"
	if got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

func TestKeptSessionIsRejoined(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, sleeping())
		r.start("work")
		id := any1[task.Started](r).Task.ID
		resume := r.s.Resume()
		r.close(true)
		if n := r.count("DELETE"); n != 0 {
			t.Fatal("a session that is kept was deleted")
		}
		r.dial(resume)
		if a := r.s.About(); a.Cancel != task.CanYes || a.Name.IsZero() {
			t.Errorf("what was known of the session is forgotten: %+v", a)
		}
		if n := r.count("initialize"); n != 1 {
			t.Errorf("%d times initialised", n)
		}
		if got, err := r.s.Get(t.Context(), id); err != nil || got.Status != task.Working {
			t.Errorf("Get: %+v, %v", got, err)
		}
	})
}

func TestJoinedSessionLearns(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithCapabilities(mcptest.Capabilities{TasksList: true, TasksCall: true}))
		resume := task.Resume{Session: r.s.Resume().Session, Joined: true}
		other, err := NewEndpoint(Config{URL: mcptest.MemoryURL, RoundTripper: r.srv.Transport()})
		if err != nil {
			t.Fatal(err)
		}
		s, err := other.Dial(t.Context(), resume)
		if err != nil {
			t.Fatal(err)
		}
		if a := s.About(); !a.Joined || a.List != task.CanYes || a.Cancel != task.CanUnknown || a.Tools != task.CanUnknown {
			t.Errorf("About: %+v", a)
		}
		if _, err := s.Tools(t.Context()); err == nil {
			t.Error("a server without tools lists some")
		} else {
			kind(t, err, task.Unsupported)
		}
		if a := s.About(); a.Tools != task.CanNo {
			t.Errorf("nothing was learnt: %+v", a)
		}
		if err := s.Close(t.Context(), false); err != nil {
			t.Error(err)
		}
		if n := r.count("DELETE"); n != 0 {
			t.Error("another program's session was deleted")
		}
	})
}

func TestReadOnly(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{ReadOnly: true}, sleeping())
		r.dial(task.Resume{})
		any1[task.Stream](r)
		if init := r.srv.Requests("initialize"); strings.Contains(string(init[0].Params), "elicitation") {
			t.Errorf("read-only declares %s", init[0].Params)
		}
		id := task.ID(r.srv.AddTask(mcptest.Task{Session: r.srv.Sessions()[0]}))
		_, err := r.s.Cancel(t.Context(), id)
		kind(t, err, task.Unsupported)
		_, err = r.s.Answer(t.Context(), task.Reply{})
		kind(t, err, task.Unsupported)
		kind(t, r.s.Start(t.Context(), task.Call{ID: "c", Tool: "work"}), task.Unsupported)
		kind(t, r.s.Abandon(t.Context(), "c"), task.Unsupported)
		r.s.Attend([]task.ID{id})
		if p, err := r.s.Page(t.Context(), task.Cursor{}); err != nil || len(p.Tasks) != 1 {
			t.Errorf("Page: %+v, %v", p, err)
		}
		r.srv.Intercept(mcptest.Interception{Method: "tasks/get", Hang: true})
		_, err = r.s.Get(t.Context(), id)
		kind(t, err, task.Timeout)
		_ = r.count("") // what is on its way arrives
		r.close(false)
		for _, q := range r.srv.Requests() {
			switch q.Method {
			case "initialize", "notifications/initialized", "GET", "DELETE", "tasks/list", "tasks/get":
			default:
				t.Errorf("read-only sent %q", q.Method)
			}
		}
	})
}

func TestReadOnlyLooksOnSilently(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, asking("deploy", nameForm), mcptest.WithFaults(mcptest.Faults{Noise: true, Replies: mcptest.ReplySSE}))
		any1[task.Stream](r)
		resume := r.s.Resume()
		resume.Joined = true
		ro, err := NewEndpoint(Config{URL: mcptest.MemoryURL, RoundTripper: r.srv.Transport(), ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		before := r.count("GET")
		s, err := ro.Dial(t.Context(), resume)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Page(t.Context(), task.Cursor{}); err != nil {
			t.Error(err)
		}
		if n := r.count("GET"); n != before {
			t.Error("the stream of another program's session was opened")
		}
		if err := s.Close(t.Context(), false); err != nil {
			t.Error(err)
		}
	})
}

func TestSessionLost(t *testing.T) {
	for name, change := range map[string]func(*mcptest.Faults){
		"404":             func(f *mcptest.Faults) { f.Loss = mcptest.Loss404 },
		"400 and a text":  func(f *mcptest.Faults) { f.Loss = mcptest.Loss400 },
		"JSON-RPC, alone": nil,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, asking("deploy", nameForm))
				r.start("deploy")
				id := any1[task.Started](r).Task.ID
				r.s.Attend([]task.ID{id})
				p := any1[task.Prompted](r).Prompt
				if change != nil {
					r.srv.Fault(change)
					r.srv.LoseSessions()
				} else {
					r.srv.Intercept(mcptest.Interception{Method: "tasks/get", Err: &mcptest.Error{Code: -32000, Message: "Session not found"}})
				}
				_, err := r.s.Get(t.Context(), id)
				kind(t, err, task.SessionLost)
				if end := r.ending(); end.Kind != task.SessionLost {
					t.Errorf("Next ends with %v", end)
				}
				gone := false
				for _, e := range r.left {
					if w, ok := e.(task.Withdrawn); ok && w.Prompt == p.ID {
						gone = true
					}
				}
				if !gone {
					t.Error("the prompt of a lost session still waits")
				}
				_, err = r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline})
				kind(t, err, task.SessionLost)
			})
		})
	}
}

// TestTaskErrorIsNoLostSession: an error of the request may come with 404.
func TestTaskErrorIsNoLostSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithFaults(mcptest.Faults{ErrorStatus: 404}))
		_, err := r.s.Get(t.Context(), "nobody")
		if te := failure(t, err, task.RPC); te.Code != -32602 {
			t.Errorf("code %d", te.Code)
		}
		if _, err := r.s.Page(t.Context(), task.Cursor{}); err != nil {
			t.Errorf("the session was given up: %v", err)
		}
	})
}

func TestTimeoutIsCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		r.srv.Intercept(mcptest.Interception{Method: "tasks/list", Hang: true})
		begun := time.Now()
		_, err := r.s.Page(t.Context(), task.Cursor{})
		kind(t, err, task.Timeout)
		if d := time.Since(begun); d < 29*time.Second || d > 31*time.Second {
			t.Errorf("given up after %v", d)
		}
		if n := r.count("notifications/cancelled"); n != 1 {
			t.Errorf("%d notifications/cancelled", n)
		}
	})
}

func TestInitializeIsNeverCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{})
		r.srv.Intercept(mcptest.Interception{Method: "initialize", Hang: true})
		_, err := r.ep.Dial(t.Context(), task.Resume{})
		te := failure(t, err, task.Timeout)
		if !strings.Contains(te.Error(), "initialize to http://127.0.0.1/mcp") {
			t.Errorf("the error does not say what was tried: %v", te)
		}
		if n := r.count("notifications/cancelled"); n != 0 {
			t.Error("initialize was cancelled")
		}
	})
}

func TestBusy(t *testing.T) {
	for _, status := range []int{429, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t)
				r.srv.Intercept(mcptest.HTTPError("tasks/list", 1, status, 7*time.Second))
				_, err := r.s.Page(t.Context(), task.Cursor{})
				if te := failure(t, err, task.Busy); te.RetryAfter != 7*time.Second || te.Status != status {
					t.Errorf("%+v", te)
				}
			})
		})
	}
}

// TestReadIsRepeated: a read whose connection broke before its reply is sent
// once more, and nothing else is.
func TestReadIsRepeated(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithEventStore(0), sleeping())
		any1[task.Stream](r)
		r.srv.Intercept(mcptest.Interception{Method: "tasks/list", DropReply: true})
		if _, err := r.s.Page(t.Context(), task.Cursor{}); err != nil {
			t.Errorf("Page: %v", err)
		}
		r.srv.Intercept(mcptest.Interception{Method: "tools/call", DropReply: true})
		r.start("work")
		if ret := any1[task.Returned](r); ret.Err == nil || ret.Err.Kind != task.Lost {
			t.Errorf("Returned: %+v", ret)
		}
		if n := r.count("tools/call"); n != 1 {
			t.Errorf("the call was sent %d times", n)
		}
	})
}
