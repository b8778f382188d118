package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// serversPane lists the links, and of those that are unfolded how each is, why,
// and what was tried. The cursor stands on a server, not on a line.
type serversPane struct {
	at     string // the server under the cursor, "" before the first view
	index  int    // its place, for when it goes
	follow bool   // the cursor moved: it is to be brought into sight
	folds  map[string]bool
	text   scroll
	first  []int // the first line of each server in the last view
}

// saysMost is how many lines of a server's instructions are shown where they
// would hide the other servers.
const saysMost = 4

func (p *serversPane) title(s *scene) string { return fmt.Sprintf("Servers %d", len(s.links)) }
func (p *serversPane) note(*scene) string    { return p.text.note() }

// settle keeps the cursor on a server.
func (p *serversPane) settle(links []model.LinkView) {
	if i := slices.IndexFunc(links, func(l model.LinkView) bool { return l.Name == p.at }); i >= 0 {
		p.index = i
		return
	}
	p.index = max(min(p.index, len(links)-1), 0)
	if p.at = ""; len(links) > 0 {
		p.at = links[p.index].Name
	}
}

// unfolded reports whether the details of a server are shown: of the only one,
// until they are folded, and of others once they are asked for.
func (p *serversPane) unfolded(name string, many bool) bool {
	if open, ok := p.folds[name]; ok {
		return open
	}
	return !many
}

func (p *serversPane) view(s *scene, w, h int, focused bool) []string {
	links := s.m.Links()
	p.settle(links)
	if len(links) == 0 {
		return s.centred([]string{"No server is attached to.", s.k.Servers.Connect.Help().Key + " attaches to one."}, w, h)
	}
	cols := serverColumns(links, w)
	head := s.t.Header.Paint(s.cut("  "+headOf(s, cols), w))
	page := &page{s: s, w: w - 2}
	p.first = p.first[:0]
	for i := range links {
		l := &links[i]
		p.first = append(p.first, len(page.lines))
		page.lines = append(page.lines, p.row(s, cols, l, w, focused))
		if !p.unfolded(l.Name, s.many) {
			continue
		}
		from := len(page.lines)
		page.link(l)
		says := len(page.lines)
		page.add("says", l.About.Instructions.String(), &s.t.Dim)
		if most := says + saysMost; s.many && len(page.lines) > most {
			page.lines = append(page.lines[:most], spaces(labelWidth)+s.t.Dim.Paint(s.t.Glyphs.Ellipsis))
		}
		for n := from; n < len(page.lines); n++ {
			page.lines[n] = "  " + page.lines[n]
		}
	}
	p.bring(len(page.lines), h-1)
	return append([]string{head}, p.text.show(page.lines, h-1)...)
}

// bring brings the server under the cursor into sight after it moved: its line,
// and as many of its details as have room.
func (p *serversPane) bring(n, h int) {
	if !p.follow || h < 1 {
		return
	}
	p.follow = false
	from, to := p.first[p.index], n
	if p.index+1 < len(p.first) {
		to = p.first[p.index+1]
	}
	p.text.top = min(max(p.text.top, to-h), from)
}

func (p *serversPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	links := r.m.Links()
	p.settle(links)
	keys := &r.k.List
	switch {
	case key.Matches(k, r.k.Servers.Connect):
		r.openConnect()
	case key.Matches(k, r.k.Servers.Disconnect):
		return r.askDisconnect(p.at, true), true
	case key.Matches(k, r.k.Everywhere.Refresh):
		return r.refreshServer(p.at), true
	case key.Matches(k, keys.Open):
		p.fold(len(links) > 1)
	case key.Matches(k, keys.Up) && p.step(links, -1), key.Matches(k, keys.Down) && p.step(links, 1):
	case key.Matches(k, keys.Top):
		p.step(links, -len(links))
		p.text.top = 0
	case key.Matches(k, keys.Bottom):
		p.step(links, len(links))
		p.text.key(keys, k)
	default:
		return nil, p.text.key(keys, k)
	}
	return nil, true
}

