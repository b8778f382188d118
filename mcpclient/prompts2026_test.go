package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// pair is a tool that asks two things at once.
func pair() mcptest.Option {
	return tool("pair", func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
		rs, err := c.ElicitAll(mcptest.Question{Key: "a", Elicitation: nameForm}, mcptest.Question{Key: "b", Elicitation: nameForm})
		if err != nil {
			return mcptest.ToolError(err.Error())
		}
		return mcptest.Answered(rs[0].Action + " " + string(rs[0].Content) + ", " + rs[1].Action + " " + string(rs[1].Content))
	})
}

// asksPair starts a pair and returns its task and prompts.
func (r *rig) asksPair() (id task.ID, a, b task.Prompt) {
	r.t.Helper()
	r.start("pair")
	id = any1[task.Started](r).Task.ID
	a, b = any1[task.Prompted](r).Prompt, any1[task.Prompted](r).Prompt
	return id, a, b
}

func (r *rig) resultText(id task.ID) string {
	r.t.Helper()
	res, err := r.s.Result(r.t.Context(), id)
	if err != nil || len(res.Content) == 0 {
		r.t.Fatalf("%+v, %v", res, err)
	}
	return res.Content[0].Text
}

func TestSeveralPrompts(t *testing.T) {
	t.Run("one by one", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach2026(t, pair())
			id, a, b := r.asksPair()
			if got := r.say(a, "A"); got.Waits != 0 {
				t.Errorf("%+v", got)
			}
			if got, err := r.s.Get(t.Context(), id); err != nil || got.Status != task.InputRequired {
				t.Errorf("%+v, %v", got, err)
			}
			if _, err := r.s.Answer(t.Context(), accepted(a, "again")); err == nil {
				t.Error("a question is answered twice")
			}
			if got, err := r.s.Answer(t.Context(), task.Reply{Prompt: b.ID, Action: task.Decline}); err != nil || got.Waits != 0 {
				t.Errorf("%+v, %v", got, err)
			}
			r.ends(id)
			if n := r.count("tasks/update"); n != 2 {
				t.Errorf("%d updates", n)
			}
			if got := r.resultText(id); got != `accept {"name":"A"}, decline ` {
				t.Errorf("%s", got)
			}
			never(r, time.Second, func(task.Prompted) bool { return true })
		})
	})
	t.Run("together", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach2026(t, pair())
			id, a, b := r.asksPair()
			if got, err := r.s.Answer(t.Context(), accepted(a, "A"), accepted(b, "B")); err != nil || got.Waits != 0 {
				t.Errorf("%+v, %v", got, err)
			}
			r.ends(id)
			if n := r.count("tasks/update"); n != 1 {
				t.Errorf("%d updates", n)
			}
		})
	})
	t.Run("where the server takes no parts", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach2026(t, pair(), mcptest.WithFaults(mcptest.Faults{WholeUpdates: true}))
			id, a, b := r.asksPair()
			if got := r.say(a, "A"); got.Waits != 1 {
				t.Errorf("%+v", got)
			}
			if got := r.say(a, "A2"); got.Waits != 1 {
				t.Errorf("%+v", got)
			}
			if n := r.count("tasks/update"); n != 1 {
				t.Errorf("%d updates: a server that takes no parts is asked once", n)
			}
			if got := r.say(b, "B"); got.Waits != 0 {
				t.Errorf("%+v", got)
			}
			r.ends(id)
			if got := r.resultText(id); got != `accept {"name":"A2"}, accept {"name":"B"}` {
				t.Errorf("%s", got)
			}
		})
	})
}

// TestAckedLater: the effect of an answer may be a while in coming, and what is
// listed until then is no new question.
func TestAckedLater(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, asking("ask", nameForm), mcptest.WithFaults(mcptest.Faults{EffectLag: 3 * time.Second}))
		r.start("ask")
		id := any1[task.Started](r).Task.ID
		r.say(any1[task.Prompted](r).Prompt, "A")
		r.ends(id)
		never(r, time.Second, func(task.Prompted) bool { return true })
		never(r, time.Second, func(task.Withdrawn) bool { return true })
	})
}

