package model

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"callboard/model/task"
)

func unreachable() error {
	return &task.Error{Kind: task.Unreachable, Message: task.Own("connection refused")}
}

func TestDialling(t *testing.T) {
	t.Run("again with growing pauses where that can help", func(t *testing.T) {
		s := newScript()
		s.onDial = func(n int) error {
			if n <= 12 {
				return unreachable()
			}
			return nil
		}
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			if v := st.link(); v.State != Down || v.Why != "connection refused" || v.NextTry.IsZero() {
				t.Fatalf("%+v", v)
			}
			st.pass(5 * time.Minute)
			at := s.times("dial", "")
			if len(at) != 13 || st.link().State != Quiet {
				t.Fatalf("%d dials, %v", len(at), st.link().State)
			}
			for i, d := range gaps(at) {
				low := min(500*time.Millisecond<<min(i, 9), 30*time.Second)
				within(t, "next dial", d, low*8/10, low*12/10)
			}
		})
	})
	for _, c := range []struct {
		name string
		err  *task.Error
		want int // dials in five minutes
	}{
		{"not where the version is another", &task.Error{Kind: task.Version}, 1},
		{"not without credentials", &task.Error{Kind: task.Unauthorized, Status: 401}, 1},
		{"not where it is no MCP", &task.Error{Kind: task.NotMCP, Status: 200}, 1},
		{"but where a proxy says that its server is away", &task.Error{Kind: task.NotMCP, Status: 502}, 12},
		{"slowly where a certificate is wrong", &task.Error{Kind: task.TLS}, 5},
		{"where the server failed", &task.Error{Kind: task.HTTP, Status: 500}, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript()
			c.err.Message = task.Own("so it is")
			s.onDial = func(int) error { return c.err }
			play(t, Options{}, s, func(st *stage) {
				st.pass(5 * time.Minute)
				if n := s.count("dial", ""); n < c.want || n > c.want*3/2 {
					t.Errorf("%d dials, want about %d", n, c.want)
				}
				v := st.link()
				if v.State != Down && v.State != Connecting || v.Why != "so it is" || v.NextTry.IsZero() != (c.want == 1) {
					t.Errorf("%+v", v)
				}
				n := s.count("dial", "")
				st.wish(RefreshMsg{})
				if s.count("dial", "") != n+1 {
					t.Error("r does not dial")
				}
			})
		})
	}
}

