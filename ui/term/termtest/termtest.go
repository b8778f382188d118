//go:build unix

// Package termtest runs a command on a pseudo-terminal and looks at its screen.
// It is for tests only. The terminal is mute: it answers no question.
package termtest

import (
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	xterm "golang.org/x/term"
)

// patience is how long a test waits for what must happen.
const patience = time.Minute

// Session is a command on its terminal.
type Session struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File // the terminal's own end, which stays open until the command has ended
	found  *xterm.State

	mu      sync.Mutex
	screen  *vt.Emulator
	raw     []byte
	asked   int
	changed chan struct{} // closed and replaced on each change
	exited  bool
}

// notOurs are settings of the machine that tests do not have.
var notOurs = []string{
	"CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TMUX", "TERM", "COLORTERM", "COLORFGBG", "VISUAL", "EDITOR", "PAGER", "DISPLAY", "WAYLAND_DISPLAY",
	"CALLBOARD_TOKEN", "CALLBOARD_SESSION", "CALLBOARD_CONFIG",
}

// Environ returns the environment for a command: this process's, with a capable
// terminal, without what makes callboard or terminal libraries behave otherwise
// than on a machine of which nothing is known, and with these settings.
func Environ(settings ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name = strings.ToUpper(name); { // some programs read the proxies' names in small letters
		case strings.HasSuffix(name, "_PROXY"), strings.HasPrefix(name, "SSH_"):
		case slices.Contains(notOurs, name):
		default:
			env = append(env, kv)
		}
	}
	// A binary with the race detector sleeps for a second at its end.
	return append(append(env, "TERM=xterm-256color", "GORACE=atexit_sleep_ms=0"), settings...)
}

// Start runs cmd, which leads a session of its own on the terminal. It is killed
// at the end of the test if it still runs.
func Start(t testing.TB, cmd *exec.Cmd, width, height int) *Session {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if master, err = pollable(master); err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(tty, winsize(width, height)); err != nil {
		t.Fatal(err)
	}
	found, err := xterm.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if cmd.Env == nil {
		cmd.Env = Environ()
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s := &Session{t: t, cmd: cmd, master: master, tty: tty, found: found, screen: vt.NewEmulator(width, height), changed: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The terminal's own end stays open, so that its settings and its last
	// bytes can be read after the command has ended.
	var readers sync.WaitGroup
	readers.Go(s.read)
	readers.Go(s.discardReplies)
	go func() {
		_ = cmd.Wait()
		s.change(func() { s.exited = true })
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		s.wait("the end of the command", func() bool { return s.exited })
		_ = tty.Close()
		_ = master.Close()
		_ = s.screen.InputPipe().(interface{ Close() error }).Close()
		readers.Wait()
	})
	return s
}

// pollable returns another handle of a file that was opened or made to block: to
// close that one would wait until the program writes something.
func pollable(f *os.File) (*os.File, error) {
	defer func() { _ = f.Close() }()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func winsize(width, height int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}
}

func (s *Session) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Session) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := s.master.Read(buf)
		if n > 0 {
			s.change(func() {
				s.raw = append(s.raw, buf[:n]...)
				_, _ = s.screen.Write(buf[:n])
			})
		}
		if err != nil {
			return
		}
	}
}

// discardReplies takes what the terminal would answer: the emulator stands still
// until somebody does.
func (s *Session) discardReplies() {
	buf := make([]byte, 4096)
	for {
		n, err := s.screen.Read(buf)
		if err != nil {
			return
		}
		s.change(func() { s.asked += n })
	}
}

// wait waits until ok, which is called with the lock held.
func (s *Session) wait(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		done, changed := ok(), s.changed
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			s.t.Fatalf("no sign of %s in %s; the screen:\n%s", what, patience, s.Screen())
		}
	}
}

func (s *Session) text() string { return ansi.Strip(s.screen.Render()) }

// Screen returns what the screen shows, without colours.
func (s *Session) Screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text()
}

// See waits until the screen shows text.
func (s *Session) See(text string) {
	s.t.Helper()
	s.wait("the text "+text, func() bool { return strings.Contains(s.text(), text) })
}

// SeeNot waits until the screen does not show text.
func (s *Session) SeeNot(text string) {
	s.t.Helper()
	s.wait("the end of the text "+text, func() bool { return !strings.Contains(s.text(), text) })
}

// SeeAltScreen waits until the alternate screen is on, or off.
func (s *Session) SeeAltScreen(on bool) {
	s.t.Helper()
	s.wait("the alternate screen", func() bool { return s.screen.IsAltScreen() == on })
}

