package config

import (
	"fmt"
	"strings"
	"time"

	"callboard/themes"
)

// setting is one row of the table: of the whole program (Config), or of one
// server (Server).
type setting[T any] struct {
	name    string
	help    string // one line, no full stop
	more    string // a sentence or more, "" for none
	example string // a line of TOML
	// choices are all values of a text, or of the elements of a list.
	choices []string
	// option is the option of the command line that overrides it, "" for none.
	option string
	// kind is what a path in it is relative to, and whether a value is a secret.
	kind kind
	// to returns a pointer to the field: its type is the setting's.
	to func(*T) any
}

type kind uint8

const (
	plain   kind = iota
	isFile       // relative to the configuration's folder
	secrets      // values may be secrets
	columns      // names of columns, perhaps with a width
)

var settings = [...]setting[Config]{
	{name: "theme", help: "how it looks: a built-in theme, or one of your own", option: "theme", example: `theme = "dark"`,
		more: "Built in are " + strings.Join(themes.Names(), ", ") + ". ansi has the terminal's own colours; high-contrast is for black backgrounds. NO_COLOR in the environment is stronger.",
		to:   func(c *Config) any { return &c.Theme }},
	{name: "ascii", help: "draw with ASCII alone", option: "ascii", example: "ascii = true",
		to: func(c *Config) any { return &c.ASCII }},
	{name: "mouse", help: "take clicks and the wheel", option: "no-mouse", example: "mouse = false",
		to: func(c *Config) any { return &c.Mouse }},
	{name: "title", help: "show counts in the terminal's title", example: "title = false",
		to: func(c *Config) any { return &c.Title }},
	{name: "images", help: "draw images in the terminal, in this protocol", choices: []string{"off", "kitty", "sixel"}, example: `images = "kitty"`,
		to: func(c *Config) any { return &c.Images }},
	{name: "clipboard", help: "how text gets to the clipboard", choices: []string{"auto", "osc52", "native", "off"}, example: `clipboard = "osc52"`,
		more: "osc52 asks the terminal, also over ssh; native uses the system's own clipboard; auto takes the one that fits.",
		to:   func(c *Config) any { return &c.Clipboard }},
	{name: "columns", help: "the columns of the table of tasks, in their order", kind: columns, example: `columns = ["status", "task", "tool:14", "message", "age"]`,
		more: "A width in cells may follow a colon. Without it the columns are chosen by what fits.",
		to:   func(c *Config) any { return &c.Columns }},
	{name: "notify", help: "what the desktop is notified of while the terminal is not in focus", example: `notify = ["prompt", "failed", "down"]`,
		choices: []string{"prompt", "failed", "completed", "cancelled", "ttl", "down"},
		more:    "[] is nothing. A prompt rings the bell all the same.",
		to:      func(c *Config) any { return &c.Notify }},
	{name: "ttl-warning", help: "how long before the end of its time to live a task is marked", example: `ttl-warning = "5m"`,
		to: func(c *Config) any { return &c.TTLWarning }},
	{name: "log-hide", help: "methods that the log leaves out", example: `log-hide = ["tasks/get", "ping"]`,
		to: func(c *Config) any { return &c.LogHide }},
	{name: "prompts", help: "ask a waiting task for its question at once, or when it is opened", option: "prompts", choices: []string{"eager", "on-demand"},
		example: `prompts = "on-demand"`, to: func(c *Config) any { return &c.Prompts }},
	{name: "read-only", help: "change nothing: no answers, no cancels, no starts", option: "read-only", example: "read-only = true",
		to: func(c *Config) any { return &c.ReadOnly }},
	{name: "audit", help: "write down what happened, and who did what (callboard audit)", option: "no-audit", example: "audit = false",
		to: func(c *Config) any { return &c.Audit }},
	{name: "sampling", help: "who writes what a server asks a model for: nobody, you, or you from a draft", option: "sampling",
		choices: []string{"off", "manual", "command"}, example: `sampling = "manual"`, to: func(c *Config) any { return &c.Sampling }},
	{name: "sampling-command", help: "the command that writes drafts, run by sh -c; means sampling = \"command\"", option: "sampling-command",
		example: `sampling-command = "my-model --draft"`, to: func(c *Config) any { return &c.SamplingCommand }},
	{name: "protocol", help: "the revision of MCP to speak; auto finds it out", option: "protocol", choices: []string{"auto", "2025-11-25", "2026-07-28"},
		example: `protocol = "2025-11-25"`, to: func(c *Config) any { return &c.Protocol }},
	{name: "mcp-json", help: "lists of servers that other MCP clients keep, to connect to by name", option: "mcp-json",
		example: `mcp-json = ["~/.cursor/mcp.json", "./.mcp.json"]`,
		more:    "Files with mcpServers, or servers as VS Code has it. A relative path is one of the folder that callboard is started in; a file that is not there is passed over. Their servers are not attached to by themselves: name one on the command line, or :connect NAME. Those with a command in place of a URL are not reached.",
		to:      func(c *Config) any { return &c.MCPJSON }},
	{name: "filters", help: "filters by name, for F", example: `filters.broken = "status:failed age<1h"`,
		to: func(c *Config) any { return &c.Filters }},
}

