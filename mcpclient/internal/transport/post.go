package transport

import (
	"context"
	"time"
)

// Call is one message to send by POST.
type Call struct {
	// Body is the JSON text. It must not be written to afterwards.
	Body []byte

	// OneWay says that the message is a notification or a response, to which
	// no reply belongs: any status of success ends the call.
	OneWay bool

	// Patient says that the server may take as long as it likes before its
	// first byte (tools/call, tasks/result of a live task). Other calls fail
	// when Timing.Answer passes without.
	Patient bool

	// Handle takes what the server sends in return. It may be called after
	// Post returned, for what comes behind the reply on the same stream
	// (within Timing.Linger); Close waits for it. Nil drops all.
	Handle Handler

	// Head, if set, is called with the headers of each successful response,
	// the ones of resumed streams included, before the first message of it.
	Head func(Head)
}

// Head is what a session wants to know of a response's headers.
type Head struct {
	Status    int
	SessionID string    // Mcp-Session-Id, a secret; empty where there is none
	Date      time.Time // by the server's clock, whole seconds; zero where there is none
	Sent      time.Time // when the request was sent, by our clock
	Received  time.Time // when the headers came, by our clock
	Stream    bool      // the body is a stream of events
}

// Post sends a message and returns once its reply has been handled, or, one
// way, once the server took it. A stream that breaks before the reply is
// resumed by its event id, for as long as ctx lives; ending ctx closes the
// stream, which is not cancelling (the session sends a notification for that).
//
// Errors: *NetError (not sent), *LostError (sent, no reply to be had),
// *StatusError, *RedirectError, *ContentError, *MalformedError,
// *TooLargeError, and what Authorize returned. All of the end of ctx or of the
// transport match context.Canceled, context.DeadlineExceeded or ErrClosed.
func (t *Transport) Post(ctx context.Context, c Call) error {
	return ErrClosed
}

// Delete ends the session at the server. A StatusError with 405 says that the
// server does not let clients do that.
func (t *Transport) Delete(ctx context.Context) error {
	return ErrClosed
}
