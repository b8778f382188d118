package render

import (
	"sort"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	// overlap is how far a match may reach into the next segment of a line.
	overlap = 512
	// atOnce is how many bytes are searched within a key press, and slice how
	// many in one command.
	atOnce, slice = 64 << 10, 1 << 20
	// maxHits is in how many segments matches are counted.
	maxHits = 200_000
)

// mark is a match in the text of a segment; here: it is the one stood on.
type mark struct {
	cut
	here bool
}

// hit is a segment in which there are matches.
type hit struct {
	block  int
	at     place
	before int // matches before those of this segment
}

// search is what a document knows of what is looked for in it. Segments in
// sight are marked when they are laid out; the matches are counted from the
// beginning, in slices.
type search struct {
	pattern *Pattern
	run     int // counts the searches: the slices of earlier ones are dropped
	from    spot
	fromX   int
	hits    []hit
	total   int
	done    bool
	cut     bool // there are more than are counted
	found   bool // a match is stood on: match nth of hits[i]
	i, nth  int
}

// Begin remembers where the window stands: the next Search looks from there.
func (d *Document) Begin() { d.search.from, d.search.fromX = d.top, d.x }

// Search marks what matches p, and shows the first match at or below the place
// where Begin was called, or else the first of all. It returns the command that
// goes on looking in a long document, nil where that is done.
func (d *Document) Search(p *Pattern) tea.Cmd {
	was := d.search
	d.search = search{pattern: p, run: was.run + 1, from: was.from, fromX: was.fromX}
	clear(d.laid)
	if p == nil || len(d.blocks) == 0 {
		d.search.done = true
		return nil
	}
	s := &scan{of: d, run: d.search.run, pattern: p, blocks: d.snapshot(), at: d.blocks[0].first()}
	s.read(atOnce)
	return d.take(s)
}

// Clear marks nothing any more. back shows what was shown when Begin was called.
func (d *Document) Clear(back bool) {
	d.Search(nil)
	if back && len(d.blocks) > 0 {
		d.top = d.search.from
		d.top.row = min(d.top.row, len(d.rows(d.top).rows)-1)
		d.sideways(d.search.fromX)
		d.settle()
	}
}

// Searching reports whether anything is marked.
func (d *Document) Searching() bool { return d.search.pattern != nil }

// Found says how many matches there are, and on which the window stands: "3 of
// 17", with a + while not all are counted; "" where nothing is looked for.
func (d *Document) Found() string {
	s := &d.search
	more := ""
	if !s.done || s.cut {
		more = "+"
	}
	switch {
	case s.pattern == nil:
		return ""
	case s.found:
		return strconv.Itoa(s.hits[s.i].before+s.nth+1) + " of " + strconv.Itoa(s.total) + more
	case !s.done:
		return "searching"
	}
	return "no match"
}

// Step goes to the next match, or to the one before where n is negative; at the
// ends it goes round. It returns false where there is no match.
func (d *Document) Step(n int) bool {
	s := &d.search
	if s.pattern == nil || len(s.hits) == 0 {
		return false
	}
	switch {
	case !s.found:
		s.i, s.nth, s.found = 0, 0, true
	case n > 0 && s.nth+1 < s.count(s.i):
		s.nth++
	case n > 0:
		s.i, s.nth = (s.i+1)%len(s.hits), 0
	case s.nth > 0:
		s.nth--
	default:
		s.i = (s.i - 1 + len(s.hits)) % len(s.hits)
		s.nth = s.count(s.i) - 1
	}
	d.reveal()
	return true
}

// count returns how many matches hits[i] stands for.
func (s *search) count(i int) int {
	if i+1 < len(s.hits) {
		return s.hits[i+1].before - s.hits[i].before
	}
	return s.total - s.hits[i].before
}

// FoundMsg brings what a slice of a search found. Whoever gets it calls Take.
type FoundMsg struct{ s *scan }

// Take hands the matches to their document, and returns the command that goes on
// looking, nil where that is done, or nobody looks for it any more.
func (m FoundMsg) Take() tea.Cmd {
	d := m.s.of
	if d.search.run != m.s.run {
		return nil
	}
	return d.take(m.s)
}

func (d *Document) take(s *scan) tea.Cmd {
	k := &d.search
	k.hits, k.total = append(k.hits, s.hits...), s.total
	k.done, k.cut = s.end, s.cut
	s.hits = nil
	if !k.found {
		d.choose()
	}
	if s.end {
		return nil
	}
	next := *s // the command owns it
	return func() tea.Msg {
		next.read(slice)
		return FoundMsg{&next}
	}
}

// choose stands on the first match from where the search began; when all are
// counted and there is none, on the first.
func (d *Document) choose() {
	k := &d.search
	from := k.from
	i := sort.Search(len(k.hits), func(i int) bool {
		h := &k.hits[i]
		return h.block > from.block || h.block == from.block && h.at.seg >= from.at.seg
	})
	nth := 0
	if i < len(k.hits) && k.hits[i].block == from.block && k.hits[i].at.seg == from.at.seg {
		for nth < k.count(i) && d.matchSpot(i, nth).row < from.row {
			nth++
		}
		if nth == k.count(i) {
			i, nth = i+1, 0
		}
	}
	switch {
	case i < len(k.hits):
	case k.done && len(k.hits) > 0:
		i, nth = 0, 0
	default:
		return
	}
	k.i, k.nth, k.found = i, nth, true
	d.reveal()
}

