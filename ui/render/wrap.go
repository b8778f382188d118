package render

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// tabWidth is how many cells a tab reaches at most.
const tabWidth = 8

// cluster returns the first grapheme cluster of s, which must not be empty,
// and how many cells it takes.
func cluster(s string) (string, int) {
	if c := s[0]; c < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		if c < 0x20 || c == 0x7f {
			return s[:1], 0
		}
		return s[:1], 1
	} else if c >= 0x20 && c < 0x7f {
		return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth) // DecodeSequence has ASCII apart from its marks
	}
	seq, width, n, _ := ansi.DecodeSequence(s, 0, nil)
	if n <= 0 {
		return s[:1], 0
	}
	return seq[:n], width
}

// Width returns how many cells s takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Expand replaces the tabs of one line by spaces.
func Expand(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	col := 0
	for part := range strings.SplitAfterSeq(line, "\t") {
		text, tab := strings.CutSuffix(part, "\t")
		b.WriteString(text)
		col += Width(text)
		if tab {
			n := tabWidth - col%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			col += n
		}
	}
	return b.String()
}

// Wrap breaks clean text (a task.Text, say) into rows of at most width cells:
// at spaces where there are some, within a word where it is too long. The
// space before a line's first word stays. An empty text is one empty row.
func Wrap(text string, width int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		rows = append(rows, wrapLine(Expand(line), max(width, 1))...)
	}
	return rows
}

func wrapLine(line string, width int) []string {
	line = narrowed(line, width)
	cuts := breaks(line, width)
	rows := make([]string, len(cuts))
	for i, c := range cuts {
		rows[i] = line[c.from:c.to]
	}
	return rows
}

// narrowed is a line whose wide characters are replaced where a row has one cell.
func narrowed(line string, width int) string {
	if width > 1 {
		return line
	}
	var b strings.Builder
	for line != "" {
		c, w := cluster(line)
		if line = line[len(c):]; w > width {
			c = "?"
		}
		b.WriteString(c)
	}
	return b.String()
}

// cut is a row of a line: the bytes from and to.
type cut struct{ from, to int }

// breaks returns where a line, which is narrowed and has no tabs, breaks into
// rows.
func breaks(line string, width int) []cut {
	if len(line) <= width { // a cell holds at least a byte
		return []cut{{0, len(line)}}
	}
	var rows []cut
	start, col := 0, 0   // of the row
	brk, brkCol := -1, 0 // where the row may break: the next one begins there
	inIndent := true     // spaces before the first word are no place to break
	emit := func(end int) {
		for end > start && line[end-1] == ' ' {
			end--
		}
		rows = append(rows, cut{start, end})
	}
	for i := 0; i < len(line); {
		c, w := cluster(line[i:])
		if col+w > width {
			switch {
			case c == " ":
				emit(i)
				for i < len(line) && line[i] == ' ' {
					i++
				}
				start, col = i, 0
			case brk > start && w < 2: // between wide characters any place will do
				emit(brk)
				start, col = brk, col-brkCol
			default:
				emit(i)
				start, col = i, 0
			}
			brk = -1
			continue
		}
		inIndent = inIndent && c == " "
		i += len(c)
		col += w
		if (c == " " || w == 2) && !inIndent {
			brk, brkCol = i, col
		}
	}
	if start < len(line) || len(rows) == 0 {
		rows = append(rows, cut{start, len(line)})
	}
	return rows
}

// Clip cuts s, clean or painted, with an ellipsis where it is wider than width.
func Clip(s string, width int, ellipsis string) string {
	if Width(s) <= width {
		return s
	}
	return strings.TrimRight(Fit(s, width, ellipsis), " ")
}

// Fit makes s, clean or painted, exactly width cells wide: it is cut with an
// ellipsis, or filled up with spaces.
func Fit(s string, width int, ellipsis string) string {
	if width <= 0 {
		return ""
	}
	w := Width(s)
	if w > width {
		if Width(ellipsis) > width {
			ellipsis = ""
		}
		s = ansi.Truncate(s, width, ellipsis)
		w = Width(s)
	}
	return s + strings.Repeat(" ", max(width-w, 0))
}
