package model

import (
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// several begins a board with a task t that asks all of these at once.
func several(st *stage, ids ...task.PromptID) []*Ask {
	st.s.put(a("t", task.InputRequired))
	st.tell(push(a("t", task.InputRequired)))
	return askedOf(st, "t", ids...)
}

func askedOf(st *stage, of task.ID, ids ...task.PromptID) []*Ask {
	var events []task.Event
	for _, id := range ids {
		events = append(events, task.Prompted{Prompt: task.Prompt{ID: id, Task: of, Message: task.Own("what " + strings.TrimLeft(string(id), "'")), At: time.Now()}})
	}
	st.tell(events...)
	asks := make([]*Ask, len(ids))
	for i, id := range ids {
		asks[i] = st.Ask(id)
	}
	return asks
}

func held(id task.PromptID) AnswerMsg {
	m := accept(id)
	m.Hold = true
	return m
}

// sentOf returns the prompts of each Answer.
func sentOf(s *script) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, replies := range s.sent {
		var ids []string
		for _, r := range replies {
			ids = append(ids, string(r.Prompt))
		}
		all = append(all, strings.Join(ids, "+"))
	}
	return all
}

func TestSeveralQuestions(t *testing.T) {
	t.Run("one by one", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			asks := several(st, "p", "q")
			r := st.row("t")
			if len(r.Asks) != 2 {
				t.Fatalf("%d questions", len(r.Asks))
			}
			st.wish(accept("p"))
			if asks[0].State != Answered || asks[1].State != Open || !slices.Equal(sentOf(s), []string{"p"}) {
				t.Errorf("%v %v %v", asks[0].State, asks[1].State, sentOf(s))
			}
			st.pass(time.Minute)
			if asks[0].Wish.State == NoEffect {
				t.Error("that the other question is open is taken for no effect")
			}
			st.wish(accept("q"))
			st.tell(push(a("t", task.Working)))
			if asks[1].State != Answered || asks[0].Wish.State != Taken || asks[1].Wish.State != Taken {
				t.Errorf("%v, %+v, %+v", asks[1].State, asks[0].Wish, asks[1].Wish)
			}
		})
	})
	t.Run("held, then together", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			asks := several(st, "p", "q", "o")
			st.wish(held("p"))
			if asks[0].State != Held || asks[0].Why != "2 more answers before it goes out" || asks[0].Wish != nil || st.Unsent() != 1 {
				t.Fatalf("%v %q, %d unsent", asks[0].State, asks[0].Why, st.Unsent())
			}
			st.wish(held("q"))
			if asks[0].Why != "1 more answer before it goes out" || len(sentOf(s)) != 0 {
				t.Errorf("%q, sent %v", asks[0].Why, sentOf(s))
			}
			if inbox := st.Inbox(); inbox[0] != asks[2] {
				t.Errorf("held ones stand before %q", inbox[0].Prompt.ID)
			}
			st.wish(held("o")) // nothing is open beside it
			if got := sentOf(s); !slices.Equal(got, []string{"p+q+o"}) {
				t.Fatalf("sent %v", got)
			}
			for _, x := range asks {
				if x.State != Answered || x.Wish.State != Delivered {
					t.Errorf("%s: %v %+v", x.Prompt.ID, x.State, x.Wish)
				}
			}
		})
	})
	t.Run("taken back", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			asks := several(st, "p", "q")
			st.SaveDraft("p", Draft{"a": "1"})
			st.wish(held("p"))
			st.wish(TakeBackMsg{"p"})
			if asks[0].State != Open || st.Draft("p")["a"] != "1" {
				t.Fatalf("%v %v", asks[0].State, st.Draft("p"))
			}
			st.wish(accept("q"))
			if got := sentOf(s); !slices.Equal(got, []string{"q"}) {
				t.Errorf("sent %v", got)
			}
			st.wish(TakeBackMsg{"p"})
			if !strings.Contains(st.line(), "No answer is held") {
				t.Errorf("%q", st.line())
			}
		})
	})
	t.Run("what the others wait for is withdrawn", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			asks := several(st, "p", "q")
			st.wish(held("p"))
			st.tell(task.Withdrawn{Prompt: "q"})
			if asks[0].State != Answered || !slices.Equal(sentOf(s), []string{"p"}) {
				t.Errorf("%v, sent %v", asks[0].State, sentOf(s))
			}
		})
	})
	t.Run("the task ends: nothing is sent, what was typed is kept", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			asks := several(st, "p", "q")
			st.SaveDraft("p", Draft{"a": "1"})
			st.wish(held("p"))
			st.tell(push(a("t", task.Failed)))
			if asks[0].State != Withdrawn || asks[1].State != Withdrawn || len(sentOf(s)) != 0 || st.Draft("p") == nil {
				t.Errorf("%v %v, sent %v", asks[0].State, asks[1].State, sentOf(s))
			}
		})
	})
}

