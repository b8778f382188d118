package ui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/ui/uitest"

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

// BenchmarkCursorKey is the work of one key, Update and View, on boards of
// 1,000 and of 100,000 rows, key by key in turn, so that both meet the same
// machine. of-1000 is how much longer the median takes with 100,000 rows.
func BenchmarkCursorKey(b *testing.B) { benchKeys(b, func(*stage) {}) }

// BenchmarkCursorKeyMarked is the same with all rows marked and a filter that lets
// all of them pass.
func BenchmarkCursorKeyMarked(b *testing.B) {
	benchKeys(b, func(s *stage) {
		for _, k := range []string{"/", "message:content", "enter", "*"} {
			s.take(keyMsg(k))
			for s.m.Board().Busy() || s.m.Marking() {
				s.take(<-s.msgs)
			}
		}
		if n := s.m.Board().Total(); s.m.Marked() != n || s.m.Board().Len() != n {
			b.Fatalf("%d of %d marked, %d pass", s.m.Marked(), n, s.m.Board().Len())
		}
	})
}

func benchKeys(b *testing.B, before func(*stage)) {
	sizes := []int{1000, 100_000}
	stages := make([]*stage, len(sizes))
	took := make([][]time.Duration, len(sizes))
	for i, n := range sizes {
		s := newStage(b, map[string]*script{"ops": many(n)})
		defer func() { s.r.Close(); s.m.Shutdown() }()
		s.take(tea.WindowSizeMsg{Width: 120, Height: 40})
		for s.m.Board().Len() < n || s.m.Board().Busy() {
			s.take(<-s.msgs)
		}
		before(s)
		stages[i] = s
	}
	keys := []tea.KeyMsg{keyMsg("j"), keyMsg("pgdown"), keyMsg("j"), keyMsg("G"), keyMsg("k"), keyMsg("g")}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for i, s := range stages {
			began := time.Now()
			s.take(keys[n%len(keys)])
			s.r.View()
			took[i] = append(took[i], time.Since(began))
		}
		n++
	}
	for i := range took {
		slices.Sort(took[i])
		b.ReportMetric(float64(took[i][len(took[i])*99/100].Microseconds())/1000, fmt.Sprintf("ms-p99/%d-rows", sizes[i]))
	}
	b.ReportMetric(float64(took[1][n/2])/float64(took[0][n/2]), "of-1000")
}

// BenchmarkManyServers is the work of one key, Update and View, with ten servers.
func BenchmarkManyServers(b *testing.B) {
	servers := map[string]*script{}
	for i := range 10 {
		servers[fmt.Sprint("server-", i)] = many(100)
	}
	s := newStage(b, servers)
	defer func() { s.r.Close(); s.m.Shutdown() }()
	s.take(tea.WindowSizeMsg{Width: 120, Height: 40})
	for s.m.Board().Len() < 1000 || s.m.Board().Busy() {
		s.take(<-s.msgs)
	}
	keys := []tea.KeyMsg{keyMsg("j"), keyMsg("k")}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		s.take(keys[n%2])
		s.r.View()
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

// The help and the list of commands are made anew with each key.
func BenchmarkHelpAndCommands(b *testing.B) {
	r := New(model.New(model.Options{}), Options{Settings: Settings{Theme: uitest.Mono(b, false), Keys: keymap.Default()}})
	r.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	r.Update(keyMsg("?"))
	r.Update(keyMsg(":"))
	for b.Loop() {
		r.Update(keyMsg("c"))
		_ = r.View()
		r.Update(keyMsg("backspace"))
		_ = r.View()
	}
}
