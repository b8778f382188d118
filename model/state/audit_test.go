package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
)

var _ model.Audit = (*Audit)(nil)

// trail returns an audit trail as one more process has it.
func trail(t *testing.T, dir string) *Audit {
	t.Helper()
	a := open(t, dir).Audit()
	a.folder.auditSize, a.folder.auditQueued = 64<<10, 500
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	return a
}

func seen(i int) task.Entry {
	return task.Entry{
		At: time.Now(), What: task.TaskSeen, Server: "https://example.com/mcp", Task: task.ID(fmt.Sprintf("task-%d-0123456789abcdef", i)),
		Tool: "deploy", To: task.Working, How: task.Listed,
	}
}

func records(t *testing.T, dir string) (all []Record, damaged int) {
	t.Helper()
	tr := open(t, dir).Trail()
	for r := range tr.All(t.Context()) {
		all = append(all, r)
	}
	if tr.Err() != nil {
		t.Fatal(tr.Err())
	}
	return all, tr.Damaged
}

func TestAuditComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "callboard")
	a := trail(t, dir)
	at := time.Date(2026, 12, 1, 9, 0, 0, 123456789, time.FixedZone("", 3600))
	want := []task.Entry{
		{At: at, What: task.TaskSeen, Server: "https://example.com/mcp", Task: "täsk\n\x1b[31m", Tool: "deploy", To: task.InputRequired, How: task.Pushed},
		{At: at, What: task.StatusChanged, Task: "a", From: task.Working, To: task.Cancelled, How: task.Acted},
		{At: at, What: task.PersonAnswered, Task: "a", Call: "c", Prompt: "key", Action: task.Dismiss, Effect: "delivered"},
		{At: at, What: task.TaskGone, Task: "a", Text: "its ttl ran out"},
	}
	a.Add(want...)
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, damaged := records(t, dir)
	if len(got) != len(want) || damaged != 0 {
		t.Fatalf("%d records, %d damaged, want %d", len(got), damaged, len(want))
	}
	for i, r := range got {
		want[i].At = at.Truncate(time.Millisecond)
		if !r.At.Equal(want[i].At) {
			t.Errorf("at %s, want %s", r.At, want[i].At)
		}
		r.At = want[i].At
		if r.Entry != want[i] || r.PID != os.Getpid() || r.By != person() {
			t.Errorf("%+v, want %+v", r, want[i])
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	if err != nil || bytes.ContainsFunc(content, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) {
		t.Errorf("what a terminal would act on is on disk: %q, %v", content, err)
	}
	// The names are promised.
	const line = `{"at":"2026-12-01T08:00:00.123Z","what":"answer","task":"a","call":"c","prompt":"key","action":"cancel","effect":"delivered","by":`
	if !strings.Contains(string(content), line) {
		t.Errorf("%s\nlacks %s", content, line)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(filepath.Join(dir, "audit.jsonl")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}

// Nobody calls Flush in the dashboard: it is written by itself, and what a
// person did at once.
func TestAuditIsWrittenByItself(t *testing.T) {
	dir := t.TempDir()
	a := trail(t, dir)
	a.Add(seen(1))
	until(t, "it is not written", func() bool { all, _ := records(t, dir); return len(all) == 1 })
	slow := trail(t, dir)
	slow.folder.gather = time.Hour
	slow.Add(seen(2), task.Entry{At: time.Now(), What: task.PersonCanceled, Task: "x"})
	until(t, "what a person did waits", func() bool { all, _ := records(t, dir); return len(all) == 3 })
}

// until waits for a condition.
func until(t *testing.T, why string, done func() bool) {
	t.Helper()
	for began := time.Now(); !done(); {
		if time.Since(began) > time.Minute {
			t.Fatal(why)
		}
		runtime.Gosched()
	}
}

func TestAuditOfSeveralProcesses(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	const each = 350 // more than fit in one file
	for p := range 3 {
		a := trail(t, dir)
		wg.Go(func() {
			for i := range each {
				e := seen(i)
				e.Server = fmt.Sprint("https://process.example/", p)
				a.Add(e)
				if i%10 == 0 {
					if err := a.Flush(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
			if err := a.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, damaged := records(t, dir)
	next := map[string]int{}
	for _, r := range all {
		if want := seen(next[r.Server]).Task; r.Task != want {
			t.Fatalf("of %s comes %s, want %s", r.Server, r.Task, want)
		}
		next[r.Server]++
	}
	if len(all) != 3*each || damaged != 0 {
		t.Errorf("%d records, %d damaged", len(all), damaged)
	}
}

// filled is a trail's file that the next line makes too large.
func filled(t *testing.T, path string, first string) {
	t.Helper()
	line := appendLine(nil, &task.Entry{At: time.Now(), What: task.TaskSeen, Task: task.ID(first), Text: strings.Repeat("x", 900)}, "me", 1)
	write(t, path, strings.Repeat(string(line), (64<<10)/len(line)+1))
}

func TestAuditRotates(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	for i := range auditOld + 2 {
		filled(t, path, fmt.Sprint("of file ", i))
		a := trail(t, dir)
		a.Add(seen(i))
		if err := a.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if info := stat(path); info.Size() > 1000 {
			t.Fatalf("the file was not rotated: %d bytes", info.Size())
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, "audit.*jsonl"))
	if err != nil || len(found) != auditOld+1 {
		t.Errorf("files: %q, %v", found, err)
	}
	all, damaged := records(t, dir)
	// Each file was filled anew over the one entry in it; the oldest are gone.
	if first, last := all[0], all[len(all)-1]; first.Task != "of file 2" || last.Task != seen(auditOld+1).Task || damaged != 0 {
		t.Errorf("from %s to %s, %d damaged", first.Task, last.Task, damaged)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Task < all[i-1].Task && all[i].Task != seen(auditOld+1).Task {
			t.Fatalf("%s comes behind %s", all[i].Task, all[i-1].Task)
		}
	}
}

// Whoever is stopped in the midst of rotating does not stop the others.
func TestAuditWhileAnotherRotates(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	filled(t, path, "old")
	lock, err := hold(t.Context(), filepath.Join(dir, "audit.lock"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	a := trail(t, dir)
	a.Add(seen(1))
	if err := a.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	release(lock, false)
	a.Add(seen(2))
	if err := a.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	if info, old := stat(path), stat(filepath.Join(dir, "audit.1.jsonl")); info.Size() > 1000 || old == nil {
		t.Errorf("once the lock was free it was not rotated: %d bytes", info.Size())
	}
	all, _ := records(t, dir)
	if n := len(all); all[n-2].Task != seen(1).Task || all[n-1].Task != seen(2).Task {
		t.Errorf("the last are %s and %s", all[n-2].Task, all[n-1].Task)
	}
}

func TestAuditSkipsDamagedLines(t *testing.T) {
	dir := t.TempDir()
	a := trail(t, dir)
	a.Add(seen(1))
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "audit.jsonl")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(good)+"\n\nno JSON\n{\"what\":\"seen\"}\n{\"at\":\"yesterday\",\"what\":\"seen\"}\n"+strings.Repeat("x", 3*auditLine)+"\n\x00\x00\x00\n"+
		`{"at":"2026-12-01T00:00:00Z","what":"of the future","more":[1]}`+"\n"+`{"at":"2026-12-01T00:00:00Z","wh`)
	a.Add(seen(2)) // behind the torn line
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, damaged := records(t, dir)
	if len(all) != 3 || all[0].Task != seen(1).Task || all[1].What != "of the future" || all[2].Task != seen(2).Task || damaged != 6 {
		t.Errorf("%d records, %d damaged: %+v", len(all), damaged, all)
	}
}

// A trail that is no plain file is nothing of ours: a pipe would hold us up.
func TestAuditFileOfAnotherKind(t *testing.T) {
	for what, damage := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":   func(path string) error { return os.Symlink(path+".elsewhere", path) },
		"a pipe":   mkfifo,
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "audit.jsonl")
			if err := damage(path); err != nil {
				t.Skip(err)
			}
			a := trail(t, dir)
			if all, _ := records(t, dir); len(all) != 0 {
				t.Errorf("%d records", len(all))
			}
			a.Add(seen(1))
			if err := a.News(t.Context()); err == nil || !strings.Contains(err.Error(), "set aside as") {
				t.Errorf("News: %v", err)
			}
			if err := a.Flush(t.Context()); err != nil {
				t.Error(err)
			}
			if all, _ := records(t, dir); len(all) != 1 {
				t.Errorf("%d records", len(all))
			}
			if _, err := os.Lstat(path + ".elsewhere"); err == nil {
				t.Error("it wrote where the link points")
			}
		})
	}
}

func TestAuditOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	a := trail(t, dir)
	var full atomic.Bool
	var tries atomic.Int32
	full.Store(true)
	a.folder.extend = func(p string, lines []byte, sync bool) (int, error) {
		if !full.Load() {
			return extendFile(p, lines, sync)
		}
		tries.Add(1)
		n, _ := extendFile(p, lines[:len(lines)/2], sync) // torn in the midst of a line
		return n, &fs.PathError{Op: "write", Path: p, Err: syscall.ENOSPC}
	}
	a.Add(seen(1), seen(2), seen(3))
	err := a.News(t.Context())
	if err == nil || !strings.Contains(err.Error(), syscall.ENOSPC.Error()) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("News: %v, want why nothing is written", err)
	}
	for first := tries.Load(); tries.Load() < first+4; {
		runtime.Gosched()
	}
	if err := a.untold(); err != nil {
		t.Errorf("it is told again: %v", err)
	}
	full.Store(false)
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, _ := records(t, dir)
	for i, want := range []int{1, 2, 3} {
		if len(all) != 3 || all[i].Task != seen(want).Task {
			t.Fatalf("%+v", all)
		}
	}
	full.Store(true)
	a.Add(seen(4))
	if err := a.News(t.Context()); err == nil {
		t.Error("new trouble is not told")
	}
	full.Store(false)
}

func TestAuditThatIsTooMuchHasAGap(t *testing.T) {
	dir := t.TempDir()
	a := trail(t, dir)
	a.folder.gather, a.folder.retry = time.Hour, time.Hour // what is written is written by Flush
	var full atomic.Bool
	full.Store(true)
	a.folder.extend = func(p string, lines []byte, sync bool) (int, error) {
		if full.Load() {
			return 0, &fs.PathError{Op: "write", Path: p, Err: syscall.ENOSPC}
		}
		return extendFile(p, lines, sync)
	}
	many := make([]task.Entry, 510)
	for i := range many {
		many[i] = seen(i)
	}
	a.Add(many[:5]...)
	if err := a.Flush(t.Context()); err == nil {
		t.Error("Flush says that it wrote")
	}
	a.Add(many[5:]...)
	a.Add(seen(-1))
	if err := a.Flush(t.Context()); err == nil {
		t.Error("Flush says that it wrote")
	}
	full.Store(false)
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Add(seen(-2))
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, _ := records(t, dir)
	n := len(all)
	if n != 502 || all[n-2].What != task.AuditGap || all[n-2].Text != "11 entries were left out: they could not be written ("+syscall.ENOSPC.Error()+")" {
		t.Fatalf("%d records, before the last %+v", n, all[n-2])
	}
	if all[0].Task != seen(0).Task || all[n-3].Task != seen(499).Task || all[n-1].Task != seen(-2).Task {
		t.Errorf("%s ... %s, %s", all[0].Task, all[n-3].Task, all[n-1].Task)
	}
}

func TestClosedAudit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "unused")
	unused := trail(t, dir)
	if err := unused.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a trail that nothing was added to makes a folder")
	}
	a := trail(t, dir)
	a.folder.gather = time.Hour
	a.Add(seen(1))
	heard := make(chan error)
	go func() { heard <- a.News(context.Background()) }()
	if err := a.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-heard; !errors.Is(err, os.ErrClosed) {
		t.Errorf("News: %v", err)
	}
	a.Add(seen(2))
	if err := errors.Join(a.Close(t.Context()), a.Flush(t.Context())); err != nil {
		t.Error(err)
	}
	if all, _ := records(t, dir); len(all) != 1 {
		t.Errorf("%d records", len(all))
	}
}

