//go:build unix

package term

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"callboard/ui/term/termtest"
)

func start(t *testing.T, mode string, settings ...string) *termtest.Session {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = termtest.Environ(append(settings, childEnv+"="+mode)...)
	s := termtest.Start(t, cmd, 80, 24)
	settled(s)
	return s
}

// settled waits until the sample stands on the screen and Bubble Tea has asked for
// the size by itself: it does so in a goroutine, which must have read its fields
// before an editor or a suspension writes them.
func settled(s *termtest.Session) {
	s.See("sample 80x24")
	s.SeeAltScreen(true)
	s.See("told 2 times")
}

func TestGivesTheTerminalBack(t *testing.T) {
	for _, tt := range []struct {
		name, mode, keys string
		signal           os.Signal
		code             int
		says             string
	}{
		{name: "q", keys: "q", says: "bye after 1 keys"},
		{name: "ctrl+c", keys: "\x03", says: "bye after 0 keys"},
		{name: "context", keys: "x", code: 1, says: "callboard: the context ended"},
		{name: "panic in Update", keys: "u", code: 1, says: "in Update"},
		{name: "panic in View", keys: "v", code: 1, says: "in View"},
		{name: "panic in a command", keys: "c", code: 1, says: "in a command"},
		{name: "panic in a batch", keys: "b", code: 1, says: "in a command"},
		{name: "panic in a sequence", keys: "s", code: 1, says: "in a command"},
		{name: "panic in a goroutine", keys: "g", code: 1, says: "in a goroutine"},
		{name: "SIGINT", signal: syscall.SIGINT, code: 130, says: "ended by signal: interrupt"},
		{name: "SIGTERM", signal: syscall.SIGTERM, code: 143, says: "ended by signal: terminated"},
		{name: "SIGHUP", signal: syscall.SIGHUP, code: 129, says: "ended by signal: hangup"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "plain")
			if tt.signal != nil {
				s.Signal(tt.signal)
			} else {
				s.Type(tt.keys)
			}
			if code := s.Exit(); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			s.SeeRaw("bye after")
			s.GivenBack()
			s.See(tt.says)
			if strings.Contains(s.Raw(), "Update\x1b[31m") {
				t.Error("a panic's value reached the terminal as it was")
			}
		})
	}
}

func TestPanicInInit(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = termtest.Environ(childEnv + "=init")
	s := termtest.Start(t, cmd, 80, 24)
	if code := s.Exit(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	s.SeeRaw("bye after")
	s.GivenBack()
	s.See("in Init")
}

func TestStuckProgramIsEndedBySignal(t *testing.T) {
	for mode, again := range map[string]bool{"plain": false, "patient": true} {
		t.Run(fmt.Sprint("again ", again), func(t *testing.T) {
			t.Parallel()
			s := start(t, mode)
			s.Type("h")
			s.SeeRaw("stuck")
			s.Signal(syscall.SIGTERM)
			if again {
				s.Signal(syscall.SIGINT) // another one: two of a kind may merge
			}
			if code := s.Exit(); code != 143 && code != 130 {
				t.Errorf("exit code %d, want 143", code)
			}
			s.GivenBack()
		})
	}
}

func TestVanishedTerminal(t *testing.T) {
	for _, mode := range []string{"plain", "deaf"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, mode)
			s.Hangup()
			if code := s.Exit(); code != 129 {
				t.Errorf("exit code %d, want 129", code)
			}
		})
	}
}

// What is not asked is not waited for.
func TestStartsOnAMuteTerminal(t *testing.T) {
	s := start(t, "plain")
	s.NotAsked()
	s.Type("q")
	s.Exit()
}

func TestFramesAreSynchronized(t *testing.T) {
	s := start(t, "plain")
	s.Type("a")
	s.See("keys 1")
	s.Type("q")
	s.Exit()
	raw := s.Raw()
	if on, off := strings.Count(raw, beginFrame), strings.Count(raw, endFrame); on < 2 || on != off {
		t.Errorf("%d frames begun, %d ended", on, off)
	}
	// Within a frame stands no sequence that is not part of it.
	for part := range strings.SplitSeq(raw, beginFrame) {
		frame, _, whole := strings.Cut(part, endFrame)
		if whole && strings.Contains(frame, "\x1b[?1049") {
			t.Error("the screen is switched within a frame")
		}
	}
}

func TestResize(t *testing.T) {
	s := start(t, "plain")
	s.Type("a")
	s.See("keys 1") // the program listens for changes of size by now
	s.Resize(100, 30)
	s.See("sample 100x30")
	s.Resize(0, 0)
	s.See("sample 80x24")
	s.Type("q")
	s.Exit()
}

func TestSuspendIsRefusedWithoutAShell(t *testing.T) {
	s := start(t, "plain")
	s.Type("z")
	s.See("cannot suspend: callboard leads this terminal session")
	s.Type("q")
	s.See("bye after 2 keys")
	s.Exit()
	s.GivenBack()
}

