package ui

// The least screen that can be laid out, and the width from which on panes
// stand side by side.
const (
	minWidth, minHeight = 40, 10
	sideBySide          = 100
	stacked             = 30 // the height from which on narrow panes stack
	minSide, maxSide    = 42, 96
	// What a pane keeps when the person moves the border between two, in columns and
	// lines.
	leastWidth, leastHeight = 30, 6
)

// box is a part of the screen, in cells from its upper left corner.
type box struct{ x, y, w, h int }

// wishes is what should be seen.
type wishes struct {
	side   bool // a side pane beside the main one
	onSide bool // which of the two is to be seen where there is room for one
	zoom   bool // that one has all the room
	share  int  // of the side pane, in percent; 0 for the default
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
	case wish.zoom && wish.onSide:
		b.side = body
	case wish.zoom:
		b.main = body
	case w >= sideBySide:
		side := min(max(w/3, minSide), maxSide)
		if wish.share > 0 {
			side = min(max(w*wish.share/100, leastWidth), w-leastWidth)
		}
		b.main = box{0, 1, w - side, body.h}
		b.side = box{w - side, 1, side, body.h}
	case h >= stacked:
		low := body.h * 2 / 5
		if wish.share > 0 {
			low = min(max(body.h*wish.share/100, leastHeight), body.h-leastHeight)
		}
		b.main = box{0, 1, w, body.h - low}
		b.side = box{0, 1 + body.h - low, w, low}
	case wish.onSide:
		b.side = body
	default:
		b.main = body
	}
	return b
}

// shareStep is how much a key moves the border between the panes, in percent.
const shareStep = 5

// The shares within which the border is moved, in percent.
const leastShare, mostShare = 5, 95

// share returns how much of the screen the side pane has now, in percent.
func (r *Root) share() int {
	if r.taste.Side > 0 {
		return r.taste.Side
	}
	main, side := r.laid.main, r.laid.side
	if side.x > 0 {
		return (side.w*100 + r.width/2) / r.width
	}
	return (side.h*100 + (main.h+side.h)/2) / max(main.h+side.h, 1)
}

// resize puts the border between the panes at a cell of the screen.
func (r *Root) resize(x, y int) {
	share := 0
	if main, side := r.laid.main, r.laid.side; side.x > 0 {
		share = ((r.width-x)*100 + r.width/2) / r.width
	} else if all := main.h + side.h; all > 0 {
		share = ((main.y+all-y)*100 + all/2) / all
	}
	r.taste.Side = min(max(share, leastShare), mostShare)
}
