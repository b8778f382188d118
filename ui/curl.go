package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"callboard/model/task"
)

// masked stands in the log for a secret.
const masked = "••••"

// curl makes of a request of ours a command for a POSIX shell. Secrets are
// variables of the environment, which it returns by their names: without one the
// shell refuses to run the command. What is masked in the body stays so; hidden are
// the places, as "params.arguments.password".
func curl(f *task.Frame) (text string, vars, hidden []string) {
	var b strings.Builder
	secret := func(name string) string {
		if !slices.Contains(vars, name) {
			vars = append(vars, name)
		}
		return "${" + name + ":?}"
	}
	w := f.Wire
	url := quoted(w.URL)
	if w.Query {
		url += `"?` + secret("CALLBOARD_QUERY") + `"`
	}
	// -g: brackets and braces in an address mean themselves.
	fmt.Fprintf(&b, "curl -sS -N -g -X %s %s", quoted(w.Method), url)
	for _, h := range w.Header {
		b.WriteString(" \\\n  -H ")
		switch {
		case !h.Secret:
			b.WriteString(quoted(h.Name + ": " + h.Value))
		case h.Value != "":
			b.WriteString(`"` + h.Name + ": " + h.Value + " " + secret(variable(h.Name, h.Value)) + `"`)
		default:
			b.WriteString(`"` + h.Name + ": " + secret(variable(h.Name, "")) + `"`)
		}
	}
	body := f.Body
	if f.Masked != "" {
		body = f.Masked
	}
	// --data-raw: a text that begins with @ is no file.
	b.WriteString(" \\\n  --data-raw " + quoted(body) + "\n")
	return b.String(), vars, maskedPlaces(body)
}

// variable is the name of the variable that stands for a header's value. scheme is
// what stands before it.
func variable(header, scheme string) string {
	switch {
	case header == "Authorization" && scheme == "Bearer":
		return "CALLBOARD_TOKEN"
	case header == "Mcp-Session-Id":
		return "MCP_SESSION_ID"
	case header == "Authorization" && scheme != "":
		header += "_" + scheme
	}
	return "CALLBOARD_" + strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			return c
		}
		return '_'
	}, header)
}

// quoted is text as one word of a POSIX shell. No word can hold a NUL.
func quoted(text string) string {
	text = strings.ReplaceAll(text, "\x00", "")
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// maxPlaces is how many places are named.
const maxPlaces = 20

// maskedPlaces names the places in a JSON text where something is masked.
func maskedPlaces(body string) []string {
	var v any
	if json.Unmarshal([]byte(body), &v) != nil {
		return nil
	}
	var found []string
	var walk func(v any, path string)
	walk = func(v any, path string) {
		if len(found) == maxPlaces {
			return
		}
		switch v := v.(type) {
		case string:
			if strings.Contains(v, masked) {
				found = append(found, strings.TrimPrefix(path, "."))
			}
		case []any:
			for i, e := range v {
				walk(e, fmt.Sprintf("%s[%d]", path, i))
			}
		case map[string]any:
			names := make([]string, 0, len(v))
			for name := range v {
				names = append(names, name)
			}
			slices.Sort(names)
			for _, name := range names {
				walk(v[name], path+"."+name)
			}
		}
	}
	walk(v, "")
	return found
}

// curlWords says what a curl command needs before it can run.
func curlWords(vars, hidden []string) string {
	var words string
	if len(vars) > 0 {
		words = " It takes " + strings.Join(vars, ", ") + " from the environment."
	}
	if len(hidden) > 0 {
		names := make([]string, len(hidden))
		for i, h := range hidden {
			names[i] = task.CleanLine(h, 60).Line()
		}
		words += " Masked, to be filled in: " + strings.Join(names, ", ") + "."
	}
	return words
}
