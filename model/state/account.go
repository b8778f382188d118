package state

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"callboard/model/task"
)

// Credentials are what a server knows an account by. Two sets of them are the
// same account where all of these are equal:
//
//   - the token (Token, TokenFile, or an Authorization: Bearer): of a JWT its
//     issuer and subject, so that a refreshed token is the same account; else
//     the path of TokenFile, whose content is rotated; else the token itself;
//   - the other headers that name a person or hold a secret: Authorization,
//     Cookie, and those with words such as key, token, auth or tenant in their
//     names;
//   - user and password, and the query, of the URL;
//   - the path of the client's certificate.
//
// An unknown task is thus never asked for with the credentials of somebody else,
// at the price that a new password or an opaque token makes a new account.
type Credentials struct {
	Header     map[string][]string
	Token      task.Secret
	TokenFile  string
	ClientCert string
}

// maxToken is how much of a token's file is read; a JWT is mostly below 4 KiB.
const maxToken = 64 << 10

// account returns one string for all that tells accounts apart. It is a secret.
func (c Credentials) account(u *url.URL) string {
	var parts []string
	add := func(kind string, values ...string) {
		for _, v := range append([]string{kind}, values...) {
			parts = append(parts, strconv.Itoa(len(v)), v) // lengths: no two sets run together alike
		}
	}
	switch {
	case c.TokenFile != "":
		add("token", bearer(readToken(c.TokenFile), "file", absolute(c.TokenFile)))
	case c.Token != "":
		add("token", bearer(string(c.Token), "token", string(c.Token)))
	}
	for _, name := range headerNames(c.Header) {
		for _, value := range c.Header[name] {
			scheme, token, _ := strings.Cut(strings.TrimSpace(value), " ")
			if strings.EqualFold(name, "Authorization") && strings.EqualFold(scheme, "Bearer") {
				token = strings.TrimSpace(token)
				add("token", bearer(token, "token", token))
				continue
			}
			add("header", strings.ToLower(name), value)
		}
	}
	if u != nil && u.User != nil {
		password, _ := u.User.Password()
		add("user", u.User.Username(), password)
	}
	if u != nil && u.RawQuery != "" {
		add("query", u.RawQuery)
	}
	if c.ClientCert != "" {
		add("certificate", absolute(c.ClientCert))
	}
	return strings.Join(parts, ":")
}

// headerNames returns the names of the headers that tell accounts apart, sorted.
func headerNames(h map[string][]string) []string {
	var names []string
	for name := range h {
		lower := strings.ToLower(name)
		if lower != "user-agent" && slices.ContainsFunc(telling, func(word string) bool { return strings.Contains(lower, word) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var telling = []string{
	"auth", "cookie", "key", "token", "secret", "password", "credential", "account", "user", "tenant", "org", "workspace", "project",
}

// bearer returns who a token stands for: the issuer and subject that a JWT
// claims (RFC 7519, section 4.1; who it is matters here, not whether it is
// true), or what is given for any other token.
func bearer(token, kind, other string) string {
	var claims struct{ Iss, Sub string }
	if parts := strings.Split(strings.TrimSpace(token), "."); len(parts) == 3 {
		payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
		if err == nil && json.Unmarshal(payload, &claims) == nil && claims.Iss != "" && claims.Sub != "" {
			return "jwt:" + strconv.Itoa(len(claims.Iss)) + ":" + claims.Iss + ":" + claims.Sub
		}
	}
	return kind + ":" + other
}

// readToken returns what the file holds, "" where that cannot be known without
// harm: what is read from a pipe is gone for the one who sends it.
func readToken(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxToken {
		return ""
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "" // told by the one who sends it
	}
	return string(content)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// normalised returns the address as it tells servers apart, without what tells
// accounts apart: scheme and host in lower case, no default port, no user, no
// query, no fragment.
func normalised(address string) (string, *url.URL) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", nil // nothing can be kept apart; it may hold a secret
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	scheme := strings.ToLower(u.Scheme)
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && (scheme != "http" || port != "80") && (scheme != "https" || port != "443") {
		host += ":" + port
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return scheme + "://" + host + path, u
}
