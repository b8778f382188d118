package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// built is the program, built once.
var built struct {
	once sync.Once
	path string
	err  error
}

// program is callboard with a state folder of this test.
type program struct {
	t     *testing.T
	env   []string
	state string // the folder of XDG_STATE_HOME
	log   string // the file in which it writes what it sends and gets
}

func newProgram(t *testing.T) *program {
	t.Helper()
	built.once.Do(func() {
		built.path = filepath.Join(scratch, "callboard")
		out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "..", "-o", built.path, ".").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	p := &program{t: t, state: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
	p.env = []string{"CALLBOARD=" + built.path, "XDG_STATE_HOME=" + p.state, "XDG_CONFIG_HOME=" + p.state + "/config"}
	t.Cleanup(func() {
		if t.Failed() {
			text, _ := os.ReadFile(p.log)
			t.Logf("its log:\n%s", text)
		}
	})
	return p
}

// command returns a command of the program, which has no terminal and nothing to
// read.
func (p *program) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, built.path, append(args, "--log-file", p.log)...)
	cmd.Env = append(os.Environ(), p.env...)
	return cmd
}

// document is what a command prints with --json.
type document struct {
	Server struct{ Protocol string }
	Task   taskDocument
	Tasks  []taskDocument
	Result struct{ Content []struct{ Text string } }
	Error  struct{ Kind, Message string }
}

type taskDocument struct {
	ID, Status string
	Asks       bool
}

// find returns the task of that id in a list, or a zero one.
func (d document) find(id string) taskDocument {
	for _, each := range d.Tasks {
		if each.ID == id {
			return each
		}
	}
	return taskDocument{}
}

// run runs a command that must end with that exit code.
func (p *program) run(code int, args ...string) (d document) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	cmd := p.command(ctx, append(args, "--json")...)
	var notes bytes.Buffer
	cmd.Stderr = &notes
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		p.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("%s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, &notes)
	}
	if code == 2 { // misuse is told on standard error alone
		if len(out) > 0 {
			p.t.Errorf("%s: misuse prints %s", strings.Join(args, " "), out)
		}
		return d
	}
	if err := json.Unmarshal(out, &d); err != nil {
		p.t.Fatalf("%s: %v in %s%s", strings.Join(args, " "), err, out, &notes)
	}
	return d
}

// sent counts the requests of a method, over all that the program sent.
func (p *program) sent(method string) (n int) {
	p.t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var f struct{ Dir, Method string }
		if err := json.Unmarshal(line, &f); err != nil {
			p.t.Fatal(err)
		}
		if f.Dir == "out" && f.Method == method {
			n++
		}
	}
	return n
}
