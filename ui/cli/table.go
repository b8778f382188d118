package cli

import (
	"flag"
	"slices"
	"strings"
)

// command is one row of the table of commands, from which the parsing, the
// help, the completions and the man page are made.
type command struct {
	is    Command
	name  string // "" for the dashboard
	words string // what stands behind the name, as the synopsis shows it
	brief string // one line, no full stop
	// more is the rest of what there is to say, in paragraphs of one line each.
	more []string
	// servers says how many URLs the words begin with; ids whether task ids
	// follow.
	servers count
	ids     count
	// takes are the names of the options that suit it.
	takes []string
	// patience is the --timeout where none is given, 0 for none.
	patience string
	// examples are whole command lines with what they do.
	examples [][2]string
}

// count says how many words a command takes of a kind.
type count uint8

const (
	no count = iota
	maybe
	one
	some // one or more
)

// option is one row of the table of options.
type option struct {
	name  string
	value string // what its value is called, "" for a switch
	help  string // one line, no full stop
	more  string // a sentence or two more for the man page, "" for none
	group string
	// choices are the only values, of which the first is the default; file says
	// that the value names a file.
	choices []string
	file    bool
	bind    func(fs *flag.FlagSet, name string, p *parsing)
}

// The groups of options, in the order of the help.
const (
	ofCredentials = "Connection (with one URL)"
	ofConnection  = "Connection"
	ofSettings    = "Configuration"
	ofBehaviour   = "Behaviour"
	ofAnswers     = "Answers"
	ofCalls       = "Calls"
	ofOutput      = "Output and time"
	ofScreen      = "Screen"
	ofAll         = "Help"
)

var groups = []string{ofCredentials, ofConnection, ofSettings, ofBehaviour, ofCalls, ofAnswers, ofOutput, ofScreen, ofAll}

// commandOf returns the row of a command.
func commandOf(is Command) *command {
	for i := range commands {
		if commands[i].is == is {
			return &commands[i]
		}
	}
	return &commands[0]
}

// commandNamed returns the row of a command by its name, nil where there is none.
func commandNamed(name string) *command {
	for i := range commands {
		if name != "" && commands[i].name == name {
			return &commands[i]
		}
	}
	return nil
}

// named returns the commands that have a name, in order.
func named() []string {
	var names []string
	for _, c := range commands {
		if c.name != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// options returns the rows of the options that suit c, in the table's order.
func (c *command) options() []option {
	var suit []option
	for _, o := range options {
		if c.suits(o.name) {
			suit = append(suit, o)
		}
	}
	return suit
}

// suits reports whether c takes the option. Those of the help suit all.
func (c *command) suits(name string) bool {
	return slices.Contains(c.takes, name) || name == "help" || name == "version"
}

// synopsis is how c is called.
func (c *command) synopsis() string {
	return strings.Join(strings.Fields("callboard "+c.name+" "+c.words), " ")
}

// spelled is o as it is written, with its value.
func (o *option) spelled() string {
	switch {
	case o.name == "help":
		return "--help, -h"
	case o.choices != nil:
		return "--" + o.name + " " + strings.Join(o.choices, "|")
	case o.value != "":
		return "--" + o.name + " " + o.value
	}
	return "--" + o.name
}

// exitCodes are what the exit codes mean.
var exitCodes = [...][2]string{
	{"0", "all went well; the dashboard was quit; the task completed"},
	{"1", "the task failed, was cancelled, expired or is not known; another error"},
	{"2", "wrong usage, an answer or argument that does not fit, or no terminal"},
	{"3", "not authorized (401, 403)"},
	{"4", "the server cannot be reached, or no MCP server answers there"},
	{"6", "the task waits for an answer of a person"},
	{"7", "out of time (--timeout); the task goes on"},
	{"129", "the terminal is gone (SIGHUP)"},
	{"130", "SIGINT"},
	{"143", "SIGTERM"},
}

// files are what callboard reads and keeps.
var files = [...][2]string{
	{"$XDG_CONFIG_HOME/callboard/config.toml", "the configuration; callboard config template prints one with all settings as comments"},
	{"$XDG_CONFIG_HOME/callboard/themes/NAME.toml", "themes of your own"},
	{"$XDG_STATE_HOME/callboard/taste.json", "what you chose on the screen: columns, saved filters, what was typed into the filter and the command line; mode 0600"},
	{"$XDG_STATE_HOME/callboard/servers", "handles of tasks, sessions with live tasks (a secret) and the generation found, one file for each server and account, mode 0600; callboard info says where it is"},
	{"$XDG_STATE_HOME/callboard/drafts", "what was typed into forms and not sent, without secret fields: on disk within a second, mode 0600; removed when it is sent or thrown away, else 7 days after the last key press. At most 1 MiB a draft; 200 drafts and 8 MiB for each server and account, of which the oldest leave first"},
	{"$XDG_STATE_HOME/callboard/audit.jsonl", "the audit trail (callboard audit), mode 0600; audit.1.jsonl to audit.4.jsonl are older"},
}

// variables are the variables of the environment that callboard reads.
var variables = [...][2]string{
	{"CALLBOARD_TOKEN", "a bearer token, where --token-file is not given; for a URL, no server by name gets it"},
	{"CALLBOARD_SESSION", "a session id, where --session-file is not given"},
	{"CALLBOARD_CONFIG", "the configuration, where --config is not given"},
	{"HTTP_PROXY, HTTPS_PROXY, NO_PROXY", "the way to the servers"},
	{"NO_COLOR", "no colours"},
	{"VISUAL, EDITOR", "the editor for long answers"},
	{"XDG_CONFIG_HOME", "where the folder callboard with the configuration and themes is"},
	{"COLORTERM", "truecolor or 24bit: colours of a theme are shown as they are"},
	{"XDG_STATE_HOME", "where the folder callboard with handles, sessions, drafts and the audit trail is (callboard info says where)"},
}
