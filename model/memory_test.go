package model

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/model/task"
)

func TestAHandleOutlivesCallboard(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Run(map[bool]string{false: "quit", true: "killed"}[killed], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, k := newModern(), newKeeper()
				lives(t, Options{}, s, k, func(st *stage) {
					st.settle()
					r := started(st, "c", "t")
					if h, ok := k.handle("t"); !ok || h.Tool != "deploy" || h.Digest != task.Digest([]byte(`{"n":1}`)) || h.Session != "" || h.Since.IsZero() {
						t.Errorf("kept %+v", h)
					}
					if r.Digest() == "" || len(k.unsettled()) != 0 {
						t.Errorf("%q, %v", r.Digest(), k.unsettled())
					}
					if k.resume().Era != task.Modern {
						t.Errorf("the era is not kept: %+v", k.resume())
					}
				}, killed)
				time.Sleep(time.Minute)
				gate := make(chan struct{})
				s.onDial = func(int) error { <-gate; return nil }
				lives(t, Options{}, s, k, func(st *stage) {
					st.settle()
					r := st.row("t")
					if r.How != task.Remembered || r.Tool.String() != "deploy" || r.Digest() == "" || r.Task.Status != task.Working || time.Since(r.Heard.Time()) < time.Minute {
						t.Errorf("%v %q %v", r.How, r.Tool, r.Heard.Time())
					}
					if st.link().State != Connecting {
						t.Errorf("%v", st.link().State)
					}
					ended := a("t", task.Completed)
					s.put(ended)
					close(gate)
					st.settle()
					if s.resume[len(s.resume)-1].Era != task.Modern {
						t.Errorf("dialled with %+v", s.resume)
					}
					if r.How != task.Polled || s.count("get", "t") == 0 {
						t.Errorf("not asked for: %v", r.How)
					}
					st.pass(5 * time.Second)
					if h, _ := k.handle("t"); h.Task.Status != task.Completed {
						t.Errorf("its end is not kept: %+v", h)
					}
					if len(r.Steps()) != 2 || !r.Steps()[1].Gap {
						t.Errorf("the time line does not say that callboard was away: %+v", r.Steps())
					}
				}, killed)
				lives(t, Options{}, s, k, func(st *stage) {
					st.settle()
					st.wish(ResultMsg{st.row("t").Key})
					if o := st.row("t").Outcome; o == nil || o.Result == nil {
						t.Errorf("the result of a remembered task: %+v", o)
					}
					if n := s.count("get", ""); n > 5 {
						t.Errorf("%d gets", n)
					}
				}, false)
			})
		})
	}
}

func TestASessionIsRejoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newScript(), newKeeper()
		// An idle session is kept for the processes beside this one, and for no longer.
		idle := func(st *stage) {
			st.pass(3 * time.Second)
			if r := k.resume(); r.Session != "s1" || r.Era != task.Legacy {
				t.Errorf("of an idle session is kept %+v", r)
			}
		}
		lives(t, Options{}, s, k, idle, false)
		if r := k.resume(); r.Session != "" || r.Era != task.Legacy || s.closed[len(s.closed)-1] {
			t.Errorf("of an idle session that was ended is kept %+v, %v", r, s.closed)
		}
		lives(t, Options{}, s, k, func(st *stage) {
			idle(st)
			started(st, "c", "t")
			s.mu.Lock()
			s.leaves.LastEvent = "7"
			s.mu.Unlock()
			st.pass(3 * time.Second)
			if r := k.resume(); r.Session != "s1" || r.LastEvent != "7" {
				t.Errorf("kept %+v", r)
			}
			n := len(k.changes)
			st.pass(time.Minute)
			if len(k.changes) != n {
				t.Errorf("%d changes are kept in a quiet minute", len(k.changes)-n)
			}
		}, true)
		var told []string
		before := s.count("get", "t")
		told = lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			if r := s.resume[len(s.resume)-1]; r.Session != "s1" || r.LastEvent != "7" {
				t.Fatalf("dialled with %+v", r)
			}
			if n := s.count("get", "t") - before; n != 0 || st.row("t").How != task.Listed {
				t.Errorf("%d gets of a task that the list brings: %v", n, st.row("t").How)
			}
		}, false)
		if len(told) != 1 || !strings.Contains(told[0], "the next start rejoins") {
			t.Errorf("told %q", told)
		}
		if k.resume().Session != "s1" || k.closed != 3 || s.closed[len(s.closed)-1] != true {
			t.Errorf("kept %+v, closed %d times, %v", k.resume(), k.closed, s.closed)
		}
		lives(t, Options{}, s, k, func(st *stage) { // its task ends, but its result can be had
			s.put(a("t", task.Completed))
			st.pass(3 * time.Second)
		}, false)
		if k.resume().Session != "s1" || !s.closed[len(s.closed)-1] {
			t.Errorf("a session with a result is not kept: %+v, %v", k.resume(), s.closed)
		}
		lives(t, Options{}, s, k, func(st *stage) { // its ttl runs out
			ended := a("t", task.Completed)
			ended.TTL = time.Second
			s.put(ended)
			st.pass(3 * time.Second)
		}, false)
		if k.resume().Session != "" || s.closed[len(s.closed)-1] {
			t.Errorf("an ended session is kept: %+v, %v", k.resume(), s.closed)
		}
	})
	t.Run("it is over meanwhile", func(t *testing.T) {
		s, k := newScript(), newKeeper()
		k.kept.Resume = task.Resume{Era: task.Legacy, Session: "old"}
		k.kept.Handles = []task.Handle{
			{Task: task.Task{ID: "t", Status: task.Working, Created: birth}, Session: "old", Seen: birth},
			{Task: task.Task{ID: "u", Status: task.Working, Created: birth.Add(-time.Hour), TTL: time.Minute}, Session: "old", Seen: birth},
		}
		s.onDial = func(n int) error {
			if n == 1 {
				return &task.Error{Kind: task.SessionLost, Message: task.Own("session not found")}
			}
			return nil
		}
		remembering(t, s, k, func(st *stage) {
			st.settle()
			if !strings.Contains(st.line(), "kept from before is over") || k.resume().Session == "old" {
				t.Errorf("%q, kept %+v", st.line(), k.resume())
			}
			st.pass(20 * time.Second)
			if r, u := st.row("t"), st.row("u"); r.Mark != Gone || u.Mark != Expired {
				t.Errorf("marks %v %v", r.Mark, u.Mark)
			}
			if n := s.count("get", "t"); n != 1 || s.count("dial", "") != 2 {
				t.Errorf("%d gets, %d dials", n, s.count("dial", ""))
			}
			if line := st.TimeLine(st.row("t").Key); line[len(line)-1].Kind != task.Forgotten || !strings.Contains(line[len(line)-1].Message.Line(), "earlier session") {
				t.Errorf("%+v", line)
			}
		})
	})
	t.Run("the one that the person names wins", func(t *testing.T) {
		s, k := newScript(), newKeeper()
		k.kept.Resume = task.Resume{Era: task.Legacy, Session: "old"}
		o := Options{Targets: []Target{{Name: "ops", Endpoint: s, Memory: k, Resume: task.Resume{Session: "theirs", Joined: true}}}}
		play(t, o, s, func(st *stage) {
			st.settle()
			if r := s.resume[0]; r.Session != "theirs" || !r.Joined {
				t.Errorf("dialled with %+v", r)
			}
			started(st, "c", "t")
			st.pass(5 * time.Second)
			if r := k.resume(); r.Session != "old" {
				t.Errorf("kept %+v", r)
			}
		})
	})
	t.Run("one that another callboard uses is not ended", func(t *testing.T) {
		s, k := newScript(), newKeeper()
		k.kept.Resume = task.Resume{Era: task.Legacy, Session: "s1", PostOnly: true}
		remembering(t, s, k, func(st *stage) {
			st.settle()
			st.Shutdown()
			if !s.resume[0].PostOnly || len(s.closed) != 1 || !s.closed[0] || k.resume().Session != "s1" {
				t.Errorf("%+v %v %+v", s.resume, s.closed, k.resume())
			}
		})
	})
}

