package term

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/aymanbagabas/go-osc52/v2"
)

// Clipboard says how text gets onto the clipboard.
type Clipboard string

// The ways. Auto, which is the zero value too, asks the terminal (OSC 52) where
// callboard runs on another machine than the person sits at, and else takes the
// desktop's own program, or the terminal where there is none.
const (
	ClipboardAuto   Clipboard = "auto"
	ClipboardOSC52  Clipboard = "osc52"
	ClipboardNative Clipboard = "native"
	ClipboardOff    Clipboard = "off"
)

// CopyLimit is the most bytes that a terminal is asked to put onto its clipboard:
// some cut off longer sequences, or refuse them.
const CopyLimit = 74994

// copyPatience is how long the desktop's program may take for what it is given.
const copyPatience = 2 * time.Second

// The ways as Copy names them. A terminal never says whether it took a text.
const viaTerminal = "OSC 52"

// SetClipboard changes how Copy works from now on.
func (t *Terminal) SetClipboard(by Clipboard) {
	t.mu.Lock()
	t.by = by
	t.mu.Unlock()
}

// Copy puts text onto the person's clipboard and returns the way it took, as it
// is named to the person: "OSC 52", which works over ssh too, and of which nobody
// learns whether it did; or the name of the program that took it. The text goes
// to that program's standard input, never among its arguments. It may take two
// seconds, so it belongs into a command.
func (t *Terminal) Copy(text string) (way string, err error) {
	t.mu.Lock()
	by := t.by
	t.mu.Unlock()
	switch by {
	case ClipboardOff:
		return "", errors.New("the clipboard is switched off (clipboard in the configuration)")
	case ClipboardOSC52:
		return viaTerminal, t.ask(text)
	case ClipboardNative:
		tool, err := nativeTool(t.o.Getenv)
		if err != nil {
			return "", err
		}
		return tool.name, tool.take(text, t.copyPatience)
	case ClipboardAuto:
	}
	if remote(t.o.Getenv) {
		return viaTerminal, t.ask(text)
	}
	tool, err := nativeTool(t.o.Getenv)
	if err != nil {
		return viaTerminal, t.ask(text)
	}
	why := tool.take(text, t.copyPatience)
	if why == nil {
		return tool.name, nil
	}
	if err := t.ask(text); err != nil {
		return "", errors.Join(why, err)
	}
	return fmt.Sprintf("%s, since %s", viaTerminal, why), nil
}

// remote reports whether the person sits at another machine.
func remote(getenv func(string) string) bool {
	return getenv("SSH_TTY") != "" || getenv("SSH_CONNECTION") != ""
}

// ask asks the terminal to put text onto its clipboard (OSC 52). Whether it does
// is not known: the terminal is never asked. Inside tmux and screen the sequence is
// wrapped, so that they pass it on.
func (t *Terminal) ask(text string) error {
	if len(text) > CopyLimit {
		return fmt.Errorf("%d bytes are more than a terminal takes for its clipboard (%d): save it instead", len(text), CopyLimit)
	}
	if t.isAway() {
		return errors.New("an editor has the terminal")
	}
	_, err := t.screen.WriteString(sequence(text, t.o.Getenv))
	return err
}

// sequence returns the sequence for the terminal that the environment tells of.
func sequence(text string, getenv func(string) string) string {
	seq := osc52.New(text)
	switch {
	case getenv("TMUX") != "":
		// tmux acts on the bare sequence with set-clipboard on, and passes the
		// wrapped one on with allow-passthrough on; one of the two may be off.
		return seq.String() + seq.Tmux().String()
	case strings.HasPrefix(getenv("TERM"), "screen"):
		return seq.Screen().String()
	}
	return seq.String()
}

// errNoTool is why there is no program for the clipboard.
func errNoTool(names ...string) error {
	return fmt.Errorf("none of %s is on this machine: install one, or set clipboard to osc52", strings.Join(names, ", "))
}

// errNoDisplay is why a program for the clipboard would not work.
var errNoDisplay = errors.New("there is no desktop here (WAYLAND_DISPLAY, DISPLAY): set clipboard to osc52")

// desktops are the programs of the desktops of other systems than Windows, and
// what must be set for each.
var desktops = []struct {
	needs string // an environment variable, "" for none
	words []string
}{
	{"WAYLAND_DISPLAY", []string{"wl-copy"}},
	{"DISPLAY", []string{"xclip", "-selection", "clipboard"}},
	{"DISPLAY", []string{"xsel", "--clipboard", "--input"}},
}

// ofMac is the program of macOS.
var ofMac = []string{"pbcopy"}

// onMac reports whether the desktop is that of macOS.
func onMac() bool { return runtime.GOOS == "darwin" }
