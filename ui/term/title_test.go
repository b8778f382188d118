//go:build unix

package term

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"callboard/ui/term/termtest"
)

// However the program ends, the window is called as it was.
func TestTheTitleIsGivenBack(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		signal     os.Signal
	}{
		{name: "q", keys: "q"},
		{name: "ctrl+c", keys: "\x03"},
		{name: "error", keys: "x"},
		{name: "panic in Update", keys: "u"},
		{name: "panic in a command", keys: "c"},
		{name: "panic in a goroutine", keys: "g"},
		{name: "SIGTERM", signal: syscall.SIGTERM},
		{name: "SIGHUP", signal: syscall.SIGHUP},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, "titled")
			s.SeeTitle("sample: 3 asking")
			if tt.signal != nil {
				s.Signal(tt.signal)
			} else {
				s.Type(tt.keys)
			}
			s.Exit()
			s.SeeRaw("bye after")
			s.GivenBack()
			s.SeeTitle("")
		})
	}
}

func TestAStuckProgramGivesTheTitleBack(t *testing.T) {
	s := start(t, "titled")
	s.SeeTitle("sample: 3 asking")
	s.Type("h")
	s.SeeRaw("stuck")
	s.Signal(syscall.SIGTERM)
	s.Signal(syscall.SIGINT)
	s.Exit()
	s.GivenBack()
}

func TestTheTitleChangesAndGoes(t *testing.T) {
	s := start(t, "plain")
	s.SeeTitle("")
	s.Type("t")
	s.SeeTitle("key 1")
	s.Type("t")
	s.SeeTitle("key 2")
	s.Type("n")
	s.SeeTitle("")
	s.Type("t")
	s.SeeTitle("key 4")
	s.Type("q")
	s.Exit()
	s.GivenBack()
}

// An editor and the shell have the window under its own name.
func TestTheTitleIsLent(t *testing.T) {
	dir := t.TempDir()
	s := start(t, "titled", "EDITOR="+script(t, `echo editing; while ! test -e `+dir+`/go; do sleep 0.01; done`))
	s.SeeTitle("sample: 3 asking")
	s.Type("e")
	s.See("editing")
	s.SeeTitle("")
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.See("edited")
	s.SeeTitle("sample: 3 asking")
	s.Type("q")
	s.Exit()
	s.GivenBack()
}

func TestTheTitleIsTheShellsWhileSuspended(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	cmd.Env = termtest.Environ("PS1=sh> ", "HISTFILE=/dev/null", "CHILD="+os.Args[0])
	s := termtest.Start(t, cmd, 80, 24)
	s.See("sh>")
	s.Type(childEnv + "=titled \"$CHILD\"\r")
	settled(s)
	s.SeeTitle("sample: 3 asking")
	s.Type("z")
	s.See("Stopped")
	s.SeeTitle("")
	s.Type("fg\r")
	s.SeeTitle("sample: 3 asking")
	s.See("back")
	s.Type("q")
	s.See("bye after 2 keys")
	s.SeeTitle("")
	s.Type("exit\r")
	s.Exit()
	s.GivenBack()
}

func TestFocusIsReported(t *testing.T) {
	s := start(t, "plain")
	s.SeeRaw("\x1b[?1004h")
	s.Type("\x1b[O")
	s.See("blur")
	s.Type("\x1b[I")
	s.See("focus")
	s.Type("q")
	s.See("bye after 1 keys")
	s.Exit()
	s.GivenBack()
}

func TestNotify(t *testing.T) {
	s := start(t, "plain")
	s.Type("o")
	s.SeeRaw("\x1b]9;it[31m failed; 4;1\x07")
	s.Type("q")
	s.Exit()
}

func TestNotificationsAreWrapped(t *testing.T) {
	for _, tt := range []struct{ name, tmux, term, want string }{
		{"bare", "", "xterm", "\x1b]9;text\x07"},
		{"tmux", "/tmp/tmux,1,0", "tmux-256color", "\x1bPtmux;\x1b\x1b]9;text\x07\x1b\\"},
		{"screen", "", "screen-256color", "\x1bP\x1b]9;text\x07\x1b\\"},
	} {
		env := map[string]string{"TMUX": tt.tmux, "TERM": tt.term}
		if got := notification("text", func(name string) string { return env[name] }); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"5 tasks failed": "5 tasks failed", "a\x1b]0;x\x07b\x9cc\u202ed\nе\xff": "a]0;xbcdе", "日本語": "日本語", "": "",
	} {
		if got := plain(in); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
	if got := plain(strings.Repeat("日", 100)); len(got) > textLimit || len(got) < textLimit-3 || !strings.HasSuffix(got, "日") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}
