package mcptest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pairTool asks two questions at once, by name, and ends with the answers.
var pairTool = Tool{Name: "ask", TaskSupport: Optional, Run: func(_ context.Context, c *Call) Outcome {
	replies, err := c.ElicitAll(Question{Key: "a", Elicitation: askApproval}, Question{Key: "b", Elicitation: askScale})
	if err != nil {
		return ToolError(err.Error())
	}
	return Answered(string(replies[0].Content), replies[1].Action)
}}

func TestModernTaskFromCallToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := modernly(t, WithTools(pairTool), WithTTL(time.Minute, time.Hour), WithPollInterval(1500*time.Millisecond))
		made := c.start("ask", nil)
		if made.Status != Working || *made.TTL != 60000 || *made.Poll != 1500 || made.InputRequests != nil {
			t.Errorf("born: %+v", made)
		}
		synctest.Wait()
		got := c.get(made.TaskID)
		keys := slices.Sorted(maps.Keys(got.InputRequests))
		if got.ResultType != "complete" || got.Status != InputRequired || !slices.Equal(keys, []string{"a", "b"}) || got.StatusMessage != askApproval.Message {
			t.Fatalf("two questions at once: %+v", got)
		}
		if ack := c.update(made.TaskID, map[string]any{"a": accept(map[string]any{"approve": true}), "never asked": 1}); ack.ResultType != "complete" || ack.TaskID != "" {
			t.Errorf("the acknowledgement: %+v", ack)
		}
		got = c.get(made.TaskID)
		if got.Status != InputRequired || len(got.InputRequests) != 1 || got.InputRequests["b"].Method != "elicitation/create" || got.StatusMessage != askScale.Message {
			t.Fatalf("after a part: %+v", got)
		}
		c.update(made.TaskID, map[string]any{"b": map[string]any{"action": "decline"}})
		synctest.Wait()
		if got = c.get(made.TaskID); got.Status != Completed || !strings.Contains(string(got.Result), `approve`) || !strings.Contains(string(got.Result), "decline") ||
			!strings.Contains(string(got.Result), `"resultType":"complete"`) || strings.Contains(string(got.Result), metaRelated) {
			t.Fatalf("at the end: %+v %s", got, got.Result)
		}
		if e := c.errs("tasks/update", map[string]any{"taskId": made.TaskID, "inputResponses": map[string]any{}}); e.Code != CodeInvalidParams {
			t.Errorf("an update after the end: %v", e)
		}
		c.result("tasks/cancel", map[string]any{"taskId": made.TaskID}) // acknowledged all the same
		time.Sleep(time.Minute + time.Second)
		if e := c.errs("tasks/get", map[string]any{"taskId": made.TaskID}); e.Code != CodeInvalidParams {
			t.Errorf("after its ttl: %v", e)
		}
	})
}

func TestModernEnds(t *testing.T) {
	s, c := serveModernly(t)
	for _, tc := range []struct {
		o    Outcome
		want Status
		in   string
	}{
		{Answered("fine"), Completed, `"fine"`},
		{ToolError("no"), Completed, `"isError":true`},
		{Refused(-32013, "broke", nil), Failed, ""},
	} {
		id := s.AddTask(Task{})
		s.Finish(id, tc.o)
		got := c.get(id)
		if got.Status != tc.want || !strings.Contains(string(got.Result), tc.in) || (tc.want == Failed) != (got.Error != nil) {
			t.Errorf("%+v: %+v %s", tc.o, got, got.Result)
		}
	}
	id := s.AddTask(Task{TTL: Unlimited, Poll: NoPoll})
	s.SetStatus(id, Failed, "by hand")
	if got := c.get(id); got.TTL != nil || got.Poll != nil || got.Error == nil || got.Error.Message != "by hand" {
		t.Errorf("by hand: %+v", got)
	}
	s.SetStatus(id, InputRequired, "")
	if m := c.call("tasks/get", map[string]any{"taskId": id}); !strings.Contains(string(m.Raw), `"inputRequests":{}`) {
		t.Errorf("inputRequests is required: %s", m.Raw)
	}
}

