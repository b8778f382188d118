package mcptest

import (
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"
)

// decodeHeader gives the value that a header carries, plain or in the Base64 sentinel form
// (basic/transports/streamable-http, value encoding).
func decodeHeader(v string) (string, bool) {
	for _, b := range []byte(v) {
		if b != '\t' && (b < ' ' || b > '~') {
			return "", false
		}
	}
	inner, ok := strings.CutPrefix(v, "=?base64?")
	if !ok {
		return v, true
	}
	if inner, ok = strings.CutSuffix(inner, "?="); !ok {
		return v, true
	}
	raw, err := base64.StdEncoding.DecodeString(inner)
	return string(raw), err == nil
}

// checkName holds Mcp-Name against the field of the body that it mirrors.
func checkName(r *http.Request, inBody *string) *refusal {
	vs := r.Header.Values(headerName)
	switch {
	case inBody == nil:
		return bad(CodeInvalidParams, "Invalid params: what %s names is missing or not a string", headerName)
	case len(vs) != 1:
		return bad(CodeHeaderMismatch, "Header mismatch: %s header is missing or repeated", headerName)
	}
	if got, ok := decodeHeader(vs[0]); !ok || got != *inBody {
		return bad(CodeHeaderMismatch, "Header mismatch: %s header value %q does not match body value %q", headerName, vs[0], *inBody)
	}
	return nil
}

// param is an argument that is mirrored into a header.
type param struct {
	header string
	path   []string
}

// params finds the properties of an input schema with `x-mcp-header` that are reached by `properties` keys alone.
func params(schema json.RawMessage) []param {
	var found []param
	collectParams(schema, nil, &found)
	return found
}

func collectParams(schema json.RawMessage, path []string, found *[]param) {
	var node struct {
		Header     *string                    `json:"x-mcp-header"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &node) != nil {
		return
	}
	if node.Header != nil && len(path) > 0 {
		*found = append(*found, param{*node.Header, path})
	}
	for name, sub := range node.Properties {
		collectParams(sub, append(path[:len(path):len(path)], name), found)
	}
}

// checkParams holds the Mcp-Param headers of a call against its arguments.
func checkParams(r *http.Request, tool Tool, args json.RawMessage) *refusal {
	for _, p := range params(tool.InputSchema) {
		if !p.matches(r.Header.Values(headerParam+p.header), args) {
			return bad(CodeHeaderMismatch, "Header mismatch: %s does not match the argument %s", headerParam+p.header, strings.Join(p.path, "."))
		}
	}
	return nil
}

// matches reports whether the headers say what the argument is; an argument that is null or absent has none.
func (p param) matches(headers []string, args json.RawMessage) bool {
	at := args
	for _, name := range p.path {
		var node map[string]json.RawMessage
		if json.Unmarshal(at, &node) != nil {
			at = nil
			break
		}
		at = node[name]
	}
	var v any
	if len(at) > 0 && json.Unmarshal(at, &v) != nil || v == nil {
		return len(headers) == 0
	}
	if len(headers) != 1 {
		return false
	}
	got, ok := decodeHeader(headers[0])
	if !ok {
		return false
	}
	switch v := v.(type) {
	case string:
		return got == v
	case bool:
		return got == "true" && v || got == "false" && !v
	case float64:
		// Compared as numbers: 42.0 and 42 are equal.
		a, fine := new(big.Rat).SetString(got)
		b, also := new(big.Rat).SetString(strings.TrimSpace(string(at)))
		return fine && also && a.Cmp(b) == 0
	default:
		return false
	}
}
