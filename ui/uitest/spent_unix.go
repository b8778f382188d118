//go:build unix

package uitest

import (
	"syscall"
	"testing"
	"time"
)

// Spent returns how long f keeps the processor. What other programs of a busy
// machine take meanwhile is not counted; what else this one does is.
func Spent(tb testing.TB, f func()) time.Duration {
	tb.Helper()
	used := func() time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			tb.Fatal(err)
		}
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	before := used()
	f()
	return used() - before
}
