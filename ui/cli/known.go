package cli

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"callboard/model/task"
	"callboard/ui/cli/config"
)

// Server is one server of the command line, with all that holds for it.
type Server struct {
	// Name is unique among the servers, and short: the host, or the name that the
	// configuration gives it. Shown is the URL without user info and query, URL
	// the whole of it.
	Name, Shown, URL string
	// Config is what the configuration has of it, nil for a URL.
	Config *config.Server

	Header                        http.Header
	Token                         task.Secret
	TokenFile                     string
	Session                       task.Secret // of another program, to be joined
	AllowInsecureToken            bool
	CAFile, ClientCert, ClientKey string
	InsecureSkipVerify            bool
	Protocol                      task.Era
	OnDemand, ReadOnly            bool
	// Sampling and SamplingCommand are as in Args.
	Sampling, SamplingCommand string
	// Guard is not "": the name is typed before anything is written there.
	Guard string
}

// Samples reports whether somebody is there to answer sampling/createMessage.
func (s *Server) Samples() bool { return s.Sampling != samplingOff }

// Word is how the server is named on a command line.
func (s *Server) Word() string {
	if s.Config != nil {
		return s.Name
	}
	return s.Shown
}

// Loader reads the configuration at path; one that is not there is an error
// where it must be there. lists are lists of servers of other clients that come
// before those it names.
type Loader func(path string, must bool, lists []string) (*config.Config, error)

// load reads the configuration that the command line, or the environment, names.
func (p *parsing) load(c *command, getenv func(string) string, load Loader) error {
	a := &p.a
	a.Config = config.Default()
	if load == nil || !c.suits("config") {
		return nil
	}
	path, must := "", false
	switch {
	case p.noConfig && p.given["config"]:
		return usage("--config and --no-config exclude each other: give one")
	case p.noConfig, p.given["config"] && p.config == "":
	case p.given["config"]:
		path, must = p.config, true
	case getenv("CALLBOARD_CONFIG") != "":
		path, must = getenv("CALLBOARD_CONFIG"), true
	default:
		if dir := config.Dir(); dir != "" {
			path = filepath.Join(dir, "config.toml")
		}
	}
	a.lists = p.lists
	cfg, err := load(path, must, p.lists)
	a.Config = cfg
	if c.is == Config {
		a.Faults = err
		return nil
	}
	if err != nil {
		return usage("the configuration cannot be used (callboard config check says so, too; --no-config goes without it)\n%s", err)
	}
	return nil
}

// Reload reads the configuration again, from the same files.
func (a *Args) Reload(load Loader) (*config.Config, error) {
	return load(a.Config.Path, false, a.lists)
}

// configured takes over what the configuration says, where no option does.
func (p *parsing) configured(c *command) {
	a, cfg := &p.a, p.a.Config
	if !c.suits("config") {
		return
	}
	*a = *a.With(cfg)
	if !p.given["no-audit"] {
		a.NoAudit = !cfg.Audit
	}
}

// servers finds the servers that words mean: names of the configuration, or URLs.
func (a *Args) servers(words []string, getenv func(string) string) ([]Server, error) {
	var all []Server
	for _, word := range words {
		s, err := a.find(word, getenv)
		if err != nil {
			return nil, err
		}
		if s.Config != nil && slices.ContainsFunc(all, func(o Server) bool { return o.Config == s.Config }) {
			continue
		}
		a.rename(&s, all)
		all = append(all, s)
	}
	return all, nil
}

// Find returns the server that a word means while the program runs. Credentials
// of the command line are its only where it stood there.
func (a *Args) Find(word string, getenv func(string) string) (Server, error) {
	s, err := a.find(word, getenv)
	for _, o := range a.Servers {
		if o.Config == nil && s.Config == nil && (word == o.Name || err == nil && s.URL == o.URL) {
			return o, nil
		}
	}
	if err == nil && s.Config == nil {
		a.rename(&s, nil)
	}
	return s, err
}

// rename gives a server with a URL a name that neither others nor the
// configuration have.
func (a *Args) rename(s *Server, others []Server) {
	name := s.Name
	for n := 2; slices.ContainsFunc(others, func(o Server) bool { return o.Name == s.Name }) || s.Config == nil && a.Config.Server(s.Name) != nil; n++ {
		s.Name = fmt.Sprintf("%s #%d", name, n)
	}
}

