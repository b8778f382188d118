// Package transport is the streamable HTTP transport of MCP (Basic, Transports):
// each message that the client sends is a POST of its own, answered by JSON or by
// a stream of server-sent events. In 2025-11-25 one GET stream brings what the
// server volunteers, and broken streams are resumed by their event ids. 2026-07-28
// has neither: there the stream of a POST may stay open for as long, and to close
// it cancels the request (Call.Final, Call.Idle).
//
// It knows HTTP, streams and time, and of JSON-RPC only where one message ends
// and the next begins: which message answers which request is for its user to
// say. Every byte of every event stream goes through github.com/r3labs/sse/v2,
// behind a gate that makes up for what that library would lose (see gate.go and
// attempt.go).
//
// No error of this package holds a header's value, a session id, a token, or
// more of the URL than its host. What the server wrote stands in fields of its
// own, bounded, and uncleaned.
package transport

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"

	"callboard/mcpclient/internal/jsonrpc"
)

// Handler takes one message that a server sent. It returns true where the
// message is the response that the call waits for. It is called by one
// goroutine at a time for each call or stream, in the order of the stream, and
// an event id is taken over only after it returned, so that a break meanwhile
// repeats the message rather than losing it. A slow handler holds up its own
// stream only. The message is the handler's to keep.
type Handler func(m *jsonrpc.Message) (reply bool)

// Config is what a Transport is made of. Only Endpoint is needed.
type Config struct {
	// Endpoint is the server's URL, http or https. A name and password in it
	// become a header, and are in no request line and no error.
	Endpoint *url.URL

	// RoundTripper carries the requests, and is the Transport's own from then
	// on: Close closes its idle connections. It must not follow redirects or
	// add a time limit to the whole exchange. Nil means NewRoundTripper(nil).
	RoundTripper http.RoundTripper

	// Header is added to every request. The headers that this package sets
	// itself win over it.
	Header http.Header

	// Authorize, if set, gives the value of the Authorization header, such as
	// "Bearer abc"; empty for none. refused is empty, or the value that was
	// just answered with 401: then it is asked for a better one, and the
	// request sent once more where it differs. It is called for every request,
	// by many goroutines.
	Authorize func(ctx context.Context, refused string) (string, error)

	// AllowInsecure lets Authorization travel over plain http to other than
	// loopback hosts.
	AllowInsecure bool

	UserAgent string

	Limits Limits
	Timing Timing

	// Frame, if set, is shown every message in both directions, before it is
	// handled. It must be quick, and is called by many goroutines.
	Frame func(Frame)

	// Fault, if set, is told of each message that was left out while its
	// stream went on: a *TooLargeError or a *MalformedError.
	Fault func(error)
}

// Limits bound what a server can make the client hold. A zero field means its
// default.
type Limits struct {
	Event int // bytes of one event of a stream; 16 MiB
	Body  int // bytes of one body that is no stream, decompressed; 64 MiB
	Frame int // bytes of a message that a Frame holds; 16 KiB
}

// Timing is how patient the transport is. A zero field means its default.
type Timing struct {
	Answer time.Duration // from a sent request to its response's headers, patient calls apart; 30 s
	Idle   time.Duration // without a byte on the GET stream, or its headers, before it is opened anew; 5 min
	Linger time.Duration // for which a POST's stream may go on after its reply; 2 s
	Base   time.Duration // first wait before a reconnect, where the server names none; 1 s
	Cap    time.Duration // longest wait of our own back-off; 60 s
	Held   time.Duration // wait after 409, when another holds the GET stream; 30 s
	Alive  time.Duration // for which a silent stream must last to count as progress; 10 s
	Resume time.Duration // for which a broken POST stream may fail to be resumed; 2 min
}

func orDefault[T int | time.Duration](p *T, d T) {
	if *p <= 0 {
		*p = d
	}
}

