package model

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// modern is the option of a server of 2026-07-28 alone.
var modern = mcptest.WithEra(mcptest.ModernEra)

// severalLives runs f with one server, and with a way to start callboard on it:
// each start is a new client with the same memory. One that is killed says and
// writes nothing at its end.
func severalLives(t *testing.T, f func(srv *mcptest.Server, k *keeper, live func(killed bool, f func(*stage))), opts ...mcptest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := mcptest.New(opts...)
		defer func() {
			if err := srv.Close(); err != nil {
				t.Error(err)
			}
		}()
		k := newKeeper()
		f(srv, k, func(killed bool, f func(*stage)) {
			rt := srv.Transport()
			e, err := mcpclient.NewEndpoint(mcpclient.Config{URL: srv.URL(), RoundTripper: rt})
			if err != nil {
				t.Fatal(err)
			}
			k.mu.Lock()
			k.dead = false
			k.mu.Unlock()
			o := Options{Targets: []Target{{Name: "ops", URL: srv.URL(), Endpoint: wire{e}, Memory: k}}}
			st := &stage{Model: New(o), t: t, msgs: make(chan tea.Msg), over: make(chan struct{})}
			defer func() {
				k.mu.Lock()
				k.dead = killed
				k.mu.Unlock()
				if killed { // what is under way ends with its connections
					srv.CutStreams()
				}
				close(st.over)
				st.Shutdown()
				rt.CloseIdleConnections()
			}()
			st.run(st.Init())
			st.pass(100 * time.Millisecond)
			f(st)
		})
	})
}

