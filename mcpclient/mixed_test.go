package mcpclient

import (
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// TestModernShapesInLegacySessions: some servers push, and answer, in the shapes
// of the next generation within a session of this one.
func TestModernShapesInLegacySessions(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithFaults(mcptest.Faults{ExtensionInInitialize: true, ModernPush: true}), sleeping())
		any1[task.Stream](r)
		r.start("work")
		id := any1[task.Started](r).Task.ID
		r.srv.Finish(string(id), mcptest.Answered("done"))
		c := wait1(r, func(c task.Changed) bool { return c.Task.Status == task.Completed })
		if c.Task.TTL != 10*time.Minute || c.Task.Poll != time.Second || c.How != task.Pushed {
			t.Errorf("%+v", c)
		}
		if res, err := r.s.Result(t.Context(), id); err != nil || res.Content[0].Text != "done" {
			t.Errorf("%+v, %v", res, err)
		}
		if n := r.count("tasks/result"); n != 0 {
			t.Error("the result was pushed, and asked for all the same")
		}
	})
}

// TestCreatedTask: CreateTaskResult of either generation, and what is none.
func TestCreatedTask(t *testing.T) {
	for raw, want := range map[string]task.ID{
		`{"task":{"taskId":"a","status":"working"}}`:                         "a",
		`{"resultType":"task","taskId":"a","status":"working","ttlMs":5000}`: "a",
		`{"taskId":"a","status":"working","ttlMs":5000}`:                     "a",
		`{"resultType":"task","task":{"taskId":"a","status":"working"}}`:     "a",
		`{"task":{"taskId":"a","status":"working"},"content":[]}`:            "",
		`{"resultType":"complete","content":[],"taskId":"a","status":"x"}`:   "",
		`{"content":[]}`:        "",
		`{"taskId":"a"}`:        "",
		`{"resultType":"task"}`: "",
	} {
		var in interner
		got, _, ok := in.createdTask([]byte(raw))
		if got.ID != want || ok != (want != "") {
			t.Errorf("%s: %+v, %v", raw, got, ok)
		}
	}
	var in interner
	got, _ := in.task([]byte(`{"taskId":"a","ttlMs":null,"pollIntervalMs":1500}`))
	if got.TTL != task.NoTTL || got.Poll != 1500*time.Millisecond {
		t.Errorf("%+v", got)
	}
}
