package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
	"callboard/ui/render"

	tea "github.com/charmbracelet/bubbletea"
)

// logged is a server with a log of two tasks, polled time and again.
func logged() *script {
	s := opsServer()
	now := time.Now()
	add := func(f task.Frame) {
		f.Seq = uint64(len(s.frames) + 1)
		f.At = now.Add(time.Duration(f.Seq) * 10 * time.Millisecond)
		if f.Size == 0 {
			f.Size = len(f.Body)
		}
		s.frames = append(s.frames, f)
	}
	s.frames = nil
	wire := &task.Wire{Method: "POST", URL: "https://ops.example.com/mcp", Header: []task.Header{
		{Name: "Accept", Value: "application/json, text/event-stream"},
		{Name: "Authorization", Value: "Bearer", Secret: true},
		{Name: "Mcp-Protocol-Version", Value: "2025-11-25"},
		{Name: "Mcp-Session-Id", Secret: true},
		{Name: "X-Api-Key", Secret: true},
	}}
	a, b := s.tasks[0].ID, s.tasks[1].ID
	add(task.Frame{Dir: task.Note, Body: "the GET stream is open"})
	add(task.Frame{Dir: task.Out, Stream: "POST", Method: "tools/call", ID: "c-1", Task: a, Call: "call-1", Wire: wire,
		Body:   `{"jsonrpc":"2.0","id":"c-1","method":"tools/call","params":{"name":"deploy","arguments":{"to":"it's $HOME; \u0060id\u0060","password":"hunter2"}}}`,
		Masked: `{"jsonrpc":"2.0","id":"c-1","method":"tools/call","params":{"name":"deploy","arguments":{"to":"it's $HOME; \u0060id\u0060","password":"••••"}}}`})
	add(task.Frame{Dir: task.In, Stream: "POST", Method: "tools/call", ID: "c-1", Reply: true, Task: a, Call: "call-1", Took: 40 * time.Millisecond,
		Body: `{"jsonrpc":"2.0","id":"c-1","result":{"task":{"taskId":"x","status":"working"}}}`})
	for i := range 20 {
		of := []task.ID{a, b}[i%2]
		id := fmt.Sprintf("r-%d", i)
		add(task.Frame{Dir: task.Out, Stream: "POST", Method: "tasks/get", ID: id, Task: of, Wire: wire, Body: `{"id":"` + id + `","method":"tasks/get"}`})
		add(task.Frame{Dir: task.In, Stream: "POST", Method: "tasks/get", ID: id, Reply: true, Task: of, Took: 12 * time.Millisecond,
			Body: `{"id":"` + id + `","result":{"statusMessage":"Step ` + fmt.Sprint(i) + `"}}`})
	}
	add(task.Frame{Dir: task.In, Stream: "GET", Method: "elicitation/create", ID: "7", Task: b, Body: `{"id":7,"method":"elicitation/create","params":{"message":"Approve rollout?"}}`})
	add(task.Frame{Dir: task.Out, Stream: "POST", Method: "elicitation/create", ID: "7", Reply: true, Task: b, Took: 4 * time.Second, Wire: wire,
		Body: `{"id":7,"result":{"content":{"pin":"4711"}}}`, Masked: `{"id":7,"result":{"content":{"pin":"••••"}}}`})
	return s
}

func onLog(t *testing.T, w, h int, f func(*stage, *script)) {
	t.Helper()
	var srv *script
	play(t, w, h, func() map[string]*script {
		srv = logged()
		return map[string]*script{"ops": srv}
	}, func(s *stage) { f(s, srv) })
}

func TestGoldenLogs(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		for name, keys := range map[string][]string{
			"all": {"l"}, "task": {"l", "t"}, "hidden": {"l", "k", "k", "H"}, "search": {"l", "/", "step 1", "enter", "ctrl+p"},
			"open": {"l", "g", "j", "enter"},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size.w, size.h), func(t *testing.T) {
				onLog(t, size.w, size.h, func(s *stage, srv *script) {
					s.goTo(srv.tasks[0].ID)
					s.press(keys...)
					s.golden(fmt.Sprintf("frames-%s-%dx%d", name, size.w, size.h))
				})
			})
		}
	}
}

