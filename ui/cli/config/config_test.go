package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write golden files, and docs/CONFIGURATION.md")

// golden compares with testdata/NAME, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil { //nolint:gosec // others may read it
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is another (-update writes it):\n%s", name, got)
	}
}

// write writes a file below a new folder and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, document string) (*Config, error) {
	t.Helper()
	return Load(write(t, "config.toml", document), true, nil, Checks{
		Column: func(entry string) error {
			if entry == "nose" {
				return errors.New("no column nose")
			}
			return nil
		},
		Filter: func(text string) error {
			if text == "/(" {
				return errors.New("no regular expression")
			}
			return nil
		},
	})
}

func TestAllIsRead(t *testing.T) {
	c, err := load(t, `
theme = "mine"
ascii = true
mouse = false
ttl-warning = "5m"
notify = ["down"]
columns = ["status", "tool:14"]
sampling-command = "my-model"
mcp-json = ["./nowhere.json"]

[filters]
broken = "status:failed"

[keys]
task.cancel = "ctrl+k"
"list.down" = ["j", "down"]

[themes.mine]
base = "dark"
accent = 6
bad = "#ff0000"
selected-attributes = ["underline"]

[servers.prod]
url = "https://mcp.example.com/mcp"
headers = { Authorization = "Bearer ${PROD}" }
guard = "prod"
token-file = "token"

[servers."a.b"]
url = "localhost:3000/mcp"
connect = false
`)
	if err != nil {
		t.Fatal(err)
	}
	if c.Theme != "mine" || !c.ASCII || c.Mouse || c.TTLWarning != 5*time.Minute || c.Sampling != "command" || !c.Title ||
		!slices.Equal(c.Notify, []string{"down"}) || c.Filters["broken"] != "status:failed" {
		t.Errorf("%+v", c)
	}
	if len(c.Keys) != 2 || c.Keys[0].Name != "task.cancel" || c.Keys[0].Line != 15 || c.Keys[1].Name != "list.down" || len(c.Keys[1].Keys) != 2 {
		t.Errorf("keys %+v", c.Keys)
	}
	if o := c.Themes["mine"]; o.Base != "dark" || o.Colours["accent"] != "6" || len(o.Selected) != 1 {
		t.Errorf("theme %+v", o)
	}
	prod, ab := c.Server("prod"), c.Server("a.b")
	if prod == nil || ab == nil || !prod.Connect || ab.Connect || prod.Guard != "prod" || c.Servers[0] != prod {
		t.Fatalf("servers %+v", c.Servers)
	}
	if prod.TokenFile != filepath.Join(filepath.Dir(c.Path), "token") {
		t.Errorf("token-file %s", prod.TokenFile)
	}
	if prod.Where() != "config.toml:24" || c.Where("ttl-warning") != "config.toml:5" {
		t.Errorf("places %s and %s", prod.Where(), c.Where("ttl-warning"))
	}
}

