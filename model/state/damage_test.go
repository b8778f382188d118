package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"callboard/model/task"
)

// written returns a folder with one handle in it, and the file that holds it.
func written(t *testing.T) (dir, path string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "callboard")
	m := process(t, dir, Credentials{})
	flush(t, m, task.KeepHandle{Handle: live("a", time.Now())})
	end(t, m)
	return dir, only(t, dir, "*.json")
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedFilesAreSetAside(t *testing.T) {
	for what, damage := range map[string]func(t *testing.T, path string){
		"empty":            func(t *testing.T, path string) { write(t, path, "") },
		"words":            func(t *testing.T, path string) { write(t, path, "no JSON") },
		"null":             func(t *testing.T, path string) { write(t, path, "null") },
		"a list":           func(t *testing.T, path string) { write(t, path, "[]") },
		"zeros":            func(t *testing.T, path string) { write(t, path, strings.Repeat("\x00", 4096)) },
		"no version":       func(t *testing.T, path string) { write(t, path, `{"handles":[]}`) },
		"version 0":        func(t *testing.T, path string) { write(t, path, `{"version":0}`) },
		"version in words": func(t *testing.T, path string) { write(t, path, `{"version":"1"}`) },
		"other types":      func(t *testing.T, path string) { write(t, path, `{"version":1,"handles":{"a":1}}`) },
		"a number as id":   func(t *testing.T, path string) { write(t, path, `{"version":1,"handles":[{"id":1}]}`) },
		"two documents":    func(t *testing.T, path string) { write(t, path, `{"version":1} {"version":1}`) },
		"deep": func(t *testing.T, path string) {
			write(t, path, `{"version":1,"url":`+strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)+`}`)
		},
		"cut": func(t *testing.T, path string) {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, string(content[:len(content)/2]))
		},
		"too large": func(t *testing.T, path string) {
			if err := os.Truncate(path, maxFile+1); err != nil {
				t.Fatal(err)
			}
		},
		"a folder": func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		},
		"a link": func(t *testing.T, path string) {
			if err := errors.Join(os.Rename(path, path+".elsewhere"), os.Symlink(path+".elsewhere", path)); err != nil {
				t.Skip(err)
			}
		},
		"a link to nothing": func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Symlink(path+".nothing", path)); err != nil {
				t.Skip(err)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir, path := written(t)
			damage(t, path)
			m := process(t, dir, Credentials{})
			k, err := m.Recall(t.Context())
			if err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), only(t, dir, "*.damaged-*")) {
				t.Errorf("Recall: %v, want where the damaged file went", err)
			}
			if len(k.Handles) != 0 {
				t.Errorf("kept: %+v", k)
			}
			flush(t, m, task.KeepHandle{Handle: live("b", time.Now())}) // without a word: it was told
			if k := recall(t, process(t, dir, Credentials{})); ids(k.Handles) != "b" {
				t.Errorf("kept afterwards: %s", ids(k.Handles))
			}
		})
	}
}

type sized struct {
	os.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }

func TestFileWithoutEndIsNotRead(t *testing.T) {
	_, path := written(t)
	if _, err := readFile(path, sized{stat(path), maxFile}); err != nil {
		t.Error(err)
	}
	if _, err := readFile(path, sized{stat(path), maxFile + 1}); !errors.Is(err, errDamaged) {
		t.Errorf("it was read: %v", err)
	}
}

func TestDamageWhileRunningIsNews(t *testing.T) {
	dir, path := written(t)
	m := process(t, dir, Credentials{})
	recall(t, m)
	write(t, path, "oh")
	if _, err := m.News(t.Context()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("News: %v", err)
	}
}

