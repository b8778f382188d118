package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// onModern is a stage with a server of the 2026-07-28 generation: it lists
// nothing, and a cancel is a wish to it.
func onModern(t *testing.T, w, h int, f func(*stage, *script)) {
	t.Helper()
	var srv *script
	play(t, w, h, func() map[string]*script {
		srv = opsServer()
		srv.tasks = nil
		srv.about = task.About{
			Era: task.Modern, Version: "2026-07-28", Name: task.Own("Operations"), ServerVersion: task.Own("3.0"),
			List: task.CanNo, Cancel: task.CanYes, TaskCalls: task.CanYes, Tools: task.CanYes,
		}
		srv.wishes = true
		return map[string]*script{"ops": srv}
	}, func(s *stage) { f(s, srv) })
}

func TestTheHeaderAndTheServersNameTheGeneration(t *testing.T) {
	onModern(t, 120, 40, func(s *stage, srv *script) {
		s.shows("2026-07-28")
		s.size(40, 12) // where the title has no room
		s.shows(" ops · 2026-07-28 · ")
		s.hides("callboard")
		s.size(120, 40)
		s.press("s")
		s.shows("MCP 2026-07-28: no sessions, tasks as an extension", "no list of tasks")
		s.golden("servers-modern-120x40")
	})
	onOps(t, 80, 24, func(s *stage, _ *script) {
		s.press("s")
		s.shows("MCP 2025-11-25: sessions, tasks in the core protocol")
	})
}

func TestTheHeaderOfSeveralServersNamesTheirGenerations(t *testing.T) {
	play(t, 120, 24, func() map[string]*script {
		modern := opsServer()
		modern.about.Era, modern.about.Version = task.Modern, "2026-07-28"
		return map[string]*script{"ops": opsServer(), "lab": modern}
	}, func(s *stage) { s.shows("2 servers · 2025-11-25, 2026-07-28 · ") })
}

// A server without tasks is named so before anybody wonders.
func TestWhatAPersonShouldKnowOfAServerIsShown(t *testing.T) {
	for _, w := range []int{40, 60, 80, 120, 200} {
		var srv *script
		play(t, w, 24, func() map[string]*script {
			srv = newScript()
			srv.about.Era, srv.about.Version = task.Legacy, "2025-06-18"
			srv.about.List, srv.about.Cancel, srv.about.TaskCalls = task.CanNo, task.CanNo, task.CanNo
			srv.about.Note = task.Own("MCP 2025-06-18 has no tasks")
			srv.about.Joined = true
			return map[string]*script{"ops": srv}
		}, func(s *stage) {
			head, _, _ := strings.Cut(s.see(), "\n")
			switch {
			case w >= 200 && !strings.Contains(head, "MCP 2025-06-18 has no tasks"):
				t.Errorf("%d cells: %s", w, head)
			case w >= 80 && w < 200 && !strings.Contains(head, "2025-06-18 !"):
				t.Errorf("%d cells: %s", w, head)
			}
			s.fitsScreen()
			s.press("s")
			if w >= 60 {
				s.shows("MCP 2025-06-18 has no tasks")
			}
			if w >= 60 {
				s.shows("of another program, joined")
			}
			if w == 120 {
				s.golden("note-120x24")
			}
		})
	}
}

// A cancel is a wish until the truth is known, which may be another.
func TestACancelThatLosesAgainstTheEnd(t *testing.T) {
	onModern(t, 120, 30, func(s *stage, srv *script) {
		srv.push(task.Task{ID: "t1", Status: task.Working, Message: task.Own("Rolling out"), Created: time.Now(), Updated: time.Now()})
		s.settle()
		s.press("c")
		s.shows("The server takes a cancel as a wish")
		s.press("y")
		s.shows("◐ cancelling  t1        Rolling out", "cancel: delivered")
		s.details("The server took it as a wish; the task may still end otherwise.")
		s.golden("cancelling-120x30")
		s.wait(time.Second)
		srv.end("t1")
		s.settle()
		s.shows("✓ completed", "the cancel came too late")
		s.details("cancel: too late, just now")
		s.hides("cancelling", "cancel: taken")
	})
}