func TestWhatIsRememberedIsJudged(t *testing.T) {
	s, k := newModern(), newKeeper()
	now := birth
	for _, id := range []string{"gone", "here"} {
		k.kept.Handles = append(k.kept.Handles, task.Handle{Task: task.Task{ID: task.ID(id), Status: task.Working, Created: now, Updated: now}, Seen: now})
	}
	k.kept.Handles = append(k.kept.Handles, task.Handle{Task: task.Task{ID: "late", Status: task.InputRequired, Created: now.Add(-time.Hour), TTL: time.Minute}, Seen: now})
	k.kept.Foreign = []task.Handle{{Task: task.Task{ID: "theirs", Status: task.Working, Created: now}, Tool: "deploy", Digest: "d", Seen: now}}
	remembering(t, s, k, func(st *stage) {
		s.put(a("here", task.Working))
		st.pass(30 * time.Second)
		for id, want := range map[task.ID]Mark{"gone": Gone, "here": NoMark, "late": Expired, "theirs": NotOurs} {
			if r := st.row(id); r.Mark != want {
				t.Errorf("%s: mark %v, want %v", id, r.Mark, want)
			}
		}
		if n := s.count("dial", ""); n != 1 {
			t.Errorf("%d dials: handles that are gone say nothing of a session where there is none", n)
		}
		theirs := st.row("theirs")
		if theirs.Live() || theirs.StatusWord() != "not ours" || theirs.Digest() != "d" || st.Counts().Gone != 2 || st.Counts().Working != 1 {
			t.Errorf("%s, %+v", theirs.StatusWord(), st.Counts())
		}
		st.wish(RefreshMsg{})
		st.wish(SelectMsg{theirs.Key})
		st.wish(ResultMsg{theirs.Key})
		st.wish(CancelMsg{theirs.Key})
		st.wish(WatchMsg{"ops", "theirs"})
		st.wish(AttendMsg{theirs.Key})
		st.pass(10 * time.Second)
		for _, what := range []string{"get", "result", "cancel"} {
			if s.count(what, "theirs") != 0 {
				t.Errorf("%s of a task of other credentials", what)
			}
		}
		if why := st.CanCancel(theirs.Key); !strings.Contains(why, "other credentials") {
			t.Errorf("%q", why)
		}
		st.tell(push(a("theirs", task.Working)))
		if theirs.Mark != NoMark || !theirs.Live() {
			t.Error("that the server tells of it does not count")
		}
		st.pass(5 * time.Second)
		if _, ours := k.handle("theirs"); ours {
			t.Error("its handle is kept as ours")
		}
	})
}

func TestACallThatWasOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newModern(), newKeeper()
		var before int
		s.onStart = func(task.Call) error {
			k.mu.Lock()
			before = k.flushed
			k.mu.Unlock()
			return nil
		}
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy", Args: []byte(`{"n":1}`)}})
			if before == 0 || len(k.unsettled()) != 1 {
				t.Fatalf("not written before it went out: %d, %v", before, k.unsettled())
			}
		}, true)
		time.Sleep(time.Hour)
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			r := st.Row(task.Key{Server: "ops", Call: "c"})
			if r == nil || r.Mark != UnknownOutcome || !r.Plain || r.Tool.String() != "deploy" || r.Digest() != task.Digest([]byte(`{"n":1}`)) || time.Since(r.First.Time()) < time.Hour {
				t.Fatalf("%+v", r)
			}
			if r.Live() || st.CanForget(r.Key) != "" {
				t.Errorf("%v %q", r.Live(), st.CanForget(r.Key))
			}
			st.wish(RetryMsg{r.Key})
			if s.count("start", "") != 1 {
				t.Error("it was sent again")
			}
			st.wish(ForgetMsg{r.Key})
			if st.Row(r.Key) != nil || len(k.unsettled()) != 0 || st.Board().Total() != 0 {
				t.Errorf("not forgotten: %v", k.unsettled())
			}
		}, false)
	})
	for name, c := range map[string]struct {
		ends  func(st *stage)
		known bool
	}{
		"it returned":      {func(st *stage) { st.tell(task.Returned{Call: "c", Result: &task.Result{}}) }, true},
		"it became a task": {func(st *stage) { st.tell(task.Started{Call: "c", Task: a("t", task.Working)}) }, true},
		"it was lost":      {func(st *stage) { st.tell(task.Returned{Call: "c", Err: &task.Error{Kind: task.Lost}}) }, false},
		"the link broke":   {func(st *stage) { st.lose(task.Unreachable) }, false},
		"it was given up":  {func(st *stage) { st.wish(CancelMsg{task.Key{Server: "ops", Call: "c"}}) }, true},
		"it was sent again": {func(st *stage) {
			st.lose(task.Unreachable)
			st.pass(2 * time.Second)
			st.wish(RetryMsg{task.Key{Server: "ops", Call: "c"}})
		}, false},
		"nothing came of it": {func(*stage) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, k := newModern(), newKeeper()
			remembering(t, s, k, func(st *stage) {
				st.settle()
				st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
				c.ends(st)
				if got := len(k.unsettled()) == 0; got != c.known {
					t.Errorf("unsettled: %v", k.unsettled())
				}
				if len(k.unsettled()) > 1 {
					t.Errorf("the one that was sent again is not settled: %v", k.unsettled())
				}
			})
		})
	}
	t.Run("it goes out where nothing can be written", func(t *testing.T) {
		for name, edit := range map[string]func(*keeper){
			"hangs": func(k *keeper) { k.hang = true },
			"fails": func(k *keeper) { k.flushErr = errors.New("no space left on the disk") },
		} {
			t.Run(name, func(t *testing.T) {
				s, k := newModern(), newKeeper()
				edit(k)
				remembering(t, s, k, func(st *stage) {
					st.settle()
					st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
					st.pass(1100 * time.Millisecond)
					if s.count("start", "") != 1 {
						t.Fatal("not sent")
					}
					if line, bad, _ := st.Notice(); !bad || name == "fails" && !strings.Contains(line, "no space left") {
						t.Errorf("%q", line)
					}
				})
			})
		}
	})
}

