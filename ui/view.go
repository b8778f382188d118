package ui

import (
	"fmt"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

// viewKey is what a view depends on beside what keys change: a key forgets it.
type viewKey struct {
	rev   uint64
	w, h  int
	at    place
	now   int64 // in seconds, for the clock
	said  note
	theme *themes.Theme
}

// clockFrom is the width from which on the header has a clock.
const clockFrom = 100

// How long a sentence stays in the footer, and one about what went wrong.
const (
	noteLife    = 8 * time.Second
	badNoteLife = 20 * time.Second
)

// View draws the screen. What did not change is not drawn anew; overlays and
// the log, whose lines come from elsewhere, always are.
func (r *Root) View() string {
	if r.width <= 0 || r.height <= 0 || r.quitting {
		return ""
	}
	k := viewKey{r.m.Revision(), r.width, r.height, r.at, r.now.Unix(), r.said, r.t}
	if k == r.viewOf && r.over == nil && r.at != atLog && r.at != atTools {
		return r.view
	}
	r.view, r.viewOf = r.draw(), k
	return r.view
}

func (r *Root) draw() string {
	s := r.scene()
	b := arrange(r.width, r.height, wishes{side: r.hasSide(), onSide: r.onSide})
	if b.tooSmall {
		return r.tooSmall(s)
	}
	screen := make([]string, 0, r.height)
	screen = append(screen, r.header(s))
	screen = append(screen, r.body(s, b)...)
	screen = append(screen, "")
	if r.over != nil {
		r.over.draw(r, s, screen)
	}
	screen[len(screen)-1] = r.footer(s, screen)
	return strings.Join(screen, "\n")
}

// tooSmall says so, as far as there is room for it.
func (r *Root) tooSmall(s *scene) string {
	c := r.m.Counts()
	words := fmt.Sprintf("callboard needs %dx%d, this is %dx%d. It goes on working: %d working, %d asking.",
		minWidth, minHeight, r.width, r.height, c.Working, c.Asking)
	lines := render.Wrap(words, r.width)
	for i, line := range lines {
		lines[i] = s.cut(line, r.width)
	}
	return strings.Join(lines[:min(len(lines), r.height)], "\n")
}

// body draws the panes between header and footer.
func (r *Root) body(s *scene, b boxes) []string {
	main, side := r.panes[r.at], r.side
	onSide := r.hasSide() && r.onSide
	open := r.over == nil
	switch {
	case b.side.w == 0:
		return s.boxed(main, b.main, open)
	case b.main.w == 0:
		return s.boxed(side, b.side, open)
	case b.side.x == 0: // above each other
		return append(s.boxed(main, b.main, open && !onSide), s.boxed(side, b.side, open && onSide)...)
	}
	left := s.boxed(main, b.main, open && !onSide)
	right := s.boxed(side, b.side, open && onSide)
	for i := range left {
		left[i] += right[i]
	}
	return left
}

// boxed draws a pane in its frame.
func (s *scene) boxed(p pane, b box, focused bool) []string {
	lines := p.view(s, b.w-4, b.h-2, focused)
	framed := make([]string, len(lines))
	for i, line := range lines {
		framed[i] = " " + line
	}
	return s.frame(framed, b.w, b.h, p.title(s), p.note(s), focused)
}

// header is the first line: what we are attached to and how that is, and the
// counts. What is less wanted goes where it gets narrow.
func (r *Root) header(s *scene) string {
	right := r.counts(s)
	links := r.m.Links()
	for _, left := range s.attached(r.title(), links) {
		if gap := r.width - width(left) - width(right); gap >= 2 {
			return left + spaces(gap) + right
		}
	}
	short := s.attached(r.title(), links)
	left := s.cut(short[len(short)-1], max(r.width-width(right)-1, 0))
	return s.cut(left+spaces(r.width-width(left)-width(right))+right, r.width)
}

func (r *Root) title() string {
	if r.o.Title != "" {
		return r.o.Title
	}
	return "callboard"
}

// attached says what we are attached to, the longest form first.
func (s *scene) attached(title string, links []model.LinkView) []string {
	dot := s.t.Dim.Paint(" " + s.t.Glyphs.Dot + " ")
	name := " " + s.t.Title.Paint(title)
	if len(links) != 1 {
		states := s.linkCounts(links)
		return []string{name + "  " + count(len(links), "server", "servers") + dot + states, " " + states}
	}
	l := &links[0]
	st := s.linkStatus(l.State)
	state := st.role.Paint(st.glyph + " " + st.word)
	if l.State == model.Down && !l.NextTry.IsZero() {
		state += s.t.Dim.Paint(", next try " + nextTryShort(l.NextTry.Sub(s.now)))
	}
	if l.About.ReadOnly {
		state = s.t.Warning.Paint("read only") + dot + state
	}
	server := s.t.Strong.Paint(task.CleanLine(l.Name, 60).Line())
	url := s.t.Dim.Paint(task.CleanLine(l.URL, 200).Line())
	version := task.CleanLine(l.About.Version, 20).Line()
	if version != "" {
		version = s.t.Dim.Paint(version) + dot
	}
	return []string{
		name + "  " + server + dot + url + dot + version + state,
		name + "  " + server + dot + version + state,
		name + "  " + server + dot + state,
		" " + server + dot + state,
		" " + state,
	}
}

func nextTryShort(d time.Duration) string {
	if d <= 0 {
		return "now"
	}
	return "in " + left(d)
}

// linkCounts says how many links are in which state.
func (s *scene) linkCounts(links []model.LinkView) string {
	var n [4]int
	for _, l := range links {
		n[l.State]++
	}
	var parts []string
	for _, st := range []model.LinkState{model.Live, model.Quiet, model.Connecting, model.Down} {
		if n[st] > 0 {
			look := s.linkStatus(st)
			parts = append(parts, look.role.Paint(fmt.Sprintf("%s %d %s", look.glyph, n[st], look.word)))
		}
	}
	return strings.Join(parts, "  ")
}

// counts are the numbers of tasks by status, and the time.
func (r *Root) counts(s *scene) string {
	c, g, t := r.m.Counts(), &s.t.Glyphs, s.t
	word := func(role *themes.Role, glyph string, n int, word string) string {
		if n == 0 {
			role = &t.Dim
		}
		text := fmt.Sprintf("%s%d", glyph, n)
		if r.width >= 80 {
			text += word
		}
		return role.Paint(text)
	}
	parts := []string{
		word(&t.Working, g.Working, c.Working+c.Calls, " working"),
		word(&t.Asking, g.Asking, c.Asking, " asking"),
	}
	if r.width >= 56 {
		parts = append(parts, word(&t.Completed, g.Completed, c.Completed, ""),
			word(&t.Failed, g.Failed, c.Failed, ""), word(&t.Cancelled, g.Cancelled, c.Cancelled, ""))
		if c.Gone > 0 {
			parts = append(parts, word(&t.Gone, g.Gone, c.Gone, ""))
		}
	}
	line := strings.Join(parts, "  ")
	if r.width >= clockFrom {
		line += "   " + t.Dim.Paint(r.now.Local().Format(time.TimeOnly))
	}
	return line + " "
}

// notice returns the sentence for the footer: the screen's own, or the
// model's where that is newer. An old one goes.
func (r *Root) notice() note {
	said := r.said
	if line, bad, at := r.m.Notice(); line != "" && at.After(said.at) {
		said = note{text: oneLine(line), bad: bad, at: at}
	}
	life := noteLife
	if said.bad {
		life = badNoteLife
	}
	if said.text == "" || r.now.Sub(said.at) > life {
		return note{}
	}
	return said
}

// footer is the last line: a sentence, or the keys that work now. A sentence
// that is too long for it stands over the lines above.
func (r *Root) footer(s *scene, screen []string) string {
	said := r.notice()
	if _, ok := r.over.(*lineOverlay); !ok && said.text != "" {
		return r.sentence(s, said, screen)
	} else if ok && said.text != "" {
		over := s.fit(" "+said.text, r.width)
		screen[len(screen)-2] = s.noteRole(said).Paint(over)
	}
	if r.over != nil {
		return s.fit(r.over.foot(r, s), r.width)
	}
	right := r.waits(s)
	left := r.hintLine(s, r.width-width(right)-2)
	return left + spaces(r.width-width(left)-width(right)) + right
}

func (s *scene) noteRole(n note) *themes.Role {
	if n.bad {
		return &s.t.Error
	}
	return &s.t.Strong
}

// sentence shows a note, on up to three lines where it is long.
func (r *Root) sentence(s *scene, said note, screen []string) string {
	role := s.noteRole(said)
	right := r.waits(s)
	if w := width(said.text) + 3; w+width(right) <= r.width {
		return " " + role.Paint(said.text) + spaces(r.width-w-width(right)+2) + right
	}
	lines := render.Wrap(said.text, r.width-2)
	if len(lines) > 3 {
		lines = append(lines[:2], s.cut(lines[2]+s.t.Glyphs.Ellipsis, r.width-2))
	}
	last := len(lines) - 1
	for i, line := range lines[:last] {
		screen[len(screen)-1-last+i] = " " + role.Paint(s.fit(line, r.width-1))
	}
	return " " + role.Paint(s.fit(lines[last], r.width-1))
}

// waits reminds of the questions that wait.
func (r *Root) waits(s *scene) string {
	n := waiting(r.m.Inbox())
	if n == 0 {
		return ""
	}
	e := &r.k.Everywhere
	words := count(n, "prompt waits", "prompts wait") + ": " + e.Inbox.Help().Key
	if row := r.m.Row(r.row()); r.hasSide() && row != nil && row.Asking() || r.at != atInbox && n == 1 {
		words = count(n, "prompt waits", "prompts wait") + ": " + e.Answer.Help().Key
	}
	return s.t.Asking.Paint(words) + " "
}

// hint is a key and what it does.
func (s *scene) hint(b key.Binding) string {
	h := b.Help()
	return s.t.Key.Paint(h.Key) + " " + s.t.KeyDesc.Paint(h.Desc)
}

// hintRow is a line of keys, as many as have room.
func (s *scene) hintRow(keys []key.Binding, w int) string {
	line := ""
	for _, b := range keys {
		next := " " + s.hint(b) + " "
		if width(line)+width(next) > w {
			break
		}
		line += next
	}
	return line
}

// hintLine is the keys that work now, as many as have room; help is always
// among them.
func (r *Root) hintLine(s *scene, w int) string {
	if r.typing() {
		return s.hintRow(r.focused().hints(r), w)
	}
	help := " " + s.hint(r.k.Everywhere.Help)
	return ansi.Truncate(s.hintRow(r.focused().hints(r), w-width(help))+help, max(w, 0), "")
}
