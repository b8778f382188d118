package state

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"callboard/model/task"
)

// Audit is the trail of what happened and who did what, of all servers and all
// processes of the person: a model.Audit. Its file is audit.jsonl in the folder,
// one JSON object a line (lineJSON).
type Audit struct {
	folder *Folder
	turn   chan struct{} // held, by one value in it, while the file is written

	mu     sync.Mutex // never held while the file is touched
	queue  []task.Entry
	spare  []task.Entry // empty; the room of a queue that was written
	lost   int          // entries behind those of queue that were left out
	why    string       // of lost
	notes  []error
	told   string // the trouble that was told last, until something is written
	began  bool
	closed bool

	by     string // the user, "" until it was looked up; of turn
	wake   chan struct{}
	urgent chan struct{}
	news   chan struct{}
	over   chan struct{} // closed by Close
	ended  chan struct{} // closed when the writing goroutine has ended
}

// Audit returns the folder's audit trail. Nothing is made before there is
// something to write. It is to be closed.
func (f *Folder) Audit() *Audit {
	return &Audit{
		folder: f, turn: make(chan struct{}, 1), wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1),
		news: make(chan struct{}, 1), over: make(chan struct{}), ended: make(chan struct{}),
	}
}

// Add takes in entries; they are written a moment later, what a person did at
// once. Where too many wait, the newest are left out, and an AuditGap stands in
// their place.
func (a *Audit) Add(entries ...task.Entry) {
	if len(entries) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	if room := a.folder.auditQueued - len(a.queue); room > 0 && a.lost > 0 {
		a.queue = append(a.queue, a.gap())
	}
	n := min(len(entries), max(0, a.folder.auditQueued-len(a.queue)))
	a.queue = append(a.queue, entries[:n]...)
	if left := len(entries) - n; left > 0 {
		a.lost += left
		if a.why == "" {
			a.why = "they came faster than they could be written"
		}
	}
	if !a.began {
		a.began = true
		go a.write()
	}
	for i := range entries[:n] {
		switch entries[i].What {
		case task.PersonAnswered, task.PersonCanceled, task.PersonStarted:
			poke(a.urgent)
		default:
		}
	}
	poke(a.wake)
}

// gap returns the entry that stands for those that were left out.
func (a *Audit) gap() task.Entry {
	text := fmt.Sprintf("%d entries were left out: %s", a.lost, a.why)
	if a.lost == 1 {
		text = "one entry was left out: " + a.why
	}
	a.lost, a.why = 0, ""
	return task.Entry{At: a.folder.now(), What: task.AuditGap, Text: text}
}

// News blocks until something could not be written, and says why. After Close
// the error is os.ErrClosed.
func (a *Audit) News(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.over:
			return errClosed
		case <-a.news:
			if err := a.untold(); err != nil {
				return err
			}
		}
	}
}

