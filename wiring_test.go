package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"callboard/ui/cli"
)

// Whatever the screen lets one set comes from the configuration: where every
// setting is another than the default, no field of ui.Settings is left empty.
func TestEverySettingReachesTheScreen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	document := `
theme = "dark"
mouse = false
title = false
notify = ["down"]
ttl-warning = "5m"
columns = ["status"]
images = "kitty"
log-hide = ["ping"]
filters.mine = "status:failed"
[servers.prod]
url = "localhost"
columns = ["task"]
`
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := cli.Parse([]string{"--config", path}, func(string) string { return "" }, loadConfig)
	if err != nil {
		t.Fatal(err)
	}
	set, err := settings(a, a.Config)
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(set)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("no setting of the configuration fills ui.Settings.%s: settings.go", v.Type().Field(i).Name)
		}
	}
}
