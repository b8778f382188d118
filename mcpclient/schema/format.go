package schema

import (
	"errors"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/net/idna"
)

// errFormat is all that is said of a value that is not of a format: it must
// not be repeated.
var errFormat = errors.New("is not of the format")

// formats are those that are judged here in place of the validator's own,
// which take or refuse too much: the four of the protocol (client/elicitation,
// "Requested Schema") and their kin. Those that JSON Schema does not know, or
// whose dialects differ, let everything through.
func formats() []*jsonschema.Format {
	of := func(name string, good func(string) bool) *jsonschema.Format {
		return &jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, ok := v.(string); ok && !good(s) {
				return errFormat
			}
			return nil
		}}
	}
	anything := func(string) bool { return true }
	return []*jsonschema.Format{
		of("email", isMail), of("idn-email", isMail),
		of("uri", isURI), of("iri", isURI),
		of("date", isDate), of("date-time", isStamp), of("time", isTime),
		of("uuid", isUUID),
		of("semver", anything), of("period", anything),
	}
}

// isMail reports whether s is one address of RFC 5322, or of RFC 6531 with
// letters of the world, without a name around it.
func isMail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 || strings.ContainsAny(s, "\r\n\t") {
		return false
	}
	local, host := s[:at], s[at+1:]
	a, err := mail.ParseAddress(s)
	if err != nil || a.Name != "" {
		return false
	}
	if quoted := local[0] == '"' && local[len(local)-1] == '"'; !quoted && a.Address != s {
		return false // comments, spaces, brackets around it
	}
	if strings.HasPrefix(host, "[") {
		return true // an address literal, read by the parser
	}
	ascii, err := idna.Lookup.ToASCII(host)
	return err == nil && len(ascii) <= 253 && !strings.HasSuffix(host, ".")
}

// isURI reports whether s is a URI of RFC 3986 with its scheme, letters of the
// world let through (RFC 3987). Those of the web need a host.
func isURI(s string) bool {
	if strings.ContainsAny(s, " <>\"{}|\\^`") {
		return false
	}
	u, err := url.Parse(s)
	if err != nil || !u.IsAbs() {
		return false
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss", "ftp":
		return u.Hostname() != ""
	}
	return u.Opaque != "" || u.Host != "" || u.Path != "" || u.RawQuery != "" || u.Fragment != ""
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil && len(s) == len(time.DateOnly)
}

// isStamp reports whether s is a date-time of RFC 3339, section 5.6.
func isStamp(s string) bool {
	return len(s) > 11 && isDate(s[:10]) && (s[10] == 'T' || s[10] == 't') && isTime(s[11:])
}

var clock = regexp.MustCompile(`^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$`)

// isTime reports whether s is a full-time of RFC 3339. A leap second is the
// last one of a day of UTC.
func isTime(s string) bool {
	p := clock.FindStringSubmatch(s)
	if p == nil {
		return false
	}
	if p[3] != "60" {
		return true
	}
	minutes := func(hours, minutes string) int {
		h, _ := strconv.Atoi(hours) // the pattern lets digits through, or nothing
		m, _ := strconv.Atoi(minutes)
		return 60*h + m
	}
	offset := minutes(p[5], p[6])
	if p[4] == "-" {
		offset = -offset
	}
	const day = 24 * 60
	return (minutes(p[1], p[2])-offset+day)%day == day-1
}

var uuid = regexp.MustCompile(`^(?i:(?:urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$`)

func isUUID(s string) bool { return uuid.MatchString(s) }
