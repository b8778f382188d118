package ui

// The least screen that can be laid out, and the width from which on panes
// stand side by side.
const (
	minWidth, minHeight = 40, 10
	sideBySide          = 100
	stacked             = 30 // the height from which on narrow panes stack
	minSide, maxSide    = 42, 96
)

// box is a part of the screen, in cells from its upper left corner.
type box struct{ x, y, w, h int }

// wishes is what should be seen.
type wishes struct {
	side   bool // a side pane beside the main one
	onSide bool // which of the two is to be seen where there is room for one
	zoom   bool // the side pane takes all the room
}

// boxes is where everything stands. A pane without room has the zero box.
type boxes struct {
	header, main, side, footer box
	tooSmall                   bool
}

// arrange lays the screen out: a header of a line, a footer of foot lines,
// between them the panes: beside each other from 100 columns on, above each
// other on narrow high screens, else the one that has the keys.
func arrange(w, h, foot int, wish wishes) boxes {
	if w < minWidth || h < minHeight {
		return boxes{tooSmall: true}
	}
	b := boxes{header: box{0, 0, w, 1}, footer: box{0, h - foot, w, foot}}
	body := box{0, 1, w, h - 1 - foot}
	switch {
	case !wish.side:
		b.main = body
	case wish.zoom:
		b.side = body
	case w >= sideBySide:
		side := min(max(w/3, minSide), maxSide)
		b.main = box{0, 1, w - side, body.h}
		b.side = box{w - side, 1, side, body.h}
	case h >= stacked:
		low := body.h * 2 / 5
		b.main = box{0, 1, w, body.h - low}
		b.side = box{0, 1 + body.h - low, w, low}
	case wish.onSide:
		b.side = body
	default:
		b.main = body
	}
	return b
}
