package model

import (
	"fmt"
	"testing"
	"time"

	"callboard/model/task"
)

func TestInterval(t *testing.T) {
	for in, want := range map[time.Duration]time.Duration{
		0: 2 * time.Second, -time.Second: 2 * time.Second, time.Millisecond: 500 * time.Millisecond,
		501 * time.Millisecond: 600 * time.Millisecond, 5 * time.Second: 5 * time.Second,
		90500 * time.Millisecond: 91 * time.Second, 10 * time.Minute: 10 * time.Minute, 1 << 62: 87_000 * time.Second,
	} {
		if got := interval(in); got != want {
			t.Errorf("interval(%v) = %v, want %v", in, got, want)
		}
	}
	steps := map[time.Duration]bool{}
	for d := time.Duration(0); d < pollMost; d += 777 * time.Millisecond {
		if got := interval(d); got < d {
			t.Fatalf("faster than the server asked: %v for %v", got, d)
		} else {
			steps[got] = true
		}
	}
	if len(steps) > 700 {
		t.Errorf("%d intervals: the queues are not bounded", len(steps))
	}
}

// live begins a schedule whose board was just swept, with n listed tasks.
func live(n int) *schedule {
	s := newSchedule()
	s.listable, s.sweepFrom, s.sweepTo = true, clock(0), clock(0)
	for i := range n {
		s.heard(task.Task{ID: task.ID(fmt.Sprint(i)), Status: task.Working}, task.Listed, false, clock(0))
	}
	return s
}

func gets(p plan) int {
	n := 0
	for _, ids := range p.gets {
		n += len(ids)
	}
	return n
}

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     *schedule
		edit  func(*schedule)
		at    float64
		sweep bool
		gets  int
	}{
		{"nothing is due", live(3), nil, 1.9, false, 0},
		{"a few are got", live(1), nil, 2, false, 1},
		{"many are swept", live(3), nil, 2, true, 0},
		{"unless the pages are many", live(8), func(s *schedule) { s.pages = 9 }, 2, false, 8},
		{"or heavy", live(8), func(s *schedule) { s.items = 900 }, 2, false, 8},
		{"the board is due", live(0), nil, 5, true, 0},
		{"not while push works", live(3), func(s *schedule) { s.pushes(true) }, 11.9, false, 0},
		{"but then", live(1), func(s *schedule) { s.pushes(true) }, 12, false, 1},
		{"and the board", live(0), func(s *schedule) { s.pushes(true) }, 30, true, 0},
		{"a slow sweep rests ten times as long", live(0), func(s *schedule) { s.sweepFrom = clock(-2) }, 19.9, false, 0},
		{"and then goes on", live(0), func(s *schedule) { s.sweepFrom = clock(-2) }, 20, true, 0},
		{"nothing before the server lets us", live(9), func(s *schedule) { s.waitUntil(clock(60)) }, 59, false, 0},
		{"all after a gap", live(9), func(s *schedule) { s.pushes(true); s.resync(clock(1)) }, 1, true, 0},
		{"by gets where there is no list", live(9), func(s *schedule) { s.listable = false; s.resync(clock(1)) }, 1, false, 9},
		{"while a sweep is under way its tasks wait", live(9), func(s *schedule) { s.sweeping, s.sweepFrom = true, clock(2) }, 11, false, 0},
		{"not for ever", live(9), func(s *schedule) { s.sweeping, s.sweepFrom = true, clock(2) }, 12, false, 9},
		{"ten at a time", live(50), func(s *schedule) { s.listable = false }, 2, false, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.edit != nil {
				c.edit(c.s)
			}
			wake := c.s.wake(clock(0.5))
			p := c.s.next(clock(c.at))
			if p.sweep != c.sweep || gets(p) != c.gets {
				t.Errorf("sweep %v, %d gets; want %v, %d", p.sweep, gets(p), c.sweep, c.gets)
			}
			if (c.sweep || c.gets > 0) && wake.After(clock(c.at)) {
				t.Errorf("wakes at %v, too late", wake.Sub(clock(0)))
			}
		})
	}
}

// TestScheduleNeverStarves plays a server of many tasks for a while: each is
// heard of in time, and nobody asks too much.
func TestScheduleNeverStarves(t *testing.T) {
	s := newSchedule()
	s.listable = true
	last := map[task.ID]time.Time{}
	for i := range 200 {
		x := task.Task{ID: task.ID(fmt.Sprint(i)), Status: task.Working, Poll: time.Duration(i%5) * time.Second}
		s.heard(x, task.Pushed, i%50 == 0, clock(0))
		last[x.ID] = clock(0)
	}
	now := clock(0)
	requests := 0
	for now.Before(clock(120)) {
		p := s.next(now)
		if p.sweep {
			requests++
			for i := range 100 { // half of them are on the list
				id := task.ID(fmt.Sprint(i))
				s.heard(task.Task{ID: id}, task.Listed, false, now)
				last[id] = now
			}
			s.swept(true, 1, 100, now)
		}
		for _, ids := range p.gets {
			for _, id := range ids {
				requests++
				s.replied(id, true, now)
				s.heard(task.Task{ID: id}, task.Polled, false, now)
				last[id] = now
			}
		}
		wake := s.wake(now)
		if !wake.After(now) {
			t.Fatalf("wakes at once, for ever")
		}
		now = wake
	}
	for id, at := range last {
		if now.Sub(at) > 15*time.Second {
			t.Errorf("%s was not heard of for %v", id, now.Sub(at))
		}
	}
	if requests > 120*11+20 {
		t.Errorf("%d requests in 120 s", requests)
	}
	for k, q := range s.queues {
		for e := q.Front(); e != nil && e.Next() != nil; e = e.Next() {
			if e.Next().Value.(*watch).from.Before(e.Value.(*watch).from) && k.every != 0 {
				t.Fatal("a queue is out of order")
			}
		}
	}
}

func BenchmarkScheduleHeard(b *testing.B) {
	s := live(100_000)
	x := task.Task{ID: "77", Status: task.Working}
	for b.Loop() {
		s.heard(x, task.Pushed, false, clock(1))
		s.wake(clock(1))
	}
}
