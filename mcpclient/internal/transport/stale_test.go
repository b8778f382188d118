package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"syscall"
	"testing"
)

// staleConns is a pool whose first connections were closed by the server: what
// is written to them breaks after some bytes, or after all of them.
type staleConns struct {
	stale  int  // how many
	whole  bool // the body still went out
	reused bool // whether they were used before
	bodies []string
}

func (s *staleConns) RoundTrip(req *http.Request) (*http.Response, error) {
	trace := httptrace.ContextClientTrace(req.Context())
	trace.GotConn(httptrace.GotConnInfo{Reused: s.reused && len(s.bodies) < s.stale})
	if len(s.bodies) < s.stale {
		var part []byte
		if s.whole {
			part, _ = io.ReadAll(req.Body)
		} else {
			part = make([]byte, 3)
			_, _ = io.ReadFull(req.Body, part)
		}
		s.bodies = append(s.bodies, string(part))
		return nil, syscall.EPIPE
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	s.bodies = append(s.bodies, string(body))
	return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody, Header: http.Header{}, Request: req}, nil
}

func TestStaleConnections(t *testing.T) {
	const message = `{"jsonrpc":"2.0","id":0,"result":{}}`
	for name, c := range map[string]struct {
		pool  staleConns
		tries string // the bodies, by commas
		lost  bool
		fails bool
	}{
		"two in a row":         {pool: staleConns{stale: 2, reused: true}, tries: `{"j {"j ` + message},
		"what was sent whole":  {pool: staleConns{stale: 1, reused: true, whole: true}, tries: message, lost: true, fails: true},
		"a new one that broke": {pool: staleConns{stale: 1}, tries: `{"j`, fails: true},
		"none":                 {pool: staleConns{reused: true}, tries: message},
	} {
		t.Run(name, func(t *testing.T) {
			tr := to(t, "http://127.0.0.1:1/mcp", func(cfg *Config) { cfg.RoundTripper = &c.pool })
			err := tr.Post(context.Background(), Call{Body: []byte(message), OneWay: true})
			var lost *LostError
			if (err != nil) != c.fails || errors.As(err, &lost) != c.lost {
				t.Errorf("error %v", err)
			}
			if got := strings.Join(c.pool.bodies, " "); got != c.tries {
				t.Errorf("sent %s\nwant %s", got, c.tries)
			}
		})
	}
}

func TestBrokenConnectionsInWords(t *testing.T) {
	pipe := &net.OpError{Op: "readfrom", Net: "tcp", Err: &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}}
	for _, c := range []struct {
		err  error
		want string
	}{
		{pipe, "broken pipe"},
		{fmt.Errorf("net/http: transport connection broken: %w", pipe), "broken pipe"},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "connection reset by peer"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, "dial tcp: connect: connection refused"},
	} {
		if got := cleanError(c.err); got.Error() != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
	if !errors.Is(cleanError(pipe), syscall.EPIPE) {
		t.Error("the cause is lost")
	}
}
