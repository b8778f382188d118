package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// goesOn lets a task's status change on the server, and the news of it come.
func goesOn(st *stage, id string, s task.Status) {
	st.pass(time.Second)
	st.s.put(a(id, s))
	st.tell(push(a(id, s)))
}

// What ends a question without an answer from here is told in words, and what was
// typed stays.
func TestHowAQuestionEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*stage)
		want string
	}{
		"withdrawn without a reason": {func(st *stage) { st.tell(task.Withdrawn{Prompt: "p"}) }, "the server withdrew the question"},
		"withdrawn with a reason": {
			func(st *stage) { st.tell(task.Withdrawn{Prompt: "p", Why: task.Own("60 s are over")}) },
			"the server withdrew the question: 60 s are over",
		},
		"the task went on": {func(st *stage) { goesOn(st, "t", task.Working) }, wentOnWhy},
		"the client inferred it, of a task that went on": {
			func(st *stage) {
				goesOn(st, "t", task.Working)
				st.Ask("p").State = Open // as if that had not been told
				st.tell(task.Withdrawn{Prompt: "p", Why: task.Own("its task goes on"), Inferred: true})
			}, wentOnWhy,
		},
		"the client inferred it, of a task that asks other things": {
			func(st *stage) { st.tell(task.Withdrawn{Prompt: "p", Why: task.Own("x"), Inferred: true}) }, droppedWhy,
		},
		"the task completed":    {func(st *stage) { goesOn(st, "t", task.Completed) }, "the task ended (completed) without an answer from here"},
		"the task failed":       {func(st *stage) { goesOn(st, "t", task.Failed) }, "the task ended (failed) without an answer from here"},
		"the session is gone":   {func(st *stage) { st.lose(task.SessionLost) }, "the session that asked is gone"},
		"the connection breaks": {func(st *stage) { st.lose(task.Lost) }, "the connection to the server broke"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript()
			play(t, Options{}, s, func(st *stage) {
				st.settle()
				x := question(st, "t", "p", "who?")
				st.SaveDraft("p", Draft{"name": "Ada"})
				c.end(st)
				if x.State != Withdrawn || x.Why != c.want || st.Draft("p") == nil {
					t.Errorf("%v %q, %q", x.State, x.Why, st.Draft("p"))
				}
				if p := st.row("t").Past; p == nil || p.Why != c.want {
					t.Errorf("its row: %+v", p)
				}
				st.wish(accept("p"))
				if len(sentOf(s)) != 0 || !strings.Contains(st.line(), "Too late: "+c.want) {
					t.Errorf("answered then: %q", st.line())
				}
			})
		})
	}
}

// Fifty at once: the one with the least time left comes first, whoever set the
// limit.
func TestFiftyQuestionsByTimeLeft(t *testing.T) {
	s := newScript()
	s.about.List = task.CanNo
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		var want []string
		ends := map[string]time.Time{}
		for i := range 50 {
			id := fmt.Sprintf("t%02d", i)
			x, p := a(id, task.InputRequired), task.Prompt{ID: task.PromptID(id), Task: task.ID(id), At: time.Now()}
			x.Created = time.Now()
			left := time.Duration((i*37)%50+1) * time.Minute
			switch i % 3 {
			case 0:
				x.TTL = left
			case 1:
				p.Until = time.Now().Add(left)
			default:
				x.TTL, p.Until = left, time.Now().Add(time.Hour)
			}
			ends[id] = time.Now().Add(left)
			want = append(want, id)
			s.put(x)
			st.tell(push(x), task.Prompted{Prompt: p})
		}
		question(st, "never", "never", "who?")
		slices.SortFunc(want, func(a, b string) int { return ends[a].Compare(ends[b]) })
		want = append(want, "never")
		var got []string
		for _, x := range st.Inbox() {
			got = append(got, string(x.Prompt.ID))
			if id := string(x.Prompt.ID); !st.Ends(x).Equal(ends[id]) {
				t.Errorf("%s ends at %v, want %v", id, st.Ends(x), ends[id])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v\nwant %v", got, want)
		}
		if st.Rings() != 51 {
			t.Errorf("%d rings", st.Rings())
		}
	})
}

