package ui

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// visit pushes a question that sends the person to an address.
func (s *script) visit(id task.PromptID, of task.ID, page string) {
	s.events <- task.Prompted{Prompt: task.Prompt{
		ID: id, Task: of, Mode: task.URLMode, Message: task.Own("Please log in"), At: time.Now(), URL: page, ElicitationID: "e1",
	}}
}

func TestAURLIsOpenedOnConsentOnly(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.visit("u1", srv.tasks[0].ID, "https://login.example.com/a?b=c")
		s.settle()
		s.press("a")
		s.shows("https://login.example.com/a?b=c", "Please log in")
		if len(s.pages) != 0 || len(srv.replies) != 0 {
			t.Fatal("opened, or answered, without consent")
		}
		s.press("o")
		if len(s.pages) != 1 || s.pages[0] != "https://login.example.com/a?b=c" {
			t.Errorf("opened %v", s.pages)
		}
		if len(srv.replies) != 1 || srv.replies[0].Action != task.Accept || srv.replies[0].Content != nil {
			t.Errorf("replies %+v", srv.replies)
		}
		if s.r.over == nil {
			t.Fatal("the form is gone while the other side is waited for")
		}
		s.press("d")
		if s.r.over != nil {
			t.Error("done does not close the form")
		}
		if len(srv.replies) != 1 {
			t.Errorf("answered %d times", len(srv.replies))
		}
	})
}

func TestAURLIsCopiedOnConsent(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.visit("u1", srv.tasks[0].ID, "https://login.example.com/")
		s.settle()
		s.press("a", "y")
		if len(s.copies) != 1 || s.copies[0] != "https://login.example.com/" {
			t.Errorf("copied %v", s.copies)
		}
		if len(srv.replies) != 1 {
			t.Errorf("replies %+v", srv.replies)
		}
	})
}

func TestDecliningTellsTheServer(t *testing.T) {
	for key, want := range map[string]task.Action{"d": task.Decline, "c": task.Dismiss} {
		onOps(t, 100, 30, func(s *stage, srv *script) {
			srv.ask("p1", srv.tasks[0].ID, "Approve?")
			s.settle()
			s.press("a", "ctrl+o", key)
			if len(srv.replies) != 1 || srv.replies[0].Action != want || srv.replies[0].Content != nil {
				t.Errorf("%s: replies %+v", key, srv.replies)
			}
		})
	}
}

// The menu's first lines tell the server no: nobody says so by pressing enter
// twice.
func TestTheMenuDoesNotBeginAtNo(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "ctrl+o", "enter")
		if len(srv.replies) != 0 {
			t.Errorf("replies %+v", srv.replies)
		}
	})
}

func TestTheEditorsTextComesBack(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		var name string
		s.r.o.Editor = func(text, file string, done func(string, error) tea.Msg) tea.Cmd {
			name = file
			return func() tea.Msg { return done(text+" and more", nil) }
		}
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because", "ctrl+o", "e")
		if name != "callboard-text.txt" {
			t.Errorf("the file is called %q", name)
		}
		s.shows("because and more")
		if d := s.m.Draft("p1"); d["why"] != "because and more" {
			t.Errorf("draft %v", d)
		}
		s.r.o.Editor = func(_, _ string, done func(string, error) tea.Msg) tea.Cmd {
			return func() tea.Msg { return done("", errors.New("the editor vi failed")) }
		}
		s.press("ctrl+o", "e")
		s.shows("the editor vi failed", "because and more")
	})
}

func TestAFailedAnswerKeepsItsText(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		srv.mu.Lock()
		srv.fail = &task.Error{Kind: task.HTTP, Status: 500, Message: task.Own("500 Internal Server Error")}
		srv.mu.Unlock()
		s.press("a", "because", "ctrl+s")
		s.shows("answer failed", "500 Internal Server")
		srv.mu.Lock()
		srv.fail = nil
		srv.mu.Unlock()
		s.press("a")
		s.shows("because")
		s.press("esc", "R")
		n := len(srv.replies)
		if n < 2 || string(srv.replies[n-1].Content) != `{"why":"because"}` {
			t.Errorf("R sent %+v", srv.replies)
		}
	})
}

