package cli

import (
	"fmt"
	"slices"
	"strings"
)

// helpWidth is how many cells a line of the help has at most.
const helpWidth = 100

// HelpText is what -h prints, or with the name of a command its help.
func HelpText(topic Command) string {
	if topic == Dashboard {
		return overview()
	}
	return commandOf(topic).help()
}

// overview is the help of all of callboard.
func overview() string {
	var b strings.Builder
	b.WriteString("callboard - a terminal dashboard for MCP tasks\n\n")
	for _, c := range commands {
		item(&b, 36, c.synopsis(), c.brief)
	}
	b.WriteString("\nWithout a command it is the dashboard. callboard help COMMAND says more of one.\n")
	b.WriteString("A URL without a scheme is https, and http on this machine: localhost:3000/mcp\n")
	b.WriteString("A server of config.toml goes by its name wherever a URL does: callboard ls prod\n")
	optionLists(&b, options[:], func(o option) string { return usedBy(o.name) })
	b.WriteString("\nEnvironment\n")
	for _, v := range variables {
		item(&b, 26, v[0], v[1])
	}
	codes(&b)
	b.WriteString("\nIn the dashboard ? lists the keys.\n")
	return b.String()
}

// help is the help of one command.
func (c *command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s - %s\n\n", c.synopsis(), c.brief)
	for _, p := range c.more {
		b.WriteString(fill(p, "", helpWidth))
	}
	if c.patience != "" {
		fmt.Fprintf(&b, "Without --timeout it gives up after %s.\n", c.patience)
	}
	optionLists(&b, c.options(), func(o option) string {
		if c.is == Demo && o.name == "sampling" {
			return "in the demo " + samplingManual
		}
		return ""
	})
	if slices.Contains(c.takes, "json") && c.is != Info && c.is != Keys {
		codes(&b)
	}
	if len(c.examples) > 0 {
		b.WriteString("\nExamples\n")
		for _, e := range c.examples {
			fmt.Fprintf(&b, "  %s\n", e[0])
			if e[1] != "" {
				fmt.Fprintf(&b, "      %s\n", e[1])
			}
		}
	}
	return b.String()
}

// optionLists writes options by their groups; note is added to a line, in
// brackets.
func optionLists(b *strings.Builder, list []option, note func(option) string) {
	for _, group := range groups {
		title := "\n" + group + "\n"
		for _, o := range list {
			if o.group != group {
				continue
			}
			b.WriteString(title)
			title = ""
			text := o.help
			if o.choices != nil {
				text += " (default " + o.choices[0] + ")"
			}
			if words := note(o); words != "" {
				text += " [" + words + "]"
			}
			item(b, 26, o.spelled(), text)
		}
	}
}

// usedBy names the commands that take an option, "" where most do.
func usedBy(name string) string {
	var users []string
	for _, c := range commands {
		switch {
		case !slices.Contains(c.takes, name):
		case c.is == Dashboard:
			users = append(users, "dashboard")
		default:
			users = append(users, c.name)
		}
	}
	if len(users) > 5 {
		return ""
	}
	return strings.Join(users, ", ")
}

func codes(b *strings.Builder) {
	b.WriteString("\nExit codes\n")
	for _, c := range exitCodes {
		item(b, 26, c[0], c[1])
	}
}

// item writes a word and its text in two columns, the second filled.
func item(b *strings.Builder, width int, word, text string) {
	if len(word) > width-4 {
		fmt.Fprintf(b, "  %s\n", word)
		word = ""
	}
	lines := fill(text, strings.Repeat(" ", width), helpWidth)
	b.WriteString(fmt.Sprintf("  %-*s", width-2, word) + strings.TrimPrefix(lines, strings.Repeat(" ", width)))
}

// fill breaks text into lines of at most width cells that begin with indent. It
// is for words of our own: one character is one cell.
func fill(text, indent string, width int) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		switch {
		case line == indent:
			line += word
		case len([]rune(line))+1+len([]rune(word)) > width:
			b.WriteString(line + "\n")
			line = indent + word
		default:
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
	return b.String()
}
