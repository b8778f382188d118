package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// pictured is the params of a sampling request with an image of so many bytes of
// base64.
func pictured(more string, n int) []byte {
	return fmt.Appendf(nil, `{"maxTokens":100,"messages":[{"role":"user","content":{"type":"image","mimeType":"image/png","data":"%s"}},`+
		`{"role":"user","content":{"type":"text","text":"What is it?"}}]%s}`, strings.Repeat("QUJD", n/4), more)
}

// sends has the session take in a request of the server, whose bytes are used for
// something else afterwards.
func (r *rig) sends(id, method string, params []byte) {
	e := r.s.era.(*era2025)
	m := &jsonrpc.Message{ID: jsonrpc.StringID(id), Method: method, Params: params}
	e.asked(m, &origin{})
	clear(params)
}

// TestScreenshotIsSampled: a picture is larger than any form.
func TestScreenshotIsSampled(t *testing.T) {
	eras(t, func(t *testing.T, era mcptest.Era) {
		params := pictured("", 3<<19)
		r := sampling(t, era, asking("look", mcptest.Elicitation{Sampling: params}))
		r.start("look")
		id := any1[task.Started](r).Task.ID
		r.s.Attend([]task.ID{id})
		p := any1[task.Prompted](r).Prompt
		c := p.Sampling.Messages[0].Content[0]
		if c.Kind != task.ImageContent || c.Size != 3<<19/4*3 || c.Base64 != "" || len(p.Sampling.Raw) < len(params) {
			t.Errorf("%v, %d bytes, %d twice, %d whole", c.Kind, c.Size, len(c.Base64), len(p.Sampling.Raw))
		}
		if _, err := r.s.Answer(t.Context(), written(p, "A cat.")); err != nil {
			t.Fatal(err)
		}
		r.ends(id)
	})
}

// TestLargePromptsAreBounded: so many bytes are open, and wait, and no more.
func TestLargePromptsAreBounded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		table := newPromptTable()
		large := func(i int) *prompt {
			return &prompt{Prompt: task.Prompt{ID: task.PromptID(fmt.Sprint(i))}, size: maxSampledBytes}
		}
		const open, wait = maxOpenBytes / maxSampledBytes, maxWaitingBytes / maxSampledBytes
		for i := range open {
			p := large(i)
			if !table.turn(p) {
				t.Fatalf("%d are too many", i)
			}
			table.open[p.ID] = p
		}
		for i := range wait + 1 {
			p := large(open + i)
			if table.turn(p) {
				t.Error("one more is open")
			}
			if got := table.wait(&queued{prompt: p, size: p.size}); got != (i < wait) {
				t.Errorf("%d wait: %v", i, got)
			}
		}
		if q, pause := table.next(); q != nil || pause == 0 {
			t.Errorf("%+v has its turn", q)
		}
		table.close(table.open["0"], "it was answered")
		if q, _ := table.next(); q == nil || q.ID != task.PromptID(fmt.Sprint(open)) {
			t.Errorf("%+v has its turn", q)
		}
	})
}

// TestPromptsKeepNothingElse: neither what came beside them in their message, nor
// what they asked once the server's task has its answer.
func TestPromptsKeepNothingElse(t *testing.T) {
	for _, more := range []string{"", `,"task":{}`} {
		inBubble(t, func(t *testing.T) {
			r := newRig(t, Config{Protocol: task.Legacy, Sampling: true})
			r.dial(task.Resume{})
			r.sends("s", methodSample, pictured(more, 400))
			r.sends("e", methodElicit, []byte(`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}`+more+`}`))
			s, e := any1[task.Prompted](r).Prompt, any1[task.Prompted](r).Prompt
			if !json.Valid(s.Sampling.Raw) || !json.Valid(s.Sampling.Messages[0].Content[0].Raw) || !json.Valid(e.Form.Schema) {
				t.Errorf("%s, %s", s.Sampling.Raw, e.Form.Schema)
			}
			if _, err := r.s.Answer(t.Context(), written(s, "x")); err != nil {
				t.Fatal(err)
			}
			era := r.s.era.(*era2025)
			era.mu.Lock()
			defer era.mu.Unlock()
			if n := len(era.received.order); n != min(len(more), 1)*2 {
				t.Errorf("%d tasks", n)
			}
			for _, k := range era.received.order {
				if k.status.Terminal() != (k.prompt.Sampling == nil && k.prompt.Form.Schema == nil) {
					t.Errorf("what the task asked that is %v: %+v", k.status, k.prompt.Prompt)
				}
			}
		})
	}
}

// TestTooLargePrompts are refused in words.
func TestTooLargePrompts(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{Protocol: task.Legacy, Sampling: true})
		r.dial(task.Resume{})
		r.sends("s", methodSample, pictured("", maxSampledBytes))
		r.sends("e", methodElicit, fmt.Appendf(nil, `{"message":"%s"}`, strings.Repeat("x", maxAsked)))
		never(r, time.Second, func(task.Prompted) bool { return true })
		for i, q := range r.srv.Requests("") {
			if q.Error == nil || q.Error.Code != jsonrpc.CodeInvalidParams || !strings.Contains(q.Error.Message, "MiB") {
				t.Errorf("%d: %+v", i, q.Error)
			}
		}
		if n := r.count(""); n != 2 {
			t.Errorf("%d refusals", n)
		}
	})
}
