package model

import (
	"container/list"
	"time"

	"callboard/model/task"

	"golang.org/x/time/rate"
)

// What the schedule goes by.
const (
	pollDefault = 2 * time.Second
	pollLeast   = 500 * time.Millisecond
	pollMost    = 24 * time.Hour // of what a server may ask for
	backoffMost = time.Minute
	sweepLeast  = 5 * time.Second
	sweepRest   = 10 // a board is due after so many times its last sweep's duration
	relaxation  = 6
	getsPerSec  = 10
	getsAtOnce  = 10 // gets of one command
	getsAsked   = 40 // gets under way
	pageItems   = 100
	// A change that a poll found and that no push brought within pushGrace
	// shows that push does not work.
	pushGrace = 2 * time.Second
	// While a sweep is under way the tasks that it will bring are not got one
	// by one, for so long.
	sweepPatience, sweepPatienceAsking = 10 * time.Second, time.Second
)

// schedule decides what of one server is fetched when. It is pure: it asks no
// clock and sends nothing; now never goes back. Each live task is watched;
// watches of the same interval stand in one queue, the one that was heard of
// longest ago in front, so that an event costs the same with 100,000 of them.
type schedule struct {
	watches  map[task.ID]*watch
	queues   map[queueKey]*list.List
	limiter  *rate.Limiter
	asked    int // gets under way
	past     int // watches of tasks that have ended
	selected task.ID

	// afresh: what was last heard of before it is due (a gap, a refresh).
	afresh time.Time
	// hold: nothing is sent before it (Retry-After, a link that does not answer).
	hold time.Time

	push sight

	listable  bool // tasks/list may be used
	sweeping  bool
	sweepFrom time.Time // begin of the last sweep
	sweepTo   time.Time // its end
	sweepDue  time.Time // set: due then, whatever the interval says
	fails     int       // sweeps that failed, since one did not
	pages     int       // of the last whole sweep
	items     int
}

// sight is what is known of push: whether it is open, and whether since then
// a poll found what it should have brought.
type sight struct {
	open   bool
	missed bool
	// partial: push brings news of the covered tasks and of no others.
	partial bool
	covered map[task.ID]bool
	// doubts are tasks whose change a poll found, and when.
	doubts map[task.ID]time.Time
}

// watch is one live task, or a past one that is to be heard of once more.
type watch struct {
	id      task.ID
	every   time.Duration
	from    time.Time // when it was last heard of, or last asked for in vain
	fails   int
	asking  bool
	listed  bool // tasks/list has it
	soon    bool // due at once
	asked   bool // a get is under way; it stands in no queue then
	alone   bool // push does not cover it
	past    bool
	place   *list.Element
	waiting *list.List
}

type queueKey struct {
	every          time.Duration
	steady         bool // push does not make its interval longer
	asking, listed bool
}

func newSchedule() *schedule {
	return &schedule{
		watches: map[task.ID]*watch{}, queues: map[queueKey]*list.List{},
		limiter: rate.NewLimiter(getsPerSec, getsPerSec), pages: 1,
	}
}

// interval returns the poll interval for what a server asks for, 0 for
// nothing. It is rounded up in steps, which bounds the number of queues.
func interval(poll time.Duration) time.Duration {
	if poll <= 0 {
		poll = pollDefault
	}
	poll = min(max(poll, pollLeast), pollMost)
	step := 100 * time.Millisecond
	for poll > 100*step {
		step *= 10
	}
	return (poll + step - 1) / step * step
}

// heard notes that a live task was heard of. asking tasks go first.
func (s *schedule) heard(t task.Task, how task.How, asking bool, now time.Time) {
	w := s.watches[t.ID]
	if w == nil {
		w = &watch{id: t.ID}
		s.watches[t.ID] = w
	}
	w.every, w.from, w.asking, w.fails, w.soon = interval(t.Poll), now, asking, 0, false
	w.listed = w.listed || how == task.Listed
	if !w.asked {
		s.enqueue(w)
	}
}

// remember begins the watch of a task that was kept from before. listed: the
// list is expected to have it.
func (s *schedule) remember(t task.Task, listed bool, now time.Time) {
	s.heard(t, task.Remembered, t.Status == task.InputRequired, now)
	w := s.watches[t.ID]
	w.listed, w.from = listed, now.Add(-1) // before whatever is asked for anew now
	if !w.asked {
		s.enqueue(w)
	}
}

// recall begins the watch of a task that had ended when it was kept, until it is
// heard of.
func (s *schedule) recall(t task.Task, listed bool, now time.Time) {
	s.remember(t, listed, now)
	if w := s.watches[t.ID]; !w.past {
		w.past = true
		s.past++
	}
}

