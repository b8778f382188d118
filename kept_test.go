//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
)

// typed returns the drafts on disk that hold text.
func typed(t *testing.T, text string) (files []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(stateHome(t), "callboard", "drafts", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if content, err := os.ReadFile(path); err == nil && bytes.Contains(content, []byte(text)) {
			files = append(files, path)
		}
	}
	return files
}

// kill -9 while a person types: the next callboard has it in the form of the same
// question, and once it is sent it is on no disk any more.
func TestKilledWhileTyping(t *testing.T) {
	for name, era := range map[string]mcptest.Era{"2025-11-25": mcptest.LegacyEra, "2026-07-28": mcptest.ModernEra} {
		t.Run(name, func(t *testing.T) {
			url := bound(t, era)
			out, errs, code := run(t, "run", url, "ask")
			if code != 0 {
				t.Fatal(errs)
			}
			id := strings.TrimSpace(out)
			s := dashboardOn(t, url)
			s.See("1 prompt")
			s.Type("a")
			s.See("Who digs?")
			s.Type("Ada Lovelace")
			s.See("Ada Lovelace")
			for began := time.Now(); len(typed(t, "Ada Lovelace")) == 0; {
				if time.Since(began) > time.Minute { // a second, where the machine is not busy
					t.Fatalf("what was typed is not on disk; the screen:\n%s", s.Screen())
				}
				<-time.After(10 * time.Millisecond)
			}
			s.Signal(syscall.SIGKILL)
			s.Exit()

			s = dashboardOn(t, url)
			s.See("1 prompt")
			s.Type("a")
			s.See("Who digs?")
			s.See("Ada Lovelace")
			s.Type("\x13") // ctrl+s
			s.See("answer: taken")
			s.Type("q")
			s.Exit()
			if files := typed(t, "Lovelace"); files != nil {
				t.Errorf("what was sent is still in %q", files)
			}
			if out, errs, _ := run(t, "result", url, id); !strings.Contains(out, `{"name":"Ada Lovelace"}`) {
				t.Errorf("%s%s", out, errs)
			}
			trail(t, url, id)
		})
	}
}

// trail checks what the audit trail says of a task that was started by one
// process, and answered by another after a third was killed.
func trail(t *testing.T, url, id string) {
	t.Helper()
	out, errs, code := run(t, "audit", url, "--task", id, "--json")
	if code != 0 || errs != "" {
		t.Fatal(code, errs)
	}
	var whats []string
	pids := map[float64]bool{}
	for line := range strings.Lines(out) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		what, _ := e["what"].(string)
		if effect, _ := e["effect"].(string); effect != "" {
			what += " " + effect
		}
		whats = append(whats, what)
		pid, _ := e["pid"].(float64)
		pids[pid] = true
	}
	all := strings.Join(whats, ", ")
	for _, want := range []string{"seen", "prompt", "answer sent", "answer delivered", "answer taken", "status", "result"} {
		if !strings.Contains(all, want) {
			t.Errorf("the trail says nothing of %q: %s", want, all)
		}
	}
	if len(pids) < 3 {
		t.Errorf("%d processes are in the trail", len(pids))
	}
	if strings.Contains(out, "Lovelace") {
		t.Errorf("an answer is in the trail:\n%s", out)
	}
	if out, _, _ := run(t, "audit"); strings.Count(out, "\n") < len(whats) || !strings.Contains(out, "answered") || strings.Contains(out, "Lovelace") {
		t.Errorf("in words:\n%s", out)
	}
	if out, _, _ := run(t, "info"); !strings.Contains(out, "audit.jsonl") || !strings.Contains(out, "drafts: 0") {
		t.Errorf("info:\n%s", out)
	}
}

// Who does not want a trail leaves none, nor does the demo.
func TestNoAudit(t *testing.T) {
	url := bound(t, mcptest.ModernEra)
	if _, errs, code := run(t, "run", url, "ask", "--no-audit"); code != 0 {
		t.Fatal(errs)
	}
	s := dashboardOn(t, "demo")
	s.See("working")
	s.Type("q")
	s.Exit()
	if out, errs, code := run(t, "audit"); out != "" || errs != "" || code != 0 {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
}