func TestSuspendAndBack(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	cmd.Env = termtest.Environ("PS1=sh> ", "HISTFILE=/dev/null", "CHILD="+os.Args[0])
	s := termtest.Start(t, cmd, 80, 24)
	s.See("sh>")
	s.Type(childEnv + "=mouse \"$CHILD\"\r")
	settled(s)
	s.SeeRawTimes(mouseIsOn, 1)
	s.Type("z")
	s.SeeAltScreen(false)
	s.See("Stopped")
	s.Type("echo the shell works\r")
	s.See("\nthe shell works")
	s.Type("fg\r")
	s.SeeAltScreen(true)
	s.See("back")
	s.SeeRawTimes(mouseIsOn, 2)
	s.Type("q")
	s.SeeAltScreen(false)
	s.See("bye after 2 keys")
	s.Type("exit\r")
	s.Exit()
	s.GivenBack()
}

// Where the signal that stops a program is ignored, the keys must not stay dead.
func TestSuspendThatIsIgnored(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	cmd.Env = termtest.Environ("PS1=sh> ", "HISTFILE=/dev/null", "CHILD="+os.Args[0])
	s := termtest.Start(t, cmd, 80, 24)
	s.See("sh>")
	s.Type("(trap '' TSTP; " + childEnv + "=plain exec \"$CHILD\")\r")
	settled(s)
	s.Type("z")
	s.See("cannot suspend: the signal that stops a program is ignored here")
	s.SeeAltScreen(true)
	s.Type("q")
	s.See("bye after 2 keys")
	s.Type("exit\r")
	s.Exit()
	s.GivenBack()
}

// mouseIsOn is what a terminal is told so that it tells of the mouse.
const mouseIsOn = "\x1b[?1002h"

// The mouse is heard, whole and never as keys, also when an editor had the
// terminal; and it is given back.
func TestTheMouse(t *testing.T) {
	s := start(t, "mouse", "EDITOR="+script(t, "true"))
	s.SeeRawTimes(mouseIsOn, 1)
	s.Type("\x1b[<64;10;20M")
	s.See("wheel up at 9,19")
	s.Type("\x1b[<0;1")
	s.Type("1;5M\x1b[<0;11;5m")
	s.See("left release at 10,4")
	s.Type("e")
	s.See("edited")
	s.SeeRawTimes(mouseIsOn, 2)
	s.Type(strings.Repeat("\x1b[<65;100;30M", 500) + "\x1b[<64;3;3M")
	s.See("wheel up at 2,2")
	s.See("keys 1")
	s.Type("q")
	s.See("bye after 2 keys")
	s.Exit()
	s.GivenBack()
}

func TestNoMouseUnlessWanted(t *testing.T) {
	s := start(t, "plain", "EDITOR="+script(t, "true"))
	s.Type("e")
	s.See("edited")
	s.Type("q")
	s.Exit()
	if strings.Contains(s.Raw(), "\x1b[?1002h") || strings.Contains(s.Raw(), "\x1b[?1000h") {
		t.Error("the mouse was switched on")
	}
}

// script writes an editor for a test.
func script(t *testing.T, body string) string {
	t.Helper()
	path := t.TempDir() + "/an editor"
	executable(t, path, body)
	return path
}

