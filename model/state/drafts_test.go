package state

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

func typing(asked, text string, at time.Time) task.KeepDraft {
	return task.KeepDraft{Draft: task.KeptDraft{Asked: asked, Task: "t", Fields: map[string]string{"text": text}, At: at}}
}

// texts are the drafts of k by their field text, newest first.
func texts(k task.Kept) string {
	var all []string
	for _, d := range k.Drafts {
		all = append(all, d.Asked+"="+d.Fields["text"])
	}
	return strings.Join(all, " ")
}

func draftFiles(t *testing.T, dir, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "drafts", "*", pattern))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDraftsComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "callboard")
	now := time.Now().Round(0).UTC()
	want := []task.KeptDraft{
		{Asked: "0123", Task: "täsk\n1", At: now, Fields: map[string]string{"": "{\"a\":1}", "text": "first\nsecond \u202eline", "none": task.TypedNull, "empty": ""}},
		{Asked: "0123", Tool: "deploy", At: now.Add(-time.Minute), Fields: map[string]string{"service": "checkout"}},
		{Asked: "", Tool: "deploy", At: now.Add(-time.Hour), Fields: map[string]string{}},
	}
	a := process(t, dir, Credentials{})
	for _, d := range want {
		a.Keep(task.KeepDraft{Draft: d})
	}
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	end(t, a)
	same := func(when string, got []task.KeptDraft, want ...task.KeptDraft) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%s: %d drafts: %+v", when, len(got), got)
		}
		for i, d := range got {
			if d.Asked != want[i].Asked || d.Task != want[i].Task || d.Tool != want[i].Tool || !d.At.Equal(want[i].At) || !maps.Equal(d.Fields, want[i].Fields) {
				t.Errorf("%s: %+v, want %+v", when, d, want[i])
			}
		}
	}
	b := process(t, dir, Credentials{})
	same("after a restart", recall(t, b).Drafts, want...)
	b.Keep(task.DropDraft{Asked: "0123", Task: "täsk\n1"}, task.DropDraft{Tool: "never typed into"})
	same("before it is written", b.kept(false).Drafts, want[1:]...)
	end(t, b)
	same("after it was sent", recall(t, process(t, dir, Credentials{})).Drafts, want[1:]...)
	for _, path := range draftFiles(t, dir, "*") {
		if content, err := os.ReadFile(path); err != nil || strings.Contains(string(content), "second") {
			t.Errorf("what was sent is still on disk, or %v", err)
		}
		if info := stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %o", path, info.Mode().Perm())
		}
	}
}

