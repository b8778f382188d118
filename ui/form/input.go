package form

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// Text beyond these bounds is shown collapsed and edited in $EDITOR: the
// textarea pays for all of it with each key.
const (
	maxInline      = 8 << 10
	maxInlineLines = 400
)

// editor is the text under the cursor. The editing is that of bubbles; the
// drawing is ours, since what a server prefilled must be cleaned, and the
// cursor seen without colours.
type editor struct {
	multi  bool
	masked bool // shown as dots
	line   textinput.Model
	area   textarea.Model
	loaded string // the text it began with, and what bubbles made of it
	seen   string

	laid      []shownRow // of laidText, for laidWidth cells
	laidText  string
	laidWidth int
}

// heldTab stands for a tab within bubbles, which would make spaces of it. Text
// that has it is edited in $EDITOR.
const heldTab = "\uf8ff"

func holdTabs(s string) string { return strings.ReplaceAll(s, "\t", heldTab) }

// areaWidth is where the textarea wraps, which nobody sees: the rows on the
// screen are ours. With very long rows its keys become slow.
const areaWidth = 80

// newEditor edits text, of several lines where multi, the cursor at its end or
// at its top.
func newEditor(text string, multi, top bool) *editor {
	e := &editor{multi: multi, loaded: text}
	if multi {
		a := textarea.New()
		a.ShowLineNumbers, a.Prompt = false, ""
		a.MaxHeight, a.MaxWidth, a.CharLimit = 0, 0, 0
		a.KeyMap.Paste.SetEnabled(false) // the terminal pastes
		a.Cursor.SetMode(cursor.CursorStatic)
		a.SetWidth(areaWidth)
		a.SetValue(holdTabs(text))
		a.Focus()
		if top {
			a, _ = a.Update(tea.KeyMsg{Type: tea.KeyCtrlHome})
		}
		e.area = a
	} else {
		l := textinput.New()
		l.Prompt, l.CharLimit = "", 0
		l.KeyMap.Paste.SetEnabled(false)
		l.Cursor.SetMode(cursor.CursorStatic)
		l.SetValue(holdTabs(text))
		l.CursorEnd()
		l.Focus()
		e.line = l
	}
	e.seen = e.raw()
	return e
}

func (e *editor) raw() string {
	if e.multi {
		return strings.ReplaceAll(e.area.Value(), heldTab, "\t")
	}
	return strings.ReplaceAll(e.line.Value(), heldTab, "\t")
}

// with returns the text with more put in at the cursor.
func (e *editor) with(more string) string {
	text, at := e.value(), e.offset()
	return text[:at] + more + text[at:]
}

