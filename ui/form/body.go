package form

import (
	"slices"
	"strconv"
	"strings"

	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"
)

// body returns all lines between header and lower edge, and which of them
// must be in sight: those of the row under the cursor.
func (f *Form) body() (lines []string, from, to int) {
	if f.menu != nil {
		return f.menuLines(), f.menuAt, f.menuAt + 1
	}
	if f.isURL() {
		lines = append(lines, f.quote(f.spec.Message)...)
		return append(lines, f.urlLines()...), 0, 0
	}
	lines = append(lines, f.quote(f.spec.Message)...)
	lines = append(lines, f.warnings()...)
	for i, words := range f.asides() {
		if i == 0 && len(lines) > 0 && f.bodyHeight() >= 10 {
			lines = append(lines, "")
		}
		lines = append(lines, f.own(words)...)
	}
	for _, p := range f.whole {
		lines = append(lines, f.marked(f.theme.Glyphs.Failed, p, &f.theme.FieldError)...)
	}
	gap := f.bodyHeight() >= 10
	if gap && len(lines) > 0 {
		lines = append(lines, "")
	}
	switch {
	case f.json:
		return f.jsonLines(lines)
	case len(f.rows) == 0 && f.spec.Kind == Question:
		return append(lines, f.own("There is nothing to fill in: the server wants a yes or a no. "+
			shown(f.keys.Form.Send)+" says yes; "+shown(f.keys.Form.Menu)+" declines; "+shown(f.keys.Form.Leave)+" leaves it for later.")...), 0, 0
	case len(f.rows) == 0:
		return append(lines, f.own("This tool takes no arguments. "+shown(f.keys.Form.Send)+" starts it.")...), 0, 0
	}
	for i := range f.rows {
		at := len(lines)
		lines = append(lines, f.rowLines(i)...)
		if i == f.focus {
			from, to = at, len(lines)
		}
		if gap && i < len(f.rows)-1 {
			lines = append(lines, "")
		}
	}
	return lines, from, to
}

// asides are the quiet sentences.
func (f *Form) asides() []string {
	all := slices.Clone(f.spec.Notes)
	if words := f.aside(); words != "" {
		all = append(all, words)
	}
	if f.spec.Unkept != "" && f.touched {
		all = append(all, f.spec.Unkept)
	}
	return all
}

// aside is what a person should know before they send, "" for nothing.
func (f *Form) aside() string {
	switch {
	case f.spec.Kind == Call && f.spec.Support == task.ServerDecides:
		return "The server decides whether this runs as a task, and how long it keeps it."
	case f.spec.Kind == Call || f.among.Held == 0 || f.among.Others > 0:
	case f.among.Held == 1:
		return "An answer is held: it goes out with this one."
	default:
		return strconv.Itoa(f.among.Held) + " answers are held: they go out with this one."
	}
	return ""
}

// quote shows words of a server: behind a bar, on which no line of its making
// can begin.
func (f *Form) quote(words task.Text) []string {
	if words.IsZero() {
		return nil
	}
	bar := f.theme.Accent.Paint(f.theme.Glyphs.Bar) + " "
	rows := render.Wrap(strings.TrimSpace(words.String()), f.inner()-2)
	for i, r := range rows {
		rows[i] = bar + f.theme.Text.Paint(r)
	}
	return rows
}

// own shows words of callboard.
func (f *Form) own(words string) []string {
	rows := render.Wrap(words, f.inner())
	for i, r := range rows {
		rows[i] = f.theme.Dim.Paint(r)
	}
	return rows
}

// marked shows a sentence behind a glyph.
func (f *Form) marked(glyph, words string, role *themes.Role) []string {
	rows := render.Wrap(words, max(f.inner()-2, 1))
	for i, r := range rows {
		if i == 0 {
			r = glyph + " " + r
		} else {
			r = "  " + r
		}
		rows[i] = role.Paint(r)
	}
	return rows
}

func (f *Form) warnings() []string {
	var lines []string
	t := f.theme
	for _, w := range f.spec.Warn {
		lines = append(lines, f.marked(t.Glyphs.Warning, w, &t.Warning)...)
	}
	if why := f.spec.Form.JSONOnly; why != "" {
		lines = append(lines, f.marked(t.Glyphs.Warning, "Edited as JSON: "+why, &t.Warning)...)
	}
	for _, w := range f.spec.Form.Warnings {
		lines = append(lines, f.marked(t.Glyphs.Warning, w.Line(), &t.Warning)...)
	}
	return lines
}

