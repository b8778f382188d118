package model

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"callboard/model/task"
)

// jobs puts n working tasks, and marks them all.
func jobs(st *stage, n int) []task.Key {
	var keys []task.Key
	for i := range n {
		id := fmt.Sprintf("t%05d", i)
		st.s.put(a(id, task.Working))
		keys = append(keys, key(id))
	}
	st.wish(RefreshMsg{})
	st.pass(time.Second)
	st.wish(MarkAllMsg{On: true})
	return keys
}

// sums checks that each has one outcome.
func sums(t *testing.T, b *Bulk) {
	t.Helper()
	if b.Running || b.Left() != 0 || b.Ended.IsZero() {
		t.Errorf("it runs: %+v, left %d", b, b.Left())
	}
}

func TestCancelMany(t *testing.T) {
	t.Run("ten thousand, eight at a time", func(t *testing.T) {
		s := newScript()
		var now, most atomic.Int32
		s.onCancel = func(id task.ID) (task.Task, error) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(10 * time.Millisecond) // virtual
			now.Add(-1)
			x := a(string(id), task.Cancelled)
			s.put(x)
			return x, nil
		}
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			jobs(st, 10_000)
			st.wish(CancelManyMsg{})
			if b := st.Bulk(); !b.Running || b.Total != 10_000 || b.Sent < 8 {
				t.Fatalf("%+v", b)
			}
			st.pass(15 * time.Second)
			b := st.Bulk()
			sums(t, b)
			if b.Done != 10_000 || most.Load() != bulkAtOnce || s.count("cancel", "") != 10_000 {
				t.Errorf("done %d of %d, at most %d at once, %d sent", b.Done, b.Total, most.Load(), s.count("cancel", ""))
			}
			if st.Marked() != 0 {
				t.Errorf("%d are still marked", st.Marked())
			}
			if w := st.row("t00042").Wish; w == nil || w.State != Taken {
				t.Errorf("the row shows %+v", w)
			}
			if !strings.Contains(st.line(), "10000 of 10000") {
				t.Errorf("notice %q", st.line())
			}
		})
	})
	t.Run("skipped, refused, retried", func(t *testing.T) {
		s := newScript()
		s.put(a("ended", task.Completed))
		refuse := true
		s.onCancel = func(id task.ID) (task.Task, error) {
			if id == "t00001" && refuse {
				return task.Task{}, &task.Error{Kind: task.RPC, Code: -32603, Message: task.Clean("no\x1b[31m way")}
			}
			x := a(string(id), task.Cancelled)
			s.put(x)
			return x, nil
		}
		book := &trail{}
		play(t, Options{Audit: book}, s, func(st *stage) {
			st.settle()
			keys := jobs(st, 3)
			st.wish(CancelManyMsg{Keys: append(keys, key("ended"), key("nowhere"))})
			b := st.Bulk()
			sums(t, b)
			if b.Done != 2 || len(b.Failed) != 1 || len(b.Skipped) != 2 {
				t.Fatalf("%+v", b)
			}
			if f := b.Failed[0]; f.Key != key("t00001") || !strings.Contains(f.Why, "the server refused: no way") {
				t.Errorf("%+v", f)
			}
			if f := b.Skipped[0]; f.Key != key("ended") || !strings.Contains(f.Why, "it has ended (completed)") {
				t.Errorf("%+v", f)
			}
			if r := st.row("t00001"); !r.Marked || r.Wish.State != WishFailed {
				t.Errorf("the one that failed: %+v", r.Wish)
			}
			refuse = false
			st.wish(RetryBulkMsg{})
			if b = st.Bulk(); b.Done != 3 || len(b.Failed) != 0 || b.Sent != 3 || s.count("cancel", "") != 4 {
				t.Errorf("%+v, %d sent", b, s.count("cancel", ""))
			}
			sums(t, b)
			n := 0
			for _, e := range book.entries {
				if e.What == task.PersonCanceled && e.Effect == "sent" {
					n++
				}
			}
			if n != 4 {
				t.Errorf("%d cancels in the audit trail", n)
			}
			st.wish(RetryBulkMsg{})
			if !strings.Contains(st.line(), "nothing to send again") {
				t.Errorf("notice %q", st.line())
			}
		})
	})
	t.Run("stopped, and gone on with", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			hold := make(chan struct{})
			s.onCancel = func(id task.ID) (task.Task, error) {
				<-hold
				x := a(string(id), task.Cancelled)
				s.put(x)
				return x, nil
			}
			st.settle()
			jobs(st, 100)
			st.wish(CancelManyMsg{})
			st.wish(StopBulkMsg{})
			if b := st.Bulk(); !b.Running || b.Stopped != 92 || b.Left() != bulkAtOnce {
				t.Fatalf("%+v", b)
			}
			close(hold)
			st.settle()
			b := st.Bulk()
			sums(t, b)
			if b.Done != 8 || s.count("cancel", "") != 8 {
				t.Fatalf("%+v", b)
			}
			st.wish(RetryBulkMsg{})
			st.pass(time.Second)
			sums(t, b)
			if b.Done != 100 || b.Stopped != 0 {
				t.Errorf("%+v", b)
			}
		})
	})
	t.Run("a link that breaks", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			hold := make(chan struct{})
			s.set(func() { s.onCancel = func(task.ID) (task.Task, error) { <-hold; return task.Task{}, nil } })
			st.settle()
			jobs(st, 20)
			st.wish(CancelManyMsg{})
			s.set(func() {
				s.onDial = func(int) error { return &task.Error{Kind: task.Unreachable, Message: task.Own("refused")} }
			})
			st.lose(task.Lost)
			b := st.Bulk()
			sums(t, b)
			if len(b.Unknown) != bulkAtOnce || len(b.Failed) != 12 || b.Failed[0].Why != "not sent: it broke" {
				t.Fatalf("%+v", b)
			}
			st.wish(RetryBulkMsg{}) // while it is down they fail again
			if sums(t, b); len(b.Failed) != 12 || !strings.Contains(b.Failed[0].Why, "not connected") {
				t.Fatalf("%+v", b)
			}
			close(hold)
			s.set(func() { s.onCancel, s.onDial = nil, nil })
			st.pass(time.Minute)
			st.wish(RetryBulkMsg{})
			st.pass(time.Second)
			sums(t, b)
			if b.Done != 12 || len(b.Unknown) != bulkAtOnce || s.count("cancel", "") != 20 {
				t.Errorf("%+v, %d sent", b, s.count("cancel", ""))
			}
		})
	})
	t.Run("a server that is busy is obeyed, and gets it again", func(t *testing.T) {
		s := newScript()
		var mu sync.Mutex
		busy := true
		s.onCancel = func(id task.ID) (task.Task, error) {
			mu.Lock()
			defer mu.Unlock()
			if busy {
				return task.Task{}, &task.Error{Kind: task.Busy, Status: 429, RetryAfter: 10 * time.Second, Message: task.Own("slow down")}
			}
			x := a(string(id), task.Cancelled)
			s.put(x)
			return x, nil
		}
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			jobs(st, 20)
			st.wish(CancelManyMsg{})
			n := s.count("cancel", "")
			if w := st.BulkWaits(); n > bulkAtOnce || len(w) != 1 || !strings.Contains(w[0], "left alone") {
				t.Fatalf("%d sent, %v", n, w)
			}
			if w := st.row("t00000").Wish; w.State != Sending || !strings.Contains(w.Why, "sent again") {
				t.Errorf("%+v", w)
			}
			st.pass(9 * time.Second)
			if s.count("cancel", "") != n {
				t.Error("asked while it wants to be left alone")
			}
			mu.Lock()
			busy = false
			mu.Unlock()
			st.pass(2 * time.Second)
			b := st.Bulk()
			sums(t, b)
			if b.Done != 20 || len(b.Failed) != 0 {
				t.Errorf("%+v", b)
			}
		})
	})
	t.Run("a server that hangs holds up neither the others nor itself for ever", func(t *testing.T) {
		s, dead := newScript(), newScript()
		lost := &task.Error{Kind: task.Timeout, Message: task.Own("no answer in time")}
		play(t, Options{Targets: []Target{{Name: "ops", Endpoint: s}, {Name: "dead", Endpoint: dead}}}, s, func(st *stage) {
			never := make(chan struct{})
			defer close(never)
			for i := range 100 {
				dead.put(a(fmt.Sprintf("d%05d", i), task.Working))
			}
			st.settle()
			jobs(st, 100)
			hang := func() error {
				select {
				case <-never:
				case <-time.After(15 * time.Second):
				}
				return lost
			}
			dead.set(func() { dead.onCancel = func(task.ID) (task.Task, error) { return task.Task{}, hang() } })
			dead.set(func() { dead.onGet = func(task.ID) (task.Task, error) { return task.Task{}, hang() } })
			dead.set(func() { dead.onPage = func(task.Cursor) (task.Page, error) { return task.Page{}, hang() } })
			if st.Marked() != 200 {
				t.Fatalf("%d marked", st.Marked())
			}
			began := time.Now()
			st.wish(CancelManyMsg{})
			for st.Bulk().Done < 100 && time.Since(began) < time.Second {
				st.settle()
			}
			within(t, "those of the other server", time.Since(began), 0, time.Second)
			st.pass(3 * time.Minute)
			b := st.Bulk()
			sums(t, b)
			if b.Done != 100 || len(b.Unknown) > 3*bulkAtOnce || len(b.Failed) < 70 || dead.count("cancel", "") > 3*bulkAtOnce {
				t.Errorf("done %d, unknown %d, failed %d, sent %d", b.Done, len(b.Unknown), len(b.Failed), dead.count("cancel", ""))
			}
		})
	})
	t.Run("read only, and nothing marked", func(t *testing.T) {
		s := newScript()
		play(t, Options{ReadOnly: true}, s, func(st *stage) {
			st.settle()
			jobs(st, 2)
			st.wish(CancelManyMsg{})
			if st.Bulk() != nil || !strings.Contains(st.line(), "--read-only") {
				t.Errorf("notice %q", st.line())
			}
		})
		play(t, Options{}, newScript(), func(st *stage) {
			st.settle()
			st.wish(CancelManyMsg{})
			if st.Bulk() != nil || !strings.Contains(st.line(), "Nothing is marked") {
				t.Errorf("notice %q", st.line())
			}
			st.wish(StopBulkMsg{})
			st.wish(RetryBulkMsg{})
		})
	})
	t.Run("a row that is forgotten on the way", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			hold := make(chan struct{})
			s.set(func() { s.onCancel = func(task.ID) (task.Task, error) { <-hold; return task.Task{}, nil } })
			st.settle()
			jobs(st, 2)
			st.wish(CancelManyMsg{})
			st.wish(ForgetMsg{Key: key("t00000")})
			close(hold)
			st.settle()
			b := st.Bulk()
			sums(t, b)
			if len(b.Unknown) != 1 || b.Done != 1 {
				t.Errorf("%+v", b)
			}
		})
	})
}
