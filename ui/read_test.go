package ui

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// reports are results in Markdown that differ by a line.
func reports(srv *script) {
	of := func(text string) task.Result {
		return task.Result{Content: []task.Content{{Kind: task.TextContent, Text: text, Size: int64(len(text))}}, Raw: []byte(`{}`)}
	}
	srv.results["backup-2026-11-30-nightly"] = of("# Report\n\n- one \x1b]52;c;aGk=\x07evil\n- two\n")
	srv.results["backup-before"] = of("# Report\n\n- one \x1b]52;c;aGk=\x07evil\n- three\n")
	now := time.Now()
	srv.tasks = append(srv.tasks, task.Task{ID: "backup-before", Status: task.Completed, Created: now.Add(-3 * time.Hour), Updated: now.Add(-2 * time.Hour), TTL: task.NoTTL})
}

func onReports(t *testing.T, w, h int, f func(*stage, *script)) {
	t.Helper()
	var srv *script
	play(t, w, h, func() map[string]*script {
		srv = opsServer()
		reports(srv)
		return map[string]*script{"ops": srv}
	}, func(s *stage) { f(s, srv) })
}

func TestSourceAndRendered(t *testing.T) {
	onReports(t, 80, 24, func(s *stage, srv *script) {
		s.goTo("backup-2026-11-30-nightly")
		s.press("enter")
		s.shows("• two", "u source")
		s.hides("# Report")
		s.press("u")
		s.shows("# Report", "- two", "source", "u rendered")
		s.press("u")
		s.hides("# Report")
		s.press("esc", "esc")
		s.goTo("c0ffee00-dead-4bee-8fad-0123456789ab")
		s.press("enter", "u")
		s.shows("Nothing is rendered here")
	})
}

func TestACopyInTheEditorAndThePager(t *testing.T) {
	onReports(t, 80, 24, func(s *stage, srv *script) {
		var got, name string
		fail := error(nil)
		open := func(text, file string, done func(error) tea.Msg) tea.Cmd {
			return func() tea.Msg { got, name = text, file; return done(fail) }
		}
		s.goTo("backup-2026-11-30-nightly")
		s.press("enter", "o")
		s.shows("There is no pager here")
		s.r.o.Viewer, s.r.o.Pager = open, open
		s.press("o")
		if !strings.HasPrefix(got, "# Report") || strings.ContainsAny(got, "\x1b\x07") || name != "callboard-result.txt" {
			t.Errorf("the pager got %q as %q", got, name)
		}
		s.press("e")
		s.shows("no change to it was sent")
		fail = errors.New("the pager \x1b[31m failed")
		s.press("o")
		s.shows("The pager failed")
		s.press("esc", "tab", "o")
		if !strings.Contains(got, "backup-2026") || strings.Contains(got, "\x1b") || name != "callboard-task.txt" {
			t.Errorf("the detail: %q as %q", got, name)
		}
		s.press("l", "e")
		s.shows("enter opens the line first")
		s.press("k", "enter", "e")
		if !strings.Contains(got, `"jsonrpc"`) || name != "callboard-message.json" {
			t.Errorf("the log: %q as %q", got, name)
		}
	})
}

func TestThePickerNamesTheTool(t *testing.T) {
	if got := (&picker{tool: task.Own("deploy")}).question(); got != "Compare with which result of deploy?" {
		t.Error(got)
	}
}

func TestCompareWithAPickedResult(t *testing.T) {
	for _, w := range []int{80, 120} {
		onReports(t, w, 24, func(s *stage, srv *script) {
			dir := t.TempDir()
			s.r.o.SaveDir = dir
			s.goTo("35ea3a48-0c53-4a77-b5a6-0d6f3a3f1b11")
			s.press("D")
			s.shows("no result that could be compared")
			s.goTo("backup-2026-11-30-nightly")
			s.press("D")
			s.shows("Compare with which result?")
			for range 9 {
				if strings.Contains(s.see(), "▌ backup-before") {
					break
				}
				s.press("j")
			}
			s.press("enter")
			s.shows("Two results compared", "- - three", "+ - two", "1 removed, 1 added", "task backup-before")
			if w == 80 {
				s.golden("compare-80x24")
			}
			s.press("/", "two", "enter")
			s.shows("1 of 1")
			s.press("esc", "w")
			s.shows("Saved")
			files, err := os.ReadDir(dir)
			if err != nil || len(files) != 1 || !strings.HasSuffix(files[0].Name(), "result.diff") {
				t.Errorf("saved %v, %v", files, err)
			}
			s.press("esc")
			s.hides("Two results compared")
			s.shows("Tasks")
		})
	}
}

func TestCompareTheTwoThatAreMarked(t *testing.T) {
	onReports(t, 120, 24, func(s *stage, srv *script) {
		for _, id := range []task.ID{"backup-2026-11-30-nightly", "backup-before"} {
			s.goTo(id)
			s.send(model.MarkMsg{Keys: []task.Key{{Server: "ops", ID: id}}, On: true})
		}
		s.press("D")
		s.shows("Two results compared", "1 removed")
		s.press("esc")
		s.shows("Tasks")
	})
}

// A result that cannot be read ends the comparison, and says why.
func TestCompareWithWhatCannotBeRead(t *testing.T) {
	onReports(t, 80, 24, func(s *stage, srv *script) {
		s.goTo("c0ffee00-dead-4bee-8fad-0123456789ab") // it has none, the server says
		s.press("D", "enter")
		s.shows("Not compared")
		s.hides("Two results")
	})
}
