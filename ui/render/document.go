package render

import (
	"strconv"
	"strings"

	"callboard/keymap"
	"callboard/themes"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Document is what a server sent, ready to be looked at: a window of rows over
// blocks that are laid out only where they are in sight. It scrolls both ways;
// text is wrapped, JSON is not.
type Document struct {
	theme  *themes.Theme
	blocks []block
	total  int // bytes of all blocks

	top  spot
	x    int // cells that JSON is scrolled to the right
	wide int // the widest row of JSON seen by the last View
	w, h int

	laid  map[laidKey]laidRows // rows laid out for this width and x
	end   spot                 // the top of the last page, where endOK
	endOK bool

	search        search
	renders, rich bool // Markdown is rendered; there is some
}

// spot is a row of the document.
type spot struct {
	block int
	at    place
	row   int
}

func (a spot) less(b spot) bool {
	if a.block != b.block {
		return a.block < b.block
	}
	if a.at.seg != b.at.seg {
		return a.at.seg < b.at.seg
	}
	return a.row < b.row
}

type laidKey struct {
	block, seg int
}

// maxLaid is how many laid out segments are kept: some screens full.
const maxLaid = 512

func newDocument(t *themes.Theme, blocks ...block) *Document {
	d := &Document{theme: t, laid: map[laidKey]laidRows{}}
	d.add(blocks...)
	return d
}

func (d *Document) add(blocks ...block) {
	for _, b := range blocks {
		if b.size() > 0 {
			d.blocks = append(d.blocks, b)
			d.total += b.size()
		}
	}
	if len(d.blocks) > 0 {
		d.top = spot{at: d.blocks[0].first()}
	}
}

// View returns h lines of w cells each.
func (d *Document) View(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	if w != d.w || h != d.h {
		d.resize(w, h)
	}
	lines := make([]string, 0, h)
	d.wide = 0
	for at, ok := d.top, len(d.blocks) > 0; ok && len(lines) < h; at, ok = d.below(at) {
		laid := d.rows(at)
		d.wide = max(d.wide, laid.wide)
		lines = append(lines, Fit(laid.rows[at.row], w, ""))
	}
	for len(lines) < h {
		lines = append(lines, strings.Repeat(" ", w))
	}
	return strings.Join(lines, "\n")
}

func (d *Document) resize(w, h int) {
	if w != d.w {
		clear(d.laid)
	}
	d.w, d.h, d.endOK = w, h, false
	if len(d.blocks) > 0 {
		d.top.row = min(d.top.row, len(d.rows(d.top).rows)-1)
		d.settle()
	}
}

// rows lays out the segment in which at stands.
func (d *Document) rows(at spot) laidRows {
	k := laidKey{at.block, at.at.seg}
	r, ok := d.laid[k]
	if !ok {
		if len(d.laid) >= maxLaid {
			clear(d.laid)
		}
		b := d.blocks[at.block]
		spans := b.spans(at.at)
		r = lay(spans, d.marks(at, flatten(spans)), b.shape(at.at), at.at.seg > at.at.line, d.theme, max(d.w, 1), d.x)
		d.laid[k] = r
	}
	return r
}

func (d *Document) below(at spot) (spot, bool) {
	if at.row+1 < len(d.rows(at).rows) {
		at.row++
		return at, true
	}
	if next, ok := d.blocks[at.block].next(at.at); ok {
		return spot{block: at.block, at: next}, true
	}
	if at.block+1 < len(d.blocks) {
		return spot{block: at.block + 1, at: d.blocks[at.block+1].first()}, true
	}
	return at, false
}

func (d *Document) above(at spot) (spot, bool) {
	if at.row > 0 {
		at.row--
		return at, true
	}
	if prev, ok := d.blocks[at.block].prev(at.at); ok {
		return d.lastRow(spot{block: at.block, at: prev}), true
	}
	if at.block > 0 {
		return d.lastRow(spot{block: at.block - 1, at: d.blocks[at.block-1].last()}), true
	}
	return at, false
}

func (d *Document) lastRow(at spot) spot {
	at.row = len(d.rows(at).rows) - 1
	return at
}

// lastTop returns the top row of the last page.
func (d *Document) lastTop() spot {
	if !d.endOK {
		b := len(d.blocks) - 1
		at := d.lastRow(spot{block: b, at: d.blocks[b].last()})
		for range max(d.h, 1) - 1 {
			up, ok := d.above(at)
			if !ok {
				break
			}
			at = up
		}
		d.end, d.endOK = at, true
	}
	return d.end
}

// settle keeps the window within the document.
func (d *Document) settle() {
	if end := d.lastTop(); end.less(d.top) {
		d.top = end
	}
}

// Scroll moves the window by rows, up where they are negative. It returns
// whether anything moved.
func (d *Document) Scroll(rows int) bool {
	if len(d.blocks) == 0 {
		return false
	}
	was := d.top
	for range max(rows, -rows) {
		next, ok := d.top, false
		if rows < 0 {
			next, ok = d.above(d.top)
		} else if d.top.less(d.lastTop()) {
			next, ok = d.below(d.top)
		}
		if !ok {
			break
		}
		d.top = next
	}
	d.settle()
	return d.top != was
}

// Top shows the beginning.
func (d *Document) Top() {
	if len(d.blocks) > 0 {
		d.top = spot{at: d.blocks[0].first()}
	}
	d.sideways(0)
}

// Bottom shows the last page.
func (d *Document) Bottom() {
	if len(d.blocks) > 0 {
		d.top = d.lastTop()
	}
}

// Sideways moves JSON by cells, to the left where they are negative. It
// returns whether anything moved.
func (d *Document) Sideways(cells int) bool {
	was := d.x
	x := d.x + cells
	if cells > 0 {
		x = min(x, max(d.wide-d.w, d.x))
	}
	d.sideways(max(x, 0))
	return d.x != was
}

func (d *Document) sideways(x int) {
	if x == d.x {
		return
	}
	d.x = x
	clear(d.laid)
}

// sidestep is how many cells a key moves JSON.
const sidestep = 8

// Update takes one of the keys of lists; it returns false for any other key.
func (d *Document) Update(msg tea.KeyMsg, keys *keymap.List) bool {
	switch {
	case key.Matches(msg, keys.Up):
		d.Scroll(-1)
	case key.Matches(msg, keys.Down):
		d.Scroll(1)
	case key.Matches(msg, keys.PageUp):
		d.Scroll(-max(d.h-1, 1))
	case key.Matches(msg, keys.PageDown):
		d.Scroll(max(d.h-1, 1))
	case key.Matches(msg, keys.HalfUp):
		d.Scroll(-max(d.h/2, 1))
	case key.Matches(msg, keys.HalfDown):
		d.Scroll(max(d.h/2, 1))
	case key.Matches(msg, keys.Top):
		d.Top()
	case key.Matches(msg, keys.Bottom):
		d.Bottom()
	case key.Matches(msg, keys.Left):
		d.Sideways(-sidestep)
	case key.Matches(msg, keys.Right):
		d.Sideways(sidestep)
	default:
		return false
	}
	return true
}

// Rich reports whether part of the document is rendered: its source looks
// otherwise.
func (d *Document) Rich() bool { return d.rich }

// Repaint paints the document anew: its theme has changed. nil is none.
func (d *Document) Repaint() {
	if d != nil {
		clear(d.laid)
	}
}

// Beyond reports whether something in sight goes on to the right.
func (d *Document) Beyond() bool { return d.wide > d.x+d.w }

// Status says in a word where the window stands: "all", "top", "end", or how
// much is above it, as "43%".
func (d *Document) Status() string {
	if len(d.blocks) == 0 {
		return "all"
	}
	atTop := d.top == spot{at: d.blocks[0].first()}
	atEnd := !d.top.less(d.lastTop())
	switch {
	case atTop && atEnd:
		return "all"
	case atTop:
		return "top"
	case atEnd:
		return "end"
	}
	before := d.top.at.seg
	for _, b := range d.blocks[:d.top.block] {
		before += b.size()
	}
	return strconv.Itoa(min(max(before*100/d.total, 1), 99)) + "%"
}
