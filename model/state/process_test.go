package state

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"callboard/model/task"
)

func TestProcessesSeeEachOther(t *testing.T) {
	dir := t.TempDir()
	a, b := process(t, dir, Credentials{}), process(t, dir, Credentials{})
	recall(t, a)
	recall(t, b)
	flush(t, a, task.KeepHandle{Handle: live("a", time.Now())})
	k, err := b.News(t.Context())
	if err != nil || ids(k.Handles) != "a" {
		t.Fatalf("b's news: %s, %v", ids(k.Handles), err)
	}
	// Without Flush, too, and beside what the other wrote.
	b.Keep(task.KeepHandle{Handle: live("b", time.Now().Add(time.Second))})
	k, err = a.News(t.Context())
	if err != nil || ids(k.Handles) != "a b" {
		t.Fatalf("a's news: %s, %v", ids(k.Handles), err)
	}
	flush(t, a, task.DropHandle{ID: "b"})
	if k, err = b.News(t.Context()); err != nil || ids(k.Handles) != "a" {
		t.Fatalf("b's news of what a forgot: %s, %v", ids(k.Handles), err)
	}
}

func TestNoNewsOfOnesOwn(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	recall(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan error, 1)
	go func() {
		_, err := m.News(ctx)
		heard <- err
	}()
	for i := range 20 {
		flush(t, m, task.KeepHandle{Handle: live(fmt.Sprint(i), time.Now())})
		if m.stale(t.Context()) {
			t.Error("what one wrote oneself is taken for another's")
		}
	}
	cancel()
	if err := <-heard; !errors.Is(err, context.Canceled) {
		t.Errorf("news of what one wrote oneself: %v", err)
	}
}

func TestOneUsesASession(t *testing.T) {
	dir := t.TempDir()
	a, b := process(t, dir, Credentials{}), process(t, dir, Credentials{})
	flush(t, a, task.KeepResume{Resume: task.Resume{Era: task.Legacy, Session: "s", LastEvent: "1"}})
	k := recall(t, b)
	if !k.Resume.PostOnly {
		t.Fatal("a session in use is not for POST only")
	}
	// The guest knows no events, and must not take those of the other away.
	k.Resume.LastEvent = "0"
	flush(t, b, task.KeepResume{Resume: k.Resume})
	if again := recall(t, a).Resume; again.PostOnly || again.LastEvent != "1" {
		t.Errorf("the session's own process has %#v", again)
	}
	end(t, a)
	if k := b.kept(false); !k.Resume.PostOnly {
		t.Error("the session is the guest's before it has taken it")
	}
	k, err := b.News(t.Context())
	for err == nil && k.Resume.PostOnly { // what a wrote before is news, too
		k, err = b.News(t.Context())
	}
	if err != nil || k.Resume.LastEvent != "1" {
		t.Fatalf("after its process left: %#v, %v", k.Resume, err)
	}
	if !recall(t, process(t, dir, Credentials{})).Resume.PostOnly {
		t.Error("the guest did not take the session over")
	}
}

func TestALookAsideLeavesTheSessionToOthers(t *testing.T) {
	dir := t.TempDir()
	a := process(t, dir, Credentials{})
	flush(t, a, task.KeepResume{Resume: task.Resume{Session: "s"}})
	end(t, a)
	look := process(t, dir, Credentials{}).Aside()
	k := recall(t, look)
	if k.Resume.Session != "s" || !k.Resume.PostOnly {
		t.Errorf("%#v", k.Resume)
	}
	flush(t, look, task.KeepResume{Resume: k.Resume})
	if k := recall(t, process(t, dir, Credentials{})); k.Resume.PostOnly {
		t.Error("a look aside uses the session")
	}
}

func TestTheNewestSessionIsRejoined(t *testing.T) {
	dir := t.TempDir()
	a := process(t, dir, Credentials{})
	now := time.Now()
	var asked atomic.Int64 // by whoever writes, and by who keeps the next
	a.folder.now = func() time.Time { return now.Add(time.Duration(asked.Add(1)) * time.Second) }
	for _, s := range []task.Secret{"2", "3", "1"} {
		flush(t, a, task.KeepResume{Resume: task.Resume{Session: s}})
	}
	end(t, a)
	if k := recall(t, process(t, dir, Credentials{})); k.Resume.Session != "1" || k.Resume.PostOnly {
		t.Errorf("%#v", k.Resume)
	}
}

func TestForgottenStaysForgotten(t *testing.T) {
	dir := t.TempDir()
	a, b := process(t, dir, Credentials{}), process(t, dir, Credentials{})
	h := live("x", time.Now())
	flush(t, a, task.KeepHandle{Handle: h})
	recall(t, b)
	flush(t, a, task.DropHandle{ID: "x"})
	h.Seen = time.Now().Add(time.Hour)
	flush(t, b, task.KeepHandle{Handle: h}) // b did not hear of it yet
	if k := recall(t, a); len(k.Handles) != 0 {
		t.Errorf("what a forgot is brought back by b: %s", ids(k.Handles))
	}
	h.Since = time.Now().Add(time.Minute) // named anew, after it was forgotten
	flush(t, b, task.KeepHandle{Handle: h})
	if k := recall(t, a); ids(k.Handles) != "x" {
		t.Error("what b watches anew is not kept")
	}
	flush(t, b, task.DropHandle{ID: "x"})
	h.Since = time.Now().Add(-time.Hour)
	flush(t, b, task.KeepHandle{Handle: h})
	if k := recall(t, a); ids(k.Handles) != "x" {
		t.Error("whoever forgot a task can keep it again")
	}
}

