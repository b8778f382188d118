package form

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/net/idna"
)

// address is what can be told of an URL without going there (client/elicitation,
// "URL Mode"; its "Safe URL Handling").
type address struct {
	raw    string
	text   string // cleaned; the same as raw unless refused says otherwise
	refuse string // why it is not opened, "" where it may be
	noCopy bool   // not even copied: a scheme that runs something

	host     string // as the server wrote it, cleaned
	ascii    string // in punycode, "" where host is ASCII already
	unicode  string // what a punycode host reads as, "" where it is none
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
		a.refuse = "It is no web address."
	case a.host == "":
		a.refuse = "It names no host."
	case u.Scheme == "https":
	case loopback(u.Hostname()):
		a.warnings = append(a.warnings, "It is not encrypted (http), but it is on this machine.")
	default:
		a.refuse = "It is not encrypted (http): whoever is on the way could read and change what you do there."
	}
	a.noCopy = u.Scheme != "https" && u.Scheme != "http" || a.host == ""
	if u.User != nil {
		a.warnings = append(a.warnings, "What stands before the @ is a name to log in with, not where it leads: it leads to "+a.host+".")
	}
	return a
}

// findHost marks the host within the text and reads it both ways.
func (a *address) findHost(u *url.URL) {
	a.host = u.Hostname()
	rest := strings.Index(a.text, "://")
	if rest < 0 || a.host == "" {
		return
	}
	rest += len("://")
	end := len(a.text)
	if i := strings.IndexAny(a.text[rest:], "/?#"); i >= 0 {
		end = rest + i
	}
	if i := strings.LastIndexByte(a.text[rest:end], '@'); i >= 0 {
		rest += i + 1
	}
	if i := strings.Index(a.text[rest:end], a.host); i >= 0 {
		a.from, a.to = rest+i, rest+i+len(a.host)
	}
	if strings.ContainsFunc(a.host, func(r rune) bool { return r >= 0x80 }) {
		ascii, err := idna.Punycode.ToASCII(strings.ToLower(a.host))
		if err != nil || ascii == "" {
			ascii = "a name that cannot be written in ASCII"
		}
		a.ascii = ascii
		a.warnings = append(a.warnings, "The host has letters beyond ASCII, which can look like others. It really is "+ascii+".")
		return
	}
	if strings.Contains(strings.ToLower(a.host), "xn--") {
		if read, err := idna.Punycode.ToUnicode(strings.ToLower(a.host)); err == nil && read != a.host {
			a.unicode = task.CleanLine(read, 256).Line()
			a.warnings = append(a.warnings, "A browser may show this host as "+a.unicode+", which can look like another one.")
		}
	}
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

// urlKey takes the keys of a question to visit an address.
func (f *Form) urlKey(k tea.KeyMsg) Event {
	keys := &f.keys.URL
	waiting := f.state.Phase == Waiting
	switch {
	case key.Matches(k, keys.Up):
		f.scroll--
	case key.Matches(k, keys.Down):
		f.scroll++
	case key.Matches(k, keys.Open) && !waiting:
		return f.consent(OpenURL)
	case key.Matches(k, keys.Open), key.Matches(k, keys.Retry) && waiting:
		if f.url.refuse != "" {
			f.say("Not opened. " + f.url.refuse)
			return Event{}
		}
		return Event{Kind: Reopen, Text: f.url.raw}
	case key.Matches(k, keys.Copy) && !waiting:
		return f.consent(CopyURL)
	case key.Matches(k, keys.Copy):
		if f.url.noCopy {
			f.say(f.url.refuse)
			return Event{}
		}
		return Event{Kind: CopyText, Text: f.url.raw}
	case key.Matches(k, keys.Done) && waiting:
		return Event{Kind: Done}
	case key.Matches(k, keys.Done), key.Matches(k, keys.Retry):
		f.say("You have not agreed yet: " + shown(keys.Open) + " opens it, " + shown(keys.Copy) + " copies it.")
	default:
		f.say(shown(keys.Open) + " agrees and opens the page, " + shown(keys.Copy) + " agrees and copies the URL, " +
			shown(keys.Menu) + " has more.")
	}
	return Event{}
}

// urlRefusal says why the URL is neither opened nor copied by kind, "" where
// it is.
func (f *Form) urlRefusal(kind EventKind) string {
	switch {
	case f.state.Phase == Waiting:
		return "You agreed already: " + shown(f.keys.URL.Retry) + " opens it again."
	case f.locked():
		why := f.message
		f.message = ""
		return why
	case f.url.refuse == "" || kind == CopyURL && !f.url.noCopy:
		return ""
	case kind == CopyURL:
		return "Not copied. " + f.url.refuse
	}
	return "Not opened. " + f.url.refuse
}

// consent agrees to the URL, which the server is told, and opens or copies it.
func (f *Form) consent(kind EventKind) Event {
	if why := f.urlRefusal(kind); why != "" {
		f.say(why)
		return Event{}
	}
	return Event{Kind: kind, Text: f.url.raw}
}

// rows returns the URL, wrapped and whole, with its host marked.
func (a *address) rows(width int, link, host func(string) string) []string {
	var rows []string
	var row, run strings.Builder
	used := 0
	in := func(i int) bool { return i >= a.from && i < a.to }
	flush := func(hosted bool) {
		if hosted {
			row.WriteString(host(run.String()))
		} else {
			row.WriteString(link(run.String()))
		}
		run.Reset()
	}
	at, hosted := 0, false
	for _, c := range cellsOf(a.text) {
		if now := in(at); now != hosted {
			flush(hosted)
			hosted = now
		}
		bytes := len(c.text)
		if c.width > width {
			c.text, c.width = "?", 1
		}
		if used+c.width > width {
			flush(hosted)
			rows = append(rows, row.String())
			row.Reset()
			used = 0
		}
		run.WriteString(c.text)
		used += c.width
		at += bytes
	}
	flush(hosted)
	return append(rows, row.String())
}