// Flush returns when all that was added is written, with why it could not be.
func (a *Audit) Flush(ctx context.Context) error {
	for {
		more, err := a.save(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// Close writes what is left. It returns when ctx ends, even where the system is
// not done with a write; what is left then is lost. A second one does nothing.
func (a *Audit) Close(ctx context.Context) error {
	a.mu.Lock()
	again, began := a.closed, a.began
	a.closed = true
	a.mu.Unlock()
	if again {
		return nil
	}
	close(a.over)
	if !began {
		return nil
	}
	select {
	case <-a.ended:
	case <-ctx.Done():
		return fmt.Errorf("the audit trail was not written in time: %w", context.Cause(ctx))
	}
	return a.Flush(ctx)
}

// write is the goroutine that writes what Add took in.
func (a *Audit) write() {
	defer close(a.ended)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for wait := a.folder.retry; ; {
		select {
		case <-a.over:
			return
		case <-a.wake:
		}
		if !a.pause(a.folder.gather, a.urgent) {
			return
		}
		more, err := a.save(ctx)
		if err == nil {
			wait = a.folder.retry
			if more {
				poke(a.wake)
			}
			continue
		}
		a.report(err)
		if !a.pause(wait, nil) {
			return
		}
		wait = min(2*wait, retryMax)
		poke(a.wake)
	}
}

// pause waits, and reports whether a is still open.
func (a *Audit) pause(d time.Duration, enough <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-a.over:
		return false
	case <-enough:
	case <-timer.C:
	}
	return true
}

// save writes what waits, and reports whether there is more by now. What could
// not be written waits again.
func (a *Audit) save(ctx context.Context) (more bool, err error) {
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return false, fmt.Errorf("the audit trail was not written in time: %w", context.Cause(ctx))
	}
	defer func() { <-a.turn }()
	a.mu.Lock()
	if a.lost > 0 && len(a.queue) < a.folder.auditQueued {
		a.queue = append(a.queue, a.gap())
	}
	batch := a.queue
	a.queue, a.spare = a.spare, nil
	a.mu.Unlock()
	written := 0
	for written < len(batch) && err == nil {
		var n int
		n, err = a.extend(ctx, batch[written:])
		written += n
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch left := batch[written:]; {
	case len(left) > 0:
		a.queue = append(left[:len(left):len(left)], a.queue...)
	case cap(batch) <= auditSpare:
		clear(batch)
		a.spare = batch[:0]
	}
	if err != nil {
		a.shed(err)
		return false, a.trouble(err)
	}
	if written > 0 {
		a.told = ""
	}
	return len(a.queue) > 0 || a.lost > 0, nil
}

// shed leaves out the newest entries that are too many.
func (a *Audit) shed(err error) {
	if n := len(a.queue) - a.folder.auditQueued; n > 0 {
		a.queue = a.queue[:a.folder.auditQueued:a.folder.auditQueued]
		a.lost += n
	}
	if a.lost > 0 {
		a.why = "they could not be written (" + cause(err) + ")"
	}
}

// extend appends entries to the file, as many as make about auditChunk bytes,
// and returns how many it wrote; less than that only with an error.
func (a *Audit) extend(ctx context.Context, entries []task.Entry) (int, error) {
	if a.by == "" {
		a.by = person()
	}
	var (
		lines = make([]byte, 0, min(auditChunk+auditWord, len(entries)*auditWord/2))
		ends  []int // of each line
		sync  bool
	)
	for i := range entries {
		if len(lines) >= auditChunk {
			break
		}
		e := &entries[i]
		lines = appendLine(lines, e, a.by, pid)
		ends = append(ends, len(lines))
		sync = sync || e.What == task.PersonAnswered || e.What == task.PersonCanceled || e.What == task.PersonStarted
	}
	if err := private(a.folder.dir); err != nil {
		return 0, err
	}
	path := a.folder.auditPath(0)
	note, err := a.folder.roomFor(ctx, path, len(lines))
	if note != nil {
		a.note(note)
	}
	if err != nil {
		return 0, err
	}
	n, err := a.folder.extend(path, lines, sync)
	written := 0
	for written < len(ends) && ends[written] <= n {
		written++
	}
	return written, err
}

func (a *Audit) trouble(err error) error {
	return fmt.Errorf("the audit trail could not be written to %s (%s); what happens meanwhile is written once that is mended, as far as there is room", a.folder.auditPath(0), cause(err))
}

// report leaves err for News, once until something is written again.
func (a *Audit) report(err error) {
	a.mu.Lock()
	fresh := err.Error() != a.told
	a.told = err.Error()
	a.mu.Unlock()
	if fresh && !errors.Is(err, context.Canceled) {
		a.note(err)
	}
}

func (a *Audit) note(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notes = append(a.notes, err)
	poke(a.news)
}

func (a *Audit) untold() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := join(a.notes...)
	a.notes = nil
	return err
}

// AuditPath returns the path of the audit trail's file. Older files are beside it.
func (f *Folder) AuditPath() string { return f.auditPath(0) }

// auditPath returns the path of the trail's file, or with n > 0 of the one that
// was the nth before.
func (f *Folder) auditPath(n int) string {
	if n == 0 {
		return filepath.Join(f.dir, "audit.jsonl")
	}
	return filepath.Join(f.dir, fmt.Sprintf("audit.%d.jsonl", n))
}
