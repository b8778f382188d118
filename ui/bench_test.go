package ui

import (
	"fmt"
	"testing"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// many returns a server with n tasks.
func many(n int) *script {
	s := newScript()
	now := time.Now()
	for i := range n {
		s.tasks = append(s.tasks, task.Task{
			ID: task.ID(fmt.Sprintf("%08x-9e0d-44bd-8f29-789f320fe840", i*2654435761)), Status: task.Status(1 + i%5),
			Message: task.Own("Analyzing content across many sources"),
			Created: now.Add(-time.Duration(i) * time.Second), Updated: now, TTL: time.Hour,
		})
	}
	return s
}

// BenchmarkCursorKey is the work of one key, Update and View, on boards of two
// sizes: they must not differ by much.
func BenchmarkCursorKey(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newStage(b, map[string]*script{"ops": many(n)})
			defer func() { s.r.Close(); s.m.Shutdown() }()
			s.take(tea.WindowSizeMsg{Width: 120, Height: 40})
			for s.m.Board().Len() < n || s.m.Board().Busy() {
				s.take(<-s.msgs)
			}
			keys := []tea.KeyMsg{keyMsg("j"), keyMsg("pgdown"), keyMsg("j"), keyMsg("G"), keyMsg("k"), keyMsg("g")}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				s.take(keys[i%len(keys)])
				s.r.View()
				i++
			}
		})
	}
}

// BenchmarkQuietView is what a message costs that changes nothing in sight.
func BenchmarkQuietView(b *testing.B) {
	s := newStage(b, map[string]*script{"ops": many(1000)})
	defer func() { s.r.Close(); s.m.Shutdown() }()
	s.take(tea.WindowSizeMsg{Width: 120, Height: 40})
	s.r.View()
	for b.Loop() {
		s.r.View()
	}
}
