package model

import (
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// gaps returns the times between at's members.
func gaps(at []time.Time) []time.Duration {
	var d []time.Duration
	for i := 1; i < len(at); i++ {
		d = append(d, at[i].Sub(at[i-1]))
	}
	return d
}

func TestPolling(t *testing.T) {
	t.Run("a quiet task is got at its interval, and none faster", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			slow := a("slow", task.Working)
			slow.Poll = 7 * time.Second
			s.put(a("t", task.Working), slow)
			st.settle()
			st.tell(push(a("t", task.Working)), push(slow))
			begin := time.Now()
			st.pass(21 * time.Second)
			at := s.times("get", "t")
			if len(at) < 9 {
				t.Errorf("%d gets in 21 s", len(at))
			}
			within(t, "first get", at[0].Sub(begin), 1900*time.Millisecond, 2100*time.Millisecond)
			for _, d := range gaps(at) {
				within(t, "next get", d, 2*time.Second, 2200*time.Millisecond)
			}
			if n := s.count("get", "slow"); n != 2 && n != 3 {
				t.Errorf("%d gets of a task with a poll interval of 7 s in 21 s", n)
			}
			if s.count("page", "") != 0 {
				t.Error("a list that was not declared was asked for")
			}
		})
	})
	t.Run("none while push works, within six times the interval", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			st.tell(task.Stream{Up: true})
			for range 6 {
				st.tell(push(a("t", task.Working)))
				st.pass(10 * time.Second)
			}
			if n := s.count("get", ""); n != 0 {
				t.Errorf("%d gets of a task that is pushed every 10 s", n)
			}
			st.pass(3 * time.Second)
			if n := s.count("get", "t"); n != 1 {
				t.Errorf("%d gets once it is quiet for 13 s", n)
			}
		})
	})
	t.Run("push that misses a change is not trusted", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working), a("u", task.Working))
			st.settle()
			st.tell(task.Stream{Up: true})
			st.tell(push(a("t", task.Working)), push(a("u", task.Working)))
			s.put(a("t", task.InputRequired))
			st.pass(15 * time.Second) // polled after 12 s, distrusted 2 s later
			before := s.count("get", "u")
			st.pass(10 * time.Second)
			if n := s.count("get", "u") - before; n < 4 {
				t.Errorf("%d gets in 10 s after push missed a change", n)
			}
		})
	})
	t.Run("a push a moment after the poll is no miss", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			st.tell(task.Stream{Up: true}, push(a("t", task.Working)))
			changed := a("t", task.InputRequired)
			s.put(changed)
			st.pass(12 * time.Second)
			if st.row("t").How != task.Polled {
				t.Fatal("not polled")
			}
			st.pass(time.Second)
			st.tell(push(changed))
			before := s.count("get", "t")
			st.pass(10 * time.Second)
			if n := s.count("get", "t") - before; n != 0 {
				t.Errorf("%d gets in 10 s", n)
			}
		})
	})
	t.Run("a poll that a push overtook is asked again at once", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			st.tell(task.Stream{Up: true}, push(a("t", task.Working)))
			hold := make(chan struct{})
			s.mu.Lock()
			s.onGet = func(task.ID) (task.Task, error) { <-hold; return a("t", task.Completed), nil }
			s.mu.Unlock()
			st.pass(13 * time.Second) // a get is on its way
			st.tell(push(a("t", task.Working)))
			close(hold)
			st.settle()
			if n := s.count("get", "t"); n != 2 || st.row("t").Task.Status != task.Completed {
				t.Errorf("%d gets, %v", n, st.row("t").Task.Status)
			}
		})
	})
	t.Run("none for ended tasks", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			s.put(a("t", task.Completed))
			st.tell(push(a("t", task.Working)))
			st.tell(push(a("t", task.Completed)))
			st.pass(time.Minute)
			if n := s.count("get", ""); n != 0 {
				t.Errorf("%d gets of an ended task", n)
			}
		})
	})
	t.Run("a failing task backs off alone, up to a minute", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.onGet = func(id task.ID) (task.Task, error) {
				if id == "bad" {
					return task.Task{}, &task.Error{Kind: task.HTTP, Status: 500, Message: task.Own("HTTP 500")}
				}
				return a(string(id), task.Working), nil
			}
			st.settle()
			st.tell(push(a("bad", task.Working)), push(a("good", task.Working)))
			st.pass(5 * time.Minute)
			if n := s.count("get", "good"); n < 140 {
				t.Errorf("%d gets of the good one in 5 min", n)
			}
			at := s.times("get", "bad")
			last := gaps(at)[len(at)-2]
			within(t, "last get", last, 60*time.Second, 61*time.Second)
			if st.row("bad").PollError == "" {
				t.Error("the row does not say why")
			}
		})
	})
	t.Run("ten a second at most, selected and asking first", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			var events []task.Event
			for i := range 100 {
				x := a(string(rune('A'+i/26))+string(rune('a'+i%26)), task.Working)
				if i == 77 {
					x.Status = task.InputRequired
				}
				s.put(x)
				events = append(events, push(x))
			}
			st.tell(events...)
			st.wish(SelectMsg{task.Key{Server: "ops", ID: "Cf"}})
			st.pass(5 * time.Second)
			s.mu.Lock()
			defer s.mu.Unlock()
			var gets []asked
			for _, x := range s.log {
				if x.what == "get" {
					gets = append(gets, x)
				}
			}
			if len(gets) > 10+3*10+1 {
				t.Errorf("%d gets in 3 s", len(gets))
			}
			var first string
			for _, g := range gets[:10] { // one command: they are asked together
				first += g.id
			}
			if !strings.Contains(first, "Cf") || !strings.Contains(first, "Cz") {
				t.Errorf("first got: %s", first)
			}
		})
	})
}

