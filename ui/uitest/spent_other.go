//go:build !unix

package uitest

import (
	"testing"
	"time"
)

// Spent returns how long f takes, where nobody says how long it keeps the
// processor.
func Spent(_ testing.TB, f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