func (a *Args) find(word string, getenv func(string) string) (Server, error) {
	if known := a.Config.Server(word); known != nil {
		return a.known(known, getenv)
	}
	at, err := config.ParseURL(word)
	if err != nil {
		return Server{}, a.noServer(word, err)
	}
	if len(a.Config.Servers) > 0 && misspelt(word) {
		return Server{}, usage("the configuration has no server %s: there is %s; of a host that is called so, give the URL (https://%s/)",
			ordinal(word), a.serverNames(), task.CleanLine(word, 80))
	}
	s := a.At(at.Host, at.URL, at.Shown)
	a.beware(&s, at, getenv)
	return s, nil
}

// beware gives a server with a URL what the configuration keeps from mistakes: a
// guard, and read-only, hold for the place, whatever it is called by. Credentials
// are those of the name alone.
func (a *Args) beware(s *Server, at config.Address, getenv func(string) string) {
	for _, c := range a.Config.Servers {
		if c.Guard == "" && !c.ReadOnly {
			continue
		}
		if known, err := c.Address(getenv); err != nil || !known.Same(at) {
			continue
		}
		s.Guard = cmp.Or(s.Guard, c.Guard)
		if c.ReadOnly && !a.given["read-only"] {
			s.ReadOnly, s.Sampling = true, samplingOff
		}
	}
}

// misspelt reports whether a word looks like a name rather than an address: it is
// one label, and not this machine's.
func misspelt(word string) bool {
	return !strings.ContainsAny(word, ".:/[") && !strings.EqualFold(word, "localhost")
}

// misspeltCommand says which command the first word is meant to be, nil where it is
// one, or is not more like a command than like the name of a server.
func (a *Args) misspeltCommand(words []string) error {
	if a.Command != Dashboard || len(words) == 0 || len(words[0]) < 3 || !misspelt(words[0]) || a.Config.Server(words[0]) != nil {
		return nil
	}
	names := named()
	for _, s := range a.Config.Servers {
		names = append(names, s.Name)
	}
	near := config.Nearest(words[0], names)
	if commandNamed(near) == nil {
		return nil
	}
	word := task.CleanLine(words[0], 80).Line()
	return usage("there is no command %q: did you mean callboard %s? Of a host that is called so, give the URL (https://%s/)", word, near, word)
}

// serverNames lists the names of the configuration.
func (a *Args) serverNames() string {
	var names []string
	for _, s := range a.Config.Servers {
		names = append(names, s.Name)
	}
	return task.CleanLine(strings.Join(names, ", "), 200).Line()
}

// noServer says what is wrong with a word that is neither a name nor a URL.
func (a *Args) noServer(word string, err error) error {
	// What the error says of a URL does not name it: it may hold a password.
	switch text := err.Error(); {
	case !strings.HasPrefix(text, "that is no URL"):
		return usage("%s", text)
	case len(a.Config.Servers) > 0:
		return usage("%s is not a URL, nor the name of a server in the configuration: it should look like https://host/mcp", ordinal(word))
	}
	return usage("%s is not a URL: it should look like https://host/mcp", ordinal(word))
}

// At returns a server that the configuration does not know, with what holds for
// all.
func (a *Args) At(name, url, shown string) Server {
	cfg := a.Config
	s := Server{
		Name: name, Shown: shown, URL: url, Header: http.Header{}, AllowInsecureToken: a.AllowInsecureToken, CAFile: a.CAFile,
		InsecureSkipVerify: a.InsecureSkipVerify, OnDemand: a.OnDemand, ReadOnly: a.ReadOnly, Protocol: a.Protocol,
		Sampling: a.Sampling, SamplingCommand: a.SamplingCommand,
	}
	if a.Command == Demo {
		return s // it is for trying things
	}
	if !a.given["prompts"] {
		s.OnDemand = s.OnDemand || cfg.Prompts == "on-demand"
	}
	if !a.given["read-only"] {
		s.ReadOnly = s.ReadOnly || cfg.ReadOnly
	}
	if !a.given["protocol"] {
		s.Protocol, _ = task.ParseEra(cfg.Protocol)
	}
	if s.ReadOnly {
		s.Sampling = samplingOff
	}
	return s
}

