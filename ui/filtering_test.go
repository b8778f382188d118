package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/x/ansi"
)

// A new order over many rows shows its first rows at once. The cursor stays on
// its task where that passes, and on its line where it does not.
func TestTheCursorWhileRowsAreFound(t *testing.T) {
	play(t, 80, 24, func() map[string]*script { return map[string]*script{"ops": nineThousand()} }, func(s *stage) {
		s.wait(time.Second)
		first := func(msg any) { // the Update alone, as a key is seen before any slice comes
			synctest.Wait()
			_, cmd := s.r.Update(msg)
			s.r.View()
			s.run(cmd)
		}
		s.press("G", "kkk")
		at := s.r.tasks.at
		first(model.SortMsg{By: model.ByTask})
		if !s.m.Board().Busy() || s.r.tasks.at != at {
			t.Errorf("busy %v, the cursor is on %v, was on %v", s.m.Board().Busy(), s.r.tasks.at, at)
		}
		if view := ansi.Strip(s.r.View()); !strings.Contains(view, "%") || strings.Contains(view, "100%") {
			t.Errorf("how far it is does not show:\n%s", view)
		}
		s.settle()
		if s.m.Board().Busy() || s.r.tasks.at != at {
			t.Errorf("the cursor is on %v, was on %v", s.r.tasks.at, at)
		}
		s.press("g", "jjj")
		first(model.FilterMsg{Text: "/x-[0-7]/"}) // the newest tasks are told last
		line := s.r.tasks.win.cursor
		s.settle()
		if s.r.tasks.win.cursor != line || line != 3 {
			t.Errorf("the cursor went from line %d to %d", line, s.r.tasks.win.cursor)
		}
		first(model.FilterMsg{Text: "x-8500"})
		if view := ansi.Strip(s.r.View()); !s.m.Board().Busy() || !strings.Contains(view, "among the first") || !s.r.tasks.at.IsZero() {
			t.Errorf("on %v:\n%s", s.r.tasks.at, view)
		}
		s.settle()
		if s.r.tasks.at.ID != "x-8500" {
			t.Errorf("the cursor is on %v", s.r.tasks.at)
		}
	})
}

func nineThousand() *script {
	srv, born := newScript(), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 9000 {
		srv.tasks = append(srv.tasks, task.Task{
			ID: task.ID(fmt.Sprintf("x-%04d", i)), Status: task.Working, Created: born.Add(time.Duration(i-9000) * time.Minute), Updated: born,
		})
	}
	return srv
}
