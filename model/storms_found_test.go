package model

import (
	"context"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// What storms found, each as a test of its own.

// A question that the server said to be over is not opened again by the next one
// of its task.
func TestAWithdrawnQuestionStaysSo(t *testing.T) {
	s := newModern()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		old := question(st, "t", "p", "who?")
		goesOn(st, "t", task.Working)
		st.tell(task.Withdrawn{Prompt: "p", Why: task.Own("its task no longer asks for it"), Inferred: true})
		goesOn(st, "t", task.InputRequired)
		next := question(st, "t", "q", "what?")
		if old.State != Withdrawn || next.State != Open {
			t.Errorf("%v, %v", old.State, next.State)
		}
	})
}

// R sends the answer again that failed, also where another of the row was sent
// after it.
func TestRFindsTheAnswerThatFailed(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		one, two := question(st, "t", "p", "who?"), question(st, "t", "q", "what?")
		s.onAnswer = func(context.Context, task.Reply) error {
			return &task.Error{Kind: task.Lost, Message: task.Own("it broke")}
		}
		st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "p", Action: task.Decline}})
		s.onAnswer = nil
		st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "q", Action: task.Decline}})
		if one.State != Open || one.Wish.State != WishUnknown || two.State != Answered {
			t.Fatalf("%v %+v, %v", one.State, one.Wish, two.State)
		}
		st.wish(RetryMsg{st.row("t").Key})
		if one.State != Answered || s.count("answer", "p") != 2 || s.count("answer", "q") != 1 {
			t.Errorf("%v, sent %d and %d times: %s", one.State, s.count("answer", "p"), s.count("answer", "q"), st.line())
		}
	})
}

// A task that was known by push alone, in a session that is over, is gone: no push
// will tell of it.
func TestATaskOfAnOverSessionKnownByPushAlone(t *testing.T) {
	overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
		id := srv.AddTask(mcptest.Task{Status: mcptest.InputRequired, TTL: mcptest.Unlimited, Session: srv.Sessions()[0]})
		srv.Intercept(mcptest.HTTPError("tasks/list", -1, 500, 0))
		srv.Intercept(mcptest.HTTPError("tasks/get", 5, 500, 0))
		srv.Announce(id)
		st.pass(time.Second)
		if r := st.row(task.ID(id)); !r.Live() || r.known {
			t.Fatalf("%v, known %v", r.Task.Status, r.known)
		}
		srv.LoseSessions()
		st.pass(2 * time.Minute)
		if r := st.row(task.ID(id)); r.Live() || r.Mark != Gone {
			t.Errorf("%v, mark %v, %s", r.Task.Status, r.Mark, r.PollError)
		}
	})
}

// A reply that cannot be read does not say that the answer failed.
func TestAnUnreadableReplyProvesNothing(t *testing.T) {
	for name, e := range map[string]task.Error{
		"no message":     {Kind: task.Protocol, Message: task.Own("the server sent 5 bytes that are no message")},
		"a page":         {Kind: task.NotMCP, Status: 200, Message: task.Own("a page")},
		"a proxy's page": {Kind: task.NotMCP, Status: 502, Message: task.Own("Bad Gateway")},
		"a gateway":      {Kind: task.HTTP, Status: 504, Message: task.Own("HTTP 504")},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			s.onAnswer = func(context.Context, task.Reply) error { return &e }
			play(t, Options{}, s, func(st *stage) {
				st.settle()
				a := question(st, "t", "p", "who?")
				st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "p", Action: task.Decline}})
				if a.State != Open || a.Wish.State != WishUnknown {
					t.Fatalf("%v %+v", a.State, a.Wish)
				}
				goesOn(st, "t", task.Working)
				if a.State != Answered || a.Wish.State != Taken {
					t.Errorf("the task went on: %v %+v", a.State, a.Wish)
				}
			})
		})
	}
}

// An answer that waited for another of its call did not go out where the call ends
// without that.
func TestAHeldAnswerEndsWithItsCall(t *testing.T) {
	tool := mcptest.Tool{Name: "two", TaskSupport: mcptest.Forbidden, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
		_, _ = c.ElicitAll(mcptest.Question{Elicitation: mcptest.Elicitation{Message: "1?"}}, mcptest.Question{Elicitation: mcptest.Elicitation{Message: "2?"}})
		return mcptest.Answered()
	}}
	overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
		c := task.Call{ID: NewCallID(), Tool: "two", Args: []byte(`{}`)}
		st.wish(StartMsg{"ops", c})
		key := task.Key{Server: "ops", Call: c.ID}
		asks := open(st, key, 2)
		st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: asks[1].Prompt.ID, Action: task.Accept, Content: []byte(`{}`)}})
		st.wish(CancelMsg{key})
		st.pass(time.Second)
		if asks[0].State != Withdrawn || asks[1].State != Withdrawn || srv.Count("tools/call") != 1 {
			t.Errorf("%v %v, %d calls", asks[0].State, asks[1].State, srv.Count("tools/call"))
		}
	}, modern, mcptest.WithTools(tool))
}

