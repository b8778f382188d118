package mcptest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// stream is a logical SSE stream. It outlives its connections: what was sent stays in a bounded store, so that a
// client can resume by Last-Event-ID.
type stream struct {
	key        string // first half of its event ids
	keep       int    // events kept after they were sent; zero: none, and events carry no ids
	maxPending int    // events that wait for the connection; then the oldest go
	plain      bool   // the reply will be one JSON object: nothing may precede it
	modern     bool   // it cannot be resumed: nothing of it is lost before its one connection, nothing kept after

	mu     sync.Mutex
	events []event
	base   int // number of events[0]; the first event of a stream is 1
	next   int // number of the event to be written next
	conn   *conn
	ended  bool
	final  []byte // the reply, if it has come
}

type event struct{ data []byte }

// conn is one connection that carries a stream.
type conn struct {
	wake chan struct{} // cap 1: there is something to write
	stop chan struct{} // closed: another connection took over, or the server ends it
	cut  bool          // read after stop: break off instead of ending cleanly
	once sync.Once
}

func newStream(key string, keep, maxPending int) *stream {
	return &stream{key: key, keep: keep, maxPending: maxPending, base: 1, next: 1}
}

func (c *conn) end(cut bool) {
	c.once.Do(func() {
		c.cut = cut
		close(c.stop)
	})
}

// push adds a message. It reports whether a connection carries the stream now.
func (st *stream) push(data []byte) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended {
		return false
	}
	st.events = append(st.events, event{data})
	st.trim()
	st.rouse()
	return st.conn != nil
}

// finish adds the reply, after which the stream ends. A nil reply ends it without one.
func (st *stream) finish(data []byte) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended {
		return
	}
	if data != nil {
		st.final = data
		st.events = append(st.events, event{data})
	}
	st.ended = true
	st.rouse()
}

func (st *stream) rouse() {
	if st.conn == nil {
		return
	}
	select {
	case st.conn.wake <- struct{}{}:
	default:
	}
}

// trim lets go of what the bounds do not allow to keep. Copying is put off until half is garbage.
func (st *stream) trim() {
	drop := 0
	if sent := st.next - st.base; sent > st.keep {
		drop = sent - st.keep
	}
	pending := st.maxPending
	if st.conn == nil && !st.modern {
		pending = max(st.keep, 1)
	}
	drop = max(drop, len(st.events)-st.keep-pending)
	if drop > len(st.events)/2 {
		st.base += drop
		st.events = append([]event(nil), st.events[drop:]...)
		st.next = max(st.next, st.base)
	}
}

// attach makes c the connection of the stream, from event number from on (zero: from what comes next).
func (st *stream) attach(c *conn, from int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.conn != nil {
		st.conn.end(false)
	}
	st.conn = c
	if from == 0 {
		from = st.base + len(st.events)
	}
	st.next = max(from, st.base)
	st.rouse()
}

func (st *stream) detach(c *conn) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.conn == c {
		st.conn = nil
	}
}

func (st *stream) connected() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.conn != nil
}

// has reports whether the stream still holds everything from event number n on.
func (st *stream) has(n int) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return n >= st.base && n <= st.base+len(st.events)
}

// take hands c up to most events to write, the number of the first, and whether the stream ends with them.
func (st *stream) take(c *conn, most int) (events []event, first int, last bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.conn != c {
		return nil, 0, true
	}
	first = st.next
	events = st.events[st.next-st.base:]
	if len(events) > most {
		events = events[:most]
	}
	events = append([]event(nil), events...)
	st.next += len(events)
	last = st.ended && st.next == st.base+len(st.events)
	return events, first, last
}

// drained reports whether nothing waits to be written.
func (st *stream) drained() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.conn == nil || st.next == st.base+len(st.events)
}

// onlyReply reports whether the stream has ended with its reply and nothing before it, and gives the reply.
func (st *stream) onlyReply() ([]byte, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.final, st.ended && len(st.events) <= 1
}

// ending reports whether a modern stream has its reply, so that it closes by itself once that is written.
func (st *stream) ending() bool { return st.modern && st.over() }

// over reports whether the stream takes no more messages.
func (st *stream) over() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.ended
}

// snapshot is the stream as it is, from event number from on, which takes nothing that comes.
func (st *stream) snapshot(from int) *stream {
	st.mu.Lock()
	defer st.mu.Unlock()
	now := newStream(st.key, st.keep, st.maxPending)
	now.events, now.base, now.next = append([]event(nil), st.events[from-st.base:]...), from, from
	now.ended, now.final = st.ended, st.final
	return now
}

// frame appends event number n to buf as SSE.
func (st *stream) frame(buf, data []byte, n int) []byte {
	if st.keep > 0 {
		buf = fmt.Appendf(buf, "id: %s-%d\n", st.key, n)
	}
	buf = append(buf, "data: "...)
	buf = append(buf, data...)
	return append(buf, '\n', '\n')
}

// parseEventID splits an event id of ours into the key of its stream and its number.
func parseEventID(id string) (key string, n int, ok bool) {
	key, num, ok := strings.Cut(id, "-")
	if !ok {
		return "", 0, false
	}
	n, err := strconv.Atoi(num)
	return key, n, err == nil && n >= 0
}
