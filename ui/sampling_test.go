package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// samplingPrompt is a sampling request, as the protocol's half makes it.
func samplingPrompt(id task.PromptID, of task.ID, words string) task.Prompt {
	field := func(name string) task.Field {
		return task.Field{
			Name: name, Label: task.Own(name), Kind: task.StringField, Required: true,
			MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1,
		}
	}
	name := field(task.SampledModel)
	name.Default = json.RawMessage(`"human"`)
	return task.Prompt{
		ID: id, Key: string(id), Task: of, Mode: task.SamplingMode, Message: task.Clean(words), At: time.Now(),
		Form: task.Form{
			Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"model":{"type":"string","default":"human"}},"required":["text","model"]}`),
			Fields: []task.Field{field(task.SampledText), name},
		},
		Sampling: &task.Sampling{
			System: task.Own("You are terse."),
			Messages: []task.SamplingMessage{{
				Role: task.Own("user"), Content: []task.Content{{Kind: task.TextContent, Text: words, Size: int64(len(words))}},
			}},
			Hints: []task.Text{task.Own("claude-sonnet")}, Cost: -1, Speed: 0.2, Intelligence: 0.9, MaxTokens: 200, Temperature: "0.7",
			Raw: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":` + quote(words) + `}}],"maxTokens":200}`),
		},
	}
}

func quote(words string) string {
	raw, err := json.Marshal(words)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// samples pushes a sampling request.
func (s *script) samples(id task.PromptID, of task.ID, words string) {
	s.events <- task.Prompted{Prompt: samplingPrompt(id, of, words)}
}

// slow takes the half minute, in virtual time, that a command needs.
func slow(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(30 * time.Second):
		return nil
	}
}

// onSampler is a stage whose person has a command that writes drafts.
func onSampler(t *testing.T, w, h int, sampler func(context.Context, json.RawMessage) (string, error), f func(*stage, *script)) {
	t.Helper()
	var srv *script
	play(t, w, h, func() map[string]*script {
		srv = opsServer()
		srv.sampler = sampler
		return map[string]*script{"ops": srv}
	}, func(s *stage) { f(s, srv) })
}

func TestASamplingRequestIsAnsweredByHand(t *testing.T) {
	onOps(t, 120, 40, func(s *stage, srv *script) {
		rung := s.rung
		srv.samples("s1", srv.tasks[0].ID, "Name the capital of France.")
		s.settle()
		if s.rung != rung+1 {
			t.Errorf("it rang %d times", s.rung-rung)
		}
		s.press("i")
		s.shows("KIND", "sampling  ops", "Name the capital of France.")
		s.details("asks asking just now, wants a reply in the place of a model")
		s.golden("sampling-inbox-120x40")
		s.press("a")
		s.shows("You are terse.", "Name the capital of France.", "claude-sonnet")
		s.golden("sampling-120x40")
		s.press("Paris", "ctrl+s")
		if len(srv.replies) == 0 { // what goes out is shown first
			s.press("ctrl+s")
		}
		if len(srv.replies) != 1 || srv.replies[0].Action != task.Accept || string(srv.replies[0].Content) != `{"text":"Paris","model":"human"}` {
			t.Errorf("replies %+v", srv.replies)
		}
	})
}

// A refusal is told where the generation has a form for it, and dead where not.
func TestASamplingRequestIsRefused(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.samples("s1", srv.tasks[0].ID, "Name the capital of France.")
		s.settle()
		s.press("a", "ctrl+o", "d")
		if len(srv.replies) != 1 || srv.replies[0].Action != task.Decline || srv.replies[0].Content != nil {
			t.Errorf("replies %+v", srv.replies)
		}
	})
	onModern(t, 100, 30, func(s *stage, srv *script) {
		srv.push(newTask("t1", task.InputRequired))
		srv.samples("s1", "t1", "Name the capital of France.")
		s.settle()
		s.press("a", "ctrl+o", "d")
		s.size(80, 24)
		s.shows("2026-07-28 has no form for a refusal", "cancel the task") // whole
		if len(srv.replies) != 0 || s.r.over == nil {
			t.Errorf("replies %+v", srv.replies)
		}
	})
}

