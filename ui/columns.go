package ui

import (
	"math"
	"slices"
	"strings"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/themes"

	"github.com/charmbracelet/bubbles/key"
)

const columnGap = "  "

// column is one column of the table. The message column takes what the others
// leave.
type column struct {
	name  string // in the configuration
	by    model.Column
	title string
	width int // 0: takes what is left
	right bool
	// least is the width of the table from which on the column is shown.
	least int
	key   func(*keymap.Sort) key.Binding // nil: it is not sorted by
	// cell is what stands in it, nil for those that cell knows.
	cell func(*scene, *model.Row) string
	set  bool // the width was chosen
	// falls says that its greatest stands on top when it is sorted by: the most
	// urgent status, the furthest progress.
	falls bool
	// urgent says of the message that it has to tell of the time to live that runs
	// out, since no column does.
	urgent bool
}

// columns are the columns that show without a choice, in their order. What an
// operator can do without goes first when it gets narrow.
var columns = []column{
	{name: "status", by: model.ByStatus, title: "STATUS", width: 12, falls: true, key: func(k *keymap.Sort) key.Binding { return k.Status }},
	{name: "task", by: model.ByTask, title: "TASK", width: 8, least: 34, key: func(k *keymap.Sort) key.Binding { return k.Task }},
	{name: "tool", by: model.ByTool, title: "TOOL", width: 6, key: func(k *keymap.Sort) key.Binding { return k.Tool }},
	{name: "message", by: model.ByMessage, title: "MESSAGE", key: func(k *keymap.Sort) key.Binding { return k.Message }},
	{name: "progress", by: model.ByProgress, title: "PROGRESS", width: 9, falls: true, key: func(k *keymap.Sort) key.Binding { return k.Progress }},
	{name: "age", by: model.ByAge, title: "AGE", width: 5, right: true, least: 44, key: func(k *keymap.Sort) key.Binding { return k.Age }},
	{name: "ttl", by: model.ByTTL, title: "TTL", width: 5, right: true, least: 50, key: func(k *keymap.Sort) key.Binding { return k.TTL }},
	{name: "server", by: model.ByServer, title: "SERVER", width: 8, least: 72, key: func(k *keymap.Sort) key.Binding { return k.Server }},
}

func columnOf(by model.Column) column {
	for _, c := range columns {
		if c.by == by {
			return c
		}
	}
	return columns[0]
}

// shown returns the columns that there are at all: the server's only where
// there are several, tool and progress only where some are known.
func (p *tasksPane) shown(many bool) []column {
	if p.chosen != nil {
		return slices.Clone(p.chosen)
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		return c.by == model.ByServer && !many || c.by == model.ByTool && !p.tools ||
			c.by == model.ByProgress && !p.progress
	})
}

// columns returns the columns of a table w cells wide, each with its width.
// The first one stays when the others are scrolled.
func (p *tasksPane) columns(w int, many bool) []column {
	var cols []column
	used := len(columnGap) // the cursor's glyph
	flex := -1
	ttl, shown := false, p.shown(many)
	tool, progress := p.lasting(shown, w, many)
	for i, c := range shown {
		if i > 0 && i <= p.shift || p.shift == 0 && p.chosen == nil && w < p.from(c, many) {
			continue
		}
		ttl = ttl || c.by == model.ByTTL
		c.width = p.widthIn(c, w)
		if p.shift == 0 && p.chosen == nil && c.optional() {
			if c.width = progress; c.by == model.ByTool {
				c.width = tool
			}
			if c.width == 0 {
				continue
			}
		}
		gap := 0
		if len(cols) > 0 {
			gap = len(columnGap)
		}
		if c.width == 0 {
			c.width = min(leastMessage, max(w-used-gap, 1))
			flex = len(cols)
		}
		if used+gap+c.width > w && len(cols) > 0 {
			break
		}
		used += gap + c.width
		cols = append(cols, c)
	}
	if flex >= 0 && flex < len(cols) {
		cols[flex].urgent = !ttl
		// What is left on a huge screen stays free behind the last column: numbers far
		// from the words that they belong to are hard to read.
		if cols[flex].width += max(w-used, 0); w >= huge {
			cols[flex].width = min(cols[flex].width, max(p.words, mostMessage))
		}
	}
	return cols
}