// Close must not hang where the file system does.
func TestCloseOfAnAuditThatHangs(t *testing.T) {
	a := open(t, t.TempDir()).Audit()
	entered, leave := make(chan struct{}), make(chan struct{})
	a.folder.extend = func(_ string, lines []byte, _ bool) (int, error) {
		close(entered)
		<-leave
		return len(lines), nil
	}
	a.Add(seen(1))
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	close(leave)
	<-a.ended
}

// What a line is must stay small whatever a server calls its things.
func TestAuditLineIsBounded(t *testing.T) {
	long := strings.Repeat("\x01", 100<<10)
	line := appendLine(nil, &task.Entry{
		At: time.Now(), What: task.StatusChanged, Server: long, Task: task.ID(long), Call: task.CallID(long), Tool: long, Prompt: long, Effect: long, Text: long,
	}, long[:auditWord], 1)
	if len(line) > auditLine || !json.Valid(line) {
		t.Errorf("%d bytes", len(line))
	}
}

func BenchmarkAuditAdd(b *testing.B) {
	f, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	f.extend = func(_ string, lines []byte, _ bool) (int, error) { return len(lines), nil }
	batch := make([]task.Entry, 1000)
	for i := range batch {
		batch[i] = seen(i)
	}
	a := f.Audit()
	defer func() { _ = a.Close(context.Background()) }()
	b.ReportAllocs()
	for b.Loop() {
		a.Add(batch...)
		b.StopTimer()
		if err := a.Flush(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

func BenchmarkAuditWrite10k(b *testing.B) {
	f, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	batch := make([]task.Entry, 10_000)
	for i := range batch {
		batch[i] = seen(i)
	}
	a := f.Audit()
	defer func() { _ = a.Close(context.Background()) }()
	b.ReportAllocs()
	for b.Loop() {
		a.Add(batch...)
		if err := a.Flush(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
