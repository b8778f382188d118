package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNotificationFaults(t *testing.T) {
	tool, end := gate(Required)
	s, c := serve(t, WithTools(tool), WithFaults(Faults{Duplicate: true, EarlyStatus: true, Born: InputRequired}))
	get := c.get()
	task := c.start("gate", "")
	if task.Status != InputRequired {
		t.Errorf("born %s", task.Status)
	}
	for range 2 {
		var w wireTask
		get.must().bind(t, &w)
		if w.TaskID != task.TaskID || w.Status != Working {
			t.Errorf("early status %+v", w)
		}
	}
	s.Fault(func(f *Faults) { f.Duplicate = false })
	end <- Answered()
	var w wireTask
	get.must().bind(t, &w)
	if w.Status != Completed {
		t.Errorf("%+v", w)
	}
}

func TestTransitionsAndStatusRoute(t *testing.T) {
	s, c := serve(t, WithTransitions(EndingsOnly), WithStatusRoute(ByResult), WithSharedTasks())
	id := s.AddTask(Task{})
	get := c.get()
	st, _ := c.post("tasks/result", idParams(id))
	s.SetStatus(id, Working, "unheard")
	s.Finish(id, Answered())
	var w wireTask
	st.must().bind(t, &w)
	if w.Status != Completed {
		t.Errorf("first on tasks/result: %+v", w)
	}
	if m := st.must(); m.Method != "" {
		t.Errorf("then %s", m.Raw)
	}
	other := s.AddTask(Task{})
	s.Finish(other, Answered())
	if get.must().bind(t, &w); w.TaskID != other {
		t.Errorf("without a tasks/result: %+v", w)
	}
	if NoTransitions(Working, Completed) || !AllTransitions(Working, Working) {
		t.Error("transitions")
	}
}

func TestTimeFaults(t *testing.T) {
	s, c := serve(t)
	id := s.AddTask(Task{Created: time.Now().Add(-time.Minute)})
	before, _ := c.task(id)
	if before.CreatedAt == before.LastUpdatedAt {
		t.Fatalf("%+v", before)
	}
	s.Fault(func(f *Faults) { f.BumpOnPoll = true })
	if err := s.WaitUntil(within(t), func() bool { w, _ := c.task(id); return w.LastUpdatedAt != before.LastUpdatedAt }); err != nil {
		t.Error("polling does not move lastUpdatedAt")
	}
	s.Fault(func(f *Faults) { f.FrozenTime, f.WholeSeconds = true, true })
	if w, _ := c.task(id); w.LastUpdatedAt != w.CreatedAt || strings.Contains(w.CreatedAt, ".") {
		t.Errorf("%+v", w)
	}
}

func TestRandomOrder(t *testing.T) {
	s, c := serve(t, WithPageSize(0), WithFaults(Faults{RandomOrder: true}))
	for i := range 100 {
		s.AddTask(Task{ID: fmt.Sprintf("t%03d", i)})
	}
	var p tasksPage
	c.call("tasks/list", "").bind(t, &p)
	if len(p.Tasks) != 100 || slices.IsSortedFunc(p.Tasks, func(a, b wireTask) int { return strings.Compare(a.TaskID, b.TaskID) }) {
		t.Errorf("%d tasks, in order", len(p.Tasks))
	}
}

func TestMangling(t *testing.T) {
	s, c := serve(t)
	s.AddTask(Task{ID: "one"})
	list := func() msg { return c.call("tasks/list", "") }
	s.Fault(func(f *Faults) { f.Mangle = UnknownFields })
	if got := list(); bytes.Count(got.Raw, []byte("x-unknown")) < 3 {
		t.Errorf("unknown fields: %s", got.Raw)
	}
	s.Fault(func(f *Faults) { f.Mangle = WrongTypes })
	if got := list(); !bytes.Contains(got.Result, []byte(`"ttl":"60000"`)) {
		t.Errorf("wrong types: %s", got.Raw)
	}
	s.Fault(func(f *Faults) { f.Mangle = Deep(500) })
	if got := list(); !bytes.Contains(got.Result, bytes.Repeat([]byte("["), 500)) {
		t.Error("not deep")
	}
	s.Fault(func(f *Faults) { f.Mangle = Huge(1 << 20) })
	if got := list(); len(got.Raw) < 1<<20 {
		t.Errorf("%d bytes", len(got.Raw))
	}
	get := c.get()
	s.PushRaw("", []byte("not JSON"))
	if _, err := get.next(); err == nil {
		t.Error("PushRaw pushed JSON")
	}
}

