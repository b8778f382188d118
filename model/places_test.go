package model

import (
	"testing"
	"testing/synctest"
	"time"

	"callboard/model/task"
)

// leave lets the session leave that to who rejoins it.
func (s *script) leave(change func(*task.Resume)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.leaves)
}

// streams are the lines of the last change that is kept of the session, and what
// they were before.
func (k *keeper) streams() (is, was task.Secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.changes {
		if r, ok := c.(task.KeepResume); ok {
			is, was = r.Resume.Streams, r.Was
		}
	}
	return is, was
}

// Where a question stands is kept in the moment in which it comes, and in which
// it is answered: a server may ask once, and callboard may be killed.
func TestWhereAQuestionStandsIsKeptAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newScript(), newKeeper()
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			started(st, "c", "t")
			st.pass(3 * time.Second)
			s.leave(func(r *task.Resume) { r.Streams = "a" })
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "q", Task: "t"}})
			if is, was := k.streams(); is != "a" || was != "" {
				t.Errorf("%q, was %q", string(is), string(was))
			}
		}, true)
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			if r := s.resume[len(s.resume)-1]; r.Streams != "a" {
				t.Errorf("dialled with %+v", r)
			}
			if is, was := k.streams(); is != "a" || was != "a" {
				t.Errorf("%q, was %q, of a session that was rejoined", string(is), string(was))
			}
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "q2", Task: "t"}})
			s.leave(func(r *task.Resume) { r.Streams = "" })
			st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "q2", Action: task.Accept}})
			if is, was := k.streams(); is != "" || was != "a" {
				t.Errorf("%q, was %q", string(is), string(was))
			}
			s.leave(func(r *task.Resume) { r.Streams = "b" })
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "q3", Task: "t"}})
			s.leave(func(r *task.Resume) { r.Streams = "" })
			st.tell(task.Withdrawn{Prompt: "q3"})
			if is, was := k.streams(); is != "" || was != "b" {
				t.Errorf("%q, was %q", string(is), string(was))
			}
		}, false)
	})
}

// A call that was on its way when callboard died is alive again where its stream
// is: by its question, or by what became of it.
func TestACallIsHeardOfAgain(t *testing.T) {
	key := task.Key{Server: "ops", Call: "c"}
	for name, c := range map[string]struct {
		tell    task.Event
		live    bool
		mark    Mark
		settled bool
	}{
		"it asks":          {task.Prompted{Prompt: task.Prompt{ID: "q", Call: "c"}}, true, NoMark, false},
		"it returned":      {task.Returned{Call: "c", Result: &task.Result{}}, false, NoMark, true},
		"it became a task": {task.Started{Call: "c", Task: a("t", task.Working)}, true, NoMark, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, k := newScript(), newKeeper()
				lives(t, Options{}, s, k, func(st *stage) {
					st.settle()
					st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
				}, true)
				lives(t, Options{}, s, k, func(st *stage) {
					st.settle()
					if r := st.Row(key); r == nil || r.Mark != UnknownOutcome {
						t.Fatalf("%+v", r)
					}
					if name == "it became a task" { // which a push may tell first
						st.tell(task.Changed{Task: a("t", task.Working), How: task.Pushed})
					}
					st.tell(c.tell)
					r := st.Row(key)
					if r.Live() != c.live || r.Mark != c.mark {
						t.Errorf("live %v, mark %v", r.Live(), r.Mark)
					}
					if r.How == task.Created { // "started here"
						t.Error("a call of an earlier run is said to be of this one")
					}
					if got := len(k.unsettled()) == 0; got != c.settled {
						t.Errorf("unsettled: %v", k.unsettled())
					}
					if name != "it asks" {
						return
					}
					if len(r.Asks) != 1 {
						t.Error("its question is not at its row")
					}
					st.tell(task.Returned{Call: "c", Err: &task.Error{Kind: task.Lost}})
					if r.Live() || r.Mark != UnknownOutcome || len(k.unsettled()) != 1 {
						t.Errorf("lost again: %v, %v", r.Mark, k.unsettled())
					}
					st.tell(task.Returned{Call: "c", Result: &task.Result{}})
					if r.Task.Status != task.Completed || st.byName["ops"].starts != 0 {
						t.Errorf("%v, %d calls are on their way", r.Task.Status, st.byName["ops"].starts)
					}
				}, false)
			})
		})
	}
}
