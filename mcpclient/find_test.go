package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

const (
	withExtension = `"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	withCore      = `"capabilities":{"tools":{"listChanged":true},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}`
	withoutTasks  = `"capabilities":{"tools":{}}`
)

func TestDecide(t *testing.T) {
	rpc := func(code int, data string) *jsonrpc.Error {
		return &jsonrpc.Error{Code: code, Message: "its words", Data: json.RawMessage(data)}
	}
	status := func(code int, e *jsonrpc.Error) error { return &transport.StatusError{Status: code, RPC: e} }
	supported := func(vs string) string { return `{"supported":` + vs + `,"requested":"2026-07-28"}` }
	ep := newEndpoint(t, Config{URL: "http://127.0.0.1/mcp"})
	for _, c := range []struct {
		name  string
		reply string // the result, where there is one
		err   error
		era   task.Era
		words string // of the error; "" for none
	}{
		{"the extension", `{"supportedVersions":["2026-07-28"],` + withExtension + `}`, nil, task.Modern, ""},
		{"no tasks at all", `{"supportedVersions":["2026-07-28","2025-11-25"],` + withoutTasks + `}`, nil, task.Modern, ""},
		{"no capabilities at all", `{"supportedVersions":["2026-07-28"]}`, nil, task.Modern, ""},
		{"both ways", `{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tasks":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`, nil, task.Modern, ""},
		{"the tasks of 2025-11-25 on the modern wire", `{"supportedVersions":["2026-07-28","2025-11-25"],` + withCore + `}`, nil, task.Legacy, ""},
		{"and no legacy version named", `{"supportedVersions":["2026-07-28"],` + withCore + `}`, nil, task.Legacy, ""},
		{"legacy versions only", `{"supportedVersions":["2025-11-25","2025-06-18"],` + withExtension + `}`, nil, task.Legacy, ""},
		{"none of ours", `{"supportedVersions":["2027-03-01","DRAFT-2028"],` + withExtension + `}`, nil, task.AnyEra, "2027-03-01, DRAFT-2028"},
		{"ours behind many others", `{"supportedVersions":["1","2","3","4","5","6","7","8","9","2026-07-28"]}`, nil, task.Modern, ""},
		{"no versions", `{` + withExtension + `}`, nil, task.Legacy, "names no version"},
		{"an empty list of versions", `{"supportedVersions":[]}`, nil, task.Legacy, "names no version"},
		{"versions of a wrong type", `{"supportedVersions":"2026-07-28"}`, nil, task.Legacy, "names no version"},
		{"versions that are no strings", `{"supportedVersions":[20260728,null,{},["2026-07-28"]]}`, nil, task.Legacy, "names no version"},
		{"null", `null`, nil, task.Legacy, "names no version"},
		{"an array", `[{"supportedVersions":["2026-07-28"]}]`, nil, task.Legacy, "names no version"},
		{"a string", `"2026-07-28"`, nil, task.Legacy, "names no version"},
		{"capabilities of a wrong type", `{"supportedVersions":["2026-07-28"],"capabilities":[1],"instructions":7,"_meta":[],"ttlMs":"x"}`, nil, task.Modern, ""},
		{"an extension of null", `{"supportedVersions":["2026-07-28"],"capabilities":{"tasks":{},"extensions":{"io.modelcontextprotocol/tasks":null}}}`, nil, task.Legacy, ""},

		{"a header that does not fit", "", status(400, rpc(-32020, "")), task.Modern, "its words"},
		{"a capability that is missing", "", status(400, rpc(-32021, `{"requiredCapabilities":{"roots":{}}}`)), task.Modern, "its words"},
		{"the same with 200", "", rpc(-32021, ""), task.Modern, "its words"},
		{"the same with 500", "", status(500, rpc(-32020, "")), task.Modern, "its words"},
		{"legacy versions in an error", "", status(400, rpc(-32022, supported(`["2025-11-25"]`))), task.Legacy, "its words"},
		{"an older one", "", status(400, rpc(-32022, supported(`["2025-06-18"]`))), task.Legacy, "its words"},
		{"others in an error", "", status(400, rpc(-32022, supported(`["2027-03-01"]`))), task.AnyEra, "MCP 2027-03-01"},
		{"ours in an error", "", status(400, rpc(-32022, supported(`["2026-07-28"]`))), task.Modern, "its words"},
		{"none in an error", "", status(400, rpc(-32022, "")), task.Legacy, "its words"},
		{"nonsense in an error", "", status(400, rpc(-32022, supported(`{"2026-07-28":1}`))), task.Legacy, "its words"},

		{"not initialized", "", status(400, rpc(-32000, "")), task.Legacy, "its words"},
		{"not initialized, with 200", "", rpc(-32000, ""), task.Legacy, "its words"},
		{"not initialized, with 500", "", status(500, &jsonrpc.Error{Code: -32603, Message: "Server not initialized"}), task.Legacy, "not initialized"},
		{"unknown method", "", status(404, rpc(-32601, "")), task.Legacy, "its words"},
		{"unknown method, with 200", "", rpc(-32601, ""), task.Legacy, "its words"},
		{"unknown method, with 500", "", status(500, rpc(-32601, "")), task.Legacy, "its words"},
		{"400 without JSON-RPC", "", status(400, nil), task.Legacy, "400"},
		{"404 without JSON-RPC", "", status(404, nil), task.Legacy, "404"},
		{"405", "", status(405, nil), task.Legacy, "405"},
		{"406", "", status(406, nil), task.Legacy, "406"},
		{"a web page", "", &transport.ContentError{Status: 200, ContentType: "text/html"}, task.Legacy, "web page"},
		{"JSON that is no message", "", &transport.MalformedError{Size: 9}, task.Legacy, "no message"},
		{"an empty answer", "", &transport.LostError{Why: "empty body"}, task.Legacy, "empty body"},
		{"no answer in time", "", &transport.LostError{Kind: transport.Timeout}, task.Legacy, "in time"},

		{"401", "", status(401, nil), task.AnyEra, "token"},
		{"401 with an error of the later generation", "", status(401, rpc(-32020, "")), task.AnyEra, "token"},
		{"403", "", status(403, rpc(-32601, "")), task.AnyEra, "refuses"},
		{"429", "", status(429, rpc(-32601, "")), task.AnyEra, "too often"},
		{"500", "", status(500, nil), task.AnyEra, "500"},
		{"502", "", status(502, rpc(-32603, "")), task.AnyEra, "its words"},
		{"503", "", status(503, rpc(-32601, "")), task.AnyEra, "503"},
		{"a redirect", "", &transport.RedirectError{Status: 307}, task.AnyEra, "redirects"},
		{"too large", "", &transport.TooLargeError{What: "body", Limit: 64 << 20}, task.AnyEra, "64 MiB"},
		{"nobody listens", "", &transport.NetError{Kind: transport.Refused}, task.AnyEra, "refused"},
		{"no connection in time", "", &transport.NetError{Kind: transport.Timeout}, task.AnyEra, "in time"},
		{"a broken connection", "", &transport.LostError{Kind: transport.Broken, Why: "the link broke", Err: errors.New("EOF")}, task.AnyEra, "link broke"},
		{"given up", "", context.Canceled, task.AnyEra, "given up"},
		{"a token in the clear", "", &transport.InsecureError{Host: "h"}, task.AnyEra, "unencrypted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := ep.decide(json.RawMessage(c.reply), c.err)
			if v.era != c.era {
				t.Errorf("era %v, want %v", v.era, c.era)
			}
			if (c.words == "") != (v.err == nil) || v.err != nil && !strings.Contains(v.err.Message.Line(), c.words) {
				t.Errorf("error %v, want %q", v.err, c.words)
			}
			if v.era == task.AnyEra && v.err == nil {
				t.Error("nothing is decided, and nothing said")
			}
			if v.found.known != (c.err == nil && c.words != "names no version") && c.era != task.Legacy {
				t.Errorf("known %v", v.found.known)
			}
		})
	}
}

