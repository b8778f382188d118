// Package tools is the pane in which new work begins: what tools the servers
// have, how each is run, what it wants, and which one the person chose.
package tools

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Source is one server's tools, as the model knows them.
type Source struct {
	Server string // the link's name
	View   model.ToolsView
	// Cannot says why nothing can be started there, "" where it can.
	Cannot string
}

// EventKind says what the person wants of the pane.
type EventKind uint8

// The events. Chosen opens the start form of Tool on Server.
const (
	Nothing EventKind = iota
	Chosen
	Leave
)

// Event is what a key made of the pane.
type Event struct {
	Kind   EventKind
	Server string
	Tool   *task.Tool
}

// item is one tool of one server.
type item struct {
	server, cannot string
	listed         time.Time
	tool           *task.Tool
}

// id names an item over time: servers list their tools anew.
type id struct{ server, tool string }

func (it *item) id() id { return id{it.server, it.tool.Name} }

// Pane lists tools and shows the one under the cursor. It owns how it looks
// and is handed what it shows by Sync.
type Pane struct {
	theme *themes.Theme
	keys  *keymap.Map

	sources []Source
	all     []item // those that run as tasks first
	shown   []item // of these, what the filter lets through
	chosen  id
	at      int // of chosen in shown

	moved   bool // by the person: until then the cursor stays on top
	filter  string
	typing  bool // the filter line takes all keys
	message string

	doc   *render.Document // of docOf, as listed at docAt
	docOf id
	docAt time.Time
	page  int // rows of the list at the last look
	top   int // the first row of the list in sight
	// Where the list stood at the last look: its first line, its lines and columns.
	listAt, listRows, listWidth int
}

// New returns a pane without tools.
func New(theme *themes.Theme, keys *keymap.Map) *Pane {
	return &Pane{theme: theme, keys: keys, page: 1}
}

// Sync hands the pane what the model knows now. The cursor follows its tool.
func (p *Pane) Sync(sources []Source) {
	p.sources = sources
	p.all = p.all[:0]
	for i := range sources {
		s := &sources[i]
		for j := range s.View.Tools {
			p.all = append(p.all, item{server: s.Server, cannot: s.Cannot, listed: s.View.At, tool: &s.View.Tools[j]})
		}
	}
	slices.SortStableFunc(p.all, func(a, b item) int { return rank(a.tool) - rank(b.tool) })
	p.sift()
}

// rank puts the tools that run as tasks before those that are called plainly.
func rank(t *task.Tool) int {
	if t.Support == task.Forbidden {
		return 1
	}
	return 0
}

// sift applies the filter and finds the cursor's tool again.
func (p *Pane) sift() {
	want := strings.ToLower(p.filter)
	p.shown = p.shown[:0]
	at := -1
	for _, it := range p.all {
		if want != "" && !strings.Contains(strings.ToLower(it.tool.Name+"\n"+it.tool.Title.Line()+"\n"+it.server), want) {
			continue
		}
		if it.id() == p.chosen {
			at = len(p.shown)
		}
		p.shown = append(p.shown, it)
	}
	switch {
	case !p.moved, at < 0 && p.typing: // what is listed or found first is what is meant
		at = 0
	case at < 0:
		at = min(p.at, len(p.shown)-1)
	}
	p.at = max(at, 0)
	p.follow()
}

// follow remembers what is under the cursor.
func (p *Pane) follow() {
	if p.at < len(p.shown) {
		p.chosen = p.shown[p.at].id()
	}
}

// current returns the item under the cursor, nil where there is none.
func (p *Pane) current() *item {
	if p.at >= len(p.shown) {
		return nil
	}
	return &p.shown[p.at]
}

// Unfilter shows all tools; the cursor stays on its own.
func (p *Pane) Unfilter() {
	p.filter, p.typing = "", false
	p.sift()
}

// Typing reports whether the filter line takes all keys.
func (p *Pane) Typing() bool { return p.typing }

