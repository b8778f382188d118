package interop

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// portEnv names the port that a server as a child process listens on, 0 for a free
// one.
const portEnv = "CALLBOARD_INTEROP_PORT"

// child is a server as a process of its own.
type child struct {
	url  string
	port int
	cmd  *exec.Cmd
	done chan struct{}
}

// serveChild starts a server that listens on the port that the environment says and
// tells of it on standard error. It ends with the test.
func serveChild(t *testing.T, port int, cmd *exec.Cmd) *child {
	t.Helper()
	cmd.Env = append(os.Environ(), portEnv+"="+strconv.Itoa(port))
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &child{cmd: cmd, done: make(chan struct{})}
	listens := make(chan int, 1)
	go func() {
		defer close(s.done)
		for lines := bufio.NewScanner(said); lines.Scan(); {
			var n int
			if _, err := fmt.Sscanf(lines.Text(), "listening on port %d", &n); err == nil {
				listens <- n
			}
		}
		_ = cmd.Wait() // it is killed at the end
	}()
	t.Cleanup(s.stop)
	select {
	case s.port = <-listens:
		s.url = fmt.Sprintf("http://127.0.0.1:%d/mcp", s.port)
	case <-s.done:
		t.Fatalf("%v ended at once", cmd.Args)
	case <-time.After(patience):
		t.Fatalf("%v does not listen", cmd.Args)
	}
	return s
}

// stop kills the server.
func (s *child) stop() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.done
}
