package model

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// deploys is a tool that asks once on its way.
var deploys = mcptest.Tool{Name: "deploy", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
	c.Sleep(3 * time.Second)
	c.Progress(1, 2, "asking")
	r, err := c.Elicit(mcptest.Elicitation{Message: "Approve?"})
	if err != nil {
		return mcptest.ToolError(err.Error())
	}
	c.Sleep(3 * time.Second)
	return mcptest.Answered("deployed: " + r.Action)
}}

// TestServersThatMisbehave does the main job on servers with one fault each: a
// task is started, its question answered, its result read, another one
// cancelled, among others that stand there. Whatever is wrong with the server,
// each task is one row, the answer arrives once, the end is the true one, and
// the server is not asked more often for it.
func TestServersThatMisbehave(t *testing.T) {
	count := 0
	cut := func() int { count++; return 3000 + 7000*(count%4) }
	for name, c := range map[string]struct {
		faults mcptest.Faults
		more   []mcptest.Option
	}{
		"none":                        {},
		"GET 409":                     {faults: mcptest.Faults{GET: mcptest.GET409}},
		"GET silent":                  {faults: mcptest.Faults{GET: mcptest.GETSilent}},
		"GET 405":                     {faults: mcptest.Faults{GET: mcptest.GET405}},
		"SSE only":                    {faults: mcptest.Faults{Replies: mcptest.ReplySSE, Noise: true}},
		"by turns":                    {faults: mcptest.Faults{Replies: mcptest.ReplyTurns}},
		"streams cut by bytes":        {faults: mcptest.Faults{Replies: mcptest.ReplySSE, CutBytes: cut}},
		"streams cut by events":       {faults: mcptest.Faults{Replies: mcptest.ReplySSE, CutEvents: 3}},
		"streams that end on purpose": {faults: mcptest.Faults{StreamLife: 2 * time.Second, Replies: mcptest.ReplySSE}, more: []mcptest.Option{mcptest.WithPriming(500 * time.Millisecond)}},
		"ends unknown to a resumption": {
			faults: mcptest.Faults{StreamLife: 7 * time.Second, UnknownID: true}, more: []mcptest.Option{mcptest.WithEventStore(2)},
		},
		"no event ids":                 {faults: mcptest.Faults{StreamLife: 9 * time.Second}, more: []mcptest.Option{mcptest.WithEventStore(0)}},
		"results without headers":      {faults: mcptest.Faults{LateHeaders: true}, more: []mcptest.Option{mcptest.WithPromptRoute(mcptest.ByGET)}},
		"results refused while live":   {faults: mcptest.Faults{RefuseResult: true}, more: []mcptest.Option{mcptest.WithPromptRoute(mcptest.ByGET)}},
		"errors with 400":              {faults: mcptest.Faults{ErrorStatus: 400}},
		"bad cursors start again":      {faults: mcptest.Faults{CursorRestarts: true}},
		"an empty last page":           {faults: mcptest.Faults{EmptyLastPage: true}},
		"a list in no order":           {faults: mcptest.Faults{RandomOrder: true}},
		"all twice":                    {faults: mcptest.Faults{Duplicate: true}},
		"status first":                 {faults: mcptest.Faults{EarlyStatus: true}},
		"born asking":                  {faults: mcptest.Faults{Born: mcptest.InputRequired}},
		"frozen time":                  {faults: mcptest.Faults{FrozenTime: true}},
		"whole seconds":                {faults: mcptest.Faults{WholeSeconds: true}},
		"time moves with polls":        {faults: mcptest.Faults{BumpOnPoll: true}},
		"working while it asks":        {faults: mcptest.Faults{AskWorking: true, NoRelatedTask: true}, more: []mcptest.Option{mcptest.WithPromptRoute(mcptest.ByGET)}},
		"no related task":              {faults: mcptest.Faults{NoRelatedTask: true}},
		"prompts once":                 {faults: mcptest.Faults{PromptsOnce: true}},
		"request ids of text":          {faults: mcptest.Faults{RequestIDs: func(n int) any { return fmt.Sprintf("srv-%d", n) }}},
		"request ids from 0":           {faults: mcptest.Faults{RequestIDs: func(n int) any { return n }}},
		"cancelled ones are forgotten": {faults: mcptest.Faults{DropCancelled: true}},
		"cancelled ones complete":      {faults: mcptest.Faults{FlipTerminal: true}},
		"wrong types":                  {faults: mcptest.Faults{Mangle: mcptest.WrongTypes}},
		"deep":                         {faults: mcptest.Faults{Mangle: mcptest.Deep(100)}},
		"no push":                      {more: []mcptest.Option{mcptest.WithTransitions(mcptest.NoTransitions)}},
		"a clock ahead":                {more: []mcptest.Option{mcptest.WithSkew(time.Hour)}},
		"a clock behind":               {more: []mcptest.Option{mcptest.WithSkew(-time.Hour)}},
	} {
		t.Run(name, func(t *testing.T) {
			options := append([]mcptest.Option{mcptest.WithTools(deploys), mcptest.WithSharedTasks(), mcptest.WithFaults(c.faults)}, c.more...)
			overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) { mainJob(st, srv, c.faults.Mangle != nil) }, options...)
		})
	}
}

