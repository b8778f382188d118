package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

func marked(s *stage) []task.ID {
	var ids []task.ID
	for _, r := range s.m.MarkedRows(0) {
		ids = append(ids, r.Key.ID)
	}
	return ids
}

func TestMarks(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		s.press("-")
		s.shows("Nothing is marked. space marks.")
		s.press("g", "ctrl+@")
		s.shows("A range begins at the row that was marked last")
		s.press("space")
		s.shows("1 marked", "■ ◆ asking", "c cancel 1", "y copy 1 id")
		if s.r.tasks.win.cursor != 1 {
			t.Errorf("the cursor is at %d", s.r.tasks.win.cursor)
		}
		s.press("j", "j", "ctrl+@")
		s.shows("4 marked")
		s.press("k", "space")
		s.shows("3 marked")
		s.press("/", "disk", "enter") // hides them
		s.shows("Tasks 1 of 8 · 3 marked · /disk")
		s.press("*")
		s.shows("4 marked")
		s.press("esc", "-")
		s.hides("marked")
		s.press("*")
		s.shows("8 marked")
	})
}

func TestRangeOverTheFilter(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		s.press("g", "space", "/", "disk", "enter", "ctrl+@")
		s.shows("The filter hides the row that was marked last")
		if n := s.m.Marked(); n != 1 {
			t.Errorf("%d are marked", n)
		}
	})
}

// A mark is a glyph, in ASCII too and where it is narrow.
func TestMarksAreNoColour(t *testing.T) {
	onOps(t, 40, 12, func(s *stage, _ *script) {
		s.press("g", "space", "k")
		s.shows("▌■◆ asking")
		s.golden("marks-40x12")
	})
}

func TestCopyOfMarked(t *testing.T) {
	onOps(t, 140, 30, func(s *stage, srv *script) {
		s.press("g", "space", "space", "y")
		want := fmt.Sprintf("%s\n%s\n", marked(s)[0], marked(s)[1])
		if len(s.copies) != 1 || s.copies[0] != want {
			t.Errorf("copied %q, want %q", s.copies, want)
		}
		s.press("X")
		s.shows("not started here", "That is for the row under the cursor: marks are for c and y.")
		s.press("tab", "y") // in the detail a key is about its task
		if len(s.copies) != 2 || strings.Contains(s.copies[1], "\n") {
			t.Errorf("copied %q", s.copies)
		}
	})
}

func TestCancelOfMany(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		s.press("*", "c")
		s.shows("Cancel 5 of 8 marked?", "y yes", "3 cannot be cancelled, and are skipped", "it has ended (failed)", "5 on ops")
		s.press("n")
		s.shows("Nothing was done")
		if len(srv.cancels) != 0 {
			t.Fatal("no meant yes")
		}
		s.press("c", "y")
		s.wait(time.Second)
		if n := len(srv.cancels); n != 5 {
			t.Errorf("%d cancels", n)
		}
		s.shows("The cancel of 5 of 5 was acknowledged.")
		s.hides("marked", "b shows them")
	})
}

// What fails can be looked at, opened, and sent again; nothing takes the keys.
// Where none can be cancelled there is nothing to say yes to.
func TestCancelOfManyOfNone(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		s.press("/", "status:failed", "enter", "*", "c")
		s.shows("None of 1 marked can be cancelled", "it has ended (failed)", "n back")
		s.hides("y yes")
		s.press("y")
		s.shows("nothing was done")
		if s.r.over != nil || len(srv.cancels) > 0 {
			t.Errorf("%v, %v", s.r.over, srv.cancels)
		}
	})
}