// The log of one task has what began it, and nothing of another.
func TestTheLogOfOneTask(t *testing.T) {
	onLog(t, 120, 60, func(s *stage, srv *script) {
		s.goTo(srv.tasks[0].ID)
		s.press("t")
		s.shows("Log", "tools/call", "Step 2", "Step 18")
		s.hides(`Step 1"`, "Approve", "GET stream")
		s.press("esc")
		s.shows("╭─ Tasks") // where it was asked for
		s.press("t", "T", "l")
		s.shows("Approve") // of all again
		s.press("l")
		s.press("l", "t")
		s.shows("Step 18")
		s.hides("Approve")
		s.press("t")
		s.shows("Approve", "of all tasks are shown")
		s.press("t", "esc")
		s.shows("Approve", "╭─ Log") // the filter goes first
		s.press("esc")
		s.shows("╭─ Tasks")
		s.goTo(srv.tasks[1].ID)
		s.run(s.r.run("log.task"))
		s.settle()
		s.shows("Approve")
		s.hides("Step 18")
		// What comes while it is on.
		srv.mu.Lock()
		n := uint64(len(srv.frames))
		srv.frames = append(srv.frames,
			task.Frame{Seq: n + 1, At: time.Now(), Dir: task.In, Method: "notifications/tasks/status", Task: srv.tasks[1].ID, Body: `{"params":{"news":1}}`},
			task.Frame{Seq: n + 2, At: time.Now(), Dir: task.In, Method: "notifications/tasks/status", Task: srv.tasks[0].ID, Body: `{"params":{"news":2}}`})
		srv.mu.Unlock()
		s.wait(time.Second)
		s.shows(`{"news":1}`)
		s.hides(`{"news":2}`)
	})
}

// Messages of a call are those of the task that it became.
func TestTheLogOfACallThatBecomesATask(t *testing.T) {
	o := logOnly{key: task.Key{Server: "ops", ID: "t1"}, call: "c1"}
	for _, c := range []struct {
		server string
		f      task.Frame
		want   bool
	}{
		{"ops", task.Frame{Task: "t1"}, true}, {"ops", task.Frame{Call: "c1"}, true}, {"ops", task.Frame{Task: "t2", Call: "c2"}, false},
		{"lab", task.Frame{Task: "t1"}, false}, {"ops", task.Frame{}, false},
	} {
		e := logEntry{}
		e.Server, e.Frame = c.server, c.f
		if got := o.has(&e.LogLine); got != c.want {
			t.Errorf("%+v of %s: %v", c.f, c.server, got)
		}
	}
}

func TestAMessageLeadsToItsTask(t *testing.T) {
	onLog(t, 120, 40, func(s *stage, srv *script) {
		s.goTo(srv.tasks[3].ID)
		s.press("l", "T")
		s.shows("╭─ Tasks")
		if s.r.tasks.at.ID != srv.tasks[1].ID {
			t.Errorf("the cursor is at %v", s.r.tasks.at)
		}
		s.press("l", "g", "T")
		s.shows("speaks of no task")
		s.press("j", "enter", "T")
		if s.r.tasks.at.ID != srv.tasks[0].ID {
			t.Errorf("from an open message to %v", s.r.tasks.at)
		}
	})
}

func TestMethodsAreHidden(t *testing.T) {
	onLog(t, 120, 60, func(s *stage, srv *script) {
		s.press("l", "k", "k", "H")
		s.shows("1 method hidden, 40 lines", "tasks/get is hidden", "tools/call")
		s.hides("Step 1")
		s.press("g", "H")
		s.shows("no method by which")
		s.press("j", "H")
		s.shows("2 methods hidden, 42 lines", "Approve")
		s.hides("deploy")
		s.press("u", "esc", "l") // they outlive a visit elsewhere
		s.shows("deploy", "1 method hidden, 40 lines")
		s.press("u")
		s.shows("Step 1")
		s.press("u")
		s.shows("No method is hidden")
		s.send(SettingsMsg{Settings: Settings{LogHide: []string{"tasks/get", "ping"}}})
		s.shows("2 methods hidden, 40 lines")
		s.hides("Step 1")
	})
}

