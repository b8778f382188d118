package mcpclient

import (
	"context"
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
		frames := make([]task.Frame, 0, len(queue)+1)
		for _, l := range queue {
			frames = append(frames, f.ring.frame(l))
		}
		f.ring.mu.Unlock()
		if skipped > 0 {
			frames = append(frames, task.Frame{At: time.Now(), Dir: task.Note,
				Body: "some messages came too fast to be written", Size: skipped})
		}
		for i := range frames {
			f.line(&frames[i])
		}
	}
}

// line writes one line by one Write. A file that cannot be written to is no
// reason to stop: the dashboard goes on without it.
func (f *logFile) line(fr *task.Frame) {
	if line, err := fr.Line(""); err == nil {
		_, _ = f.w.Write(line)
	}
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
