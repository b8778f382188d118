package mcpclient

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// paramHeader begins the names of headers that repeat arguments.
const paramHeader = "Mcp-Param-"

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// headerValue encodes a value for a header that repeats a part of the body
// (Streamable HTTP, "Value Encoding").
func headerValue(v string) string {
	plain := v == strings.Trim(v, " \t") && !(strings.HasPrefix(v, encodedPrefix) && strings.HasSuffix(v, encodedSuffix))
	for i := 0; i < len(v) && plain; i++ {
		plain = v[i] >= ' ' && v[i] <= '~' || v[i] == '\t'
	}
	if plain {
		return v
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(v)) + encodedSuffix
}

// mirror is an argument that a tool wants as a header too: an x-mcp-header of
// its inputSchema.
type mirror struct {
	name string   // of the header, behind paramHeader
	path []string // of the argument
}

// maxMirrors bounds the headers of one call.
const maxMirrors = 64

// value returns the argument as text; false where it has none.
func (m mirror) value(args json.RawMessage) (string, bool) {
	v := args[skipSpace(args, 0):]
	for _, key := range m.path {
		if v = member(v, key); v == nil {
			return "", false
		}
	}
	switch {
	case len(v) == 0, v[0] == 'n', v[0] == '{', v[0] == '[':
		return "", false
	case v[0] == '"':
		return text(v), true
	case v[0] == 't', v[0] == 'f':
		return string(v), true
	}
	return integer(string(v)), true
}

// integer is a JSON number in decimal notation, as it came where it is none
// that a double holds exactly.
func integer(s string) string {
	const safe = 1 << 53
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != float64(int64(f)) || f <= -safe || f >= safe {
		return s
	}
	return strconv.FormatInt(int64(f), 10)
}

// findMirrors returns the arguments that an inputSchema wants as headers. fault
// says why the tool may not be offered, "" for nothing (Streamable HTTP, "Schema
// Extension").
func findMirrors(schema json.RawMessage) (found []mirror, fault string) {
	w := mirrorWalk{names: make(map[string]bool)}
	w.schema(schema, nil, true)
	return w.found, w.fault
}

type mirrorWalk struct {
	found []mirror
	names map[string]bool // in lower case
	fault string
}

// schema walks over one schema. reachable says that nothing but `properties`
// leads to it, by path.
func (w *mirrorWalk) schema(raw json.RawMessage, path []string, reachable bool) {
	var kind, name json.RawMessage
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "type":
			kind = v
		case "x-mcp-header":
			name = v
		case "properties":
			members(v, func(key, sub []byte) bool {
				w.schema(sub, append(path[:len(path):len(path)], string(key)), reachable)
				return w.fault == ""
			})
		case "$defs", "definitions", "patternProperties", "dependentSchemas":
			members(v, func(_, sub []byte) bool {
				w.schema(sub, nil, false)
				return w.fault == ""
			})
		case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "oneOf", "anyOf", "allOf", "not", "if", "then",
			"else", "additionalProperties", "unevaluatedProperties", "propertyNames", "contentSchema":
			w.schema(v, nil, false)
			elements(v, func(sub []byte) bool {
				w.schema(sub, nil, false)
				return w.fault == ""
			})
		}
		return w.fault == ""
	})
	if name != nil && w.fault == "" {
		w.annotation(name, kind, path, reachable)
	}
}

func (w *mirrorWalk) annotation(raw, kind json.RawMessage, path []string, reachable bool) {
	name, ok := unquote(raw)
	lower := strings.ToLower(name)
	switch {
	case !ok || !httpguts.ValidHeaderFieldName(name) || len(name) > maxName:
		w.fault = "an x-mcp-header is no name of a header"
	case !reachable || len(path) == 0:
		w.fault = fmt.Sprintf("the x-mcp-header %s stands where no argument is sure to be", name)
	case !primitive(kind):
		w.fault = fmt.Sprintf("the x-mcp-header %s is on an argument that is no string, integer or boolean", name)
	case w.names[lower]:
		w.fault = fmt.Sprintf("the x-mcp-header %s is there twice", name)
	case len(w.found) == maxMirrors:
		w.fault = fmt.Sprintf("it has more than %d x-mcp-header", maxMirrors)
	default:
		w.names[lower] = true
		w.found = append(w.found, mirror{name, path})
	}
}

// primitive reads the keyword type. One that may be null beside is as good: then
// there is no header.
func primitive(kind json.RawMessage) bool {
	one := func(v []byte) bool {
		switch text(v) {
		case "string", "integer", "boolean":
			return true
		}
		return false
	}
	if _, ok := unquote(kind); ok {
		return one(kind)
	}
	all, some := true, false
	elements(kind, func(v []byte) bool {
		ok := one(v)
		some = some || ok
		all = all && (ok || text(v) == "null")
		return all
	})
	return all && some
}
