package render

import (
	"strings"

	"callboard/themes"

	"github.com/charmbracelet/x/ansi"
)

const (
	// maxColumns is how many columns a table has at most; one of more stays text.
	maxColumns = 64
	// maxColumn is how wide a column gets: what is longer is cut, its source shows
	// it.
	maxColumn = 80
	// maxFrozen is up to which width the first column stays in sight.
	maxFrozen = 30
)

// table is a table of Markdown. Its rows are padded when they are laid out.
type table struct {
	widths []int
	align  []byte // l, c or r
	t      *themes.Theme
}

// table makes a table of the paragraph, whose last line is its head, and of the
// line below that.
func (r *reader) table(split string) bool {
	heads, marks := cellsOf(r.heads), cellsOf(split)
	if len(heads) != len(marks) || len(heads) > maxColumns {
		return false
	}
	before := strings.TrimSpace(strings.TrimSuffix(r.words.String(), strings.TrimSpace(r.heads)))
	head := r.heads
	r.words.Reset()
	r.words.WriteString(before)
	r.flush()
	t := &table{t: r.t, widths: make([]int, len(heads)), align: make([]byte, len(heads))}
	for i, m := range marks {
		left, right := strings.HasPrefix(m, ":"), strings.HasSuffix(m, ":")
		switch {
		case left && right:
			t.align[i] = 'c'
		case right:
			t.align[i] = 'r'
		default:
			t.align[i] = 'l'
		}
	}
	row := t.row(head)
	row.kind = headRow
	r.add(row)
	r.add(richLine{kind: headRule, table: t})
	return true
}

// row takes in a row.
func (t *table) row(line string) richLine {
	for i, c := range cellsOf(line) {
		if i < len(t.widths) {
			t.widths[i] = max(t.widths[i], min(Width(flatten(inline(c, &t.t.Text, t.t))), maxColumn))
		}
	}
	return richLine{kind: rowLine, text: line[:min(len(line), maxColumns*maxSegment)], table: t}
}

// cellsOf cuts a row at its bars, those that are escaped or in code left alone.
func cellsOf(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	var out []string
	from, code := 0, false
	for i := 0; i < len(line) && len(out) <= maxColumns; i++ {
		switch line[i] {
		case '\\':
			i++
		case '`':
			code = !code && strings.IndexByte(line[i+1:min(i+1+maxLink, len(line))], '`') >= 0
		case '|':
			if !code {
				out = append(out, cell(line[from:i]))
				from = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(line[from:]); rest != "" && len(out) <= maxColumns {
		out = append(out, cell(rest))
	}
	return out
}

func cell(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), `\|`, "|") }

// frozen is how many cells of a row stay when it is scrolled: its first column.
func (t *table) frozen() int {
	if t.widths[0] > maxFrozen || len(t.widths) < 2 {
		return 0
	}
	return t.widths[0] + 3
}

// spans lays a row out.
func (t *table) spans(l *richLine, th *themes.Theme) []span {
	g := &th.Glyphs
	bar, base := " "+g.Border.Left+" ", &th.Text
	if l.kind == headRow {
		base = &th.Strong
	}
	cells := cellsOf(l.text)
	var out []span
	for i, w := range t.widths {
		if l.kind == headRule {
			if i > 0 {
				out = append(out, span{g.Border.Top + g.Border.Top + g.Border.Top, &th.Dim})
			}
			out = append(out, span{strings.Repeat(g.Border.Top, w), &th.Dim})
			continue
		}
		if i > 0 {
			out = append(out, span{bar, &th.Dim})
		}
		text := []span{{"", base}}
		if i < len(cells) {
			text = inline(cells[i], base, th)
		}
		text, used := clipped(text, w, g.Ellipsis)
		left := 0
		switch t.align[i] {
		case 'r':
			left = w - used
		case 'c':
			left = (w - used) / 2
		}
		out = append(out, span{strings.Repeat(" ", left), base})
		out = append(out, text...)
		if right := w - used - left; right > 0 && i+1 < len(t.widths) {
			out = append(out, span{strings.Repeat(" ", right), base})
		}
	}
	return out
}

// clipped cuts spans that are wider than w cells, and says how wide they are.
func clipped(spans []span, w int, ellipsis string) ([]span, int) {
	total := 0
	for i, s := range spans {
		n := Width(s.text)
		if total+n > w {
			s.text = ansi.Truncate(s.text, w-total, ellipsis)
			return append(spans[:i:i], s), total + Width(s.text)
		}
		total += n
	}
	return spans, total
}