// All that is wrong is said at once, with lines, and no value of it.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, document string }{
		{"typos", "theem = 'dark'\nzzzzz = 1\n[servers.prod]\nurl = 'localhost'\ngaurd = 'prod'\nread_only = true\n[themes.mine]\nacent = '1'\n[key]\nx = 1\n[keys]\ntask.cancle = 'x'\n"}, //nolint:misspell // a slip
		{"types", "theme = 3\nascii = 'yes'\nnotify = 'prompt'\ncolumns = ['status', 3, ['x']]\nttl-warning = 5\nfilters = ['x']\nmcp-json = {}\nkeys = 3\nservers = 'x'\ntitle = 1979-05-27\n"},
		{"values", "theme = 'neon'\nprompts = 'eagre'\nnotify = [\n  'prompt',\n  'faild',\n]\nimages = 'always'\nttl-warning = 'soon'\ncolumns = ['nose']\nsampling = 'command'\n[filters]\nbad = '/('\n"},
		{"negative", "ttl-warning = '-5m'\nsampling-command = ''\n"},
		{"servers", "[servers]\nx = 3\n[servers.'a b']\nurl = 'https://u:s3cret@[broken'\n[servers.none]\nguard = 'x'\n[servers.ftp]\nurl = 'ftp://host'\nclient-cert = 'x'\n" +
			"[servers.headers]\nurl = 'localhost'\nheaders = { 'no name' = 's3cret', X = \"s3cret\\n\", Y = 3 }\nsampling = 'command'\nprotocol = '2024-11-05'\n"},
		{"inline", "servers = { prod = { url = 'localhost', gaurd = 'x' },\n  staging = { url = 'localhost', gaurd = 'x' } }\n"}, //nolint:misspell // a slip
		{"dotted", "servers.prod.url = 'localhost'\nservers.prod.gaurd = 'x'\nservers.\"prod\".headers.X = 3\n"},
		{"arrays", "[[servers.prod]]\nurl = 'localhost'\n[[servers.prod]]\nurl = 'localhost'\n"},
		{"themes", "[themes.dark]\naccent = '1'\n[themes.mine]\nbase = 'neon'\nbad = 'pink'\ngood = 256\nworking = '#12'\nselected-attributes = ['blink']\n[themes]\nx = 1\n"},
		{"keys", "[keys]\ntask.cancel = 'y'\nlist.down = 3\neverywhere.abort = []\nlist.up = 'hyper+x'\n"},
		{"syntax", "theme = 'dark'\nheaders = \"Bearer s3cret\n"},
		{"syntax2", "theme = dark s3cret\n"},
		{"twice", "theme = 'dark'\ntheme = 's3cret'\n"},
	} {
		cfg, err := load(t, c.document)
		var faults Faults
		if !errors.As(err, &faults) || cfg == nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text := strings.ReplaceAll(err.Error(), filepath.Dir(cfg.Path), "DIR")
		if strings.Contains(text, "s3cret") {
			t.Errorf("%s: it tells a secret: %s", c.name, text)
		}
		golden(t, filepath.Join("testdata", c.name+".txt"), c.document+"\n---\n"+text+"\n")
	}
}

func TestManualAndTemplate(t *testing.T) {
	golden(t, "../../../docs/CONFIGURATION.md", Manual())
	// What the template comments out is a configuration.
	var lines []string
	head := true
	for line := range strings.Lines(Template()) {
		text, comment := strings.CutPrefix(line, "# ")
		switch {
		case strings.TrimSpace(line) == "":
			head = false
		case comment && !head && (strings.Contains(text, " = ") && !strings.Contains(text, "means sampling") || strings.HasPrefix(text, "[")) && !strings.HasPrefix(text, "[] "):
			lines = append(lines, text)
		}
	}
	document := strings.Join(lines, "")
	if c, err := load(t, document); err != nil || len(c.Servers) != 1 || len(c.Keys) != 1 || len(c.Themes) != 1 {
		t.Errorf("%v\n%s", err, document)
	}
}

func TestThemeFiles(t *testing.T) {
	path := write(t, "config.toml", "theme = \"nord\"\n[themes.twice]\nbad = '1'\n")
	dir := filepath.Join(filepath.Dir(path), "themes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"nord.toml": "base = \"dark\"\naccent = \"#88c0d0\"\n", "twice.toml": "", "bad.toml": "base = 'dark'\nzebra = 'red'\n", "notes.txt": "not read",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Load(path, true, nil, Checks{})
	if err == nil || err.Error() != "bad.toml:2: zebra: no such setting\ntwice.toml: config.toml has a theme of that name, too" {
		t.Errorf("%v", err)
	}
	if c.Themes["nord"].Colours["accent"] != "#88c0d0" {
		t.Errorf("%+v", c.Themes)
	}
}

// The lines of keys, however they are written.
func TestLocate(t *testing.T) {
	lines, err := locate("a = 1 # b = 2\n\n\"q.r\" = '''\nx = 1\n'''\nt = \"\"\"\n\\\"\"\"\"\nc.d = [ 1,\n # no\n [2, {e = 1,\n f = 2}] ]\n[[g]]\nh = 1\n[[g]]\nh = 2\n[g.i]\nj = 1979-05-27T07:32:00Z\n[ k . \"l\" ]\r\nm = { n = { o = 1 } }\r\np=1")
	if err != nil {
		t.Fatal(err)
	}
	for key, line := range map[string]int{
		"a": 1, "q.r": 3, "t": 6, "c": 8, "c d": 8, "c d 0": 8, "c d 1": 10, "c d 1 1 e": 10, "c d 1 1 f": 11,
		"g 0 h": 13, "g 1": 14, "g 1 h": 15, "g 1 i": 16, "g 1 i j": 17, "k l": 18, "k l m n o": 19, "k l p": 20, "b": 0, "x": 0,
	} {
		if got := lines[strings.ReplaceAll(key, " ", "\x00")]; got != line {
			t.Errorf("%s: line %d, want %d", key, got, line)
		}
	}
}
