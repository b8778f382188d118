package mcptest

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

var errDown = errors.New("mcptest: connection refused: the server does not listen")

// MemoryURL is the address of a server that is reached through [Server.Transport]; nothing listens there.
const MemoryURL = "http://127.0.0.1/mcp"

// quiet swallows what net/http says of connections that break: here that is what they are for.
var quiet = log.New(io.Discard, "", 0)

// Start serves on a free loopback port and gives the URL.
func (s *Server) Start() (string, error) { return s.StartOn("127.0.0.1:0") }

// StartOn serves on a TCP address, for example that of a server that was closed before, and gives the URL.
func (s *Server) StartOn(addr string) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(s.ctx, "tcp", addr)
	if err != nil {
		return "", err
	}
	s.serving.Lock()
	defer s.serving.Unlock()
	s.hosts = append(s.hosts, s.host(l))
	s.down, s.addr = false, l.Addr().String()
	s.url = "http://" + l.Addr().String() + "/mcp"
	return s.url, nil
}

// URL is where the server listens, or [MemoryURL] before [Server.Start].
func (s *Server) URL() string {
	s.serving.Lock()
	defer s.serving.Unlock()
	if s.url == "" {
		return MemoryURL
	}
	return s.url
}

// DialContext gives one end of a net.Pipe whose other end the server serves. Network and address do not matter.
func (s *Server) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	s.serving.Lock()
	if s.down || s.ctx.Err() != nil { // net/http may dial for a request that was given up
		s.serving.Unlock()
		return nil, errDown
	}
	if s.memory == nil {
		s.memory = &memoryListener{conns: make(chan net.Conn), done: make(chan struct{})}
		s.hosts = append(s.hosts, s.host(s.memory))
	}
	l := s.memory
	s.serving.Unlock()
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
	case <-s.ctx.Done():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, errors.New("mcptest: the server is closed")
}

// Transport is an http.Transport that reaches the server in memory, for use with [MemoryURL]. The caller closes its
// idle connections.
func (s *Server) Transport() *http.Transport {
	return &http.Transport{DialContext: s.DialContext, DisableCompression: true}
}

// memoryListener is a net.Listener over net.Pipe.
type memoryListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// Accept waits for the next [Server.DialContext].
func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr is a name only.
func (l *memoryListener) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory" }
