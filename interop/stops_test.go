//go:build unix

package interop

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"callboard/model"
	"callboard/model/task"
)

// asker is a server that a test stops and kills, with a task that asks.
type asker struct {
	serve              func(t *testing.T, port int) *child
	tool, args, answer string
	field, typed       string // what a person types, and has not sent
	result             string
}

var askers = map[string]asker{
	"everything": {
		func(t *testing.T, port int) *child { return serveNpmAt(t, port, everything, "streamableHttp") },
		"simulate-research-query", `{"topic":"python","ambiguous":true}`, `{"interpretation":"snake"}`, "interpretation", `"snake"`, "python (snake)",
	},
	"simple": {
		func(t *testing.T, port int) *child { return serveNpmAt(t, port, simple) },
		"collect-user-info-task", `{"infoType":"preferences"}`, `{"theme":"dark","notifications":false}`, "theme", `"dark"`, `"theme": "dark"`,
	},
	"mcp-go": {
		serveGoAsChild,
		"asks", `{}`, `{"region":"north","nodes":4}`, "nodes", "4", "region:north",
	},
}

// ask starts the task and waits for its question.
func (a asker) ask(b *board) *model.Ask {
	b.t.Helper()
	call := task.Call{ID: model.NewCallID(), Tool: a.tool, Args: json.RawMessage(a.args), AsTask: true}
	key := task.Key{Server: "srv", Call: call.ID}
	b.wish(model.StartMsg{Server: "srv", Call: call})
	b.until("the question", func() bool {
		r := b.Row(key)
		return r != nil && r.Key.ID != "" && len(r.Asks) == 1
	})
	return b.Row(key).Asks[0]
}

// signal sends a signal to the server.
func (s *child) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// The server stands still while a question is open, and goes on later: the answer
// that was sent meanwhile arrives, or is said not to have, and is sent again.
func TestServerStandsStillWhileItAsks(t *testing.T) {
	for name, a := range askers {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			s := a.serve(t, 0)
			b := runModel(t, s.url, model.Options{})
			b.until("the link", func() bool { return b.Links()[0].State == model.Live })
			ask := a.ask(b)
			s.signal(t, syscall.SIGSTOP)
			b.wish(model.AnswerMsg{Server: "srv", Reply: task.Reply{Prompt: ask.Prompt.ID, Action: task.Accept, Content: json.RawMessage(a.answer)}})
			b.until("a poll in vain", func() bool { return b.Links()[0].Stalled })
			if ask.State != model.Answering || ask.Wish == nil || ask.Wish.State != model.Sending {
				t.Errorf("while the server stands still the answer is %+v, the question %v", ask.Wish, ask.State)
			}
			s.signal(t, syscall.SIGCONT)
			b.until("what became of the answer", func() bool { return ask.Wish.State == model.Taken || ask.Wish.Why != "" })
			if ask.Wish.State != model.Taken { // the connection broke meanwhile, as a server lets it when it stood still for long
				t.Logf("the answer: %s: %s", ask.Wish.State, ask.Wish.Why)
				if ask.Wish.State != model.WishFailed && ask.Wish.State != model.WishUnknown || ask.State != model.Open {
					t.Errorf("an answer that did not arrive: %+v, the question %v", ask.Wish, ask.State)
				}
				b.wish(model.RetryMsg{Key: ask.Row})
				b.until("the effect of the answer that was sent again", func() bool { return ask.Wish.State == model.Taken })
			}
			a.ended(b, ask)
		})
	}
}

// ended checks that the answer to ask made it into the result.
func (a asker) ended(b *board, ask *model.Ask) {
	b.t.Helper()
	row := b.Row(ask.Row)
	if row == nil {
		b.t.Fatalf("the question has no row: %+v", ask)
	}
	b.until("the end", func() bool { return row.Task.Status == task.Completed })
	b.wish(model.ResultMsg{Key: row.Key})
	b.until("the result", func() bool { return row.Outcome != nil && row.Outcome.Result != nil })
	if got := text(row.Outcome.Result); !strings.Contains(got, a.result) {
		b.t.Errorf("the answer did not arrive: %.200s", got)
	}
}

// The server is killed while a question is open and partly answered, and started
// again: what was typed is in the form of the same question, once it is asked.
func TestServerDiesWhileItAsks(t *testing.T) {
	for name, a := range askers {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			s := a.serve(t, 0)
			b := runModel(t, s.url, model.Options{})
			b.until("the link", func() bool { return b.Links()[0].State == model.Live })
			ask := a.ask(b)
			draft := model.Draft{a.field: a.typed}
			b.SaveDraft(ask.Prompt.ID, draft)
			s.stop()
			b.until("a link that is down", func() bool { return b.Links()[0].State == model.Down })
			if l := b.Links()[0]; l.Why == "" || l.NextTry.IsZero() {
				t.Errorf("of a dead server is told %q, next try %v", l.Why, l.NextTry)
			}
			if b.Draft(ask.Prompt.ID) == nil {
				t.Error("what was typed went with the server")
			}
			a.serve(t, s.port)
			b.until("the end of the question", func() bool { return ask.State == model.Withdrawn })
			b.until("the link again", func() bool { return b.Links()[0].State == model.Live })
			if ask.Why == "" || b.Draft(ask.Prompt.ID)[a.field] != a.typed {
				t.Errorf("withdrawn, since %q; typed is %v", ask.Why, b.Draft(ask.Prompt.ID))
			}
			t.Logf("the question: %s; the link: %s", ask.Why, b.Links()[0].Why)
			again := a.ask(b)
			if !again.Before || b.Draft(again.Prompt.ID)[a.field] != a.typed {
				t.Errorf("the same question has %v", b.Draft(again.Prompt.ID))
			}
			b.wish(model.AnswerMsg{Server: "srv", Reply: task.Reply{Prompt: again.Prompt.ID, Action: task.Accept, Content: json.RawMessage(a.answer)}})
			b.until("the answer's effect", func() bool { return again.Wish != nil && again.Wish.State == model.Taken })
			a.ended(b, again)
		})
	}
}
