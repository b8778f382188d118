package mcpclient

import (
	"context"
	"fmt"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

type ctx = context.Context

func TestCallOutcomes(t *testing.T) {
	answer := func(ctx, *mcptest.Call) mcptest.Outcome { return mcptest.Answered("done") }
	tools := mcptest.WithTools(
		mcptest.Tool{Name: "required", TaskSupport: mcptest.Required, Run: answer},
		mcptest.Tool{Name: "forbidden", Run: answer},
		mcptest.Tool{Name: "fails", Run: func(ctx, *mcptest.Call) mcptest.Outcome { return mcptest.ToolError("broken") }},
		mcptest.Tool{Name: "note", TaskSupport: mcptest.Required, Immediate: "hold on", Run: answer},
	)
	for _, c := range []struct {
		name string
		call task.Call
		want string
	}{
		{"plain", task.Call{Tool: "forbidden"}, "returned done"},
		{"isError", task.Call{Tool: "fails"}, "returned broken isError"},
		{"required, but plain", task.Call{Tool: "required"}, "error -32601"},
		{"forbidden, but a task", task.Call{Tool: "forbidden", AsTask: true}, "error -32601"},
		{"unknown", task.Call{Tool: "nothing"}, "error -32602"},
		{"a note", task.Call{Tool: "note", AsTask: true}, "started hold on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, tools)
				c.call.ID = "c"
				r.call(c.call)
				if got := outcome(r); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
}

func outcome(r *rig) string {
	r.t.Helper()
	for {
		switch e := any1[task.Event](r).(type) {
		case task.Started:
			return "started " + e.Note.String()
		case task.Returned:
			if e.Err != nil {
				return fmt.Sprint("error ", e.Err.Code)
			}
			s := "returned"
			for _, b := range e.Result.Content {
				s += " " + b.Text
			}
			if e.Result.IsError {
				s += " isError"
			}
			return s
		}
	}
}

// TestUnaskedShapes: what was called as a task may return plainly, and what was
// called plainly may become a task.
func TestUnaskedShapes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		caps := mcptest.Everything
		caps.TasksCall = false // the server ignores `task`
		r := attach(t, mcptest.WithCapabilities(caps), tool("work", func(ctx, *mcptest.Call) mcptest.Outcome {
			return mcptest.Answered("plainly")
		}))
		r.start("work")
		if got := outcome(r); got != "returned plainly" {
			t.Error(got)
		}
		r.srv.Intercept(mcptest.Interception{Method: "tools/call", Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}},
			Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"task augmentation required"}}`})
		r.call(task.Call{ID: "c2", Tool: "work"})
		if got := outcome(r); got != "error -32600" {
			t.Error(got)
		}
	})
}

// TestProgress is followed for as long as the task lives.
func TestProgress(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		go1 := make(chan bool)
		r := attach(t, tool("work", func(_ ctx, c *mcptest.Call) mcptest.Outcome {
			c.Progress(1, 4, "one")
			<-go1
			c.Progress(3.5, 4, "three")
			return mcptest.Answered("done")
		}))
		any1[task.Stream](r)
		r.start("work")
		any1[task.Started](r)
		close(go1)
		p := wait1(r, func(p task.Progressed) bool { return p.Progress.Done == 3.5 })
		if p.Call != "work" || p.Progress.Total != 4 || p.Progress.Message.String() != "three" || p.Progress.At.IsZero() {
			t.Errorf("%+v", p)
		}
		r.srv.Push("", "notifications/progress", map[string]any{"progressToken": "not ours", "progress": 9})
		never(r, time.Second, func(p task.Progressed) bool { return p.Progress.Done == 9 })
	})
}

func TestAbandon(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, sleeping())
		r.srv.Intercept(mcptest.Interception{Method: "tools/call", Hang: true}) // deaf to the cancel, too
		r.call(task.Call{ID: "c", Tool: "work"})
		if err := r.srv.WaitFor(t.Context(), "tools/call", 1); err != nil {
			t.Fatal(err)
		}
		if err := r.s.Abandon(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		ret := any1[task.Returned](r)
		if ret.Call != "c" || ret.Err == nil || ret.Err.Kind != task.Lost {
			t.Errorf("%+v", ret)
		}
		_ = r.count("") // what is on its way arrives
		got := r.srv.Requests("notifications/cancelled")
		call := r.srv.Requests("tools/call")[0]
		if len(got) != 1 || string(member(got[0].Params, "requestId")) != string(call.ID) {
			t.Errorf("cancelled %d times: %+v", len(got), got)
		}
		kind(t, r.s.Abandon(t.Context(), "c"), task.Unsupported)
	})
}

func TestTooManyCalls(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, sleeping())
		for i := range maxCalls {
			r.call(task.Call{ID: task.CallID(fmt.Sprint(i)), Tool: "work"})
		}
		kind(t, r.s.Start(t.Context(), task.Call{ID: "more", Tool: "work"}), task.Limit)
	})
}

// TestCallWaitsForStream: some servers send prompts on GET alone, at once.
func TestCallWaitsForStream(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{}, sleeping())
		r.srv.Intercept(mcptest.Interception{Method: "GET", Delay: time.Second})
		r.dial(task.Resume{})
		begun := time.Now()
		r.start("work")
		if err := r.srv.WaitFor(t.Context(), "tools/call", 1); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begun); d < time.Second || d > 3*time.Second {
			t.Errorf("the call was sent after %v", d)
		}
	})
}

// TestCallSurvivesItsStream: a stream that breaks before the reply is resumed
// where it showed event ids.
func TestCallSurvivesItsStream(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		go1 := make(chan bool)
		r := attach(t, mcptest.WithPriming(100*time.Millisecond), mcptest.WithFaults(mcptest.Faults{Replies: mcptest.ReplySSE}),
			tool("work", func(ctx, *mcptest.Call) mcptest.Outcome { <-go1; return mcptest.Answered("done") }))
		any1[task.Stream](r)
		r.call(task.Call{ID: "c", Tool: "work"})
		if err := r.srv.WaitFor(t.Context(), "tools/call", 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		r.srv.CutStreams()
		time.Sleep(time.Second)
		close(go1)
		if got := outcome(r); got != "returned done" {
			t.Error(got)
		}
		if n := r.count("tools/call"); n != 1 {
			t.Errorf("sent %d times", n)
		}
	})
}
