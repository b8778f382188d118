package mcpclient

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

const (
	maxFollowed = 1000 // tasks of one subscriptions/listen; the newest ones
	// A change of the set waits for others: tasks that come are worth less
	// patience than tasks that have gone.
	joinPause  = 150 * time.Millisecond
	leavePause = 5 * time.Second
	// slowPause stands in for joinPause where the server agreed to no task. It is
	// asked again all the same, later and later.
	slowPause = 30 * time.Second
	slowMost  = 10 * time.Minute
	// ackPatience is how long an open stream may be without its acknowledgement
	// before it counts as one that promises nothing.
	ackPatience = 5 * time.Second
	// handover is for how long the old stream is still read once the new one was
	// acknowledged: what was sent on it before that may come later.
	handover = 500 * time.Millisecond
	// listenIdle is for how long a stream may be silent; servers are asked to
	// send comments, and not all do.
	listenIdle = 5 * time.Minute
	// steady is for how long a stream must last to be worth another at once.
	steady = 10 * time.Second
	// maxHasty is how often in a row a server may end the stream at once, in
	// good order, before it is taken at its word.
	maxHasty = 3
	// maxRefreshed is of how many tasks the state is fetched when a stream
	// begins to bring news of them. Where there are more, polls do.
	maxRefreshed = 16
	maxRepeats   = 4096 // pushed states remembered of a handover
	backOffBase  = time.Second
	backOffMost  = time.Minute
)

// subscription keeps one subscriptions/listen open, for the live tasks that the
// session knows of and for changes of the list of tools (Subscriptions; tasks
// extension, "Task Status Notifications"). The set of a stream is fixed, so that
// a change takes a new stream, which must be acknowledged before the old one is
// closed. Closing such a stream cancels nothing but itself.
//
// One goroutine, run, decides; streams and followers leave word in the fields
// and wake it.
type subscription struct {
	e    *era2026
	wake chan struct{}
	seed maphash.Seed

	mu      sync.Mutex
	wanted  map[task.ID]uint64 // live tasks, by when they were first seen
	order   uint64
	changed time.Time // when to look at the set again, zero for not
	// cur was acknowledged. next is to take its place, old was in it before.
	cur, next, old *listening
	oldUntil       time.Time
	// covered are the tasks of cur whose state was heard of since it brings
	// their news: from then on push misses nothing. heard are those heard of
	// once, by a poll that may have been asked for before.
	covered, heard map[task.ID]bool
	announce       time.Time // when to tell of covered anew, zero for not

	missed  bool // something may have been, since the last stream was open
	retryAt time.Time
	fails   int // in a row
	hasty   int // ends at once, in a row
	never   bool
	slow    bool          // the server agreed to no task
	slowFor time.Duration // until it is asked again
	noTools bool          // nor to tell of tools
	// What came lately on more than one stream; nil where there is no handover.
	repeats      *repeats
	repeatsUntil time.Time
}

func newSubscription(e *era2026) *subscription {
	s := &subscription{
		e: e, wake: make(chan struct{}, 1), seed: maphash.MakeSeed(),
		wanted: make(map[task.ID]uint64), covered: make(map[task.ID]bool), heard: make(map[task.ID]bool),
		retryAt: time.Now().Add(joinPause), // a session of one command needs no stream
	}
	e.spawn(s.run)
	return s
}

// follow notes that a task lives, or lives no more.
func (s *subscription) follow(id task.ID, live bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.wanted[id]
	switch pause := joinPause; {
	case live == known:
		return
	case live:
		s.order++
		s.wanted[id] = s.order
		if s.slow {
			pause = slowPause
		}
		s.change(pause)
	default:
		delete(s.wanted, id)
		delete(s.covered, id)
		delete(s.heard, id)
		s.change(leavePause)
	}
}

// change has the set looked at when pause has passed, or sooner. s.mu is held.
func (s *subscription) change(pause time.Duration) {
	if at := time.Now().Add(pause); s.changed.IsZero() || at.Before(s.changed) {
		s.changed = at
		s.poke()
	}
}

