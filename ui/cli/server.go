package cli

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"callboard/model/task"

	"golang.org/x/net/http/httpguts"
)

// Server is one URL of the command line.
type Server struct {
	// Name is unique among the servers, and short: the host. Shown is the URL
	// without user info and query, URL the whole of it.
	Name, Shown, URL string
}

// credentials takes in what authorizes requests. It belongs to one server: which
// of several was meant is not guessed.
func (a *Args) credentials(headers []string, sessionFile string, given map[string]bool, getenv func(string) string) error {
	token, session := getenv("CALLBOARD_TOKEN"), getenv("CALLBOARD_SESSION")
	if len(a.Servers) > 1 {
		for _, name := range credentials {
			if given[name] {
				return usage("--%s belongs to one server: give one URL", name)
			}
		}
		if token != "" {
			return usage("CALLBOARD_TOKEN belongs to one server: give one URL, or unset it")
		}
		if session != "" {
			return usage("CALLBOARD_SESSION belongs to one server: give one URL, or unset it")
		}
	}
	for _, h := range headers {
		if err := a.header(h, getenv); err != nil {
			return err
		}
	}
	if a.TokenFile == "" {
		a.Token = task.Secret(strings.TrimSpace(token))
	}
	if sessionFile != "" {
		raw, err := os.ReadFile(sessionFile)
		if err != nil {
			return usage("--session-file cannot be read: %s", cause(err))
		}
		session = string(raw)
	}
	session = strings.TrimSpace(session)
	if sessionFile != "" && session == "" {
		return usage("--session-file is empty: it should hold a session id")
	}
	// Session ids are visible ASCII (MCP 2025-11-25, basic/transports, "Session
	// Management").
	if strings.ContainsFunc(session, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
		return usage("that is no session id: it should be one word of visible ASCII")
	}
	a.Session = task.Secret(session)
	return nil
}

// cause leaves out the path that os puts in front of it: it is on the command
// line, and may look like anything.
func cause(err error) string {
	var e *os.PathError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

// header adds one --header 'Name: value'. Errors never hold the value.
func (a *Args) header(line string, getenv func(string) string) error {
	name, value, ok := strings.Cut(line, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || !httpguts.ValidHeaderFieldName(name) {
		return usage("--header has the form 'Name: value'")
	}
	value, err := expand(value, getenv)
	if err != nil {
		return err
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return usage("--header %s: the value holds characters that no header may", name)
	}
	a.Header.Add(name, value)
	return nil
}

// expand replaces each ${NAME} by the environment's value, so that secrets need
// not stand on a command line. A variable that is unset or empty is an error: a
// header without its secret would be refused with a message that misleads.
func expand(s string, getenv func(string) string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || name == "" {
			return "", usage("--header: ${ without a name and }")
		}
		value := getenv(name)
		if value == "" {
			return "", usage("--header: the variable %s is not set", task.CleanLine(name, 80))
		}
		out.WriteString(value)
		s = after
	}
}

// servers reads the URLs and names their servers.
func servers(words []string) ([]Server, error) {
	var all []Server
	var names []string
	for _, word := range words {
		s, err := server(word)
		if err != nil {
			return nil, err
		}
		host := s.Name
		for n := 2; slices.Contains(names, s.Name); n++ {
			s.Name = fmt.Sprintf("%s #%d", host, n)
		}
		names = append(names, s.Name)
		all = append(all, s)
	}
	return all, nil
}

// server reads one URL. Without a scheme it is https, and http on this machine.
func server(word string) (Server, error) {
	full := word
	if !strings.Contains(word, "://") {
		full = "https://" + word
		if u, err := url.Parse(full); err == nil && loopback(u.Hostname()) {
			full = "http://" + word
		}
	}
	u, err := url.Parse(full)
	// What url.Parse says holds the URL, and so perhaps a password.
	if err != nil || u.Hostname() == "" {
		return Server{}, usage("%s is not a URL: it should look like https://host/mcp", ordinal(word))
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return Server{}, usage("callboard speaks http and https, not %s", task.CleanLine(u.Scheme, 20))
	}
	shown := task.CleanLine(u.Scheme+"://"+u.Host+u.EscapedPath(), 512).Line()
	return Server{Name: task.CleanLine(u.Host, 60).Line(), Shown: shown, URL: full}, nil
}

// ordinal shows a word that was taken for a URL, unless it may hold a password.
func ordinal(word string) string {
	if strings.Contains(word, "@") {
		return "one word of the command line"
	}
	return fmt.Sprintf("%q", task.CleanLine(word, 80).Line())
}

// loopback reports whether host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
