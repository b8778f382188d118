package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var nameForm = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)

// asker asks for a name and says how that went.
func asker(support Support) Tool {
	return Tool{Name: "asker", TaskSupport: support, Run: func(_ context.Context, c *Call) Outcome {
		c.Status("warming up")
		reply, err := c.Elicit(Elicitation{Message: "Who are you?", Schema: nameForm})
		if err != nil {
			return ToolError(err.Error())
		}
		return Answered(reply.Action + " " + string(reply.Content))
	}}
}

func related(t *testing.T, m msg) string {
	t.Helper()
	var p struct {
		Meta map[string]struct{ TaskID string } `json:"_meta"`
	}
	m.bind(t, &p)
	return p.Meta[metaRelated].TaskID
}

func (s *Server) waitStatus(t *testing.T, id string, want Status) {
	t.Helper()
	if err := s.WaitUntil(within(t), func() bool { task, _ := s.Task(id); return task.Status == want }); err != nil {
		task, _ := s.Task(id)
		t.Fatalf("task is %s, not %s", task.Status, want)
	}
}

func TestPromptComesOnTheResultStream(t *testing.T) {
	s, c := serve(t, WithTools(asker(Required)))
	get := c.get()
	id := c.start("asker", "").TaskID
	s.waitStatus(t, id, InputRequired)
	if w, _ := c.task(id); w.StatusMessage != "Who are you?" {
		t.Errorf("asks as %+v", w)
	}
	st, _ := c.post("tasks/result", idParams(id))
	m := st.until("elicitation/create")
	if related(t, m) != id {
		t.Errorf("related task of %s", m.Raw)
	}
	st.close()
	again, _ := c.post("tasks/result", idParams(id))
	if m2 := again.until("elicitation/create"); string(m2.ID) != string(m.ID) {
		t.Errorf("asked again as %s, first as %s", m2.ID, m.ID)
	}
	c.answer(m, `{"action":"accept","content":{"name":"Ann"}}`)
	if res := again.until(""); !strings.Contains(string(res.Result), `accept {\"name\":\"Ann\"}`) {
		t.Errorf("result %s", res.Result)
	}
	var seen []string
	for len(seen) < 4 {
		var w wireTask
		get.until("notifications/tasks/status").bind(t, &w)
		seen = append(seen, string(w.Status)+" "+w.StatusMessage)
	}
	want := "working warming up,input_required Who are you?,working warming up,completed "
	if got := strings.Join(seen, ","); got != want {
		t.Errorf("saw %q, want %q", got, want)
	}
	c.answer(m, `{"action":"accept"}`) // late: accepted and ignored
}

func TestPromptRoutes(t *testing.T) {
	t.Run("GET while working without related task", func(t *testing.T) {
		s, c := serve(t, WithTools(asker(Required)), WithPromptRoute(ByGET), WithFaults(Faults{AskWorking: true, NoRelatedTask: true}))
		id := c.start("asker", "").TaskID
		if err := s.WaitUntil(within(t), func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.asking) == 1 }); err != nil {
			t.Fatal(err)
		}
		m := c.get().until("elicitation/create")
		if related(t, m) != "" {
			t.Errorf("related task in %s", m.Raw)
		}
		if w, _ := c.task(id); w.Status != Working {
			t.Errorf("asks while %s", w.Status)
		}
		c.answer(m, `{"action":"decline"}`)
		s.waitStatus(t, id, Completed)
	})
	t.Run("POST of a plain call", func(t *testing.T) {
		_, c := serve(t, WithTools(asker(Optional)))
		st, _ := c.post("tools/call", `{"name":"asker"}`)
		m := st.until("elicitation/create")
		c.answer(m, `{"action":"cancel"}`)
		if res := st.until(""); !strings.Contains(string(res.Result), "cancel") {
			t.Errorf("result %s", res.Result)
		}
	})
	t.Run("GET where the POST can carry nothing", func(t *testing.T) {
		s, c := serve(t, WithTools(asker(Optional)))
		get := c.get()
		s.Fault(func(f *Faults) { f.Replies = ReplyJSON })
		done := make(chan msg)
		go func() { done <- c.call("tools/call", `{"name":"asker"}`) }()
		m := get.until("elicitation/create")
		c.answer(m, `{"action":"cancel"}`)
		<-done
	})
	t.Run("late headers", func(t *testing.T) {
		s, c := serve(t, WithTools(asker(Required)), WithPromptRoute(ByGET), WithFaults(Faults{LateHeaders: true}))
		get := c.get()
		id := c.start("asker", "").TaskID
		done := make(chan *openStream)
		go func() { st, _ := c.post("tasks/result", idParams(id)); done <- st }()
		m := get.until("elicitation/create")
		if err := s.WaitFor(within(t), "tasks/result", 1); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
			t.Error("headers before the end")
		default:
		}
		res := c.do(context.Background(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept"}}`, m.ID))
		_ = res.Body.Close()
		if st := <-done; st.res.Header.Get("Content-Type") != typeJSON {
			t.Error("a late reply is SSE")
		}
	})
}

