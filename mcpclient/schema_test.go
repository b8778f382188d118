package mcpclient

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"callboard/mcpclient/mcptest"
)

// The official JSON Schemas, as resources of official.
const (
	legacySchema = "mcp-2025-11-25.schema.json"
	modernSchema = "mcp-2026-07-28.schema.json"
	tasksSchema  = "ext-tasks.schema.json"
)

// official holds the official JSON Schemas, nil where the environment variable
// CALLBOARD_SCHEMAS names no folder that holds them.
var official = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	dir := os.Getenv("CALLBOARD_SCHEMAS")
	if dir == "" {
		return nil, nil
	}
	c := jsonschema.NewCompiler()
	for _, name := range []string{legacySchema, modernSchema, tasksSchema} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		overlayNumbers(doc)
		if err := c.AddResource(name, doc); err != nil {
			return nil, err
		}
	}
	return c, nil
})

// overlayNumbers mends a fault of the published file: the content of an answer
// may hold any number, where it says integer.
func overlayNumbers(doc any) {
	defs, _ := doc.(map[string]any)["$defs"].(map[string]any)
	result, _ := defs["ElicitResult"].(map[string]any)
	props, _ := result["properties"].(map[string]any)
	content, _ := props["content"].(map[string]any)
	more, _ := content["additionalProperties"].(map[string]any)
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if types, ok := v["type"].([]any); ok {
				for i, t := range types {
					if t == "integer" {
						types[i] = "number"
					}
				}
			}
			for _, e := range v {
				walk(e)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(more)
}

// modernDefinitions names the schemas of each request of 2026-07-28 that we send.
var modernDefinitions = map[string][]string{
	"server/discover":      {modernSchema + "#/$defs/DiscoverRequest"},
	"tools/list":           {modernSchema + "#/$defs/ListToolsRequest"},
	"tools/call":           {modernSchema + "#/$defs/CallToolRequest"},
	"subscriptions/listen": {modernSchema + "#/$defs/SubscriptionsListenRequest"},
	"tasks/get":            {tasksSchema + "#/$defs/GetTaskRequest"},
	"tasks/update":         {tasksSchema + "#/$defs/UpdateTaskRequest"},
	"tasks/cancel":         {tasksSchema + "#/$defs/CancelTaskRequest"},
}

// validateModern holds a request of 2026-07-28 against the official schemas, and
// against what they cannot say: where it stands in headers, and what it has not.
func validateModern(t *testing.T, c *jsonschema.Compiler, r mcptest.Request) {
	t.Helper()
	names := modernDefinitions[r.Method]
	if names == nil || r.Kind != mcptest.KindRequest {
		t.Errorf("the server was sent %q, which callboard has no business to send", r.Method)
		return
	}
	for _, h := range []string{"Mcp-Session-Id", "Last-Event-Id"} {
		if r.Header.Get(h) != "" {
			t.Errorf("%s has the header %s", r.Method, h)
		}
	}
	if r.Header.Get("Mcp-Method") != r.Method || r.Header.Get("Mcp-Protocol-Version") != version2026 {
		t.Errorf("%s has the headers %v", r.Method, r.Header)
	}
	if c == nil {
		return
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": r.ID, "method": r.Method, "params": r.Params})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		checkAs(t, c, name, raw)
	}
	checkAs(t, c, modernSchema+"#/$defs/RequestParams", r.Params)
	members(member(r.Params, "inputResponses"), func(_, v []byte) bool {
		checkAs(t, c, modernSchema+"#/$defs/"+answerType(v), v)
		return true
	})
}

// definitions names the schema of each message of 2025-11-25 that we send.
var definitions = map[string]string{
	"initialize":                "InitializeRequest",
	"notifications/initialized": "InitializedNotification",
	"notifications/cancelled":   "CancelledNotification",
	"tools/list":                "ListToolsRequest",
	"tools/call":                "CallToolRequest",
	"tasks/list":                "ListTasksRequest",
	"tasks/get":                 "GetTaskRequest",
	"tasks/result":              "GetTaskPayloadRequest",
	"tasks/cancel":              "CancelTaskRequest",
	// As the receiver of the server's tasks.
	"notifications/tasks/status": "TaskStatusNotification",
}

// checkRequests holds what a server received against the official schema, and
// against what the schema cannot say.
func checkRequests(t *testing.T, all []mcptest.Request) {
	t.Helper()
	ids := map[string]bool{}
	for _, r := range all {
		switch r.Kind {
		case mcptest.KindRequest:
			// A request that was refused for its token goes once more as it is.
			key := string(r.ID) + r.Header.Get("Authorization")
			if ids[key] {
				t.Errorf("the request id %s was used twice", r.ID)
			}
			ids[key] = true
		case mcptest.KindStream, mcptest.KindDelete:
			continue
		case mcptest.KindNotification, mcptest.KindResponse:
		}
		validate(t, r)
	}
}

func validate(t *testing.T, r mcptest.Request) {
	t.Helper()
	c, err := official()
	if err != nil {
		t.Fatal(err)
	}
	if r.Header.Get("Mcp-Method") != "" {
		validateModern(t, c, r)
		return
	}
	if c == nil {
		return
	}
	name, message := definitions[r.Method], map[string]any{"jsonrpc": "2.0"}
	if r.ID != nil {
		message["id"] = r.ID
	}
	switch {
	case r.Kind != mcptest.KindResponse:
		message["method"] = r.Method
		if r.Params != nil {
			message["params"] = r.Params
		}
	case r.Error != nil:
		name, message["error"] = "JSONRPCErrorResponse", r.Error
	default:
		name, message["result"] = "JSONRPCResultResponse", r.Params
		if kind := answerType(r.Params); kind != "" {
			check(t, c, kind, r.Params)
		}
		checkReceived(t, c, r.Params)
	}
	if name == "" {
		t.Errorf("the server was sent %q, which callboard has no business to send", r.Method)
		return
	}
	raw, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	check(t, c, name, raw)
}

// answerType is the schema type of what a person answered, "" for what is none.
func answerType(result []byte) string {
	switch {
	case member(result, "action") != nil:
		return "ElicitResult"
	case member(result, "role") != nil:
		return "CreateMessageResult"
	}
	return ""
}

// checkReceived holds what we say of tasks that we receive against the official
// schema: no such result names its task in a _meta of its own.
func checkReceived(t *testing.T, c *jsonschema.Compiler, raw json.RawMessage) {
	t.Helper()
	for key, names := range map[string][]string{
		"task": {"CreateTaskResult"}, "tasks": {"ListTasksResult"}, "taskId": {"GetTaskResult", "CancelTaskResult"},
	} {
		if member(raw, key) == nil {
			continue
		}
		for _, name := range names {
			check(t, c, name, raw)
		}
		if member(raw, "_meta") != nil {
			t.Errorf("%s has a _meta", raw)
		}
	}
}

var compiling sync.Mutex // a Compiler is not safe for tests in parallel

func check(t *testing.T, c *jsonschema.Compiler, name string, raw []byte) {
	t.Helper()
	checkAs(t, c, legacySchema+"#/$defs/"+name, raw)
}

func checkAs(t *testing.T, c *jsonschema.Compiler, name string, raw []byte) {
	t.Helper()
	compiling.Lock()
	defer compiling.Unlock()
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%s does not match %s: %v", raw, name, err)
	}
}

func TestSchemasAreHeld(t *testing.T) {
	c, err := official()
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Skip("CALLBOARD_SCHEMAS names no folder: requests are not held against the official schemas")
	}
	answer := []byte(`{"action":"accept","content":{"n":1.5,"i":2,"b":true,"s":"x","l":["a"]}}`)
	check(t, c, "ElicitResult", answer)
	checkAs(t, c, modernSchema+"#/$defs/ElicitResult", answer)
	checkAs(t, c, tasksSchema+"#/$defs/ElicitResult", answer)
}
