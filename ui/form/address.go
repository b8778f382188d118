package form

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"callboard/model/task"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// address is what can be told of an URL without going there (client/elicitation,
// "URL Mode"; its "Safe URL Handling").
type address struct {
	raw    string
	text   string // cleaned; the same as raw unless refused says otherwise
	refuse string // why it is not opened, "" where it may be
	noCopy bool   // not even copied: a scheme that runs something, or a host that cannot be told

	host     string // as the server wrote it, cleaned
	port     string // "" for the scheme's own
	ascii    string // in punycode, "" where host is ASCII already
	unicode  string // what a punycode host reads as, "" where it is none
	owner    string // whose name it is a part of, "" where host is that name
	from, to int    // of the host within text

	warnings []string
}

// inspect looks at an URL of a server's.
func inspect(raw string) address {
	a := address{raw: raw, text: task.Clean(raw).Line()}
	if a.text != raw || strings.ContainsFunc(raw, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		a.refuse, a.noCopy = "It holds characters that no URL has; they are shown as marks, or left out.", true
		return a
	}
	u, err := url.Parse(raw)
	if err != nil {
		a.refuse, a.noCopy = "It is no URL that can be read.", true
		return a
	}
	a.findHost(u)
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		a.refuse, a.noCopy = "It is no web address.", true
	case a.host == "":
		a.refuse, a.noCopy = "It names no host.", true
	case a.refuse != "":
		a.noCopy = true
	case u.Scheme == "https":
	case loopback(a.host):
		a.warnings = append(a.warnings, "It is not encrypted (http), but it is on this machine.")
	default:
		a.refuse = "It is not encrypted (http): whoever is on the way could read and change what you do there."
	}
	if u.User != nil {
		a.warnings = append(a.warnings, "What stands before the @ is a name to log in with, not where it leads: it leads to "+strings.TrimSuffix(a.host, ".")+".")
	}
	return a
}

// findHost marks the host within the text, reads it both ways, and judges it.
func (a *address) findHost(u *url.URL) {
	rest := strings.Index(a.text, "://")
	if rest < 0 || u.Hostname() == "" {
		return
	}
	a.host, a.port = u.Hostname(), u.Port()
	rest += len("://")
	end := len(a.text)
	if i := strings.IndexAny(a.text[rest:], "/?#"); i >= 0 {
		end = rest + i
	}
	if i := strings.LastIndexByte(a.text[rest:end], '@'); i >= 0 {
		rest += i + 1
	}
	if strings.Contains(a.text[rest:end], "%") {
		a.host = task.CleanLine(a.text[rest:end], 512).Line()
		a.from, a.to, a.refuse = rest, end, "Its host is written with percent signs, which hide where it leads."
		return
	}
	if i := strings.Index(a.text[rest:end], a.host); i >= 0 {
		a.from, a.to = rest+i, rest+i+len(a.host)
	}
	if n, err := strconv.ParseUint(a.port, 10, 16); a.port != "" && (err != nil || n == 0) {
		a.refuse = "Its port is none."
	}
	if strings.ContainsFunc(a.host, func(r rune) bool { return r >= 0x80 }) {
		a.readUnicode()
	} else if strings.Contains(strings.ToLower(a.host), "xn--") {
		if read, err := idna.Punycode.ToUnicode(strings.ToLower(a.host)); err == nil && read != a.host {
			a.unicode = task.CleanLine(read, 256).Line()
			a.warn("A browser may show this host as " + a.unicode + ", which can look like another one." + mixed(read))
		}
	}
	a.judgeName()
}

func (a *address) warn(words string) { a.warnings = append(a.warnings, words) }

// browsers is how a browser reads a host that is not ASCII (UTS 46, not
// transitional): other forms of letters, dots and digits become the plain ones.
var browsers = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false))

// readUnicode finds out what a host with letters beyond ASCII really is.
func (a *address) readUnicode() {
	ascii, err := browsers.ToASCII(a.host)
	if err != nil || ascii == "" {
		a.refuse = "Its host is no name that a browser could look up."
		return
	}
	a.ascii = ascii
	a.warn("The host has letters beyond ASCII, which can look like others. It really is " + strings.TrimSuffix(ascii, ".") + "." + mixed(a.host))
}

// name is the host as a browser looks it up.
func (a *address) name() string {
	if a.ascii != "" {
		return a.ascii
	}
	return strings.ToLower(a.host)
}

// Most characters of a name, and from how many parts on whose name it is a part
// of is told.
const (
	maxHost   = 253
	manyParts = 4
)

// judgeName says what a person could overlook in the name.
func (a *address) judgeName() {
	name := strings.TrimSuffix(a.name(), ".")
	switch ip, plain := v4(name); {
	case a.refuse != "":
		return
	case ip.IsValid() && !plain:
		a.refuse = "Its host is the address " + ip.String() + ", written so that it cannot be seen."
		return
	case ip.IsValid():
		if !ip.IsLoopback() {
			a.warn("The host is a number, not a name: nothing says whose it is.")
		}
		return
	case strings.Contains(name, ":"):
		if !loopback(name) {
			a.warn("The host is a number, not a name: nothing says whose it is.")
		}
		return
	case len(name) > maxHost:
		a.refuse = "Its host has " + strconv.Itoa(len(name)) + " characters; no name has so many."
		return
	}
	if strings.HasSuffix(a.name(), ".") {
		a.warn("The dot at the end of the host is part of it; it leads to " + name + ".")
	}
	parts := strings.Count(name, ".") + 1
	if owner, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil && owner != name && (parts >= manyParts || len(name) > 40) {
		a.owner = owner
		a.warn("Only the end of the host says whose it is: " + owner + ".")
	}
}

// v4 reads a host as browsers read an IPv4 address: of one to four numbers,
// decimal, octal or hexadecimal. plain says that it is written in the way that
// everybody knows.
func v4(host string) (ip netip.Addr, plain bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Is4() {
			return ip, true
		}
		return netip.Addr{}, false
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, p := range parts {
		n, err := number(p)
		room := uint64(1) << 8
		if i == len(parts)-1 {
			room = uint64(1) << (8 * (5 - len(parts)))
		}
		if err != nil || n >= room {
			return netip.Addr{}, false
		}
		if i == len(parts)-1 {
			value |= n
		} else {
			value |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), false
}

// number reads a part of an IPv4 address.
func number(p string) (uint64, error) {
	p = strings.ToLower(p)
	if digits, ok := strings.CutPrefix(p, "0x"); ok {
		if digits == "" {
			return 0, nil
		}
		return strconv.ParseUint(digits, 16, 64)
	}
	if len(p) > 1 && p[0] == '0' {
		return strconv.ParseUint(p[1:], 8, 64)
	}
	return strconv.ParseUint(p, 10, 64)
}

// scripts are those of which letters are taken for each other.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Armenian", unicode.Armenian},
	{"Cherokee", unicode.Cherokee}, {"Hebrew", unicode.Hebrew}, {"Arabic", unicode.Arabic},
}

// mixed says of which scripts one part of a host mixes letters, "" where none
// does.
func mixed(host string) string {
	for part := range strings.SplitSeq(host, ".") {
		var of []string
		for _, s := range scripts {
			if strings.ContainsFunc(part, func(r rune) bool { return unicode.Is(s.table, r) }) {
				of = append(of, s.name)
			}
		}
		if len(of) > 1 {
			return " It mixes letters of " + strings.Join(of, " and ") + " in one word, as names made to deceive do."
		}
	}
	return ""
}

// loopback reports whether a host is this machine. localhost is reserved for
// it (RFC 6761).
func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
