package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// extensionDef is the prefix of definitions in the schema of the tasks extension.
const extensionDef = "ext:"

// newModernJudge holds messages against the schemas of 2026-07-28 and of the extension.
func newModernJudge(t *testing.T) *judge {
	t.Helper()
	return newJudgeOf(t, "mcp-2026-07-28.schema.json", "ext-tasks.schema.json")
}

var modernResults = map[string]string{
	"server/discover": "DiscoverResult", "tools/list": "ListToolsResult", "tools/call": "CallToolResult",
	"tasks/get": extensionDef + "GetTaskResult", "tasks/update": extensionDef + "UpdateTaskResult", "tasks/cancel": extensionDef + "CancelTaskResult",
	"subscriptions/listen": "SubscriptionsListenResult",
}

var modernMessages = map[string]string{
	"notifications/tasks":                      extensionDef + "TaskStatusNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/cancelled":                  "CancelledNotification",
	"notifications/progress":                   "ProgressNotification",
	"notifications/message":                    "LoggingMessageNotification",
}

var modernErrors = map[int]string{
	CodeHeaderMismatch: "HeaderMismatchError", CodeMissingCapability: "MissingRequiredClientCapabilityError", CodeVersion: "UnsupportedProtocolVersionError",
}

// seeModern judges one message of the modern half.
func (j *judge) seeModern(method string, m msg) {
	j.t.Helper()
	j.hold("JSONRPCMessage", m.Raw)
	switch {
	case m.Method != "":
		def := modernMessages[m.Method]
		if def == "" {
			j.t.Errorf("unheard-of message %s", m.Raw)
			return
		}
		j.hold(def, m.Raw)
	case m.Error != nil:
		j.hold("JSONRPCErrorResponse", m.Raw)
		if def := modernErrors[m.Error.Code]; def != "" {
			j.hold(def, m.Raw)
		}
	default:
		j.hold(j.modernResultDef(method, m.Result), m.Result)
		j.innerResult(m.Result)
	}
}

func (j *judge) modernResultDef(method string, result []byte) string {
	var res struct{ ResultType string }
	if json.Unmarshal(result, &res) != nil {
		return "Result"
	}
	switch {
	case method == "tools/call" && res.ResultType == "task":
		return extensionDef + "CreateTaskResult"
	case method == "tools/call" && res.ResultType == "input_required":
		return "InputRequiredResult"
	case res.ResultType != "complete":
		j.t.Errorf("resultType of %s: %s", method, result)
	}
	return modernResults[method]
}

// innerResult judges what a completed task carries, which is any object to the schema of the extension.
func (j *judge) innerResult(result []byte) {
	var res struct{ Result json.RawMessage }
	if json.Unmarshal(result, &res) == nil && res.Result != nil {
		j.hold("CallToolResult", res.Result)
	}
}