func TestNewerFileIsLeftAlone(t *testing.T) {
	dir, path := written(t)
	const newer = `{"version":2,"handles":"of another form"}`
	write(t, path, newer)
	m := process(t, dir, Credentials{})
	m.Keep(task.KeepHandle{Handle: live("b", time.Now())})
	for range 2 { // for as long as it is so
		k, err := m.Recall(t.Context())
		if err == nil || !strings.Contains(err.Error(), "a newer callboard wrote it, version 2") || ids(k.Handles) != "b" {
			t.Errorf("Recall: %s, %v; want what this run kept, and why no more", ids(k.Handles), err)
		}
	}
	if err := m.Flush(t.Context()); err == nil {
		t.Error("Flush says that it wrote")
	}
	if err := m.Close(t.Context()); err == nil {
		t.Error("Close says that it wrote")
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != newer {
		t.Errorf("the file is now %q, %v", content, err)
	}
}

func TestUnknownMembersAndBadValuesDoNoHarm(t *testing.T) {
	dir, path := written(t)
	write(t, path, `{"version":1,"later":{"x":1},"era":"1999-01-01","handles":[
		{"id":"a","status":"on holiday","created":"yesterday","ttl":9223372036854775807,"poll":-5,"seen":"`+time.Now().Format(time.RFC3339)+`","new":true},
		{"id":"","seen":"2099-01-01T00:00:00Z"}],
		"sessions":[{"id":"s","kept":"`+time.Now().Format(time.RFC3339)+`","owner":"../../etc/passwd","about":{"name":"\u001b]0;owned\u0007name"}}]}`)
	k := recall(t, process(t, dir, Credentials{}))
	if ids(k.Handles) != "a" {
		t.Fatalf("handles: %q", ids(k.Handles))
	}
	if h := k.Handles[0].Task; h.Status != task.Unknown || !h.Created.IsZero() || h.TTL <= 0 || h.Poll != 0 {
		t.Errorf("%+v", h)
	}
	if k.Resume.Session != "s" || k.Resume.PostOnly || k.Resume.About.Name.String() != "name" {
		t.Errorf("%#v", k.Resume)
	}
}

func TestFullDiskIsToldOnceAndEverythingGoesOn(t *testing.T) {
	dir, path := written(t)
	m := process(t, dir, Credentials{Token: "hunter2"})
	path = filepath.Dir(path)
	var (
		full  atomic.Bool
		tries atomic.Int32
	)
	full.Store(true)
	m.folder.replace = func(p string, content []byte) error {
		if full.Load() {
			tries.Add(1)
			return &fs.PathError{Op: "write", Path: p, Err: syscall.ENOSPC}
		}
		return replaceFile(p, content)
	}
	recall(t, m)
	m.Keep(task.KeepHandle{Handle: live("secret-id", time.Now())}, task.KeepResume{Resume: task.Resume{Session: "secret-session"}})
	k, err := m.News(t.Context())
	if err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) || !strings.Contains(err.Error(), path) {
		t.Fatalf("News: %v, want why nothing is written", err)
	}
	if ids(k.Handles) != "secret-id" || k.Resume.Session != "secret-session" {
		t.Errorf("in memory: %+v", k)
	}
	for _, secret := range []string{"secret", "hunter2"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q tells a secret", err)
		}
	}
	if err := m.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		t.Errorf("Flush: %v", err)
	}
	for first := tries.Load(); tries.Load() < first+4; {
		runtime.Gosched() // until it was tried again, which is told no more
	}
	if err := m.untold(); err != nil {
		t.Errorf("it is told again: %v", err)
	}
	poke(m.news) // something else happened
	if _, err := m.News(t.Context()); err == nil {
		t.Error("the trouble that stands is forgotten")
	}
	full.Store(false)
	if _, err := m.News(t.Context()); err != nil {
		t.Errorf("it is not told that it is mended: %v", err)
	}
	flush(t, m, task.KeepHandle{Handle: live("b", time.Now())})
	end(t, m)
	if k := recall(t, process(t, dir, Credentials{Token: "hunter2"})); ids(k.Handles) != "secret-id b" && ids(k.Handles) != "b secret-id" {
		t.Errorf("once there was room: %s", ids(k.Handles))
	}
}

func TestFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	m := process(t, filepath.Join(file, "callboard"), Credentials{})
	m.Keep(task.KeepHandle{Handle: live("a", time.Now())}, task.KeepSent{Sent: task.Sent{Call: "c", At: time.Now()}})
	k, err := m.Recall(t.Context())
	if err == nil || !strings.Contains(err.Error(), "nothing is kept beyond this run") {
		t.Errorf("Recall: %v", err)
	}
	if ids(k.Handles) != "a" || len(k.Unsettled) != 0 {
		t.Errorf("in memory: %+v", k)
	}
	if err := m.Flush(t.Context()); err == nil {
		t.Error("Flush says that it wrote")
	}
	m.Keep(task.KeepDraft{Draft: task.KeptDraft{Asked: "q", Fields: map[string]string{"name": "Ada"}}})
	if err := m.Close(t.Context()); err == nil || strings.Count(err.Error(), "nothing is kept beyond this run") != 1 {
		t.Errorf("Close: %v", err)
	}
	if _, err := Open("relative"); err == nil {
		t.Error("a relative folder would move with the working directory")
	}
}

func TestDamagedSaltIsTold(t *testing.T) {
	dir, _ := written(t)
	write(t, filepath.Join(dir, "salt"), "pepper")
	m := process(t, dir, Credentials{})
	if _, err := m.Recall(t.Context()); err == nil || !strings.Contains(err.Error(), "salt was damaged") {
		t.Errorf("Recall: %v", err)
	}
	flush(t, m, task.KeepHandle{Handle: live("b", time.Now())})
	if k := recall(t, process(t, dir, Credentials{})); ids(k.Handles) != "b" {
		t.Errorf("kept afterwards: %s", ids(k.Handles))
	}
}

