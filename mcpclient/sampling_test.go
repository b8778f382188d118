package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

var summaryAsked = mcptest.Elicitation{Sampling: json.RawMessage(`{"systemPrompt":"Be brief.\u001b[31m","maxTokens":200,"temperature":0.75,
	"includeContext":"thisServer","stopSequences":["END"],"metadata":{"x":1},
	"modelPreferences":{"hints":[{"name":"small"},{},{"name":"large"}],"costPriority":0.25,"intelligencePriority":7},
	"messages":[{"role":"user","content":{"type":"text","text":"Ten jobs failed."}},
		{"role":"assistant","content":[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"x-odd","y":1}]},
		{"role":"user","content":{"type":"text","text":"Summarise it."}}]}`)}

// sampling is attach with somebody who answers sampling requests.
func sampling(t *testing.T, era mcptest.Era, opts ...mcptest.Option) *rig {
	t.Helper()
	cfg := Config{Protocol: task.Legacy, Sampling: true}
	if era == mcptest.ModernEra {
		cfg.Protocol = task.Modern
	}
	r := newRig(t, cfg, append(opts, mcptest.WithEra(era))...)
	r.dial(task.Resume{})
	return r
}

func eras(t *testing.T, f func(t *testing.T, era mcptest.Era)) {
	t.Helper()
	for name, era := range map[string]mcptest.Era{"2025-11-25": mcptest.LegacyEra, "2026-07-28": mcptest.ModernEra} {
		t.Run(name, func(t *testing.T) { inBubble(t, func(t *testing.T) { f(t, era) }) })
	}
}

func written(p task.Prompt, said string) task.Reply {
	content, _ := json.Marshal(map[string]string{task.SampledText: said, task.SampledModel: "human"})
	return task.Reply{Prompt: p.ID, Action: task.Accept, Content: content}
}

// TestSamplingByHand: a task asks for what an assistant would say, and gets what
// a person wrote.
func TestSamplingByHand(t *testing.T) {
	eras(t, func(t *testing.T, era mcptest.Era) {
		r := sampling(t, era, asking("summarise", summaryAsked))
		r.start("summarise")
		id := any1[task.Started](r).Task.ID
		r.s.Attend([]task.ID{id})
		p := any1[task.Prompted](r).Prompt
		if p.Mode != task.SamplingMode || p.Task != id || p.Message.Line() != "Summarise it." || p.Key == "" || p.At.IsZero() {
			t.Errorf("%+v", p)
		}
		s := p.Sampling
		if s == nil {
			t.Fatal("no sampling request")
		}
		if s.System.String() != "Be brief." || s.MaxTokens != 200 || s.Temperature != "0.75" || s.Context.Line() != "thisServer" ||
			fmt.Sprint(s.Hints, s.Stop) != "[small large] [END]" || s.Cost != 0.25 || s.Speed != -1 || s.Intelligence != -1 ||
			!strings.Contains(string(s.Raw), "metadata") {
			t.Errorf("%+v", s)
		}
		if len(s.Messages) != 3 || s.Messages[1].Role.Line() != "assistant" || len(s.Messages[1].Content) != 2 ||
			s.Messages[1].Content[0].Kind != task.ImageContent || s.Messages[1].Content[1].Kind != task.OtherContent ||
			s.Messages[2].Content[0].Text != "Summarise it." {
			t.Errorf("%+v", s.Messages)
		}
		if len(p.Form.Fields) != 2 || p.Form.Fields[0].Name != task.SampledText || !p.Form.Fields[0].Required ||
			p.Form.Fields[1].Name != task.SampledModel || string(p.Form.Fields[1].Default) != `"human"` {
			t.Errorf("%+v", p.Form)
		}
		if _, err := r.s.Answer(t.Context(), written(p, "All is\nwell.")); err != nil {
			t.Fatal(err)
		}
		r.ends(id)
		want := `accept {"role":"assistant","content":{"type":"text","text":"All is\nwell."},"model":"human","stopReason":"endTurn"}`
		if got := r.result(id); got != want && !sameRelated(got, want, id) {
			t.Errorf("the server got %s", got)
		}
		for _, f := range r.ep.Frames(0, ringFrames) {
			if f.Dir == task.Out && strings.Contains(f.Body, "well.") && !strings.Contains(f.Masked, "••••") {
				t.Errorf("in the log: %s", f.Body)
			}
		}
	})
}

// sameRelated reports whether got is want with the `_meta` that names the task.
func sameRelated(got, want string, id task.ID) bool {
	meta := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + string(id) + `"}},`
	return got == strings.Replace(want, "{", "{"+meta, 1)
}