func TestAnswersThatTheSessionHolds(t *testing.T) {
	// begin plays a call that asks two things before it can become a task.
	begin := func(t *testing.T, f func(st *stage, r *Row, asks []*Ask)) {
		s := newModern()
		s.onAll = func(r []task.Reply) (task.Receipt, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			answered := map[task.PromptID]bool{}
			for _, replies := range s.sent {
				for _, r := range replies {
					answered[r.Prompt] = true
				}
			}
			return task.Receipt{At: time.Now(), Waits: 2 - len(answered)}, nil
		}
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Call: "c", At: time.Now()}}, task.Prompted{Prompt: task.Prompt{ID: "q", Call: "c", At: time.Now()}})
			f(st, st.Row(task.Key{Server: "ops", Call: "c"}), []*Ask{st.Ask("p"), st.Ask("q")})
		})
	}
	t.Run("until all are there", func(t *testing.T) {
		begin(t, func(st *stage, r *Row, asks []*Ask) {
			if len(r.Asks) != 2 || !r.Asking() {
				t.Fatalf("%+v", r)
			}
			st.wish(accept("p"))
			if asks[0].State != Held || asks[0].Why != "1 more answer before it goes out" {
				t.Fatalf("%v %q", asks[0].State, asks[0].Why)
			}
			st.pass(time.Minute)
			if asks[0].State != Held {
				t.Errorf("%v", asks[0].State)
			}
			st.wish(accept("p")) // another one takes its place
			if asks[0].State != Held || len(sentOf(st.s)) != 2 {
				t.Errorf("%v, %v", asks[0].State, sentOf(st.s))
			}
			st.wish(accept("q"))
			for _, x := range asks {
				if x.State != Answered || x.Wish.State != Delivered {
					t.Errorf("%s: %v %+v", x.Prompt.ID, x.State, x.Wish)
				}
			}
		})
	})
	t.Run("they go along when the call becomes a task", func(t *testing.T) {
		begin(t, func(st *stage, r *Row, asks []*Ask) {
			st.s.put(a("t", task.InputRequired))
			st.tell(task.Started{Call: "c", Task: a("t", task.InputRequired)})
			if r.Key.ID != "t" || len(r.Asks) != 2 || asks[0].Row != r.Key {
				t.Fatalf("%+v", r)
			}
			st.wish(accept("p"))
			st.wish(accept("q"))
			if asks[0].State != Answered || asks[1].State != Answered {
				t.Errorf("%v %v", asks[0].State, asks[1].State)
			}
		})
	})
	t.Run("the last one is lost: nobody knows of any", func(t *testing.T) {
		begin(t, func(st *stage, r *Row, asks []*Ask) {
			st.wish(accept("p"))
			good := st.s.onAll
			st.s.onAll = func([]task.Reply) (task.Receipt, error) {
				return task.Receipt{}, &task.Error{Kind: task.Lost, Message: task.Own("broken")}
			}
			st.wish(accept("q"))
			for _, x := range asks {
				if x.State != Open || x.Wish.State != WishUnknown {
					t.Fatalf("%s: %v %+v", x.Prompt.ID, x.State, x.Wish)
				}
			}
			st.pass(time.Minute)
			if n := len(sentOf(st.s)); n != 2 {
				t.Errorf("sent %d times", n)
			}
			st.s.onAll = good
			st.wish(RetryMsg{r.Key})
			if got := sentOf(st.s); len(got) != 3 || got[2] != "p+q" || asks[0].State != Answered || asks[1].State != Answered {
				t.Errorf("sent %v, %v %v", got, asks[0].State, asks[1].State)
			}
		})
	})
	t.Run("sent by the session when the others are not asked any more", func(t *testing.T) {
		s := newModern()
		s.onAll = func([]task.Reply) (task.Receipt, error) { return task.Receipt{Waits: 1}, nil }
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			asks := several(st, "p", "q")
			st.wish(accept("p"))
			st.tell(task.Withdrawn{Prompt: "q"})
			if asks[0].State != Held {
				t.Fatalf("%v", asks[0].State)
			}
			st.tell(push(a("t", task.Working)))
			if asks[0].State != Answered || len(sentOf(s)) != 1 {
				t.Errorf("%v %q", asks[0].State, asks[0].Why)
			}
		})
	})
}

