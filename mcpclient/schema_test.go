package mcpclient

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"callboard/mcpclient/mcptest"
)

// official is the official JSON Schema of MCP 2025-11-25, nil where the
// environment variable CALLBOARD_SCHEMAS names no folder that holds it.
var official = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	dir := os.Getenv("CALLBOARD_SCHEMAS")
	if dir == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(filepath.Join(dir, "mcp-2025-11-25.schema.json"))
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	overlayNumbers(doc)
	c := jsonschema.NewCompiler()
	return c, c.AddResource("mcp.json", doc)
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

// definitions names the schema of each message that we send.
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
		if strings.Contains(string(r.Params), `"action"`) {
			check(t, c, "ElicitResult", r.Params)
		}
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

var compiling sync.Mutex // a Compiler is not safe for tests in parallel

func check(t *testing.T, c *jsonschema.Compiler, name string, raw []byte) {
	t.Helper()
	compiling.Lock()
	defer compiling.Unlock()
	s, err := c.Compile("mcp.json#/$defs/" + name)
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
	check(t, c, "ElicitResult", []byte(`{"action":"accept","content":{"n":1.5,"i":2,"b":true,"s":"x","l":["a"]}}`))
}
