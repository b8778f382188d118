package term

import (
	"bytes"
	"unicode/utf8"
)

// What a terminal puts around what is pasted.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// pastePiece is from how many bytes on a paste is cut. Bubble Tea looks through
// all of a paste anew with each 256 bytes of it: a megabyte in one piece takes
// seconds, in which no key is taken.
const pastePiece = 4 << 10

// pastes follows what is typed, and finds places at which a long paste may be
// cut into two.
type pastes struct {
	in    bool   // within a paste
	since int    // bytes since the paste or this piece of it began
	tail  []byte // the last bytes, in which a mark may have begun
}

// take looks at the next bytes; it reports whether the paste that they belong
// to is to be cut behind them.
func (p *pastes) take(typed []byte) bool {
	data := append(p.tail, typed...)
	p.since += len(typed)
	for {
		mark := pasteStart
		if p.in {
			mark = pasteEnd
		}
		i := bytes.Index(data, []byte(mark))
		if i < 0 {
			break
		}
		data = data[i+len(mark):]
		p.in, p.since = !p.in, len(data)
	}
	p.tail = append([]byte(nil), data[max(len(data)-len(pasteEnd)+1, 0):]...)
	if !p.in || p.since < pastePiece || !whole(data) {
		return false
	}
	p.since = 0
	return true
}

// whole reports whether data ends where a paste may be cut: not within a
// character, a line break or a mark.
func whole(data []byte) bool {
	if n := len(data); n == 0 || data[n-1] == '\r' {
		return false
	}
	for i := 1; i < len(pasteEnd) && i <= len(data); i++ {
		if bytes.HasPrefix([]byte(pasteEnd), data[len(data)-i:]) {
			return false
		}
	}
	r, _ := utf8.DecodeLastRune(data)
	return r != utf8.RuneError
}