func TestOtherProcesses(t *testing.T) {
	s, k := newModern(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		s.put(a("t", task.Working))
		k.another(st, func(kept *task.Kept) {
			kept.Handles = append(kept.Handles, task.Handle{Task: a("t", task.Working), Tool: "deploy", Seen: time.Now()})
		})
		r := st.row("t")
		if r.Tool.String() != "deploy" || r.How != task.Polled {
			t.Errorf("%q %v", r.Tool, r.How)
		}
		started(st, "c", "mine")
		s.put(a("t", task.Completed))
		before := s.count("get", "t")
		k.another(st, func(kept *task.Kept) {
			h := &kept.Handles[slices.IndexFunc(kept.Handles, func(h task.Handle) bool { return h.Task.ID == "t" })]
			h.Task.Status, h.Seen = task.Completed, time.Now().Add(time.Millisecond)
		})
		if s.count("get", "t") == before || r.Task.Status != task.Completed {
			t.Errorf("%v after another process saw its end", r.Task.Status)
		}
		k.another(st, func(kept *task.Kept) {
			kept.Handles = slices.DeleteFunc(kept.Handles, func(h task.Handle) bool { return h.Task.ID == "t" })
		})
		if st.Row(r.Key) != nil || st.Board().Total() != 1 || st.Counts().Completed != 0 {
			t.Errorf("what another process forgot stays: %d rows, %+v", st.Board().Total(), st.Counts())
		}
		st.row("mine")
		k.news <- errors.New("the disk is full")
		st.settle()
		if !strings.Contains(st.line(), "the disk is full") || len(s.notes) == 0 {
			t.Errorf("%q", st.line())
		}
		st.pass(2 * time.Second) // it listens again after a pause
		k.another(st, func(kept *task.Kept) {
			kept.Handles = append(kept.Handles, task.Handle{Task: a("u", task.Completed), Seen: time.Now()})
		})
		st.row("u")
	})
}

func TestWhatCannotBeReadIsSaid(t *testing.T) {
	s, k := newModern(), newKeeper()
	k.recallErr = errors.New("the file was damaged and is set aside")
	remembering(t, s, k, func(st *stage) {
		st.settle()
		if !strings.Contains(st.line(), "set aside") || st.link().State == Down || s.count("dial", "") != 1 {
			t.Errorf("%q %+v", st.line(), st.link())
		}
	})
}

