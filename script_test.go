//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"callboard/mcpclient/mcptest"
	"callboard/ui/cli"
	"callboard/ui/term/termtest"
)

// asks is a tool that asks for a name and answers with it.
var asks = mcptest.Tool{Name: "ask", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
	r, err := c.Elicit(mcptest.Elicitation{
		Message: "Who digs?", Schema: []byte(`{"type":"object","properties":{"name":{"type":"string","title":"Name"}},"required":["name"]}`),
	})
	if err != nil {
		return mcptest.ToolError(err.Error())
	}
	return mcptest.Answered(r.Action + " " + string(r.Content))
}}

// bound serves asks, in one generation; tasks belong to sessions.
func bound(t *testing.T, era mcptest.Era) string {
	t.Helper()
	s := mcptest.New(mcptest.WithEra(era), mcptest.WithTools(asks))
	t.Cleanup(func() { _ = s.Close() })
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// Each command is a process of its own; what one began the next ones know.
func TestCommandsGoOnWithEachOther(t *testing.T) {
	for name, era := range map[string]mcptest.Era{"2025-11-25": mcptest.LegacyEra, "2026-07-28": mcptest.ModernEra} {
		t.Run(name, func(t *testing.T) {
			url := bound(t, era)
			out, errs, code := run(t, "run", url, "ask", "--wait")
			if code != 6 || out != "" || !strings.Contains(errs, "callboard answer "+url) {
				t.Fatalf("code %d: %s%s", code, out, errs)
			}
			_, rest, _ := strings.Cut(errs, "task ")
			id, _, _ := strings.Cut(rest, "\n")
			if out, errs, code = run(t, "ls", url); code != 0 || !strings.Contains(out, id) || !strings.Contains(out, "asking") {
				t.Fatalf("ls: code %d: %s%s", code, out, errs)
			}
			if _, errs, code = run(t, "answer", url, id, "--field", "name=Ada"); code != 0 {
				t.Fatalf("answer: code %d: %s", code, errs)
			}
			for range 2 { // a result can be read twice
				if out, errs, code = run(t, "result", url, id); code != 0 || out != "accept {\"name\":\"Ada\"}\n" {
					t.Errorf("result: code %d: %s%s", code, out, errs)
				}
			}
			if out, _, _ = run(t, "info", "--json"); !strings.Contains(out, `"handles": 1`) || !strings.Contains(out, url) {
				t.Errorf("info: %s", out)
			}
		})
	}
}

// What is killed at any moment is there again after the next start.
func TestDashboardAfterAKill(t *testing.T) {
	url := bound(t, mcptest.LegacyEra)
	id, errs, code := run(t, "run", url, "ask")
	id = strings.TrimSpace(id)
	if code != 0 {
		t.Fatal(errs)
	}
	for range 2 {
		s := dashboardOn(t, url)
		s.See(id[:8])
		s.See("Who digs?")
		s.Signal(syscall.SIGKILL)
		s.Exit()
	}
}

// On a terminal run --wait asks.
func TestRunAsksOnTheTerminal(t *testing.T) {
	url := bound(t, mcptest.LegacyEra)
	s := dashboardOn(t, "run", url, "ask", "--wait")
	s.See("Who digs?")
	s.See("Name:")
	s.Type("Ada\r")
	s.See("Send it?")
	s.Type("\r")
	s.See(`accept {"name":"Ada"}`)
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s = dashboardOn(t, "run", url, "ask", "--wait")
	s.See("Name:")
	s.Type("\x03")
	if code := s.Exit(); code != 130 {
		t.Errorf("ctrl+c: exit code %d", code)
	}
	if out, _, _ := run(t, "ls", url); strings.Count(out, "asking") != 1 {
		t.Errorf("ctrl+c leaves the question open:\n%s", out)
	}
}

// A token is neither printed nor kept.
func TestCommandsTellNoSecret(t *testing.T) {
	s := mcptest.New(mcptest.WithTools(asks), mcptest.WithToken("s3cret-token"))
	t.Cleanup(func() { _ = s.Close() })
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	for _, token := range []string{"s3cret-token", "s3cret-other"} {
		for _, words := range []string{"run URL ask", "ls URL --json", "tools URL", "run URL ask --wait --field name=s3cret-name --json", "info --json"} {
			args := strings.Fields(strings.ReplaceAll(words, "URL", url))
			if args[0] != "info" {
				args = append(args, "--log-file", log)
			}
			cmd := command(t, args...)
			cmd.Env = append(cmd.Env, "CALLBOARD_TOKEN="+token)
			out, _ := cmd.CombinedOutput()
			if bytes.Contains(out, []byte("s3cret-token")) || bytes.Contains(out, []byte("s3cret-other")) {
				t.Errorf("%s: %s", words, out)
			}
			if code := cmd.ProcessState.ExitCode(); token == "s3cret-other" && args[0] != "info" && code != 3 {
				t.Errorf("%s: code %d: %s", words, code, out)
			}
		}
	}
	files := []string{log}
	err = filepath.WalkDir(stateHome(t), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 2 {
		t.Fatalf("%v: %q", err, files)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if f == log { // the tool tells everybody what it was answered
			text = bytes.ReplaceAll(text, []byte("s3cret-name"), nil)
		}
		if err != nil || bytes.Contains(text, []byte("s3cret")) {
			t.Errorf("%s holds a secret, or cannot be read: %v", f, err)
		}
	}
}

// The demo's servers are there for other commands.
func TestDemoListens(t *testing.T) {
	cmd := command(t, "demo", "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	notes, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		if !lines.Scan() {
			t.Fatal("no line")
		}
		spoken, url, _ := strings.Cut(lines.Text(), " ")
		listed, errs, code := run(t, "ls", url, "--json")
		if spoken != revision || code != 0 || !strings.Contains(listed, `"protocol": "`+revision+`"`) {
			t.Errorf("%s: code %d: %s%s", lines.Text(), code, listed, errs)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(notes)
	if err != nil || strings.Count(string(said), "\n") != 7 || !strings.Contains(string(said), " --task ") {
		t.Errorf("it says %v\n%s", err, said)
	}
	for _, command := range regexp.MustCompile(`(?m)^  callboard (.*)$`).FindAllStringSubmatch(string(said), -1) {
		if _, err := cli.Parse(strings.Fields(command[1]), os.Getenv, nil); err != nil {
			t.Errorf("%s: %v", command[1], err)
		}
	}
	_ = cmd.Wait() // the exit code tells
	if code := cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit code %d", code)
	}
}

// watch goes on while its server is restarted.
func TestWatchOutlivesARestart(t *testing.T) {
	s, url := serve(t)
	s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	w := termtest.Start(t, command(t, "watch", url), 160, 40)
	w.See("digging")
	_ = s.Close()
	w.See("down")
	again := mcptest.New(mcptest.WithSharedTasks())
	t.Cleanup(func() { _ = again.Close() })
	again.AddTask(mcptest.Task{ID: "t-2", Status: mcptest.Working, Message: "digging again"})
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	if _, err := again.StartOn(host); err != nil {
		t.Fatal(err)
	}
	w.See("digging again")
	w.Signal(syscall.SIGINT)
	if code := w.Exit(); code != 130 {
		t.Errorf("exit code %d", code)
	}
}
