package model

import (
	"context"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"
)

// dice is a source of chance, named, so that what is thrown for one thing does
// not hang on which goroutine threw first for another.
type dice uint64

// of returns the chance of the n-th thing of that name.
func (d dice) of(name string, n int) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(uint64(d), h.Sum64()+uint64(n)*0x9e3779b97f4a7c15))
}

// between returns a duration in [low, high).
func between(r *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(r.Int64N(int64(max(high-low, 1))))
}

// The faults of a connection. A garbled byte becomes one that no part of HTTP or
// JSON lets pass: what a network garbles is found out.
const (
	faultCut      = "cut"      // reset at a byte
	faultTruncate = "truncate" // closed in good order at a byte
	faultStall    = "stall"    // nothing goes on for a while from a byte on
	faultGarble   = "garble"   // one byte is another
	faultDelay    = "delay"    // each piece comes later
)

// strike is one fault of one direction of a connection.
type strike struct {
	kind string
	at   int // bytes before it
	wait time.Duration
}

// stormConn is a connection of the client that faults strike.
type stormConn struct {
	net.Conn
	w      *weather
	closed chan struct{}
	once   sync.Once

	mu       sync.Mutex
	out, in  *strike
	received []byte // and not read yet
	err      error  // what a read comes to once received is empty
	lost     error  // of all reads and writes
}

var errReset = &net.OpError{Op: "read", Net: "storm", Err: syscall.ECONNRESET}

// arm lets faults strike what is sent and received from now on; nil: none.
func (c *stormConn) arm(out, in *strike) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if out != nil {
		c.out = out
	}
	if in != nil {
		c.in = in
	}
}

// Close also ends what is stalled.
func (c *stormConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// reset breaks the connection.
func (c *stormConn) reset() {
	c.mu.Lock()
	c.lost = errReset
	c.mu.Unlock()
	_ = c.Close()
}

// hit takes the strike of a direction where it falls within the next n bytes.
func (c *stormConn) hit(s **strike, n int) *strike {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch h := *s; {
	case h == nil:
		return nil
	case !c.w.strikes():
		*s = nil
		return nil
	case h.at >= n:
		h.at -= n
		return nil
	default:
		if h.kind != faultDelay {
			*s = nil
		}
		c.w.struck(h.kind)
		return h
	}
}

func (c *stormConn) Write(p []byte) (int, error) {
	h := c.hit(&c.out, len(p))
	if h == nil {
		return c.send(p)
	}
	switch h.kind {
	case faultCut, faultTruncate:
		n, _ := c.send(p[:h.at])
		c.reset()
		return n, errReset
	case faultGarble:
		dirty := append([]byte(nil), p...)
		dirty[h.at] = 1
		return c.send(dirty)
	}
	n, err := c.send(p[:h.at])
	if err != nil {
		return n, err
	}
	c.w.pause(h.wait, c.closed)
	more, err := c.send(p[h.at:])
	return n + more, err
}

// send writes what no fault strikes.
func (c *stormConn) send(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.lost != nil {
			err = c.lost
		}
	}
	return n, err
}

func (c *stormConn) Read(p []byte) (int, error) {
	for {
		if n, err, ok := c.pending(p); ok {
			return n, err
		}
		n, err := c.Conn.Read(p)
		if n == 0 {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.lost != nil {
				err = c.lost
			}
			return 0, err
		}
		h := c.hit(&c.in, n)
		if h == nil {
			return n, err
		}
		c.mu.Lock()
		c.received = append(c.received, p[:n]...)
		c.mu.Unlock()
		switch h.kind {
		case faultCut, faultTruncate:
			c.mu.Lock()
			c.received, c.err = c.received[:h.at], errReset
			if h.kind == faultTruncate {
				c.err = io.EOF
			}
			c.mu.Unlock()
			_ = c.Conn.Close()
		case faultGarble:
			c.mu.Lock()
			c.received[h.at] = 1
			c.mu.Unlock()
		case faultStall:
			n := copy(p, c.received[:h.at])
			c.mu.Lock()
			c.received = c.received[n:]
			c.mu.Unlock()
			if n > 0 {
				c.arm(nil, &strike{kind: faultDelay, wait: h.wait, at: -1}) // the rest waits
				return n, nil
			}
			c.w.pause(h.wait, c.closed)
		case faultDelay:
			c.w.pause(h.wait, c.closed)
		}
	}
}

