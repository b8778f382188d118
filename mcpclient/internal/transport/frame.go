package transport

import (
	"net/http"
	"time"
)

// Frame is one message on the wire, or the body of a response that is none, as
// the log wants to see it. Nothing in it is masked, and no part of it is to be
// written to.
type Frame struct {
	At       time.Time
	Out      bool        // sent by us
	Stream   string      // "POST", "GET", or "DELETE": what the exchange is in HTTP
	Exchange uint64      // number of the HTTP exchange, counted from 1: the reply to a POST has the number of the POST
	Resumed  bool        // the exchange continues the broken stream of a POST
	Status   int         // of a response that is an error, else 0
	EventID  string      // of an event, where it has one
	Size     int         // bytes of the whole message
	Head     http.Header // of a request of ours, credentials among them
	Data     []byte      // the message, or its beginning (Limits.Frame bytes)
}

// frame shows data to the log. A message within the limit is shared, not
// copied: nobody writes to it any more. Of a longer one the beginning is copied,
// so that the log does not hold on to the whole.
func (t *Transport) frame(f Frame, data []byte) {
	if t.cfg.Frame == nil {
		return
	}
	f.At = time.Now()
	f.Size = len(data)
	if len(data) > t.cfg.Limits.Frame {
		data = append([]byte(nil), data[:t.cfg.Limits.Frame]...)
	}
	f.Data = data
	t.cfg.Frame(f)
}
