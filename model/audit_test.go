package model

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/model/task"
)

// trail is an Audit in memory.
type trail struct {
	mu      sync.Mutex
	entries []task.Entry
	adds    int
	news    chan error
}

func (a *trail) Add(entries ...task.Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.adds++
	a.entries = append(a.entries, entries...)
}

// trouble is made in the bubble in which it is waited for.
func (a *trail) trouble() chan error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.news == nil {
		a.news = make(chan error)
	}
	return a.news
}

func (a *trail) News(ctx context.Context) error {
	select {
	case err := <-a.trouble():
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lines returns what was added since it was asked for last, an entry a line.
func (a *trail) lines() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var lines []string
	for _, e := range a.entries {
		line := fmt.Sprintf("%s %s", e.What, e.Task)
		for _, part := range []string{e.Prompt, e.Action.String(), e.Effect, e.Tool} {
			if part != "" {
				line += " " + part
			}
		}
		switch e.What {
		case task.StatusChanged:
			line += fmt.Sprintf(" %s>%s %s", e.From, e.To, e.How)
		case task.TaskSeen:
			line += fmt.Sprintf(" %s %s", e.To, e.How)
		default:
		}
		if e.Text != "" {
			line += " (" + e.Text + ")"
		}
		if e.Server != "http://localhost/mcp" || e.At.IsZero() {
			line += " WITHOUT SERVER OR TIME"
		}
		lines = append(lines, line)
	}
	a.entries = nil
	return lines
}

func (a *trail) is(t *testing.T, what string, want ...string) {
	t.Helper()
	if got := a.lines(); !slices.Equal(got, want) {
		t.Errorf("%s:\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func audited(t *testing.T, o Options, s *script, f func(*stage, *trail)) {
	t.Helper()
	a := &trail{}
	o.Audit = a
	play(t, o, s, func(st *stage) {
		st.settle()
		f(st, a)
	})
}

func TestTheAuditTrail(t *testing.T) {
	t.Run("a task is seen, moves, and is gone", func(t *testing.T) {
		s := newScript()
		audited(t, Options{}, s, func(st *stage, trail *trail) {
			s.put(a("t", task.Working))
			st.pass(6 * time.Second)
			trail.is(t, "seen", "seen t working listed")
			goesOn(st, "t", task.Working)
			trail.is(t, "the same again")
			goesOn(st, "t", task.InputRequired)
			goesOn(st, "t", task.Completed)
			trail.is(t, "pushed", "status t working>input_required pushed", "status t input_required>completed pushed")
			goesOn(st, "t", task.Failed)
			trail.is(t, "contradicted", "status t completed>failed pushed (reported after its end, which stays)")
			s.put(a("u", task.Working))
			st.pass(6 * time.Second)
			s.drop("u")
			s.drop("t")
			st.pass(30 * time.Second)
			trail.is(t, "gone", "seen u working listed", "gone u (gone before its ttl had run out)")
		})
	})
	t.Run("a question and its answer", func(t *testing.T) {
		s := newScript()
		audited(t, Options{}, s, func(st *stage, trail *trail) {
			question(st, "t", "p", "who?")
			st.SaveDraft("p", Draft{"name": "Ada"})
			st.wish(accept("p"))
			goesOn(st, "t", task.Working)
			trail.is(t, "answered",
				"seen t input_required pushed", "prompt t p", "answer t p accept sent", "answer t p accept delivered",
				"status t input_required>working pushed", "answer t p accept taken")
			question(st, "t", "q", "what?")
			st.tell(task.Withdrawn{Prompt: "q", Why: task.Own("words of the server")})
			trail.is(t, "withdrawn", "status t working>input_required pushed", "prompt t q", "withdrawn t q (the server withdrew the question)")
			question(st, "t", "r", "why?")
			s.onAnswer = func(context.Context, task.Reply) error {
				return &task.Error{Kind: task.RPC, Message: task.Own("words of the server")}
			}
			st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "r", Action: task.Decline}})
			trail.is(t, "refused", "prompt t r", "answer t r decline sent", "answer t r decline failed")
			s.onAnswer = func(context.Context, task.Reply) error { return &task.Error{Kind: task.Lost} }
			st.wish(accept("r"))
			trail.is(t, "unknown", "answer t r accept sent", "answer t r accept unknown")
			st.pass(5 * time.Second)
			if st.Ask("r").Why != stillAsks {
				t.Errorf("%q", st.Ask("r").Why)
			}
			trail.is(t, "it still asks")
			s.onAnswer = nil
			st.wish(accept("r"))
			st.pass(11 * time.Second)
			trail.is(t, "no effect", "answer t r accept sent", "answer t r accept delivered", "answer t r accept no effect seen")
		})
	})
	t.Run("started, cancelled, read", func(t *testing.T) {
		s := newScript()
		audited(t, Options{}, s, func(st *stage, trail *trail) {
			started(st, "c", "t")
			trail.is(t, "started", "start  sent deploy", "start  delivered deploy", "seen t deploy working started here", "start t taken deploy")
			st.wish(CancelMsg{task.Key{Server: "ops", ID: "t"}})
			trail.is(t, "cancelled", "cancel t sent deploy", "cancel t delivered deploy",
				"status t deploy working>cancelled cancel reply", "cancel t taken deploy")
			started(st, "d", "u")
			goesOn(st, "u", task.Completed)
			st.wish(ResultMsg{task.Key{Server: "ops", ID: "u"}})
			if got := trail.lines(); got[len(got)-1] != "result u deploy (a result)" {
				t.Errorf("%q", got)
			}
			st.wish(StartMsg{"ops", task.Call{ID: "e", Tool: "add"}})
			st.tell(task.Returned{Call: "e", Result: &task.Result{IsError: true}})
			trail.is(t, "a plain call", "start  sent add", "start  delivered add", "start  taken add",
				"result  add (an error of the tool)", "status  add working>failed its reply")
		})
	})
	t.Run("read-only, too; one piece for each message", func(t *testing.T) {
		s := newScript()
		for i := range 500 {
			s.put(a(fmt.Sprint("t", i), task.Working))
		}
		audited(t, Options{ReadOnly: true}, s, func(_ *stage, trail *trail) {
			n := len(trail.lines())
			trail.mu.Lock()
			defer trail.mu.Unlock()
			if n != 500 || trail.adds != 1 {
				t.Errorf("%d entries in %d pieces", n, trail.adds)
			}
		})
	})
	t.Run("what is kept from before was written down by who saw it", func(t *testing.T) {
		s, k, trail := newModern(), newKeeper(), &trail{}
		k.kept.Handles = []task.Handle{{Task: a("t", task.Working), Tool: "deploy"}}
		s.put(a("t", task.Completed))
		o := Options{Audit: trail, Targets: []Target{{Name: "ops", URL: "http://localhost/mcp", Endpoint: s, Memory: k}}}
		play(t, o, s, func(st *stage) {
			st.pass(5 * time.Second)
			trail.is(t, "remembered", "status t deploy working>completed polled")
		})
	})
	t.Run("trouble is told once", func(t *testing.T) {
		audited(t, Options{}, newScript(), func(st *stage, trail *trail) {
			trail.trouble() <- fmt.Errorf("the disk is full")
			st.settle()
			if !strings.Contains(st.line(), "The audit trail: the disk is full") || st.AuditTrouble() == "" {
				t.Errorf("%q", st.line())
			}
			st.Model.tell(false, "else")
			st.pass(2 * time.Second)
			trail.trouble() <- fmt.Errorf("the disk is full")
			st.settle()
			if st.line() != "else" {
				t.Errorf("told again: %q", st.line())
			}
			st.pass(2 * time.Second)
			trail.trouble() <- os.ErrClosed
			st.pass(2 * time.Second)
			select {
			case trail.trouble() <- nil:
				t.Error("one that is closed is asked again")
			default:
			}
		})
	})
}