// newEndpoint is an endpoint to which nothing was sent so far.
func newEndpoint(t *testing.T, cfg Config) *Endpoint {
	t.Helper()
	ep, err := NewEndpoint(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return ep
}

func TestParseDiscovery(t *testing.T) {
	d, ok := parseDiscovery(json.RawMessage(`{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],` + withExtension + `,
		"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n\u001b[31m","title":"The Server","version":"1.2"}},
		"instructions":"Be\u0007 good","ttlMs":1500,"cacheScope":"private"}`))
	if !ok || !d.known || !d.modern || !d.legacy || !d.extension || d.core || d.tools != task.CanYes {
		t.Errorf("%+v", d)
	}
	if d.name.Line() != "The Server" || d.serverVersion.Line() != "1.2" || strings.ContainsAny(d.instructions.String(), "\a\x1b") || d.instructions.IsZero() {
		t.Errorf("%q %q %q", d.name, d.serverVersion, d.instructions)
	}
	if d.fresh != 1500*time.Millisecond {
		t.Errorf("fresh for %v", d.fresh)
	}
	// The drafts of the revision had the server's name beside the rest.
	d, _ = parseDiscovery(json.RawMessage(`{"supportedVersions":["2026-07-28"],"serverInfo":{"name":"n"}}`))
	if d.name.Line() != "n" || d.tools != task.CanNo {
		t.Errorf("%+v", d)
	}
}

// TestHugeDiscovery: what a server says of itself is bounded, whatever it says.
func TestHugeDiscovery(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	var versions strings.Builder
	for range 100_000 {
		versions.WriteString(`"1999-01-01",`)
	}
	raw := `{"supportedVersions":[` + versions.String() + `"2026-07-28"],"instructions":"` + long +
		`","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"` + long + `","version":"` + long + `"}},"capabilities":` +
		strings.Repeat(`{"extensions":`, 100) + `1` + strings.Repeat(`}`, 100) + `}`
	d, ok := parseDiscovery(json.RawMessage(raw))
	if !ok || len(d.versions) > 8 || len(d.name.Line()) > maxName+8 || len(d.serverVersion.Line()) > maxName+8 || len(d.instructions.String()) > maxProse+8 {
		t.Errorf("%d versions, name %d, version %d, instructions %d bytes", len(d.versions), len(d.name.Line()), len(d.serverVersion.Line()), len(d.instructions.String()))
	}
	if d.modern {
		t.Errorf("the version behind %d others was looked for", maxVersions)
	}
	v := decideFound(json.RawMessage(raw))
	if v.err == nil || len(v.err.Message.Line()) > 400 {
		t.Errorf("%v", v.err)
	}
}

func FuzzParseDiscovery(f *testing.F) {
	for _, s := range []string{
		`{"supportedVersions":["2026-07-28"],` + withExtension + `}`, `{"supportedVersions":[`, `null`, `[]`, `{}`, `{"a":`, `"`,
		`{"supportedVersions":[1,{"a":[]},"x"],"capabilities":{"extensions":[]},"_meta":{"io.modelcontextprotocol/serverInfo":1}}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := decideFound(json.RawMessage(s))
		if v.era == task.AnyEra && v.err == nil {
			t.Error("neither an era nor an error")
		}
		_ = decideModern(&jsonrpc.Error{Code: -32022, Data: json.RawMessage(s)}, &task.Error{})
	})
}

func TestMoreTelling(t *testing.T) {
	e := func(k task.ErrorKind) *task.Error { return &task.Error{Kind: k} }
	for _, c := range []struct {
		probe, initialize *task.Error
		first             bool // the probe's is told
	}{
		{nil, e(task.HTTP), false},
		{e(task.Timeout), e(task.Timeout), false},
		{e(task.HTTP), e(task.RPC), false},
		{e(task.RPC), e(task.HTTP), true},
		{e(task.RPC), e(task.Timeout), true},
		{e(task.RPC), e(task.Version), false},
		{e(task.NotMCP), e(task.Timeout), true},
		{e(task.HTTP), e(task.Unauthorized), false},
		{e(task.RPC), e(task.RPC), false},
	} {
		got := moreTelling(c.probe, c.initialize)
		if (got == c.probe) != c.first {
			t.Errorf("%v, %v: told %v", c.probe, c.initialize, got)
		}
	}
}
