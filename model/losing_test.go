package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"callboard/model/task"
)

// limited is a task with a ttl.
func limited(id string, st task.Status, ttl time.Duration) task.Task {
	t := a(id, st)
	t.Created, t.Updated, t.TTL = time.Now(), time.Now(), ttl
	return t
}

// losses returns what was told after the first n, in words.
func losses(st *stage, n int) []string {
	var words []string
	all, _ := st.Losses(n)
	for _, l := range all {
		words = append(words, fmt.Sprint(l.Key.ID, " ", l.Loss, " in ", time.Until(l.End).Round(time.Second)))
	}
	return words
}

func TestLossesAreToldOnceBeforeTheEnd(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		s.put(
			limited("asks", task.InputRequired, 5*time.Minute), limited("done", task.Completed, 5*time.Minute), limited("failed", task.Failed, 5*time.Minute),
			limited("works", task.Working, 5*time.Minute), limited("stopped", task.Cancelled, 5*time.Minute), limited("short", task.Completed, time.Minute),
			limited("long", task.Completed, 5*time.Hour), a("for ever", task.Completed),
		)
		st.pass(30 * time.Second)
		if got := losses(st, 0); got != nil {
			t.Fatalf("too early: %v", got)
		}
		st.pass(20 * time.Second) // a quarter of its minute
		if got := losses(st, 0); len(got) != 1 || got[0] != "short 2 in 10s" {
			t.Errorf("%v", got)
		}
		st.pass(3*time.Minute + 15*time.Second)
		got := losses(st, 1)
		slices.Sort(got)
		if !slices.Equal(got, []string{"asks 1 in 55s", "done 2 in 55s", "failed 2 in 55s"}) {
			t.Errorf("%v", got)
		}
		st.tell(push(limited("asks", task.InputRequired, 5*time.Minute))) // once a task
		st.pass(2 * time.Minute)
		if got, n := st.Losses(4); len(got) != 0 || n != 4 {
			t.Errorf("told again: %v, %d", got, n)
		}
	})
}

func TestWhatWasReadIsNotLost(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		s.put(limited("read", task.Completed, 5*time.Minute), limited("left", task.Completed, 5*time.Minute))
		st.pass(time.Second)
		st.wish(ResultMsg{Key: key("read")})
		st.pass(270 * time.Second)
		if got := losses(st, 0); len(got) != 1 || got[0][:4] != "left" {
			t.Errorf("%v", got)
		}
		if loss, _ := st.LosesSoon(st.row("left"), time.Now()); loss != LosesResult {
			t.Errorf("it loses %v", loss)
		}
		if loss, _ := st.LosesSoon(st.row("read"), time.Now()); loss != LosesNothing {
			t.Errorf("what was read loses %v", loss)
		}
	})
}

func TestTheWarningCanBeSet(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		s.put(limited("done", task.Completed, time.Hour))
		st.pass(time.Second)
		st.wish(WarnMsg{Before: 10 * time.Minute})
		st.pass(50 * time.Minute)
		if got := losses(st, 0); len(got) != 1 {
			t.Errorf("%v", got)
		}
	})
}

func TestLossesAreBounded(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		for i := range 3000 {
			s.put(limited(fmt.Sprint("t", i), task.Completed, 5*time.Minute))
		}
		st.pass(4*time.Minute + 10*time.Second)
		all, n := st.Losses(0)
		if n != 3000 || len(all) > lossesKept {
			t.Errorf("%d told, %d kept", n, len(all))
		}
	})
}

// A server that says of a task again and again that it is kept longer costs no more
// for that.
func TestLossesToBeToldAreBounded(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		s.put(limited("asks", task.InputRequired, time.Hour))
		st.pass(time.Second)
		began := time.Now()
		for i := range 3 * lossesSpare {
			again := limited("asks", task.InputRequired, time.Hour+time.Duration(i)*time.Second)
			again.Created, again.Updated = began, began.Add(time.Duration(i)*time.Millisecond)
			s.put(again)
			st.tell(push(again))
		}
		if n := len(st.losing.heap); n > lossesSpare+3 {
			t.Errorf("%d are to be told of one task", n)
		}
		st.pass(time.Hour + 3*lossesSpare*time.Second - 90*time.Second)
		if all, n := st.Losses(0); n != 0 {
			t.Errorf("too early: %v", all)
		}
		st.pass(60 * time.Second)
		if _, n := st.Losses(0); n != 1 {
			t.Errorf("%d told", n)
		}
	})
}

func TestNewsLeavesTheBacklogOut(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		s.put(a("old", task.Working), a("done", task.Completed))
		st.pass(time.Second)
		if rows, n := st.News(0); rows != nil || n != 0 {
			t.Errorf("%v", rows)
		}
		st.tell(push(a("old", task.Failed)))
		rows, n := st.News(0)
		if len(rows) != 1 || rows[0].Kind != AwayFailed || n != 1 {
			t.Errorf("%v, %d", rows, n)
		}
		if rows, _ := st.News(n); rows != nil {
			t.Errorf("told twice: %v", rows)
		}
	})
}
