package cli

import (
	"fmt"
	"strings"
)

// ManPage is the manual page, in the macros of man(7).
func ManPage(version string) string {
	var b strings.Builder
	m := &roff{&b}
	fmt.Fprintf(&b, ".TH CALLBOARD 1 \"\" \"callboard %s\" \"User Commands\"\n", escape(version))
	m.section("Name")
	m.line("callboard - a terminal dashboard for MCP tasks")
	m.section("Synopsis")
	for i, c := range commands {
		if i > 0 {
			b.WriteString(".br\n")
		}
		head, rest, _ := strings.Cut(c.synopsis(), " ")
		if c.name != "" {
			_, rest, _ = strings.Cut(c.synopsis(), c.name)
			head += " " + c.name
		}
		fmt.Fprintf(&b, ".B %s\n", escape(head))
		if rest = strings.TrimSpace(rest); rest != "" {
			fmt.Fprintf(&b, ".I %s\n", escape(rest))
		}
		if len(c.takes) > 0 {
			m.line("[options]")
		}
	}
	m.section("Description")
	m.line("callboard attaches to running MCP servers and shows every task that it may see: what runs, what waits for a person, what ended and how. " +
		"It speaks MCP 2025-11-25 and 2026-07-28 and finds out by itself which one a server wants. Without a command it is a dashboard on the terminal; the commands do the same from scripts.")
	m.line("A URL without a scheme is https, and http on this machine. A server of config.toml goes by its name wherever a URL does. Options and words may stand in any order; -- ends the options.")
	m.section("Commands")
	for _, c := range commands {
		m.command(&c)
	}
	m.section("Options")
	for _, group := range groups {
		fmt.Fprintf(&b, ".SS %s\n", escape(group))
		for _, o := range options {
			if o.group == group {
				m.option(o)
			}
		}
	}
	m.section("Environment")
	m.pairs(variables[:])
	m.section("Files")
	m.pairs(files[:])
	m.section("Exit status")
	m.pairs(exitCodes[:])
	m.section("Json")
	m.line("With --json standard output is one JSON document and notes go to standard error. What failed before there was anything to show is an object with error: kind, message, and code and advice where there are some. Ids and results are raw, as the server sent them; other text is fit for a terminal.")
	m.pairs(taskFields[:])
	m.line("The members of prompts:")
	m.pairs(promptFields[:])
	m.section("See also")
	m.line("https://modelcontextprotocol.io")
	return b.String()
}

// roff writes the macros of man(7).
type roff struct{ b *strings.Builder }

func (m *roff) section(title string) { fmt.Fprintf(m.b, ".SH %s\n", strings.ToUpper(title)) }

// line writes text as a paragraph's line; one that begins like a request is
// shielded.
func (m *roff) line(text string) {
	text = escape(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	m.b.WriteString(text + "\n")
}

func (m *roff) tagged(tag, text string) {
	fmt.Fprintf(m.b, ".TP\n.B %s\n", escape(tag))
	m.line(text)
}

func (m *roff) pairs(pairs [][2]string) {
	for _, p := range pairs {
		m.tagged(p[0], p[1])
	}
}

func (m *roff) command(c *command) {
	m.tagged(c.synopsis(), capital(c.brief)+".")
	for _, p := range c.more {
		m.b.WriteString(".IP\n")
		m.line(p)
	}
	if c.patience != "" {
		m.b.WriteString(".IP\n")
		m.line("Without --timeout it gives up after " + c.patience + ".")
	}
	for _, e := range c.examples {
		m.b.WriteString(".IP\n.EX\n")
		m.line(e[0])
		m.b.WriteString(".EE\n")
		if e[1] != "" {
			m.b.WriteString(".IP\n")
			m.line(e[1])
		}
	}
}

func (m *roff) option(o option) {
	text := capital(o.help)
	if o.choices != nil {
		text += " (default " + o.choices[0] + ")"
	}
	text += "."
	if o.more != "" {
		text += " " + o.more
	}
	if who := usedBy(o.name); who != "" {
		text += " For: " + who + "."
	}
	m.tagged(o.spelled(), text)
}

// escape keeps text from being read as roff.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "^", `\(ha`, "~", `\(ti`).Replace(text)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
