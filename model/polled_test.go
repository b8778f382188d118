package model

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"callboard/model/task"
)

// polled asks what the server polls for, on the stream of a call where there is one.
func polled(st *stage, id task.PromptID, call task.CallID) *Ask {
	st.tell(task.Prompted{Prompt: task.Prompt{
		ID: id, Key: string(id), Call: call, Polled: true, Message: task.Own("who?"), Form: form(), At: time.Now(), Until: time.Now().Add(time.Hour),
	}})
	return st.Ask(id)
}

// The end of a call does not end a question that its server polls for: that has
// another way to take it back.
func TestAPolledQuestionOutlivesItsCall(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "survey"}})
		x := polled(st, "p", "c")
		r := st.Row(task.Key{Server: "ops", Call: "c"})
		if len(r.Asks) != 1 {
			t.Fatalf("%d questions of the call", len(r.Asks))
		}
		st.tell(task.Returned{Call: "c", Result: &task.Result{}})
		if x.State != Open || !x.Row.IsZero() || len(r.Asks) != 0 || len(st.Inbox()) != 1 {
			t.Fatalf("%v of %v, %d in the inbox", x.State, x.Row, len(st.Inbox()))
		}
		st.wish(accept("p"))
		if x.State != Answered || s.count("answer", "") != 1 {
			t.Errorf("%v, sent %d times", x.State, s.count("answer", ""))
		}
	})
}

// That a task goes on without an answer says nothing where the server polls.
func TestAPolledQuestionStays(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.tell(push(a("t", task.InputRequired)), task.Prompted{Prompt: task.Prompt{
			ID: "p", Task: "t", Polled: true, Message: task.Own("who?"), At: time.Now(), Until: time.Now().Add(time.Hour),
		}})
		goesOn(st, "t", task.Working)
		if x := st.Ask("p"); x.State != Open {
			t.Errorf("%v: %s", x.State, x.Why)
		}
	})
}

// The server may come for an answer before we hear that the session has it.
func TestFetchedBeforeTheReceipt(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "survey"}})
		x := polled(st, "p", "c")
		hold := make(chan struct{})
		s.onAnswer = func(context.Context, task.Reply) error { <-hold; return nil }
		st.wish(accept("p"))
		st.tell(task.Fetched{Prompt: "p"})
		close(hold)
		st.settle()
		if x.State != Answered || x.Wish.State != Taken {
			t.Errorf("%v, %+v", x.State, x.Wish)
		}
	})
}

// What was typed stays on the disk until the server has the answer: it is in our
// hands alone.
func TestTheDraftOfAPolledQuestion(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		x := polled(st, "p", "")
		st.SaveDraft("p", Draft{"name": "Ada"})
		st.wish(accept("p"))
		if x.State != Answered || len(k.drafts()) != 1 {
			t.Fatalf("answered: %v, kept %q", x.State, k.drafts())
		}
		s.leave(func(r *task.Resume) { r.Streams = "" })
		st.tell(task.Fetched{Prompt: "p"})
		if len(k.drafts()) != 0 {
			t.Errorf("fetched: kept %q", k.drafts())
		}
	})
}

// A session in which the server polls for an answer is not ended by quitting; what
// it fetched in the last moment is not asked again.
func TestQuittingWithAPolledQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*stage)
		keep bool
	}{
		"open":     {func(*stage) {}, true},
		"answered": {func(st *stage) { st.wish(accept("p")) }, true},
		"fetched":  {func(st *stage) { st.wish(accept("p")); st.tell(task.Fetched{Prompt: "p"}) }, false},
		"too late": {func(st *stage) { st.pass(2 * time.Hour) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, k := newScript(), newKeeper()
				s.onClose = func() { s.leave(func(r *task.Resume) { r.Streams = "" }) }
				lives(t, Options{}, s, k, func(st *stage) {
					st.settle()
					s.leave(func(r *task.Resume) { r.Streams = "question" })
					polled(st, "p", "")
					c.do(st)
				}, false)
				if len(s.closed) != 1 || s.closed[0] != c.keep {
					t.Errorf("the session is kept: %v, want %v", s.closed, c.keep)
				}
				if is, was := k.streams(); c.keep && (is != "" || was != "question") {
					t.Errorf("kept %q, was %q", string(is), string(was))
				}
			})
		})
	}
}