// recalls reports whether a task that had ended is still to be heard of.
func (s *schedule) recalls(id task.ID) bool {
	w := s.watches[id]
	return w != nil && w.past
}

// live returns how many live tasks are watched.
func (s *schedule) live() int { return len(s.watches) - s.past }

// want asks for a task soon, also for one of which only the id is known.
func (s *schedule) want(id task.ID, now time.Time) {
	w := s.watches[id]
	if w == nil {
		w = &watch{id: id, every: interval(0), from: now}
		s.watches[id] = w
	}
	w.soon = true
	if !w.asked {
		s.enqueue(w)
	}
}

// forget ends the watch of a task that has ended or is gone.
func (s *schedule) forget(id task.ID) {
	w := s.watches[id]
	if w == nil {
		return
	}
	if w.asked {
		s.asked--
	}
	if w.past {
		s.past--
	}
	s.dequeue(w)
	delete(s.watches, id)
}

// replied notes that a get came back, well or not. A task that fails backs off
// alone, up to a minute.
func (s *schedule) replied(id task.ID, ok bool, now time.Time) {
	w := s.watches[id]
	if w == nil || !w.asked {
		return
	}
	w.asked = false
	s.asked--
	w.soon = false
	if ok {
		w.fails = 0
	} else {
		w.fails++
	}
	w.from = now
	s.enqueue(w)
}

func (w *watch) key() queueKey {
	k := queueKey{every: w.every, steady: w.alone, asking: w.asking, listed: w.listed}
	switch {
	case w.soon:
		k.every, k.steady = 0, true
	case w.fails > 0:
		k.every, k.steady = max(w.every, min(w.every<<min(w.fails, 8), backoffMost)), true
		k.listed = false // the list does not help where get fails
	}
	return k
}

func (s *schedule) enqueue(w *watch) {
	w.alone = !s.covers(w.id)
	k := w.key()
	q := s.queues[k]
	if q == nil {
		q = list.New()
		s.queues[k] = q
	}
	if w.waiting == q {
		q.MoveToBack(w.place)
		return
	}
	s.dequeue(w)
	w.place, w.waiting = q.PushBack(w), q
}

func (s *schedule) dequeue(w *watch) {
	if w.waiting == nil {
		return
	}
	w.waiting.Remove(w.place)
	w.place, w.waiting = nil, nil
}

// found notes that a poll found a change that push should have brought;
// brought that push did bring one.
func (s *schedule) found(id task.ID, now time.Time) {
	if !s.push.open || s.push.missed || !s.covers(id) || len(s.push.doubts) >= 1000 {
		return
	}
	if s.push.doubts == nil {
		s.push.doubts = map[task.ID]time.Time{}
	}
	if _, ok := s.push.doubts[id]; !ok {
		s.push.doubts[id] = now
	}
}

func (s *schedule) brought(id task.ID) { delete(s.push.doubts, id) }

// relaxed reports whether push is seen to work.
func (s *schedule) relaxed(now time.Time) bool {
	for _, at := range s.push.doubts {
		if now.Sub(at) >= pushGrace {
			s.push.missed, s.push.doubts = true, nil
			break
		}
	}
	return s.push.open && !s.push.missed
}

// due returns when what stands in a queue with key k and was last heard of at
// from is due.
func (s *schedule) due(k queueKey, from time.Time, relaxed bool) time.Time {
	if from.Before(s.afresh) {
		return s.afresh
	}
	if relaxed && !k.steady {
		return from.Add(k.every * relaxation)
	}
	return from.Add(k.every)
}

// boardDue returns when the board is due.
func (s *schedule) boardDue(relaxed bool) time.Time {
	if !s.sweepDue.IsZero() {
		return s.sweepDue
	}
	rest := max(sweepLeast, sweepRest*s.sweepTo.Sub(s.sweepFrom))
	if relaxed {
		rest *= relaxation
	}
	return s.sweepTo.Add(rest)
}

// resync makes the board and all live tasks due: what is known is not to be
// trusted before it is heard of anew.
func (s *schedule) resync(now time.Time) {
	s.afresh, s.sweepDue, s.fails = now, now, 0
}

// waitUntil lets nothing be sent before t.
func (s *schedule) waitUntil(t time.Time) {
	if t.After(s.hold) {
		s.hold = t
	}
}

// reset forgets what was under way: the link was broken.
func (s *schedule) reset() {
	for _, w := range s.watches {
		if w.asked {
			w.asked = false
			s.enqueue(w)
		}
	}
	s.pushes(false)
	s.cover(false, nil)
	s.asked, s.sweeping, s.fails = 0, false, 0
	s.hold, s.pages, s.items = time.Time{}, 1, 0
}

// plan is what is to be fetched now.
type plan struct {
	sweep bool
	gets  [][]task.ID // one command each
}
