package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// TestPromptTies: a prompt belongs to the task it names, else to the one on
// whose stream it came, else to the only one that can have asked.
func TestPromptTies(t *testing.T) {
	for _, c := range []struct {
		name     string
		opts     []mcptest.Option
		others   int // tasks of ours beside the one that asks
		task     bool
		call     bool
		guessed  bool
		attended bool
	}{
		{name: "named, on tasks/result", attended: true, task: true},
		{name: "named, on GET", opts: []mcptest.Option{mcptest.WithPromptRoute(mcptest.ByGET)}, others: 1, task: true},
		{name: "by the stream", opts: []mcptest.Option{mcptest.WithFaults(mcptest.Faults{NoRelatedTask: true})},
			others: 1, attended: true, task: true},
		{name: "the only one", opts: []mcptest.Option{mcptest.WithPromptRoute(mcptest.ByGET),
			mcptest.WithFaults(mcptest.Faults{NoRelatedTask: true, AskWorking: true})}, task: true, call: true, guessed: true},
		{name: "nobody's", opts: []mcptest.Option{mcptest.WithPromptRoute(mcptest.ByGET),
			mcptest.WithFaults(mcptest.Faults{NoRelatedTask: true, AskWorking: true})}, others: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, append(c.opts, asking("deploy", nameForm), sleeping())...)
				for i := range c.others {
					r.call(task.Call{ID: task.CallID(fmt.Sprint(i)), Tool: "work", AsTask: true})
					any1[task.Started](r)
				}
				r.start("deploy")
				id := wait1(r, func(s task.Started) bool { return s.Call == "deploy" }).Task.ID
				if c.attended {
					r.s.Attend([]task.ID{id})
				}
				// A prompt on GET may have come before the task was known to be one.
				p := findPrompt(r)
				if (p.Task == id) != c.task && (p.Call == "deploy") != c.task || (p.Call != "") != c.call || p.Guessed != c.guessed {
					t.Errorf("prompt of task %q (asked by %q), call %q, guessed %v", p.Task, id, p.Call, p.Guessed)
				}
			})
		})
	}
}

// findPrompt returns the prompt that came, also one before what was waited for.
func findPrompt(r *rig) task.Prompt {
	r.t.Helper()
	r.s.era.(*era2025).mu.Lock()
	for _, p := range r.s.era.(*era2025).prompts.open {
		r.s.era.(*era2025).mu.Unlock()
		return p.Prompt
	}
	r.s.era.(*era2025).mu.Unlock()
	return any1[task.Prompted](r).Prompt
}

func TestPromptOfPlainCall(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, asking("deploy", nameForm))
		r.call(task.Call{ID: "c", Tool: "deploy"})
		p := any1[task.Prompted](r).Prompt
		if p.Call != "c" || p.Task != "" || p.Guessed {
			t.Errorf("%+v", p)
		}
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline}); err != nil {
			t.Fatal(err)
		}
		ret := any1[task.Returned](r)
		if ret.Call != "c" || ret.Result == nil || ret.Result.Content[0].Text != "decline " {
			t.Errorf("%+v", ret)
		}
		for _, q := range r.srv.Requests("") {
			if strings.Contains(string(q.Params), "_meta") || strings.Contains(string(q.Params), "content") {
				t.Errorf("a refusal of a prompt without a task says %s", q.Params)
			}
		}
	})
}

func TestAnswerIsSentOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, asking("deploy", nameForm))
		r.call(task.Call{ID: "c", Tool: "deploy"})
		p := any1[task.Prompted](r).Prompt
		reply := task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{"name":"a"}`)}
		r.srv.Intercept(mcptest.Interception{Method: "", Times: 1, Delay: time.Second})
		errs := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := r.s.Answer(t.Context(), reply)
				errs <- err
			}()
		}
		first, second := <-errs, <-errs
		if first == nil {
			first, second = second, first
		}
		kind(t, first, task.Unsupported)
		if second != nil {
			t.Error(second)
		}
		_, err := r.s.Answer(t.Context(), reply)
		if te := failure(t, err, task.Unsupported); !strings.Contains(te.Error(), "answered") {
			t.Errorf("%v", te)
		}
		if n := len(r.srv.Requests("")); n != 1 {
			t.Errorf("%d answers were sent", n)
		}
	})
}

func TestAnswerFails(t *testing.T) {
	for _, c := range []struct {
		name string
		how  mcptest.Interception
		kind task.ErrorKind
	}{
		{"refused", mcptest.Interception{Status: 500, Body: "no"}, task.HTTP},
		{"lost", mcptest.Interception{Drop: true}, task.Lost},
		{"not taken in time", mcptest.Interception{Hang: true}, task.Lost},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, asking("deploy", nameForm))
				r.call(task.Call{ID: "c", Tool: "deploy"})
				p := any1[task.Prompted](r).Prompt
				r.srv.Intercept(c.how)
				reply := task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{"name":"secret-answer"}`)}
				_, err := r.s.Answer(t.Context(), reply)
				te := failure(t, err, c.kind)
				if strings.Contains(fmt.Sprintf("%v %+v", te, te.Unwrap()), "secret-answer") {
					t.Errorf("the error holds the answer: %+v", te)
				}
				sent := r.count("")
				if sent > 1 {
					t.Errorf("the answer was sent %d times by itself", sent)
				}
				// The person may send it again.
				if _, err := r.s.Answer(t.Context(), reply); err != nil {
					t.Errorf("again: %v", err)
				}
				any1[task.Returned](r)
			})
		})
	}
}

func TestPromptIsWithdrawn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, asking("deploy", nameForm), mcptest.WithFaults(mcptest.Faults{AskPatience: time.Minute}))
		r.call(task.Call{ID: "c", Tool: "deploy"})
		p := any1[task.Prompted](r).Prompt
		time.Sleep(time.Minute) // virtual: the server loses its patience
		w := any1[task.Withdrawn](r)
		if w.Prompt != p.ID || w.Why.IsZero() {
			t.Errorf("%+v", w)
		}
		_, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline})
		kind(t, err, task.Unsupported)
		if n := r.count(""); n != 0 {
			t.Errorf("%d responses were sent to a request that was cancelled", n)
		}
	})
}

func TestPromptOfEndedTaskIsWithdrawn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		id := r.srv.AddTask(mcptest.Task{})
		r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m",`+
			`"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}}}}`))
		p := any1[task.Prompted](r).Prompt
		r.srv.SetStatus(id, mcptest.Completed, "")
		if w := any1[task.Withdrawn](r); w.Prompt != p.ID {
			t.Errorf("%+v", w)
		}
	})
}

// TestSilentImpatience: a server may go on without an answer, and tell nobody.
func TestSilentImpatience(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithFaults(mcptest.Faults{AskPatience: time.Minute, AskSilently: true}),
			tool("deploy", func(ctx ctx, c *mcptest.Call) mcptest.Outcome {
				_, _ = c.Elicit(nameForm)
				<-ctx.Done()
				return mcptest.Answered()
			}))
		r.start("deploy")
		r.s.Attend([]task.ID{any1[task.Started](r).Task.ID})
		p := any1[task.Prompted](r).Prompt
		time.Sleep(time.Minute)
		if w := any1[task.Withdrawn](r); w.Prompt != p.ID {
			t.Errorf("%+v", w)
		}
	})
}

// TestSecondPromptStays: that a task goes on with one answer says nothing of its
// other prompt.
func TestSecondPromptStays(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		// Nothing is said of what a task still asks once the first answer is there.
		moves := mcptest.WithTransitions(func(from, to mcptest.Status) bool { return from != to })
		r := attach(t, moves, tool("deploy", func(ctx ctx, c *mcptest.Call) mcptest.Outcome {
			go func() { _, _ = c.Elicit(nameForm) }()
			_, _ = c.Elicit(nameForm)
			<-ctx.Done()
			return mcptest.Answered()
		}))
		r.start("deploy")
		id := any1[task.Started](r).Task.ID
		r.s.Attend([]task.ID{id})
		first := any1[task.Prompted](r).Prompt
		second := any1[task.Prompted](r).Prompt
		time.Sleep(time.Second)
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: first.ID, Action: task.Decline}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		r.srv.SetStatus(string(id), mcptest.Working, "one to go")
		time.Sleep(time.Second)
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: second.ID, Action: task.Decline}); err != nil {
			t.Error(err)
		}
	})
}

