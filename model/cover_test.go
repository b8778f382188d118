package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

func TestPushOfSomeTasks(t *testing.T) {
	t.Run("these relax, the others are polled", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("in", task.Working), a("out", task.Working))
			st.settle()
			st.tell(push(a("in", task.Working)), push(a("out", task.Working)))
			st.tell(task.Stream{Up: true, Partial: true, Tasks: []task.ID{"in"}})
			in, out := s.count("get", "in"), s.count("get", "out")
			st.pass(11 * time.Second)
			if n := s.count("get", "in") - in; n != 0 {
				t.Errorf("%d gets of the task that push covers", n)
			}
			if n := s.count("get", "out") - out; n < 4 || n > 6 {
				t.Errorf("%d gets in 11 s of the one that it does not", n)
			}
			if why := st.Unpushed(st.row("in").Key); why != "" {
				t.Errorf("%q", why)
			}
			if why := st.Unpushed(st.row("out").Key); !strings.Contains(why, "does not cover") || st.link().State != Live {
				t.Errorf("%q, %v", why, st.link().State)
			}
			st.tell(task.Stream{Up: true, Partial: true, Tasks: []task.ID{"out"}})
			in, out = s.count("get", "in"), s.count("get", "out")
			st.pass(5 * time.Second)
			if s.count("get", "in") == in || s.count("get", "out") != out {
				t.Errorf("%d and %d gets after the change", s.count("get", "in")-in, s.count("get", "out")-out)
			}
			st.tell(task.Stream{Up: true, Partial: true})
			if v := st.link(); v.State != Quiet || !strings.Contains(v.Why, "polled") {
				t.Errorf("a stream without tasks is %v, %q", v.State, v.Why)
			}
		})
	})
	t.Run("a change that a poll finds in another task says nothing of push", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("in", task.Working), a("out", task.Working))
			st.settle()
			st.tell(push(a("in", task.Working)), push(a("out", task.Working)), task.Stream{Up: true, Partial: true, Tasks: []task.ID{"in"}})
			s.put(a("out", task.InputRequired))
			st.pass(6 * time.Second)
			if why := st.Unpushed(st.row("in").Key); why != "" || st.row("out").Task.Status != task.InputRequired {
				t.Errorf("%q", why)
			}
		})
	})
	t.Run("cut off: all are polled at once, and the row says why", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working), a("u", task.Working))
			st.settle()
			st.tell(push(a("t", task.Working)), push(a("u", task.Working)), task.Stream{Up: true, Partial: true, Tasks: []task.ID{"t", "u"}})
			st.pass(time.Second)
			before := s.count("get", "")
			st.tell(task.Stream{Why: "the stream broke"})
			if n := s.count("get", "") - before; n != 2 {
				t.Errorf("%d gets at once", n)
			}
			if why := st.Unpushed(st.row("t").Key); why != "push is down: the stream broke" || st.row("t").How != task.Polled {
				t.Errorf("%q, %v", why, st.row("t").How)
			}
			before = s.count("get", "t")
			st.pass(9 * time.Second)
			if n := s.count("get", "t") - before; n < 4 {
				t.Errorf("%d gets in 9 s", n)
			}
			before = s.count("get", "t")
			st.tell(task.Stream{Up: true, Partial: true, Gap: true, Tasks: []task.ID{"t", "u"}})
			if n := s.count("get", "t") - before; n != 1 {
				t.Errorf("%d gets once it is back", n)
			}
			st.lose(task.Unreachable) // the next session covers nothing yet
			st.pass(2 * time.Second)
			before = s.count("get", "t")
			st.pass(9 * time.Second)
			if n := s.count("get", "t") - before; n < 4 {
				t.Errorf("%d gets in 9 s of a new session without push", n)
			}
		})
	})
}

// TestCoverKeepsTheQueuesInOrder: what is covered changes, and nobody starves.
func TestCoverKeepsTheQueuesInOrder(t *testing.T) {
	s := newSchedule()
	s.pushes(true)
	ids := make([]task.ID, 60)
	for i := range ids {
		ids[i] = task.ID(fmt.Sprint(i))
		s.heard(task.Task{ID: ids[i], Status: task.Working}, task.Pushed, false, clock(float64(i)/100))
	}
	for i := range 40 {
		s.cover(i%5 != 4, ids[i:i+i%20])
		for k, q := range s.queues {
			for e := q.Front(); e != nil && e.Next() != nil; e = e.Next() {
				if e.Next().Value.(*watch).from.Before(e.Value.(*watch).from) {
					t.Fatal("a queue is out of order")
				}
			}
			if q.Len() > 0 && k.steady == s.covers(q.Front().Value.(*watch).id) {
				t.Fatalf("step %d: a task is in the wrong queue", i)
			}
		}
		n := 0
		for _, q := range s.queues {
			n += q.Len()
		}
		if n != len(ids) {
			t.Fatalf("%d of %d wait", n, len(ids))
		}
	}
}

