package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// asks begins a board with a task t that asks prompt p.
func asks(st *stage) *Ask {
	st.s.put(a("t", task.InputRequired))
	st.settle()
	st.tell(push(a("t", task.InputRequired)), task.Prompted{Prompt: task.Prompt{ID: "p", Task: "t", At: time.Now()}})
	return st.Ask("p")
}

func accept(id task.PromptID) AnswerMsg {
	return AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: id, Action: task.Accept, Content: []byte(`{"a":1}`)}}
}

func TestAnswer(t *testing.T) {
	t.Run("sending, delivered, taken", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			hold := make(chan struct{})
			s.onAnswer = func(context.Context, task.Reply) error { <-hold; return nil }
			st.SaveDraft("p", Draft{"a": "1"})
			st.wish(accept("p"))
			r := st.row("t")
			if ask.State != Answering || r.Wish.State != Sending || r.Wish != ask.Wish || r.Wish.Verb != "answer" {
				t.Fatalf("%v %+v", ask.State, r.Wish)
			}
			st.wish(accept("p")) // dropped: one is in flight
			if !strings.Contains(st.line(), "being sent already") {
				t.Errorf("notice %q", st.line())
			}
			close(hold)
			st.settle()
			if ask.State != Answered || r.Wish.State != Delivered || len(r.Asks) != 0 {
				t.Fatalf("%v %+v", ask.State, r.Wish)
			}
			st.wish(accept("p"))
			if n := s.count("answer", ""); n != 1 {
				t.Errorf("sent %d times", n)
			}
			st.tell(push(a("t", task.Working)))
			if r.Wish.State != Taken || st.Unsent() != 0 {
				t.Errorf("%+v, %d unsent", r.Wish, st.Unsent())
			}
		})
	})
	t.Run("taken also where the task went on before the receipt", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			hold := make(chan struct{})
			s.onAnswer = func(context.Context, task.Reply) error { <-hold; return nil }
			st.wish(accept("p"))
			s.put(a("t", task.Working))
			st.tell(push(a("t", task.Working)))
			close(hold)
			st.settle()
			if ask.State != Answered || ask.Wish.State != Taken {
				t.Errorf("%v %+v", ask.State, ask.Wish)
			}
		})
	})
	t.Run("taken also where the task ended before the receipt", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			hold := make(chan struct{})
			s.onAnswer = func(context.Context, task.Reply) error { <-hold; return nil }
			st.wish(accept("p"))
			st.tell(push(a("t", task.Completed)), task.Withdrawn{Prompt: "p", Why: task.Own("its task has ended")})
			close(hold)
			st.settle()
			if ask.State != Answered || ask.Wish.State != Taken {
				t.Errorf("%v %q %+v", ask.State, ask.Why, ask.Wish)
			}
		})
	})
	t.Run("failed, and the task has ended meanwhile", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			hold := make(chan struct{})
			s.onAnswer = func(context.Context, task.Reply) error {
				<-hold
				return &task.Error{Kind: task.HTTP, Message: task.Own("HTTP 500")}
			}
			st.wish(accept("p"))
			st.tell(push(a("t", task.Failed)))
			close(hold)
			st.settle()
			if ask.State != Withdrawn || ask.Wish.State != WishFailed || len(st.row("t").Asks) != 0 {
				t.Errorf("%v %q %+v", ask.State, ask.Why, ask.Wish)
			}
		})
	})
	t.Run("an answer to one question leaves the other one standing", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			asks(st)
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "q", Task: "t", At: time.Now()}})
			st.wish(accept("p"))
			st.tell(push(a("t", task.Working)))
			if st.Ask("q").State != Open {
				t.Errorf("%v %q", st.Ask("q").State, st.Ask("q").Why)
			}
		})
	})
	t.Run("a server's own question", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", At: time.Now()}})
			st.wish(accept("p"))
			st.pass(20 * time.Second)
			if ask := st.Ask("p"); ask.State != Answered || ask.Wish.State != Delivered {
				t.Errorf("%v %+v", ask.State, ask.Wish)
			}
		})
	})
	t.Run("no effect seen, then taken after all", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			st.wish(accept("p"))
			st.pass(11 * time.Second)
			if ask.Wish.State != NoEffect {
				t.Fatalf("%+v", ask.Wish)
			}
			st.wish(RetryMsg{st.row("t").Key})
			if n := s.count("answer", ""); n != 1 {
				t.Errorf("sent %d times", n)
			}
			st.tell(push(a("t", task.Completed)))
			if ask.Wish.State != Taken {
				t.Errorf("%+v", ask.Wish)
			}
		})
	})
	t.Run("lost: unknown, polled, sent again on R alone", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			s.onAnswer = func(context.Context, task.Reply) error {
				return &task.Error{Kind: task.Lost, Message: task.Own("the connection broke")}
			}
			gets := s.count("get", "t")
			st.wish(accept("p"))
			if ask.State != Open || ask.Wish.State != WishUnknown {
				t.Fatalf("%v %+v", ask.State, ask.Wish)
			}
			st.pass(20 * time.Second)
			if s.count("answer", "") != 1 || s.count("get", "t") == gets {
				t.Fatalf("sent %d times, got %d times", s.count("answer", ""), s.count("get", "t")-gets)
			}
			s.onAnswer = nil
			st.wish(RetryMsg{st.row("t").Key})
			if s.count("answer", "") != 2 || ask.Wish.State != Delivered {
				t.Errorf("R: sent %d times, %+v", s.count("answer", ""), ask.Wish)
			}
		})
	})
	t.Run("lost, but it had arrived", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			s.onAnswer = func(context.Context, task.Reply) error {
				s.put(a("t", task.Working))
				return &task.Error{Kind: task.Lost, Message: task.Own("the connection broke")}
			}
			st.wish(accept("p"))
			st.pass(3 * time.Second)
			if ask.State != Answered || ask.Wish.State != Taken {
				t.Errorf("%v %+v", ask.State, ask.Wish)
			}
			st.wish(RetryMsg{st.row("t").Key})
			if s.count("answer", "") != 1 {
				t.Error("sent twice")
			}
		})
	})
	t.Run("failed: R sends the same again", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			var got []string
			s.onAnswer = func(_ context.Context, r task.Reply) error {
				if got = append(got, string(r.Content)); len(got) == 1 {
					return &task.Error{Kind: task.HTTP, Status: 500, Message: task.Own("HTTP 500")}
				}
				return nil
			}
			st.wish(accept("p"))
			if ask.State != Open || ask.Wish.State != WishFailed || ask.Wish.Why != "HTTP 500" {
				t.Fatalf("%v %+v", ask.State, ask.Wish)
			}
			st.wish(RetryMsg{st.row("t").Key})
			if !slices.Equal(got, []string{`{"a":1}`, `{"a":1}`}) || ask.State != Answered {
				t.Errorf("%q %v", got, ask.State)
			}
		})
	})
	t.Run("withdrawn: too late, the draft is kept", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			st.SaveDraft("p", Draft{"a": "x"})
			st.tell(task.Withdrawn{Prompt: "p", Why: task.Own("timed out")})
			if ask.State != Withdrawn || !strings.Contains(ask.Why, "timed out") || len(st.row("t").Asks) != 0 {
				t.Fatalf("%v %q", ask.State, ask.Why)
			}
			st.wish(accept("p"))
			if s.count("answer", "") != 0 || !strings.Contains(st.line(), "Too late") || st.Draft("p")["a"] != "x" {
				t.Errorf("sent %d, %q, %v", s.count("answer", ""), st.line(), st.Draft("p"))
			}
			// The same question again gets what was typed.
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p2", Task: "t", At: time.Now()}})
			if st.Draft("p2")["a"] != "x" {
				t.Errorf("draft of the new one: %v", st.Draft("p2"))
			}
		})
	})
	t.Run("withdrawn while sending: it came too late", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			hold := make(chan struct{})
			s.onAnswer = func(context.Context, task.Reply) error { <-hold; return nil }
			st.wish(accept("p"))
			st.tell(task.Withdrawn{Prompt: "p"})
			close(hold)
			st.settle()
			if ask.State != Withdrawn || !strings.Contains(ask.Why, "too late") || ask.Wish.State != WishFailed {
				t.Errorf("%v %q %+v", ask.State, ask.Why, ask.Wish)
			}
		})
	})
	t.Run("a task that goes on by itself withdraws its question", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			ask := asks(st)
			st.pass(time.Second)
			st.tell(push(a("t", task.Working)))
			if ask.State != Withdrawn || !strings.Contains(ask.Why, "went on") {
				t.Fatalf("%v %q", ask.State, ask.Why)
			}
			st.pass(time.Second)
			st.tell(push(a("t", task.InputRequired)))
			if ask.State != Open || len(st.row("t").Asks) != 1 {
				t.Errorf("asks again: %v", ask.State)
			}
			st.tell(push(a("t", task.Failed)))
			if ask.State != Withdrawn || !strings.Contains(ask.Why, "ended") {
				t.Errorf("%v %q", ask.State, ask.Why)
			}
		})
	})
	t.Run("Retry-After is obeyed before an answer is sent", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			asks(st)
			s.onPage = func(task.Cursor) (task.Page, error) {
				return task.Page{}, &task.Error{Kind: task.Busy, Message: task.Own("HTTP 503"), RetryAfter: 20 * time.Second}
			}
			st.pass(6 * time.Second)
			st.wish(accept("p"))
			st.pass(5 * time.Second)
			if w := st.Ask("p").Wish; s.count("answer", "") != 0 || !strings.Contains(w.Why, "left alone until") {
				t.Fatalf("sent %d, %+v", s.count("answer", ""), w)
			}
			st.pass(20 * time.Second)
			if s.count("answer", "") != 1 {
				t.Error("not sent afterwards")
			}
		})
	})
}

