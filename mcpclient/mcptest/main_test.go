package mcptest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"callboard/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// client is a small raw MCP client, as naive as can be.
type client struct {
	t       *testing.T
	http    *http.Client
	url     string
	session string
	token   string
	id      atomic.Int64               // of the last request
	check   func(method string, m msg) // sees every message received; method of a response: that of its request
}

// msg is a received message.
type msg struct {
	Event  string          `json:"-"` // SSE id
	Retry  string          `json:"-"`
	Raw    []byte          `json:"-"`
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

func (m msg) bind(t *testing.T, v any) {
	t.Helper()
	raw := m.Result
	if m.Method != "" {
		raw = m.Params
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("binding %s: %v", raw, err)
	}
}

// serve makes a server with a TCP port and a client that has initialised.
func serve(t *testing.T, opts ...Option) (*Server, *client) {
	t.Helper()
	s := New(opts...)
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, dial(t, url, &http.Transport{})
}

// memory is serve in virtual time: for use within synctest.Test.
func memory(t *testing.T, opts ...Option) (*Server, *client) {
	t.Helper()
	s := New(opts...)
	t.Cleanup(func() { _ = s.Close() })
	return s, dial(t, MemoryURL, s.Transport())
}

const allCaps = `{"elicitation":{"form":{},"url":{}}}`

func dial(t *testing.T, url string, tr *http.Transport) *client {
	t.Helper()
	c := raw(t, url, tr)
	c.initialize(allCaps)
	return c
}

func raw(t *testing.T, url string, tr *http.Transport) *client {
	t.Cleanup(tr.CloseIdleConnections)
	return &client{t: t, url: url, http: &http.Client{Transport: tr}}
}

func (c *client) initialize(caps string) msg {
	c.t.Helper()
	m := c.call("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+caps+`,"clientInfo":{"name":"raw","version":"0"}}`)
	c.notify("notifications/initialized", "")
	return m
}

func (c *client) do(ctx context.Context, method, body string, header ...string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
		req.Header.Set("MCP-Protocol-Version", Revision)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		c.t.Logf("%s: %v", method, err)
		return nil
	}
	c.t.Cleanup(func() { _ = res.Body.Close() })
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return res
}

// openStream is an open response.
type openStream struct {
	t      *testing.T
	res    *http.Response
	cancel context.CancelFunc
	r      *bufio.Reader
	seen   func(msg)
}

func (st *openStream) close() {
	st.cancel()
	_ = st.res.Body.Close()
}

// next reads the next message; io.EOF and io.ErrUnexpectedEOF are ends.
func (st *openStream) next() (msg, error) {
	m, err := st.read()
	if err == nil && st.seen != nil && m.Raw != nil {
		st.seen(m)
	}
	return m, err
}

func (st *openStream) read() (msg, error) {
	if !strings.HasPrefix(st.res.Header.Get("Content-Type"), "text/event-stream") {
		raw, err := io.ReadAll(st.r)
		if err != nil {
			return msg{}, err
		}
		if len(raw) == 0 {
			return msg{}, io.EOF
		}
		return parse(msg{}, raw)
	}
	var m msg
	var data []byte
	seen := false
	for {
		line, err := st.r.ReadBytes('\n')
		if err != nil {
			return msg{}, err
		}
		line = bytes.TrimRight(line, "\n")
		field, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case len(line) == 0 && seen:
			if len(data) == 0 {
				return m, nil // priming
			}
			return parse(m, data)
		case len(line) == 0 || line[0] == ':':
			continue
		}
		seen = true
		switch string(field) {
		case "id":
			m.Event = string(value)
		case "retry":
			m.Retry = string(value)
		case "data":
			data = append(data, value...)
		}
	}
}

func parse(m msg, raw []byte) (msg, error) {
	m.Raw = raw
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("%q: %w", raw, err)
	}
	return m, nil
}

// must is next that may not fail.
func (st *openStream) must() msg {
	st.t.Helper()
	m, err := st.next()
	if err != nil {
		st.t.Fatalf("reading the stream: %v", err)
	}
	return m
}

// until reads to the next message of a method, or the response if method is empty.
func (st *openStream) until(method string) msg {
	st.t.Helper()
	for {
		if m := st.must(); m.Method == method && m.Raw != nil {
			return m
		}
	}
}

// post sends a request and gives its open response.
func (c *client) post(method, params string) (*openStream, string) {
	c.t.Helper()
	id := fmt.Sprintf(`"r%d"`, c.id.Add(1))
	if params == "" {
		params = "{}"
	}
	st := c.open(http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	if st != nil && c.check != nil {
		st.seen = func(m msg) { c.check(method, m) }
	}
	return st, id
}

func (c *client) open(method, body string, header ...string) *openStream {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	res := c.do(ctx, method, body, header...)
	if res == nil {
		cancel()
		return nil
	}
	st := &openStream{t: c.t, res: res, cancel: cancel, r: bufio.NewReader(res.Body)}
	c.t.Cleanup(st.close)
	return st
}

// get opens the GET stream.
func (c *client) get(header ...string) *openStream {
	c.t.Helper()
	st := c.open(http.MethodGet, "", header...)
	if st != nil && c.check != nil {
		st.seen = func(m msg) { c.check("", m) }
	}
	return st
}

// call sends a request and waits for the response, whatever precedes it.
func (c *client) call(method, params string) msg {
	c.t.Helper()
	st, id := c.post(method, params)
	if st == nil {
		c.t.Fatalf("%s: no response", method)
	}
	defer st.close()
	for {
		m, err := st.next()
		if err != nil {
			c.t.Fatalf("%s: status %d: %v", method, st.res.StatusCode, err)
		}
		if m.Method == "" && string(m.ID) == id || m.Error != nil {
			return m
		}
	}
}

func (c *client) send(body string) int {
	c.t.Helper()
	res := c.do(context.Background(), http.MethodPost, body)
	if res == nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func (c *client) notify(method, params string) {
	c.t.Helper()
	if params == "" {
		params = "{}"
	}
	if status := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)); status != http.StatusAccepted {
		c.t.Fatalf("%s: status %d", method, status)
	}
}

// answer answers a request of the server.
func (c *client) answer(m msg, result string) {
	c.t.Helper()
	if status := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)); status != http.StatusAccepted {
		c.t.Fatalf("answer: status %d", status)
	}
}

// start calls a tool as a task and gives the task.
func (c *client) start(tool, args string) wireTask {
	c.t.Helper()
	if args == "" {
		args = "{}"
	}
	var res struct{ Task wireTask }
	m := c.call("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"task":{},"_meta":{"progressToken":"tok-%d"}}`, tool, args, c.id.Load()))
	if m.Error != nil {
		c.t.Fatalf("tools/call: %v", m.Error)
	}
	m.bind(c.t, &res)
	return res.Task
}

func (c *client) task(id string) (wireTask, *Error) {
	c.t.Helper()
	var w wireTask
	m := c.call("tasks/get", fmt.Sprintf(`{"taskId":%q}`, id))
	if m.Error == nil {
		m.bind(c.t, &w)
	}
	return w, m.Error
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func idParams(id string) string { return fmt.Sprintf(`{"taskId":%q}`, id) }
