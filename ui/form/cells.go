package form

import (
	"slices"
	"strings"
	"unicode/utf8"

	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"

	"github.com/rivo/uniseg"
)

// cell is a grapheme cluster as it is shown.
type cell struct {
	at, runes int // its first rune in the line, and how many it has
	text      string
	width     int
}

// cellsOf cuts one line into cells, cleaned.
func cellsOf(line string) []cell {
	cells := make([]cell, 0, len(line))
	state, at := -1, 0
	for line != "" {
		var cluster string
		if c := line[0]; c < 0x80 && c >= 0x20 && c != 0x7f && (len(line) == 1 || line[1] < 0x80) {
			cluster, line, state = line[:1], line[1:], -1
			cells = append(cells, cell{at, 1, cluster, 1})
			at++
			continue
		}
		cluster, line, _, state = uniseg.FirstGraphemeClusterInString(line, state)
		n := utf8.RuneCountInString(cluster)
		shown := task.Clean(strings.ReplaceAll(cluster, "\t", "    ")).Line()
		cells = append(cells, cell{at, n, shown, render.Width(shown)})
		at += n
	}
	return cells
}

// shownRow is a row of a text of several lines.
type shownRow struct {
	line     int // of the text
	from, to int // runes of that line
	wrapped  bool
	cells    []cell
}

// layRows breaks text into rows of at most width cells, at spaces where there
// are some, one cell kept free for the cursor at the end.
func layRows(text string, width int) []shownRow {
	var rows []shownRow
	width = max(width-1, 1)
	for n, line := range strings.Split(text, "\n") {
		cells := cellsOf(line)
		start, used, brk := 0, 0, 0 // of the row: its first cell, its width, and where the next may begin
		end := func(at int, wrapped bool) {
			row := shownRow{line: n, cells: cells[start:at], wrapped: wrapped}
			if at > start {
				last := cells[at-1]
				row.from, row.to = cells[start].at, last.at+last.runes
			}
			rows = append(rows, row)
		}
		for i := range cells {
			c := &cells[i]
			if c.width > width {
				c.text, c.width = "?", 1
			}
			if used+c.width > width {
				if brk <= start {
					brk = i
				}
				end(brk, true)
				start, used = brk, 0
				for j := start; j < i; j++ {
					used += cells[j].width
				}
			}
			used += c.width
			if c.text == " " {
				brk = i + 1
			}
		}
		end(len(cells), false)
	}
	return rows
}

// rowOf returns the row in which the cursor stands.
func rowOf(rows []shownRow, line, col int) int {
	for i, r := range rows {
		if r.line == line && (col < r.to || !r.wrapped) {
			return i
		}
	}
	return len(rows) - 1
}

// paint draws cells with the cursor at rune col, or without where col < 0.
func paint(cells []cell, col int, t *themes.Theme) string {
	var b strings.Builder
	run := strings.Builder{}
	drawn := col < 0
	for _, c := range cells {
		if !drawn && col < c.at+c.runes {
			b.WriteString(t.Text.Paint(run.String()))
			run.Reset()
			text := c.text
			if c.width == 0 {
				text += " "
			}
			b.WriteString(t.Cursor.Paint(text))
			drawn = true
			continue
		}
		run.WriteString(c.text)
	}
	b.WriteString(t.Text.Paint(run.String()))
	if !drawn {
		b.WriteString(t.Cursor.Paint(" "))
	}
	return b.String()
}

// mask puts dots in place of what is typed.
func mask(cells []cell, t *themes.Theme) []cell {
	cells = slices.Clone(cells)
	for i := range cells {
		cells[i].text, cells[i].width = t.Glyphs.Bullet, 1
	}
	return cells
}
