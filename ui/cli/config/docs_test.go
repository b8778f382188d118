package config

import (
	"os"
	"strings"
	"testing"
)

// The page of settings has each of them.
func TestDocsHaveTheSettings(t *testing.T) {
	page, err := os.ReadFile("../../../docs/CONFIGURATION.md")
	if err != nil {
		t.Fatal(err)
	}
	general, ofServers, _ := strings.Cut(string(page), "\n## Servers\n")
	for _, s := range settings {
		if !strings.Contains(general, "### `"+s.name+"`") {
			t.Errorf("no word about %s", s.name)
		}
	}
	for _, s := range serverSettings {
		if !strings.Contains(ofServers, "### `"+s.name+"`") {
			t.Errorf("no word about %s of a server", s.name)
		}
	}
}
