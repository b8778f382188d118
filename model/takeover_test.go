package model

import (
	"os"
	"slices"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// guest plays a callboard that uses by POST only the session which another one
// has, with a live task t.
func guest(t *testing.T, f func(st *stage, s *script, k *keeper)) {
	t.Helper()
	s, k := newScript(), newKeeper()
	s.leaves.LastEvent, s.leaves.Streams = "ours", "a\nb"
	k.kept.Resume = task.Resume{Era: task.Legacy, Session: "s1", PostOnly: true, Streams: "b"}
	s.put(a("t", task.Working))
	remembering(t, s, k, func(st *stage) {
		st.settle()
		if !s.resume[0].PostOnly || !st.link().PostOnly {
			t.Fatalf("dialled with %+v", s.resume)
		}
		f(st, s, k)
	})
}

// ends lets the callboard that has the session end.
func ends(st *stage, k *keeper) {
	k.another(st, func(kept *task.Kept) {
		kept.Resume = task.Resume{Era: task.Legacy, Session: "s1", LastEvent: "7", Streams: "b\nc"}
	})
}

func TestTheStreamOfAnotherCallboardIsTakenOver(t *testing.T) {
	guest(t, func(st *stage, s *script, k *keeper) {
		r, line := st.row("t"), st.line()
		ends(st, k)
		if len(s.resume) != 2 {
			t.Fatalf("%d dials", len(s.resume))
		}
		if d := s.resume[1]; d.PostOnly || d.Session != "s1" || d.LastEvent != "7" || d.Streams != "b\nc\na" {
			t.Errorf("dialled with %+v, streams %q, last event %q", d, string(d.Streams), string(d.LastEvent))
		}
		if !slices.Equal(s.closed, []bool{true}) {
			t.Errorf("closed, keeping it: %v", s.closed)
		}
		l := st.link()
		if l.PostOnly || !l.Rejoined || l.State == Down || st.row("t") != r || st.line() != line || l.Faults != 0 {
			t.Errorf("%+v, %q", l, st.line())
		}
		if steps := st.TimeLine(r.Key); len(steps) != 1 {
			t.Errorf("the time line tells of it: %+v", steps)
		}
		st.tell(task.Stream{Up: true}, push(a("t", task.Working)))
		if st.link().State != Live {
			t.Errorf("%v", st.link().State)
		}
		if kept := k.resume(); kept.PostOnly || kept.Session != "s1" {
			t.Errorf("kept %+v", kept)
		}
		k.another(st, func(*task.Kept) {})
		if len(s.resume) != 2 {
			t.Error("dialled once more")
		}
	})
	for name, c := range map[string]struct{ begin, end func(st *stage, s *script) }{
		"a call": {
			func(st *stage, _ *script) { st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "deploy"}}) },
			func(st *stage, _ *script) { st.tell(task.Returned{Call: "c", Result: &task.Result{}}) },
		},
		"a question": {
			func(st *stage, _ *script) { several(st, "p") },
			func(st *stage, _ *script) { st.wish(accept("p")) },
		},
		"a server that is busy": {
			func(st *stage, s *script) {
				s.onGet = func(task.ID) (task.Task, error) {
					return task.Task{}, &task.Error{Kind: task.Busy, RetryAfter: time.Minute, Message: task.Own("busy")}
				}
				st.wish(WatchMsg{"ops", "x"})
				s.onGet = nil
			},
			func(st *stage, _ *script) { st.pass(2 * time.Minute) },
		},
	} {
		t.Run(name+" is not disturbed", func(t *testing.T) {
			guest(t, func(st *stage, s *script, k *keeper) {
				c.begin(st, s)
				ends(st, k)
				st.pass(10 * time.Second)
				if len(s.resume) != 1 {
					t.Fatal("dialled at once")
				}
				c.end(st, s)
				if len(s.resume) != 2 || s.resume[1].PostOnly {
					t.Errorf("dialled with %+v", s.resume)
				}
			})
		})
	}
	t.Run("what is on its way is asked anew", func(t *testing.T) {
		guest(t, func(st *stage, s *script, k *keeper) {
			gate := make(chan struct{})
			defer close(gate)
			s.onGet = func(task.ID) (task.Task, error) { <-gate; return task.Task{}, notFound() }
			st.wish(WatchMsg{"ops", "x"})
			s.mu.Lock()
			s.onGet = nil
			s.mu.Unlock()
			s.put(a("x", task.Working))
			ends(st, k)
			st.pass(10 * time.Second)
			if st.link().Stalled || st.row("x").Mark != NoMark {
				t.Errorf("%+v, %v", st.link(), st.row("x").Mark)
			}
		})
	})
	t.Run("the session is over", func(t *testing.T) {
		guest(t, func(st *stage, s *script, k *keeper) {
			s.onDial = func(n int) error {
				if n == 2 {
					return &task.Error{Kind: task.SessionLost, Message: task.Own("session not found")}
				}
				return nil
			}
			ends(st, k)
			st.pass(time.Second)
			if len(s.resume) != 3 || s.resume[2].Session != "" || st.link().State == Down {
				t.Fatalf("dialled with %+v", s.resume)
			}
			if line := st.TimeLine(st.row("t").Key); len(line) < 2 {
				t.Errorf("the time line tells of no gap: %+v", line)
			}
		})
	})
	t.Run("while the link is down", func(t *testing.T) {
		guest(t, func(st *stage, s *script, k *keeper) {
			s.onDial = func(n int) error {
				if n == 2 {
					return &task.Error{Kind: task.Unreachable, Message: task.Own("refused")}
				}
				return nil
			}
			st.lose(task.Unreachable)
			st.pass(100 * time.Millisecond)
			ends(st, k)
			st.pass(10 * time.Second)
			if last := s.resume[len(s.resume)-1]; last.PostOnly || last.Session != "s1" || last.LastEvent != "7" {
				t.Errorf("dialled with %+v", last)
			}
		})
	})
	t.Run("of another session", func(t *testing.T) {
		guest(t, func(st *stage, s *script, k *keeper) {
			k.another(st, func(kept *task.Kept) { kept.Resume = task.Resume{Era: task.Legacy, Session: "s2"} })
			st.pass(10 * time.Second)
			if len(s.resume) != 1 {
				t.Errorf("dialled with %+v", s.resume)
			}
		})
	})
}

