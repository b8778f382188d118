package mcpclient

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// errClosed is what Next returns after Close.
var errClosed = &task.Error{Kind: task.Internal, Message: task.Own("the session was closed"), Err: transport.ErrClosed}

// fail makes an error of ours.
func fail(kind task.ErrorKind, format string, args ...any) *task.Error {
	return &task.Error{Kind: kind, Message: task.Own(fmt.Sprintf(format, args...))}
}

// explain puts an error of the transport into words for a person. what is what
// was tried, such as "POST tasks/get".
func (ep *Endpoint) explain(what string, err error) *task.Error {
	var known *task.Error
	if errors.As(err, &known) {
		return known
	}
	e := ep.sort(err)
	e.Tried = task.Own(what + " to " + ep.shown)
	if e.Err == nil {
		e.Err = err
	}
	return e
}

// sort finds the kind of a transport error, and the words for it.
func (ep *Endpoint) sort(err error) *task.Error {
	var (
		status    *transport.StatusError
		redirect  *transport.RedirectError
		content   *transport.ContentError
		malformed *transport.MalformedError
		large     *transport.TooLargeError
		insecure  *transport.InsecureError
		lost      *transport.LostError
		network   *transport.NetError
		rpc       *jsonrpc.Error
	)
	switch {
	case errors.Is(err, transport.ErrClosed):
		return &task.Error{Kind: task.Internal, Message: errClosed.Message}
	case errors.As(err, &lost): // before the end of a context, which may be its cause
		return lostError(lost)
	case errors.Is(err, context.Canceled):
		return fail(task.Internal, "given up")
	case errors.Is(err, context.DeadlineExceeded):
		return fail(task.Timeout, "no answer in time")
	case errors.As(err, &status):
		return ep.statusError(status)
	case errors.As(err, &redirect):
		e := fail(task.HTTP, "the server redirects (HTTP %d), which is not followed: credentials are for one server", redirect.Status)
		e.Status = redirect.Status
		if redirect.Host != "" {
			e.Advice = task.CleanLine("it points to "+redirect.Host+redirect.Path+": attach to that if it is the right server", 512)
		}
		return e
	case errors.As(err, &content):
		return ep.contentError(content)
	case errors.As(err, &malformed):
		e := fail(task.Protocol, "the server sent %d bytes that are no message of MCP", malformed.Size)
		e.Advice = task.Own("look at it in the log (l)")
		return e
	case errors.As(err, &large):
		return fail(task.Limit, "%v, which is more than callboard takes", large)
	case errors.As(err, &insecure):
		return insecureError(insecure)
	case errors.As(err, &network):
		return ep.networkError(network)
	case errors.As(err, &rpc):
		return rpcError(rpc)
	}
	return &task.Error{Kind: task.Internal, Message: task.CleanLine(err.Error(), 512)}
}

func insecureError(e *transport.InsecureError) *task.Error {
	return &task.Error{
		Kind:    task.Unauthorized,
		Message: task.CleanLine("a token would go unencrypted to "+e.Host+"; nothing was sent", 512),
		Advice:  task.Own("use https, or --allow-insecure-token if the network is trusted"),
	}
}

func lostError(e *transport.LostError) *task.Error {
	out := fail(task.Lost, "the request was sent, but no reply came: %s", e.Why)
	if e.Kind == transport.Timeout {
		out.Message = task.Own("the request was sent, but no reply came in time")
	}
	out.Advice = task.Own("what the server made of it is not known")
	return out
}

func (ep *Endpoint) statusError(s *transport.StatusError) *task.Error {
	e := ep.statusKind(s)
	e.Status, e.RetryAfter = s.Status, s.RetryAfter
	return e
}

func (ep *Endpoint) statusKind(s *transport.StatusError) *task.Error {
	said := ""
	if s.RPC != nil {
		said = ": " + task.CleanLine(s.RPC.Message, 300).Line()
	} else if s.Snippet != "" && !strings.Contains(s.ContentType, "html") {
		said = ": " + task.CleanLine(s.Snippet, 200).Line()
	}
	words := func(kind task.ErrorKind, message, advice string) *task.Error {
		return &task.Error{Kind: kind, Message: task.Own(message + said), Advice: task.Own(advice)}
	}
	switch s.Status {
	case http.StatusUnauthorized:
		if ep.authorized() {
			return words(task.Unauthorized, "the server does not accept the token (401)", ep.tokenAdvice())
		}
		return words(task.Unauthorized, "the server wants a token (401)",
			"give one by --token-file FILE, CALLBOARD_TOKEN or --header 'Authorization: ...'")
	case http.StatusForbidden:
		return words(task.Denied, "the server refuses access (403)", "the token may lack a permission, or the server lets only certain hosts in")
	case http.StatusTooManyRequests:
		return words(task.Busy, "the server says that it is asked too often (429)", "")
	case http.StatusServiceUnavailable:
		return words(task.Busy, "the server is not available now (503)", "")
	}
	if s.RPC != nil {
		return rpcError(s.RPC)
	}
	switch s.Status {
	case http.StatusNotFound:
		return words(task.HTTP, "nothing is there (404)", "check the path of the URL: many servers have theirs at /mcp")
	case http.StatusMethodNotAllowed:
		return words(task.HTTP, "no POST is taken there (405)", "check the path of the URL: many servers have theirs at /mcp")
	case http.StatusNotAcceptable:
		return words(task.HTTP, "the server does not offer what an MCP client takes (406)", "this may be another kind of server, or a proxy in between")
	}
	text := http.StatusText(s.Status)
	if text != "" {
		text = " " + text
	}
	return words(task.HTTP, fmt.Sprintf("the server answered HTTP %d%s", s.Status, text), "")
}

