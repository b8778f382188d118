//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"callboard/leaktest"
	"callboard/mcpclient/mcptest"
	"callboard/ui/term/termtest"
)

// childEnv makes the test binary callboard itself.
const childEnv = "CALLBOARD_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		main()
	}
	leaktest.Main(m)
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = termtest.Environ(childEnv+"=1", "XDG_STATE_HOME="+stateHome(t), "XDG_CONFIG_HOME="+stateHome(t)+"/config")
	return cmd
}

var stateHomes sync.Map // from *testing.T

// stateHome is the folder in which all that a test runs keeps its state.
func stateHome(t *testing.T) string {
	if dir, ok := stateHomes.Load(t); ok {
		return dir.(string)
	}
	dir := t.TempDir()
	stateHomes.Store(t, dir)
	t.Cleanup(func() { stateHomes.Delete(t) })
	return dir
}

// run runs callboard without a terminal.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := command(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code tells
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func serve(t *testing.T, options ...mcptest.Option) (*mcptest.Server, string) {
	t.Helper()
	s := mcptest.New(append([]mcptest.Option{mcptest.WithSharedTasks()}, options...)...)
	t.Cleanup(func() { _ = s.Close() })
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	return s, url
}

func TestWithoutTerminal(t *testing.T) {
	for _, tt := range []struct {
		args           string
		stdout, stderr string
		code           int
	}{
		{args: "--version", stdout: "(MCP 2025-11-25 and 2026-07-28)"},
		{args: "-h", stdout: "callboard watch URL"},
		{args: "help run", stdout: "--arg NAME=VALUE"},
		{args: "man", stdout: ".TH CALLBOARD 1"},
		{args: "completion bash", stdout: "complete -F _callboard callboard"},
		{args: "info", stdout: "protocols  2025-11-25, 2026-07-28"},
		{args: "info --json", stdout: `"state": "`},
		{args: "watch demo", stderr: "demo has no URL of its own", code: 2},
		{args: "ls http://127.0.0.1:1/mcp", stderr: "refused", code: 4},
		{args: "ls http://127.0.0.1:1/mcp --json", stdout: `"kind": "unreachable"`, stderr: "refused", code: 4},
		{args: "run http://127.0.0.1:1/mcp dig --data /nowhere/data", stderr: "--data cannot be read: no such file", code: 2},
		{args: "", stderr: "callboard: which server?", code: 2},
		{args: "--nope", stderr: "callboard: there is no option --nope", code: 2},
		{args: "http://127.0.0.1:1/mcp", stderr: "callboard watch URL", code: 2},
		{args: "demo", stderr: "callboard watch URL", code: 2},
		{args: "watch localhost:1 --ca-file /nowhere/ca.pem", stderr: "cannot be read", code: 2},
		{args: "watch http://example.com/mcp --token-file /nowhere/token", stderr: "cannot be read", code: 2},
		{args: "watch localhost:1 --log-file /nowhere/log", stderr: "--log-file", code: 2},
	} {
		stdout, stderr, code := run(t, strings.Fields(tt.args)...)
		if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("callboard %s: code %d, out %q, err %q", tt.args, code, stdout, stderr)
		}
		if tt.code == 2 && strings.Count(stderr, "\n") != 1 {
			t.Errorf("callboard %s: more than a line: %q", tt.args, stderr)
		}
	}
}

// A token must not travel in the clear: nothing is sent at all.
func TestTokenNeedsTLS(t *testing.T) {
	cmd := command(t, "watch", "http://callboard.invalid/mcp")
	cmd.Env = append(cmd.Env, "CALLBOARD_TOKEN=s3cret")
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || strings.Contains(string(out), "s3cret") || !strings.Contains(string(out), "--allow-insecure-token") {
		t.Errorf("code %d: %s", cmd.ProcessState.ExitCode(), out)
	}
}

func TestWatchEndsBySignal(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		s, url := serve(t)
		s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
		cmd := command(t, "watch", url)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, out, "digging")
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the exit code tells
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("%s: exit code %d, want %d", sig, got, code)
		}
	}
}

// waitFor reads until text came.
func waitFor(t *testing.T, r interface{ Read([]byte) (int, error) }, text string) {
	t.Helper()
	var all []byte
	for buf := make([]byte, 4096); !strings.Contains(string(all), text); {
		n, err := r.Read(buf)
		all = append(all, buf[:n]...)
		if err != nil {
			t.Fatalf("%v before %q in %q", err, text, all)
		}
	}
}

