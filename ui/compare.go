package ui

import (
	"cmp"
	"path/filepath"
	"slices"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// comparison is two results beside each other, in the place of a result.
type comparison struct {
	old, new   task.Key
	names      [2]string
	running    bool
	doc        *render.Document // nil until it is made
	text       []byte
	fromResult bool // esc leads back to it
}

type comparedMsg struct {
	of   *comparison
	diff *render.Diff
	text []byte
}

// compare compares the two rows that are marked, or the selected row with one
// that the person picks.
func (r *Root) compare() tea.Cmd {
	if r.m.Marked() == 2 {
		rows := r.m.MarkedRows(2)
		for _, row := range rows {
			if !hasResult(row) {
				r.say("One of the two marked tasks has no result: " + r.scene().rowName(row) + ".")
				return nil
			}
		}
		return r.showDiff(rows[0], rows[1])
	}
	row := r.selectedRow()
	switch {
	case row == nil:
		return nil
	case !hasResult(row):
		r.say("It has no result that could be compared.")
		return nil
	}
	p := &picker{of: row.Key, tool: row.Tool}
	cmd := p.scan(r, pickAtOnce)
	if !p.done || len(p.keys) > 0 {
		r.over = p
	}
	return cmd
}

// showDiff shows how two results differ, the older one first, and reads them where
// they are not there yet.
func (r *Root) showDiff(a, b *model.Row) tea.Cmd {
	if a.Since > b.Since {
		a, b = b, a
	}
	s := r.scene()
	c := &comparison{old: a.Key, new: b.Key, fromResult: r.onSide && r.side == r.result && r.result.diff == nil}
	for i, row := range []*model.Row{a, b} {
		c.names[i] = s.rowName(row) + ", " + s.when(row.Since.Time())
	}
	if !c.fromResult {
		r.result.fromDetail = r.onSide && r.side == r.detail
	}
	of := r.row()
	if of == (task.Key{}) {
		of = b.Key
	}
	from := r.result.fromDetail
	r.result.show(of)
	r.result.diff, r.result.fromDetail = c, from
	r.side, r.onSide = r.result, true
	var cmds []tea.Cmd
	for _, row := range []*model.Row{a, b} {
		if row.Outcome == nil || row.Outcome.Result == nil {
			cmds = append(cmds, r.m.Update(model.ResultMsg{Key: row.Key}))
		}
	}
	return tea.Batch(cmds...)
}

// comparing compares as soon as both results are there.
func (r *Root) comparing() tea.Cmd {
	c := r.result.diff
	if c == nil || c.running || c.doc != nil {
		return nil
	}
	var results [2]*task.Result
	for i, key := range []task.Key{c.old, c.new} {
		row := r.m.Row(key)
		switch {
		case row == nil || row.Outcome != nil && !row.Outcome.Loading && row.Outcome.Result == nil:
			why := "The task is no longer here."
			if row != nil && row.Outcome.Err != nil {
				why = row.Outcome.Err.Error()
			}
			r.fail("Not compared: " + task.CleanMax(why, 400).Line())
			r.endDiff()
			return nil
		case row.Outcome == nil || row.Outcome.Loading:
			return nil
		}
		results[i] = row.Outcome.Result
	}
	c.running = true
	names := c.names
	return func() tea.Msg {
		d := render.Compare(results[0], results[1])
		return comparedMsg{c, d, d.Text(names[0], names[1])}
	}
}

func (r *Root) compared(msg comparedMsg) {
	r.viewOf = viewKey{}
	msg.of.doc, msg.of.text = msg.diff.Document(msg.of.names[0], msg.of.names[1], r.t), msg.text
}

// endDiff leaves a comparison, for the result where it was made from there.
func (r *Root) endDiff() {
	c := r.result.diff
	r.result.diff = nil
	r.viewOf = viewKey{}
	switch {
	case c.fromResult:
	case r.result.fromDetail:
		r.side = r.detail
	default:
		r.side, r.onSide = r.detail, false
	}
}

// diffShown returns the comparison that is looked at, nil for none.
func (r *Root) diffShown() *comparison {
	if r.hasSide() && r.onSide && r.side == r.result {
		return r.result.diff
	}
	return nil
}

// saveDiff writes a comparison into a file.
func (r *Root) saveDiff(c *comparison) tea.Cmd {
	if c.doc == nil {
		r.say("The results are still being compared.")
		return nil
	}
	path, data := filepath.Join(r.o.SaveDir, "callboard-"+fileWord(string(c.new.ID))+"result.diff"), c.text
	return func() tea.Msg {
		path, err := writeNew(path, data)
		return savedMsg{path: path, files: 1, size: len(data), err: err}
	}
}

// picker is the list of results with which one can be compared, the newest first.
type picker struct {
	of   task.Key
	tool task.Text
	keys []task.Key
	list overList
	next int // the row of the board that is looked at next
	done bool
}

// rowsMsg goes on with a picker's search.
type rowsMsg struct{ p *picker }

const (
	// pickAtOnce is how many rows are looked at for results within a key press,
	// and at a time afterwards.
	pickAtOnce = 2000
	// maxPicked is how many results are offered.
	maxPicked = 500
)

// scan looks for results of the same tool among the next rows.
func (p *picker) scan(r *Root, rows int) tea.Cmd {
	b := r.m.Board()
	for end := min(p.next+rows, b.Len()); p.next < end; p.next++ {
		row := b.At(p.next)
		if row.Key != p.of && row.Key.Server == p.of.Server && row.Tool == p.tool && hasResult(row) && !slices.Contains(p.keys, row.Key) {
			p.keys = append(p.keys, row.Key)
		}
		if len(p.keys) >= 2*maxPicked {
			p.sort(r)
		}
	}
	if p.next < b.Len() {
		return func() tea.Msg { return rowsMsg{p} }
	}
	p.done = true
	p.sort(r)
	if len(p.keys) == 0 {
		words := "No other result of this server is here that it could be compared with."
		if !p.tool.IsZero() {
			words = "No other result of " + task.CleanLine(p.tool.Line(), 60).Line() + " is here that it could be compared with."
		}
		if b.Filter() != "" {
			words += " What the filter hides is left out."
		}
		r.say(words)
	}
	return nil
}

func (p *picker) sort(r *Root) {
	p.keys = slices.DeleteFunc(p.keys, func(k task.Key) bool { return r.m.Row(k) == nil })
	slices.SortStableFunc(p.keys, func(a, b task.Key) int { return cmp.Compare(r.m.Row(b).Since, r.m.Row(a).Since) })
	p.keys = p.keys[:min(len(p.keys), maxPicked)]
}

func (r *Root) rowsFound(msg rowsMsg) tea.Cmd {
	if r.over != msg.p {
		return nil
	}
	cmd := msg.p.scan(r, pickAtOnce)
	if msg.p.done && len(msg.p.keys) == 0 {
		r.over = nil
	}
	return cmd
}

func (p *picker) typing() bool { return false }

func (p *picker) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
	case key.Matches(k, r.k.Everywhere.Back):
		r.over = nil
	case key.Matches(k, r.k.List.Open):
		return p.pick(r)
	case p.list.win.key(&r.k.List, k, len(p.keys)):
	default:
		r.say(keyOf(r.k.List.Open) + " compares with the line, " + keyOf(r.k.Everywhere.Back) + " leaves.")
	}
	return nil
}

