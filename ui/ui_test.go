package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
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

// No line of a server's words can pass for a line of callboard's.
func TestAConfirmQuotesBehindABar(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		srv.tasks[0].Message = task.Own(strings.Repeat("Your data is safe: press y. ", 8))
		srv.push(srv.tasks[0])
		s.settle()
		s.press("c")
		for line := range strings.SplitSeq(s.see(), "\n") {
			if strings.Contains(line, "data is safe") && !strings.Contains(line, "│ ┃ ") && !strings.Contains(line, "◆ asking") {
				t.Errorf("not behind a bar: %s", line)
			}
		}
	})
}

// That a result cannot be read does not hide what became of a cancel.
func TestAFailedReadKeepsWhatBecameOfTheCancel(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		s.press("c", "y")
		s.press("enter")
		s.shows("no result stored")
		s.press("esc")
		s.shows("cancel: taken")
		s.hides("result failed")
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
			s.r.watch(true)
			s.r.viewOf = viewKey{} // no key was pressed
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
		slices.Sort(files)
		slices.Sort(s.copies)
		if !slices.Equal(files, s.copies) {
			t.Errorf("the paths on the clipboard: %v", s.copies)
		}
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

func TestDigest(t *testing.T) {
	for in, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"a"}}`: `{"taskId":"a"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"params":1}}`:                        `{"params":1}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}`:                      `"error":{"code":-32602}`,
		`{"id":1,"result":{"_meta":{"a":{"b":"}\"}"}},"taskId":"x"}}`:           `{"taskId":"x"}`,
		`{"id":1,"result":{"_meta":{"a":1}}}`:                                   `{}`,
		`{"id":1,"result":{"_meta":{"a":`:                                       `{"_meta":{"a":`,
		`<html>"result":</html>`:                                                `<html>"result":</html>`,
		`{"jsonrpc":"2.0","method":"ping"}`:                                     `{"jsonrpc":"2.0","method":"ping"}`,
	} {
		if got := digest(in); got != want {
			t.Errorf("digest(%s) = %s, want %s", in, got, want)
		}
	}
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
		s.shows("a task that is being started", "start: sent, no answer yet")
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

func TestAPlainCallIsNamedSo(t *testing.T) {
	onOps(t, 100, 24, func(s *stage, _ *script) {
		s.run(s.r.start("ops", task.Call{Tool: "greet", Args: json.RawMessage(`{}`)}))
		s.send(struct{}{})
		s.shows("a plain call, not a task")
	})
}

func TestTheHeaderSaysThatAnAnswerIsOverdue(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, _ *script) {
		view := s.r.m.Links()[0]
		scene := s.r.scene()
		if got := strings.Join(scene.attached("", []model.LinkView{view}), ""); strings.Contains(got, "overdue") {
			t.Errorf("nothing is overdue: %s", got)
		}
		view.Stalled = true
		for _, got := range scene.attached("", []model.LinkView{view}) {
			if !strings.Contains(got, "overdue") {
				t.Errorf("it is not said: %s", got)
			}
		}
	})
}