func TestWatchEndsWithItsReader(t *testing.T) {
	s, url := serve(t)
	s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	cmd := command(t, "watch", url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, out, "digging")
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	s.SetStatus("t-1", mcptest.Completed, "dug")
	_ = cmd.Wait() // the exit code tells
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

func dashboardOn(t *testing.T, args ...string) *termtest.Session {
	t.Helper()
	return termtest.Start(t, command(t, args...), 100, 30)
}

func TestDashboardGivesTheTerminalBack(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		signal     os.Signal
		code       int
	}{
		{name: "q", keys: "q"},
		{name: "ctrl+c", keys: "\x03"},
		{name: "SIGINT", signal: syscall.SIGINT, code: 130},
		{name: "SIGTERM", signal: syscall.SIGTERM, code: 143},
		{name: "SIGHUP", signal: syscall.SIGHUP, code: 129},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server, url := serve(t)
			server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
			s := dashboardOn(t, url)
			s.See("digging")
			if tt.signal != nil {
				s.Signal(tt.signal)
			} else {
				s.Type(tt.keys)
			}
			if code := s.Exit(); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			s.GivenBack()
			s.See("left open") // the session: it holds a live task
			if n := server.Count("DELETE"); n != 0 {
				t.Errorf("a session with a live task got %d DELETE", n)
			}
		})
	}
}

func TestIdleSessionIsEnded(t *testing.T) {
	server, url := serve(t)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Completed, Message: "dug"})
	s := dashboardOn(t, url)
	s.See("dug")
	s.Type("q")
	s.Exit()
	s.GivenBack()
	if n := server.Count("DELETE"); n != 1 || len(server.Sessions()) != 0 {
		t.Errorf("%d DELETE, sessions left: %d", n, len(server.Sessions()))
	}
}

func TestDashboardEndsWithItsTerminal(t *testing.T) {
	_, url := serve(t)
	s := dashboardOn(t, url)
	s.SeeAltScreen(true)
	s.Hangup()
	if code := s.Exit(); code != 129 {
		t.Errorf("exit code %d, want 129", code)
	}
}

func TestDashboardSuspends(t *testing.T) {
	server, url := serve(t)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	cmd.Env = termtest.Environ("PS1=sh> ", "HISTFILE=/dev/null", "CALLBOARD="+os.Args[0], childEnv+"=1", "XDG_STATE_HOME="+stateHome(t), "XDG_CONFIG_HOME="+stateHome(t)+"/config")
	s := termtest.Start(t, cmd, 100, 30)
	s.See("sh>")
	s.Type(`"$CALLBOARD" ` + url + "\r")
	s.SeeAltScreen(true)
	s.See("digging")
	s.Type("\x1a")
	s.SeeAltScreen(false)
	s.See("Stopped")
	server.SetStatus("t-1", mcptest.Completed, "dug meanwhile")
	s.Type("fg\r")
	s.SeeAltScreen(true)
	s.See("dug meanwhile")
	s.Type("q")
	s.SeeAltScreen(false)
	s.Type("exit\r")
	s.Exit()
	s.GivenBack()
}

func TestSuspendSaysWhyNot(t *testing.T) {
	_, url := serve(t)
	s := dashboardOn(t, url)
	s.SeeAltScreen(true)
	s.Type("\x1a")
	s.See("cannot suspend")
	s.Type("q")
	s.Exit()
	s.GivenBack()
}

// The terminal answers nothing, and neither does the server: the first frame
// waits for none of them.
func TestStartsAtOnce(t *testing.T) {
	frame := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-frame:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	s := dashboardOn(t, server.URL)
	s.See("connecting")
	s.NotAsked()
	close(frame)
	s.SeeNot("connecting")
	s.NotAsked()
	s.Type("q")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestDumbTerminal(t *testing.T) {
	cmd := command(t, "demo")
	cmd.Env = append(cmd.Env, "TERM=dumb")
	s := termtest.Start(t, cmd, 80, 24)
	if code := s.Exit(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	s.See("callboard watch URL")
}

func TestNoColor(t *testing.T) {
	server, url := serve(t)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Failed, Message: "digging"})
	for _, plain := range []bool{true, false} {
		cmd := command(t, url)
		if plain {
			cmd.Env = append(cmd.Env, "NO_COLOR=1")
		}
		s := termtest.Start(t, cmd, 100, 30)
		s.See("digging")
		s.Type("q")
		s.Exit()
		coloured := strings.Contains(s.Raw(), "\x1b[31m") || strings.Contains(s.Raw(), "\x1b[1;31m")
		if coloured == plain {
			t.Errorf("NO_COLOR %v: red is %v", plain, coloured)
		}
	}
}

