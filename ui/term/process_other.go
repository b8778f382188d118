//go:build !unix

package term

import (
	"os"
	"os/exec"
)

// terminate is how an editor is asked to end.
var terminate = os.Kill

// detach has nothing to do where there is no controlling terminal.
func detach(*exec.Cmd) {}
