package mcptest

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// gate is a tool that works until the test lets it end.
func gate(support Support) (Tool, chan Outcome) {
	end := make(chan Outcome)
	return Tool{Name: "gate", TaskSupport: support, Run: func(ctx context.Context, _ *Call) Outcome {
		select {
		case o := <-end:
			return o
		case <-ctx.Done():
			return Answered("stopped")
		}
	}}, end
}

func TestTaskRunsAndResultBlocks(t *testing.T) {
	tool, end := gate(Required)
	s, c := serve(t, WithTools(tool))
	task := c.start("gate", "")
	if task.Status != Working || task.TaskID == "" || task.TTL == nil || *task.TTL != 600_000 || *task.PollInterval != 1000 {
		t.Fatalf("born as %+v", task)
	}
	st, _ := c.post("tasks/result", idParams(task.TaskID))
	if got := st.res.Header.Get("Content-Type"); got != typeSSE {
		t.Fatalf("tasks/result of a live task is %q", got)
	}
	get := c.get()
	end <- Outcome{Content: []Content{Text("done")}, Structured: map[string]any{"n": 1}, Message: "all well"}
	var res struct {
		Content []Content
		Meta    map[string]map[string]string `json:"_meta"`
	}
	st.until("").bind(t, &res)
	if res.Content[0]["text"] != "done" || res.Meta[metaRelated]["taskId"] != task.TaskID {
		t.Errorf("result %+v", res)
	}
	var pushed wireTask
	get.until("notifications/tasks/status").bind(t, &pushed)
	if pushed.Status != Completed || pushed.StatusMessage != "all well" {
		t.Errorf("pushed %+v", pushed)
	}
	if w, _ := c.task(task.TaskID); w.Status != Completed {
		t.Errorf("got %+v", w)
	}
	if m := c.call("tasks/result", idParams(task.TaskID)); m.Error != nil {
		t.Errorf("second result: %v", m.Error)
	}
	if s.Count("tasks/result") != 2 || len(s.Requests("tasks/result")) != 2 {
		t.Errorf("recorded %d", s.Count("tasks/result"))
	}
}

func TestFailureIsAnErrorOrIsError(t *testing.T) {
	tools := []Tool{
		{Name: "refused", TaskSupport: Optional, Run: func(context.Context, *Call) Outcome { return Refused(-32050, "no disk", map[string]any{"free": 0}) }},
		{Name: "failed", TaskSupport: Optional, Run: func(context.Context, *Call) Outcome { return ToolError("no luck") }},
		{Name: "panics", TaskSupport: Optional, Run: func(context.Context, *Call) Outcome { panic("x") }},
	}
	s, c := serve(t, WithTools(tools...))
	for _, tool := range tools {
		id := c.start(tool.Name, "").TaskID
		m := c.call("tasks/result", idParams(id))
		if (m.Error != nil) != (tool.Name != "failed") {
			t.Errorf("%s: %+v", tool.Name, m.Error)
		}
		if w, _ := c.task(id); w.Status != Failed || w.StatusMessage == "" {
			t.Errorf("%s: %+v", tool.Name, w)
		}
		if m := c.call("tools/call", fmt.Sprintf(`{"name":%q}`, tool.Name)); (m.Error != nil) != (tool.Name != "failed") {
			t.Errorf("plain %s: %+v", tool.Name, m.Error)
		}
	}
	s.Fault(func(f *Faults) { f.ErrorDone = true })
	id := c.start("failed", "").TaskID
	c.call("tasks/result", idParams(id))
	if w, _ := c.task(id); w.Status != Completed {
		t.Errorf("with ErrorDone: %+v", w)
	}
}

