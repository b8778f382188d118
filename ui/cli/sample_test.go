package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"callboard/mcpclient/mcptest"
)

const conversation = `{"systemPrompt":"Be brief.","maxTokens":100,"temperature":0.5,"stopSequences":["END"],
	"modelPreferences":{"hints":[{"name":"claude"}]},"messages":[
	{"role":"user","content":{"type":"text","text":"What is the\nweather?"}},
	{"role":"assistant","content":{"type":"image","data":"aGk=","mimeType":"image/png"}},
	{"role":"user","content":{"type":"text","text":"In words\u001b[31m!"}}]}`

// wanting asks for a reply in place of a model and answers with what it got.
var wanting = mcptest.Tool{Name: "write", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
	r, err := c.Elicit(mcptest.Elicitation{Sampling: json.RawMessage(conversation)})
	if err != nil {
		return mcptest.ToolError(err.Error())
	}
	var reply struct {
		Role, Model string
		Content     struct{ Text string }
	}
	if err := json.Unmarshal(r.Content, &reply); err != nil {
		return mcptest.ToolError(r.Action + ": " + err.Error())
	}
	return mcptest.Answered(reply.Role + " " + reply.Model + ": " + reply.Content.Text)
}}

func TestSamplingOnATerminal(t *testing.T) {
	inEras(t, []mcptest.Tool{wanting}, func(t *testing.T, p *place, _ *mcptest.Server) {
		drafts := 0
		p.sampler = func(_ context.Context, params json.RawMessage) (string, error) {
			if drafts++; drafts == 1 {
				return "", errors.New("no model is loaded")
			}
			var request struct{ SystemPrompt string }
			if err := json.Unmarshal(params, &request); err != nil {
				return "", err
			}
			return "Sunny. " + request.SystemPrompt + "\n", nil
		}
		p.in = strings.NewReader(":draft\n:draft\n\n\nyes\n")
		s := p.do("run", "write", "--wait", "--sampling-command", "x")
		if s.code != 0 || s.out != "assistant human: Sunny. Be brief.\n" || drafts != 2 {
			t.Errorf("%+v", s)
		}
		for _, want := range []string{
			"It wants a reply in place of a model.", `at most 100 tokens, temperature 0.5, a model like "claude", stop at "END"`, "system prompt:\n    Be brief.\n",
			"user:\n    What is the\n    weather?\n", "[image image/png", "In words!", ":draft has your command write", "! no model is loaded",
			"    Sunny. Be brief.\n  (enter sends this", "[Sunny. Be brief.]: ", "[human]: ",
		} {
			if !strings.Contains(s.errs, want) {
				t.Errorf("no %q in:\n%s", want, s.errs)
			}
		}
		p.sampler = nil
		p.in = strings.NewReader("By hand.\nme\nyes\n")
		if s := p.do("run", "write", "--wait", "--sampling", "manual"); s.out != "assistant me: By hand.\n" || strings.Contains(s.errs, ":draft") {
			t.Errorf("%+v", s)
		}
	})
}

// A script writes the reply by --field; what it does not write is not made up.
func TestSamplingFromAScript(t *testing.T) {
	inEras(t, []mcptest.Tool{wanting}, func(t *testing.T, p *place, _ *mcptest.Server) {
		if out := p.well("run", "write", "--wait", "--sampling", "manual", "--field", "text=From a script"); out != "assistant human: From a script" {
			t.Error(out)
		}
		s := p.badly(exitAsks, "(a reply in place of a model; fields: text, model)", "run", "write", "--wait", "--sampling", "manual", "--accept-defaults", "--json")
		var doc struct {
			Prompts []struct {
				Mode, Message string
				Schema        struct{ Required []string }
				Request       struct {
					SystemPrompt string
					Messages     []struct{ Role string }
				}
			}
		}
		if err := json.Unmarshal([]byte(s.out), &doc); err != nil || len(doc.Prompts) != 1 {
			t.Fatalf("%v: %s", err, s.out)
		}
		if q := doc.Prompts[0]; q.Mode != "sampling" || q.Message != "In words!" || len(q.Schema.Required) != 2 || q.Request.SystemPrompt != "Be brief." || len(q.Request.Messages) != 3 {
			t.Errorf("%+v", q)
		}
	})
}

// Who has not said that somebody is there is not asked.
func TestNoSamplingUnasked(t *testing.T) {
	inEras(t, []mcptest.Tool{wanting}, func(t *testing.T, p *place, _ *mcptest.Server) {
		if s := p.do("run", "write", "--wait", "--field", "text=x"); s.code != exitFailed || strings.Contains(s.out, "assistant") {
			t.Errorf("%+v", s)
		}
	})
}