func TestTheLogIsSearched(t *testing.T) {
	onLog(t, 120, 60, func(s *stage, srv *script) {
		s.press("l", "/", "step 1")
		s.shows("11 of 11", "held") // the newest first: steps 1 and 10 to 19
		if !strings.Contains(s.r.View(), s.r.t.MatchHere.Paint("Step 1")) {
			t.Errorf("not marked:\n%q", s.r.View())
		}
		s.press("enter", "ctrl+p")
		s.shows("10 of 11")
		s.press("ctrl+n", "ctrl+n")
		s.shows("1 of 11") // round the end
		s.press("esc")
		s.hides("of 11")
		for typed, want := range map[string]string{
			"4711": "no match", "hunter2": "no match", // masked
			"Approve": "1 of 1", "approve": "1 of 1", "APPROVE": "no match", "/r-1[0-9]/": "20 of 20", "elicitation": "2 of 2", "ops": "45 of 45", // the server
		} {
			s.press("G", "v", "/", typed)
			s.shows(want)
			s.press("esc", "v")
		}
		s.press("G", "/", "approve", "enter", "G")
		s.shows("1 match", "following")
		srv.mu.Lock()
		srv.frames = append(srv.frames, task.Frame{Seq: uint64(len(srv.frames) + 1), At: time.Now(), Dir: task.In, Method: "m", Body: `{"params":"approve, too"}`})
		srv.mu.Unlock()
		s.wait(time.Second)
		s.shows("2 of 2") // what comes is searched, too
	})
}

// A match that no column has room for is brought into sight.
func TestAMatchFarInAMessageIsSeen(t *testing.T) {
	onLog(t, 80, 24, func(s *stage, srv *script) {
		srv.mu.Lock()
		srv.frames = append(srv.frames, task.Frame{Seq: 99, At: time.Now(), Dir: task.In, Method: "m", Body: `{"params":"` + strings.Repeat("日本\x1b[31m", 3000) + ` needle"}`})
		srv.mu.Unlock()
		s.press("l", "/", "needle")
		s.shows("1 of 1")
		if lines := strings.Split(s.see(), "\n"); !slices.ContainsFunc(lines[2:len(lines)-2], func(l string) bool { return strings.Contains(l, "need") }) {
			t.Errorf("out of sight:\n%s", s.see())
		}
		s.fitsScreen()
	})
}

// A long log is searched in slices, and the newest match is found first.
func TestALongLogIsSearchedInSlices(t *testing.T) {
	onLog(t, 120, 24, func(s *stage, srv *script) {
		srv.frames = nil
		body := strings.Repeat("x", 50<<10)
		for i := range 200 {
			f := task.Frame{Seq: uint64(i + 1), At: time.Now(), Dir: task.In, Method: "m", Body: body}
			if i == 3 || i == 100 {
				f.Body += "needle"
			}
			srv.frames = append(srv.frames, f)
		}
		s.press("l", "/", "needle")
		s.shows("2 of 2")
		if at := s.r.log.win.cursor; at != 100 {
			t.Errorf("the cursor is at %d", at)
		}
	})
}

