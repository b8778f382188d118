package model

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"callboard/model/task"
)

// still is what a paused board has to show.
type still struct {
	there map[*Row]bool // when the pause began
	rows  []*Row
	keys  map[*Row]sortKey
}

// freeze sorts and filters the rows that were there when the pause began.
func (s *still) freeze(b *Board) {
	s.rows = slices.DeleteFunc(fresh(b), func(r *Row) bool { return !s.there[r] })
	s.keys = map[*Row]sortKey{}
	for _, r := range s.rows {
		s.keys[r] = b.order.by.keyOf(r)
	}
}

func (s *still) check(t *testing.T, b *Board) {
	t.Helper()
	s.rows = slices.DeleteFunc(s.rows, func(r *Row) bool { return r.place.at == 0 })
	if b.Len() != len(s.rows) {
		t.Fatalf("%d rows, %d stood still", b.Len(), len(s.rows))
	}
	waiting := 0
	for i, r := range s.rows {
		if b.At(i) != r {
			t.Fatalf("row %d is %v, but %v stood there", i, b.At(i).Key, r.Key)
		}
		if at, ok := b.Rank(r.Key); !ok || at != i {
			t.Fatalf("row %d has rank %d, %v", i, at, ok)
		}
		if !b.order.passes(r) || b.order.by.keyOf(r) != s.keys[r] {
			waiting++
		}
	}
	for _, r := range b.all {
		if !slices.Contains(s.rows, r) && b.order.passes(r) {
			waiting++
		}
	}
	if b.Waiting() != waiting {
		t.Fatalf("%d rows wait, want %d", b.Waiting(), waiting)
	}
}

// TestBoardAgainstBruteForce does random things for hours of virtual time and
// compares the table with rows that are filtered and sorted anew; while it is
// paused, with those that were there.
func TestBoardAgainstBruteForce(t *testing.T) {
	texts := []string{
		"", "", "age>5m", "age<90s", "!age>=2m status:working,asking", "ttl<4m", "!ttl<2m", "ttl>90s age>30s", "is:live", "is:ended", "is:marked",
		"!is:marked age<10m", "step", "/step [0-4]$/", "progress>50", "age>1m /(/", "t1 !failed", "no such thing",
	}
	seen := map[string]bool{} // what happened at all
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 11)) //nolint:gosec // a test's dice
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			l := st.links[0]
			l.store.limit = 40
			var was *still
			var before *order
			for i := range 400 {
				id := fmt.Sprint("t", rnd.IntN(90))
				switch n := rnd.IntN(20); n {
				default:
					x := a(id, []task.Status{task.Working, task.Working, task.Working, task.InputRequired, task.Completed, task.Failed}[rnd.IntN(6)])
					if old := s.tasks[x.ID]; old.ID != "" {
						x.Created, x.TTL = old.Created, old.TTL
					} else {
						x.Created, x.TTL = time.Now().Add(-time.Duration(rnd.IntN(200))*time.Second), time.Duration(rnd.IntN(4))*5*time.Minute
					}
					x.Message = task.Own(fmt.Sprint("step ", rnd.IntN(9)))
					s.put(x)
					st.tell(push(x))
				case 0:
					st.wish(SortMsg{Column(rnd.IntN(int(ByServer) + 1))})
				case 1, 2:
					st.wish(FilterMsg{texts[rnd.IntN(len(texts))]})
					seen["error"] = seen["error"] || st.Board().FilterError() != ""
				case 3, 4, 5:
					st.wish(PauseMsg{n == 3})
				case 6:
					st.wish(MarkMsg{[]task.Key{{Server: "ops", ID: task.ID(id)}}, rnd.IntN(2) == 0})
				case 7:
					st.wish(ForgetMsg{task.Key{Server: "ops", ID: task.ID(id)}})
				case 8:
					s.drop(task.ID(id))
				case 9:
					call := task.CallID(fmt.Sprint("c", i))
					st.wish(StartMsg{"ops", task.Call{ID: call, Tool: "deploy"}})
					if rnd.IntN(2) == 0 {
						st.tell(task.Started{Call: call, Task: a(id, task.Working)})
					}
				case 10, 11, 12:
					st.pass(time.Duration(rnd.IntN(90_000)) * time.Millisecond)
				}
				for st.settle(); time.Now().Equal(onGrid(time.Now())); { // what is due now may come a moment later
					st.settle()
				}
				b := st.Board()
				if b.Busy() {
					t.Fatal("busy")
				}
				if !b.Paused() {
					was = nil
					checkBoard(t, b)
					continue
				}
				if was == nil {
					was = &still{there: map[*Row]bool{}}
					for _, r := range b.all {
						was.there[r] = true
					}
					was.freeze(b)
				} else if b.order != before {
					was.freeze(b)
					seen["sorted while paused"] = true
				}
				before = b.order
				was.check(t, b)
				seen["waiting"] = seen["waiting"] || b.Waiting() > 5
				seen["timed"] = seen["timed"] || len(b.order.times) > 5
			}
			seen["full"] = seen["full"] || l.full || len(l.store.tasks) == 40
		})
	}
	if len(seen) != 5 || slices.Contains(slices.Collect(maps.Values(seen)), false) {
		t.Errorf("not all happened: %v", seen)
	}
}
