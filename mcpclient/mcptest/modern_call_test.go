package mcptest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestModernPlainCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := modernly(t, WithTools(Tool{Name: "plain", Run: func(_ context.Context, c *Call) Outcome {
			c.Progress(1, 2, "half")
			c.Log("info", "x", "said")
			c.Log("debug", "x", "whispered")
			c.Sleep(time.Second)
			return Answered("done")
		}}))
		st, id := c.post("tools/call", map[string]any{"name": "plain", "_meta": map[string]any{"progressToken": "p", metaLevel: "info"}})
		if m := st.must(); m.Method != "notifications/progress" || !strings.Contains(string(m.Raw), `"progressToken":"p"`) {
			t.Errorf("first: %s", m.Raw)
		}
		if m := st.must(); m.Method != "notifications/message" || !strings.Contains(string(m.Raw), "said") {
			t.Errorf("second: %s", m.Raw)
		}
		if m := st.must(); string(m.ID) != id || !strings.Contains(string(m.Result), `"resultType":"complete"`) || m.Event != "" {
			t.Errorf("then: %s", m.Raw)
		}
		st.close()
		st, _ = c.post("tools/call", map[string]any{"name": "plain"}) // no token, no level: nothing but the result
		if m := st.must(); m.Method != "" || !strings.HasPrefix(st.res.Header.Get("Content-Type"), "application/json") {
			t.Errorf("unasked: %s", m.Raw)
		}
	})
}

func TestModernHangingUpCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 4)
		s, c := modernly(t, WithTools(Tool{Name: "long", Run: func(ctx context.Context, c *Call) Outcome {
			c.Progress(1, 2, "")
			<-ctx.Done()
			ended <- ctx.Err()
			return stopped()
		}}))
		params := map[string]any{"name": "long", "_meta": map[string]any{"progressToken": 1}}
		st, _ := c.post("tools/call", params)
		st.until("notifications/progress")
		st.close()
		if err := <-ended; err == nil {
			t.Error("the call went on")
		}
		st, _ = c.post("tools/call", params)
		st.until("notifications/progress")
		s.CutStreams()
		if err := <-ended; err == nil {
			t.Error("the cut call went on")
		}
		if _, err := st.next(); err == nil {
			t.Error("the cut stream went on")
		}
	})
}

func TestModernRoundTripsBeforeATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Conformance(WithEra(ModernEra))
		t.Cleanup(func() { _ = s.Close() })
		c := modern(t, MemoryURL, s.Transport())
		call := map[string]any{"name": "test_tool_with_task", "arguments": map[string]any{"x": 1, "y": 2}}
		first := c.result("tools/call", call)
		if first.ResultType != "input_required" || first.InputRequests["user_name"].Method != "elicitation/create" || first.RequestState == nil || first.TaskID != "" {
			t.Fatalf("first round: %+v", first)
		}
		if n := len(s.Tasks()); n != 0 {
			t.Errorf("%d tasks before the answer", n)
		}
		call["requestState"] = *first.RequestState
		again := c.result("tools/call", call)
		if again.ResultType != "input_required" || len(again.InputRequests) != 1 || *again.RequestState == *first.RequestState {
			t.Fatalf("what is missing is to be asked again: %+v", again)
		}
		call["inputResponses"] = map[string]any{"user_name": accept(map[string]any{"name": "Ada"}), "extra": map[string]any{}}
		if e := c.errs("tools/call", call); e.Code != CodeInvalidParams {
			t.Errorf("a state that was used: %v", e)
		}
		call["requestState"] = *again.RequestState
		c.token = "another"
		if e := c.errs("tools/call", call); e.Code != CodeInvalidParams {
			t.Errorf("another's state: %v", e)
		}
		c.token = ""
		call["arguments"] = map[string]any{"x": 2}
		if e := c.errs("tools/call", call); e.Code != CodeInvalidParams {
			t.Errorf("the state of another call: %v", e)
		}
		call["arguments"] = map[string]any{"y": 2, "x": 1}
		made := c.result("tools/call", call)
		if made.ResultType != "task" || made.RequestState != nil || made.InputRequests != nil {
			t.Fatalf("last round: %+v", made)
		}
		synctest.Wait()
		if got := c.get(made.TaskID); got.Status != Completed || !strings.Contains(string(got.Result), "Hello, Ada!") {
			t.Errorf("the task: %+v %s", got, got.Result)
		}
	})
}

func TestModernPlainCallAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := modernly(t, WithTools(pairTool, Tool{Name: "pages", Run: func(_ context.Context, c *Call) Outcome {
			if n, _ := c.Data.(int); n < 1 {
				c.Data = n + 1
				return URLRequired("first", Elicitation{Message: "m", URL: "https://example.com", ID: "x"})
			}
			return Answered("visited")
		}}), WithFaults(Faults{EmptyRounds: 1}))
		c.caps = `{"elicitation":{"form":{},"url":{}}}` // no extension: the call is plain
		call := map[string]any{"name": "ask"}
		round := c.result("tools/call", call)
		if round.ResultType != "input_required" || round.InputRequests != nil || round.RequestState == nil {
			t.Fatalf("an empty round: %+v", round)
		}
		call["requestState"] = *round.RequestState
		round = c.result("tools/call", call)
		if len(round.InputRequests) != 2 {
			t.Fatalf("the questions: %+v", round)
		}
		call["requestState"] = *round.RequestState
		call["inputResponses"] = map[string]any{"a": accept(map[string]any{"approve": true})}
		round = c.result("tools/call", call)
		if len(round.InputRequests) != 1 {
			t.Fatalf("the rest: %+v", round)
		}
		s.Fault(func(f *Faults) { *f = Faults{Reask: 1} })
		call["requestState"] = *round.RequestState
		call["inputResponses"] = map[string]any{"b": map[string]any{"action": "cancel"}}
		round = c.result("tools/call", call)
		if len(round.InputRequests) != 1 {
			t.Fatalf("asked again: %+v", round)
		}
		call["requestState"] = *round.RequestState
		if round = c.result("tools/call", call); round.ResultType != "complete" || fmt.Sprint(round.Content) != `[{{"approve":true}} {cancel}]` {
			t.Errorf("the end: %+v", round)
		}
		s.Fault(func(f *Faults) { *f = Faults{NoState: true} })
		call = map[string]any{"name": "pages"}
		round = c.result("tools/call", call)
		if round.RequestState != nil || len(round.InputRequests) != 1 || strings.Contains(string(round.InputRequests["input-1"].Params), "elicitationId") {
			t.Fatalf("a page: %+v", round)
		}
		call["inputResponses"] = map[string]any{"input-1": map[string]any{"action": "accept"}}
		if round = c.result("tools/call", call); fmt.Sprint(round.Content) != "[{visited}]" {
			t.Errorf("after the page: %+v", round)
		}
		c.caps = "{}"
		if e := c.errs("tools/call", map[string]any{"name": "ask"}); e.Code != CodeMissingCapability {
			t.Errorf("a client that takes no questions: %v", e)
		}
	})
}

func TestModernCallsThatNobodyContinuesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan error, 1)
		s, c := modernly(t, WithTools(Tool{Name: "ask", Run: func(_ context.Context, c *Call) Outcome {
			_, err := c.Elicit(askApproval)
			gone <- err
			return stopped()
		}}))
		round := c.result("tools/call", map[string]any{"name": "ask"})
		time.Sleep(roundsKept + time.Second)
		if err := <-gone; err == nil {
			t.Error("it was answered")
		}
		if e := c.errs("tools/call", map[string]any{"name": "ask", "requestState": *round.RequestState}); e.Code != CodeInvalidParams {
			t.Errorf("after that: %v", e)
		}
		s.Fault(func(f *Faults) { f.AskPatience = time.Second })
		round = c.result("tools/call", map[string]any{"name": "ask"})
		time.Sleep(2 * time.Second)
		if err := <-gone; !errors.Is(err, ErrUnanswered) {
			t.Errorf("given up: %v", err)
		}
		if res := c.result("tools/call", map[string]any{"name": "ask", "requestState": *round.RequestState}); !res.IsError {
			t.Errorf("who comes too late is told: %+v", res)
		}
		c.result("tools/call", map[string]any{"name": "ask"}) // left behind for Close
	})
}
