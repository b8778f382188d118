package model

import (
	"fmt"
	"testing"
	"time"

	"callboard/model/task"
)

// A server that hangs, one that is down and one that floods leave the latency of a
// fourth as it is alone: how soon it is polled, a cancel is sent and acknowledged,
// a question appears and its answer is sent, a push is on the board.
func TestServersDoNotHoldEachOtherUp(t *testing.T) {
	alone := latencies(t, nil)
	hanging := func(s *script, over <-chan struct{}) {
		s.put(a("h1", task.Working), a("h2", task.InputRequired))
		hang := func() error { return late(14*time.Second, over) }
		s.set(func() { s.onGet = func(task.ID) (task.Task, error) { return task.Task{}, hang() } })
		s.set(func() { s.onPage = func(task.Cursor) (task.Page, error) { return task.Page{}, hang() } })
		s.set(func() { s.onCancel = func(task.ID) (task.Task, error) { return task.Task{}, hang() } })
	}
	down := func(s *script, _ <-chan struct{}) {
		s.set(func() {
			s.onDial = func(int) error { return &task.Error{Kind: task.Unreachable, Message: task.Own("refused")} }
		})
	}
	undialled := func(s *script, over <-chan struct{}) {
		s.set(func() { s.onDial = func(int) error { return late(25*time.Second, over) } })
	}
	floods := func(s *script, _ <-chan struct{}) {
		for i := range 5000 {
			s.put(a(fmt.Sprintf("f%d", i), task.Working))
		}
	}
	for name, bad := range map[string][]func(*script, <-chan struct{}){
		"hangs": {hanging}, "down": {down, undialled}, "floods": {floods}, "all": {hanging, down, undialled, floods},
	} {
		t.Run(name, func(t *testing.T) {
			for what, d := range latencies(t, bad) {
				if most := alone[what] + 50*time.Millisecond; d > most {
					t.Errorf("%s takes %v, alone %v", what, d, alone[what])
				}
			}
		})
	}
}

// late is an answer that does not come in time.
func late(d time.Duration, over <-chan struct{}) error {
	select {
	case <-time.After(d):
	case <-over:
	}
	return &task.Error{Kind: task.Timeout, Message: task.Own("no answer in time")}
}

// latencies returns how long what an operator waits for takes on a good server
// beside bad ones.
func latencies(t *testing.T, bad []func(*script, <-chan struct{})) map[string]time.Duration {
	took := map[string]time.Duration{}
	s := newScript()
	targets := []Target{{Name: "ops", Endpoint: s}}
	scripts := make([]*script, len(bad))
	for i := range bad {
		scripts[i] = newScript()
		targets = append([]Target{{Name: fmt.Sprint("bad", i), Endpoint: scripts[i]}}, targets...)
	}
	play(t, Options{Targets: targets}, s, func(st *stage) {
		over := make(chan struct{})
		defer close(over)
		for i, f := range bad {
			f(scripts[i], over)
		}
		s.put(a("t", task.Working), a("c", task.Working))
		st.pass(20 * time.Second)
		wait := func(what string, done func() bool) {
			began := time.Now()
			for !done() {
				if time.Since(began) > time.Minute {
					t.Fatalf("%s does not happen", what)
				}
				if len(bad) > 0 { // what floods goes on to
					last := scripts[len(scripts)-1]
					if last.feed != nil && len(last.tasks) > 1000 {
						var news []task.Event
						for i := range 200 {
							x := a(fmt.Sprintf("f%d", i), task.Working)
							x.Message = task.Own(fmt.Sprint(time.Now().UnixNano()))
							news = append(news, push(x))
						}
						select {
						case last.feed <- fed{batch: task.Batch{Events: news}}:
						default:
						}
					}
				}
				st.pass(5 * time.Millisecond)
			}
			took[what] = time.Since(began)
		}
		polls := s.count("get", "") + s.count("page", "")
		st.wish(RefreshMsg{})
		wait("a poll", func() bool { return s.count("get", "")+s.count("page", "") > polls })
		st.s.feed <- fed{batch: task.Batch{Events: []task.Event{push(a("p", task.Working))}}}
		wait("a push", func() bool { return st.Row(key("p")) != nil })
		st.run(st.Update(CancelMsg{Key: key("c")}))
		wait("a cancel", func() bool { return st.row("c").Wish.State == Taken })
		s.put(a("t", task.InputRequired))
		st.s.feed <- fed{batch: task.Batch{Events: []task.Event{push(a("t", task.InputRequired)), task.Prompted{Prompt: task.Prompt{ID: "q", Task: "t", At: time.Now()}}}}}
		wait("a question", func() bool { return st.Ask("q") != nil })
		st.run(st.Update(accept("q")))
		wait("an answer", func() bool { return st.Ask("q").State == Answered })
		st.run(st.Update(ToolsMsg{Server: "ops"}))
		wait("the tools", func() bool { return len(st.Tools("ops").Tools) > 0 })
		gets := len(s.times("get", "t"))
		began := time.Now()
		wait("the next poll", func() bool {
			return len(s.times("get", "t")) > gets || s.count("page", "") > polls+3 || time.Since(began) > 30*time.Second
		})
	})
	return took
}
