package main

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A wall says what a room may import: rooms of ours, and modules of others by
// the paths that begin with these. The standard library is free.
type wall struct {
	room   string // an import path; a room below it has the same wall unless it has its own
	ours   []string
	others []string
	why    string
}

const (
	bubbletea = "github.com/charmbracelet/bubbletea"
	bubbles   = "github.com/charmbracelet/bubbles"
	lipgloss  = "github.com/charmbracelet/lipgloss"
	ansi      = "github.com/charmbracelet/x/ansi"
)

var walls = []wall{
	{"callboard", []string{"callboard"}, []string{bubbletea},
		"main is the only room that knows both the screen and the wire"},
	{"callboard/model/task", nil, nil,
		"the nouns are the standard library's alone, so that wire and screen can both depend on them"},
	{"callboard/model", []string{"callboard/model/task"}, []string{bubbletea, "golang.org/x/sync", "golang.org/x/time", "github.com/tidwall/btree"},
		"the thinking half meets the wire at its own port only, and is tested without a terminal"},
	{"callboard/model/state", []string{"callboard/model/task"}, []string{"github.com/gofrs/flock", "github.com/adrg/xdg"},
		"files and locks know no server and no screen; main hands them to the model behind its port"},
	{"callboard/mcpclient", []string{"callboard/mcpclient", "callboard/model/task"}, []string{"golang.org/x/sync", "golang.org/x/time", "golang.org/x/net"},
		"the protocol knows no screen: it never imports Bubble Tea, the model or ui"},
	{"callboard/mcpclient/internal/jsonrpc", nil, nil,
		"messages know nothing of how they travel or what they mean"},
	{"callboard/mcpclient/internal/transport", []string{"callboard/mcpclient/internal/jsonrpc"}, []string{"github.com/r3labs/sse/v2", "gopkg.in/cenkalti/backoff.v1", "golang.org/x/net"},
		"r3labs/sse loses data as shipped; it is wrapped in this one room"},
	{"callboard/mcpclient/schema", []string{"callboard/model/task"}, []string{"github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text", "golang.org/x/net"},
		"schemas become forms without the wire"},
	{"callboard/mcpclient/mcptest", nil, nil,
		"the scripted server shares no code with the client, so that it can contradict it"},
	{"callboard/themes", []string{"callboard/themes"}, []string{lipgloss, ansi, "github.com/muesli/termenv"},
		"looks know no state"},
	{"callboard/themes/background", nil, []string{lipgloss},
		"one import more, and Bubble Tea is initialised first and asks the terminal, for up to 5 s"},
	{"callboard/leaktest", nil, []string{"go.uber.org/goleak"},
		"the end of each room's tests knows none of them"},
	{"callboard/keymap", nil, []string{bubbles, bubbletea},
		"keys know neither state nor screen; help reads the same bindings, and Bubble Tea names what a terminal can send"},
	{"callboard/ui", []string{"callboard/ui", "callboard/model", "callboard/model/task", "callboard/keymap", "callboard/themes"},
		[]string{bubbletea, bubbles, lipgloss, ansi, "github.com/rivo/uniseg", "github.com/sahilm/fuzzy", "golang.org/x/net", "golang.org/x/text", "golang.org/x/time",
			"github.com/aymanbagabas/go-udiff/lcs"},
		"the looking half never sees the wire: what it shows comes from the model, what it wants is a message"},
	{"callboard/ui/term", []string{"callboard/model/task", "callboard/themes/background"},
		[]string{bubbletea, ansi, "github.com/aymanbagabas/go-osc52/v2", "github.com/atotto/clipboard", "golang.org/x/term", "golang.org/x/sys"},
		"the owner of the terminal knows no tasks; it counts cells as the panes do"},
	{"callboard/ui/term/termtest", nil, []string{"github.com/creack/pty", "github.com/charmbracelet/x/vt", ansi, "golang.org/x/term"},
		"a terminal for tests"},
	{"callboard/ui/cli/config", []string{"callboard/model/task", "callboard/keymap", "callboard/themes"},
		[]string{"github.com/BurntSushi/toml", "github.com/adrg/xdg", "golang.org/x/net"},
		"a file becomes settings without a screen, so that commands have the same"},
	{"callboard/ui/cli", []string{"callboard/ui/cli", "callboard/model", "callboard/model/task"}, []string{bubbletea, "golang.org/x/net"},
		"the commands without a screen read the model, as the dashboard does"},
}

