package transport

import (
	"bytes"
	"io"
)

// gate stands between a response's body and r3labs/sse, and passes on whole
// events only, in the one form that library reads without loss. As shipped
// (v2.10.0) it takes the rest of a cut stream for an event, so that the cut
// event is delivered in part and its id counts as seen; it knows no byte order
// mark; it hands comments on; it inherits ids without a way to reset them; a
// line over its buffer ends the stream; and it searches its whole buffer again
// on each read, which is quadratic in the size of an event, or of a burst.
//
// So the gate ends lines by LF, drops what is no field, drops an event that the
// stream cut off, and hands out at most one event a Read: then r3labs' buffer
// never holds the beginning of a second one.
//
// It is used by one goroutine, r3labs' reader. Its fields may be read once the
// subscription returned.
type gate struct {
	src     io.Reader
	max     int         // bytes of an event
	onBytes func()      // called after each read that brought something
	onLarge func() bool // called for an event beyond max; false ends the stream

	chunk []byte // what was read and not parsed yet: a part of buf
	buf   []byte
	ev    []byte // the event being gathered, normalised
	line  int    // where in ev the line being gathered begins
	out   []byte // the rest of the event being handed out: a part of ev

	bom     int  // bytes of the byte order mark matched so far; -1 behind it
	skipLF  bool // the last line ended by CR, an LF now belongs to it
	large   bool // the event is beyond max: its id is kept, nothing else
	typed   bool // the event has a type already, which a second one replaces
	clipped bool // of a large event: the line is too long to be an id
	stopped bool // onLarge ended the stream
	cut     bool // the stream ended within an event
	err     error
}

const (
	gateChunk = 32 << 10
	// maxEventID is how long an event id may be: it goes back in a header.
	maxEventID = 4 << 10
	// keepBuffer is the largest buffer that outlives its event.
	keepBuffer = 1 << 20
)

// resetID is what the gate makes of an empty id, which by the HTML standard
// resets the last event id: r3labs would let the next events inherit the old
// one. No id of a server can be a NUL, for the gate drops these, as the
// standard asks.
const resetID = "\x00"

var byteOrderMark = []byte("\xef\xbb\xbf")

func newGate(src io.Reader, max int) *gate {
	return &gate{src: src, max: max, buf: make([]byte, gateChunk)}
}

// Read hands out the next event, or a part of it.
func (g *gate) Read(p []byte) (int, error) {
	for len(g.out) == 0 {
		if g.ready() {
			break
		}
		if g.err != nil {
			return 0, g.err
		}
		n, err := g.src.Read(g.buf)
		g.chunk = g.buf[:n]
		if n > 0 && g.onBytes != nil {
			g.onBytes()
		}
		if err != nil {
			g.err = err
		}
	}
	n := copy(p, g.out)
	g.out = g.out[n:]
	if len(g.out) == 0 {
		g.reset()
	}
	return n, nil
}

// reset begins a new event.
func (g *gate) reset() {
	if cap(g.ev) > keepBuffer {
		g.ev = nil
	}
	g.ev, g.line, g.large, g.typed, g.clipped = g.ev[:0], 0, false, false, false
}

// ready parses until a whole event stands in out, or the chunk is used up.
func (g *gate) ready() bool {
	for len(g.chunk) > 0 && len(g.out) == 0 {
		if g.skipLF {
			g.skipLF = false
			if g.chunk[0] == '\n' {
				g.chunk = g.chunk[1:]
				continue
			}
		}
		if g.bom >= 0 {
			g.matchBOM()
			continue
		}
		part := g.chunk
		i := bytes.IndexByte(part, '\n')
		if i >= 0 {
			part = part[:i]
		}
		if j := bytes.IndexByte(part, '\r'); j >= 0 {
			i, part = j, part[:j]
			g.skipLF = true
		}
		g.gather(part)
		if i < 0 || g.stopped {
			g.chunk = nil
		} else {
			g.chunk = g.chunk[i+1:]
			g.endLine()
		}
	}
	if g.err != nil && len(g.chunk) == 0 && len(g.out) == 0 {
		g.cut = len(g.ev) > 0 || g.large
	}
	return len(g.out) > 0
}

// matchBOM looks at the first bytes of the stream, one at a time, for reads may
// split them.
func (g *gate) matchBOM() {
	if g.chunk[0] == byteOrderMark[g.bom] {
		g.chunk = g.chunk[1:]
		if g.bom++; g.bom == len(byteOrderMark) {
			g.bom = -1
		}
		return
	}
	g.ev = append(g.ev, byteOrderMark[:g.bom]...)
	g.bom = -1
}

// gather adds a part of a line.
func (g *gate) gather(part []byte) {
	if g.clipped || len(part) == 0 {
		return
	}
	if !g.large && len(g.ev)+len(part) > g.max {
		g.tooLarge()
	}
	if g.large && len(g.ev)-g.line+len(part) > maxEventID {
		g.ev, g.clipped = g.ev[:g.line], true
		return
	}
	g.ev = append(g.ev, part...)
}

// tooLarge begins to skip an event. Of what was gathered it keeps the last id,
// so that a resumption starts behind this event and not with it again.
func (g *gate) tooLarge() {
	g.large = true
	var id []byte
	for line := range bytes.Lines(g.ev[:g.line]) {
		if bytes.HasPrefix(line, []byte("id:")) {
			id = line
		}
	}
	rest := g.ev[g.line:]
	g.clipped = len(rest) > maxEventID
	if g.clipped {
		rest = nil
	}
	g.ev = append(append([]byte(nil), id...), rest...)
	g.line = len(id)
	if g.onLarge != nil && !g.onLarge() {
		g.stopped, g.err = true, io.EOF
	}
}

// endLine looks at the line that is complete now.
func (g *gate) endLine() {
	if g.clipped {
		g.clipped = false
		return
	}
	line := g.ev[g.line:]
	if len(line) == 0 {
		g.endEvent()
		return
	}
	name, value, colon := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "id":
		if bytes.IndexByte(value, 0) >= 0 {
			g.ev = g.ev[:g.line]
			return
		}
		if len(value) == 0 || len(value) > maxEventID {
			g.ev = append(g.ev[:g.line], "id:"+resetID...)
		}
		if g.large { // only the last id of such an event is of use
			g.ev = append(g.ev[:0], g.ev[g.line:]...)
		}
	case "data", "retry":
		if g.large || (!colon && string(name) != "data") {
			g.ev = g.ev[:g.line]
			return
		}
	case "event":
		// The type "message" is what an event without a type has; most
		// servers write it all the same, and r3labs would pay for it.
		if g.large || !colon || (!g.typed && string(value) == "message") {
			g.ev = g.ev[:g.line]
			return
		}
		g.typed = true
	default:
		g.ev = g.ev[:g.line]
		return
	}
	g.ev = append(g.ev, '\n')
	g.line = len(g.ev)
}

// endEvent hands the event out, where anything is left of it.
func (g *gate) endEvent() {
	if len(g.ev) == 0 {
		g.reset()
		return
	}
	g.ev = append(g.ev, '\n')
	g.out = g.ev
}