// A result that says isError comes with the end: it does not look like success.
func TestAToolErrorIsNoSuccess(t *testing.T) {
	onModern(t, 120, 30, func(s *stage, srv *script) {
		srv.push(newTask("t1", task.Working))
		end := newTask("t2", task.Completed)
		end.ToolError = true
		srv.push(end)
		s.settle()
		s.shows("✗ tool error  t2", "✓0  ✗1")
		s.goTo("t2")
		s.details("the tool says that it failed; enter reads it")
		// Also where the state was known, and the result comes later.
		srv.push(newTask("t1", task.Completed))
		s.settle()
		s.shows("✓ completed   t1", "✓1  ✗1")
		end.ID = "t1"
		srv.push(end)
		s.settle()
		s.shows("✗ tool error  t1", "✓0  ✗2")
	})
}

// The words of our own that stand for a status are explained.
func TestTheHelpExplainsTheWordsOfTheTable(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		sc := s.r.scene()
		explained := map[string]bool{}
		for _, w := range sc.vocabulary() {
			explained[w[0]] = true
		}
		for _, row := range []model.Row{
			{Mark: model.NotOurs}, {Mark: model.Expired}, {Mark: model.Gone}, {Mark: model.UnknownOutcome},
			{Task: task.Task{Status: task.Completed, ToolError: true}},
		} {
			if word := sc.statusOf(&row).word; !explained[word] {
				t.Errorf("%q is not explained", word)
			}
		}
	})
}

// What a server reports after the end stands beside it.
func TestALateCompletionStandsBesideTheEnd(t *testing.T) {
	onModern(t, 120, 30, func(s *stage, srv *script) {
		srv.push(newTask("t1", task.Cancelled))
		s.settle()
		s.wait(time.Second)
		srv.push(newTask("t1", task.Completed))
		s.settle()
		s.shows("○ cancelled", "later reported completed")
	})
}

func TestATaskThatAsksOnAfterACancelAsks(t *testing.T) {
	onModern(t, 120, 30, func(s *stage, srv *script) {
		srv.push(newTask("t1", task.InputRequired))
		srv.ask("p1", "t1", "Approve?")
		s.settle()
		s.press("c", "y")
		s.shows("◐ cancelling")
		s.wait(35 * time.Second)
		s.shows("no effect seen", "◆ asking")
	})
}

// The words of the marks, in the table and in the detail.
func TestMarksHaveTheirWords(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, _ *script) {
		sc := s.r.scene()
		at := time.Now().Add(-time.Hour)
		base := model.Row{Key: task.Key{Server: "ops", ID: "t1"}, Task: task.Task{Status: task.Working}, How: task.Remembered, First: model.At(at), Since: model.At(at), Began: model.At(at)}
		for want, change := range map[string]func(*model.Row){
			"◐ working?":  func(*model.Row) {},
			"◌ expired":   func(r *model.Row) { r.Mark = model.Expired },
			"◌ gone":      func(r *model.Row) { r.Mark = model.Gone },
			"◌ not ours":  func(r *model.Row) { r.Mark = model.NotOurs },
			"◌ not ours ": func(r *model.Row) { r.Mark, r.Task.Status = model.NotOurs, task.Completed },
			"! unknown": func(r *model.Row) {
				r.Mark, r.Key.ID, r.Key.Call = model.UnknownOutcome, "", "c1"
			},
		} {
			row := base
			change(&row)
			if st := sc.statusOf(&row); st.glyph+" "+st.word != strings.TrimSpace(want) {
				t.Errorf("%s: it shows %s %s", want, st.glyph, st.word)
			}
		}
		lost := base
		lost.Key, lost.Mark, lost.Tool = task.Key{Server: "ops", Call: "c1"}, model.UnknownOutcome, task.Own("deploy")
		lost.Sent = &task.Sent{Call: "c1", Tool: "deploy", Digest: "0123456789abcdef", At: at}
		said := words(detailLines(sc, &lost, 76))
		for _, want := range []string{
			"a call that may have done something", "unknown outcome", "tool deploy", "sent ", "1h ago, by an earlier callboard",
			"their digest is 0123456789abcdef", "Find out at the server what it did", ":forget takes this row away",
		} {
			if !strings.Contains(said, want) {
				t.Errorf("the detail does not say %q:\n%s", want, said)
			}
		}
		other := base
		other.Mark = model.NotOurs
		if said := words(detailLines(sc, &other, 76)); !strings.Contains(said, "with the credentials that started it") {
			t.Errorf("not ours: %s", said)
		}
	})
}

// details fails where the detail of the selected row does not hold the words.
func (s *stage) details(want ...string) {
	s.t.Helper()
	said := words(detailLines(s.r.scene(), s.m.Row(s.r.tasks.at), 200))
	for _, w := range want {
		if !strings.Contains(said, w) {
			s.t.Errorf("the detail does not say %q: %s", w, said)
		}
	}
}

