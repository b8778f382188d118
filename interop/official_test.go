package interop

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
)

// outcome is what official.mjs tells of one call.
type outcome struct {
	Kind, Task, Status, Text string
	IsError                  bool
	Error                    *struct {
		Code    int
		Message string
	}
	Questions []struct{ Kind, Message, Scope, Delivery, Task string }
}

// official runs official.mjs against our test server.
func official(t *testing.T, era string) (report struct {
	Era, Version string
	Plain, Works, Asks, AsksTwice, AsksFirst,
	Fails, Breaks, Cancelled outcome
	Listed []struct{ TaskID, Status string }
}) {
	t.Helper()
	script, err := os.ReadFile("official.mjs")
	if err != nil {
		t.Fatal(err)
	}
	// Modules are looked for beside the script.
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(npmFolder(t), "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "official.mjs")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := node(ctx, t, file, start(t, mcptest.Conformance()), era)
	said, err := os.CreateTemp(dir, "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = said.Close() }()
	cmd.Stderr = said
	out, err := cmd.Output()
	if err != nil {
		text, _ := os.ReadFile(said.Name())
		t.Fatalf("the official client ends with %v\n%s%s", err, out, text)
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("it says:\n%s", out)
		}
	})
	return report
}

// ends checks how a call ended.
func (o outcome) ends(t *testing.T, what, kind, status, text string, questions int) {
	t.Helper()
	if o.Kind != kind || o.Status != status || o.Text != text || len(o.Questions) != questions {
		t.Errorf("%s: %+v, want %s %s %q after %d questions", what, o, kind, status, text, questions)
	}
	if (o.Task != "") != (kind == "task") {
		t.Errorf("%s: task %q", what, o.Task)
	}
}

// asked checks who was asked what, in which way.
func (o outcome) asked(t *testing.T, what, message, scope, delivery string) {
	t.Helper()
	for _, q := range o.Questions {
		if q.Message == message && q.Kind == "elicitation" && q.Scope == scope && q.Delivery == delivery && (scope != "task" || q.Task == o.Task) {
			return
		}
	}
	t.Errorf("%s: nobody was asked %q: %+v", what, message, o.Questions)
}

const answers = `name: accept {"confirm":true,"name":"Ann"}, confirm: accept {"confirm":true,"name":"Ann"}`

func TestOfficialClientModern(t *testing.T) {
	r := official(t, "modern")
	if r.Era != "modern" || r.Version != mcptest.ModernRevision {
		t.Errorf("it spoke %s, %s", r.Era, r.Version)
	}
	r.Plain.ends(t, "plain", "immediate", "completed", "Hello, Ann!", 0)
	r.Works.ends(t, "works", "task", "completed", "sum: computed for 0.3 s", 0)
	r.Asks.ends(t, "asks", "task", "completed", "Deleted a.txt", 1)
	r.Asks.asked(t, "asks", "Delete a.txt?", "task", "task-update")
	r.AsksTwice.ends(t, "asks twice", "task", "completed", answers, 2)
	r.AsksTwice.asked(t, "asks twice", "What is your name?", "task", "task-update")
	r.AsksTwice.asked(t, "asks twice", "Go on?", "task", "task-update")
	r.AsksFirst.ends(t, "asks first", "task", "completed", "Hello, Ann!", 1)
	r.AsksFirst.asked(t, "asks first", "Who is to be greeted?", "request", "request-retry")
	if r.Fails.ends(t, "fails", "task", "completed", "the job failed", 0); !r.Fails.IsError {
		t.Error("a tool error is none")
	}
	r.Breaks.ends(t, "breaks", "task", "failed", "", 0)
	if e := r.Breaks.Error; e == nil || e.Code != mcptest.CodeInternal || e.Message != "the job broke down" {
		t.Errorf("breaks: %+v", e)
	}
	r.Cancelled.ends(t, "cancelled", "task", "cancelled", "", 0)
}

func TestOfficialClientLegacy(t *testing.T) {
	r := official(t, "legacy")
	if r.Era != "legacy" || r.Version != mcptest.Revision {
		t.Errorf("it spoke %s, %s", r.Era, r.Version)
	}
	r.Plain.ends(t, "plain", "immediate", "completed", "Hello, Ann!", 0)
	r.Works.ends(t, "works", "task", "completed", "sum: computed for 0.3 s", 0)
	r.Asks.ends(t, "asks", "task", "completed", "Deleted a.txt", 1)
	r.Asks.asked(t, "asks", "Delete a.txt?", "task", "peer-request")
	r.AsksTwice.ends(t, "asks twice", "task", "completed", answers, 2)
	r.AsksTwice.asked(t, "asks twice", "What is your name?", "task", "peer-request")
	r.AsksTwice.asked(t, "asks twice", "Go on?", "task", "peer-request")
	for what, o := range map[string]outcome{"the job failed": r.Fails, "the job broke down": r.Breaks} {
		if o.ends(t, what, "task", "failed", "", 0); o.Error == nil || o.Error.Message != what {
			t.Errorf("%s: %+v", what, o.Error)
		}
	}
	r.Cancelled.ends(t, "cancelled", "task", "cancelled", "", 0)
	for id, status := range map[string]string{r.Works.Task: "completed", r.Fails.Task: "failed", r.Cancelled.Task: "cancelled"} {
		if !slices.Contains(r.Listed, struct{ TaskID, Status string }{id, status}) {
			t.Errorf("tasks/list does not hold %s as %s: %+v", id, status, r.Listed)
		}
	}
}
