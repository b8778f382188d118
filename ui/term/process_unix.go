//go:build unix

package term

import (
	"context"
	"os/exec"
	"syscall"
)

// terminate is how an editor is asked to end.
const terminate = syscall.SIGTERM

// detach takes the terminal away from a command: ctrl+z and ctrl+c are not its
// own, and it cannot draw on it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// shell returns the command that runs the person's own words.
func shell(ctx context.Context, words string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", words)
}

// alone makes a command the first of a process group, without the terminal.
func alone(cmd *exec.Cmd) { detach(cmd) }

// killAll ends a command that was made alone, and what it started.
func killAll(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
