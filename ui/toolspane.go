package ui

import (
	"strings"

	"callboard/model"
	"callboard/ui/tools"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// toolsPane lists the tools of all servers, to start work with.
type toolsPane struct {
	pane   *tools.Pane
	rev    uint64
	synced bool
}

func newToolsPane(r *Root) *toolsPane { return &toolsPane{pane: tools.New(r.t, r.k)} }

func (p *toolsPane) typing() bool              { return p.pane.Typing() }
func (p *toolsPane) title(*scene) string       { return p.pane.Title() }
func (p *toolsPane) note(*scene) string        { return p.pane.Place() }
func (p *toolsPane) hints(*Root) []key.Binding { return p.pane.Hints() }

func (p *toolsPane) view(s *scene, w, h int, focused bool) []string {
	p.sync(s.m)
	return strings.Split(p.pane.View(w, h, focused), "\n")
}

// sync hands the pane what is known of the tools, where that may be new.
func (p *toolsPane) sync(m *model.Model) {
	rev := m.Revision()
	if p.synced && rev == p.rev {
		return
	}
	p.rev, p.synced = rev, true
	var sources []tools.Source
	for _, l := range m.Links() {
		sources = append(sources, tools.Source{Server: l.Name, View: m.Tools(l.Name), Cannot: m.CanStart(l.Name)})
	}
	p.pane.Sync(sources)
}

func (p *toolsPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	p.sync(r.m)
	e, taken := p.pane.Update(k)
	if !taken {
		return nil, false
	}
	return p.happened(r, e), true
}

// happened does what the person wants of the pane.
func (p *toolsPane) happened(r *Root, e tools.Event) tea.Cmd {
	if why := p.pane.Message(); why != "" {
		r.refuse(why)
	}
	switch e.Kind {
	case tools.Chosen:
		r.openCall(e.Server, e.Tool, nil)
	case tools.Leave:
		return r.leave()
	case tools.Nothing:
	}
	return nil
}

// openTools shows the tools, and has those listed that are not known.
func (r *Root) openTools() tea.Cmd {
	r.visit(atTools)
	if r.at != atTools {
		return nil // n led back
	}
	r.tools.pane.Unfilter()
	return r.listTools()
}

func (r *Root) listTools() tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range r.m.Links() {
		cmds = append(cmds, r.m.Update(model.ToolsMsg{Server: l.Name}))
	}
	return tea.Batch(cmds...)
}
