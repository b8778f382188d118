package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

func TestDisconnect(t *testing.T) {
	t.Run("rows, questions and marks leave, and nothing of it goes on", func(t *testing.T) {
		s, other := newScript(), newScript()
		targets := []Target{{Name: "ops", URL: "http://ops/mcp", Endpoint: s}, {Name: "lab", URL: "http://lab/mcp", Endpoint: other}}
		play(t, Options{Targets: targets}, s, func(st *stage) {
			other.put(a("mine", task.Working))
			ask := asks(st)
			st.SaveDraft("p", Draft{"a": "1"})
			st.wish(MarkAllMsg{On: true})
			st.wish(SelectMsg{Key: key("t")})
			if st.UnsentTo("ops") != 1 || st.UnsentTo("lab") != 0 || st.Marked() != 2 {
				t.Fatalf("unsent %d and %d, marked %d", st.UnsentTo("ops"), st.UnsentTo("lab"), st.Marked())
			}
			st.wish(DisconnectMsg{Name: "ops"})
			if len(st.Links()) != 1 || st.Board().Total() != 1 || st.Row(key("t")) != nil || st.Marked() != 1 {
				t.Errorf("%d links, %d rows, %d marked", len(st.Links()), st.Board().Total(), st.Marked())
			}
			if ask.State != Withdrawn || ask.Why != disconnectedWhy || st.Ask("p") != nil || len(st.Inbox()) != 0 {
				t.Errorf("the question: %v %q", ask.State, ask.Why)
			}
			if c := st.Counts(); c.Working != 1 || c.Asking != 0 || c.Total != 1 {
				t.Errorf("%+v", c)
			}
			if len(s.closed) != 1 || !s.closed[0] {
				t.Errorf("closed %v", s.closed)
			}
			if !strings.Contains(st.line(), "Disconnected from ops. The session is left open") || !strings.Contains(st.line(), "1 task is live") {
				t.Errorf("notice %q", st.line())
			}
			n := len(s.log)
			st.wish(accept("p"))
			st.wish(CancelMsg{Key: key("t")})
			st.SaveDraft("p", Draft{"a": "2"})
			st.wish(RetryMsg{Key: key("t")})
			st.wish(WatchMsg{Server: "ops", ID: "t"})
			st.wish(ToolsMsg{Server: "ops"})
			st.pass(time.Hour)
			if len(s.log) != n {
				t.Errorf("it is asked after it: %v", s.log[n:])
			}
			if len(st.byName) != 1 || len(st.byIndex) != 1 || len(st.asks)+len(st.drafts)+len(st.askOrder)+len(st.closing) != 0 {
				t.Error("something of it is still held")
			}
			st.wish(DisconnectMsg{Name: "ops"})
			if !strings.Contains(st.line(), "no server named") {
				t.Errorf("notice %q", st.line())
			}
		})
	})
	t.Run("an idle session ends, and what is under way is not known", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.wish(DisconnectMsg{Name: "ops"})
			if len(s.closed) != 1 || s.closed[0] {
				t.Errorf("closed %v", s.closed)
			}
			if why := st.Why(func(string) string { return "esc" }); len(why) == 0 || !strings.Contains(why[0], "No server") {
				t.Errorf("%q", why)
			}
		})
		s = newScript()
		book := &trail{}
		play(t, Options{Audit: book}, s, func(st *stage) {
			jobs(st, 20)
			hold := make(chan struct{})
			s.set(func() { s.onCancel = func(task.ID) (task.Task, error) { <-hold; return task.Task{}, nil } })
			st.wish(CancelManyMsg{})
			st.wish(DisconnectMsg{Name: "ops"})
			close(hold)
			st.settle()
			b := st.Bulk()
			sums(t, b)
			if len(b.Unknown) != 8 || len(b.Failed) != 12 || !strings.Contains(b.Failed[0].Why, disconnectedWhy) {
				t.Errorf("%+v", b)
			}
			st.wish(RetryBulkMsg{})
			if sums(t, b); len(b.Skipped) != 12 {
				t.Errorf("%+v", b)
			}
		})
	})
	t.Run("while it is being dialled, hangs, or is down", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			hold := make(chan struct{})
			s.set(func() { s.onDial = func(int) error { <-hold; return nil } })
			st.settle()
			st.wish(DisconnectMsg{Name: "ops"})
			close(hold)
			st.settle()
			if len(s.closed) != 1 || len(st.Links()) != 0 {
				t.Errorf("closed %v", s.closed)
			}
			st.pass(time.Hour)
			if s.dials != 1 {
				t.Errorf("dialled %d times", s.dials)
			}
		})
		s = newScript()
		s.set(func() {
			s.onDial = func(int) error { return &task.Error{Kind: task.Unreachable, Message: task.Own("refused")} }
		})
		play(t, Options{}, s, func(st *stage) {
			st.pass(time.Minute)
			st.wish(DisconnectMsg{Name: "ops"})
			n := s.dials
			st.pass(time.Hour)
			if s.dials != n {
				t.Error("it is dialled after it")
			}
		})
	})
	t.Run("many rows go in slices, and the next of that name waits for them", func(t *testing.T) {
		s, next := newScript(), newScript()
		play(t, Options{}, s, func(st *stage) {
			for i := range 3 * sliceRows {
				s.put(a(fmt.Sprintf("t%05d", i), task.Working))
			}
			next.put(a("new", task.Working))
			st.pass(time.Second)
			cmd := st.Update(DisconnectMsg{Name: "ops"})
			if n := st.Board().Total(); n != 2*sliceRows {
				t.Errorf("%d rows after the first step", n)
			}
			again := st.Update(ConnectMsg{Target{Name: "ops", Endpoint: next}})
			if len(st.Links()) != 0 {
				t.Error("two of one name")
			}
			st.run(cmd)
			st.run(again)
			st.pass(time.Second)
			if len(st.Links()) != 1 || st.Board().Total() != 1 || st.row("new").Task.Status != task.Working {
				t.Errorf("%d links, %d rows", len(st.Links()), st.Board().Total())
			}
			checkBoard(t, st.Board())
		})
	})
}

