package interop

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The official conformance suite, @modelcontextprotocol/conformance, in two
// versions, by the names under which the npm folder holds them.
const (
	suiteSessions = "conformance-sessions" // 0.1.16: revision 2025-11-25
	suiteTasks    = "conformance-tasks"    // 0.2.0-alpha.12: revision 2026-07-28 and its extensions
)

// npmFolder returns the folder in which the packages from npm are installed.
func npmFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("CALLBOARD_NPM")
	if folder == "" {
		t.Skip("CALLBOARD_NPM names no folder with packages from npm: not tested against them")
	}
	return folder
}

// node returns a command that runs a file of the npm folder with the Node that
// is installed there, since the suite needs a newer one than systems have.
func node(ctx context.Context, t *testing.T, file string, args ...string) *exec.Cmd {
	t.Helper()
	folder := npmFolder(t)
	if !filepath.IsAbs(file) {
		file = filepath.Join(folder, "node_modules", file)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(folder, "node_modules", "node", "bin", "node"), append([]string{file}, args...)...)
	cmd.WaitDelay = time.Second // children of its own may hold its output open
	return cmd
}

// scenario is one scenario of the suite and what it must report.
type scenario struct {
	suite, name string
	passes      int      // how many checks pass, all of them
	skips       []string // the checks that do not apply, and only they
}

// check is what the suite reports of one requirement.
type check struct {
	ID, Name, Status, Description, ErrorMessage string
	Details                                     json.RawMessage
}

// run runs the scenario and fails the test unless each check passes that must.
// The suite calls a run a success in which all was skipped, or a server was never
// asked anything: what counts is which checks it made, and what each says.
func (sc scenario) run(t *testing.T, env []string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	dir := t.TempDir()
	cmd := node(ctx, t, sc.suite+"/dist/index.js", append(args, "--scenario", sc.name, "-o", dir)...)
	cmd.Env = append(os.Environ(), env...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the suite ends with %v", err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if len(files) != 1 {
		t.Fatalf("%d reports where one is due; it said:\n%s", len(files), said)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var checks []check
	if err := json.Unmarshal(data, &checks); err != nil {
		t.Fatal(err)
	}
	passed, skipped := 0, map[string]bool{}
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			passed++
			t.Logf("passed   %s (%s)", c.Name, c.ID)
		case "SKIPPED":
			skipped[c.Name] = true
			t.Logf("skipped  %s: %s", c.Name, c.ErrorMessage)
		case "INFO": // a note, no verdict
		default:
			t.Errorf("%s: %s (%s): %s\n%s", c.Status, c.Name, c.ID, c.Description+": "+c.ErrorMessage, c.Details)
		}
	}
	if passed != sc.passes {
		t.Errorf("%d checks passed, want %d", passed, sc.passes)
	}
	for _, name := range sc.skips {
		if !skipped[name] {
			t.Errorf("%s is not skipped any more: take it up", name)
		}
		delete(skipped, name)
	}
	for name := range skipped {
		t.Errorf("%s was skipped", name)
	}
	if t.Failed() {
		t.Logf("it said:\n%s", said)
		for _, name := range []string{"stdout.txt", "stderr.txt"} {
			if text, err := os.ReadFile(filepath.Join(filepath.Dir(files[0]), name)); err == nil {
				t.Logf("the client's %s:\n%s", strings.TrimSuffix(name, ".txt"), text)
			}
		}
	}
}
