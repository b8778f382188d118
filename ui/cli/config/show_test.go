package config

import (
	"reflect"
	"testing"
)

func TestChanged(t *testing.T) {
	parse := func(document string) *Config {
		t.Helper()
		c, err := load(t, document)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const from = "title = true\ncolumns = ['status']\n[keys]\ntask.cancel = 'ctrl+k'\n[themes.a]\nbad = '1'\n[themes.b]\n[servers.x]\nurl = 'h'\n[servers.y]\nurl = 'h'\nheaders.A = 'one'\n"
	for _, c := range []struct {
		to      string
		changed []string
		servers [3][]string
	}{
		{from, nil, [3][]string{}},
		{"# moved\n" + from, nil, [3][]string{}},
		{"", []string{"columns", "keys", "themes.a", "themes.b"}, [3][]string{nil, {"x", "y"}, nil}},
		{"title = false\ncolumns = ['status', 'age']\n[keys]\ntask.cancel = 'ctrl+l'\n[themes.a]\nbad = '2'\n[themes.b]\n[servers.x]\nurl = 'h'\nguard = 'x'\n[servers.y]\nurl = 'h'\nheaders.A = 'two'\n[servers.z]\nurl = 'h'\n",
			[]string{"title", "columns", "keys", "themes.a"}, [3][]string{{"z"}, nil, {"x", "y"}}},
	} {
		a, b := parse(from), parse(c.to)
		if got := Changed(a, b); !reflect.DeepEqual(got, c.changed) {
			t.Errorf("%s: %v, want %v", c.to, got, c.changed)
		}
		added, removed, changed := ServersChanged(a, b)
		if got := [3][]string{added, removed, changed}; !reflect.DeepEqual(got, c.servers) {
			t.Errorf("%s: %v, want %v", c.to, got, c.servers)
		}
	}
}
