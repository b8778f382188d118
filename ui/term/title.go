package term

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The terminal's stack of titles: what the window and its icon were called is put
// aside before we name them, and taken back when the terminal is. A terminal that
// has no such stack ignores both, and keeps our name until somebody gives it
// another.
const (
	pushTitle = "\x1b[22;0t"
	popTitle  = "\x1b[23;0t"
)

// textLimit is the most bytes of a title, and of a notification.
const (
	textLimit = 200
)

// title is what the terminal's window is called.
type title struct {
	mu     sync.Mutex
	want   string // "" for the terminal's own
	pushed bool   // the terminal's own is on its stack
	lent   int    // how many have the terminal meanwhile: an editor, the shell
	over   bool   // the terminal was given back for good
}

// Title names the terminal's window; "" gives it the name back that it had. While
// an editor or the shell has the terminal nothing is written: the name is set when
// it comes back.
func (t *Terminal) Title(text string) {
	t.title.mu.Lock()
	defer t.title.mu.Unlock()
	if text = plain(text); text == t.title.want {
		return
	}
	t.title.want = text
	if t.title.lent == 0 && !t.title.over {
		_, _ = t.screen.WriteString(t.title.sequence()) // a vanished terminal ends the program
	}
}

// sequence makes the window be called as is wanted. The lock is held.
func (n *title) sequence() string {
	switch {
	case n.want == "" && !n.pushed:
		return ""
	case n.want == "":
		n.pushed = false
		return popTitle
	case n.pushed:
		return "\x1b]2;" + n.want + "\x07"
	}
	n.pushed = true
	return pushTitle + "\x1b]2;" + n.want + "\x07"
}

// lendTitle gives the window its own name while another has the terminal, until the
// function that it returns is called.
func (t *Terminal) lendTitle() (back func()) {
	t.title.mu.Lock()
	defer t.title.mu.Unlock()
	t.title.lent++
	if t.title.pushed {
		t.title.pushed = false
		_, _ = t.screen.WriteString(popTitle) // a vanished terminal ends the program
	}
	return func() {
		t.title.mu.Lock()
		defer t.title.mu.Unlock()
		if t.title.lent--; t.title.lent == 0 && !t.title.over {
			_, _ = t.screen.WriteString(t.title.sequence())
		}
	}
}

// untitled returns the sequence that gives the window its own name for good, ""
// where it has it. What it returns is to be written once: a second one would take
// from the stack what another program put there.
func (t *Terminal) untitled() string {
	t.title.mu.Lock()
	defer t.title.mu.Unlock()
	t.title.over = true
	if !t.title.pushed {
		return ""
	}
	t.title.pushed = false
	return popTitle
}

// Notify shows text as a notification of the desktop where the terminal knows how
// to (OSC 9), over ssh, too; others ignore it. Inside tmux and screen it is
// wrapped, so that they pass it on.
func (t *Terminal) Notify(text string) {
	if text = plain(text); text == "" || t.isAway() || t.ctx.Err() != nil {
		return
	}
	_, _ = t.screen.WriteString(notification(text, t.o.Getenv)) // a vanished terminal ends the program
}

// notification returns the sequence for the terminal that the environment tells
// of.
func notification(text string, getenv func(string) string) string {
	seq := "\x1b]9;" + text + "\x07"
	switch {
	case getenv("TMUX") != "":
		return passed(seq, getenv)
	case strings.HasPrefix(getenv("TERM"), "screen"):
		return "\x1bP" + seq + "\x1b\\"
	}
	return seq
}

// plain makes text one that a sequence can hold: at most textLimit bytes of
// characters that stand for themselves.
func plain(text string) string {
	text = strings.Map(func(c rune) rune {
		if c == utf8.RuneError || !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, text)
	for len(text) > textLimit {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return text
}