// leastMessage is how narrow the message gets before columns go, and
// enoughMessage how wide before a column that one can do without comes, where
// a message is that long. The tool says what a task is about: for leastTool cells
// of it the message gives way down to besideTool. mostTool is the widest that the
// tool's column gets.
const (
	leastMessage  = 10
	besideTool    = 16
	enoughMessage = 24
	leastTool     = 8
	mostTool      = 14
	// mostMessage is how wide the message gets, unless one in sight was longer; huge
	// is the width of a table in which other columns have all that they can show.
	mostMessage = 72
	huge        = 160
	mostName    = 24 // of a tool or a server in a huge table
)

// optional reports whether a column gives way to the message.
func (c column) optional() bool { return c.by == model.ByTool || c.by == model.ByProgress }

// lasting returns how wide the tool and the progress get in a table w cells wide,
// 0 for one that is not shown. A column comes only where it stays in all wider
// tables: others need more from some width on.
func (p *tasksPane) lasting(shown []column, w int, many bool) (tool, progress int) {
	tool, progress = p.fitting(shown, w, many)
	for _, wider := range [...]int{serverOfMany, serverWider, ttlBesideTool, serverWidest, idWider, huge} {
		if wider <= w || tool == 0 && progress == 0 {
			continue
		}
		t, p := p.fitting(shown, wider, many)
		tool, progress = tool*min(t, 1), progress*min(p, 1)
	}
	return tool, progress
}

// fitting is lasting for this width alone.
func (p *tasksPane) fitting(shown []column, w int, many bool) (tool, progress int) {
	spare := p.spare(shown, w, many)
	for _, c := range shown {
		if !c.optional() {
			continue
		}
		got, room := p.widthIn(c, w), spare
		if c.by == model.ByTool { // a part of its name is better than none
			got = min(got, max(spare-len(columnGap), leastTool))
			room += p.yields()
		}
		switch {
		case room < got+len(columnGap):
			continue
		case c.by == model.ByTool:
			tool = got
		default:
			progress = got
		}
		spare -= got + len(columnGap)
	}
	return tool, progress
}

// spare returns how many cells the columns that one can do without may take in
// a table w cells wide.
func (p *tasksPane) spare(shown []column, w int, many bool) int {
	spare := w - len(columnGap) - p.enough()
	for i, c := range shown {
		if c.optional() || w < p.from(c, many) {
			continue
		}
		spare -= p.widthIn(c, w)
		if i > 0 {
			spare -= len(columnGap)
		}
	}
	return spare
}

// enough is how wide the message is that other columns leave alone, and yields how
// much of that it gives to the tool.
func (p *tasksPane) enough() int { return min(max(p.words, leastMessage), enoughMessage) }

func (p *tasksPane) yields() int { return max(p.enough()-besideTool, 0) }

// The widths where there are several servers. Whose a task is, and which tool it
// runs, come before how long it is kept: the message says so when that gets short.
const (
	serverOfMany  = 53
	ttlOfMany     = 62
	ttlBesideTool = 80
	// From these on the server's column shows more of its name.
	serverWider  = 66
	serverWidest = 90
)

// idWider is the width from which on a task's id and a bar of progress have more
// to show.
const idWider = 110

// from is the width from which on a column is shown in a table w cells wide.
func (p *tasksPane) from(c column, many bool) int {
	switch {
	case many && c.by == model.ByServer:
		return serverOfMany
	case many && c.by == model.ByTTL && p.tools:
		return ttlBesideTool
	case many && c.by == model.ByTTL:
		return ttlOfMany
	}
	return c.least
}

