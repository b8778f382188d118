package mcpclient

import (
	"sync"
	"time"
)

// minSkew is what is taken for no skew at all: Date headers have whole seconds,
// and nobody minds an age that is off by less.
const minSkew = 2 * time.Second

// skew estimates the server's clock less ours from Date headers. A header says
// that the server's clock stood within one second when it was written, which
// was between sending the request and receiving the reply; so each reply gives
// an interval, and together they narrow it down. Where one contradicts the
// others a clock was set, and it begins anew.
type skew struct {
	mu     sync.Mutex
	lo, hi time.Duration
	known  bool
}

func (s *skew) sample(date, sent, received time.Time) {
	if date.IsZero() || received.Before(sent) {
		return
	}
	// The monotonic reading stays out: date has none.
	lo, hi := date.Sub(received.Round(0)), date.Add(time.Second).Sub(sent.Round(0))
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known || lo > s.hi || hi < s.lo {
		s.lo, s.hi, s.known = lo, hi, true
		return
	}
	s.lo, s.hi = max(s.lo, lo), min(s.hi, hi)
}

// value returns the estimate, 0 where none is needed.
func (s *skew) value() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	mid := s.lo + (s.hi-s.lo)/2
	if s.lo <= 0 && s.hi >= 0 || mid.Abs() < minSkew {
		return 0
	}
	return mid
}
