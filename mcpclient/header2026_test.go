package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// The examples of Streamable HTTP, "Value Encoding", and more.
func TestHeaderValue(t *testing.T) {
	for in, want := range map[string]string{
		"us-west1":           "us-west1",
		"Hello, 世界":          "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":           "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":       "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?half":      "=?base64?half",
		"a\tb c":             "a\tb c",
		"\ta":                "=?base64?CWE=?=",
		"\x7f":               "=?base64?fw==?=",
		"":                   "",
	} {
		if got := headerValue(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestMirrors(t *testing.T) {
	for _, c := range []struct{ schema, args, want string }{
		{`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}`, `{"a":"x"}`, "A=x"},
		{`{"properties":{"a":{"type":"integer","x-mcp-header":"A"}}}`, `{"a":42.0}`, "A=42"},
		{`{"properties":{"a":{"type":"integer","x-mcp-header":"A"}}}`, `{"a":1e3}`, "A=1000"},
		{`{"properties":{"a":{"type":"integer","x-mcp-header":"A"}}}`, `{"a":-7}`, "A=-7"},
		{`{"properties":{"a":{"type":"boolean","x-mcp-header":"A"}}}`, `{"a":false}`, "A=false"},
		{`{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`, `{"a":null}`, ""},
		{`{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`, ``, ""},
		{`{"properties":{"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"B-1"}}}}}`, `{"a":{"b":"x"},"b":"y"}`, "B-1=x"},
		{`{"properties":{"x-mcp-header":{"type":"string"}}}`, `{"x-mcp-header":"x"}`, ""},
		{`{"default":{"x-mcp-header":""},"properties":{"a":{"enum":[{"x-mcp-header":5}]}}}`, `{}`, ""},
		{`{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, ``, "!no string"},
		{`{"properties":{"a":{"x-mcp-header":"A"}}}`, ``, "!no string"},
		{`{"properties":{"a":{"type":["string","object"],"x-mcp-header":"A"}}}`, ``, "!no string"},
		{`{"properties":{"a":{"type":["null"],"x-mcp-header":"A"}}}`, ``, "!no string"},
		{`{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, ``, "!no name"},
		{`{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}`, ``, "!no name"},
		{`{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nX: y"}}}`, ``, "!no name"},
		{`{"properties":{"a":{"type":"string","x-mcp-header":7}}}`, ``, "!no name"},
		{`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, ``, "!twice"},
		{`{"type":"string","x-mcp-header":"A"}`, ``, "!stands"},
		{`{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`, ``, "!stands"},
		{`{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, ``, "!stands"},
		{`{"$defs":{"d":{"type":"string","x-mcp-header":"A"}}}`, ``, "!stands"},
		{`{"if":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, ``, "!stands"},
		{`{"properties":{` + many(maxMirrors+1) + `}}`, ``, "!more than"},
		{`7`, ``, ""},
	} {
		found, fault := findMirrors(json.RawMessage(c.schema))
		var got []string
		for _, m := range found {
			if v, ok := m.value(json.RawMessage(c.args)); ok {
				got = append(got, m.name+"="+v)
			}
		}
		if words, bad := strings.CutPrefix(c.want, "!"); bad {
			if !strings.Contains(fault, words) {
				t.Errorf("%s: %q, want %q", c.schema, fault, words)
			}
			continue
		}
		if s := strings.Join(got, " "); s != c.want || fault != "" {
			t.Errorf("%s with %s: %q %q, want %q", c.schema, c.args, s, fault, c.want)
		}
	}
}

func many(n int) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(`"p%d":{"type":"string","x-mcp-header":"H%d"}`, i, i))
	}
	return strings.Join(parts, ",")
}

// TestModernTools: arguments go into headers, a tool that is wrong about them is
// left out, and the list is asked for no sooner than it has to be.
func TestModernTools(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		good := mcptest.Tool{Name: "höre", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"}}}`)}
		bad := mcptest.Tool{Name: "bad", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"Region"}}}`)}
		r := attach2026(t, mcptest.WithTools(good, bad), mcptest.WithCache(time.Hour, time.Minute, "private"))
		list := func(want int) {
			t.Helper()
			tools, err := r.s.Tools(t.Context())
			if err != nil || len(tools) != 1 || tools[0].Support != task.ServerDecides {
				t.Errorf("%+v, %v", tools, err)
			}
			if n := r.count("tools/list"); n != want {
				t.Errorf("asked %d times, want %d", n, want)
			}
		}
		list(1)
		if !noted(r, "the tool bad was left out") {
			t.Error("nothing is said of the tool that is left out")
		}
		list(1)
		r.call(task.Call{ID: "c", Tool: "höre", Args: json.RawMessage(`{"a":" x"}`)})
		any1[task.Returned](r)
		if q := r.srv.Requests("tools/call")[0]; q.Header.Get("Mcp-Param-Region") != "=?base64?IHg=?=" || !strings.HasPrefix(q.Header.Get("Mcp-Name"), "=?base64?") {
			t.Errorf("%v", q.Header)
		}
		time.Sleep(time.Minute)
		list(2)
		any1[task.Stream](r)
		r.srv.SetTools(good)
		any1[task.ToolsChanged](r)
		list(3)
	})
}
