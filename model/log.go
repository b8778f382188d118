package model

import (
	"math"
	"slices"

	"callboard/model/task"
)

// LogLine is one frame and whose it is.
type LogLine struct {
	Server string
	task.Frame
}

// LogMark is a stretch of the logs of all servers that somebody has read. It is a
// value, and may be used in commands.
type LogMark struct{ parts []logPart }

// logPart is the stretch of one server's log: from first to last; nothing where
// that is less.
type logPart struct {
	link        int
	name        string
	endpoint    Endpoint
	first, last uint64
}

// glance is how many lines of one server are read at once.
const glance = 16

// LogEnd returns the mark at the end of the logs, of which nothing was read yet.
func (m *Model) LogEnd() LogMark {
	mark := LogMark{make([]logPart, len(m.links))}
	for i, l := range m.links {
		p := &mark.parts[i]
		*p = logPart{link: l.index, name: l.target.Name, endpoint: l.target.Endpoint, first: 1}
		for _, f := range p.endpoint.FramesBefore(math.MaxUint64, 1) {
			p.first, p.last = f.Seq+1, f.Seq
		}
	}
	return mark
}

// Frames returns up to limit newest-last log lines of all servers, merged by time.
func (m *Model) Frames(limit int) []LogLine {
	lines, _ := m.LogEnd().Before(limit, math.MaxInt)
	return lines
}

// Before returns the lines before mark, merged by time: the newest limit of them,
// or those that have so many bytes together. It returns the mark that has them,
// too. Many are to be read in a command: that takes its time.
func (k LogMark) Before(limit, size int) ([]LogLine, LogMark) {
	k.parts = slices.Clone(k.parts)
	read := make([][]task.Frame, len(k.parts)) // and not taken yet
	var lines []LogLine
	for len(lines) < limit && size > 0 {
		next := -1
		for i := range k.parts {
			p := &k.parts[i]
			if len(read[i]) == 0 && p.first > 1 {
				if read[i] = p.endpoint.FramesBefore(p.first, glance); len(read[i]) == 0 {
					p.first = 1 // the rest was let go
				}
			}
			if n := len(read[i]); n > 0 && (next < 0 || !read[i][n-1].At.Before(read[next][len(read[next])-1].At)) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		n := len(read[next]) - 1
		f := read[next][n]
		lines = append(lines, LogLine{k.parts[next].name, f})
		size -= len(f.Body) + len(f.Masked)
		read[next], k.parts[next].first = read[next][:n], f.Seq
	}
	slices.Reverse(lines)
	return lines, k
}

// FramesAfter returns the log lines of all servers that came since mark, merged by
// time, and moves mark on. It returns false, and does neither, where more than
// limit came.
func (m *Model) FramesAfter(mark *LogMark, limit int) ([]LogLine, bool) {
	parts := make([]logPart, len(m.links))
	var lines []LogLine
	for i, l := range m.links {
		p := &parts[i]
		*p = logPart{link: l.index, name: l.target.Name, endpoint: l.target.Endpoint, first: 1}
		if at := slices.IndexFunc(mark.parts, func(p logPart) bool { return p.link == l.index }); at >= 0 {
			*p = mark.parts[at]
		}
		for _, f := range p.endpoint.Frames(p.last, limit-len(lines)+1) {
			lines = append(lines, LogLine{p.name, f})
			p.last = f.Seq
		}
		if len(lines) > limit {
			return nil, false
		}
	}
	mark.parts = parts
	if len(parts) > 1 {
		slices.SortStableFunc(lines, func(a, b LogLine) int { return a.At.Compare(b.At) })
	}
	return lines, true
}
