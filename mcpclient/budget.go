package mcpclient

import "sync/atomic"

// budget bounds what the logs of all endpoints hold together. Where it is spent,
// the log into which more is put lets go of its own oldest lines: no server pushes
// the lines of another one out, and each keeps some.
type budget struct {
	most  int64 // of all together
	least int64 // of each, in any case
	spent atomic.Int64
}

// logs is the budget of the process.
var logs = &budget{most: 32 << 20, least: 256 << 10}

// share is what one log has of a budget.
type share struct {
	of   *budget
	held atomic.Int64
}

func (b *budget) share() *share { return &share{of: b} }

func (s *share) add(n int) {
	s.held.Add(int64(n))
	s.of.spent.Add(int64(n))
}

// over reports whether the log has to let go of something.
func (s *share) over() bool { return s.held.Load() > s.of.least && s.of.spent.Load() > s.of.most }

// release gives back what a log held that is no more.
func (s *share) release() { s.of.spent.Add(-s.held.Swap(0)) }
