package form

import (
	"fmt"
	"strconv"
	"strings"
	"time"

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
	f.w, f.h = w, h
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
	body, from, to := f.body()
	room := f.bodyHeight()
	if f.menu != nil || f.follow && !f.isURL() {
		f.scrollTo(from, to, room)
	}
	f.scroll = max(min(f.scroll, len(body)-room), 0)
	if snug {
		f.tall = max(f.tall, len(body))
		room = min(room, f.tall)
	}

	frame := f.frame()
	lines := make([]string, 0, h)
	lines = append(lines, frame.top(f.title(), f.age(), w))
	for _, l := range f.header() {
		lines = append(lines, frame.line(l, w))
	}
	for i := range room {
		l := ""
		if f.scroll+i < len(body) {
			l = body[f.scroll+i]
		}
		lines = append(lines, frame.line(l, w))
	}
	lines = append(lines, frame.bottom(f.place(len(body), room), w))
	return strings.Join(lines, "\n")
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
	if right != "" {
		right = " " + right + " "
	}
	if render.Width(right) > w/3 {
		right = ""
	}
	room := w - 4 - render.Width(right)
	title = " " + title + " "
	if render.Width(title) > room {
		title = render.Fit(title, room, e.more)
	}
	fill := max(room-render.Width(title), 0)
	return e.role.Paint(e.b.TopLeft+e.b.Top) + e.title.Paint(title) + e.role.Paint(strings.Repeat(e.b.Top, fill)+right+e.b.Top+e.b.TopRight)
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

func (f *Form) title() string {
	switch {
	case f.spec.Kind == Call:
		return "new " + f.spec.Tool.Line() + " on " + f.spec.Server
	case f.isURL():
		return f.theme.Glyphs.Asking + " " + f.spec.Server + " asks you to visit a page" + f.ofMany()
	}
	return f.theme.Glyphs.Asking + " " + f.spec.Server + " asks" + f.ofMany()
}

// ofMany says which of the questions of its task this is, "" where it is the
// only one.
func (f *Form) ofMany() string {
	if f.among.Of < 2 {
		return ""
	}
	return fmt.Sprintf(" %s question %d of %d", f.theme.Glyphs.Dot, f.among.Number, f.among.Of)
}

// roomyHeight is from which height on a form spends lines on looks.
const roomyHeight = 14

// header says what else is known of who asks, then what became of it. The
// title names the server already, by the name that the person gave it.
func (f *Form) header() []string {
	s, t := &f.spec, f.theme
	var parts []string
	if tool := s.Tool.Line(); tool != "" && s.Kind == Question {
		parts = append(parts, "tool "+tool)
	}
	if id := s.Task.Line(); id != "" {
		if s.Guessed {
			id += " (most likely)"
		}
		parts = append(parts, "task "+id)
	} else if s.Kind == Question {
		who := "no task named"
		if s.Calling {
			who = "a call of yours"
		}
		if s.Calling && s.Unborn {
			who += ", no task yet"
		}
		parts = append(parts, who)
	}
	if name := s.Name.Line(); name != "" && name != s.Server {
		parts = append(parts, "server "+name)
	}
	rows := f.packed(parts)
	limit := 1
	switch {
	case f.h >= roomyHeight:
		limit = 3
	case f.h >= roomyHeight-3:
		limit = 2
	}
	if len(rows) > limit {
		rows = append(rows[:limit-1:limit-1], strings.Join(rows[limit-1:], " "+t.Glyphs.Dot+" ")) // cut by the frame
	}
	for i := range rows {
		rows[i] = t.Dim.Paint(rows[i])
	}
	rows = append(rows, f.banner()...)
	rows = append(rows, f.sampleLines()...)
	if f.h >= roomyHeight {
		rows = append(rows, "")
	}
	return rows[:min(len(rows), max(f.h-3, 0))]
}

// packed puts parts on as few rows as they need, each whole where it fits.
func (f *Form) packed(parts []string) []string {
	var rows []string
	dot := " " + f.theme.Glyphs.Dot + " "
	for _, p := range parts {
		if n := len(rows); n > 0 && render.Width(rows[n-1]+dot+p) <= f.inner() {
			rows[n-1] += dot + p
			continue
		}
		if f.h < roomyHeight { // cut by the frame
			rows = append(rows, p)
			continue
		}
		rows = append(rows, render.Wrap(p, f.inner())...)
	}
	return rows
}

func (f *Form) age() string {
	if f.spec.Since.IsZero() {
		return ""
	}
	return "asked " + ago(f.spec.Now().Sub(f.spec.Since))
}

// ago is coarse, so that a form does not flicker: 5 s steps under a minute.
func ago(d time.Duration) string {
	n, unit := 0, ""
	switch {
	case d < 5*time.Second:
		return "just now"
	case d < time.Minute:
		n, unit = int(d/(5*time.Second))*5, "s"
	case d < time.Hour:
		n, unit = int(d/time.Minute), "m"
	case d < 48*time.Hour:
		n, unit = int(d/time.Hour), "h"
	default:
		n, unit = int(d/(24*time.Hour)), "d"
	}
	return strconv.Itoa(n) + unit + " ago"
}

// seconds writes some seconds, "1 s".
func seconds(n int) string { return strconv.Itoa(n) + " s" }

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
		missing := 0
		for i := range f.rows {
			if r := &f.rows[i]; r.required() && !r.set {
				missing++
			}
		}
		if missing > 0 {
			parts = append(parts, strconv.Itoa(missing)+" to give")
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