// TestReplayIsNoNewPrompt: a stream that is resumed repeats a question.
func TestReplayIsNoNewPrompt(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		session := r.srv.Sessions()[0]
		ask := []byte(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`)
		r.srv.PushRaw(session, ask)
		p := any1[task.Prompted](r).Prompt
		r.srv.PushRaw(session, ask) // open: a replay on any stream
		never(r, time.Second, func(task.Prompted) bool { return true })
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline}); err != nil {
			t.Fatal(err)
		}
		if got := r.srv.Requests(""); string(got[0].ID) != "0" {
			t.Errorf("the id 0 came back as %s", got[0].ID)
		}
		r.srv.PushRaw(session, ask) // answered, on the same connection: asked anew
		p = any1[task.Prompted](r).Prompt
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline}); err != nil {
			t.Fatal(err)
		}
		r.srv.CutStreams()
		wait1(r, func(s task.Stream) bool { return s.Up })
		r.srv.PushRaw(session, ask) // answered, on a resumed stream: a replay
		never(r, time.Second, func(task.Prompted) bool { return true })
	})
}

// TestCopyThatWasOnItsWay: the copy of a question comes on another stream once the
// answer was taken. One that was asked for after that brings a question anew.
func TestCopyThatWasOnItsWay(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithEventStore(0), asking("deploy", nameForm))
		wait1(r, func(s task.Stream) bool { return s.Up })
		time.Sleep(time.Second)
		r.start("deploy")
		id := any1[task.Started](r).Task.ID
		r.s.Attend([]task.ID{id})
		p := any1[task.Prompted](r).Prompt
		r.accept(p)
		synctest.Wait()
		params, err := json.Marshal(map[string]any{
			"mode": "form", "message": nameForm.Message, "requestedSchema": nameForm.Schema,
			"_meta": map[string]any{metaRelated: map[string]any{"taskId": id}},
		})
		if err != nil {
			t.Fatal(err)
		}
		again := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":%s}`, r.srv.Requests("")[0].ID, params)
		r.srv.PushRaw("", again) // on GET, which was open all the time
		never(r, time.Second, func(task.Prompted) bool { return true })
		r.srv.CutStreams()
		wait1(r, func(s task.Stream) bool { return s.Up })
		time.Sleep(time.Second)
		r.srv.PushRaw("", again)
		any1[task.Prompted](r)
	})
}

// TestCopyOnTheReopenedStream: GET breaks while a question is open, and brings it
// again; the copy is read only after the answer was taken.
func TestCopyOnTheReopenedStream(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		ask, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"message":"m"}}`))
		if err != nil {
			t.Fatal(err)
		}
		get, e := newOrigin(), r.s.era.(*era2025)
		time.Sleep(time.Second)
		e.admit(&ask, get)
		get.opensAt(time.Now()) // it breaks in the moment in which it brings it
		p := any1[task.Prompted](r).Prompt
		time.Sleep(time.Second)
		r.accept(p)
		time.Sleep(time.Minute)
		e.admit(&ask, get)
		never(r, time.Second, func(task.Prompted) bool { return true })
		get.opensAt(time.Now())
		time.Sleep(time.Second)
		e.admit(&ask, get) // asked for after the answer
		any1[task.Prompted](r)
	})
}

// TestWithdrawalOvertakesItsQuestion: it comes on GET, while the question is still on
// the stream of a call.
func TestWithdrawalOvertakesItsQuestion(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithEventStore(0), asking("deploy", nameForm), tool("waits", func(ctx ctx, _ *mcptest.Call) mcptest.Outcome {
			<-ctx.Done()
			return mcptest.Outcome{}
		}))
		wait1(r, func(s task.Stream) bool { return s.Up })
		if err := r.s.Start(t.Context(), task.Call{ID: "c", Tool: "waits"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		cancel := []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		r.srv.PushRaw("", cancel) // the first id that the server uses
		time.Sleep(time.Second)
		r.start("deploy") // its stream is asked for only now: it is another question
		r.s.Attend([]task.ID{any1[task.Started](r).Task.ID})
		r.accept(any1[task.Prompted](r).Prompt)
		ask := []byte(`{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`)
		o := newOrigin() // asked for in the moment in which the withdrawal comes
		r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`))
		time.Sleep(time.Second)
		m, err := jsonrpc.Decode(ask)
		if err != nil {
			t.Fatal(err)
		}
		r.s.era.(*era2025).admit(&m, o)
		never(r, time.Second, func(task.Prompted) bool { return true })
		r.srv.PushRaw("", ask) // behind the withdrawal: asked anew
		any1[task.Prompted](r)
	})
}