// A folder that somebody removes is made again, with all that is known to be new.
func TestFolderRemovedWhileRunning(t *testing.T) {
	dir, _ := written(t)
	m := process(t, dir, Credentials{})
	recall(t, m)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	flush(t, m, task.KeepHandle{Handle: live("b", time.Now())})
	if k := recall(t, process(t, dir, Credentials{})); ids(k.Handles) != "b" {
		t.Errorf("kept afterwards: %s", ids(k.Handles))
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	dir, path := written(t)
	modes := func(when string) {
		t.Helper()
		m := process(t, dir, Credentials{})
		flush(t, m, task.KeepResume{Resume: task.Resume{Session: "s"}}) // makes a lock, too
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			want := fs.FileMode(0o600)
			if d.IsDir() {
				want = 0o700
			}
			if info.Mode().Perm() != want {
				t.Errorf("%s: %s has %o, want %o", when, path, info.Mode().Perm(), want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		end(t, m)
	}
	modes("new")
	for _, each := range []string{dir, filepath.Join(dir, "servers"), filepath.Join(dir, "live")} {
		if err := os.Chmod(each, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(path, 0o644), os.Chmod(filepath.Join(dir, "salt"), 0o666)); err != nil {
		t.Fatal(err)
	}
	modes("opened to others")
	// What is only read is taken from others as well.
	dir, path = written(t)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	recall(t, process(t, dir, Credentials{}))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("read and left as it was: %v, %v", info.Mode(), err)
	}
}

func TestFailedWriteLeavesTheOldFileAndNoOther(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.MkdirAll(filepath.Join(target, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(target, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestTidy(t *testing.T) {
	dir, path := written(t)
	servers, ago := filepath.Dir(path), func(d time.Duration) time.Time { return time.Now().Add(-d) }
	put := func(path string, at time.Time) {
		write(t, path, "x")
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(servers, "x.json.tmp-1"), ago(2*time.Hour))
	put(filepath.Join(servers, "x.json.tmp-2"), ago(time.Minute))
	put(filepath.Join(servers, "old.json"), ago(61*24*time.Hour))
	put(filepath.Join(servers, "old.json.damaged-1"), ago(31*24*time.Hour))
	for i := range maxDamaged + 2 {
		put(filepath.Join(servers, fmt.Sprintf("y.json.damaged-2%02d", i)), ago(time.Hour))
	}
	put(filepath.Join(dir, "live", "dead.lock"), ago(time.Hour))
	user := process(t, dir, Credentials{Token: "other"})
	flush(t, user, task.KeepSent{Sent: task.Sent{Call: "c", At: time.Now()}})
	old := ago(time.Hour)
	if err := os.Chtimes(user.folder.usePath(user.by), old, old); err != nil {
		t.Fatal(err)
	}

	recall(t, process(t, dir, Credentials{}))
	for name, stays := range map[string]bool{
		"servers/x.json.tmp-1": false, "servers/x.json.tmp-2": true, "servers/old.json": false, "servers/old.json.damaged-1": false,
		"servers/y.json.damaged-200": false, "servers/y.json.damaged-201": false, "servers/y.json.damaged-202": true,
		"live/dead.lock": false, "servers/" + filepath.Base(path): true, "live/" + user.by + ".lock": true,
	} {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); (err == nil) != stays {
			t.Errorf("%s: %v, should stay: %v", name, err, stays)
		}
	}
}

func TestClosedMemory(t *testing.T) {
	dir, _ := written(t)
	m := process(t, dir, Credentials{})
	recall(t, m)
	m.Keep(task.KeepHandle{Handle: live("b", time.Now())})
	heard := make(chan error)
	go func() {
		for {
			if _, err := m.News(context.Background()); err != nil {
				heard <- err
				return
			}
		}
	}()
	end(t, m)
	if err := <-heard; !errors.Is(err, os.ErrClosed) {
		t.Errorf("News: %v", err)
	}
	m.Keep(task.KeepHandle{Handle: live("c", time.Now())})
	if _, err := m.Recall(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Recall: %v", err)
	}
	if err := m.Flush(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Flush: %v", err)
	}
	end(t, m)
	if k := recall(t, process(t, dir, Credentials{})); ids(k.Handles) != "a b" {
		t.Errorf("kept: %s", ids(k.Handles))
	}
	unused := process(t, filepath.Join(dir, "unused"), Credentials{})
	end(t, unused)
	if _, err := os.Stat(filepath.Join(dir, "unused")); err == nil {
		t.Error("a Memory that nobody used makes a folder")
	}
}

// A handle that is forgotten while nothing can be written is no other's either.
func TestForgottenOnAFullDisk(t *testing.T) {
	dir, _ := written(t)
	m := process(t, dir, Credentials{})
	m.folder.replace = func(string, []byte) error { return syscall.ENOSPC }
	m.Keep(task.DropHandle{ID: "a"})
	if k, err := m.Recall(t.Context()); err == nil || len(k.Handles)+len(k.Foreign) != 0 {
		t.Errorf("%+v, %v", k, err)
	}
}