// widthIn is a column's width in a table w cells wide: some have more to show
// where there is room.
func (p *tasksPane) widthIn(c column, w int) int {
	switch {
	case c.set || c.key == nil:
	case c.by == model.ByTask && w >= huge:
		return 36 // a whole UUID
	case c.by == model.ByTask && w >= idWider:
		return 13
	case c.by == model.ByTool && w >= huge:
		return max(c.width, min(p.toolWidth, mostName))
	case c.by == model.ByServer && w >= huge:
		return max(c.width, min(p.serverWidth, mostName))
	case c.by == model.ByTool:
		return max(c.width, min(p.toolWidth, mostTool))
	case c.by == model.ByProgress && w >= idWider:
		return 13
	case c.by == model.ByServer && w >= serverWidest:
		return max(c.width, min(p.serverWidth, 14))
	case c.by == model.ByServer && w >= serverWider:
		return max(c.width, min(p.serverWidth, 10))
	}
	return c.width
}

// tableRow draws one row of the table.
func (s *scene) tableRow(r *model.Row, cols []column, w int, selected, focused bool) string {
	var b strings.Builder
	used := len(columnGap)
	switch mark := s.t.Accent.Paint(s.t.Glyphs.Mark); {
	case selected && r.Marked:
		b.WriteString(s.t.Glyphs.Select + mark)
	case selected:
		b.WriteString(s.t.Glyphs.Select + " ")
	case r.Marked:
		b.WriteString(mark + " ")
	default:
		b.WriteString("  ")
	}
	for i, c := range cols {
		if i > 0 {
			b.WriteString(columnGap)
			used += len(columnGap)
		}
		s.cell(&b, r, c)
		used += c.width
	}
	b.WriteString(spaces(w - used))
	switch {
	case selected && focused:
		return s.t.Selected.Around(b.String())
	case selected:
		return s.t.SelectedBlurred.Around(b.String())
	}
	return b.String()
}

// cell writes one cell, exactly as wide as its column.
func (s *scene) cell(b *strings.Builder, r *model.Row, c column) {
	role := &s.t.Text
	if !r.Live() && !r.MustVisit() || s.stale(r) {
		role = &s.t.Dim
	}
	text := ""
	if c.cell != nil {
		b.WriteString(s.t.Dim.Paint(c.aligned(s, c.cell(s, r))))
		return
	}
	switch c.by {
	case model.ByStatus:
		st := s.statusOf(r)
		text, role = st.glyph+" "+st.word, st.role
	case model.ByTask:
		text = s.rowID(r.Key, c.width)
	case model.ByTool:
		text = r.Tool.Line()
	case model.ByMessage:
		if c.urgent {
			c.width -= s.losesCell(b, r, c.width)
		}
		s.messageCell(b, r, c.width, role)
		return
	case model.ByProgress:
		text = s.progress(r, c.width)
	case model.ByAge:
		text, role = age(s.since(r.Began.Time())), &s.t.Dim
	case model.ByTTL:
		text, role = s.ttl(r)
	case model.ByServer:
		text, role = s.serverCell(r.Key.Server, c.width), &s.t.Dim
	}
	b.WriteString(role.Paint(c.aligned(s, text)))
}

// losesCell writes into w cells that a row loses something soon, and returns how
// many it took.
func (s *scene) losesCell(b *strings.Builder, r *model.Row, w int) int {
	loss, until := s.m.LosesSoon(r, s.now)
	if loss == model.LosesNothing {
		return 0
	}
	words := s.cut(s.t.Glyphs.Warning+left(until.Sub(s.now))+" left", w)
	b.WriteString(s.t.Warning.Paint(words))
	if width(words) == w {
		return w
	}
	b.WriteString(" ")
	return width(words) + 1
}

// aligned makes text as wide as the column.
func (c *column) aligned(s *scene, text string) string {
	if c.right {
		return s.fitRight(text, c.width)
	}
	return s.fit(text, c.width)
}

