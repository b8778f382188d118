package model

import (
	"testing"
	"time"

	"callboard/model/task"
)

func TestStart(t *testing.T) {
	call := func(asTask bool) task.Call {
		return task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`), AsTask: asTask}
	}
	t.Run("a call becomes a task, and its row follows", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			c := call(true)
			st.wish(StartMsg{"ops", c})
			key := task.Key{Server: "ops", Call: c.ID}
			st.wish(SelectMsg{key})
			r := st.Row(key)
			if r == nil || r.Plain || r.Wish.State != Delivered || st.Board().Total() != 1 {
				t.Fatalf("%+v", r)
			}
			s.put(a("t", task.Working))
			st.tell(task.Started{Call: c.ID, Task: a("t", task.Working), Note: task.Own("hold on")},
				task.Progressed{Call: c.ID, Progress: task.Progress{Done: 1, Total: 2}})
			if r != st.row("t") || st.Row(key) != r || r.Wish.State != Taken || r.Note.String() != "hold on" || r.Progress.Done != 1 {
				t.Errorf("%+v", r)
			}
			if i, ok := st.Board().Rank(key); !ok || i != 0 || st.Board().Len() != 1 || st.Counts().Working != 1 {
				t.Errorf("%d rows, counts %+v", st.Board().Len(), st.Counts())
			}
			if st.selected != r.Key {
				t.Error("the selection does not follow")
			}
			st.pass(20 * time.Second)
			if r.How != task.Listed {
				t.Errorf("not watched: %v", r.How)
			}
		})
	})
	t.Run("a push before the reply is newer than the reply", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			c := call(true)
			st.wish(StartMsg{"ops", c})
			x := a("t", task.InputRequired)
			s.put(x)
			st.tell(push(x))
			early := x
			early.Status = task.Working
			st.tell(task.Started{Call: c.ID, Task: early})
			r := st.row("t")
			if len(r.Steps()) < 2 || r.Steps()[0].How != task.Created || r.Steps()[1].How != task.Pushed || r.First != At(r.Steps()[0].At) {
				t.Errorf("the time line does not begin with the start: %+v", r.Steps())
			}
			if r.Task.Status != task.InputRequired || r.Call == nil || r.Tool.String() != "deploy" || st.Row(task.Key{Server: "ops", Call: c.ID}) != r {
				t.Errorf("%+v", r)
			}
			if st.Board().Total() != 1 || st.Counts().Total != 1 || st.Counts().Asking != 1 || st.Counts().Working != 0 {
				t.Errorf("%+v", st.Counts())
			}
		})
	})
	t.Run("a plain call: progress, result", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			c := call(false)
			st.wish(StartMsg{"ops", c})
			r := st.Row(task.Key{Server: "ops", Call: c.ID})
			if !r.Plain || !r.Live() || st.Counts().Calls != 1 {
				t.Fatalf("%+v", r)
			}
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Call: c.ID, At: time.Now()}})
			if len(r.Asks) != 1 || st.Counts().Asking != 1 {
				t.Errorf("%d asks", len(r.Asks))
			}
			st.tell(task.Returned{Call: c.ID, Result: &task.Result{IsError: true}})
			if r.Task.Status != task.Failed || r.Outcome.Result == nil || r.Wish.State != Taken || st.Ask("p").State != Withdrawn {
				t.Errorf("%+v", r)
			}
		})
	})
	t.Run("a call that needs a visit first keeps its question", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			c := call(false)
			st.wish(StartMsg{"ops", c})
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Call: c.ID, Mode: task.URLMode, URL: "https://x", At: time.Now()}},
				task.Returned{Call: c.ID, Err: &task.Error{Kind: task.RPC, Code: -32042, Message: task.Own("visit first")}})
			r := st.Row(task.Key{Server: "ops", Call: c.ID})
			if st.Ask("p").State != Open || r.Task.Status != task.Failed {
				t.Errorf("%v %q", st.Ask("p").State, st.Ask("p").Why)
			}
			st.wish(OpenedMsg{"p"})
			if s.count("answer", "p") != 1 {
				t.Error("the consent was not sent")
			}
		})
	})
	t.Run("a plain call is given up", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			c := call(false)
			st.wish(StartMsg{"ops", c})
			key := task.Key{Server: "ops", Call: c.ID}
			st.wish(CancelMsg{key})
			r := st.Row(key)
			if s.count("abandon", string(c.ID)) != 1 || r.Task.Status != task.Cancelled || r.Wish.State != Taken {
				t.Errorf("%+v %+v", r, r.Wish)
			}
		})
	})
	for _, first := range []string{"its reply", "a push"} {
		t.Run("a call is given up that had become a task, of which tells first "+first, func(t *testing.T) {
			s := newScript()
			play(t, Options{}, s, func(st *stage) {
				st.settle()
				c := call(true)
				st.wish(StartMsg{"ops", c})
				st.wish(CancelMsg{task.Key{Server: "ops", Call: c.ID}})
				if first == "a push" {
					st.tell(task.Changed{Task: a("t", task.Working), How: task.Pushed})
				}
				st.tell(task.Started{Call: c.ID, Task: a("t", task.Working)})
				r := st.row("t")
				if r.Task.Status != task.Working || !r.Live() || r.Wish.State != NoEffect || st.Counts().Working != 1 || st.Counts().Total != 1 {
					t.Fatalf("%+v %+v %+v", r, r.Wish, st.Counts())
				}
				st.wish(CancelMsg{r.Key})
				if s.count("cancel", "t") != 1 {
					t.Error("the task cannot be cancelled")
				}
				done := a("t", task.Completed)
				done.Updated = done.Updated.Add(time.Minute)
				st.tell(task.Changed{Task: done, How: task.Pushed})
				if r.Task.Status != task.Completed || r.Later != task.Unknown {
					t.Errorf("%+v", r)
				}
			})
		})
	}
	t.Run("a link that breaks leaves the outcome unknown", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			c, d := call(false), call(false)
			st.wish(StartMsg{"ops", c})
			st.tell(task.Returned{Call: c.ID, Err: &task.Error{Kind: task.Lost, Message: task.Own("broke")}})
			st.wish(StartMsg{"ops", d})
			st.lose(task.SessionLost)
			for _, id := range []task.CallID{c.ID, d.ID} {
				if r := st.Row(task.Key{Server: "ops", Call: id}); r.Mark != UnknownOutcome || r.Wish.State != WishUnknown || r.Live() {
					t.Errorf("%+v", r)
				}
			}
		})
	})
	t.Run("what could not be sent is sent again on R", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			n := 0
			s.onStart = func(task.Call) error {
				if n++; n == 1 {
					return &task.Error{Kind: task.HTTP, Status: 500, Message: task.Own("HTTP 500")}
				}
				return nil
			}
			c := call(true)
			st.wish(StartMsg{"ops", c})
			key := task.Key{Server: "ops", Call: c.ID}
			r := st.Row(key)
			if r.Wish.State != WishFailed || r.Live() || r.Outcome.Err == nil {
				t.Fatalf("%+v", r.Wish)
			}
			st.wish(RetryMsg{key})
			if st.Row(key) != r || r.Wish.State != Delivered || !r.Live() || r.Key.Call == c.ID || st.Board().Total() != 1 {
				t.Errorf("%+v %+v", r, r.Wish)
			}
			st.tell(task.Started{Call: r.Call.ID, Task: a("t", task.Working)})
			if st.Row(key) != r || st.row("t") != r {
				t.Error("the old name is lost")
			}
		})
	})
	t.Run("64 at a time", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			var first task.CallID
			for range 70 {
				c := call(false)
				if first == "" {
					first = c.ID
				}
				st.wish(StartMsg{"ops", c})
			}
			if n := s.count("start", ""); n != 64 || st.CanStart("ops") == "" {
				t.Errorf("%d started", n)
			}
			st.tell(task.Returned{Call: first, Result: &task.Result{}})
			if st.CanStart("ops") != "" {
				t.Error(st.CanStart("ops"))
			}
		})
	})
}
