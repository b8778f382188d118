package form

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"callboard/model/task"
	"callboard/ui/render"
)

// value shows what is typed or chosen.
func (f *Form) value(r *row, focused bool) []string {
	t := f.theme
	var rows []string
	r.hits = nil
	switch {
	case r.isBool():
		yes, no := 2+render.Width(f.radio(true, "yes")), render.Width(f.radio(true, "no"))
		r.hits = []hit{{0, 2, yes, 0}, {0, yes + 3, yes + 3 + no, 1}}
		return []string{"  " + f.boolValue(r)}
	case r.isChoice():
		return f.choiceValue(r, focused)
	case r.set && !inline(r.shown()):
		if rows = []string{f.dots(8)}; !f.secret(r) {
			rows = f.textRows(beginning(r.text), maxIdleRows)
			rows = rows[:min(len(rows), maxIdleRows)] // what it counts as hidden is not all
		}
		rows = append(rows, t.FieldHint.Paint(f.tooMuch(r.text)))
	case focused && f.edit != nil:
		rows, _ = f.edit.view(f.editWidth(), f.editHeight(r), t)
		if words := f.standIn(r); !r.set || r.isNull() {
			rows[0] = t.Cursor.Paint(" ") + t.Placeholder.Paint(words)
		}
	case !r.set || r.isNull() || r.text == "":
		rows = []string{t.Placeholder.Paint(f.standIn(r))}
	case f.secret(r):
		rows = []string{t.Text.Paint(render.Clip(f.dots(utf8.RuneCountInString(r.text)), f.editWidth(), ""))}
	default:
		rows = f.textRows(r.text, maxIdleRows)
	}
	for i, row := range rows {
		mark := t.Dim.Paint(t.Glyphs.Right) + " "
		if i > 0 {
			mark = "  "
		}
		rows[i] = mark + row
	}
	return rows
}

// editHeight is how many rows the text under the cursor has: the reply to a
// conversation grows as far as there is room.
func (f *Form) editHeight(r *row) int {
	if f.isReply(r) {
		return max(f.bodyHeight()-4, 1)
	}
	return min(maxTextRows, max(f.bodyHeight()-2, 1))
}

// standIn says what is sent where there is no text: nothing, null, or empty
// text.
func (f *Form) standIn(r *row) string {
	switch {
	case !r.set:
		return "(not set)"
	case r.isNull():
		return "(null)"
	}
	return "(empty text)"
}

