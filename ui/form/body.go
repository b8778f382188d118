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
	f.spans = f.spans[:0]
	if f.menu != nil {
		return f.menuLines(), f.menuAt, f.menuAt + 1
	}
	if f.isURL() {
		lines = append(lines, f.intro()...)
		return append(lines, f.urlLines()...), 0, 0
	}
	lines = append(lines, f.intro()...)
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
		return append(lines, f.yesOrNoLines()...), 0, 0
	case len(f.rows) == 0:
		return append(lines, f.own("This tool takes no arguments. "+shown(f.keys.Form.Send)+" starts it.")...), 0, 0
	}
	for i := range f.rows {
		at := len(lines)
		lines = append(lines, f.rowLines(i)...)
		f.spans = append(f.spans, extent{i, at, len(lines)})
		if i == f.focus {
			from, to = at, len(lines)
		}
		if gap && i < len(f.rows)-1 {
			lines = append(lines, "")
		}
	}
	if f.spec.Unkept != "" && f.touched {
		if gap {
			lines = append(lines, "")
		}
		lines = append(lines, f.own(f.spec.Unkept)...)
	}
	return lines, from, to
}

// asides are the quiet sentences.
func (f *Form) asides() []string {
	all := slices.Clone(f.spec.Notes)
	if words := f.aside(); words != "" {
		all = append(all, words)
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

// yesOrNoLines are the answers to a question that has nothing to fill in.
func (f *Form) yesOrNoLines() []string {
	t, k := f.theme, f.keys
	lines := f.own("There is nothing to fill in: the server wants a yes or a no.")
	say := func(keys, words string, why string) {
		row := "  " + t.Key.Paint(render.Fit(keys, 10, "")) + words
		if why != "" {
			row = t.Dim.Paint("  " + render.Fit(keys, 10, "") + words + " (not here)")
		}
		lines = append(lines, row)
	}
	menu := shown(k.Form.Menu) + " "
	say(shown(k.Form.Send), "yes: accept", "")
	say(menu+shown(k.Menu.Decline), "no: decline", f.spec.NoRefusal)
	say(menu+shown(k.Menu.Dismiss), "neither: dismiss it", f.spec.NoRefusal)
	say(shown(k.Form.Leave), "later: leave it open", "")
	return lines
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
		if f.state.Unknown {
			rows = f.marked(t.Glyphs.Warning, because("Unknown")+" Sent again, it may arrive twice.", &t.Warning)
			break
		}
		rows = f.marked(t.Glyphs.Failed, because("Failed"), &t.Error)
	case Held:
		rows = f.marked(t.Glyphs.Working, because("Held"), &t.Working)
	case Withdrawn:
		words := because("This can no longer be answered")
		if f.touched && !f.isURL() {
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
		switch c.why {
		case "":
		case f.spec.NoRefusal:
			text += " (not here)"
		default:
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

// jsonLines adds the JSON editor to lines.
func (f *Form) jsonLines(lines []string) ([]string, int, int) {
	at := len(lines)
	if f.edit == nil {
		words := f.tooMuch(f.jsonText)
		if why := f.hidesSecrets(); why != "" {
			words = why
		}
		lines = append(lines, f.own(words)...)
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
