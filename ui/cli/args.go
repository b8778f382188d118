package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"callboard/model/task"

	"golang.org/x/net/http/httpguts"
)

// Command is what callboard was called to do.
type Command uint8

// The commands. Dashboard is the one without a name.
const (
	Dashboard Command = iota
	Demo
	Watch
	Help
	Version
)

// Args are a command line, checked: files were not opened, but for the one of
// --session-file.
type Args struct {
	Command Command
	Servers []Server

	Header                        http.Header
	Token                         task.Secret // CALLBOARD_TOKEN
	TokenFile                     string
	Session                       task.Secret // of another program, to be joined
	AllowInsecureToken            bool
	CAFile, ClientCert, ClientKey string
	InsecureSkipVerify            bool
	LogFile                       string

	OnDemand, ReadOnly bool

	Theme string
	ASCII bool
}

// Server is one URL of the command line.
type Server struct {
	// Name is unique among the servers, and short: the host. Shown is the URL
	// without user info and query, URL the whole of it.
	Name, Shown, URL string
}

// Usage is an error in the command line: one line that says what to do.
type Usage struct{ Line string }

// Error returns the line.
func (u *Usage) Error() string { return u.Line }

func usage(format string, args ...any) error { return &Usage{fmt.Sprintf(format, args...)} }

// Options by whom they concern: credentials belong to one server, what belongs
// to a connection means nothing to the demo, and what to a screen nothing to
// watch.
var (
	credentials = []string{"header", "token-file", "session-file", "client-cert", "client-key"}
	connection  = append([]string{"allow-insecure-token", "ca-file", "insecure-skip-verify"}, credentials...)
	onScreen    = []string{"theme", "ascii"}
)

// Parse reads a command line, without the program's name. Options and URLs may
// stand in any order; "--" ends the options. Errors are *Usage.
func Parse(args []string, getenv func(string) string) (*Args, error) {
	a := &Args{Header: http.Header{}}
	var (
		headers                []string
		prompts, session       string
		version, help, helpToo bool
	)
	fs := flag.NewFlagSet("callboard", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Func("header", "", func(v string) error { headers = append(headers, v); return nil })
	fs.StringVar(&a.TokenFile, "token-file", "", "")
	fs.StringVar(&session, "session-file", "", "")
	fs.BoolVar(&a.AllowInsecureToken, "allow-insecure-token", false, "")
	fs.StringVar(&a.CAFile, "ca-file", "", "")
	fs.StringVar(&a.ClientCert, "client-cert", "", "")
	fs.StringVar(&a.ClientKey, "client-key", "", "")
	fs.BoolVar(&a.InsecureSkipVerify, "insecure-skip-verify", false, "")
	fs.StringVar(&prompts, "prompts", "eager", "")
	fs.BoolVar(&a.ReadOnly, "read-only", false, "")
	fs.StringVar(&a.Theme, "theme", "ansi", "")
	fs.BoolVar(&a.ASCII, "ascii", false, "")
	fs.StringVar(&a.LogFile, "log-file", "", "")
	fs.BoolVar(&version, "version", false, "")
	fs.BoolVar(&help, "h", false, "")
	fs.BoolVar(&helpToo, "help", false, "")

	words, err := interspersed(fs, args)
	if err != nil {
		return nil, err
	}
	switch {
	case help || helpToo:
		a.Command = Help
		return a, nil
	case version:
		a.Command = Version
		return a, nil
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })

	words = a.command(words)
	if a.Command == Help {
		return a, nil
	}
	if a.OnDemand, err = onDemand(prompts); err != nil {
		return nil, err
	}
	if a.Command == Watch && !given["prompts"] {
		// Nobody can answer here, and some servers hand a prompt out once.
		a.ReadOnly = true
	}
	if err := a.suits(given, words); err != nil {
		return nil, err
	}
	if a.Servers, err = servers(words); err != nil || a.Command == Demo {
		return a, err
	}
	return a, a.credentials(headers, session, given, getenv)
}

// interspersed parses options wherever they stand, and returns the other words.
func interspersed(fs *flag.FlagSet, args []string) (words []string, err error) {
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return nil, spoken(err, args)
		}
		read := len(args) - fs.NArg()
		ended := read > 0 && args[read-1] == "--"
		args = fs.Args()
		if ended {
			return append(words, args...), nil
		}
		if len(args) > 0 {
			words, args = append(words, args[0]), args[1:]
		}
	}
	return words, nil
}

// spoken says in callboard's own words what package flag complains of. A value
// may be a secret, so only the option is named.
func spoken(err error, args []string) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return usage("there is no option --%s (callboard -h lists them)", strings.TrimLeft(name, "-"))
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return usage("--%s needs a value", name)
	}
	if _, name, ok := strings.Cut(text, "for -"); ok {
		name, _, _ = strings.Cut(name, ":")
		return usage("--%s takes no such value", name)
	}
	if _, name, ok := strings.Cut(text, "boolean flag -"); ok {
		name, _, _ = strings.Cut(name, ":")
		return usage("--%s takes no such value", name)
	}
	return usage("%q is no option", args[0])
}

func (a *Args) command(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	switch words[0] {
	case "demo":
		a.Command = Demo
	case "watch":
		a.Command = Watch
	case "help":
		a.Command = Help
	default:
		return words
	}
	return words[1:]
}

func onDemand(prompts string) (bool, error) {
	switch prompts {
	case "eager":
		return false, nil
	case "on-demand":
		return true, nil
	}
	return false, usage("--prompts is eager or on-demand")
}

// suits checks that the command takes these options and URLs.
func (a *Args) suits(given map[string]bool, urls []string) error {
	refuse := func(names []string, why string) error {
		for _, name := range names {
			if given[name] {
				return usage(why, name)
			}
		}
		return nil
	}
	switch a.Command {
	case Demo:
		if len(urls) > 0 {
			return usage("demo brings its own server and takes no URL")
		}
		return refuse(connection, "demo brings its own server: --%s does not apply")
	case Watch:
		if len(urls) == 0 {
			return usage("watch which server? callboard watch URL")
		}
		return refuse(onScreen, "watch prints lines: --%s does not apply")
	case Dashboard, Help, Version:
		if len(urls) == 0 {
			return usage("which server? callboard URL, or callboard demo to look around (callboard -h for more)")
		}
	}
	return nil
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