func TestAnswerOpensTheInboxWhereTheRowDoesNotAsk(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		srv.ask("p2", srv.tasks[1].ID, "Which one?")
		s.settle()
		s.goTo("c0ffee00-dead-4bee-8fad-0123456789ab")
		s.press("a")
		s.shows("Inbox 2", "Approve?", "Which one?")
		if s.r.over != nil {
			t.Error("a form opened for a row that does not ask")
		}
		s.press("enter")
		if s.r.over == nil {
			t.Error("enter in the inbox opens no form")
		}
		s.press("esc", "esc")
		if s.r.at != atTasks {
			t.Error("esc does not lead back to the tasks")
		}
	})
}

// Three questions are answered one after the other, with one key for each.
func TestTheInboxGoesOnToTheNextQuestion(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		for i, id := range []task.PromptID{"p1", "p2", "p3"} {
			srv.ask(id, srv.tasks[i].ID, "Approve "+string(id)+"?")
			s.settle()
		}
		s.press("i", "a", "x", "ctrl+s", "a", "y", "ctrl+s", "a", "z", "ctrl+s")
		seen := map[task.PromptID]bool{}
		for _, r := range srv.replies {
			seen[r.Prompt] = true
		}
		if len(srv.replies) != 3 || len(seen) != 3 {
			t.Errorf("replies %+v", srv.replies)
		}
	})
}

// A call that is refused for want of a visit is sent again after it.
func TestACallThatNeedsAVisitIsSentAgain(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		s.run(s.r.start("ops", task.Call{Tool: "report", Args: json.RawMessage(`{}`)}))
		s.send(struct{}{})
		id := srv.calls[0].ID
		srv.events <- task.Prompted{Prompt: task.Prompt{
			ID: "u1", Call: id, Mode: task.URLMode, Visit: true, Message: task.Own("Please log in"), At: time.Now(), URL: "https://login.example.com/",
		}}
		srv.events <- task.Returned{Call: id, Err: &task.Error{Kind: task.RPC, Code: needsURL, Message: task.Own("visit first")}}
		s.settle()
		s.shows("1 prompt waits: a", "a answer")
		s.press("a")
		s.shows("a call of yours", "is sent again once you")
		s.hides("no task yet", "server is told") // nor ever
		s.press("o", "d")
		s.shows("Run report again?")
		s.press("y")
		if len(srv.calls) != 2 || srv.calls[1].Tool != "report" {
			t.Errorf("calls %+v", srv.calls)
		}
	})
}

// A question that the person waits for opens when it comes, unless a key was
// pressed first.
func TestAQuestionThatIsWaitedForOpens(t *testing.T) {
	for _, c := range []struct {
		keys []string
		open bool
	}{{[]string{"a"}, true}, {[]string{"a", "j"}, false}} {
		onOps(t, 100, 30, func(s *stage, srv *script) {
			s.press(c.keys...)
			if c.open {
				s.shows("opens when it comes")
			}
			srv.ask("p1", srv.tasks[0].ID, "Approve?")
			s.settle()
			if got := s.r.over != nil; got != c.open {
				t.Errorf("after %v a form is open: %v", c.keys, got)
			}
			s.hides("opens when it comes")
		})
	}
}

func TestStartingAToolFromItsForm(t *testing.T) {
	var srv *script
	play(t, 100, 30, func() map[string]*script {
		srv = opsServer()
		srv.tools = []task.Tool{{
			Name: "deploy", Title: task.Own("Deploy"), Description: task.Own("Rolls out a build."), Support: task.Required,
			Input: task.Form{Schema: json.RawMessage(`{"type":"object"}`), Fields: []task.Field{
				{Name: "to", Label: task.Own("To"), Kind: task.StringField, Required: true, MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1},
			}},
		}}
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		s.press("n")
		s.shows("Tools of ops", "deploy", "Rolls out a build.")
		s.golden("tools-100x30")
		s.press("enter", "prod", "ctrl+s")
		if len(srv.calls) != 1 || srv.calls[0].Tool != "deploy" || string(srv.calls[0].Args) != `{"to":"prod"}` ||
			!srv.calls[0].AsTask || srv.calls[0].TTL != time.Hour {
			t.Fatalf("calls %+v", srv.calls)
		}
		if s.r.at != atTasks || s.r.tasks.at.Call != srv.calls[0].ID {
			t.Errorf("the new row is not selected: place %v, row %v", s.r.at, s.r.tasks.at)
		}
		s.press("n", "/", "nothing like it")
		s.hides("Rolls out")
		s.press("enter", "n", "n")
		s.shows("Rolls out")
		s.press("/", "q") // text, not quit
		if s.r.quitting {
			t.Error("q quit while a filter was typed")
		}
	})
}