// The stream dies, the session does not: the question stays, and its answer goes
// out. What the resumed stream brings again is no new question.
func TestTheStreamOfAQuestionDies(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		x := question(st, "t", "p", "who?")
		st.tell(task.Stream{Up: false, Gap: true, Why: "cut"})
		st.tell(task.Prompted{Prompt: x.Prompt})
		if x.State != Open || len(st.Inbox()) != 1 || st.Rings() != 1 {
			t.Fatalf("%v, %d in the inbox, %d rings", x.State, len(st.Inbox()), st.Rings())
		}
		st.wish(accept("p"))
		if got := sentOf(s); !slices.Equal(got, []string{"p"}) || x.State != Answered {
			t.Errorf("%v, sent %v", x.State, got)
		}
	})
}

// unknownAnswer sends an answer whose reply does not come.
func unknownAnswer(t *testing.T, f func(*stage, *Ask)) {
	t.Helper()
	s, k := newScript(), newKeeper()
	s.about.List = task.CanNo
	s.onAll = func(r []task.Reply) (task.Receipt, error) {
		if s.count("answer", "") == 1 {
			return task.Receipt{}, &task.Error{Kind: task.Lost, Message: task.Own("it broke")}
		}
		return task.Receipt{At: time.Now()}, nil
	}
	remembering(t, s, k, func(st *stage) {
		st.settle()
		x := question(st, "t", "p", "who?")
		st.SaveDraft("p", Draft{"name": "Ada"})
		st.wish(accept("p"))
		if x.State != Open || x.Wish.State != WishUnknown {
			t.Fatalf("%v %+v", x.State, x.Wish)
		}
		f(st, x)
		if t.Failed() {
			t.Logf("row %+v, wish %+v", st.row("t"), x.Wish)
		}
	})
}

// The answer went out and the link broke: the truth is polled, and the person
// decides.
func TestTheTruthOfAnAnswer(t *testing.T) {
	t.Run("the task moved on: taken", func(t *testing.T) {
		unknownAnswer(t, func(st *stage, x *Ask) {
			st.s.put(a("t", task.Working))
			st.pass(5 * time.Second)
			if x.State != Answered || x.Wish.State != Taken || st.s.count("answer", "") != 1 {
				t.Errorf("%v %+v", x.State, x.Wish)
			}
		})
	})
	t.Run("it completed: taken", func(t *testing.T) {
		unknownAnswer(t, func(st *stage, x *Ask) {
			st.s.put(a("t", task.Completed))
			st.pass(5 * time.Second)
			if x.State != Answered || x.Wish.State != Taken || st.row("t").Past.State != Answered {
				t.Errorf("%v %+v", x.State, x.Wish)
			}
		})
	})
	t.Run("it failed: nobody knows, and what was typed is kept", func(t *testing.T) {
		unknownAnswer(t, func(st *stage, x *Ask) {
			st.s.put(a("t", task.Failed))
			st.pass(5 * time.Second)
			if x.State != Withdrawn || x.Wish.State != WishUnknown || !strings.Contains(x.Why, "failed); nobody knows") || st.Draft("p") == nil {
				t.Errorf("%v %q %+v", x.State, x.Why, x.Wish)
			}
		})
	})
	t.Run("it still asks: said so, and sent again by the person alone", func(t *testing.T) {
		unknownAnswer(t, func(st *stage, x *Ask) {
			st.pass(time.Minute)
			if x.State != Open || x.Why != stillAsks || x.Wish.State != WishUnknown || x.Wish.Why != stillAsks || st.s.count("answer", "") != 1 {
				t.Fatalf("%v %q, sent %d times", x.State, x.Why, st.s.count("answer", ""))
			}
			st.wish(RetryMsg{task.Key{Server: "ops", ID: "t"}})
			goesOn(st, "t", task.Working)
			if x.State != Answered || x.Wish.State != Taken || st.s.count("answer", "") != 2 {
				t.Errorf("R: %v %+v, sent %d times", x.State, x.Wish, st.s.count("answer", ""))
			}
		})
	})
}

// Of several questions of a task in the Legacy era nobody sees which it still asks.
func TestTheTruthOfOneOfSeveralAnswers(t *testing.T) {
	for want, s := range map[string]*script{mayAsk: newScript(), stillAsks: newModern()} {
		s.onAnswer = func(context.Context, task.Reply) error { return &task.Error{Kind: task.Lost, Message: task.Own("cut")} }
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			x, _ := question(st, "t", "p", "who?"), question(st, "t", "q", "what?")
			st.wish(accept("p"))
			st.pass(5 * time.Second)
			if x.Why != want || x.State != Open || x.Wish.State != WishUnknown {
				t.Errorf("%v %q, want %q", x.State, x.Why, want)
			}
		})
	}
}

