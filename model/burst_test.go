package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// Requests that fail together are one failure: the server that is restarted is
// tried again soon, however many tasks were polled when it went.
func TestABurstOfFailuresIsOne(t *testing.T) {
	for _, kind := range []task.ErrorKind{task.Unreachable, task.Busy} {
		s := newScript()
		for i := range 30 {
			s.put(a(fmt.Sprintf("t%d", i), task.Working))
		}
		play(t, Options{}, s, func(st *stage) {
			st.pass(time.Second)
			up := false
			fails := func() error {
				if up {
					return nil
				}
				return &task.Error{Kind: kind, Message: task.Own("down")}
			}
			s.onGet = func(id task.ID) (task.Task, error) { return a(string(id), task.Working), fails() }
			s.onPage = func(task.Cursor) (task.Page, error) { return task.Page{}, fails() }
			st.pass(5 * time.Second)
			if n := len(s.times("get", "")); n < 20 {
				t.Errorf("%v: %d gets in 5 s", kind, n)
			}
			if wait := time.Until(st.link().NextTry); wait > 10*time.Second {
				t.Errorf("%v: after 5 s the next try is in %s", kind, wait)
			}
			up = true
			st.pass(10 * time.Second)
			if st.link().State == Down {
				t.Errorf("%v: still down", kind)
			}
		})
	}
}

// The farewell promises of the next start only what is kept for it.
func TestFarewellWhereNothingIsKept(t *testing.T) {
	for _, err := range []error{nil, errors.New("nothing is kept beyond this run")} {
		s, k := newScript(), newKeeper()
		s.put(a("t", task.Working))
		k.recallErr = err
		remembering(t, s, k, func(st *stage) {
			st.settle()
			told := strings.Join(st.Shutdown(), "\n")
			if !strings.Contains(told, "1 task is live") || strings.Contains(told, "next start") != (err == nil) {
				t.Errorf("%v: %q", err, told)
			}
		})
	}
}

// What could not be kept at the very end is told, unless it was told before.
func TestUntold(t *testing.T) {
	full := errors.New("no space left on the disk")
	for _, c := range []struct {
		name          string
		recall, close error
		hang          bool
		want          []string
	}{
		{name: "well"},
		{name: "new", close: full, want: []string{"ops: no space left on the disk"}},
		{name: "known", recall: full, close: full},
		{name: "slow", hang: true, want: []string{"ops: what changed last could not be kept in time"}},
	} {
		k := newKeeper()
		k.recallErr, k.closeErr = c.recall, c.close
		var m *Model
		remembering(t, newScript(), k, func(st *stage) {
			st.settle()
			k.hang = c.hang
			m = st.Model
		})
		if !slices.Equal(m.Untold(), c.want) {
			t.Errorf("%s: %q", c.name, m.Untold())
		}
	}
}
