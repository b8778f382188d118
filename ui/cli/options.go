package cli

import (
	"flag"
	"slices"
	"time"
)

// Options by the commands that they suit.
var (
	credentials = []string{"header", "token-file", "session-file", "client-cert", "client-key"}
	connection  = slices.Concat(credentials, []string{"protocol", "allow-insecure-token", "ca-file", "insecure-skip-verify", "log-file"})
	onScreen    = []string{"theme", "ascii", "no-mouse"}
	forScripts  = slices.Concat(connection, configured, []string{"json", "timeout"})
	answers     = []string{"field", "accept-defaults", "decline", "cancel"}
	sampling    = []string{"sampling", "sampling-command"}
	configured  = []string{"config", "no-config", "mcp-json"}
)

var options = [...]option{
	{name: "config", value: "FILE", group: ofSettings, file: true, help: "read this configuration; '' reads none",
		more: "The default is callboard/config.toml in the folder of XDG_CONFIG_HOME. callboard config template prints one to begin with.",
		bind: text(func(p *parsing) *string { return &p.config })},
	{name: "no-config", group: ofSettings, help: "read no configuration",
		bind: truth(func(p *parsing) *bool { return &p.noConfig })},
	{name: "mcp-json", value: "FILE", group: ofSettings, file: true, help: "know the servers of another MCP client's list by name, too; repeatable",
		more: "A file with mcpServers, or servers as VS Code has it.",
		bind: list(func(p *parsing) *[]string { return &p.lists })},
	{name: "header", value: "'NAME: VALUE'", group: ofCredentials, help: "send a header; repeatable; ${VAR} is replaced from the environment",
		bind: list(func(p *parsing) *[]string { return &p.headers })},
	{name: "token-file", value: "FILE", group: ofCredentials, file: true, help: "send the bearer token that FILE holds, read again when it is refused",
		bind: text(func(p *parsing) *string { return &p.a.TokenFile })},
	{name: "session-file", value: "FILE", group: ofCredentials, file: true, help: "join the session whose id FILE holds, to see its tasks",
		bind: text(func(p *parsing) *string { return &p.session })},
	{name: "client-cert", value: "FILE", group: ofCredentials, file: true, help: "certificate to show to the server (PEM), with",
		bind: text(func(p *parsing) *string { return &p.a.ClientCert })},
	{name: "client-key", value: "FILE", group: ofCredentials, file: true, help: "its key (PEM)",
		bind: text(func(p *parsing) *string { return &p.a.ClientKey })},

	{name: "protocol", value: "VERSION", group: ofConnection, choices: []string{"auto", "2025-11-25", "2026-07-28"},
		help: "the revision of MCP to speak; auto finds it out and keeps the finding",
		bind: text(func(p *parsing) *string { return &p.protocol })},
	{name: "ca-file", value: "FILE", group: ofConnection, file: true, help: "trust the authorities in FILE (PEM), too",
		bind: text(func(p *parsing) *string { return &p.a.CAFile })},
	{name: "insecure-skip-verify", group: ofConnection, help: "believe any certificate",
		bind: truth(func(p *parsing) *bool { return &p.a.InsecureSkipVerify })},
	{name: "allow-insecure-token", group: ofConnection, help: "send a token over plain http, to other than this machine",
		bind: truth(func(p *parsing) *bool { return &p.a.AllowInsecureToken })},
	{name: "log-file", value: "FILE", group: ofConnection, file: true, help: "append every message to FILE as lines of JSON, secrets masked",
		bind: text(func(p *parsing) *string { return &p.a.LogFile })},

	{name: "prompts", value: "WHEN", group: ofBehaviour, choices: []string{"eager", "on-demand"},
		help: "ask a waiting task for its question at once, or when it is opened",
		more: "on-demand is for servers that you share with another client: some hand a question out once.",
		bind: text(func(p *parsing) *string { return &p.prompts })},
	{name: "read-only", group: ofBehaviour, help: "change nothing: no answers, no cancels, no starts",
		bind: truth(func(p *parsing) *bool { return &p.a.ReadOnly })},
	{name: "task", value: "ID", group: ofBehaviour, help: "show this task, too; repeatable; for servers that list none; audit: this one alone",
		bind: list(func(p *parsing) *[]string { return &p.tasks })},
	{name: "sampling", value: "WHO", group: ofBehaviour, choices: []string{samplingOff, samplingManual, samplingCommand},
		help: "who writes what a server asks a model for (sampling/createMessage): nobody, you, or you from a draft",
		more: "off does not declare it, so that servers do not ask. manual: you write the reply, or refuse. command: what --sampling-command writes is a draft, which you read, change and send. The demo is for trying things: there manual is the default.",
		bind: text(func(p *parsing) *string { return &p.a.Sampling })},
	{name: "sampling-command", value: "COMMAND", group: ofBehaviour, help: "the command that writes drafts, run by sh -c as you open the question; means --sampling command",
		more: "It gets the request (the params of sampling/createMessage) as JSON on standard input; what it prints within 2 minutes is the draft.",
		bind: text(func(p *parsing) *string { return &p.a.SamplingCommand })},
	{name: "no-audit", group: ofBehaviour, help: "add nothing to the audit trail (callboard audit)",
		bind: truth(func(p *parsing) *bool { return &p.a.NoAudit })},
	{name: "listen", value: "ADDRESS", group: ofBehaviour, help: "serve the demo at HOST:PORT without a screen, and print its URLs",
		more: "With port 0 the ports are free ones; else the second server takes the port behind the first.",
		bind: text(func(p *parsing) *string { return &p.a.Listen })},

	{name: "arg", value: "NAME=VALUE", group: ofCalls, help: "an argument of the tool, read as its schema says; an array: repeated",
		more: "Dates also as '2026-12-01 09:00', tomorrow or +2h; null as :null.",
		bind: list(func(p *parsing) *[]string { return &p.args })},
	{name: "data", value: "FILE", group: ofCalls, file: true, help: "the arguments, or the answer, as a JSON object from FILE; - is standard input",
		bind: text(func(p *parsing) *string { return &p.a.Data })},
	{name: "ttl", value: "DURATION", group: ofCalls, help: "how long the server is asked to keep the task, such as 10m",
		more: "Servers of 2026-07-28 decide it alone.",
		bind: lasting(func(p *parsing) *time.Duration { return &p.a.TTL })},
	{name: "plain", group: ofCalls, help: "call the tool plainly, not as a task",
		bind: truth(func(p *parsing) *bool { return &p.a.Plain })},
	{name: "wait", group: ofCalls, help: "wait for the end and print the result; questions are asked on a terminal",
		bind: truth(func(p *parsing) *bool { return &p.a.Wait })},

	{name: "confirm", value: "NAME", group: ofAnswers, help: "the name of a server with a guard, without which nothing is started, answered or cancelled there",
		more: "On a terminal it is asked for where this is not given.",
		bind: text(func(p *parsing) *string { return &p.a.Confirm })},
	{name: "prompt", value: "KEY", group: ofAnswers, help: "which question, where a task asks several; callboard get shows the keys",
		bind: text(func(p *parsing) *string { return &p.a.Prompt })},
	{name: "field", value: "NAME=VALUE", group: ofAnswers, help: "a field of the answer, read as its type says; several choices: repeated",
		more: "Fields that are not given have their defaults. Dates also as '2026-12-01 09:00', tomorrow or +2h; null as :null.",
		bind: list(func(p *parsing) *[]string { return &p.fields })},
	{name: "accept-defaults", group: ofAnswers, help: "answer with the defaults of the fields; for a link: consent to it",
		bind: truth(func(p *parsing) *bool { return &p.a.AcceptDefaults })},
	{name: "decline", group: ofAnswers, help: "tell the server no",
		bind: truth(func(p *parsing) *bool { return &p.decline })},
	{name: "cancel", group: ofAnswers, help: "dismiss the question: neither yes nor no; the task decides what follows",
		bind: truth(func(p *parsing) *bool { return &p.dismiss })},

	{name: "since", value: "WHEN", group: ofOutput, help: "leave out what is older: a duration such as 90m or 7d, or a time such as 2026-12-01T09:00:00Z",
		more: "A time may be 2026-12-01 09:00 or 2026-12-01, too; it is then one of the local zone.",
		bind: text(func(p *parsing) *string { return &p.since })},
	{name: "json", group: ofOutput, help: "print one JSON document; watch and audit print one a line",
		bind: truth(func(p *parsing) *bool { return &p.a.JSON })},
	{name: "timeout", value: "DURATION", group: ofOutput, help: "give up after this time, such as 30s (exit code 7); 0 is never",
		bind: lasting(func(p *parsing) *time.Duration { return &p.a.Timeout })},

	{name: "theme", value: "NAME", group: ofScreen, choices: []string{"ansi", "dark", "light", "high-contrast", "mono"}, help: "how it looks; ansi: the terminal's own colours",
		bind: text(func(p *parsing) *string { return &p.a.Theme })},
	{name: "ascii", group: ofScreen, help: "draw with ASCII alone",
		bind: truth(func(p *parsing) *bool { return &p.a.ASCII })},
	{name: "no-mouse", group: ofScreen, help: "leave the mouse to the terminal, whose selection of text needs no shift then",
		bind: truth(func(p *parsing) *bool { return &p.a.NoMouse })},

	{name: "version", group: ofAll, help: "print the version and the revisions of MCP that it speaks",
		bind: truth(func(p *parsing) *bool { return &p.version })},
	{name: "help", group: ofAll, help: "print this, or the help of a command",
		bind: truth(func(p *parsing) *bool { return &p.help })},
}

// text, truth, lasting and list bind an option to where its value goes.
func text(to func(*parsing) *string) func(*flag.FlagSet, string, *parsing) {
	return func(fs *flag.FlagSet, name string, p *parsing) { v := to(p); fs.StringVar(v, name, *v, "") }
}

func truth(to func(*parsing) *bool) func(*flag.FlagSet, string, *parsing) {
	return func(fs *flag.FlagSet, name string, p *parsing) { fs.BoolVar(to(p), name, false, "") }
}

func lasting(to func(*parsing) *time.Duration) func(*flag.FlagSet, string, *parsing) {
	return func(fs *flag.FlagSet, name string, p *parsing) {
		fs.DurationVar(to(p), name, 0, "")
	}
}

func list(to func(*parsing) *[]string) func(*flag.FlagSet, string, *parsing) {
	return func(fs *flag.FlagSet, name string, p *parsing) {
		v := to(p)
		fs.Func(name, "", func(s string) error { *v = append(*v, s); return nil })
	}
}
