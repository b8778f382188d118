package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

func TestTheCursorFollowsItsTask(t *testing.T) {
	onOps(t, 80, 14, func(s *stage, srv *script) {
		for i := range 40 {
			srv.push(task.Task{ID: task.ID(fmt.Sprintf("old-%02d", i)), Status: task.Working, Created: time.Now(), Updated: time.Now()})
		}
		s.settle()
		s.press("A", "jjjjjjjjjjjjjjj", "k", "k")
		at := s.r.tasks.at
		line := s.r.tasks.win.cursor - s.r.tasks.win.offset
		s.wait(time.Second)
		for i := range 50 {
			srv.push(task.Task{ID: task.ID(fmt.Sprintf("new-%02d", i)), Status: task.Working, Created: time.Now(), Updated: time.Now()})
		}
		s.settle()
		if s.r.tasks.at != at {
			t.Errorf("the cursor went from %v to %v", at, s.r.tasks.at)
		}
		if got := s.r.tasks.win.cursor - s.r.tasks.win.offset; got != line {
			t.Errorf("the task moved from line %d of the screen to %d", line, got)
		}
		if row := s.m.Row(at); row == nil || s.m.Board().At(s.r.tasks.win.cursor) != row {
			t.Error("the line under the cursor is another task's")
		}
	})
}

// At the top of the table, what is new stays in sight.
func TestTheTopStaysAtTheTop(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		s.press("j")
		at := s.r.tasks.at
		srv.ask("p7", srv.tasks[4].ID, "late")
		for i := range 3 {
			srv.push(task.Task{ID: task.ID(fmt.Sprintf("new-%02d", i)), Status: task.InputRequired, Created: time.Now(), Updated: time.Now()})
		}
		s.settle()
		if s.r.tasks.win.offset != 0 || s.r.tasks.at != at || s.r.tasks.win.cursor == 1 {
			t.Errorf("offset %d, cursor %d on %v, was on %v", s.r.tasks.win.offset, s.r.tasks.win.cursor, s.r.tasks.at, at)
		}
	})
}

func TestKeysReadTogetherAreSplit(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.press("g")
		s.press("jjj")
		if got := s.r.tasks.win.cursor; got != 3 {
			t.Errorf("jjj moved by %d", got)
		}
		s.press("tab")
		s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("G"), Alt: true}) // esc G
		if s.r.onSide || s.r.tasks.win.cursor != s.m.Board().Len()-1 {
			t.Errorf("esc G read together: side %v, cursor %d", s.r.onSide, s.r.tasks.win.cursor)
		}
		s.press("/jjj")
		if got := s.m.Board().Filter(); got != "jjj" {
			t.Errorf("the run behind / filtered by %q", got)
		}
		s.send(tea.KeyMsg{Type: tea.KeyEsc, Alt: true}) // esc esc: one leaves the line, one the filter
		if s.r.over != nil || s.m.Board().Filter() != "" {
			t.Errorf("esc esc read together left %T and the filter %q", s.r.over, s.m.Board().Filter())
		}
	})
}

// What is pasted into a line cannot hide there, nor turn the writing around: it
// becomes what the screen shows of it, and so finds it.
func TestALineHoldsWhatTheScreenShows(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, srv *script) {
		srv.push(task.Task{ID: "odd", Status: task.Working, Message: task.Clean("a\u202eb"), Created: time.Now(), Updated: time.Now()})
		s.settle()
		for _, opens := range []string{"/", ":"} {
			s.press(opens)
			s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a\u202eb\x1b[31m"), Paste: true})
			s.shows("a<U+202E>b")
			if view := s.r.View(); strings.Contains(view, "\u202e") {
				t.Errorf("%s shows it as it is: %q", opens, view)
			}
			if opens == "/" && s.m.Board().Len() != 1 {
				t.Errorf("it finds %d", s.m.Board().Len())
			}
			s.press("esc", "esc")
		}
	})
}

