package state

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/leaktest"
	"callboard/model"
	"callboard/model/task"
)

var _ model.Memory = (*Memory)(nil)

func TestMain(m *testing.M) {
	if what := os.Getenv("CALLBOARD_STATE_CHILD"); what != "" {
		child(what)
		return
	}
	leaktest.Main(m)
}

const server = "https://example.com/mcp"

// open returns the folder as one more process sees it.
func open(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.look, f.gather, f.retry, f.wait = 5*time.Millisecond, 5*time.Millisecond, time.Millisecond, time.Minute
	return f
}

// process returns a Memory as one more process has it.
func process(t *testing.T, dir string, c Credentials) *Memory {
	t.Helper()
	m := open(t, dir).Server(server, c)
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m
}

func recall(t *testing.T, m *Memory) task.Kept {
	t.Helper()
	k, err := m.Recall(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func flush(t *testing.T, m *Memory, changes ...task.Keep) {
	t.Helper()
	m.Keep(changes...)
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func end(t *testing.T, m *Memory) {
	t.Helper()
	if err := m.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// only returns the single file of the folder's servers with that ending.
func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "servers", pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, want one", pattern, found)
	}
	return found[0]
}

func live(id string, seen time.Time) task.Handle {
	return task.Handle{Task: task.Task{ID: task.ID(id), Status: task.Working}, Since: seen, Seen: seen}
}

func ids(hs []task.Handle) string {
	var s []string
	for _, h := range hs {
		s = append(s, string(h.Task.ID))
	}
	return strings.Join(s, " ")
}

func TestWhatIsKeptComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "callboard")
	now := time.Now().Round(0).UTC()
	h := task.Handle{
		Task: task.Task{
			ID: "täsk\n1", Status: task.InputRequired, Created: now.Add(-time.Hour), Updated: now.Add(-time.Minute),
			TTL: task.NoTTL, Poll: 1500 * time.Millisecond,
		},
		Tool: "deploy", Digest: "0123456789abcdef", Session: "session", Watched: true, Since: now.Add(-time.Hour), Seen: now,
	}
	r := task.Resume{
		Era: task.Legacy, Session: "session", Joined: true, LastEvent: "event 7", Streams: "{\"a\":1}\n<2>",
		About: task.About{
			Era: task.Legacy, Version: "2025-11-25", Name: task.Own("A server"), ServerVersion: task.Own("1"), Instructions: task.Own("line\nline"),
			Note: task.Own("note"), List: task.CanYes, Cancel: task.CanNo, TaskCalls: task.CanYes, Session: true, Joined: true, ReadOnly: true, Sampling: true,
		},
	}
	s := task.Sent{Call: "call", Tool: "deploy", Digest: "d", Session: "session", At: now}
	a := process(t, dir, Credentials{})
	told := h
	told.Task.Message = task.Own("not to be kept")
	flush(t, a, task.KeepHandle{Handle: told}, task.KeepResume{Resume: r}, task.KeepSent{Sent: s})
	if k := recall(t, a); len(k.Handles) != 1 || k.Handles[0] != h {
		t.Errorf("handles of this run %+v, want %+v", k.Handles, h)
	}
	end(t, a)

	k := recall(t, process(t, dir, Credentials{}))
	if len(k.Handles) != 1 || k.Handles[0] != h {
		t.Errorf("handles %+v, want %+v", k.Handles, h)
	}
	if k.Resume != r {
		t.Errorf("session %#v, want %#v", k.Resume, r)
	}
	if len(k.Unsettled) != 1 || k.Unsettled[0] != s {
		t.Errorf("unsettled %+v, want %+v", k.Unsettled, s)
	}
	content, err := os.ReadFile(only(t, dir, "*.json"))
	if err != nil || strings.Contains(string(content), "not to be kept") {
		t.Errorf("the message of a task is on disk, or %v", err)
	}
}

func TestDropsSettlesAndGoneSessionsLeave(t *testing.T) {
	dir := t.TempDir()
	a := process(t, dir, Credentials{})
	flush(t, a,
		task.KeepHandle{Handle: live("a", time.Now())}, task.KeepHandle{Handle: live("b", time.Now())},
		task.KeepSent{Sent: task.Sent{Call: "c", At: time.Now()}},
		task.KeepResume{Resume: task.Resume{Era: task.Legacy, Session: "s"}})
	flush(t, a, task.DropHandle{ID: "a"}, task.Settled{Call: "c"}, task.KeepResume{Resume: task.Resume{Era: task.Legacy}, Gone: "s"})
	end(t, a)
	k := recall(t, process(t, dir, Credentials{}))
	if ids(k.Handles) != "b" || len(k.Unsettled) != 0 || k.Resume != (task.Resume{Era: task.Legacy}) {
		t.Errorf("%+v", k)
	}
}

// That a call goes out must not wait for what may come with it.
func TestACallIsWrittenAtOnce(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	m.folder.gather = time.Hour
	m.Keep(task.KeepSent{Sent: task.Sent{Call: "c", At: time.Now()}})
	other := process(t, dir, Credentials{})
	for recall(t, other); len(other.last().sent) == 0; recall(t, other) {
		if t.Context().Err() != nil {
			t.Fatal("it is not written")
		}
	}
}

// untold returns, once, what nobody was told yet.
func (m *Memory) untold() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := join(m.notes...)
	m.notes = nil
	return err
}