func TestDemo(t *testing.T) {
	s := dashboardOn(t, "demo")
	s.See("callboard demo")
	s.See("working")
	s.See("asking")
	s.Type("q")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.GivenBack()
	s.SeeNot("left open") // the server has ended with the program
}

// The whole main job from the keyboard: the prompt of a task is answered.
func TestAnswersAPrompt(t *testing.T) {
	server, url := serve(t)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answer := make(chan string, 1)
	s := dashboardOn(t, url)
	s.See("digging")
	go func() {
		got, err := server.Ask(ctx, "t-1", mcptest.Elicitation{
			Message: "Who digs?", Schema: []byte(`{"type":"object","properties":{"name":{"type":"string","title":"Name"}},"required":["name"]}`),
		})
		answer <- fmt.Sprintf("%s %s %v", got.Action, got.Content, err)
	}()
	s.See("1 prompt")
	s.Type("a")
	s.See("Who digs?")
	s.See("Name")
	s.Type("Ann")
	s.See("Ann")
	s.Type("\x13") // ctrl+s
	select {
	case got := <-answer:
		if got != `accept {"name":"Ann"} <nil>` {
			t.Errorf("the server got %s", got)
		}
	case <-time.After(time.Minute):
		t.Fatalf("no answer came; the screen:\n%s", s.Screen())
	}
	s.See("answer: taken")
	s.Type("q")
	s.Exit()
	s.GivenBack()
}

func TestSeveralServersMakeOneTable(t *testing.T) {
	one, first := serve(t)
	two, second := serve(t)
	one.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	two.AddTask(mcptest.Task{ID: "t-2", Status: mcptest.Completed, Message: "dug"})
	s := termtest.Start(t, command(t, first, second), 120, 30)
	s.See("digging")
	s.See("dug")
	s.See("SERVER")
	s.Type("q")
	s.Exit()
	s.GivenBack()
}

// A session of another program is joined: neither initialized nor ended by us.
func TestJoinsASession(t *testing.T) {
	server := mcptest.New()
	t.Cleanup(func() { _ = server.Close() })
	url, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	id := beginSession(t, url)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Completed, Message: "dug by another", Session: id})
	file := t.TempDir() + "/session"
	if err := os.WriteFile(file, []byte(id+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := dashboardOn(t, url, "--session-file", file)
	s.See("dug by another")
	s.Type("q")
	s.Exit()
	s.GivenBack()
	if strings.Contains(s.Raw(), id) {
		t.Error("the session id was shown")
	}
	if n := server.Count("initialize"); n != 1 || server.Count("DELETE") != 0 {
		t.Errorf("initialize %d times, DELETE %d", n, server.Count("DELETE"))
	}
}

// beginSession initializes a session as another program would, and returns its id.
func beginSession(t *testing.T, url string) string {
	t.Helper()
	var id string
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"other","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if id != "" {
			req.Header.Set("Mcp-Session-Id", id)
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body) // the header tells
		_ = resp.Body.Close()
		if id == "" {
			id = resp.Header.Get("Mcp-Session-Id")
		}
	}
	return id
}

func TestLogFileHoldsNoSecret(t *testing.T) {
	server, url := serve(t, mcptest.WithToken("s3cret"))
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	log := t.TempDir() + "/log"
	cmd := command(t, url, "--log-file", log)
	cmd.Env = append(cmd.Env, "CALLBOARD_TOKEN=s3cret")
	s := termtest.Start(t, cmd, 100, 30)
	s.See("digging")
	s.Type("q")
	s.Exit()
	info, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || !bytes.Contains(text, []byte("initialize")) || bytes.Contains(text, []byte("s3cret")) {
		t.Errorf("mode %v, %s", info.Mode(), text)
	}
}
