package mcpclient

import (
	"fmt"
	"slices"
	"time"

	"callboard/model/task"

	"golang.org/x/time/rate"
)

// A server may ask floodBurst questions at once, and one more each floodEvery:
// more than a person can read. What comes faster waits, in the order in which it
// came, and is let in at that pace. What does not fit there either is refused, or,
// where it stands in the state of a task, looked at again later.
const (
	floodBurst = 64
	floodEvery = time.Second
	// A question that was refused and comes again as it was within againSoon
	// counts for so many.
	againCost = 8
	againSoon = time.Minute

	maxWaiting      = 1000 // questions that wait
	maxWaitingBytes = 16 << 20

	// codeFlood is the code of the refusal. MCP has none for it; this one is of
	// those that JSON-RPC leaves to implementations, and speaks of no fault.
	codeFlood = -32000
)

// queued is a question that waits until it is let in.
type queued struct {
	*prompt // of 2025-11-25: only what was to be known of it before
	size    int
	// let lets it in; nil: the prompt is opened as it is. opened, which may be
	// nil too, is then called with engine.mu held.
	let    func()
	opened func()
	// gone says, once let runs, that it was withdrawn meanwhile.
	gone bool
	why  task.Text
}

// limiter paces the questions of a session: a token bucket and a queue.
// engine.mu guards it.
type limiter struct {
	bucket  *rate.Limiter
	queue   []*queued
	bytes   int
	letting *queued // is let in just now

	running bool      // engine.letIn
	active  bool      // it floods, and the log says so
	since   time.Time // when the bucket was full
	came    int       // questions since then
	begun   time.Time
	waited  int // of this flood
	refused int
	told    int  // the last task.Flooding
	pending bool // of task.Flooding: told is not true any more
}

func newLimiter() limiter {
	return limiter{bucket: rate.NewLimiter(rate.Every(floodEvery), floodBurst)}
}

// turn reports whether a question may be let in at once, and counts it.
func (t *promptTable) turn(p *prompt) bool {
	l, now := &t.limiter, time.Now()
	if l.bucket.TokensAt(now) >= floodBurst {
		l.since, l.came = now, 0
	}
	l.came++
	return len(l.queue) == 0 && l.letting == nil && t.room(p) && l.bucket.AllowN(now, t.cost(p))
}

// cost is what a question takes of the bucket.
func (t *promptTable) cost(p *prompt) int {
	for i := len(t.closed) - 1; i >= max(0, len(t.closed)-floodBurst); i-- {
		if c := &t.closed[i]; c.params == p.params && c.refused && time.Since(c.ended) < againSoon {
			return againCost
		}
	}
	return 1
}

// wait has a question wait for its turn; false where too much does.
func (t *promptTable) wait(q *queued) bool {
	l := &t.limiter
	l.begin()
	if len(l.queue) >= maxWaiting || l.bytes+q.size > maxWaitingBytes {
		l.refused++
		return false
	}
	l.queue = append(l.queue, q)
	l.bytes += q.size
	l.waited++
	return true
}

func (l *limiter) begin() {
	if !l.active {
		l.active, l.begun, l.waited, l.refused = true, time.Now(), 0, 0
		l.pending = true
	}
}

// next takes the question out of the queue whose turn it is. Where it is none's it
// returns after which pause to look again; 0: the flood is over.
func (t *promptTable) next() (q *queued, pause time.Duration) {
	l, now := &t.limiter, time.Now()
	if len(l.queue) == 0 {
		if l.bucket.TokensAt(now) >= floodBurst/2 {
			return nil, 0
		}
		return nil, floodEvery
	}
	q = l.queue[0]
	cost := t.cost(q.prompt)
	switch {
	case !t.room(q.prompt):
		return nil, floodEvery
	case !l.bucket.AllowN(now, cost):
		missing := float64(cost) - l.bucket.TokensAt(now)
		return nil, max(min(time.Duration(missing*float64(floodEvery)), floodEvery), time.Millisecond)
	}
	l.queue[0] = nil
	l.queue = l.queue[1:]
	l.bytes -= q.size
	return q, 0
}

