package mcptest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func b64(s string) string { return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?=" }

// headerTool mirrors one argument of each kind, one of them nested.
var headerTool = Tool{
	Name: "Grüße", InputSchema: json.RawMessage(`{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},"sure":{"type":"boolean","x-mcp-header":"Sure"},
		"deep":{"type":"object","properties":{"x":{"type":"string","x-mcp-header":"Deep-X"}}},
		"list":{"type":"array","items":{"type":"string","x-mcp-header":"Nowhere"}}}}`),
	Run: func(_ context.Context, c *Call) Outcome { return Answered(string(c.Args)) },
}

func TestModernDiscoverAndTools(t *testing.T) {
	s, c := serveModernly(t, WithTools(headerTool, Tool{Name: "task", TaskSupport: Required}), WithCache(5*time.Second, 7*time.Second, "private"), WithToolPageSize(1), WithInstructions("be kind"))
	var d struct {
		SupportedVersions []string
		Capabilities      map[string]map[string]any
		TTL               int    `json:"ttlMs"`
		CacheScope        string `json:"cacheScope"`
		Instructions      string
		ResultType        string
		Meta              map[string]struct{ Name string } `json:"_meta"`
	}
	c.call("server/discover", nil).bind(t, &d)
	if !slices.Equal(d.SupportedVersions, []string{ModernRevision}) || d.TTL != 5000 || d.CacheScope != "private" || d.Instructions != "be kind" ||
		d.ResultType != "complete" || d.Meta[metaServer].Name != "mcptest" {
		t.Errorf("discover: %+v", d)
	}
	if d.Capabilities["extensions"][extensionTasks] == nil || d.Capabilities["tasks"] != nil {
		t.Errorf("capabilities: %v", d.Capabilities)
	}
	var page struct {
		Tools      []map[string]any
		NextCursor string
		TTL        int    `json:"ttlMs"`
		CacheScope string `json:"cacheScope"`
	}
	c.call("tools/list", nil).bind(t, &page)
	if len(page.Tools) != 1 || page.NextCursor == "" || page.TTL != 7000 || page.CacheScope != "private" {
		t.Errorf("first page: %+v", page)
	}
	c.call("tools/list", map[string]any{"cursor": page.NextCursor}).bind(t, &page)
	if page.Tools[0]["name"] != "task" || page.Tools[0]["execution"] != nil {
		t.Errorf("second page: %+v", page)
	}
	if e := c.errs("tools/list", map[string]any{"cursor": "?"}); e.Code != CodeInvalidParams {
		t.Errorf("a bad cursor: %v", e)
	}
	s.Fault(func(f *Faults) { f.BlockInDiscover = true })
	d.Capabilities = nil
	c.call("server/discover", nil).bind(t, &d)
	if d.Capabilities["extensions"] != nil || d.Capabilities["tasks"]["list"] == nil {
		t.Errorf("the mixed server: %v", d.Capabilities)
	}
	if res := c.result("tools/call", map[string]any{"name": "task"}); res.ResultType != "complete" {
		t.Errorf("a call of the mixed server: %+v", res)
	}
}

func TestModernRefusals(t *testing.T) {
	s, c := serveModernly(t, WithTools(headerTool, Tool{Name: "task", TaskSupport: Required}))
	id := s.AddTask(Task{})
	task := map[string]any{"taskId": id}
	for name, tc := range map[string]struct {
		method string
		params map[string]any
		header []string
		caps   string
		status int
		code   int
	}{
		"no version header":        {"tools/list", nil, []string{"MCP-Protocol-Version", ""}, "", 400, CodeHeaderMismatch},
		"other version in body":    {"tools/list", map[string]any{"_meta": map[string]any{metaVersion: "2099-01-01"}}, nil, "", 400, CodeHeaderMismatch},
		"version nobody speaks":    {"tools/list", map[string]any{"_meta": map[string]any{metaVersion: "2099-01-01"}}, []string{"MCP-Protocol-Version", "2099-01-01"}, "", 400, CodeVersion},
		"no version in body":       {"tools/list", map[string]any{"_meta": map[string]any{metaVersion: nil}}, nil, "", 400, CodeHeaderMismatch},
		"no capabilities":          {"tools/list", nil, nil, "null", 400, CodeInvalidParams},
		"unknown log level":        {"tools/list", map[string]any{"_meta": map[string]any{metaLevel: "loud"}}, nil, "", 400, CodeInvalidParams},
		"no method header":         {"tools/list", nil, []string{"Mcp-Method", ""}, "", 400, CodeHeaderMismatch},
		"other method header":      {"tools/list", nil, []string{"Mcp-Method", "tools/call"}, "", 400, CodeHeaderMismatch},
		"unknown method":           {"resources/list", nil, nil, "", 404, CodeNoMethod},
		"removed method":           {"tasks/result", task, nil, "", 404, CodeNoMethod},
		"initialize":               {"initialize", map[string]any{"protocolVersion": Revision}, []string{"MCP-Protocol-Version", ""}, "", 400, CodeVersion},
		"initialize, modern":       {"initialize", nil, nil, "", 404, CodeNoMethod},
		"no name header":           {"tools/call", map[string]any{"name": "task"}, []string{"Mcp-Name", ""}, "", 400, CodeHeaderMismatch},
		"other name header":        {"tools/call", map[string]any{"name": "task"}, []string{"Mcp-Name", "tusk"}, "", 400, CodeHeaderMismatch},
		"bad base64":               {"tools/call", map[string]any{"name": "task"}, []string{"Mcp-Name", "=?base64?!?="}, "", 400, CodeHeaderMismatch},
		"no name":                  {"tools/call", nil, nil, "", 400, CodeInvalidParams},
		"unknown tool":             {"tools/call", map[string]any{"name": "x"}, nil, "", 200, CodeInvalidParams},
		"arguments not an object":  {"tools/call", map[string]any{"name": "task", "arguments": 1}, nil, "", 400, CodeInvalidParams},
		"response not an object":   {"tools/call", map[string]any{"name": "task", "inputResponses": map[string]any{"a": 1}}, nil, "", 400, CodeInvalidParams},
		"tampered state":           {"tools/call", map[string]any{"name": "task", "requestState": "x"}, nil, "", 200, CodeInvalidParams},
		"task tool, no extension":  {"tools/call", map[string]any{"name": "task"}, nil, "{}", 400, CodeMissingCapability},
		"get, no extension":        {"tasks/get", task, nil, "{}", 400, CodeMissingCapability},
		"cancel, other id in head": {"tasks/cancel", task, []string{"Mcp-Name", "x"}, "", 400, CodeHeaderMismatch},
		"get of nothing":           {"tasks/get", map[string]any{"taskId": "x"}, nil, "", 200, CodeInvalidParams},
		"cancel of nothing":        {"tasks/cancel", map[string]any{"taskId": "x"}, nil, "", 200, CodeInvalidParams},
		"update of nothing":        {"tasks/update", map[string]any{"taskId": "x", "inputResponses": map[string]any{}}, nil, "", 200, CodeInvalidParams},
		"update without answers":   {"tasks/update", task, nil, "", 200, CodeInvalidParams},
		"listen without filter":    {"subscriptions/listen", nil, nil, "", 400, CodeInvalidParams},
		"listen, no extension":     {"subscriptions/listen", map[string]any{"notifications": map[string]any{"taskIds": []string{id}}}, nil, "{}", 400, CodeMissingCapability},
	} {
		t.Run(name, func(t *testing.T) {
			c.t, c.caps = t, modernCaps
			if tc.caps != "" {
				c.caps = tc.caps
			}
			st, id := c.post(tc.method, tc.params, tc.header...)
			m := st.must()
			if m.Error == nil || m.Error.Code != tc.code || st.res.StatusCode != tc.status || string(m.ID) != id {
				t.Errorf("status %d: %s", st.res.StatusCode, m.Raw)
			}
			if tc.code == CodeVersion && !strings.Contains(string(m.Raw), `"supported":["2026-07-28"]`) {
				t.Errorf("what is supported is not said: %s", m.Raw)
			}
			if tc.code == CodeMissingCapability && !strings.Contains(string(m.Raw), `"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`) {
				t.Errorf("what is missing is not said: %s", m.Raw)
			}
		})
	}
}

func TestModernBodies(t *testing.T) {
	_, c := serveModernly(t)
	_, good, header := c.request("tools/list", nil)
	head := []string{"MCP-Protocol-Version", header["MCP-Protocol-Version"], "Mcp-Method", header["Mcp-Method"]}
	for name, tc := range map[string]struct {
		body   string
		header []string
		status int
		code   int
	}{
		"not JSON":     {"{", nil, 400, CodeParse},
		"a batch":      {"[" + good + "]", nil, 400, CodeParse},
		"a response":   {`{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, CodeInvalidRequest},
		"id null":      {`{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, nil, 400, CodeInvalidRequest},
		"id fraction":  {`{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}`, nil, 400, CodeInvalidRequest},
		"notification": {`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, nil, 202, 0},
		"no SSE":       {good, []string{"Accept", "application/json"}, 406, CodeInvalidRequest},
		"plain text":   {good, []string{"Content-Type", "text/plain"}, 415, CodeInvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			c.t = t
			st := c.open(http.MethodPost, tc.body, append(slices.Clone(head), tc.header...)...)
			m, err := st.next()
			if st.res.StatusCode != tc.status || tc.code != 0 && (err != nil || m.Error == nil || m.Error.Code != tc.code) {
				t.Errorf("status %d: %s, %v", st.res.StatusCode, m.Raw, err)
			}
		})
	}
	c.t = t
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if st := c.open(method, "", "Mcp-Session-Id", "x"); st.res.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", method, st.res.StatusCode)
		}
	}
	if st, _ := c.post("tools/list", nil, "Mcp-Session-Id", "whatever"); st.res.StatusCode != http.StatusOK || st.res.Header.Get(headerSession) != "" {
		t.Error("a session id is to be ignored")
	}
}

func TestModernParamHeaders(t *testing.T) {
	_, c := serveModernly(t, WithTools(headerTool))
	for name, tc := range map[string]struct {
		args   string
		header []string
		ok     bool
	}{
		"none":                {`{}`, nil, true},
		"null has none":       {`{"region":null}`, nil, true},
		"all":                 {`{"region":"eu","n":42,"sure":true,"deep":{"x":" y "}}`, []string{"Mcp-Param-Region", "eu", "Mcp-Param-N", "42.0", "Mcp-Param-Sure", "true", "Mcp-Param-Deep-X", b64(" y ")}, true},
		"not under items":     {`{"list":["a"]}`, nil, true},
		"missing":             {`{"region":"eu"}`, nil, false},
		"wrong text":          {`{"region":"eu"}`, []string{"Mcp-Param-Region", "us"}, false},
		"wrong number":        {`{"n":42}`, []string{"Mcp-Param-N", "43"}, false},
		"wrong truth":         {`{"sure":false}`, []string{"Mcp-Param-Sure", "true"}, false},
		"nothing to stand by": {`{}`, []string{"Mcp-Param-Region", "eu"}, false},
		"bad base64":          {`{"region":"eu"}`, []string{"Mcp-Param-Region", "=?base64?%?="}, false},
		"raw bytes":           {`{"region":"ü"}`, []string{"Mcp-Param-Region", "ü"}, false},
		"a tempting literal":  {`{"region":"=?base64?x?="}`, []string{"Mcp-Param-Region", b64("=?base64?x?=")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.t = t
			m := c.call("tools/call", map[string]any{"name": headerTool.Name, "arguments": json.RawMessage(tc.args)}, append(tc.header, "Mcp-Name", b64(headerTool.Name))...)
			if tc.ok != (m.Error == nil) || !tc.ok && m.Error.Code != CodeHeaderMismatch {
				t.Errorf("%s", m.Raw)
			}
		})
	}
}

func TestModernTokensOwnTheirTasks(t *testing.T) {
	s, c := serveModernly(t, WithTokens("one", "two"), WithTools(Tool{Name: "work", TaskSupport: Required, Run: func(ctx context.Context, _ *Call) Outcome {
		<-ctx.Done()
		return Answered()
	}}))
	if st, _ := c.post("server/discover", nil); st.res.StatusCode != http.StatusUnauthorized {
		t.Fatalf("without a token: %d", st.res.StatusCode)
	}
	c.token = "one"
	id := c.start("work", nil).TaskID
	if task, _ := s.Task(id); task.Account != "one" {
		t.Errorf("it belongs to %q", task.Account)
	}
	c.get(id)
	c.token = "two"
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
		if e := c.errs(method, map[string]any{"taskId": id, "inputResponses": map[string]any{}}); e.Code != CodeInvalidParams || !strings.Contains(e.Message, "not found") {
			t.Errorf("%s with another token: %v", method, e)
		}
	}
	if _, ack := c.listen(map[string]any{"taskIds": []string{id}}); !strings.Contains(string(ack.Params), `"taskIds":[]`) {
		t.Errorf("another's task was agreed to: %s", ack.Raw)
	}
}
