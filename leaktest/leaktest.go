// Package leaktest ends the tests of a package with a look for goroutines that
// they left behind. It is for tests only.
package leaktest

import (
	"time"

	"go.uber.org/goleak"
)

// patience is how long a goroutine may take to end once the tests have. goleak by
// itself gives it less than half a second, in which a busy machine may not even
// have told it.
const patience = time.Minute

// Main runs the tests and ends the process, badly where a goroutine stays.
func Main(m goleak.TestingM) { goleak.VerifyTestMain(patient{m}) }

type patient struct{ m goleak.TestingM }

// Run runs the tests and waits until nothing is left of them, or too long.
func (p patient) Run() int {
	code := p.m.Run()
	for late := time.Now().Add(patience); code == 0 && goleak.Find() != nil && time.Now().Before(late); {
	}
	return code
}
