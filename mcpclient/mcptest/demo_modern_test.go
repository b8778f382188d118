package mcptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestDemoModernPlaysAllNight(t *testing.T) {
	var j *judge
	if os.Getenv("CALLBOARD_SCHEMAS") != "" {
		j = newModernJudge(t)
	}
	synctest.Test(t, func(t *testing.T) {
		s := DemoModern(7)
		defer s.Close()
		tr := s.Transport()
		c := modern(t, MemoryURL, tr)
		if j != nil {
			c.check = j.seeModern
		}
		ids := s.TaskIDs()
		if len(ids) < 8 {
			t.Fatalf("%d tasks at the opening", len(ids))
		}
		st, _ := c.listen(map[string]any{"taskIds": ids})
		pushes := 0
		seen := map[string]int{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				m, err := st.next()
				if err != nil {
					return
				}
				if m.Method == "notifications/tasks" {
					pushes++
				}
			}
		}()
		answer := func() {
			for _, id := range s.TaskIDs() {
				got := c.get(id)
				seen[string(got.Status)]++
				if len(got.InputRequests) == 2 {
					seen["two at once"]++
				}
				if strings.Contains(string(got.Result), `"isError":true`) {
					seen["isError"]++
				}
				for _, key := range slices.Sorted(maps.Keys(got.InputRequests)) {
					if strings.Contains(string(got.InputRequests[key].Params), `"mode":"url"`) {
						seen["url"]++
					}
					c.update(id, map[string]any{key: accept(map[string]any{"approve": true})})
					break // a part at a time
				}
			}
		}
		for began := time.Now(); time.Since(began) < 10*time.Minute; time.Sleep(10 * time.Second) {
			synctest.Wait()
			answer()
		}
		st.close()
		<-done
		for _, want := range []string{"working", "input_required", "completed", "failed", "cancelled", "two at once", "isError", "url"} {
			if seen[want] == 0 {
				t.Errorf("never seen: %s", want)
			}
		}
		if seen["two at once"] < 3 || pushes < 100 {
			t.Errorf("%d pushes, seen %v", pushes, seen)
		}
		if n := len(s.TaskIDs()); n > len(ids) {
			t.Errorf("%d tasks at the end of the night", n)
		}
		tr.CloseIdleConnections()
	})
}

func TestDemoModernUnattendedIsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := DemoModern(3)
		defer s.Close()
		time.Sleep(2 * time.Hour)
		waiting := 0
		for _, task := range s.Tasks() {
			if task.Status == InputRequired {
				waiting++
			}
		}
		if waiting != 2 {
			t.Errorf("%d tasks wait", waiting)
		}
	})
}

func TestDemoModernTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := DemoModern(1)
		defer s.Close()
		tr := s.Transport()
		c := modern(t, MemoryURL, tr)
		finish := func(id string) modernResult {
			t.Helper()
			for range 600 {
				time.Sleep(time.Second)
				got := c.get(id)
				if got.Status.Terminal() {
					return got
				}
				for key := range got.InputRequests {
					c.update(id, map[string]any{key: accept(map[string]any{"approve": true})})
				}
			}
			t.Fatalf("%s never ends", id)
			return modernResult{}
		}
		for _, tc := range []struct{ tool, args, want string }{
			{"release_train", `{}`, "Leave: accept"},
			{"export_ledger", `{}`, "is exported"},
			{"connect_wiki", `{}`, "are filed"},
			{"deploy_service", `{"service":"search","version":"1.2.3","environment":"production"}`, "Rolled out"},
			{"fail_on_purpose", `{"how":"isError"}`, `"isError":true`},
		} {
			got := finish(c.result("tools/call", map[string]any{"name": tc.tool, "arguments": json.RawMessage(tc.args)}).TaskID)
			if got.Status != Completed || !strings.Contains(string(got.Result), tc.want) {
				t.Errorf("%s: %+v %s", tc.tool, got, got.Result)
			}
		}
		got := finish(c.start("fail_on_purpose", map[string]any{"how": "panic"}).TaskID)
		if got.Status != Failed || got.Error.Code != CodeInternal {
			t.Errorf("panic: %+v", got)
		}
		id := c.start("export_ledger", nil).TaskID
		c.result("tasks/cancel", map[string]any{"taskId": id})
		if got = finish(id); got.Status != Completed || !strings.Contains(string(got.Result), "too late") {
			t.Errorf("a cancel that loses: %+v %s", got, got.Result)
		}
		round := c.result("tools/call", map[string]any{"name": "order_capacity"})
		made := c.result("tools/call", map[string]any{
			"name": "order_capacity", "requestState": *round.RequestState,
			"inputResponses": map[string]any{"input-1": accept(map[string]any{"workers": 20, "budget": 12.5})},
		})
		if got = finish(made.TaskID); !strings.Contains(string(got.Result), "20 workers for 12.50 EUR") {
			t.Errorf("order_capacity: %+v %s", got, got.Result)
		}
		region := map[string]any{"name": "query_region", "arguments": map[string]any{"region": "eu-north"}}
		if e := c.errs("tools/call", region); e.Code != CodeHeaderMismatch {
			t.Errorf("query_region without its header: %v", e)
		}
		if res := c.result("tools/call", region, "Mcp-Param-Region", "eu-north"); fmt.Sprint(res.Content) != "[{uptime of eu-north: 99.98 %}]" {
			t.Errorf("query_region: %+v", res)
		}
		st, _ := c.listen(map[string]any{"taskIds": []string{id}})
		c.result("tools/call", map[string]any{"name": "stop_push"})
		st.until("notifications/cancelled")
		if _, ack := c.listen(map[string]any{"taskIds": []string{id}}); strings.Contains(string(ack.Params), "taskIds") {
			t.Errorf("push is not stopped: %s", ack.Raw)
		}
		time.Sleep(pushOutage + time.Second)
		if _, ack := c.listen(map[string]any{"taskIds": []string{id}}); !strings.Contains(string(ack.Params), id) {
			t.Errorf("push does not come back: %s", ack.Raw)
		}
		tr.CloseIdleConnections()
	})
}