// TestSamplingIsRefused: by the error that the protocol has for it, or, where it
// has none, by nothing at all.
func TestSamplingIsRefused(t *testing.T) {
	for _, action := range []task.Action{task.Decline, task.Dismiss} {
		eras(t, func(t *testing.T, era mcptest.Era) {
			r := sampling(t, era, asking("summarise", summaryAsked))
			r.start("summarise")
			id := any1[task.Started](r).Task.ID
			r.s.Attend([]task.ID{id})
			p := any1[task.Prompted](r).Prompt
			_, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: action})
			if era == mcptest.ModernEra {
				if te := failure(t, err, task.Unsupported); te.Advice.IsZero() {
					t.Errorf("%+v", te)
				}
				if n := r.count("tasks/update"); n != 0 {
					t.Errorf("%d messages were sent", n)
				}
				_, err = r.s.Answer(t.Context(), written(p, "Well, then."))
			}
			if err != nil {
				t.Fatal(err)
			}
			r.ends(id)
			if era == mcptest.ModernEra {
				return
			}
			if q := r.srv.Requests(""); len(q) != 1 || q[0].Error == nil || q[0].Error.Code != -1 ||
				q[0].Error.Message != "User rejected sampling request" {
				t.Errorf("answered by %+v", q)
			}
		})
	}
}

// TestSamplingOfACall: a call that is no task asks too.
func TestSamplingOfACall(t *testing.T) {
	eras(t, func(t *testing.T, era mcptest.Era) {
		r := sampling(t, era, asking("summarise", summaryAsked))
		if era == mcptest.ModernEra {
			r = sampling(t, era, plainTool("summarise", func(_ ctx, c *mcptest.Call) mcptest.Outcome {
				reply, err := c.Elicit(summaryAsked)
				if err != nil {
					return mcptest.ToolError(err.Error())
				}
				return mcptest.Answered("accept " + string(reply.Content))
			}))
		}
		r.call(task.Call{ID: "c", Tool: "summarise"})
		p := any1[task.Prompted](r).Prompt
		if p.Call != "c" || p.Task != "" || p.Sampling == nil {
			t.Errorf("%+v", p)
		}
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{}`)}); err == nil {
			t.Error("an answer without a text is sent")
		}
		// The model is what a person need not say.
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{"text":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		ret := any1[task.Returned](r)
		if ret.Result == nil || ret.Result.Content[0].Text !=
			`accept {"role":"assistant","content":{"type":"text","text":"x"},"model":"human","stopReason":"endTurn"}` {
			t.Errorf("%+v", ret)
		}
	})
}

// TestSamplingIsDeclared where somebody answers, and nowhere else.
func TestSamplingIsDeclared(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{Sampling: true}, `{}`},
		{Config{}, ``},
		{Config{Sampling: true, ReadOnly: true}, ``},
	} {
		eras(t, func(t *testing.T, era mcptest.Era) {
			cfg, method := c.cfg, "initialize"
			if cfg.Protocol = task.Legacy; era == mcptest.ModernEra {
				cfg.Protocol, method = task.Modern, "tools/list"
			}
			r := newRig(t, cfg, mcptest.WithEra(era))
			r.dial(task.Resume{})
			if _, err := r.s.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			params := r.srv.Requests(method)[0].Params
			can := member(params, "capabilities")
			if era == mcptest.ModernEra {
				can = member(member(params, "_meta"), metaCapabilities)
			}
			if got := string(member(can, "sampling")); got != c.want {
				t.Errorf("declared: %q, want %q", got, c.want)
			}
		})
	}
}

// TestUndeclaredSampling: the task that asks for it in 2026-07-28 is left as it
// is; what 2025-11-25 answers shows in TestRequestsOfTheServer.
func TestUndeclaredSampling(t *testing.T) {
	t.Run("2026-07-28", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach2026(t)
			id := r.srv.AddTask(mcptest.Task{})
			go func() { _, _ = r.srv.Ask(t.Context(), id, summaryAsked) }()
			synctest.Wait()
			if _, err := r.s.Get(t.Context(), task.ID(id)); err != nil {
				t.Fatal(err)
			}
			never(r, time.Second, func(task.Prompted) bool { return true })
			if !noted(r, "sampling/createMessage, which callboard did not declare") {
				t.Error("the log does not say so")
			}
		})
	})
	t.Run("in a session of others", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach(t)
			any1[task.Stream](r)
			resume := r.s.Resume()
			resume.Joined = true
			r.close(true)
			synctest.Wait() // the server sees that nobody reads
			r.dial(resume)
			wait1(r, func(s task.Stream) bool { return s.Up })
			r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`))
			if n := r.count(""); n != 0 {
				t.Error("a request was refused that another program may answer")
			}
			if !noted(r, "left to others") {
				t.Error("the log does not say so")
			}
		})
	})
}