// The answers that a call of 2026-07-28 goes on with are not lost where nobody
// listens: what it asked stands, and R sends them.
func TestTheAnswersOfACallWhileNobodyListens(t *testing.T) {
	tool := mcptest.Tool{Name: "two", TaskSupport: mcptest.Forbidden, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
		rs, err := c.ElicitAll(mcptest.Question{Elicitation: mcptest.Elicitation{Message: "1?"}}, mcptest.Question{Elicitation: mcptest.Elicitation{Message: "2?"}})
		if err != nil {
			return mcptest.ToolError(err.Error())
		}
		return mcptest.Answered(string(rs[0].Content) + string(rs[1].Content))
	}}
	for name, fault := range map[string]struct{ begin, end func(*mcptest.Server) error }{
		"nobody listens": {(*mcptest.Server).StopListening, (*mcptest.Server).ListenAgain},
		"busy": {
			func(srv *mcptest.Server) error {
				srv.Intercept(mcptest.HTTPError("tools/call", 1, 503, time.Second))
				return nil
			},
			func(srv *mcptest.Server) error { srv.ClearInterceptions(); return nil },
		},
		"damaged on its way": {
			func(srv *mcptest.Server) error {
				srv.Intercept(mcptest.Interception{Method: "tools/call", Status: 400, Err: &mcptest.Error{Code: mcptest.CodeParse, Message: "Parse error"}})
				return nil
			},
			func(*mcptest.Server) error { return nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
				c := task.Call{ID: NewCallID(), Tool: "two", Args: []byte(`{}`)}
				st.wish(StartMsg{"ops", c})
				key := task.Key{Server: "ops", Call: c.ID}
				asks := open(st, key, 2)
				if err := fault.begin(srv); err != nil {
					t.Fatal(err)
				}
				for _, a := range asks {
					st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: a.Prompt.ID, Action: task.Accept, Content: []byte(`{"a":1}`)}})
				}
				st.pass(5 * time.Second)
				r := st.Row(key)
				for _, a := range asks {
					if a.State != Open || a.Wish.State != WishFailed || !r.Live() {
						t.Fatalf("%v %+v; %v", a.State, a.Wish, r.Task.Status)
					}
				}
				if err := fault.end(srv); err != nil {
					t.Fatal(err)
				}
				st.pass(5 * time.Second)
				st.wish(RetryMsg{key})
				st.pass(5 * time.Second)
				if o := r.Outcome; o == nil || o.Result == nil || o.Result.Content[0].Text != `{"a":1}{"a":1}` || asks[0].Wish.State != Taken {
					t.Errorf("%+v, %v %+v", o, asks[0].State, asks[0].Wish)
				}
			}, modern, mcptest.WithTools(tool))
		})
	}
}

// A call whose stream broke tells of the network: a server that does not answer
// still does not.
func TestABrokenCallIsNoSignOfLife(t *testing.T) {
	for name, c := range map[string]struct {
		end   task.Returned
		alive bool
	}{
		"lost":    {task.Returned{Err: &task.Error{Kind: task.Lost, Message: task.Own("it broke")}}, false},
		"refused": {task.Returned{Err: &task.Error{Kind: task.RPC, Code: -32603, Message: task.Own("no")}}, true},
		"done":    {task.Returned{Result: &task.Result{}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			play(t, Options{}, s, func(st *stage) {
				st.settle()
				call := task.Call{ID: "c", Tool: "deploy"}
				st.wish(StartMsg{"ops", call})
				st.silent(st.links[0], &task.Error{Kind: task.Unreachable, Message: task.Own("connection refused")})
				c.end.Call = call.ID
				st.tell(c.end)
				if alive := st.links[0].mute == nil; alive != c.alive {
					t.Errorf("alive %v, want %v", alive, c.alive)
				}
			})
		})
	}
}

// The news that a task works, told before its question and late on the way, do not
// take the question back.
func TestLateNewsTakeNoQuestionBack(t *testing.T) {
	overTheWire(t, Options{}, func(st *stage, srv *mcptest.Server) {
		session := srv.Sessions()[0]
		id := srv.AddTask(mcptest.Task{Status: mcptest.Working, TTL: mcptest.Unlimited, Session: session})
		st.pass(time.Second)
		was, _ := srv.Task(id)
		st.pass(5 * time.Second)
		go func() { _, _ = srv.Ask(context.Background(), id, mcptest.Elicitation{Message: "who?"}) }()
		st.pass(30 * time.Second)
		if len(st.Inbox()) != 1 {
			t.Fatalf("%d questions", len(st.Inbox()))
		}
		for range 3 {
			srv.Push(session, "notifications/tasks/status", map[string]any{
				"taskId": id, "status": "working", "ttl": nil,
				"createdAt": was.Created, "lastUpdatedAt": was.Updated,
			})
			st.pass(time.Second)
			if a := st.Inbox(); len(a) != 1 || a[0].State != Open || st.row(task.ID(id)).Task.Status != task.InputRequired {
				t.Fatalf("%d questions, the task is %v: %s", len(a), st.row(task.ID(id)).Task.Status, st.line())
			}
		}
		a := st.Inbox()[0]
		st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: a.Prompt.ID, Action: task.Decline}})
		st.pass(time.Minute)
		if a.State != Answered {
			t.Errorf("%v", a.State)
		}
	})
}

