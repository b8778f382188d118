package interop

import (
	"bufio"
	"strings"
	"testing"
	"time"
)

// A script, one command after the other, on a server that binds tasks to sessions
// and leaks memory for each probe: all of them are one session, and one probe.
func TestEverythingByScript(t *testing.T) {
	p := newProgram(t)
	url := serveNpm(t, everything, "streamableHttp").url
	research := func(code int, more ...string) document {
		t.Helper()
		return p.run(code, append([]string{"run", url, "simulate-research-query", "--arg", "topic=python"}, more...)...)
	}
	asks := research(0, "--arg", "ambiguous=true").Task.ID
	if asks == "" {
		t.Fatal("no task was made")
	}
	for deadline := time.Now().Add(patience); ; {
		if now := p.run(0, "get", url, asks).Task; now.Status == "input_required" && now.Asks {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it never asked")
		}
	}
	if d := p.run(0, "ls", url); d.Server.Protocol != "2025-11-25" || !d.find(asks).Asks {
		t.Errorf("ls: %+v", d)
	}
	if d := p.run(6, "result", url, asks); !d.Task.Asks {
		t.Errorf("the result of a task that asks: %+v", d)
	}
	p.run(0, "answer", url, asks, "--field", "interpretation=snake")
	d := p.run(0, "result", url, asks)
	if len(d.Result.Content) == 0 || !strings.Contains(d.Result.Content[0].Text, "python (snake)") {
		t.Errorf("the answer did not arrive: %+v", d.Result)
	}

	cancelled := research(0).Task.ID
	p.run(0, "cancel", url, cancelled)
	p.run(1, "result", url, cancelled)
	p.run(1, "get", url, "no-such-task")
	p.run(2, "run", url, "no-such-tool")
	p.run(7, "result", url, research(0).Task.ID, "--timeout", "1s")
	if d := research(6, "--arg", "ambiguous=true", "--wait"); d.Task.Status != "input_required" {
		t.Errorf("a question without a terminal: %+v", d)
	}
	d = research(0, "--arg", "ambiguous=true", "--wait", "--field", "interpretation=snake")
	if len(d.Result.Content) == 0 || d.Task.Status != "completed" {
		t.Errorf("run --wait: %+v", d)
	}
	if probes, sessions := p.sent("server/discover"), p.sent("initialize"); probes != 1 || sessions != 1 {
		t.Errorf("%d probes and %d sessions, want one each", probes, sessions)
	}
}

// A callboard that was killed leaves a session behind that the next one rejoins.
func TestEverythingAfterAKill(t *testing.T) {
	p := newProgram(t)
	url := serveNpm(t, everything, "streamableHttp").url
	id := p.run(0, "run", url, "simulate-research-query", "--arg", "topic=python", "--arg", "ambiguous=true").Task.ID
	watch := p.command(t.Context(), "watch", url)
	lines, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	seen := false
	for scan := bufio.NewScanner(lines); !seen && scan.Scan(); {
		seen = strings.Contains(scan.Text(), "live ")
	}
	// While it runs, another one uses the same session.
	if d := p.run(0, "ls", url); d.find(id).ID != id {
		t.Errorf("beside another callboard: %+v", d)
	}
	if err := watch.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = watch.Wait() // it was killed
	if !seen {
		t.Error("the watch was never live")
	}
	if d := p.run(0, "ls", url); d.find(id).ID != id {
		t.Errorf("after a kill: %+v", d)
	}
	p.run(0, "cancel", url, id)
	if probes, sessions := p.sent("server/discover"), p.sent("initialize"); probes != 1 || sessions != 1 {
		t.Errorf("%d probes and %d sessions, want one each", probes, sessions)
	}
}
