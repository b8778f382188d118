//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/ui"
	"callboard/ui/cli"
	"callboard/ui/cli/config"
	"callboard/ui/term"
	"callboard/ui/term/termtest"
)

// writeConfig writes the configuration of all that a test runs.
func writeConfig(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(stateHome(t), "config", "callboard", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	// As editors do, so that no half of it is ever read.
	if err := os.WriteFile(path+"~", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

// The configuration is read again while the dashboard runs; one that is wrong
// changes nothing.
func TestConfigIsReadAgain(t *testing.T) {
	server, url := serve(t)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	servers := "[servers.prod]\nurl = '" + url + "'\n"
	writeConfig(t, "config.toml", "theme = 'mono'\n"+servers)
	cmd := command(t) // no URL: all of the configuration's
	cmd.Env = append(cmd.Env, "COLORTERM=truecolor")
	s := termtest.Start(t, cmd, 120, 30)
	s.See("prod")
	s.See("digging")
	if strings.Contains(s.Raw(), "\x1b[36m") {
		t.Error("mono has a colour")
	}
	writeConfig(t, "config.toml", "theme = 'mine'\n[keys]\neverywhere.quit = 'Q'\n"+servers)
	s.See("config.toml:1: theme: it is one of ansi, dark, light, high-contrast, mono: did you mean mono? The old settings hold.")
	writeConfig(t, "themes/mine.toml", "base = 'dark'\nworking = '#102030'\n")
	s.See("config.toml was read again: theme, keys, themes.mine.")
	s.SeeRaw("38;2;16;32;48")
	writeConfig(t, "themes/mine.toml", "base = 'dark'\nworking = '#302010'\n")
	s.SeeRaw("38;2;48;32;16")
	s.Type(":theme dark\r") // stays until the file has another one
	s.See("The theme is dark, for this run.")
	writeConfig(t, "config.toml", "theme = 'mine'\nnotify = []\n[keys]\neverywhere.quit = 'Q'\n"+servers)
	s.See("config.toml was read again: notify.")
	writeConfig(t, "config.toml", "theme = 'mine'\n[keys]\neverywhere.quit = 'Q'\n"+servers+"guard = 'prod'\n[servers.new]\nurl = 'localhost:1'\n")
	s.See("new: new (:connect attaches); other: prod (:disconnect, then :connect)")
	writeConfig(t, "config.toml", "theme = 'mine'\ncolumns = ['task:20', 'status']\n[filters]\nbad = 'age<x'\n[keys]\neverywhere.quit = 'Q'\n"+servers)
	s.See("config.toml:4: filters.bad:")
	writeConfig(t, "config.toml", "theme = 'mine'\ncolumns = ['task:20', 'nose']\n[keys]\neverywhere.quit = 'Q'\n"+servers)
	s.See("config.toml:2: columns: no column \"nose\"")
	s.See("MESSAGE")
	writeConfig(t, "config.toml", "theme = 'mine'\ncolumns = ['task:20', 'status']\n[keys]\neverywhere.quit = 'Q'\n"+servers)
	s.See("columns")
	s.SeeNot("MESSAGE")
	s.Type("qQ") // q is no key any more
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.GivenBack()
}

func TestServersOfTheConfiguration(t *testing.T) {
	day, dayURL := serve(t)
	night, nightURL := serve(t)
	for _, s := range []*mcptest.Server{day, night} {
		s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	}
	writeConfig(t, "config.toml", "[servers.day]\nurl = '"+dayURL+"'\nguard = 'sesame'\nheaders = { Authorization = 'Bearer ${DAY}' }\n"+
		"[servers.night]\nurl = '"+nightURL+"'\nread-only = true\n[servers.bad]\nurl = 'localhost:1'\nconnect = false\nheaders = { X = '${NOPE}' }\n")
	t.Setenv("DAY", "s3cret")
	do := func(args ...string) (string, int) {
		cmd := command(t, args...)
		cmd.Env = append(cmd.Env, "DAY=s3cret", "CALLBOARD_TOKEN=t0ken")
		out, _ := cmd.CombinedOutput() // the exit code tells
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"ls day", "t-1", 0},
		{"ls night", "t-1", 0},
		{"cancel night t-1", "the configuration has this server read-only", 1},
		{"cancel day t-1", "day is guarded: say --confirm day", 2},
		{"cancel day t-1 --confirm sesame", "--confirm is not for this server: it is day", 2},
		{"ls bad", "config.toml:8: bad: headers.X: the variable NOPE is not set", 2},
		{"ls nope.invalid --timeout 1m", "nope.invalid", 4},
		{"config show", `Authorization = "Bearer ${DAY}"`, 0},
		{"config check", "fine", 0},
		{"info", "config/callboard/config.toml", 0},
		{"ls day --no-config --timeout 1m", "day", 4},
	} {
		out, code := do(strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out, c.want) || strings.Contains(out, "s3cret") {
			t.Errorf("callboard %s: code %d, %s", c.args, code, out)
		}
	}
	if day.Count("tasks/cancel") != 0 || night.Count("tasks/cancel") != 0 {
		t.Error("something was cancelled")
	}
	if out, code := do("cancel", "day", "t-1", "--confirm", "day"); code != 0 || day.Count("tasks/cancel") != 1 {
		t.Errorf("code %d, %s", code, out)
	}
	for _, r := range night.Requests() {
		if got := r.Header.Get("Authorization"); got != "" {
			t.Errorf("night got %q", got)
		}
	}
	seen := false
	for _, r := range day.Requests() {
		seen = seen || r.Header.Get("Authorization") == "Bearer s3cret"
		if strings.Contains(r.Header.Get("Authorization"), "t0ken") {
			t.Error("day got the token of the environment")
		}
	}
	if !seen {
		t.Error("day got no token")
	}
}

// The name of a server with a guard is typed on a terminal.
func TestGuardIsTyped(t *testing.T) {
	server, url := serve(t)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	writeConfig(t, "config.toml", "[servers.prod]\nurl = '"+url+"'\nguard = 'prod'\n")
	s := termtest.Start(t, command(t, "cancel", "prod", "t-1"), 100, 10)
	s.See("prod is guarded. Type prod to cancel t-1:")
	s.Type("prd\r")
	s.See("that is not the name prod")
	if code := s.Exit(); code != 2 || server.Count("tasks/cancel") != 0 {
		t.Errorf("code %d, %d cancels", code, server.Count("tasks/cancel"))
	}
	s = termtest.Start(t, command(t, "cancel", "prod", "t-1"), 100, 10)
	s.See("Type prod")
	s.Type("prod\r")
	if code := s.Exit(); code != 0 || server.Count("tasks/cancel") != 1 {
		t.Errorf("code %d, %d cancels", code, server.Count("tasks/cancel"))
	}
}

// What is chosen on the screen is there at the next start.
func TestTasteIsKept(t *testing.T) {
	server, url := serve(t)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging"})
	s := dashboardOn(t, url)
	s.See("digging")
	s.Type("/tool:dig\r")
	s.See("tool:dig")
	s.Type("q")
	s.Exit()
	path := filepath.Join(stateHome(t), "callboard", "taste.json")
	content, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(content), "tool:dig") {
		t.Fatalf("%v: %s", err, content)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	s = dashboardOn(t, url)
	s.See("digging")
	s.Type("/\x1b[A")
	s.See("tool:dig")
	s.Type("\x03")
	s.Exit()
}

func TestKeysOfTheConfiguration(t *testing.T) {
	writeConfig(t, "config.toml", "[keys]\ntask.cancel = 'ctrl+k'\n")
	out, errs, code := run(t, "keys")
	if code != 0 || !strings.Contains(out, "ctrl+k") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
	if out, _, _ = run(t, "keys", "--no-config"); strings.Contains(out, "ctrl+k") {
		t.Error("--no-config reads one")
	}
	writeConfig(t, "config.toml", "[keys]\ntask.cancel = 'q'\n")
	if _, errs, code = run(t, "keys"); code != 2 || !strings.Contains(errs, "config.toml:2: keys.task.cancel: q is the key that everywhere.quit has by default") {
		t.Errorf("code %d: %s", code, errs)
	}
}

// One field that is wrong does not lose what was chosen beside it.
func TestTasteThatIsWrongInOnePlace(t *testing.T) {
	chosen, err := tasteOf([]byte(`{"commands":["servers"],"columns":["\u202e",1],"named":{"mine":"is:failed"},"side":40}`), "taste.json")
	if chosen.Named["mine"] != "is:failed" || chosen.Side != 40 || len(chosen.Commands) != 1 || chosen.Columns != nil {
		t.Errorf("read as %+v", chosen)
	}
	if err == nil || err.Error() != "taste.json is not what callboard writes (columns is array), and is left out there" {
		t.Errorf("told as %v", err)
	}
	if _, err := tasteOf([]byte(`[]`), "taste.json"); err == nil || !strings.Contains(err.Error(), "all of it is array") {
		t.Errorf("told as %v", err)
	}
}

// A file that becomes another while it is read is read once more.
func TestAConfigurationThatChangesWhileItIsRead(t *testing.T) {
	writeConfig(t, "config.toml", "ttl-warning = '2m'\n")
	a, err := cli.Parse([]string{"http://localhost:1/mcp", "--config", filepath.Join(stateHome(t), "config", "callboard", "config.toml")}, os.Getenv, loadConfig)
	if err != nil {
		t.Fatal(err)
	}
	write := func(content string) { writeConfig(t, "config.toml", content) }
	synctest.Test(t, func(t *testing.T) {
		l := newLive(a, &term.Terminal{})
		l.load = func(path string, must bool, lists []string) (*config.Config, error) {
			cfg, err := loadConfig(path, must, lists)
			if cfg.TTLWarning == 3*time.Minute {
				write("ttl-warning = '240s'\n")
			}
			return cfg, err
		}
		next := l.changes(t.Context())
		write("ttl-warning = '180s'\n")
		for _, want := range []time.Duration{3 * time.Minute, 4 * time.Minute} {
			if msg, ok := next().(ui.SettingsMsg); !ok || msg.Settings.TTLWarning != want {
				t.Fatalf("%+v, want %s", msg.Settings.TTLWarning, want)
			}
		}
	})
}
