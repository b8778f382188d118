package model

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// logged is an Endpoint that has nothing but a log.
type logged struct {
	Endpoint
	frames []task.Frame
	read   int // lines handed out
}

func (l *logged) Frames(after uint64, limit int) []task.Frame {
	n := uint64(len(l.frames))
	out := l.frames[max(min(after, n), n-min(n, uint64(limit))):]
	l.read += len(out)
	return out
}

func (l *logged) FramesBefore(before uint64, limit int) []task.Frame {
	to := min(before-1, uint64(len(l.frames)))
	out := l.frames[to-min(to, uint64(limit)) : to]
	l.read += len(out)
	return out
}

func (l *logged) add(n int, at time.Time) {
	for range n {
		seq := uint64(len(l.frames) + 1)
		l.frames = append(l.frames, task.Frame{Seq: seq, At: at.Add(time.Duration(seq) * time.Second), Body: fmt.Sprint(seq)})
	}
}

func TestFrames(t *testing.T) {
	x, y := &logged{}, &logged{}
	m := New(Options{Targets: []Target{{Name: "x", Endpoint: x}, {Name: "y", Endpoint: y}}})
	defer m.Shutdown()
	if got := m.Frames(10); len(got) != 0 {
		t.Errorf("%d lines of nothing", len(got))
	}
	x.add(95, clock(0))
	y.add(95, clock(0.5))
	read := func() string { return bodies(m.Frames(4)) }
	if got := read(); got != "x94 y94 x95 y95" {
		t.Errorf("the newest of both by time: %s", got)
	}
	x.add(1, clock(0))
	if got := read(); got != "y94 x95 y95 x96" {
		t.Errorf("one more: %s", got)
	}
}

// Each line is handed out once.
func TestFramesAfter(t *testing.T) {
	x, y := &logged{}, &logged{}
	m := New(Options{Targets: []Target{{Name: "x", Endpoint: x}, {Name: "y", Endpoint: y}}})
	defer m.Shutdown()
	begin := time.Now()
	var mark LogMark
	read := func() string {
		lines, whole := m.FramesAfter(&mark, 100)
		if !whole {
			t.Error("there is more")
		}
		return bodies(lines)
	}
	x.add(2, begin)
	y.add(1, begin.Add(500*time.Millisecond))
	if got := read(); got != "x1 y1 x2" {
		t.Errorf("%s", got)
	}
	x.add(1, begin)
	if got := read(); got != "x3" {
		t.Errorf("%s", got)
	}
	y.add(1, begin)
	if got := read() + read(); got != "y2" {
		t.Errorf("%s", got)
	}
	x.add(60, begin)
	y.add(41, begin)
	was := mark
	if lines, whole := m.FramesAfter(&mark, 100); whole || lines != nil || !reflect.DeepEqual(mark, was) {
		t.Errorf("of too many %d came", len(lines))
	}
	if lines, whole := m.FramesAfter(&mark, 101); !whole || len(lines) != 101 {
		t.Errorf("%d of 101 came", len(lines))
	}
}

// What is read backwards, part by part, is the whole log, by time, and no line is
// read that is not wanted, but for some of each server.
func TestTheLogIsReadBackwards(t *testing.T) {
	x, y, z := &logged{}, &logged{}, &logged{}
	m := New(Options{Targets: []Target{{Name: "x", Endpoint: x}, {Name: "y", Endpoint: y}, {Name: "z", Endpoint: z}}})
	defer m.Shutdown()
	x.add(200, clock(0))
	y.add(30, clock(150.5))
	mark := m.LogEnd()
	x.add(1, clock(0)) // that came after the mark
	var got []LogLine
	for _, n := range []int{3, 0, 50, 1000, 5} {
		var part []LogLine
		part, mark = mark.Before(n, math.MaxInt)
		got = append(part, got...)
	}
	if len(got) != 230 || !slices.IsSortedFunc(got, func(a, b LogLine) int { return a.At.Compare(b.At) }) {
		t.Errorf("%d lines: %s", len(got), bodies(got))
	}
	if after, whole := m.FramesAfter(&mark, 10); !whole || bodies(after) != "x201" {
		t.Errorf("after it comes %s", bodies(after))
	}
	x.read, y.read = 0, 0
	if lines, _ := m.LogEnd().Before(10, math.MaxInt); len(lines) != 10 || x.read+y.read > 10+2*(glance+1) {
		t.Errorf("%d and %d lines were read for %d", x.read, y.read, len(lines))
	}
	if lines, _ := m.LogEnd().Before(1000, 9); bodies(lines) != "x199 x200 x201" {
		t.Errorf("of 9 bytes: %s", bodies(lines))
	}
}

func bodies(lines []LogLine) string {
	var all []string
	for _, l := range lines {
		all = append(all, l.Server+l.Body)
	}
	return strings.Join(all, " ")
}
