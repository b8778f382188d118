package cli

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"callboard/model/task"
	"callboard/ui/cli/config"
)

// Command is what callboard was called to do.
type Command uint8

// The commands. Dashboard is the one without a name, Version an option.
const (
	Dashboard Command = iota
	Demo
	Watch
	List
	Get
	Result
	Answer
	Cancel
	Run
	Tools
	Audit
	Info
	Keys
	Completion
	Man
	Help
	Version
	Config
)

// Args are a command line, checked: files were not opened, but for the one of
// --session-file.
type Args struct {
	Command Command
	// Topic is the command whose help is wanted, Dashboard for all of it.
	Topic   Command
	Shell   string // of Completion
	Servers []Server
	// Config is the configuration, never nil; Faults is what is wrong with it, of
	// the command Config alone: nothing else goes on with one that is wrong.
	Config *config.Config
	Faults error
	Show   string // of Config: show, check or template
	// Confirm is the name of a server with a guard (--confirm).
	Confirm string

	Header                        http.Header
	Token                         task.Secret // CALLBOARD_TOKEN
	TokenFile                     string
	Session                       task.Secret // of another program, to be joined
	AllowInsecureToken            bool
	CAFile, ClientCert, ClientKey string
	InsecureSkipVerify            bool
	LogFile                       string
	Protocol                      task.Era

	OnDemand, ReadOnly bool
	Tasks              []task.ID // --task: to be shown, too; of Audit: to be shown alone

	// Sampling is who answers sampling/createMessage: "off" (nobody, it is not
	// declared), "manual" (a person) or "command" (a person, to whom
	// SamplingCommand writes drafts).
	Sampling, SamplingCommand string
	NoAudit                   bool      // nothing is added to the audit trail
	Since                     time.Time // of Audit: what is older is left out

	Theme string
	ASCII bool
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
	Listen  string // of Demo: where to serve without a screen, "" for a screen

	// IDs are the tasks that a command is about, Tool the one that Run calls.
	IDs  []task.ID
	Tool string // raw
	// Arguments and Fields are --arg and --field; Data a file with JSON in
	// their place, "-" for standard input.
	Arguments, Fields []Pair
	Data              string
	AcceptDefaults    bool
	Refuse            task.Action // Decline or Dismiss; 0 for neither
	Prompt            string      // which question
	TTL               time.Duration
	Plain, Wait       bool

	JSON    bool
	Timeout time.Duration // 0: none

	given    map[string]bool // options
	lists    []string        // --mcp-json
	declares bool            // the command may declare sampling
}

// Pair is one NAME=VALUE.
type Pair struct{ Name, Value string }

// Usage is an error in the command line: one line that says what to do.
type Usage struct{ Line string }

// Error returns the line.
func (u *Usage) Error() string { return u.Line }

func usage(format string, args ...any) error { return &Usage{fmt.Sprintf(format, args...)} }

// parsing is a command line before it is checked.
type parsing struct {
	a                                 Args
	headers, tasks, args, fields      []string
	prompts, protocol, session, since string
	decline, dismiss                  bool
	version, help                     bool
	config                            string
	noConfig                          bool
	lists                             []string
	given                             map[string]bool
}

