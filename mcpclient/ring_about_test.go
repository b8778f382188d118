package mcpclient

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// sends has the ring see a message.
func (r *ring) sends(out bool, body string, head http.Header) {
	r.wire(transport.Frame{At: time.Now(), Out: out, Stream: "POST", Size: len(body), Head: head, Data: []byte(body)})
}

// What belongs to a call is tied to it, and to the task that it becomes later.
func TestFramesAreTiedToTheirCall(t *testing.T) {
	r := newRing(nil)
	r.request(false, jsonrpc.StringID("c1"), "tools/call", subject{call: "call", token: "tok"})
	r.sends(true, `{"id":"c1","method":"tools/call","params":{"name":"x"}}`, nil)
	r.sends(false, `{"method":"notifications/progress","params":{"progressToken":"tok","progress":1}}`, nil)
	r.sends(false, `{"id":7,"method":"elicitation/create","params":{"message":"?"}}`, nil)
	if f := r.since(0, 10); f[0].Task != "" || f[0].Call != "call" || f[2].Call != "" {
		t.Errorf("%+v", f)
	}
	r.request(true, "7", "elicitation/create", subject{call: "call"}) // it is read a moment later
	r.sends(true, `{"id":7,"result":{"action":"accept"}}`, nil)
	r.sends(false, `{"id":"c1","result":{"task":{}}}`, nil)
	r.sends(false, `{"method":"notifications/message","params":{}}`, nil)
	r.became("call", "t1")
	frames := r.since(0, 10)
	for i, f := range frames[:5] {
		if f.Task != "t1" || f.Call != "call" {
			t.Errorf("frame %d: %+v", i, f)
		}
	}
	if f := frames[5]; f.Task != "" || f.Call != "" {
		t.Errorf("%+v", f)
	}
	if !frames[3].Reply || frames[3].Method != "elicitation/create" || !frames[4].Reply || frames[0].Reply {
		t.Errorf("%+v", frames)
	}
}

// In a real conversation of either generation, all of a task's messages name it.
func TestFramesNameTheirTask(t *testing.T) {
	for _, era := range []mcptest.Era{mcptest.LegacyEra, mcptest.ModernEra} {
		inBubble(t, func(t *testing.T) {
			protocol := map[mcptest.Era]task.Era{mcptest.LegacyEra: task.Legacy, mcptest.ModernEra: task.Modern}[era]
			r := newRig(t, Config{Protocol: protocol, Token: "t0ken-that-is-secret", Header: http.Header{"x-key": {"k3y-that-is-secret"}}},
				mcptest.WithEra(era), tool("work", func(ctx, *mcptest.Call) mcptest.Outcome { return mcptest.Answered("done") }))
			r.dial(task.Resume{})
			r.call(task.Call{ID: "call", Tool: "work", AsTask: true, Args: json.RawMessage(`{}`)})
			id := any1[task.Started](r).Task.ID
			if _, err := r.s.Get(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			for _, f := range r.ep.Frames(0, 1000) {
				if f.Method == "tools/call" || f.Method == "tasks/get" {
					seen[f.Method]++
					if f.Task != id {
						t.Errorf("%v: %+v", protocol, f)
					}
				}
				if f.Dir == task.Out && f.Wire == nil {
					t.Errorf("how it went out is not known: %+v", f)
				}
				if f.Wire == nil {
					continue
				}
				names := map[string]task.Header{}
				for _, h := range f.Wire.Header {
					names[h.Name] = h
					if strings.Contains(h.Value, "secret") {
						t.Errorf("a secret is in %+v", h)
					}
				}
				if h := names["Authorization"]; !h.Secret || h.Value != "Bearer" {
					t.Errorf("%+v", f.Wire)
				}
				if h := names["X-Key"]; !h.Secret || h.Value != "" || f.Wire.Method != "POST" || names["Accept"].Value == "" {
					t.Errorf("%+v", f.Wire)
				}
			}
			if seen["tools/call"] != 2 || seen["tasks/get"] < 2 {
				t.Errorf("%v: %v", protocol, seen)
			}
		})
	}
}

// Headers that may hold a secret are names alone.
func TestHeadersHoldNoSecrets(t *testing.T) {
	r := newRing(nil)
	r.head.url, r.head.configured = "https://h/mcp", canonical(http.Header{"accept": {"x"}, "Host": {"inner"}})
	r.hide("hidden-secret")
	head := http.Header{
		"Accept": {"x"}, "Mcp-Session-Id": {"sess"}, "Authorization": {"Digest abc"}, "Mcp-Name": {"hidden-secret"}, "Mcp-Method": {"m"},
		"Mcp-Param-Password": {"a"}, "Mcp-Param-Region": {"eu"}, "Cookie": {"c=1"},
	}
	r.sends(true, `{"id":1,"method":"m"}`, head)
	r.sends(true, `{"id":2,"method":"m"}`, head)
	r.sends(true, `{"id":3,"method":"m","params":{"password":"eu"}}`, head) // the body says that some argument is secret
	frames := r.since(0, 10)
	for i, f := range frames {
		for _, h := range f.Wire.Header {
			open := h.Name == "Mcp-Method" || h.Name == "Mcp-Param-Region" && i < 2
			if open == h.Secret || open == (h.Value == "") {
				t.Errorf("frame %d: %+v", i, h)
			}
		}
	}
	if frames[0].Wire != frames[1].Wire || frames[2].Wire == frames[1].Wire {
		t.Error("headers that are the same are kept once")
	}
}

// What is masked counts, and so do ids and methods of a hostile server.
func TestWhatIsMaskedIsBounded(t *testing.T) {
	r := newRing(nil)
	long := strings.Repeat("m", 50<<10)
	for range 3 * ringBytes / len(long) {
		r.sends(false, `{"id":"`+long+`","method":"m","params":{"password":"x"}}`, nil)
		r.since(0, 1)
	}
	total := 0
	for _, l := range r.frames[r.first:] {
		total += l.size()
		if len(l.frame.ID) > maxRequestID || len(l.raw) > maxRequestID {
			t.Fatalf("an id of %d bytes", len(l.frame.ID))
		}
	}
	if total != r.bytes || total > ringBytes+2*len(long) {
		t.Errorf("%d bytes, counted %d", total, r.bytes)
	}
}

// heldFile is a log file that takes nothing until it is let.
type heldFile struct{ let chan struct{} }

func (f heldFile) Write(p []byte) (int, error) { <-f.let; return len(p), nil }

// A message that left the log before a slow file took it costs nothing any more:
// otherwise the log would hold less and less.
func TestWhatLeftTheLogCountsNoMore(t *testing.T) {
	f := heldFile{make(chan struct{})}
	r := newRing(f)
	for range ringFrames + maxUnwritten/2 {
		r.put(task.Frame{Dir: task.In, Body: `{"id":1,"result":{"password":"x"}}`})
	}
	close(f.let)
	if err := r.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, l := range r.frames[r.first:] {
		held += l.size()
	}
	if r.bytes != held {
		t.Errorf("%d bytes are counted, %d are held", r.bytes, held)
	}
}