func TestTheLogIsExported(t *testing.T) {
	onLog(t, 120, 40, func(s *stage, srv *script) {
		s.goTo(srv.tasks[1].ID)
		s.press("l", "k", "k", "H", "G", "t", "v", "w")
		s.shows("Saved 2 lines", ".jsonl")
		paths, _ := filepath.Glob(filepath.Join(s.r.o.SaveDir, "callboard-log-*.jsonl"))
		if len(paths) != 1 || len(s.copies) != 1 || s.copies[0] != paths[0] {
			t.Fatalf("%v, copied %q", paths, s.copies)
		}
		info, err := os.Stat(paths[0])
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		data, err := os.ReadFile(paths[0])
		if err != nil || bytes.Contains(data, []byte("4711")) {
			t.Errorf("%s, %v", data, err)
		}
		for line := range bytes.Lines(data) {
			var got struct {
				Server, Dir, Method, Task string
				Body                      json.RawMessage
			}
			if err := json.Unmarshal(line, &got); err != nil || got.Server != "ops" || got.Method != "elicitation/create" || got.Task != string(srv.tasks[1].ID) || got.Body == nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	})
}

// At a reply the request is copied that it answers, and none where that is gone.
func TestAtAReplyItsRequestIsCopiedAsCurl(t *testing.T) {
	onLog(t, 120, 40, func(s *stage, srv *script) {
		s.press("l")
		srv.mu.Lock()
		last := srv.frames[len(srv.frames)-1].Seq
		for _, f := range srv.frames {
			if f.Dir == task.Out && !f.Reply && f.ID != "" {
				f.Dir, f.Reply, f.Wire, f.Body, f.At, f.Seq = task.In, true, nil, `{"result":{}}`, f.At.Add(time.Minute), last+2
				lost := f
				lost.ID, lost.Seq = "not there", last+1
				srv.frames = append(srv.frames, lost, f)
				break
			}
		}
		srv.mu.Unlock()
		s.wait(time.Second)
		s.press("G", "Y")
		if len(s.copies) != 1 || !strings.Contains(s.copies[0], "tools/call") {
			t.Errorf("copied %q\n%s", s.copies, s.see())
		}
		s.press("k", "Y")
		s.shows("The server sent this")
	})
}

// What is copied runs in a shell as it was sent, with secrets from outside.
func TestARequestIsCopiedAsCurl(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	var command string
	onLog(t, 120, 40, func(s *stage, srv *script) {
		s.press("l", "Y")
		s.shows("This is an answer")
		s.press("k", "Y")
		s.shows("The server sent this")
		s.press("g", "Y")
		s.shows("A note is no request")
		s.press("v", "j", "Y")
		s.shows("It takes CALLBOARD_TOKEN, MCP_SESSION_ID", "CALLBOARD_X_API_KEY", "params.arguments.password")
		if len(s.copies) != 1 {
			t.Fatalf("copied %q", s.copies)
		}
		command = s.copies[0]
	})
	if strings.Contains(command, "hunter2") {
		t.Errorf("a secret is in %s", command)
	}
	dir := t.TempDir()
	fake := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done\n"
	if err := os.WriteFile(filepath.Join(dir, "curl"), []byte(fake), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	shell := func(env ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), sh, "-c", command)
		cmd.Env = append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=/nowhere"}, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := shell("CALLBOARD_TOKEN=t"); err == nil {
		t.Errorf("it ran without its variables: %s", out)
	}
	out, err := shell("CALLBOARD_TOKEN=t0k'en $(x)", "MCP_SESSION_ID=sess", "CALLBOARD_X_API_KEY=key")
	want := `-sS
-N
-g
-X
POST
https://ops.example.com/mcp
-H
Accept: application/json, text/event-stream
-H
Authorization: Bearer t0k'en $(x)
-H
Mcp-Protocol-Version: 2025-11-25
-H
Mcp-Session-Id: sess
-H
X-Api-Key: key
--data-raw
{"jsonrpc":"2.0","id":"c-1","method":"tools/call","params":{"name":"deploy","arguments":{"to":"it's $HOME; \u0060id\u0060","password":"••••"}}}
`
	if err != nil || out != want {
		t.Errorf("%v: %s", err, out)
	}
}

func TestCurlQuotes(t *testing.T) {
	f := &task.Frame{Body: "a'b\n\"$(c)\x00\\", Wire: &task.Wire{Method: "POST", URL: "http://[::1]:1/'x", Query: true, Header: []task.Header{
		{Name: "Mcp-Name", Value: "it's `x`"}, {Name: "Authorization", Value: "Basic", Secret: true},
	}}}
	got, vars, _ := curl(f)
	want := `curl -sS -N -g -X 'POST' 'http://[::1]:1/'\''x'"?${CALLBOARD_QUERY:?}" \
  -H 'Mcp-Name: it'\''s ` + "`x`" + `' \
  -H "Authorization: Basic ${CALLBOARD_AUTHORIZATION_BASIC:?}" \
  --data-raw 'a'\''b
"$(c)\'
`
	if got != want || len(vars) != 2 {
		t.Errorf("%s\n%v", got, vars)
	}
}

// What the log holds is bounded, whatever comes.
func TestTheHeldLogIsBounded(t *testing.T) {
	onLog(t, 120, 24, func(s *stage, srv *script) {
		s.press("l", "k", "H", "/", "m", "enter", "G")
		body := strings.Repeat("x", 60<<10)
		for i := range 600 {
			srv.mu.Lock()
			srv.frames = []task.Frame{{Seq: uint64(1000 + i), At: time.Now(), Dir: task.In, Method: "m", Body: body}}
			srv.mu.Unlock()
			s.r.View()
			s.r.viewOf = viewKey{}
		}
		p := &s.r.log.lines
		bytes, matches := 0, 0
		for _, e := range p.all {
			bytes += e.size()
		}
		for _, e := range p.shown {
			if e.match {
				matches++
			}
		}
		if bytes != p.bytes || bytes > maxShownBytes || matches != s.r.log.find.n || len(p.shown)+p.hidden != len(p.all) {
			t.Errorf("%d bytes (%d), %d matches (%d), %d+%d of %d lines", bytes, p.bytes, matches, s.r.log.find.n, len(p.shown), p.hidden, len(p.all))
		}
		for i := range 3 * maxShownFrames {
			p.all = append(p.all, &logEntry{})
			_ = i
		}
		p.trim(&s.r.log.find)
		if len(p.all) > maxShownFrames+maxShownFrames/4 {
			t.Errorf("%d lines", len(p.all))
		}
	})
}