func TestHostileStringsKeepTheConversation(t *testing.T) {
	var got Reply
	tool := Tool{
		Name: "deploy", Title: "Deploy", TaskSupport: Required,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"where":{"type":"string","title":"Where"}},"required":["where"]}`),
		Run: func(_ context.Context, c *Call) Outcome {
			var args struct{ Where string }
			if err := c.Bind(&args); err != nil || args.Where != "prod" {
				return ToolError("bad arguments: " + string(c.Args))
			}
			reply, err := c.Elicit(Elicitation{Message: "Go?", Schema: json.RawMessage(
				`{"type":"object","properties":{"go":{"type":"string","enum":["yes","no"]}},"required":["go"]}`)})
			if err != nil {
				return ToolError(err.Error())
			}
			got = reply
			return Outcome{Content: []Content{Text("deployed"), Image("image/png", []byte{1})}}
		},
	}
	s, c := serve(t, WithTools(tool), WithFaults(Faults{Hostile: true}))
	list := c.call("tools/list", "")
	var p struct {
		Tools []struct {
			Name        string
			InputSchema struct {
				Properties map[string]json.RawMessage
				Required   []string
			}
		}
	}
	list.bind(t, &p)
	field := p.Tools[0].InputSchema.Required[0]
	if p.Tools[0].Name == "deploy" || p.Tools[0].InputSchema.Properties[field] == nil {
		t.Fatalf("tool %+v", p.Tools[0])
	}
	args, _ := json.Marshal(map[string]string{field: "prod"})
	name, _ := json.Marshal(p.Tools[0].Name)
	m := c.call("tools/call", fmt.Sprintf(`{"name":%s,"arguments":%s,"task":{}}`, name, args))
	var res struct{ Task wireTask }
	m.bind(t, &res)
	if !strings.ContainsFunc(res.Task.TaskID, func(r rune) bool { return r < ' ' || r == '\u009b' || r == '\u202e' }) {
		t.Errorf("harmless id %q", res.Task.TaskID)
	}
	s.waitStatus(t, res.Task.TaskID, InputRequired)
	id, _ := json.Marshal(res.Task.TaskID)
	st, _ := c.post("tasks/result", `{"taskId":`+string(id)+`}`)
	ask := st.until("elicitation/create")
	var q struct {
		RequestedSchema struct {
			Properties map[string]struct{ Enum []string }
		}
	}
	ask.bind(t, &q)
	answer := map[string]string{}
	for k, v := range q.RequestedSchema.Properties {
		answer[k] = v.Enum[0]
	}
	content, _ := json.Marshal(answer)
	c.answer(ask, `{"action":"accept","content":`+string(content)+`}`)
	out := st.until("")
	if string(got.Content) != `{"go":"yes"}` {
		t.Errorf("answer %s", got.Content)
	}
	if !bytes.Contains(out.Result, []byte(`"AQ=="`)) || bytes.Contains(out.Result, []byte(`"text":"deployed"`)) {
		t.Errorf("result %s", out.Result)
	}
	rawByte := s.faults.Load().disturb("x", []byte(`{"params":{"a":"`+hostileWord(3)+`"}}`))
	if !bytes.Contains(rawByte, []byte("\x9b6n")) {
		t.Errorf("no bare C1 byte in %q", rawByte)
	}
}

// hostileWord is a word that gets the n-th decoration.
func hostileWord(n int) string {
	for i := 0; ; i++ {
		if w := fmt.Sprint("w", i); strings.HasPrefix(decorate(w), hostiles[n][0]) {
			return w
		}
	}
}
