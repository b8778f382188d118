package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// TestPagesOfATask: a task ends by the error that asks for pages first. They are
// asked for once, whoever looks how often, and the same call goes through after them.
func TestPagesOfATask(t *testing.T) {
	data := map[string]any{"elicitations": []any{
		map[string]any{"mode": "url", "message": "Sign in", "url": "https://id.example/in", "elicitationId": "p1"},
		map[string]any{"mode": "url", "message": "Agree", "url": "https://id.example/terms", "elicitationId": "p2"},
	}}
	eras(t, func(t *testing.T, era mcptest.Era) {
		var done atomic.Bool
		r := sampling(t, era, mcptest.WithTools(mcptest.Tool{Name: "pay", TaskSupport: mcptest.Required, Run: func(ctx, *mcptest.Call) mcptest.Outcome {
			if !done.Load() {
				return mcptest.Refused(-32042, "Consent first", data)
			}
			return mcptest.Answered("paid")
		}}))
		r.call(task.Call{ID: "c1", Tool: "pay", AsTask: true})
		id := any1[task.Started](r).Task.ID
		look := func() task.Task {
			got, err := r.s.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		synctest.Wait()
		if got := look(); got.Status != task.Failed {
			t.Fatalf("%+v", got)
		}
		first, second := any1[task.Prompted](r).Prompt, any1[task.Prompted](r).Prompt
		for i, p := range []task.Prompt{first, second} {
			if !p.Visit || p.Mode != task.URLMode || p.Task != id || p.ElicitationID != fmt.Sprint("p", i+1) {
				t.Errorf("%+v", p)
			}
		}
		for range 3 {
			look()
			res, err := r.s.Result(t.Context(), id)
			if err != nil || res.Err == nil || res.Err.Code != -32042 || len(res.Err.Data) == 0 {
				t.Errorf("%+v, %v", res, err)
			}
		}
		r.s.Attend([]task.ID{id})
		never(r, 3*time.Minute, func(e task.Event) bool {
			switch e.(type) {
			case task.Prompted, task.Withdrawn:
				return true
			}
			return false
		})
		r.srv.CompleteElicitation("", "p2")
		if era == mcptest.LegacyEra {
			if d := any1[task.URLDone](r); d.Prompt != second.ID {
				t.Errorf("%+v", d)
			}
		}
		for _, p := range []task.Prompt{second, first} {
			if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept}); err != nil {
				t.Fatal(err)
			}
		}
		done.Store(true)
		r.call(task.Call{ID: "c2", Tool: "pay", AsTask: true})
		again := any1[task.Started](r).Task.ID
		synctest.Wait()
		if res, err := r.s.Result(t.Context(), again); err != nil || res.Err != nil || res.Content[0].Text != "paid" {
			t.Errorf("%+v, %v", res, err)
		}
	})
}

// TestPagesOfTheTaskOfAnother: nobody here called, so that the result says it once it
// is opened. Who only reads is not asked.
func TestPagesOfTheTaskOfAnother(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		inBubble(t, func(t *testing.T) {
			s := newScripted(t)
			s.on("server/discover", jsonRPCError(404, -32601, "no such method"))
			s.on("initialize", result(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":{"tasks":{"list":{}}}}`))
			s.on("tasks/get", result(`{"taskId":"t","status":"failed","createdAt":"2026-01-02T03:04:05Z","lastUpdatedAt":"2026-01-02T03:04:05Z","ttl":null}`))
			s.on("tasks/result", rpcAnswer(400, `{"code":-32042,"message":"first this","data":{"elicitations":[{"mode":"url","message":"m","url":"https://x.example/","elicitationId":"e"}]}}`))
			r := &rig{t: t, s: s.dial(Config{ReadOnly: readOnly}, task.Resume{})}
			if _, err := r.s.Get(t.Context(), "t"); err != nil {
				t.Fatal(err)
			}
			never(r, time.Minute, func(task.Prompted) bool { return true })
			if res, err := r.s.Result(t.Context(), "t"); err != nil || res.Err == nil || res.Err.Code != -32042 {
				t.Errorf("%+v, %v", res, err)
			}
			if readOnly {
				never(r, time.Second, func(task.Prompted) bool { return true })
			} else if p := any1[task.Prompted](r).Prompt; !p.Visit || p.Task != "t" {
				t.Errorf("%+v", p)
			}
		})
	}
}
