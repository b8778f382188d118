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
	switch {
	case a.reread == nil, a.gate == nil, json.Valid(text):
		return false
	case !a.repeats && (a.lastID == "" || id == "" || id == a.lastID):
		return false // what came before it would be lost with it
	case !a.reread.once(id):
		return false
	}
	a.torn = true
	a.cancel(errUnread)
	return true
}
