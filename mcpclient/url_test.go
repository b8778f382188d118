package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// TestElicitationComplete: what the server says of a page counts whether the
// person consented already or not; of pages that nobody knows it is no matter.
func TestElicitationComplete(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, asking("pay", mcptest.Elicitation{Message: "Pay", URL: "https://pay.example/x", ID: "e1"}))
		r.call(task.Call{ID: "c", Tool: "pay"})
		p := any1[task.Prompted](r).Prompt
		for _, id := range []any{"unknown", "", 7, nil, strings.Repeat("x", maxID+1)} {
			r.srv.Push("", "notifications/elicitation/complete", map[string]any{"elicitationId": id})
		}
		never(r, time.Second, func(task.URLDone) bool { return true })
		for _, state := range []string{"open", "closed"} {
			r.srv.CompleteElicitation("", "e1")
			if done := any1[task.URLDone](r); done.Prompt != p.ID {
				t.Errorf("%s: %+v", state, done)
			}
			if state == "open" { // that the page is done is no consent
				never(r, time.Second, func(task.Withdrawn) bool { return true })
				if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept}); err != nil {
					t.Fatal(err)
				}
				any1[task.Returned](r)
			}
		}
	})
}

// TestSeveralPagesRequired: a call needs pages first. Consent to each goes nowhere
// in 2025-11-25; the call that is sent again succeeds.
func TestSeveralPagesRequired(t *testing.T) {
	pages := []mcptest.Elicitation{
		{Message: "Sign in", URL: "https://id.example/in", ID: "p1"}, {Message: "Agree", URL: "https://id.example/terms", ID: "p2"},
	}
	eras(t, func(t *testing.T, era mcptest.Era) {
		var done atomic.Int32
		r := sampling(t, era, mcptest.WithTools(mcptest.Tool{Name: "pay", Run: func(ctx, *mcptest.Call) mcptest.Outcome {
			if done.Load() < 2 {
				return mcptest.URLRequired("Consent first", pages...)
			}
			return mcptest.Answered("paid")
		}}))
		r.call(task.Call{ID: "c1", Tool: "pay"})
		first, second := any1[task.Prompted](r).Prompt, any1[task.Prompted](r).Prompt
		if first.URL != pages[0].URL || second.URL != pages[1].URL || first.Mode != task.URLMode || first.Call != "c1" {
			t.Errorf("%+v, %+v", first, second)
		}
		if era == mcptest.LegacyEra {
			ret := any1[task.Returned](r)
			if ret.Err == nil || ret.Err.Code != -32042 || ret.Err.Advice.IsZero() {
				t.Errorf("%+v", ret)
			}
		}
		done.Store(2) // the person was there
		for _, p := range []task.Prompt{second, first} {
			if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept}); err != nil {
				t.Fatal(err)
			}
		}
		if era == mcptest.LegacyEra {
			if n := r.count(""); n != 0 {
				t.Errorf("%d answers were sent to nobody", n)
			}
			for _, p := range []task.Prompt{first, second} {
				r.srv.CompleteElicitation("", p.ElicitationID)
				if d := any1[task.URLDone](r); d.Prompt != p.ID {
					t.Errorf("%+v", d)
				}
			}
			r.call(task.Call{ID: "c2", Tool: "pay"})
		}
		if ret := any1[task.Returned](r); ret.Result == nil || ret.Result.Content[0].Text != "paid" {
			t.Errorf("%+v", ret)
		}
	})
}

// TestPagesOfAnOddServer: the error that 2026-07-28 does not have is understood
// there too, and what of it is no page left out.
func TestPagesOfAnOddServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var all []string
		for i := range maxURLs + 5 {
			all = append(all, fmt.Sprintf(`{"mode":"url","message":"m","url":"https://x.example/%d","elicitationId":"e%d"}`, i, i))
		}
		s := newScripted(t)
		s.on("server/discover", result(modern))
		s.on("subscriptions/listen", plainStatus(404))
		s.on("tools/call", rpcAnswer(200, `{"code":-32042,"message":"first this","data":{"elicitations":[7,{"mode":"form","message":"m"},{"mode":"url"},`+strings.Join(all, ",")+`]}}`))
		session := s.dial(Config{}, task.Resume{})
		if err := session.Start(t.Context(), task.Call{ID: "c", Tool: "pay"}); err != nil {
			t.Fatal(err)
		}
		r := &rig{t: t, s: session}
		var ps []task.Prompt
		for range maxURLs {
			ps = append(ps, any1[task.Prompted](r).Prompt)
		}
		if ret := any1[task.Returned](r); ret.Err == nil || ret.Err.Code != -32042 {
			t.Errorf("%+v", ret)
		}
		for _, action := range []task.Action{task.Accept, task.Decline} {
			if _, err := session.Answer(t.Context(), task.Reply{Prompt: ps[action].ID, Action: action, Content: json.RawMessage(`{}`)}); err != nil {
				t.Errorf("%v: %v", action, err)
			}
		}
		never(r, time.Second, func(task.Prompted) bool { return true })
	})
}
