package model

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// wire is an Endpoint of the real client.
type wire struct{ *mcpclient.Endpoint }

func (w wire) Dial(ctx context.Context, r task.Resume) (Server, error) {
	s, err := w.Endpoint.Dial(ctx, r)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// overTheWire runs f with a model whose client speaks to srv over pipes in
// memory, in virtual time.
func overTheWire(t *testing.T, o Options, f func(*stage, *mcptest.Server), opts ...mcptest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := mcptest.New(opts...)
		rt := srv.Transport()
		e, err := mcpclient.NewEndpoint(mcpclient.Config{URL: srv.URL(), RoundTripper: rt, ReadOnly: o.ReadOnly})
		if err != nil {
			t.Fatal(err)
		}
		o.Targets = []Target{{Name: "ops", URL: srv.URL(), Endpoint: wire{e}}}
		st := &stage{Model: New(o), t: t, msgs: make(chan tea.Msg), over: make(chan struct{})}
		defer func() { // also when f gives up
			close(st.over)
			st.Shutdown()
			rt.CloseIdleConnections()
			if err := srv.Close(); err != nil {
				t.Error(err)
			}
		}()
		st.run(st.Init())
		st.pass(100 * time.Millisecond)
		f(st, srv)
	})
}

// since returns how many requests of a method srv got at or after from.
func since(srv *mcptest.Server, method string, from time.Time) int {
	n := 0
	for _, r := range srv.Requests(method) {
		if !r.At.Before(from) {
			n++
		}
	}
	return n
}

