package ui

import (
	"fmt"
	"time"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// serversPane shows each link: how it is, why, and what was tried.
type serversPane struct{ text scroll }

// saysMost is how many lines of a server's instructions are shown where they
// would hide the other servers.
const saysMost = 4

func (p *serversPane) title(s *scene) string { return fmt.Sprintf("Servers %d", len(s.links)) }
func (p *serversPane) note(*scene) string    { return p.text.note() }

func (p *serversPane) view(s *scene, w, h int, _ bool) []string {
	page := &page{s: s, w: w}
	for i, l := range s.m.Links() {
		if i > 0 {
			page.lines = append(page.lines, "")
		}
		page.link(&l)
		from := len(page.lines)
		page.add("says", l.About.Instructions.String(), &s.t.Dim)
		if most := from + saysMost; s.many && len(page.lines) > most {
			page.lines = append(page.lines[:most], spaces(labelWidth)+s.t.Dim.Paint(s.t.Glyphs.Ellipsis))
		}
	}
	return p.text.show(page.lines, h)
}

func (p *serversPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	return nil, p.text.key(&r.k.List, k)
}

func (p *serversPane) hints(r *Root) []key.Binding {
	e := &r.k.Everywhere
	return []key.Binding{named(e.Refresh, "try now"), e.Log, e.Back}
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
	st := s.linkStatus(l.State)
	p.lines = append(p.lines, s.cut(st.role.Paint(st.glyph+" "+st.word)+"  "+t.Strong.Paint(task.CleanLine(l.Name, 100).Line())+
		"  "+t.Dim.Paint(task.CleanLine(l.URL, 400).Line()), p.w))
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
		p.add("listed", "the whole board, "+ago(s.since(l.Swept)), &t.Text)
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
	if l.Faults > 0 {
		p.add("faults", count(l.Faults, "error", "errors")+" so far", &t.Text)
	}
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