// In a field, a filter and the command line a word is text, though it may name
// a key.
func TestWordsThatNameKeysAreText(t *testing.T) {
	for _, word := range []string{"esc", "tab", "enter", "left", "up", "end", "home", "delete", "ctrl+s", "ctrl+c", "alt+n", "pgup", "xup"} {
		typed := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(word)} // as it is read over a slow line
		for _, opens := range []string{"/", ":", "a"} {
			onOps(t, 80, 24, func(s *stage, srv *script) {
				srv.ask("p1", srv.tasks[0].ID, "Approve?")
				s.settle()
				s.press("g", opens)
				over := s.r.over
				s.send(typed)
				if s.r.over == nil || s.r.over != over || !strings.Contains(s.see(), word) {
					t.Errorf("%q behind %s is no text:\n%s", word, opens, s.see())
				}
			})
		}
	}
}

func TestDeadKeysSayWhy(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"Z"}, "Z does nothing here"},
		{[]string{"esc"}, "nothing to go back to"},
		{[]string{"R"}, "Nothing failed"},
		{[]string{"X"}, "not started here"},
		{[]string{"ctrl+z"}, "not possible here"},
		{[]string{"?", "c"}, "No task is to be seen here"},
		{[]string{"l", "tab"}, "one pane here"},
		{[]string{"a"}, "No prompt waits"},
		{[]string{"g", "w"}, "has not ended"},
		{[]string{":", "q", "z", "enter"}, "no command :qz"},
		{[]string{"c", "x"}, "y for yes"},
		{[]string{"c", "n"}, "Nothing was done"},
	} {
		t.Run(strings.Join(c.keys, " "), func(t *testing.T) {
			onOps(t, 100, 24, func(s *stage, srv *script) {
				srv.tasks[0].Status = task.Working
				srv.push(srv.tasks[0])
				s.settle()
				s.press(c.keys...)
				s.shows(c.want)
			})
		})
	}
}

func TestPasteOutsideOfFieldsDoesNothing(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("cy"), Paste: true})
		s.shows("goes into fields only")
		s.press("c")
		s.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("y"), Paste: true})
		if len(srv.cancels) != 0 {
			t.Error("pasted text cancelled a task")
		}
	})
}

func TestQuitAsksOnceForWhatWasTyped(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because", "esc", "q")
		s.shows("Quit?", "not sent", "in the inbox (i)")
		s.press("n")
		if s.r.quitting {
			t.Fatal("no meant yes")
		}
		s.press("q", "y")
		if !s.r.quitting {
			t.Error("yes did not quit")
		}
	})
}

func TestQuitAtOnceWhereNothingWasTyped(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		s.press("q")
		if !s.r.quitting {
			t.Error("q did not quit")
		}
	})
}

func TestFilterLine(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.press("/", "disk")
		s.shows("disk is full", "Tasks 1 of 8")
		s.hides("Approve rollout")
		s.press("enter")
		s.shows("/disk")
		s.press("/", "x", "esc")
		if got := s.m.Board().Filter(); got != "disk" {
			t.Errorf("esc left the filter %q", got)
		}
		s.press("esc")
		s.shows("Approve rollout")
		s.press("/", "no such task", "enter")
		s.shows("No task passes the filter; esc clears it.", "STATUS ▼", "hides 8 tasks")
	})
}

// What the help promises for a place does something there, or says why not.
func TestNoPromisedKeyIsUnknown(t *testing.T) {
	scopes := keymap.Default().Scopes()
	for _, c := range []struct {
		at     []string
		scopes []string
	}{
		{nil, []string{"Everywhere", "Lists", "A task", "Sorting (again: reversed)"}},
		{[]string{"tab"}, []string{"Everywhere", "A task"}},
		{[]string{"i"}, []string{"Everywhere", "A task"}},
		{[]string{"l"}, []string{"Everywhere", "The log"}},
	} {
		onOps(t, 100, 30, func(s *stage, srv *script) {
			srv.ask("p1", srv.tasks[0].ID, "Approve?")
			s.settle()
			for _, scope := range scopes {
				if !slices.Contains(c.scopes, scope.Name) {
					continue
				}
				for _, b := range scope.Bindings {
					for _, k := range b.Keys() {
						if k == "q" || k == "ctrl+c" {
							continue
						}
						s.r.over, s.r.at, s.r.onSide, s.r.side, s.r.back = nil, atTasks, false, s.r.detail, atTasks
						s.press(c.at...)
						s.press(k)
						if strings.Contains(s.see(), "does nothing here") {
							t.Errorf("at %v: %q (%s) is unknown", c.at, k, b.Help().Desc)
						}
					}
				}
			}
		})
	}
}