func TestRefuseResult(t *testing.T) {
	s, c := serve(t, WithFaults(Faults{RefuseResult: true}))
	id := s.AddTask(Task{})
	if m := c.call("tasks/result", idParams(id)); m.Error == nil || m.Error.Message != "no result stored" {
		t.Errorf("%+v", m.Error)
	}
	s.Finish(id, Answered("x"))
	if m := c.call("tasks/result", idParams(id)); m.Error != nil {
		t.Error(m.Error)
	}
}

func TestPromptsOnce(t *testing.T) {
	s, c := serve(t, WithTools(asker(Required)), WithFaults(Faults{PromptsOnce: true}))
	id := c.start("asker", "").TaskID
	s.waitStatus(t, id, InputRequired)
	first, _ := c.post("tasks/result", idParams(id))
	first.until("elicitation/create")
	second, _ := c.post("tasks/result", idParams(id))
	s.Finish(id, Answered("never mind"))
	if m := second.must(); m.Method != "notifications/cancelled" && m.Method != "" {
		t.Errorf("handed out twice: %s", m.Raw)
	}
	if m := first.must(); m.Method != "notifications/cancelled" {
		t.Errorf("withdrawn by %s", m.Raw)
	}
}

func TestPromptIsGivenUp(t *testing.T) {
	for _, silently := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			_, c := memory(t, WithTools(asker(Required)), WithFaults(Faults{AskPatience: time.Minute, AskSilently: silently}))
			id := c.start("asker", "").TaskID
			synctest.Wait()
			st, _ := c.post("tasks/result", idParams(id))
			m := st.until("elicitation/create")
			began := time.Now()
			next := st.must()
			if d := time.Since(began); d != time.Minute {
				t.Errorf("given up after %v", d)
			}
			var p struct{ RequestID json.RawMessage }
			if next.Method != "" {
				next.bind(t, &p)
			}
			if told := string(p.RequestID) == string(m.ID); told == silently {
				t.Errorf("silently %v: %s", silently, next.Raw)
			}
			if !silently {
				next = st.must()
			}
			if !strings.Contains(string(next.Result), ErrUnanswered.Error()) {
				t.Errorf("result %s", next.Result)
			}
		})
	}
}

func TestEndWithdrawsThePrompt(t *testing.T) {
	s, c := serve(t, WithTools(asker(Required)))
	id := c.start("asker", "").TaskID
	s.waitStatus(t, id, InputRequired)
	st, _ := c.post("tasks/result", idParams(id))
	st.until("elicitation/create")
	c.call("tasks/cancel", idParams(id))
	if m := st.must(); m.Method != "notifications/cancelled" {
		t.Errorf("after cancel: %s", m.Raw)
	}
	if m := st.must(); m.Error == nil {
		t.Errorf("result %s", m.Raw)
	}
}

