package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAccess(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"x": " s3cret-x\n", "empty": "\n", "session": "s-1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := func(name string) string {
		return map[string]string{"TOKEN": "s3cret", "HOST": "localhost:3000", "BAD": "a\nb"}[name]
	}
	at := func(foreign bool, url, value string) (Access, error) {
		s := newServer("prod", filepath.Join(dir, "config.toml"), 1)
		s.Foreign, s.URL, s.Headers = foreign, url, map[string]string{"X": value}
		return s.Access(env)
	}
	for _, c := range []struct {
		foreign          bool
		url, value, want string
	}{
		{false, "localhost", "Bearer ${TOKEN}", "Bearer s3cret"},
		{false, "localhost", "${file:x}!", "s3cret-x!"},
		{false, "localhost", "${file:" + dir + "/x}", "s3cret-x"},
		{false, "localhost", "a$$b $c $${TOKEN}", "a$b $c ${TOKEN}"},
		{true, "localhost", "a$$b ${env:TOKEN} ${NOPE:-fall} ${TOKEN:-x}", "a$$b s3cret fall s3cret"},
	} {
		a, err := at(c.foreign, c.url, c.value)
		if err != nil || a.Header.Get("X") != c.want || a.URL != "http://localhost" {
			t.Errorf("%s: %v, %v", c.value, a, err)
		}
	}
	if a, err := at(false, "http://${HOST}/mcp?k=${TOKEN}", ""); err != nil || a.Shown != "http://localhost:3000/mcp" || !strings.Contains(a.URL, "s3cret") {
		t.Errorf("%+v, %v", a, err)
	}
	for _, c := range []struct {
		foreign    bool
		url, value string
		want       string
	}{
		{false, "localhost", "s3cret ${NOPE}", "prod: headers.X: the variable NOPE is not set"},
		{false, "localhost", "s3cret ${file:nope}", "the file " + dir + "/nope cannot be read: no such file or directory"},
		{false, "localhost", "s3cret ${file:empty}", "empty is empty"},
		{false, "localhost", "s3cret ${TOKEN", "${ without a name and }"},
		{false, "localhost", "s3cret ${}", "${ without a name and }"},
		{false, "localhost", "${BAD}", "the value holds characters that no header may"},
		{false, "localhost", "${env:TOKEN}", "the variable env:TOKEN is not set"},
		{true, "localhost", "${file:x}", "the variable file:x is not set"},
		{true, "localhost", "s3cret ${input:key}", "${input:key} asks the person"},
		{false, "${NOPE}", "", "prod: url: the variable NOPE is not set"},
		{false, "ftp://s3cret@${HOST}", "", "callboard speaks http and https, not ftp"},
	} {
		_, err := at(c.foreign, c.url, c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s %s: %v, want %q", c.url, c.value, err, c.want)
		}
	}
}

const listJSON = `{
  "mcpServers": {
    "wiki": {"type": "http", "url": "https://wiki.example.com/mcp", "headers": {"Authorization": "Bearer ${WIKI:-none}"}},
    "My Files": {"url": "http://localhost:4000/mcp"},
    "shell": {"command": "npx", "args": ["s3cret"]},
    "old": {"type": "sse", "url": "https://old.example.com/sse"},
    "off": {"url": "https://off.example.com/mcp", "disabled": true},
    "asks": {"url": "https://asks.example.com/mcp", "headers": {"X": "${input:key}"}},
    "prod": {"url": "https://evil.example.com/mcp"},
    "odd": 3,
    "bare": {}
  },
  "servers": {"code": {"type": "streamable-http", "url": "https://code.example.com/mcp"}}
}`

func TestLists(t *testing.T) {
	list := write(t, "mcp.json", listJSON)
	toml := write(t, "config.toml", "mcp-json = ['"+list+"', './not-there.json']\n[servers.prod]\nurl = 'localhost'\n")
	c, err := Load(toml, true, nil, Checks{})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, s := range c.Servers {
		for _, row := range s.Rows() {
			got.WriteString(row.Name + " = " + row.Value + "  " + row.From + "\n")
		}
	}
	for _, l := range c.Lists {
		got.WriteString(filepath.Base(l.Path) + ": " + l.Why + "\n")
		for _, p := range l.Passed {
			got.WriteString("  " + p.Name + ": " + p.Why + "\n")
		}
	}
	if strings.Contains(got.String(), "s3cret") || strings.Contains(got.String(), "none") {
		t.Error("a secret is told")
	}
	golden(t, "testdata/lists.txt", got.String())

	_, err = Load("", false, []string{filepath.Join(t.TempDir(), "nowhere.json")}, Checks{})
	if err == nil || !strings.Contains(err.Error(), "nowhere.json cannot be read: no such file") {
		t.Errorf("%v", err)
	}
	_, err = Load("", false, []string{write(t, "bad.json", "{\n\"mcpServers\":\n[]}")}, Checks{})
	if err == nil || err.Error() != "bad.json:3: it is no JSON with servers in it" {
		t.Errorf("%v", err)
	}
}

// What show prints of a server holds no secret.
func TestMasked(t *testing.T) {
	c, err := load(t, `[servers.prod]
url = "https://u:s3cret@host/mcp?key=s3cret"
headers = { A = "s3cret", B = "Bearer s3cret", C = "Bearer ${TOKEN}", D = "${X}s3cret${file:~/x}" }
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range c.Servers[0].Rows() {
		got = append(got, row.Name+" = "+row.Value+"  "+row.From)
	}
	want := `servers.prod.url = "https://host/mcp"  config.toml:2
servers.prod.headers = { A = "***", B = "Bearer ***", C = "Bearer ${TOKEN}", D = "${X}***${file:~/x}" }  config.toml:3
servers.prod.connect = true  default`
	if strings.Join(got, "\n") != want {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
