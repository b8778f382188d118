//go:build unix

package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"
)

// suspend stops the process as the shell expects after ctrl+z, or says why it
// cannot. Bubble Tea's own way waits for ever for a SIGCONT that never comes
// where the kernel discards the SIGTSTP.
func (t *Terminal) suspend() tea.Msg {
	if why := unstoppable(); why != "" {
		return t.refuse(why)
	}
	return tea.Exec(stop{t}, func(err error) tea.Msg {
		if err != nil {
			return t.refuse(err.Error())
		}
		return tea.ResumeMsg{}
	})()
}

func (t *Terminal) refuse(why string) tea.Msg {
	if t.o.Refused == nil {
		return nil
	}
	return t.o.Refused(why)
}

// stop is the tea.ExecCommand that stops the process group, and returns when it
// goes on.
type stop struct{ t *Terminal }

// Run stops.
func (s stop) Run() error {
	defer s.t.lend()
	defer s.t.lendTitle()()
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return fmt.Errorf("cannot suspend: %w", err)
	}
	// The clock runs on while the process is stopped, so the first timer may
	// fire before the signal that woke us was handed out.
	for _, patience := range [...]time.Duration{time.Second, time.Second} {
		select {
		case <-goesOn:
			return nil
		case <-s.t.ctx.Done():
			return nil
		case <-time.After(patience):
		}
	}
	return errors.New("cannot suspend: the signal that stops a program is ignored here")
}

// SetStdin does nothing: nothing is started.
func (stop) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (stop) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (stop) SetStderr(io.Writer) {}

// unstoppable returns why this process cannot be stopped from its terminal, "" if
// it can. The kernel discards SIGTSTP in a process group that nobody in its
// session could wake up (POSIX: an orphaned process group).
func unstoppable() string {
	session, err := unix.Getsid(0)
	if err == nil && session == os.Getpid() {
		return "cannot suspend: callboard leads this terminal session, there is no shell to return to"
	}
	group := unix.Getpgrp()
	// Members of the group may stand between us and the shell ("go run").
	for parent := os.Getppid(); parent > 1; parent = parentOf(parent) {
		theirs, err := unix.Getpgid(parent)
		if err != nil {
			break
		}
		if theirs == group {
			continue
		}
		if s, err := unix.Getsid(parent); err == nil && s == session {
			return ""
		}
		break
	}
	return "cannot suspend: no shell of this terminal could bring callboard back"
}

// parentOf returns the parent of another process, 0 where that is not known.
func parentOf(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name, in parentheses, may hold anything; state and parent follow it.
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return parent
}