// pending reads what was received before; the rest of a stall waits first.
func (c *stormConn) pending(p []byte) (n int, err error, ok bool) { //nolint:revive // as Read, and whether it is one
	c.mu.Lock()
	rest := c.in
	if len(c.received) == 0 || rest == nil || rest.at >= 0 {
		rest = nil
	} else {
		c.in = nil
	}
	c.mu.Unlock()
	if rest != nil {
		c.w.pause(rest.wait, c.closed)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.received) > 0:
		n = copy(p, c.received)
		c.received = c.received[n:]
		return n, nil, true
	case c.err != nil:
		return 0, c.err, true
	}
	return 0, nil, false
}

// weather is what there is of faults between one client and its server.
type weather struct {
	dice dice
	dial func(ctx context.Context, network, addr string) (net.Conn, error)

	mu     sync.Mutex
	over   bool
	calm   chan struct{} // closed when the storm is over: what stalls goes on
	down   time.Time     // nothing is connected to before it
	conns  map[*stormConn]bool
	dials  int
	counts map[string]int // faults that struck
	trace  []string       // what happened, for a failed seed
	told   time.Time
}

func newWeather(d dice, dial func(context.Context, string, string) (net.Conn, error)) *weather {
	return &weather{dice: d, dial: dial, calm: make(chan struct{}), conns: map[*stormConn]bool{}, counts: map[string]int{}}
}

// strikes reports whether there still is a storm.
func (w *weather) strikes() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.over
}

// clear ends the storm.
func (w *weather) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.over, w.down = true, time.Time{}
		close(w.calm)
	}
}

func (w *weather) struck(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
	w.note(what)
}

// traceMost bounds what is told of a failed seed.
const traceMost = 4000

// note adds a line to the trace. w.mu is held.
func (w *weather) note(what string) {
	if w.told.IsZero() {
		w.told = time.Now()
	}
	if len(w.trace) < traceMost {
		w.trace = append(w.trace, time.Since(w.told).Round(time.Millisecond).String()+" "+what)
	}
}

func (w *weather) tell(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(what)
}

// pause waits for d, unless the storm ends or what waits is closed.
func (w *weather) pause(d time.Duration, closed <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-w.calm:
	case <-closed:
	}
}

// DialContext connects, unless the storm is against it.
func (w *weather) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	w.dials++
	n, refused := w.dials, time.Now().Before(w.down)
	w.mu.Unlock()
	if refused {
		w.struck("refuse")
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	inner, err := w.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &stormConn{Conn: inner, w: w, closed: make(chan struct{})}
	if r := w.dice.of("connection", n); w.strikes() && r.IntN(20) == 0 { // a slow one
		c.arm(nil, &strike{kind: faultDelay, at: r.IntN(500), wait: between(r, 0, 3*time.Second)})
	}
	w.mu.Lock()
	for o := range w.conns {
		select {
		case <-o.closed:
			delete(w.conns, o)
		default:
		}
	}
	w.conns[c] = true
	w.mu.Unlock()
	return c, nil
}

// each calls f for the connections that are open.
func (w *weather) each(f func(*stormConn)) {
	w.mu.Lock()
	var open []*stormConn
	for c := range w.conns {
		open = append(open, c)
	}
	w.mu.Unlock()
	for _, c := range open {
		f(c)
	}
}

// cutAll breaks all connections, and lets none be made for a while.
func (w *weather) cutAll(down time.Duration) {
	w.mu.Lock()
	w.down = time.Now().Add(down)
	w.mu.Unlock()
	w.struck("outage")
	w.each((*stormConn).reset)
}

// stallAll lets nothing come through for a while.
func (w *weather) stallAll(d time.Duration) {
	w.struck("freeze")
	w.each(func(c *stormConn) { c.arm(&strike{kind: faultStall, wait: d}, &strike{kind: faultStall, wait: d}) })
}
