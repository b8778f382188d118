package model

import (
	"container/heap"
	"time"
)

// A filter that speaks of ages and times to live looks at a clock that steps by
// timeStep: a row comes or goes at most that much late, and any number of rows
// wakes the program four times a second.
const timeStep = 250 * time.Millisecond

// onGrid returns the newest step of that clock.
func onGrid(t time.Time) time.Time { return t.Truncate(timeStep).Round(0) }

// farOff is how far ahead a moment is still waited for: what servers name may
// lie beyond what an int64 of nanoseconds can hold.
const farOff = 50 * 365 * 24 * time.Hour

// timeHeap is the rows that time alone may let in or out, the next one first.
type timeHeap []*Row

func (h timeHeap) Len() int           { return len(h) }
func (h timeHeap) Less(i, j int) bool { return h[i].place.due < h[j].place.due }
func (h timeHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place.times, h[j].place.times = int32(i+1), int32(j+1) //nolint:gosec // there are fewer rows than that
}

// Push is for container/heap.
func (h *timeHeap) Push(x any) {
	r := x.(*Row)
	*h = append(*h, r)
	r.place.times = int32(len(*h)) //nolint:gosec // there are fewer rows than that
}

// Pop is for container/heap.
func (h *timeHeap) Pop() any {
	old := *h
	end := len(old) - 1
	r := old[end]
	old[end] = nil
	*h = old[:end]
	r.place.times = 0
	return r
}

// await has r looked at again at due, in ns of our clock; 0: never.
func (o *order) await(r *Row, due int64) {
	p := &r.place
	if p.order != o.n || due == p.due && (due == 0) == (p.times == 0) {
		return
	}
	p.due = due
	switch {
	case due == 0:
		heap.Remove(&o.times, int(p.times-1))
	case p.times > 0:
		heap.Fix(&o.times, int(p.times-1))
	default:
		heap.Push(&o.times, r)
	}
}

// tick looks at the rows whose time has come, and reports whether there were any.
func (b *Board) tick(at time.Time) bool {
	began, now := time.Now(), onGrid(at)
	o, n := b.order, 0
	for len(o.times) > 0 && o.times[0].place.due <= now.UnixNano() {
		if n++; n > sliceRows || n%fewRows == 0 && time.Since(began) > sliceTime {
			break // due is still now, so that the rest follows at once
		}
		b.place(o.times[0], now)
	}
	return n > 0
}

// due returns when tick has something to do, zero for never.
func (b *Board) due() time.Time {
	if len(b.order.times) == 0 {
		return time.Time{}
	}
	return time.Unix(0, b.order.times[0].place.due)
}