// The session went with the answer: the same question of the new one says so, has
// what was typed, and R sends the answer there.
func TestTheSessionDiesWithAnAnswer(t *testing.T) {
	s, k := newScript(), newKeeper()
	s.onAnswer = func(ctx context.Context, _ task.Reply) error {
		if s.count("answer", "") == 1 {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	remembering(t, s, k, func(st *stage) {
		st.settle()
		x := question(st, "t", "p", "who?")
		st.SaveDraft("p", Draft{"name": "Ada"})
		st.wish(accept("p"))
		st.lose(task.SessionLost)
		st.pass(5 * time.Second)
		if x.State != Withdrawn || x.Wish.State != WishUnknown || len(k.drafts()) != 1 {
			t.Fatalf("%v %+v, kept %q", x.State, x.Wish, k.drafts())
		}
		y := question(st, "t", "p2", "who?")
		isDraft(t, "asked again", st.Draft("p2"), Draft{"name": "Ada"})
		if y.State != Open || y.Why != stillAsks || !y.Before || s.count("answer", "") != 1 {
			t.Fatalf("%v %q, sent %d times", y.State, y.Why, s.count("answer", ""))
		}
		st.wish(RetryMsg{task.Key{Server: "ops", ID: "t"}})
		if got := sentOf(s); !slices.Equal(got, []string{"p", "p2"}) || y.State != Answered || len(k.drafts()) != 0 {
			t.Errorf("R: %v, sent %v, kept %q", y.State, got, k.drafts())
		}
		goesOn(st, "t", task.Working)
		if y.Wish.State != Taken {
			t.Errorf("%+v", y.Wish)
		}
	})
	t.Run("and it had arrived", func(t *testing.T) {
		s, k := newScript(), newKeeper()
		s.onAnswer = func(ctx context.Context, _ task.Reply) error { <-ctx.Done(); return ctx.Err() }
		remembering(t, s, k, func(st *stage) {
			st.settle()
			x := question(st, "t", "p", "who?")
			st.SaveDraft("p", Draft{"name": "Ada"})
			st.wish(accept("p"))
			st.lose(task.Lost)
			s.put(a("t", task.Working))
			st.pass(5 * time.Second)
			if x.State != Answered || x.Wish.State != Taken || len(k.drafts()) != 0 || st.Unsent()+st.KeptUnsent() != 0 {
				t.Errorf("%v %+v, kept %q", x.State, x.Wish, k.drafts())
			}
		})
	})
}

// An answer that was kept for the server until it fetches it.
func TestAnAnswerIsFetched(t *testing.T) {
	for _, never := range []bool{false, true} {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			s.put(a("t", task.Working))
			st.tell(push(a("t", task.Working)), task.Prompted{Prompt: task.Prompt{
				ID: "p", Task: "t", Polled: true, Message: task.Own("who?"), At: time.Now(), Until: time.Now().Add(time.Minute),
			}})
			x := st.Ask("p")
			st.wish(accept("p"))
			if x.State != Answered || x.Wish.State != Delivered || !strings.Contains(x.Wish.Why, "until the server fetches it") {
				t.Fatalf("%v %+v", x.State, x.Wish)
			}
			if !never {
				st.tell(task.Fetched{Prompt: "p"}, task.Fetched{Prompt: "nobody's"})
				if x.Wish.State != Taken {
					t.Errorf("%+v", x.Wish)
				}
				return
			}
			st.tell(task.Fetched{Prompt: "p", Never: task.Own("the server never fetched the answer")})
			if x.Wish.State != NoEffect || !strings.Contains(st.line(), "never fetched") {
				t.Errorf("%+v %q", x.Wish, st.line())
			}
		})
	}
}

// A server that floods is named, once.
func TestAServerFloods(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.tell(task.Flooding{Waiting: 3})
		if st.link().Flood != 3 || !strings.HasPrefix(st.line(), "ops asks faster") {
			t.Errorf("%d %q", st.link().Flood, st.line())
		}
		st.Model.tell(false, "something else")
		st.tell(task.Flooding{Waiting: 9})
		if st.link().Flood != 9 || st.line() != "something else" {
			t.Errorf("%d %q", st.link().Flood, st.line())
		}
		st.tell(task.Flooding{})
		if st.link().Flood != 0 {
			t.Error("it floods for ever")
		}
		st.tell(task.Flooding{Waiting: 3})
		st.lose(task.Lost)
		if st.link().Flood != 0 {
			t.Error("it floods without a session")
		}
	})
}