// The answer to a question that the server polls for is taken once it was fetched.
// That its task or its call goes on or ends says nothing of it.
func TestAPolledAnswerIsTakenWhenItIsFetched(t *testing.T) {
	for name, end := range map[string]func(*stage){
		"its task ends": func(st *stage) { goesOn(st, "t", task.Completed) },
		"its call ends": func(st *stage) { st.tell(task.Returned{Call: "c", Result: &task.Result{}}) },
	} {
		t.Run(name, func(t *testing.T) {
			s, k := newScript(), newKeeper()
			remembering(t, s, k, func(st *stage) {
				st.settle()
				s.put(a("t", task.Working))
				goesOn(st, "t", task.Working)
				st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
				p := task.Prompt{ID: "p", Polled: true, At: time.Now(), Message: task.Own("who?")}
				if name == "its task ends" {
					p.Task = "t"
				} else {
					p.Call = "c"
				}
				st.tell(task.Prompted{Prompt: p})
				st.SaveDraft("p", Draft{"v": "Ann"})
				st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "p", Action: task.Accept}})
				end(st)
				w := st.Ask("p").Wish
				if w.State != Delivered || len(k.drafts()) != 1 {
					t.Errorf("%v, %d drafts are kept", w.State, len(k.drafts()))
				}
				st.tell(task.Fetched{Prompt: "p"})
				if w.State != Taken || len(k.drafts()) != 0 {
					t.Errorf("%v, %d drafts are kept", w.State, len(k.drafts()))
				}
			})
		})
	}
}

// An answer that may have arrived, and whose second sending failed, may still have
// arrived.
func TestASecondSendingThatFailsProvesNothing(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		ask := question(st, "t", "p", "who?")
		err := &task.Error{Kind: task.Lost, Message: task.Own("it broke")}
		s.onAnswer = func(context.Context, task.Reply) error { return err }
		st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "p", Action: task.Decline}})
		err = &task.Error{Kind: task.Unreachable, Message: task.Own("connection refused")}
		for range 2 {
			st.pass(time.Minute)
			st.wish(RetryMsg{st.row("t").Key})
			if ask.State != Open || ask.Wish.State != WishUnknown {
				t.Fatalf("%v, %+v", ask.State, ask.Wish)
			}
		}
		if n := s.count("answer", "p"); n != 3 {
			t.Errorf("sent %d times", n)
		}
	})
}

// Of answers that go out together in messages of their own, each has its own fate.
func TestAnswersOfOneGroupHaveFatesOfTheirOwn(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		one, two := question(st, "t", "p", "who?"), question(st, "t", "q", "what?")
		s.onAnswer = func(_ context.Context, r task.Reply) error {
			if r.Prompt == "q" {
				return &task.Error{Kind: task.Unreachable, Message: task.Own("connection refused")}
			}
			return nil
		}
		st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "p", Action: task.Decline}, Hold: true})
		if one.State != Held {
			t.Fatalf("%v", one.State)
		}
		st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "q", Action: task.Decline}})
		if one.State != Answered || two.State != Open || two.Wish.State != WishFailed {
			t.Errorf("%v %+v, %v %+v", one.State, one.Wish, two.State, two.Wish)
		}
	})
}

// R sends the answer that failed, though another answer of the row, of which nobody
// knew, turned out to be done with since.
func TestRetryFindsWhatFailedBesideWhatIsDone(t *testing.T) {
	s := newModern()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		p, q := question(st, "t", "p", "who?"), question(st, "t", "q", "what?")
		err := &task.Error{Kind: task.Lost, Message: task.Own("it broke")}
		s.onAll = func([]task.Reply) (task.Receipt, error) { return task.Receipt{}, err }
		st.wish(accept("q"))
		err = &task.Error{Kind: task.Unreachable, Message: task.Own("connection refused")}
		st.wish(accept("p"))
		st.wish(RetryMsg{st.row("t").Key}) // both, together
		st.tell(task.Withdrawn{Prompt: "q"})
		if p.State != Open || q.waits() {
			t.Fatalf("%v %+v, %v %+v", p.State, p.Wish, q.State, q.Wish)
		}
		s.onAll = nil
		st.wish(RetryMsg{st.row("t").Key})
		if p.State != Answered {
			t.Errorf("%v %+v; the row: %+v", p.State, p.Wish, st.row("t").Wish)
		}
	})
}

// What a task asks besides does not say that an answer was taken which it asks for
// once more.
func TestTheSameAskedAgainBesideAnother(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		question(st, "t", "p", "who?")
		st.wish(accept("p"))
		w := st.Ask("p").Wish
		question(st, "t", "again", "who?")
		question(st, "t", "q", "what?")
		if w.State != NoEffect {
			t.Errorf("asked again, and something else: %v", w.State)
		}
		st.wish(accept("again"))
		question(st, "t", "r", "where?")
		if w := st.Ask("again").Wish; w.State != Taken {
			t.Errorf("something else is asked: %v", w.State)
		}
	})
}
