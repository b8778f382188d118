package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"unicode"
)

// kindOf sorts an error of net/http.
func kindOf(err error) Kind {
	var (
		dns      *net.DNSError
		netErr   net.Error
		record   tls.RecordHeaderError
		alert    tls.AlertError
		verify   *tls.CertificateVerificationError
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
	)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, ErrClosed), errors.Is(err, errLinger):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, errNoAnswer), errors.Is(err, errIdle):
		return Timeout
	case errors.As(err, &dns):
		if dns.IsTimeout {
			return Timeout
		}
		return DNS
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record), errors.As(err, &alert),
		errors.As(err, &verify), errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid):
		return TLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Unreachable
	case errors.As(err, &netErr) && netErr.Timeout():
		return Timeout
	case errors.Is(err, errUnread), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe),
		errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Broken
	case strings.Contains(err.Error(), "tls: "):
		return TLS // most errors of crypto/tls have no type
	}
	return Other
}

func netError(err error) *NetError {
	return &NetError{Kind: kindOf(err), Err: cleanError(err), Proxy: ofProxy(err)}
}

// refusedCertificate reports whether the server did not take our certificate,
// or wants one. In TLS 1.3 it says so after our half of the handshake, when the
// request may be under way already; it reads none of it.
func refusedCertificate(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" && strings.Contains(op.Err.Error(), "certificate")
}

// proxyRefusal is what a proxy answered to CONNECT.
type proxyRefusal struct{ status string }

func (e *proxyRefusal) Error() string { return "the proxy answered " + e.status }

// ofProxy reports whether it was the proxy that failed, and not the server
// behind it.
func ofProxy(err error) bool {
	var (
		refusal *proxyRefusal
		op      *net.OpError
	)
	return errors.As(err, &refusal) || errors.As(err, &op) && op.Op == "proxyconnect"
}

// causeError is the error for a context that ended. Causes that are not ours
// are left out, so that errors.Is finds what callers look for.
func causeError(ctx context.Context) *NetError {
	cause := context.Cause(ctx)
	ours := slices.ContainsFunc([]error{ErrClosed, errNoAnswer, errIdle, errLinger, errUnread, context.DeadlineExceeded},
		func(e error) bool { return errors.Is(cause, e) })
	if !ours {
		cause = ctx.Err()
	}
	return &NetError{Kind: kindOf(cause), Err: cause}
}

// cleanedError has a text without URL, credentials and control characters; what
// it wraps is for errors.Is and errors.As.
type cleanedError struct {
	text string
	err  error
}

func (e *cleanedError) Error() string { return e.text }
func (e *cleanedError) Unwrap() error { return e.err }

// cleanError takes off the layer that quotes the whole URL.
func cleanError(err error) error {
	for {
		u, ok := err.(*url.Error) //nolint:errorlint // only the outermost layers are taken off
		if !ok {
			break
		}
		err = u.Err
	}
	text := err.Error()
	if strings.Contains(text, "invalid proxy address") {
		// net/http quotes it with its password, and so must not be unwrapped.
		return errors.New("the proxy's address in the environment is not valid")
	}
	// "readfrom tcp A->B: write tcp A->B: write: broken pipe" says no more than
	// its end.
	for op := (*net.OpError)(nil); errors.As(err, &op) && transfers(op.Op); {
		err = op.Err
		text = err.Error()
	}
	var call *os.SyscallError
	if errors.As(err, &call) && transfers(call.Syscall) {
		text = call.Err.Error()
	}
	return &cleanedError{text: cleanText(text), err: err}
}

// transfers reports whether an operation moves bytes on a connection that
// stands.
func transfers(op string) bool {
	return op == "read" || op == "write" || op == "readfrom" || op == "writeto"
}

const maxErrorText = 300

// cleanText makes what may hold a server's words (the names in a certificate,
// say) safe to print, and short.
func cleanText(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	return clip(s, maxErrorText)
}