// TestServerAnewUsesIDsAnew: a server that takes the sessions from before it was
// started anew counts its request ids from the start, so that the next question
// may look like one that it asked before.
func TestServerAnewUsesIDsAnew(t *testing.T) {
	ask := []byte(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`)
	t.Run("the task is gone", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach(t, tool("waits", func(ctx ctx, _ *mcptest.Call) mcptest.Outcome {
				<-ctx.Done()
				return mcptest.Outcome{}
			}))
			any1[task.Stream](r)
			if err := r.s.Start(t.Context(), task.Call{ID: "c", Tool: "waits", AsTask: true}); err != nil {
				t.Fatal(err)
			}
			id := any1[task.Started](r).Task.ID
			r.srv.PushRaw(r.srv.Sessions()[0], ask)
			first := any1[task.Prompted](r).Prompt
			if first.Task != id {
				t.Fatalf("%+v", first)
			}
			r.srv.PushRaw(r.srv.Sessions()[0], ask)
			never(r, time.Second, func(task.Prompted) bool { return true })
			r.srv.RemoveTask(string(id))
			if _, err := r.s.Get(t.Context(), id); err == nil {
				t.Fatal("the task is not gone")
			}
			if err := r.s.Start(t.Context(), task.Call{ID: "d", Tool: "waits", AsTask: true}); err != nil {
				t.Fatal(err)
			}
			next := any1[task.Started](r).Task.ID
			r.srv.PushRaw(r.srv.Sessions()[0], ask)
			if second := any1[task.Prompted](r).Prompt; second.ID == first.ID || second.Task != next {
				t.Errorf("%+v", second)
			}
			r.srv.PushRaw(r.srv.Sessions()[0], ask) // and that one may come again
			never(r, time.Second, func(task.Prompted) bool { return true })
		})
	})
	t.Run("it was answered", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach(t, mcptest.WithEventStore(0))
			any1[task.Stream](r)
			r.srv.PushRaw(r.srv.Sessions()[0], ask)
			p := any1[task.Prompted](r).Prompt
			if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			r.srv.CutStreams()
			wait1(r, func(s task.Stream) bool { return s.Up })
			time.Sleep(time.Second)
			r.srv.PushRaw(r.srv.Sessions()[0], ask)
			any1[task.Prompted](r)
		})
	})
}

// noted reports whether the log has a note with these words.
func noted(r *rig, words string) bool {
	for _, f := range r.ep.Frames(0, ringFrames) {
		if f.Dir == task.Note && strings.Contains(f.Body, words) {
			return true
		}
	}
	return false
}

func TestRequestsOfTheServer(t *testing.T) {
	for _, c := range []struct {
		name, message, want string
	}{
		{"ping", `"id":"srv-1","method":"ping"`, `"srv-1" {} 0`},
		{"roots", `"id":7,"method":"roots/list"`, `7  -32601`},
		{"sampling", `"id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}`, `7  -32601`},
		{"unknown", `"id":7,"method":"x/y"`, `7  -32601`},
		{"undeclared mode", `"id":7,"method":"elicitation/create","params":{"mode":"voice","message":"m"}`, `7  -32602`},
		{"too large", `"id":7,"method":"elicitation/create","params":{"message":"` + strings.Repeat("x", maxAsked) + `"}`, `7  -32602`},
		{"an endless elicitationId", `"id":7,"method":"elicitation/create","params":{"mode":"url","url":"https://x","elicitationId":"` + strings.Repeat("x", maxID+1) + `"}`, `7  -32602`},
		{"url without one", `"id":7,"method":"elicitation/create","params":{"mode":"url","message":"m"}`, `7  -32602`},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t)
				any1[task.Stream](r)
				r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0",`+c.message+`}`))
				if r.count("") != 1 {
					t.Fatal("no answer")
				}
				q := r.srv.Requests("")[0]
				code := 0
				if q.Error != nil {
					code = q.Error.Code
				}
				if got := fmt.Sprintf("%s %s %d", q.ID, q.Params, code); got != c.want {
					t.Errorf("answered %s, want %s", got, c.want)
				}
			})
		})
	}
}