func (s *subscription) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// polled notes that a task's state came as the reply to a request. Of two such
// the second was asked for after the first had come.
func (s *subscription) polled(id task.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cur == nil || !s.cur.granted[id] || s.covered[id] {
		return
	}
	if s.heard[id] {
		s.cover(id)
	} else {
		s.heard[id] = true
	}
}

// cover notes that push misses nothing of a task any more. s.mu is held.
func (s *subscription) cover(id task.ID) {
	if s.cur == nil || !s.cur.granted[id] || s.covered[id] {
		return
	}
	s.covered[id] = true
	if s.announce.IsZero() {
		s.announce = time.Now().Add(joinPause)
		s.poke()
	}
}

// run does what is due until the session ends.
func (s *subscription) run() {
	for s.e.life.Err() == nil {
		told, next := s.step(time.Now())
		for _, e := range told {
			s.e.feed.add(e)
		}
		s.rest(next)
	}
}

// rest waits until there is something to do: at next, where that is set.
func (s *subscription) rest(next time.Time) {
	var due <-chan time.Time
	if !next.IsZero() {
		t := time.NewTimer(time.Until(next))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-s.e.life.Done():
	case <-s.wake:
	case <-due:
	}
}

// step does what is due, and returns what is to be told and when there is more
// to do, zero for nothing planned.
func (s *subscription) step(now time.Time) (told []task.Event, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.old; o != nil && (o.over || !now.Before(s.oldUntil)) {
		o.cancel()
		s.old, s.repeatsUntil = nil, now.Add(handover)
	}
	if n := s.next; n != nil {
		switch {
		case n.over:
			s.next = nil
			told = append(told, s.failed(n, now)...)
		case n.acked, !now.Before(n.begun.Add(ackPatience)) && n.open:
			s.next = nil
			told = append(told, s.promote(n, now))
		}
	}
	if c := s.cur; c != nil && c.over {
		s.cur = nil
		told = append(told, s.broken(c, now))
	}
	if e, ok := s.reopen(now); ok {
		told = append(told, e)
	}
	if s.next == nil && s.old == nil && !now.Before(s.repeatsUntil) {
		s.repeats = nil
	}
	if !s.announce.IsZero() && !now.Before(s.announce) {
		s.announce = time.Time{}
		if s.cur != nil {
			told = append(told, s.up(false))
		}
	}
	return told, s.due()
}

