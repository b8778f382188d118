package ui

import (
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// onTwo is a stage on which one task asks two things at once, another a third.
func onTwo(t *testing.T, w, h int, f func(*stage, *script)) {
	t.Helper()
	onOps(t, w, h, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Which region?")
		srv.ask("p2", srv.tasks[0].ID, "Who approves?")
		s.settle()
		srv.ask("p3", srv.tasks[1].ID, "Go on?")
		s.wait(time.Second)
		f(s, srv)
	})
}

func TestGoldenViewsOfSeveralQuestions(t *testing.T) {
	onTwo(t, 100, 24, func(s *stage, _ *script) {
		s.press("a", "north")
		s.shows("esc keep and leave")
		s.golden("several-100x24")
		s.press("ctrl+t")
		s.golden("several-second-100x24")
		s.press("esc", "i")
		s.golden("several-inbox-100x24")
	})
}

// The next question of the same task opens by itself once one is answered.
func TestOneQuestionLeadsToTheNextOfItsTask(t *testing.T) {
	onTwo(t, 100, 30, func(s *stage, srv *script) {
		s.press("a")
		s.shows("question 1 of 2", "Which region?")
		s.press("north", "ctrl+s")
		s.shows("question 2 of 2", "Who approves?", "Question 2 of 2 is next.")
		s.press("Ada", "ctrl+s")
		if s.r.over != nil {
			t.Errorf("a form is still open:\n%s", s.see())
		}
		if len(srv.replies) != 2 || srv.replies[0].Prompt != "p1" || srv.replies[1].Prompt != "p2" {
			t.Errorf("replies %+v", srv.replies)
		}
	})
}

// What is asked beside an answer that was delivered matters more than that.
func TestAPartialAnswerLeavesTheOtherQuestionInSight(t *testing.T) {
	onTwo(t, 140, 30, func(s *stage, _ *script) {
		s.press("a", "north", "ctrl+s", "esc")
		for range 3 { // also after the time for an effect
			s.shows("◆ asking      786512e2", "Who approves?")
			_, row, _ := strings.Cut(s.see(), "◆ asking      786512e2")
			if row, _, _ = strings.Cut(row, "││"); !strings.Contains(row, "Who approves?") || strings.Contains(row, "delivered") {
				t.Fatalf("the row: %s", row)
			}
			s.wait(8 * time.Second)
		}
		s.details("answer: delivered")
	})
}

func TestTheKeysBetweenTheQuestionsOfATask(t *testing.T) {
	onTwo(t, 100, 30, func(s *stage, _ *script) {
		s.press("a", "north", "ctrl+n")
		s.shows("Who approves?", "question 2 of 2")
		s.press("ctrl+n") // round again
		s.shows("Which region?", "north")
		s.press("ctrl+p")
		s.shows("Who approves?")
		s.press("esc")
		s.goTo(s.m.Ask("p3").Row.ID)
		s.press("a", "ctrl+n")
		s.shows("This is the only question of its task.")
	})
}

// Answers that are held go together with the last one.
func TestHeldAnswersGoTogether(t *testing.T) {
	onTwo(t, 100, 30, func(s *stage, srv *script) {
		s.press("a", "north", "ctrl+t")
		if len(srv.replies) != 0 {
			t.Fatalf("sent at once: %+v", srv.replies)
		}
		if a := s.m.Ask("p1"); a.State != model.Held {
			t.Fatalf("the first is in state %d", a.State)
		}
		s.press("esc")
		s.shows("held")
		s.press("i")
		s.shows("1 more answer before it goes out")
		s.press("esc", "a", "Ada", "ctrl+s")
		if len(srv.replies) != 2 {
			t.Errorf("replies %+v", srv.replies)
		}
	})
}

// An answer that is held can be read and changed.
func TestAHeldAnswerIsOpenedAgain(t *testing.T) {
	onTwo(t, 100, 30, func(s *stage, srv *script) {
		s.press("a", "north", "ctrl+t", "ctrl+n")
		s.shows("Held: 1 more answer before it goes out.", "north")
		s.press(" east", "ctrl+t", "Ada", "ctrl+s")
		var first string
		for _, r := range srv.replies {
			if r.Prompt == "p1" {
				first = string(r.Content)
			}
		}
		if len(srv.replies) != 2 || first != `{"why":"north east"}` {
			t.Errorf("replies %+v, the first %s", srv.replies, first)
		}
	})
}

// The inbox keeps the questions of one task together, however urgent others are.
func TestTheInboxGroupsTheQuestionsOfATask(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Which region?")
		srv.ask("p2", srv.tasks[6].ID, "Something else?")
		s.wait(time.Second)
		srv.ask("p3", srv.tasks[0].ID, "Who approves?")
		s.settle()
		s.press("i")
		screen := s.see()
		first, last, other := strings.Index(screen, "Which region?"), strings.Index(screen, "Who approves?"), strings.Index(screen, "Something else?")
		if first < 0 || last < 0 || other < 0 || first < other && other < last {
			t.Errorf("a question stands between two of another task:\n%s", screen)
		}
		s.shows("1 of 2 · ops", "2 of 2 · ops")
	})
}

// A call that is no task yet may ask too, and goes on when it is answered.
func TestTheQuestionOfACallSaysSo(t *testing.T) {
	onModern(t, 100, 30, func(s *stage, srv *script) {
		s.run(s.r.start("ops", task.Call{Tool: "deploy"}))
		s.send(struct{}{})
		srv.events <- task.Prompted{Prompt: task.Prompt{ID: "c1", Call: srv.calls[0].ID, Message: task.Own("Which region?"), At: time.Now()}}
		s.settle()
		s.press("a")
		s.shows("a call of yours, no task yet", "Which region?")
	})
}

func TestQuitNamesTheFormsThatHoldSomething(t *testing.T) {
	onTwo(t, 100, 30, func(s *stage, _ *script) {
		s.r.saveCall(callForm{server: "ops", tool: "deploy"}, model.Draft{"to": "prod"})
		s.press("a", "north", "ctrl+t", "Ada", "esc", "q")
		s.shows("3 forms hold", `• ops · task 786512e2: "Which region?", an answer that is held`,
			`• ops · task 786512e2: "Who approves?"`, "• the call of deploy on ops")
		s.hides("Go on?\"")
	})
}