func TestCommands(t *testing.T) {
	for line, want := range map[string]string{
		"refresh": "Asking all servers now", "force": "Asking each server once", "nonsense": "no command :nonsense",
	} {
		onOps(t, 100, 24, func(s *stage, _ *script) {
			s.goTo("c0ffee00-dead-4bee-8fad-0123456789ab") // ended: force is for the list
			s.press(":", line, "enter")
			s.shows(want)
		})
	}
	onOps(t, 100, 24, func(s *stage, _ *script) {
		s.press(":", "ref", "tab", "enter")
		s.shows("Asking all servers now")
		s.press(":", "up")
		s.shows(": everywhere.refresh")
		s.press("esc", ":", "q", "enter")
		if !s.r.quitting {
			t.Error(":q does not quit")
		}
	})
}

func TestForceAllowsOneCancelThatIsNotDeclared(t *testing.T) {
	var srv *script
	play(t, 100, 24, func() map[string]*script {
		srv = opsServer()
		srv.about.Cancel = task.CanNo
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		s.press("c")
		if s.r.over != nil {
			t.Fatal("a cancel that the server did not declare is offered")
		}
		s.press(":", "force", "enter")
		s.shows("Allowed once")
		s.press("c", "y")
		if len(srv.cancels) != 1 {
			t.Errorf("cancels %v", srv.cancels)
		}
	})
}

func TestSortLettersSort(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, _ *script) {
		s.press("M")
		s.shows("MESSAGE ▲")
		s.press("M")
		s.shows("MESSAGE ▼")
	})
}

// The footer shows what can be done about the row under the cursor.
func TestTheFooterIsAboutTheRow(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		for id, want := range map[task.ID]string{
			srv.tasks[0].ID:             " a answer  c cancel  / filter",
			srv.tasks[1].ID:             " c cancel  / filter",
			"backup-2026-11-30-nightly": " enter result  w save  / filter",
		} {
			s.goTo(id)
			s.shows(want)
		}
		s.goTo("backup-2026-11-30-nightly")
		s.size(80, 24)
		s.shows("w save  tab detail")
	})
}

// However narrow it is: the way out is in the footer of whatever can be left, and
// what can be done first stands before it.
func TestTheWayOutIsAlwaysInTheFooter(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {60, 20}, {80, 24}} {
		for name, keys := range map[string][]string{
			"inbox": {"i"}, "log": {"l"}, "a message": {"l", "j", "enter"}, "servers": {"s"}, "tools": {"n"}, "help": {"?"}, "away": {"W"},
			"detail": {"tab"}, "result": {"G", "k", "k", "enter"}, "columns": {"C"}, "saved": {"/", "disk", "enter", ":", "save disk", "enter", "F"},
			"cancel": {"c"}, "cancel of many": {"*", "c"}, "after it": {"*", "c", "y", "b"}, "compare": {"G", "k", "k", "D"}, "form": {"a"},
		} {
			onOps(t, size[0], size[1], func(s *stage, srv *script) {
				srv.ask("p1", srv.tasks[0].ID, "Approve rollout to production?")
				srv.refuse = &task.Error{Kind: task.RPC, Code: -32603, Message: task.Own("it does not want to")}
				s.wait(time.Second)
				s.press(keys...)
				s.wait(30 * time.Second) // what is said of it goes
				lines := strings.Split(s.see(), "\n")
				foot := lines[len(lines)-1]
				if !strings.Contains(foot, "esc ") && !strings.Contains(foot, "n no") {
					t.Errorf("%s at %dx%d: no way out in %q", name, size[0], size[1], foot)
				}
				if strings.HasPrefix(foot, " esc") && name != "away" {
					t.Errorf("%s at %dx%d: nothing before the way out in %q", name, size[0], size[1], foot)
				}
			})
		}
	}
}