// forTests are modules of others that only tests may import.
var forTests = []string{
	"go.uber.org/goleak", "github.com/creack/pty", "github.com/charmbracelet/x/vt", "github.com/rogpeppe/go-internal",
	"github.com/muesli/termenv", "github.com/santhosh-tekuri/jsonschema/v6", ansi,
}

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// under reports whether path is root or below it.
func under(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

func wallOf(room string) (w wall, found bool) {
	for _, each := range walls {
		if under(room, each.room) && len(each.room) > len(w.room) && (each.room != "callboard" || room == "callboard") {
			w, found = each, true
		}
	}
	return w, found
}

func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func (w wall) allows(path string) bool {
	if under(path, "callboard") {
		return slices.Contains(w.ours, path) || slices.ContainsFunc(w.ours, func(root string) bool {
			// Below a room of ours only where it is the wall's own, or main's.
			return under(path, root) && (root == w.room || root == "callboard" || root == "callboard/themes")
		})
	}
	return standard(path) || slices.ContainsFunc(w.others, func(root string) bool { return under(path, root) })
}

// ofTests are rooms that only tests use. mcptest is none: the demo runs it.
var ofTests = []string{"callboard/leaktest", "callboard/ui/uitest", "callboard/ui/term/termtest"}

func TestWalls(t *testing.T) {
	used := map[string]bool{}
	for _, p := range list(t) {
		w, found := wallOf(p.ImportPath)
		if !found {
			t.Errorf("%s has no wall: say in walls_test.go what it may import, and why", p.ImportPath)
			continue
		}
		used[w.room] = true
		for _, path := range p.Imports {
			if !w.allows(path) {
				t.Errorf("%s must not import %s: %s", p.ImportPath, path, w.why)
			}
			if slices.Contains(ofTests, path) && !slices.Contains(ofTests, p.ImportPath) {
				t.Errorf("%s must not import %s: it is for tests, and would make the program larger", p.ImportPath, path)
			}
		}
		for _, path := range append(p.TestImports, p.XTestImports...) {
			if under(path, "callboard") || w.allows(path) {
				continue
			}
			if !slices.ContainsFunc(forTests, func(root string) bool { return under(path, root) }) {
				t.Errorf("the tests of %s must not import %s: it is not on the list", p.ImportPath, path)
			}
		}
	}
	for _, w := range walls {
		if !used[w.room] {
			t.Errorf("there is no room %s behind its wall", w.room)
		}
	}
}

// The screen and the wire must not meet by way of a third room, either.
func TestScreenAndWireNeverMeet(t *testing.T) {
	for room, never := range map[string][]string{
		"./ui/...":        {"callboard/mcpclient"},
		"./model/...":     {"callboard/mcpclient", "callboard/ui"},
		"./mcpclient/...": {bubbletea, lipgloss, "callboard/ui"},
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", room).Output()
		if err != nil {
			t.Fatal(err)
		}
		for path := range strings.Lines(string(out)) {
			for _, root := range never {
				if under(strings.TrimSpace(path), root) {
					t.Errorf("%s reaches %s", room, path)
				}
			}
		}
	}
}

// What outlives the program is behind the model's port: main alone knows files.
func TestOnlyMainImportsState(t *testing.T) {
	for _, p := range list(t) {
		if p.ImportPath != "callboard" && slices.Contains(p.Imports, "callboard/model/state") {
			t.Errorf("%s must not import callboard/model/state: main hands it over as a model.Memory", p.ImportPath)
		}
	}
}

// Whatever its build tags: one room wraps r3labs/sse, since it loses data as shipped.
func TestOneRoomImportsSSE(t *testing.T) {
	wraps := filepath.FromSlash("mcpclient/internal/transport")
	found := false
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			if err == nil && d.IsDir() && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err != nil || !strings.HasPrefix(imported, "github.com/r3labs/sse") {
				continue
			}
			if filepath.Dir(path) == wraps {
				found = true
			} else {
				t.Errorf("%s imports r3labs/sse: use %s, which loses nothing", path, wraps)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Error("server-sent events do not go through r3labs/sse any more")
	}
}

func TestTopLevel(t *testing.T) {
	allowed := []string{
		"main.go", "demo.go", "attach.go", "settings.go", "keys.go", "keymap", "themes", "model", "mcpclient", "ui", "leaktest", "interop", "README.md", "LICENSE", "go.mod", "go.sum",
		"docs", ".ci", ".github", "Makefile", ".golangci.yml", ".git", ".gitignore", "callboard", "bin", "dist", "testdata",
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		ignored := slices.Contains([]string{".test", ".prof", ".out"}, filepath.Ext(name))
		if !slices.Contains(allowed, name) && !strings.HasSuffix(name, "_test.go") && !ignored {
			t.Errorf("%s stands at the top: each thing has its room", name)
		}
	}
	for _, p := range list(t) {
		for part := range strings.SplitSeq(p.ImportPath, "/") {
			if slices.Contains([]string{"util", "utils", "common", "types", "helper", "helpers", "misc"}, part) {
				t.Errorf("%s: name a room after what it is for", p.ImportPath)
			}
		}
	}
}
