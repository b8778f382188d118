package cli

import (
	"context"
	"strings"
	"testing"

	"callboard/mcpclient/mcptest"
)

// delicate asks for a date, for what may be null, and for a password.
var delicate = mcptest.Tool{Name: "ask", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
	r, err := c.Elicit(mcptest.Elicitation{Message: "Go on?", Schema: []byte(`{"type":"object","properties":{
		"at":{"type":"string","format":"date-time"},
		"note":{"type":["string","null"]},
		"password":{"type":"string","minLength":3}},"required":["at","note","password"]}`)})
	if err != nil {
		return mcptest.ToolError(err.Error())
	}
	return mcptest.Answered(r.Action + " " + string(r.Content))
}}

func TestDelicateQuestionOnATerminal(t *testing.T) {
	inEras(t, []mcptest.Tool{delicate}, func(t *testing.T, p *place, _ *mcptest.Server) {
		on, off := 0, 0
		p.quiet = func() func() { on++; return func() { off++ } }
		p.in = strings.NewReader("soon\n2026-12-01 09:00+02:00\n\n:null\nab\nhunter2\nno\n\n\n\nyes\n")
		s := p.do("run", "ask", "--wait")
		if want := `accept {"at":"2026-12-01T09:00:00+02:00","note":null,"password":"hunter2"}` + "\n"; s.code != 0 || s.out != want {
			t.Errorf("%+v", s)
		}
		for _, want := range []string{
			`"password" seems to ask for a secret`, ":null says null where a field takes it",
			"! at is not a date and time such as 2026-01-31 14:00, now or +2h", "= 2026-12-01T09:00:00+02:00",
			"! it is required: give a value, or null by typing :null", "note [null]: ",
			"! password must be at least 3 characters", "password [********]: ", `"password":"********"`,
		} {
			if !strings.Contains(s.errs, want) {
				t.Errorf("no %q in:\n%s", want, s.errs)
			}
		}
		if strings.Contains(s.errs, "hunter2") {
			t.Errorf("the secret shows:\n%s", s.errs)
		}
		if on != 3 || off != on {
			t.Errorf("quiet %d times, ended %d times", on, off)
		}
	})
}

// A script is told how null is written.
func TestScriptAnswersWithNull(t *testing.T) {
	inEras(t, []mcptest.Tool{delicate}, func(t *testing.T, p *place, _ *mcptest.Server) {
		id := p.well("run", "ask")
		p.badly(exitUsage, "note is required: give a value, or null, typed :null", "answer", id, "--field", "at=2026-12-01T09:00Z", "--field", "password=abc")
		p.well("answer", id, "--field", "at=2026-12-01T09:00Z", "--field", "password=abc", "--field", "note=:null")
		if out := p.well("result", id); out != `accept {"at":"2026-12-01T09:00:00Z","note":null,"password":"abc"}` {
			t.Error(out)
		}
	})
}
