package ui

import (
	"testing"
	"time"

	"callboard/model/task"
)

// add lets the script know a task without a word of it.
func (s *script) add(t task.Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, t)
}

func TestWatchFollowsATaskByItsID(t *testing.T) {
	onModern(t, 100, 24, func(s *stage, srv *script) {
		srv.add(newTask("somebody-elses", task.Working))
		s.press(":", "watch somebody-elses", "enter")
		s.shows("Following task some", "◐ working")
		if s.r.tasks.at.ID != "somebody-elses" {
			t.Errorf("the cursor stands on %v", s.r.tasks.at)
		}
	})
}

func TestWatchSaysWhatIsMissing(t *testing.T) {
	onModern(t, 100, 24, func(s *stage, srv *script) {
		s.press(":", "watch", "enter")
		s.shows("Which task? :watch ID follows it.")
		srv.mu.Lock()
		srv.slow = 100 * time.Millisecond
		srv.mu.Unlock()
		s.press(":", "watch no-such-task", "enter")
		s.shows("Asking ops for no-such-task.")
		s.wait(time.Second)
		s.shows("ops knows no task no-such-task")
		s.press(":", "forget", "enter")
		s.shows("No task is selected.")
		s.press(":", "force x", "enter")
		s.shows(":force takes nothing behind it.")
	})
}

// Of several servers the one that is meant is named, or that of the selected row.
func TestWatchOnOneOfSeveralServers(t *testing.T) {
	var lab *script
	play(t, 100, 24, func() map[string]*script {
		lab = newScript()
		lab.about.List = task.CanNo
		ops := newScript()
		ops.about.List = task.CanNo
		return map[string]*script{"ops": ops, "lab": lab}
	}, func(s *stage) {
		lab.add(newTask("t-1", task.Working))
		s.press(":", "watch t-1", "enter")
		s.shows("Whose task? :watch SERVER ID; servers are ops, lab.")
		s.press(":", "wa", "tab", "l", "tab", "t-1", "enter")
		s.shows("Following task t-1")
	})
}

// A key that is pressed meanwhile keeps the cursor where the person put it.
func TestWatchDoesNotTakeTheCursorFromAPerson(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		s.press(":", "watch late", "enter")
		s.press("j")
		at := s.r.tasks.at
		srv.push(newTask("late", task.Working))
		s.settle()
		if s.r.tasks.at != at {
			t.Errorf("the cursor went to %v", s.r.tasks.at)
		}
	})
}

func TestForgettingALiveTaskAsksAndDoesNotCancel(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		key := s.r.tasks.at
		s.press(":", "forget", "enter")
		s.shows("Forget task 786512e2", "not cancelled")
		s.golden("forget-100x24")
		s.press("n")
		if s.m.Row(key) == nil {
			t.Fatal("no meant yes")
		}
		s.press(":", "forget", "enter", "y")
		s.wait(time.Minute) // it is listed all the time
		if s.m.Row(key) != nil || len(srv.cancels) != 0 {
			t.Errorf("row %v, cancels %v", s.m.Row(key), srv.cancels)
		}
	})
}

func TestForgettingWhatHasEndedAsksNothing(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, _ *script) {
		s.goTo("backup-2026-11-30-nightly")
		key := s.r.tasks.at
		s.press(":", "forget", "enter")
		if s.r.over != nil || s.m.Row(key) != nil {
			t.Errorf("over %v, row %v", s.r.over, s.m.Row(key))
		}
		s.shows("is forgotten.")
	})
}

func TestCommandsAreCompleted(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, _ *script) {
		s.press(":", "fo")
		s.shows("force", "forget")
		s.press("rg", "tab")
		s.shows(": forget")
		s.press("esc", ":", "wat", "tab")
		s.shows(": watch")
		s.press("tab", "tab")
		s.shows(": watch ops", "Here stands [SERVER] ID")
	})
}
