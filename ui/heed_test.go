package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// fresh is a task that began just now.
func fresh(id string, st task.Status) task.Task {
	return task.Task{ID: task.ID(id), Status: st, Created: time.Now(), Updated: time.Now(), TTL: task.NoTTL}
}

// notices fails unless exactly these notifications came.
func (s *stage) notices(want ...string) {
	s.t.Helper()
	if !slices.Equal(s.notes, want) {
		s.t.Errorf("notified of %q, want %q", s.notes, want)
	}
	s.notes = nil
}

func TestWhoLooksIsNotNotified(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		srv.push(fresh("a", task.Failed)) // a terminal that never says so has the focus
		s.wait(time.Minute)
		s.send(tea.BlurMsg{})
		s.send(tea.FocusMsg{})
		srv.push(fresh("b", task.Failed))
		s.wait(time.Minute)
		s.notices()
	})
}

func TestWhoLooksElsewhereIsNotifiedOnce(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		s.send(tea.BlurMsg{})
		srv.push(fresh("786512e2-9e0d", task.Failed))
		s.settle()
		s.notices("callboard: task 786512e2-9e0d failed, on ops")
		srv.push(fresh("c", task.Completed)) // nobody chose it
		s.wait(time.Minute)
		s.notices()
	})
}

func TestTheBacklogIsNoNews(t *testing.T) {
	play(t, 100, 24, func() map[string]*script { return map[string]*script{} }, func(*stage) {})
	var srv *script
	play(t, 0, 0, func() map[string]*script {
		srv = opsServer()
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		s.send(tea.BlurMsg{})
		s.wait(time.Minute)
		s.notices()
	})
}

func TestNotificationsAreFolded(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		s.send(SettingsMsg{Settings: Settings{Notify: []string{"failed", "completed", "prompt", "cancelled"}}})
		s.send(tea.BlurMsg{})
		for i := range 3 {
			srv.push(fresh(fmt.Sprint("first", i), task.Failed))
			s.settle()
		}
		if len(s.notes) != 3 {
			t.Errorf("a few at once: %q", s.notes)
		}
		s.notes = nil
		for i := range 5 {
			srv.push(fresh(fmt.Sprint("f", i), task.Failed))
		}
		for i := range 2 {
			srv.push(fresh(fmt.Sprint("c", i), task.Completed))
		}
		srv.push(fresh("asks", task.InputRequired))
		s.settle()
		s.notices()
		s.wait(12 * time.Second)
		s.notices("callboard: 1 task asks, 5 failed, 2 completed on ops")
		for range 30 {
			srv.push(fresh(fmt.Sprint("more", time.Now().UnixNano()), task.Failed))
			s.wait(time.Second)
		}
		if len(s.notes) > 4 {
			t.Errorf("%d notifications in half a minute", len(s.notes))
		}
	})
}

func TestNotificationsHoldNoWordsOfResults(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		s.send(tea.BlurMsg{})
		bad := fresh("x\x1b]0;evil\x07", task.Failed)
		bad.Message = task.Clean("the password is hunter2")
		srv.push(bad)
		srv.ask("p", srv.tasks[0].ID, "hunter2?")
		s.wait(15 * time.Second)
		all := strings.Join(s.notes, "\n")
		if len(s.notes) == 0 || strings.Contains(all, "hunter2") || strings.ContainsAny(all, "\x1b\x07") {
			t.Errorf("%q", all)
		}
	})
}

func TestALostServerIsNotified(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		s.send(tea.BlurMsg{})
		srv.mu.Lock()
		srv.fail = &task.Error{Kind: task.Unreachable, Message: task.Own("connection refused")}
		srv.mu.Unlock()
		_ = srv.Close(t.Context(), true)
		s.wait(time.Minute)
		s.notices("callboard: ops is down")
		s.shows("fault")
	})
}

func TestAFloodOfQuestionsDoesNotRingForEach(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		for i := range 100 {
			srv.ask(task.PromptID(fmt.Sprint("p", i)), srv.tasks[0].ID, "Approve?")
			s.wait(100 * time.Millisecond)
		}
		if s.rung < 3 || s.rung > 6 {
			t.Errorf("rang %d times in 10 s", s.rung)
		}
		s.rung = 0
		s.wait(time.Minute)
		if s.rung > 1 { // the one that was held back
			t.Errorf("rang %d times afterwards", s.rung)
		}
	})
}

func TestTheWindowsTitleCounts(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		s.wait(2 * time.Second)
		last := func() string { return s.titles[len(s.titles)-1] }
		before := len(s.titles)
		if last() != "callboard: 1 asking, 4 working" {
			t.Errorf("title %q", last())
		}
		for i := range 40 { // four seconds
			srv.push(fresh(fmt.Sprint("t", i), task.Working))
			s.wait(100 * time.Millisecond)
		}
		s.wait(time.Second)
		if n := len(s.titles) - before; n < 3 || n > 6 {
			t.Errorf("named %d times in 5 s", n)
		}
		if last() != "callboard: 1 asking, 44 working" {
			t.Errorf("title %q", last())
		}
		n := len(s.titles)
		s.wait(time.Minute)
		if len(s.titles) != n {
			t.Errorf("named again, with nothing changed: %q", s.titles[n:])
		}
		s.send(SettingsMsg{Settings: Settings{NoTitle: true}})
		if last() != "" {
			t.Errorf("no title is wanted: %q", last())
		}
	})
}

func TestALossIsSaidOnceAndFolded(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, srv *script) {
		s.wait(10 * time.Second)
		one := fresh("one-and-only", task.Completed)
		one.TTL = 5 * time.Minute
		srv.push(one)
		s.wait(4*time.Minute + 5*time.Second)
		s.shows("The result of task one-and-only will be lost in 5", "w saves it")
		s.goTo("one-and-only")
		s.shows("!5", "Nobody has read its")
		s.wait(20 * time.Second)
		s.hides("The result of task")
		for i := range 4 {
			many := fresh(fmt.Sprint("many", i), task.Completed)
			many.TTL = 5 * time.Minute
			srv.push(many)
		}
		s.wait(4*time.Minute + 2*time.Second)
		s.shows("The results of 4 tasks will be lost within", "L sorts by TTL left")
	})
}