func (p *picker) pick(r *Root) tea.Cmd {
	if p.list.win.cursor >= len(p.keys) {
		r.say("Still looking for results.")
		return nil
	}
	r.over = nil
	a, b := r.m.Row(p.of), r.m.Row(p.keys[p.list.win.cursor])
	if a == nil || b == nil {
		r.say("The task is no longer here.")
		return nil
	}
	return r.showDiff(a, b)
}

func (p *picker) draw(r *Root, s *scene, screen []string) {
	p.list.draw(r, s, screen, &overLook{
		title: p.question(), w: min(r.width-2, 76), n: len(p.keys), none: "Looking for results.",
		line: func(i, w int) string {
			row := s.m.Row(p.keys[i])
			if row == nil {
				return s.fit("gone", w)
			}
			st := s.statusOf(row)
			return s.fit(s.rowID(row.Key, 19)+"  "+st.role.Paint(s.fit(st.glyph+" "+st.word, 13))+" "+s.when(row.Since.Time())+"  "+message(row), w)
		},
	})
}

// click chooses the result that is pressed; pressed again it is compared.
func (p *picker) click(r *Root, x, y int) tea.Cmd {
	if p.list.click(x, y, len(p.keys)) {
		return p.pick(r)
	}
	return nil
}

func (p *picker) wheel(_ *Root, _, _, by int) { p.list.win.scroll(by, len(p.keys)) }

func (p *picker) hints(r *Root) []key.Binding {
	return []key.Binding{named(r.k.List.Open, "compare"), r.k.List.Down, r.k.List.Up, r.k.Everywhere.Back}
}

// question is the picker's title. All results in it are of one tool.
func (p *picker) question() string {
	if p.tool.IsZero() {
		return "Compare with which result?"
	}
	return "Compare with which result of " + task.CleanLine(p.tool.Line(), 30).Line() + "?"
}

func (p *picker) foot(r *Root, s *scene) string { return s.hintRow(p.hints(r), r.width) }
