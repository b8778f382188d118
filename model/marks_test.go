package model

import (
	"fmt"
	"testing"
	"time"

	"callboard/model/task"
)

func key(id string) task.Key { return task.Key{Server: "ops", ID: task.ID(id)} }

func TestMarking(t *testing.T) {
	t.Run("one by one, and gone with the row", func(t *testing.T) {
		s := newScript()
		s.put(a("a", task.Working), a("b", task.Working), a("c", task.Working))
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			rev := st.Revision()
			st.wish(MarkMsg{Keys: []task.Key{key("c"), key("a"), key("nothing")}, On: true})
			if rows := st.MarkedRows(0); st.Marked() != 2 || len(rows) != 2 || rows[0] != st.row("c") || rows[1] != st.row("a") {
				t.Fatalf("%d marked: %v", st.Marked(), rows)
			}
			if st.row("a").Rev <= rev || st.row("b").Marked {
				t.Error("the row did not change, or another one did")
			}
			if rows := st.MarkedRows(1); len(rows) != 1 || rows[0] != st.row("c") {
				t.Errorf("%v", rows)
			}
			st.wish(ForgetMsg{Key: key("c")})
			if rows := st.MarkedRows(0); st.Marked() != 1 || len(rows) != 1 || rows[0] != st.row("a") {
				t.Errorf("%d marked: %v", st.Marked(), rows)
			}
			st.wish(MarkMsg{Keys: []task.Key{key("a")}})
			if st.Marked() != 0 || st.row("a").Marked {
				t.Error("the mark stays")
			}
		})
	})
	t.Run("stays when a call becomes a task", func(t *testing.T) {
		for _, first := range []bool{false, true} { // whether the task was pushed before the reply
			s := newScript()
			play(t, Options{}, s, func(st *stage) {
				st.settle()
				st.wish(StartMsg{Server: "ops", Call: task.Call{ID: "c1", Tool: "deploy", AsTask: true}})
				st.wish(MarkMsg{Keys: []task.Key{{Server: "ops", Call: "c1"}}, On: true})
				s.put(a("t", task.Working))
				if first {
					st.tell(push(a("t", task.Working)))
				}
				st.tell(task.Started{Call: "c1", Task: a("t", task.Working)})
				if r := st.row("t"); !r.Marked || st.Marked() != 1 || st.MarkedRows(0)[0] != r {
					t.Errorf("pushed first: %v: %d marked", first, st.Marked())
				}
			})
		}
	})
	t.Run("all that pass the filter, in slices, and none", func(t *testing.T) {
		m, _ := full(3 * sliceRows)
		defer m.Shutdown()
		pump := func() int {
			n := 0
			for len(m.cmds) > 0 {
				cmds := m.cmds
				m.cmds = nil
				for _, cmd := range cmds {
					if msg := cmd(); msg != nil {
						n++
						switch msg := msg.(type) {
						case markSlice:
							m.markOn(msg)
						case sliceMsg:
							m.slice(msg)
						}
					}
				}
			}
			return n
		}
		m.filter("working")
		pump()
		m.markAll(true)
		if m.Marked() > sliceRows || !m.Marking() {
			t.Fatalf("%d marked in one step", m.Marked())
		}
		pump()
		if m.Marked() != m.Board().Len() || m.Marked() != sliceRows || m.Marking() {
			t.Fatalf("%d marked, %d shown", m.Marked(), m.Board().Len())
		}
		m.filter("")
		pump()
		if m.Marked() != sliceRows {
			t.Errorf("another filter leaves %d", m.Marked())
		}
		m.markAll(true)
		pump()
		if m.Marked() != 3*sliceRows {
			t.Errorf("%d marked", m.Marked())
		}
		for _, r := range m.MarkedRows(sliceRows) { // holes and their closing
			m.marks.set(m, r, false)
		}
		if m.Marked() != 2*sliceRows || len(m.MarkedRows(0)) != 2*sliceRows {
			t.Errorf("%d marked", m.Marked())
		}
		m.markAll(true)
		m.markAll(false) // in its place
		pump()
		if m.Marked() != 0 || len(m.marks.rows) > 64 {
			t.Errorf("%d marked, %d places", m.Marked(), len(m.marks.rows))
		}
	})
}

// BenchmarkMark is the mark of one row among many marked ones.
func BenchmarkMark(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m, _ := full(n)
			defer m.Shutdown()
			m.now = time.Now()
			m.markAll(true)
			for len(m.cmds) > 0 {
				cmd := m.cmds[0]
				m.cmds = nil
				m.markOn(cmd().(markSlice))
			}
			of := []task.Key{m.Board().At(n / 2).Key}
			b.ResetTimer()
			for i := range b.N {
				m.markRows(of, i%2 == 1)
			}
		})
	}
}
