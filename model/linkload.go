package model

import (
	"slices"
	"time"

	"callboard/model/task"
)

// Faults are errors of a link, by what a person would do about them.
type Faults struct {
	Refused  int // not reached: refused, no such host, TLS
	Timeouts int // no answer in time
	Broken   int // streams, sessions and connections that broke
	Bad      int // what came back was no MCP, broke the protocol, or was beyond our limits
	Auth     int // 401 and 403
	Busy     int // 429 and 503
	Errors   int // an error as the reply, and all others
}

// Total returns how many there were.
func (f Faults) Total() int {
	return f.Refused + f.Timeouts + f.Broken + f.Bad + f.Auth + f.Busy + f.Errors
}

// Plus returns the sum of f and g.
func (f Faults) Plus(g Faults) Faults {
	return Faults{
		f.Refused + g.Refused, f.Timeouts + g.Timeouts, f.Broken + g.Broken, f.Bad + g.Bad,
		f.Auth + g.Auth, f.Busy + g.Busy, f.Errors + g.Errors,
	}
}

func (f *Faults) add(kind task.ErrorKind) {
	switch kind {
	case task.Unreachable, task.TLS:
		f.Refused++
	case task.Timeout:
		f.Timeouts++
	case task.Lost, task.SessionLost:
		f.Broken++
	case task.NotMCP, task.Protocol, task.Limit, task.Version:
		f.Bad++
	case task.Unauthorized, task.Denied:
		f.Auth++
	case task.Busy:
		f.Busy++
	case task.Internal, task.RPC, task.HTTP, task.Unsupported:
		f.Errors++
	}
}

// tripsKept is how many of the last answers a round trip is told of.
const tripsKept = 16

// load is what a link costs and how fast it answers.
type load struct {
	requests int
	trips    [tripsKept]time.Duration
	tripped  int           // answers so far whose time is known
	swept    time.Duration // how long the last whole sweep took
}

// trip notes how long an answer took.
func (o *load) trip(d time.Duration) {
	if d >= 0 {
		o.trips[o.tripped%tripsKept] = d
		o.tripped++
	}
}

// roundTrip returns the median and the longest of the last answers, zero where
// there was none.
func (o *load) roundTrip() (median, most time.Duration) {
	n := min(o.tripped, tripsKept)
	if n == 0 {
		return 0, 0
	}
	last := o.trips // a copy
	slices.Sort(last[:n])
	return last[n/2], last[n-1]
}

// answered notes an answer and how long it took. An error counts where it came
// from the server.
func (l *link) answered(took time.Duration, e *task.Error) {
	if e == nil || e.Kind == task.RPC {
		l.load.trip(took)
	}
}