// Processes that write by turns, in any order, lose nothing of each other.
func TestInterleavings(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			dir := t.TempDir()
			ms := []*Memory{process(t, dir, Credentials{}), process(t, dir, Credentials{}), process(t, dir, Credentials{})}
			handles, calls := map[string]bool{}, map[string]bool{}
			for range 150 {
				p := r.IntN(len(ms))
				id := fmt.Sprintf("%d-%d", p, r.IntN(8)) // each forgets and settles only what is its own
				switch r.IntN(7) {
				case 0, 1:
					ms[p].Keep(task.KeepHandle{Handle: live(id, time.Now())})
					handles[id] = true
				case 2:
					ms[p].Keep(task.DropHandle{ID: task.ID(id)})
					delete(handles, id)
				case 3:
					ms[p].Keep(task.KeepSent{Sent: task.Sent{Call: task.CallID(id), At: time.Now()}})
					calls[id] = true
				case 4:
					ms[p].Keep(task.Settled{Call: task.CallID(id)})
					delete(calls, id)
				case 5:
					flush(t, ms[p])
				case 6:
					if r.IntN(3) == 0 {
						end(t, ms[p])
						ms[p] = process(t, dir, Credentials{})
					}
					recall(t, ms[p])
				}
			}
			check(t, dir, ms, handles, calls)
		})
	}
}

// The same, all at the same time.
func TestAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	ms := []*Memory{process(t, dir, Credentials{}), process(t, dir, Credentials{}), process(t, dir, Credentials{})}
	handles, calls := map[string]bool{}, map[string]bool{}
	var wg sync.WaitGroup
	for p, m := range ms {
		for i := range 30 {
			handles[fmt.Sprintf("%d-%d", p, i)] = i%3 != 0
			if i%3 == 0 {
				delete(handles, fmt.Sprintf("%d-%d", p, i))
			}
			calls[fmt.Sprintf("%d-%d", p, i)] = true
		}
		wg.Go(func() {
			for i := range 30 {
				id := fmt.Sprintf("%d-%d", p, i)
				m.Keep(task.KeepHandle{Handle: live(id, time.Now())}, task.KeepSent{Sent: task.Sent{Call: task.CallID(id), At: time.Now()}})
				if i%5 == 0 {
					if err := m.Flush(t.Context()); err != nil {
						t.Error(err)
					}
				}
				if i%3 == 0 {
					m.Keep(task.DropHandle{ID: task.ID(id)})
				}
				if i%7 == 0 {
					if _, err := m.Recall(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	check(t, dir, ms, handles, calls)
}

// check ends the processes and compares what they left.
func check(t *testing.T, dir string, ms []*Memory, handles, calls map[string]bool) {
	t.Helper()
	for _, m := range ms {
		end(t, m)
	}
	k := recall(t, process(t, dir, Credentials{}))
	var got, want []string
	for _, h := range k.Handles {
		got = append(got, "task "+string(h.Task.ID))
	}
	for _, s := range k.Unsettled {
		got = append(got, "call "+string(s.Call))
	}
	for id := range handles {
		want = append(want, "task "+id)
	}
	for id := range calls {
		want = append(want, "call "+id)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("kept\n%v, want\n%v", got, want)
	}
	if left, err := os.ReadDir(open(t, dir).live()); err != nil || len(left) > 1 { // that of the last Recall, if any
		t.Errorf("%d locks are left behind, %v", len(left), err)
	}
}

func TestBusyLockIsWaitedForAndTold(t *testing.T) {
	dir := t.TempDir()
	m := process(t, dir, Credentials{})
	flush(t, m, task.KeepHandle{Handle: live("a", time.Now())})
	lock, err := hold(t.Context(), only(t, dir, "*.json")+".lock", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	other := process(t, dir, Credentials{})
	other.folder.wait = 20 * time.Millisecond
	other.folder.gather = time.Hour // Recall alone writes
	other.Keep(task.KeepHandle{Handle: live("b", time.Now())})
	k, err := other.Recall(t.Context())
	if err == nil || !strings.Contains(err.Error(), "another callboard holds its lock") || ids(k.Handles) != "a b" {
		t.Errorf("behind a lock: %s, %v; want what is there, and why it is not written", ids(k.Handles), err)
	}
	release(lock, false)
	other.folder.wait = time.Minute
	flush(t, other)
	if k := recall(t, m); ids(k.Handles) != "a b" {
		t.Errorf("once the lock is free: %s", ids(k.Handles))
	}
}

// Whoever waits for a lock whose file goes must not have the lock of nothing.
func TestLockOfARemovedFileIsNone(t *testing.T) {
	f := open(t, t.TempDir())
	if err := private(f.live()); err != nil {
		t.Fatal(err)
	}
	path := f.usePath("x")
	first, err := hold(t.Context(), path, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		second, err := hold(t.Context(), path, time.Minute)
		if err == nil {
			if !names(path, second) {
				err = errors.New("the lock is of no file")
			}
			release(second, true)
		}
		got <- err
	}()
	if !f.alive("x") || !names(path, first) {
		t.Error("a lock that is held is not seen")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if names(path, first) {
		t.Error("a lock of a file that is gone is taken for one")
	}
	release(first, true)
	if err := <-got; err != nil {
		t.Error(err)
	}
	if f.alive("x") {
		t.Error("a lock that was given up is seen")
	}
}
