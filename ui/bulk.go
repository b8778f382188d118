package ui

import (
	"fmt"
	"slices"
	"strings"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// siftRows is how many marked rows are looked at in one message.
const siftRows = 5000

// manyConfirm asks whether the marked tasks should be cancelled, and lists them:
// those that will be, by server, and those that cannot be, with why.
type manyConfirm struct {
	rows    []*model.Row // still to be looked at
	keys    []task.Key   // that will be cancelled
	skipped []model.BulkFailure
	servers map[string]int
	order   []string // of servers
	text    scroll
	buttons buttons
}

// siftMsg looks at the next marked rows of of.
type siftMsg struct{ of *manyConfirm }

// askCancelMany asks whether the marked tasks should be cancelled.
func (r *Root) askCancelMany() tea.Cmd {
	if r.m.Marking() {
		r.say("The marks are still being set. Press it again when they are.")
		return nil
	}
	c := &manyConfirm{rows: r.m.MarkedRows(0), servers: map[string]int{}}
	r.over = c
	return c.sift(r)
}

// sift looks which of the next rows can be cancelled.
func (c *manyConfirm) sift(r *Root) tea.Cmd {
	n := min(siftRows, len(c.rows))
	for _, row := range c.rows[:n] {
		if why := r.m.CanCancel(row.Key); why != "" {
			c.skipped = append(c.skipped, model.BulkFailure{Key: row.Key, Why: why})
			continue
		}
		if c.servers[row.Key.Server]++; c.servers[row.Key.Server] == 1 {
			c.order = append(c.order, row.Key.Server)
		}
		c.keys = append(c.keys, row.Key)
	}
	if c.rows = c.rows[n:]; len(c.rows) == 0 {
		return nil
	}
	return func() tea.Msg { return siftMsg{c} }
}

func (c *manyConfirm) typing() bool { return false }

func (c *manyConfirm) update(r *Root, msg tea.Msg) tea.Cmd {
	if m, ok := msg.(siftMsg); ok && m.of == c {
		return c.sift(r)
	}
	k, ok := msg.(tea.KeyMsg)
	switch keys := &r.k.Confirm; {
	case !ok || k.Paste:
	case key.Matches(k, keys.No):
		r.over = nil
		r.say("Nothing was done.")
	case key.Matches(k, keys.Yes):
		return c.accept(r)
	case c.scrolled(r, k):
	default:
		r.say("Press " + keyOf(keys.Yes) + " for yes, " + keysOr(keys.No) + " for no.")
	}
	return nil
}

func (c *manyConfirm) scrolled(r *Root, k tea.KeyMsg) bool {
	m := &r.k.Many
	by, ok := 0, true
	switch {
	case key.Matches(k, m.Up):
		by = -1
	case key.Matches(k, m.Down):
		by = 1
	case key.Matches(k, m.PageUp):
		by = -c.text.height
	case key.Matches(k, m.PageDown):
		by = c.text.height
	default:
		ok = false
	}
	c.text.scroll(by)
	return ok
}

func (c *manyConfirm) accept(r *Root) tea.Cmd {
	switch {
	case len(c.rows) > 0:
		r.say("The marked rows are still being looked at. Press it again when they are.")
		return nil
	case len(c.keys) == 0:
		r.over = nil
		r.say("None of them can be cancelled: nothing was done.")
		return nil
	}
	r.over = nil
	words := asSentence(count(len(c.keys), "task is", "tasks are") + " cancelled")
	return r.guarded(c.order, words, func(r *Root) tea.Cmd {
		if b := r.m.Bulk(); b == nil || !b.Running {
			r.bulkOn = nil
		}
		for _, name := range c.order {
			if !slices.Contains(r.bulkOn, name) {
				r.bulkOn = append(r.bulkOn, name)
			}
		}
		cmd := r.m.Update(model.CancelManyMsg{Keys: c.keys})
		return tea.Batch(cmd, r.m.Update(model.MarkAllMsg{}))
	})
}

// head is what stands above the list: what will be done, and on which servers.
func (c *manyConfirm) head(s *scene, w int) []string {
	var on []string
	for _, name := range c.order {
		on = append(on, fmt.Sprintf("%d on %s", c.servers[name], strings.TrimSpace(s.badge(name))))
	}
	var lines []string
	if len(on) > 0 {
		lines = append(lines, render.Wrap(strings.Join(on, ", "), w)...)
	}
	lines = append(lines, render.Wrap(cancelProves, w)...)
	if n := len(c.skipped); n > 0 {
		lines = append(lines, s.t.Warning.Paint(s.cut(count(n, "cannot be cancelled, and is skipped", "cannot be cancelled, and are skipped")+c.where(), w)))
	}
	return lines
}

// where says where in the list what is skipped stands.
func (c *manyConfirm) where() string {
	if len(c.keys) == 0 {
		return ":"
	}
	return ": last in the list"
}

// line is a line of the list: first what will be cancelled, which is what yes is
// said to.
func (c *manyConfirm) line(s *scene, i, w int) string {
	if i >= len(c.keys) {
		f := &c.skipped[i-len(c.keys)]
		return s.t.Dim.Paint(s.cut(s.bulkName(f.Key)+": "+oneLine(f.Why), w))
	}
	key := c.keys[i]
	row := s.m.Row(key)
	if row == nil {
		return s.cut(s.bulkName(key)+": gone", w)
	}
	st := s.statusOf(row)
	return s.cut(st.role.Paint(st.glyph+" "+s.fit(st.word, 11))+" "+s.bulkName(key)+"  "+message(row), w)
}

// bulkName names a task in a list over several servers.
func (s *scene) bulkName(key task.Key) string {
	name := s.shortID(key.ID.Text().Line(), 13)
	if key.ID == "" {
		name = "(call)"
	}
	if row := s.m.Row(key); row != nil && !row.Tool.IsZero() {
		name += " " + s.cut(row.Tool.Line(), 20)
	}
	if s.many {
		name = s.serverName(key.Server, 14) + " " + s.t.Glyphs.Dot + " " + name
	}
	return name
}

func (c *manyConfirm) draw(r *Root, s *scene, screen []string) {
	w := min(r.width-2, 76)
	head := c.head(s, w-4)
	n := len(c.skipped) + len(c.keys)
	most := max(len(screen)-len(head)-7, 1)
	c.text.height, c.text.n = min(most, max(n, 1)), n
	c.text.scroll(0)
	lines := make([]string, 0, most+len(head)+2)
	for _, l := range head {
		lines = append(lines, " "+l)
	}
	lines = lines[:min(len(lines), max(len(screen)-7, 1))]
	lines = append(lines, "")
	for i := c.text.top; i < n && i < c.text.top+c.text.height; i++ {
		lines = append(lines, " "+c.line(s, i, w-4))
	}
	title := fmt.Sprintf("Cancel %d of %d marked?", len(c.keys), n)
	switch {
	case len(c.rows) > 0:
		title = fmt.Sprintf("Looking at %d marked", n+len(c.rows))
	case c.none():
		title = fmt.Sprintf("None of %d marked can be cancelled", n)
	}
	c.buttons.draw(r, s, screen, lines, w, title, c.text.note(), c.answers(r))
}

// none reports whether nothing is left to be asked.
func (c *manyConfirm) none() bool { return len(c.rows)+len(c.keys) == 0 }

// answers are the keys that answer it.
func (c *manyConfirm) answers(r *Root) []key.Binding {
	if c.none() {
		return []key.Binding{named(r.k.Confirm.No, "back")}
	}
	return []key.Binding{r.k.Confirm.Yes, r.k.Confirm.No}
}

func (c *manyConfirm) hints(r *Root) []key.Binding {
	return append(c.answers(r), named(r.k.Many.Down, "scroll"))
}

func (c *manyConfirm) foot(r *Root, s *scene) string { return s.hintRow(c.hints(r), r.width) }

func (c *manyConfirm) click(r *Root, x, y int) tea.Cmd { return c.buttons.click(r, x, y, c.answers(r)) }

func (c *manyConfirm) wheel(_ *Root, _, _, by int) { c.text.scroll(by) }

// bulkLine says above the footer how far the cancel of many has come, "" where
// there is none, or nothing that was not seen.
func (r *Root) bulkLine() string {
	b := r.m.Bulk()
	if b == nil || !b.Running && (!b.Ended.After(r.bulkSeen) || bulkWell(b)) { // that it went well says the model
		return ""
	}
	words := bulkWords(b)
	if b.Running {
		if waits := r.m.BulkWaits(); len(waits) > 0 {
			words += "; " + oneLine(task.CleanLine(strings.Join(waits, ", "), 200).Line())
		}
	}
	return words
}

// bulkWell reports whether nothing of a cancel of many is left to look at.
func bulkWell(b *model.Bulk) bool { return len(b.Failed)+len(b.Unknown)+b.Stopped == 0 }

// bulkWords is the sum of a cancel of many in words.
func bulkWords(b *model.Bulk) string {
	words := fmt.Sprintf("Cancel of %d: %d acknowledged", b.Total, b.Done) // it proves no end
	if b.Running {
		words = fmt.Sprintf("Cancelling %d: %d acknowledged", b.Total, b.Done)
	}
	for _, p := range []struct {
		n    int
		word string
	}{{len(b.Failed), "failed"}, {len(b.Unknown), "unknown"}, {len(b.Skipped), "skipped"}, {b.Stopped, "stopped"}} {
		if p.n > 0 {
			words += fmt.Sprintf(", %d %s", p.n, p.word)
		}
	}
	return words
}

// bulkOverlay lists what a cancel of many did not do, and why.
type bulkOverlay struct{ list overList }

func (r *Root) openBulk() {
	if r.m.Bulk() == nil {
		r.say("Nothing was cancelled together yet: " + keyOf(r.k.Table.Mark) + " marks tasks, " + keyOf(r.k.Task.Cancel) + " cancels those that are marked.")
		return
	}
	r.over, r.read = &bulkOverlay{}, r.now // the list says more than the model's sentence
}

// bulkItems is how many lines the list has; bulkItem is one of them.
func bulkItems(b *model.Bulk) int { return len(b.Failed) + len(b.Unknown) + len(b.Skipped) }

func bulkItem(b *model.Bulk, i int) (word string, f *model.BulkFailure) {
	for _, part := range []struct {
		word string
		of   []model.BulkFailure
	}{{"failed", b.Failed}, {"unknown", b.Unknown}, {"skipped", b.Skipped}} {
		if i < len(part.of) {
			return part.word, &part.of[i]
		}
		i -= len(part.of)
	}
	return "", nil
}

func (o *bulkOverlay) typing() bool { return false }

func (o *bulkOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	b, keys := r.m.Bulk(), &r.k.Many
	if !ok || k.Paste || b == nil {
		return nil
	}
	n := bulkItems(b)
	switch {
	case key.Matches(k, keys.Up):
		o.list.win.cursor--
	case key.Matches(k, keys.Down):
		o.list.win.cursor++
	case key.Matches(k, keys.PageUp):
		o.list.win.cursor -= o.list.win.height
	case key.Matches(k, keys.PageDown):
		o.list.win.cursor += o.list.win.height
	case key.Matches(k, keys.Leave):
		r.over, r.bulkSeen = nil, r.now
	case key.Matches(k, keys.Open):
		o.open(r, b)
	case key.Matches(k, keys.Stop):
		if !b.Running {
			r.say("It has ended: there is nothing to stop.")
			return nil
		}
		return r.m.Update(model.StopBulkMsg{})
	case key.Matches(k, keys.Retry):
		return o.retry(r, b)
	default:
		r.say(keyWord(k) + " does nothing here. " + keysOr(keys.Leave) + " leads back.")
	}
	o.list.win.show(n, max(o.list.win.height, 1))
	return nil
}

// open goes to the task of a line.
func (o *bulkOverlay) open(r *Root, b *model.Bulk) {
	_, f := bulkItem(b, o.list.win.cursor)
	if f == nil {
		r.say("There is no task in the list.")
		return
	}
	row := r.m.Row(f.Key)
	if row == nil {
		r.say("Its row is no longer in the table.")
		return
	}
	r.over, r.bulkSeen = nil, r.now
	r.tasks.follow = false
	r.goTo(row)
	if _, ok := r.m.Board().Rank(row.Key); !ok {
		r.say("The filter hides it: " + keyOf(r.k.Everywhere.Back) + " clears the filter.")
	}
}

func (o *bulkOverlay) retry(r *Root, b *model.Bulk) tea.Cmd {
	n := len(b.Failed) + b.Stopped
	if n == 0 {
		r.say("Nothing failed that could be sent again.")
		return nil
	}
	words := asSentence(count(n, "cancel is", "cancels are") + " sent again")
	return r.guarded(r.bulkOn, words, func(r *Root) tea.Cmd { return r.m.Update(model.RetryBulkMsg{}) })
}

func (o *bulkOverlay) draw(r *Root, s *scene, screen []string) {
	b := r.m.Bulk()
	if b == nil {
		return
	}
	w := min(r.width-2, 100)
	var head []string
	for _, part := range render.Wrap(bulkWords(b)+".", w-4) {
		head = append(head, " "+part)
	}
	if len(b.Unknown) > 0 {
		for _, part := range render.Wrap("Of the unknown nobody knows whether the cancel arrived: they are not sent again.", w-4) {
			head = append(head, " "+part)
		}
	}
	none := "Nothing failed so far."
	if !b.Running {
		none = "Nothing failed. The rows say what became of the tasks: some may still end otherwise."
	}
	o.list.draw(r, s, screen, &overLook{
		title: "Cancel of many", w: w, head: append(head, ""), n: bulkItems(b), none: none,
		line: func(i, w int) string {
			word, f := bulkItem(b, i)
			return s.fit(s.fit(word, 8)+" "+s.bulkName(f.Key)+": "+oneLine(f.Why), w)
		},
	})
}

// click chooses the line that is pressed; pressed again it goes to its task.
func (o *bulkOverlay) click(r *Root, x, y int) tea.Cmd {
	if b := r.m.Bulk(); b != nil && o.list.click(x, y, bulkItems(b)) {
		o.open(r, b)
	}
	return nil
}

func (o *bulkOverlay) wheel(r *Root, _, _, by int) {
	if b := r.m.Bulk(); b != nil {
		o.list.win.scroll(by, bulkItems(b))
	}
}

func (o *bulkOverlay) hints(r *Root) []key.Binding {
	keys, b := []key.Binding{}, r.m.Bulk()
	m := &r.k.Many
	if b != nil && bulkItems(b) > 0 {
		keys = append(keys, m.Open)
	}
	if b != nil && len(b.Failed)+b.Stopped > 0 {
		keys = append(keys, named(m.Retry, "retry"))
	}
	if b != nil && b.Running {
		keys = append(keys, named(m.Stop, "stop"))
	}
	return append(keys, m.Leave)
}

func (o *bulkOverlay) foot(r *Root, s *scene) string { return s.hintRow(o.hints(r), r.width) }
