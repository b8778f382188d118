package term

import (
	"bytes"
	"time"
	"unicode/utf8"
)

// pieces puts together what a slow line cut in two: Bubble Tea takes whatever one
// read brings for whole, so that the half of a key would be an esc and some typed
// text, the half of a report of the mouse or of the focus, too, and a paste whose
// mark was cut would be keys, with an enter at each end of a line.
type pieces struct {
	half []byte // the beginning of a key, a report or a character, which is still to be handed on
	esc  bool   // the last byte that was handed on was an esc by itself
}

const (
	// reportStart is what each report of the mouse begins with: SGR coordinates.
	reportStart = "\x1b[<"
	// longestPiece is more bytes than any key, and any report, has.
	longestPiece = 32
	// escWait is how long the rest of a key may be behind its esc. It is also how
	// long an esc takes that is a key of its own.
	escWait = 20 * time.Millisecond
)

// before returns what goes before the next bytes that are read.
func (r *pieces) before() []byte {
	half := r.half
	r.half = nil
	return half
}

// doubtful reports whether typed ends like a key that a person can have typed in
// whole, but that may be the beginning of another: esc, and alt with [ or O.
func doubtful(typed []byte) bool {
	i := bytes.LastIndexByte(typed, '\x1b')
	if i < 0 {
		return false
	}
	end := string(typed[i:])
	return end == "\x1b" || end == "\x1b[" || end == "\x1bO"
}

// whole returns how many of the bytes are to be handed on, which it may rearrange
// within typed; the others begin what is to come and are kept. What was begun as
// a report of the mouse and went on as none is dropped, unless it was pasted.
func (r *pieces) whole(typed []byte, pasted bool) int {
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
		n = r.keep(typed[:n], i)
	} else if i := n - cutRune(typed[:n]); i < n {
		n = r.keep(typed[:n], i)
	}
	if n > 0 {
		r.esc = typed[n-1] == '\x1b'
	}
	return n
}

// keep keeps what stands behind i, which it returns.
func (r *pieces) keep(typed []byte, i int) int {
	r.half = bytes.Clone(typed[i:])
	return i
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

// begins reports whether b is the beginning of a control sequence and no whole
// one: a key, a report, the mark of a paste. An esc by itself is a key.
func begins(b []byte) bool {
	if len(b) > longestPiece || !bytes.HasPrefix(b, []byte("\x1b[")) {
		return false
	}
	for i, c := range b[len("\x1b["):] {
		switch {
		case c >= 0x20 && c < 0x40: // parameters
		case c == '[' && i == 0: // a function key of the Linux console: one more letter
		default: // its last byte, or none that belongs to one
			return false
		}
	}
	return true
}

// cutRune returns how many bytes at the end of b are the beginning of a character.
func cutRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