// Nobody calls Flush while typing, and handles that cannot be written, or wait
// for a lock, are no reason to wait.
func TestDraftsDoNotWaitForHandles(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	flush(t, m, task.KeepHandle{Handle: live("a", time.Now())})
	lock, err := hold(t.Context(), only(t, dir, "*.json")+".lock", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	m.Keep(task.KeepHandle{Handle: live("b", time.Now())}, task.KeepSent{Sent: task.Sent{Call: "c", At: time.Now()}}, typing("q", "hello", time.Now()))
	until(t, "what is typed is not written", func() bool { return len(draftFiles(t, dir, "*.json")) == 1 })
	release(lock, false)
	end(t, m)
}

// A process that is stopped while it holds the drafts' lock holds up nobody for long.
func TestDraftsBehindALock(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	flush(t, m, typing("q", "one", time.Now()))
	lock, err := hold(t.Context(), m.drafts.path()+".lock", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	flush(t, m, typing("q", "two", time.Now()))
	if took := time.Since(began); took < draftLockWait {
		t.Errorf("it did not wait for the lock: %s", took)
	}
	release(lock, false)
	if got := texts(recall(t, process(t, dir, Credentials{}))); got != "q=two" {
		t.Errorf("kept: %s", got)
	}
}

func TestTheNewestDraftHolds(t *testing.T) {
	dir := t.TempDir()
	a, b := process(t, dir, Credentials{}), process(t, dir, Credentials{})
	recall(t, a)
	recall(t, b)
	now := time.Now()
	flush(t, a, typing("q", "of a", now))
	k, err := b.News(t.Context())
	if err != nil || texts(k) != "q=of a" {
		t.Fatalf("b's news: %s, %v", texts(k), err)
	}
	flush(t, b, typing("q", "of b", now.Add(time.Second)), typing("other", "of b", now))
	flush(t, a, typing("q", "late", now.Add(time.Millisecond))) // typed before b's
	for _, m := range []*Memory{a, b, process(t, dir, Credentials{})} {
		if got := texts(recall(t, m)); got != "q=of b other=of b" {
			t.Errorf("kept: %s", got)
		}
	}
	// A clock that was ahead does not keep what is typed from being kept.
	flush(t, a, typing("q", "of tomorrow", now.Add(24*time.Hour)))
	flush(t, b, typing("q", "of today", time.Now()))
	if got := texts(recall(t, process(t, dir, Credentials{}))); !strings.Contains(got, "q=of today") {
		t.Errorf("kept: %s", got)
	}
}

func TestDroppedDraftStaysDropped(t *testing.T) {
	dir := t.TempDir()
	a, b := process(t, dir, Credentials{}), process(t, dir, Credentials{})
	now := time.Now()
	var late atomic.Bool // set while b may still be at work
	b.folder.now = func() time.Time {
		if late.Load() {
			return now
		}
		return time.Now()
	}
	flush(t, a, typing("q", "x", now))
	recall(t, b)
	flush(t, a, task.DropDraft{Asked: "q", Task: "t"})
	k, err := b.News(t.Context())
	for err == nil && len(k.Drafts) > 0 {
		k, err = b.News(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	flush(t, b, typing("q", "x", now)) // it had it in memory
	if k := recall(t, a); len(k.Drafts) != 0 {
		t.Errorf("what a sent is brought back by b: %s", texts(k))
	}
	flush(t, a, typing("q", "x", now)) // nobody knows whether it arrived
	if got := texts(recall(t, b)); got != "q=x" {
		t.Errorf("who dropped a draft can keep it again: %q", got)
	}
	flush(t, b, task.DropDraft{Asked: "q", Task: "t"})
	flush(t, a, typing("q", "anew", time.Now().Add(time.Second)))
	if got := texts(recall(t, b)); got != "q=anew" {
		t.Errorf("what was typed since: %q", got)
	}
	// What is typed here since is not dropped by who has not heard of it.
	late.Store(true)
	flush(t, b, task.DropDraft{Asked: "q", Task: "t"})
	if got := texts(recall(t, a)); got != "q=anew" {
		t.Errorf("after a drop that came late: %q", got)
	}
}

func TestDraftsOfOthersAreNotShown(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{Token: "one"})
	flush(t, m, typing("q", "private", time.Now()))
	if k := recall(t, process(t, dir, Credentials{Token: "two"})); len(k.Drafts) != 0 {
		t.Errorf("another account sees %s", texts(k))
	}
	if k := recall(t, open(t, dir).Server("https://example.com/other", Credentials{Token: "one"})); len(k.Drafts) != 0 {
		t.Errorf("another server gets %s", texts(k))
	}
	if k := recall(t, process(t, dir, Credentials{Token: "one"}).Aside()); len(k.Drafts) != 0 {
		t.Errorf("a look aside gets %s", texts(k))
	}
	for _, path := range append(draftFiles(t, dir, "*"), draftFiles(t, dir, ".")...) {
		if strings.Contains(path, "example") || strings.Contains(path, "private") {
			t.Errorf("a name tells: %s", path)
		}
	}
}

func TestDraftsLeaveAfterAWeek(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	now := time.Now()
	flush(t, m, typing("old", "x", now.Add(-6*24*time.Hour)), typing("new", "y", now))
	later := process(t, dir, Credentials{})
	later.folder.now = func() time.Time { return now.Add(24*time.Hour + time.Minute) }
	if got := texts(recall(t, later)); got != "new=y" {
		t.Errorf("kept: %s", got)
	}
	if n := len(draftFiles(t, dir, "*.json")); n != 1 {
		t.Errorf("%d files are left", n)
	}
	// Of a server that is never visited again, and what was set aside.
	paths := draftFiles(t, dir, "*.json")
	aside := paths[0] + damaged + "1"
	write(t, aside, "x")
	ago := now.Add(-draftStays - time.Hour)
	for _, path := range []string{paths[0], aside} {
		if err := os.Chtimes(path, ago, ago); err != nil {
			t.Fatal(err)
		}
	}
	recall(t, open(t, dir).Server("https://example.com/other", Credentials{}))
	if left, err := os.ReadDir(filepath.Join(dir, "drafts")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	end(t, m)
}

func TestDraftsAreBounded(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	now := time.Now()
	m.folder.replace = func(path string, content []byte) error { return os.WriteFile(path, content, 0o600) } // 200 fsyncs take a while
	for i := range maxDrafts + 5 {
		m.Keep(typing(fmt.Sprint(i), "x", now.Add(time.Duration(i)*time.Second-time.Hour)))
	}
	if err := m.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := recall(t, process(t, dir, Credentials{}))
	if len(k.Drafts) != maxDrafts || k.Drafts[maxDrafts-1].Asked != "5" {
		t.Errorf("%d drafts, the oldest is %s", len(k.Drafts), k.Drafts[len(k.Drafts)-1].Asked)
	}
	long := strings.Repeat("x", maxDraft-10)
	for i := range 9 {
		m.Keep(typing(fmt.Sprint("long", i), long, now.Add(time.Duration(i)*time.Second)))
	}
	flush(t, m)
	k = recall(t, process(t, dir, Credentials{}))
	if len(k.Drafts) != 8 || k.Drafts[7].Asked != "long1" || k.Drafts[0].Fields["text"] != long {
		t.Errorf("%d drafts, the oldest is %s", len(k.Drafts), k.Drafts[len(k.Drafts)-1].Asked)
	}
}

// What is being written already is waited for, too.
func TestFlushWaitsForAWriteUnderWay(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	var slow atomic.Bool
	writes, leave := make(chan struct{}, 10), make(chan struct{})
	m.folder.replace = func(path string, content []byte) error {
		if slow.Load() {
			writes <- struct{}{}
			<-leave
		}
		return replaceFile(path, content)
	}
	recall(t, m)
	flush(t, m, typing("q", "one", time.Now()))
	slow.Store(true)
	m.Keep(typing("q", "two", time.Now()))
	<-writes
	left := make(chan struct{})
	go func() {
		defer close(left)
		for range 100_000 { // a while, in which Flush would be back
			runtime.Gosched()
		}
		close(leave)
	}()
	flush(t, m)
	content, err := os.ReadFile(draftFiles(t, dir, "*.json")[0])
	if err != nil || !strings.Contains(string(content), "two") {
		t.Errorf("on disk is %s, %v", content, err)
	}
	<-left
}

// The largest draft of all can be read again: each byte takes six on disk.
func TestLargestDraftFile(t *testing.T) {
	const size = 10 << 10
	d := draft{url: server, by: "b", KeptDraft: typing("q", strings.Repeat("\x01", size), time.Now()).Draft}
	content, err := d.encode()
	if err != nil || len(content) < 6*size || len(content)*(maxDraft/size) > maxDraftFile {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}

// What is too large is told, once, and stays in memory; what was kept of it
// before stays on disk.
func TestTooLargeADraftIsTold(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	recall(t, m)
	flush(t, m, typing("q", "short", time.Now().Add(-time.Minute)))
	long := strings.Repeat("x", maxDraft)
	for range 2 {
		m.Keep(typing("q", long, time.Now()))
		k, err := m.News(t.Context())
		if err == nil || !strings.Contains(err.Error(), "more than 1 MiB, and is kept in memory alone") {
			t.Fatalf("News: %v", err)
		}
		if len(k.Drafts) != 1 || k.Drafts[0].Fields["text"] != long {
			t.Error("it is not in memory")
		}
		if err := m.Flush(t.Context()); err == nil {
			t.Error("Flush says that all is written")
		}
		if got := texts(recall(t, process(t, dir, Credentials{}))); !strings.HasPrefix(got, "q=short") {
			t.Errorf("on disk: %.20s", got)
		}
		m.Keep(typing("q", "short", time.Now()))
		if _, err := m.News(t.Context()); err != nil {
			t.Errorf("once it is short again: %v", err)
		}
	}
}

func TestDraftsOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	recall(t, m)
	flush(t, m, typing("sent", "secret text", time.Now()))
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
	m.Keep(typing("q", "secret text", time.Now()))
	k, err := m.News(t.Context())
	if err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) || !strings.Contains(err.Error(), filepath.Join(dir, "drafts")) || strings.Contains(err.Error(), "secret") {
		t.Fatalf("News: %v, want why nothing is written", err)
	}
	if texts(k) != "q=secret text sent=secret text" {
		t.Errorf("in memory: %s", texts(k))
	}
	for first := tries.Load(); tries.Load() < first+4; {
		m.Keep(typing("q", "secret text", time.Now()))
		runtime.Gosched()
	}
	if err := m.untold(); err != nil {
		t.Errorf("it is told again: %v", err)
	}
	if err := m.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		t.Errorf("Flush: %v", err)
	}
	// What was sent leaves all the same.
	m.Keep(task.DropDraft{Asked: "sent", Task: "t"})
	if err := m.Flush(t.Context()); err == nil {
		t.Error("Flush says that it wrote")
	}
	if n := len(draftFiles(t, dir, "*.json")); n != 0 {
		t.Errorf("%d files hold what was sent", n)
	}
	full.Store(false)
	if k, err = m.News(t.Context()); err != nil || texts(k) != "q=secret text" {
		t.Errorf("once there is room: %s, %v", texts(k), err)
	}
	end(t, m)
	if got := texts(recall(t, process(t, dir, Credentials{}))); got != "q=secret text" {
		t.Errorf("kept: %s", got)
	}
}

// A read-only home: no folder of drafts can be made. Root writes anywhere, so
// that a file stands in its place.
func TestDraftsWithoutAFolder(t *testing.T) {
	dir, _ := written(t)
	write(t, filepath.Join(dir, "drafts"), "in the way")
	m := process(t, dir, Credentials{})
	recall(t, m)
	m.Keep(typing("q", "x", time.Now()))
	k, err := m.News(t.Context())
	if err == nil || !strings.Contains(err.Error(), "kept in memory alone") || texts(k) != "q=x" || ids(k.Handles) != "a" {
		t.Errorf("%s, %v", texts(k), err)
	}
	flush2 := m.Flush(t.Context())
	if err := os.Remove(filepath.Join(dir, "drafts")); err != nil || flush2 == nil {
		t.Fatal(err, flush2)
	}
	if err := m.Flush(t.Context()); err != nil {
		t.Errorf("once it can be made: %v", err)
	}
}

func TestDamagedDraftsAreSetAside(t *testing.T) {
	for what, damage := range map[string]func(path string) error{
		"empty":      func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"words":      func(path string) error { return os.WriteFile(path, []byte("no JSON"), 0o600) },
		"zeros":      func(path string) error { return os.WriteFile(path, make([]byte, 4096), 0o600) },
		"no version": func(path string) error { return os.WriteFile(path, []byte(`{"at":"2026-12-01T00:00:00Z"}`), 0o600) },
		"no time": func(path string) error {
			return os.WriteFile(path, []byte(`{"version":1,"fields":{"text":"x"}}`), 0o600)
		},
		"types": func(path string) error { return os.WriteFile(path, []byte(`{"version":1,"fields":[1]}`), 0o600) },
		"other name": func(path string) error {
			return os.WriteFile(path, []byte(`{"version":1,"asked":"z","at":"2026-12-01T00:00:00Z","fields":{"text":"x"}}`), 0o600)
		},
		"too large": func(path string) error { return os.Truncate(path, maxDraftFile+1) },
		"cut":       func(path string) error { return os.Truncate(path, 50) },
		"a folder":  func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a link": func(path string) error {
			return errors.Join(os.Rename(path, path+".else"), os.Symlink(path+".else", path))
		},
		"a pipe": func(path string) error { return errors.Join(os.Remove(path), mkfifo(path)) },
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			m := process(t, dir, Credentials{})
			flush(t, m, typing("q", "x", time.Now()))
			end(t, m)
			if err := damage(draftFiles(t, dir, "*.json")[0]); err != nil {
				t.Skip(err)
			}
			m = process(t, dir, Credentials{})
			k, err := m.Recall(t.Context())
			aside := draftFiles(t, dir, "*.damaged-*")
			if err == nil || len(aside) != 1 || !strings.Contains(err.Error(), aside[0]) || len(k.Drafts) != 0 {
				t.Errorf("Recall: %s, %v, want where the damaged file went: %q", texts(k), err, aside)
			}
			flush(t, m, typing("q", "y", time.Now()))
			if got := texts(recall(t, process(t, dir, Credentials{}))); got != "q=y" {
				t.Errorf("kept afterwards: %s", got)
			}
		})
	}
}

func TestNewerDraftIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	flush(t, m, typing("q", "x", time.Now()))
	end(t, m)
	path := draftFiles(t, dir, "*.json")[0]
	const newer = `{"version":2,"fields":"of another form"}`
	write(t, path, newer)
	m = process(t, dir, Credentials{})
	recall(t, m)
	m.Keep(typing("q", "y", time.Now()), typing("other", "z", time.Now()))
	if k, err := m.News(t.Context()); err == nil || !strings.Contains(err.Error(), "a newer callboard") || len(k.Drafts) != 2 {
		t.Errorf("News: %s, %v", texts(k), err)
	}
	m.Keep(task.DropDraft{Asked: "q", Task: "t"})
	if err := m.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != newer {
		t.Errorf("the file is now %q, %v", content, err)
	}
	if got := texts(recall(t, process(t, dir, Credentials{}))); got != "other=z" {
		t.Errorf("kept: %s", got)
	}
}

func TestDraftOpenedToOthersIsTakenFromThem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	dir := t.TempDir()
	flush(t, process(t, dir, Credentials{}), typing("q", "x", time.Now()))
	path := draftFiles(t, dir, "*.json")[0]
	if err := errors.Join(os.Chmod(path, 0o644), os.Chmod(filepath.Dir(path), 0o755)); err != nil {
		t.Fatal(err)
	}
	flush(t, process(t, dir, Credentials{}), typing("r", "y", time.Now()))
	if info := stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("%o", info.Mode().Perm())
	}
	if info := stat(filepath.Dir(path)); info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %o", info.Mode().Perm())
	}
}

func TestFilesOfDrafts(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	flush(t, m, typing("q", "x", time.Now()), typing("r", "y", time.Now()), typing("s", "z", time.Now()))
	flush(t, m, task.DropDraft{Asked: "s", Task: "t"})
	files, err := m.folder.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Folder {
			if f.Path != m.drafts.path() || f.Drafts != 2 || f.URL != server || f.Size < 100 || f.Changed.IsZero() {
				t.Errorf("%+v", f)
			}
			return
		}
	}
	t.Errorf("no drafts in %+v", files)
}

// A person who types 8 keys a second into a text of 300 KiB.
func BenchmarkDraftKeep300KiB(b *testing.B) {
	f, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	written := 0
	f.replace = func(path string, content []byte) error { written += len(content); return replaceFile(path, content) }
	m := f.Server(server, Credentials{})
	text := strings.Repeat("A line of what a person writes.\n", 300<<10/32)
	n := 0
	for b.Loop() {
		n++
		m.Keep(typing("q", text+fmt.Sprint(n), time.Now()))
		if err := m.Flush(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(written)/float64(n), "bytes/write")
	if err := m.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}
