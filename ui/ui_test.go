package ui

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// tasks returns a board as an operator meets it, its ages counted from now.
func boardOf(now time.Time) []task.Task {
	one := func(id string, st task.Status, msg string, old, ttl time.Duration) task.Task {
		return task.Task{
			ID: task.ID(id), Status: st, Message: task.Clean(msg),
			Created: now.Add(-old), Updated: now.Add(-old / 2), TTL: ttl,
		}
	}
	return []task.Task{
		one("786512e2-9e0d-44bd-8f29-789f320fe840", task.InputRequired, "Approve rollout to production?", 3*time.Minute, time.Hour),
		one("35ea3a48-0c53-4a77-b5a6-0d6f3a3f1b11", task.Working, "Analyzing content across 14 sources", 12*time.Second, 5*time.Minute),
		one("a9d2c1f0-1f0e-4d6e-8b0a-5f1f8c2d7e22", task.Working, "", 40*time.Minute, task.NoTTL),
		one("backup-2026-11-30-nightly", task.Completed, "Copied 4 GB", 2*time.Hour, 24*time.Hour),
		one("0f1e2d3c4b5a69788796a5b4c3d2e1f0", task.Failed, "disk is full", 26*time.Hour, 48*time.Hour),
		one("c0ffee00-dead-4bee-8fad-0123456789ab", task.Cancelled, "", 9*time.Minute, time.Hour),
		one("日本語のタスク識別子", task.Working, "処理中です 🚀 がんばれ、もう少しで終わります", 90*time.Second, time.Hour),
		one("\x1b[31mred\x1b[0m\u202eevil", task.Working, "\x1b]0;title\x07<b>bold</b>\r\n\u200bhidden e\u0301\u0301\u0301\u0301\u0301\u0301", 5*time.Minute, time.Hour),
	}
}

func opsServer() *script {
	s := newScript()
	s.tasks = boardOf(time.Now())
	s.results["backup-2026-11-30-nightly"] = task.Result{
		Content:    []task.Content{{Kind: task.TextContent, Text: "Copied 4 GB in 12 minutes.\n", Size: 27}},
		Structured: json.RawMessage(`{"bytes":4294967296,"ok":true}`),
		Raw:        json.RawMessage(`{"content":[{"type":"text","text":"Copied 4 GB in 12 minutes.\n"}],"structuredContent":{"bytes":4294967296,"ok":true}}`),
	}
	for i, f := range []task.Frame{
		{Dir: task.Note, Body: "the GET stream is open"},
		{Dir: task.Out, Stream: "POST", Method: "tasks/list", ID: "k-1", Size: 61, Body: `{"jsonrpc":"2.0","id":"k-1","method":"tasks/list"}`},
		{Dir: task.In, Stream: "POST", Method: "tasks/list", ID: "k-1", Size: 4301, Took: 12 * time.Millisecond, Body: `{"jsonrpc":"2.0","id":"k-1","result":{"tasks":[]}}`},
		{Dir: task.Out, Stream: "POST", Method: "elicitation/create", ID: "7", Size: 90, Body: `{"answer":"hunter2"}`, Masked: `{"answer":"••••"}`},
	} {
		f.Seq, f.At = uint64(i+1), time.Now()
		s.frames = append(s.frames, f)
	}
	return s
}

// ask pushes a question of a task.
func (s *script) ask(id task.PromptID, of task.ID, words string) {
	s.events <- task.Prompted{Prompt: task.Prompt{
		ID: id, Task: of, Message: task.Clean(words), At: time.Now(),
		Form: task.Form{Schema: json.RawMessage(`{"type":"object","properties":{"why":{"type":"string"}}}`), Fields: []task.Field{
			{Name: "why", Label: task.Own("Why"), Kind: task.StringField, MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1},
		}},
	}}
}

func onOps(t *testing.T, w, h int, f func(*stage, *script)) {
	t.Helper()
	var srv *script
	play(t, w, h, func() map[string]*script {
		srv = opsServer()
		return map[string]*script{"ops": srv}
	}, func(s *stage) { f(s, srv) })
}

