package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// A prompt that is withdrawn while one types stays in the inbox as long as
// what was typed is kept, and what was typed can be read there.
func TestADraftOfAWithdrawnPromptCanBeReached(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because", "esc")
		srv.events <- task.Withdrawn{Prompt: "p1", Why: task.Own("the server waits no longer")}
		done := srv.tasks[0]
		done.Status, done.Updated = task.Completed, time.Now()
		srv.push(done)
		s.settle()
		s.wait(10 * time.Minute)
		s.press("i")
		s.shows("Inbox 0 · 1 draft kept", "the server withdrew", "Approve?")
		s.press("enter")
		s.shows("because", "the server waits no longer")
		s.press("ctrl+o", "y")
		if len(s.copies) != 1 || !strings.Contains(s.copies[0], "because") {
			t.Errorf("copied %q", s.copies)
		}
		s.press("ctrl+o", "x")
		if s.r.over != nil || s.m.Draft("p1") != nil {
			t.Errorf("after throwing it away: form %v, draft %v", s.r.over, s.m.Draft("p1"))
		}
		s.shows("Nothing waits for you")
	})
}

func TestWhatWasTypedIsOfferedWhenTheSameIsAskedAgain(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because", "esc")
		srv.events <- task.Withdrawn{Prompt: "p1"}
		s.settle()
		srv.ask("p2", srv.tasks[0].ID, "Approve?")
		s.wait(time.Second)
		s.press("a")
		s.shows("because", "This was asked before")
		s.press("ctrl+s")
		if len(srv.replies) != 1 || srv.replies[0].Prompt != "p2" || string(srv.replies[0].Content) != `{"why":"because"}` {
			t.Errorf("replies %+v", srv.replies)
		}
	})
}

// Who cancels a task knows that its question goes with it.
func TestOurOwnCancelIsNoNewsOfItsPrompt(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("c", "y")
		if s.m.Ask("p1").State != model.Withdrawn {
			t.Fatalf("the prompt is %v", s.m.Ask("p1").State)
		}
		s.hides("can no longer be answered")
	})
}

func TestNoticesAreSentences(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, _ *script) {
		for in, want := range map[string]string{
			"it has ended":            "It has ended.",
			"ops: connection refused": "ops: connection refused",
			"Well done.":              "Well done.",
			"":                        "",
		} {
			if got := s.r.sentenceOf(in); got != want {
				t.Errorf("%q: %q, want %q", in, got, want)
			}
		}
	})
}

// X opens the form of the call that was made, so that it can be made otherwise.
func TestRunAgainOpensTheFormWithTheSameArguments(t *testing.T) {
	var srv *script
	play(t, 100, 30, func() map[string]*script {
		srv = opsServer()
		srv.tools = []task.Tool{{
			Name: "deploy", Title: task.Own("Deploy"), Support: task.Optional,
			Input: task.Form{Schema: json.RawMessage(`{"type":"object"}`), Fields: []task.Field{
				{Name: "to", Label: task.Own("To"), Kind: task.StringField, Required: true, MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1},
			}},
		}}
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		s.press("n")
		s.press("enter", "prod", "tab", "down", "ctrl+s") // plainly
		if len(srv.calls) != 1 || srv.calls[0].AsTask {
			t.Fatalf("calls %+v", srv.calls)
		}
		s.press("X")
		s.shows("new Deploy on ops", "prod")
		s.press("ctrl+s")
		if len(srv.calls) != 2 || string(srv.calls[1].Args) != `{"to":"prod"}` || srv.calls[1].AsTask || srv.calls[1].ID == srv.calls[0].ID {
			t.Fatalf("calls %+v", srv.calls)
		}
		s.press("X", "uction", "ctrl+s")
		if len(srv.calls) != 3 || string(srv.calls[2].Args) != `{"to":"production"}` {
			t.Errorf("calls %+v", srv.calls)
		}
	})
}