// offset is the byte at which the cursor stands.
func (e *editor) offset() int {
	line, col := e.at()
	text := e.value()
	at := 0
	for ; line > 0; line-- {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for ; col > 0 && at < len(text); col-- {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at
}

// value returns the text, untouched where no key changed it.
func (e *editor) value() string {
	if v := e.raw(); v != e.seen {
		return v
	}
	return e.loaded
}

// update takes a key; it returns whether the text changed.
func (e *editor) update(msg tea.KeyMsg, width int) bool {
	if msg.Type == tea.KeyRunes && msg.Alt && !msg.Paste && !editingAlt(msg) {
		return false // bubbles would type the letter
	}
	was := e.raw()
	if msg.Type == tea.KeyRunes {
		msg.Runes = []rune(holdTabs(string(msg.Runes)))
	}
	switch {
	case e.multi && msg.Type == tea.KeyUp:
		e.climb(-1, width)
	case e.multi && msg.Type == tea.KeyDown:
		e.climb(1, width)
	default:
		for range e.runesOf(msg) {
			if e.multi {
				e.area, _ = e.area.Update(msg)
			} else {
				e.line, _ = e.line.Update(msg)
			}
		}
	}
	return e.raw() != was
}

// runesOf is how many times a key is to be given to bubbles, which goes by
// runes: what a person sees as one character is gone over, and deleted, as one.
func (e *editor) runesOf(msg tea.KeyMsg) int {
	back := msg.Type == tea.KeyLeft || msg.Type == tea.KeyBackspace
	if msg.Alt || !back && msg.Type != tea.KeyRight && msg.Type != tea.KeyDelete {
		return 1
	}
	line, col := e.at()
	for _, c := range cellsOf(e.lineAt(line)) {
		switch {
		case back && c.at < col && col <= c.at+c.runes:
			return col - c.at
		case !back && c.at <= col && col < c.at+c.runes:
			return c.at + c.runes - col
		}
	}
	return 1 // over the end of a line
}

// lineAt returns a line of the text.
func (e *editor) lineAt(n int) string {
	text := e.raw()
	for ; n > 0; n-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return ""
		}
		text = text[i+1:]
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func editingAlt(msg tea.KeyMsg) bool {
	switch msg.String() {
	case "alt+b", "alt+f", "alt+d", "alt+<", "alt+>":
		return true
	}
	return false
}

// at returns the cursor's line and rune within it.
func (e *editor) at() (line, col int) {
	if !e.multi {
		return 0, e.line.Position()
	}
	info := e.area.LineInfo()
	return e.area.Line(), info.StartColumn + info.ColumnOffset
}

// laidOut returns the text in rows of at most width cells.
func (e *editor) laidOut(width int) []shownRow {
	if text := e.raw(); e.laid == nil || width != e.laidWidth || text != e.laidText {
		e.laid, e.laidText, e.laidWidth = layRows(text, width), text, width
	}
	return e.laid
}

// climb moves the cursor by a row of the screen; the textarea knows lines
// only.
func (e *editor) climb(by, width int) {
	line, col := e.at()
	rows := e.laidOut(width)
	i := rowOf(rows, line, col)
	j := i + by
	if j < 0 || j >= len(rows) {
		return
	}
	x := 0
	for _, c := range rows[i].cells {
		if c.at >= col {
			break
		}
		x += c.width
	}
	target := rows[j]
	to, seen := target.from, 0
	for _, c := range target.cells {
		if seen+c.width > x {
			break
		}
		seen += c.width
		to = c.at + c.runes
	}
	if target.wrapped && to == target.to && len(target.cells) > 0 {
		to = target.cells[len(target.cells)-1].at // the end belongs to the next row
	}
	e.goTo(target.line, to)
}

// goTo puts the cursor on a neighbouring line. The textarea has rows of its
// own in between.
func (e *editor) goTo(line, col int) {
	for tries := 0; e.area.Line() != line && tries < 3; tries++ {
		if e.area.Line() < line {
			e.area.CursorEnd()
			e.area.CursorDown()
		} else {
			e.area.CursorStart()
			e.area.CursorUp()
		}
	}
	e.area.SetCursor(col)
}

// moveTo puts the cursor of a text of several lines at a byte of it.
func (e *editor) moveTo(at int) {
	before := e.value()
	before = before[:min(at, len(before))]
	line := strings.Count(before, "\n")
	for e.area.Line() > line {
		e.area.CursorStart()
		e.area.CursorUp()
	}
	e.area.SetCursor(utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]))
}

// view draws at most height rows around the cursor, and says which of them it
// stands in.
func (e *editor) view(width, height int, t *themes.Theme) (rows []string, cursor int) {
	line, col := e.at()
	if !e.multi {
		return []string{e.window(width, col, t)}, 0
	}
	laid := e.laidOut(width)
	at := rowOf(laid, line, col)
	from := max(min(at-height/2, len(laid)-height), 0)
	for i := from; i < min(from+height, len(laid)); i++ {
		c := -1
		if i == at {
			c = col
		}
		cells := laid[i].cells
		if e.masked {
			cells = mask(cells, t)
		}
		rows = append(rows, render.Fit(paint(cells, c, t), width, ""))
	}
	if from > 0 || from+height < len(laid) {
		rows = append(rows, t.FieldHint.Paint(lineCount(at+1, len(laid))))
	}
	return rows, at - from
}

// window draws the part of a single line around the cursor.
func (e *editor) window(width, col int, t *themes.Theme) string {
	cells := cellsOf(e.raw())
	if e.masked {
		cells = mask(cells, t)
	}
	before := 0
	for _, c := range cells {
		if c.at < col {
			before += c.width
		}
	}
	skip := max(before-(width-2), 0) // room for the cursor, be it wide
	for skip > 0 && len(cells) > 0 {
		skip -= cells[0].width
		cells = cells[1:]
	}
	used, n := 0, 0
	for n < len(cells) && used+cells[n].width <= width {
		used += cells[n].width
		n++
	}
	return render.Fit(paint(cells[:n], col, t), width, "")
}

// inline reports whether text can be edited within the form.
func inline(text string) bool {
	if len(text) > maxInline || strings.Count(text, "\n") > maxInlineLines || strings.Contains(text, heldTab) {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }) && utf8.ValidString(text)
}