// waits returns the question of that request that waits, nil for none.
func (l *limiter) waits(which func(*prompt) bool) *queued {
	for _, q := range l.queue {
		if which(q.prompt) {
			return q
		}
	}
	if l.letting != nil && !l.letting.gone && which(l.letting.prompt) {
		return l.letting
	}
	return nil
}

// leave takes the questions out of the queue that which chooses.
func (l *limiter) leave(why task.Text, which func(*prompt) bool) {
	l.queue = slices.DeleteFunc(l.queue, func(q *queued) bool {
		if !which(q.prompt) {
			return false
		}
		l.bytes -= q.size
		if q.received != nil {
			q.received.moot()
		}
		return true
	})
	if q := l.letting; q != nil && which(q.prompt) {
		q.gone, q.why = true, why
	}
}

// paced tells what became of the pace, after something waited or left, and has
// what waits let in. engine.mu is not held.
func (e *engine) paced() {
	e.telling.Lock()
	defer e.telling.Unlock()
	e.mu.Lock()
	l := &e.prompts.limiter
	run := l.active && !l.running
	l.running = l.running || run
	began, n := l.pending, len(l.queue)
	l.pending = false
	// That for a moment none waits is not the end of it.
	tell := n != l.told && (n > 0 || !l.active)
	if tell {
		l.told = n
	}
	note := ""
	if began {
		note = fmt.Sprintf("%s floods with prompts: %d came within %s. It is slowed down to one in %s, the others wait",
			e.serverName(), l.came, max(time.Since(l.since).Round(time.Second/10), time.Second/10), floodEvery)
	}
	e.mu.Unlock()
	if note != "" {
		e.ep.Note(note)
	}
	if tell {
		e.feed.add(task.Flooding{Waiting: n})
	}
	if run {
		e.spawn(e.letIn)
	}
}

// serverName is the server as the log names it. engine.mu is held.
func (e *engine) serverName() string {
	if e.info.Name.IsZero() {
		return e.ep.shown
	}
	return e.info.Name.Line() + " (" + e.ep.shown + ")"
}

// letIn lets the questions in that wait, each in its turn, until there are none.
func (e *engine) letIn() {
	for {
		e.mu.Lock()
		l := &e.prompts.limiter
		q, pause := e.prompts.next()
		if q == nil && pause == 0 {
			note := fmt.Sprintf("%s no longer floods with prompts: in %s, %d waited and %d were not taken",
				e.serverName(), time.Since(l.begun).Round(time.Second), l.waited, l.refused)
			l.running, l.active = false, false
			e.mu.Unlock()
			e.ep.Note(note)
			e.paced()
			return
		}
		var told task.Prompt
		switch {
		case q == nil:
		case q.let == nil:
			e.prompts.open[q.ID], told = q.prompt, q.Prompt
			if q.opened != nil {
				q.opened()
			}
		default:
			l.letting = q
		}
		e.mu.Unlock()
		if q != nil {
			e.letOne(q, told)
		}
		e.paced()
		if q == nil && !wait(e.life, pause) {
			return
		}
	}
}

// letOne lets in a question that left the queue; told is its prompt where that is
// open already.
func (e *engine) letOne(q *queued, told task.Prompt) {
	if q.let == nil {
		e.feed.add(task.Prompted{Prompt: told})
		return
	}
	q.let()
	e.mu.Lock()
	e.prompts.letting = nil
	var p *prompt
	if q.gone {
		if p = e.prompts.asked[q.request]; p != nil && p.params == q.params {
			e.prompts.close(p, q.why.Line())
		} else {
			p = nil
		}
	}
	e.mu.Unlock()
	if p != nil {
		e.feed.add(task.Withdrawn{Prompt: p.ID, Why: q.why})
	}
}
