package render

import (
	"strings"
	"testing"
)

// Names that are cut can be told from each other, whatever part of them is the
// same.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		names, want string
		w           int
	}{
		{"127.0.0.1:8931 127.0.0.1:8932", "127.0.…:8931 127.0.…:8932", 12},
		{"a.example.com b.example.com", "a.ex….com b.ex….com", 9},
		{"mcp.a.example.com mcp.b.example.com", "mcp.a.e…le.com mcp.b.e…le.com", 14},
		{"prod-eu-1-of-the-payments prod-eu-2-of-the-payments", "prod-eu-1… prod-eu-2…", 10},
		{"a-rather-long-beginning-1-and-a-rather-long-end a-rather-long-beginning-2-and-a-rather-long-end", "…1 …2", 10},
		{"short 127.0.0.1:8931", "short 127.…931", 8},
		{"日本語のサーバー一号 日本語のサーバー二号", "日本…一号 日本…二号", 9},
		{"abcdef abcxyz", "a… a…", 2},
		{"abc abc", "abc abc", 3},
	} {
		names := strings.Fields(c.names)
		short := Names(names, c.w, "…")
		var got []string
		for _, n := range names {
			got = append(got, short[n])
			if Width(short[n]) > c.w {
				t.Errorf("%q takes %d cells of %d", short[n], Width(short[n]), c.w)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s in %d: %q", c.names, c.w, s)
		}
	}
}
