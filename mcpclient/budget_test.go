package mcpclient

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// The logs of many servers are bounded together; what is put into one costs no other
// one its lines, and what a log held that is no more can be used again.
func TestAllLogsAreBoundedTogether(t *testing.T) {
	b := &budget{most: 10 << 20, least: 100 << 10}
	make1 := func() *ring {
		r := newRing(nil)
		r.shared = b.share()
		runtime.AddCleanup(r, (*share).release, r.shared)
		return r
	}
	fill := func(r *ring, n int) {
		for range n {
			r.put(task.Frame{Dir: task.In, Body: strings.Repeat("x", 1000)})
		}
	}
	quiet := make1()
	fill(quiet, 500)
	rings := make([]*ring, 50)
	for i := range rings {
		rings[i] = make1()
		fill(rings[i], 4000)
	}
	if most := b.most + 50*b.least; b.spent.Load() > most {
		t.Errorf("%d bytes are held by all, of %d", b.spent.Load(), most)
	}
	var sum int64
	for i, r := range append(rings, quiet) {
		n := len(r.since(0, ringFrames)) // which reads them
		if n < 50 || r == quiet && n != 500 {
			t.Errorf("log %d has %d lines", i, n)
		}
		sum += int64(r.bytes)
	}
	if sum != b.spent.Load() {
		t.Errorf("%d bytes are held, %d counted", sum, b.spent.Load())
	}
	for end := time.Now().Add(time.Minute); b.spent.Load() > int64(quiet.bytes) && time.Now().Before(end); {
		runtime.GC()
		runtime.Gosched()
	}
	if left := b.spent.Load(); left != int64(quiet.bytes) {
		t.Errorf("%d bytes are counted of logs that are no more", left-int64(quiet.bytes))
	}
	fill(quiet, 2000)
	if n := len(quiet.since(0, ringFrames)); n != 2500 {
		t.Errorf("the last one has %d lines", n)
	}
}