func TestSweeping(t *testing.T) {
	t.Run("an empty board is swept, and new tasks appear", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.pass(21 * time.Second)
			at := s.times("page", "")
			if len(at) != 5 {
				t.Errorf("%d sweeps in 21 s", len(at))
			}
			for _, d := range gaps(at) {
				within(t, "next sweep", d, 5*time.Second, 5200*time.Millisecond)
			}
			s.put(a("new", task.Completed))
			st.pass(5 * time.Second)
			if st.row("new").How != task.Listed {
				t.Error("not listed")
			}
		})
	})
	t.Run("slowly while push works, and after slow sweeps", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.tell(task.Stream{Up: true})
			st.pass(61 * time.Second)
			if n := s.count("page", ""); n != 3 {
				t.Errorf("%d sweeps in a minute of push", n)
			}
			s.onPage = func(task.Cursor) (task.Page, error) {
				time.Sleep(2 * time.Second)
				return task.Page{}, nil
			}
			st.tell(task.Stream{Up: false, Why: "closed"})
			st.pass(30 * time.Second)
			before := s.count("page", "")
			st.pass(44 * time.Second)
			if n := s.count("page", "") - before; n != 2 {
				t.Errorf("%d sweeps of 2 s in 44 s", n)
			}
		})
	})
	t.Run("one sweep where that is cheaper than gets", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			for i := range 30 {
				s.put(a(string(rune('a'+i)), task.Working))
			}
			st.pass(60 * time.Second)
			if n := s.count("get", ""); n != 0 {
				t.Errorf("%d gets of 30 tasks on one page", n)
			}
			for _, d := range gaps(s.times("page", "")) {
				within(t, "next sweep", d, 2*time.Second, 5200*time.Millisecond)
			}
		})
	})
	t.Run("an absent live task is got", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working), a("u", task.Working))
			st.pass(3 * time.Second)
			s.mu.Lock()
			s.order = []task.ID{"u"} // get still knows it
			s.mu.Unlock()
			st.pass(10 * time.Second)
			if s.count("get", "t") == 0 || st.row("t").Mark != NoMark {
				t.Errorf("%d gets, mark %v", s.count("get", "t"), st.row("t").Mark)
			}
			s.drop("t")
			st.pass(10 * time.Second)
			if st.row("t").Mark != Gone {
				t.Errorf("mark %v", st.row("t").Mark)
			}
			before := s.count("get", "t")
			st.pass(20 * time.Second)
			if s.count("get", "t") != before {
				t.Error("a task that is gone is still got")
			}
		})
	})
	t.Run("pages end, whatever the cursors say", func(t *testing.T) {
		for _, c := range []struct {
			name string
			page func(task.Cursor) (task.Page, error)
			want int
		}{
			{"repeated cursor", func(c task.Cursor) (task.Page, error) {
				return task.Page{Tasks: []task.Task{a("p"+c.Value+time.Now().String(), task.Completed)}, Next: task.Cursor{Value: "again", Set: true}}, nil
			}, 2},
			{"repeated page", func(c task.Cursor) (task.Page, error) {
				return task.Page{Tasks: []task.Task{a("p", task.Completed)}, Next: task.Cursor{Value: c.Value + "x", Set: true}}, nil
			}, 2},
			{"the empty cursor is one", func(c task.Cursor) (task.Page, error) {
				if !c.Set {
					return task.Page{Next: task.Cursor{Set: true}}, nil
				}
				return task.Page{Tasks: []task.Task{a("p", task.Completed)}}, nil
			}, 2},
			{"empty pages", func(c task.Cursor) (task.Page, error) {
				return task.Page{Next: task.Cursor{Value: c.Value + "x", Set: true}}, nil
			}, 4},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := newScript()
				s.onPage = c.page
				play(t, Options{}, s, func(st *stage) {
					st.pass(time.Second)
					if n := s.count("page", ""); n != c.want {
						t.Errorf("%d pages, want %d", n, c.want)
					}
					if st.link().Swept.IsZero() {
						t.Error("the sweep has not ended")
					}
				})
			})
		}
	})
	t.Run("a large page is taken in by slices", func(t *testing.T) {
		s := newScript()
		for i := range 3*sliceRows - 1 {
			s.put(a(strings.Repeat("x", i%7)+time.Duration(i).String(), task.Completed))
		}
		play(t, Options{}, s, func(st *stage) {
			before := 0
			for st.link().Swept.IsZero() { // one message after the other, as the loop hands them over
				st.run(st.Update(<-st.msgs))
				if n := st.Board().Total(); n-before > pageRows {
					t.Fatalf("%d rows in one Update", n-before)
				} else {
					before = n
				}
			}
			if before != 3*sliceRows-1 {
				t.Errorf("%d rows", before)
			}
		})
	})
	t.Run("a list that is refused is not asked for again", func(t *testing.T) {
		s := newScript()
		s.onPage = func(task.Cursor) (task.Page, error) {
			return task.Page{}, &task.Error{Kind: task.RPC, Code: codeMethodNotFound, Message: task.Own("Method not found")}
		}
		play(t, Options{}, s, func(st *stage) {
			st.pass(time.Minute)
			if n := s.count("page", ""); n != 1 {
				t.Errorf("%d pages", n)
			}
			if st.link().SweepErr == "" || !strings.Contains(strings.Join(st.Why(screenKeys), " "), "cannot be listed") {
				t.Errorf("it does not say so: %q %q", st.link().SweepErr, st.Why(screenKeys))
			}
		})
	})
	t.Run("force tries an undeclared list once", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		s.put(a("t", task.Completed))
		play(t, Options{}, s, func(st *stage) {
			st.pass(10 * time.Second)
			if s.count("page", "") != 0 {
				t.Fatal("listed unasked")
			}
			st.wish(ForceMsg{})
			st.row("t")
			st.pass(time.Minute)
			if n := s.count("page", ""); n != 1 {
				t.Errorf("%d pages", n)
			}
		})
	})
}

func TestRetryAfter(t *testing.T) {
	busy := &task.Error{Kind: task.Busy, Status: 429, Message: task.Own("HTTP 429"), RetryAfter: 30 * time.Second}
	t.Run("sweeps and gets, by r too", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.pass(time.Second)
			fails := true
			s.onPage = func(task.Cursor) (task.Page, error) {
				if fails {
					return task.Page{}, busy
				}
				return task.Page{}, nil
			}
			s.onGet = func(task.ID) (task.Task, error) { return task.Task{}, busy }
			begin := time.Now()
			st.pass(10 * time.Second)
			before := s.count("page", "") + s.count("get", "")
			if st.link().NextTry.Sub(begin) < 30*time.Second {
				t.Errorf("next try %v", st.link().NextTry.Sub(begin))
			}
			fails = false
			st.wish(RefreshMsg{})
			if !strings.Contains(st.line(), "asked to be left alone") {
				t.Errorf("r says %q", st.line())
			}
			st.pass(15 * time.Second)
			if n := s.count("page", "") + s.count("get", ""); n != before {
				t.Errorf("%d requests before the time was over", n-before)
			}
			st.pass(10 * time.Second)
			if n := s.count("page", "") + s.count("get", ""); n == before {
				t.Error("nothing is asked afterwards")
			}
		})
	})
	t.Run("a dial, by r too", func(t *testing.T) {
		s := newScript()
		s.onDial = func(n int) error {
			if n == 1 {
				return busy
			}
			return nil
		}
		play(t, Options{}, s, func(st *stage) {
			st.pass(10 * time.Second)
			st.wish(RefreshMsg{})
			st.pass(10 * time.Second)
			if s.count("dial", "") != 1 || st.link().State != Down {
				t.Errorf("%d dials", s.count("dial", ""))
			}
			st.pass(11 * time.Second)
			if s.count("dial", "") != 2 {
				t.Error("not dialled after the time was over")
			}
		})
	})
}
