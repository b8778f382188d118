package config

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"callboard/model/task"
)

// List is what became of one list of servers of another client.
type List struct {
	Path string
	// Why says why there is nothing of it, "" where it was read.
	Why string
	// Passed are servers that callboard does not reach, with why.
	Passed []Passed
}

// Passed is a server of a list that callboard does not reach.
type Passed struct{ Name, Why string }

// listed is a server as other clients write it.
type listed struct {
	Type      string            `json:"type"`
	Transport string            `json:"transport"`
	Command   json.RawMessage   `json:"command"`
	URL       string            `json:"url"`
	ServerURL string            `json:"serverUrl"`
	HTTPURL   string            `json:"httpUrl"`
	Headers   map[string]string `json:"headers"`
	Disabled  bool              `json:"disabled"`
}

func dirOf(name string) string { return filepath.Dir(name) }

// list reads a list of servers of another client: {"mcpServers": {NAME: ...}},
// or {"servers": ...} as VS Code has it.
func (r *reading) list(name string, must bool) {
	if !slices.Contains(r.c.files, name) {
		r.c.files = append(r.c.files, name)
	}
	main := r.file
	r.file = name
	defer func() { r.file = main }()
	list := List{Path: name}
	defer func() { r.c.Lists = append(r.c.Lists, list) }()
	content, _, err := file(name, jsonMost)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		list.Why = "it is not there"
		return
	case err != nil:
		list.Why = err.Error()
		r.fault(0, "%s cannot be read: %s", name, err)
		return
	}
	var document struct {
		McpServers map[string]json.RawMessage `json:"mcpServers"`
		Servers    map[string]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(content, &document); err != nil {
		list.Why = "it is no JSON with servers in it"
		r.fault(lineOf(content, err), "%s", list.Why)
		return
	}
	if document.McpServers == nil && document.Servers == nil {
		list.Why = "it has neither mcpServers nor servers"
		r.warn(0, "%s", list.Why)
		return
	}
	for _, servers := range []map[string]json.RawMessage{document.McpServers, document.Servers} {
		for _, each := range slices.Sorted(maps.Keys(servers)) {
			if why := r.listed(each, servers[each]); why != "" {
				list.Passed = append(list.Passed, Passed{task.CleanLine(each, 60).Line(), why})
			}
		}
	}
}

// listed takes in one server of a list, or returns why it is not reached.
func (r *reading) listed(name string, raw json.RawMessage) string {
	var l listed
	if err := json.Unmarshal(raw, &l); err != nil {
		return "it is not written as servers are"
	}
	kind := strings.ToLower(l.Type + l.Transport)
	address := l.HTTPURL
	for _, other := range []string{l.ServerURL, l.URL} {
		if other != "" {
			address = other
		}
	}
	switch {
	case l.Disabled:
		return "it is disabled there"
	case address == "" && (l.Command != nil || kind == "stdio"):
		return "not reachable by URL: stdio"
	case address == "":
		return "it has no URL"
	case kind == "sse":
		return "it speaks the older HTTP+SSE, which has no tasks"
	case kind != "" && !slices.Contains([]string{"http", "streamable-http", "streamablehttp", "streamable_http"}, kind):
		return "its transport is none that callboard speaks"
	}
	// Names there may be whole sentences; here they are typed.
	name = strings.ReplaceAll(strings.TrimSpace(name), " ", "-")
	if why := badName(name); why != "" {
		return why
	}
	if twin := r.c.Server(name); twin != nil {
		return "another server has that name, which goes first: " + twin.Where()
	}
	s := newServer(name, r.file, 0)
	s.URL, s.Headers, s.Connect, s.Foreign = address, l.Headers, false, true
	if err := s.checkURL(); err != nil {
		return err.Error()
	}
	for header, value := range l.Headers {
		if err := checkHeader(header, value); err != nil {
			return "headers: " + err.Error()
		}
		if strings.Contains(value, "${input:") {
			return "a header asks the person (${input:...}), which callboard does not: write the server in config.toml"
		}
	}
	s.given["url"], s.given["headers"] = 0, 0
	r.c.Servers = append(r.c.Servers, s)
	return ""
}

// lineOf is the line on which JSON is wrong, 0 where that is not known.
func lineOf(content []byte, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(0)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	default:
		return 0
	}
	return 1 + strings.Count(string(content[:min(at, int64(len(content)))]), "\n")
}
