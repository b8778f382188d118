package ui

import (
	"slices"
	"strings"

	"callboard/keymap"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// helpPane lists the keys from the bindings themselves: a few that a newcomer needs
// first, those that work where the person came from, the others, then commands and
// words. What its line says can be
// done there.
type helpPane struct {
	from   whence
	search string
	win    window
	w      int // of the last view
}

// whence is what was on the screen before the help.
type whence struct {
	at, back place
	onSide   bool
	side     pane
	here     string // the place of the keymap
}

// helpItem is a line of the help.
type helpItem struct {
	key, means string
	// line is what the command line runs, "" for nothing.
	line  string
	title bool
}

// openHelp shows the help; where it is shown, it leads back.
func (r *Root) openHelp() {
	if r.at == atHelp {
		r.closeHelp()
		return
	}
	p := r.help
	p.from = whence{r.at, r.back, r.onSide, r.side, r.where()}
	p.search = ""
	p.rewind(r.scene())
	r.at, r.onSide = atHelp, false
}

// closeHelp brings back what was on the screen before.
func (r *Root) closeHelp() {
	f := r.help.from
	r.at, r.back, r.onSide = f.at, f.back, f.onSide
	if f.side != nil {
		r.side = f.side
	}
}

// helpOn shows what the help has on some words.
func (r *Root) helpOn(words string) tea.Cmd {
	if r.at != atHelp {
		r.openHelp()
	}
	r.help.find(r, words)
	return nil
}

func (p *helpPane) title(s *scene) string {
	if p.search != "" {
		return "Help " + s.t.Glyphs.Dot + " /" + p.search
	}
	return "Help"
}

func (p *helpPane) note(s *scene) string { return p.win.place(len(p.lines(s))) }

// find narrows the help to what matches.
func (p *helpPane) find(r *Root, words string) {
	p.search = words
	p.rewind(r.scene())
}

// rewind puts the cursor onto the first line that does something.
func (p *helpPane) rewind(s *scene) {
	lines := p.lines(s)
	p.win = window{height: p.win.height}
	p.win.cursor = max(slices.IndexFunc(lines, func(i helpItem) bool { return !i.title && i.key != "" }), 0)
}

// lines are all lines, as wide as the last view.
func (p *helpPane) lines(s *scene) []helpItem {
	var lines []helpItem
	for _, section := range p.sections(s) {
		found := matchHelp(section[1:], p.search)
		if len(found) == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, helpItem{})
		}
		lines = append(lines, section[0])
		for _, item := range found {
			_, means := item.widths(p.w)
			for i, part := range render.Wrap(item.means, max(means-1, 10)) {
				if i > 0 {
					item.key = ""
				}
				item.means = part
				lines = append(lines, item)
			}
		}
	}
	return lines
}

// basics are the actions that a newcomer needs first, in their order.
var basics = []string{
	"list.down", "list.up", "list.open", "everywhere.back", "everywhere.next-pane", "list.filter", "everywhere.command",
	"everywhere.help", "everywhere.quit",
}

// sections are the parts of the help, each behind its title: what a newcomer needs
// first, what works where the person came from, and the rest.
func (p *helpPane) sections(s *scene) [][]helpItem {
	first := make([]helpItem, len(basics))
	var here, rest [][]helpItem
	placed := 0
	for _, scope := range s.k.Scopes() {
		near := []helpItem{{key: "Here: " + strings.ToLower(scope.Name[:1]) + scope.Name[1:], title: true}}
		far := []helpItem{{key: scope.Name, title: true}}
		for _, a := range scope.Actions {
			item := helpItem{key: keysOf(&a), means: a.Help, line: a.Name}
			switch i := slices.Index(basics, a.Name); {
			case i >= 0 && a.In(p.from.here):
				first[i] = item
			case a.Place != "" && a.In(p.from.here):
				near = append(near, item)
			default:
				far = append(far, item)
			}
		}
		if scope.Place == "" { // what is for lists stands behind what is for the place alone
			here = append(here, near)
		} else {
			here = slices.Insert(here, placed, near)
			placed++
		}
		rest = append(rest, far)
	}
	commanded := []helpItem{{key: "Commands", title: true}}
	for _, c := range commands() {
		e := entry{name: c.name, args: c.args}
		commanded = append(commanded, helpItem{key: ":" + e.title(), means: c.help, line: c.name})
	}
	words := []helpItem{{key: "Words", title: true}}
	for _, word := range s.vocabulary() {
		words = append(words, helpItem{key: word[0], means: word[1]})
	}
	first = slices.DeleteFunc(first, func(i helpItem) bool { return i.key == "" }) // what does not work here
	first = slices.Insert(first, 0, helpItem{key: "The basics", title: true})
	return slices.Concat([][]helpItem{first}, here, rest, [][]helpItem{commanded, words})
}

// keysOf are all keys of an action, or its name on the command line.
func keysOf(a *keymap.Action) string {
	if len(a.Keys) == 0 {
		return "no key"
	}
	var shown []string
	for _, k := range a.Keys {
		if k != strings.ToLower(k) && len(k) == 1 && slices.Contains(a.Keys, strings.ToLower(k)) {
			continue // y of y and Y
		}
		shown = append(shown, keymap.Shown(k))
	}
	return strings.Join(shown, " ")
}