// Parse reads a command line, without the program's name. Options and words may
// stand in any order; "--" ends the options. load reads the configuration, where
// the command wants one; nil for none. Errors are *Usage.
func Parse(args []string, getenv func(string) string, load Loader) (*Args, error) {
	p := &parsing{given: map[string]bool{}, prompts: "eager", protocol: "auto"}
	p.a.given, p.a.Config = p.given, config.Default()
	p.a.Header, p.a.Theme, p.a.Sampling = http.Header{}, "ansi", samplingOff
	fs := flag.NewFlagSet("callboard", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, o := range options {
		o.bind(fs, o.name, p)
	}
	fs.BoolVar(&p.help, "h", false, "")
	words, err := interspersed(fs, args)
	if err != nil {
		return nil, err
	}
	fs.Visit(func(f *flag.Flag) { p.given[f.Name] = true })
	if len(words) > 0 {
		if c := commandNamed(words[0]); c != nil {
			p.a.Command, words = c.is, words[1:]
		}
	}
	switch {
	case p.help:
		p.a.Topic, p.a.Command = p.a.Command, Help
		return &p.a, nil
	case p.version:
		p.a.Command = Version
		return &p.a, nil
	}
	if err := p.settle(words, getenv, load); err != nil {
		return nil, err
	}
	return &p.a, nil
}

// settle checks what was read.
func (p *parsing) settle(words []string, getenv func(string) string, load Loader) error {
	a, c := &p.a, commandOf(p.a.Command)
	if err := c.refuse(p.given); err != nil {
		return err
	}
	if err := p.load(c, getenv, load); err != nil {
		return err
	}
	if err := p.values(c); err != nil {
		return err
	}
	p.configured(c)
	if err := a.misspeltCommand(words); err != nil {
		return err
	}
	words, err := p.place(c, words)
	if err != nil {
		return err
	}
	switch {
	case c.is == Watch && len(a.IDs) == 0 && !p.given["prompts"]:
		// Nobody can answer here, and some servers hand a prompt out once.
		a.ReadOnly = true
	case !slices.Contains([]Command{Dashboard, Demo, Watch, Config}, c.is), len(a.IDs) > 0:
		a.OnDemand = true // for the same reason: only what is to be answered is asked for
	}
	if err := p.declarable(c); err != nil {
		return err
	}
	a.declares = c.suits("sampling") && (c.is != Watch || len(a.IDs) > 0)
	if a.Servers, err = a.servers(words, getenv); err != nil || c.servers == no || c.is == Audit {
		return err
	}
	if len(a.Servers) > 1 && len(a.Tasks) > 0 {
		return usage("--task belongs to one server: give one URL")
	}
	return a.credentials(p.headers, p.session, getenv)
}

// refuse checks that c takes the options that were given.
func (c *command) refuse(given map[string]bool) error {
	for _, o := range options {
		switch {
		case !given[o.name] || c.suits(o.name):
		case c.is == Demo && slices.Contains(connection, o.name):
			return usage("demo brings its own servers: --%s does not apply", o.name)
		case slices.Contains(onScreen, o.name):
			return usage("%s prints lines: --%s does not apply", c.name, o.name)
		case c.is == Dashboard:
			return usage("--%s does not apply to the dashboard (callboard -h says to what)", o.name)
		default:
			return usage("--%s does not apply to %s (callboard help %s)", o.name, c.name, c.name)
		}
	}
	return nil
}

// values takes in the values of options that need a look.
func (p *parsing) values(c *command) (err error) {
	a := &p.a
	for _, o := range options {
		if o.name == "theme" || o.choices == nil {
			continue // themes are checked by those who make them
		}
		if v := map[string]string{"prompts": p.prompts, "protocol": p.protocol, "sampling": a.Sampling}[o.name]; !slices.Contains(o.choices, v) {
			return usage("--%s is %s", o.name, either(o.choices))
		}
	}
	a.OnDemand = p.prompts == "on-demand"
	a.Protocol, _ = task.ParseEra(p.protocol)
	if err := p.sampling(c); err != nil {
		return err
	}
	if a.Since, err = since(p.since, time.Now()); err != nil {
		return err
	}
	for _, id := range p.tasks {
		if id == "" {
			return usage("--task needs the id of a task")
		}
		a.Tasks = append(a.Tasks, task.ID(id))
	}
	if a.Arguments, err = pairs("arg", p.args); err != nil {
		return err
	}
	if a.Fields, err = pairs("field", p.fields); err != nil {
		return err
	}
	if !p.given["timeout"] && c.patience != "" {
		a.Timeout, _ = time.ParseDuration(c.patience)
	}
	if a.Timeout < 0 || a.TTL < 0 {
		return usage("a duration must not be negative")
	}
	return p.answers(c)
}

// answers checks that at most one way to answer is given.
func (p *parsing) answers(c *command) error {
	a := &p.a
	var ways []string
	for _, way := range []string{"field", "data", "accept-defaults", "decline", "cancel"} {
		if p.given[way] && (way != "data" || c.is == Answer) {
			ways = append(ways, "--"+way)
		}
	}
	if slices.Equal(ways, []string{"--field", "--accept-defaults"}) {
		ways = ways[:1] // fields not given have their defaults anyway
	}
	switch {
	case len(ways) > 1:
		return usage("%s and %s are two answers: give one", ways[0], ways[1])
	case c.is == Run && a.Data != "" && len(a.Arguments) > 0:
		return usage("--arg and --data both give the arguments: give one")
	case p.decline:
		a.Refuse = task.Decline
	case p.dismiss:
		a.Refuse = task.Dismiss
	}
	return nil
}

// place gives each word its meaning and returns the URLs.
func (p *parsing) place(c *command, words []string) (urls []string, err error) {
	a := &p.a
	for _, w := range words {
		if w == "demo" && c.servers != no {
			return nil, usage("demo has no URL of its own: callboard demo shows it, callboard demo --listen 127.0.0.1:8900 serves it to other commands")
		}
	}
	switch c.is {
	case Demo:
		if len(words) > 0 {
			return nil, usage("demo brings its own servers and takes no URL")
		}
		return nil, nil
	case Help:
		return nil, p.topic(words)
	case Completion:
		if len(words) != 1 || shells[words[0]] == nil {
			return nil, usage("completions for which shell? callboard completion %s", either(shellNames()))
		}
		a.Shell = words[0]
		return nil, nil
	case Config:
		if len(words) != 1 || !slices.Contains(configWords, words[0]) {
			return nil, usage("which? callboard config %s", either(configWords))
		}
		a.Show = words[0]
		return nil, nil
	case Info, Keys, Man:
		if len(words) > 0 {
			return nil, usage("%s takes no words", c.name)
		}
		return nil, nil
	default:
	}
	if c.servers == maybe {
		if len(words) > 1 {
			return nil, usage("%s takes one URL: %s", c.name, c.synopsis())
		}
		return words, nil
	}
	if len(words) == 0 {
		if all := p.a.Config.Servers; c.servers == some && len(all) > 0 {
			return p.attached(all)
		}
		if c.is == Dashboard {
			return nil, usage("which server? callboard URL, or callboard demo to look around (callboard -h for more; servers in config.toml are attached to by callboard alone: callboard config template)")
		}
		return nil, usage("%s which server? %s", c.name, c.synopsis())
	}
	if c.is == Watch && len(words) == 2 && !strings.Contains(words[1], "/") && a.Config.Server(words[1]) == nil {
		a.IDs = []task.ID{task.ID(words[1])}
		return words[:1], nil
	}
	if c.servers == some {
		return words, nil
	}
	return words[:1], p.behind(c, words[1:])
}

// configWords are what the command config does.
var configWords = []string{"show", "check", "template"}

// attached returns the names of the servers that callboard attaches to by itself.
func (p *parsing) attached(all []*config.Server) (names []string, err error) {
	for _, s := range all {
		if s.Connect {
			names = append(names, s.Name)
		}
	}
	if names == nil {
		return nil, usage("which server? None of the configuration's is attached to by itself; there %s: callboard NAME", listing(all))
	}
	return names, nil
}

// listing says which servers there are.
func listing(all []*config.Server) string {
	const most = 8
	var names []string
	for _, s := range all[:min(most, len(all))] {
		names = append(names, task.CleanLine(s.Name, 60).Line())
	}
	verb := "are "
	if len(all) == 1 {
		verb = "is "
	}
	if len(all) > most {
		return verb + strings.Join(names, ", ") + " and others"
	}
	return verb + strings.Join(names, ", ")
}

// behind takes in the words behind the one URL of a command.
func (p *parsing) behind(c *command, words []string) error {
	a := &p.a
	switch {
	case slices.Contains(words, ""):
		return usage("an empty word is neither a task nor a tool: %s", c.synopsis())
	case c.is == Run && len(words) != 1:
		return usage("run which tool? %s", c.synopsis())
	case c.is == Run:
		a.Tool = words[0]
	case c.ids == no && len(words) > 0:
		return usage("%s takes one URL: %s", c.name, c.synopsis())
	case c.ids != no && len(words) == 0, c.ids == one && len(words) > 1:
		return usage("%s which task? %s", c.name, c.synopsis())
	default:
		for _, w := range words {
			if id := task.ID(w); !slices.Contains(a.IDs, id) {
				a.IDs = append(a.IDs, id)
			}
		}
	}
	return nil
}

func (p *parsing) topic(words []string) error {
	switch {
	case len(words) == 0:
		return nil
	case len(words) > 1:
		return usage("help for which command? callboard help COMMAND")
	}
	c := commandNamed(words[0])
	if c == nil {
		word, near := task.CleanLine(words[0], 40).Line(), config.Nearest(words[0], named())
		if near != "" {
			return usage("there is no command %q: did you mean %s?", word, near)
		}
		return usage("there is no command %q (callboard -h lists them)", word)
	}
	p.a.Topic = c.is
	return nil
}

// pairs reads NAME=VALUE words. A value may be a secret, so none is shown.
func pairs(option string, words []string) ([]Pair, error) {
	var all []Pair
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, usage("--%s has the form NAME=VALUE", option)
		}
		all = append(all, Pair{name, value})
	}
	return all, nil
}

// either lists choices in words.
func either(choices []string) string {
	last := len(choices) - 1
	if last == 0 {
		return choices[0]
	}
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
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
	if _, name, ok := strings.Cut(strings.Replace(text, "for flag -", "for -", 1), "for -"); ok {
		name, _, _ = strings.Cut(name, ":")
		return usage("--%s takes no such value", name)
	}
	if _, name, ok := strings.Cut(text, "boolean flag -"); ok {
		name, _, _ = strings.Cut(name, ":")
		return usage("--%s takes no such value", name)
	}
	return usage("%q is no option", args[0])
}
