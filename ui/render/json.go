package render

import (
	"bytes"
	"strings"

	"callboard/model/task"
	"callboard/themes"
)

// jsonBlock shows a JSON value pretty printed, a line at a time and from the
// raw bytes: numbers, key order and escapes stay as they came. What is no
// valid JSON comes out odd, but comes out.
type jsonBlock struct {
	raw   []byte
	theme *themes.Theme
	// The line read last: the segments of a long string ask for the same one
	// again and again.
	memo        jsonLine
	at, atDepth int
	known       bool
}

// maxSegment is how many bytes of a line are laid out at once. Longer lines
// come in several.
const maxSegment = 4096

// jsonLine is one line of the pretty print: raw[start:end] without the space
// around its tokens.
type jsonLine struct {
	start, end int // of the line's tokens, a comma included
	next       int // where the next line starts
	indent     int
	after      int // the depth after the line
}

// line returns the line that starts at off, depth deep.
func (b *jsonBlock) line(off, depth int) jsonLine {
	if !b.known || b.at != off || b.atDepth != depth {
		b.memo = b.read(off, depth)
		b.at, b.atDepth, b.known = off, depth, true
	}
	return b.memo
}

func (b *jsonBlock) read(off, depth int) jsonLine {
	i := b.space(off)
	l := jsonLine{start: i, indent: depth, after: depth}
	if i >= len(b.raw) {
		l.end, l.next = i, len(b.raw)
		return l
	}
	if c := b.raw[i]; c == '}' || c == ']' {
		l.indent = max(depth-1, 0)
		l.after = l.indent
		return b.endLine(l, i+1)
	}
	if b.raw[i] == '"' {
		i = b.stringEnd(i)
		j := b.space(i)
		if j >= len(b.raw) || b.raw[j] != ':' {
			return b.endLine(l, i)
		}
		if i = b.space(j + 1); i >= len(b.raw) {
			return b.endLine(l, len(b.raw))
		}
	}
	switch c := b.raw[i]; c {
	case '{', '[':
		if j := b.space(i + 1); j < len(b.raw) && b.raw[j] == c+2 { // '{'+2 is '}', '['+2 is ']'
			return b.endLine(l, j+1)
		}
		l.after++
		l.end = i + 1
		l.next = b.space(l.end)
		return l
	case '"':
		return b.endLine(l, b.stringEnd(i))
	}
	return b.endLine(l, b.scalarEnd(i))
}

// endLine ends l, whose value ends at i, with the comma if there is one.
func (b *jsonBlock) endLine(l jsonLine, i int) jsonLine {
	l.end = i
	if j := b.space(i); j < len(b.raw) && b.raw[j] == ',' {
		l.end = j + 1
	}
	l.next = b.space(l.end)
	return l
}

func (b *jsonBlock) space(i int) int {
	for i < len(b.raw) && isSpace(b.raw[i]) {
		i++
	}
	return i
}

func (b *jsonBlock) spaceBack(i int) int {
	for i > 0 && isSpace(b.raw[i-1]) {
		i--
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// stringEnd returns the end of the string that begins at i with a quote.
func (b *jsonBlock) stringEnd(i int) int {
	for i++; i < len(b.raw); i++ {
		j := bytes.IndexByte(b.raw[i:], '"')
		if j < 0 {
			return len(b.raw)
		}
		i += j
		if !b.escaped(i) {
			return i + 1
		}
	}
	return len(b.raw)
}

// escaped reports whether an odd number of backslashes stands before i.
func (b *jsonBlock) escaped(i int) bool {
	n := 0
	for i-n > 0 && b.raw[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

func (b *jsonBlock) scalarEnd(i int) int {
	for i++; i < len(b.raw); i++ {
		if c := b.raw[i]; isSpace(c) || strings.IndexByte(`,:]}[{"`, c) >= 0 {
			break
		}
	}
	return i
}

// before returns where the line begins that ends before off, and the depth
// before it, given that depth is the depth at off.
func (b *jsonBlock) before(off, depth int) (start, was int) {
	i := b.spaceBack(off)
	if i > 0 && b.raw[i-1] == ',' {
		i = b.spaceBack(i - 1)
	}
	if i == 0 {
		return b.space(0), 0
	}
	switch c := b.raw[i-1]; c {
	case '{', '[':
		return b.keyBefore(i - 1), max(depth-1, 0)
	case '}', ']':
		if j := b.spaceBack(i - 1); j > 0 && b.raw[j-1] == c-2 {
			return b.keyBefore(j - 1), depth
		}
		return i - 1, depth + 1
	case '"':
		return b.keyBefore(b.stringStart(i)), depth
	}
	j := i - 1
	for j > 0 && !isSpace(b.raw[j-1]) && strings.IndexByte(`,:]}[{"`, b.raw[j-1]) < 0 {
		j--
	}
	return b.keyBefore(j), depth
}

// stringStart returns the start of the string whose closing quote is before i.
func (b *jsonBlock) stringStart(i int) int {
	for i--; i > 0; {
		i = bytes.LastIndexByte(b.raw[:i], '"')
		if i <= 0 {
			return 0
		}
		if !b.escaped(i) {
			return i
		}
	}
	return 0
}

// keyBefore returns the start of the key that stands before the value at i, or
// i where there is none.
func (b *jsonBlock) keyBefore(i int) int {
	j := b.spaceBack(i)
	if j == 0 || b.raw[j-1] != ':' {
		return i
	}
	j = b.spaceBack(j - 1)
	if j == 0 || b.raw[j-1] != '"' {
		return i
	}
	return b.stringStart(j)
}

// cells cuts the line's segment raw[from:to] into spans, cleaned, the space
// between tokens as the pretty print wants it.
func (b *jsonBlock) cells(l jsonLine, from, to int) []span {
	t := b.theme
	var out []span
	add := func(text string, role *themes.Role) { out = append(out, span{text, role}) }
	clean := func(from, to int) string { return task.Clean(string(b.raw[from:to])).Line() }
	if from > l.start { // the inside of a long string
		return []span{{clean(from, to), &t.JSONString}}
	}
	add(strings.Repeat("  ", l.indent), &t.Text)
	for i := from; i < to; {
		switch c := b.raw[i]; {
		case isSpace(c):
			i++
		case c == '"':
			end := b.stringEnd(i)
			role, colon := &t.JSONString, b.space(end)
			if colon < l.end && b.raw[colon] == ':' {
				role = &t.JSONKey
			}
			add(clean(i, min(end, to)), role)
			i = end
		case c == ':':
			add(": ", &t.JSONPunct)
			i++
		case strings.IndexByte("{}[],", c) >= 0:
			add(string(c), &t.JSONPunct)
			i++
		default:
			end := min(b.scalarEnd(i), to)
			role := &t.JSONNumber
			switch c {
			case 't', 'f':
				role = &t.JSONBool
			case 'n':
				role = &t.JSONNull
			}
			add(clean(i, end), role)
			i = end
		}
	}
	return out
}
