package model

import (
	"time"

	"callboard/model/task"
)

// Board is the rows in order, after the filter. Work for a change or a look is
// O(log n). A new sort or filter shows at once, with what was found so far in its
// right order, and goes through all rows in slices by Update.
//
// While it is paused no row moves, appears or vanishes: what would is noted, and
// done when it goes on. A new sort or filter then shows the rows that were there
// when the pause began, as they are now. What leaves callboard altogether leaves a
// paused board too: a row that the person forgets, one that goes since the table
// is full.
type Board struct {
	all    []*Row
	find   func(task.Key) *Row
	looked func() task.Key // the row that the person looks at
	order  *order          // what shows
	done   int             // rows of all that order has seen, at least
	gen    uint64          // of the slices that are under way
	// again asks for another sliceMsg.
	again func(sliceMsg)

	problem string // why the filter that was typed last does not hold

	paused  bool
	pauses  uint32            // so far
	waiting map[*Row]struct{} // rows whose place would be another one without the pause

	tools map[string]struct{} // the names of tools that rows had, toolsMost of them
}

// sliceMsg works on the next slice of the rows.
type sliceMsg struct{ gen uint64 }

// A slice ends after sliceRows rows, or sliceTime: what a row costs depends on
// the filter. The clock is read each fewRows rows.
const (
	sliceTime = 2 * time.Millisecond
	fewRows   = 32
)

// nearRows is how many rows above and below the one that is looked at are worked
// on first.
const nearRows = 60

func newBoard(find func(task.Key) *Row, again func(sliceMsg)) *Board {
	return &Board{
		find: find, again: again, looked: func() task.Key { return task.Key{} },
		order: newOrder(1, ByStatus, false, noFilter), waiting: map[*Row]struct{}{}, tools: map[string]struct{}{},
	}
}

// Len returns the number of rows that pass the filter, as far as they were
// found; Total of all.
func (b *Board) Len() int { return b.order.tree.Len() }

// Total returns the number of all rows, those that wait among them.
func (b *Board) Total() int { return len(b.all) }

// At returns row i, 0 <= i < Len; nil outside.
func (b *Board) At(i int) *Row {
	r, _ := b.order.tree.GetAt(i)
	return r
}

// Rank returns the place of the row that key names, false where the filter
// hides it, it waits, or there is none. See Known.
func (b *Board) Rank(key task.Key) (int, bool) {
	r := b.find(key)
	if r == nil {
		return 0, false
	}
	return b.order.rank(r)
}

// Known reports whether it is known if the row that key names passes the filter:
// while Busy some rows may not be reached yet. The selected one and those around
// it are worked on first. It is true of a row that there is not.
func (b *Board) Known(key task.Key) bool {
	r := b.find(key)
	return r == nil || r.place.order == b.order.n
}

// Sort returns the column and whether it is reversed.
func (b *Board) Sort() (Column, bool) { return b.order.by, b.order.reverse }

// Filter returns the text of the filter that holds, "" for none.
func (b *Board) Filter() string { return b.order.filter.text }

// FilterError returns in one line why the filter that was asked for last does not
// hold, with the place in it, and "" where it does. The one before holds then.
func (b *Board) FilterError() string { return b.problem }

// Busy reports whether rows are still being worked on for a new sort or filter,
// or after a pause: what shows is in its right order, but some rows are missing.
func (b *Board) Busy() bool { return b.done < len(b.all) || !b.paused && len(b.waiting) > 0 }

// Progress returns how many rows of how many the newest sort and filter has gone
// through, or of the rows that waited in a pause; done is total where it is not
// Busy.
func (b *Board) Progress() (done, total int) {
	if b.done < len(b.all) || b.paused {
		return b.done, len(b.all)
	}
	return len(b.all) - len(b.waiting), len(b.all)
}

// wanted is the order that the person asked for.
func (b *Board) wanted() *order { return b.order }

// sort sorts by a column; the same one again reverses.
func (b *Board) sort(by Column) {
	o := b.order
	b.reorder(by, o.by == by && !o.reverse, o.filter)
}

// filterBy shows the rows that pass a filter. One that means nothing leaves the
// filter before it.
func (b *Board) filterBy(text string) {
	b.problem = ""
	o := b.order
	if o.filter.text == text {
		return
	}
	f, err := parseFilter(text)
	if err != nil {
		b.problem = err.line()
		return
	}
	b.reorder(o.by, o.reverse, f)
}