func TestTheMouseInAFilteredLog(t *testing.T) {
	onLog(t, 120, 24, func(s *stage, srv *script) {
		s.goTo(srv.tasks[0].ID)
		s.press("l", "t")
		s.clickOn("Step 18")
		s.shows("held")
		s.clickOn("Step 18")
		s.shows("statusMessage", "received, a reply")
		s.press("esc")
		s.press("G")
		s.hides("held")
		s.send(tea.MouseMsg{X: 20, Y: 5, Button: tea.MouseButtonWheelUp, Action: tea.MouseActionPress})
		s.shows("held")
	})
}

// Nothing of a hostile message reaches the terminal, a file name, or a sentence.
func TestAHostileLog(t *testing.T) {
	onLog(t, 80, 24, func(s *stage, srv *script) {
		evil := "\x1b]52;c;aGk=\x07\x9b31m\u202e\u200b\x1bPq\x1b\\evil"
		srv.mu.Lock()
		for i := range uint64(3) {
			srv.frames = append(srv.frames, task.Frame{
				Seq: 100 + i, At: time.Now(), Dir: task.Dir(i), Method: evil, ID: evil, Stream: "GET", Task: task.ID(evil),
				Body: evil + "{\"_meta\":{" + evil, Wire: &task.Wire{Method: "POST"}, Size: 1,
			})
		}
		srv.mu.Unlock()
		for _, keys := range [][]string{{"l"}, {"k"}, {"Y"}, {"T"}, {"/", "evil"}, {"enter"}, {"ctrl+p"}, {"esc"}, {"enter"}, {"w"}, {"esc", "H"}, {"u"}} {
			s.press(keys...)
			for _, c := range escapes.ReplaceAllString(s.r.View(), "") {
				if c < 0x20 && c != '\n' || c >= 0x7f && c <= 0x9f || c == 0x202e || c == 0x200b {
					t.Fatalf("after %v the screen holds %U:\n%q", keys, c, s.r.View())
				}
			}
			s.fitsScreen()
		}
	})
}

// BenchmarkLogView is one view of a log of 4,000 messages of 1 KB while another
// comes: of all of it, without one method, and searched.
func BenchmarkLogView(b *testing.B) {
	for name, keys := range map[string]string{"all": "", "hidden": "H", "searched": "/"} {
		b.Run(name, func(b *testing.B) {
			srv := newScript()
			s := newStage(b, map[string]*script{"ops": srv})
			defer func() { s.r.Close(); s.m.Shutdown() }()
			body := `{"params":{"text":"` + strings.Repeat("x", 1000) + `"}}`
			add := func() {
				srv.mu.Lock()
				n := len(srv.frames)
				srv.frames = append(srv.frames, task.Frame{Seq: uint64(n + 1), At: time.Now(), Dir: task.In, Method: []string{"a", "b"}[n%2], Body: body, Size: len(body)})
				srv.mu.Unlock()
			}
			for range maxShownFrames {
				add()
			}
			s.take(tea.WindowSizeMsg{Width: 120, Height: 40})
			s.take(keyMsg("l"))
			switch keys {
			case "H":
				s.take(keyMsg("H"))
			case "/":
				of := s.r.log.searchable(s.r)
				of.Begin()
				p, err := render.NewPattern("/text/")
				if err != nil {
					b.Fatal(err)
				}
				for cmd := of.Search(p); cmd != nil; {
					cmd = s.r.log.searchOn(s.r, cmd().(logFoundMsg))
				}
				s.take(keyMsg("G"))
			}
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				srv.mu.Lock()
				srv.frames = srv.frames[len(srv.frames)-100:] // the script walks over all of them
				last := srv.frames[99]
				last.Seq++
				srv.frames = append(srv.frames, last)
				srv.mu.Unlock()
				b.StartTimer()
				s.r.View()
			}
		})
	}
}
