package cli

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages are those that people write.
var pages = []string{"../../README.md", "../../docs/OPERATORS.md", "../../docs/SERVERS.md"}

var (
	inCode   = regexp.MustCompile("`([^`\n]+)`")
	fenced   = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	optional = regexp.MustCompile(`--[a-z][a-z-]*`)
	called   = regexp.MustCompile(`(?:^|[(\s])callboard ([a-z]+)(?:[^a-z:]|$)`)
	tableRow = regexp.MustCompile("(?m)^\\| `([a-z]+)")
)

// Every command and option that docs name is there, and each stands in the README.
func TestDocsHaveTheCommandsAndOptions(t *testing.T) {
	readme := ""
	for _, path := range pages {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if readme == "" {
			readme = text
		}
		code := ""
		for _, m := range fenced.FindAllStringSubmatch(text, -1) {
			code += m[1]
		}
		for _, m := range inCode.FindAllStringSubmatch(text, -1) {
			code += m[1] + "\n"
		}
		for _, name := range optional.FindAllString(code, -1) {
			if !slices.ContainsFunc(options[:], func(o option) bool { return "--"+o.name == name }) {
				t.Errorf("%s: there is no option %s", path, name)
			}
		}
		for line := range strings.Lines(code) {
			line, _, _ = strings.Cut(line, "#")
			for _, m := range called.FindAllStringSubmatch(line, -1) {
				if commandNamed(m[1]) == nil && !slices.Contains([]string{"prod", "archive"}, m[1]) {
					t.Errorf("%s: there is no command %s: %s", path, m[1], line)
				}
			}
			checkLine(t, path, line)
		}
	}
	_, scripts, _ := strings.Cut(readme, "## From scripts")
	scripts, _, _ = strings.Cut(scripts, "## Options")
	for _, m := range tableRow.FindAllStringSubmatch(scripts, -1) {
		if commandNamed(m[1]) == nil {
			t.Errorf("README: there is no command %s", m[1])
		}
	}
	for _, name := range named() {
		if name != "demo" && !regexp.MustCompile("`"+name+"[ `]").MatchString(scripts) {
			t.Errorf("README does not say what %s does", name)
		}
	}
	for _, o := range options {
		if !regexp.MustCompile("--" + o.name + `[^a-z-]`).MatchString(readme) {
			t.Errorf("README does not name --%s: %s", o.name, o.help)
		}
	}
	for _, e := range exitCodes {
		if !strings.Contains(readme, e[0]+" ") {
			t.Errorf("README does not name the exit code %s: %s", e[0], e[1])
		}
	}
}

// checkLine checks that the options of a whole command line suit its command.
func checkLine(t *testing.T, path, line string) {
	t.Helper()
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "callboard" {
		return
	}
	c := commandNamed(words[1])
	if c == nil {
		c = commandOf(Dashboard)
	}
	for _, name := range optional.FindAllString(line, -1) {
		if !c.suits(name[2:]) {
			t.Errorf("%s: %s does not suit: %s", path, name, line)
		}
	}
}