// mainJob does it. blurred: what results hold is not looked at.
func mainJob(st *stage, srv *mcptest.Server, blurred bool) {
	t := st.t
	for range 120 {
		srv.AddTask(mcptest.Task{Status: mcptest.Completed})
	}
	stop := srv.AddTask(mcptest.Task{Status: mcptest.Working})
	st.pass(40 * time.Second)
	if n := st.Board().Total(); n != 121 {
		t.Errorf("%d rows of 121: %+v", n, st.link())
	}
	call := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`), AsTask: true}
	key := task.Key{Server: "ops", Call: call.ID}
	st.wish(StartMsg{"ops", call})
	var ask *Ask
	for n := 0; n < 60 && ask == nil; n++ {
		st.pass(time.Second)
		for _, a := range st.Inbox() {
			if a.State == Open {
				ask = a
			}
		}
	}
	r := st.Row(key)
	if ask == nil || r == nil {
		t.Fatalf("no question came: %+v, %+v", r, st.link())
	}
	st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: ask.Prompt.ID, Action: task.Accept, Content: []byte(`{}`)}})
	st.pass(60 * time.Second)
	if r.Task.Status != task.Completed || r.Key.ID == "" || r.Later != task.Unknown {
		t.Errorf("it ended as %v, later %v: %+v", r.Task.Status, r.Later, st.link())
	}
	answers := 0
	for _, q := range srv.Requests() {
		if q.Kind == mcptest.KindResponse && bytes.Contains(q.Params, []byte("action")) {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("%d answers were sent", answers)
	}
	st.wish(ResultMsg{r.Key})
	st.pass(5 * time.Second)
	if o := r.Outcome; o == nil || o.Result == nil || !blurred && (len(o.Result.Content) != 1 || o.Result.Content[0].Text != "deployed: accept") {
		t.Errorf("the result is %+v", o)
	}
	st.wish(CancelMsg{task.Key{Server: "ops", ID: task.ID(stop)}})
	st.pass(5 * time.Second)
	if s := st.row(task.ID(stop)); s.Task.Status != task.Cancelled {
		t.Errorf("the other one is %v, %+v", s.Task.Status, s.Wish)
	}
	if n := st.Board().Total(); n != 122 {
		t.Errorf("%d rows of 122", n)
	}
	for _, a := range st.Inbox() {
		if a.State == Open || a.State == Answering {
			t.Errorf("a question is left: %+v", a.Prompt)
		}
	}
	if st.link().State == Down {
		t.Errorf("%+v", st.link())
	}
	from := time.Now()
	st.pass(2 * time.Minute)
	total := 0
	for _, q := range srv.Requests() {
		if !q.At.Before(from) && q.Method != "" {
			total++
		}
	}
	t.Logf("%d requests of %d", total, len(srv.Requests()))
	// A sweep of three pages every 5 s, and a stream that comes back.
	if total > 24*3+2*60 {
		t.Errorf("%d requests in two idle minutes", total)
	}
}

// TestLostWithoutAWord: a server that was started anew, and answers for a
// session that it does not know with an empty list, is found out by the tasks
// that it no longer knows.
func TestLostWithoutAWord(t *testing.T) {
	for name, f := range map[string]mcptest.Faults{
		"with a stream": {Loss: mcptest.LossEmpty},
		"without one":   {Loss: mcptest.LossEmpty, GET: mcptest.GET405},
	} {
		t.Run(name, func(t *testing.T) {
			overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
				call := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`), AsTask: true}
				st.wish(StartMsg{"ops", call})
				another := call // one task that is gone alone is no sign
				another.ID = NewCallID()
				st.wish(StartMsg{"ops", another})
				st.pass(10 * time.Second)
				r := st.Row(task.Key{Server: "ops", Call: call.ID})
				if len(r.Asks) == 0 {
					t.Fatalf("%+v", r)
				}
				ask := r.Asks[0]
				srv.LoseSessions()
				st.pass(time.Minute)
				if r.Mark != Gone || ask.State != Withdrawn || st.link().State == Down {
					t.Errorf("mark %v, question %v, %+v", r.Mark, ask.State, st.link())
				}
				if n := srv.Count("initialize"); n != 2 {
					t.Errorf("%d sessions", n)
				}
			}, mcptest.WithTools(deploys), mcptest.WithFaults(f))
		})
	}
}

// TestTasksOfOthersThatArePushed: some servers push the tasks of all sessions,
// and know them for their own session alone.
func TestTasksOfOthersThatArePushed(t *testing.T) {
	overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
		id := srv.AddTask(mcptest.Task{Status: mcptest.Working, Session: "of somebody else"})
		srv.Announce(id)
		st.pass(time.Minute)
		r := st.row(task.ID(id))
		if r.Mark != PushOnly || !r.Live() {
			t.Errorf("mark %v: %+v", r.Mark, r)
		}
		from := time.Now()
		st.pass(5 * time.Minute)
		if n := since(srv, "tasks/get", from); n > 10 {
			t.Errorf("%d gets in five minutes of a task that is known by push alone", n)
		}
		srv.SetStatus(id, mcptest.Completed, "done")
		st.pass(time.Second)
		if r.Task.Status != task.Completed {
			t.Errorf("%v", r.Task.Status)
		}
	}, mcptest.WithFaults(mcptest.Faults{Leak: true}))
}

// TestAttachSaysAll: what was tried, what came back, and what to do.
func TestAttachSaysAll(t *testing.T) {
	overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
		said := strings.Join(st.Why(screenKeys), "\n")
		for _, part := range []string{"server/discover to " + srv.URL(), "wants a token (401)", "--token-file", "r tries again"} {
			if !strings.Contains(said, part) {
				t.Errorf("%q is not in:\n%s", part, said)
			}
		}
	}, mcptest.WithToken("s3cret"))
}