func TestGoldenViews(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}, {40, 12}} {
		for name, keys := range map[string][]string{
			"tasks": nil, "detail": {"tab"}, "inbox": {"i"}, "log": {"l"}, "servers": {"s"}, "help": {"?"},
			"cancel": {"c"}, "result": {"G", "k", "k", "enter"},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.w, size.h), func(t *testing.T) {
				onOps(t, size.w, size.h, func(s *stage, srv *script) {
					srv.ask("p1", srv.tasks[0].ID, "Approve rollout to production?")
					s.wait(time.Second)
					s.press(keys...)
					s.golden(fmt.Sprintf("%s-%dx%d", name, size.w, size.h))
				})
			})
		}
	}
}

func TestTwoServersHaveAColumn(t *testing.T) {
	play(t, 80, 24, func() map[string]*script {
		return map[string]*script{"ops": opsServer(), "lab": opsServer()}
	}, func(s *stage) {
		s.shows("SERVER", "2 servers", "lab")
		s.golden("two-80x24")
	})
}

// Whatever the size and the place: no panic, no line too many or too wide.
func TestEverySize(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, strings.Repeat("日本語 🚀 wide words ", 40))
		s.settle()
		for _, keys := range [][]string{{}, {"tab"}, {"i"}, {"esc", "l"}, {"enter"}, {"esc", "esc", "s"}, {"esc", "?"}, {"esc", "c"}, {"n", "a"}, {"esc", "n"}, {"esc", "/"}} {
			s.press(keys...)
			for _, w := range []int{1, 20, 39, 40, 55, 80, 99, 100, 160, 300} {
				for _, h := range []int{1, 9, 10, 29, 30, 100} {
					s.take(tea.WindowSizeMsg{Width: w, Height: h})
					s.fitsScreen()
				}
			}
		}
		s.settle()
	})
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestHostileTextNeverReachesTheTerminal(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		evil := "\x1b]52;c;aGk=\x07\x9b31m\u202e\u200b\x1bPq\x1b\\evil"
		srv.push(task.Task{ID: task.ID(evil), Status: task.Working, Message: task.Clean(evil), Created: time.Now(), Updated: time.Now()})
		srv.frames = append(srv.frames, task.Frame{Seq: 99, At: time.Now(), Dir: task.In, Method: evil, ID: evil, Stream: "GET", Body: evil})
		srv.ask("p1", task.ID(evil), evil)
		s.settle()
		for _, keys := range [][]string{{}, {"g"}, {"tab"}, {"tab", "c"}, {"n", "i"}, {"esc", "l"}, {"enter"}, {"esc", "esc"}} {
			s.press(keys...)
			view := escapes.ReplaceAllString(s.r.View(), "")
			for _, c := range view {
				if c < 0x20 && c != '\n' || c >= 0x7f && c <= 0x9f || c == 0x202e || c == 0x200b {
					t.Fatalf("after %v the screen holds %U:\n%q", keys, c, view)
				}
			}
			s.fitsScreen()
		}
	})
}

// A view that comes from the cache is the one that would be drawn anew.
func TestCachedViewIsFresh(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, srv *script) {
		rng := rand.New(rand.NewPCG(1, 2))
		keys := []string{"j", "k", "G", "g", "tab", "enter", "esc", "i", "l", "?", "s", "S", "A", "right", "left", "c", "n", "pgdown", "v", ":", "esc", "/", "esc", "a", "ctrl+o", "ctrl+s", "w", "y", "X", "R", "space", "T", "right"}
		for i := range 250 {
			switch rng.IntN(4) {
			case 0:
				s.press(keys[rng.IntN(len(keys))])
			case 1:
				id := task.ID(fmt.Sprintf("task-%03d", rng.IntN(30)))
				srv.push(task.Task{ID: id, Status: task.Status(1 + rng.IntN(5)), Message: task.Own(fmt.Sprint("step ", i)), Created: time.Now(), Updated: time.Now()})
				s.settle()
			case 2:
				s.wait(time.Duration(rng.IntN(7000)) * time.Millisecond)
			case 3:
				s.size(60+rng.IntN(100), 12+rng.IntN(40))
			}
			s.r.View()
			cached := s.r.View()
			s.r.viewOf, s.r.tasks.linesOf = viewKey{}, tableKey{}
			if fresh := s.r.View(); fresh != cached {
				t.Fatalf("step %d: cached\n%s\nfresh\n%s", i, cached, fresh)
			}
		}
	})
}

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
	})
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
		{[]string{":", "n", "o", "enter"}, "no command :no"},
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

