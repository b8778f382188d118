package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// tasksPane is the table. The cursor stands on a task, not on a line: when
// rows move it goes along, and a table that is scrolled moves so that the task
// stays where it was on the screen.
type tasksPane struct {
	win     window
	at      task.Key // the row under the cursor, zero while the table is empty
	touched bool     // a key was pressed
	settled bool     // the servers told their tasks: until then the cursor stays on top
	loose   bool     // a new filter hides the row: the cursor keeps its line until all rows are found
	shift   int      // columns behind the first that are scrolled out
	// tools and progress say that a row in sight had one. Where none has, as of
	// tasks that others started, the column is left out; once there it stays.
	tools, progress bool
	// toolWidth, serverWidth and words are how many cells the widest tool,
	// server and message that were in sight need. They only grow, so that columns
	// hold still.
	toolWidth, serverWidth, words int

	// chosen are the columns that the person chose, nil for those that fit;
	// chosenOf is what they were made of.
	chosen   []column
	chosenOf string

	marked task.Key // the row that was marked last, where a range begins
	follow bool     // the cursor stays on the task that began last

	lines   []string // the last view, and what it was made of
	linesOf tableKey
}

// tableKey is what the table's lines depend on.
type tableKey struct {
	rev            uint64
	w, h           int
	cursor, offset int
	shift          int
	at             task.Key
	now            time.Time
	theme          *themes.Theme
	focused, many  bool
}

// settle lets the cursor follow its task after rows may have moved. It runs
// after each message, so that what is seen is what keys act on. A cursor that
// nobody moved goes along too, as what is read there may be acted on; but not
// out of the first window, where nobody would look for it.
func (p *tasksPane) settle(m *model.Model) {
	p.settled = p.settled || told(m)
	board := m.Board()
	n := board.Len()
	p.loose = p.loose && board.Busy()
	if n == 0 {
		p.loose = board.Busy()
		p.at, p.win.cursor, p.win.offset = task.Key{}, 0, 0
		return
	}
	if row := m.Row(p.at); row != nil {
		p.at = row.Key // a call that became a task
	}
	rank, ok := board.Rank(p.at)
	p.loose = p.loose || !ok && board.Busy()
	switch {
	case p.followed(board):
	case p.loose && p.touched:
	case p.loose:
		p.win.cursor, p.win.offset = 0, 0
	case ok && p.touched:
		if p.win.offset > 0 { // at the top, what is new stays in sight
			p.win.offset += rank - p.win.cursor
		}
		p.win.cursor = rank
	case ok && p.settled && rank < p.win.height:
		p.win.cursor, p.win.offset = rank, 0
	case !p.touched:
		p.win.cursor, p.win.offset = 0, 0
	}
	p.win.show(n, p.win.height)
	p.at = board.At(p.win.cursor).Key
}

// unlisted is how long a server that lists nothing has to tell of the tasks that
// it is asked for by their ids.
const unlisted = 2 * time.Second

// told reports whether each server that is reached has told its tasks.
func told(m *model.Model) bool {
	for _, l := range m.Links() {
		if l.Swept.IsZero() && l.SweepErr == "" && (l.State == model.Live || l.State == model.Connecting) {
			return false
		}
		if l.Swept.IsZero() && l.State != model.Down && time.Since(l.Since) < unlisted {
			return false
		}
	}
	return true
}

// take puts the cursor onto a row.
func (p *tasksPane) take(m *model.Model, key task.Key) {
	p.at, p.touched, p.loose = key, true, false
	p.settle(m)
}

func (p *tasksPane) title(s *scene) string {
	b := s.m.Board()
	dot := " " + s.t.Glyphs.Dot + " "
	title, f := fmt.Sprintf("Tasks %d", b.Total()), b.Filter()
	if f != "" {
		title = fmt.Sprintf("Tasks %d of %d", b.Len(), b.Total())
	}
	for _, part := range p.standing(s) { // what is easily forgotten goes before what may be long
		title += dot + part
	}
	if f != "" {
		title += dot + "/" + task.CleanLine(f, 200).Line()
	}
	by, reversed := b.Sort()
	if !p.shows(by) {
		title += " " + s.t.Glyphs.Dot + " by " + strings.ToLower(columnOf(by).title) + " " + arrow(s, by, reversed)
	}
	if b.Busy() {
		done, total := b.Progress()
		title += fmt.Sprintf(" %s %d%%", s.t.Glyphs.Dot, done*100/max(total, 1))
	}
	return title
}

