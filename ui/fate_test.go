package ui

import (
	"testing"
	"time"

	"callboard/model/task"
)

// Whatever becomes of a question and of its answer is told in words: in the
// detail of its task, which outlives the inbox, and where it is news in the inbox.
func TestWhatBecameOfAQuestionIsTold(t *testing.T) {
	goOn := func(srv *script, to task.Status) {
		one := srv.tasks[0]
		one.Status, one.Updated, one.Message = to, time.Now(), task.Own("Going on")
		srv.push(one)
	}
	answer := []string{"a", "because", "ctrl+s"}
	for name, tt := range map[string]struct {
		do             func(*stage, *script)
		inbox, details []string
		form           string // what it says then, "" for no form
	}{
		"the server gives up and says so": {
			do: func(s *stage, srv *script) {
				srv.events <- task.Withdrawn{Prompt: "p1", Why: task.Own("nobody answered within 60 s")}
			},
			inbox:   []string{"withdrawn", "the server withdrew the question: nobody answered within 60 s"},
			details: []string{`"Approve?", withdrawn 00:00:00: the server withdrew the question: nobody answered within 60 s`},
		},
		"the server gives up and says nothing": {
			do: func(s *stage, srv *script) {
				s.press(answer...)
				s.wait(time.Minute)
			},
			inbox:   []string{"Inbox 0"},
			details: []string{"you answer: no effect seen"},
		},
		"the task goes on by itself, or was answered elsewhere": {
			do:      func(_ *stage, srv *script) { goOn(srv, task.Working) },
			inbox:   []string{"withdrawn", "answered elsewhere, or given up"},
			details: []string{`"Approve?", withdrawn 00:00:00: the task went on without an answer from here: it was answered elsewhere, or given up`},
		},
		"the task ends without an answer": {
			do:      func(_ *stage, srv *script) { goOn(srv, task.Failed) },
			inbox:   []string{"withdrawn", "the task ended (failed) without an answer"},
			details: []string{"withdrawn 00:00:00: the task ended (failed) without an answer"},
		},
		"the answer is taken": {
			do: func(s *stage, srv *script) {
				s.press(answer...)
				goOn(srv, task.Working)
			},
			inbox:   []string{"answered"},
			details: []string{"you answer: taken", `"Approve?", answered 00:00:00`},
		},
		"the answer comes too late": {
			do: func(s *stage, srv *script) {
				srv.mu.Lock()
				srv.late = 5 * time.Second
				srv.mu.Unlock()
				s.press(answer...)
				srv.events <- task.Withdrawn{Prompt: "p1", Why: task.Own("too slow")}
				s.wait(10 * time.Second)
			},
			inbox:   []string{"draft kept", "too late: the server withdrew the question: too slow"},
			details: []string{"you answer failed: it came too late", "the answer came too late: the server withdrew the question: too slow"},
		},
		"the link breaks before the reply": {
			do: func(s *stage, srv *script) {
				srv.mu.Lock()
				srv.lost = &task.Error{Kind: task.Lost, Message: task.Own("the connection broke")}
				srv.mu.Unlock()
				s.press(answer...)
			},
			inbox:   []string{"asking", "nobody knows whether it arrived"},
			details: []string{"you answer: unknown: the link broke after sending; nobody knows whether it arrived, just now. R sends it again. asks asking just now ┃ Approve?"},
			form:    "! Unknown: the link broke after sending; nobody knows whether it arrived. Sent again, it may",
		},
		"the answer is refused": {
			do: func(s *stage, srv *script) {
				srv.mu.Lock()
				srv.lost = &task.Error{Kind: task.RPC, Code: -32602, Message: task.Own("no such question")}
				srv.mu.Unlock()
				s.press(answer...)
			},
			inbox:   []string{"asking", "no such question"},
			details: []string{"you answer failed", "no such question", "R sends it again"},
		},
		"the same is asked again": {
			do: func(s *stage, srv *script) {
				s.press(answer...)
				s.wait(time.Second)
				srv.ask("p2", srv.tasks[0].ID, "Approve?")
			},
			inbox:   []string{"asking", "answered"},
			details: []string{"you answer: no effect seen: the same is asked again", "asks asking just now"},
		},
		"the session dies": {
			do:      func(_ *stage, srv *script) { _ = srv.Close(t.Context(), true) },
			inbox:   []string{"withdrawn", "the connection to the server broke"},
			details: []string{"withdrawn 00:00:00: the connection to the server broke"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onOps(t, 140, 40, func(s *stage, srv *script) {
				srv.ask("p1", srv.tasks[0].ID, "Approve?")
				s.settle()
				tt.do(s, srv)
				s.settle()
				s.goTo(srv.tasks[0].ID)
				s.details(tt.details...)
				s.press("i")
				s.shows(tt.inbox...)
				s.fitsScreen()
				if tt.form != "" {
					s.press("a")
					s.shows(tt.form)
				}
			})
		})
	}
}
