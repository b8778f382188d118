package mcpclient

import (
	"context"
	"sync"
	"time"

	"callboard/model/task"
)

const (
	feedPause  = 33 * time.Millisecond // between two batches
	maxPending = maxTasks              // events that wait for Next
	maxSteps   = 32                    // steps kept of one task in one batch
	maxLogged  = 256                   // log messages in one batch
)

// feed gathers what happens until Next takes it. It merges what may be merged:
// the states of one task, the progress of one call, the ups and downs of the
// stream. A prompt or an ending is never dropped: when too much waits, add
// blocks, which holds up the streams of the server and nothing else.
type feed struct {
	skew  func() time.Duration
	limit int // events that may wait

	mu       sync.Mutex
	pending  []pendingEvent
	changed  map[task.ID]*task.Changed
	progress map[task.CallID]int // index in pending
	stream   int                 // index in pending of the Stream event, -1 for none
	tools    bool                // a ToolsChanged is pending
	flood    int                 // index in pending of the Flooding event, -1 for none
	logged   []int               // indices in pending of the Logged events
	room     chan struct{}       // closed when pending was taken
	wake     chan struct{}       // holds one token while there is something to take
	taken    time.Time           // when the last batch was
	ended    error
	end      chan struct{}
}

// pendingEvent is an event, or one that still merges.
type pendingEvent struct {
	event   task.Event
	changed *task.Changed
}

func newFeed(skew func() time.Duration) *feed {
	f := &feed{skew: skew, limit: maxPending, wake: make(chan struct{}, 1), end: make(chan struct{})}
	f.reset()
	return f
}

func (f *feed) reset() {
	f.pending, f.logged, f.stream, f.tools, f.flood = nil, nil, -1, false, -1
	f.changed = make(map[task.ID]*task.Changed)
	f.progress = make(map[task.CallID]int)
	f.room = make(chan struct{})
}

// next is Session.Next.
func (f *feed) next(ctx context.Context) (task.Batch, error) {
	for {
		f.mu.Lock()
		wait := time.Duration(0)
		if !f.taken.IsZero() && f.ended == nil {
			wait = feedPause - time.Since(f.taken)
		}
		if len(f.pending) > 0 && wait <= 0 {
			b := f.take()
			f.mu.Unlock()
			return b, nil
		}
		empty, ended := len(f.pending) == 0, f.ended
		f.mu.Unlock()
		if empty && ended != nil {
			return task.Batch{}, ended
		}
		if err := f.sleep(ctx, empty, wait); err != nil {
			return task.Batch{}, err
		}
	}
}

// sleep waits for something to take, or until the pause between batches is over.
func (f *feed) sleep(ctx context.Context, empty bool, pause time.Duration) error {
	if empty {
		select {
		case <-f.wake:
		case <-f.end:
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-f.end:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// take empties the feed. f.mu is held.
func (f *feed) take() task.Batch {
	b := task.Batch{Events: make([]task.Event, 0, len(f.pending)), Skew: f.skew()}
	for _, p := range f.pending {
		switch {
		case p.changed != nil:
			b.Events = append(b.Events, *p.changed)
		case p.event != nil:
			b.Events = append(b.Events, p.event)
		}
	}
	close(f.room)
	f.reset()
	f.taken = time.Now()
	return b
}

// lockWithRoom locks f.mu once there is room for one more event.
func (f *feed) lockWithRoom() {
	f.mu.Lock()
	for len(f.pending) >= f.limit && f.ended == nil {
		room := f.room
		f.mu.Unlock()
		select {
		case <-room:
		case <-f.end:
		}
		f.mu.Lock()
	}
}

// push appends an event. f.mu is held.
func (f *feed) push(p pendingEvent) {
	f.pending = append(f.pending, p)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// add takes in an event of any type but Changed.
func (f *feed) add(e task.Event) {
	f.lockWithRoom()
	defer f.mu.Unlock()
	if f.ended != nil {
		return
	}
	switch e := e.(type) {
	case task.Progressed:
		if i, ok := f.progress[e.Call]; ok {
			f.pending[i].event = e
			return
		}
		f.progress[e.Call] = len(f.pending)
	case task.Stream:
		if f.stream >= 0 {
			old, _ := f.pending[f.stream].event.(task.Stream)
			e.Gap = e.Gap || old.Gap
			f.pending[f.stream].event = e
			return
		}
		f.stream = len(f.pending)
	case task.Flooding:
		if f.flood >= 0 {
			f.pending[f.flood].event = e
			return
		}
		f.flood = len(f.pending)
	case task.ToolsChanged:
		if f.tools {
			return
		}
		f.tools = true
	case task.Logged:
		if len(f.logged) == maxLogged {
			f.pending[f.logged[0]].event = nil
			f.logged = f.logged[1:]
		}
		f.logged = append(f.logged, len(f.pending))
	}
	f.push(pendingEvent{event: e})
}

// ask takes in questions that are asked together, so that they are told together.
func (f *feed) ask(ps []task.Prompt) {
	if len(ps) == 0 {
		return
	}
	f.lockWithRoom()
	defer f.mu.Unlock()
	if f.ended != nil {
		return
	}
	for _, p := range ps {
		f.push(pendingEvent{event: task.Prompted{Prompt: p}})
	}
}

// change takes in a state of a task that was pushed.
func (f *feed) change(t task.Task, at time.Time) {
	f.mu.Lock()
	c := f.changed[t.ID]
	if c == nil {
		f.mu.Unlock()
		f.lockWithRoom()
		c = f.changed[t.ID] // somebody else may have been faster
	}
	defer f.mu.Unlock()
	if f.ended != nil {
		return
	}
	step := task.Step{Status: t.Status, Message: t.Message, At: at, Updated: t.Updated, How: task.Pushed}
	if c == nil {
		c = &task.Changed{Task: t, How: task.Pushed, SentAt: at, Steps: []task.Step{step}}
		f.changed[t.ID] = c
		f.push(pendingEvent{changed: c})
		return
	}
	merge(c, t, step)
}

// merge takes a later report into c. The first terminal state stays, and so
// does a state that the server itself dates later.
func merge(c *task.Changed, t task.Task, step task.Step) {
	last := c.Steps[len(c.Steps)-1]
	if last.Status != step.Status || last.Message != step.Message {
		step.Late = c.Task.Status.Terminal() && t.Status != c.Task.Status
		if len(c.Steps) == maxSteps {
			copy(c.Steps, c.Steps[1:])
			c.Steps = c.Steps[:maxSteps-1]
			c.Dropped++
		}
		c.Steps = append(c.Steps, step)
	}
	older := !t.Updated.IsZero() && t.Updated.Before(c.Task.Updated)
	if c.Task.Status.Terminal() || older && !t.Status.Terminal() {
		return
	}
	id := c.Task.ID
	c.Task, c.How, c.SentAt = t, step.How, step.At
	c.Task.ID = id // the copy that the map holds already
}

// finish ends the feed: what is pending can still be taken, then Next returns
// err. Only the first call counts.
func (f *feed) finish(err error, last ...task.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended != nil {
		return
	}
	for _, e := range last {
		f.push(pendingEvent{event: e})
	}
	f.ended = err
	close(f.end)
}

// over returns the error that ended the feed, nil where it goes on.
func (f *feed) over() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}
