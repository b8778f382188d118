package model

import (
	"time"

	"callboard/model/task"
)

// next decides what is fetched now, and takes it as being under way: each get
// of it is to be replied, a sweep of it swept.
func (s *schedule) next(now time.Time) plan {
	var p plan
	if now.Before(s.hold) {
		return p
	}
	relaxed := s.relaxed(now)
	if s.listable && !s.sweeping && (!now.Before(s.boardDue(relaxed)) || s.sweepPays(now, relaxed)) {
		p.sweep = true
		s.sweeping, s.sweepFrom, s.sweepDue = true, now, time.Time{}
	}
	var together []task.ID
	for room := min(getsAtOnce, getsAsked-s.asked); room > 0; room-- {
		w := s.first(now, relaxed)
		if w == nil || !s.limiter.AllowN(now, 1) {
			break
		}
		s.dequeue(w)
		w.asked = true
		s.asked++
		if w.fails > 0 { // it may hang, and must not hold the others up
			p.gets = append(p.gets, []task.ID{w.id})
			continue
		}
		together = append(together, w.id)
	}
	if together != nil {
		p.gets = append(p.gets, together)
	}
	return p
}

// sweepPays reports whether one sweep costs less than getting what is due. A
// page weighs one request and one more for each pageItems tasks in it.
func (s *schedule) sweepPays(now time.Time, relaxed bool) bool {
	if s.sweepTo.IsZero() || now.Sub(s.sweepTo) < max(pollLeast, 2*s.sweepTo.Sub(s.sweepFrom)) {
		return false
	}
	if s.fails > 0 && now.Before(s.boardDue(relaxed)) {
		return false
	}
	cost, due := s.pages+s.items/pageItems, 0
	for k, q := range s.queues {
		if !k.listed {
			continue
		}
		for e := q.Front(); e != nil; e = e.Next() {
			if now.Before(s.due(k, e.Value.(*watch).from, relaxed)) {
				break
			}
			if due++; due > cost {
				return true
			}
		}
	}
	return false
}

// first returns the watch that is to be got before all others, nil where none
// is due: the selected one, then the asking ones, then the longest due.
func (s *schedule) first(now time.Time, relaxed bool) *watch {
	if w := s.watches[s.selected]; w != nil && w.waiting != nil && s.ripe(w.key(), w, now, relaxed) {
		return w
	}
	var best *watch
	for k, q := range s.queues {
		e := q.Front()
		if e == nil {
			delete(s.queues, k)
			continue
		}
		w := e.Value.(*watch)
		if !s.ripe(k, w, now, relaxed) {
			continue
		}
		if best == nil || w.asking && !best.asking || w.asking == best.asking && w.from.Before(best.from) {
			best = w
		}
	}
	return best
}

// ripe reports whether w is due and not about to be brought by a sweep.
func (s *schedule) ripe(k queueKey, w *watch, now time.Time, relaxed bool) bool {
	return !now.Before(s.due(k, w.from, relaxed)) && !now.Before(s.patience(k))
}

// patience returns until when a sweep that is under way keeps the tasks of a
// queue from being got, zero where none does.
func (s *schedule) patience(k queueKey) time.Time {
	switch {
	case !s.sweeping || !k.listed || k.every == 0:
		return time.Time{}
	case k.asking:
		return s.sweepFrom.Add(sweepPatienceAsking)
	}
	return s.sweepFrom.Add(sweepPatience)
}

// wake returns when next has to be asked again at the latest, zero for only
// after something was heard.
func (s *schedule) wake(now time.Time) time.Time {
	var at time.Time
	sooner := func(t time.Time) {
		if at.IsZero() || t.Before(at) {
			at = t
		}
	}
	relaxed := s.relaxed(now)
	if s.listable && !s.sweeping {
		sooner(s.boardDue(relaxed))
	}
	if s.asked < getsAsked {
		for k, q := range s.queues {
			if e := q.Front(); e != nil {
				due, wait := s.due(k, e.Value.(*watch).from, relaxed), s.patience(k)
				if wait.After(due) {
					due = wait
				}
				sooner(due)
			}
		}
	}
	for _, t := range s.push.doubts {
		sooner(t.Add(pushGrace))
	}
	if at.IsZero() {
		return at
	}
	if at.Before(s.hold) {
		at = s.hold
	}
	if !at.After(now) { // due, but the limit of requests is reached
		at = now.Add(time.Second / getsPerSec)
	}
	return at
}

// swept notes the end of a sweep. whole: it came to the end of the list. A
// live task that the list had before and has no more is got: absence proves
// nothing.
func (s *schedule) swept(whole bool, pages, items int, now time.Time) {
	s.sweeping, s.sweepTo = false, now // a sweepDue set meanwhile stays
	if !whole {
		s.fails++
		s.sweepDue = now.Add(min(sweepLeast<<min(s.fails-1, 8), backoffMost))
		return
	}
	s.fails, s.pages, s.items = 0, pages, items
	var absent []*watch
	for k, q := range s.queues {
		if !k.listed {
			continue
		}
		for e := q.Front(); e != nil; e = e.Next() {
			w := e.Value.(*watch)
			if !w.from.Before(s.sweepFrom) {
				break
			}
			absent = append(absent, w)
		}
	}
	for _, w := range absent {
		w.listed, w.soon = false, true
		s.enqueue(w)
	}
}