// banner says what became of the question, where it is not simply open. It
// stands above what scrolls.
func (f *Form) banner() []string {
	t := f.theme
	why := strings.TrimSuffix(f.state.Why, ".")
	because := func(words string) string {
		if why == "" {
			return words + "."
		}
		return words + ": " + why + "."
	}
	var rows []string
	switch f.state.Phase {
	case Sending:
		rows = f.marked(t.Glyphs.Working, "Sending"+t.Glyphs.Ellipsis, &t.Working)
	case Sent:
		rows = f.marked(t.Glyphs.Completed, because("Sent"), &t.OK)
	case Failed:
		rows = f.marked(t.Glyphs.Failed, because("Failed"), &t.Error)
	case Held:
		rows = f.marked(t.Glyphs.Working, because("Held"), &t.Working)
	case Withdrawn:
		words := because("This can no longer be answered")
		if !f.isURL() {
			words += " What you typed is kept."
		}
		rows = f.marked(t.Glyphs.Failed, words, &t.Banner)
	case Waiting:
		since := ""
		if !f.state.At.IsZero() {
			since = " " + ago(f.spec.Now().Sub(f.state.At))
		}
		rows = f.marked(t.Glyphs.Working, "You agreed"+since+". Waiting until the other side is done.", &t.Working)
	case Complete:
		rows = f.marked(t.Glyphs.Completed, because("The server says that it is complete"), &t.OK)
	case Asking:
		return nil
	}
	limit := 2
	if f.h >= roomyHeight {
		limit = 4
	}
	return rows[:min(len(rows), limit)]
}

func (f *Form) menuLines() []string {
	t := f.theme
	lines := make([]string, 0, len(f.menu))
	for i, c := range f.menu {
		text := c.text
		if c.why != "" {
			text += " (not now)"
		}
		row := "  " + t.Key.Paint(render.Fit(shown(c.key), 2, "")) + " " + text
		if i == f.menuAt {
			row = t.Selected.Around(t.Glyphs.Select + " " + t.Key.Paint(render.Fit(shown(c.key), 2, "")) + " " + text)
		} else if c.why != "" {
			row = t.Dim.Paint("  " + render.Fit(shown(c.key), 2, "") + " " + text)
		}
		lines = append(lines, row)
	}
	return lines
}

// urlLines shows the address in full, what it is, and what can be done.
func (f *Form) urlLines() []string {
	t, a := f.theme, &f.url
	lines := []string{""}
	lines = append(lines, a.rows(f.inner(), t.Link.Paint, t.Host.Paint)...)
	lines = append(lines, "")
	if a.host != "" {
		host := "host  " + t.Host.Paint(a.host)
		switch {
		case a.ascii != "":
			host += "  in ASCII " + t.Host.Paint(a.ascii)
		case a.unicode != "":
			host += "  reads as " + t.Host.Paint(a.unicode)
		}
		if render.Width(host) <= f.inner() {
			lines = append(lines, host)
		} else {
			for _, h := range []string{a.host, a.ascii, a.unicode} {
				if h != "" {
					for _, r := range render.Wrap(h, f.inner()-6) {
						lines = append(lines, "host  "+t.Host.Paint(r))
					}
				}
			}
		}
	}
	for _, w := range a.warnings {
		lines = append(lines, f.marked(t.Glyphs.Warning, w, &t.Warning)...)
	}
	k := &f.keys.URL
	switch {
	case a.refuse != "":
		lines = append(lines, f.marked(t.Glyphs.Failed, "callboard does not open it. "+a.refuse, &t.Error)...)
		if !a.noCopy {
			lines = append(lines, f.own(shown(k.Copy)+" agrees and copies it.")...)
		}
	case f.state.Phase == Waiting:
		lines = append(lines, f.own(shown(k.Done)+" done "+t.Glyphs.Dot+" "+shown(k.Retry)+" open again "+t.Glyphs.Dot+" "+
			shown(k.Copy)+" copy "+t.Glyphs.Dot+" "+
			shown(k.Menu)+" wait no longer")...)
	case f.state.Phase == Asking || f.state.Phase == Failed:
		lines = append(lines, f.own(shown(k.Open)+" agrees and opens it in your browser, "+shown(k.Copy)+
			" agrees and copies it. The server is told that you agree; callboard itself never goes there.")...)
	}
	return lines
}

// jsonLines adds the JSON editor to lines.
func (f *Form) jsonLines(lines []string) ([]string, int, int) {
	at := len(lines)
	if f.edit == nil {
		lines = append(lines, f.own(f.tooMuch(f.jsonText))...)
		return lines, at, len(lines)
	}
	rows, cursor := f.edit.view(f.editWidth(), max(f.bodyHeight()-1, 1), f.theme)
	for _, r := range rows {
		lines = append(lines, f.gutter(true)+r)
	}
	return lines, at + cursor, at + cursor + 1
}

func (f *Form) tooMuch(text string) string {
	return render.Size(int64(len(text))) + " of text: " + shown(f.keys.Form.Menu) + " opens it in $EDITOR"
}

func lineCount(line, of int) string { return "line " + strconv.Itoa(line) + " of " + strconv.Itoa(of) }