// step moves the cursor; false where there is no other server on that side, so
// that the key scrolls.
func (p *serversPane) step(links []model.LinkView, by int) bool {
	i := max(min(p.index+by, len(links)-1), 0)
	if len(links) == 0 || i == p.index {
		return false
	}
	p.index, p.at, p.follow = i, links[i].Name, true
	return true
}

func (p *serversPane) fold(many bool) {
	if p.at == "" {
		return
	}
	if p.folds == nil {
		p.folds = map[string]bool{}
	}
	p.folds[p.at] = !p.unfolded(p.at, many)
	p.follow = true
}

// click chooses the server that is pressed; pressed again it unfolds.
func (p *serversPane) click(r *Root, _, y int, had bool) tea.Cmd {
	links := r.m.Links()
	p.settle(links)
	line := y - 1 + p.text.top
	for i, from := range slices.Backward(p.first) {
		if y < 1 || i >= len(links) || line < from {
			continue
		}
		if was := p.at; was == links[i].Name && had && line == from {
			p.fold(len(links) > 1)
		}
		p.index, p.at = i, links[i].Name
		return nil
	}
	return nil
}

func (p *serversPane) wheel(_ *Root, _, _, by int) { p.text.scroll(by) }

func (p *serversPane) hints(r *Root) []key.Binding {
	e, v := &r.k.Everywhere, &r.k.Servers
	p.settle(r.m.Links())
	if p.at == "" {
		return []key.Binding{v.Connect, e.Log, e.Back}
	}
	fold := "details"
	if p.unfolded(p.at, len(r.m.Links()) > 1) {
		fold = "fold"
	}
	return []key.Binding{named(e.Refresh, "try now"), named(r.k.List.Open, fold), v.Connect, v.Disconnect, e.Log, e.Back}
}

// linkStatus is how the state of a link looks.
func (s *scene) linkStatus(st model.LinkState) status {
	g, t := &s.t.Glyphs, s.t
	switch st {
	case model.Live:
		return status{g.Live, "live", &t.Live}
	case model.Quiet:
		return status{g.Quiet, "quiet", &t.Quiet}
	case model.Down:
		return status{g.Down, "down", &t.Down}
	case model.Connecting:
	}
	return status{g.Connecting, "connecting", &t.Connecting}
}

func (p *page) link(l *model.LinkView) {
	s, t := p.s, p.s.t
	p.add("at", task.CleanLine(l.URL, 400).Line(), &t.Dim)
	p.add("why", oneLine(l.Why), &t.Text)
	if !l.Since.IsZero() {
		p.add("since", s.when(l.Since)+", "+ago(s.since(l.Since)), &t.Text)
	}
	if e := l.Err; e != nil {
		p.add("tried", e.Tried.Line(), &t.Text)
		p.add("came back", e.Message.String(), &t.Error)
		p.add("to do", e.Advice.String(), &t.Strong)
	}
	if l.State == model.Down {
		p.add("next try", nextTry(s, l.NextTry), &t.Text)
	}
	a := &l.About
	if !a.Name.IsZero() {
		p.add("is", a.Name.Line()+" "+a.ServerVersion.Line(), &t.Text)
	}
	if a.Version != "" {
		p.add("speaks", speaks(a), &t.Text)
		p.add("", a.Note.String(), &t.Warning)
		p.add("allows", abilities(a), &t.Text)
	}
	p.session(l)
	if !l.Swept.IsZero() {
		p.add("listed", "the whole board, "+ago(s.since(l.Swept))+", in "+took(l.SweepTook), &t.Text)
	}
	label := "listed"
	if !l.Swept.IsZero() {
		label = ""
	}
	p.add(label, l.SweepErr, &t.Warning)
	p.add("kept", l.Trouble, &t.Warning)
	if l.Stalled {
		p.add("", "An answer of the server is overdue.", &t.Warning)
	}
	if l.Flood > 0 {
		p.add("floods", "It asks faster than anybody could read: "+count(l.Flood, "question waits", "questions wait")+
			" to be taken in, a few at a time. Those of other servers do not wait.", &t.Warning)
	}
	p.load(l)
}

