package transport

import (
	"encoding/json"
	"errors"
	"time"
)

// Reread is the memory of events that could not be read, of streams that tell the
// same: each is asked for once more and not for ever, since a server may well have
// meant it. Its zero value is ready. It belongs to one stream at a time.
type Reread struct {
	id string
	at time.Time
}

// rereadPause is after how long an event without an id may be asked for again.
const rereadPause = 10 * time.Minute

// maxBarren is how often a stream is resumed behind an event that could not be read
// without bringing anything: that event may have been the reply.
const maxBarren = 5

// skipped is an event of a POST's stream that could not be read, and not be had
// again. Nil is none.
type skipped struct {
	err    error
	barren int // resumptions since that brought no message
}

// after returns what is skipped once a has ended.
func (s *skipped) after(a *attempt) *skipped {
	switch {
	case a.passed != nil:
		return &skipped{err: a.passed}
	case s != nil && a.messages > 0:
		s.barren = 0
	case s != nil:
		s.barren++
	}
	return s
}

// hopeless reports whether the reply is not to be waited for any longer.
func (s *skipped) hopeless() bool { return s != nil && s.barren >= maxBarren }

var errUnread = errors.New("an event could not be read; it is asked for again")

// once reports whether an event is to be asked for again.
func (r *Reread) once(id string) bool {
	switch {
	case id != "" && id == r.id:
		return false
	case id == "" && !r.at.IsZero() && time.Since(r.at) < rereadPause:
		return false
	}
	r.id, r.at = id, time.Now()
	return true
}

// unread takes in that the event with that id was no message. Where it was damaged
// on its way, and can be had again, the stream is torn in front of it, and it
// reports true: a question may have stood there, which the server does not send
// again by itself.
func (a *attempt) unread(text []byte, id string) bool {
	if a.reread == nil || a.gate == nil || json.Valid(text) {
		return false
	}
	a.passed = a.malformed
	switch {
	case !a.repeats && (a.lastID == "" || id == "" || id == a.lastID):
		return false // what came before it would be lost with it
	case !a.reread.once(id):
		return false
	}
	a.torn, a.passed = true, nil
	a.cancel(errUnread)
	return true
}
