package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"

	"github.com/charmbracelet/x/ansi"
)

// newTask is a task that begins now.
func newTask(id string, st task.Status) task.Task {
	return task.Task{ID: task.ID(id), Status: st, Created: time.Now(), Updated: time.Now()}
}

// end pushes that a task has completed.
func (s *script) end(id task.ID) {
	for _, t := range s.tasks {
		if t.ID == id {
			t.Status, t.Updated = task.Completed, time.Now()
			s.push(t)
			return
		}
	}
}

// A new question moves no other, and the one that waits longest comes first.
func TestANewQuestionMovesNobody(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		first := s.m.Board().At(0).Key
		for i := range 3 {
			s.wait(time.Second)
			srv.push(newTask(fmt.Sprintf("new-%d", i), task.InputRequired))
			s.settle()
		}
		var order []task.ID
		for i := range 4 {
			order = append(order, s.m.Board().At(i).Key.ID)
		}
		if want := []task.ID{first.ID, "new-0", "new-1", "new-2"}; !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
	})
}

// What one reads under a cursor that nobody moved is what a key acts on.
func TestAnUntouchedCursorFollowsItsTask(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		at := s.r.tasks.at
		s.wait(time.Second)
		srv.end(at.ID)
		s.settle()
		if s.m.Board().At(0).Key == at {
			t.Fatal("the row that ended is still the first")
		}
		if s.r.tasks.at != at || s.r.tasks.win.offset != 0 {
			t.Errorf("the cursor went from %v to %v, offset %d", at, s.r.tasks.at, s.r.tasks.win.offset)
		}
	})
}

// Out of the first window it does not go: it begins anew at the top, and a key
// that was meant for the row before says so instead of acting.
func TestAKeyRightAfterTheRowChangedSaysSo(t *testing.T) {
	onOps(t, 80, 14, func(s *stage, srv *script) {
		at := s.r.tasks.at
		for i := range 20 {
			srv.push(newTask(fmt.Sprintf("new-%02d", i), task.Working))
		}
		srv.end(at.ID)
		s.settle()
		if s.r.tasks.at == at || s.r.tasks.win.cursor != 0 {
			t.Fatalf("the cursor stands on %v, line %d", s.r.tasks.at, s.r.tasks.win.cursor)
		}
		s.wait(200 * time.Millisecond)
		s.press("c")
		s.shows("The rows moved: this is now task new-", "Press c again.")
		if s.r.over != nil {
			t.Fatal("the key acted on a row that came under the cursor by itself")
		}
		s.press("c")
		if s.r.over == nil {
			t.Error("the second press does nothing")
		}
	})
}

func TestAKeyAfterAQuietMomentActs(t *testing.T) {
	onOps(t, 80, 14, func(s *stage, srv *script) {
		for i := range 20 {
			srv.push(newTask(fmt.Sprintf("new-%02d", i), task.Working))
		}
		srv.end(s.r.tasks.at.ID)
		s.settle()
		s.wait(600 * time.Millisecond)
		s.press("c")
		if s.r.over == nil {
			t.Error("c does nothing")
		}
	})
}

// A row's age is never more than what has passed, nor behind it by a step.
func TestAgesAreWhatHasPassed(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		s.wait(1300 * time.Millisecond)
		srv.push(newTask("fresh", task.Working))
		s.settle()
		s.press("/", "fresh", "enter")
		row := s.m.Board().At(0)
		for range 30 {
			s.wait(time.Second)
			passed := time.Since(row.Began.Time()).Truncate(time.Second)
			shown := s.r.scene().since(row.Began.Time())
			if shown > passed || shown < passed-time.Second {
				t.Errorf("after %v it shows %v", passed, shown)
			}
			s.shows(age(shown))
		}
	})
}

// A sentence that is long takes lines of its own: no frame is covered.
func TestALongSentenceCoversNoFrame(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.send(NoteMsg{Text: strings.Repeat("a long sentence about what went wrong, ", 30), Bad: true})
		lines := strings.Split(s.see(), "\n")
		if !strings.HasPrefix(lines[15], "╰") || !strings.HasPrefix(lines[16], " a long sentence") || !strings.HasSuffix(lines[23], "…") {
			t.Errorf("the screen:\n%s", s.see())
		}
		s.fitsScreen()
		s.size(40, 12)
		s.shows("╰──")
		s.fitsScreen()
	})
}

// What is said while something is typed in the footer, or many are cancelled, is
// said whole.
func TestALongSentenceIsSaidWhole(t *testing.T) {
	words := strings.Repeat("what went wrong is told at length, ", 5) + "and so is its end."
	onOps(t, 80, 24, func(s *stage, srv *script) {
		for _, keys := range [][]string{nil, {":"}, {"/"}} {
			s.press(keys...)
			s.send(NoteMsg{Text: words, Bad: true})
			s.shows("what went wrong", "so is its end.")
			s.fitsScreen()
			s.press("esc")
			s.wait(30 * time.Second)
		}
		s.press("/", "age>"+strings.Repeat("9", 70))
		if f := filterFault(s.m); width(f) <= 80 {
			t.Fatalf("the filter's fault is short: %q", f)
		}
		s.shows("character 1).") // its end
		s.fitsScreen()
		s.press("esc")
		s.press("*", "c", "y")
		s.wait(time.Second)
		for w := 40; w < 100; w++ {
			s.size(w, 24)
			for n := range 100 {
				foot := s.r.bulkFoot(s.r.scene(), strings.Repeat("word ", n/5)+strings.Repeat("x", n%5+1))
				if last := foot[len(foot)-1]; !strings.Contains(ansi.Strip(last), "b shows them") || width(last) != w {
					t.Fatalf("%d wide: %q", w, foot)
				}
			}
		}
	})
}

// A form is as high as what it asks, and the table can be read beside it.
func TestAFormLeavesTheTableInSight(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a")
		s.shows("asks ═", "Approve?", "STATUS", "786512e2", "╰──")
		s.fitsScreen()
	})
}

// A sentence that came by itself goes with a key, once it could be read.
func TestAKeyPutsAReadSentenceAway(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		srv.events <- task.Withdrawn{Prompt: "p1"}
		s.settle()
		s.press("j")
		s.shows("can no longer be answered")
		s.wait(4 * time.Second)
		s.shows("can no longer be answered")
		s.press("j")
		s.hides("can no longer be answered")
		s.shows("c cancel")
	})
}

// A call says nothing of itself: its row shows how its result begins.
func TestACallShowsHowItsResultBegins(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		s.run(s.r.start("ops", task.Call{Tool: "sum"}))
		s.send(struct{}{})
		srv.events <- task.Returned{Call: srv.calls[0].ID, Result: &task.Result{Content: []task.Content{
			{Kind: task.TextContent, Text: "\nthe sum is 42 \x1b[31m\nand more"},
		}}}
		s.settle()
		if got := message(s.m.Row(s.r.tasks.at)); got != "the sum is 42  and more" {
			t.Errorf("message %q", got)
		}
	})
}

func TestTheInboxSaysWhereOneIs(t *testing.T) {
	onOps(t, 80, 12, func(s *stage, srv *script) {
		for i := range 9 {
			srv.ask(task.PromptID(fmt.Sprint("p", i)), srv.tasks[i%8].ID, "Approve?")
		}
		s.settle()
		s.press("i", "j")
		s.shows("2 of 9")
	})
}