var serverSettings = [...]setting[Server]{
	{name: "url", help: "its address; without a scheme it is https, and http on this machine", example: `url = "https://mcp.example.com/mcp"`, kind: secrets,
		more: "It must be given. ${VAR} and ${file:PATH} are replaced as in headers.",
		to:   func(s *Server) any { return &s.URL }},
	{name: "headers", help: "headers that go with each request", kind: secrets, option: "header",
		example: `headers = { Authorization = "Bearer ${PROD_TOKEN}", X-Team = "${file:~/.secrets/team}" }`,
		more:    "${VAR} is replaced from the environment and ${file:PATH} by what the file holds, when the server is attached; $$ is a dollar.",
		to:      func(s *Server) any { return &s.Headers }},
	{name: "token-file", help: "a file with the bearer token, read again when it is refused", option: "token-file", kind: isFile, example: `token-file = "~/.secrets/prod-token"`,
		to: func(s *Server) any { return &s.TokenFile }},
	{name: "session-file", help: "a file with the id of a session to join", option: "session-file", kind: isFile, example: `session-file = "/run/agent/session"`,
		to: func(s *Server) any { return &s.SessionFile }},
	{name: "guard", help: "a word that stands before its name; the name is then typed before anything is started, answered or cancelled there", example: `guard = "prod"`,
		more: "In commands: --confirm NAME.",
		to:   func(s *Server) any { return &s.Guard }},
	{name: "read-only", help: "change nothing there", option: "read-only", example: "read-only = true",
		to: func(s *Server) any { return &s.ReadOnly }},
	{name: "connect", help: "attach to it when callboard is started without a URL or name", example: "connect = false",
		more: "Otherwise it waits for :connect NAME. The default is true.",
		to:   func(s *Server) any { return &s.Connect }},
	{name: "columns", help: "the columns where this server is alone on the board", kind: columns, example: `columns = ["status", "task", "progress"]`,
		to: func(s *Server) any { return &s.Columns }},
	{name: "prompts", help: "as above, for this server", option: "prompts", choices: []string{"eager", "on-demand"}, example: `prompts = "on-demand"`,
		to: func(s *Server) any { return &s.Prompts }},
	{name: "protocol", help: "as above, for this server", option: "protocol", choices: []string{"auto", "2025-11-25", "2026-07-28"}, example: `protocol = "2026-07-28"`,
		to: func(s *Server) any { return &s.Protocol }},
	{name: "sampling", help: "as above, for this server", option: "sampling", choices: []string{"off", "manual", "command"}, example: `sampling = "manual"`,
		to: func(s *Server) any { return &s.Sampling }},
	{name: "sampling-command", help: "as above, for this server", option: "sampling-command", example: `sampling-command = "my-model --draft"`,
		to: func(s *Server) any { return &s.SamplingCommand }},
	{name: "ca-file", help: "trust the authorities in this file (PEM), too", option: "ca-file", kind: isFile, example: `ca-file = "corp-ca.pem"`,
		to: func(s *Server) any { return &s.CAFile }},
	{name: "client-cert", help: "the certificate to show to the server (PEM)", option: "client-cert", kind: isFile, example: `client-cert = "me.pem"`,
		to: func(s *Server) any { return &s.ClientCert }},
	{name: "client-key", help: "its key (PEM)", option: "client-key", kind: isFile, example: `client-key = "me-key.pem"`,
		to: func(s *Server) any { return &s.ClientKey }},
	{name: "insecure-skip-verify", help: "believe any certificate", option: "insecure-skip-verify", example: "insecure-skip-verify = true",
		to: func(s *Server) any { return &s.InsecureSkipVerify }},
	{name: "allow-insecure-token", help: "send a token over plain http, to other than this machine", option: "allow-insecure-token", example: "allow-insecure-token = true",
		to: func(s *Server) any { return &s.AllowInsecureToken }},
}

// tables are the names of the document's tables that no row of settings stands
// for, with what their keys are.
const (
	keysTable    = "keys"
	themesTable  = "themes"
	serversTable = "servers"
)

func names[T any](rows []setting[T]) []string {
	all := make([]string, len(rows))
	for i := range rows {
		all[i] = rows[i].name
	}
	return all
}

// typeWords says of a field what a value of it is.
func typeWords(p any) string {
	switch p.(type) {
	case *string:
		return "text"
	case *bool:
		return "true or false"
	case *time.Duration:
		return "a duration, such as \"90s\" or \"5m\""
	case *[]string:
		return "a list of texts"
	case *map[string]string:
		return "a table of texts"
	}
	panic(fmt.Sprintf("no setting is a %T", p))
}