func TestSessions(t *testing.T) {
	t.Run("a lost one is followed by a new one at once, and all is asked for anew", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working), a("u", task.Working))
			st.pass(time.Second)
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Task: "t", At: time.Now()}})
			st.SaveDraft("p", Draft{"name": "Ada"})
			s.drop("t")
			sweeps := s.count("page", "")
			st.lose(task.SessionLost)
			st.pass(500 * time.Millisecond)
			if n := s.count("dial", ""); n != 2 {
				t.Fatalf("%d dials", n)
			}
			if !s.resume[1].IsZero() {
				t.Error("a lost session is rejoined")
			}
			if s.count("page", "") != sweeps+1 {
				t.Error("no full sweep after the reconnect")
			}
			st.pass(6 * time.Second)
			if st.row("t").Mark != Gone || st.row("u").Mark != NoMark {
				t.Errorf("marks %v %v", st.row("t").Mark, st.row("u").Mark)
			}
			ask := st.Ask("p")
			if ask.State != Withdrawn || !strings.Contains(ask.Why, "session") || st.Draft("p")["name"] != "Ada" {
				t.Errorf("prompt %v %q, draft %v", ask.State, ask.Why, st.Draft("p"))
			}
			if st.Unsent() != 1 {
				t.Errorf("%d unsent", st.Unsent())
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if !slices.Equal(s.closed, []bool{true}) {
				t.Errorf("closed %v", s.closed)
			}
			if !strings.Contains(strings.Join(s.notes, "\n"), "down") {
				t.Errorf("log: %q", s.notes)
			}
		})
	})
	t.Run("sessions that die at once are not begun in a circle", func(t *testing.T) {
		s := newScript()
		s.onPage = func(c task.Cursor) (task.Page, error) {
			if !c.Set { // that it answers at first is no progress
				return task.Page{Next: task.Cursor{Value: "2", Set: true}}, nil
			}
			return task.Page{}, &task.Error{Kind: task.SessionLost, Message: task.Own("gone")}
		}
		play(t, Options{}, s, func(st *stage) {
			st.pass(time.Minute)
			if n := s.count("dial", ""); n > 10 {
				t.Errorf("%d sessions in a minute", n)
			}
		})
	})
	t.Run("a broken one is rejoined", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.lose(task.Unreachable)
			st.pass(time.Second)
			if len(s.resume) != 2 || s.resume[1].Session != "s1" {
				t.Errorf("%d dials", len(s.resume))
			}
		})
	})
	t.Run("a joined one that is gone is not replaced unasked", func(t *testing.T) {
		s := newScript()
		s.about.Joined = true
		o := Options{Targets: []Target{{Name: "ops", Endpoint: s, Resume: task.Resume{Session: "theirs", Joined: true}}}}
		play(t, o, s, func(st *stage) {
			st.settle()
			st.lose(task.SessionLost)
			st.pass(time.Minute)
			v := st.link()
			if s.count("dial", "") != 1 || v.State != Down || !v.NextTry.IsZero() || !strings.Contains(v.Why, "r begins") {
				t.Fatalf("%d dials, %+v", s.count("dial", ""), v)
			}
			st.wish(RefreshMsg{})
			if len(s.resume) != 2 || !s.resume[1].IsZero() {
				t.Errorf("r: %v", s.resume)
			}
		})
	})
	t.Run("a whole board gone at once points at the session", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working), a("u", task.Working), a("v", task.Working))
			st.pass(3 * time.Second)
			for _, id := range []task.ID{"t", "u", "v"} {
				s.drop(id)
			}
			st.pass(6 * time.Second)
			if n := s.count("dial", ""); n != 2 {
				t.Fatalf("%d sessions", n)
			}
			st.pass(10 * time.Second)
			if n := s.count("dial", ""); n != 2 || st.row("t").Mark != Gone {
				t.Errorf("%d sessions, mark %v", n, st.row("t").Mark)
			}
		})
	})
	t.Run("one task gone is gone at once", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			st.tell(push(a("t", task.Working)))
			st.pass(3 * time.Second)
			s.drop("t")
			st.pass(2100 * time.Millisecond)
			if st.row("t").Mark != Gone {
				t.Error("not marked")
			}
		})
	})
	t.Run("one of several is gone after a while, whatever the others say", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working), a("u", task.Working))
			st.settle()
			st.tell(push(a("t", task.Working)), push(a("u", task.Working)))
			st.pass(3 * time.Second)
			s.mu.Lock()
			s.onGet = func(id task.ID) (task.Task, error) {
				if id == "t" {
					return task.Task{}, notFound()
				}
				return task.Task{}, &task.Error{Kind: task.HTTP, Status: 500, Message: task.Own("HTTP 500")}
			}
			s.mu.Unlock()
			st.pass(3 * time.Second)
			if st.row("t").Mark != NoMark {
				t.Error("marked in a hurry")
			}
			st.pass(5 * time.Second)
			if st.row("t").Mark != Gone || st.row("u").Mark != NoMark || s.count("dial", "") != 1 {
				t.Errorf("%v %v, %d dials", st.row("t").Mark, st.row("u").Mark, s.count("dial", ""))
			}
		})
	})
	t.Run("one that does not answer is down until it does", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.pass(time.Second)
			away := true
			s.onPage = func(task.Cursor) (task.Page, error) {
				if away {
					return task.Page{}, unreachable()
				}
				return task.Page{Tasks: []task.Task{a("t", task.Working)}, SentAt: time.Now()}, nil
			}
			s.onGet = func(task.ID) (task.Task, error) {
				if away {
					return task.Task{}, unreachable()
				}
				return a("t", task.Working), nil
			}
			st.pass(20 * time.Second)
			v := st.link()
			if v.State != Down || v.NextTry.IsZero() || v.Why != "connection refused" {
				t.Fatalf("%+v", v)
			}
			if n := s.count("page", "") + s.count("get", ""); n > 12 {
				t.Errorf("%d requests in 20 s to a server that is away", n)
			}
			away = false
			st.pass(30 * time.Second)
			if st.link().State != Quiet || !strings.Contains(st.line(), "answers again") {
				t.Errorf("%v %q", st.link().State, st.line())
			}
		})
	})
	t.Run("one that swallows requests is down, unless it pushes", func(t *testing.T) {
		for _, c := range []struct{ open, pushes, down bool }{
			{false, false, true},
			{true, false, true}, // a stream that is open proves nothing
			{true, true, false},
		} {
			s := newScript()
			play(t, Options{}, s, func(st *stage) {
				st.settle()
				st.tell(task.Stream{Up: c.open})
				over := make(chan struct{})
				defer close(over)
				s.onPage = func(task.Cursor) (task.Page, error) {
					select {
					case <-time.After(30 * time.Second):
					case <-over:
					}
					return task.Page{}, &task.Error{Kind: task.Timeout, Message: task.Own("no answer in 30 s")}
				}
				for range 14 {
					st.pass(5 * time.Second)
					if c.pushes {
						st.tell(push(a("t", task.Completed)))
					}
				}
				if v := st.link(); v.State == Down != c.down || v.SweepErr == "" != c.down {
					t.Errorf("%+v: %+v", c, v)
				}
			})
		}
	})
	t.Run("one that swallows tasks/get is down, and comes back", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.tell(task.Stream{Up: true}, push(a("t", task.Working)))
			s.put(a("t", task.Working))
			var away atomic.Bool
			away.Store(true)
			over := make(chan struct{})
			defer close(over)
			s.onGet = func(task.ID) (task.Task, error) {
				if away.Load() {
					select {
					case <-time.After(20 * time.Second):
					case <-over:
					}
					return task.Task{}, &task.Error{Kind: task.Timeout, Message: task.Own("no answer in 20 s")}
				}
				return a("t", task.Working), nil
			}
			st.pass(40 * time.Second)
			if v := st.link(); v.State != Down || v.NextTry.IsZero() {
				t.Errorf("%+v", v)
			}
			away.Store(false)
			st.pass(time.Minute)
			if v := st.link(); v.State != Live {
				t.Errorf("%+v", v)
			}
		})
	})
	t.Run("what an earlier session still brings is dropped", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.tell(push(a("t", task.Working)))
			hold := make(chan struct{})
			s.onGet = func(task.ID) (task.Task, error) {
				<-hold
				return a("t", task.Completed), nil
			}
			st.pass(3 * time.Second) // a get is on its way
			s.mu.Lock()
			s.onGet = nil
			s.mu.Unlock()
			s.put(a("t", task.Working))
			st.lose(task.SessionLost)
			close(hold)
			st.pass(time.Second)
			if st.row("t").Task.Status != task.Working {
				t.Error("a stale reply came through the gate")
			}
		})
	})
	t.Run("states of the link", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			if st.link().State != Connecting {
				t.Error(st.link().State)
			}
			st.settle()
			if v := st.link(); v.State != Quiet || v.Why == "" {
				t.Errorf("%+v", v)
			}
			st.tell(task.Stream{Up: true})
			if v := st.link(); v.State != Live || v.Why != "" {
				t.Errorf("%+v", v)
			}
			st.tell(task.Stream{Never: true, Why: "405: no stream"})
			if v := st.link(); v.State != Quiet || v.Why != "405: no stream" {
				t.Errorf("%+v", v)
			}
		})
	})
	t.Run("after a gap all is asked for anew", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			st.tell(task.Stream{Up: true})
			st.pass(3 * time.Second)
			s.put(a("t", task.Completed))
			before := s.count("page", "")
			st.tell(task.Stream{Up: true, Gap: true})
			if s.count("page", "") != before+1 {
				t.Error("no sweep")
			}
			steps := st.row("t").Steps()
			if last := steps[len(steps)-1]; last.Status != task.Completed || !last.Gap {
				t.Errorf("%+v", last)
			}
		})
	})
	t.Run("a request that hangs is said", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			hold := make(chan struct{})
			s.onPage = func(task.Cursor) (task.Page, error) { <-hold; return task.Page{}, nil }
			st.pass(6 * time.Second)
			if !st.link().Stalled {
				t.Error("not said")
			}
			close(hold)
			st.settle()
			if st.link().Stalled {
				t.Error("still said")
			}
		})
	})
	t.Run("a panic of a command ends the session, not callboard", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			s.onPage = func(task.Cursor) (task.Page, error) { panic("oops") }
			st.pass(6 * time.Second)
			if v := st.link(); v.State != Down || !strings.Contains(v.Why, "oops") || v.NextTry.IsZero() {
				t.Errorf("%+v", v)
			}
		})
	})
}

