package form

import (
	"strings"

	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

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

// urlLines shows whose address it is, the whole of it, and what can be done. The
// host goes first: a long address does not push it out of sight.
func (f *Form) urlLines() []string {
	t, a := f.theme, &f.url
	lines := append([]string{""}, f.hostLines()...)
	for _, w := range a.warnings {
		lines = append(lines, f.marked(t.Glyphs.Warning, w, &t.Warning)...)
	}
	if len(lines) > 1 {
		lines = append(lines, "")
	}
	if f.urlRows == nil || f.urlWidth != f.inner() {
		f.urlRows, f.urlWidth = a.rows(f.inner(), t.Link.Paint, t.Host.Paint), f.inner()
	}
	lines = append(lines, f.urlRows...)
	lines = append(lines, "")
	k := &f.keys.URL
	switch {
	case a.refuse != "":
		lines = append(lines, f.marked(t.Glyphs.Failed, "callboard does not open it. "+a.refuse, &t.Error)...)
		if !a.noCopy {
			lines = append(lines, f.own(shown(k.Copy)+" agrees and copies it.")...)
		}
	case f.state.Phase == Waiting:
		lines = append(lines, f.own(shown(k.Done)+" done "+t.Glyphs.Dot+" "+shown(k.Retry)+" open again "+t.Glyphs.Dot+" "+
			shown(k.Copy)+" copy "+t.Glyphs.Dot+" "+
			shown(k.Menu)+" wait no longer")...)
	case f.state.Phase == Asking || f.state.Phase == Failed:
		follows := "The server is told that you agree"
		if f.spec.Visit {
			follows = "The call is sent again once you have been there"
		}
		lines = append(lines, f.own(shown(k.Open)+" agrees and opens it in your browser, "+shown(k.Copy)+
			" agrees and copies it. "+follows+"; callboard itself never goes there.")...)
	}
	return lines
}

// hostLines shows the host both ways, whole.
func (f *Form) hostLines() []string {
	t, a := f.theme, &f.url
	if a.host == "" {
		return nil
	}
	host := "host  " + t.Host.Paint(a.host)
	if a.port != "" {
		host += "  port " + t.Host.Paint(a.port)
	}
	switch {
	case a.ascii != "":
		host += "  in ASCII " + t.Host.Paint(a.ascii)
	case a.unicode != "":
		host += "  reads as " + t.Host.Paint(a.unicode)
	}
	if render.Width(host) <= f.inner() {
		return []string{host}
	}
	var lines []string
	for _, h := range [][2]string{{"host  ", a.host}, {"ASCII ", a.ascii}, {"reads ", a.unicode}} {
		if h[1] == "" {
			continue
		}
		for i, r := range render.Wrap(h[1], max(f.inner()-6, 1)) {
			lines = append(lines, map[bool]string{true: h[0], false: "      "}[i == 0]+t.Host.Paint(r))
		}
	}
	if a.port != "" {
		lines = append(lines, "port  "+t.Host.Paint(a.port))
	}
	return lines
}