// TestReasked: a server that really asks again by an answered key is believed
// after a while, and three times in all.
func TestReasked(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, asking("ask", nameForm), mcptest.WithFaults(mcptest.Faults{Reask: 100, Listen: mcptest.ListenRefused}))
		r.start("ask")
		id := any1[task.Started](r).Task.ID
		poll := func(n int) {
			for range n {
				if _, err := r.s.Get(t.Context(), id); err != nil {
					t.Fatal(err)
				}
			}
		}
		synctest.Wait() // it asks
		poll(1)
		for range maxAskings {
			r.say(any1[task.Prompted](r).Prompt, "A")
			poll(3 * askedAfter) // they may be from before it
			never(r, settling, func(task.Prompted) bool { return true })
			poll(askedAfter - 1)
			never(r, time.Second, func(task.Prompted) bool { return true })
			poll(1)
		}
		poll(3 * askedAfter)
		never(r, time.Second, func(task.Prompted) bool { return true })
	})
}

// TestListedQuestions plays the lists of inputRequests of one task and tells
// what becomes of them.
func TestListedQuestions(t *testing.T) {
	form := func(m string) string {
		return fmt.Sprintf(`{"method":"elicitation/create","params":{"message":%q}}`, m)
	}
	list := func(second int, requests string) string {
		return fmt.Sprintf(`{"resultType":"task","taskId":"t","status":"input_required","createdAt":"2026-01-01T00:00:00Z",`+
			`"lastUpdatedAt":"2026-01-01T00:00:%02dZ","ttlMs":null,"inputRequests":{%s}}`, second, requests)
	}
	working := `{"resultType":"complete","taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:09Z","ttlMs":null}`
	for _, c := range []struct {
		name string
		gets []string
		want string
	}{
		{"the same twice", []string{list(1, `"k":`+form("one")), list(1, `"k":`+form("one"))}, "+one"},
		{"another key", []string{list(1, `"k":`+form("one")), list(2, `"k":`+form("one")+`,"l":`+form("two"))}, "+one +two"},
		{"a key that leaves", []string{list(1, `"k":`+form("one")+`,"l":`+form("two")), list(2, `"l":`+form("two"))}, "+one +two -one"},
		{"all leave", []string{list(1, `"k":`+form("one")), working}, "+one -one"},
		{"an older list", []string{list(2, `"k":`+form("one")), list(1, `"l":`+form("two"))}, "+one"},
		{"one that comes back", []string{list(1, `"k":`+form("one")), list(2, ``), list(3, `"k":`+form("one"))}, "+one -one +one"},
		{"sampling", []string{list(1, `"s":{"method":"sampling/createMessage","params":{}},"k":`+form("one")), list(2, `"s":{"method":"sampling/createMessage","params":{}}`)}, "+one -one"},
		{"nonsense", []string{list(1, `"a":5,"b":null,"c":[],"d":{"method":7}`), list(1, `"k":`+form("one"))}, "+one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := newScripted(t)
				s.on("server/discover", result(modern))
				r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
				for _, raw := range c.gets {
					s.on("tasks/get", result(raw))
					if _, err := r.s.Get(t.Context(), "t"); err != nil {
						t.Fatal(err)
					}
				}
				ctx, cancel := contextFor(t, time.Second)
				defer cancel()
				names := map[task.PromptID]string{}
				var got []string
				for {
					b, err := r.s.Next(ctx)
					if err != nil {
						break
					}
					for _, e := range b.Events {
						switch e := e.(type) {
						case task.Prompted:
							names[e.Prompt.ID] = e.Prompt.Message.Line()
							got = append(got, "+"+names[e.Prompt.ID])
						case task.Withdrawn:
							got = append(got, "-"+names[e.Prompt])
						}
					}
				}
				if g := strings.Join(got, " "); g != c.want {
					t.Errorf("%s, want %s", g, c.want)
				}
			})
		})
	}
}

// TestTooLate: an answer to a task that has ended says so.
func TestModernTooLate(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", result(modern))
		s.on("tasks/get", result(`{"resultType":"complete","taskId":"t","status":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m"}}}}`))
		s.on("tasks/update", jsonRPCError(200, -32602, "the task has ended"))
		r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
		if _, err := r.s.Get(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		p := any1[task.Prompted](r).Prompt
		_, err := r.s.Answer(t.Context(), accepted(p, "A"))
		if te := failure(t, err, task.RPC); te.Message.Line() != "the task has ended" {
			t.Errorf("%v", te) // it lives, so that the refusal is of the answer
		}
		s.on("tasks/get", result(`{"resultType":"complete","taskId":"t","status":"completed","result":{"content":[]}}`))
		_, err = r.s.Answer(t.Context(), accepted(p, "A"))
		if te := failure(t, err, task.Unsupported); !strings.Contains(te.Message.Line(), "too late") {
			t.Errorf("%v", te)
		}
		wait1(r, func(w task.Withdrawn) bool { return w.Prompt == p.ID })
		if n := len(s.requests("tasks/update")); n != 2 {
			t.Errorf("%d updates", n)
		}
	})
}

