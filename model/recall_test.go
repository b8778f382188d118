package model

import (
	"fmt"
	"testing"
	"time"

	"callboard/model/task"
)

// Tasks that had ended when callboard ran last are heard of once: their words are
// not kept, and the server may have forgotten them.
func TestEndedHandlesAreLookedUpOnce(t *testing.T) {
	for _, s := range []*script{newModern(), newScript()} {
		modern := s.about.Era == task.Modern
		k := newKeeper()
		handle := func(id string, age time.Duration) task.Task {
			h := task.Handle{Task: a(id, task.Completed), Tool: "deploy", Since: birth.Add(-age), Seen: birth.Add(-age), Session: "s1"}
			h.Task.Created, h.Task.Updated, h.Task.TTL = birth.Add(-age-time.Minute), birth.Add(-age), task.NoTTL
			k.kept.Handles = append(k.kept.Handles, h)
			return h.Task
		}
		k.kept.Resume = task.Resume{Era: s.about.Era, Session: map[bool]task.Secret{false: "s1"}[modern]}
		known := handle("known", time.Minute)
		known.Message, known.ToolError = task.Own("done"), modern
		odd := handle("odd", 2*time.Minute)
		odd.Status = task.Working
		handle("lost", 3*time.Minute)
		handle("refused", 4*time.Minute)
		s.put(known, odd)
		s.onGet = func(id task.ID) (task.Task, error) {
			switch id {
			case "known":
				return known, nil
			case "odd":
				return odd, nil
			case "lost":
				return task.Task{}, &task.Error{Kind: task.RPC, Code: -32602, Message: task.Own("task not found")}
			}
			return task.Task{}, &task.Error{Kind: task.RPC, Code: -32603, Message: task.Own("internal")}
		}
		remembering(t, s, k, func(st *stage) {
			st.pass(time.Minute)
			if r := st.row("known"); r.How == task.Remembered || r.Task.Message.Line() != "done" || r.ToolFailed() != modern || r.Mark != NoMark {
				t.Errorf("known: %+v", r)
			}
			if r := st.row("odd"); r.Task.Status != task.Completed || r.Later != task.Working {
				t.Errorf("odd: %+v", r)
			}
			if r := st.row("lost"); r.Task.Status != task.Completed || r.Mark != Gone {
				t.Errorf("lost: %+v", r)
			}
			if r := st.row("refused"); r.Mark != NoMark || r.PollError == "" {
				t.Errorf("refused: %+v", r)
			}
			if st.Sought("ops", "known") || st.Sought("ops", "odd") || st.Sought("ops", "lost") || st.Sought("ops", "refused") {
				t.Error("they are still looked for")
			}
			for _, id := range []string{"known", "odd", "lost", "refused"} {
				if n := len(s.times("get", id)); n > 1 || modern && n != 1 {
					t.Errorf("%s was asked for %d times", id, n)
				}
			}
		})
	}
}

// Many of them are not all asked for, and those that live are not held up.
func TestManyEndedHandles(t *testing.T) {
	s, k := newModern(), newKeeper()
	for i := range 4 * lookedBack {
		h := task.Handle{Task: a(fmt.Sprintf("t%d", i), task.Completed), Since: birth, Seen: birth}
		h.Task.Updated = birth.Add(time.Duration(i-1000) * time.Minute)
		k.kept.Handles = append(k.kept.Handles, h)
		s.put(h.Task)
	}
	live := task.Handle{Task: a("live", task.Working), Since: birth, Seen: birth}
	k.kept.Handles = append(k.kept.Handles, live)
	s.put(live.Task)
	k.kept.Resume = task.Resume{Era: task.Modern}
	remembering(t, s, k, func(st *stage) {
		st.pass(time.Second)
		if len(s.times("get", "live")) == 0 {
			t.Error("the live one waits for those that ended")
		}
		st.pass(time.Minute)
		ended := 0
		for i := range 4 * lookedBack {
			ended += len(s.times("get", fmt.Sprintf("t%d", i)))
		}
		if ended != lookedBack || len(s.times("get", fmt.Sprintf("t%d", 4*lookedBack-1))) != 1 {
			t.Errorf("%d were asked for", ended)
		}
	})
}
