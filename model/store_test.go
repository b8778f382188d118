package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// clock makes times of a table: seconds after an arbitrary beginning.
func clock(s float64) time.Time {
	return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(s * float64(time.Second)))
}

// told is one report of a table. updated 0 is a time that the server did not
// tell.
type told struct {
	status      task.Status
	message     string
	updated     float64
	how         task.How
	sent, heard float64
}

func (r told) report() report {
	t := task.Task{ID: "t", Status: r.status, Message: task.Own(r.message), TTL: task.NoTTL}
	if r.updated != 0 {
		t.Updated = clock(r.updated)
	}
	return report{task: t, how: r.how, sentAt: clock(r.sent), at: clock(r.heard)}
}

func TestApply(t *testing.T) {
	const (
		W = task.Working
		I = task.InputRequired
		C = task.Completed
		F = task.Failed
		X = task.Cancelled
	)
	for _, c := range []struct {
		name  string
		told  []told
		want  task.Status
		steps string // the statuses of the time line, late ones with a +
		later task.Status
	}{
		{"a later update holds", []told{{W, "", 1, task.Polled, 1, 1}, {I, "", 2, task.Polled, 2, 2}}, I, "wi", 0},
		{"an earlier one does not", []told{{I, "", 2, task.Pushed, 2, 2}, {W, "", 1, task.Pushed, 3, 3}}, I, "i", 0},
		{"ties go by when it was sent", []told{{W, "", 1, task.Polled, 1, 4}, {I, "", 1, task.Polled, 2, 5}}, I, "wi", 0},
		{"a tie that was sent before does not hold", []told{{I, "", 1, task.Polled, 2, 3}, {W, "", 1, task.Polled, 1, 4}}, I, "i", 0},
		{"a poll sent before a push never beats it", []told{{W, "", 1, task.Listed, 1, 1}, {I, "", 2, task.Pushed, 3, 3}, {W, "", 9, task.Polled, 2.5, 4}}, I, "wi", 0},
		{"not even with an end", []told{{W, "", 1, task.Pushed, 3, 3}, {C, "", 9, task.Polled, 2.5, 4}}, W, "w", 0},
		{"a server that bumps at each poll", []told{{W, "", 5, task.Polled, 5, 5}, {C, "", 5.5, task.Pushed, 5.5, 5.5}}, C, "wc", 0},
		{"a time that is used twice", []told{{W, "", 1, task.Polled, 1, 1}, {I, "", 1, task.Pushed, 2, 2}, {W, "", 1, task.Polled, 3, 3}}, W, "wiw", 0},
		{"no times at all", []told{{W, "", 0, task.Polled, 1, 1}, {I, "", 0, task.Pushed, 2, 2}, {W, "", 0, task.Polled, 1.5, 3}}, I, "wi", 0},
		{"a clock that was set back is believed the second time", []told{{W, "", 9, task.Polled, 1, 1}, {I, "", 2, task.Polled, 2, 2}, {I, "", 2, task.Polled, 3, 3}}, I, "wi", 0},
		{"one look at a stale replica is not believed", []told{{I, "", 9, task.Polled, 1, 1}, {W, "", 2, task.Polled, 2, 2}, {I, "", 9, task.Polled, 3, 3}}, I, "i", 0},
		{"the first end stays", []told{{C, "", 1, task.Polled, 1, 1}, {X, "", 2, task.Pushed, 2, 2}}, C, "cx+", X},
		{"a contradiction is told once", []told{{X, "", 1, task.Polled, 1, 1}, {C, "", 2, task.Listed, 2, 2}, {C, "", 3, task.Listed, 3, 3}}, X, "xc+", C},
		{"working after the end, asked for later", []told{{C, "", 1, task.Polled, 1, 1}, {W, "", 2, task.Polled, 2, 2}}, C, "cw+", W},
		{"working after the end, asked for before", []told{{C, "", 1, task.Pushed, 2, 2}, {W, "", 3, task.Polled, 1, 3}}, C, "c", 0},
		{"a push that was overtaken by the end", []told{{C, "", 1, task.Polled, 1, 1}, {W, "", 1, task.Pushed, 2, 2}}, C, "c", 0},
		{"the end again", []told{{F, "", 1, task.Pushed, 1, 1}, {F, "", 1, task.Pushed, 2, 2}}, F, "f", 0},
		{"a message is a step", []told{{W, "one", 1, task.Pushed, 1, 1}, {W, "two", 2, task.Pushed, 2, 2}}, W, "ww", 0},
		{"a reply of ours is older than a push that came meanwhile", []told{{I, "", 1, task.Pushed, 2, 2}, {W, "", 1, task.Created, 1, 3}}, I, "i", 0},
		{"even than one of the same moment", []told{{I, "", 1, task.Pushed, 1, 2}, {W, "", 1, task.Created, 1, 3}}, I, "i", 0},
		{"the reply to a cancel ends it, whatever was pushed", []told{{W, "", 3, task.Pushed, 3, 3}, {X, "", 4, task.Acted, 2, 4}}, X, "wx", 0},
		{"a word of tomorrow is live", []told{{W, "", 1, task.Polled, 1, 1}, {task.Unknown, "", 2, task.Polled, 2, 2}}, task.Unknown, "wu", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore("ops")
			for _, r := range c.told {
				s.apply(r.report())
			}
			r := s.tasks["t"]
			var steps strings.Builder
			for _, st := range r.Steps() {
				steps.WriteString(map[task.Status]string{W: "w", I: "i", C: "c", F: "f", X: "x", task.Unknown: "u"}[st.Status])
				if st.Late {
					steps.WriteByte('+')
				}
			}
			if r.Task.Status != c.want || steps.String() != c.steps || r.Later != c.later {
				t.Errorf("%v %s later %v, want %v %s later %v", r.Task.Status, steps.String(), r.Later, c.want, c.steps, c.later)
			}
		})
	}
}