// executable writes a program for the shell. Nothing is started meanwhile: for as
// long as a process that begins has the file open for writing, nobody can run it.
func executable(t *testing.T, path, body string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestEditor(t *testing.T) {
	for _, tt := range []struct{ name, editor, want string }{
		{"edits", `ls -l "$1" | cut -c1-10 >"$1.mode"; { cat "$1"; printf ' after '; cat "$1.mode"; } >"$1.new"; mv "$1.new" "$1"`,
			`edited "before after -rw-------\n" err <nil>`},
		{"has the terminal", `test -t 0 && test -t 1 && test -t 2 && printf yes >"$1"`, `edited "yes" err <nil>`},
		{"fails", `exit 3`, `edited "before" err the editor an editor failed, the text is as it was`},
		{"takes ctrl+c", `kill -INT $PPID; printf on >"$1"`, `edited "on" err <nil>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "plain", "EDITOR="+script(t, tt.editor))
			s.Type("e")
			s.See(tt.want)
			s.SeeAltScreen(true)
			s.Type("q")
			s.See("bye after 2 keys")
			s.Exit()
			s.GivenBack()
		})
	}
}

// A copy for reading cannot be written, is gone afterwards, and is not read back.
func TestViewAndPage(t *testing.T) {
	dir := t.TempDir()
	body := `ls -l "$1" | cut -c1-10 >"` + dir + `/$KIND"; ls -ld "${1%/*}" | cut -c1-10 >>"` + dir + `/$KIND"; cat "$1" >>"` + dir + `/$KIND"; echo " $LESSSECURE" >>"` + dir + `/$KIND"; echo "$1" >"` + dir + `/path"`
	for _, tt := range []struct{ key, env, want string }{
		{"E", "EDITOR=", "-r--------\ndrwx------\nbefore "}, {"P", "PAGER=", "-r--------\ndrwx------\nbefore 1"},
	} {
		s := start(t, "plain", tt.env+script(t, body), "KIND="+tt.key)
		s.Type(tt.key)
		s.See(`edited "" err <nil>`)
		s.SeeAltScreen(true)
		got, err := os.ReadFile(dir + "/" + tt.key)
		if err != nil || !strings.HasPrefix(string(got), tt.want) {
			t.Errorf("%s: %q, %v", tt.key, got, err)
		}
		path, _ := os.ReadFile(dir + "/path")
		if _, err := os.Stat(strings.TrimSpace(string(path))); err == nil || len(path) == 0 {
			t.Errorf("%s is still there", path)
		}
		s.Type("q")
		s.Exit()
		s.GivenBack()
	}
	s := start(t, "plain", "PAGER=/nowhere/less")
	s.Type("P")
	s.See(`no pager "/nowhere/less" here: set $PAGER`)
	s.Type("q")
	s.Exit()
}

func TestEditorThatIsNotThere(t *testing.T) {
	s := start(t, "plain", "VISUAL=/nowhere/ed -w")
	s.Type("e")
	s.See(`no editor "/nowhere/ed" here: set $VISUAL or $EDITOR`)
	s.Type("q")
	s.Exit()
}

func TestSignalsWhileAnEditorRuns(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			s := start(t, "plain", "EDITOR="+script(t, "echo editing; exec sleep 60"))
			s.Type("e")
			s.See("editing")
			s.Signal(sig)
			if code := s.Exit(); code != 128+int(sig) {
				t.Errorf("exit code %d, want %d", code, 128+int(sig))
			}
			s.See("bye after") // it ended in good order, not over its head
			s.GivenBack()
		})
	}
}

func TestCopyAndBell(t *testing.T) {
	s := start(t, "plain", "SSH_TTY=/dev/pts/9")
	s.Type("y")
	s.See("copied OSC 52 <nil>")
	s.SeeRaw("\a")
	s.SeeRaw("\x1b]52;c;dGV4dA==\x07")
	s.Type("q")
	s.Exit()
}

func TestClipboardIsWrapped(t *testing.T) {
	for _, tt := range []struct{ name, tmux, term, want string }{
		{"bare", "", "xterm", "\x1b]52;c;dGV4dA==\x07"},
		{"tmux", "/tmp/tmux,1,0", "tmux-256color", "\x1b]52;c;dGV4dA==\x07\x1bPtmux;\x1b\x1b]52;c;dGV4dA==\x07\x1b\\"},
		{"screen", "", "screen-256color", "\x1bP\x1b]52;c;dGV4dA==\x07\x1b\\"},
	} {
		env := map[string]string{"TMUX": tt.tmux, "TERM": tt.term}
		if got := sequence("text", func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if err := (&Terminal{}).ask(strings.Repeat("x", CopyLimit+1)); err == nil {
		t.Error("a text that no terminal takes was sent")
	}
}

func TestNoTerminal(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = termtest.Environ(childEnv + "=plain")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("%v, want exit code 2: %s", err, &out)
	}
	if !strings.Contains(out.String(), ErrNoTerminal.Error()) || strings.Contains(out.String(), "\x1b") {
		t.Errorf("it said %q", &out)
	}
	dumb := exec.CommandContext(t.Context(), os.Args[0])
	dumb.Env = termtest.Environ("TERM=dumb", childEnv+"=plain")
	s := termtest.Start(t, dumb, 80, 24)
	if code := s.Exit(); code != 2 {
		t.Errorf("TERM=dumb: exit code %d, want 2", code)
	}
	s.See("TERM=dumb")
}

func TestOpenURL(t *testing.T) {
	for page, opens := range map[string]bool{
		"https://example.com/a?b=c": true, "http://127.0.0.1:80/x": true, "http://localhost/": true, "http://[::1]:9/": true,
		"http://example.com/": false, "file:///etc/passwd": false, "javascript:alert(1)": false, "https:///x": false,
		"-x": false, "": false, "https://a b/": false, "http://localhost.evil.example/": false,
	} {
		if err := Openable(page); (err == nil) != opens {
			t.Errorf("Openable(%q) = %v, want opens %v", page, err, opens)
		}
	}
	note := t.TempDir() + "/opened"
	t.Setenv("NOTE", note)
	page := "https://example.com/$(touch x)?a=1&b=2;c"
	if err := open(t.Context(), []string{script(t, `printf %s "$1" >"$NOTE"`)}, page, time.Minute); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(note); err != nil || string(got) != page {
		t.Errorf("the opener got %q, %v", got, err)
	}
	if err := open(t.Context(), []string{script(t, "exit 4")}, page, time.Minute); err == nil {
		t.Error("an opener that fails is taken for one that worked")
	}
	if err := open(t.Context(), []string{"/nowhere/opener"}, page, time.Minute); err == nil || !strings.Contains(err.Error(), "no /nowhere/opener on this machine") {
		t.Errorf("no opener: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_ = open(ended, []string{script(t, "exit 0")}, page, time.Minute) // returns, whichever comes first
}
