package cli

import (
	"errors"
	"os"
	"strings"

	"callboard/model/task"

	"golang.org/x/net/http/httpguts"
)

// credentials takes in what authorizes requests. It belongs to one server: which
// of several was meant is not guessed. What the environment has is for a URL, and
// no server by name ever gets it.
func (a *Args) credentials(headers []string, sessionFile string, getenv func(string) string) error {
	var token, session string
	urls := 0
	for _, s := range a.Servers {
		if s.Config == nil {
			urls++
		}
	}
	if urls > 0 {
		token, session = getenv("CALLBOARD_TOKEN"), getenv("CALLBOARD_SESSION")
	}
	if len(a.Servers) > 1 {
		for _, name := range credentials {
			if a.given[name] {
				return usage("--%s belongs to one server: give one URL", name)
			}
		}
	}
	if urls > 1 && token != "" {
		return usage("CALLBOARD_TOKEN belongs to one server: give one URL, or unset it")
	}
	if urls > 1 && session != "" {
		return usage("CALLBOARD_SESSION belongs to one server: give one URL, or unset it")
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
	for i := range a.Servers {
		a.entrust(&a.Servers[i])
	}
	return nil
}

// entrust gives a server the credentials of the command line, which are its: it
// is alone, or they are the environment's and it is the one with a URL.
func (a *Args) entrust(s *Server) {
	if len(a.Servers) > 1 && s.Config != nil {
		return
	}
	for name, values := range a.Header {
		s.Header[name] = values
	}
	if a.TokenFile != "" || a.Token != "" {
		if a.Header.Get("Authorization") == "" {
			s.Header.Del("Authorization") // the configuration's
		}
		s.Token, s.TokenFile = a.Token, a.TokenFile
	}
	if a.Session != "" {
		s.Session = a.Session
	}
	if a.ClientCert != "" {
		s.ClientCert = a.ClientCert
	}
	if a.ClientKey != "" {
		s.ClientKey = a.ClientKey
	}
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