// TestWhatTheSessionSendsByItself: what became of it is told by the session.
func TestWhatTheSessionSendsByItself(t *testing.T) {
	refused := &task.Error{Kind: task.RPC, Code: codeInvalidParams, Message: task.Own("no such name")}
	lost := &task.Error{Kind: task.Lost, Message: task.Own("broken")}
	for name, c := range map[string]struct {
		err   *task.Error
		moved bool // the task went on before
		state AskState
		why   string
		wish  WishState // 0: none
	}{
		"taken":           {nil, false, Answered, "", Delivered},
		"refused":         {refused, false, Open, "no such name", WishFailed},
		"lost":            {lost, false, Open, unknownWhy, WishUnknown},
		"taken, late":     {nil, true, Answered, "", 0},
		"refused, late":   {refused, true, Withdrawn, "the answer was not taken: no such name", 0},
		"lost, and taken": {lost, true, Answered, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newModern()
			s.onAll = func([]task.Reply) (task.Receipt, error) { return task.Receipt{Waits: 1}, nil }
			play(t, Options{}, s, func(st *stage) {
				st.settle()
				asks := several(st, "p", "q")
				st.SaveDraft("p", Draft{"name": "A"})
				st.wish(accept("p"))
				st.tell(task.Withdrawn{Prompt: "q"})
				if c.moved {
					st.tell(push(a("t", task.Working)))
				}
				n := s.count("get", "t")
				st.tell(task.Delivered{Prompts: []task.PromptID{"p", "unknown"}, Err: c.err})
				p := asks[0]
				if p.State != c.state || p.Why != c.why || (p.Wish != nil) != (c.wish != 0) || p.Wish != nil && p.Wish.State != c.wish {
					t.Fatalf("%v %q %+v", p.State, p.Why, p.Wish)
				}
				if s.count("get", "t") == n {
					t.Error("what it did is not asked for")
				}
				if c.state == Answered {
					return
				}
				if st.Draft("p") == nil || st.line() == "" {
					t.Errorf("draft %v, told %q", st.Draft("p"), st.line())
				}
				if c.state == Withdrawn {
					return
				}
				s.onAll = nil
				st.wish(RetryMsg{st.row("t").Key})
				if p.State != Answered || !slices.Equal(sentOf(s), []string{"p", "p"}) {
					t.Errorf("sent again: %v %v", p.State, sentOf(s))
				}
			})
		})
	}
}

func TestHeldAnswersOutliveALostLink(t *testing.T) {
	s := newModern()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		asks := several(st, "p", "q")
		st.wish(held("p"))
		st.lose(task.Unreachable)
		if asks[0].State != Withdrawn || asks[1].State != Withdrawn {
			t.Fatalf("%v %v", asks[0].State, asks[1].State)
		}
		st.pass(5 * time.Second)
		if st.link().State == Down {
			t.Fatal("not connected again")
		}
		asks = askedOf(st, "t", "'p", "'q", "'o")
		if asks[0].State != Held || asks[1].State != Open || asks[2].State != Open {
			t.Fatalf("%v %v %v", asks[0].State, asks[1].State, asks[2].State)
		}
		st.tell(task.Withdrawn{Prompt: "'o"})
		st.pass(time.Minute)
		if got := sentOf(s); len(got) != 0 {
			t.Fatalf("sent by itself: %v", got)
		}
		st.wish(accept("'q"))
		if got := sentOf(s); !slices.Equal(got, []string{"'p+'q"}) || asks[0].State != Answered {
			t.Errorf("sent %v, %v", got, asks[0].State)
		}
	})
}

// TestAHeldAnswerGoesToItsOwnQuestion: two may read the same.
func TestAHeldAnswerGoesToItsOwnQuestion(t *testing.T) {
	s := newModern()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		ask := func(suffix string) {
			st.s.put(a("t", task.InputRequired))
			st.tell(push(a("t", task.InputRequired)),
				task.Prompted{Prompt: task.Prompt{ID: task.PromptID("p" + suffix), Key: "p", Task: "t", At: time.Now()}},
				task.Prompted{Prompt: task.Prompt{ID: task.PromptID("q" + suffix), Key: "q", Task: "t", At: time.Now()}})
		}
		ask("")
		st.wish(held("q"))
		st.lose(task.Unreachable)
		st.pass(5 * time.Second)
		ask("'")
		if p, q := st.Ask("p'"), st.Ask("q'"); p.State != Open || q.State != Held {
			t.Errorf("%v %v", p.State, q.State)
		}
	})
}