func TestModernPathSatisfiesTheSchemas(t *testing.T) {
	j := newModernJudge(t)
	every := Tool{
		Name: "every", Title: "Every", Description: "All it can", OutputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`),
		Annotations: json.RawMessage(`{"readOnlyHint":true}`), TaskSupport: Optional,
		Run: func(_ context.Context, c *Call) Outcome {
			c.Progress(1, 0, "")
			c.Log("info", "every", map[string]any{"a": 1})
			if _, err := c.ElicitAll(
				Question{Key: "form", Elicitation: askEverything}, Question{Key: "page", Elicitation: Elicitation{Message: "go", URL: "https://example.com/go"}},
				Question{Key: "model", Elicitation: Elicitation{Sampling: json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"?"}}],"maxTokens":10}`)}},
			); err != nil {
				return ToolError(err.Error())
			}
			return Outcome{Structured: map[string]any{"a": 1}, Content: []Content{Text("t"), Image("image/png", []byte{1}), ResourceLink("https://example.com/a", "a", "A", "d", "text/plain", 3)}}
		},
	}
	s, c := serveModernly(t, WithTools(every, headerTool), WithInstructions("i"))
	c.check = j.seeModern
	answers := map[string]any{
		"form": accept(map[string]any{"name": "Ada"}), "page": map[string]any{"action": "accept"},
		"model": map[string]any{"role": "assistant", "model": "m", "content": map[string]any{"type": "text", "text": "!"}},
	}
	c.call("server/discover", nil)
	c.call("tools/list", nil)
	c.call("resources/list", nil)
	c.call("tools/list", nil, "Mcp-Method", "x")
	c.call("tools/list", map[string]any{"_meta": map[string]any{metaVersion: "2099-01-01"}}, "MCP-Protocol-Version", "2099-01-01")
	sub, _ := c.listen(map[string]any{"toolsListChanged": true})

	// As a task.
	id := c.start("every", nil).TaskID
	s.waitStatus(t, id, InputRequired)
	watch, _ := c.listen(map[string]any{"taskIds": []string{id}})
	c.get(id)
	c.update(id, answers)
	s.waitStatus(t, id, Completed)
	watch.until("notifications/tasks")
	c.get(id)

	// As a plain call, over two rounds.
	c.caps = `{"elicitation":{"form":{},"url":{}},"sampling":{}}`
	c.call("tasks/get", map[string]any{"taskId": id}) // which lacks the extension
	round := c.result("tools/call", map[string]any{"name": "every", "_meta": map[string]any{"progressToken": 1, metaLevel: "debug"}})
	c.call("tools/call", map[string]any{"name": "every", "inputResponses": answers, "requestState": *round.RequestState})
	c.caps = modernCaps

	for _, end := range []func(id string){
		func(id string) { s.Finish(id, Refused(-32013, "broke", map[string]any{"x": 1})) }, func(id string) { s.Finish(id, ToolError("no")) },
		func(id string) { c.call("tasks/cancel", map[string]any{"taskId": id}) }, func(id string) { s.SetStatus(id, InputRequired, "?") },
	} {
		id := s.AddTask(Task{TTL: Unlimited, Poll: NoPoll})
		st, _ := c.listen(map[string]any{"taskIds": []string{id}})
		end(id)
		st.until("notifications/tasks")
		c.get(id)
	}
	s.SetTools(every)
	sub.until("notifications/tools/list_changed")
	s.EndListens()
	sub.until("")
	for _, defs := range []map[string]string{modernResults, modernMessages} {
		for _, def := range defs {
			if j.judged[def] == 0 {
				t.Errorf("no %s was sent", def)
			}
		}
	}
	for _, def := range modernErrors {
		if j.judged[def] == 0 {
			t.Errorf("no %s was sent", def)
		}
	}
}

func TestModernClientOfTheTestsSatisfiesTheSchemas(t *testing.T) {
	j := newModernJudge(t)
	c := &modernClient{client: raw(t, MemoryURL, &http.Transport{}), caps: modernCaps}
	for method, def := range map[string]string{"server/discover": "DiscoverRequest", "tools/list": "ListToolsRequest", "tools/call": "CallToolRequest", "subscriptions/listen": "SubscriptionsListenRequest"} {
		_, body, _ := c.request(method, map[string]any{"name": "x", "notifications": map[string]any{}})
		j.hold(def, []byte(body))
	}
}

func TestNightToolsSatisfyTheSchemas(t *testing.T) {
	j := newModernJudge(t)
	d := &show{}
	for _, tool := range append(d.nightTools(), d.tools()...) {
		raw, err := json.Marshal(tool.wire(false))
		if err != nil {
			t.Fatal(err)
		}
		j.hold("Tool", raw)
		if bytes.Contains(raw, []byte("taskSupport")) {
			t.Errorf("%s: the server alone decides", raw)
		}
	}
	for _, tool := range conformanceTools() {
		raw, err := json.Marshal(tool.wire(false))
		if err != nil {
			t.Fatal(err)
		}
		j.hold("Tool", raw)
	}
	for _, e := range []Elicitation{askApproval, askNotice, askScale, askConfirm("?"), askYourName("?")} {
		raw, err := json.Marshal(e.request())
		if err != nil || strings.Contains(string(raw), "elicitationId") {
			t.Fatal(err)
		}
		j.hold("ElicitRequest", raw)
	}
}
