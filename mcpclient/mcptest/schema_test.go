package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// judge holds messages against the official schema.
type judge struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	compiled map[string]*jsonschema.Schema
	judged   map[string]int
}

const (
	coreAt      = "mem:///mcp.json"
	extensionAt = "mem:///extension.json"
)

type refuser struct{}

func (refuser) Load(url string) (any, error) { return nil, errors.New("not fetched: " + url) }

func newJudge(t *testing.T) *judge {
	t.Helper()
	return newJudgeOf(t, "mcp-2025-11-25.schema.json", "")
}

// newJudgeOf holds messages against a schema of the core protocol and, where there is one, of an extension.
func newJudgeOf(t *testing.T, core, extension string) *judge {
	t.Helper()
	dir := os.Getenv("CALLBOARD_SCHEMAS")
	if dir == "" {
		t.Skip("CALLBOARD_SCHEMAS names no folder with the official schemas: what the server sends is not held against them")
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(refuser{})
	c.AssertFormat()
	for at, name := range map[string]string{coreAt: core, extensionAt: extension} {
		if name == "" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(at, doc); err != nil {
			t.Fatal(err)
		}
	}
	return &judge{t: t, compiler: c, compiled: map[string]*jsonschema.Schema{}, judged: map[string]int{}}
}

func (j *judge) hold(def string, raw []byte) {
	j.t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	sch := j.compiled[def]
	if sch == nil {
		var err error
		at := coreAt + "#/$defs/" + def
		if name, ok := strings.CutPrefix(def, extensionDef); ok {
			at = extensionAt + "#/$defs/" + name
		}
		if sch, err = j.compiler.Compile(at); err != nil {
			j.t.Fatal(err)
		}
		j.compiled[def] = sch
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		j.t.Errorf("%s is not JSON: %v", def, err)
		return
	}
	if err := sch.Validate(v); err != nil {
		j.t.Errorf("not a %s: %v\n%s", def, err, raw)
	}
	j.judged[def]++
}

var resultDefs = map[string]string{
	"initialize": "InitializeResult", "ping": "EmptyResult", "logging/setLevel": "EmptyResult", "tools/list": "ListToolsResult",
	"tools/call": "CallToolResult", "tasks/get": "GetTaskResult", "tasks/list": "ListTasksResult",
	"tasks/cancel": "CancelTaskResult", "tasks/result": "CallToolResult",
}

var messageDefs = map[string]string{
	"notifications/tasks/status": "TaskStatusNotification", "notifications/progress": "ProgressNotification",
	"notifications/message": "LoggingMessageNotification", "notifications/cancelled": "CancelledNotification",
	"notifications/tools/list_changed":     "ToolListChangedNotification",
	"notifications/elicitation/complete":   "ElicitationCompleteNotification",
	"notifications/resources/list_changed": "ResourceListChangedNotification",
	"elicitation/create":                   "ElicitRequest",
	"sampling/createMessage":               "CreateMessageRequest", "ping": "PingRequest",
}

// see judges one message of the server; method names the request that a response answers.
func (j *judge) see(method string, m msg) {
	j.t.Helper()
	j.hold("JSONRPCMessage", m.Raw)
	switch {
	case m.Method != "":
		def := messageDefs[m.Method]
		if def == "" {
			j.t.Errorf("unheard-of message %s", m.Raw)
			return
		}
		j.hold(def, m.Raw)
	case m.Error != nil && m.Error.Code == CodeURLRequired:
		j.hold("URLElicitationRequiredError", m.Raw)
	case m.Error != nil:
		j.hold("JSONRPCErrorResponse", m.Raw)
	default:
		def := resultDefs[method]
		if method == "tools/call" && bytes.Contains(m.Result, []byte(`"task":{`)) {
			def = "CreateTaskResult"
		}
		j.hold(def, m.Result)
	}
}

var askSample = json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9}`)

const sampled = `{"role":"assistant","model":"m","content":{"type":"text","text":"ho"}}`

func TestOrdinaryPathSatisfiesTheSchemas(t *testing.T) {
	j := newJudge(t)
	every := Tool{
		Name: "every", Title: "Every", Description: "All it can", TaskSupport: Optional, Immediate: "soon",
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`), Annotations: json.RawMessage(`{"readOnlyHint":true}`),
		Run: func(_ context.Context, c *Call) Outcome {
			c.Progress(1, 0, "")
			c.Progress(2, 3, "two")
			c.Log("info", "every", map[string]any{"a": 1})
			for _, e := range []Elicitation{askEverything, {Message: "go", URL: "https://example.com/go"}, {Sampling: askSample}} {
				if _, err := c.Elicit(e); err != nil {
					return ToolError(err.Error())
				}
			}
			return Outcome{Structured: map[string]any{"a": 1}, Content: []Content{
				Text("t"), Image("image/png", []byte{1}), Audio("audio/wav", []byte{2}), ResourceLink("https://example.com/a", "a", "A", "d", "text/plain", 3),
				TextResource("file:///a", "text/plain", "x"), BlobResource("file:///b", "application/octet-stream", []byte{3}),
			}}
		},
	}
	gateTool, _ := gate(Required)
	s, _ := serve(t, WithTools(every, gateTool, Tool{Name: "url", Run: func(context.Context, *Call) Outcome {
		return URLRequired("first", Elicitation{Message: "m", URL: "https://example.com", ID: "x"})
	}}), WithPageSize(2))
	c := raw(t, s.URL(), &http.Transport{})
	c.check = j.see
	c.initialize(samplingCaps)
	get := c.get()
	for _, m := range []string{"ping", "tools/list", "tasks/list", "resources/list"} {
		c.call(m, "")
	}
	c.call("logging/setLevel", `{"level":"debug"}`)
	c.call("tools/call", `{"name":"url"}`)

	plain, _ := c.post("tools/call", `{"name":"every","_meta":{"progressToken":1}}`)
	c.answer(plain.until("elicitation/create"), `{"action":"accept","content":{}}`)
	c.answer(plain.until("elicitation/create"), `{"action":"accept"}`)
	c.answer(plain.until("sampling/createMessage"), sampled)
	plain.until("")

	id := c.start("every", "").TaskID
	st, _ := c.post("tasks/result", idParams(id))
	c.answer(st.until("elicitation/create"), `{"action":"accept","content":{}}`)
	c.answer(st.until("elicitation/create"), `{"action":"decline"}`)
	c.answer(st.until("sampling/createMessage"), sampled)
	st.until("")
	_, _ = c.task(id) // its shape is what is checked

	id = c.start("gate", "").TaskID
	c.call("tasks/cancel", idParams(id))
	c.call("tasks/result", idParams(id))
	c.call("tasks/list", "")
	s.AddTask(Task{TTL: Unlimited, Poll: NoPoll})
	c.call("tasks/list", "")
	s.SetTools(every)
	get.until("notifications/tools/list_changed")
	s.CompleteElicitation("", "x")
	get.until("notifications/elicitation/complete")
	asked := s.AddTask(Task{})
	errs := make(chan error, 1)
	go func() {
		_, err := s.Ask(within(t), asked, askApproval)
		errs <- err
	}()
	s.waitStatus(t, asked, InputRequired)
	st, _ = c.post("tasks/result", idParams(asked))
	st.until("elicitation/create")
	s.Finish(asked, Answered())
	st.until("notifications/cancelled")
	if err := <-errs; err == nil {
		t.Error("a question of a task that has ended was answered")
	}

	for _, defs := range []map[string]string{resultDefs, messageDefs} {
		for method, def := range defs {
			if j.judged[def] == 0 && !strings.Contains(method, "resources") && def != "PingRequest" {
				t.Errorf("no %s was sent", def)
			}
		}
	}
}

func TestDemoToolsSatisfyTheSchemas(t *testing.T) {
	j := newJudge(t)
	for _, tool := range (&show{}).tools() {
		raw, err := json.Marshal(tool.wire(true))
		if err != nil {
			t.Fatal(err)
		}
		j.hold("Tool", raw)
	}
	for i, e := range []Elicitation{askApproval, askTicket, askScale, askRegion, askSeverity, askChannels, askWindow, askEverything} {
		raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": "elicitation/create", "params": e.params()})
		if err != nil {
			t.Fatal(err)
		}
		j.hold("ElicitRequest", raw)
		var form struct {
			Properties map[string]json.RawMessage
			Required   []string
		}
		if err := json.Unmarshal(e.Schema, &form); err != nil {
			t.Fatal(err)
		}
		for name, field := range form.Properties {
			j.hold("PrimitiveSchemaDefinition", field)
			if len(name) == 0 {
				t.Error("a field without a name")
			}
		}
		for _, name := range form.Required {
			if form.Properties[name] == nil {
				t.Error(fmt.Errorf("%q is required and not there", name))
			}
		}
	}
}
