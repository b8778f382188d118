//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Whatever stands where the configuration should: words, and no hang.
func TestHostile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, content string) string {
		if err := os.WriteFile(at(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("loop"), at("loop")); err != nil {
		t.Fatal(err)
	}
	locked := write("locked", "theme = 'dark'")
	if err := os.Chmod(locked, 0); err != nil {
		t.Fatal(err)
	}
	lockedWords := "permission denied"
	if os.Geteuid() == 0 {
		lockedWords = "" // who reads everything
	}
	for _, c := range []struct{ name, path, want string }{
		{"huge", write("huge", strings.Repeat("a = 1\n", 10<<20/6)), "it is longer than 256 KiB"},
		{"deep arrays", write("deep", "a = "+strings.Repeat("[", 200_000)), "it is nested too deeply"},
		{"deep tables", write("tables", "a = "+strings.Repeat("{a=", 60_000)), "it is nested too deeply"},
		{"deep keys", write("keys", strings.Repeat("a.", 100_000)+"a = 1"), "it is nested too deeply"},
		{"deep heads", write("heads", "["+strings.Repeat("a.", 100_000)+"a]"), "it is nested too deeply"},
		{"deep behind a mistake", write("mistake", "= 1\na = "+strings.Repeat("[", 200_000)), ":1: this is no TOML"},
		{"binary", write("binary", "\x7fELF\x00\x01\xff\xfe"), "this is no TOML"},
		{"UTF-16", write("utf16", "\xff\xfet\x00h\x00"), "this is no TOML"},
		{"open string", write("open", "a = '''\n"+strings.Repeat("x\n", 100_000)), "this is no TOML"},
		{"control characters", write("control", "\"\\u001b[31m\" = 1\n"), "no such setting"},
		{"pipe", at("fifo"), "it is no regular file"},
		{"device", "/dev/zero", "it is no regular file"},
		{"folder", dir, "it is a folder"},
		{"loop", at("loop"), "too many levels of symbolic links"},
		{"not there", at("nope"), "no such file or directory"},
		{"no folder", at("huge/config.toml"), "not a directory"},
		{"not readable", locked, lockedWords},
	} {
		cfg, err := Load(c.path, true, nil, Checks{})
		switch {
		case c.want == "":
		case err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\x1b\x00"):
			t.Errorf("%s: %.300v, want %q", c.name, err, c.want)
		case cfg == nil:
			t.Errorf("%s: no settings at all", c.name)
		}
	}
	if c, err := Load(at("nope"), false, nil, Checks{}); err != nil || c.Found {
		t.Errorf("a file that need not be there: %v", err)
	}
}

func TestExposed(t *testing.T) {
	for _, c := range []struct {
		mode     os.FileMode
		document string
		want     string
	}{
		{0o644, "[servers.prod]\nurl = 'localhost'\nheaders.Authorization = 'Bearer s3cret'\n", "config.toml:3: servers.prod.headers.Authorization holds a secret"},
		{0o644, "[servers.prod]\nurl = 'https://u:s3cret@host'\n", "config.toml:2: servers.prod.url holds a secret"},
		{0o600, "[servers.prod]\nurl = 'localhost'\nheaders.Authorization = 'Bearer s3cret'\n", ""},
		{0o644, "[servers.prod]\nurl = 'localhost'\nheaders.Authorization = 'Bearer ${TOKEN}'\nheaders.X-Team = 'ops'\n", ""},
	} {
		path := write(t, "config.toml", c.document)
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		cfg, err := Load(path, true, nil, Checks{})
		if err != nil {
			t.Fatal(err)
		}
		got := Faults(cfg.Warnings).Error()
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || strings.Contains(got, "s3cret") {
			t.Errorf("%o: %q, want %q", c.mode, got, c.want)
		}
	}
}

func TestStamp(t *testing.T) {
	path := write(t, "config.toml", "theme = 'dark'\n")
	stamp := func() string {
		c, err := Load(path, true, nil, Checks{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Stamp()
	}
	first := stamp()
	if stamp() != first {
		t.Error("nothing changed")
	}
	if err := os.WriteFile(path, []byte("theme = 'light'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	second := stamp()
	if second == first {
		t.Error("a file that changed is the same")
	}
	dir := filepath.Join(filepath.Dir(path), "themes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.toml"), []byte("base = 'dark'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if stamp() == second {
		t.Error("a theme that came is not seen")
	}
}