// known returns a server of the configuration.
func (a *Args) known(c *config.Server, getenv func(string) string) (Server, error) {
	at, err := c.Access(getenv)
	if err != nil {
		return Server{}, usage("%s: %s", c.Where(), err)
	}
	s := a.At(c.Name, at.URL, at.Shown)
	s.Config, s.Header, s.Guard = c, at.Header, c.Guard
	s.TokenFile, s.ClientCert, s.ClientKey = c.TokenFile, c.ClientCert, c.ClientKey
	s.Session = task.Secret(at.Session)
	s.CAFile = cmp.Or(s.CAFile, c.CAFile)
	s.AllowInsecureToken = a.flag("allow-insecure-token", s.AllowInsecureToken, c.AllowInsecureToken)
	s.InsecureSkipVerify = a.flag("insecure-skip-verify", s.InsecureSkipVerify, c.InsecureSkipVerify)
	if c.Has("read-only") && !a.given["read-only"] {
		s.ReadOnly = a.ReadOnly || c.ReadOnly
	}
	if c.Has("prompts") && !a.given["prompts"] {
		s.OnDemand = a.OnDemand || c.Prompts == "on-demand"
	}
	if c.Has("protocol") && !a.given["protocol"] {
		s.Protocol, _ = task.ParseEra(c.Protocol)
	}
	switch {
	case s.ReadOnly || !a.declares:
		s.Sampling = samplingOff
	case a.given["sampling"] || a.given["sampling-command"]:
	default:
		s.Sampling = cmp.Or(c.Sampling, a.Sampling)
		s.SamplingCommand = cmp.Or(c.SamplingCommand, a.SamplingCommand, a.Config.SamplingCommand)
	}
	return s, nil
}

// flag is the value of a switch: the command line's where it was given.
func (a *Args) flag(name string, said, configured bool) bool {
	if a.given[name] {
		return said
	}
	return configured
}

// ordinal shows a word that was taken for a URL, unless it may hold a password.
func ordinal(word string) string {
	if strings.Contains(word, "@") {
		return "one word of the command line"
	}
	return strconv.Quote(task.CleanLine(word, 80).Line())
}

// Over returns the settings that the command line or the environment replaced.
func (a *Args) Over(getenv func(string) string) map[string]config.Over {
	over := map[string]config.Over{}
	for name, value := range map[string]string{
		"theme": strconv.Quote(task.CleanLine(a.Theme, 60).Line()), "ascii": strconv.FormatBool(a.ASCII), "read-only": strconv.FormatBool(a.ReadOnly),
		"prompts": strconv.Quote(map[bool]string{true: "on-demand", false: "eager"}[a.OnDemand]), "protocol": strconv.Quote(cmp.Or(a.Protocol.String(), "auto")),
		"sampling": strconv.Quote(a.Sampling), "sampling-command": strconv.Quote(task.CleanLine(a.SamplingCommand, 200).Line()),
	} {
		if a.given[name] {
			over[name] = config.Over{Value: value, From: "--" + name}
		}
	}
	if a.given["sampling-command"] && !a.given["sampling"] {
		over["sampling"] = config.Over{Value: strconv.Quote(a.Sampling), From: "--sampling-command"}
	}
	if a.given["no-audit"] {
		over["audit"] = config.Over{Value: strconv.FormatBool(!a.NoAudit), From: "--no-audit"}
	}
	if a.given["no-mouse"] {
		over["mouse"] = config.Over{Value: strconv.FormatBool(!a.NoMouse), From: "--no-mouse"}
	}
	if getenv("NO_COLOR") != "" {
		over["theme"] = config.Over{Value: `"mono"`, From: "NO_COLOR"}
	}
	return over
}

// With returns the command line beside another configuration: what no option
// says is as that has it.
func (a *Args) With(cfg *config.Config) *Args {
	b := *a
	b.Config = cfg
	if !a.given["theme"] {
		b.Theme = cfg.Theme
	}
	if !a.given["ascii"] {
		b.ASCII = cfg.ASCII
	}
	if !a.given["no-mouse"] {
		b.NoMouse = !cfg.Mouse
	}
	if a.declares && a.Command != Demo && !a.ReadOnly && !a.given["sampling"] && !a.given["sampling-command"] {
		b.Sampling, b.SamplingCommand = cfg.Sampling, cfg.SamplingCommand
	}
	return &b
}
