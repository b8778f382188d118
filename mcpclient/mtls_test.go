package mcpclient

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// selfSigned makes a certificate and its key, as files and for a pool.
func selfSigned(t *testing.T, name string) (cert, key string, parsed *x509.Certificate) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	like := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, like, like, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	if parsed, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(kind string, der []byte) string {
		file := filepath.Join(t.TempDir(), "file.pem")
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("CERTIFICATE", der), write("PRIVATE KEY", secret), parsed
}

// TestMutualTLS: a server that wants a certificate gets ours, and without one
// that it accepts the person reads which options give it. In TLS 1.3 the server
// refuses only after the handshake, when the request is on its way; where that
// was faster than the refusal, nothing but a broken connection is left of it.
func TestMutualTLS(t *testing.T) {
	cert, key, known := selfSigned(t, "callboard")
	otherCert, otherKey, _ := selfSigned(t, "somebody else")
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		mcp := mcptest.New()
		srv := httptest.NewUnstartedServer(mcp)
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		pool := x509.NewCertPool()
		pool.AddCert(known)
		srv.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, MinVersion: version, MaxVersion: version}
		srv.StartTLS()
		ca := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		ep, err := NewEndpoint(Config{URL: srv.URL, CAFile: ca, ClientCert: cert, ClientKey: key})
		if err != nil {
			t.Fatal(err)
		}
		s, err := ep.Dial(t.Context(), task.Resume{})
		if err != nil {
			t.Fatalf("%s: %v", tls.VersionName(version), err)
		}
		if err := s.Close(t.Context(), false); err != nil {
			t.Error(err)
		}
		for name, cfg := range map[string]Config{
			"none":    {URL: srv.URL, CAFile: ca},
			"another": {URL: srv.URL, CAFile: ca, ClientCert: otherCert, ClientKey: otherKey},
		} {
			te := dialError(t, cfg)
			if te.Kind != task.TLS && te.Kind != task.Unreachable || !strings.Contains(te.Advice.Line(), "--client-cert") {
				t.Errorf("%s, %s: %v: %v, %v", tls.VersionName(version), name, te.Kind, te, te.Advice)
			}
		}
		srv.Close()
		if err := mcp.Close(); err != nil {
			t.Error(err)
		}
	}
}
