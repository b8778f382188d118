package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"
)

// judgeProxy keeps a proxy's refusal apart from the answers of servers.
func judgeProxy(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return &proxyRefusal{status: cleanText(resp.Status)}
	}
	return nil
}

// NewRoundTripper returns what a Transport speaks HTTP with by default:
// proxies by the environment, bounded dials and handshakes, no bound on how
// long a response may take, which is for each call to say. tlsConfig may be
// nil.
func NewRoundTripper(tlsConfig *tls.Config) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: judgeProxy,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        tlsConfig,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    16,
		// Node and others close a connection that was idle for 5 s. A message that
		// arrives just then is lost, and nobody knows whether it had an effect, so
		// connections are given up before their servers do.
		IdleConnTimeout:        4 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         32 << 10, // with the 4 KiB of net/http a long list takes hundreds of reads
		// All streams of a server share one connection in HTTP/2; pings find
		// out that it died, for no stream would notice.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}