func (p *tasksPane) note(s *scene) string {
	return p.win.place(s.m.Board().Len())
}

// shows reports whether a column was in sight in the last view.
func (p *tasksPane) shows(by model.Column) bool {
	if p.linesOf.w == 0 {
		return true
	}
	for _, c := range p.columns(p.linesOf.w, p.linesOf.many) {
		if c.by == by && c.key != nil {
			return true
		}
	}
	return false
}

func (p *tasksPane) view(s *scene, w, h int, focused bool) []string {
	board := s.m.Board()
	if board.Len() == 0 {
		p.linesOf = tableKey{w: w, many: s.many}
		return p.empty(s, w, h)
	}
	p.win.show(board.Len(), h-1)
	k := tableKey{
		s.m.Revision(), w, h, p.win.cursor, p.win.offset, p.shift, p.at, s.now, s.t, focused, s.many,
	}
	if k == p.linesOf {
		return p.lines
	}
	p.lines, p.linesOf = p.draw(s, w, h, focused), k
	return p.lines
}

// draw makes the lines of the rows in sight, and of no others.
func (p *tasksPane) draw(s *scene, w, h int, focused bool) []string {
	board := s.m.Board()
	for i := p.win.offset; i < board.Len() && i < p.win.offset+h; i++ {
		row := board.At(i)
		p.tools = p.tools || !row.Tool.IsZero()
		p.progress = p.progress || row.Progress != nil && row.Live()
		if p.toolWidth < 2*mostTool {
			p.toolWidth = max(p.toolWidth, width(row.Tool.Line()))
		}
		if s.many {
			p.serverWidth = max(p.serverWidth, width(s.guard(row.Key.Server)+task.CleanLine(row.Key.Server, 100).Line()))
		}
		if words := message(row); len(words) > p.words { // a cell is a byte at least
			p.words = max(p.words, width(words))
		}
	}
	cols := p.columns(w, s.many)
	lines := make([]string, 0, h)
	lines = append(lines, p.head(s, cols, w))
	for i := p.win.offset; i < board.Len() && len(lines) < h; i++ {
		lines = append(lines, s.tableRow(board.At(i), cols, w, i == p.win.cursor, focused))
	}
	return lines
}

// head is the line of the columns' names, with an arrow at the sorted one.
func (p *tasksPane) head(s *scene, cols []column, w int) string {
	by, reversed := s.m.Board().Sort()
	var b strings.Builder
	b.WriteString("  ")
	for i, c := range cols {
		name := c.title
		if c.by == by && c.key != nil {
			name += " " + arrow(s, by, reversed)
		}
		if i > 0 {
			b.WriteString(columnGap)
		}
		if c.right {
			b.WriteString(s.fitRight(name, c.width))
		} else {
			b.WriteString(s.fit(name, c.width))
		}
	}
	return s.t.Header.Paint(s.cut(b.String(), w))
}

// arrow points up where what the column shows grows from line to line, and down
// where its greatest stands on top.
func arrow(s *scene, by model.Column, reversed bool) string {
	if columnOf(by).falls == reversed {
		return s.t.Glyphs.Rising
	}
	return s.t.Glyphs.Falling
}

// empty says what is so, why, and which key helps.
func (p *tasksPane) empty(s *scene, w, h int) []string {
	b := s.m.Board()
	if f := b.Filter(); f != "" && b.Total() > 0 {
		none := "No task passes the filter; " + keyOf(s.k.Everywhere.Back) + " clears it."
		if b.Busy() {
			done, total := b.Progress()
			none = fmt.Sprintf("No task passes the filter among the first %d of %d.", done, total)
		}
		words := []string{
			none,
			"",
			"/" + task.CleanLine(f, 200).Line() + " hides " + count(b.Total(), "task", "tasks") + ".",
		}
		head := p.head(s, p.columns(w, s.many), w)
		return append([]string{head}, s.centred(words, w, h-1)...)
	}
	words := s.m.Why(s.k.Key)
	if len(words) == 0 {
		words = []string{"No tasks yet."}
	}
	e := &s.k.Everywhere
	words = append(s.apart(words), "", keyOf(e.Refresh)+" asks again, "+keyOf(e.Servers)+" shows the servers, "+keyOf(e.Help)+" the keys.")
	return s.centred(words, w, h)
}

