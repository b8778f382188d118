package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// RoundTrip makes of r3labs' GET the request that is meant, and sends it. After
// a 401 it sends it once more, if there is another token: the server refused
// the first before it did anything.
func (a *attempt) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if a.answer > 0 {
		a.watch(a.answer, errNoAnswer)
	}
	req := a.request(ctx)
	auth, err := a.authorize(ctx, req, "")
	if err != nil {
		return nil, err
	}
	a.number = a.t.exchange.Add(1)
	if a.body != nil {
		a.t.frame(Frame{Out: true, Stream: a.method, Exchange: a.number, Head: req.Header}, a.body)
	}
	resp, err := a.send(ctx, req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || a.t.cfg.Authorize == nil {
		return resp, err
	}
	again := a.request(ctx)
	better, err := a.authorize(ctx, again, auth)
	if err != nil || better == "" || better == auth {
		// The 401 says more than why there is no other token.
		a.refused = nil
		return resp, nil
	}
	_ = resp.Body.Close() // the next request says whether the link is sound
	return a.send(ctx, again)
}

// send makes one round trip. Servers close connections that were idle for a
// while, and some request always meets that moment: one that could not be
// written as a whole to a connection that was used before has had no effect,
// and goes out again. Where the next connection is as stale, it is taken out
// too, so this ends with a new one.
func (a *attempt) send(ctx context.Context, req *http.Request) (*http.Response, error) {
	for {
		var reused atomic.Bool
		a.sent.state.Store(0)
		a.sentAt = time.Now()
		traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GotConn: func(info httptrace.GotConnInfo) { reused.Store(info.Reused) },
			WroteRequest: func(info httptrace.WroteRequestInfo) {
				if info.Err != nil {
					a.sent.state.Store(sendFailed)
				}
			},
		})
		resp, err := a.t.cfg.RoundTripper.RoundTrip(req.WithContext(traced))
		if err == nil || !reused.Load() || req.GetBody == nil || a.sent.whole() || ctx.Err() != nil {
			return resp, err
		}
		body, again := req.GetBody()
		if again != nil {
			return nil, err
		}
		req = req.Clone(ctx)
		req.Body = body
	}
}

// authorize sets the Authorization header and returns its value.
func (a *attempt) authorize(ctx context.Context, req *http.Request, refused string) (string, error) {
	if a.t.cfg.Authorize == nil {
		return "", nil
	}
	auth, err := a.t.cfg.Authorize(ctx, refused)
	if err != nil {
		a.refused = err
		return "", err
	}
	if auth != "" {
		req.Header.Set("Authorization", auth)
		a.secrets = append(a.secrets, auth)
	}
	return auth, nil
}

// request builds the request anew: nothing of what r3labs put into its own is
// needed but the last event id, which is known here.
func (a *attempt) request(ctx context.Context) *http.Request {
	req := a.t.request(ctx, a.method)
	for k, vs := range a.header {
		req.Header[http.CanonicalHeaderKey(k)] = vs
	}
	if a.method == http.MethodPost {
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Content-Type", "application/json")
		req.ContentLength = int64(len(a.body))
		req.GetBody = func() (io.ReadCloser, error) {
			a.sent.state.Store(0)
			return &sentBody{Reader: bytes.NewReader(a.body), sent: &a.sent}, nil
		}
		req.Body, _ = req.GetBody()
	} else {
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("Cache-Control", "no-cache")
		// A proxy that compresses a stream holds events back.
		req.Header.Set("Accept-Encoding", "identity")
		if a.lastID != "" {
			req.Header.Set("Last-Event-ID", a.lastID)
		}
	}
	a.secrets = a.secrets[:0]
	if id, _ := a.t.Session(); id != "" {
		a.secrets = append(a.secrets, id)
	}
	for _, vs := range a.t.head {
		a.secrets = append(a.secrets, vs...)
	}
	return req
}

// request is what all requests to the endpoint have in common.
func (t *Transport) request(ctx context.Context, method string) *http.Request {
	// The URL was parsed when the Transport was made, and methods are ours.
	req, err := http.NewRequestWithContext(ctx, method, t.url, nil)
	if err != nil {
		panic(fmt.Sprintf("transport: the endpoint no longer parses: %T", err))
	}
	for k, vs := range t.head {
		req.Header[k] = append([]string(nil), vs...)
	}
	// net/http takes the host from a field of its own.
	if host := t.head.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	if t.cfg.UserAgent != "" {
		req.Header.Set("User-Agent", t.cfg.UserAgent)
	}
	s := t.session.Load()
	if s.id != "" {
		req.Header.Set("Mcp-Session-Id", s.id)
	}
	if s.version != "" {
		req.Header.Set("MCP-Protocol-Version", s.version)
	}
	return req
}

// sentState tells how far a request's body went. It errs on the side of sent:
// a body that was read to its end may have arrived.
type sentState struct{ state atomic.Int32 }

const (
	sendDrained = 1 // the whole body was taken for sending
	sendFailed  = 2 // but could not be written
)

func (s *sentState) whole() bool { return s.state.Load() == sendDrained }

// sentBody is a request's body that notes when all of it was taken. Being asked
// is enough: the client reads on to the end of the body before it flushes.
type sentBody struct {
	*bytes.Reader
	sent *sentState
}

func (b *sentBody) note() {
	if b.Len() == 0 {
		b.sent.state.CompareAndSwap(0, sendDrained)
	}
}

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.note()
	return n, err
}

func (b *sentBody) WriteTo(w io.Writer) (int64, error) {
	n, err := b.Reader.WriteTo(w)
	b.note()
	return n, err
}

func (b *sentBody) Close() error { return nil }

// Delete ends the session at the server, which on most servers ends its tasks
// too. A StatusError with 405 says that the server does not let clients do
// that. ctx should have a deadline.
func (t *Transport) Delete(ctx context.Context) error {
	if err := t.enter(); err != nil {
		return err
	}
	defer t.wg.Done()
	ctx, cancel := t.bound(ctx)
	defer cancel(nil)
	a := &attempt{t: t, method: http.MethodDelete, answer: t.cfg.Timing.Answer, cancel: cancel}
	defer func() {
		if a.guard != nil {
			a.guard.Stop()
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, t.url, nil)
	if err != nil {
		return netError(err)
	}
	resp, err := a.RoundTrip(req)
	switch {
	case ctx.Err() != nil:
		return causeError(ctx)
	case a.refused != nil:
		return a.refused
	case err != nil:
		return netError(err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return redirectError(resp)
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		return a.statusError(resp, mediaType(resp.Header))
	}
	return nil
}

// bound is ctx, ended by Close as well.
func (t *Transport) bound(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(t.life, func() { cancel(ErrClosed) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}