// words are lines as one sentence, without looks.
func words(lines []string) string {
	return strings.Join(strings.Fields(escapes.ReplaceAllString(strings.Join(lines, " "), "")), " ")
}

// The detail says whether push brings news of the task, and why not.
func TestTheDetailSaysWhyATaskIsPolled(t *testing.T) {
	onModern(t, 120, 30, func(s *stage, srv *script) {
		srv.push(newTask("t1", task.Working))
		srv.push(newTask("t2", task.Working))
		srv.events <- task.Stream{Up: true, Partial: true, Tasks: []task.ID{"t1"}}
		s.settle()
		s.goTo("t1")
		s.hides("push does not cover")
		s.goTo("t2")
		s.details("push does not cover this task")
		srv.events <- task.Stream{Why: "the stream broke"}
		s.settle()
		s.details("push is down: the stream broke")
	})
}

// The time line tells what befell what is known of a task, too.
func TestTheTimeLineTellsOfTheLinkAndOfTheEnd(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		sc := s.r.scene()
		for want, step := range map[string]task.Step{
			"◌ gone not found":      {Kind: task.Forgotten, Status: task.Working},
			"◌ expired TTL ran out": {Kind: task.RanOut, Status: task.Working},
			"○ link lost":           {Kind: task.LinkLost, Status: task.Working},
			"● link back":           {Kind: task.LinkBack, Status: task.Working},
			"✓ completed pushed":    {Status: task.Completed, How: task.Pushed},
		} {
			st, word, how := sc.stepLook(&step)
			if got := strings.TrimSpace(st.glyph + " " + word + " " + how); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
	onOps(t, 120, 40, func(s *stage, srv *script) {
		s.goTo(srv.tasks[1].ID)
		s.wait(time.Second)
		srv.mu.Lock()
		gone := srv.tasks[1].ID
		srv.tasks = append(srv.tasks[:1:1], srv.tasks[2:]...)
		srv.mu.Unlock()
		for range 15 {
			s.wait(time.Second)
		}
		s.shows("◌ gone")
		s.details("◌ gone not found", "status ◌ gone for 10s")
		if row := s.m.Row(task.Key{Server: "ops", ID: gone}); row.Mark != model.Gone {
			t.Errorf("mark %d", row.Mark)
		}
	})
}

// A call that was refused for want of a visit says what to do.
func TestARowThatWantsAVisitSaysSo(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, srv *script) {
		s.run(s.r.start("ops", task.Call{Tool: "report", Args: json.RawMessage(`{}`)}))
		s.send(struct{}{})
		id := srv.calls[0].ID
		srv.events <- task.Prompted{Prompt: task.Prompt{
			ID: "u1", Call: id, Mode: task.URLMode, Message: task.Own("Please log in"), At: time.Now(), URL: "https://login.example.com/",
		}}
		srv.events <- task.Returned{Call: id, Err: &task.Error{Kind: task.RPC, Code: needsURL, Message: task.Own("visit first")}}
		s.settle()
		s.shows("◆ must visit")
		s.details("a shows the address to visit")
		s.golden("visit-120x30")
		s.press("a", "o", "esc")
		s.hides("must visit")
		s.shows("X runs it again")
	})
}

// A sentence that begins with an id leaves it as it is.
func TestASentenceKeepsAnID(t *testing.T) {
	for in, want := range map[string]string{
		"the server is busy": "The server is busy.", "bbd5af8b-17a6 is forgotten": "bbd5af8b-17a6 is forgotten.", "no?": "No?", "": "",
	} {
		if got := asSentence(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// What one server says at length does not hide the next one.
func TestLongInstructionsHideNoServer(t *testing.T) {
	play(t, 80, 40, func() map[string]*script {
		ops, lab := newScript(), newScript()
		ops.about.Instructions = task.Clean(strings.Repeat("one more line\n", 60) + "the last line")
		return map[string]*script{"ops": ops, "lab": lab}
	}, func(s *stage) {
		s.press("s", "enter")
		s.shows("one more line", "◑ quiet       lab")
	})
	play(t, 80, 40, func() map[string]*script {
		ops := newScript()
		ops.about.Instructions = task.Clean(strings.Repeat("one more line\n", 60) + "the last line")
		return map[string]*script{"ops": ops}
	}, func(s *stage) {
		s.press("s", "G")
		s.shows("the last line")
	})
}