// Message says why the last key did nothing, "" where it did something.
func (p *Pane) Message() string { return p.message }

// Title is what stands in the pane's frame.
func (p *Pane) Title() string {
	title := "Tools"
	if len(p.sources) == 1 {
		title += " of " + p.sources[0].Server
	}
	return title
}

// Place says which of the tools is under the cursor, "" where all are in sight.
func (p *Pane) Place() string {
	if len(p.shown) <= p.page {
		return ""
	}
	return fmt.Sprintf("%d of %d", p.at+1, len(p.shown))
}

// Hints are the keys that work now.
func (p *Pane) Hints() []key.Binding {
	if p.typing {
		return []key.Binding{p.keys.Line.Accept, p.keys.Line.Leave}
	}
	l := &p.keys.List
	hints := []key.Binding{}
	if p.current() != nil {
		filter := l.Filter
		filter.SetHelp(filter.Help().Key, "filter")
		hints = append(hints, l.Open, filter, l.HalfDown)
	}
	return append(hints, p.keys.Everywhere.Refresh, p.keys.Everywhere.Back)
}

// Update takes a key; it returns false for one that is not the pane's.
func (p *Pane) Update(k tea.KeyMsg) (Event, bool) {
	p.message = ""
	if p.typing {
		p.typeFilter(k)
		return Event{}, true
	}
	l := &p.keys.List
	switch {
	case k.Paste:
		return Event{}, false
	case key.Matches(k, l.Open):
		return p.open(), true
	case key.Matches(k, l.Filter):
		p.typing = true
	case key.Matches(k, p.keys.Everywhere.Back):
		if p.filter == "" {
			return Event{Kind: Leave}, true
		}
		p.filter = ""
		p.sift()
	case key.Matches(k, l.Up):
		p.move(-1)
	case key.Matches(k, l.Down):
		p.move(1)
	case key.Matches(k, l.PageUp):
		p.move(-p.page)
	case key.Matches(k, l.PageDown):
		p.move(p.page)
	case key.Matches(k, l.Top):
		p.move(-len(p.shown))
	case key.Matches(k, l.Bottom):
		p.move(len(p.shown))
	case key.Matches(k, l.HalfUp, l.HalfDown, l.Left, l.Right):
		if p.doc != nil { // what the tool wants, beside the list
			p.doc.Update(k, l)
		}
	default:
		return Event{}, false
	}
	return Event{}, true
}

func (p *Pane) open() Event {
	it := p.current()
	switch {
	case it == nil:
		p.message = "There is no tool to start."
		return Event{}
	case it.cannot != "":
		p.message = it.cannot
		return Event{}
	}
	return Event{Kind: Chosen, Server: it.server, Tool: it.tool}
}

func (p *Pane) move(by int) {
	p.moved = true
	p.at = max(min(p.at+by, len(p.shown)-1), 0)
	p.follow()
}

// maxFilter bounds what is typed or pasted into the filter, in runes.
const maxFilter = 200

func (p *Pane) typeFilter(k tea.KeyMsg) {
	keys := &p.keys.Line
	switch {
	case k.Paste, k.Type == tea.KeySpace, k.Type == tea.KeyRunes && !k.Alt:
		typed := task.CleanLine(string(k.Runes), 4*maxFilter).Line()
		p.filter = string([]rune(p.filter + typed)[:min(maxFilter, len([]rune(p.filter+typed)))])
	case key.Matches(k, keys.Accept):
		p.typing = false
	case key.Matches(k, keys.Leave):
		p.typing, p.filter = false, ""
	case k.Type == tea.KeyBackspace:
		if runes := []rune(p.filter); len(runes) > 0 {
			p.filter = string(runes[:len(runes)-1])
		}
	case k.Type == tea.KeyCtrlU:
		p.filter = ""
	case k.Type == tea.KeyUp:
		p.move(-1)
		return
	case k.Type == tea.KeyDown:
		p.move(1)
		return
	}
	p.sift()
}
