package ui

import (
	"strings"
	"time"

	"callboard/keymap"
	"callboard/model"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// pointable is a pane that does more with the mouse than to take the keys when it
// is pressed, and to go up and down.
type pointable interface {
	// click takes a press of the left button at a cell of the pane's view. had:
	// the pane had the keys before, so that a press at what is selected opens it.
	click(r *Root, x, y int, had bool) tea.Cmd
	// wheel scrolls what is at that cell by so many lines, and leaves the keys where
	// they are.
	wheel(r *Root, x, y, by int)
}

// clickable is an overlay that takes the mouse. Places are cells of the screen.
type clickable interface {
	click(r *Root, x, y int) tea.Cmd
	wheel(r *Root, x, y, by int)
}

var (
	_ clickable = (*confirm)(nil)
	_ clickable = (*manyConfirm)(nil)
	_ clickable = (*bulkOverlay)(nil)
	_ clickable = (*savedOverlay)(nil)
	_ clickable = (*chooser)(nil)
	_ clickable = (*picker)(nil)
	_ clickable = (*lineOverlay)(nil)
)

// hinted is an overlay whose footer names keys, which are buttons then.
type hinted interface {
	hints(r *Root) []key.Binding
}

// wheelStep is how many lines the wheel scrolls.
const wheelStep = 3

// doubleClick is how long the second press of a double click may take: what it
// meets by then was not there when the person began to press.
const doubleClick = 400 * time.Millisecond

// mouse is what the mouse did a moment ago.
type mouse struct {
	dragging bool      // the border between the panes is being moved
	pressed  bool      // a button went down somewhere else
	told     bool      // that shift selects text
	shape    shape     // what was on the screen
	turned   time.Time // when that became something else
}

// shape is what stands where on the screen, as far as a press would mean
// something else there.
type shape struct {
	at     place
	side   pane
	over   overlay
	onSide bool
	zoom   bool
}

// pointing switches the mouse on or off, as the settings say.
func (r *Root) pointing() tea.Cmd {
	if r.o.Settings.NoMouse {
		return tea.DisableMouse
	}
	return tea.EnableMouseCellMotion
}

// turnedInto notices when another thing than before is under the mouse.
func (r *Root) turnedInto() {
	now := shape{at: r.at, side: r.side, over: r.over, zoom: r.zoom}
	now.onSide = r.onSide && !r.wide() // one pane took the place of the other
	switch was := r.mouse.shape; {
	case was.side == nil: // the first look
	case now != was:
		r.mouse.turned = r.now
	}
	r.mouse.shape = now
}

// wide reports whether main and side pane are both to be seen.
func (r *Root) wide() bool { return r.laid.main.w > 0 && r.laid.side.w > 0 }

// pointed takes what the mouse did. It returns false for what means nothing, so
// that nothing is done about it: while a button is held each cell that the mouse
// crosses is told.
func (r *Root) pointed(m tea.MouseMsg) (tea.Cmd, bool) {
	switch {
	case r.o.Settings.NoMouse, r.laid.tooSmall:
		return nil, false
	case m.Action == tea.MouseActionMotion:
		return nil, r.dragged(m)
	case m.Action == tea.MouseActionRelease:
		return r.released()
	case m.Button == tea.MouseButtonWheelUp:
		r.wheeled(m, -wheelStep)
		return nil, true
	case m.Button == tea.MouseButtonWheelDown:
		r.wheeled(m, wheelStep)
		return nil, true
	case m.Button == tea.MouseButtonWheelLeft:
		return r.sideways(m, func(l *keymap.List) key.Binding { return l.Left }), true
	case m.Button == tea.MouseButtonWheelRight:
		return r.sideways(m, func(l *keymap.List) key.Binding { return l.Right }), true
	case m.Button == tea.MouseButtonLeft:
		return tea.Batch(r.clicked(m.X, m.Y), r.meet()), true
	}
	return nil, false
}

// clicked takes a press of the left button.
func (r *Root) clicked(x, y int) tea.Cmd {
	if r.now.Sub(r.mouse.turned) < doubleClick {
		return nil // it was meant for what stood here before
	}
	r.mouse.pressed = true
	defer func() { r.viewOf = viewKey{} }()
	switch over, ok := r.over.(clickable); {
	case y >= r.laid.footer.y:
		return r.clickedFoot(x)
	case ok:
		return over.click(r, x, y)
	case r.over != nil:
		return nil
	case y == r.laid.header.y:
		return r.clickedHeader(x)
	case r.onBorder(x, y):
		r.mouse.dragging, r.mouse.pressed = true, false
		return nil
	}
	b, side, ok := r.boxAt(x, y)
	if !ok {
		return nil
	}
	r.turn()
	r.tasks.touched = true
	had := !r.hasSide() || r.onSide == side
	if r.hasSide() {
		r.onSide = side
	}
	p, ok := r.focused().(pointable)
	x, y = x-b.x-2, y-b.y-1
	if !ok || y < 0 || y >= b.h-2 || x < 0 || x >= b.w-4 {
		return nil
	}
	return p.click(r, x, y, had)
}

// clickedHeader takes a press on a count of the header: only those tasks are shown,
// or all again.
func (r *Root) clickedHeader(x int) tea.Cmd {
	filter := r.counted(x)
	if filter == "" {
		return nil
	}
	if r.m.Board().Filter() == filter {
		filter = ""
	}
	return r.setFilter(filter)
}

// counted returns the filter for the tasks whose count stands at a cell of the
// header, "" for none.
func (r *Root) counted(x int) string {
	line := r.lineAt(r.laid.header.y)
	from := 0
	for part := range strings.SplitSeq(line, "  ") {
		start := width(line[:from])
		from += len(part) + 2
		if x < start || x >= start+width(part) {
			continue
		}
		g := &r.t.Glyphs
		for _, c := range []struct{ glyph, filter string }{
			{g.Working, "status:working,calling"}, {g.Asking, "status:asking"}, {g.Completed, "status:completed !status:failed"},
			{g.Failed, "status:failed"}, {g.Cancelled, "status:cancelled"}, {g.Gone, "status:gone,expired"},
		} {
			rest, ok := strings.CutPrefix(strings.TrimSpace(part), c.glyph)
			if ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
				return c.filter
			}
		}
	}
	return ""
}

