package ui

import (
	"strings"

	"callboard/ui/render"

	"github.com/charmbracelet/x/ansi"
)

const blanks = "                                                                                                                                "

// spaces returns n spaces, none for n below one.
func spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// width returns how many cells s takes; painted parts count nothing.
func width(s string) int {
	if simple(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// simple reports whether s is one line of ASCII without control characters,
// which most of what a server writes is: a byte is a cell then.
func simple(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// fit makes s exactly w cells wide: cut with an ellipsis or filled up.
func (s *scene) fit(text string, w int) string {
	if w <= 0 {
		return ""
	}
	if simple(text) && len(text) <= w {
		return text + spaces(w-len(text))
	}
	return render.Fit(text, w, s.t.Glyphs.Ellipsis)
}

// cut makes s at most w cells wide.
func (s *scene) cut(text string, w int) string {
	if w <= 0 {
		return ""
	}
	if simple(text) && len(text) <= w || ansi.StringWidth(text) <= w {
		return text
	}
	return ansi.Truncate(text, w, s.t.Glyphs.Ellipsis)
}

// fitRight is fit with the text at the right end.
func (s *scene) fitRight(text string, w int) string {
	text = s.cut(text, w)
	return spaces(w-width(text)) + text
}

// shortID makes an id fit w cells so that it can be told from others: the
// head of a random one, head and tail of one that counts up.
func (s *scene) shortID(id string, w int) string {
	if width(id) <= w {
		return id
	}
	if simple(id) && random(id) {
		return id[:min(w, 8)]
	}
	runes := []rune(id)
	tail := min(w/2, 4)
	end := string(runes[len(runes)-tail:])
	for tail > 0 && width(end) > w/2 { // wide characters
		tail--
		end = string(runes[len(runes)-tail:])
	}
	head := ansi.Truncate(string(runes[:min(len(runes), w)]), w-width(end)-width(s.t.Glyphs.Ellipsis), "")
	return s.cut(head+s.t.Glyphs.Ellipsis+end, w)
}

// random reports whether an id looks like a UUID or a hash.
func random(id string) bool {
	for i := range min(len(id), 8) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return len(id) >= 16
}

// frame draws a box of w by h cells around lines that are w-2 wide. The title
// stands in its upper edge, the note in its lower one.
func (s *scene) frame(lines []string, w, h int, title, note string, focused bool) []string {
	b, role := s.t.Glyphs.Border, &s.t.Border
	if focused {
		role = &s.t.BorderFocused
	}
	edge := func(left, line, right, words string, paint func(string) string) string {
		if words != "" {
			words = " " + s.cut(words, max(w-6, 0)) + " "
		}
		if w < 6 {
			words = ""
		}
		rest := max(w-3-width(words), 0)
		return role.Paint(left+line) + paint(words) + role.Paint(strings.Repeat(line, rest)+right)
	}
	out := make([]string, 0, h)
	head := s.t.Dim.Paint
	if focused {
		head = s.t.Title.Paint
	}
	out = append(out, edge(b.TopLeft, b.Top, b.TopRight, title, head))
	left, right := role.Paint(b.Left), role.Paint(b.Right)
	for i := range max(h-2, 0) {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		if n := width(line); n < w-2 {
			line += spaces(w - 2 - n)
		} else if n > w-2 {
			line = ansi.Truncate(line, w-2, "")
		}
		out = append(out, left+line+right)
	}
	if h > 1 {
		out = append(out, s.lowerEdge(w, note, role.Paint))
	}
	return out
}

// lowerEdge has its note at the right end.
func (s *scene) lowerEdge(w int, note string, paint func(string) string) string {
	b := s.t.Glyphs.Border
	if note == "" || w < 12 {
		return paint(b.BottomLeft + strings.Repeat(b.Bottom, max(w-2, 0)) + b.BottomRight)
	}
	note = " " + s.cut(note, w-6) + " "
	rest := max(w-3-width(note), 0)
	return paint(b.BottomLeft+strings.Repeat(b.Bottom, rest)) + s.t.Dim.Paint(note) + paint(b.Bottom+b.BottomRight)
}

// over lays the lines of a box over those of the screen, which steps back:
// what is under an overlay is dim.
func (s *scene) over(screen, lines []string, x, y int) {
	for i := 1; i < len(screen); i++ {
		under := ansi.Strip(screen[i])
		if i < y || i >= y+len(lines) {
			screen[i] = s.t.Dim.Paint(under)
			continue
		}
		line := lines[i-y]
		left := ansi.Truncate(under, x, "")
		left += spaces(x - ansi.StringWidth(left))
		end := x + ansi.StringWidth(line)
		right := ansi.TruncateLeft(under, end, "")
		if more := ansi.StringWidth(right) - max(ansi.StringWidth(under)-end, 0); more > 0 {
			// a wide character stood across the edge
			right = " " + ansi.TruncateLeft(under, end+more, "")
		}
		screen[i] = s.t.Dim.Paint(left) + line + s.t.Dim.Paint(right)
	}
}
