package transport

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
)

const (
	maxErrorBody  = 1 << 20          // bytes of an error's body that are looked into
	errorPatience = 10 * time.Second // for an error's body to come
	maxSnippet    = 512
	maxChallenge  = 2 << 10
	maxRetry      = 5 * time.Minute // longest wait that retry: can ask for
	maxRetryAfter = 24 * time.Hour
)

func mediaType(h http.Header) string {
	// What cannot be parsed may still begin with the type.
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil && kind == "" {
		kind, _, _ = strings.Cut(h.Get("Content-Type"), ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	if strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json") {
		return "application/json"
	}
	return kind
}

func readHead(resp *http.Response, sent time.Time, stream bool) Head {
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		date = time.Time{}
	}
	return Head{
		Status:    resp.StatusCode,
		SessionID: resp.Header.Get("Mcp-Session-Id"),
		Date:      date,
		Sent:      sent,
		Received:  time.Now(),
		Stream:    stream,
	}
}

// retryAfter is the header Retry-After as a wait from now. A date is measured
// by the server's own clock where it gives one.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseUint(v, 10, 31); err == nil {
		return min(time.Duration(s)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

func redirectError(resp *http.Response) error {
	e := &RedirectError{Status: resp.StatusCode}
	u, err := resp.Location()
	if err != nil || u.Host == "" {
		return e
	}
	e.Host = cleanText(u.Scheme + "://" + u.Host)
	if resp.Request != nil && resp.Request.URL.Hostname() == u.Hostname() {
		e.Path = cleanText(u.EscapedPath())
	}
	return e
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// statusError reads what an unsuccessful response says.
func (a *attempt) statusError(resp *http.Response, kind string) error {
	e := &StatusError{
		Status:      resp.StatusCode,
		ContentType: clip(kind, 100),
		RetryAfter:  retryAfter(resp.Header),
		Challenge:   clip(resp.Header.Get("WWW-Authenticate"), maxChallenge),
	}
	if kind == "text/event-stream" {
		return e // it need not end, and a refusal is no stream of ours
	}
	a.watch(errorPatience, errNoAnswer)
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what came of it is enough
	a.guard.Stop()
	text = []byte(a.maskAll(string(bytes.TrimSpace(text))))
	if len(text) == 0 {
		return e
	}
	a.t.frame(Frame{Stream: a.method, Exchange: a.number, Resumed: a.resumed, Status: e.Status}, text)
	if m, err := jsonrpc.Decode(text); err == nil && m.Error != nil {
		e.ID, e.RPC = m.ID, m.Error
		return e
	}
	e.Snippet = clip(string(text), maxSnippet)
	return e
}

func (a *attempt) contentError(resp *http.Response, kind, snippet string, err error) error {
	return &ContentError{Status: resp.StatusCode, ContentType: clip(kind, 100), Snippet: snippet, Err: err}
}

// snippet reads the beginning of a body.
func (a *attempt) snippet(resp *http.Response) string {
	a.watch(errorPatience, errNoAnswer)
	defer a.guard.Stop()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what came of it is enough
	if len(text) > 0 {
		a.t.frame(Frame{Stream: a.method, Exchange: a.number, Resumed: a.resumed, Status: resp.StatusCode}, []byte(a.maskAll(string(text))))
	}
	return a.mask(text)
}

// mask is the beginning of text without our secrets: some servers repeat in an
// error what they were sent.
func (a *attempt) mask(text []byte) string {
	// Masked before it is clipped, or half of a secret could remain.
	return clip(a.maskAll(clip(string(text), 8*maxSnippet)), maxSnippet)
}

const (
	masked = "[masked]"
	// minSecret keeps a header such as `X-Debug: 1` from masking every 1.
	minSecret = 6
)

func (a *attempt) maskAll(text string) string {
	for _, s := range a.secrets {
		if len(s) >= minSecret {
			text = strings.ReplaceAll(text, s, masked)
		}
		// The token alone, without its scheme.
		if _, token, ok := strings.Cut(s, " "); ok && len(token) >= minSecret {
			text = strings.ReplaceAll(text, token, masked)
		}
	}
	return text
}