func TestMarks(t *testing.T) {
	live := func(how task.How, ttl time.Duration) report {
		r := told{task.Working, "", 1, how, 1, 1}.report()
		r.task.TTL, r.task.Created = ttl, clock(0)
		return r
	}
	for _, c := range []struct {
		name string
		rep  report
		at   float64
		want Mark
	}{
		{"its ttl had run out", live(task.Polled, 10*time.Second), 11, Expired},
		{"it had not", live(task.Listed, 10*time.Second), 9, Gone},
		{"there was none", live(task.Polled, task.NoTTL), 9, Gone},
		{"known by push alone", live(task.Pushed, 10*time.Second), 11, PushOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore("ops")
			r := s.apply(c.rep).row
			s.unknown(r, clock(c.at))
			if r.Mark != c.want || r.Live() != (c.want == PushOnly) {
				t.Errorf("mark %v, live %v", r.Mark, r.Live())
			}
			// A page that was asked for before proves nothing; one after does.
			again := c.rep
			again.how, again.sentAt, again.at = task.Listed, clock(c.at-0.5), clock(c.at+1)
			if s.apply(again); r.Mark != c.want {
				t.Errorf("an old page took the mark away: %v", r.Mark)
			}
			again.sentAt, again.at = clock(c.at+2), clock(c.at+3)
			if s.apply(again); r.Mark != NoMark {
				t.Errorf("a new page does not: %v", r.Mark)
			}
		})
	}
	t.Run("a row that has ended keeps its status", func(t *testing.T) {
		s := newStore("ops")
		r := s.apply(told{task.Failed, "", 1, task.Polled, 1, 1}.report()).row
		s.unknown(r, clock(2))
		if r.Mark != Gone || r.Task.Status != task.Failed || r.classOf() != failed {
			t.Errorf("%v %v", r.Mark, r.Task.Status)
		}
	})
	t.Run("which errors say so", func(t *testing.T) {
		for _, c := range []struct {
			code int
			text string
			want bool
		}{{-32602, "whatever", true}, {-32603, "Task not found", true}, {-32603, "task expired", true}, {-32603, "disk full", false}, {-32601, "not found", false}} {
			e := &task.Error{Kind: task.RPC, Code: c.code, Message: task.Own(c.text)}
			if unknownTask(e) != c.want {
				t.Errorf("%d %q: %v", c.code, c.text, !c.want)
			}
		}
		if unknownTask(&task.Error{Kind: task.HTTP, Code: -32602}) || unknownTask(nil) {
			t.Error("an error that is no JSON-RPC error counts")
		}
	})
}