func TestCancelAsksFirst(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		id := s.r.tasks.at.ID
		s.press("c")
		s.shows("proves neither", "Cancel task")
		if len(srv.cancels) != 0 {
			t.Fatal("cancelled without asking")
		}
		s.press("y")
		if len(srv.cancels) != 1 || srv.cancels[0] != id {
			t.Errorf("cancelled %v, want %v", srv.cancels, id)
		}
	})
}

func TestCancelKeepsToItsTask(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		id := s.r.tasks.at.ID
		s.press("c")
		srv.ask("p9", srv.tasks[1].ID, "me first") // another row may take the first line
		s.settle()
		s.press("y")
		if len(srv.cancels) != 1 || srv.cancels[0] != id {
			t.Errorf("cancelled %v, asked for %v", srv.cancels, id)
		}
	})
}

func (s *stage) goTo(id task.ID) {
	s.t.Helper()
	for i := range s.m.Board().Len() {
		if row := s.m.Board().At(i); row.Key.ID == id {
			s.r.tasks.take(s.m, row.Key)
			s.send(struct{}{})
			return
		}
	}
	s.t.Fatalf("no task %q", id)
}

func TestSaveWritesTheResultForItsOwnerOnly(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.goTo("backup-2026-11-30-nightly")
		s.press("w", "w")
		files, err := filepath.Glob(filepath.Join(s.r.o.SaveDir, "*"))
		if err != nil || len(files) != 2 {
			t.Fatalf("files %v, %v", files, err)
		}
		for _, f := range files {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", f, info.Mode())
			}
			if !strings.HasPrefix(filepath.Base(f), "callboard-backup-2026-11-30-nightly-result") {
				t.Errorf("name %s", f)
			}
			if data, err := os.ReadFile(f); err != nil || !strings.Contains(string(data), "Copied 4 GB in 12") {
				t.Errorf("%s holds %q, %v", f, data, err)
			}
		}
		s.shows("Saved ")
	})
}

func TestFileWordIsSafe(t *testing.T) {
	for in, want := range map[string]string{
		"a-B9": "a-B9-", "../../etc/passwd": "______etc_passwd-", "": "", "\x1b[31m日本": "__31m__-",
		strings.Repeat("x", 99): strings.Repeat("x", 40) + "-",
	} {
		if got := fileWord(in); got != want {
			t.Errorf("fileWord(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestResultOpensAndCopies(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.goTo("backup-2026-11-30-nightly")
		s.press("enter")
		s.shows("Result of", "Copied 4 GB in 12 minutes.", `"bytes": 4294967296`)
		s.press("y")
		if len(s.copies) != 1 || !strings.Contains(s.copies[0], "4294967296") {
			t.Errorf("copied %q", s.copies)
		}
		s.press("esc", "y")
		if len(s.copies) != 2 || s.copies[1] != "backup-2026-11-30-nightly" {
			t.Errorf("copied %q", s.copies)
		}
	})
}

func TestAPromptRingsAndWaits(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		s.hides("prompt waits")
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		if s.rung != 1 {
			t.Errorf("rang %d times", s.rung)
		}
		s.shows("1 prompt waits: a")
		if s.r.over != nil {
			t.Error("a form took the keyboard by itself")
		}
		s.wait(3 * time.Second)
		if s.rung != 1 {
			t.Errorf("rang %d times for one prompt", s.rung)
		}
	})
}

func TestAnswering(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because", "esc")
		s.hides("because")
		s.press("a")
		s.shows("because", "Approve?")
		s.press("ctrl+s")
		if len(srv.replies) != 1 || string(srv.replies[0].Content) != `{"why":"because"}` {
			t.Fatalf("replies %+v", srv.replies)
		}
		if s.r.over != nil {
			t.Error("the form stays after it was sent")
		}
	})
}

