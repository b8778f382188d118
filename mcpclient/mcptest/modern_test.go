package mcptest

import (
	"strings"
	"testing"
	"testing/synctest"
)

func TestModernTaskFromCallToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Conformance()
		t.Cleanup(func() { _ = s.Close() })
		c := modern(t, MemoryURL, s.Transport())
		c.caps = modernCaps
		id := c.start("multi_input", nil).TaskID
		synctest.Wait()
		got := c.get(id)
		if got.Status != InputRequired || len(got.InputRequests) != 2 || got.ResultType != "complete" {
			t.Fatalf("two questions at once: %+v", got)
		}
		c.update(id, map[string]any{"name": accept(map[string]any{"name": "Ada"}), "never asked": 1})
		if got = c.get(id); got.Status != InputRequired || len(got.InputRequests) != 1 || got.InputRequests["confirm"].Method != "elicitation/create" {
			t.Fatalf("after a part: %+v", got)
		}
		c.update(id, map[string]any{"confirm": map[string]any{"action": "decline"}})
		synctest.Wait()
		if got = c.get(id); got.Status != Completed || !strings.Contains(string(got.Result), `Ada`) || !strings.Contains(string(got.Result), "decline") {
			t.Fatalf("at the end: %+v", got)
		}
		if e := c.errs("tasks/update", map[string]any{"taskId": id, "inputResponses": map[string]any{}}); e.Code != CodeInvalidParams {
			t.Errorf("an update after the end: %v", e)
		}
		id = c.start("slow_compute", map[string]any{"seconds": 60}).TaskID
		c.result("tasks/cancel", map[string]any{"taskId": id})
		if got = c.get(id); got.Status != Cancelled {
			t.Errorf("cancelled: %+v", got)
		}
	})
}
