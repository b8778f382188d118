package state

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// What stands where a lock should be: to open a pipe would hold up all of
// callboard, and through a link a file would be made elsewhere.
func notLocks(t *testing.T) map[string]func(path string) error {
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	t.Cleanup(func() {
		if stat(elsewhere) != nil {
			t.Error("a file was made behind a link")
		}
	})
	return map[string]func(path string) error{
		"a pipe": func(path string) error { return exec.CommandContext(t.Context(), "mkfifo", path).Run() },
		"a link": func(path string) error { return os.Symlink(elsewhere, path) },
	}
}

// soon runs f, which must not be held up by a pipe at path.
func soon(t *testing.T, path string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("it is held up")
		if w, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
			<-done
			_ = w.Close()
		}
	}
}

func TestWhatIsNoLockIsToldAndNotOpened(t *testing.T) {
	for what, put := range notLocks(t) {
		t.Run(what, func(t *testing.T) {
			dir, path := written(t)
			if err := errors.Join(os.Remove(path+".lock"), put(path+".lock")); err != nil {
				t.Skip(err)
			}
			m := process(t, dir, Credentials{})
			soon(t, path+".lock", func() {
				k, err := m.Recall(t.Context())
				if err == nil || !strings.Contains(err.Error(), "its lock is no plain file") || ids(k.Handles) != "a" {
					t.Errorf("Recall: %s, %v; want what is there, and why it is not written", ids(k.Handles), err)
				}
			})
		})
	}
}

func TestWhatIsNoLockIsOfNobody(t *testing.T) {
	for what, put := range notLocks(t) {
		t.Run(what, func(t *testing.T) {
			dir, _ := written(t)
			f := open(t, dir)
			path := f.usePath("x")
			if err := put(path); err != nil {
				t.Skip(err)
			}
			soon(t, path, func() {
				if f.alive("x") {
					t.Error("somebody is taken to hold it")
				}
			})
			f.now = func() time.Time { return time.Now().Add(time.Hour) }
			soon(t, path, func() { f.tidy(t.Context()) })
			if stat(path) != nil {
				t.Error("it is not tidied away")
			}
		})
	}
}

// A file that somebody looks at in a terminal must not act on it, whatever a
// server calls its tasks.
func TestFilesAreHarmlessOnATerminal(t *testing.T) {
	const id = "\x1b[31m\u009b31m\u202e\u200b\U000e0001é"
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	h := live(id, time.Now())
	h.Tool = id
	flush(t, m, task.KeepHandle{Handle: h})
	content, err := os.ReadFile(only(t, dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(content) {
		if r != '\n' && (r < ' ' || r > '~') {
			t.Errorf("%+q stands in the file", r)
		}
	}
	if k := recall(t, process(t, dir, Credentials{})); ids(k.Handles) != id || k.Handles[0].Tool != id {
		t.Errorf("read again: %+q", ids(k.Handles))
	}
}
