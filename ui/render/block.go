package render

import (
	"strings"
	"unicode/utf8"

	"callboard/model/task"
	"callboard/themes"

	"github.com/charmbracelet/x/ansi"
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
	// rows lays a segment out, width cells wide, scrolled x cells to the
	// right where the block scrolls. wide is how wide it would like to be.
	rows(p place, width, x int) (rows []string, wide int)
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

func (b *textBlock) rows(p place, width, _ int) ([]string, int) {
	end, _ := b.end(p)
	// Cleaned apart from its neighbours: an escape sequence across lines loses
	// its beginning, and so its meaning, too.
	if b.bar != "" {
		width = max(width-2, 1)
	}
	indent := min(b.indent, width/4)
	rows := Wrap(task.Clean(b.raw[p.seg:end]).String(), width-indent)
	for i, row := range rows {
		row = strings.Repeat(" ", indent) + row
		if b.fill {
			row = Fit(row, width, "")
		}
		rows[i] = b.bar + b.role.Paint(row)
	}
	return rows, 0
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

func (b *jsonBlock) rows(p place, width, x int) ([]string, int) {
	l := b.line(p.line, p.depth)
	from := max(p.seg, l.start)
	spans := b.spans(l, from, min(from+maxSegment, l.end))
	wide := 0
	var row strings.Builder
	for _, s := range spans {
		w := Width(s.text)
		text := s.text
		if left, right := x-wide, x+width-wide; left > 0 || right < w {
			text = ""
			if left < w && right > 0 {
				text = ansi.Cut(s.text, max(left, 0), min(right, w))
			}
		}
		row.WriteString(s.role.Paint(text))
		wide += w
	}
	return []string{b.marked(row.String(), wide, width, x)}, wide
}

// marked puts signs at the ends of a row that goes on there.
func (b *jsonBlock) marked(row string, wide, width, x int) string {
	left, right := x > 0 && wide > 0, wide > x+width
	if width < 3 || !left && !right {
		return row
	}
	row = Fit(row, width, "")
	if left {
		row = b.theme.Dim.Paint(b.theme.Glyphs.Left) + ansi.Cut(row, 1, width)
	}
	if right {
		row = ansi.Cut(row, 0, width-1) + b.theme.Dim.Paint(b.theme.Glyphs.Right)
	}
	return row
}
