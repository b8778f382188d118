package form

import (
	"fmt"
	"strconv"
	"strings"

	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/lipgloss"
)

// Snug returns the form with its frame, w cells wide and as high as it needs
// to be: at most h lines. It only grows while it is open, so that it holds
// still while one goes from field to field.
func (f *Form) Snug(w, h int) string {
	if w != f.w || h != f.h {
		f.tall = 0
	}
	return f.draw(w, h, true)
}

// View returns the form with its frame: h lines of w cells.
func (f *Form) View(w, h int) string { return f.draw(w, h, false) }

func (f *Form) draw(w, h int, snug bool) string {
	f.w, f.h, f.head = w, h, keptLines{}
	if w < 8 || h < 3 {
		lines := make([]string, max(h, 0))
		for i := range lines {
			lines[i] = render.Fit("", w, "")
		}
		if h > 0 {
			lines[0] = render.Fit("a form: make the window larger", w, "")
		}
		return strings.Join(lines, "\n")
	}
	room := f.bodyHeight()
	if f.reading != nil {
		return f.drawReading(w, h, room)
	}
	body, from, to := f.body()
	if f.menu != nil || f.follow && !f.isURL() {
		f.scrollTo(from, to, room)
	}
	f.scroll = max(min(f.scroll, len(body)-room), 0)
	if snug {
		f.tall = max(f.tall, len(body))
		room = min(room, f.tall)
	}

	inSight := make([]string, room)
	copy(inSight, body[f.scroll:])
	return f.framed(w, inSight, f.place(len(body), room))
}

// framed puts the head above body, and the frame around both.
func (f *Form) framed(w int, body []string, status string) string {
	frame := f.frame()
	head := f.header()
	lines := make([]string, 0, len(head)+len(body)+2)
	lines = append(lines, frame.top(f.title(), f.ages(w), w))
	for _, l := range head {
		lines = append(lines, frame.line(l, w))
	}
	for _, l := range body {
		lines = append(lines, frame.line(l, w))
	}
	return strings.Join(append(lines, frame.bottom(status, w)), "\n")
}

// scrollTo moves the window so that the rows from..to are in it, the first of
// them where not all fit. The beginning stays in sight as long as it can.
func (f *Form) scrollTo(from, to, room int) {
	if to <= room && (f.menu != nil || f.focus == 0 && !f.json) {
		f.scroll = 0
		return
	}
	if to > f.scroll+room {
		f.scroll = to - room
	}
	if from < f.scroll {
		f.scroll = from
	}
}

// inner is how many cells stand between the frame's sides.
func (f *Form) inner() int { return max(f.w-4, 1) }

func (f *Form) bodyHeight() int { return max(f.h-2-len(f.header()), 1) }

// edge is a frame that is painted.
type edge struct {
	b     lipgloss.Border
	role  *themes.Role
	title *themes.Role
	more  string
}

func (f *Form) frame() edge {
	t := f.theme
	if f.spec.Kind == Question {
		return edge{t.Glyphs.Prompt, &t.PromptFrame, &t.PromptTitle, t.Glyphs.Ellipsis}
	}
	return edge{t.Glyphs.Border, &t.BorderFocused, &t.Title, t.Glyphs.Ellipsis}
}

func (e edge) top(title, right string, w int) string {
	room := w - 4 - render.Width(right)
	title = " " + title + " "
	if render.Width(title) > room {
		title = render.Fit(title, room, e.more)
	}
	fill := max(room-render.Width(title), 0)
	return e.role.Paint(e.b.TopLeft+e.b.Top) + e.title.Paint(title) + e.role.Paint(strings.Repeat(e.b.Top, fill)) + right +
		e.role.Paint(e.b.Top+e.b.TopRight)
}

func (e edge) line(l string, w int) string {
	return e.role.Paint(e.b.Left) + " " + render.Fit(l, max(w-4, 0), e.more) + " " + e.role.Paint(e.b.Right)
}

func (e edge) bottom(status string, w int) string {
	room := w - 4
	if status != "" {
		status = " " + status + " "
	}
	if render.Width(status) > room {
		status = render.Fit(status, room, e.more)
	}
	return e.role.Paint(e.b.BottomLeft + strings.Repeat(e.b.Bottom, max(room-render.Width(status), 0)+1) + status + e.b.Bottom + e.b.BottomRight)
}

// place says in the lower edge how far one is: the field, what must still be
// given, and what is out of sight.
func (f *Form) place(lines, room int) string {
	var parts []string
	switch {
	case f.menu != nil || f.isURL():
	case f.json:
		parts = append(parts, "JSON")
	case len(f.rows) > 0:
		parts = append(parts, fmt.Sprintf("field %d of %d", f.focus+1, len(f.rows)))
		missing, failing := f.faults()
		if missing > 0 {
			parts = append(parts, strconv.Itoa(missing)+" to give")
		}
		if failing > 0 {
			parts = append(parts, strconv.Itoa(failing)+" wrong")
		}
	}
	if f.scroll > 0 {
		parts = append(parts, f.theme.Glyphs.Less+strconv.Itoa(f.scroll))
	}
	if below := lines - room - f.scroll; below > 0 {
		parts = append(parts, f.theme.Glyphs.More+strconv.Itoa(below))
	}
	return strings.Join(parts, " "+f.theme.Glyphs.Dot+" ")
}
