//go:build unix

package term

import (
	"os/exec"
	"syscall"
)

// terminate is how an editor is asked to end.
const terminate = syscall.SIGTERM

// detach takes the terminal away from a command: ctrl+z and ctrl+c are not its
// own, and it cannot draw on it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
