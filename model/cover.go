package model

import (
	"container/list"
	"slices"

	"callboard/model/task"
)

// pushes notes that the stream for push opened or closed.
func (s *schedule) pushes(open bool) {
	if open != s.push.open {
		s.push = sight{open: open, partial: s.push.partial, covered: s.push.covered}
	}
}

// cover notes of which tasks push brings news: of all, or where it is partial of
// these alone. The others are polled as if there were no push.
func (s *schedule) cover(partial bool, ids []task.ID) {
	was := s.push
	s.push.partial, s.push.covered = partial, nil
	if partial {
		s.push.covered = make(map[task.ID]bool, len(ids))
		for _, id := range ids {
			s.push.covered[id] = true
		}
	}
	switch {
	case !was.partial && !partial:
	case was.partial != partial:
		s.requeue()
	default:
		for id := range was.covered {
			s.recover(id)
		}
		for id := range s.push.covered {
			s.recover(id)
		}
	}
}

// covers reports whether push brings news of a task, where it is open.
func (s *schedule) covers(id task.ID) bool { return !s.push.partial || s.push.covered[id] }

// recover puts the watch of a task into the queue in which it belongs now.
func (s *schedule) recover(id task.ID) {
	w := s.watches[id]
	if w == nil || w.alone == !s.covers(id) {
		return
	}
	w.alone = !w.alone
	if w.asked {
		return
	}
	k := w.key()
	q := s.queues[k]
	if q == nil {
		q = list.New()
		s.queues[k] = q
	}
	if w.waiting == q {
		return
	}
	s.dequeue(w)
	w.waiting = q
	for e := q.Back(); e != nil; e = e.Prev() {
		if !e.Value.(*watch).from.After(w.from) {
			w.place = q.InsertAfter(w, e)
			return
		}
	}
	w.place = q.PushFront(w)
}

// requeue puts all watches into the queues in which they belong now.
func (s *schedule) requeue() {
	var all []*watch
	for _, w := range s.watches {
		if w.waiting != nil {
			all = append(all, w)
			w.place, w.waiting = nil, nil
		}
	}
	clear(s.queues)
	slices.SortFunc(all, func(a, b *watch) int { return a.from.Compare(b.from) })
	for _, w := range all {
		s.enqueue(w)
	}
}

// coversAny reports whether push brings news of any live task.
func (s *schedule) coversAny() bool {
	if !s.push.partial {
		return true
	}
	for id := range s.push.covered {
		if s.watches[id] != nil {
			return true
		}
	}
	return len(s.watches) == 0
}

// unpushed returns why push, which is open, is not trusted to bring news of a
// task, "" where it is.
func (s *schedule) unpushed(id task.ID) string {
	switch {
	case !s.covers(id):
		return "push does not cover this task"
	case s.push.missed:
		return "push missed a change"
	}
	return ""
}