func TestAskOnBehalfOfAnAddedTask(t *testing.T) {
	s, a := serve(t, WithSharedTasks())
	b := dial(t, s.URL(), &http.Transport{})
	id := s.AddTask(Task{})
	type result struct {
		reply Reply
		err   error
	}
	done := make(chan result, 1)
	ask := func(e Elicitation) {
		go func() {
			reply, err := s.Ask(within(t), id, e)
			done <- result{reply, err}
		}()
		s.waitStatus(t, id, InputRequired)
	}
	ask(Elicitation{Message: "See", URL: "https://example.com/x"})
	sa, _ := a.post("tasks/result", idParams(id))
	sb, _ := b.post("tasks/result", idParams(id))
	m := sa.until("elicitation/create")
	if sb.until("elicitation/create"); !strings.Contains(string(m.Params), `"elicitationId"`) {
		t.Errorf("url prompt %s", m.Params)
	}
	a.answer(m, `{"action":"accept"}`)
	if r := <-done; r.err != nil || !r.reply.Accepted() {
		t.Errorf("%+v", r)
	}
	if m := sb.must(); m.Method != "notifications/cancelled" || !strings.Contains(string(m.Params), "elsewhere") {
		t.Errorf("the other session got %s", m.Raw)
	}
	ask(Elicitation{Message: "And?"})
	m = sb.until("elicitation/create")
	if status := b.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"user rejected"}}`, m.ID)); status != http.StatusAccepted {
		t.Errorf("error answer: %d", status)
	}
	var rpc *Error
	if r := <-done; !errors.As(r.err, &rpc) || rpc.Code != -1 {
		t.Errorf("%+v", r)
	}
	ask(Elicitation{Message: "Still there?"})
	s.RemoveTask(id)
	if r := <-done; !errors.Is(r.err, ErrWithdrawn) {
		t.Errorf("%+v", r)
	}
	if _, err := s.Ask(within(t), id, Elicitation{}); !errors.Is(err, ErrNoTask) {
		t.Errorf("%v", err)
	}
}

func TestClientsWithoutElicitationAreNotAsked(t *testing.T) {
	s, _ := serve(t, WithTools(asker(Required)))
	c := raw(t, s.URL(), &http.Transport{})
	c.initialize(`{}`)
	if m := c.call("tasks/result", idParams(c.start("asker", "").TaskID)); !strings.Contains(string(m.Result), ErrCannotAsk.Error()) {
		t.Errorf("result %s", m.Result)
	}
}

func TestURLRequiredAndComplete(t *testing.T) {
	s, c := serve(t, WithTools(Tool{Name: "t", Run: func(context.Context, *Call) Outcome {
		return URLRequired("Sign in first", Elicitation{Message: "Sign in", URL: "https://example.com/in", ID: "e1"})
	}}))
	get := c.get()
	m := c.call("tools/call", `{"name":"t"}`)
	raw, err := json.Marshal(m.Error)
	if err != nil || m.Error.Code != CodeURLRequired || !strings.Contains(string(raw), `"elicitationId":"e1"`) {
		t.Errorf("%s", raw)
	}
	s.CompleteElicitation("", "e1")
	if m := get.until("notifications/elicitation/complete"); !strings.Contains(string(m.Params), "e1") {
		t.Errorf("%s", m.Raw)
	}
}

func TestClientCancelsARequest(t *testing.T) {
	tool, _ := gate(Optional)
	stopped := make(chan struct{})
	inner := tool.Run
	tool.Run = func(ctx context.Context, c *Call) Outcome {
		defer close(stopped)
		c.Log("info", "gate", "running")
		return inner(ctx, c)
	}
	s, c := serve(t, WithTools(tool))
	st, id := c.post("tools/call", `{"name":"gate"}`)
	st.until("notifications/message")
	c.notify("notifications/cancelled", `{"requestId":`+id+`}`)
	<-stopped
	if m, err := st.next(); err == nil {
		t.Errorf("a cancelled call answered %s", m.Raw)
	}
	task := s.AddTask(Task{})
	st, id = c.post("tasks/result", idParams(task))
	c.notify("notifications/cancelled", `{"requestId":`+id+`}`)
	if m, err := st.next(); err == nil {
		t.Errorf("a cancelled tasks/result answered %s", m.Raw)
	}
	if w, _ := c.task(task); w.Status != Working {
		t.Errorf("cancelling the request moved the task to %s", w.Status)
	}
}

func TestProgressFollowsTheTask(t *testing.T) {
	step := make(chan struct{})
	s, c := serve(t, WithTools(Tool{Name: "t", TaskSupport: Required, Immediate: "on it", Run: func(_ context.Context, c *Call) Outcome {
		for n := 1.0; n <= 2; n++ {
			<-step
			c.Progress(n, 2, "step")
		}
		<-step
		c.Log("debug", "", "quiet")
		c.Log("error", "", "loud")
		<-step
		return Answered()
	}}))
	get := c.get()
	m := c.call("tools/call", `{"name":"t","task":{"ttl":5000},"_meta":{"progressToken":"p1"}}`)
	var res struct {
		Task wireTask
		Meta map[string]string `json:"_meta"`
	}
	m.bind(t, &res)
	if res.Meta["io.modelcontextprotocol/model-immediate-response"] != "on it" || *res.Task.TTL != 5000 {
		t.Errorf("created %s", m.Result)
	}
	step <- struct{}{}
	if m := get.until("notifications/progress"); !strings.Contains(string(m.Params), `"p1"`) {
		t.Errorf("progress %s", m.Params)
	}
	st, _ := c.post("tasks/result", idParams(res.Task.TaskID))
	step <- struct{}{}
	st.until("notifications/progress")
	if m := c.call("logging/setLevel", `{"level":"warning"}`); m.Error != nil {
		t.Error(m.Error)
	}
	if m := c.call("logging/setLevel", `{"level":"loud"}`); m.Error == nil {
		t.Error("an unknown level is taken")
	}
	step <- struct{}{}
	if m := st.until("notifications/message"); !strings.Contains(string(m.Params), "loud") {
		t.Errorf("log %s", m.Params)
	}
	step <- struct{}{}
	st.until("")
	if got := len(s.Requests("tools/call")); got != 1 {
		t.Errorf("%d calls recorded", got)
	}
}

func TestToolsChangeAndPage(t *testing.T) {
	s, c := serve(t, WithToolPageSize(2), WithTools(Tool{Name: "a"}, Tool{Name: "b"}, Tool{Name: "c"}))
	var p struct {
		Tools      []struct{ Name string }
		NextCursor string
	}
	c.call("tools/list", "").bind(t, &p)
	if len(p.Tools) != 2 || p.NextCursor == "" {
		t.Fatalf("first page %+v", p)
	}
	c.call("tools/list", fmt.Sprintf(`{"cursor":%q}`, p.NextCursor)).bind(t, &p)
	if len(p.Tools) != 1 || p.Tools[0].Name != "c" {
		t.Errorf("second page %+v", p)
	}
	get := c.get()
	s.SetTools(Tool{Name: "z"})
	get.until("notifications/tools/list_changed")
	if m := c.call("tools/call", `{"name":"z"}`); m.Error != nil {
		t.Error(m.Error)
	}
}

// A question that moves no task is news to those who wait, too.
func TestWaitUntilSeesAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(WithPromptRoute(ByGET), WithFaults(Faults{AskWorking: true}))
		defer func() { _ = s.Close() }()
		s.Launch(Tool{Name: "quiet", Run: func(_ context.Context, c *Call) Outcome {
			c.Sleep(time.Second) // all else has been told by then
			_, _ = c.Elicit(Elicitation{Message: "Who are you?", Schema: nameForm})
			return Answered("")
		}}, Task{}, nil)
		if err := s.WaitUntil(within(t), func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.asking) == 1 }); err != nil {
			t.Fatal(err)
		}
	})
}
