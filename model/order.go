package model

import (
	"cmp"
	"strings"
	"unicode/utf8"

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

// place is where a row stands in the table.
type place struct {
	at   int // in Board.all, plus one; 0: not there
	keys [2]sortKey
	in   [2]bool
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
		return sortKey{a: -r.Began.UnixNano()}
	case ByTTL:
		if end, ok := r.Expiry(); ok && r.Live() {
			return sortKey{a: end.UnixNano()}
		}
		return sortKey{a: last}
	case ByServer:
		return sortKey{s: r.Key.Server}
	case ByStatus:
	}
	switch {
	case r.Asking(): // who waits longest comes first, and a new one moves nobody
		return sortKey{a: 0, b: r.Since.UnixNano()}
	case r.Live():
		return sortKey{a: 1, b: -r.Began.UnixNano()}
	case !r.Task.Status.Terminal() && r.Mark != NotOurs:
		return sortKey{a: 2, b: -r.Since.UnixNano()}
	}
	return sortKey{a: 3, b: -r.Since.UnixNano()}
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

// order is one sort and filter of the rows. Two can exist at a time, the one
// that shows and the next one, each in its own slot of the rows' places.
type order struct {
	slot    int
	by      Column
	reverse bool
	filter  string // as typed
	needle  string // in lower case
	tree    *btree.BTreeG[*Row]
}

func newOrder(slot int, by Column, reverse bool, filter string) *order {
	o := &order{slot: slot, by: by, reverse: reverse, filter: filter, needle: strings.ToLower(filter)}
	o.tree = btree.NewBTreeGOptions(o.less, btree.Options{NoLocks: true})
	return o
}

func (o *order) less(x, y *Row) bool {
	if c := x.place.keys[o.slot].compare(y.place.keys[o.slot]); c != 0 {
		return c < 0 != o.reverse
	}
	return compareKeys(x.Key, y.Key) < 0 // the same whichever way it is sorted
}

func compareKeys(x, y task.Key) int {
	return cmp.Or(strings.Compare(x.Server, y.Server), strings.Compare(string(x.ID), string(y.ID)),
		strings.Compare(string(x.Call), string(y.Call)))
}

// touch puts r where it belongs now.
func (o *order) touch(r *Row) {
	pass, key := o.passes(r), o.by.keyOf(r)
	p := &r.place
	if p.in[o.slot] {
		if pass && key == p.keys[o.slot] {
			return
		}
		o.tree.Delete(r)
	}
	p.keys[o.slot], p.in[o.slot] = key, pass
	if pass {
		o.tree.Set(r)
	}
}

func (o *order) remove(r *Row) {
	if r.place.in[o.slot] {
		o.tree.Delete(r)
		r.place.in[o.slot] = false
	}
}

// rank returns r's place, false where it is filtered out. It takes a few
// comparisons for each doubling of the rows.
func (o *order) rank(r *Row) (int, bool) {
	if !r.place.in[o.slot] {
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

// passes reports whether the filter's text is in one of r's.
func (o *order) passes(r *Row) bool {
	if o.needle == "" {
		return true
	}
	return contains(r.StatusWord(), o.needle) || contains(r.Task.Status.String(), o.needle) ||
		contains(string(r.Key.ID), o.needle) || contains(r.Tool.String(), o.needle) ||
		contains(r.Task.Message.String(), o.needle) || contains(r.Key.Server, o.needle)
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

// contains reports whether text holds needle, which is in lower case, whatever
// the case of text.
func contains(text, needle string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Contains(strings.ToLower(text), needle)
		}
	}
	for i := 0; i+len(needle) <= len(text); i++ {
		if matchesAt(text[i:], needle) {
			return true
		}
	}
	return false
}

// matchesAt reports whether text, which is ASCII, begins with needle.
func matchesAt(text, needle string) bool {
	for i := range len(needle) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != needle[i] {
			return false
		}
	}
	return true
}
