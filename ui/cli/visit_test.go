package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"callboard/mcpclient/mcptest"
)

// A plain call that asks and cannot wait says what it asked, also in JSON: a page
// to be visited before it is sent again, or a question before its end.
func TestACallThatAsks(t *testing.T) {
	vault := mcptest.Tool{Name: "vault", TaskSupport: mcptest.Forbidden, Run: func(context.Context, *mcptest.Call) mcptest.Outcome {
		return mcptest.URLRequired("it is locked", mcptest.Elicitation{URL: "https://vault.example.com/unlock", Message: "Unlock it."})
	}}
	who := asking
	who.TaskSupport = mcptest.Forbidden
	safe := mcptest.Tool{Name: "safe", TaskSupport: mcptest.Required, Run: func(context.Context, *mcptest.Call) mcptest.Outcome {
		return mcptest.Refused(-32042, "it is locked", map[string]any{"elicitations": []any{
			map[string]any{"mode": "url", "url": "https://safe.example.com/unlock", "message": "Unlock it.", "elicitationId": "e"},
		}})
	}}
	inEras(t, []mcptest.Tool{vault, who, safe}, func(t *testing.T, p *place, _ *mcptest.Server) {
		for tool, want := range map[string][2]string{
			"vault": {"https://vault.example.com/unlock", "url"},
			"ask":   {"Who?", "form"},
			"safe":  {"https://safe.example.com/unlock", "url"}, // the outcome of a task
		} {
			p.badly(exitAsks, want[0], "run", tool, "--wait")
			s := p.badly(exitAsks, want[0], "run", tool, "--wait", "--json")
			var doc struct {
				Prompts []struct {
					Mode, URL, Message string
					Schema             any
				}
				Error struct{ Kind string }
			}
			if err := json.Unmarshal([]byte(s.out), &doc); err != nil || len(doc.Prompts) != 1 || doc.Prompts[0].Mode != want[1] ||
				!strings.Contains(doc.Prompts[0].URL+doc.Prompts[0].Message, want[0]) || doc.Error.Kind != "input_required" {
				t.Errorf("%s: %v\n%s", tool, err, s.out)
			}
		}
	})
}