// beginning is the beginning of a text that is too long to be shown.
func beginning(text string) string {
	end := min(len(text), 400)
	for end < len(text) && end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// textRows shows at most limit rows of text, cleaned.
func (f *Form) textRows(text string, limit int) []string {
	rows := render.Wrap(task.Clean(text).String(), f.editWidth())
	if len(rows) > limit {
		hidden := len(rows) - limit
		rows = append(rows[:limit:limit], f.theme.FieldHint.Paint(fmt.Sprintf("%s %d more", f.theme.Glyphs.More, hidden)))
	}
	for i := range min(len(rows), limit) {
		rows[i] = f.theme.Text.Paint(rows[i])
	}
	return rows
}

func (f *Form) boolValue(r *row) string {
	yes, no := r.set && r.text == "true", r.set && r.text == "false"
	line := f.radio(yes, "yes") + "   " + f.radio(no, "no")
	switch {
	case !r.set, r.isNull():
		line += "   " + f.theme.Placeholder.Paint(f.standIn(r))
	case !yes && !no:
		line += "   " + f.theme.Text.Paint(task.CleanLine(r.text, 200).Line())
	}
	return render.Clip(line, f.editWidth(), "")
}

func (f *Form) radio(on bool, label string) string {
	if on {
		return f.theme.Strong.Paint(f.theme.Glyphs.RadioOn + " " + label)
	}
	return f.theme.Dim.Paint(f.theme.Glyphs.RadioOff) + " " + label
}

// choiceValue shows choices: what is chosen where the cursor is elsewhere, all
// of them (or those around the cursor) where it is here.
func (f *Form) choiceValue(r *row, focused bool) []string {
	if line, ok := f.inlineChoices(r, focused); ok {
		return append([]string{line}, f.otherValue(r)...)
	}
	if !focused {
		rows := f.chosenSummary(r)
		for i := range rows {
			rows[i] = "  " + rows[i]
		}
		return rows
	}
	t := f.theme
	choices, matching := r.choices(), r.matching()
	var rows []string
	if r.search != "" {
		rows = append(rows, render.Clip(t.FieldHint.Paint("search: ")+t.Match.Paint(task.CleanLine(r.search, 100).Line()), f.textWidth(), ""))
	}
	if r.isNull() {
		rows = append(rows, t.Placeholder.Paint(f.standIn(r)))
	}
	if len(matching) == 0 {
		return append(rows, t.FieldHint.Paint("no choice matches"))
	}
	at := 0
	for i, c := range matching {
		if c == r.cursor {
			at = i
		}
	}
	room := min(maxListRows, max(f.bodyHeight()-4, 2))
	from := max(min(at-room/2, len(matching)-room), 0)
	for i := from; i < min(from+room, len(matching)); i++ {
		r.hits = append(r.hits, hit{len(rows), 0, f.textWidth(), matching[i]})
		rows = append(rows, f.choiceRow(r, matching[i], choices[matching[i]].Label, i == at))
	}
	if len(matching) > room {
		rows = append(rows, t.FieldHint.Paint(fmt.Sprintf("%d of %d", at+1, len(matching))))
	}
	return append(rows, f.otherValue(r)...)
}

func (f *Form) choiceRow(r *row, i int, label task.Text, under bool) string {
	g := &f.theme.Glyphs
	glyph, on := g.RadioOff, r.chosenNow(i)
	switch {
	case r.isMany() && on:
		glyph = g.On
	case r.isMany():
		glyph = g.Off
	case on:
		glyph = g.RadioOn
	}
	line := render.Fit(f.mark(under)+" "+glyph+" "+label.Line(), f.textWidth(), g.Ellipsis)
	if under {
		return f.theme.Selected.Paint(line)
	}
	return f.theme.Text.Paint(line)
}

// mark is the sign at the choice under the cursor.
func (f *Form) mark(under bool) string {
	if under {
		return f.theme.Glyphs.Right
	}
	return " "
}

// inlineChoices shows a few short choices of one side by side.
func (f *Form) inlineChoices(r *row, focused bool) (string, bool) {
	choices := r.choices()
	if r.isMany() || len(choices) > inlineChoice {
		return "", false
	}
	var parts []string
	var hits []hit
	x := 0
	for i, c := range choices {
		mark := f.theme.FieldFocused.Paint(f.mark(focused && i == r.cursor))
		part := mark + " " + f.radio(r.chosenNow(i), c.Label.Line())
		parts = append(parts, part)
		hits = append(hits, hit{0, x, x + render.Width(part), i})
		x += render.Width(part) + 2
	}
	line := strings.Join(parts, "  ")
	if !r.set || r.isNull() {
		line += "   " + f.theme.Placeholder.Paint(f.standIn(r))
	}
	if render.Width(line) > min(f.textWidth(), inlineCells) {
		return "", false
	}
	r.hits = hits
	return line, true
}

// otherValue shows values that are none of the choices.
func (f *Form) otherValue(r *row) []string {
	if len(r.others) == 0 {
		return nil
	}
	var words []string
	for _, v := range r.others {
		words = append(words, task.CleanLine(string(v), 100).Line())
	}
	return []string{f.theme.Text.Paint(render.Clip("also "+strings.Join(words, ", "), f.textWidth(), f.theme.Glyphs.Ellipsis))}
}

func (f *Form) chosenSummary(r *row) []string {
	t := f.theme
	if !r.set || r.isNull() {
		return []string{t.Placeholder.Paint(f.standIn(r))}
	}
	glyph := t.Glyphs.RadioOn
	if r.isMany() {
		glyph = t.Glyphs.On
	}
	var names []string
	for i, c := range r.choices() {
		if r.chosenNow(i) {
			names = append(names, glyph+" "+c.Label.Line())
		}
	}
	if len(names) == 0 && len(r.others) == 0 {
		return []string{t.Placeholder.Paint("(none chosen)")}
	}
	rows := render.Wrap(strings.Join(names, "  "), f.editWidth())
	if len(names) == 0 {
		rows = nil
	}
	if len(rows) > maxIdleRows {
		rows = append(rows[:maxIdleRows:maxIdleRows], t.Glyphs.Ellipsis)
	}
	return append(rows, f.otherValue(r)...)
}
