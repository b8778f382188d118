package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// fresh returns b's rows sorted and filtered anew.
func fresh(b *Board) []*Row {
	o := newOrder(0, b.order.by, b.order.reverse, b.order.filter)
	var rows []*Row
	for _, r := range b.all {
		if o.passes(r) {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(x, y *Row) int {
		c := o.by.keyOf(x).compare(o.by.keyOf(y))
		if o.reverse {
			c = -c
		}
		if c == 0 {
			c = compareKeys(x.Key, y.Key)
		}
		return c
	})
	return rows
}

// checkOrder checks that what shows is in its right order.
func checkOrder(t *testing.T, b *Board) {
	t.Helper()
	for i := 1; i < b.Len(); i++ {
		if !b.order.less(b.At(i-1), b.At(i)) || !b.order.passes(b.At(i)) {
			t.Fatalf("row %d is out of order", i)
		}
	}
}

func checkBoard(t *testing.T, b *Board) {
	t.Helper()
	want := fresh(b)
	if b.Len() != len(want) {
		t.Fatalf("%d rows, want %d", b.Len(), len(want))
	}
	for i, r := range want {
		if b.At(i) != r {
			t.Fatalf("row %d is %v, want %v", i, b.At(i).Key, r.Key)
		}
		if at, ok := b.Rank(r.Key); !ok || at != i {
			t.Fatalf("rank of row %d is %d", i, at)
		}
	}
}

// TestBoardIsAlwaysSorted does random things to a model and compares the table
// with a fresh sort.
func TestBoardIsAlwaysSorted(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test's dice
	m := New(Options{Targets: []Target{{Name: "a", Endpoint: newScript()}, {Name: "b", Endpoint: newScript()}}})
	defer m.Shutdown()
	var slices []tea.Msg
	pump := func() {
		for _, cmd := range m.cmds {
			slices = append(slices, cmd())
		}
		m.cmds = nil
	}
	status := []task.Status{task.Working, task.InputRequired, task.Completed, task.Failed, task.Cancelled}
	for i := range 12_000 {
		l := m.links[rnd.IntN(2)]
		x := task.Task{
			ID: task.ID(fmt.Sprint("t", rnd.IntN(9000))), Status: status[rnd.IntN(5)%(1+i%5)],
			Message: task.Own(fmt.Sprint("step ", rnd.IntN(50))), Updated: clock(float64(i)), Created: clock(float64(rnd.IntN(1000))),
			TTL: time.Duration(rnd.IntN(3)) * time.Hour,
		}
		m.now = clock(float64(i))
		m.take(l, report{task: x, how: task.Pushed, sentAt: m.now, at: m.now})
		switch rnd.IntN(600) {
		case 0:
			m.sort(Column(rnd.IntN(int(ByServer) + 1)))
		case 1:
			m.filter([]string{"", "STEP 1", "working", "b", "t7", "nothing"}[rnd.IntN(6)])
		case 2:
			if len(l.store.ended) > 0 {
				r := l.store.ended[0]
				l.store.limit = len(l.store.tasks) - 1
				if gone := l.store.evict(func(*Row) bool { return false }); gone != r {
					t.Fatal("evicted another one")
				}
				l.store.limit = taskLimit
				m.counts[r.class]--
				m.board.remove(r)
			}
		}
		pump()
		if len(slices) > 0 && rnd.IntN(3) == 0 { // rows change while a new order is worked out
			m.slice(slices[0].(sliceMsg))
			slices = slices[1:]
			pump()
		}
		if i%2000 == 0 || i > 11_998 {
			checkOrder(t, m.Board())
			if !m.Board().Busy() {
				checkBoard(t, m.Board())
			}
		}
	}
	for len(slices) > 0 {
		m.slice(slices[0].(sliceMsg))
		slices = slices[1:]
		pump()
	}
	if m.Board().Busy() {
		t.Fatal("still busy")
	}
	checkBoard(t, m.Board())
	var n [classes]int
	for _, r := range m.board.all {
		n[r.classOf()]++
	}
	if m.counts[uncounted] = 0; n != m.counts {
		t.Errorf("counts %v, want %v", m.counts, n)
	}
}

func TestColumns(t *testing.T) {
	row := func(id string, s task.Status, created, updated float64, edit func(*Row)) *Row {
		r := &Row{Key: task.Key{Server: "ops", ID: task.ID(id)}, Task: task.Task{ID: task.ID(id), Status: s}, Began: At(clock(created)), Since: At(clock(updated))}
		if edit != nil {
			edit(r)
		}
		return r
	}
	rows := []*Row{
		row("e", task.Working, 1, 1, func(r *Row) { r.Tool = task.Own("build"); r.Progress = &task.Progress{Done: 1, Total: 2} }),
		row("d", task.InputRequired, 2, 2, func(r *Row) { r.Task.TTL = time.Hour; r.Task.Message = task.Own("b") }),
		row("c", task.Completed, 3, 9, func(r *Row) { r.Tool = task.Own("archive"); r.Task.TTL = time.Second }),
		row("b", task.Working, 4, 4, func(r *Row) { r.Task.TTL = time.Minute; r.Progress = &task.Progress{Done: 3, Total: 4} }),
		row("a", task.Failed, 5, 5, func(r *Row) { r.Task.Message = task.Own("a"); r.Key.Server = "dev" }),
	}
	for _, c := range []struct {
		by   Column
		want string
	}{
		{ByStatus, "dbeca"}, // asking, working newest first, ended last first
		{ByTask, "abcde"}, {ByTool, "ceabd"}, {ByMessage, "adbce"}, {ByProgress, "beacd"}, {ByAge, "abcde"}, {ByTTL, "bdace"}, {ByServer, "abcde"},
	} {
		b := newBoard(func(task.Key) *Row { return nil }, nil)
		for _, r := range rows {
			b.add(r)
		}
		if c.by != ByStatus {
			b.sort(c.by)
		}
		got := ""
		for i := range b.Len() {
			got += string(b.At(i).Key.ID)
		}
		if got != c.want {
			t.Errorf("column %d: %s, want %s", c.by, got, c.want)
		}
		b.sort(c.by)
		if _, reverse := b.Sort(); !reverse {
			t.Errorf("column %d: not reversed", c.by)
		}
	}
}

func TestFilter(t *testing.T) {
	r := &Row{Key: task.Key{Server: "Prod", ID: "ID-42"}, Tool: task.Own("Deploy"), Task: task.Task{Status: task.InputRequired, Message: task.Own("Über 9 GB")}}
	for text, want := range map[string]bool{
		"": true, "prod": true, "id-4": true, "DEPLOY": true, "über": true, "ASKING": true, "input_": true, "gb": true, "gbx": false, "working": false,
	} {
		f, err := parseFilter(text)
		if err != nil {
			t.Fatal(err.line())
		}
		if got := f.passes(r, time.Time{}); got != want {
			t.Errorf("filter %q: %v", text, got)
		}
	}
}

func TestRowsThatGoWhileTheOrderIsNew(t *testing.T) {
	var again []sliceMsg
	b := newBoard(func(task.Key) *Row { return nil }, func(m sliceMsg) { again = append(again, m) })
	for i := range 2*sliceRows + 10 {
		id := task.ID(fmt.Sprintf("%05d", i))
		b.add(&Row{Key: task.Key{Server: "ops", ID: id}, Task: task.Task{ID: id}})
	}
	b.sort(ByTask)
	b.remove(b.all[7]) // the last row takes its place, where the new order has been
	for len(again) > 0 {
		m := again[0]
		again = again[1:]
		b.slice(m)
	}
	if b.Busy() || b.Len() != 2*sliceRows+9 {
		t.Errorf("%d rows", b.Len())
	}
}

func TestBigSortInSlices(t *testing.T) {
	s := newScript()
	for i := range 3 * sliceRows {
		s.put(a(fmt.Sprintf("t%05d", i), task.Completed))
	}
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.run(st.Update(SortMsg{ByTask}))
		st.run(st.Update(FilterMsg{"t0"}))
		if done, total := st.Board().Progress(); !st.Board().Busy() || st.Board().Len() != done || done != sliceRows || total != 3*sliceRows || st.Board().Filter() != "t0" {
			t.Errorf("busy %v, %d rows, %d of %d", st.Board().Busy(), st.Board().Len(), done, total)
		}
		checkOrder(t, st.Board())
		st.settle()
		if st.Board().Busy() || st.Board().Len() != 10_000 || st.Board().At(0).Key.ID != "t00000" {
			t.Errorf("busy %v, %d rows", st.Board().Busy(), st.Board().Len())
		}
		st.wish(FilterMsg{"no such"})
		if got := strings.Join(st.Why(screenKeys), ""); !strings.Contains(got, "filter") {
			t.Errorf("why: %q", got)
		}
	})
}

