package model

import (
	"cmp"
	"strings"
	"time"

	"callboard/model/task"

	"github.com/tidwall/btree"
)

// Column is what the table can be sorted by.
type Column uint8

// The columns, in the order of the table.
const (
	ByStatus Column = iota
	ByTask
	ByTool
	ByMessage
	ByProgress
	ByAge
	ByTTL
	ByServer
)

// place is where a row stands in the table. in, waits and times are of the order
// whose number is order, and mean nothing in another one.
type place struct {
	at    int32  // in Board.all, plus one; 0: not there
	order uint32 // the number of the order that has seen the row last
	times int32  // in order.times, plus one; 0: not there
	came  uint32 // the number of the pause in which the row came, 0: in none
	in    bool   // it passes the filter, and is in the tree under key
	due   int64  // when time alone may change whether it passes, see filter.next
	key   sortKey
}

// sortKey is what a row is sorted by. It is kept with the row, since the row
// has changed by the time at which it has to be found in the tree again.
type sortKey struct {
	a, b int64
	s    string
}

func (k sortKey) compare(o sortKey) int {
	if k.a != o.a {
		return cmp.Compare(k.a, o.a)
	}
	if k.b != o.b {
		return cmp.Compare(k.b, o.b)
	}
	return strings.Compare(k.s, o.s)
}

// last stands behind all that can be sorted.
const last = 1<<63 - 1

// keyOf returns what r is sorted by.
func (c Column) keyOf(r *Row) sortKey {
	switch c {
	case ByTask:
		if r.Key.ID == "" {
			return sortKey{a: 1, s: string(r.Key.Call)}
		}
		return sortKey{s: string(r.Key.ID)}
	case ByTool:
		return words(r.Tool)
	case ByMessage:
		return words(r.Task.Message)
	case ByProgress:
		return sortKey{a: -r.permille()}
	case ByAge:
		return sortKey{a: -int64(r.Began)}
	case ByTTL:
		if end, ok := r.Expiry(); ok && r.Live() {
			return sortKey{a: int64(At(end))}
		}
		return sortKey{a: last}
	case ByServer:
		return sortKey{s: r.Key.Server}
	case ByStatus:
	}
	switch {
	case r.Asking(): // who waits longest comes first, and a new one moves nobody
		return sortKey{a: 0, b: int64(r.Since)}
	case r.Live():
		return sortKey{a: 1, b: -int64(r.Began)}
	case !r.Task.Status.Terminal() && r.Mark != NotOurs:
		return sortKey{a: 2, b: -int64(r.Since)}
	}
	return sortKey{a: 3, b: -int64(r.Since)}
}

// words sorts by a text; rows without one come last.
func words(t task.Text) sortKey {
	if t.IsZero() {
		return sortKey{a: 1}
	}
	return sortKey{s: t.String()}
}

// permille returns how far r has come, -1 where nothing is told.
func (r *Row) permille() int64 {
	if r.Progress == nil {
		return -1
	}
	if r.Progress.Total > 0 {
		return int64(min(max(r.Progress.Done/r.Progress.Total, 0), 1) * 1000)
	}
	return 0
}

// order is one sort and filter of the rows. Their places are those in the order
// that has the newest number.
type order struct {
	n       uint32
	by      Column
	reverse bool
	filter  *filter
	tree    *btree.BTreeG[*Row]
	times   timeHeap
}

func newOrder(n uint32, by Column, reverse bool, f *filter) *order {
	o := &order{n: n, by: by, reverse: reverse, filter: f}
	o.tree = btree.NewBTreeGOptions(o.less, btree.Options{NoLocks: true})
	return o
}

func (o *order) less(x, y *Row) bool {
	if c := x.place.key.compare(y.place.key); c != 0 {
		return c < 0 != o.reverse
	}
	return compareKeys(x.Key, y.Key) < 0 // the same whichever way it is sorted
}

func compareKeys(x, y task.Key) int {
	return cmp.Or(strings.Compare(x.Server, y.Server), strings.Compare(string(x.ID), string(y.ID)),
		strings.Compare(string(x.Call), string(y.Call)))
}

// meet begins r's place in this order, and reports whether the order sees it for
// the first time.
func (o *order) meet(r *Row) bool {
	p := &r.place
	if p.order == o.n {
		return false
	}
	p.order, p.in, p.times, p.due = o.n, false, 0, 0
	return true
}

// holds reports whether r is in the tree.
func (o *order) holds(r *Row) bool { return r.place.order == o.n && r.place.in }

// put puts r where it belongs: in the tree under key, or out of it.
func (o *order) put(r *Row, pass bool, key sortKey) {
	p := &r.place
	if p.in {
		if pass && key == p.key {
			return
		}
		o.tree.Delete(r)
	}
	p.key, p.in = key, pass
	if pass {
		o.tree.Set(r)
	}
}

func (o *order) remove(r *Row) {
	if o.holds(r) {
		o.tree.Delete(r)
		r.place.in = false
	}
	o.await(r, 0)
}

// passes reports whether the filter lets r through now.
func (o *order) passes(r *Row) bool { return o.filter.passes(r, onGrid(time.Now())) }

// rank returns r's place, false where it is filtered out. It takes a few
// comparisons for each doubling of the rows.
func (o *order) rank(r *Row) (int, bool) {
	if !o.holds(r) {
		return 0, false
	}
	low, high := 0, o.tree.Len()
	for low < high {
		mid := (low + high) / 2
		x, _ := o.tree.GetAt(mid)
		if o.less(x, r) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, true
}

// StatusWord returns the word that the table shows for the row's status.
func (r *Row) StatusWord() string {
	switch {
	case r.Mark == NotOurs:
		return "not ours"
	case r.MustVisit():
		return "must visit"
	case r.Task.Status.Terminal():
		return r.Task.Status.String()
	case r.Mark == Expired:
		return "expired"
	case r.Mark == Gone:
		return "gone"
	case r.Mark == UnknownOutcome:
		return "unknown"
	case r.Cancelling():
		return "cancelling"
	case r.Asking():
		return "asking"
	}
	return r.Task.Status.String()
}