// Type sends keys.
func (s *Session) Type(keys string) {
	s.t.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// Resize changes the size of the terminal; 0x0 is a terminal that does not know
// its size.
func (s *Session) Resize(width, height int) {
	s.t.Helper()
	if width > 0 && height > 0 {
		s.change(func() { s.screen.Resize(width, height) })
	}
	if err := pty.Setsize(s.tty, winsize(width, height)); err != nil {
		s.t.Fatal(err)
	}
}

// Pixels tells how many pixels a cell has; a terminal of which nobody knows has none.
func (s *Session) Pixels(width, height int) {
	s.t.Helper()
	size, err := pty.GetsizeFull(s.tty)
	if err != nil {
		s.t.Fatal(err)
	}
	size.X, size.Y = size.Cols*uint16(width), size.Rows*uint16(height)
	if err := pty.Setsize(s.tty, size); err != nil {
		s.t.Fatal(err)
	}
}

// Signal sends a signal to the command.
func (s *Session) Signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// Exit waits for the end of the command and returns its exit code, -1 after a
// signal that it did not handle.
func (s *Session) Exit() int {
	s.t.Helper()
	s.wait("the end of the command", func() bool { return s.exited })
	return s.cmd.ProcessState.ExitCode()
}

// Raw returns the bytes that came so far.
func (s *Session) Raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.raw)
}

// SeeRaw waits until these bytes came.
func (s *Session) SeeRaw(want string) {
	s.t.Helper()
	s.wait("bytes", func() bool { return strings.Contains(string(s.raw), want) })
}

// SeeRawTimes waits until these bytes came so many times.
func (s *Session) SeeRawTimes(want string, times int) {
	s.t.Helper()
	s.wait("bytes", func() bool { return strings.Count(string(s.raw), want) >= times })
}

// GivenBack waits until the terminal is as it was found: its settings, the
// alternate screen, the cursor, the window's title, and what a program can switch
// on; and fails if the terminal was asked anything.
func (s *Session) GivenBack() {
	s.t.Helper()
	s.wait("a terminal given back", func() bool {
		return reflect.DeepEqual(s.modes(), s.found) && !s.screen.IsAltScreen() && !s.screen.CursorHidden() && !leftOn(string(s.raw)) &&
			titleOf(string(s.raw)) == ""
	})
	s.NotAsked()
}

// SeeTitle waits until the window is called so; "" is its own name.
func (s *Session) SeeTitle(want string) {
	s.t.Helper()
	s.wait("the title "+want, func() bool { return titleOf(string(s.raw)) == want })
}

var titles = regexp.MustCompile("\x1b\\[2[23];0t|\x1b\\]2;[^\x07]*\x07")

// titleOf returns the title that these bytes leave the window with, "" for the one
// that it had, as a terminal with a stack of titles has it. A title that is set
// while its own is not on the stack, and one that is taken from an empty stack,
// is "lost".
func titleOf(raw string) string {
	now, stack := "", []string(nil)
	for _, seq := range titles.FindAllString(raw, -1) {
		switch {
		case seq == "\x1b[22;0t":
			stack = append(stack, now)
		case len(stack) == 0:
			return "lost"
		case seq == "\x1b[23;0t":
			now, stack = stack[len(stack)-1], stack[:len(stack)-1]
		default:
			now = seq[len("\x1b]2;") : len(seq)-1]
		}
	}
	if now == "" && len(stack) > 0 {
		return "lost"
	}
	return now
}

// leftOn reports whether one of these was switched on and not off again:
// bracketed paste, synchronized output, the mouse, reports of focus; or the wrapping
// of long lines off and not on again.
func leftOn(raw string) bool {
	if strings.LastIndex(raw, "\x1b[?7l") > strings.LastIndex(raw, "\x1b[?7h") {
		return true
	}
	for _, mode := range [...]string{"?2004", "?2026", "?1000", "?1002", "?1003", "?1006", "?1004"} {
		if strings.LastIndex(raw, "\x1b["+mode+"h") > strings.LastIndex(raw, "\x1b["+mode+"l") {
			return true
		}
	}
	return false
}

// modes returns the terminal's modes now, nil where it has vanished.
func (s *Session) modes() (now *xterm.State) {
	raw, err := s.master.SyscallConn()
	if err != nil {
		return nil
	}
	// Not Fd(): it would make reads block that Hangup has to end.
	_ = raw.Control(func(fd uintptr) { now, _ = xterm.GetState(int(fd)) })
	return now
}

// Hangup lets the terminal vanish, as a lost connection does.
func (s *Session) Hangup() {
	s.t.Helper()
	if err := s.master.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// NotAsked fails if the terminal was asked anything.
func (s *Session) NotAsked() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked > 0 {
		s.t.Errorf("the terminal was asked something: it would have answered %d bytes", s.asked)
	}
	for _, question := range [...]string{"\x1b]10;?", "\x1b]11;?", "\x1b[6n", "\x1b[c", "\x1b[0c"} {
		if strings.Contains(string(s.raw), question) {
			s.t.Errorf("the terminal was asked %q", question)
		}
	}
}
