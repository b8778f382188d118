package config

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"callboard/model/task"

	"golang.org/x/net/http/httpguts"
)

// Address is where a server is. Shown is the URL without user info and query,
// URL the whole of it.
type Address struct{ Host, Shown, URL string }

var errURL = errors.New("that is no URL: it should look like https://host/mcp")

// ParseURL reads a URL. Without a scheme it is https, and http on this machine.
// Errors do not hold it: it may hold a password.
func ParseURL(word string) (Address, error) {
	full := word
	if !strings.Contains(word, "://") {
		full = "https://" + word
		if u, err := url.Parse(full); err == nil && loopback(u.Hostname()) {
			full = "http://" + word
		}
	}
	u, err := url.Parse(full)
	if err != nil || u.Hostname() == "" {
		return Address{}, errURL
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return Address{}, fmt.Errorf("callboard speaks http and https, not %s", task.CleanLine(u.Scheme, 20))
	}
	shown := task.CleanLine(u.Scheme+"://"+u.Host+u.EscapedPath(), 512).Line()
	return Address{Host: task.CleanLine(u.Host, 60).Line(), Shown: shown, URL: full}, nil
}

// loopback reports whether host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// Access is how a server is reached, with all secrets in place.
type Access struct {
	Address
	Header  http.Header
	Session string // of SessionFile
}

// Access expands what stands in the server's URL and headers, and reads its
// session file. Errors name the variable or the file that is missing, and never
// a value.
func (s *Server) Access(getenv func(string) string) (a Access, err error) {
	if a.Address, err = s.Address(getenv); err != nil {
		return a, err
	}
	a.Header = http.Header{}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		value, err := s.expand(s.Headers[name], getenv)
		if err == nil && !httpguts.ValidHeaderFieldValue(value) {
			err = errors.New("the value holds characters that no header may")
		}
		if err != nil {
			return a, fmt.Errorf("%s: headers.%s: %w", s.Name, task.CleanLine(name, 60), err)
		}
		a.Header.Set(name, value)
	}
	if s.SessionFile == "" {
		return a, nil
	}
	content, _, err := file(s.SessionFile, secretMost)
	if err != nil {
		return a, fmt.Errorf("%s: session-file cannot be read: %w", s.Name, err)
	}
	if a.Session = strings.TrimSpace(string(content)); a.Session == "" {
		return a, fmt.Errorf("%s: session-file is empty: it should hold a session id", s.Name)
	}
	return a, nil
}

// Address expands the server's URL alone. Errors are as those of Access.
func (s *Server) Address(getenv func(string) string) (Address, error) {
	full, err := s.expand(s.URL, getenv)
	if err != nil {
		return Address{}, fmt.Errorf("%s: url: %w", s.Name, err)
	}
	a, err := ParseURL(full)
	if err != nil {
		return a, fmt.Errorf("%s: url: %w", s.Name, err)
	}
	return a, nil
}

// Same reports whether two addresses lead to one server, as far as their words
// tell: this machine has many names, a port may be left out, a slash may end a
// path.
func (a Address) Same(b Address) bool { return a.plain() == b.plain() }

// plain is the address in one way of writing it, without user info and scheme.
func (a Address) plain() string {
	u, err := url.Parse(a.URL)
	if err != nil {
		return a.URL
	}
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if loopback(host) {
		host = "localhost"
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(host, port) + strings.TrimRight(u.EscapedPath(), "/") + "?" + u.RawQuery
}

// expand replaces ${VAR} and ${file:PATH}, and $$ by a dollar; as other clients
// write it, in their lists, ${env:VAR} and ${VAR:-default}, too, and there $$ is
// two.
func (s *Server) expand(text string, getenv func(string) string) (string, error) {
	var out strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			out.WriteString(text)
			return out.String(), nil
		}
		out.WriteString(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, "$$") && !s.Foreign:
			out.WriteByte('$')
			text = text[2:]
		case strings.HasPrefix(text, "${"):
			inner, rest, closed := strings.Cut(text[2:], "}")
			if !closed || inner == "" {
				return "", errors.New("${ without a name and }")
			}
			value, err := s.lookUp(inner, getenv)
			if err != nil {
				return "", err
			}
			out.WriteString(value)
			text = rest
		default:
			out.WriteByte('$')
			text = text[1:]
		}
	}
}

// lookUp returns what stands for ${inner}. What is unset or empty is an error: a
// header without its secret would be refused with a message that misleads.
func (s *Server) lookUp(inner string, getenv func(string) string) (string, error) {
	if name, ok := strings.CutPrefix(inner, "file:"); ok && !s.Foreign { // a list may come with a project, and name any file
		name = within(dirOf(s.File), name)
		content, _, err := file(name, secretMost)
		if err != nil {
			return "", fmt.Errorf("the file %s cannot be read: %w", task.CleanLine(name, 200), err)
		}
		if value := strings.TrimSpace(string(content)); value != "" {
			return value, nil
		}
		return "", fmt.Errorf("the file %s is empty", task.CleanLine(name, 200))
	}
	name, fallback, has := inner, "", false
	if s.Foreign {
		name, fallback, has = strings.Cut(strings.TrimPrefix(inner, "env:"), ":-")
	}
	if strings.HasPrefix(name, "input:") {
		return "", fmt.Errorf("${%s} asks the person, which callboard does not: write the server in config.toml", task.CleanLine(name, 60))
	}
	value := getenv(name)
	switch {
	case value == "" && has:
		return fallback, nil
	case value == "":
		return "", fmt.Errorf("the variable %s is not set", task.CleanLine(name, 80))
	}
	return value, nil
}

// expands reports whether something in a text is replaced.
func expands(text string) bool { return strings.Contains(text, "${") }

// checkURL says what is wrong with the URL as far as it can be known now.
func (s *Server) checkURL() error {
	if expands(s.URL) {
		return nil
	}
	_, err := ParseURL(s.URL)
	return err
}

// Shown is the URL as it may be shown, with variables as they are written.
func (s *Server) Shown() string {
	at, err := ParseURL(s.URL)
	switch {
	case err == nil && !expands(s.URL):
		return at.Shown
	case expands(s.URL) && !strings.ContainsAny(s.URL, "@?"):
		return task.CleanLine(s.URL, 512).Line()
	}
	return "…"
}

func checkHeader(name, value string) error {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("that is no name of a header")
	case !expands(value) && !httpguts.ValidHeaderFieldValue(value):
		return errors.New("the value holds characters that no header may")
	}
	return nil
}

// secretive reports whether a header is one for secrets.
func secretive(header string) bool {
	header = strings.ToLower(header)
	for _, word := range []string{"auth", "token", "key", "secret", "cookie", "password", "credential", "session"} {
		if strings.Contains(header, word) {
			return true
		}
	}
	return false
}

// literalSecrets returns the settings in which secrets stand as they are.
func (s *Server) literalSecrets() (all []path) {
	if u, err := url.Parse(s.URL); err == nil && !expands(s.URL) && (u.User != nil || secretive(u.RawQuery)) {
		all = append(all, path{"url"})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if secretive(name) && !expands(s.Headers[name]) {
			all = append(all, path{"headers", name})
		}
	}
	return all
}
