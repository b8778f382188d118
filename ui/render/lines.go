package render

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"callboard/themes"

	"github.com/charmbracelet/x/ansi"
)

// Part is a part of a painted line: its cells From up to To.
type Part struct{ Line, From, To int }

// Lines returns the matches in painted lines, from above, each as the parts of
// the lines over which it is broken. Lines are read on into the next one as they
// may have been wrapped: at a space, or within a word where the line is full.
func (p *Pattern) Lines(lines []string) [][]Part {
	plain := make([]string, len(lines))
	full := 0
	for i, line := range lines {
		plain[i] = ansi.Strip(line)
		full = max(full, Width(plain[i]))
	}
	out := p.joined(plain, full+1)
	more := p.joined(plain, full)
	out = append(out, slices.DeleteFunc(more, func(m []Part) bool { // what a space would have broken
		return !slices.ContainsFunc(m[1:], func(part Part) bool { return Width(plain[part.Line-1]) == full })
	})...)
	slices.SortStableFunc(out, func(a, b []Part) int {
		return cmp.Or(cmp.Compare(a[0].Line, b[0].Line), cmp.Compare(a[0].From, b[0].From), -cmp.Compare(len(a), len(b)))
	})
	return slices.CompactFunc(out, func(a, b []Part) bool { return a[0] == b[0] })
}

// joined finds matches in lines of which those of full cells are read on
// without a space.
func (p *Pattern) joined(plain []string, full int) [][]Part {
	var text strings.Builder
	starts, indents := make([]int, len(plain)), make([]int, len(plain)) // in text; in the line
	for i, line := range plain {
		trimmed := strings.TrimLeft(line, " ")
		indents[i] = len(line) - len(trimmed)
		starts[i] = text.Len()
		text.WriteString(strings.TrimRight(trimmed, " "))
		if Width(line) < full {
			text.WriteByte(' ')
		}
	}
	var out [][]Part
	for _, c := range p.find(text.String(), maxHits) {
		var m []Part
		for i := sort.SearchInts(starts, c.from+1) - 1; i < len(plain) && starts[i] < c.to; i++ {
			from, to := max(c.from-starts[i], 0)+indents[i], min(c.to-starts[i]+indents[i], len(strings.TrimRight(plain[i], " ")))
			if from < to {
				m = append(m, Part{i, Width(plain[i][:from]), Width(plain[i][:to])})
			}
		}
		if len(m) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// MarkCells paints some cells of a painted line in a role.
func MarkCells(line string, from, to int, role *themes.Role) string {
	w := Width(line)
	return ansi.Cut(line, 0, from) + role.Paint(ansi.Strip(ansi.Cut(line, from, to))) + ansi.Cut(line, to, w)
}
