//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"callboard/mcpclient/mcptest"
	"callboard/ui/term/termtest"

	sequences "github.com/charmbracelet/x/ansi"
)

// ours are the sequences that callboard itself writes: colours, the cursor,
// erasing, modes, the title pushed, set and popped, the clipboard.
var ours = regexp.MustCompile(`^(\x1b\[[0-9;:]*m|\x1b\[[0-9;]*[ABCDGHJK]|\x1b\[\?[0-9;]+[hl]|\x1b\[2[23];[0-9;]*t|\x1b\](0|2);[^\x00-\x1f]*(\x07|\x1b\\)|\x1b\]52;c;[A-Za-z0-9+/=]*(\x07|\x1b\\)|[\r\n\x07])$`)

// theirs are those of the hostile test server that would look like ours: its
// title, and what it puts on the clipboard.
var theirs = regexp.MustCompile(`^\x1b\].*(owned|b3duZWQ=)`)

// strays returns what in raw no program should write to a terminal that shows
// the words of others.
func strays(raw string) []string {
	var bad []string
	seen := map[string]bool{}
	stray := func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !seen[line] {
			seen[line] = true
			bad = append(bad, line)
		}
	}
	var state byte
	p := sequences.NewParser()
	for rest := raw; rest != ""; {
		seq, width, n, next := sequences.DecodeSequence(rest, state, p)
		if width == 0 && !ours.MatchString(seq) || theirs.MatchString(seq) {
			stray("the sequence %q", seq)
		}
		rest, state = rest[n:], next
	}
	for i, r := range raw {
		if invalid := strings.HasPrefix(raw[i:], string(utf8.RuneError)) != (r == utf8.RuneError); invalid || r >= 0x7f && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			stray("the character %U before %q", r, raw[i:min(len(raw), i+30)])
		}
	}
	if strings.Count(raw, "\x1b[2J\x1b[H") > 1 { // one may be the screen's own beginning
		stray("a cleared screen")
	}
	return bad
}

func TestStrays(t *testing.T) {
	for _, raw := range []string{
		"\x1b]0;owned\x07", "\x1b]52;c;?\x07", "\x1b]52;c;b3duZWQ=\x1b\\", "\x1b[2J\x1b[H\x1b[2J\x1b[H", "\u009b31m", "\x9b6n", "\x1b[6n", "\x1bP$qm\x1b\\", "\x1b_x", "\b", "\x7f",
		"a\u202eb", "a\u200bb", "a\ufeffb", "\u2066", "\x1bc", "\x1b[5i", "\x1b[?6n", "\x9c",
	} {
		if strays("text "+raw+" text") == nil {
			t.Errorf("%q is let through", raw)
		}
	}
	if bad := strays("\x1b[1;31mred\x1b[0m ▌ ◆ über 日本\r\n\x1b[2K\x1b[3A\x1b]2;callboard\x07\a"); bad != nil {
		t.Errorf("our own is taken for a stray: %q", bad)
	}
}

// hostileServer has every kind of string that reaches a screen.
func hostileServer(t *testing.T) (*mcptest.Server, string) {
	t.Helper()
	fields := []byte(`{"type":"object","properties":{"name":{"type":"string","title":"Name","description":"yours","default":"Ann"},
		"colour":{"type":"string","enum":["red","blue"],"enumNames":["Red","Blue"]},"many":{"type":"array","items":{"enum":["a","b"]}},
		"yes":{"type":"boolean","description":"or no"}},"required":["name"]}`)
	tool := func(name string, run func(context.Context, *mcptest.Call) mcptest.Outcome) mcptest.Tool {
		return mcptest.Tool{
			Name: name, Title: "Title of " + name, Description: "describes " + name, InputSchema: fields, TaskSupport: "optional", Run: run,
		}
	}
	s, url := serve(t,
		mcptest.WithInfo("hostile", "Hostile Server", "6.6.6"), mcptest.WithInstructions("instructions"),
		mcptest.WithTools(tool("asks", func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
			c.Progress(1, 3, "a third")
			_, _ = c.Elicit(mcptest.Elicitation{Message: "Which colour?", Schema: fields})
			return mcptest.Outcome{}
		})),
		mcptest.WithFaults(mcptest.Faults{Hostile: true}))
	return s, url
}

