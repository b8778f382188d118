package mcpclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// Config says which server an Endpoint speaks to, and how. Only URL is needed.
type Config struct {
	// URL is the server's, http or https. A name and password in it become an
	// Authorization header.
	URL string

	// Header is added to every request.
	Header http.Header

	// Token is sent as "Authorization: Bearer". TokenFile names a file that
	// holds one, and that is read again when the server refuses it; it wins.
	Token     task.Secret
	TokenFile string

	// AllowInsecureToken lets a token travel over plain http to other than
	// loopback hosts.
	AllowInsecureToken bool

	// CAFile names a PEM file of authorities to trust beside those of the
	// system. ClientCert and ClientKey name the PEM files of a certificate of
	// ours. InsecureSkipVerify believes any certificate.
	CAFile, ClientCert, ClientKey string
	InsecureSkipVerify            bool

	// Protocol is the generation to speak; AnyEra has it found out.
	Protocol task.Era

	// ReadOnly keeps sessions from sending what changes anything: no capability
	// is declared, nothing attended, answered, cancelled or started.
	ReadOnly bool

	// Sampling declares that a person is there to answer sampling/createMessage
	// (client/sampling). It is not declared where ReadOnly is set.
	Sampling bool

	// OnDemand leaves what was not asked for to others: the GET stream of a session
	// that another program began is opened only for a task that is attended, or a
	// call that is started.
	OnDemand bool

	// ClientVersion is the version that the server is told.
	ClientVersion string

	// LogFile, if set, gets every frame as a line of JSON, secrets masked, each
	// by one Write. It is written to by one goroutine at a time and endpoint.
	LogFile io.Writer

	// RoundTripper, if set, carries the requests in place of a transport of our
	// own (in tests: over net.Pipe). The options for TLS are then its business.
	RoundTripper http.RoundTripper
}

// Endpoint is one server that the person attached to. It outlives its
// sessions and keeps their log.
type Endpoint struct {
	cfg   Config
	url   *url.URL
	shown string // the URL as it may be shown
	tls   *tls.Config
	log   *ring
	token tokenSource
	found finding
}

// NewEndpoint checks cfg and reads the files it names. Nothing is sent. Its
// error is a *task.Error without secrets.
func NewEndpoint(cfg Config) (*Endpoint, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The text of url.Error holds the URL, and so perhaps a password.
		return nil, fail(task.Internal, "the URL must have the form https://host/path")
	}
	ep := &Endpoint{cfg: cfg, url: u, log: newRing(cfg.LogFile)}
	ep.shown = task.CleanLine(u.Scheme+"://"+u.Host+u.EscapedPath(), 512).Line()
	ep.token = tokenSource{file: cfg.TokenFile, static: string(cfg.Token), learnt: ep.log.hide}
	ep.log.head.url, ep.log.head.query = u.Scheme+"://"+u.Host+u.EscapedPath(), u.RawQuery != ""
	ep.log.head.configured = canonical(cfg.Header)
	ep.hideSecrets()
	if ep.token.file != "" {
		if _, err := ep.token.read(); err != nil {
			return nil, err
		}
	}
	if ep.tls, err = cfg.tls(); err != nil {
		return nil, err
	}
	// A transport checks headers, and that no token goes in the clear.
	t, err := transport.New(ep.transport(nil))
	if err != nil {
		return nil, ep.sort(err)
	}
	t.Close()
	return ep, nil
}

// hideSecrets keeps what cfg says of credentials out of the log.
func (ep *Endpoint) hideSecrets() {
	ep.log.hide(string(ep.cfg.Token))
	if p, ok := ep.url.User.Password(); ok {
		ep.log.hide(p)
	}
	for _, vs := range ep.cfg.Header {
		for _, v := range vs {
			ep.log.hide(v)
			if _, token, ok := strings.Cut(v, " "); ok {
				ep.log.hide(token) // without its scheme
			}
		}
	}
}

// transport is the configuration of one session's transport.
func (ep *Endpoint) transport(fault func(error)) transport.Config {
	c := transport.Config{
		Endpoint:      ep.url,
		RoundTripper:  ep.cfg.RoundTripper,
		Header:        ep.cfg.Header,
		AllowInsecure: ep.cfg.AllowInsecureToken,
		UserAgent:     strings.TrimSuffix("callboard/"+ep.cfg.ClientVersion, "/"),
		Limits:        transport.Limits{Frame: frameBytes},
		Frame:         ep.log.wire,
		Fault:         fault,
	}
	if c.RoundTripper == nil {
		c.RoundTripper = transport.NewRoundTripper(ep.tls.Clone())
	}
	if ep.token.set() {
		c.Authorize = ep.token.authorize
	}
	return c
}

