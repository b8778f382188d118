//go:build unix

package term

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// desktop puts a program of that name and body onto the path, which has nothing else.
func desktop(t *testing.T, name, body string) (note string) {
	t.Helper()
	dir := t.TempDir()
	note = filepath.Join(dir, "note")
	executable(t, filepath.Join(dir, name), body)
	t.Setenv("PATH", dir)
	t.Setenv("NOTE", note)
	return note
}

// onDesktop returns a terminal of which the environment says this.
func onDesktop(t *testing.T, by Clipboard, env map[string]string) (*Terminal, *os.File) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	term := &Terminal{o: Options{Getenv: func(name string) string { return env[name] }}, copyPatience: time.Minute}
	term.screen = &screen{File: out, vanished: func() { t.Error("the terminal vanished") }}
	term.SetClipboard(by)
	return term, out
}

func mkfifo(path string) error { return unix.Mkfifo(path, 0o600) }

func written(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

const secret = "s3cret\n$(touch x) ünï"

func TestCopyChoosesItsWay(t *testing.T) {
	if onMac() {
		t.Skip("macOS has its own program, whatever is set")
	}
	x11 := map[string]string{"DISPLAY": ":0"}
	for _, c := range []struct {
		name string
		by   Clipboard
		env  map[string]string
		tool string // that is there
		want string // the way, or the error behind a "!"
	}{
		{"a desktop", ClipboardAuto, x11, "xclip", "xclip"},
		{"another program", "", x11, "xsel", "xsel"},
		{"Wayland", ClipboardAuto, map[string]string{"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, "wl-copy", "wl-copy"},
		{"over ssh", ClipboardAuto, map[string]string{"DISPLAY": ":0", "SSH_CONNECTION": "1 2 3 4"}, "xclip", viaTerminal},
		{"no desktop", ClipboardAuto, nil, "xclip", viaTerminal},
		{"no program", ClipboardAuto, x11, "other", viaTerminal},
		{"wanted from the terminal", ClipboardOSC52, x11, "xclip", viaTerminal},
		{"wanted from the desktop, over ssh", ClipboardNative, map[string]string{"DISPLAY": ":0", "SSH_TTY": "x"}, "xclip", "xclip"},
		{"wanted from a desktop that is not there", ClipboardNative, nil, "xclip", "!no desktop"},
		{"wanted from a program that is not there", ClipboardNative, x11, "other", "!xclip, xsel"},
		{"off", ClipboardOff, x11, "xclip", "!switched off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			note := desktop(t, c.tool, `/bin/cat >"$NOTE"; echo "$@" >"$NOTE.args"`)
			term, out := onDesktop(t, c.by, c.env)
			way, err := term.Copy(secret)
			asked := strings.Contains(written(t, out.Name()), "\x1b]52;")
			if why, bad := strings.CutPrefix(c.want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), why) || asked {
					t.Errorf("by %q, error %v, the terminal asked: %v; want %q", way, err, asked, why)
				}
				return
			}
			native := c.want != viaTerminal
			if err != nil || way != c.want || asked == native || native != (written(t, note) == secret) {
				t.Errorf("by %q, error %v, the program got %q, the terminal asked: %v", way, err, written(t, note), asked)
			}
			if strings.Contains(written(t, note+".args"), "s3cret") {
				t.Error("the text stands among the arguments, where everybody reads it")
			}
		})
	}
}

func TestAProgramThatFailsSaysWhy(t *testing.T) {
	if onMac() {
		t.Skip("macOS has its own program")
	}
	desktop(t, "xclip", `/bin/cat >/dev/null; echo "Error: Can't open display: :9" >&2; exit 1`)
	env := map[string]string{"DISPLAY": ":9"}
	term, out := onDesktop(t, ClipboardNative, env)
	if _, err := term.Copy("text"); err == nil || !strings.Contains(err.Error(), "xclip: Error: Can't open display: :9") {
		t.Errorf("native: %v", err)
	}
	term.SetClipboard(ClipboardAuto)
	way, err := term.Copy("text")
	if err != nil || !strings.HasPrefix(way, viaTerminal) || !strings.Contains(way, "display") || !strings.Contains(written(t, out.Name()), "\x1b]52;") {
		t.Errorf("auto: by %q, %v", way, err)
	}
	if _, err := term.Copy(strings.Repeat("x", CopyLimit+1)); err == nil || !strings.Contains(err.Error(), "save it") {
		t.Errorf("too long for the terminal: %v", err)
	}
}

// What owns the clipboard stays behind with our pipes open: it is neither waited
// for nor ended.
func TestTheOwnerOfTheClipboardStays(t *testing.T) {
	note := desktop(t, "xclip", `/bin/cat >"$NOTE"; { read -r line <"$NOTE.go"; echo lived >"$NOTE.lived"; } & exit 0`)
	if err := mkfifo(note + ".go"); err != nil {
		t.Fatal(err)
	}
	c := &tool{"xclip", []string{"xclip"}}
	// It does not go on before the test does: to wait for it is an error in the end.
	if err := c.take(secret, time.Minute); err != nil {
		t.Fatal(err)
	}
	goOn, err := os.OpenFile(note+".go", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = goOn.WriteString("\n")
	_ = goOn.Close()
	eventually(t, "what owns the clipboard lives on", func() bool { return written(t, note+".lived") != "" })
}

func TestAProgramThatHangsIsEnded(t *testing.T) {
	desktop(t, "xclip", `read -r never <"$NOTE.go"`)
	if err := mkfifo(os.Getenv("NOTE") + ".go"); err != nil {
		t.Fatal(err)
	}
	c := &tool{"xclip", []string{"xclip"}}
	// By itself it never ends, and the test would not, either.
	if err := c.take(strings.Repeat("long ", 100_000), 200*time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not take it within") {
		t.Error(err)
	}
}
