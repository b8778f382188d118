package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"callboard/keymap"
	"callboard/model"
	"callboard/ui/uitest"
)

// prose are the pages that people write; docs/KEYS.md is written by the test
// below it.
var prose = []string{"../README.md", "../docs/OPERATORS.md", "../docs/SERVERS.md", "../docs/ARCHITECTURE.md"}

func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// docs/KEYS.md is the help as a page.
func TestThePageOfKeysIsTheHelp(t *testing.T) {
	onOps(t, 80, 24, func(s *stage, _ *script) {
		var b strings.Builder
		b.WriteString("# Keys, commands and words\n\n<!-- Written by a test from the help: go test ./ui -update -->\n\n" +
			"`?` shows the same on the screen, where it can be searched and run. `callboard keys` prints the keys with what your\n" +
			"configuration changed; [CONFIGURATION.md](CONFIGURATION.md) says how. A name works on the command line, too: `:task.cancel`.\n")
		for _, scope := range keymap.Default().Scopes() {
			fmt.Fprintf(&b, "\n## %s\n\n", scope.Name)
			switch {
			case scope.Alone:
				b.WriteString("Here no other keys work.\n\n")
			case scope.Place != "":
				fmt.Fprintf(&b, "In: %s.\n\n", strings.ReplaceAll(scope.Place, " ", ", "))
			}
			b.WriteString("| key | does | name |\n| --- | --- | --- |\n")
			for _, a := range scope.Actions {
				fmt.Fprintf(&b, "| %s | %s | `%s` |\n", codes(a.Keys), cell(a.Help), a.Name)
			}
		}
		b.WriteString("\n## Commands\n\nBehind `:`, beside the name of every action above.\n\n| command | does |\n| --- | --- |\n")
		for _, c := range commands() {
			e := entry{name: c.name, args: c.args}
			fmt.Fprintf(&b, "| `:%s` | %s |\n", e.title(), cell(c.help))
		}
		b.WriteString("\n## Filters\n\nBehind `/` in the table, and in `[filters]`. A row passes that all words let through.\n\n| word | lets through |\n| --- | --- |\n")
		for _, f := range model.FilterTokens() {
			fmt.Fprintf(&b, "| `%s` | %s |\n", f.Token, cell(f.Help))
		}
		b.WriteString("\n## Words\n\n| on the screen | means |\n| --- | --- |\n")
		for _, w := range s.r.scene().vocabulary() {
			fmt.Fprintf(&b, "| %s | %s |\n", cell(w[0]), cell(w[1]))
		}
		uitest.Page(t, "../docs/KEYS.md", b.String())
	})
}

