package task

import (
	"encoding/json"
	"time"
)

// ErrorKind sorts errors by what callboard does about them.
type ErrorKind uint8

// The kinds.
const (
	Internal     ErrorKind = iota // a fault of ours
	Unreachable                   // refused, no such host, time-out before anything came back
	TLS                           // the certificate or the handshake
	Unauthorized                  // 401
	Denied                        // 403
	NotMCP                        // HTML, or JSON that is no JSON-RPC
	Version                       // another generation of the protocol
	SessionLost                   // the session is gone (404, or its other forms)
	RPC                           // a JSON-RPC error: Code, Message, Data
	Busy                          // 429 or 503: obey RetryAfter
	HTTP                          // any other HTTP status
	Limit                         // a message beyond our limits
	Timeout                       // no answer in time
	Lost                          // the link broke after sending: nobody knows
	Unsupported                   // the server, or --read-only, does not allow it
	Protocol                      // what came back breaks the protocol
)

// Error is what went wrong, in words for a person. It never holds a secret.
type Error struct {
	Kind ErrorKind
	// Message says what came back, Tried what was tried ("POST initialize to
	// https://host/mcp"), Advice what to do; the latter two may be "".
	Message, Tried, Advice Text
	Code                   int             // JSON-RPC error code, kind RPC
	Data                   json.RawMessage // JSON-RPC error data, raw
	Status                 int             // HTTP status, 0 for none
	RetryAfter             time.Duration   // 0 for not told
	Err                    error           // the cause; not for showing
}

// Error returns the message, and what was tried where that is known.
func (e *Error) Error() string {
	if e.Tried.IsZero() {
		return e.Message.Line()
	}
	return e.Tried.Line() + ": " + e.Message.Line()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