// TestKilledAndStartedAgain: tasks are found again by both generations, and
// their results read.
func TestKilledAndStartedAgain(t *testing.T) {
	for era, opts := range map[string][]mcptest.Option{"legacy": nil, "modern": {modern}} {
		for how, killed := range map[string]bool{"quit": false, "killed": true} {
			t.Run(era+", "+how, func(t *testing.T) {
				severalLives(t, func(srv *mcptest.Server, k *keeper, live func(bool, func(*stage))) {
					var id task.ID
					live(killed, func(st *stage) {
						call := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{"to":"prod"}`), AsTask: true}
						st.wish(StartMsg{"ops", call})
						st.pass(4 * time.Second)
						r := st.Row(task.Key{Server: "ops", Call: call.ID})
						if len(r.Asks) != 1 {
							t.Fatalf("%+v %+v", r, st.link())
						}
						id = r.Key.ID
					})
					time.Sleep(10 * time.Second)
					live(false, func(st *stage) {
						st.pass(5 * time.Second)
						r := st.row(id)
						if r.How == task.Remembered || r.Mark != NoMark || r.Tool.String() != "deploy" || r.Digest() != task.Digest([]byte(`{"to":"prod"}`)) {
							t.Fatalf("%v, mark %v, %q: %+v", r.How, r.Mark, r.Tool, st.link())
						}
						if era == "legacy" && srv.Count("initialize") != 1 {
							t.Errorf("%d sessions", srv.Count("initialize"))
						}
						if len(r.Asks) != 1 {
							t.Fatalf("its question did not come again: %+v", r)
						}
						st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: r.Asks[0].Prompt.ID, Action: task.Accept, Content: []byte(`{}`)}})
						st.pass(10 * time.Second)
						st.wish(ResultMsg{r.Key})
						st.pass(time.Second)
						if r.Task.Status != task.Completed || r.Outcome == nil || r.Outcome.Result == nil || r.Outcome.Result.Content[0].Text != "deployed: accept" {
							t.Errorf("%v %+v", r.Task.Status, r.Outcome)
						}
					})
					if h, _ := k.handle(id); h.Task.Status != task.Completed {
						t.Errorf("kept %+v", h)
					}
				}, append(opts, mcptest.WithTools(deploys), mcptest.WithEventStore(100))...)
			})
		}
	}
}

// TestModernServersThatMisbehave does the main job on servers of 2026-07-28
// with one fault each.
func TestModernServersThatMisbehave(t *testing.T) {
	for name, f := range map[string]mcptest.Faults{
		"none":                  {},
		"no task is pushed":     {Listen: mcptest.ListenNoTasks},
		"a subscription id":     {Listen: mcptest.ListenOwnID},
		"listens end at once":   {Listen: mcptest.ListenEnds},
		"listen is unknown":     {Listen: mcptest.ListenRefused},
		"pushed without input":  {PushWithoutInput: true},
		"late effects":          {EffectLag: 3 * time.Second},
		"late acknowledgements": {AckDelay: time.Second},
		"asked again":           {Reask: 1},
		"whole updates":         {WholeUpdates: true},
		"no state":              {NoState: true},
		"empty rounds":          {EmptyRounds: 3},
		"streams cut":           {StreamLife: 7 * time.Second},
		"SSE only, noise":       {Replies: mcptest.ReplySSE, Noise: true},
		"all twice":             {Duplicate: true},
		"frozen time":           {FrozenTime: true},
		"time moves with polls": {BumpOnPoll: true},
		"resultType is left out": {ResultType: func(_, right string) string {
			return map[string]string{"complete": ""}[right] + map[string]string{"task": "task", "input_required": "input_required"}[right]
		}},
	} {
		t.Run(name, func(t *testing.T) {
			overTheWire(t, Options{}, modernJob, modern, mcptest.WithTools(deploys, asksTwo), mcptest.WithFaults(f))
		})
	}
}

// asksTwo asks once before it is a task, then two things at once.
var asksTwo = mcptest.Tool{Name: "release", TaskSupport: mcptest.Required,
	Before: func(_ context.Context, c *mcptest.Call) *mcptest.Outcome {
		if r, err := c.Elicit(mcptest.Elicitation{Message: "Which one?"}); err != nil || !r.Accepted() {
			out := mcptest.ToolError("not chosen")
			return &out
		}
		return nil
	},
	Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
		rs, err := c.ElicitAll(mcptest.Question{Elicitation: mcptest.Elicitation{Message: "Tag it?"}}, mcptest.Question{Elicitation: mcptest.Elicitation{Message: "Tell whom?"}})
		if err != nil {
			return mcptest.ToolError(err.Error())
		}
		return mcptest.Answered("released: " + rs[0].Action + ", " + rs[1].Action)
	}}

// open waits for n open questions of a row.
func open(st *stage, key task.Key, n int) []*Ask {
	for range 60 {
		if r := st.Row(key); r != nil {
			var asks []*Ask
			for _, a := range r.Asks {
				if a.State == Open {
					asks = append(asks, a)
				}
			}
			if len(asks) == n {
				return asks
			}
		}
		st.pass(time.Second)
	}
	st.t.Fatalf("%d questions did not come: %+v %+v", n, st.Row(key), st.link())
	return nil
}

func modernJob(st *stage, srv *mcptest.Server) {
	t := st.t
	call := task.Call{ID: NewCallID(), Tool: "release", Args: []byte(`{}`)}
	key := task.Key{Server: "ops", Call: call.ID}
	st.wish(StartMsg{"ops", call})
	say := func(a *Ask, hold bool) {
		st.wish(AnswerMsg{Server: "ops", Hold: hold, Reply: task.Reply{Prompt: a.Prompt.ID, Action: task.Accept, Content: []byte(`{}`)}})
	}
	say(open(st, key, 1)[0], false)
	st.pass(time.Second)
	r := st.Row(key)
	if r.Key.ID == "" && len(r.Asks) == 1 { // asked again
		say(r.Asks[0], false)
	}
	two := open(st, key, 2)
	if r.Key.ID == "" {
		t.Fatal("it did not become a task")
	}
	say(two[0], false)
	st.pass(10 * time.Second)
	say(two[1], false)
	for n := 0; n < 90 && r.Live(); n++ { // a server may ask the same again
		st.pass(time.Second)
		for _, a := range slices.Clone(r.Asks) {
			if a.State == Open && a != two[0] && a != two[1] {
				say(a, false)
			}
		}
	}
	st.wish(ResultMsg{r.Key})
	st.pass(5 * time.Second)
	if o := r.Outcome; r.Task.Status != task.Completed || o == nil || o.Result == nil || o.Result.Content[0].Text != "released: accept, accept" {
		t.Errorf("it ended as %v: %+v", r.Task.Status, o)
	}
	// The other one is cancelled while it asks.
	another := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`)}
	st.wish(StartMsg{"ops", another})
	stop := task.Key{Server: "ops", Call: another.ID}
	open(st, stop, 1)
	st.wish(CancelMsg{st.Row(stop).Key})
	st.pass(20 * time.Second)
	if s := st.Row(stop); s.Task.Status != task.Cancelled || s.Cancelling() || s.Wish.State != Taken {
		t.Errorf("the other one is %v, %+v", s.Task.Status, s.Wish)
	}
	for _, a := range st.Inbox() {
		if a.waits() {
			t.Errorf("a question is left: %v %+v", a.State, a.Prompt)
		}
	}
	if n := st.Board().Total(); n != 2 || st.link().State == Down {
		t.Errorf("%d rows, %+v", n, st.link())
	}
	from := time.Now()
	st.pass(2 * time.Minute)
	total := since(srv, "tasks/get", from) + since(srv, "subscriptions/listen", from)
	if total > 40 {
		t.Errorf("%d requests in two idle minutes", total)
	}
}

func TestModernOverTheWire(t *testing.T) {
	t.Run("a cancel that loses against completion", func(t *testing.T) {
		overTheWire(t, Options{}, func(st *stage, _ *mcptest.Server) {
			call := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`)}
			st.wish(StartMsg{"ops", call})
			key := task.Key{Server: "ops", Call: call.ID}
			ask := open(st, key, 1)[0]
			r := st.Row(key)
			st.wish(CancelMsg{r.Key})
			st.pass(time.Second)
			if !r.Cancelling() || r.Wish.State != Delivered {
				t.Fatalf("%+v", r.Wish)
			}
			st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: ask.Prompt.ID, Action: task.Accept, Content: []byte(`{}`)}})
			st.pass(10 * time.Second)
			if r.Task.Status != task.Completed || r.Wish.Verb != "cancel" || r.Wish.Why != "completed; the cancel came too late" || ask.Wish.State != Taken {
				t.Errorf("%v %+v %+v", r.Task.Status, r.Wish, ask.Wish)
			}
		}, modern, mcptest.WithTools(deploys), mcptest.WithFaults(mcptest.Faults{CancelLoses: true}))
	})
	t.Run("held, and sent together", func(t *testing.T) {
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			call := task.Call{ID: NewCallID(), Tool: "release", Args: []byte(`{}`)}
			st.wish(StartMsg{"ops", call})
			key := task.Key{Server: "ops", Call: call.ID}
			say := func(a *Ask, hold bool) {
				st.wish(AnswerMsg{Server: "ops", Hold: hold, Reply: task.Reply{Prompt: a.Prompt.ID, Action: task.Accept, Content: []byte(`{}`)}})
			}
			say(open(st, key, 1)[0], true)
			two := open(st, key, 2)
			say(two[0], true)
			st.pass(20 * time.Second)
			if two[0].State != Held || srv.Count("tasks/update") != 0 {
				t.Fatalf("%v, %d updates", two[0].State, srv.Count("tasks/update"))
			}
			say(two[1], true)
			st.pass(10 * time.Second)
			if r := st.Row(key); r.Task.Status != task.Completed || srv.Count("tasks/update") != 1 || two[0].State != Answered {
				t.Errorf("%v, %d updates, %v", r.Task.Status, srv.Count("tasks/update"), two[0].State)
			}
		}, modern, mcptest.WithTools(asksTwo))
	})
	t.Run("push is cut off, polling takes over", func(t *testing.T) {
		overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
			call := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`)}
			st.wish(StartMsg{"ops", call})
			key := task.Key{Server: "ops", Call: call.ID}
			open(st, key, 1)
			r := st.Row(key)
			st.pass(15 * time.Second)
			if why := st.Unpushed(r.Key); why != "" || st.link().State != Live {
				t.Fatalf("%q %+v", why, st.link())
			}
			from := time.Now()
			st.pass(11 * time.Second)
			if n := since(srv, "tasks/get", from); n > 2 {
				t.Errorf("%d gets in 11 s while push works", n)
			}
			srv.Fault(func(f *mcptest.Faults) { f.Listen = mcptest.ListenRefused })
			from = time.Now()
			srv.CutStreams()
			st.pass(10 * time.Second)
			if n := since(srv, "tasks/get", from); n < 4 {
				t.Errorf("%d gets in 10 s without push", n)
			}
			if st.Unpushed(r.Key) == "" || st.link().State == Live || r.How != task.Polled {
				t.Errorf("%q %+v", st.Unpushed(r.Key), st.link())
			}
			srv.SetStatus(string(r.Key.ID), mcptest.Failed, "no")
			st.pass(3 * time.Second)
			if r.Task.Status != task.Failed {
				t.Errorf("%v", r.Task.Status)
			}
		}, modern, mcptest.WithTools(deploys))
	})
	t.Run("a server that is started anew: its tasks are there, or gone", func(t *testing.T) {
		severalLives(t, func(srv *mcptest.Server, _ *keeper, live func(bool, func(*stage))) {
			here := task.ID(srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited}))
			lost := task.ID(srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited}))
			late := task.ID(srv.AddTask(mcptest.Task{TTL: 30 * time.Second}))
			live(true, func(st *stage) {
				for _, id := range []task.ID{here, lost, late} {
					st.wish(WatchMsg{"ops", id})
				}
				st.pass(5 * time.Second)
				if n := st.Board().Total(); n != 3 {
					t.Fatalf("%d rows", n)
				}
			})
			srv.RemoveTask(string(lost))
			time.Sleep(time.Minute)
			live(false, func(st *stage) {
				st.pass(10 * time.Second)
				for id, want := range map[task.ID]Mark{here: NoMark, lost: Gone, late: Expired} {
					if r := st.row(id); r.Mark != want {
						t.Errorf("%v, want %v", r.Mark, want)
					}
				}
			})
		}, modern)
	})
}
