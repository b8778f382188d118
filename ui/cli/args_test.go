package cli

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

var env = map[string]string{"TOKEN": "s3cret", "EMPTY": ""}

func lookup(extra ...string) func(string) string {
	return func(name string) string {
		for _, kv := range extra {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				return v
			}
		}
		return env[name]
	}
}

func parse(t *testing.T, line string, extra ...string) *Args {
	t.Helper()
	a, err := Parse(strings.Fields(line), lookup(extra...), nil)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return a
}

func TestCommands(t *testing.T) {
	for line, want := range map[string]Command{
		"host/mcp": Dashboard, "demo": Demo, "watch host": Watch, "--theme dark demo": Demo, "demo --ascii": Demo,
		"-h": Help, "--help": Help, "help": Help, "--version": Version, "host --version": Version, "demo -h": Help,
		"-- host": Dashboard, "--ascii -- demo": Demo, "ls host": List, "get host i": Get, "result host i": Result,
		"answer host i": Answer, "cancel host i j": Cancel, "run host t": Run, "tools host": Tools, "info": Info, "keys": Keys,
		"completion zsh": Completion, "man": Man, "help run": Help, "run -h": Help,
	} {
		if a := parse(t, line); a.Command != want {
			t.Errorf("%s: command %d, want %d", line, a.Command, want)
		}
	}
}

func TestOptionsAndURLsInAnyOrder(t *testing.T) {
	want := parse(t, "--read-only --prompts on-demand --theme=mono --ascii --no-mouse --ca-file ca.pem --log-file l https://a.example/mcp b.example")
	got := parse(t, "https://a.example/mcp --no-mouse --ascii -read-only b.example --prompts=on-demand --log-file l --theme mono --ca-file ca.pem")
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !got.ReadOnly || !got.OnDemand || got.Theme != "mono" || !got.ASCII || !got.NoMouse || got.CAFile != "ca.pem" || got.LogFile != "l" || len(got.Servers) != 2 {
		t.Errorf("%+v", got)
	}
	one := parse(t, "a.example --token-file t --client-cert c --client-key k --insecure-skip-verify --allow-insecure-token")
	if one.TokenFile != "t" || one.ClientCert != "c" || one.ClientKey != "k" || !one.InsecureSkipVerify || !one.AllowInsecureToken {
		t.Errorf("%+v", one)
	}
}

func TestWatchTakesNoPromptsUnasked(t *testing.T) {
	for line, want := range map[string]bool{
		"watch h.example": true, "watch h.example --prompts eager": false, "watch --read-only --prompts eager h.example": true, "h.example": false,
	} {
		if a := parse(t, line); a.ReadOnly != want {
			t.Errorf("%s: read-only is %v", line, a.ReadOnly)
		}
	}
}