func TestTaskSupportIsHeld(t *testing.T) {
	var tools []Tool
	for _, sup := range []Support{Required, Optional, Forbidden, ""} {
		tools = append(tools, Tool{Name: "t-" + string(sup), TaskSupport: sup})
	}
	_, c := serve(t, WithTools(tools...))
	for _, tc := range []struct {
		name, task string
		code       int
	}{
		{"t-required", "", CodeNoMethod}, {"t-required", `,"task":{}`, 0},
		{"t-optional", "", 0}, {"t-optional", `,"task":{}`, 0},
		{"t-forbidden", "", 0}, {"t-forbidden", `,"task":{}`, CodeNoMethod},
		{"t-", "", 0}, {"t-", `,"task":{}`, CodeNoMethod},
		{"unknown", "", CodeInvalidParams},
	} {
		m := c.call("tools/call", fmt.Sprintf(`{"name":%q%s}`, tc.name, tc.task))
		code := 0
		if m.Error != nil {
			code = m.Error.Code
		}
		if code != tc.code {
			t.Errorf("%s with %q: code %d, want %d", tc.name, tc.task, code, tc.code)
		}
	}
}

func TestWithoutTheCapabilityTaskIsIgnored(t *testing.T) {
	caps := Capabilities{Tools: true}
	s, c := serve(t, WithCapabilities(caps), WithTools(Tool{Name: "t", TaskSupport: Required}))
	if m := c.call("tools/call", `{"name":"t","task":{}}`); m.Error != nil {
		t.Fatal(m.Error)
	}
	for _, method := range []string{"tasks/list", "tasks/get", "tasks/cancel", "tasks/result"} {
		if m := c.call(method, `{"taskId":"x"}`); m.Error == nil || m.Error.Code != CodeNoMethod {
			t.Errorf("%s: %+v", method, m.Error)
		}
	}
	s.Fault(func(f *Faults) { f.ServeUndeclared = true })
	if m := c.call("tasks/list", ""); m.Error != nil {
		t.Errorf("undeclared but served: %v", m.Error)
	}
}

func TestCancel(t *testing.T) {
	tool, _ := gate(Required)
	s, c := serve(t, WithTools(tool))
	id := c.start("gate", "").TaskID
	st, _ := c.post("tasks/result", idParams(id))
	var w wireTask
	c.call("tasks/cancel", idParams(id)).bind(t, &w)
	if w.Status != Cancelled {
		t.Errorf("cancelled as %+v", w)
	}
	if m := st.until(""); m.Error == nil || m.Error.Code != CodeInternal {
		t.Errorf("result of a cancelled task: %+v", m)
	}
	if m := c.call("tasks/cancel", idParams(id)); m.Error == nil || m.Error.Code != CodeInvalidParams {
		t.Errorf("second cancel: %+v", m.Error)
	}
	s.Fault(func(f *Faults) { f.DropCancelled = true })
	id = c.start("gate", "").TaskID
	c.call("tasks/cancel", idParams(id))
	if _, err := c.task(id); err == nil || err.Code != CodeInvalidParams {
		t.Errorf("dropped after cancel: %v", err)
	}
}

func TestFlipTerminal(t *testing.T) {
	tool, end := gate(Required)
	s, c := serve(t, WithTools(tool), WithFaults(Faults{FlipTerminal: true}))
	id := c.start("gate", "").TaskID
	c.call("tasks/cancel", idParams(id))
	end <- Answered("late")
	if err := s.WaitUntil(within(t), func() bool { task, _ := s.Task(id); return task.Status == Completed }); err != nil {
		t.Fatal(err)
	}
	if m := c.call("tasks/cancel", idParams(id)); m.Error != nil {
		t.Error(m.Error)
	}
}

func TestTTLIsCappedAndExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool, _ := gate(Required)
		s, c := memory(t, WithTools(tool), WithTTL(time.Minute, time.Hour))
		id := c.start("gate", "").TaskID
		m := c.call("tools/call", `{"name":"gate","task":{"ttl":99999999999}}`)
		var res struct{ Task wireTask }
		m.bind(t, &res)
		if *res.Task.TTL != time.Hour.Milliseconds() {
			t.Errorf("ttl %d", *res.Task.TTL)
		}
		st, _ := c.post("tasks/result", idParams(id))
		began := time.Now()
		if m := st.until(""); m.Error == nil || m.Error.Code != CodeInvalidParams {
			t.Errorf("result of an expired task: %+v", m)
		}
		if d := time.Since(began); d != time.Minute {
			t.Errorf("expired after %v", d)
		}
		if _, err := c.task(id); err == nil || err.Code != CodeInvalidParams {
			t.Errorf("expired task: %v", err)
		}
		time.Sleep(time.Hour) // virtual
		synctest.Wait()
		if n := len(s.Tasks()); n != 0 {
			t.Errorf("%d tasks left", n)
		}
		forever := s.AddTask(Task{TTL: Unlimited})
		time.Sleep(1000 * time.Hour)
		if w, err := c.task(forever); err != nil || w.TTL != nil {
			t.Errorf("unlimited task: %+v, %v", w, err)
		}
		if !s.Update(forever, func(t *Task) { t.TTL = 1001 * time.Hour }) {
			t.Error("no update")
		}
		time.Sleep(2 * time.Hour)
		if _, ok := s.Task(forever); ok {
			t.Error("a shortened ttl does not count")
		}
	})
}

