package term

import (
	"strconv"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// On how many cells a character takes terminals disagree: an emoji with a skin tone
// is two cells in one and four in another, a vowel sign of Devanagari none or one. A
// line of which callboard thinks that it fits would be too long there: it would push
// what is right of it out of its column, and wrap, so that the whole screen slides.
// Hence a frame is drawn with wrapping off, and the cursor is put where it belongs
// behind each such character.
const (
	wrapOff = "\x1b[?7l"
	wrapOn  = "\x1b[?7h"
)

// aligned appends a frame to b. Each run of characters on whose width terminals
// disagree is written over blanks, since a terminal that takes it for narrower would
// leave what was there before, and what follows it begins in its own column.
func aligned(b, frame []byte) []byte {
	col := 0
	for i := 0; i < len(frame); {
		if frame[i] < 0x20 || frame[i] == 0x7f {
			n := control(frame[i:], &col)
			b = append(b, frame[i:i+n]...)
			i += n
			continue
		}
		end, cells := i, 0
		for end < len(frame) && cells >= 0 && frame[end] >= 0x20 && frame[end] != 0x7f {
			n, w := agreed(frame[end:])
			if w < 0 {
				cells = -1
				break
			}
			end, cells = end+n, cells+w
		}
		if cells >= 0 {
			b = append(b, frame[i:end]...)
			col += cells
		} else {
			for end < len(frame) && frame[end] >= 0x20 && frame[end] != 0x7f {
				end++
			}
			b = alignedText(b, frame[i:end], &col)
		}
		i = end
	}
	return b
}

// alignedText appends text without control characters that begins in column col.
func alignedText(b, text []byte, col *int) []byte {
	for len(text) > 0 {
		run, cells := 0, 0 // of characters that are in doubt
		for run < len(text) {
			n, w, sure := cluster(text[run:])
			if sure {
				break
			}
			run, cells = run+n, cells+w
		}
		if run > 0 {
			for range cells {
				b = append(b, ' ')
			}
			b = toColumn(b, *col)
			b = append(b, text[:run]...)
			*col += cells
			b = toColumn(b, *col)
			text = text[run:]
			continue
		}
		n, w, _ := cluster(text)
		b = append(b, text[:n]...)
		*col += w
		text = text[n:]
	}
	return b
}

// toColumn appends the sequence that moves the cursor within its line.
func toColumn(b []byte, col int) []byte {
	b = append(b, "\x1b["...)
	return append(strconv.AppendInt(b, int64(col+1), 10), 'G')
}

// cluster returns the length of the first character of text, with all that is joined
// to it, the cells that callboard gives it, and whether every terminal does.
func cluster(text []byte) (n, cells int, sure bool) {
	c, cells := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	size, w := agreed(c)
	return len(c), cells, w >= 0 && size == len(c)
}

// agreed returns the length of the first rune and how many cells it takes by itself,
// -1 where terminals disagree, or it may be joined to the one before. The glyphs of
// callboard's own are not among those: where they are too wide, there is --ascii.
func agreed(text []byte) (n, cells int) {
	if text[0] < utf8.RuneSelf {
		return 1, 1
	}
	c, n := utf8.DecodeRune(text)
	switch {
	case c >= 0xa1 && c < 0x250 && c != 0xad, // Latin
		c >= 0x391 && c < 0x3ff, c >= 0x400 && c < 0x460, // Greek, Cyrillic
		c >= 0x2010 && c < 0x2028,                           // dashes, quotes, the ellipsis
		c >= 0x2190 && c < 0x2194,                           // arrows
		c >= 0x2500 && c < 0x25fb,                           // boxes, blocks, geometric shapes
		c == 0x2713, c == 0x2717, c >= 0x2800 && c < 0x2900: // ticks, braille
		return n, 1
	case c >= 0x3041 && c < 0x3097, c >= 0x30a1 && c < 0x30ff, // kana
		c >= 0x4e00 && c < 0xa000, c >= 0xac00 && c < 0xd7a4: // Chinese characters, Hangul
		return n, 2
	}
	return n, -1
}

// control returns the length of the control character, or the sequence, that b
// begins with, and moves col as it moves the cursor.
func control(b []byte, col *int) int {
	switch {
	case b[0] == '\r':
		*col = 0
	case b[0] == '\x1b' && len(b) > 1 && b[1] == '[':
		for i := 2; i < len(b); i++ {
			if b[i] < 0x40 || b[i] > 0x7e {
				continue
			}
			if b[i] == 'H' { // of all that a frame holds only these move within a line
				*col = columnOf(b[2:i])
			}
			return i + 1
		}
		return len(b)
	case b[0] == '\x1b' && len(b) > 1 && b[1] == ']':
		for i := 2; i < len(b); i++ {
			if b[i] == '\a' {
				return i + 1
			}
			if b[i] == '\x1b' {
				return min(i+2, len(b))
			}
		}
		return len(b)
	}
	return 1
}

// columnOf returns the column of a cursor's place, "row;column", from 0.
func columnOf(place []byte) int {
	for i, c := range place {
		if c == ';' {
			n, err := strconv.Atoi(string(place[i+1:]))
			if err != nil {
				return 0
			}
			return max(n-1, 0)
		}
	}
	return 0
}