// boxAt returns the pane's box at a cell of the screen, and whether it is that of
// the side pane.
func (r *Root) boxAt(x, y int) (b box, side, ok bool) {
	switch {
	case r.laid.main.has(x, y):
		return r.laid.main, false, true
	case r.laid.side.has(x, y):
		return r.laid.side, true, true
	}
	return box{}, false, false
}

// has reports whether a cell is within the box.
func (b box) has(x, y int) bool { return x >= b.x && x < b.x+b.w && y >= b.y && y < b.y+b.h }

// paneAt returns the pane at a cell of the screen, nil for none.
func (r *Root) paneAt(x, y int) pane {
	switch _, side, ok := r.boxAt(x, y); {
	case !ok:
		return nil
	case side:
		return r.side
	}
	return r.panes[r.at]
}

// wheeled scrolls what is under the pointer; the keys stay where they are.
func (r *Root) wheeled(m tea.MouseMsg, by int) {
	r.viewOf = viewKey{}
	if r.over != nil {
		if over, ok := r.over.(clickable); ok {
			over.wheel(r, m.X, m.Y, by)
		}
		return
	}
	r.tasks.touched = true
	switch p := r.paneAt(m.X, m.Y).(type) {
	case nil:
	case pointable:
		b, _, _ := r.boxAt(m.X, m.Y)
		p.wheel(r, m.X-b.x-2, m.Y-b.y-1, by)
	default: // it goes up and down by its keys
		to := r.k.List.Down
		if by < 0 {
			to, by = r.k.List.Up, -by
		}
		for k := pressOf(to); k != nil && by > 0; by-- {
			p.key(r, *k)
		}
	}
}

// sideways gives the pane under the pointer a key that scrolls to a side.
func (r *Root) sideways(m tea.MouseMsg, to func(*keymap.List) key.Binding) tea.Cmd {
	p, k := r.paneAt(m.X, m.Y), pressOf(to(&r.k.List))
	if p == nil || r.over != nil || k == nil || r.typing() {
		return nil
	}
	r.viewOf = viewKey{}
	cmd, _ := p.key(r, *k)
	return cmd
}

// onBorder reports whether a cell is of the border between main and side pane.
func (r *Root) onBorder(x, y int) bool {
	main, side := r.laid.main, r.laid.side
	switch {
	case !r.wide():
		return false
	case side.x > 0:
		return main.has(x, y) && x == side.x-1 || side.has(x, y) && x == side.x
	}
	return y == side.y || y == side.y-1
}