func TestWatch(t *testing.T) {
	t.Run("known", func(t *testing.T) {
		s, k := newModern(), newKeeper()
		remembering(t, s, k, func(st *stage) {
			s.put(a("t", task.Working))
			st.settle()
			st.wish(WatchMsg{"ops", "t"})
			if r := st.row("t"); !r.Handle.Watched {
				t.Errorf("%+v", r.Handle)
			}
			if h, ok := k.handle("t"); !ok || !h.Watched {
				t.Errorf("kept %+v", h)
			}
			st.wish(ForgetMsg{st.row("t").Key})
			if _, ok := k.handle("t"); ok || st.Board().Total() != 0 || !strings.Contains(st.line(), "not cancelled") {
				t.Errorf("%q", st.line())
			}
			st.tell(push(a("t", task.InputRequired)))
			st.pass(time.Minute)
			if st.Board().Total() != 0 || s.count("cancel", "") != 0 || st.Counts() != (Counts{}) {
				t.Errorf("it is back: %+v", st.Counts())
			}
			before := s.count("get", "t")
			st.pass(time.Minute)
			if n := s.count("get", "t") - before; n != 0 {
				t.Errorf("%d gets of what was forgotten", n)
			}
			st.wish(WatchMsg{"ops", "t"})
			st.row("t")
		})
	})
	t.Run("unknown", func(t *testing.T) {
		s, k := newModern(), newKeeper()
		remembering(t, s, k, func(st *stage) {
			st.settle()
			st.wish(WatchMsg{"ops", "typo"})
			if st.Board().Total() != 0 || !strings.Contains(st.line(), "knows no task typo") || len(k.kept.Handles) != 0 {
				t.Errorf("%q, %d rows", st.line(), st.Board().Total())
			}
			st.pass(time.Minute)
			if n := s.count("get", "typo"); n != 1 {
				t.Errorf("%d gets", n)
			}
			st.wish(WatchMsg{"nobody", "t"})
			if !strings.Contains(st.line(), "no server named") {
				t.Errorf("%q", st.line())
			}
		})
	})
	t.Run("refused", func(t *testing.T) {
		s := newScript()
		s.onGet = func(task.ID) (task.Task, error) {
			return task.Task{}, &task.Error{Kind: task.RPC, Code: codeMethodNotFound, Message: task.Own("Method not found")}
		}
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.wish(WatchMsg{"ops", "t"})
			st.pass(time.Minute)
			if !strings.Contains(st.line(), "Method not found") || s.count("get", "t") != 1 {
				t.Errorf("%q, %d gets", st.line(), s.count("get", "t"))
			}
		})
	})
	t.Run("named at the start, asked once the server is reached", func(t *testing.T) {
		s, k := newScript(), newKeeper()
		s.about.List = task.CanNo
		s.onDial = func(n int) error {
			if n < 3 {
				return unreachable()
			}
			return nil
		}
		o := Options{Targets: []Target{{Name: "ops", Endpoint: s, Memory: k, Watch: []task.ID{"t"}}}}
		play(t, o, s, func(st *stage) {
			s.put(a("t", task.Working))
			st.pass(10 * time.Second)
			if r := st.row("t"); !r.Handle.Watched || r.Handle.Session != "s1" {
				t.Errorf("%+v", r.Handle)
			}
		})
	})
	t.Run("a call under way is not forgotten", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}})
			st.wish(ForgetMsg{task.Key{Server: "ops", Call: "c"}})
			if !strings.Contains(st.line(), "under way") || st.Board().Total() != 1 {
				t.Errorf("%q", st.line())
			}
		})
	})
}

func TestShutdownIsBounded(t *testing.T) {
	s, k := newModern(), newKeeper()
	k.hang = true
	remembering(t, s, k, func(st *stage) {
		st.settle()
		s.put(a("t", task.Working))
		st.wish(WatchMsg{"ops", "t"})
		begin := time.Now()
		told := st.Shutdown()
		within(t, "ended", time.Since(begin), 0, 2*time.Second)
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.closed != 1 || len(told) != 1 || !strings.Contains(told[0], "next start") {
			t.Errorf("closed %d times, told %q", k.closed, told)
		}
	})
}

func TestOtherCredentialsAreLeftAlone(t *testing.T) {
	s, k := newModern(), newKeeper()
	for id, status := range map[task.ID]task.Status{"live": task.Working, "ended": task.Completed} {
		k.kept.Foreign = append(k.kept.Foreign, task.Handle{Task: task.Task{ID: id, Status: status, Created: birth}, Seen: birth})
	}
	o := Options{Targets: []Target{{Name: "ops", Endpoint: s, Memory: k, Watch: []task.ID{"live"}}}}
	play(t, o, s, func(st *stage) {
		st.settle()
		if !strings.Contains(st.line(), "other credentials") {
			t.Errorf("%q", st.line())
		}
		st.wish(ResultMsg{st.row("ended").Key})
		st.pass(time.Minute)
		if n := s.count("get", "") + s.count("result", ""); n != 0 {
			t.Errorf("%d requests", n)
		}
		st.wish(ForgetMsg{st.row("ended").Key})
		if !strings.Contains(st.line(), "kept for the credentials") || st.Board().Total() != 1 {
			t.Errorf("%q", st.line())
		}
	})
}

func TestTheEndSaysWhenATaskWasLastSeen(t *testing.T) {
	s, k := newModern(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		started(st, "c", "t")
		st.pass(time.Hour)
		st.Shutdown()
		if h, _ := k.handle("t"); time.Since(h.Seen) > 3*time.Second {
			t.Errorf("last seen %v ago", time.Since(h.Seen))
		}
	})
}
