package ui

import (
	"fmt"
	"strings"

	"callboard/themes"
	"callboard/ui/render"
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

// View draws the screen. What did not change is not drawn anew; overlays and
// the log, whose lines come from elsewhere, always are.
func (r *Root) View() string {
	if r.width <= 0 || r.height <= 0 || r.quitting {
		return ""
	}
	if r.still {
		return r.view
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
	foot := r.footer(s)
	b := arrange(r.width, r.height, len(foot), r.wishes())
	r.laid = b
	if b.tooSmall {
		return r.tooSmall(s)
	}
	screen := make([]string, 0, r.height)
	screen = append(screen, r.header(s))
	screen = append(screen, r.body(s, b)...)
	if r.over != nil {
		r.over.draw(r, s, screen)
	}
	return strings.Join(append(screen, foot...), "\n")
}

// wishes is what should be seen. A result that has the keys is read, and nothing
// beside it helps.
func (r *Root) wishes() wishes {
	return wishes{
		side: r.hasSide(), onSide: r.onSide, zoom: r.zoom || r.onSide && r.side == r.result, share: r.taste.Side,
	}
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