func TestCancelOfManyThatFails(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		s.press("b")
		s.shows("Nothing was cancelled together yet")
		srv.refuse = &task.Error{Kind: task.RPC, Code: -32602, Message: task.Own("not this one")}
		s.press("g", "space", "space", "c", "y")
		s.wait(time.Second)
		s.shows("Cancel of 2: 0 acknowledged, 2 failed", "b shows them")
		if s.r.over != nil {
			t.Error("it took the keyboard")
		}
		s.press("b")
		s.shows("Cancel of many", "not this one", "R retry")
		s.press("j", "enter")
		if got := s.r.tasks.at.ID; !slices.Contains(srv.cancels, got) || s.r.over != nil {
			t.Errorf("enter led to %v", got)
		}
		s.hides("2 failed")
		srv.mu.Lock()
		srv.refuse, srv.cancels = nil, nil
		srv.mu.Unlock()
		s.press("b", "R")
		s.wait(time.Second)
		s.shows("Cancel of 2: 2 acknowledged", "Nothing failed. The rows say what became of the tasks")
		if len(srv.cancels) != 2 {
			t.Errorf("cancels %v", srv.cancels)
		}
		s.press("R")
		s.shows("Nothing failed that could be sent again")
		s.press("x")
		s.shows("nothing to stop")
	})
}

func TestGoldenManyThatFailed(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.refuse = &task.Error{Kind: task.RPC, Code: -32602, Message: task.Own("not this one")}
		s.press("G", "space", "g", "space", "c", "y") // of several the replies come in any order
		s.wait(time.Second)
		s.press("b")
		s.golden("many-failed-100x30")
	})
}

func TestStopOfMany(t *testing.T) {
	var srv *script
	play(t, 100, 30, func() map[string]*script {
		srv = many(40)
		for i := range srv.tasks {
			srv.tasks[i].Status = task.Working
		}
		srv.held = 2 * time.Second
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		s.press("*", "c", "y", "b")
		s.shows("Cancelling 40: 0 acknowledged", "x stop")
		s.press("esc", "q") // quitting asks: what is not sent would not be
		s.shows("Quit?", "40 of 40 have no outcome yet")
		s.press("n", "b", "x")
		s.wait(30 * time.Second)
		s.shows("stopped")
		if n := len(srv.cancels); n == 0 || n >= 40 {
			t.Errorf("%d cancels", n)
		}
		if s.press("esc", "q"); !s.r.quitting {
			t.Error("quitting asks for what is stopped")
		}
	})
}

func TestPauseAndFollow(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		newest := func(id task.ID) {
			srv.push(task.Task{ID: id, Status: task.Working, Created: time.Now(), Updated: time.Now()})
			s.settle()
		}
		s.press("f")
		s.shows("following", "AGE ▲")
		newest("new-1")
		if s.r.tasks.at.ID != "new-1" {
			t.Errorf("follows %v", s.r.tasks.at)
		}
		s.wait(time.Second)
		newest("new-2")
		s.press("j")
		s.shows("Not following any more")
		at := s.r.tasks.at
		s.wait(time.Second)
		newest("new-3")
		if s.r.tasks.at != at {
			t.Errorf("the cursor went to %v", s.r.tasks.at)
		}
		s.press("f", "p")
		s.hides("following")
		s.shows("paused", "p go on")
		s.wait(time.Second)
		newest("new-4")
		s.shows("paused, 1 waits")
		s.hides("new-4")
		s.press("p")
		s.shows("new-4")
		s.hides("paused")
		s.press("f", "M") // sorted otherwise, the newest has no place
		s.hides("following")
	})
}

func TestTheErrorOfACancelOfManyIsCleaned(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.refuse = errors.New("\x1b]0;evil\x07no\nway\u202e")
		s.press("g", "space", "c", "y")
		s.wait(time.Second)
		s.press("b")
		s.fitsScreen()
		if v := escapes.ReplaceAllString(s.r.View(), ""); strings.ContainsAny(v, "\x1b\x07\u202e") {
			t.Errorf("%q", v)
		}
	})
}

func TestGoldenMarks(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		for name, keys := range map[string][]string{
			"marks": {"g", "space", "j", "j", "ctrl+@"}, "many": {"*", "c"}, "filter": {"/", "is:"},
			"columns": {"C", "j"}, "paused": {"p"}, "follow": {"f"},
		} {
			onOps(t, size[0], size[1], func(s *stage, _ *script) {
				s.press(keys...)
				s.golden(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]))
			})
		}
	}
}