// full returns a model with n tasks on one link, as after a sweep.
func full(n int) (*Model, *link) {
	m := New(Options{Targets: []Target{{Name: "ops", Endpoint: newScript()}}})
	l := m.links[0]
	l.server = &session{script: newScript()}
	l.ctx = m.ctx
	m.now = time.Now()
	for i := range n {
		s := task.Working
		if i%3 > 0 {
			s = task.Completed
		}
		id := fmt.Sprintf("%08x-9e0d-44bd-8f29-%012d", uint32(i)*2654435761, i)
		m.take(l, report{task: task.Task{ID: task.ID(id), Status: s, Message: task.Own("Analyzing chunk of the input"),
			Created: clock(float64(i)), Updated: clock(float64(i)), TTL: time.Hour}, how: task.Listed, sentAt: m.now, at: m.now})
	}
	m.cmds = nil
	return m, l
}

// BenchmarkStatusNotifications is a batch of pushed changes taken in and
// stored, as the feed hands them over: the time is that of one notification.
func BenchmarkStatusNotifications(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, l := full(n)
			defer m.Shutdown()
			var ids []task.ID
			for _, r := range m.board.all {
				if r.Live() {
					ids = append(ids, r.Key.ID)
				}
			}
			const size = 800 // 25,000 a second, in batches of 33 ms
			i := 0
			for b.Loop() {
				batch := task.Batch{Events: make([]task.Event, 0, size)}
				now := time.Now()
				for range size {
					i++
					t := m.links[0].store.tasks[ids[i*7919%len(ids)]].Task
					t.Message, t.Updated = task.Own("chunk"+string(rune('a'+i%26))), t.Updated.Add(time.Millisecond)
					batch.Events = append(batch.Events, task.Changed{Task: t, How: task.Pushed, SentAt: now})
				}
				m.Update(reply{link: 0, attempt: l.attempt, news: fed{batch: batch}})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/notification")
		})
	}
}