func TestStepsAreBounded(t *testing.T) {
	s := newStore("ops")
	status := []task.Status{task.Working, task.InputRequired}
	n := 0
	for i := range 100 {
		for j := range 5 {
			n++
			s.apply(told{status[i%2], fmt.Sprint(i, j), float64(n), task.Pushed, float64(n), float64(n)}.report())
		}
	}
	r := s.tasks["t"]
	if len(r.Steps()) > stepLimit || len(r.Steps())+int(r.Dropped) != n {
		t.Errorf("%d steps, %d dropped, of %d", len(r.Steps()), r.Dropped, n)
	}
	changes := 0
	for i := 1; i < len(r.Steps()); i++ {
		if r.Steps()[i].Status != r.Steps()[i-1].Status {
			changes++
		}
	}
	if changes < stepLimit-wordLimit {
		t.Errorf("messages pushed changes of status out: %d changes kept", changes)
	}
	chatty := newStore("ops")
	for i := range 100 {
		chatty.apply(told{task.Working, fmt.Sprint(i), float64(i + 1), task.Pushed, float64(i + 1), float64(i + 1)}.report())
	}
	if r := chatty.tasks["t"]; len(r.Steps()) > wordLimit+1 || r.Steps()[0].Message.String() != "0" {
		t.Errorf("%d steps for messages alone", len(r.Steps()))
	}
}

func TestOldestEndedGo(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.links[0].store.limit = 10
		for i := range 12 {
			x := a(fmt.Sprintf("t%02d", i), task.Completed)
			x.Updated = time.Now().Add(time.Duration(i-1000) * time.Second)
			if i == 1 {
				x.Status = task.Working
			}
			s.put(x)
		}
		for range 3 {
			st.pass(6 * time.Second)
		}
		var left []string
		for i := range st.Board().Len() {
			left = append(left, string(st.Board().At(i).Key.ID))
		}
		if got := strings.Join(left, " "); got != "t01 t11 t10 t09 t08 t07 t06 t05 t04 t03" {
			t.Errorf("left: %s", got)
		}
		if st.Counts().Total != 10 || st.Counts().Completed != 9 || !strings.Contains(st.line(), "oldest") {
			t.Errorf("%+v %q", st.Counts(), st.line())
		}
	})
}

// TestADroppedRowIsNotTheNextToGo: what left is not counted among what can go.
func TestADroppedRowIsNotTheNextToGo(t *testing.T) {
	s := newStore("ops")
	s.limit = 2
	rows := map[task.ID]*Row{}
	for i, id := range []task.ID{"a", "b", "c"} {
		if id == "c" {
			s.drop(rows["a"])
		}
		x := task.Task{ID: id, Status: task.Completed, Updated: clock(float64(i))}
		rows[id] = s.apply(report{task: x, how: task.Listed, sentAt: clock(9), at: clock(9)}).row
	}
	if gone := s.evict(func(*Row) bool { return false }); gone != nil {
		t.Errorf("%s goes though there is room", gone.Key.ID)
	}
	s.apply(report{task: task.Task{ID: "d", Status: task.Completed, Updated: clock(4)}, how: task.Listed, sentAt: clock(9), at: clock(9)})
	if gone := s.evict(func(*Row) bool { return false }); gone != rows["b"] {
		t.Errorf("%+v goes, not the oldest that is there", gone)
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Fuzz(func(t *testing.T, in []byte) {
		s := newStore("ops")
		now, end := 0.0, task.Unknown
		for i := 0; i+2 < len(in); i += 3 {
			now++
			r := told{task.Status(in[i] % 6), "", float64(in[i+1] % 20), task.How(in[i]/6%5 + 1), now - float64(in[i+2]%4), now}
			s.apply(r.report())
			got := s.tasks["t"].Task.Status
			if end != task.Unknown && got != end {
				t.Fatalf("%v became %v", end, got)
			}
			if got.Terminal() {
				end = got
			}
		}
	})
}
