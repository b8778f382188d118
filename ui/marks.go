package ui

import (
	"fmt"
	"slices"
	"strings"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// rangeMost is how many rows one key marks, idsMost how many ids are copied at
// once: what a key does must not take long.
const (
	rangeMost = 10_000
	idsMost   = 2000
)

// act takes the keys of the table that are about marks and how it stands.
func (p *tasksPane) act(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	t := &r.k.Table
	switch {
	case key.Matches(k, t.Mark):
		return p.mark(r), true
	case key.Matches(k, t.Range):
		return p.markRange(r), true
	case key.Matches(k, t.MarkAll):
		if r.m.Board().Len() == 0 {
			r.say("There is no task to mark.")
			return nil, true
		}
		return r.m.Update(model.MarkAllMsg{On: true}), true
	case key.Matches(k, t.MarkNone):
		if r.m.Marked() == 0 && !r.m.Marking() {
			r.say("Nothing is marked. " + keyOf(t.Mark) + " marks.")
			return nil, true
		}
		return r.m.Update(model.MarkAllMsg{}), true
	case key.Matches(k, t.Pause):
		p.follow = false
		return r.m.Update(model.PauseMsg{On: !r.m.Board().Paused()}), true
	case key.Matches(k, t.Follow):
		return p.startFollow(r), true
	case key.Matches(k, t.Many):
		r.openBulk()
		return nil, true
	case key.Matches(k, t.Filters):
		r.openSaved()
		return nil, true
	case key.Matches(k, t.Columns):
		r.openColumns()
		return nil, true
	}
	return nil, false
}

// mark marks the row under the cursor, or takes its mark away, and goes on to the
// next one.
func (p *tasksPane) mark(r *Root) tea.Cmd {
	row := r.m.Row(p.at)
	if row == nil {
		r.say("There is no task to mark.")
		return nil
	}
	on := !row.Marked
	if on {
		p.marked = row.Key
	}
	cmd := r.m.Update(model.MarkMsg{Keys: []task.Key{row.Key}, On: on})
	p.down(r)
	return cmd
}

// down moves the cursor to the next row.
func (p *tasksPane) down(r *Root) {
	board := r.m.Board()
	p.win.cursor++
	p.win.show(board.Len(), p.win.height)
	if row := board.At(p.win.cursor); row != nil {
		p.at, p.loose, p.follow = row.Key, false, false
	}
}

// markRange marks the rows from the last one that was marked to the cursor.
func (p *tasksPane) markRange(r *Root) tea.Cmd {
	board := r.m.Board()
	from, ok := board.Rank(p.marked)
	row := r.m.Row(p.marked)
	to := p.win.cursor
	switch {
	case board.Len() == 0:
		r.say("There is no task to mark.")
		return nil
	case row == nil || !row.Marked:
		r.say("A range begins at the row that was marked last: " + keyOf(r.k.Table.Mark) + " marks it.")
		return nil
	case !ok:
		r.say("The filter hides the row that was marked last, where the range would begin.")
		return nil
	case max(from-to, to-from) >= rangeMost:
		r.say(fmt.Sprintf("A range has at most %d rows; %s marks all that pass the filter.", rangeMost, keyOf(r.k.Table.MarkAll)))
		return nil
	}
	low, high := min(from, to), max(from, to)
	keys := make([]task.Key, 0, high-low+1)
	for i := low; i <= high; i++ {
		keys = append(keys, board.At(i).Key)
	}
	p.marked = p.at
	return r.m.Update(model.MarkMsg{Keys: keys, On: true})
}

// startFollow keeps the cursor on the task that began last, or stops that. The
// table is sorted by age for it: then the newest is where the rows begin.
func (p *tasksPane) startFollow(r *Root) tea.Cmd {
	if p.follow {
		p.follow = false
		r.say("Not following any more.")
		return nil
	}
	p.follow = true
	var cmds []tea.Cmd
	if r.m.Board().Paused() {
		cmds = append(cmds, r.m.Update(model.PauseMsg{}))
	}
	for range 2 { // the same again reverses
		if by, reversed := r.m.Board().Sort(); by != model.ByAge || reversed {
			cmds = append(cmds, r.m.Update(model.SortMsg{By: model.ByAge}))
		}
	}
	return tea.Batch(cmds...)
}

// followed puts the cursor onto the newest row while it follows; it reports whether
// it does.
func (p *tasksPane) followed(board *model.Board) bool {
	by, reversed := board.Sort()
	if p.follow = p.follow && by == model.ByAge && !board.Paused(); !p.follow {
		return false
	}
	p.win.cursor, p.loose = 0, false
	if reversed {
		p.win.cursor = board.Len() - 1
	}
	return true
}

// standing is what the title says of marks, pause and following.
func (p *tasksPane) standing(s *scene) []string {
	var parts []string
	if n := s.m.Marked(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d marked", n))
	}
	if s.m.Marking() {
		parts = append(parts, "marking")
	}
	if b := s.m.Board(); b.Paused() {
		words := "paused"
		if n := b.Waiting(); n > 0 {
			words += fmt.Sprintf(", %d %s", n, plural(n, "waits", "wait"))
		}
		parts = append(parts, words)
	}
	if p.follow {
		parts = append(parts, "following")
	}
	return parts
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// many reports whether keys act on the marked rows: the table has the keys, and
// some are marked.
func (r *Root) many() bool { return r.at == atTasks && !r.onSide && r.m.Marked() > 0 }

// copyIDs copies the ids of the marked tasks, one a line.
func (r *Root) copyIDs() tea.Cmd {
	if n := r.m.Marked(); n > idsMost {
		r.say(fmt.Sprintf("%d ids are too many for a clipboard: %d at most.", n, idsMost))
		return nil
	}
	var ids []string
	for _, row := range r.m.MarkedRows(0) {
		if row.Key.ID != "" {
			ids = append(ids, strings.NewReplacer("\n", " ", "\r", " ").Replace(string(row.Key.ID)))
		}
	}
	if len(ids) == 0 {
		r.say("Plain calls have no ids.")
		return nil
	}
	return r.copyText(count(len(ids), "id", "ids"), strings.Join(ids, "\n")+"\n")
}

// manyKeys puts the keys for the marked rows before those for one, and the way out
// of a pause before all.
func (p *tasksPane) manyKeys(r *Root, keys []key.Binding) []key.Binding {
	t, table := &r.k.Task, &r.k.Table
	if n := r.m.Marked(); n > 0 {
		one := func(b key.Binding) bool { return keyOf(b) == keyOf(t.Cancel) || keyOf(b) == keyOf(t.Copy) }
		keys = append([]key.Binding{
			named(t.Cancel, fmt.Sprintf("cancel %d", n)), named(t.Copy, "copy "+count(n, "id", "ids")), named(table.MarkNone, "unmark"),
		}, slices.DeleteFunc(keys, one)...)
	}
	if r.m.Board().Paused() {
		keys = append([]key.Binding{named(table.Pause, "go on")}, keys...)
	}
	return keys
}

// alone adds, where rows are marked, that a key is about the one under the cursor.
func (r *Root) alone() {
	if r.at != atTasks || r.m.Marked() == 0 {
		return
	}
	words := "That is for the row under the cursor: marks are for " + keyOf(r.k.Task.Cancel) + " and " + keyOf(r.k.Task.Copy) + "."
	r.said = note{text: strings.TrimSpace(r.said.text + " " + words), bad: r.said.bad, at: r.now}
}