// The person's command begins when the request is opened first, and what it
// writes stands in the form, to be edited.
func TestACommandWritesTheDraft(t *testing.T) {
	var got []string
	onSampler(t, 100, 30, func(ctx context.Context, params json.RawMessage) (string, error) {
		got = append(got, string(params))
		return "Paris", slow(ctx)
	}, func(s *stage, srv *script) {
		srv.samples("s1", srv.tasks[0].ID, "Name the capital of France.")
		s.settle()
		if len(got) != 0 {
			t.Fatal("the command ran unasked")
		}
		s.press("a")
		s.wait(5 * time.Second)
		s.shows("Your command writes a draft, for 5 s")
		s.press("esc", "i")
		s.shows("your command writes a draft")
		s.press("a")
		if len(got) != 1 || !strings.Contains(got[0], "capital of France") {
			t.Fatalf("the command got %q", got)
		}
		s.wait(30 * time.Second)
		s.shows("Paris")
		s.hides("Your command writes")
		s.press(".", "ctrl+s")
		if len(srv.replies) == 0 {
			s.press("ctrl+s")
		}
		if len(srv.replies) != 1 || string(srv.replies[0].Content) != `{"text":"Paris.","model":"human"}` {
			t.Errorf("replies %+v", srv.replies)
		}
		if len(got) != 1 {
			t.Errorf("the command ran %d times", len(got))
		}
	})
}

// What the person typed meanwhile stays, and the draft can be taken instead.
func TestACommandsDraftTakesNothingAway(t *testing.T) {
	onSampler(t, 100, 40, func(ctx context.Context, _ json.RawMessage) (string, error) {
		return "Paris", slow(ctx)
	}, func(s *stage, srv *script) {
		srv.samples("s1", srv.tasks[0].ID, "Name the capital of France.")
		s.settle()
		s.press("a", "Lutetia")
		s.wait(40 * time.Second)
		s.shows("Lutetia", "A draft came")
		s.press("ctrl+o", "u")
		if d := s.m.Draft("s1"); d[task.SampledText] != "Paris" {
			t.Errorf("the draft is %v:\n%s", d, s.see())
		}
		if a := s.m.Ask("s1"); a.Sample.Text != "" {
			t.Errorf("the text still waits: %+v", a.Sample)
		}
		s.press("ctrl+o", "u")
		if d := s.m.Draft("s1"); d[task.SampledText] != "Lutetia" {
			t.Errorf("what was typed is %v", d)
		}
	})
}

func TestACommandIsStoppedAndFails(t *testing.T) {
	fail := errors.New("the command failed (exit status 1): no key")
	stopped := 0
	onSampler(t, 100, 30, func(ctx context.Context, _ json.RawMessage) (string, error) {
		if err := slow(ctx); err != nil {
			stopped++
			return "", err
		}
		return "", fail
	}, func(s *stage, srv *script) {
		srv.samples("s1", srv.tasks[0].ID, "Name the capital of France.")
		s.settle()
		s.press("a", "ctrl+r")
		s.hides("Your command writes a draft")
		if stopped != 1 {
			t.Fatalf("stopped %d times:\n%s", stopped, s.see())
		}
		s.press("esc", "a") // it does not begin by itself again
		s.hides("Your command writes a draft")
		s.press("ctrl+r")
		s.shows("Your command writes a draft")
		s.wait(time.Minute)
		s.shows("exit status 1): no key")
		s.press("esc", "i")
		s.shows("your command wrote no draft")
	})
}