// One word for one act: in the menu, the detail and the inbox.
func TestWhatWasDoneWithAQuestionHasOneWord(t *testing.T) {
	for key, word := range map[string]string{"d": "decline", "c": "dismiss"} {
		done := strings.TrimSuffix(word, "e") + "ed"
		onOps(t, 120, 40, func(s *stage, srv *script) {
			srv.ask("p1", srv.tasks[0].ID, "Approve?")
			s.settle()
			s.press("a", "ctrl+o")
			s.shows(word + ":")
			s.press(key)
			s.shows(word + ": ")
			s.press("i")
			s.shows("○ "+done, "asked     00:00:00 \"Approve?\"", done+" 00:00")
			s.hides("answered", "a answer  tab")
			s.press("enter")
			s.shows("It is " + done + " already.")
		})
	}
}

// A question that is withdrawn leaves word with its row: which, when and why.
func TestAWithdrawnQuestionIsTold(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve? "+strings.Repeat("It is urgent. ", 20))
		s.settle()
		s.wait(time.Minute)
		srv.events <- task.Withdrawn{Prompt: "p1", Why: task.Own("nobody answered")}
		s.settle()
		s.shows(`The question "Approve? It is`, "786512e2...e840 on ops", "can no longer be answered")
		s.press("i")
		s.shows("withdrawn", "the question: nobody answered") // whole, however long the question is
		s.press("esc")
		s.wait(10 * time.Minute)
		s.shows(`"Approve? It is`)
		said := strings.Join(strings.Fields(ansi.Strip(strings.Join(detailLines(s.r.scene(), s.m.Row(s.r.tasks.at), 40), " "))), " ")
		if !strings.Contains(said, "withdrawn 00:01:00: the server withdrew the question: nobody answered") {
			t.Errorf("the detail says %s", said)
		}
	})
}

// In the inbox enter opens the result of what has ended.
func TestEnterInTheInboxOpensTheResult(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		id := srv.tasks[0].ID
		srv.ask("p1", id, "Approve?")
		s.settle()
		s.press("a", "ctrl+s")
		srv.mu.Lock()
		srv.tasks[0].Status, srv.tasks[0].Updated = task.Completed, time.Now()
		srv.results[id] = task.Result{Content: []task.Content{{Kind: task.TextContent, Text: "Rolled out.\n"}}, Raw: json.RawMessage(`{}`)}
		srv.mu.Unlock()
		srv.push(srv.tasks[0])
		s.settle()
		s.press("i")
		s.shows("answered", "enter result")
		s.press("enter")
		s.shows("Rolled out.")
		s.press("esc")
		s.shows("Inbox 0")
	})
}

// Where no browser opens, the way out is named, and what is copied is the URL.
func TestAURLThatDoesNotOpenCanBeCopied(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		s.r.o.OpenURL = func(string) error { return errors.New("there is no browser") }
		srv.visit("u1", srv.tasks[0].ID, "https://login.example.com/")
		s.settle()
		s.press("a", "o")
		s.shows("Not opened: there is no browser. y copies the URL.", "y copy")
		s.press("y")
		s.shows("Handed the URL to")
		if len(s.copies) != 1 || s.copies[0] != "https://login.example.com/" {
			t.Errorf("copied %v", s.copies)
		}
	})
}

// In the inbox nothing says how to get there.
func TestTheInboxNamesNoKeyForItself(t *testing.T) {
	onOps(t, 120, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		srv.ask("p2", srv.tasks[1].ID, "Which one?")
		s.settle()
		s.goTo("c0ffee00-dead-4bee-8fad-0123456789ab")
		s.shows("2 prompts wait: i")
		s.press("i")
		s.shows("2 prompts wait")
		s.hides("2 prompts wait:")
	})
}

func TestHelpExplainsItsWords(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, _ *script) {
		s.press("?", "G")
		s.shows("Words", "(most likely)", "◑ quiet", "push only")
		s.press("/", "of a yes", "enter")
		s.shows("yes, of a yes or no")
	})
}
