package task

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is text of a server that may stand on a terminal. Only Clean and its
// kin make one, so that the compiler keeps raw text off the screen.
type Text struct{ s string }

// String returns t with its line breaks ("\n") and tabs.
func (t Text) String() string { return t.s }

// Line returns t on one line: line breaks and tabs become single spaces.
func (t Text) Line() string {
	if !strings.ContainsAny(t.s, "\n\t") {
		return t.s
	}
	return strings.Join(strings.FieldsFunc(t.s, func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// IsZero reports whether t is empty.
func (t Text) IsZero() bool { return t.s == "" }

// maxMarks is how many combining marks in a row are kept on one character;
// more would let a server draw over the lines around it.
const maxMarks = 4

// Clean makes raw text of a server fit for a terminal cell: it removes whole
// escape sequences (CSI, OSC, DCS, APC, PM, SOS; ended or not), control
// characters but newline and tab, in both encodings of C1, and shows bidi
// controls and zero-width characters as <U+202E>, so that they cannot hide.
// A carriage return ends a line. Bytes that are no UTF-8 become U+FFFD.
func Clean(raw string) Text {
	if plain(raw) {
		return Text{raw}
	}
	var b strings.Builder
	b.Grow(len(raw))
	marks := 0
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRuneInString(raw[i:])
		if r == utf8.RuneError && n == 1 {
			if c := raw[i]; c >= 0x80 && c <= 0x9f { // a bare 8-bit C1 byte
				r = rune(c)
			}
		}
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r':
			if !strings.HasPrefix(raw[i+n:], "\n") {
				b.WriteByte('\n')
			}
		// What is left out does not come between a character and its marks.
		case r == 0x1b || r >= 0x80 && r <= 0x9f:
			i += escapeLen(raw[i:], r, n)
			continue
		case r < 0x20 || r == 0x7f:
			i += n
			continue
		case r == 0x2028 || r == 0x2029:
			b.WriteByte('\n')
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
			if marks++; marks <= maxMarks && !variation(r) {
				b.WriteRune(r)
			}
			i += n
			continue
		case hidden(r):
			fmt.Fprintf(&b, "<%U>", r)
		default:
			b.WriteRune(r)
		}
		marks = 0
		i += n
	}
	return Text{b.String()}
}

// CleanMax is Clean of at most limit bytes of raw, cut at a character, with
// an ellipsis where something was cut.
func CleanMax(raw string, limit int) Text {
	if len(raw) <= limit {
		return Clean(raw)
	}
	for limit > 0 && !utf8.RuneStart(raw[limit]) {
		limit--
	}
	return Text{Clean(raw[:limit]).s + "…"}
}

// CleanLine is CleanMax for names: the text is on one line.
func CleanLine(raw string, limit int) Text { return Text{CleanMax(raw, limit).Line()} }

// Own makes a Text of callboard's own words.
func Own(words string) Text { return Text{words} }

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// escapeLen returns the length of the escape sequence that begins s with r (n
// bytes long): ESC or a C1 character. One that does not end takes the rest of
// s with it, as a terminal would.
func escapeLen(s string, r rune, n int) int {
	if r == 0x1b {
		if n == len(s) {
			return n
		}
		c := s[n]
		switch {
		case c == '[':
			return n + 1 + csiLen(s[n+1:])
		case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
			return n + 1 + stringLen(s[n+1:], c == ']')
		case c >= 0x20 && c <= 0x2f: // nF: intermediates, then one final byte
			j := n
			for j < len(s) && s[j] >= 0x20 && s[j] <= 0x2f {
				j++
			}
			return min(j+1, len(s))
		case c >= 0x30 && c <= 0x7e:
			return n + 1
		}
		return n
	}
	switch r {
	case 0x9b:
		return n + csiLen(s[n:])
	case 0x9d, 0x90, 0x9f, 0x9e, 0x98:
		return n + stringLen(s[n:], r == 0x9d)
	}
	return n
}

// csiLen returns the length of a control sequence's parameters, intermediates
// and final byte. Anything else ends it without being taken.
func csiLen(s string) int {
	i := 0
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// stringLen returns the length of a control string up to and with its end: ST
// in both encodings, or BEL where bel is allowed (OSC).
func stringLen(s string, bel bool) int {
	for i := range len(s) {
		switch {
		case bel && s[i] == 7, s[i] == 0x9c && !utf8.RuneStart(s[i]) && (i == 0 || s[i-1] < 0x80):
			return i + 1
		case s[i] == 0x1b:
			if strings.HasPrefix(s[i:], "\x1b\\") {
				return i + 2
			}
			return i // a new sequence ends this one
		case s[i] == 0xc2 && strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		case s[i] == 0x18 || s[i] == 0x1a: // CAN, SUB
			return i + 1
		}
	}
	return len(s)
}

// hidden reports whether r takes no cell of its own or turns the writing
// around: format characters (bidi controls, zero-width ones, tags), fillers,
// and what is not assigned or private.
func hidden(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800: // fillers that look like nothing
		return true
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Cs, r) ||
		r >= 0xe0000 && r <= 0xe0fff || r&0xfffe == 0xfffe
}

// variation reports whether r is a variation selector. Terminals disagree
// about the width of what they modify, so they are left out.
func variation(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }
