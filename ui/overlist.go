package ui

// overList is a list that stands over the panes, and takes the mouse: one line an
// item, and the cursor on one of them.
type overList struct {
	win window
	at  box // its lines in the last view
}

// overLook is how an overList looks now.
type overLook struct {
	title  string
	w      int                   // of the frame
	head   []string              // stands above the items
	n      int                   // items
	line   func(i, w int) string // item i in exactly w cells
	none   string                // stands in the place of items where there are none
	corner bool                  // at the lower right, so that the table is to be seen
}

// draw lays the list over the screen.
func (l *overList) draw(r *Root, s *scene, screen []string, o *overLook) {
	l.win.show(o.n, max(min(o.n, len(screen)-len(o.head)-6), 1))
	lines := append(make([]string, 0, len(o.head)+l.win.height), o.head...)
	for i := l.win.offset; i < o.n && i < l.win.offset+l.win.height; i++ {
		if text := o.line(i, o.w-6); i == l.win.cursor {
			lines = append(lines, " "+s.t.Selected.Around(s.t.Glyphs.Select+" "+text))
		} else {
			lines = append(lines, "   "+text)
		}
	}
	if o.n == 0 {
		lines = append(lines, " "+s.t.Dim.Paint(s.cut(o.none, o.w-4)))
	}
	var at box
	if note := l.win.place(o.n); o.corner {
		at = box{max(r.width-o.w-2, 0), max(len(screen)-len(lines)-2, 1), o.w, len(lines) + 2}
		s.over(screen, s.frame(lines, o.w, at.h, o.title, note, true), at.x, at.y)
	} else {
		at = s.popUp(screen, lines, r.width, o.w, o.title, note)
	}
	l.at = box{at.x + 1, at.y + 1 + len(o.head), o.w - 2, min(o.n, l.win.height)}
}

// click puts the cursor onto the line that is pressed, and reports whether it stood
// there already: pressed again, a line is taken. n is how many items there are.
func (l *overList) click(x, y, n int) bool {
	i := l.win.offset + y - l.at.y
	if !l.at.has(x, y) || i >= n {
		return false
	}
	again := i == l.win.cursor
	l.win.cursor = i
	return again
}

// popUp lays lines, in a frame of w cells, over the middle of a screen of so many
// cells, and returns where the frame stands.
func (s *scene) popUp(screen, lines []string, cells, w int, title, note string) box {
	frame := s.frame(lines, w, len(lines)+2, title, note, true)
	at := box{(cells - w) / 2, max((len(screen)+1-len(frame))/2, 1), w, len(frame)}
	s.over(screen, frame, at.x, at.y)
	return at
}
