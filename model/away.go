package model

import (
	"slices"
	"time"

	"callboard/model/task"
)

// AwayKind is one kind of thing that happens while nobody looks.
type AwayKind uint8

// The kinds. AwayBegan: a task or call that was not there before. AwayEnded: it
// completed. AwayFailed: it failed, or its tool says so. AwayExpired: it is not
// known any more, and had not been seen to end. AwayAsked: it began to ask.
// AwayWithdrawn: a question that nobody answered here is asked no more. AwayLost
// and AwayBack: a server was lost, and is reached again.
const (
	AwayBegan AwayKind = iota
	AwayEnded
	AwayFailed
	AwayCancelled
	AwayExpired
	AwayAsked
	AwayWithdrawn
	AwayLost
	AwayBack
	awayKinds
)

// String returns the kind in a word.
func (k AwayKind) String() string {
	return [...]string{"began", "completed", "failed", "cancelled", "expired", "asked", "withdrawn", "lost", "back", ""}[k]
}

// Away is what happened since a moment. The counts are of events: a task that
// asked twice counts twice. What was there when a server was first listed counts
// as nothing.
type Away struct {
	From time.Time
	// Began and so on are how many there were of each kind. They may count a
	// little too much where there were very many, never too little.
	Began, Ended, Failed, Cancelled, Expired, Asked, Withdrawn, Lost, Back int
	// Rows are the last of them, at most 200, oldest first; More is how many came
	// before those.
	Rows []AwayRow
	More int
}

// Total returns how many events there were.
func (a *Away) Total() int {
	return a.Began + a.Ended + a.Failed + a.Cancelled + a.Expired + a.Asked + a.Withdrawn + a.Lost + a.Back
}

// AwayRow is one event. Its row may be gone by now (Model.Row).
type AwayRow struct {
	Kind AwayKind
	At   time.Time // when it was learnt
	Key  task.Key  // of AwayLost and AwayBack the server alone
	Tool task.Text // zero where not known
	Why  string    // of AwayWithdrawn and AwayLost, one line
}

// Bounds of the record.
const (
	awayRows  = 200
	awayMarks = 1024
)

// diary is the record of what happened. An event costs the same however many
// there are: the last ones are kept by name, the others as counts of a second,
// and the older the longer the time that one count stands for.
type diary struct {
	rows  [awayRows]AwayRow
	n     int // events so far
	marks []awayMark
}

// awayMark counts what happened from a moment on, until the next one.
type awayMark struct {
	from  time.Time
	count [awayKinds]uint32
}

// Since returns what happened since t.
func (m *Model) Since(t time.Time) Away { return m.diary.since(t) }

// happened notes an event.
func (d *diary) happened(e AwayRow) {
	e.Why = short(e.Why, 200, 0)
	d.rows[d.n%awayRows] = e
	d.n++
	if n := len(d.marks); n == 0 || e.At.Sub(d.marks[n-1].from) >= time.Second {
		if n >= awayMarks {
			d.thin()
		}
		d.marks = append(d.marks, awayMark{from: e.At})
	}
	d.marks[len(d.marks)-1].count[e.Kind]++
}

// thin joins counts, the older the more of them: each stands for at most so much
// of the time since it began.
func (d *diary) thin() {
	const part = 32
	now := d.marks[len(d.marks)-1].from
	kept := d.marks[:1]
	for i := 1; i < len(d.marks)-1; i++ {
		last, mark := &kept[len(kept)-1], d.marks[i]
		if d.marks[i+1].from.Sub(last.from) > now.Sub(last.from)/part {
			kept = append(kept, mark)
			continue
		}
		for k, n := range mark.count {
			last.count[k] += n
		}
	}
	kept = append(kept, d.marks[len(d.marks)-1])
	if len(kept) > awayMarks/2 { // by a clock that jumps, or in many years
		for _, mark := range kept[1 : awayMarks/4] {
			for k, n := range mark.count {
				kept[0].count[k] += n
			}
		}
		kept = append(kept[:1], kept[awayMarks/4:]...)
	}
	d.marks = kept
}

func (d *diary) since(t time.Time) Away {
	a := Away{From: t}
	var counts [awayKinds]int
	for i := max(0, d.n-awayRows); i < d.n; i++ {
		if e := d.rows[i%awayRows]; !e.At.Before(t) {
			a.Rows = append(a.Rows, e)
			counts[e.Kind]++
		}
	}
	if len(a.Rows) == awayRows { // there may be more than are known by name
		counts = [awayKinds]int{}
		from, _ := slices.BinarySearchFunc(d.marks, t, func(m awayMark, t time.Time) int { return m.from.Compare(t) })
		if from > 0 && (from == len(d.marks) || d.marks[from].from.After(t)) {
			from-- // it began before t, and may reach beyond
		}
		for _, mark := range d.marks[from:] {
			for k, n := range mark.count {
				counts[k] += int(n)
			}
		}
	}
	a.Began, a.Ended, a.Failed, a.Cancelled = counts[AwayBegan], counts[AwayEnded], counts[AwayFailed], counts[AwayCancelled]
	a.Expired, a.Asked, a.Withdrawn = counts[AwayExpired], counts[AwayAsked], counts[AwayWithdrawn]
	a.Lost, a.Back = counts[AwayLost], counts[AwayBack]
	a.More = max(a.Total()-len(a.Rows), 0)
	return a
}

// classed notes that a row is counted as another class now. early: it was there
// before anybody looked.
func (m *Model) classed(r *Row, from, to class, early bool) {
	note := func(k AwayKind) {
		m.diary.happened(AwayRow{Kind: k, At: m.now, Key: r.Key, Tool: r.Tool})
	}
	if from == uncounted {
		if early {
			return
		}
		note(AwayBegan)
	}
	switch to {
	case asking:
		note(AwayAsked)
	case completed:
		note(AwayEnded)
	case failed:
		if from == completed && r.Since < At(m.born) { // its result is read now, but it ended before anybody looked
			return
		}
		note(AwayFailed)
	case cancelled:
		note(AwayCancelled)
	case gone:
		note(AwayExpired)
	case uncounted, working, calls, classes:
	}
}

// lostOrBack notes that a server was lost, or is reached again.
func (m *Model) lostOrBack(l *link) {
	key := task.Key{Server: l.target.Name}
	switch {
	case l.state == Down && !l.lost && l.met:
		l.lost = true
		why := l.why
		if l.mute != nil {
			why = l.mute.Message.Line()
		}
		m.diary.happened(AwayRow{Kind: AwayLost, At: m.now, Key: key, Why: why})
	case l.lost && (l.state == Live || l.state == Quiet):
		l.lost = false
		m.diary.happened(AwayRow{Kind: AwayBack, At: m.now, Key: key})
	}
}