func TestModernCancelIsAnIntent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := func(_ context.Context, c *Call) Outcome {
			if !c.Sleep(10 * time.Second) {
				return stopped()
			}
			if c.CancelAsked() {
				return Answered("too late")
			}
			return Answered("undisturbed")
		}
		s, c := modernly(t, WithTools(Tool{Name: "work", TaskSupport: Required, Run: work}, Tool{Name: "deaf", TaskSupport: Required, Deaf: true, Run: work}))
		cancel := func(id string) {
			t.Helper()
			if ack := c.result("tasks/cancel", map[string]any{"taskId": id}); ack.ResultType != "complete" || ack.Status != "" {
				t.Errorf("the acknowledgement: %+v", ack)
			}
		}
		id := c.start("work", nil).TaskID
		cancel(id)
		if got := c.get(id); got.Status != Cancelled {
			t.Errorf("cancelled: %+v", got)
		}
		id = c.start("deaf", nil).TaskID
		cancel(id)
		if got := c.get(id); got.Status != Working {
			t.Errorf("deaf: %+v", got)
		}
		time.Sleep(11 * time.Second)
		if got := c.get(id); got.Status != Completed || !strings.Contains(string(got.Result), "too late") {
			t.Errorf("deaf at its end: %+v %s", got, got.Result)
		}
		s.Fault(func(f *Faults) { f.CancelLoses = true })
		id = c.start("work", nil).TaskID
		cancel(id)
		time.Sleep(11 * time.Second)
		if got := c.get(id); got.Status != Completed {
			t.Errorf("a cancel that loses: %+v", got)
		}
		s.Fault(func(f *Faults) { *f = Faults{FlipTerminal: true} })
		id = c.start("work", nil).TaskID
		cancel(id)
		if got := c.get(id); got.Status != Cancelled {
			t.Errorf("flip: %+v", got)
		}
		time.Sleep(11 * time.Second)
		if got := c.get(id); got.Status != Completed {
			t.Errorf("flipped: %+v", got)
		}
		s.Fault(func(f *Faults) { *f = Faults{EffectLag: 3 * time.Second, AckDelay: time.Second, DropCancelled: true} })
		id = c.start("work", nil).TaskID
		began := time.Now()
		cancel(id)
		if d := time.Since(began); d != time.Second {
			t.Errorf("acknowledged after %v", d)
		}
		if got := c.get(id); got.Status != Working {
			t.Errorf("at once: %+v", got)
		}
		time.Sleep(3 * time.Second)
		if e := c.errs("tasks/get", map[string]any{"taskId": id}); e.Code != CodeInvalidParams {
			t.Errorf("dropped: %v", e)
		}
	})
}

func TestModernUpdateFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := modernly(t, WithTools(pairTool), WithFaults(Faults{WholeUpdates: true}))
		ask := func() string {
			id := c.start("ask", nil).TaskID
			synctest.Wait()
			return id
		}
		yes := accept(map[string]any{"approve": true})
		id := ask()
		if e := c.errs("tasks/update", map[string]any{"taskId": id, "inputResponses": map[string]any{"a": yes}}); e.Code != CodeInvalidParams {
			t.Errorf("a part: %v", e)
		}
		if e := c.errs("tasks/update", map[string]any{"taskId": id, "inputResponses": map[string]any{"a": yes, "b": 1}}); e.Code != CodeInvalidParams {
			t.Errorf("a number: %v", e)
		}
		c.update(id, map[string]any{"a": yes, "b": yes})
		synctest.Wait()
		if got := c.get(id); got.Status != Completed {
			t.Errorf("the whole: %+v", got)
		}
		s.Fault(func(f *Faults) { *f = Faults{EffectLag: time.Second, AckLate: true} })
		id = ask()
		c.update(id, map[string]any{"a": yes})
		if got := c.get(id); len(got.InputRequests) != 2 {
			t.Errorf("right after the acknowledgement: %+v", got)
		}
		time.Sleep(1100 * time.Millisecond)
		if got := c.get(id); len(got.InputRequests) != 1 {
			t.Errorf("a second later: %+v", got)
		}
		s.Finish(id, Answered())
		c.update(id, map[string]any{"b": yes})
		s.Fault(func(f *Faults) { *f = Faults{Reask: 2} })
		id = ask()
		for n := range 3 {
			c.update(id, map[string]any{"a": yes, "b": yes})
			synctest.Wait()
			if got := c.get(id); (got.Status == Completed) != (n == 2) {
				t.Errorf("after answer %d: %+v", n+1, got)
			}
		}
	})
}

func TestModernKeysAreUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := modernly(t)
		id := s.AddTask(Task{})
		keys := func() (seen []string) {
			for range 3 {
				done := make(chan error, 1)
				go func() {
					_, err := s.Ask(t.Context(), id, askApproval)
					done <- err
				}()
				synctest.Wait()
				for k := range c.get(id).InputRequests {
					seen = append(seen, k)
					c.update(id, map[string]any{k: accept(nil)})
				}
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			return seen
		}
		if got := keys(); !slices.Equal(got, []string{"input", "input-2", "input-3"}) {
			t.Errorf("keys: %v", got)
		}
		s.Fault(func(f *Faults) { f.ReuseKeys = true })
		if got := keys(); !slices.Equal(got, []string{"input", "input", "input"}) {
			t.Errorf("keys of a server that uses them again: %v", got)
		}
	})
}

func TestModernQuestionsFollowTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sampling := Elicitation{Sampling: json.RawMessage(`{"messages":[],"maxTokens":5}`)}
		page := Elicitation{Message: "go", URL: "https://example.com/go"}
		var ask Elicitation
		_, c := modernly(t, WithTools(Tool{Name: "ask", TaskSupport: Required, Run: func(_ context.Context, c *Call) Outcome {
			r, err := c.Elicit(ask)
			if err != nil {
				return ToolError(err.Error())
			}
			return Answered(r.Action, string(r.Content))
		}}))
		ext := `"extensions":{"io.modelcontextprotocol/tasks":{}}`
		for _, tc := range []struct {
			e    Elicitation
			caps string
			lack string
		}{
			{askApproval, `{"elicitation":{},` + ext + `}`, ""},
			{askApproval, `{` + ext + `}`, `{"elicitation":{"form":{}}}`},
			{page, `{"elicitation":{"url":{}},` + ext + `}`, ""},
			{page, `{"elicitation":{},` + ext + `}`, `{"elicitation":{"url":{}}}`},
			{sampling, `{"sampling":{},` + ext + `}`, ""},
			{sampling, `{"elicitation":{},` + ext + `}`, `{"sampling":{}}`},
		} {
			ask, c.caps = tc.e, tc.caps
			id := c.start("ask", nil).TaskID
			synctest.Wait()
			got := c.get(id)
			if tc.lack != "" {
				raw, _ := json.Marshal(got.Error)
				if got.Status != Failed || got.Error.Code != CodeMissingCapability || !strings.Contains(string(raw), tc.lack) {
					t.Errorf("%s: %+v %s", tc.caps, got, raw)
				}
				continue
			}
			q := got.InputRequests["input"]
			if got.Status != InputRequired || q.Method != tc.e.method() || strings.Contains(string(q.Params), "elicitationId") {
				t.Errorf("%s: %+v", tc.caps, got)
			}
			c.update(id, map[string]any{"input": map[string]any{"action": "accept", "role": "assistant", "content": map[string]any{"type": "text", "text": "Paris"}}})
			synctest.Wait()
			if got := c.get(id); !strings.Contains(string(got.Result), "Paris") {
				t.Errorf("answered: %s", got.Result)
			}
		}
	})
}

func TestModernHostility(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := modernly(t, WithTools(pairTool), WithFaults(Faults{Hostile: true}))
		made := c.result("tools/call", map[string]any{"name": "ask"})
		if made.ResultType != "task" || !strings.ContainsRune(made.TaskID, '\x1b') && !strings.ContainsRune(made.TaskID, '\u009b') {
			t.Fatalf("an honest id: %q", made.TaskID)
		}
		synctest.Wait()
		name := []string{"Mcp-Name", b64(made.TaskID)}
		got := c.result("tasks/get", map[string]any{"taskId": made.TaskID}, name...)
		if got.Status != InputRequired || got.InputRequests["a"].Method != "elicitation/create" || got.StatusMessage == askApproval.Message {
			t.Fatalf("the protocol is to be spared, the words not: %+v", got)
		}
		st, _ := c.post("subscriptions/listen", map[string]any{"notifications": map[string]any{"taskIds": []string{made.TaskID}}})
		if ack := st.pushed("notifications/subscriptions/acknowledged"); len(ack.Notifications.TaskIDs) != 1 || ack.Notifications.TaskIDs[0] != made.TaskID {
			t.Errorf("acknowledged: %+v", ack)
		}
		c.result("tasks/update", map[string]any{"taskId": made.TaskID, "inputResponses": map[string]any{"a": accept(nil), "b": accept(nil)}}, name...)
		st.pushed("notifications/tasks")
		s.Fault(func(f *Faults) { *f = Faults{Mangle: WrongTypes} })
		if m := c.call("tasks/get", map[string]any{"taskId": made.TaskID}, name...); !strings.Contains(string(m.Raw), `"ttlMs":"60000"`) {
			t.Errorf("types as they should be: %s", m.Raw)
		}
	})
}