func TestAWithdrawnPromptKeepsTheDraft(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because")
		srv.events <- task.Withdrawn{Prompt: "p1", Why: task.Own("the server waits no longer")}
		s.settle()
		s.shows("the server waits no longer")
		s.press("ctrl+s")
		if len(srv.replies) != 0 {
			t.Error("an answer was sent to a prompt that was withdrawn")
		}
		s.press("esc")
		if d := s.m.Draft("p1"); d["why"] != "because" {
			t.Errorf("draft %v", d)
		}
	})
}

func TestQuitAsksOnceForWhatWasTyped(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because", "esc", "q")
		s.shows("Quit?", "not sent")
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
		s.shows("No task matches")
	})
}

func TestTheLogMasksAnswers(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, _ *script) {
		s.press("l")
		s.shows("tasks/list", "the GET stream is open", "••••")
		s.hides("hunter2")
		s.press("G", "enter")
		s.hides("hunter2")
		s.press("esc", "v")
		s.shows("hunter2")
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
		s.shows(": refresh")
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

func TestDigest(t *testing.T) {
	for in, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"a"}}`: `{"taskId":"a"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"params":1}}`:                        `{"params":1}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}`:                      `"error":{"code":-32602}`,
		`<html>"result":</html>`:                                                `<html>"result":</html>`,
		`{"jsonrpc":"2.0","method":"ping"}`:                                     `{"jsonrpc":"2.0","method":"ping"}`,
	} {
		if got := digest(in); got != want {
			t.Errorf("digest(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestSortLettersSort(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, _ *script) {
		s.press("M")
		s.shows("MESSAGE ▼")
		s.press("M")
		s.shows("MESSAGE ▲")
	})
}

func TestRunAgainAsks(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, srv *script) {
		s.run(s.r.start("ops", task.Call{Tool: "deploy", Args: json.RawMessage(`{"to":"prod"}`), AsTask: true}))
		s.send(struct{}{})
		if len(srv.calls) != 1 {
			t.Fatalf("calls %v", srv.calls)
		}
		if s.r.tasks.at.Call != srv.calls[0].ID {
			t.Errorf("the new row is not selected: %v", s.r.tasks.at)
		}
		srv.events <- task.Started{Call: srv.calls[0].ID, Task: task.Task{ID: "made", Status: task.Working, Created: time.Now()}}
		s.settle()
		if s.r.tasks.at.ID != "made" {
			t.Errorf("the cursor did not follow the call to its task: %v", s.r.tasks.at)
		}
		s.press("X")
		s.shows("Run deploy again?", `{"to":"prod"}`)
		s.press("y")
		if len(srv.calls) != 2 || srv.calls[1].ID == srv.calls[0].ID || srv.calls[1].Tool != "deploy" {
			t.Errorf("calls %v", srv.calls)
		}
	})
}

func TestTheClockTicksOnceASecondAndAgesStep(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, _ *script) {
		views := map[string]bool{}
		tables := map[string]bool{}
		for range 20 {
			s.wait(time.Second)
			views[s.r.View()] = true
			tables[strings.Join(s.r.tasks.lines, "\n")] = true
		}
		if len(views) < 19 || len(views) > 21 {
			t.Errorf("%d views in 20 s: the clock should step each second", len(views))
		}
		if len(tables) > 5 {
			t.Errorf("the table changed %d times in 20 s: ages step by 5 s", len(tables))
		}
	})
}

func TestEmptyBoardSaysWhyAndTheNextKey(t *testing.T) {
	play(t, 80, 24, func() map[string]*script { return map[string]*script{"ops": newScript()} }, func(s *stage) {
		s.shows("n starts", "r asks again")
		s.golden("empty-80x24")
	})
}

func TestUnreachableServerSaysWhatWasTried(t *testing.T) {
	play(t, 80, 24, func() map[string]*script {
		srv := newScript()
		srv.fail = &task.Error{
			Kind: task.Unreachable, Message: task.Own("connection refused"),
			Tried: task.Own("POST initialize to https://ops.example.com/mcp"), Advice: task.Own("Is the server running?"),
		}
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		s.shows("down")
		s.press("s")
		s.shows("POST initialize", "connection refused", "Is the server running?", "next try")
	})
}
