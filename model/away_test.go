package model

import (
	"fmt"
	"testing"
	"time"

	"callboard/model/task"
)

func TestSince(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		s.put(a("old", task.Working), a("done", task.Completed), a("asks", task.InputRequired))
		st.pass(time.Second)
		if all := st.Since(time.Time{}); all.Total() != 0 {
			t.Fatalf("what was there at the start counts: %+v", all)
		}
		left := time.Now()
		st.tell(push(a("new", task.Working)))
		st.tell(push(a("new", task.InputRequired)), task.Prompted{Prompt: task.Prompt{ID: "p", Task: "new", At: time.Now()}})
		st.tell(push(a("old", task.Failed)), push(a("asks", task.Completed)))
		st.tell(push(a("new", task.Cancelled)))
		got := st.Since(left)
		if got.Began != 1 || got.Asked != 1 || got.Failed != 1 || got.Ended != 1 || got.Cancelled != 1 || got.Withdrawn != 1 || got.More != 0 {
			t.Errorf("%+v", got)
		}
		if len(got.Rows) != 6 || got.Rows[0].Kind != AwayBegan || got.Rows[0].Key != key("new") || got.Rows[1].Kind != AwayAsked {
			t.Errorf("%+v", got.Rows)
		}
		st.pass(time.Second)
		left = time.Now()
		st.lose(task.Lost)
		st.pass(time.Minute)
		if got := st.Since(left); got.Lost != 1 || got.Back != 1 || got.Rows[0].Why != "it broke" || got.Total() != 2 {
			t.Errorf("%+v", got)
		}
	})
}

// A question may come before its task is listed, and a result may be read of a
// task that ended long before: neither is news.
func TestWhatWasThereIsNoNews(t *testing.T) {
	s := newScript()
	old := a("old", task.Completed)
	hours := time.Date(1999, 12, 31, 20, 0, 0, 0, time.UTC) // the virtual clock begins at midnight
	old.Created, old.Updated = hours, hours
	s.put(old, a("asks", task.InputRequired))
	s.onPage = func(task.Cursor) (task.Page, error) { // slowly
		time.Sleep(2 * time.Second) // of virtual time
		return task.Page{Tasks: []task.Task{old, a("asks", task.InputRequired)}}, nil
	}
	s.onResult = func(task.ID) (task.Result, error) { return task.Result{IsError: true}, nil }
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.tell(push(a("asks", task.InputRequired)), task.Prompted{Prompt: task.Prompt{ID: "p", Task: "asks", At: time.Now()}})
		if st.Row(key("asks")) == nil || st.Row(key("old")) != nil {
			t.Fatal("the list came first")
		}
		st.pass(3 * time.Second)
		st.wish(ResultMsg{Key: key("old")})
		if r := st.row("old"); !r.ToolFailed() {
			t.Fatalf("%+v", r.Outcome)
		}
		if all := st.Since(time.Time{}); all.Total() != 0 {
			t.Errorf("it counts: %+v", all)
		}
		st.tell(push(a("new", task.Working)), push(a("new", task.Completed)))
		st.pass(time.Second)
		st.wish(ResultMsg{Key: key("new")})
		if all := st.Since(time.Time{}); all.Began != 1 || all.Ended != 1 || all.Failed != 1 {
			t.Errorf("%+v", all)
		}
	})
}

func TestSinceIsBounded(t *testing.T) {
	var d diary
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	const n = 50_000
	for i := range n {
		d.happened(AwayRow{Kind: AwayEnded, At: at.Add(time.Duration(i) * time.Second), Key: key(fmt.Sprint(i))})
	}
	if len(d.marks) > awayMarks {
		t.Errorf("%d counts", len(d.marks))
	}
	all := d.since(time.Time{})
	if all.Ended != n || len(all.Rows) != awayRows || all.More != n-awayRows || all.Rows[awayRows-1].Key != key(fmt.Sprint(n-1)) {
		t.Errorf("%d ended, %d rows, %d more", all.Ended, len(all.Rows), all.More)
	}
	for _, back := range []int{1, 100, 500, 5000} {
		got := d.since(at.Add((n - time.Duration(back)) * time.Second))
		if got.Ended < back || got.Ended > back+back/8+1 {
			t.Errorf("%d of the last %d", got.Ended, back)
		}
	}
}

// That a task is not known any more is an answer, and no fault of the link.
func TestAnExpiredTaskIsNoFault(t *testing.T) {
	s := newScript()
	s.put(task.Task{ID: "t", Status: task.Completed, TTL: time.Minute, Created: time.Now(), Updated: time.Now()})
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		s.set(func() {
			s.onGet = func(task.ID) (task.Task, error) {
				return task.Task{}, &task.Error{Kind: task.RPC, Code: -32602, Message: task.Own("Task not found")}
			}
			s.onResult = func(task.ID) (task.Result, error) {
				return task.Result{}, &task.Error{Kind: task.RPC, Code: -32602, Message: task.Own("Task not found")}
			}
		})
		st.wish(ResultMsg{Key: task.Key{Server: "ops", ID: "t"}})
		if o := st.Row(task.Key{Server: "ops", ID: "t"}).Outcome; o == nil || o.Err == nil || st.link().Faults != 0 {
			t.Errorf("%+v, %d faults", o, st.link().Faults)
		}
	})
}

func TestFaultsByKind(t *testing.T) {
	s := newScript()
	s.put(a("t", task.Working))
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		kinds := map[task.ErrorKind]int{}
		for _, kind := range []task.ErrorKind{task.Timeout, task.RPC, task.Protocol, task.Busy, task.Denied} {
			s.onGet = func(task.ID) (task.Task, error) {
				return task.Task{}, &task.Error{Kind: kind, Code: 1, Message: task.Own("no")}
			}
			kinds[kind] = st.link().FaultKinds.Total()
			st.wish(RefreshMsg{})
			for i := 0; st.link().FaultKinds.Total() == kinds[kind] && i < 1000; i++ {
				st.pass(time.Second)
			}
			s.set(func() { s.onGet = nil })
			st.pass(2 * time.Minute)
		}
		st.lose(task.Lost)
		f := st.link().FaultKinds
		if f.Timeouts == 0 || f.Errors == 0 || f.Bad == 0 || f.Busy == 0 || f.Auth == 0 || f.Broken != 1 || f.Refused != 0 {
			t.Errorf("%+v", f)
		}
		if v := st.link(); v.Faults != f.Total() || v.Requests == 0 || v.Live != 1 || v.Asking != 0 || v.Ended != 0 {
			t.Errorf("%+v", v)
		}
	})
}
