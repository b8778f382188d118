package state

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// child is what a process of its own does, in the folder that it is told.
// It ends by being killed, or with its standard input.
func child(what string) {
	f, err := Open(os.Getenv("CALLBOARD_STATE_DIR"))
	if err != nil {
		panic(err)
	}
	m, ctx := f.Server(server, Credentials{}), context.Background()
	orphaned := make(chan struct{})
	go func() {
		defer close(orphaned)
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent, however that ends
	}()
	switch what {
	case "use":
		m.Keep(
			task.KeepResume{Resume: task.Resume{Era: task.Legacy, Session: "session", LastEvent: "7"}},
			task.KeepSent{Sent: task.Sent{Call: "call of the child", Tool: "deploy", Digest: "d", At: time.Now()}},
			task.KeepHandle{Handle: live("task of the child", time.Now())})
		if err := m.Flush(ctx); err != nil {
			panic(err)
		}
		fmt.Println("ready")
		<-orphaned
	case "type":
		fmt.Println("ready")
		for i := 0; ; i++ {
			select {
			case <-orphaned:
				return
			default:
			}
			m.Keep(typing("q", strings.Repeat(strconv.Itoa(i%10), 20_000), time.Now()))
		}
	case "write":
		fmt.Println("ready")
		for i := 0; ; i++ {
			select {
			case <-orphaned:
				return
			default:
			}
			m.Keep(task.KeepHandle{Handle: live("task "+strconv.Itoa(i%50), time.Now())})
			if err := m.Flush(ctx); err != nil {
				panic(err)
			}
		}
	}
}

// start runs a child, and returns when it is ready, with what kills it.
func start(t *testing.T, dir, what string) (kill func()) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), "CALLBOARD_STATE_CHILD="+what, "CALLBOARD_STATE_DIR="+dir)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = c.Process.Kill() // SIGKILL: it has no time for anything
			_ = c.Wait()         // says that it was killed
			_ = in.Close()       // closed with the process
		}
	}
	t.Cleanup(kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); strings.TrimSpace(line) != "ready" {
		t.Fatalf("the child is not ready: %q, %v", line, err)
	}
	return kill
}

func TestKilledProcessLeavesItsSessionAndItsCalls(t *testing.T) {
	dir := t.TempDir()
	kill := start(t, dir, "use")
	beside := process(t, dir, Credentials{})
	k := recall(t, beside)
	if !k.Resume.PostOnly || k.Resume.Session != "session" || ids(k.Handles) != "task of the child" {
		t.Errorf("beside a living process: %+v, want its session for POST only", k)
	}
	if len(k.Unsettled) != 0 {
		t.Errorf("a call of a living process is taken for lost: %+v", k.Unsettled)
	}
	kill()
	// The one who was there takes the session over, and learns it unasked.
	k, err := beside.News(t.Context())
	if err != nil || k.Resume.PostOnly || k.Resume.LastEvent != "7" {
		t.Errorf("after the end of its user: %+v, %v, want the session whole", k.Resume, err)
	}
	third := recall(t, process(t, dir, Credentials{}))
	if !third.Resume.PostOnly {
		t.Error("the session is used by two")
	}
	if len(third.Unsettled) != 1 || third.Unsettled[0].Call != "call of the child" || third.Unsettled[0].Digest != "d" {
		t.Errorf("the call that was on its way is %+v", third.Unsettled)
	}
}

func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	flush(t, m, task.KeepHandle{Handle: live("ours", time.Now())})
	path := only(t, dir, "*.json")
	for round := range 4 {
		kill := start(t, dir, "write")
		for writes, seen := 0, stat(path); writes < 3+2*round; { // the child is in the midst of it
			if now := stat(path); differs(seen, now) {
				writes, seen = writes+1, now
			}
		}
		kill()
		if k := recall(t, m); len(k.Handles) < 2 { // without a word of damage
			t.Fatalf("kept: %s", ids(k.Handles))
		}
	}
}

// kill -9 while typing: what was typed up to a moment before is there, whole.
func TestKilledWhileTyping(t *testing.T) {
	dir := t.TempDir()
	for round := range 3 {
		kill := start(t, dir, "type")
		var path string
		until(t, "nothing is written", func() bool {
			found := draftFiles(t, dir, "*.json")
			if len(found) == 1 {
				path = found[0]
			}
			return path != ""
		})
		for writes, seen := 0, stat(path); writes < 2+round; { // the child is in the midst of it
			if now := stat(path); differs(seen, now) {
				writes, seen = writes+1, now
			}
		}
		kill()
		k := recall(t, process(t, dir, Credentials{})) // without a word of damage
		if len(k.Drafts) != 1 {
			t.Fatalf("%d drafts", len(k.Drafts))
		}
		text := k.Drafts[0].Fields["text"]
		if len(text) != 20_000 || strings.Trim(text, text[:1]) != "" {
			t.Errorf("the draft is torn: %d bytes", len(text))
		}
	}
}