// Over the wire, with both generations: a server that gives up after a minute, in
// silence or not.
func TestGivenUpOverTheWire(t *testing.T) {
	tool := mcptest.Tool{Name: "ask", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
		if _, err := c.Elicit(mcptest.Elicitation{Message: "?"}); err != nil {
			return mcptest.Answered("nobody was there")
		}
		return mcptest.Answered("ok")
	}}
	for era, opts := range map[string][]mcptest.Option{"legacy": nil, "modern": {modern}} {
		for _, silently := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, silently %v", era, silently), func(t *testing.T) {
				overTheWire(t, Options{}, func(st *stage, _ *mcptest.Server) {
					call := task.Call{ID: NewCallID(), Tool: "ask", Args: []byte(`{}`), AsTask: true}
					st.wish(StartMsg{"ops", call})
					st.pass(30 * time.Second)
					r := st.Row(task.Key{Server: "ops", Call: call.ID})
					if len(r.Asks) != 1 {
						t.Fatalf("no question: %+v", r)
					}
					x := r.Asks[0]
					st.SaveDraft(x.Prompt.ID, Draft{"a": "1"})
					st.pass(time.Minute)
					said := !silently && strings.Contains(x.Why, "the server withdrew the question")
					if !said && !strings.Contains(x.Why, "without an answer from here") && x.Why != droppedWhy {
						t.Errorf("%q", x.Why)
					}
					if x.State != Withdrawn || st.Draft(x.Prompt.ID) == nil || r.Task.Status != task.Completed {
						t.Errorf("%v, %v", x.State, r.Task.Status)
					}
				}, append(opts, mcptest.WithTools(tool), mcptest.WithFaults(mcptest.Faults{AskPatience: time.Minute, AskSilently: silently}))...)
			})
		}
	}
}

// The answers of a call of the Modern era go out with the call itself: one that
// cannot be sent has lost them, and they are not said to be taken.
func TestACallEndsWithItsAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		err   *task.Error
		state AskState
		wish  WishState
		kept  bool
	}{
		"a result":     {nil, Answered, Taken, false},
		"an error":     {&task.Error{Kind: task.RPC, Message: task.Own("no")}, Answered, Taken, false},
		"not sent":     {&task.Error{Kind: task.Unreachable, Message: task.Own("refused")}, Withdrawn, WishFailed, true},
		"nobody knows": {&task.Error{Kind: task.Lost, Message: task.Own("cut")}, Answered, WishUnknown, true},
	} {
		for _, early := range []bool{false, true} {
			t.Run(fmt.Sprint(name, early), func(t *testing.T) {
				s, k := newModern(), newKeeper()
				hold := make(chan struct{})
				remembering(t, s, k, func(st *stage) {
					st.settle()
					st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
					st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Call: "c", Message: task.Own("who?"), Form: form(), At: time.Now()}})
					x := st.Ask("p")
					st.SaveDraft("p", Draft{"name": "Ada"})
					end := task.Returned{Call: "c", Err: c.err}
					if c.err == nil {
						end.Result = &task.Result{}
					}
					if early { // before the receipt
						hold = make(chan struct{})
						s.onAll = func([]task.Reply) (task.Receipt, error) { <-hold; return task.Receipt{}, nil }
						st.wish(accept("p"))
						st.tell(end)
						close(hold)
						st.settle()
					} else {
						st.wish(accept("p"))
						st.tell(end)
					}
					if x.State != c.state || x.Wish.State != c.wish || len(k.drafts()) == 1 != c.kept {
						t.Errorf("%v %q, %+v, kept %q", x.State, x.Why, x.Wish, k.drafts())
					}
					st.wish(StartMsg{"ops", task.Call{ID: "d", Tool: "deploy"}})
					st.tell(task.Prompted{Prompt: task.Prompt{ID: "q", Call: "d", Message: task.Own("who?"), Form: form(), At: time.Now()}})
					if (st.Draft("q") != nil) != c.kept {
						t.Errorf("the next call: %q", st.Draft("q"))
					}
				})
			})
		}
	}
}