func TestReadOnly(t *testing.T) {
	s := newScript()
	play(t, Options{ReadOnly: true}, s, func(st *stage) {
		ask := asks(st)
		key := st.row("t").Key
		st.wish(accept("p"))
		st.wish(CancelMsg{key})
		st.wish(AttendMsg{key})
		st.wish(StartMsg{"ops", task.Call{ID: NewCallID(), Tool: "deploy"}})
		for _, what := range []string{"answer", "cancel", "start"} {
			if s.count(what, "") != 0 {
				t.Errorf("%s was sent", what)
			}
		}
		if len(s.attend) != 0 || ask.State != Open {
			t.Errorf("attended %v", s.attend)
		}
		for _, why := range []string{st.CanAnswer(key), st.CanCancel(key), st.CanStart("ops")} {
			if !strings.Contains(why, "--read-only") {
				t.Errorf("why: %q", why)
			}
		}
		st.wish(ToolsMsg{"ops"})
		if len(st.Tools("ops").Tools) != 1 {
			t.Error("tools cannot be read")
		}
	})
	ro := readOnly{}
	_, err1 := ro.Answer(context.Background())
	_, err2 := ro.Cancel(context.Background(), "t")
	for _, err := range []error{err1, err2, ro.Start(context.Background(), task.Call{}), ro.Abandon(context.Background(), "c")} {
		var e *task.Error
		if !errors.As(err, &e) || e.Kind != task.Unsupported {
			t.Errorf("%v", err)
		}
	}
	ro.Attend([]task.ID{"t"}) // reaches nobody
}