// TestTakenOverOnTheWire: push opens, a question that waits on the stream comes,
// and the session is neither begun anew nor ended.
func TestTakenOverOnTheWire(t *testing.T) {
	severalLives(t, func(srv *mcptest.Server, k *keeper, live func(bool, func(*stage))) {
		var id task.ID
		live(true, func(st *stage) {
			call := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`), AsTask: true}
			st.wish(StartMsg{"ops", call})
			st.pass(3 * time.Second)
			id = st.Row(task.Key{Server: "ops", Call: call.ID}).Key.ID
		})
		left := k.resume()
		k.kept.Resume.PostOnly = true
		live(false, func(st *stage) {
			st.pass(5 * time.Second)
			r, gets := st.row(id), srv.Count("GET")
			if l := st.link(); !l.PostOnly || l.State != Quiet || gets != 1 {
				t.Fatalf("%+v, %d streams", l, gets)
			}
			k.another(st, func(kept *task.Kept) { kept.Resume = left })
			st.pass(patience - time.Second)
			line := st.line()
			if !st.link().PostOnly || len(r.Asks) != 1 {
				t.Fatalf("who may be typing is disturbed: %+v", st.link())
			}
			st.SaveDraft(r.Asks[0].Prompt.ID, Draft{"name": "x"})
			st.pass(5 * time.Second)
			if st.line() != line {
				t.Errorf("told %q", st.line())
			}
			if l := st.link(); l.PostOnly || l.State != Live || st.row(id) != r || srv.Count("GET") == gets {
				t.Fatalf("%+v, %d streams", l, srv.Count("GET"))
			}
			if len(r.Asks) != 1 || st.Draft(r.Asks[0].Prompt.ID) == nil || srv.Count("initialize") != 1 || srv.Count("DELETE") != 0 {
				t.Errorf("%d questions, %d sessions, %d ended", len(r.Asks), srv.Count("initialize"), srv.Count("DELETE"))
			}
		})
	}, mcptest.WithTools(deploys), mcptest.WithEventStore(100))
}

func TestAClosedMemoryIsNotAskedAgain(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		k.news <- os.ErrClosed
		st.pass(time.Minute)
		k.another(st, func(kept *task.Kept) {
			kept.Handles = []task.Handle{{Task: task.Task{ID: "t", Status: task.Working}}}
		})
		if st.Board().Total() != 0 || st.line() != "" {
			t.Errorf("%d rows, %q", st.Board().Total(), st.line())
		}
	})
}