func TestShutdown(t *testing.T) {
	t.Run("a session with live tasks is left alone", func(t *testing.T) {
		s := newScript()
		s.put(a("t", task.Working))
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			told := st.Shutdown()
			if len(told) != 1 || !strings.Contains(told[0], "1 task is live") || !slices.Equal(s.closed, []bool{true}) {
				t.Errorf("%q %v", told, s.closed)
			}
		})
	})
	t.Run("an idle one is ended", func(t *testing.T) {
		s := newScript()
		s.put(a("t", task.Completed))
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			if told := st.Shutdown(); len(told) != 0 || !slices.Equal(s.closed, []bool{false}) {
				t.Errorf("%q %v", told, s.closed)
			}
		})
	})
	t.Run("one that was begun and not taken in is closed", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			synctest.Wait() // what was dialled waits for the loop, which ends before it takes it
			if st.links[0].server != nil {
				t.Fatal("it was taken in")
			}
			if told := st.Shutdown(); len(told) != 0 || !slices.Equal(s.closed, []bool{true}) {
				t.Errorf("%q %v", told, s.closed)
			}
		})
	})
	t.Run("a call that is cut off is told of", func(t *testing.T) {
		s := newModern()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
			if told := st.Shutdown(); len(told) != 1 || !strings.Contains(told[0], "1 call had no reply yet, and was cut off") {
				t.Errorf("%q", told)
			}
		})
		s = newModern()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			started(st, "c", "t") // it became a task, which goes on
			if told := st.Shutdown(); len(told) != 0 {
				t.Errorf("%q", told)
			}
		})
	})
	t.Run("a joined one is not ours to end", func(t *testing.T) {
		s := newScript()
		s.about.Joined = true
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			if st.Shutdown(); !slices.Equal(s.closed, []bool{true}) {
				t.Errorf("%v", s.closed)
			}
		})
	})
}

func TestSkew(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		x := a("t", task.Working)
		x.Created, x.TTL = time.Now().Add(time.Hour), time.Minute // its clock is an hour ahead
		s.put(x)
		st.settle()
		s.feed <- fed{batch: task.Batch{Skew: time.Hour}}
		st.settle()
		r := st.row("t")
		end, ok := r.Expiry()
		within(t, "began", time.Since(r.Began.Time()), 0, time.Second)
		if !ok {
			t.Fatal("no expiry")
		}
		within(t, "expiry", time.Until(end), 59*time.Second, time.Minute)
	})
}
