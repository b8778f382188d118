package render

import (
	"strings"

	"callboard/themes"

	"github.com/charmbracelet/x/ansi"
)

// span is a piece of a segment with one look. Its text is clean.
type span struct {
	text string
	role *themes.Role
}

// shape is how a segment is laid out.
type shape struct {
	wrap   bool   // else it scrolls sideways
	fill   bool   // rows are painted to the full width
	indent int    // of all rows, where there is room for it
	hang   int    // of all rows but the line's first, beside indent
	bar    string // painted, before each row: two cells, "" for none
	bars   int    // how often it stands there
	frozen int    // cells at the left that do not scroll
}

// laidRows are the rows of a segment.
type laidRows struct {
	rows []string
	cuts []cut // of the segment's text, a row each
	wide int   // how wide it would like to be, where it scrolls
}

// flatten joins the texts of spans.
func flatten(spans []span) string {
	if len(spans) == 1 {
		return spans[0].text
	}
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// lay makes rows of a segment. later says that it does not begin its line.
func lay(spans []span, marks []mark, sh shape, later bool, t *themes.Theme, width, x int) laidRows {
	if n := sh.bars; n > 0 {
		sh.bars = 0
		out := lay(spans, marks, sh, later, t, max(width-2*n, 1), x)
		for i, row := range out.rows {
			out.rows[i] = strings.Repeat(sh.bar, n) + row
		}
		if out.wide > 0 {
			out.wide += 2 * n
		}
		return out
	}
	if !sh.wrap {
		return scrolled(spans, marks, sh, t, width, x)
	}
	indent, hang := min(sh.indent, width/4), min(sh.hang, width/3)
	room := max(width-indent-hang, 1)
	if room < 2 {
		marks = nil // the text that is shown is another one
		for i := range spans {
			spans[i].text = narrowed(spans[i].text, room)
		}
	}
	out := laidRows{cuts: wrapped(flatten(spans), room, hang, later)}
	for i, c := range out.cuts {
		in := indent
		if i > 0 || later {
			in += hang
		}
		row := strings.Repeat(" ", in) + paint(spans, marks, c, t)
		if pad := width - in - Width(flatten(spans)[c.from:c.to]); sh.fill && pad > 0 {
			row += spans[0].role.Paint(strings.Repeat(" ", pad))
		}
		out.rows = append(out.rows, row)
	}
	return out
}

// wrapped breaks a segment, which may hold line breaks, into rows of room cells;
// the first row of a line has hang cells more.
func wrapped(text string, room, hang int, later bool) []cut {
	var out []cut
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		rest := line
		if hang > 0 && !later && at == 0 {
			rows := breaks(line, room+hang)
			if len(rows) == 1 {
				rest = ""
			} else {
				rest = line[rows[1].from:]
			}
			out = append(out, rows[0])
		}
		if rest != "" || hang == 0 || later || at > 0 {
			skip := at + len(line) - len(rest)
			for _, c := range breaks(rest, room) {
				out = append(out, cut{skip + c.from, skip + c.to})
			}
		}
		at += len(line) + 1
	}
	return out
}

// piece is a part of a span, painted in one way.
type piece struct {
	text string
	role *themes.Role
}

// pieces cuts spans where marks begin and end, within c.
func pieces(spans []span, marks []mark, c cut, t *themes.Theme) []piece {
	var out []piece
	at := 0
	for _, s := range spans {
		from, to := max(at, c.from), min(at+len(s.text), c.to)
		for from < to {
			end, role := to, s.role
			for _, m := range marks {
				if m.from > from {
					end = min(end, m.from)
					break
				}
				if m.to > from {
					end, role = min(end, m.to), &t.Match
					if m.here {
						role = &t.MatchHere
					}
					break
				}
			}
			out = append(out, piece{s.text[from-at : end-at], role})
			from = end
		}
		at += len(s.text)
	}
	return out
}

func paint(spans []span, marks []mark, c cut, t *themes.Theme) string {
	var b strings.Builder
	for _, p := range pieces(spans, marks, c, t) {
		b.WriteString(p.role.Paint(p.text))
	}
	return b.String()
}

// scrolled makes the one row of a segment that scrolls sideways.
func scrolled(spans []span, marks []mark, sh shape, t *themes.Theme, width, x int) laidRows {
	text := flatten(spans)
	all := cut{0, len(text)}
	parts := pieces(spans, marks, all, t)
	wide := Width(text)
	frozen := sh.frozen
	if frozen > width/2 {
		frozen = 0
	}
	row := cells(parts, 0, frozen) + cells(parts, frozen+x, x+width)
	return laidRows{rows: []string{signed(row, wide, width, x, frozen, t)}, cuts: []cut{all}, wide: wide}
}

// cells paints the cells from and to of a row.
func cells(parts []piece, from, to int) string {
	var b strings.Builder
	at := 0
	for _, p := range parts {
		if at >= to {
			break
		}
		w := Width(p.text)
		text := p.text
		if left, right := from-at, to-at; left > 0 || right < w {
			text = ""
			if left < w && right > 0 {
				text = ansi.Cut(p.text, max(left, 0), min(right, w))
			}
		}
		b.WriteString(p.role.Paint(text))
		at += w
	}
	return b.String()
}

// signed puts signs where a row goes on.
func signed(row string, wide, width, x, frozen int, t *themes.Theme) string {
	left, right := x > 0 && wide > frozen, wide > x+width
	if width < 3 || !left && !right {
		return row
	}
	row = Fit(row, width, "")
	if left {
		row = ansi.Cut(row, 0, frozen) + t.Dim.Paint(t.Glyphs.Left) + ansi.Cut(row, frozen+1, width)
	}
	if right {
		row = ansi.Cut(row, 0, width-1) + t.Dim.Paint(t.Glyphs.Right)
	}
	return row
}

// expanded replaces the tabs of spans, which may hold line breaks, by spaces.
func expanded(spans []span) []span {
	tabs := false
	for _, s := range spans {
		tabs = tabs || strings.Contains(s.text, "\t")
	}
	if !tabs {
		return spans
	}
	col := 0
	out := make([]span, len(spans))
	for i, s := range spans {
		var b strings.Builder
		for s.text != "" {
			at := strings.IndexAny(s.text, "\t\n")
			if at < 0 {
				at = len(s.text)
			}
			b.WriteString(s.text[:at])
			col += Width(s.text[:at])
			if at == len(s.text) {
				break
			}
			if s.text[at] == '\n' {
				b.WriteByte('\n')
				col = 0
			} else {
				n := tabWidth - col%tabWidth
				b.WriteString(strings.Repeat(" ", n))
				col += n
			}
			s.text = s.text[at+1:]
		}
		out[i] = span{b.String(), s.role}
	}
	return out
}