// TestLostAnswer: an answer that may have arrived is never sent again by itself.
func TestLostModernAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, asking("ask", nameForm))
		r.start("ask")
		any1[task.Started](r)
		p := any1[task.Prompted](r).Prompt
		r.srv.Intercept(mcptest.Interception{Method: "tasks/update", Drop: true})
		_, err := r.s.Answer(t.Context(), accepted(p, "A"))
		kind(t, err, task.Lost)
		if n := r.count("tasks/update"); n != 1 {
			t.Errorf("%d updates", n)
		}
		r.say(p, "A") // by hand it can
	})
}

// TestPushWithoutQuestions: what was pushed may leave out what is asked.
func TestPushWithoutQuestions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, mcptest.WithFaults(mcptest.Faults{PushWithoutInput: true}))
		id := task.ID(r.srv.AddTask(mcptest.Task{}))
		if _, err := r.s.Get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		wait1(r, func(s task.Stream) bool { return s.Up && len(s.Tasks) == 1 })
		asked := make(chan error, 1)
		go func() {
			_, err := r.srv.Ask(t.Context(), string(id), nameForm)
			asked <- err
		}()
		r.say(any1[task.Prompted](r).Prompt, "A")
		if err := <-asked; err != nil {
			t.Error(err)
		}
	})
}

// TestModernCancel: the wish is taken and says nothing; the task ends as it ends.
func TestModernCancel(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, sleeping(), mcptest.WithFaults(mcptest.Faults{EffectLag: 5 * time.Second}))
		r.start("work")
		id := any1[task.Started](r).Task.ID
		got, err := r.s.Cancel(t.Context(), id)
		if err != nil || got != (task.Task{}) {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := r.s.Get(t.Context(), id); err != nil || got.Status != task.Working {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := r.s.Result(t.Context(), id); err == nil {
			t.Error("a task that lives has a result")
		}
		if got := r.ends(id); got.Status != task.Cancelled {
			t.Errorf("%+v", got)
		}
		_, err = r.s.Result(t.Context(), id)
		if te := failure(t, err, task.Unsupported); !strings.Contains(te.Message.Line(), "cancelled") {
			t.Errorf("%v", te)
		}
		_, err = r.s.Cancel(t.Context(), "unknown")
		if te := failure(t, err, task.RPC); te.Code != -32602 || te.Advice.IsZero() {
			t.Errorf("%+v", te)
		}
	})
}

// TestFailedTask: failed is a JSON-RPC error; a tool's own error is completed.
func TestModernOutcomes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t,
			tool("refuses", func(context.Context, *mcptest.Call) mcptest.Outcome {
				return mcptest.Refused(-32603, "the disk is full", map[string]any{"free": 0})
			}),
			tool("errs", func(context.Context, *mcptest.Call) mcptest.Outcome { return mcptest.ToolError("no luck") }))
		r.start("refuses")
		id := any1[task.Started](r).Task.ID
		if got := r.ends(id); got.Status != task.Failed || got.ToolError {
			t.Errorf("%+v", got)
		}
		res, err := r.s.Result(t.Context(), id)
		if err != nil || res.Err == nil || res.Err.Code != -32603 || res.Err.Message.Line() != "the disk is full" || string(res.Err.Data) != `{"free":0}` {
			t.Errorf("%+v, %v", res, err)
		}
		r.start("errs")
		id = any1[task.Started](r).Task.ID
		if got := r.ends(id); got.Status != task.Completed || !got.ToolError {
			t.Errorf("%+v", got)
		}
		if res, err := r.s.Result(t.Context(), id); err != nil || !res.IsError {
			t.Errorf("%+v, %v", res, err)
		}
		_, err = r.s.Get(t.Context(), "unknown")
		if te := failure(t, err, task.RPC); te.Code != -32602 {
			t.Errorf("%+v", te)
		}
	})
}

