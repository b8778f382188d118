package model

import "time"

// Instant is a moment of our clock in µs since 1970 UTC, 0 for none. It is what
// a row keeps for the moments that are only shown or sorted by: 8 bytes where a
// time.Time has 24, 10,000 times over. µs, since a server may name any year of
// four digits, and not all of them can be counted in ns.
type Instant int64

// At returns t as an Instant; the zero time is none.
func At(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.UnixMicro())
}

// Time returns i as a local time, the zero time for none.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(i))
}