// snapshot returns the blocks for another goroutine: some remember what they
// read last.
func (d *Document) snapshot() []block {
	out := make([]block, len(d.blocks))
	for i, b := range d.blocks {
		if j, ok := b.(*jsonBlock); ok {
			own := *j
			b = &own
		}
		out[i] = b
	}
	return out
}

// matches returns the matches that begin in the segment at p of b, whose text
// is text, and what of it belongs to a match that began in the segment before.
func (p *Pattern) matches(b block, at place, text string) (begun []cut, tail cut) {
	if at.seg > at.line {
		if prev, ok := b.prev(at); ok && prev.line == at.line {
			before := flatten(b.spans(prev))
			before = before[max(len(before)-overlap, 0):]
			both := before + text[:min(overlap, len(text))]
			for _, c := range p.find(both, maxSegment) {
				if c.from < len(before) && c.to > len(before) {
					tail = cut{0, c.to - len(before)}
				}
			}
		}
	}
	whole := text
	if next, ok := b.next(at); ok && next.line == at.line {
		ahead := flatten(b.spans(next))
		whole += ahead[:min(overlap, len(ahead))]
	}
	for _, c := range p.find(whole[tail.to:], 2*maxSegment) {
		c.from, c.to = c.from+tail.to, c.to+tail.to
		if c.from < len(text) {
			begun = append(begun, c)
		}
	}
	return begun, tail
}

// marks returns what is marked in a segment.
func (d *Document) marks(at spot, text string) []mark {
	k := &d.search
	if k.pattern == nil {
		return nil
	}
	begun, tail := k.pattern.matches(d.blocks[at.block], at.at, text)
	out := make([]mark, 0, len(begun)+1)
	if tail.to > 0 {
		out = append(out, mark{cut: tail})
	}
	here := k.found && k.hits[k.i].block == at.block && k.hits[k.i].at.seg == at.at.seg
	for i, c := range begun {
		out = append(out, mark{c, here && i == k.nth})
	}
	return widened(text, out)
}

// widened makes marks begin and end between what is drawn as one: a letter that is
// painted apart from its accent may take other cells.
func widened(text string, marks []mark) []mark {
	at := 0
	for i := range marks {
		m := &marks[i]
		for at < min(m.to, len(text)) {
			c, _ := cluster(text[at:])
			end := at + len(c)
			if m.from > at && m.from < end {
				m.from = at
			}
			if m.to < end {
				m.to = end
				break // the next mark may begin here too
			}
			at = end
		}
	}
	return marks
}

// matchSpot returns the row in which match nth of hits[i] begins.
func (d *Document) matchSpot(i, nth int) spot {
	h := &d.search.hits[i]
	at := spot{block: h.block, at: h.at}
	c, ok := d.match(i, nth)
	if !ok {
		return at
	}
	for n, row := range d.rows(at).cuts {
		if row.from <= c.from {
			at.row = n
		}
	}
	return at
}

func (d *Document) match(i, nth int) (cut, bool) {
	h := &d.search.hits[i]
	begun, _ := d.search.pattern.matches(d.blocks[h.block], h.at, flatten(d.blocks[h.block].spans(h.at)))
	if nth >= len(begun) {
		return cut{}, false
	}
	return begun[nth], true
}

// reveal moves the window so that the match that is stood on is in sight.
func (d *Document) reveal() {
	k := &d.search
	clear(d.laid) // another match is marked as the one stood on
	d.sidewaysTo(k.i, k.nth)
	to := d.matchSpot(k.i, k.nth)
	if !to.less(d.top) {
		at := d.top
		for range d.h {
			if at == to {
				return
			}
			next, ok := d.below(at)
			if !ok {
				break
			}
			at = next
		}
	}
	d.top = to
	for range d.h / 3 {
		up, ok := d.above(d.top)
		if !ok {
			break
		}
		d.top = up
	}
	d.settle()
}

// sidewaysTo brings a match into sight in what scrolls sideways.
func (d *Document) sidewaysTo(i, nth int) {
	h := &d.search.hits[i]
	b := d.blocks[h.block]
	sh := b.shape(h.at)
	c, ok := d.match(i, nth)
	if sh.wrap || !ok {
		return
	}
	text := flatten(b.spans(h.at))
	from, to := Width(text[:c.from]), Width(text[:min(c.to, len(text))])
	frozen := sh.frozen
	if frozen > d.w/2 {
		frozen = 0
	}
	switch {
	case from < frozen:
	case to+1 > d.x+d.w, from-1 < frozen+d.x:
		d.sideways(max(min(from-d.w/3, to+1-frozen), 0))
	}
	if to+1 <= d.w {
		d.sideways(0)
	}
}

// scan is a search under way: what it needs is its own, so that it can go on
// in a command.
type scan struct {
	of      *Document
	run     int
	pattern *Pattern
	blocks  []block
	block   int
	at      place
	hits    []hit // since they were taken
	n       int   // hits in all
	total   int
	end     bool
	cut     bool
}

// read goes on for about so many bytes.
func (s *scan) read(bytes int) {
	for bytes > 0 && !s.end {
		b := s.blocks[s.block]
		text := flatten(b.spans(s.at))
		if begun, _ := s.pattern.matches(b, s.at, text); len(begun) > 0 {
			s.hits = append(s.hits, hit{s.block, s.at, s.total})
			s.n++
			s.total += len(begun)
		}
		bytes -= len(text) + 16
		next, ok := b.next(s.at)
		switch {
		case s.n >= maxHits:
			s.end, s.cut = true, true
		case ok:
			s.at = next
		case s.block+1 < len(s.blocks):
			s.block++
			s.at = s.blocks[s.block].first()
		default:
			s.end = true
		}
	}
}