// TestModernReplies: what stands for the state of a task, and what does not.
func TestModernReplies(t *testing.T) {
	state := `"taskId":"t","status":"completed","result":{"content":[{"type":"text","text":"x"}]}`
	for raw, ok := range map[string]bool{
		`{"resultType":"complete",` + state + `}`:                 true,
		`{"resultType":"task",` + state + `}`:                     true,
		`{` + state + `}`:                                         true,
		`{"task":{` + state + `}}`:                                true,
		`{"resultType":"input_required","inputRequests":{}}`:      false,
		`{"resultType":"complete","taskId":"u","status":"wrong"}`: false,
	} {
		inBubble(t, func(t *testing.T) {
			s := newScripted(t)
			s.on("server/discover", result(modern))
			s.on("tasks/get", result(raw))
			s.on("tools/list", result(`{"resultType":"task","taskId":"t","status":"working","tools":[]}`))
			session := s.dial(Config{}, task.Resume{})
			res, err := session.Result(t.Context(), "t")
			var te *task.Error
			if ok && (err != nil || len(res.Content) != 1) || !ok && (!errors.As(err, &te) || te.Kind != task.Protocol) {
				t.Errorf("%s: %+v, %v", raw, res, err)
			}
			_, err = session.Tools(t.Context())
			kind(t, err, task.Protocol)
		})
	}
}

// TestAnswersAreMasked: neither an answer nor a state of the server is in the
// log as it was sent.
func TestModernAnswersAreMasked(t *testing.T) {
	for _, body := range []string{
		`{"method":"tasks/update","params":{"taskId":"t","inputResponses":{"k":{"action":"accept","content":{"name":"hidden"}}}}}`,
		`{"method":"tools/call","params":{"name":"x","requestState":"hidden"}}`,
		`{"id":1,"result":{"resultType":"input_required","requestState":"hidden"}}`,
	} {
		if got := mask(body, false); got == "" || strings.Contains(got, "hidden") || !json.Valid([]byte(got)) {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// TestOvertakenState: what was said of a task before it ended, and comes after,
// neither asks anything nor brings it to life.
func TestOvertakenState(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", result(modern))
		r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
		for _, state := range []string{
			`"status":"completed","lastUpdatedAt":"2026-01-01T00:00:02Z","result":{"content":[]}`,
			`"status":"input_required","lastUpdatedAt":"2026-01-01T00:00:01Z","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?"}}}`,
		} {
			s.on("tasks/get", result(`{"resultType":"complete","taskId":"t",`+state+`}`))
			if _, err := r.s.Get(t.Context(), "t"); err != nil {
				t.Fatal(err)
			}
		}
		never(r, time.Second, func(task.Prompted) bool { return true })
		e := r.s.era.(*era2026)
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(e.live) > 0 {
			t.Errorf("live: %v", e.live)
		}
	})
}

// TestLookThatWasOvertaken: what a task was looked at for is not settled by a reply
// that another report overtook.
func TestLookThatWasOvertaken(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, pair(), mcptest.WithFaults(mcptest.Faults{FrozenTime: true}))
		id, a, _ := r.asksPair()
		e := r.s.era.(*era2026)
		t1, err := r.s.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		e.mu.Lock()
		q := e.asking[id]
		key, before := q.questions[a.Key], q.reports-1
		e.mu.Unlock()
		e.inquired(t1, json.RawMessage(`{}`), &before)
		never(r, time.Minute, func(task.Withdrawn) bool { return true })
		if key == nil || key.prompt == nil {
			t.Error("the question was withdrawn")
		}
	})
}

// TestReportsOfTheSameMoment: of two reports with the same date the one that came
// last need not be the newer. The question that one of them lacks stays until the
// task was looked at.
func TestReportsOfTheSameMoment(t *testing.T) {
	for name, asks := range map[string]bool{"it asks": true, "it does not": false} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach2026(t, asking("ask", nameForm), mcptest.WithFaults(mcptest.Faults{FrozenTime: true}), mcptest.WithTransitions(mcptest.NoTransitions))
				r.start("ask")
				id := any1[task.Started](r).Task.ID
				r.polls(id)
				p := any1[task.Prompted](r).Prompt
				if !asks {
					r.srv.SetStatus(string(id), mcptest.Working, "by itself")
				}
				old, ok := r.srv.Task(string(id))
				if !ok {
					t.Fatal("no task")
				}
				e := r.s.era.(*era2026)
				_ = e.heard(task.Task{ID: id, Status: task.Working, Updated: old.Updated.Truncate(time.Millisecond).UTC()}, json.RawMessage(`{}`))
				if asks {
					never(r, time.Minute, func(task.Withdrawn) bool { return true })
					r.say(p, "A")
					r.ends(id)
					return
				}
				if w := any1[task.Withdrawn](r); w.Prompt != p.ID {
					t.Errorf("%+v", w)
				}
			})
		})
	}
}
