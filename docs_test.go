package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"callboard/model"
	"callboard/ui"
	"callboard/ui/cli/config"
)

// What docs say of keys, words, commands, options and settings is held true where
// these are: in ui, ui/cli and ui/cli/config.

func docs(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("docs/*.md")
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	pages := map[string]string{}
	for _, path := range append(paths, "README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages[path] = string(text)
	}
	return pages
}

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	tomlCode = regexp.MustCompile("(?ms)^```toml\n(.*?)^```$")
)

// What docs link to is there, and each page and picture is linked to.
func TestLinksInDocsLeadSomewhere(t *testing.T) {
	linked := map[string]bool{"README.md": true}
	for path, text := range docs(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to, _, _ := strings.Cut(m[1], "#")
			to = filepath.Join(filepath.Dir(path), to)
			linked[to] = true
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			}
		}
	}
	all, err := filepath.Glob("docs/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if !linked[path] {
			t.Errorf("no page leads to %s", path)
		}
	}
}

// A configuration that a page shows as a whole can be used.
func TestConfigurationsInDocsAreFine(t *testing.T) {
	found := 0
	for path, text := range docs(t) {
		for _, m := range tomlCode.FindAllStringSubmatch(text, -1) {
			if path == filepath.Join("docs", "CONFIGURATION.md") && !strings.HasPrefix(m[1], "[keys]") {
				continue // parts of one; ui/cli/config writes them, and tests them
			}
			found++
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(m[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := config.Load(file, true, nil, config.Checks{Column: ui.CheckColumn, Filter: model.CheckFilter})
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if found < 2 {
		t.Errorf("%d configurations were found", found)
	}
}

// Each module that the program is built with has its license in the notices, by
// its name or by one that ends in "...".
func TestNoticesNameTheModules(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	notices := docs(t)[filepath.Join("docs", "NOTICES.md")]
	var known []string
	for _, m := range regexp.MustCompile(`([a-z]+(?:\.[a-z]+)+/[^\s,|]*)`).FindAllStringSubmatch(notices, -1) {
		known = append(known, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(string(mod), -1) {
		if !slices.ContainsFunc(known, func(k string) bool {
			begin, all := strings.CutSuffix(k, "...")
			return k == m[1] || all && strings.HasPrefix(m[1], begin)
		}) {
			t.Errorf("docs/NOTICES.md does not name %s", m[1])
		}
	}
}