// A draft that was kept on the disk is in its form, and says since when.
func TestADraftOfAnotherRunIsFilledIn(t *testing.T) {
	var srv *script
	play(t, 100, 30, func() map[string]*script {
		srv = opsServer()
		now := time.Now()
		p := samplingPrompt("s1", srv.tasks[0].ID, "Name the capital of France.")
		srv.tools = []task.Tool{{Name: "deploy", Title: task.Own("Deploy"), Support: task.Required, Input: task.Form{
			Schema: json.RawMessage(`{"type":"object"}`), Fields: samplingPrompt("", "", "").Form.Fields[:1],
		}}}
		srv.memory = &memory{kept: task.Kept{Drafts: []task.KeptDraft{
			{Asked: p.Asked(), Task: p.Task, Fields: map[string]string{"text": "Paris, I th", "model": "human"}, At: now.Add(-12 * time.Minute)},
			{Tool: "deploy", Fields: map[string]string{"text": "prod"}, At: now.Add(-3 * time.Hour)},
		}}}
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		srv.samples("s1", srv.tasks[0].ID, "Name the capital of France.")
		s.settle()
		s.press("a")
		s.shows("Paris, I th", "Typed 12m ago in another run of callboard")
		s.hides("Not kept beyond this run")
		s.press("esc", "n", "enter")
		s.shows("prod", "Typed 3h ago in another run of callboard")
		s.press("uction", "esc")
		kept := slices.ContainsFunc(srv.memory.took, func(k task.Keep) bool {
			d, ok := k.(task.KeepDraft)
			return ok && d.Draft.Tool == "deploy" && d.Draft.Fields["text"] == "production"
		})
		if !kept {
			t.Errorf("the memory was told %+v", srv.memory.took)
		}
		s.press("enter")
		s.hides("in another run")
		s.press("ctrl+s")
		if len(srv.calls) != 1 || s.m.CallDraft("ops", "deploy", "") != nil {
			t.Errorf("calls %+v", srv.calls)
		}
	})
}

// Where nothing is kept the form says so.
func TestAFormSaysWhatIsNotKept(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a")
		s.hides("Not kept beyond this run") // there is nothing to keep yet
		s.press("x")
		s.shows("Not kept beyond this run: nothing of this server is kept on disk.")
	})
}

// A disk that fills, and one that is mended, is seen in the form that is open.
func TestAnOpenFormSaysWhetherItIsKept(t *testing.T) {
	var srv *script
	play(t, 100, 30, func() map[string]*script {
		srv = opsServer()
		srv.memory = &memory{news: make(chan error)}
		srv.tools = []task.Tool{{Name: "deploy", Title: task.Own("Deploy"), Support: task.Required, Input: task.Form{
			Schema: json.RawMessage(`{"type":"object"}`), Fields: samplingPrompt("", "", "").Form.Fields[:1],
		}}}
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		for _, keys := range [][]string{{"a", "x"}, {"esc", "n", "enter", "x"}} {
			s.press(keys...)
			s.hides("Not kept beyond this run")
			srv.memory.news <- errors.New("no space left on device")
			s.settle()
			s.shows("Not kept beyond this run: no space left on device.")
			s.wait(2 * time.Second)
			srv.memory.news <- nil
			s.settle()
			s.hides("Not kept beyond this run")
		}
	})
}

// Quitting says what it loses, and what it does not.
func TestQuitSaysWhatIsKept(t *testing.T) {
	var srv *script
	play(t, 100, 30, func() map[string]*script {
		srv = opsServer()
		srv.memory = &memory{}
		return map[string]*script{"ops": srv}
	}, func(s *stage) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		s.settle()
		s.press("a", "because", "esc", "q")
		s.shows("Quit?", "1 form holds something that was typed and not sent.", "for 7 days")
		s.hides("loses")
		s.golden("quit-kept-100x30")
		s.press("n")
		srv.events <- task.Prompted{Prompt: task.Prompt{
			ID: "p2", Task: srv.tasks[1].ID, Message: task.Own("Log in"), At: time.Now(),
			Form: task.Form{Schema: json.RawMessage(`{"type":"object"}`), Fields: []task.Field{
				{Name: "password", Label: task.Own("Password"), Kind: task.StringField, Secret: true, MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1},
			}},
		}}
		s.settle()
		s.goTo(srv.tasks[1].ID)
		s.press("a", "hunter2", "esc", "q")
		s.shows("2 forms hold", "loses 1 of them", `"Log in" (lost)`)
		s.hides(`"Approve?" (lost)`)
		if lost, kept := s.m.Unsent(), s.m.KeptUnsent(); lost != 1 || kept != 1 {
			t.Errorf("the model loses %d, keeps %d", lost, kept)
		}
		s.press("n")
	})
}

