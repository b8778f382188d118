package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// wireLog is a server whose log is full, and which reads what a message says when
// it is asked for, once, as the log of a real one does.
type wireLog struct {
	*script
	unread []bool
}

func newWireLog(server int) *wireLog {
	l := &wireLog{script: many(10)}
	at := time.Now().Add(-time.Hour)
	for i := range maxShownFrames {
		f := task.Frame{Seq: uint64(i + 1), At: at.Add(time.Duration(10*i+server) * time.Millisecond), Dir: task.In, Stream: "POST", Method: "tasks/get",
			ID: fmt.Sprint("r-", i), Reply: i%2 == 1, Task: l.tasks[i%10].ID, Size: 1024,
			Body: `{"jsonrpc":"2.0","id":"r-` + fmt.Sprint(i) + `","result":{"statusMessage":"` + strings.Repeat("Analyzing ", 95) + `"}}`}
		if i%10 == 0 {
			f.Method = "ping"
		}
		if !f.Reply {
			f.Dir, f.Wire = task.Out, &task.Wire{Method: "POST", URL: "https://ops.example.com/mcp"}
		}
		l.frames = append(l.frames, f)
	}
	l.unread = make([]bool, len(l.frames))
	l.forget()
	return l
}

// forget makes all messages such as were not read yet.
func (l *wireLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.unread {
		l.unread[i] = true
	}
}

func (l *wireLog) hand(from, to int) []task.Frame {
	for i := from; i < to; i++ {
		if l.unread[i] && !json.Valid([]byte(l.frames[i].Body)) {
			panic("no JSON")
		}
		l.unread[i] = false
	}
	return slices.Clone(l.frames[from:to])
}

func (l *wireLog) Frames(after uint64, limit int) []task.Frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hand(max(int(after), len(l.frames)-limit), len(l.frames))
}

func (l *wireLog) FramesBefore(before uint64, limit int) []task.Frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	to := int(min(before-1, uint64(len(l.frames))))
	return l.hand(max(to-limit, 0), to)
}

// BenchmarkLogKeys is the longest work within one message, Update and View, from
// the last of some keys on until nothing is left to do: with ten servers whose logs
// are full, and not read yet.
func BenchmarkLogKeys(b *testing.B) {
	for _, keys := range [][]string{
		{"l"}, {"l", "k"}, {"l", "H"}, {"l", "/"}, {"l", "/", "Analyzing"}, {"l", "w"}, {"l", "Y"}, {"l", "t"},
	} {
		b.Run(strings.Join(keys, " "), func(b *testing.B) {
			servers, logs := map[string]*wireLog{}, []*wireLog{}
			for i := range 10 {
				l := newWireLog(i)
				servers[fmt.Sprint("server-", i)], logs = l, append(logs, l)
			}
			s := newStage(b, servers)
			defer func() { s.r.Close(); s.m.Shutdown() }()
			s.take(tea.WindowSizeMsg{Width: 120, Height: 40})
			for s.m.Board().Len() < 100 || s.m.Board().Busy() {
				s.take(<-s.msgs)
			}
			var longest []time.Duration
			for b.Loop() {
				s.r.at, s.r.over = atTasks, nil
				s.r.log = &logPane{}
				s.r.panes[atLog] = s.r.log
				for _, k := range keys[:len(keys)-1] {
					s.take(keyMsg(k))
				}
				for _, l := range logs {
					l.forget()
				}
				longest = append(longest, s.longest(keyMsg(keys[len(keys)-1])))
			}
			slices.Sort(longest)
			b.ReportMetric(float64(longest[0].Microseconds())/1000, "ms-longest-best")
			b.ReportMetric(float64(longest[len(longest)/2].Microseconds())/1000, "ms-longest-median")
		})
	}
}

// longest takes a message and all that follow from it at once, and returns how long
// the longest of them took.
func (s *stage) longest(msg tea.Msg) time.Duration {
	var most time.Duration
	for {
		began := time.Now()
		s.take(msg)
		most = max(most, time.Since(began))
		select {
		case msg = <-s.msgs:
		case <-time.After(50 * time.Millisecond):
			return most
		}
	}
}
