package term

import (
	"bytes"
	"reflect"

	tea "github.com/charmbracelet/bubbletea"
)

// reports puts reports of the mouse together that a slow line cut in two: Bubble
// Tea would take the half of one for typed text.
type reports struct {
	half []byte // the beginning of a report, which is still to be handed on
	esc  bool   // the last byte that was handed on was an esc by itself
}

// reportStart is what each report of the mouse begins with: SGR coordinates.
const reportStart = "\x1b[<"

// longestReport is more than any report has bytes.
const longestReport = 32

// before returns what goes before the next bytes that are read.
func (r *reports) before() []byte {
	half := r.half
	r.half = nil
	return half
}

// whole returns how many of the bytes are to be handed on, which it may rearrange
// within typed; the others begin a report and are kept. What was begun as a report
// and went on as none is dropped, unless it was pasted.
func (r *reports) whole(typed []byte, pasted bool) int {
	n := len(typed)
	if r.esc && bytes.HasPrefix(typed, []byte(reportStart[1:])) { // the esc was that of a report
		n = copy(typed, typed[reportEnd(typed, len(reportStart)-1):])
	}
	if bytes.HasPrefix(typed[:n], []byte(reportStart)) && !pasted {
		if end := reportEnd(typed[:n], len(reportStart)); end < n && typed[end-1] != 'M' && typed[end-1] != 'm' {
			n = copy(typed, typed[end:n])
		}
	}
	if i := bytes.LastIndexByte(typed[:n], '\x1b'); i >= 0 && begins(typed[i:n]) {
		r.half = bytes.Clone(typed[i:n])
		n = i
	}
	if n > 0 {
		r.esc = typed[n-1] == '\x1b'
	}
	return n
}

// reportEnd returns where a report ends whose numbers begin at from.
func reportEnd(b []byte, from int) int {
	for i := from; i < len(b); i++ {
		switch c := b[i]; {
		case c >= '0' && c <= '9', c == ';':
		case c == 'M', c == 'm':
			return i + 1
		default:
			return i
		}
	}
	return len(b)
}

// begins reports whether b is the beginning of a report and no whole one. An esc
// by itself is a key.
func begins(b []byte) bool {
	if len(b) < 2 || len(b) > longestReport {
		return false
	}
	if len(b) < len(reportStart) {
		return bytes.HasPrefix([]byte(reportStart), b)
	}
	last := b[len(b)-1]
	return bytes.HasPrefix(b, []byte(reportStart)) && reportEnd(b, len(reportStart)) == len(b) && last != 'M' && last != 'm'
}

// What the model asks of the mouse, as messages: their types are not exported.
var (
	mouseOn  = reflect.TypeOf(tea.EnableMouseCellMotion())
	mouseOff = reflect.TypeOf(tea.DisableMouse())
)

// heedMouse remembers whether the mouse is wanted: Bubble Tea forgets it where
// another program had the terminal.
func (t *Terminal) heedMouse(msg tea.Msg) {
	switch reflect.TypeOf(msg) {
	case mouseOn, mouseOff:
		t.mu.Lock()
		t.mouse = reflect.TypeOf(msg) == mouseOn
		t.mu.Unlock()
	}
}

// lend notes that another program had the terminal.
func (t *Terminal) lend() {
	t.mu.Lock()
	t.lent = true
	t.mu.Unlock()
}

// mouseAgain returns the command that switches the mouse on again after another
// program had the terminal, nil where that is not so or the mouse is not wanted.
func (t *Terminal) mouseAgain() tea.Cmd {
	t.mu.Lock()
	defer t.mu.Unlock()
	lent := t.lent
	t.lent = false
	if !lent || !t.mouse {
		return nil
	}
	return tea.EnableMouseCellMotion
}