func TestCancel(t *testing.T) {
	t.Run("acknowledged, with what that does not prove", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			partial := a("t", task.Working)
			partial.Message = task.Own("half done")
			s.put(partial)
			st.wish(CancelMsg{st.row("t").Key})
			r := st.row("t")
			if r.Task.Status != task.Cancelled || r.Wish.State != Taken || !strings.Contains(r.Wish.Why, "does not prove") {
				t.Errorf("%v %+v", r.Task.Status, r.Wish)
			}
			if len(r.Steps()) < 2 || r.Steps()[1].Message.String() != "half done" {
				t.Errorf("what it last said was not fetched: %+v", r.Steps())
			}
			if why := st.CanCancel(r.Key); !strings.Contains(why, "ended") {
				t.Errorf("why %q", why)
			}
		})
	})
	t.Run("refused", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			s.onCancel = func(task.ID) (task.Task, error) {
				s.put(a("t", task.Completed))
				return task.Task{}, &task.Error{Kind: task.RPC, Code: codeInvalidParams, Message: task.Own("already terminal")}
			}
			st.wish(CancelMsg{st.row("t").Key})
			st.settle()
			r := st.row("t")
			if r.Wish.State != WishFailed || !strings.Contains(r.Wish.Why, "already terminal") || r.Task.Status != task.Completed {
				t.Errorf("%+v %v", r.Wish, r.Task.Status)
			}
		})
	})
	t.Run("an intent that shows no effect", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			s.onCancel = func(task.ID) (task.Task, error) { return task.Task{}, nil }
			st.wish(CancelMsg{st.row("t").Key})
			r := st.row("t")
			if r.Wish.State != Delivered {
				t.Fatalf("%+v", r.Wish)
			}
			if !r.Cancelling() || r.StatusWord() != "cancelling" || !strings.Contains(r.Wish.Why, "as a wish") {
				t.Errorf("%s %+v", r.StatusWord(), r.Wish)
			}
			st.pass(29 * time.Second)
			if r.Wish.State != Delivered {
				t.Errorf("%+v", r.Wish)
			}
			st.pass(2 * time.Second)
			if r.Wish.State != NoEffect || !r.Cancelling() {
				t.Errorf("%+v", r.Wish)
			}
			s.put(a("t", task.Completed))
			st.pass(5 * time.Second)
			if r.Cancelling() || r.StatusWord() != "completed" || r.Wish.State != Taken || r.Wish.Why != "completed; the cancel came too late" {
				t.Errorf("%+v", r.Wish)
			}
		})
	})
	t.Run("not declared: the key says so, force allows one", func(t *testing.T) {
		s := newScript()
		s.about.Cancel = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			key := st.row("t").Key
			s.onCancel = func(task.ID) (task.Task, error) {
				return task.Task{}, &task.Error{Kind: task.RPC, Code: codeMethodNotFound, Message: task.Own("Method not found")}
			}
			st.wish(CancelMsg{key})
			if s.count("cancel", "") != 0 || !strings.Contains(st.line(), "did not declare") {
				t.Fatalf("%q", st.line())
			}
			st.wish(ForceMsg{key})
			if st.CanCancel(key) != "" {
				t.Error(st.CanCancel(key))
			}
			st.wish(CancelMsg{key})
			st.wish(CancelMsg{key})
			if n := s.count("cancel", ""); n != 1 {
				t.Errorf("tried %d times", n)
			}
		})
	})
}

