package render

import (
	"strings"
	"unicode/utf8"

	"callboard/model/task"
	"callboard/themes"
)

// place is where a segment begins: a piece of a block that is laid out at
// once. line is the offset of the line it belongs to, seg its own; depth is a
// JSON block's depth before that line.
type place struct{ line, seg, depth int }

// block is a part of a document that is laid out in one way.
type block interface {
	size() int // bytes, more than 0
	first() place
	last() place
	// next and prev return false at the block's ends.
	next(place) (place, bool)
	prev(place) (place, bool)
	// spans returns the text of a segment: clean, without tabs. It may be called
	// in a copy by another goroutine, and reads no look.
	spans(place) []span
	shape(place) shape
}

// textBlock shows raw text, wrapped and cleaned.
type textBlock struct {
	raw    string
	role   *themes.Role
	fill   bool   // rows are painted to the full width
	indent int    // of all rows, where there is room for it
	bar    string // painted, before each row: two cells, "" for none
}

func (b *textBlock) size() int    { return len(b.raw) }
func (b *textBlock) first() place { return place{} }

func (b *textBlock) last() place {
	end := len(b.raw)
	if b.raw[end-1] == '\n' { // the last line break ends a line and begins none
		end--
	}
	line := strings.LastIndexByte(b.raw[:end], '\n') + 1
	return b.lastSegment(line, end)
}

// lastSegment returns the last segment of the line raw[line:end].
func (b *textBlock) lastSegment(line, end int) place {
	n := max(end-line-1, 0) / maxSegment
	return place{line: line, seg: b.cut(line, n)}
}

// cut returns where segment n of the line begins: at a character's start.
func (b *textBlock) cut(line, n int) int {
	at := line + n*maxSegment
	for k := 0; k < utf8.UTFMax-1 && at > line && at < len(b.raw) && !utf8.RuneStart(b.raw[at]); k++ {
		at--
	}
	return at
}

// end returns where the segment at p ends, and whether its line ends there.
func (b *textBlock) end(p place) (int, bool) {
	n := (p.seg - p.line + utf8.UTFMax) / maxSegment
	next := b.cut(p.line, n+1)
	limit := min(next, len(b.raw))
	if i := strings.IndexByte(b.raw[p.seg:limit], '\n'); i >= 0 {
		return p.seg + i, true
	}
	if next >= len(b.raw) {
		return len(b.raw), true
	}
	return next, b.raw[next] == '\n'
}

func (b *textBlock) next(p place) (place, bool) {
	end, whole := b.end(p)
	if !whole {
		return place{line: p.line, seg: end}, true
	}
	if end+1 >= len(b.raw) {
		return place{}, false
	}
	return place{line: end + 1, seg: end + 1}, true
}

func (b *textBlock) prev(p place) (place, bool) {
	if p.seg > p.line {
		n := (p.seg - p.line + utf8.UTFMax) / maxSegment
		return place{line: p.line, seg: b.cut(p.line, n-1)}, true
	}
	if p.line == 0 {
		return place{}, false
	}
	end := p.line - 1
	return b.lastSegment(strings.LastIndexByte(b.raw[:end], '\n')+1, end), true
}

func (b *textBlock) spans(p place) []span {
	end, _ := b.end(p)
	// Cleaned apart from its neighbours: an escape sequence across lines loses
	// its beginning, and so its meaning, too.
	return expanded([]span{{task.Clean(b.raw[p.seg:end]).String(), b.role}})
}

func (b *textBlock) shape(place) shape {
	sh := shape{wrap: true, fill: b.fill, indent: b.indent, bar: b.bar}
	if b.bar != "" {
		sh.bars = 1
	}
	return sh
}

func (b *jsonBlock) size() int { return len(b.raw) }

func (b *jsonBlock) first() place {
	start := b.space(0)
	return place{line: start, seg: start}
}

func (b *jsonBlock) last() place {
	start, depth := b.before(len(b.raw), 0)
	return b.lastSegment(start, depth)
}

func (b *jsonBlock) lastSegment(start, depth int) place {
	l := b.line(start, depth)
	n := max(l.end-l.start-1, 0) / maxSegment
	if n == 0 {
		return place{line: start, seg: start, depth: depth}
	}
	return place{line: start, seg: l.start + n*maxSegment, depth: depth}
}

func (b *jsonBlock) next(p place) (place, bool) {
	l := b.line(p.line, p.depth)
	if seg := max(p.seg, l.start) + maxSegment; seg < l.end {
		p.seg = seg
		return p, true
	}
	if l.next >= len(b.raw) {
		return place{}, false
	}
	return place{line: l.next, seg: l.next, depth: l.after}, true
}

func (b *jsonBlock) prev(p place) (place, bool) {
	if p.seg > p.line {
		l := b.line(p.line, p.depth)
		if p.seg -= maxSegment; p.seg <= l.start {
			p.seg = p.line
		}
		return p, true
	}
	if b.spaceBack(p.line) == 0 {
		return place{}, false
	}
	start, depth := b.before(p.line, p.depth)
	if start >= p.line {
		return place{}, false
	}
	return b.lastSegment(start, depth), true
}

func (b *jsonBlock) spans(p place) []span {
	l := b.line(p.line, p.depth)
	from := max(p.seg, l.start)
	return b.cells(l, from, min(from+maxSegment, l.end))
}

func (b *jsonBlock) shape(place) shape { return shape{} }