func TestPaging(t *testing.T) {
	s, c := serve(t, WithPageSize(10))
	for i := range 25 {
		s.AddTask(Task{ID: fmt.Sprintf("t%02d", i), Status: Completed})
	}
	s.RemoveTask("t03")
	list := func() (ids []string, pages int) {
		cursor := "{}"
		for {
			var p tasksPage
			m := c.call("tasks/list", cursor)
			if m.Error != nil {
				t.Fatal(m.Error)
			}
			m.bind(t, &p)
			pages++
			for _, w := range p.Tasks {
				ids = append(ids, w.TaskID)
			}
			if p.NextCursor == nil || pages > 20 {
				return ids, pages
			}
			cursor = fmt.Sprintf(`{"cursor":%q}`, *p.NextCursor)
		}
	}
	ids, pages := list()
	if len(ids) != 24 || pages != 3 || ids[3] != "t04" || ids[23] != "t24" {
		t.Errorf("%d pages: %v", pages, ids)
	}
	for _, bad := range []string{`{"cursor":""}`, `{"cursor":"nonsense"}`, `{"cursor":3}`} {
		if m := c.call("tasks/list", bad); m.Error == nil || m.Error.Code != CodeInvalidParams {
			t.Errorf("%s: %+v", bad, m.Error)
		}
	}
	s.Fault(func(f *Faults) { f.CursorRestarts = true })
	if m := c.call("tasks/list", `{"cursor":"nonsense"}`); m.Error != nil {
		t.Error(m.Error)
	}
	s.Fault(func(f *Faults) { f.CursorLoop = true })
	if _, pages := list(); pages <= 20 {
		t.Errorf("the cursor loop ended after %d pages", pages)
	}
	s.RemoveTask("t00")
	for i := range 4 {
		s.RemoveTask(fmt.Sprintf("t%02d", 20+i))
	}
	s.RemoveTask("t24")
	s.AddTask(Task{})
	s.AddTask(Task{})
	s.Fault(func(f *Faults) { f.CursorLoop, f.EmptyLastPage = false, true })
	if ids, pages := list(); len(ids) != 20 || pages != 3 {
		t.Errorf("full last page: %d ids, %d pages", len(ids), pages)
	}
}

func TestTasksBelongToTheirSession(t *testing.T) {
	tool, _ := gate(Required)
	for _, shared := range []bool{false, true} {
		opts := []Option{WithTools(tool)}
		if shared {
			opts = append(opts, WithSharedTasks())
		}
		s, a := serve(t, opts...)
		b := dial(t, s.URL(), &http.Transport{})
		id := a.start("gate", "").TaskID
		get := b.get()
		if _, err := b.task(id); (err == nil) != shared {
			t.Errorf("shared %v: %v", shared, err)
		}
		s.Fault(func(f *Faults) { f.Leak = true })
		s.Announce(id)
		get.until("notifications/tasks/status")
	}
}

func TestManyTasksAreListed(t *testing.T) {
	s, c := serve(t, WithPageSize(0))
	for range 10_000 {
		s.AddTask(Task{})
	}
	var p tasksPage
	c.call("tasks/list", "").bind(t, &p)
	if len(p.Tasks) != 10_000 {
		t.Fatalf("%d tasks", len(p.Tasks))
	}
}