func TestConnect(t *testing.T) {
	t.Run("a further server, once", func(t *testing.T) {
		s, other := newScript(), newScript()
		play(t, Options{}, s, func(st *stage) {
			other.put(a("mine", task.Working))
			st.settle()
			st.wish(ConnectMsg{Target{Name: "lab", URL: "http://lab/mcp", Endpoint: other, Guard: "prod", Watch: []task.ID{"mine"}}})
			v := st.Links()
			if len(v) != 2 || v[1].Name != "lab" || v[1].State != Quiet || v[1].Guard != "prod" || st.Row(task.Key{Server: "lab", ID: "mine"}) == nil {
				t.Fatalf("%+v", v)
			}
			if got := st.line(); got != "lab is connected." {
				t.Errorf("notice %q", got)
			}
			st.wish(ConnectMsg{Target{Name: "lab", URL: "http://else/mcp", Endpoint: newScript()}})
			if len(st.Links()) != 2 || !strings.Contains(st.line(), "attached to already") {
				t.Errorf("notice %q", st.line())
			}
			st.wish(DisconnectMsg{Name: "ops"})
			other.drop("mine")
			other.put(a("yours", task.Working))
			st.wish(RefreshServerMsg{Name: "lab"})
			if st.Row(task.Key{Server: "lab", ID: "yours"}) == nil {
				t.Error("the one that stays is confused with the one that went")
			}
			st.wish(RefreshServerMsg{Name: "ops"})
			if !strings.Contains(st.line(), "no server named") {
				t.Errorf("notice %q", st.line())
			}
		})
	})
	t.Run("what is kept comes back", func(t *testing.T) {
		s, k := newModern(), newKeeper()
		s.put(a("t", task.Working))
		target := Target{Name: "ops", URL: "http://localhost/mcp", Endpoint: s, Memory: k, Watch: []task.ID{"t"}}
		play(t, Options{Targets: []Target{target}}, s, func(st *stage) {
			st.pass(time.Second)
			if _, ok := k.handle("t"); !ok {
				t.Fatal("not kept")
			}
			st.wish(DisconnectMsg{Name: "ops"})
			if k.closed != 1 || st.Board().Total() != 0 {
				t.Errorf("closed %d times, %d rows", k.closed, st.Board().Total())
			}
			again := newKeeper()
			again.kept = k.state()
			target.Memory, target.Watch = again, nil
			st.wish(ConnectMsg{target})
			st.pass(time.Second)
			if st.row("t").Task.Status != task.Working {
				t.Error("it did not come back")
			}
		})
	})
	t.Run("at once, what had its name is closed before", func(t *testing.T) {
		s, k := newScript(), newKeeper()
		target := Target{Name: "ops", Endpoint: s, Memory: k}
		play(t, Options{Targets: []Target{target}}, s, func(st *stage) {
			st.settle()
			s.onClose = func() { time.Sleep(time.Second) } // virtual
			st.wish(DisconnectMsg{Name: "ops"})
			target.Memory = newKeeper()
			st.wish(ConnectMsg{target})
			if st.link().State != Connecting || s.dials != 1 {
				t.Errorf("%v, %d dials", st.link().State, s.dials)
			}
			st.pass(2 * time.Second)
			if s.dials != 2 || st.link().State != Quiet {
				t.Errorf("%v, %d dials", st.link().State, s.dials)
			}
		})
	})
}
