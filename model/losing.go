package model

import (
	"container/heap"
	"slices"
	"time"

	"callboard/model/task"
)

// WarnMsg sets how long before its end a person is told of what will be lost; 0 is
// a minute.
type WarnMsg struct{ Before time.Duration }

// warnBefore is how long that is by default.
const warnBefore = time.Minute

// Loss is what the end of a ttl takes away that somebody may still want.
type Loss uint8

// The losses. LosesPrompt: the task asks, and nobody can answer any more.
// LosesResult: it has ended, and nobody has looked at its result.
const (
	LosesNothing Loss = iota
	LosesPrompt
	LosesResult
)

// Losing tells of one loss, once for each task.
type Losing struct {
	Key  task.Key
	Loss Loss
	End  time.Time // our clock
}

// Loses returns what r loses soonest and when that is, LosesNothing where that is
// nothing, or not known.
func (m *Model) Loses(r *Row) (Loss, time.Time) {
	end, limited := r.Expiry()
	switch {
	case r.Mark != NoMark || r.Key.ID == "":
	case r.Asking():
		for _, a := range r.Asks {
			if until := a.Prompt.Until; a.waits() && !until.IsZero() && (!limited || until.Before(end)) {
				end, limited = until, true
			}
		}
		if limited {
			return LosesPrompt, end
		}
	case limited && r.Outcome == nil && (r.Task.Status == task.Completed || r.Task.Status == task.Failed):
		return LosesResult, end
	}
	return LosesNothing, time.Time{}
}

// LosesSoon is Loses for what a person should be told of now.
func (m *Model) LosesSoon(r *Row, now time.Time) (Loss, time.Time) {
	loss, end := m.Loses(r)
	if loss == LosesNothing || now.Before(m.warnAt(r, end)) || !now.Before(end) {
		return LosesNothing, time.Time{}
	}
	return loss, end
}

// warnAt is when a loss at end is told. Of a task that is kept for a short time
// that is not all of it: a quarter at most.
func (m *Model) warnAt(r *Row, end time.Time) time.Time {
	before := m.losing.before
	if r.Task.TTL > 0 {
		before = min(before, r.Task.TTL/4)
	}
	return end.Add(-before).Truncate(time.Microsecond) // as an Instant has it
}

// losing knows what is lost when. A change costs the same however many rows there
// are: an entry whose row has another time by now is dropped when its turn comes.
type losing struct {
	before time.Duration
	heap   lossHeap
	told   []Losing // the last ones
	n      int      // of all
}

// Bounds of losing.
const (
	lossesKept = 100
	lossesOnce = 1000 // how many are looked at in one Update
	// lossesSpare is how many entries there may be beyond two a row.
	lossesSpare = 1024
	warned      = -1 // Row.warns of a row that was told of
)

type lossEntry struct {
	at  Instant
	row *Row
}

// mayLose notes that what r loses, or when, may be another now.
func (m *Model) mayLose(r *Row) {
	loss, end := m.Loses(r)
	if loss == LosesNothing || r.warns == warned {
		return
	}
	if at := At(m.warnAt(r, end)); at != r.warns {
		r.warns = at
		heap.Push(&m.losing.heap, lossEntry{at, r})
		if len(m.losing.heap) > 2*m.board.Total()+lossesSpare {
			m.dropStaleLosses()
		}
	}
}

// stale reports whether nothing is to be told when e's turn comes.
func (m *Model) stale(e lossEntry) bool { return e.row.warns != e.at || m.Row(e.row.Key) != e.row }

// dropStaleLosses drops what would be dropped when its turn comes, which may be
// days away: of rows that went, and of times to live that became others.
func (m *Model) dropStaleLosses() {
	h := &m.losing.heap
	*h = slices.DeleteFunc(*h, m.stale)
	heap.Init(h)
}

// tellLosses takes note of what is to be told now.
func (m *Model) tellLosses() {
	for range lossesOnce {
		h := &m.losing.heap
		if len(*h) == 0 || (*h)[0].at > At(m.now) {
			return
		}
		e := heap.Pop(h).(lossEntry)
		r := e.row
		if m.stale(e) {
			continue
		}
		r.warns = 0
		loss, end := m.Loses(r)
		switch {
		case loss == LosesNothing:
		case m.now.Before(m.warnAt(r, end)):
			m.mayLose(r)
		case m.now.Before(end):
			r.warns = warned
			m.losing.told = append(m.losing.told[max(len(m.losing.told)-lossesKept+1, 0):], Losing{r.Key, loss, end})
			m.losing.n++
			m.rev++
		}
	}
}

// wake returns when the next loss is to be told, zero for none.
func (l *losing) wake() time.Time {
	if len(l.heap) == 0 {
		return time.Time{}
	}
	return l.heap[0].at.Time()
}

// Losses returns what was told after the first n losses, oldest first, as far as
// it is still known, and how many there were by now.
func (m *Model) Losses(n int) ([]Losing, int) {
	l := &m.losing
	return l.told[max(len(l.told)-(l.n-n), 0):], l.n
}

// News returns what happened after the first n events, oldest first, as far as it
// is still known by name, and how many there were by now. What was there when a
// server was first listed is no news.
func (m *Model) News(n int) ([]AwayRow, int) {
	d := &m.diary
	var rows []AwayRow
	for i := max(n, d.n-awayRows, 0); i < d.n; i++ {
		rows = append(rows, d.rows[i%awayRows])
	}
	return rows, d.n
}

// warnBy sets how long before its end a loss is told.
func (m *Model) warnBy(before time.Duration) {
	if before <= 0 {
		before = warnBefore
	}
	if before == m.losing.before {
		return
	}
	m.losing.before, m.losing.heap = before, nil
	for _, l := range m.links {
		for _, r := range l.store.tasks {
			if loss, end := m.Loses(r); loss != LosesNothing && r.warns != warned {
				r.warns = At(m.warnAt(r, end))
				m.losing.heap = append(m.losing.heap, lossEntry{r.warns, r})
			}
		}
	}
	heap.Init(&m.losing.heap)
	m.rev++
}

// lossHeap has what is to be told first on top.
type lossHeap []lossEntry

func (h lossHeap) Len() int           { return len(h) }
func (h lossHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h lossHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *lossHeap) Push(x any)        { *h = append(*h, x.(lossEntry)) }
func (h *lossHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = lossEntry{}
	*h = old[:len(old)-1]
	return e
}