// BenchmarkCursorKey is what a cursor key asks of the model while events flow:
// where the selected row stands now, and the rows of a screen around it.
func BenchmarkCursorKey(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, l := full(n)
			defer m.Shutdown()
			key := m.board.all[n/2].Key
			i := 0
			for b.Loop() {
				i++
				r := m.board.all[i*7919%n]
				t := r.Task
				t.Updated = t.Updated.Add(time.Millisecond)
				m.take(l, report{task: t, how: task.Pushed, sentAt: m.now, at: m.now})
				at, ok := m.Board().Rank(key)
				if !ok {
					b.Fatal("not there")
				}
				for j := at; j < min(at+60, m.Board().Len()); j++ {
					if m.Board().At(j) == nil {
						b.Fatal("a hole")
					}
				}
			}
		})
	}
}

// BenchmarkSweepSlice is one Update of a sweep over a full table: what a key
// has to wait for at most.
func BenchmarkSweepSlice(b *testing.B) {
	m, l := full(100_000)
	defer m.Shutdown()
	var page task.Page
	for i, r := range m.board.all[:2*pageRows] {
		page.Tasks = append(page.Tasks, r.Task)
		page.Tasks[i].Updated = page.Tasks[i].Updated.Add(time.Second)
	}
	for b.Loop() {
		m.now = time.Now()
		page.SentAt = m.now
		l.sweep = &sweep{cursors: map[string]bool{}, pages: map[uint64]bool{}}
		m.paged(l, paged{page: page})
		m.cmds = nil
	}
}
