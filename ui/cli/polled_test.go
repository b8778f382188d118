package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"callboard/mcpclient/mcptest"
)

// An answer for which the server polls is waited for until that has it: with the
// process it would be gone. Where nobody comes for it, that is no success.
func TestAnswerIsFetched(t *testing.T) {
	for name, comes := range map[string]bool{"fetched": true, "not fetched": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inMemory(t, func(p *place, s *mcptest.Server) { answerForATask(p, s, comes) }, mcptest.WithSharedTasks())
		})
	}
}

func answerForATask(p *place, s *mcptest.Server, comes bool) {
	t := p.t
	s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working})
	ctx, cancel := context.WithCancel(t.Context())
	fetched := make(chan string, 1) // nobody may want it
	go func() {
		fetched <- collect(ctx, s, comes)
	}()
	got := p.do("answer", "t-1", "--field", "name=Ada", "--json")
	result := ""
	if got.code == 0 {
		result = <-fetched
	}
	cancel()
	switch {
	case comes && (got.code != 0 || !strings.Contains(got.out, `"state": "taken"`) || !strings.Contains(result, "Ada")):
		t.Errorf("%+v, and the server has %q", got, result)
	case !comes && (got.code != exitFailed || !strings.Contains(got.out, `"state": "not fetched"`)):
		t.Errorf("%+v", got)
	}
}

// collect asks for a name as a task of the client's, and comes for it where it is
// to.
func collect(ctx context.Context, s *mcptest.Server, comes bool) string {
	if s.WaitStream(ctx, "") != nil {
		return ""
	}
	raw, err := s.SendRequest(ctx, "", "elicitation/create", json.RawMessage(`{"message":"Who?","task":{},
		"requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]},
		"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t-1"}}}`))
	var created struct{ Task struct{ TaskID string } }
	if err != nil || json.Unmarshal(raw, &created) != nil || !comes {
		return ""
	}
	raw, err = s.SendRequest(ctx, "", "tasks/result", map[string]string{"taskId": created.Task.TaskID})
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