// apart puts a blank line between what is said of several servers.
func (s *scene) apart(words []string) []string {
	var out []string
	for i, w := range words {
		for name := range s.links {
			if i > 0 && s.many && strings.HasPrefix(w, name+" ") {
				out = append(out, "")
			}
		}
		out = append(out, w)
	}
	return out
}

func (p *tasksPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	board := r.m.Board()
	if p.win.key(&r.k.List, k, board.Len()) {
		if board.Len() > 0 {
			p.at, p.loose = board.At(p.win.cursor).Key, false
		}
		if p.follow {
			p.follow = false
			r.say("Not following any more: " + keyOf(r.k.Table.Follow) + " follows again.")
		}
		return nil, true
	}
	switch {
	case key.Matches(k, r.k.List.Left):
		if p.shift == 0 {
			r.say("The first columns are in sight.")
		}
		p.shift = max(p.shift-1, 0)
		return nil, true
	case key.Matches(k, r.k.List.Right):
		return nil, p.shiftRight(r)
	case key.Matches(k, r.k.List.Open):
		return r.openRow(p.at), true
	case key.Matches(k, r.k.List.Filter):
		r.openFilter()
		return nil, true
	}
	if cmd, ok := p.act(r, k); ok {
		return cmd, true
	}
	for _, c := range columns {
		if key.Matches(k, c.key(&r.k.Sort)) {
			p.follow = p.follow && c.by == model.ByAge
			return r.m.Update(model.SortMsg{By: c.by}), true
		}
	}
	return nil, false
}

func (p *tasksPane) shiftRight(r *Root) bool {
	all := len(p.shown(p.linesOf.many))
	if p.shift == 0 && len(p.columns(p.linesOf.w, p.linesOf.many)) == all {
		r.say("All columns are in sight.")
	} else if p.shift < all-2 {
		p.shift++
	} else {
		r.say("The last column is in sight.")
	}
	return true
}

// reached reports whether some server answers.
func (r *Root) reached() bool {
	return slices.ContainsFunc(r.m.Links(), func(l model.LinkView) bool {
		return l.State == model.Live || l.State == model.Quiet
	})
}

func (p *tasksPane) hints(r *Root) []key.Binding {
	e, l := &r.k.Everywhere, &r.k.List
	keys := p.manyKeys(r, r.rowKeys(p.at))
	if b := arrange(r.width, r.height, 1, wishes{side: true}); len(keys) > 0 && b.side.w == 0 {
		keys = append(keys, named(e.NextPane, "detail"))
	}
	if r.m.Board().Total() > 0 {
		keys = append(keys, named(l.Filter, "filter"))
	}
	if len(keys) == 0 && !r.reached() {
		return []key.Binding{e.Refresh, e.Servers, e.Log}
	}
	return append(keys, e.New, e.Inbox, e.Log, e.Servers)
}

// rowKeys are the keys that do something about a row now, the most wanted
// first.
func (r *Root) rowKeys(of task.Key) []key.Binding {
	row := r.m.Row(of)
	if row == nil {
		return nil
	}
	e, l, t := &r.k.Everywhere, &r.k.List, &r.k.Task
	var keys []key.Binding
	if w := row.Wish; w != nil && (w.State == model.WishFailed || w.State == model.WishUnknown) {
		keys = append(keys, named(e.Retry, "retry"))
	}
	if asks(row) && r.m.CanAnswer(of) == "" {
		keys = append(keys, e.Answer)
	}
	if hasResult(row) {
		keys = append(keys, named(l.Open, "result"), named(t.Save, "save"))
	}
	if r.m.CanCancel(of) == "" {
		keys = append(keys, t.Cancel)
	}
	if row.Call != nil && r.m.CanStart(of.Server) == "" {
		keys = append(keys, t.Again)
	}
	return keys
}

// hasResult reports whether a row has a result to open.
func hasResult(row *model.Row) bool {
	return row.Outcome != nil || row.Task.Status.Terminal() && row.Mark != model.NotOurs
}
