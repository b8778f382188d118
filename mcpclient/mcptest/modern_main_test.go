package mcptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"
)

// modernClient is the raw client in its modern half: no session, everything in each request.
type modernClient struct {
	*client
	caps string
}

const modernCaps = `{"elicitation":{"form":{},"url":{}},"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

func modern(t *testing.T, url string, tr *http.Transport) *modernClient {
	return &modernClient{client: raw(t, url, tr), caps: modernCaps}
}

// serveModernly makes a modern server with a TCP port and a client.
func serveModernly(t *testing.T, opts ...Option) (*Server, *modernClient) {
	t.Helper()
	s := New(append([]Option{WithEra(ModernEra)}, opts...)...)
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, modern(t, url, &http.Transport{})
}

// modernly is serveModernly in virtual time: for use within synctest.Test.
func modernly(t *testing.T, opts ...Option) (*Server, *modernClient) {
	t.Helper()
	s := New(append([]Option{WithEra(ModernEra)}, opts...)...)
	t.Cleanup(func() { _ = s.Close() })
	return s, modern(t, MemoryURL, s.Transport())
}

// request gives body and headers of a request, as they should be.
func (c *modernClient) request(method string, params map[string]any) (id, body string, header map[string]string) {
	c.t.Helper()
	id = fmt.Sprintf(`"m%d"`, c.id.Add(1))
	p := map[string]any{}
	maps.Copy(p, params)
	meta := map[string]any{metaVersion: ModernRevision, metaCapabilities: json.RawMessage(c.caps), "io.modelcontextprotocol/clientInfo": map[string]any{"name": "raw", "version": "0"}}
	if own, ok := p["_meta"].(map[string]any); ok {
		maps.Copy(meta, own)
	}
	p["_meta"] = meta
	header = map[string]string{"MCP-Protocol-Version": ModernRevision, "Mcp-Method": method}
	for _, key := range []string{"name", "taskId"} {
		if v, ok := p[key].(string); ok {
			header["Mcp-Name"] = v
		}
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": p})
	if err != nil {
		c.t.Fatal(err)
	}
	return id, string(raw), header
}

// post sends a request with its headers, those in other instead where they differ; an empty value leaves one out.
func (c *modernClient) post(method string, params map[string]any, other ...string) (*openStream, string) {
	c.t.Helper()
	id, body, header := c.request(method, params)
	for i := 0; i+1 < len(other); i += 2 {
		header[other[i]] = other[i+1]
	}
	list := make([]string, 0, 2*len(header))
	for k, v := range header {
		if v != "" {
			list = append(list, k, v)
		}
	}
	st := c.open(http.MethodPost, body, list...)
	if st != nil && c.check != nil {
		st.seen = func(m msg) { c.check(method, m) }
	}
	return st, id
}

// call sends a request and waits for the response.
func (c *modernClient) call(method string, params map[string]any, other ...string) msg {
	c.t.Helper()
	st, _ := c.post(method, params, other...)
	if st == nil {
		c.t.Fatalf("%s: no response", method)
	}
	defer st.close()
	return st.until("")
}

// modernResult is any result of the modern half.
type modernResult struct {
	ResultType    string
	TaskID        string `json:"taskId"`
	Status        Status
	StatusMessage string
	TTL           *int64 `json:"ttlMs"`
	Poll          *int64 `json:"pollIntervalMs"`
	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	RequestState *string
	Result       json.RawMessage
	Error        *Error
	Content      []struct{ Text string }
	IsError      bool
	Meta         map[string]json.RawMessage `json:"_meta"`
}

func (c *modernClient) result(method string, params map[string]any, other ...string) modernResult {
	c.t.Helper()
	m := c.call(method, params, other...)
	if m.Error != nil {
		c.t.Fatalf("%s: %v", method, m.Error)
	}
	var res modernResult
	m.bind(c.t, &res)
	return res
}

// errs sends a request that is to fail, and gives the error.
func (c *modernClient) errs(method string, params map[string]any, other ...string) *Error {
	c.t.Helper()
	m := c.call(method, params, other...)
	if m.Error == nil {
		c.t.Fatalf("%s: no error: %s", method, m.Raw)
	}
	return m.Error
}

// start calls a tool of which a task is made.
func (c *modernClient) start(tool string, args map[string]any) modernResult {
	c.t.Helper()
	params := map[string]any{"name": tool}
	if args != nil {
		params["arguments"] = args
	}
	res := c.result("tools/call", params)
	if res.ResultType != "task" || res.TaskID == "" {
		c.t.Fatalf("%s made no task: %+v", tool, res)
	}
	return res
}

func (c *modernClient) get(id string) modernResult {
	c.t.Helper()
	return c.result("tasks/get", map[string]any{"taskId": id})
}

func (c *modernClient) update(id string, responses map[string]any) modernResult {
	c.t.Helper()
	return c.result("tasks/update", map[string]any{"taskId": id, "inputResponses": responses})
}

// listen opens a subscription and reads its acknowledgement.
func (c *modernClient) listen(notifications map[string]any) (*openStream, msg) {
	c.t.Helper()
	st, _ := c.post("subscriptions/listen", map[string]any{"notifications": notifications})
	return st, st.must()
}

// accept is an answer to a form.
func accept(content map[string]any) map[string]any {
	return map[string]any{"action": "accept", "content": content}
}
