package model

import (
	"fmt"
	"strings"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// Bulk is how far the cancel of many tasks has come. Each of them is a wish like
// that of a single cancel, which its row shows; this is the sum. At its end
// Total = Done + Failed + Unknown + Skipped + Stopped.
type Bulk struct {
	Total int // tasks that are to be cancelled
	Sent  int // those whose cancel went out
	Done  int // those whose cancel was acknowledged; what that proves says the row
	// Failed are those that were refused, and those that were not sent since
	// their server was lost; RetryBulkMsg sends them again. Of the Unknown nobody
	// knows whether the cancel arrived: they are not sent again by RetryBulkMsg.
	// Skipped are those that cannot be cancelled.
	Failed, Unknown, Skipped []BulkFailure
	Stopped                  int // not sent since the person stopped it; RetryBulkMsg sends them too
	Running                  bool
	Began, Ended             time.Time // Ended is zero while it runs

	gen     uint64
	todo    []task.Key // not looked at yet
	stopped []task.Key
	whys    map[string]string // so that 10,000 reasons that are one take the memory of one
}

// BulkFailure is a task that was not cancelled, and why: one line, part of a
// sentence.
type BulkFailure struct {
	Key task.Key
	Why string
}

// What bounds the cancel of many.
const (
	bulkAtOnce = 8 // of one server
	// bulkPatience is how long those that were not sent yet wait for a server that
	// does not answer.
	bulkPatience = 30 * time.Second
	bulkTries    = 4 // how often one is sent to a server that is busy
	bulkWhyMost  = 300
)

// queued is a cancel that is to be sent. wish is nil where it was not sent before.
type queued struct {
	key  task.Key
	wish *Wish
}

// bulkSlice goes on with what is to be looked at.
type bulkSlice struct{ gen uint64 }

// Bulk returns how far the last cancel of many tasks has come, nil where there was
// none.
func (m *Model) Bulk() *Bulk { return m.bulk }

// Left returns how many have no outcome yet.
func (b *Bulk) Left() int {
	return b.Total - b.Done - len(b.Failed) - len(b.Unknown) - len(b.Skipped) - b.Stopped
}

// BulkWaits says why what is left of a running Bulk is not sent now, one line for
// each server that holds it up.
func (m *Model) BulkWaits() []string {
	var lines []string
	for _, l := range m.links {
		switch {
		case len(l.cancels) == 0:
		case m.now.Before(l.busyTo):
			lines = append(lines, fmt.Sprintf("%s asked to be left alone until %s", l.target.Name, l.busyTo.Format("15:04:05")))
		case l.mute != nil:
			lines = append(lines, l.target.Name+" does not answer: "+l.mute.Message.Line())
		}
	}
	return lines
}

// cancelMany cancels tasks; a nil list is that of the marked rows.
func (m *Model) cancelMany(keys []task.Key) {
	if m.options.ReadOnly {
		m.tell(true, "Nothing is cancelled: %s.", readOnlyWhy)
		return
	}
	if keys == nil {
		for _, r := range m.MarkedRows(0) {
			keys = append(keys, r.Key)
		}
	}
	if len(keys) == 0 {
		m.tell(true, "Nothing is marked: there is nothing to cancel.")
		return
	}
	b := m.bulk
	if b == nil || !b.Running {
		b = &Bulk{Running: true, Began: m.now, whys: map[string]string{}}
		m.bulk = b
	}
	b.Total += len(keys)
	b.todo = append(b.todo[:len(b.todo):len(b.todo)], keys...)
	m.dealOut(b)
}

// retryBulk sends those again that failed, and those that were stopped.
func (m *Model) retryBulk() {
	b := m.bulk
	switch {
	case b == nil || len(b.Failed)+len(b.stopped) == 0:
		m.tell(true, "There is nothing to send again.")
		return
	case m.options.ReadOnly:
		m.tell(true, "Nothing is cancelled: %s.", readOnlyWhy)
		return
	}
	for _, f := range b.Failed {
		b.todo = append(b.todo, f.Key)
	}
	b.todo = append(b.todo, b.stopped...)
	b.Failed, b.stopped, b.Stopped = nil, nil, 0
	b.Running, b.Ended = true, time.Time{}
	b.Sent = b.Done + len(b.Unknown) + m.bulkOut()
	m.dealOut(b)
}

// bulkOut returns how many are on their way.
func (m *Model) bulkOut() int {
	n := 0
	for _, l := range m.links {
		n += len(l.cancelling)
	}
	return n
}

// stopBulk stops what was not sent.
func (m *Model) stopBulk() {
	b := m.bulk
	if b == nil || !b.Running {
		m.tell(true, "Nothing is being cancelled.")
		return
	}
	b.gen++
	b.stopped, b.todo = append(b.stopped, b.todo...), nil
	b.Stopped = len(b.stopped)
	for _, l := range m.links {
		cancels := l.cancels
		l.cancels = nil
		for _, q := range cancels {
			if q.wish != nil {
				m.bulkFailed(q, "stopped; the server was busy")
				continue
			}
			b.stopped = append(b.stopped, q.key)
			b.Stopped++
		}
	}
	m.bulkSettled()
}

// dealOut begins to hand what is to be looked at to its servers.
func (m *Model) dealOut(b *Bulk) {
	b.gen++
	m.rev++
	m.deal(bulkSlice{b.gen})
}

// deal looks at the next slice of what is to be cancelled.
func (m *Model) deal(msg bulkSlice) {
	b := m.bulk
	if b == nil || msg.gen != b.gen {
		return
	}
	n := min(sliceRows, len(b.todo))
	for _, key := range b.todo[:n] {
		if l := m.cancellable(b, key); l != nil {
			l.cancels = append(l.cancels, queued{key: key})
		}
	}
	m.rev++
	if b.todo = b.todo[n:]; len(b.todo) > 0 {
		m.do(func() tea.Msg { return msg })
		return
	}
	b.todo = nil
	m.bulkSettled()
}

// cancellable returns the link over which a task can be cancelled; where it
// cannot be, nil, and b knows why.
func (m *Model) cancellable(b *Bulk, key task.Key) *link {
	l, r := m.rowLink(key)
	why := m.CanCancel(key)
	switch {
	case r == nil:
		b.skip(key, "its row is not there any more")
	case why != "" && r.Live() && l.server == nil:
		b.fail(key, "not sent: "+why)
	case why != "":
		b.skip(key, why)
	case r.Wish != nil && r.Wish.Verb == "cancel" && (r.Wish.State == Sending || r.Wish.State == Delivered):
		b.skip(key, "its cancel is under way already")
	default:
		return l
	}
	return nil
}

func (b *Bulk) skip(key task.Key, why string) {
	b.Skipped = append(b.Skipped, BulkFailure{key, b.why(why)})
}

func (b *Bulk) fail(key task.Key, why string) {
	b.Failed = append(b.Failed, BulkFailure{key, b.why(why)})
}

// why returns the one copy of a reason.
func (b *Bulk) why(why string) string {
	why = short(why, bulkWhyMost, 0)
	if known, ok := b.whys[why]; ok {
		return known
	}
	if len(b.whys) < 1000 {
		b.whys[why] = strings.Clone(why)
	}
	return why
}

// sendCancels sends as much of l's queue as may be on its way at a time. Where
// the link is lost the queue fails, and can be sent again by the person.
func (m *Model) sendCancels(l *link) {
	if len(l.cancels) == 0 {
		return
	}
	switch why := m.cutFrom(l); {
	case why != "":
		m.failCancels(l, why)
		return
	case m.now.Before(l.busyTo), l.mute != nil:
		return
	}
	looked := 0
	for len(l.cancels) > 0 && len(l.cancelling) < bulkAtOnce {
		if looked++; looked > sliceRows {
			gen := m.bulk.gen
			m.do(func() tea.Msg { return bulkSlice{gen} })
			return
		}
		q := l.cancels[0]
		l.cancels = l.cancels[1:]
		if q.wish != nil {
			m.sendAgain(l, q)
			continue
		}
		if m.cancellable(m.bulk, q.key) == nil {
			continue
		}
		_, r := m.rowLink(q.key)
		m.bulk.Sent++
		m.track(l, m.sendCancel(l, r))
	}
	if len(l.cancels) == 0 {
		l.cancels = nil
	}
	m.bulkSettled()
}

// track counts a wish of the Bulk as being on its way.
func (m *Model) track(l *link, w *Wish) {
	if l.cancelling == nil {
		l.cancelling = map[*Wish]bool{}
	}
	w.bulk, l.cancelling[w] = true, true
	w.tries++
	m.rev++
}

// sendAgain sends a cancel to a server that was too busy for it before.
func (m *Model) sendAgain(l *link, q queued) {
	_, r := m.rowLink(q.key)
	if r == nil || r.Wish != q.wish || m.CanCancel(q.key) != "" {
		why := "the server was busy, and the task cannot be cancelled any more"
		if r != nil && !r.Live() {
			why = m.CanCancel(q.key)
		}
		m.bulkFailed(q, why)
		return
	}
	q.wish.Why, q.wish.At = "", m.now
	m.track(l, q.wish)
	m.putCancel(l, r)
	m.changed(r)
}

// bulkBusy takes in that the server was too busy for a cancel: it did nothing with
// it, so that it is sent again when the server lets itself be asked. It reports
// whether it will be.
func (m *Model) bulkBusy(l *link, w *Wish, e *task.Error) bool {
	if !w.bulk || e.Kind != task.Busy || w.tries >= bulkTries || m.bulk == nil || !m.bulk.Running {
		return false
	}
	w.bulk = false
	delete(l.cancelling, w)
	l.cancels = append(l.cancels, queued{w.key, w})
	m.troubled(l, e)
	w.Why = "the server asked to be left alone until " + l.busyTo.Format("15:04:05") + "; it is sent again then"
	if r := m.Row(w.key); r != nil {
		m.changed(r)
	}
	return true
}

// cutFrom returns why nothing of l's queue will be sent, "" where it will.
func (m *Model) cutFrom(l *link) string {
	switch {
	case l.server == nil && l.quiet: // its session is being rejoined
		return ""
	case l.server == nil:
		return m.unable(l)
	case l.mute != nil && (slow(l.mute) || m.now.Sub(l.since) >= bulkPatience):
		return l.mute.Message.Line()
	}
	return ""
}

// cancelsDue returns when l's queue is to be looked at again, zero for only after
// news.
func (l *link) cancelsDue(now time.Time) time.Time {
	switch {
	case len(l.cancels) == 0 || l.server == nil:
		return time.Time{}
	case now.Before(l.busyTo):
		return l.busyTo
	case l.mute != nil:
		return l.since.Add(bulkPatience)
	}
	return time.Time{}
}

// failCancels fails what was not sent of l's queue.
func (m *Model) failCancels(l *link, why string) {
	cancels := l.cancels
	l.cancels = nil
	for _, q := range cancels {
		m.bulkFailed(q, "not sent: "+why)
	}
	m.bulkSettled()
}

// bulkFailed notes that something of a queue is not sent.
func (m *Model) bulkFailed(q queued, why string) {
	if q.wish != nil {
		m.wishMoved(q.wish, WishFailed, why)
	}
	m.bulk.fail(q.key, why)
	m.rev++
}

// bulkMoved takes in what became of a cancel that was on its way.
func (m *Model) bulkMoved(w *Wish, state WishState, why string) {
	w.bulk = false
	if l := m.byName[w.key.Server]; l != nil {
		delete(l.cancelling, w)
	}
	b := m.bulk
	switch state {
	case Delivered, Taken, NoEffect:
		b.Done++
		if r := m.Row(w.key); r != nil {
			m.marks.set(m, r, false) // it is done with; what stays marked is not
		}
	case WishFailed:
		b.fail(w.key, why)
	case Sending, WishUnknown:
		b.Unknown = append(b.Unknown, BulkFailure{w.key, b.why(why)})
	}
	m.bulkSettled()
}

// bulkSettled ends the Bulk where all of it has an outcome.
func (m *Model) bulkSettled() {
	b := m.bulk
	if b == nil || !b.Running || len(b.todo) > 0 || b.Left() > 0 {
		return
	}
	b.Running, b.Ended = false, m.now
	m.marks.tidy()
	bad := len(b.Failed)+len(b.Unknown) > 0
	m.tell(bad, "%s", b.sum())
}

// sum words what came of it.
func (b *Bulk) sum() string {
	words := fmt.Sprintf("The cancel of %d of %d was acknowledged", b.Done, b.Total)
	for _, part := range []struct {
		n    int
		what string
	}{{len(b.Failed), "failed"}, {len(b.Unknown), "nobody knows of"}, {len(b.Skipped), "skipped"}, {b.Stopped, "stopped"}} {
		switch {
		case part.n > 0 && part.what == "nobody knows of":
			words += fmt.Sprintf(", of %d nobody knows", part.n)
		case part.n > 0:
			words += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return words + "."
}

// lostWishes takes in that l's session has ended, after its rows were looked
// through: of what is still on its way nobody knows.
func (m *Model) lostWishes(l *link) {
	for w := range l.cancelling {
		m.bulkMoved(w, WishUnknown, unknownWhy)
	}
}

// parted lets go of what hangs on a row that leaves.
func (m *Model) parted(r *Row) {
	m.marks.set(m, r, false)
	if w := r.Wish; w != nil && w.bulk {
		m.bulkMoved(w, WishUnknown, "its row went while the cancel was on its way")
	}
}