func (ep *Endpoint) tokenAdvice() string {
	if ep.cfg.TokenFile != "" {
		return "put a new token into " + ep.cfg.TokenFile + ": it is read again"
	}
	return "start callboard with a new token"
}

func (ep *Endpoint) contentError(c *transport.ContentError) *task.Error {
	e := &task.Error{Kind: task.NotMCP, Status: c.Status}
	if c.ContentType == "text/html" {
		e.Message = task.Own(fmt.Sprintf("the server answered with a web page (HTML, HTTP %d), not with MCP", c.Status))
		e.Advice = task.Own("check the URL, its path first; a login page or a proxy can stand in between too")
		return e
	}
	e.Message = task.CleanLine(c.Error(), 300)
	e.Advice = task.Own("check the URL, its path first")
	return e
}

func (ep *Endpoint) networkError(n *transport.NetError) *task.Error {
	cause := ""
	if n.Err != nil {
		cause = ": " + task.CleanLine(n.Err.Error(), 300).Line()
	}
	words := func(kind task.ErrorKind, message, advice string) *task.Error {
		return &task.Error{Kind: kind, Message: task.Own(message), Advice: task.Own(advice)}
	}
	if n.Proxy {
		return words(task.Unreachable, "the proxy does not let us through"+cause,
			"the environment names it: HTTP_PROXY, HTTPS_PROXY; NO_PROXY lists hosts to reach without it")
	}
	switch n.Kind {
	case transport.Refused:
		return words(task.Unreachable, "nobody listens there (connection refused)", "is the server running, and is the port right?")
	case transport.Unreachable:
		return words(task.Unreachable, "there is no way to that host"+cause, "check the network, or the VPN")
	case transport.DNS:
		return words(task.Unreachable, "the name of the host is not known"+cause, "check the spelling, the network, or the VPN")
	case transport.TLS:
		return words(task.TLS, "no secure connection"+cause, tlsAdvice(n.Err))
	case transport.Timeout:
		return words(task.Timeout, "no answer in time", "the server, or something in between, is silent")
	case transport.Broken:
		return words(task.Unreachable, "the connection broke"+cause, ep.brokenAdvice())
	case transport.Canceled:
		return words(task.Internal, "given up", "")
	case transport.Other:
	}
	return words(task.Unreachable, "the network failed"+cause, "")
}

// brokenAdvice is for a server that hangs up without a word.
func (ep *Endpoint) brokenAdvice() string {
	if ep.url.Scheme == "http" {
		return "check that an MCP server listens there, and the URL: should it begin with https://?"
	}
	return "check that an MCP server listens there; one that does not accept our certificate (--client-cert) may hang up like this too"
}

func tlsAdvice(err error) string {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch {
	case errors.As(err, &host):
		return "the certificate is for another name: check the host in the URL"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate has expired, or a clock is wrong"
	case errors.As(err, &authority) || strings.Contains(text, "unknown authority"):
		return "give the certificate of its authority by --ca-file FILE"
	case strings.Contains(text, "HTTP response to HTTPS client"), strings.Contains(text, "first record does not look like"):
		return "the server speaks plain http: use a URL with http://"
	case strings.Contains(text, "remote error: tls: ") && strings.Contains(text, "certificate"):
		// What is wrong with the server's own is found on this side.
		return "the server wants a certificate of yours that it accepts: --client-cert and --client-key"
	case strings.Contains(text, "remote error: tls: "):
		return "the server broke the handshake off: it may want a certificate of yours (--client-cert, --client-key), or another version of TLS"
	}
	return "--ca-file names the authority to trust"
}

// timedOut is the error of a request that we gave up.
func timedOut(after time.Duration) *task.Error {
	return &task.Error{
		Kind:    task.Timeout,
		Message: task.Own(fmt.Sprintf("no answer within %s", after)),
		Advice:  task.Own("the server may be busy, or hang"),
		Err:     context.DeadlineExceeded,
	}
}

// sessionLost reports whether an error says that the server no longer knows our
// session. It comes in more forms than the 404 of the specification. said is
// whether words alone count: not for the outcome of a tool, which may speak of
// sessions of its own.
func sessionLost(err error, said bool) bool {
	var status *transport.StatusError
	if errors.As(err, &status) {
		switch status.Status {
		case http.StatusNotFound:
			return status.RPC == nil || !ownCode(status.RPC.Code) || lostWords(status.RPC.Message)
		case http.StatusBadRequest:
			if status.RPC != nil {
				return lostWords(status.RPC.Message)
			}
			return lostWords(status.Snippet)
		}
		return false
	}
	var rpc *jsonrpc.Error
	return said && errors.As(err, &rpc) && lostWords(rpc.Message)
}

// ownCode reports whether a JSON-RPC code speaks of the request itself and not
// of what carries it.
func ownCode(code int) bool {
	return code >= jsonrpc.CodeInternal && code <= jsonrpc.CodeInvalidRequest
}

// lostWords reports whether a server's words say that it has no such session.
func lostWords(s string) bool {
	if len(s) > 1000 {
		s = s[:1000]
	}
	s = strings.ToLower(s)
	if strings.Contains(s, "not initialized") || strings.Contains(s, "not initialised") {
		return true
	}
	if !strings.Contains(s, "session") || strings.Contains(s, "task") {
		return false
	}
	for _, w := range []string{
		"not found", "no valid session", "invalid session", "session id is required", "session expired", "unknown session",
		"expired session", "does not exist", "session is invalid", "session terminated", "session has", "missing session",
		"missing mcp-session-id", "session-id header is required", "no session", "session closed", "session id required",
	} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