func codes(keys []string) string {
	var all []string
	for _, k := range keys {
		all = append(all, "`"+keymap.Shown(k)+"`")
	}
	return strings.Join(all, " ")
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

var (
	tableRow   = regexp.MustCompile(`(?m)^\|(.*)\|$`)
	inCode     = regexp.MustCompile("`([^`\n]+)`")
	actionName = regexp.MustCompile(`^[a-z]+\.[a-z-]+$`)
	aKey       = regexp.MustCompile(`^([^ ]|(ctrl|alt|shift)\+[^ ]+|esc|tab|enter|space|pgup|pgdn|home|end|left|right|up|down)$`)
)

// A row of a table whose last cell names actions has all of their keys in its
// first cell, and no others.
func TestTablesOfKeysInDocsAreTheKeymap(t *testing.T) {
	all := keymap.Default()
	shown := map[string]bool{} // keys of any action
	for _, a := range all.Actions() {
		for _, k := range a.Keys {
			shown[keymap.Shown(k)] = true
		}
	}
	rows, named := 0, map[string]bool{}
	for _, path := range prose {
		text := readPage(t, path)
		for _, row := range tableRow.FindAllStringSubmatch(text, -1) {
			cells := strings.Split(row[1], " | ")
			var actions []string
			for _, c := range inCode.FindAllStringSubmatch(cells[len(cells)-1], -1) {
				if actionName.MatchString(c[1]) {
					actions = append(actions, c[1])
				}
			}
			if len(actions) == 0 {
				continue
			}
			rows++
			var want []string
			for _, name := range actions {
				b := all.Binding(name)
				if b == nil {
					t.Errorf("%s: there is no action %s", path, name)
					continue
				}
				named[name] = true
				for _, k := range b.Keys() {
					want = append(want, keymap.Shown(k))
				}
			}
			var got []string
			for _, c := range inCode.FindAllStringSubmatch(cells[0], -1) {
				got = append(got, c[1])
			}
			if slices.Sort(got); !slices.Equal(got, slices.Compact(slices.Sorted(slices.Values(want)))) {
				t.Errorf("%s: %v has the keys %q, not %q", path, actions, want, got)
			}
		}
		for _, c := range inCode.FindAllStringSubmatch(text, -1) {
			if aKey.MatchString(c[1]) && !shown[c[1]] {
				t.Errorf("%s: no action has the key %s", path, c[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("only %d rows of keys were found", rows)
	}
	for _, scope := range all.Scopes() {
		if scope.Alone {
			continue // each shows its keys in its own footer
		}
		for _, a := range scope.Actions {
			if !named[a.Name] {
				t.Errorf("no table names %s (%s: %s)", a.Name, a.Shown, a.Help)
			}
		}
	}
}

// Commands of the command line that docs name are there, and each is named.
func TestCommandsInDocsAreThere(t *testing.T) {
	named := map[string]bool{}
	for _, path := range prose {
		for _, c := range inCode.FindAllStringSubmatch(readPage(t, path), -1) {
			word, _, _ := strings.Cut(c[1], " ")
			name, ok := strings.CutPrefix(word, ":")
			if !ok || name == "" || name == "null" { // :null is a value of --field
				continue
			}
			named[name] = true
			if _, ok := commandOf(name); !ok && keymap.Default().Binding(name) == nil {
				t.Errorf("%s: there is no command :%s", path, name)
			}
		}
	}
	for _, c := range commands() {
		if !named[c.name] {
			t.Errorf("no page names :%s (%s)", c.name, c.help)
		}
	}
}

// What a filter understands, and the words for what is known of a task, are in
// the page for operators.
func TestThePageForOperatorsHasTheWords(t *testing.T) {
	page := readPage(t, "../docs/OPERATORS.md")
	onOps(t, 80, 24, func(s *stage, _ *script) {
		_, tokens := model.CompleteFilter("", 0, s.m)
		_, kinds := model.CompleteFilter("is:", 3, s.m)
		if len(tokens) < 5 || len(kinds) < 5 {
			t.Fatalf("tokens %q, kinds %q", tokens, kinds)
		}
		for _, token := range tokens {
			if !strings.Contains(page, "`"+token) {
				t.Errorf("no word about the filter %s", token)
			}
		}
		for _, kind := range kinds {
			if !strings.Contains(page, "`"+kind+"`") {
				t.Errorf("no word about the filter is:%s", kind)
			}
		}
		for _, w := range s.r.scene().vocabulary() {
			if word := strings.TrimLeft(w[0], "●◑◌○■ "); !strings.Contains(page, word) {
				t.Errorf("no word about %q: %s", word, w[1])
			}
		}
	})
	for _, c := range allColumns() {
		if !strings.Contains(page, "`"+c.name+"`") {
			t.Errorf("no word about the column %s", c.name)
		}
	}
	for _, e := range Events {
		if !strings.Contains(page, "`"+e+"`") {
			t.Errorf("no word about the event %s", e)
		}
	}
}

// Each picture in the docs is one that a page shows, and of the program: made
// anew whenever it looks otherwise.
func TestPicturesAreShown(t *testing.T) {
	pictures, err := filepath.Glob("../docs/*.svg")
	if err != nil || len(pictures) == 0 {
		t.Fatal(pictures, err)
	}
	var all strings.Builder
	for _, path := range prose {
		all.WriteString(readPage(t, path))
	}
	for _, p := range pictures {
		if !strings.Contains(all.String(), filepath.Base(p)) {
			t.Errorf("no page shows %s", p)
		}
	}
}
