package model

import (
	"fmt"
	"testing"
	"time"

	"callboard/model/task"
)

// The moment at which a filter looks again is the first step of its clock with
// another answer.
func TestNextMoment(t *testing.T) {
	base := onGrid(time.Now())
	for _, off := range []time.Duration{0, time.Nanosecond, timeStep / 2, timeStep - 1} {
		r := &Row{Key: task.Key{Server: "ops", ID: "t"}, Began: At(base.Add(off)), Task: task.Task{Status: task.Working, TTL: 4 * time.Second}}
		for _, name := range []string{"age", "ttl"} {
			for _, op := range []string{"<", "<=", ">", ">="} {
				text := name + op + "2s"
				f, _ := parseFilter(text)
				if !f.timed {
					t.Fatalf("%s: not timed", text)
				}
				for now := base; now.Before(base.Add(4 * time.Second)); now = now.Add(timeStep) {
					want := int64(0)
					for at := now.Add(timeStep); at.Before(base.Add(8 * time.Second)); at = at.Add(timeStep) {
						if f.passes(r, at) != f.passes(r, now) {
							want = at.UnixNano()
							break
						}
					}
					if got := f.next(r, now); got != want {
						t.Errorf("%s, off %v at %v: %v, want %v", text, off, now.Sub(base), time.Duration(got-base.UnixNano()), time.Duration(want-base.UnixNano()))
					}
				}
			}
		}
	}
}

// Ten thousand rows that come at one moment come in slices, and cost nothing
// before.
func TestRowsComeByTime(t *testing.T) {
	s := newScript()
	for i := range 3 * sliceRows {
		s.put(a(fmt.Sprint("t", i), task.Completed))
	}
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.wish(FilterMsg{"age>20s"})
		st.pass(19 * time.Second)
		if n := st.Board().Len(); n != 0 {
			t.Errorf("%d rows are too old", n)
		}
		st.pass(time.Second)
		rev := st.Revision()
		st.pass(timeStep)
		if n := st.Board().Len(); n != 3*sliceRows || st.Revision() == rev {
			t.Errorf("%d rows", n)
		}
		st.wish(FilterMsg{""})
		if len(st.Board().order.times) != 0 {
			t.Error("rows wait for a time that no filter names")
		}
	})
}

// While the board is paused, all means all that it shows.
func TestMarkAllOfAPausedBoard(t *testing.T) {
	s := newScript()
	s.put(a("one", task.Working))
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.wish(PauseMsg{true})
		s.put(a("two", task.Working))
		st.tell(push(a("two", task.Working)))
		if b := st.Board(); !b.Paused() || b.Len() != 1 || b.Total() != 2 || b.Waiting() != 1 {
			t.Errorf("%d of %d rows, %d wait", b.Len(), b.Total(), b.Waiting())
		}
		st.wish(MarkAllMsg{true})
		if !st.row("one").Marked || st.row("two").Marked {
			t.Error("a row that was not in sight is marked")
		}
		st.wish(PauseMsg{false})
		if b := st.Board(); b.Paused() || b.Busy() || b.Len() != 2 || b.Waiting() != 0 {
			t.Errorf("%d rows, %d wait", b.Len(), b.Waiting())
		}
	})
}

// A call that becomes a task keeps its line, whoever told of the task first.
func TestCallsOfAPausedBoard(t *testing.T) {
	for _, first := range []bool{false, true} {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
			st.wish(PauseMsg{true})
			if first {
				st.tell(push(a("t", task.Working)))
			}
			st.tell(task.Started{Call: "c", Task: a("t", task.Working)})
			b := st.Board()
			if at, ok := b.Rank(task.Key{Server: "ops", Call: "c"}); b.Len() != 1 || !ok || at != 0 || b.At(0) != st.row("t") {
				t.Errorf("first %v: %d rows, %v", first, b.Len(), ok)
			}
			st.wish(PauseMsg{false})
			checkBoard(t, b)
		})
	}
}

// A resumed board of many rows goes on in slices, and may be paused meanwhile.
func TestResumeInSlices(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.wish(PauseMsg{true})
		for i := range 3 * sliceRows {
			x := a(fmt.Sprint("t", i), task.Working)
			st.take(st.links[0], report{task: x, how: task.Pushed, sentAt: x.Updated, at: x.Updated})
		}
		st.run(st.Update(PauseMsg{false}))
		b := st.Board()
		if done, total := b.Progress(); !b.Busy() || b.Len() != sliceRows || done != sliceRows || total != 3*sliceRows {
			t.Errorf("%d rows, %d of %d", b.Len(), done, total)
		}
		st.wish(PauseMsg{true})
		if b.Busy() || b.Len() != sliceRows || b.Waiting() != 2*sliceRows {
			t.Errorf("paused: %d rows, %d wait", b.Len(), b.Waiting())
		}
		st.wish(SortMsg{ByTask})
		if b.Busy() || b.Len() != 3*sliceRows || b.Waiting() != 0 { // they were there when this pause began
			t.Errorf("sorted: %d rows, %d wait", b.Len(), b.Waiting())
		}
		st.wish(PauseMsg{false})
		checkBoard(t, b)
	})
}

// The row that is looked at is known at once, with its neighbours, wherever it
// stands among the rows.
func TestTheSelectedRowComesFirst(t *testing.T) {
	s := newScript()
	for i := range 3 * sliceRows {
		s.put(a(fmt.Sprintf("t%05d", i), task.Completed))
	}
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		b := st.Board()
		last := b.all[len(b.all)-1]
		far := b.all[len(b.all)-nearRows*4]
		st.wish(SelectMsg{last.Key})
		at, _ := b.Rank(last.Key)
		near := b.At(at - 10)
		if near == nil {
			near = b.At(at + 10)
		}
		st.run(st.Update(SortMsg{ByTask}))
		if _, ok := b.Rank(last.Key); !ok || !b.Busy() || !b.Known(last.Key) || !b.Known(near.Key) {
			t.Error("the selected row is not reached yet")
		}
		if b.Known(far.Key) || !b.Known(task.Key{Server: "ops", ID: "none"}) {
			t.Error("what is not reached is known")
		}
		st.run(st.Update(FilterMsg{"!" + string(last.Key.ID)}))
		if _, ok := b.Rank(last.Key); ok || !b.Known(last.Key) {
			t.Error("the filter does not hide the selected row")
		}
		gen := b.gen
		st.run(st.Update(FilterMsg{"none of them"}))
		if b.gen == gen {
			t.Error("a new filter does not stop the one before")
		}
		st.settle()
		if b.Busy() || b.Len() != 0 {
			t.Errorf("%d rows", b.Len())
		}
	})
}
