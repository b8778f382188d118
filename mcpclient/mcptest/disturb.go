package mcptest

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"strings"
)

// disturb is what the faults make of a message on its way out.
func (f *Faults) disturb(method string, raw []byte) []byte {
	if f.Mangle == nil && !f.Hostile {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var m map[string]any
	if dec.Decode(&m) != nil {
		return raw
	}
	if f.Hostile {
		for _, k := range []string{"result", "params", "error"} {
			if v, ok := m[k]; ok {
				m[k] = soil("", v)
			}
		}
	}
	if f.Mangle != nil {
		f.Mangle(Outgoing{Method: method, Message: m})
	}
	out, err := json.Marshal(m)
	if err != nil {
		return raw
	}
	// json.Marshal cannot write a byte that is no UTF-8; a hostile server can.
	return bytes.ReplaceAll(out, []byte(rawC1Stand), []byte("\x9b"))
}

// rawC1Stand stands for the bare byte 0x9b until the message is encoded.
const rawC1Stand = "\ue09b"

// hostiles are what a hostile server puts around its strings: a window title, a clipboard write, a clear screen, colour
// left on, C1 in both encodings, bidi overrides, zero widths, cursor reports, carriage returns.
var hostiles = [][2]string{
	{"\x1b]0;owned\x07", "\x1b[2J\x1b[H"},
	{"\x1b]52;c;b3duZWQ=\x1b\\", "\r\x1b[31m"},
	{"\u009b31m\u202e", "\u202c\u200b\ufeff"},
	{rawC1Stand + "6n", "\x1bP$qm\x1b\\\x9c"},
	{"\x1b_unterminated", "\b\b\b\x7f\u2066"},
}

func decorate(s string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	d := hostiles[h.Sum32()%uint32(len(hostiles))]
	return d[0] + s + strings.ToValidUTF8(d[1], "\u009c")
}

// spared are the keys whose values the protocol gives a meaning, so that the conversation goes on.
var spared = map[string]bool{
	"taskId": true, "status": true, "createdAt": true, "lastUpdatedAt": true, "nextCursor": true, "type": true,
	"mode": true, "protocolVersion": true, "taskSupport": true, "format": true, "level": true,
	"resultType": true, "cacheScope": true, "requestState": true, "supportedVersions": true, "taskIds": true, "method": true,
	"x-mcp-header": true, metaSubscription: true, "progressToken": true, "requestId": true, "pattern": true, "$schema": true,
}

// soil decorates the strings under v. key is where v stands.
func soil(key string, v any) any {
	switch v := v.(type) {
	case string:
		if spared[key] {
			return v
		}
		return decorate(v)
	case []any:
		for i := range v {
			v[i] = soil(key, v[i])
		}
		return v
	case map[string]any:
		for k, x := range v {
			if v["mimeType"] != nil && (k == "data" || k == "blob") {
				continue // base64
			}
			if m, ok := x.(map[string]any); ok && k == "properties" {
				named := make(map[string]any, len(m))
				for name, field := range m {
					named[decorate(name)] = soil(name+" field", field)
				}
				v[k] = named
				continue
			}
			v[k] = soil(k, x)
		}
		return v
	default:
		return v
	}
}

// hostileID is the id of a new task.
func (f *Faults) hostileID(id string) string {
	if !f.Hostile {
		return id
	}
	return strings.ReplaceAll(decorate(id), rawC1Stand, "\u009b")
}

// calmString takes the decoration off a string that a client gave back.
func (f *Faults) calmString(s string) string {
	if !f.Hostile {
		return s
	}
	for _, d := range hostiles {
		// What a bare C1 byte becomes in the client is the client's affair: anything before the known rest goes.
		head, tail := strings.TrimPrefix(d[0], rawC1Stand), strings.ToValidUTF8(d[1], "\u009c")
		i := strings.Index(s, head)
		if i >= 0 && i <= len("\ufffd") && strings.HasSuffix(s, tail) && len(s) >= i+len(head)+len(tail) {
			return s[i+len(head) : len(s)-len(tail)]
		}
	}
	return s
}

// calm takes the decorations off everything under a JSON value, keys included.
func (f *Faults) calm(raw json.RawMessage) json.RawMessage {
	if !f.Hostile || len(raw) == 0 {
		return raw
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return raw
	}
	out, err := json.Marshal(f.calmValue(v))
	if err != nil {
		return raw
	}
	return out
}

func (f *Faults) calmValue(v any) any {
	switch v := v.(type) {
	case string:
		return f.calmString(v)
	case []any:
		for i := range v {
			v[i] = f.calmValue(v[i])
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[f.calmString(k)] = f.calmValue(x)
		}
		return out
	default:
		return v
	}
}

// UnknownFields is a [Faults.Mangle] that adds fields no specification knows, at every level of what is sent.
func UnknownFields(o Outgoing) { addUnknown(o.Message, 0) }

func addUnknown(v any, depth int) {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			addUnknown(x, depth+1)
		}
		v["x-unknown"] = map[string]any{"nested": []any{depth, nil, true}}
	case []any:
		for _, x := range v {
			addUnknown(x, depth+1)
		}
	}
}

// WrongTypes is a [Faults.Mangle] that gives the fields of tasks and results types the specification does not.
func WrongTypes(o Outgoing) {
	body := o.body()
	wrongTask(body)
	if t, ok := body["task"].(map[string]any); ok {
		wrongTask(t)
	}
	if ts, ok := body["tasks"].([]any); ok {
		for _, t := range ts {
			if t, ok := t.(map[string]any); ok {
				wrongTask(t)
			}
		}
	}
	if _, ok := body["content"]; ok {
		body["content"] = "not a list"
		body["isError"] = "false"
	}
	if _, ok := body["progress"]; ok {
		body["progress"] = "half"
	}
}

func wrongTask(t map[string]any) {
	if _, ok := t["taskId"]; !ok {
		return
	}
	if _, modern := t["ttlMs"]; modern {
		t["ttlMs"], t["pollIntervalMs"] = "60000", 1500.5
		for _, k := range []string{"inputRequests", "result", "error"} {
			if _, ok := t[k]; ok {
				t[k] = []any{"not an object"}
			}
		}
	} else {
		t["ttl"], t["pollInterval"] = "60000", 1500.5
	}
	t["createdAt"] = 1764540000
	t["statusMessage"] = map[string]any{"text": "an object"}
}

// Deep is a [Faults.Mangle] that adds a value nested n levels deep.
func Deep(n int) func(Outgoing) {
	deep := json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))
	return func(o Outgoing) {
		if body := o.body(); body != nil {
			body["x-deep"] = deep
		}
	}
}

// Huge is a [Faults.Mangle] that makes every message n bytes longer.
func Huge(n int) func(Outgoing) {
	huge := strings.Repeat("x", n)
	return func(o Outgoing) {
		if body := o.body(); body != nil {
			body["x-huge"] = huge
		}
	}
}