// due returns when step has to look again by itself. s.mu is held.
func (s *subscription) due() time.Time {
	var first time.Time
	at := func(t time.Time, is bool) {
		if is && !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	at(s.oldUntil, s.old != nil)
	free := s.next == nil && s.old == nil && !s.never
	if s.next != nil && s.next.open {
		at(s.next.begun.Add(ackPatience), true)
	}
	later := s.retryAt
	if s.changed.After(later) {
		later = s.changed
	}
	switch {
	case free && s.cur == nil && !s.idle():
		at(s.retryAt, true)
	case free && !s.changed.IsZero():
		at(later, true)
	}
	at(s.announce, true)
	at(s.repeatsUntil, s.repeats != nil && s.next == nil && s.old == nil)
	return first
}

// idle reports whether no stream is wanted as long as the set stays as it is.
// s.mu is held.
func (s *subscription) idle() bool { return s.noTools && (s.slow || len(s.wanted) == 0) }

// reopen begins a new stream where one is due, and closes one that brings
// nothing. s.mu is held.
func (s *subscription) reopen(now time.Time) (told task.Event, ok bool) {
	if s.never || s.next != nil || s.old != nil || now.Before(s.retryAt) {
		return nil, false
	}
	changed := !s.changed.IsZero() && !now.Before(s.changed)
	switch {
	case s.cur == nil && s.idle() && (!changed || len(s.wanted) == 0):
		if changed {
			s.changed = time.Time{} // that the last task left was looked at: without this step would be due for ever
		}
		return nil, false
	case s.cur != nil && !changed:
		return nil, false
	}
	s.changed = time.Time{}
	set := s.newest()
	switch {
	case s.cur != nil && slices.Equal(set, s.cur.asked) && !s.slow:
	case s.cur != nil && len(set) == 0 && s.noTools:
		s.cur.cancel()
		s.cur = nil
		return task.Stream{Never: true, Why: "no task is alive: there is nothing to listen for"}, true
	default:
		s.open(set, now)
	}
	return nil, false
}

// newest returns the tasks to listen to, in a fixed order. s.mu is held.
func (s *subscription) newest() []task.ID {
	set := make([]task.ID, 0, len(s.wanted))
	for id := range s.wanted {
		set = append(set, id)
	}
	slices.SortFunc(set, func(a, b task.ID) int { return cmp.Compare(s.wanted[b], s.wanted[a]) })
	set = set[:min(len(set), maxFollowed)]
	slices.Sort(set)
	return set
}

// promote makes of next the stream that counts. s.mu is held.
func (s *subscription) promote(n *listening, now time.Time) task.Event {
	n.tools = n.tools || !n.acked && n.news > 0 // it pushes without a word
	s.slow, s.noTools = len(n.asked) > 0 && len(n.granted) == 0, !n.tools
	if s.slow {
		s.slowFor = min(max(2*s.slowFor, slowPause), slowMost)
		s.change(s.slowFor)
	} else {
		s.slowFor = 0
	}
	if s.cur != nil {
		s.old, s.oldUntil = s.cur, now.Add(handover)
	}
	if s.noTools && len(n.granted) == 0 {
		n.cancel()
		s.cur, s.covered = nil, make(map[task.ID]bool)
		why := "the server agreed to push nothing: tasks are asked for"
		if len(n.asked) == 0 {
			why = "no task is alive: there is nothing to listen for"
		}
		s.e.ep.Note("subscriptions/listen: " + why)
		return task.Stream{Never: true, Why: why}
	}
	before := s.covered
	s.cur, s.covered, s.heard = n, make(map[task.ID]bool), make(map[task.ID]bool)
	var fresh []task.ID
	for id := range n.granted {
		if _, live := s.wanted[id]; !live {
			continue
		}
		if before[id] && s.old != nil && !s.missed {
			s.covered[id] = true
		} else {
			fresh = append(fresh, id)
		}
	}
	if len(fresh) > 0 && len(fresh) <= maxRefreshed && !s.missed {
		s.e.spawn(func() { s.refresh(n, fresh) })
	}
	s.e.ep.Note("push is open (subscriptions/listen): " + n.promise())
	e := s.up(s.missed)
	s.missed, s.announce = false, time.Time{}
	return e
}

// up tells of the tasks that push brings news of. s.mu is held.
func (s *subscription) up(gap bool) task.Event {
	ids := make([]task.ID, 0, len(s.covered))
	for id := range s.covered {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return task.Stream{Up: true, Gap: gap, Partial: true, Tasks: ids}
}

// refresh fetches the state of tasks whose changes are pushed from now on: what
// changed just before would not be.
func (s *subscription) refresh(l *listening, ids []task.ID) {
	for _, id := range ids {
		raw, err := s.e.read(l.ctx, request{method: "tasks/get", params: onTask(id), task: id})
		t, ok := s.e.strings.sameTask(id, raw)
		if l.ctx.Err() != nil {
			return
		}
		if err != nil || !ok {
			continue // it is polled
		}
		s.e.feed.change(s.e.heard(t, raw), time.Now())
		s.mu.Lock()
		if s.cur == l {
			s.cover(id)
		}
		s.mu.Unlock()
	}
}

// open begins a stream for a set of tasks. s.mu is held.
func (s *subscription) open(set []task.ID, now time.Time) {
	l := &listening{id: jsonrpc.StringID(newName("l")), asked: set, begun: now, granted: make(map[task.ID]bool)}
	l.ctx, l.cancel = context.WithCancel(s.e.life)
	s.next = l
	if s.repeats == nil {
		s.repeats = newRepeats()
	}
	s.e.spawn(func() { s.listen(l) })
}
