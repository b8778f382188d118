package mcpclient

import (
	"testing"
	"time"

	"callboard/model/task"
)

// TestTheLastTaskLeavesWithoutAStream: where the last task ends while no stream is
// open, on a server that does not tell of tools, there is nothing to do, and it is
// not done over and over.
func TestTheLastTaskLeavesWithoutAStream(t *testing.T) {
	now := time.Now()
	s := &subscription{
		wanted: map[task.ID]uint64{"t": 1}, covered: map[task.ID]bool{}, heard: map[task.ID]bool{},
		wake: make(chan struct{}, 1), noTools: true, retryAt: now.Add(-time.Second),
	}
	s.follow("t", false)
	for range 3 {
		now = now.Add(leavePause)
		if _, next := s.step(now); !next.IsZero() && !next.After(now) {
			t.Fatalf("it is due again %v ago", now.Sub(next))
		}
	}
}