// authorized reports whether requests carry credentials that we know of.
func (ep *Endpoint) authorized() bool {
	return ep.token.set() || ep.cfg.Header.Get("Authorization") != "" || ep.url.User != nil
}

// Dial begins a session, or rejoins the one that resume names, of the generation
// that Config.Protocol or resume.Era says, else of the one that the server turns
// out to speak (Versioning, "Backward Compatibility"). It returns when the server
// has answered; errors are *task.Error. ctx bounds the dialling, not the session.
func (ep *Endpoint) Dial(ctx context.Context, resume task.Resume) (*Session, error) {
	s, err := ep.find(ctx, resume)
	if err != nil {
		e := ep.explain("connecting", err)
		ep.Note("no session: " + e.Error())
		return nil, e
	}
	return s, nil
}

// Frames returns the newest lines of the log whose Seq is above after, at most
// limit of them, oldest first. It is cheap.
func (ep *Endpoint) Frames(after uint64, limit int) []task.Frame { return ep.log.since(after, limit) }

// FramesBefore returns the newest lines of the log whose Seq is below before,
// oldest first: limit of them, fewer where they are long. It is cheap.
func (ep *Endpoint) FramesBefore(before uint64, limit int) []task.Frame {
	return ep.log.before(before, limit)
}

// Note adds a line about the link to the log.
func (ep *Endpoint) Note(line string) { ep.log.note(line) }

// Flush waits until the log file has all that was logged, or ctx ends.
func (ep *Endpoint) Flush(ctx context.Context) error { return ep.log.flush(ctx) }

// tls makes the TLS configuration that cfg asks for.
func (cfg *Config) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: cfg.InsecureSkipVerify} //nolint:gosec // the person asked for it by --insecure-skip-verify
	if cfg.CAFile != "" {
		pem, err := os.ReadFile(cfg.CAFile)
		if err != nil {
			return nil, fileError("the file of authorities", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fail(task.TLS, "%s holds no certificate in PEM form", cfg.CAFile)
		}
		c.RootCAs = pool
	}
	if (cfg.ClientCert == "") != (cfg.ClientKey == "") {
		return nil, fail(task.TLS, "a client certificate needs both files, the certificate and its key")
	}
	if cfg.ClientCert != "" {
		pair, err := tls.LoadX509KeyPair(cfg.ClientCert, cfg.ClientKey)
		if err != nil {
			return nil, fileError("the client certificate", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func fileError(what string, err error) *task.Error {
	e := fail(task.Internal, "%s", fmt.Sprintf("%s cannot be read: %s", what, task.CleanLine(err.Error(), 300)))
	e.Err = err
	return e
}

// tokenSource gives the value of the Authorization header.
type tokenSource struct {
	file, static string
	learnt       func(token string) // told of each token that was read

	mu  sync.Mutex
	now string // the token that was read last
}

const maxToken = 64 << 10

func (t *tokenSource) set() bool { return t.file != "" || t.static != "" }

// authorize is transport.Config.Authorize: the file is read again when what it
// held was refused.
func (t *tokenSource) authorize(_ context.Context, refused string) (string, error) {
	if t.file == "" {
		return "Bearer " + t.static, nil
	}
	t.mu.Lock()
	now := t.now
	t.mu.Unlock()
	if now != "" && refused != "Bearer "+now {
		return "Bearer " + now, nil
	}
	token, err := t.read()
	if err != nil {
		return "", err
	}
	return "Bearer " + token, nil
}

// latest returns the token that was read last, "" where they are not read.
func (t *tokenSource) latest() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

func (t *tokenSource) read() (string, error) {
	f, err := os.Open(t.file)
	if err != nil {
		return "", fileError("the token file", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", fileError("the token file", err)
	}
	token := strings.TrimSpace(string(b))
	if len(b) > maxToken || token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fileError("the token file", errors.New("it must hold one token and nothing else"))
	}
	t.learnt(token)
	t.mu.Lock()
	t.now = token
	t.mu.Unlock()
	return token, nil
}