func TestResult(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		s.put(a("t", task.Completed), a("u", task.Cancelled), a("w", task.Working))
		st.settle()
		key := st.row("t").Key
		st.wish(ResultMsg{key})
		st.wish(ResultMsg{key})
		if r := st.row("t"); r.Outcome == nil || r.Outcome.Result == nil || s.count("result", "t") != 1 {
			t.Errorf("%+v, fetched %d times", r.Outcome, s.count("result", "t"))
		}
		st.wish(ResultMsg{task.Key{Server: "ops", ID: "w"}})
		if s.count("result", "w") != 0 || !strings.Contains(st.line(), "has not ended") {
			t.Errorf("%q", st.line())
		}
		s.onResult = func(task.ID) (task.Result, error) { return task.Result{}, notFound() }
		st.wish(ResultMsg{task.Key{Server: "ops", ID: "u"}})
		if r := st.row("u"); r.Mark != Gone || r.Task.Status != task.Cancelled || r.Outcome.Err == nil {
			t.Errorf("%v %v %+v", r.Mark, r.Task.Status, r.Outcome)
		}
		s.onResult = nil
		st.wish(RetryMsg{task.Key{Server: "ops", ID: "u"}})
		if r := st.row("u"); r.Outcome.Result == nil {
			t.Errorf("R: %+v", r.Outcome)
		}
	})
}

func TestResultsAreBounded(t *testing.T) {
	s := newScript()
	s.onResult = func(task.ID) (task.Result, error) { return task.Result{Raw: make([]byte, resultBytes/3)}, nil }
	play(t, Options{}, s, func(st *stage) {
		for i := range 5 {
			s.put(a(fmt.Sprint("t", i), task.Completed))
		}
		st.settle()
		kept := 0
		for i := range 5 {
			st.wish(ResultMsg{task.Key{Server: "ops", ID: task.ID(fmt.Sprint("t", i))}})
		}
		for i := range 5 {
			if st.row(task.ID(fmt.Sprint("t", i))).Outcome != nil {
				kept++
			}
		}
		if kept != 3 || st.row("t4").Outcome == nil {
			t.Errorf("%d kept", kept)
		}
	})
}

func TestTools(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.wish(ToolsMsg{"ops"})
		st.wish(ToolsMsg{"ops"})
		if v := st.Tools("ops"); len(v.Tools) != 1 || v.Loading || s.count("tools", "") != 1 {
			t.Errorf("%+v, listed %d times", v, s.count("tools", ""))
		}
		for range 100 {
			st.tell(task.ToolsChanged{})
		}
		st.pass(5 * time.Second)
		if n := s.count("tools", ""); n != 2 {
			t.Errorf("listed %d times", n)
		}
	})
}
