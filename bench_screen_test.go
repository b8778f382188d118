//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
)

// pause waits for a moment that is in step with nothing, so that neither the
// renderer's ticks nor the clock's favour what is measured next.
func pause() { time.Sleep(time.Duration(5+rand.IntN(60)) * time.Millisecond) }

func median(of []int) float64 {
	slices.Sort(of)
	return float64(of[len(of)/2])
}

// BenchmarkKeyToScreen is the time from a cursor key to its bytes at the
// terminal, and how many these are. The renderer draws every 33 ms, so a
// median of half of that is what cannot be bettered.
func BenchmarkKeyToScreen(b *testing.B) {
	const keys = 150
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("tasks=%d", n), func(b *testing.B) {
			_, url := tasks(b, n, 1000, false)
			s := screen(b, url)
			s.see(fmt.Sprintf("Tasks %d", n))
			time.Sleep(time.Second)
			var took []time.Duration
			var still, scrolled []int // bytes of a key that moves the cursor alone, or the rows too
			for b.Loop() {
				s.press("G")
				s.see(fmt.Sprintf(" %d of %d ", n, n))
				s.press("g")
				s.see(fmt.Sprintf(" 1 of %d ", n))
				for i := range keys {
					pause()
					before := s.written()
					began := time.Now()
					s.press("j")
					s.see(fmt.Sprintf(" %d of %d ", i+2, n))
					took = append(took, time.Since(began))
					if bytes := s.written() - before; i < 30 {
						still = append(still, bytes)
					} else if i > 40 {
						scrolled = append(scrolled, bytes)
					}
				}
			}
			s.end()
			b.ReportMetric(quantile(took, 0.5), "ms-median")
			b.ReportMetric(quantile(took, 0.95), "ms-p95")
			b.ReportMetric(median(still), "B/key")
			b.ReportMetric(median(scrolled), "B/key-that-scrolls")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkKeyWhileTasksAppear opens and leaves the help while a server that
// pushes nothing gets 10,000 tasks.
func BenchmarkKeyWhileTasksAppear(b *testing.B) {
	var took []time.Duration
	for b.Loop() {
		server, url := tasks(b, 100, 0, true)
		s := screen(b, url)
		s.see("Tasks 100")
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 100 {
				add(server, 99)
				time.Sleep(100 * time.Millisecond)
			}
		}()
		for going := true; going; {
			for _, key := range [][2]string{{"?", " Help "}, {"\x1b", " Tasks "}} {
				pause()
				began := time.Now()
				s.press(key[0])
				s.see(key[1])
				took = append(took, time.Since(began))
			}
			select {
			case <-done:
				going = false
			default:
			}
		}
		s.see("Tasks 10000")
		s.end()
	}
	b.ReportMetric(quantile(took, 0.5), "ms-median")
	b.ReportMetric(quantile(took, 0.95), "ms-p95")
	b.ReportMetric(quantile(took, 1), "ms-most")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkEventToScreen is the time from a status notification on the wire to
// its text at the terminal, and the bytes of one changed row.
func BenchmarkEventToScreen(b *testing.B) {
	const events = 200
	server, url := tasks(b, 20, 0, false)
	id := server.Tasks()[10].ID
	s := screen(b, url)
	s.see("Tasks 20")
	s.see("live")
	time.Sleep(time.Second)
	var took []time.Duration
	var bytes []int
	n := 0
	for b.Loop() {
		for range events {
			pause()
			n++
			text := fmt.Sprintf("step %06d", n)
			before := s.written()
			began := time.Now()
			server.SetStatus(id, mcptest.Working, text)
			s.see(text)
			took = append(took, time.Since(began))
			bytes = append(bytes, s.written()-before)
		}
	}
	s.end()
	b.ReportMetric(quantile(took, 0.5), "ms-median")
	b.ReportMetric(quantile(took, 0.99), "ms-p99")
	b.ReportMetric(median(bytes), "B/row")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkKeyAmidMany opens and leaves the help with 100,000 tasks: while nothing
// else goes on, while a filter that all must be looked at for is worked out, and
// while 10,000 of them are cancelled.
func BenchmarkKeyAmidMany(b *testing.B) {
	const n, many = 100_000, 10_000
	server, url := tasks(b, n-many, 1000, false)
	for range many {
		server.AddTask(mcptest.Task{Status: mcptest.Working, Message: "Second kind"})
	}
	s := screen(b, url)
	s.see(fmt.Sprintf("Tasks %d", n))
	time.Sleep(time.Second)
	measure := func(name string, keys int, before func()) {
		var took []time.Duration
		for range keys {
			before()
			for _, key := range [][2]string{{"?", " Help "}, {"\x1b", " Tasks "}} {
				pause()
				began := time.Now()
				s.press(key[0])
				s.see(key[1])
				took = append(took, time.Since(began))
			}
		}
		b.ReportMetric(quantile(took, 0.5), "ms-median-"+name)
		b.ReportMetric(quantile(took, 0.95), "ms-p95-"+name)
		b.ReportMetric(quantile(took, 1), "ms-most-"+name)
	}
	for b.Loop() {
		measure("still", 50, func() {})
		filters := 0
		measure("filter", 50, func() {
			filters++
			s.press(fmt.Sprintf("/\x15/across.*sources$|%d/\r", filters))
		})
		s.press("/\x15second\r")
		s.see(fmt.Sprintf("Tasks %d of %d", many, n))
		s.press("*")
		s.see(fmt.Sprintf("%d marked", many))
		s.press("c")
		s.see(fmt.Sprintf("Cancel %d of %d marked?", many, many))
		s.press("y")
		s.see("Cancelling")
		measure("cancel", 50, func() {})
		if left := server.Count("tasks/cancel"); left == 0 || left >= many {
			b.Errorf("%d of %d cancels were sent by then", left, many)
		}
	}
	s.end()
	b.ReportMetric(0, "ns/op")
}