func TestURLs(t *testing.T) {
	for word, want := range map[string]Server{
		"ops.example/mcp":               {Name: "ops.example", Shown: "https://ops.example/mcp", URL: "https://ops.example/mcp"},
		"ops.example:8443":              {Name: "ops.example:8443", Shown: "https://ops.example:8443", URL: "https://ops.example:8443"},
		"localhost:3000/mcp":            {Name: "localhost:3000", Shown: "http://localhost:3000/mcp", URL: "http://localhost:3000/mcp"},
		"127.0.0.1/mcp":                 {Name: "127.0.0.1", Shown: "http://127.0.0.1/mcp", URL: "http://127.0.0.1/mcp"},
		"[::1]:80/mcp":                  {Name: "[::1]:80", Shown: "http://[::1]:80/mcp", URL: "http://[::1]:80/mcp"},
		"http://ops.example":            {Name: "ops.example", Shown: "http://ops.example", URL: "http://ops.example"},
		"https://me:pw@ops.example/m?k": {Name: "ops.example", Shown: "https://ops.example/m", URL: "https://me:pw@ops.example/m?k"},
	} {
		if a := parse(t, word); a.Servers[0].Name != want.Name || a.Servers[0].Shown != want.Shown || a.Servers[0].URL != want.URL {
			t.Errorf("%s: %+v, want %+v", word, a.Servers[0], want)
		}
	}
	var names []string
	for _, s := range parse(t, "a.example/1 a.example/2 b.example a.example/3").Servers {
		names = append(names, s.Name)
	}
	if want := []string{"a.example", "a.example #2", "b.example", "a.example #3"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}

func TestHeaders(t *testing.T) {
	a, err := Parse([]string{"--header", "X-A: one ${TOKEN}${TOKEN}", "--header=x-a:  two$TOKEN ", "h.example"}, lookup(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := a.Header.Values("X-A"), []string{"one s3crets3cret", "two$TOKEN"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTokenAndSession(t *testing.T) {
	file := t.TempDir() + "/session"
	if err := os.WriteFile(file, []byte("abc-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := parse(t, "h.example --session-file "+file, "CALLBOARD_SESSION=other", "CALLBOARD_TOKEN= tok\n")
	if string(a.Session) != "abc-1" || string(a.Token) != "tok" {
		t.Errorf("session %q token %q", string(a.Session), string(a.Token))
	}
	a = parse(t, "h.example --token-file f", "CALLBOARD_SESSION=env-1", "CALLBOARD_TOKEN=tok")
	if string(a.Session) != "env-1" || a.Token != "" {
		t.Errorf("session %q token %q", string(a.Session), string(a.Token))
	}
	a = parse(t, "demo", "CALLBOARD_SESSION=env-1", "CALLBOARD_TOKEN=tok")
	if a.Session != "" || a.Token != "" {
		t.Error("the demo's server would get credentials that belong to another")
	}
	if text := fmt.Sprintf("%v %+v %#v", a.Token, *parse(t, "h.example", "CALLBOARD_TOKEN=tok-1"), a); strings.Contains(text, "tok-1") {
		t.Error("a token can be printed")
	}
}

func TestUsageErrors(t *testing.T) {
	empty := t.TempDir() + "/empty"
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		env  string
		want string
	}{
		{[]string{}, "", "which server?"},
		{[]string{"watch"}, "", "watch which server?"},
		{[]string{"--nope", "h"}, "", "there is no option --nope"},
		{[]string{"h", "--theme"}, "", "--theme needs a value"},
		{[]string{"h", "--ascii=s3cret"}, "", "--ascii takes no such value"},
		{[]string{"h", "--prompts", "never"}, "", "--prompts is eager or on-demand"},
		{[]string{"demo", "h"}, "", "takes no URL"},
		{[]string{"demo", "--header", "A: b"}, "", "--header does not apply"},
		{[]string{"demo", "--ca-file", "b"}, "", "--ca-file does not apply"},
		{[]string{"watch", "h", "--ascii"}, "", "--ascii does not apply"},
		{[]string{"h", "--json"}, "", "--json does not apply to the dashboard"},
		{[]string{"ls", "h", "--wait"}, "", "--wait does not apply to ls"},
		{[]string{"watch", "demo"}, "", "demo has no URL"},
		{[]string{"ls", "demo"}, "", "demo has no URL"},
		{[]string{"h", "demo"}, "", "demo has no URL"},
		{[]string{"ls"}, "", "ls which server? callboard ls URL"},
		{[]string{"ls", "h", "i"}, "", "ls takes one URL"},
		{[]string{"get", "h"}, "", "get which task? callboard get URL ID"},
		{[]string{"get", "h", "a", "b"}, "", "get which task?"},
		{[]string{"cancel", "h"}, "", "cancel which task?"},
		{[]string{"cancel", "h", ""}, "", "an empty word"},
		{[]string{"run", "h"}, "", "run which tool?"},
		{[]string{"run", "h", "a", "b"}, "", "run which tool?"},
		{[]string{"run", "h", "t", "--arg", "s3cret"}, "", "--arg has the form NAME=VALUE"},
		{[]string{"run", "h", "t", "--arg", "a=1", "--data", "f"}, "", "give one"},
		{[]string{"run", "h", "t", "--ttl", "s3cret"}, "", "--ttl takes no such value"},
		{[]string{"run", "h", "t", "--ttl", "-1s"}, "", "negative"},
		{[]string{"answer", "h", "i", "--field", "=s3cret"}, "", "--field has the form NAME=VALUE"},
		{[]string{"answer", "h", "i", "--decline", "--cancel"}, "", "--decline and --cancel are two answers"},
		{[]string{"answer", "h", "i", "--data", "-", "--field", "a=s3cret"}, "", "--field and --data are two answers"},
		{[]string{"answer", "h", "i", "--timeout", "s3cret"}, "", "--timeout takes no such value"},
		{[]string{"h", "--protocol", "2024-11-05"}, "", "--protocol is auto, 2025-11-25 or 2026-07-28"},
		{[]string{"h", "--task", ""}, "", "--task needs the id"},
		{[]string{"a", "b", "--task", "t"}, "", "--task belongs to one server"},
		{[]string{"completion"}, "", "completions for which shell?"},
		{[]string{"completion", "tcsh"}, "", "bash, fish, powershell or zsh"},
		{[]string{"help", "nope"}, "", "there is no command"},
		{[]string{"info", "h"}, "", "info takes no words"},
		{[]string{"ftp://h"}, "", "not ftp"},
		{[]string{"https://"}, "", "is not a URL"},
		{[]string{"https://me:s3cret@h:x"}, "", "is not a URL"},
		{[]string{"h", "--header", "s3cret"}, "", "'Name: value'"},
		{[]string{"h", "--header", "A b: s3cret"}, "", "'Name: value'"},
		{[]string{"h", "--header", "A: ${NOPE}"}, "", "NOPE is not set"},
		{[]string{"h", "--header", "A: ${EMPTY}"}, "", "EMPTY is not set"},
		{[]string{"h", "--header", "A: ${TOKEN"}, "", "${ without"},
		{[]string{"h", "--header", "A: ${TOKEN}\x01"}, "", "no header may"},
		{[]string{"h", "--session-file", "/nowhere/s"}, "", "--session-file cannot be read: no such file"},
		{[]string{"h", "--session-file", empty}, "", "--session-file is empty"},
		{[]string{"h"}, "CALLBOARD_SESSION=s3cret s3cret", "no session id"},
		{[]string{"a", "b", "--header", "A: s3cret"}, "", "--header belongs to one server"},
		{[]string{"a", "b", "--token-file", "f"}, "", "--token-file belongs to one server"},
		{[]string{"a", "b", "--session-file", "f"}, "", "--session-file belongs to one server"},
		{[]string{"a", "b", "--client-cert", "f"}, "", "--client-cert belongs to one server"},
		{[]string{"a", "b", "--client-key", "f"}, "", "--client-key belongs to one server"},
		{[]string{"a", "b"}, "CALLBOARD_TOKEN=s3cret", "CALLBOARD_TOKEN belongs to one server"},
		{[]string{"a", "b"}, "CALLBOARD_SESSION=s3cret", "CALLBOARD_SESSION belongs to one server"},
	} {
		_, err := Parse(tt.args, lookup(tt.env), nil)
		var u *Usage
		if !errors.As(err, &u) || !strings.Contains(u.Line, tt.want) {
			t.Errorf("%q: %v, want %q", tt.args, err, tt.want)
			continue
		}
		if strings.ContainsAny(u.Line, "\n\x01") || strings.Contains(u.Line, "s3cret") {
			t.Errorf("%q: %q is not one line, or shows a secret", tt.args, u.Line)
		}
	}
}

func TestWords(t *testing.T) {
	a := parse(t, "run --json h.example/mcp dig --arg n=3 --arg s=a=b --ttl 10m --wait --timeout 1m --protocol 2026-07-28 --field ok=yes")
	if a.Tool != "dig" || a.Servers[0].URL != "https://h.example/mcp" || !slices.Equal(a.Arguments, []Pair{{"n", "3"}, {"s", "a=b"}}) ||
		!slices.Equal(a.Fields, []Pair{{"ok", "yes"}}) || a.TTL != 10*time.Minute || !a.Wait || a.Timeout != time.Minute || a.Protocol != task.Modern || !a.JSON {
		t.Errorf("%+v", a)
	}
	a = parse(t, "cancel h a b a --timeout 0")
	if !slices.Equal(a.IDs, []task.ID{"a", "b"}) || a.Timeout != 0 {
		t.Errorf("%+v", a)
	}
	if a = parse(t, "answer h i --cancel"); a.Refuse != task.Dismiss || a.Timeout != 10*time.Second || !a.OnDemand || a.ReadOnly {
		t.Errorf("%+v", a)
	}
	if a = parse(t, "watch h i"); !slices.Equal(a.IDs, []task.ID{"i"}) || len(a.Servers) != 1 || !a.OnDemand || a.ReadOnly {
		t.Errorf("watch of one task: %+v", a)
	}
	for line, onDemand := range map[string]bool{"h": false, "demo": false, "demo --prompts on-demand": true, "config show --prompts eager": false} {
		if a = parse(t, line); a.OnDemand != onDemand {
			t.Errorf("%q: questions on demand is %v", line, a.OnDemand)
		}
	}
	if a = parse(t, "watch h/mcp i/mcp"); a.IDs != nil || len(a.Servers) != 2 || !a.ReadOnly {
		t.Errorf("watch of two servers: %+v", a)
	}
	if a = parse(t, "h --task x --task y"); !slices.Equal(a.Tasks, []task.ID{"x", "y"}) {
		t.Errorf("%+v", a)
	}
}