// No byte of a server reaches the terminal but as text: not from its tasks, its
// tools, its questions, its errors, its log, nor by the names of files.
func TestHostileServerOnTheScreen(t *testing.T) {
	server, url := hostileServer(t)
	server.AddTask(mcptest.Task{ID: "t-done", Status: mcptest.Completed, Message: "finished", Outcome: mcptest.Outcome{
		Content: []mcptest.Content{mcptest.Text("the text"), mcptest.ResourceLink("https://example.com/x", "link", "Link", "described", "text/plain", 3),
			mcptest.TextResource("file:///x", "text/plain", "resource text"), mcptest.Image("image/png", []byte("png"))},
		Structured: json.RawMessage(`{"key":"value","more":["x"]}`),
	}})
	server.AddTask(mcptest.Task{ID: "t-work", Status: mcptest.Working, Message: "digging"})
	server.Intercept(mcptest.Interception{Method: "tasks/cancel", Times: -1, Err: &mcptest.Error{Code: -32603, Message: "cannot \x1b]0;owned\x07\u202e stop"}})

	dir := t.TempDir()
	cmd := command(t, url, "--log-file", filepath.Join(dir, "log"))
	cmd.Dir = dir
	s := termtest.Start(t, cmd, 120, 40)
	step := func(keys, see string) {
		t.Helper()
		s.Type(keys)
		s.See(see)
	}
	s.See("digging")
	step("n", "describes")
	step("\r", "yours")
	step("\x13", "is required") // ctrl+s: the cursor goes to what is missing
	step("Ann", "Ann")
	step("\x13", "1 prompt")
	leave := func(gone string) {
		t.Helper()
		s.Type("\x1b")
		s.SeeNot(gone)
	}
	step("a", "ctrl+s send")
	leave("ctrl+s send")
	step("i", "Inbox")
	leave("Inbox")
	step("jj", "t-done")
	step("kkk", "input_required")
	step("l", "tools/call")
	step("v", "answers shown")
	s.Type("\r") // the newest message in whole
	s.SeeNot("answers shown")
	step("\x1b", "answers shown")
	leave("╭─ Log")
	step("s", "instructions")
	leave("instructions")
	step("/digging\r", "Tasks 1")
	step("c", "y yes")
	step("y", "cannot")
	s.Type("y")
	s.SeeRaw("\x1b]52;c;")
	leave("Tasks 1")
	step("/t-done\r", "Tasks 1")
	step("\r", "the text")
	step("w", "Saved ")
	s.Type("\x03")
	s.Exit()
	for _, bad := range strays(s.Raw()) {
		t.Errorf("reached the terminal: %s", bad)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(f.Name()) {
			t.Errorf("a file is called %q", f.Name())
		}
	}
	if len(files) < 2 {
		t.Errorf("nothing was saved: %v", files)
	}
}

// The same for lines, and for what is said of a server that cannot be attached
// to.
func TestHostileServerInLines(t *testing.T) {
	server, url := hostileServer(t)
	server.AddTask(mcptest.Task{ID: "t-work", Status: mcptest.Working, Message: "digging"})
	s := watching(t, "digging", url)
	s.Signal(os.Interrupt)
	clean(t, s)
	const poison = "no \x1b]0;owned\x07\x1b[2J\x1b[H \u009b31m\u202e entry"
	for _, body := range []string{poison, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":` + jsonText(poison) + `}}`} {
		refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; x=\"\u202e\"")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(body))
		}))
		// It ends by itself: trying again does not help.
		clean(t, watching(t, "entry", refuses.URL+"/%1b%5b2J/\u202e"))
		refuses.Close()
	}
}

func jsonText(s string) string {
	b, _ := json.Marshal(s) // a string always is
	return string(b)
}

// watching runs callboard watch until text is printed.
func watching(t *testing.T, text, url string) *termtest.Session {
	t.Helper()
	s := termtest.Start(t, command(t, "watch", url), 300, 40)
	s.See(text)
	return s
}

// clean waits for the end of what s shows, and looks for strays.
func clean(t *testing.T, s *termtest.Session) {
	t.Helper()
	s.Exit()
	for _, bad := range strays(s.Raw()) {
		t.Errorf("watch printed %s", bad)
	}
}
