package mcpclient

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"callboard/model/task"
)

// maxUnwritten bounds the frames that wait to be written to the log file.
const maxUnwritten = 4096

// logFile writes frames to a file as JSON lines, secrets masked. It never holds
// up the wire: a goroutine writes as long as there is something to write, and
// what comes faster than the disk takes it is left out and counted. Its fields
// belong to ring.mu.
type logFile struct {
	w       io.Writer
	ring    *ring
	queue   []*logged
	skipped int
	writing chan struct{} // closed when the goroutine ends, nil while there is none
}

// add queues a frame. ring.mu is held.
func (f *logFile) add(l *logged) {
	if len(f.queue) >= maxUnwritten {
		f.skipped++
		return
	}
	f.queue = append(f.queue, l)
	if f.writing == nil {
		f.writing = make(chan struct{})
		go f.write(f.writing)
	}
}

// logLine is one line of the file. Durations are in milliseconds.
type logLine struct {
	Time   time.Time       `json:"time"`
	Dir    string          `json:"dir"`
	Stream string          `json:"stream,omitempty"`
	Method string          `json:"method,omitempty"`
	ID     string          `json:"id,omitempty"`
	Task   task.ID         `json:"task,omitempty"`
	Size   int             `json:"size"`
	Took   int64           `json:"ms,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
	Text   string          `json:"text,omitempty"`
}

func (f *logFile) write(done chan struct{}) {
	defer close(done)
	for {
		f.ring.mu.Lock()
		queue, skipped := f.queue, f.skipped
		f.queue, f.skipped = nil, 0
		if len(queue) == 0 && skipped == 0 {
			f.writing = nil
			f.ring.mu.Unlock()
			return
		}
		lines := make([]logLine, 0, len(queue)+1)
		for _, l := range queue {
			f.ring.complete(l)
			lines = append(lines, newLogLine(l.frame))
		}
		f.ring.mu.Unlock()
		if skipped > 0 {
			lines = append(lines, logLine{Time: time.Now(), Dir: "note",
				Text: "some messages came too fast to be written", Size: skipped})
		}
		for _, l := range lines {
			f.line(l)
		}
	}
}

func newLogLine(fr task.Frame) logLine {
	l := logLine{Time: fr.At, Stream: fr.Stream, Method: fr.Method, ID: fr.ID, Task: fr.Task, Size: fr.Size, Took: fr.Took.Milliseconds()}
	l.Dir = [...]string{task.Note: "note", task.Out: "out", task.In: "in"}[fr.Dir]
	body := fr.Body
	if fr.Masked != "" {
		body = fr.Masked
	}
	if fr.Dir != task.Note && json.Valid([]byte(body)) {
		l.Body = json.RawMessage(body)
	} else {
		l.Text = body
	}
	return l
}

// line writes one line by one Write. A file that cannot be written to is no
// reason to stop: the dashboard goes on without it.
func (f *logFile) line(l logLine) {
	b, err := json.Marshal(l)
	if err != nil {
		return
	}
	_, _ = f.w.Write(append(b, '\n'))
}

// flush waits until everything is written, or ctx ends.
func (r *ring) flush(ctx context.Context) error {
	for r.file != nil {
		r.mu.Lock()
		writing := r.file.writing
		r.mu.Unlock()
		if writing == nil {
			return nil
		}
		select {
		case <-writing:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