// TestSamplingIsReadStrictly: what cannot be shown as what it is, is refused, and
// the server told why.
func TestSamplingIsReadStrictly(t *testing.T) {
	message := func(s string) string { return `{"messages":[` + s + `],"maxTokens":1}` }
	text := `{"role":"user","content":{"type":"text","text":"m"}}`
	use := `{"role":"assistant","content":[{"type":"tool_use","id":"u1","name":"f","input":{}}]}`
	given := `{"role":"user","content":[{"type":"tool_result","toolUseId":"u1","content":[]}]}`
	for _, c := range []struct{ params, fault string }{
		{message(""), ""},
		{message(text), ""},
		{message(use + "," + given), ""},
		{`{"messages":[],"tools":null}`, ""},
		{`{"messages":[],"tools":[],"maxTokens":1}`, "sampling.tools was not declared"},
		{`{"messages":[],"toolChoice":{"mode":"auto"},"maxTokens":1}`, "sampling.tools was not declared"},
		{`[]`, "an object"},
		{``, "an object"},
		{`{}`, "messages, an array"},
		{`{"messages":{}}`, "messages, an array"},
		{message(`7`), "messages[0]: its role"},
		{message(text + `,{"role":"system","content":{"type":"text","text":"m"}}`), "messages[1]: its role"},
		{message(`{"role":"user"}`), "messages[0]: its content"},
		{message(`{"role":"user","content":"m"}`), "messages[0]: its content"},
		{message(`{"role":"user","content":[{"text":"m"}]}`), "messages[0]: its content"},
		{message(use), "Tool result missing in request"},
		{message(use + "," + text), "messages[1]: Tool result missing"},
		{message(given), "messages[0]: Tool result without"},
		{message(use + `,{"role":"user","content":[{"type":"tool_result","toolUseId":"u1","content":[]},{"type":"text","text":"m"}]}`), "messages[1]: Tool results mixed"},
		{message(strings.TrimSuffix(strings.Repeat(text+",", maxSampled+1), ",")), "at most 1000 messages"},
		{message(`{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"x"},`, maxBlocks+1), ",") + `]}`), "at most 10000 blocks"},
		{message(`{"role":"user","content":{"type":"text","text":"` + strings.Repeat("m", maxSampledBytes) + `"}}`), "at most 8 MiB"},
	} {
		p, fault := parsePrompt(methodSample, json.RawMessage(c.params))
		if (fault == "") != (c.fault == "") || !strings.Contains(fault, c.fault) {
			t.Errorf("%.100s: %q, want %q", c.params, fault, c.fault)
		}
		if fault == "" && (p.Sampling == nil || p.Message.IsZero()) {
			t.Errorf("%.100s: %+v", c.params, p)
		}
	}
	inBubble(t, func(t *testing.T) {
		r := sampling(t, mcptest.LegacyEra)
		any1[task.Stream](r)
		r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[]}}`))
		if r.count("") != 1 {
			t.Fatal("no answer")
		}
		if q := r.srv.Requests("")[0]; q.Error == nil || q.Error.Code != -32602 || !strings.Contains(q.Error.Message, "tools") {
			t.Errorf("answered by %+v", q.Error)
		}
	})
}

// TestSamplingComesAgain: to who rejoins the session, as other questions do.
func TestSamplingComesAgain(t *testing.T) {
	for name, opts := range map[string][]mcptest.Option{
		"on its stream":   once(),
		"without a place": {mcptest.WithFaults(mcptest.Faults{PromptsOnce: true}), mcptest.WithEventStore(0)},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := sampling(t, mcptest.LegacyEra, append(opts, asking("deploy", summaryAsked))...)
				id, first := r.asked()
				resume := r.s.Resume()
				r.kill()
				time.Sleep(time.Second)
				p := r.again(resume, id)
				if p.Mode != task.SamplingMode || p.Key != first.Key || p.Task != id || p.Sampling == nil || len(p.Sampling.Messages) != 3 {
					t.Fatalf("%+v", p)
				}
				if _, err := r.s.Answer(t.Context(), written(p, "said later")); err != nil {
					t.Fatal(err)
				}
				if got := r.result(id); !strings.Contains(got, "said later") {
					t.Errorf("the result is %q", got)
				}
			})
		})
	}
}