func (c *Config) fill() {
	orDefault(&c.Limits.Event, 16<<20)
	orDefault(&c.Limits.Body, 64<<20)
	orDefault(&c.Limits.Frame, 16<<10)
	orDefault(&c.Timing.Answer, 30*time.Second)
	orDefault(&c.Timing.Idle, 5*time.Minute)
	orDefault(&c.Timing.Linger, 2*time.Second)
	orDefault(&c.Timing.Base, time.Second)
	orDefault(&c.Timing.Cap, time.Minute)
	orDefault(&c.Timing.Held, 30*time.Second)
	orDefault(&c.Timing.Alive, 10*time.Second)
	orDefault(&c.Timing.Resume, 2*time.Minute)
	if c.RoundTripper == nil {
		c.RoundTripper = NewRoundTripper(nil)
	}
}

// Transport speaks to one endpoint. Its methods may be called by many
// goroutines.
type Transport struct {
	cfg  Config
	url  string // of the endpoint, without name and password
	head http.Header

	session  atomic.Pointer[sessionHeaders]
	exchange atomic.Uint64 // number of the last HTTP exchange
	large    atomic.Int64  // bytes of the last large body

	life   context.Context // ends with Close
	end    context.CancelCauseFunc
	mu     sync.Mutex // guards closed against wg.Add
	closed bool
	wg     sync.WaitGroup
}

type sessionHeaders struct{ id, version string }

// New checks the configuration; it sends nothing. The error is an
// *InsecureError where a credential would travel in the clear.
func New(cfg Config) (*Transport, error) {
	u := cfg.Endpoint
	if u == nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("the endpoint must be a URL with http or https and a host")
	}
	cfg.fill()
	head := make(http.Header)
	for k, vs := range cfg.Header {
		for _, v := range vs {
			if !httpguts.ValidHeaderFieldName(k) || !httpguts.ValidHeaderFieldValue(v) {
				return nil, fmt.Errorf("the header %q is not valid in HTTP", k)
			}
			head.Add(k, v)
		}
	}
	plain := *u
	plain.User, plain.Fragment = nil, ""
	if u.User != nil && head.Get("Authorization") == "" {
		pass, _ := u.User.Password()
		head.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+pass)))
	}
	secret := cfg.Authorize != nil || head.Get("Authorization") != ""
	if secret && u.Scheme == "http" && !cfg.AllowInsecure && !Loopback(u.Hostname()) {
		return nil, &InsecureError{Host: u.Host}
	}
	t := &Transport{cfg: cfg, url: plain.String(), head: head}
	t.session.Store(&sessionHeaders{})
	t.life, t.end = context.WithCancelCause(context.Background())
	return t, nil
}

// Loopback reports whether host, a name or an address without a port, is this
// machine itself.
func Loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// SetSession sets the values of Mcp-Session-Id and MCP-Protocol-Version for
// every request from now on; an empty one leaves its header out.
func (t *Transport) SetSession(id, version string) error {
	if !httpguts.ValidHeaderFieldValue(id) || !httpguts.ValidHeaderFieldValue(version) {
		return errors.New("the session id or the protocol version does not fit in a header")
	}
	t.session.Store(&sessionHeaders{id, version})
	return nil
}

// Session returns what SetSession set last.
func (t *Transport) Session() (id, version string) {
	s := t.session.Load()
	return s.id, s.version
}

// Close ends all streams and calls, waits for them, and closes the idle
// connections. It sends nothing: see Delete. It must not be called from a
// Handler. Calls after it fail with ErrClosed.
func (t *Transport) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end(ErrClosed)
	t.wg.Wait()
	if c, ok := t.cfg.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// enter counts a goroutine in, which leaves by wg.Done, or says that the
// transport is closed.
func (t *Transport) enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	t.wg.Add(1)
	return nil
}

func (t *Transport) fault(err error) {
	if t.cfg.Fault != nil {
		t.cfg.Fault(err)
	}
}
