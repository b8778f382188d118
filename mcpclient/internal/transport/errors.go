package transport

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
)

var (
	// ErrClosed is returned by, and is the cause of, whatever Close ended.
	ErrClosed = errors.New("the connection was closed")
	// ErrNoStream says that the server offers no GET stream (405, or 204).
	ErrNoStream = errors.New("the server offers no stream of its own")
)

// StatusError is a response whose HTTP status is not one of success. A JSON-RPC
// error may stand in its body whatever the status (200 apart, which is a reply
// like any other).
type StatusError struct {
	Status      int
	ContentType string         // without parameters
	RetryAfter  time.Duration  // from now; 0 where the server does not say
	Challenge   string         // the header WWW-Authenticate, at most 2 KiB
	ID          jsonrpc.ID     // of the message in the body; often Null
	RPC         *jsonrpc.Error // the error in the body, or nil
	Snippet     string         // the beginning of a body that is no JSON-RPC; at most 512 bytes, our secrets masked, not cleaned
}

func (e *StatusError) Error() string {
	s := fmt.Sprintf("the server answered HTTP %d", e.Status)
	if text := http.StatusText(e.Status); text != "" {
		s += " " + text
	}
	if e.RPC != nil {
		s += ": " + e.RPC.Error()
	}
	return s
}

// Unwrap gives the JSON-RPC error, if there is one.
func (e *StatusError) Unwrap() error {
	if e.RPC == nil {
		return nil
	}
	return e.RPC
}

// RedirectError is a redirect, which is never followed: the credentials of one
// server are not for another.
type RedirectError struct {
	Status int
	Host   string // where it pointed, scheme and host only; empty where that cannot be read
	Path   string // and its path, where the host is the one that was asked
}

func (e *RedirectError) Error() string {
	if e.Host == "" {
		return fmt.Sprintf("the server redirects (HTTP %d), which is not followed", e.Status)
	}
	return fmt.Sprintf("the server redirects to %s (HTTP %d), which is not followed", e.Host, e.Status)
}

// ContentError is a response of success that is no MCP: a page of HTML, say.
type ContentError struct {
	Status      int
	ContentType string // without parameters; may be empty
	Snippet     string // as in StatusError
	Err         error  // why the body is no message; nil where it was not looked into
}

func (e *ContentError) Error() string {
	if e.ContentType == "" {
		return fmt.Sprintf("the server answered HTTP %d without saying what the body is, and it is not MCP", e.Status)
	}
	return fmt.Sprintf("the server answered HTTP %d with %.60q, which is not MCP", e.Status, e.ContentType)
}

func (e *ContentError) Unwrap() error { return e.Err }

// MalformedError is a body or an event that claims to be a message and is none.
type MalformedError struct {
	Stream string // as in Frame
	Size   int    // bytes
	Err    error
}

func (e *MalformedError) Error() string {
	return fmt.Sprintf("the server sent %d bytes that are no message: %v", e.Size, e.Err)
}

func (e *MalformedError) Unwrap() error { return e.Err }

// TooLargeError is a body or an event beyond the limit for it.
type TooLargeError struct {
	What  string // "event" or "body"
	Limit int    // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the server sent a message (%s) larger than %s", e.What, sizeText(e.Limit))
}

func sizeText(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// InsecureError says that a credential would go over plain http to a host that
// is not this machine.
type InsecureError struct{ Host string }

func (e *InsecureError) Error() string {
	return "credentials would go unencrypted to " + e.Host
}

// Kind is what went wrong on the network.
type Kind int

// The kinds of network errors.
const (
	Other       Kind = iota
	Refused          // nobody listens there
	Unreachable      // no route to the host or its network
	DNS              // the host's name is unknown
	TLS              // no secure connection: certificate, or no TLS spoken there
	Timeout          // no connection, or no answer, in time
	Canceled         // given up by the caller, or by Close
	Broken           // the connection ended
)

func (k Kind) String() string {
	switch k {
	case Refused:
		return "connection refused"
	case Unreachable:
		return "host unreachable"
	case DNS:
		return "name not found"
	case TLS:
		return "no secure connection"
	case Timeout:
		return "timed out"
	case Canceled:
		return "given up"
	case Broken:
		return "connection broken"
	case Other:
	}
	return "network error"
}

// NetError says that a request did not reach the server as a whole, so that it
// has had no effect and may be sent again; or that a GET stream could not be
// opened, or broke.
type NetError struct {
	Kind Kind
	Err  error // free of URL and credentials

	// Proxy says that it happened on the way to the proxy of the environment,
	// or there.
	Proxy bool
}

func (e *NetError) Error() string {
	if e.Err == nil {
		return e.Kind.String()
	}
	return e.Kind.String() + ": " + e.Err.Error()
}

func (e *NetError) Unwrap() error { return e.Err }

// LostError says that a request was sent as a whole and its reply will not
// come: whether it had an effect is unknown. Where asking again is safe, ask
// again.
type LostError struct {
	Kind Kind
	Why  string // a clause for people
	Err  error  // the cause, or nil
}

func (e *LostError) Error() string {
	s := "no reply came after the request was sent: " + e.Why
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *LostError) Unwrap() error { return e.Err }