// load says what the link costs, how fast its server answers, and what went wrong.
func (p *page) load(l *model.LinkView) {
	s, t := p.s, p.s.t
	p.add("tasks", fmt.Sprintf("%d live, %d of them asking, %d ended", l.Live, l.Asking, l.Ended), &t.Text)
	switch {
	case l.State == model.Down || l.State == model.Connecting:
	case l.Pushed:
		p.add("news", "pushed; polled seldom", &t.Text)
	default:
		p.add("news", "polled", &t.Text)
	}
	if l.Requests > 0 {
		words := count(l.Requests, "request", "requests")
		if l.RoundTrip > 0 {
			words += "; the last answers took " + took(l.RoundTrip) + ", at most " + took(l.SlowestTrip)
		}
		p.add("asked", words, &t.Text)
	}
	p.add("faults", faultWords(l.FaultKinds), &t.Warning)
	if l.Tries > 0 && l.State != model.Live && l.State != model.Quiet {
		p.add("", count(l.Tries, "try", "tries")+" in vain", &t.Text)
	}
	if l.Guard != "" {
		p.add("guard", s.cut(task.CleanLine(l.Guard, 60).Line(), 40)+": the name is to be typed before anything is started, answered or cancelled here", &t.Strong)
	}
}

// faultWords counts faults by their kind, "" where there is none.
func faultWords(f model.Faults) string {
	var words []string
	for _, k := range []struct {
		n         int
		one, many string
	}{
		{f.Refused, "refused connection", "refused connections"}, {f.Timeouts, "time-out", "time-outs"},
		{f.Broken, "broken stream", "broken streams"}, {f.Bad, "bad message", "bad messages"},
		{f.Auth, "refused credential", "refused credentials"}, {f.Busy, "busy", "times busy"}, {f.Errors, "error reply", "error replies"},
	} {
		if k.n > 0 {
			words = append(words, count(k.n, k.one, k.many))
		}
	}
	return strings.Join(words, ", ")
}

// took words how long a request took.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// speaks words the generation of the protocol that was found.
func speaks(a *task.About) string {
	words := "MCP " + task.CleanLine(a.Version, 40).Line()
	switch {
	case a.Era == task.Modern:
		words += ": no sessions, tasks as an extension"
	case !a.Note.IsZero():
	case a.Version == task.Legacy.String():
		words += ": sessions, tasks in the core protocol"
	case a.Era == task.Legacy:
		words += ": a version from before tasks"
	}
	return words
}

func (p *page) session(l *model.LinkView) {
	a := &l.About
	switch {
	case a.Joined:
		p.add("session", "of another program, joined", &p.s.t.Text)
	case l.PostOnly:
		p.add("session", "kept from before, rejoined; another callboard has its stream", &p.s.t.Text)
	case l.Rejoined:
		p.add("session", "kept from before, rejoined", &p.s.t.Text)
	case a.Session:
		p.add("session", "of our own; its tasks usually end with it", &p.s.t.Text)
	}
	if a.ReadOnly {
		p.add("", "Read only: nothing is answered, cancelled or started.", &p.s.t.Text)
	}
}

func nextTry(s *scene, at time.Time) string {
	switch {
	case at.IsZero():
		return "none planned: " + s.k.Everywhere.Refresh.Help().Key + " tries again"
	case !at.After(s.now):
		return "now"
	}
	return "in " + left(at.Sub(s.now)) + "; " + s.k.Everywhere.Refresh.Help().Key + " tries now"
}

// abilities words what a server declared.
func abilities(a *task.About) string {
	words := ""
	for _, c := range []struct {
		can  task.Can
		name string
	}{{a.List, "list of tasks"}, {a.Cancel, "cancel"}, {a.TaskCalls, "tools as tasks"}, {a.Tools, "tools"}} {
		if words != "" {
			words += ", "
		}
		switch c.can {
		case task.CanYes:
			words += c.name
		case task.CanNo:
			words += "no " + c.name
		case task.CanUnknown:
			words += c.name + " (not known)"
		}
	}
	return words
}
