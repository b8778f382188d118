package term

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// terminate is how an editor is asked to end.
var terminate = os.Kill

// detach has nothing to do where there is no controlling terminal.
func detach(*exec.Cmd) {}

// shell returns the command that runs the person's own words. They are handed
// on as they are: cmd.exe reads quotes otherwise than exec writes them.
func shell(ctx context.Context, words string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /S /C "` + words + `"`}
	return cmd
}

// alone keeps a command from the console's ctrl+c.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP }

// killAll ends a command and what it started: here a group is no more than
// what ctrl+break reaches.
func killAll(cmd *exec.Cmd) {
	tree := exec.Command("taskkill.exe", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)) //nolint:noctx // it ends by itself
	if tree.Run() != nil {
		_ = cmd.Process.Kill()
	}
}