// messageCell puts what became of the person's wish before the message.
func (s *scene) messageCell(b *strings.Builder, r *model.Row, w int, role *themes.Role) {
	lead, leadRole := "", &s.t.Warning
	switch {
	case r.Later != task.Unknown:
		lead = "later reported " + r.Later.String()
	case cancelLost(r):
		lead = "the cancel came too late"
	case refusedForVisit(r.Outcome) && len(r.Asks) == 0:
		lead = s.k.Task.Again.Help().Key + " runs it again"
	case r.Cancelling() && r.Wish.State != model.NoEffect: // its status says so
	case r.Wish != nil && r.Wish.State == model.Delivered && waitsOn(r): // what it asks beside that matters more
	case r.Wish != nil && r.Wish.State != model.Taken && (r.Wish.Verb != "start" || r.Wish.State != model.Delivered):
		lead, leadRole = s.wishWords(r.Wish)
	case r.Task.Status.Terminal() && r.Mark == model.Expired:
		lead, leadRole = "expired", &s.t.Dim
	case r.Task.Status.Terminal() && r.Mark == model.Gone:
		lead, leadRole = "gone", &s.t.Dim
	case r.Mark == model.NotOurs:
		lead, leadRole = r.Task.Status.String()+" when last seen", &s.t.Dim
	case r.Mark == model.UnknownOutcome && r.Call == nil:
		lead = "no reply was seen"
	case r.How == task.Remembered && r.Live():
		lead, leadRole = r.How.String(), &s.t.Dim
	}
	if lead == "" {
		b.WriteString(role.Paint(s.fit(message(r), w)))
		return
	}
	lead = s.cut(lead, w)
	b.WriteString(leadRole.Paint(lead))
	if rest := w - width(lead); rest > 8 && message(r) != "" {
		b.WriteString(s.t.Dim.Paint(" "+s.t.Glyphs.Dot+" ") + role.Paint(s.fit(message(r), rest-3)))
	} else {
		b.WriteString(spaces(rest))
	}
}

// waitsOn reports whether a question of r is open.
func waitsOn(r *model.Row) bool {
	return slices.ContainsFunc(r.Asks, func(a *model.Ask) bool { return a.State == model.Open })
}

// cancelLost reports whether a task ended otherwise although it was to be
// cancelled.
func cancelLost(r *model.Row) bool {
	return r.Wish != nil && r.Wish.Verb == "cancel" && r.Wish.State == model.Taken && !r.Plain &&
		r.Task.Status.Terminal() && r.Task.Status != task.Cancelled
}

// progress draws a bar and the percentage, or what is done where the server
// told no total.
func (s *scene) progress(r *model.Row, w int) string {
	if r.Progress == nil || !r.Live() {
		return ""
	}
	share, ok := fraction(r.Progress)
	if !ok {
		return number(r.Progress.Done)
	}
	bar := max(w-5, 0)
	full := int(math.Round(share * float64(bar)))
	return strings.Repeat(s.t.Glyphs.BarFull, full) + strings.Repeat(s.t.Glyphs.BarEmpty, bar-full) +
		s.fitRight(number(math.Floor(share*100))+"%", 5)
}

// fraction returns which part is done, 0 to 1; false where that is not known.
// Servers send totals that are wrong, and numbers that are none.
func fraction(p *task.Progress) (float64, bool) {
	if !(p.Total > 0) || math.IsInf(p.Total, 0) || math.IsNaN(p.Done) {
		return 0, false
	}
	return min(max(p.Done/p.Total, 0), 1), true
}

// ttl words what is left of a row's time to live, and how urgent that is.
func (s *scene) ttl(r *model.Row) (string, *themes.Role) {
	end, ok := r.Expiry()
	if !ok || r.Mark == model.Gone || r.Mark == model.Expired {
		return "", &s.t.Dim
	}
	d := end.Sub(s.now)
	if loss, until := s.m.LosesSoon(r, s.now); loss != model.LosesNothing {
		return s.t.Glyphs.Warning + left(until.Sub(s.now)), &s.t.Warning
	}
	if r.Live() && d < soon {
		return left(d), &s.t.Warning
	}
	return left(d), &s.t.Dim
}
