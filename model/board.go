package model

import (
	"callboard/model/task"
)

// Board is the rows in order, after the filter. Work for a change or a look
// is O(log n); a new sort or filter over many rows is done in slices by Update.
type Board struct {
	all  []*Row
	find func(task.Key) *Row
	now  *order // what shows
	next *order // being worked out, nil for none
	done int    // rows of all that next has seen
	gen  uint64 // of next
	// again asks for another sliceMsg.
	again func(sliceMsg)
}

// sliceMsg works on the next slice of the order of that generation.
type sliceMsg struct{ gen uint64 }

func newBoard(find func(task.Key) *Row, again func(sliceMsg)) *Board {
	return &Board{find: find, again: again, now: newOrder(0, ByStatus, false, "")}
}

// Len returns the number of rows that pass the filter; Total of all.
func (b *Board) Len() int { return b.now.tree.Len() }

// Total returns the number of all rows.
func (b *Board) Total() int { return len(b.all) }

// At returns row i, 0 <= i < Len; nil outside.
func (b *Board) At(i int) *Row {
	r, _ := b.now.tree.GetAt(i)
	return r
}

// Rank returns the place of the row that key names, false where the filter
// hides it or there is none.
func (b *Board) Rank(key task.Key) (int, bool) {
	r := b.find(key)
	if r == nil {
		return 0, false
	}
	return b.now.rank(r)
}

// Sort returns the column and whether it is reversed: those asked for, also
// while they are being worked out.
func (b *Board) Sort() (Column, bool) { o := b.wanted(); return o.by, o.reverse }

// Filter returns the filter's text, "" for none.
func (b *Board) Filter() string { return b.wanted().filter }

// Busy reports whether a new sort or filter is still being worked out (the old
// one shows meanwhile).
func (b *Board) Busy() bool { return b.next != nil }

func (b *Board) wanted() *order {
	if b.next != nil {
		return b.next
	}
	return b.now
}

// sort sorts by a column; the same one again reverses.
func (b *Board) sort(by Column) {
	o := b.wanted()
	b.reorder(by, o.by == by && !o.reverse, o.filter)
}

// filterBy shows the rows that hold text.
func (b *Board) filterBy(text string) {
	if o := b.wanted(); o.filter != text {
		b.reorder(o.by, o.reverse, text)
	}
}

// reorder begins a new order; the one that was being worked out is given up.
func (b *Board) reorder(by Column, reverse bool, filter string) {
	b.gen++
	b.next, b.done = newOrder(1-b.now.slot, by, reverse, filter), 0
	for _, r := range b.all {
		r.place.in[b.next.slot] = false
	}
	b.slice(sliceMsg{b.gen})
}

// slice works on the next rows of the order that is being worked out.
func (b *Board) slice(msg sliceMsg) {
	if b.next == nil || msg.gen != b.gen {
		return
	}
	end := min(b.done+sliceRows, len(b.all))
	for _, r := range b.all[b.done:end] {
		b.next.touch(r)
	}
	if b.done = end; end < len(b.all) {
		b.again(msg)
		return
	}
	b.now, b.next = b.next, nil
}

func (b *Board) add(r *Row) {
	b.all = append(b.all, r)
	r.place = place{at: len(b.all)}
	b.touch(r)
}

// touch puts r where it belongs after a change.
func (b *Board) touch(r *Row) {
	if r.place.at == 0 {
		return
	}
	b.now.touch(r)
	if b.next != nil {
		b.next.touch(r)
	}
}

func (b *Board) remove(r *Row) {
	if r.place.at == 0 {
		return
	}
	b.now.remove(r)
	if b.next != nil {
		b.next.remove(r)
	}
	i, end := r.place.at-1, len(b.all)-1
	moved := b.all[end]
	b.all[i], moved.place.at = moved, i+1
	b.all[end] = nil
	b.all = b.all[:end]
	r.place.at = 0
	if b.next != nil && i < b.done && moved != r {
		b.next.touch(moved) // it came to where the new order has been already
		b.done = min(b.done, end)
	}
}
