package model

import (
	"slices"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// marks are the rows that the person chose, to act on all of them at once. A
// mark belongs to its row: it stays when a call becomes a task, and goes when
// the row does.
type marks struct {
	rows []*Row // in the order of their marking; nil where a mark went
	n    int    // marked ones of them

	gen  uint64 // of the walk
	walk []*Row // what is left to be looked at, nil where nothing is
	pass *order // the filter that was asked for when it began
}

// markSlice goes on with the walk of that generation.
type markSlice struct{ gen uint64 }

// Marked returns how many rows are marked, those that the filter hides among
// them.
func (m *Model) Marked() int { return m.marks.n }

// MarkedRows returns up to limit marked rows in the order of their marking, all
// of them where limit is 0 or less.
func (m *Model) MarkedRows(limit int) []*Row {
	if limit <= 0 || limit > m.marks.n {
		limit = m.marks.n
	}
	rows := make([]*Row, 0, limit)
	for _, r := range m.marks.rows {
		if len(rows) == limit {
			break
		}
		if r != nil {
			rows = append(rows, r)
		}
	}
	return rows
}

// Marking reports whether MarkAllMsg is still being carried out.
func (m *Model) Marking() bool { return m.marks.walk != nil }

// markRows sets or takes away the marks of rows.
func (m *Model) markRows(keys []task.Key, on bool) {
	for _, key := range keys {
		if r := m.Row(key); r != nil {
			m.marks.set(m, r, on)
		}
	}
	m.marks.tidy()
	m.rev++
}

// markAll marks all rows that pass the filter, or takes all marks away. It does
// so in slices; what is asked for meanwhile takes its place.
func (m *Model) markAll(on bool) {
	k := &m.marks
	k.gen++
	if on {
		k.walk, k.pass = slices.Clone(m.board.all), m.board.wanted()
	} else {
		k.walk, k.pass = m.MarkedRows(0), nil
	}
	m.markOn(markSlice{k.gen})
}

// markOn works on the next rows of a walk.
func (m *Model) markOn(msg markSlice) {
	k := &m.marks
	if msg.gen != k.gen || k.walk == nil {
		return
	}
	began, n := time.Now(), 0
	for _, r := range k.walk[:min(sliceRows, len(k.walk))] {
		if n%fewRows == fewRows-1 && time.Since(began) > sliceTime {
			break
		}
		n++
		switch {
		case r.place.at == 0: // it left the table meanwhile
		case k.pass == nil:
			k.set(m, r, false)
		case m.board.lets(k.pass, r):
			k.set(m, r, true)
		}
	}
	m.rev++
	if k.walk = k.walk[n:]; len(k.walk) > 0 {
		m.do(func() tea.Msg { return msg })
		return
	}
	k.walk, k.pass = nil, nil
	k.tidy()
}

// set sets or takes away the mark of one row.
func (k *marks) set(m *Model, r *Row, on bool) {
	switch {
	case on == r.Marked:
		return
	case on:
		k.rows = append(k.rows, r)
		r.markAt = int32(len(k.rows)) //nolint:gosec // there are fewer rows than that
		k.n++
	default:
		k.rows[r.markAt-1] = nil
		r.markAt = 0
		k.n--
	}
	r.Marked = on
	m.rev++
	r.Rev = m.rev
	m.board.touch(r) // the filter may ask for marks
}

// tidy closes the gaps where they are the most of it.
func (k *marks) tidy() {
	if len(k.rows) < 2*k.n+32 {
		return
	}
	k.rows = slices.DeleteFunc(k.rows, func(r *Row) bool { return r == nil })
	for i, r := range k.rows {
		r.markAt = int32(i + 1) //nolint:gosec // there are fewer rows than that
	}
	k.rows = slices.Clip(k.rows)
}

// moveMark gives the mark of a row to another one that takes its place.
func (k *marks) moveMark(m *Model, from, to *Row) {
	if from.Marked {
		k.set(m, to, true)
		k.set(m, from, false)
	}
}
