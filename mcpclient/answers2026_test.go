package mcpclient

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// TestAnAnswerOnItsWayDoesNotGoAlong: while one answer is on its way, that to
// another question of the task goes out alone.
func TestAnAnswerOnItsWayDoesNotGoAlong(t *testing.T) {
	for name, f := range map[string]mcptest.Faults{"one by one": {AckDelay: 2 * time.Second}, "together only": {AckDelay: 2 * time.Second, WholeUpdates: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := make(chan error, 1)
				tool := mcptest.Tool{Name: "two", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
					_, err := c.ElicitAll(mcptest.Question{Elicitation: mcptest.Elicitation{Message: "1"}}, mcptest.Question{Elicitation: mcptest.Elicitation{Message: "2"}})
					got <- err
					return mcptest.Answered()
				}}
				srv := mcptest.New(mcptest.WithEra(mcptest.ModernEra), mcptest.WithTools(tool), mcptest.WithFaults(f))
				defer srv.Close()
				rt := srv.Transport()
				defer rt.CloseIdleConnections()
				ep, err := NewEndpoint(Config{URL: srv.URL(), RoundTripper: rt})
				if err != nil {
					t.Fatal(err)
				}
				s, err := ep.Dial(t.Context(), task.Resume{})
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := s.Close(context.Background(), true); err != nil {
						t.Error(err)
					}
				}()
				if err := s.Start(t.Context(), task.Call{ID: "c", Tool: "two", Args: []byte("{}"), AsTask: true}); err != nil {
					t.Fatal(err)
				}
				var ids []task.PromptID
				for len(ids) < 2 {
					b, err := s.Next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range b.Events {
						switch e := e.(type) {
						case task.Started:
							if _, err := s.Get(t.Context(), e.Task.ID); err != nil {
								t.Fatal(err)
							}
						case task.Prompted:
							ids = append(ids, e.Prompt.ID)
						}
					}
				}
				errs := make(chan error, 2)
				for _, id := range ids {
					go func() {
						_, err := s.Answer(t.Context(), task.Reply{Prompt: id, Action: task.Decline})
						errs <- err
					}()
					time.Sleep(100 * time.Millisecond)
				}
				for range ids {
					if err := <-errs; err != nil {
						t.Error(err)
					}
				}
				if err := <-got; err != nil {
					t.Error(err)
				}
				sent := map[string]int{}
				for _, r := range srv.Requests("tasks/update") {
					var p struct {
						Responses map[string]json.RawMessage `json:"inputResponses"`
					}
					if err := json.Unmarshal(r.Params, &p); err != nil {
						t.Error(err)
					}
					for key := range p.Responses {
						sent[key]++
					}
				}
				for key, n := range sent {
					if n > 1 && !f.WholeUpdates {
						t.Errorf("the answer to %s went out %d times", key, n)
					}
				}
			})
		})
	}
}

// TestGarbledAnswerIsNoRefusalOfParts: a server that could not read an answer says
// nothing of how it takes them.
func TestGarbledAnswerIsNoRefusalOfParts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := sampling(t, mcptest.ModernEra, tool("two", func(_ ctx, c *mcptest.Call) mcptest.Outcome {
			if _, err := c.ElicitAll(severalQuestions(2)...); err != nil {
				return mcptest.ToolError(err.Error())
			}
			return mcptest.Answered("done")
		}))
		id := r.begins("two")
		ps, _, _ := r.came(time.Second)
		r.srv.Intercept(mcptest.Interception{Method: "tasks/update", Err: &mcptest.Error{Code: -32700, Message: "Parse error"}})
		receipt, err := r.s.Answer(t.Context(), accepted(ps[0], "a"))
		if err == nil {
			t.Fatalf("%+v", receipt)
		}
		for _, p := range ps {
			if receipt, err = r.s.Answer(t.Context(), accepted(p, "a")); err != nil || receipt.Waits != 0 {
				t.Fatalf("%+v, %v", receipt, err)
			}
		}
		r.ends(id)
	})
}