func TestOverTheWire(t *testing.T) {
	t.Run("what is pushed is not polled; what is quiet is", func(t *testing.T) {
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			id := srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited})
			st.pass(31 * time.Second) // the board is swept
			if st.link().State != Live {
				t.Fatalf("%+v", st.link())
			}
			from := time.Now()
			for range 5 {
				srv.SetStatus(id, mcptest.Working, time.Now().String())
				st.pass(5 * time.Second)
			}
			if n := since(srv, "tasks/get", from); n != 0 {
				t.Errorf("%d gets of a task that is pushed every 5 s", n)
			}
			st.pass(13 * time.Second)
			if n := since(srv, "tasks/get", from) + since(srv, "tasks/list", from.Add(20*time.Second)); n == 0 {
				t.Error("nothing was asked once it was quiet for 18 s")
			}
			srv.SetStatus(id, mcptest.Completed, "")
			st.pass(time.Second)
			from = time.Now()
			st.pass(2 * time.Minute)
			if n := since(srv, "tasks/get", from); n != 0 {
				t.Errorf("%d gets of an ended task", n)
			}
			if n := since(srv, "tasks/list", from); n < 3 || n > 5 {
				t.Errorf("%d sweeps in two minutes", n)
			}
		}, mcptest.WithSharedTasks())
	})
	t.Run("without push tasks are polled at their interval", func(t *testing.T) {
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			id := srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited, Poll: mcptest.NoPoll})
			st.pass(6 * time.Second)
			from := time.Now()
			st.pass(20 * time.Second)
			if n := since(srv, "tasks/get", from) + since(srv, "tasks/list", from); n < 8 || n > 16 {
				t.Errorf("%d requests in 20 s", n)
			}
			srv.SetStatus(id, mcptest.Failed, "")
			st.pass(3 * time.Second)
			if r := st.row(task.ID(id)); r.Task.Status != task.Failed || r.How == task.Pushed {
				t.Errorf("%v %v", r.Task.Status, r.How)
			}
		}, mcptest.WithSharedTasks(), mcptest.WithTransitions(mcptest.NoTransitions), mcptest.WithFaults(mcptest.Faults{GET: mcptest.GET405}))
	})
	t.Run("started, asked, answered, read", func(t *testing.T) {
		tool := mcptest.Tool{Name: "deploy", Title: "Deploy", TaskSupport: mcptest.Required,
			Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
				c.Progress(1, 2, "asking")
				r, err := c.Elicit(mcptest.Elicitation{Message: "Approve?", Schema: []byte(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)})
				if err != nil || !r.Accepted() {
					return mcptest.ToolError("not approved")
				}
				return mcptest.Answered("deployed " + string(r.Content))
			}}
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			call := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`), AsTask: true, TTL: time.Hour}
			st.wish(StartMsg{"ops", call})
			st.pass(time.Second)
			r := st.Row(task.Key{Server: "ops", Call: call.ID})
			if r.Key.ID == "" || len(r.Asks) != 1 || r.Progress == nil || st.Rings() != 1 {
				t.Fatalf("%+v", r)
			}
			ask := r.Asks[0]
			if ask.Prompt.Message.String() != "Approve?" || len(ask.Prompt.Form.Fields) != 1 {
				t.Errorf("%+v", ask.Prompt)
			}
			st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: ask.Prompt.ID, Action: task.Accept, Content: []byte(`{"ok":true}`)}})
			st.pass(3 * time.Second)
			if ask.State != Answered || ask.Wish.State != Taken || r.Task.Status != task.Completed {
				t.Errorf("%v %+v %v", ask.State, ask.Wish, r.Task.Status)
			}
			st.wish(ResultMsg{r.Key})
			st.pass(time.Second)
			if r.Outcome == nil || r.Outcome.Result == nil || r.Outcome.Result.Content[0].Text != `deployed {"ok":true}` {
				t.Errorf("%+v", r.Outcome)
			}
		}, mcptest.WithTools(tool))
	})
	t.Run("a lost session is begun anew and swept whole", func(t *testing.T) {
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited})
			st.pass(31 * time.Second)
			from := time.Now()
			srv.LoseSessions()
			srv.CutStreams()
			st.pass(10 * time.Second)
			if n := since(srv, "initialize", from); n != 1 {
				t.Fatalf("%d sessions", n)
			}
			if since(srv, "tasks/list", from) == 0 || st.link().State != Live {
				t.Errorf("%+v", st.link())
			}
		}, mcptest.WithSharedTasks())
	})
	t.Run("Retry-After is obeyed", func(t *testing.T) {
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			st.pass(time.Second)
			srv.Intercept(mcptest.HTTPError("tasks/list", 1, 429, 40*time.Second))
			from := time.Now()
			st.wish(RefreshMsg{})
			st.pass(time.Second)
			st.wish(RefreshMsg{})
			st.pass(37 * time.Second)
			if n := since(srv, "tasks/list", from); n != 1 {
				t.Errorf("%d requests within the time", n)
			}
			if !strings.Contains(st.link().Why, "429") {
				t.Errorf("why %q", st.link().Why)
			}
			st.pass(4 * time.Second)
			if n := since(srv, "tasks/list", from); n != 2 {
				t.Errorf("%d requests after it", n)
			}
		})
	})
	t.Run("an answer is never sent twice", func(t *testing.T) {
		tool := mcptest.Tool{Name: "ask", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
			if _, err := c.Elicit(mcptest.Elicitation{Message: "?"}); err != nil {
				return mcptest.ToolError(err.Error())
			}
			return mcptest.Answered("ok")
		}}
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			call := task.Call{ID: NewCallID(), Tool: "ask", Args: []byte(`{}`), AsTask: true}
			st.wish(StartMsg{"ops", call})
			st.pass(1500 * time.Millisecond) // no poll falls on this moment
			r := st.Row(task.Key{Server: "ops", Call: call.ID})
			if len(r.Asks) != 1 {
				t.Fatal("no question")
			}
			ask := r.Asks[0]
			srv.Intercept(mcptest.Interception{Drop: true})
			st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: ask.Prompt.ID, Action: task.Accept, Content: []byte(`{}`)}})
			st.pass(20 * time.Second)
			sent := 0
			for _, q := range srv.Requests() {
				if q.Kind == mcptest.KindResponse {
					sent++
				}
			}
			if sent != 1 || ask.Wish.State != WishUnknown || ask.State != Open {
				t.Fatalf("sent %d times, %v %+v", sent, ask.State, ask.Wish)
			}
			st.wish(RetryMsg{r.Key})
			st.pass(3 * time.Second)
			if r.Task.Status != task.Completed || ask.Wish.State != Taken {
				t.Errorf("R: %v %+v", r.Task.Status, ask.Wish)
			}
		}, mcptest.WithTools(tool))
	})
	t.Run("a short ttl ends as expired", func(t *testing.T) {
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			id := srv.AddTask(mcptest.Task{TTL: 45 * time.Second})
			st.pass(90 * time.Second)
			if r := st.row(task.ID(id)); r.Mark != Expired || r.Live() {
				t.Errorf("%v %v", r.Mark, r.PollError)
			}
		}, mcptest.WithSharedTasks())
	})
}
