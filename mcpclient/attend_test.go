package mcpclient

import (
	"fmt"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// TestAttendRefused: a server that does not block is not asked without end.
func TestAttendRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithFaults(mcptest.Faults{RefuseResult: true}))
		id := task.ID(r.srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited}))
		r.s.Attend([]task.ID{id})
		time.Sleep(10*time.Minute + time.Second)
		if n := r.count("tasks/result"); n < 9 || n > 12 {
			t.Errorf("asked %d times in ten minutes", n)
		}
	})
}

// TestAttendLateHeaders: tasks/result may send no header for an hour.
func TestAttendLateHeaders(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithFaults(mcptest.Faults{LateHeaders: true}))
		id := task.ID(r.srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited}))
		r.s.Attend([]task.ID{id})
		time.Sleep(time.Hour)
		r.srv.Finish(string(id), mcptest.Answered("at last"))
		wait1(r, func(c task.Changed) bool { return c.Task.Status == task.Completed })
		res, err := r.s.Result(t.Context(), id)
		if err != nil || res.Content[0].Text != "at last" {
			t.Errorf("%+v, %v", res, err)
		}
		if n := r.count("tasks/result"); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestAttendLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		var ids []task.ID
		for range maxAttended + 3 {
			ids = append(ids, task.ID(r.srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited})))
		}
		if _, err := r.s.Page(t.Context(), task.Cursor{}); err != nil {
			t.Fatal(err)
		}
		r.s.Attend(ids)
		time.Sleep(3 * time.Second)
		if n := r.count("tasks/result"); n != maxAttended {
			t.Errorf("%d are attended, want %d", n, maxAttended)
		}
		r.s.Attend(ids[1:])
		time.Sleep(time.Second)
		if n := r.count("tasks/result"); n != maxAttended+1 {
			t.Errorf("the next one did not move up: %d", n)
		}
		left := r.srv.Requests("notifications/cancelled")
		first := r.srv.Requests("tasks/result")
		if len(left) != 1 {
			t.Fatalf("%d were given up", len(left))
		}
		for _, q := range first {
			if string(q.ID) == string(member(left[0].Params, "requestId")) && text(member(q.Params, "taskId")) != string(ids[0]) {
				t.Errorf("given up: %s", q.Params)
			}
		}
		r.close(true)
		if n := len(r.srv.Requests("notifications/cancelled")); n != 1+maxAttended {
			t.Errorf("a kept session gave up %d of its tasks/result", n-1)
		}
	})
}

// TestAttendWaitsForStream: some servers send prompts on GET alone, at once.
func TestAttendWaitsForStream(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{})
		r.srv.Intercept(mcptest.Interception{Method: "GET", Delay: time.Second})
		r.dial(task.Resume{})
		begun := time.Now()
		r.s.Attend([]task.ID{task.ID(r.srv.AddTask(mcptest.Task{}))})
		if err := r.srv.WaitFor(t.Context(), "tasks/result", 1); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begun); d < time.Second || d > 3*time.Second {
			t.Errorf("tasks/result was sent after %v", d)
		}
	})
}

func TestAttendComesBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithEventStore(0))
		id := task.ID(r.srv.AddTask(mcptest.Task{TTL: mcptest.Unlimited}))
		r.s.Attend([]task.ID{id})
		if err := r.srv.WaitFor(t.Context(), "tasks/result", 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		r.srv.CutStreams()
		time.Sleep(5 * time.Second)
		if n := r.count("tasks/result"); n != 2 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestResultCache(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newResultCache()
		c.add("early", cachedResult{raw: []byte(`{}`)})
		time.Sleep(resultBefore + time.Second)
		c.add("timely", cachedResult{raw: []byte(`{}`)})
		c.ended("early")
		c.ended("timely")
		if _, ok := c.results["early"]; ok {
			t.Error("a result that came long before the end is taken for it")
		}
		if _, ok := c.results["timely"]; !ok {
			t.Error("the result is gone")
		}
		c.add("large", cachedResult{raw: make([]byte, maxCachedResult+1)})
		if _, ok := c.results["large"]; ok {
			t.Error("a result beyond the limit is kept")
		}
		for i := range 10 {
			c.add(task.ID(fmt.Sprint(i)), cachedResult{raw: make([]byte, maxCachedResult)})
		}
		if c.bytes > maxCached || len(c.results) != maxCached/maxCachedResult || len(c.order) != len(c.results) {
			t.Errorf("%d bytes in %d results are kept", c.bytes, len(c.results))
		}
	})
}

func TestResults(t *testing.T) {
	for _, c := range []struct {
		name string
		o    mcptest.Outcome
		want string
	}{
		{"text", mcptest.Answered("a"), "1 blocks, isError false, rpc 0"},
		{"isError", mcptest.ToolError("a"), "1 blocks, isError true, rpc 0"},
		{"a JSON-RPC error", mcptest.Refused(-32603, "exploded", map[string]any{"x": 1}), "0 blocks, isError false, rpc -32603"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t)
				id := r.srv.AddTask(mcptest.Task{})
				r.srv.Finish(id, c.o)
				res, err := r.s.Result(t.Context(), task.ID(id))
				if err != nil {
					t.Fatal(err)
				}
				rpc := 0
				if res.Err != nil {
					rpc = res.Err.Code
				}
				if got := fmt.Sprintf("%d blocks, isError %v, rpc %d", len(res.Content), res.IsError, rpc); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
				if len(res.Raw) == 0 {
					t.Error("the raw result is gone")
				}
			})
		})
	}
	t.Run("unknown", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach(t)
			_, err := r.s.Result(t.Context(), "nobody")
			kind(t, err, task.RPC)
		})
	})
	t.Run("given up", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach(t)
			id := task.ID(r.srv.AddTask(mcptest.Task{}))
			short, cancel := contextFor(t, time.Minute)
			defer cancel()
			if _, err := r.s.Result(short, id); err == nil {
				t.Error("a task that lives has a result")
			}
			if n := r.count("notifications/cancelled"); n != 1 {
				t.Errorf("%d notifications/cancelled", n)
			}
		})
	})
}