func TestEndlessRequestIDIsDropped(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":"`+strings.Repeat("x", maxRequestID)+`","method":"ping"}`))
		if n := r.count(""); n != 0 {
			t.Errorf("%d answers", n)
		}
		if !noted(r, "dropped") {
			t.Error("the log does not say so")
		}
	})
}

func TestURLPrompt(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, asking("pay", mcptest.Elicitation{Message: "Pay", URL: "https://pay.example/x", ID: "e1"}))
		r.call(task.Call{ID: "c", Tool: "pay"})
		p := any1[task.Prompted](r).Prompt
		if p.Mode != task.URLMode || p.URL != "https://pay.example/x" || p.ElicitationID != "e1" {
			t.Errorf("%+v", p)
		}
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{"x":1}`)}); err != nil {
			t.Fatal(err)
		}
		if got := string(r.srv.Requests("")[0].Params); got != `{"action":"accept"}` {
			t.Errorf("consent to a page was sent as %s", got)
		}
		r.srv.CompleteElicitation("", "unknown")
		r.srv.CompleteElicitation("", "e1")
		if done := any1[task.URLDone](r); done.Prompt != p.ID {
			t.Errorf("%+v", done)
		}
	})
}

func TestURLRequired(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithTools(mcptest.Tool{Name: "pay", Run: func(_ ctx, _ *mcptest.Call) mcptest.Outcome {
			return mcptest.URLRequired("Consent first", mcptest.Elicitation{Message: "Pay", URL: "https://pay.example/x", ID: "e1"})
		}}))
		r.call(task.Call{ID: "c", Tool: "pay"})
		p := any1[task.Prompted](r).Prompt
		if p.Call != "c" || p.Mode != task.URLMode || p.URL != "https://pay.example/x" {
			t.Errorf("%+v", p)
		}
		ret := any1[task.Returned](r)
		if ret.Err == nil || ret.Err.Code != -32042 || ret.Err.Advice.IsZero() {
			t.Errorf("%+v", ret.Err)
		}
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept}); err != nil {
			t.Error(err)
		}
		if n := r.count(""); n != 0 {
			t.Error("an answer was sent to nobody")
		}
		r.srv.CompleteElicitation("", "e1")
		if done := any1[task.URLDone](r); done.Prompt != p.ID {
			t.Errorf("%+v", done)
		}
	})
}

// TestOutboxHoldsNothingUp: a server that asks, and takes no answer, does not
// stop its own stream.
func TestOutboxHoldsNothingUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		r.srv.Intercept(mcptest.Interception{Times: -1, Hang: true})
		for i := range 2 * maxOutbox {
			r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}
		r.srv.Push("", "notifications/message", map[string]any{"data": "after all"})
		if _, ok := next(r, time.Second, func(task.Logged) bool { return true }); !ok {
			t.Error("the stream stands still")
		}
		r.srv.ClearInterceptions()
	})
}