// dragged moves the border between the panes along with the mouse. Elsewhere it
// says how text is selected; it returns whether anything is to be seen anew.
func (r *Root) dragged(m tea.MouseMsg) bool {
	switch {
	case r.mouse.dragging:
		was := r.taste.Side
		r.resize(m.X, m.Y)
		if r.taste.Side == was {
			return false
		}
	case r.mouse.pressed && !r.mouse.told:
		r.mouse.told = true
		r.say("Hold shift to select text: without it the mouse is callboard's (--no-mouse gives it back to the terminal).")
	default:
		return false
	}
	r.viewOf = viewKey{}
	return true
}

// released ends what a press began.
func (r *Root) released() (tea.Cmd, bool) {
	dragging := r.mouse.dragging
	r.mouse.dragging, r.mouse.pressed = false, false
	if !dragging {
		return nil, false
	}
	return r.keepTaste(), true
}

// clickedFoot takes a press on the footer: a key that stands there is pressed, a
// sentence goes away.
func (r *Root) clickedFoot(x int) tea.Cmd {
	if said := r.notice(); said.text != "" {
		r.turn()
		r.read = r.now
		return nil
	}
	var keys []key.Binding
	switch over := r.over.(type) {
	case nil:
		keys = append(r.focused().hints(r), r.k.Everywhere.Help)
		if w := width(r.waits(r.scene())); w > 0 && x >= r.width-w {
			return r.pushed(r.waitsKey())
		}
	case hinted:
		keys = over.hints(r)
	}
	if b, ok := hintAt(r.lineAt(r.height-1), x, keys); ok {
		return r.pushed(b)
	}
	return nil
}

// lineAt returns a line of the last view, without colours.
func (r *Root) lineAt(y int) string {
	lines := strings.Split(r.view, "\n")
	if y < 0 || y >= len(lines) {
		return ""
	}
	return ansi.Strip(lines[y])
}

// pushed does what a key does.
func (r *Root) pushed(b key.Binding) tea.Cmd {
	if k := pressOf(b); k != nil {
		return r.press(*k)
	}
	return nil
}

// hintAt returns which of keys stands at cell x of a line that names keys and what
// they do.
func hintAt(line string, x int, keys []key.Binding) (key.Binding, bool) {
	best, found := key.Binding{}, false
	longest := 0
	for _, b := range keys {
		words := b.Help().Key + " " + b.Help().Desc
		for from := 0; ; {
			i := strings.Index(line[from:], words)
			if i < 0 {
				break
			}
			at := from + i
			from = at + len(words)
			start := width(line[:at])
			if (at == 0 || line[at-1] == ' ') && (from == len(line) || line[from] == ' ') &&
				x >= start && x < start+width(words) && len(words) > longest {
				best, found, longest = b, true, len(words)
			}
		}
	}
	return best, found
}

// pressOf returns the key press of a binding, nil for one that has no key.
func pressOf(b key.Binding) *tea.KeyMsg {
	if len(b.Keys()) == 0 {
		return nil
	}
	name := b.Keys()[0]
	rest, alt := strings.CutPrefix(name, "alt+")
	k := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest), Alt: alt}
	if t, ok := namedKeys[rest]; ok {
		k = tea.KeyMsg{Type: t, Alt: alt}
		if t == tea.KeySpace {
			k.Runes = []rune{' '}
		}
	}
	return &k
}

// namedKeys are Bubble Tea's keys by their names, but for letters.
var namedKeys = func() map[string]tea.KeyType {
	types := map[string]tea.KeyType{}
	for t := tea.KeyType(-128); t < 128; t++ {
		if name := (tea.Key{Type: t}).String(); name != "" && t != tea.KeyRunes {
			types[name] = t
		}
	}
	return types
}()

// scroll moves what is in sight of a list of n lines; the cursor goes along as far
// as it has to.
func (v *window) scroll(by, n int) {
	v.offset = max(min(v.offset+by, n-v.height), 0)
	v.cursor = max(min(v.cursor, v.offset+v.height-1, n-1), v.offset, 0)
}

// scroll moves what is in sight of a text.
func (v *scroll) scroll(by int) { v.top = max(min(v.top+by, v.n-v.height), 0) }