// reorder begins a new order; one that was being worked out is given up. The row
// that is looked at and those around it come first, so that the cursor can stay.
func (b *Board) reorder(by Column, reverse bool, f *filter) {
	near := b.near()
	b.gen++
	b.order, b.done = newOrder(b.order.n+1, by, reverse, f), 0
	b.waiting = map[*Row]struct{}{}
	now := b.clock()
	for _, r := range near {
		b.place(r, now)
	}
	b.slice(sliceMsg{b.gen})
}

// near returns the row that is looked at and those around it.
func (b *Board) near() []*Row {
	r := b.find(b.looked())
	if r == nil || r.place.at == 0 {
		return nil
	}
	rows := []*Row{r}
	if at, ok := b.order.rank(r); ok {
		for i := max(at-nearRows, 0); i < min(at+nearRows+1, b.Len()); i++ {
			rows = append(rows, b.At(i))
		}
	}
	return rows
}

// slice goes through the next rows of a new order, or those that waited.
func (b *Board) slice(msg sliceMsg) {
	if msg.gen != b.gen {
		return
	}
	began, now, n := time.Now(), b.clock(), 0
	over := func() bool {
		n++
		return n > sliceRows || n%fewRows == 0 && time.Since(began) > sliceTime
	}
	for b.done < len(b.all) {
		if over() {
			b.again(msg)
			return
		}
		b.place(b.all[b.done], now)
		b.done++
	}
	if b.paused {
		return
	}
	for r := range b.waiting {
		if over() {
			b.again(msg)
			return
		}
		b.place(r, now) // it waits no more
	}
}

// clock returns the time that the filter goes by, zero where it needs none.
func (b *Board) clock() time.Time {
	if !b.order.filter.timed {
		return time.Time{}
	}
	return onGrid(time.Now())
}

// place puts r where it belongs now, or notes that it would go there but for the
// pause.
func (b *Board) place(r *Row, now time.Time) {
	o, p := b.order, &r.place
	fresh := o.meet(r)
	pass, key := o.filter.passes(r, now), o.by.keyOf(r)
	o.await(r, o.filter.next(r, now))
	if b.paused && (!fresh || p.came == b.pauses) {
		if pass != p.in || pass && key != p.key {
			b.waiting[r] = struct{}{}
		} else {
			delete(b.waiting, r)
		}
		return
	}
	if len(b.waiting) > 0 {
		delete(b.waiting, r)
	}
	o.put(r, pass, key)
}

func (b *Board) add(r *Row) {
	reached := b.done == len(b.all)
	b.all = append(b.all, r)
	if reached {
		b.done++
	}
	r.place = place{at: int32(len(b.all))} //nolint:gosec // there are fewer rows than that
	if b.paused {
		r.place.came = b.pauses
	}
	b.touch(r)
}

// touch puts r where it belongs after a change.
func (b *Board) touch(r *Row) {
	if r.place.at == 0 {
		return
	}
	b.noteTool(r)
	b.place(r, b.clock())
}

// rename lets f change r's key. The row stays where it is, also while the board
// is paused.
func (b *Board) rename(r *Row, f func()) {
	in := b.order.holds(r)
	if in {
		b.order.tree.Delete(r)
	}
	f()
	if in {
		b.order.tree.Set(r)
	}
	b.touch(r)
}

// replace takes a row out for which another one stands from now on. While the
// board is paused that one takes its place, where it has none.
func (b *Board) replace(r, by *Row) {
	held, key := b.order.holds(r), r.place.key
	b.remove(r)
	if b.paused && held && by.place.at != 0 && !b.order.holds(by) {
		b.order.meet(by)
		b.order.put(by, true, key)
		b.touch(by)
	}
}

func (b *Board) remove(r *Row) {
	if r.place.at == 0 {
		return
	}
	b.order.remove(r)
	delete(b.waiting, r)
	i, end := int(r.place.at-1), len(b.all)-1
	moved, reached := b.all[end], end < b.done
	b.all[i], moved.place.at = moved, r.place.at
	b.all[end] = nil
	b.all = b.all[:end]
	r.place.at = 0
	if i < b.done && !reached {
		b.place(moved, b.clock()) // it came to where the new order has been already
	}
	b.done = min(b.done, end)
}
