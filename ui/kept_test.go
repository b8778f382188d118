package ui

import (
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// afterARestart is a stage on which callboard was started again: one task goes
// on, one was started with other credentials, one call was on its way, and the
// server forgot the rest.
func afterARestart(t *testing.T, w, h int, up bool, f func(*stage, *script)) {
	t.Helper()
	var srv *script
	play(t, w, h, func() map[string]*script {
		now := time.Now()
		srv = newScript()
		srv.about.Era, srv.about.Version, srv.about.List, srv.about.Session = task.Modern, "2026-07-28", task.CanNo, false
		one := func(id string, old, ttl time.Duration) task.Handle {
			at := now.Add(-old)
			return task.Handle{
				Task: task.Task{ID: task.ID(id), Status: task.Working, Created: at, Updated: at, TTL: ttl},
				Tool: "deploy", Digest: "0123456789abcdef", Since: at, Seen: at.Add(time.Second),
			}
		}
		watched := one("watched-1", 10*time.Minute, time.Hour)
		watched.Watched, watched.Tool, watched.Digest = true, "", ""
		srv.memory = &memory{kept: task.Kept{
			Handles:   []task.Handle{one("goes-on-1", 20*time.Minute, time.Hour), watched, one("forgotten-1", 30*time.Minute, 2*time.Hour), one("ran-out-1", 3*time.Hour, time.Hour)},
			Foreign:   []task.Handle{one("other-account-1", 40*time.Minute, time.Hour)},
			Unsettled: []task.Sent{{Call: "call-1", Tool: "migrate", Digest: "fedcba9876543210", At: now.Add(-time.Hour)}},
		}}
		srv.tasks = []task.Task{
			{ID: "goes-on-1", Status: task.Working, Message: task.Own("Rolling out"), Created: now.Add(-20 * time.Minute), Updated: now, TTL: time.Hour},
			{ID: "watched-1", Status: task.Working, Message: task.Own("Index"), Created: now.Add(-10 * time.Minute), Updated: now, TTL: time.Hour},
		}
		if !up {
			srv.fail = &task.Error{Kind: task.Unreachable, Message: task.Own("connection refused")}
		}
		return map[string]*script{"ops": srv}
	}, func(s *stage) { f(s, srv) })
}

// What is kept stands at once, and looks as old as it is.
func TestWhatIsKeptLooksStaleUntilItIsHeardOf(t *testing.T) {
	afterARestart(t, 120, 30, false, func(s *stage, _ *script) {
		s.shows("◐ working?", "kept from before")
		s.golden("kept-120x30")
	})
}

func TestWhatBecameOfWhatWasKept(t *testing.T) {
	afterARestart(t, 120, 30, true, func(s *stage, srv *script) {
		for range 20 {
			s.wait(time.Second)
		}
		s.shows("◐ working ", "◌ gone", "◌ expired", "◌ not ours", "! unknown", "Rolling out")
		s.hides("working?")
		s.goTo("goes-on-1")
		s.details("tool deploy", "arguments not kept; their digest is 0123456789abcdef", "callboard did not run here: steps may be missing", "kept for the next start")
		s.press("X")
		s.shows("An earlier callboard ran deploy, and kept no arguments: n lists the tools.")
		srv.tools = []task.Tool{{Name: "deploy", Title: task.Own("Deploy"), Support: task.ServerDecides}}
		s.press("n", "esc", "X")
		s.shows("new Deploy on ops", "An earlier callboard ran deploy, and kept no arguments: give them again.")
		s.press("esc")
		s.goTo("watched-1")
		s.details("watched by its id")
		s.golden("restarted-120x30")
		for i := range s.m.Board().Len() {
			if row := s.m.Board().At(i); row.Mark == model.UnknownOutcome {
				s.r.tasks.take(s.m, row.Key)
				s.r.watch(true)
			}
		}
		s.send(struct{}{})
		s.details("a call that may have done something", "by an earlier callboard", "fedcba9876543210")
		s.press(":", "forget", "enter")
		s.hides("! unknown")
		srv.memory.mu.Lock()
		defer srv.memory.mu.Unlock()
		settled := false
		for _, k := range srv.memory.took {
			if k, ok := k.(task.Settled); ok && k.Call == "call-1" {
				settled = true
			}
		}
		if !settled {
			t.Errorf("the memory was told %+v", srv.memory.took)
		}
	})
}

// Where nothing is kept, nothing is said to be.
func TestNothingIsKeptWithoutAMemory(t *testing.T) {
	onModern(t, 120, 30, func(s *stage, srv *script) {
		s.run(s.r.start("ops", task.Call{Tool: "deploy"}))
		s.send(struct{}{})
		srv.events <- task.Started{Call: srv.calls[0].ID, Task: newTask("t1", task.Working)}
		s.settle()
		s.goTo("t1")
		s.details("tool deploy")
		s.hides("kept", "next start")
	})
}

// The way out of a board that lists nothing is named.
func TestTheEmptyBoardOfAServerWithoutAList(t *testing.T) {
	onModern(t, 80, 24, func(s *stage, _ *script) {
		s.shows(":watch ID", "n starts one.")
		s.golden("empty-modern-80x24")
	})
}

// A session that was rejoined is told from a new one.
func TestARejoinedSessionSaysSo(t *testing.T) {
	for postOnly, want := range map[bool]string{false: "kept from before, rejoined", true: "another callboard has its stream"} {
		play(t, 100, 24, func() map[string]*script {
			srv := newScript()
			srv.resume = task.Resume{Era: task.Legacy, Session: "s-1", PostOnly: postOnly}
			srv.memory = &memory{kept: task.Kept{Resume: srv.resume}}
			return map[string]*script{"ops": srv}
		}, func(s *stage) {
			s.shows("rejoined ·", "ops lists no task in the session that was kept")
			s.hides("this session is new")
			s.press("s")
			s.shows(want)
		})
	}
	play(t, 100, 24, func() map[string]*script {
		srv := newScript()
		srv.resume = task.Resume{Era: task.Legacy, Session: "s-2"}
		srv.memory = &memory{kept: task.Kept{Resume: task.Resume{Era: task.Legacy, Session: "s-1"}}}
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		s.hides("rejoined")
		s.shows("this session is new")
	})
}