// matchHelp returns the items that match what is searched for. A single character
// is a key, where it is one.
func matchHelp(items []helpItem, search string) []helpItem {
	if search = strings.TrimSpace(search); search == "" {
		return items
	}
	var found []helpItem
	for _, i := range items {
		if slices.Contains(strings.Fields(i.key), search) {
			found = append(found, i)
		}
	}
	if len(found) > 0 && len([]rune(search)) == 1 {
		return found
	}
	found = nil
	for _, i := range items {
		all := strings.ToLower(i.key + " " + i.means + " " + i.line)
		if !slices.ContainsFunc(strings.Fields(strings.ToLower(search)), func(w string) bool { return !strings.Contains(all, w) }) {
			found = append(found, i)
		}
	}
	return found
}

// named reports whether the item is an action, whose name stands behind it.
func (i *helpItem) named() bool { return strings.Contains(i.line, ".") }

// helpNames is the width of the column of names, helpNamed the width from which on
// there is one.
const helpNames, helpNamed = 24, 70

// widths are those of the columns of an item: its key, and what it means.
func (i *helpItem) widths(w int) (key, means int) {
	switch {
	case !i.named() && w < 50, i.named() && w < helpNamed:
		key = 14
	case !i.named():
		key = 24
	default:
		key = 16
		return key, min(w-2-key-helpNames, 50)
	}
	return key, w - 2 - key
}

func (p *helpPane) view(s *scene, w, h int, _ bool) []string {
	if p.w != w {
		p.w = w
	}
	lines := p.lines(s)
	if len(lines) == 0 {
		k := s.k
		return s.centred([]string{
			"No key, command or word has that in it.", "",
			k.List.Filter.Help().Key + " searches for something else, " + k.Everywhere.Back.Help().Key + " shows all.",
		}, w, h)
	}
	p.win.show(len(lines), h)
	var out []string
	for i := p.win.offset; i < min(p.win.offset+h, len(lines)); i++ {
		out = append(out, s.helpLine(&lines[i], w, i == p.win.cursor))
	}
	return out
}

func (s *scene) helpLine(i *helpItem, w int, selected bool) string {
	mark := "  "
	if selected {
		mark = s.t.Glyphs.Select + " "
	}
	var line string
	switch {
	case i.title:
		line = mark + s.t.Title.Paint(s.fit(i.key, w-2))
	default:
		key, means := i.widths(w)
		line = mark + s.t.Key.Paint(s.fit(i.key, key-1)) + " " + s.t.KeyDesc.Paint(s.fit(i.means, means))
		if i.named() && w >= helpNamed && i.key != "" { // not again behind what is wrapped
			line += s.t.Dim.Paint(s.fit(":"+i.line, helpNames))
		}
	}
	if selected {
		return s.t.Selected.Around(line)
	}
	return line
}

func (p *helpPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	lines := p.lines(r.scene())
	switch {
	case key.Matches(k, r.k.List.Filter):
		r.over = &helpSearch{typedLine{r.textLine(" / ", p.search)}}
		return nil, true
	case key.Matches(k, r.k.List.Open):
		return p.run(r, lines), true
	case key.Matches(k, r.k.Everywhere.Back) && p.search != "":
		p.find(r, "")
		return nil, true
	}
	return nil, p.win.key(&r.k.List, k, len(lines))
}

// run does what the line under the cursor says, where the person came from.
func (p *helpPane) run(r *Root, lines []helpItem) tea.Cmd {
	if p.win.cursor >= len(lines) || lines[p.win.cursor].line == "" {
		r.say("This line explains; there is nothing to do.")
		return nil
	}
	line := lines[p.win.cursor].line
	if c, ok := commandOf(line); ok {
		r.closeHelp()
		if c.args == "" {
			return c.run(r, "")
		}
		r.openCommand()
		r.over.(*lineOverlay).set(r, line+" ")
		return nil
	}
	a := r.actionsOf(line)[0]
	if why := elsewhere(&a, p.from.here); why != "" {
		r.say(":" + a.Name + " works " + why + ".")
		return nil
	}
	r.closeHelp()
	return r.act(a)
}

func (p *helpPane) hints(r *Root) []key.Binding {
	return []key.Binding{
		named(r.k.List.Filter, "search"), named(r.k.List.Open, "do it"), r.k.List.PageDown, r.k.Everywhere.Back,
	}
}

// helpSearch is what is searched for in the help, in the place of the footer.
type helpSearch struct{ typedLine }

func (h *helpSearch) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	keys := &r.k.Line
	switch {
	case !ok:
	case key.Matches(k, keys.Leave):
		r.over = nil
		r.help.find(r, "")
		return nil
	case key.Matches(k, keys.Accept, keys.Complete):
		r.over = nil
		return nil
	case key.Matches(k, keys.Older, keys.Above), key.Matches(k, keys.Newer, keys.Below):
		step := 1
		if key.Matches(k, keys.Older, keys.Above) {
			step = -1
		}
		r.help.win.cursor += step
		r.help.win.show(len(r.help.lines(r.scene())), r.help.win.height)
		return nil
	}
	cmd, changed := h.edit(msg)
	if changed {
		r.help.find(r, h.input.Value())
	}
	return cmd
}