func TestModernBoard(t *testing.T) {
	t.Run("handles are got one by one, within the limit", func(t *testing.T) {
		s, k := newModern(), newKeeper()
		for i := range 100 {
			x := task.Task{ID: task.ID(fmt.Sprint(i)), Status: task.Working, Created: birth}
			k.kept.Handles = append(k.kept.Handles, task.Handle{Task: x, Seen: birth})
			s.put(x)
		}
		remembering(t, s, k, func(st *stage) {
			st.pass(time.Second)
			if n := s.count("get", ""); n < 15 || n > 21 {
				t.Errorf("%d gets in the first second", n)
			}
			st.pass(10 * time.Second)
			for i := range 100 {
				if r := st.row(task.ID(fmt.Sprint(i))); r.How != task.Polled {
					t.Fatalf("%s: %v", r.Key.ID, r.How)
				}
			}
			if s.count("page", "") != 0 {
				t.Error("a list was asked for")
			}
			st.wish(ForceMsg{})
			if s.count("page", "") != 0 || !strings.Contains(st.line(), "no list to force") {
				t.Errorf("%q", st.line())
			}
		})
	})
	t.Run("an empty one says why", func(t *testing.T) {
		s, k := newModern(), newKeeper()
		remembering(t, s, k, func(st *stage) {
			st.settle()
			said := strings.Join(st.Why(screenKeys), "\n")
			for _, part := range []string{"2026-07-28", "kept for the next start", ":watch ID", "n starts"} {
				if !strings.Contains(said, part) {
					t.Errorf("%q is not said: %s", part, said)
				}
			}
			if strings.Contains(said, "session") || strings.Contains(said, ":force") {
				t.Errorf("%s", said)
			}
		})
	})
	t.Run("a version without tasks", func(t *testing.T) {
		for era, s := range map[string]*script{"legacy": newScript(), "modern": newModern()} {
			t.Run(era, func(t *testing.T) {
				s.about.List, s.about.TaskCalls, s.about.Note = task.CanNo, task.CanNo, task.Own("it has no tasks")
				play(t, Options{}, s, func(st *stage) {
					st.settle()
					said := strings.ToLower(strings.Join(st.Why(screenKeys), "\n"))
					if !strings.Contains(said, "it has no tasks") || strings.Contains(said, ":force") || strings.Contains(said, "followed") {
						t.Errorf("%s", said)
					}
				})
			})
		}
	})
}

func TestTimeLine(t *testing.T) {
	kinds := func(line []task.Step) (all []string) {
		for _, s := range line {
			word := s.Kind.String()
			if s.Kind == task.Told {
				word = s.Status.String()
			}
			all = append(all, word)
		}
		return all
	}
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		ended := a("ended", task.Completed)
		s.put(a("t", task.Working), ended)
		st.settle()
		st.lose(task.Unreachable)
		s.onDial = func(int) error { return unreachable() }
		st.pass(time.Second)
		if got := fmt.Sprint(kinds(st.TimeLine(st.row("t").Key))); got != "[working link lost]" {
			t.Errorf("while it is lost: %s", got)
		}
		s.mu.Lock()
		s.onDial = nil
		s.mu.Unlock()
		st.pass(time.Minute)
		s.put(a("t", task.InputRequired))
		st.pass(10 * time.Second)
		s.drop("t")
		st.pass(20 * time.Second)
		line := st.TimeLine(st.row("t").Key)
		if got := fmt.Sprint(kinds(line)); got != "[working link lost link back input_required gone]" {
			t.Errorf("%s", got)
		}
		if line[1].Message.IsZero() || line[2].At.Before(line[1].At) {
			t.Errorf("%+v", line)
		}
		if got := fmt.Sprint(kinds(st.TimeLine(st.row("ended").Key))); got != "[completed]" {
			t.Errorf("of one that had ended: %s", got)
		}
		s.put(a("later", task.Working))
		st.pass(10 * time.Second)
		if got := fmt.Sprint(kinds(st.TimeLine(st.row("later").Key))); got != "[working]" {
			t.Errorf("of one that came later: %s", got)
		}
		for range 3 * gapsKept { // no link costs memory for ever
			st.lose(task.Unreachable)
			st.pass(2 * time.Minute)
		}
		if n := len(st.links[0].gaps); n != gapsKept {
			t.Errorf("%d gaps are kept", n)
		}
	})
}

// TestATaskThatNeedsAVisitWaits: its outcome is fetched to say so, in whichever order
// its end and the pages come.
func TestATaskThatNeedsAVisitWaits(t *testing.T) {
	for _, first := range []bool{true, false} {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("x", task.Working))
			st.settle()
			page := task.Prompted{Prompt: task.Prompt{ID: "p", Task: "x", Mode: task.URLMode, Visit: true, URL: "https://example.com/", At: time.Now()}}
			if first {
				st.tell(page)
			}
			s.put(a("x", task.Failed))
			st.pass(time.Minute)
			if !first {
				st.tell(page)
			}
			st.pass(time.Second)
			r := st.row("x")
			if !r.MustVisit() || r.StatusWord() != "must visit" || st.Ask("p").State != Open || s.count("result", "x") != 1 {
				t.Errorf("%v: %s, %v, %d results", first, r.StatusWord(), st.Ask("p").State, s.count("result", "x"))
			}
			st.wish(OpenedMsg{"p"})
			if r.Asking() || st.Ask("p").State != Answered {
				t.Errorf("%v: %s, %v", first, r.StatusWord(), st.Ask("p").State)
			}
		})
	}
}

// TestACallThatNeedsAVisitWaits: it has failed, and yet a person is waited for.
func TestACallThatNeedsAVisitWaits(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		s.put(a("done", task.Completed))
		st.settle()
		st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
		st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Call: "c", Mode: task.URLMode, URL: "https://example.com/", At: time.Now()}},
			task.Returned{Call: "c", Err: &task.Error{Kind: task.RPC, Code: -32042, Message: task.Own("visit it first")}})
		st.pass(time.Second)
		r := st.Row(task.Key{Server: "ops", Call: "c"})
		if !r.MustVisit() || !r.Asking() || r.StatusWord() != "must visit" || st.Board().At(0) != r || st.Counts().Asking != 1 || st.Counts().Failed != 0 {
			t.Errorf("%s, %+v", r.StatusWord(), st.Counts())
		}
		st.wish(OpenedMsg{"p"})
		if r.Asking() || r.StatusWord() != "failed" || st.Counts().Failed != 1 {
			t.Errorf("after the visit: %s, %+v", r.StatusWord(), st.Counts())
		}
	})
}