func (p *tasksPane) click(r *Root, x, y int, had bool) tea.Cmd {
	board := r.m.Board()
	if y == 0 {
		if by, ok := p.columnAt(x); ok && board.Total() > 0 {
			return r.m.Update(model.SortMsg{By: by})
		}
		return nil
	}
	i := p.win.offset + y - 1
	if board.Len() == 0 || i >= board.Len() {
		return nil
	}
	if i == p.win.cursor && had {
		return r.openRow(p.at)
	}
	p.follow = false
	p.win.cursor, p.at = i, board.At(i).Key
	return nil
}

// columnAt returns the column whose head stands at a cell.
func (p *tasksPane) columnAt(x int) (model.Column, bool) {
	at := len(columnGap) // the cursor's glyph
	for _, c := range p.columns(p.linesOf.w, p.linesOf.many) {
		if x >= at && x < at+c.width {
			return c.by, c.key != nil
		}
		at += c.width + len(columnGap)
	}
	return 0, false
}

func (p *tasksPane) wheel(r *Root, _, _, by int) {
	if n := r.m.Board().Len(); n > 0 {
		p.follow = false
		p.win.scroll(by, n)
		p.at = r.m.Board().At(p.win.cursor).Key
	}
}

func (p *inboxPane) click(r *Root, _, y int, had bool) tea.Cmd {
	asks := grouped(r.m.Inbox())
	i := p.win.offset + (y-1)/2 // two lines a question, below a head
	if y == 0 || i >= len(asks) {
		return nil
	}
	if i == p.win.cursor && had {
		return p.open(r)
	}
	p.win.cursor, p.at = i, asks[i].Prompt.ID
	return nil
}

func (p *inboxPane) wheel(r *Root, _, _, by int) {
	if asks := grouped(r.m.Inbox()); len(asks) > 0 {
		p.win.scroll(by, len(asks))
		p.at = asks[p.win.cursor].Prompt.ID
	}
}

func (p *detailPane) click(*Root, int, int, bool) tea.Cmd { return nil }
func (p *detailPane) wheel(_ *Root, _, _, by int)         { p.text.scroll(by) }

func (p *helpPane) click(r *Root, _, y int, had bool) tea.Cmd {
	lines := p.lines(r.scene())
	i := p.win.offset + y
	if i >= len(lines) {
		return nil
	}
	if i == p.win.cursor && had {
		return p.run(r, lines)
	}
	p.win.cursor = i
	return nil
}

func (p *helpPane) wheel(r *Root, _, _, by int) {
	p.win.scroll(by, len(p.lines(r.scene())))
}

// click runs the line of the list that is pressed.
func (l *lineOverlay) click(r *Root, x, y int) tea.Cmd {
	i := l.win.offset + y - l.listAt.y
	if !l.listAt.has(x, y) || i >= len(l.list) {
		return nil
	}
	l.chosen, l.win.cursor = true, i
	return l.accept(r)
}

func (l *lineOverlay) wheel(_ *Root, x, y, by int) {
	if l.listAt.has(x, y) {
		l.win.scroll(by, len(l.list))
	}
}

func (p *resultPane) click(*Root, int, int, bool) tea.Cmd { return nil }
func (p *resultPane) wheel(_ *Root, _, _, by int) {
	if doc := p.shown(); doc != nil {
		doc.Scroll(by)
	}
}

func (p *logPane) click(r *Root, _, y int, had bool) tea.Cmd { //nolint:unparam // a pointable
	if p.doc != nil || y == 0 {
		return nil
	}
	selected := p.held && p.win.offset+y-1 == p.win.cursor
	p.hold(r)
	i := p.win.offset + y - 1
	if i >= len(p.lines.shown) {
		return nil
	}
	if p.win.cursor = i; selected && had {
		p.pick(r)
	}
	return nil
}

func (p *logPane) wheel(r *Root, _, _, by int) {
	if p.doc != nil {
		p.doc.Scroll(by)
		return
	}
	p.hold(r)
	p.win.scroll(by, len(p.lines.shown))
	if by > 0 && p.win.offset >= len(p.lines.shown)-p.win.height {
		p.held = false // at its end it follows again
	}
}

func (p *toolsPane) click(r *Root, x, y int, had bool) tea.Cmd {
	p.sync(r.m)
	return p.happened(r, p.pane.Click(x, y, had))
}

func (p *toolsPane) wheel(_ *Root, x, y, by int) { p.pane.Wheel(x, y, by) }