// What holds a server up that asks faster than anybody reads is named wherever
// its questions are.
func TestAFloodIsNamed(t *testing.T) {
	onOps(t, 120, 24, func(s *stage, srv *script) {
		srv.ask("p1", srv.tasks[0].ID, "Approve?")
		srv.events <- task.Flooding{Waiting: 240}
		s.settle()
		s.wait(30 * time.Second) // the notice goes
		s.shows("floods: 240 more")
		s.press("i")
		s.shows("Inbox 1 · ops floods: 240 more wait")
		s.golden("flood-120x24")
		s.press("s")
		s.shows("faster than anybody could read: 240 questions wait")
		srv.events <- task.Flooding{}
		s.settle()
		s.hides("floods", "faster")
	})
	var lab *script
	play(t, 100, 24, func() map[string]*script {
		lab = opsServer()
		return map[string]*script{"ops": opsServer(), "lab": lab}
	}, func(s *stage) {
		s.hides("floods")
		lab.events <- task.Flooding{Waiting: 7}
		s.settle()
		s.wait(30 * time.Second)
		s.shows("lab floods: 7 more")
		s.hides("ops floods")
	})
}

// The time that is left is a warning where it is short.
func TestUrgentQuestionsAreMarked(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		for id, until := range map[task.PromptID]time.Duration{"soon": 50 * time.Second, "later": 50 * time.Minute} {
			p := samplingPrompt(id, srv.tasks[4].ID, "Write.") // its task has no end
			p.Until = time.Now().Add(until)
			srv.events <- task.Prompted{Prompt: p}
		}
		s.settle()
		scene := s.r.scene()
		if words, role := scene.askLeft(s.m.Ask("soon")); words != "50s" || role != &scene.t.Warning {
			t.Errorf("soon: %s, a warning: %v", words, role == &scene.t.Warning)
		}
		if words, role := scene.askLeft(s.m.Ask("later")); words != "50m" || role == &scene.t.Warning {
			t.Errorf("later: %s, a warning: %v", words, role == &scene.t.Warning)
		}
		s.goTo(srv.tasks[4].ID)
		s.details("time left: 50s", "time left: 50m")
		s.wait(time.Minute)
		if words, _ := s.r.scene().askLeft(s.m.Ask("soon")); words != "over" {
			t.Errorf("after its time: %s", words)
		}
	})
}

// The command's draft of a request that is withdrawn stays to be read.
func TestAWithdrawnSamplingRequest(t *testing.T) {
	onOps(t, 100, 30, func(s *stage, srv *script) {
		srv.samples("s1", srv.tasks[0].ID, "Name the capital of France.")
		s.settle()
		s.press("a", "Paris")
		srv.events <- task.Withdrawn{Prompt: "s1", Why: task.Own("the server cancelled it")}
		s.settle()
		s.shows("Paris", "This can no longer be answered", "the server cancelled it")
		if a := s.m.Ask("s1"); a.State != model.Withdrawn {
			t.Errorf("state %v", a.State)
		}
	})
}

func TestGoldenViewOfASamplingRequest(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, srv *script) {
		srv.samples("s1", srv.tasks[0].ID, "Name the capital of France.")
		s.settle()
		s.press("a", "Paris")
		s.golden("sampling-80x24")
	})
}

