package config

import (
	"fmt"
	"strings"

	"callboard/themes"
)

// Template is a configuration in which each setting stands as a comment.
func Template() string {
	var b strings.Builder
	b.WriteString("# config.toml of callboard. Take away the # of what you want to be otherwise.\n" +
		"# callboard config check says what is wrong with it, callboard config show what holds.\n")
	for _, s := range settings {
		comment(&b, s.help, s.more, s.choices)
		fmt.Fprintf(&b, "# %s\n", s.example)
	}
	b.WriteString("\n# Keys, by the names of actions; callboard keys lists them. [] takes a key away.\n# [keys]\n# task.cancel = \"ctrl+k\"\n")
	b.WriteString("\n# A theme of your own: a built-in one with other colours. One may have a file of\n# its own, too: themes/NAME.toml beside this file.\n# [themes.mine]\n# base = \"dark\"\n# accent = \"#88c0d0\"\n")
	b.WriteString("\n# A server by name: callboard prod, callboard ls prod.\n# [servers.prod]\n")
	for _, s := range serverSettings {
		comment(&b, s.help, s.more, s.choices)
		fmt.Fprintf(&b, "# %s\n", s.example)
	}
	return b.String()
}

// comment writes what a setting is, in lines of at most 80 cells.
func comment(b *strings.Builder, help, more string, choices []string) {
	text := strings.ToUpper(help[:1]) + help[1:] + "."
	if choices != nil {
		text += " One of " + strings.Join(choices, ", ") + "."
	}
	if more != "" {
		text += " " + more
	}
	b.WriteString("\n")
	line := "#"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 80 {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

// Manual is docs/CONFIGURATION.md.
func Manual() string {
	var b strings.Builder
	b.WriteString(manualHead)
	b.WriteString("## Settings\n\n")
	c := Default()
	for _, s := range settings {
		describe(&b, s.name, s.help, s.more, s.example, s.choices, typeWords(s.to(c)), literalOf(s.to(c)), s.option)
	}
	b.WriteString(manualKeys)
	b.WriteString("## Themes\n\n" + manualThemes)
	b.WriteString("| token | what it colours |\n| --- | --- |\n")
	for _, t := range themes.Tokens() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", t.Name, t.Help)
	}
	fmt.Fprintf(&b, "\n`selected-attributes` is a list of %s.\n\n", strings.Join(themes.Attributes(), ", "))
	b.WriteString("## Servers\n\n" + manualServers)
	n := newServer("", "", 0)
	for _, s := range serverSettings {
		describe(&b, s.name, s.help, s.more, s.example, s.choices, typeWords(s.to(n)), "", s.option)
	}
	return b.String()
}

func describe(b *strings.Builder, name, help, more, example string, choices []string, kind, def, option string) {
	fmt.Fprintf(b, "### `%s`\n\n%s: %s.", name, strings.ToUpper(kind[:1])+kind[1:], help)
	if choices != nil {
		fmt.Fprintf(b, " One of %s.", "`"+strings.Join(choices, "`, `")+"`")
	}
	if def != "" {
		fmt.Fprintf(b, " Default: `%s`.", def)
	}
	if option != "" {
		fmt.Fprintf(b, " Option: `--%s`.", option)
	}
	if more != "" {
		b.WriteString(" " + more)
	}
	fmt.Fprintf(b, "\n\n```toml\n%s\n```\n\n", example)
}

const manualHead = `# Configuration

<!-- Written by a test from the table in ui/cli/config: go test ./ui/cli/config -update -->

callboard needs no configuration. It reads ` + "`$XDG_CONFIG_HOME/callboard/config.toml`" + ` (` + "`~/.config/callboard/config.toml`" + ` where that is not
set; callboard info prints the path), or the file of ` + "`--config FILE`" + ` or ` + "`CALLBOARD_CONFIG`" + `. ` + "`--no-config`" + `, or an empty name, reads none.

- ` + "`callboard config template`" + ` prints a file with every setting as a comment, to begin with.
- ` + "`callboard config check`" + ` says all that is wrong, with lines. Exit code 2 where something is.
- ` + "`callboard config show`" + ` prints what holds, and where it comes from. Secrets are masked.

Options of the command line are stronger than the file, for that run. What is wrong in the file keeps callboard from starting, so
that a misspelt ` + "`guard`" + ` or ` + "`read-only`" + ` is never passed over.

**While it runs**, the dashboard looks each second whether the file, a theme or an ` + "`mcp-json`" + ` list is another, and takes over themes, keys,
columns, filters and whatever else concerns the screen. What is wrong then is said in the footer, and the old settings hold.
Servers are not attached to, dropped or changed by that: the footer says which ones are others; ` + "`:disconnect NAME`" + ` and ` + "`:connect NAME`" + ` take
the new settings. How calls are made (` + "`prompts`" + `, ` + "`read-only`" + `, ` + "`sampling`" + `, ` + "`protocol`" + `) holds from the next start, or for a server from ` + "`:connect`" + `.

`

const manualKeys = `## Keys

` + "`[keys]`" + ` gives actions other keys. ` + "`callboard keys`" + ` lists the actions and what they are bound to. A key is a letter, a sign, or a name such as
` + "`ctrl+x`" + `, ` + "`space`" + `, ` + "`f5`" + `; several stand in a list; ` + "`[]`" + ` leaves the action without a key, and ` + "`:`" + ` still runs it. Two actions of one place
cannot share a key: the error names both.

` + "```toml\n[keys]\ntask.cancel = \"ctrl+k\"\nlist.down = [\"j\", \"down\", \"ctrl+j\"]\n```\n\n"

const manualThemes = "A theme of your own is a built-in one with other colours. It stands in the file, or in `themes/NAME.toml` beside it, which then has the same\nlines without the head.\n\n" +
	"```toml\ntheme = \"mine\"\n\n[themes.mine]\nbase = \"dark\"\naccent = \"#88c0d0\"\nworking = 6\nbad = \"bright-red\"\nselected = \"#3b4252\"\nselected-attributes = [\"bold\"]\n```\n\n" +
	"A colour is a number from 0 to 255, a name of the first 16 (`red`, `bright-red`), `#rrggbb`, or `\"\"` for the terminal's own. `#rrggbb` is exact where\n`COLORTERM` is `truecolor` or `24bit`, and the nearest of the 256 colours elsewhere.\n\n"

const manualServers = "A server has a name, and all that belongs to it: no other server ever gets its headers, its token or its session.\n\n" +
	"```toml\n[servers.prod]\nurl = \"https://mcp.example.com/mcp\"\nheaders = { Authorization = \"Bearer ${PROD_TOKEN}\" }\nguard = \"prod\"\n\n[servers.staging]\nurl = \"https://staging.example.com/mcp\"\ntoken-file = \"~/.secrets/staging\"\nconnect = false\n```\n\n" +
	"`callboard` alone attaches to all whose `connect` is true; `callboard prod staging` to those; `callboard ls prod` and all other commands take a name\nwhere they take a URL. A word that is a name is taken for that, even where it looks like a host. Names are also read from `mcp-json`.\n" +
	"`CALLBOARD_TOKEN` and `CALLBOARD_SESSION` are for URLs: a server by name does not get them.\n\n"