// Fifty questions at once: the most urgent first, each with the time that is left,
// and all within reach of the cursor.
func TestFiftyQuestions(t *testing.T) {
	for _, size := range []struct{ w, h int }{{80, 24}, {120, 40}} {
		var srv *script
		play(t, size.w, size.h, func() map[string]*script {
			srv = newScript()
			for i := range 50 {
				one := newTask(fmt.Sprintf("job-%02d", i), task.InputRequired)
				one.TTL = time.Duration(1+(i*37)%50) * time.Minute
				srv.tasks = append(srv.tasks, one)
			}
			return map[string]*script{"ops": srv}
		}, func(s *stage) {
			for i := range 50 {
				p := samplingPrompt(task.PromptID(fmt.Sprint("s", i)), srv.tasks[i].ID, fmt.Sprintf("Write number %d.", i))
				switch i % 3 {
				case 0:
					p.Polled = true
				case 1:
					p.Mode, p.Sampling = task.FormMode, nil
				case 2:
					p.Mode, p.Sampling, p.URL = task.URLMode, nil, "https://login.example.com/"
				}
				srv.events <- task.Prompted{Prompt: p}
			}
			s.wait(time.Second)
			s.press("i")
			s.shows("Inbox 50", "50 prompts wait", "1 of 50", "the server fetches the answer")
			s.golden(fmt.Sprintf("fifty-%dx%d", size.w, size.h))
			last := time.Time{}
			for range 50 {
				a := s.m.Ask(s.r.inbox.at)
				if end := s.m.Ends(a); end.Before(last) {
					t.Fatalf("%s ends at %s, before the one above", a.Prompt.ID, end)
				} else {
					last = end
				}
				s.shows(a.Prompt.Message.Line())
				s.press("j")
			}
			s.shows("50 of 50")
			s.press("G", "a")
			if s.r.over == nil {
				t.Error("the last one does not open")
			}
		})
	}
}

// Whatever the size: the form of a sampling request, its menu and the inbox of a
// server that floods fit the screen.
func TestSamplingFitsEverySize(t *testing.T) {
	onSampler(t, 80, 24, func(ctx context.Context, _ json.RawMessage) (string, error) {
		return strings.Repeat("日本語 🚀 wide words ", 40), slow(ctx)
	}, func(s *stage, srv *script) {
		srv.samples("s1", srv.tasks[0].ID, strings.Repeat("日本語 🚀 wide words ", 40))
		srv.events <- task.Flooding{Waiting: 123456}
		s.settle()
		for _, keys := range [][]string{{"i"}, {"a"}, {"ctrl+o"}, {"esc", "tab"}, {"esc", "q"}, {"n", "a", "ctrl+s"}} {
			s.press(keys...)
			for _, w := range []int{1, 39, 40, 80, 100, 300} {
				for _, h := range []int{9, 10, 30} {
					s.take(tea.WindowSizeMsg{Width: w, Height: h})
					s.fitsScreen()
				}
			}
			s.wait(20 * time.Second)
		}
		s.settle()
	})
}

// The detail of a task whose question does not come says why, and what helps.
func TestTheDetailSaysWhyNothingIsAsked(t *testing.T) {
	for _, unsampled := range []bool{false, true} {
		play(t, 120, 40, func() map[string]*script {
			srv := opsServer()
			srv.about.Unsampled = unsampled
			return map[string]*script{"ops": srv}
		}, func(s *stage) {
			s.wait(2 * time.Second)
			if strings.Contains(s.see(), "The server says") {
				t.Error("it is said before the question can be here")
			}
			s.wait(10 * time.Second)
			s.details("The server says that it asks, but has not sent the question here")
			if got := strings.Contains(words(detailLines(s.r.scene(), s.m.Row(s.r.tasks.at), 200)), "begun without sampling"); got != unsampled {
				t.Errorf("begun without sampling %v: said %v", unsampled, got)
			}
			if unsampled {
				s.details("texts (sampling) are asked for in the next one", "It begins with a callboard that is started once", "c cancels this one.")
				s.golden("unsampled-120x40")
			}
		})
	}
}
