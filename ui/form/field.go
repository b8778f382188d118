package form

import (
	"strings"

	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"
)

// Sizes of what a row shows.
const (
	gutterWidth  = 2 // the sign of the row under the cursor
	maxListRows  = 8
	maxTextRows  = 8
	maxIdleRows  = 3 // of a text without the cursor
	maxWords     = 20
	inlineCells  = 60
	inlineChoice = 5
)

// textWidth is how many cells a row has beside its gutter, editWidth how many
// of these its text has.
func (f *Form) textWidth() int { return max(f.inner()-gutterWidth, 2) }
func (f *Form) editWidth() int {
	if f.json {
		return f.textWidth()
	}
	return max(f.textWidth()-2, 2)
}

func (f *Form) gutter(focused bool) string {
	if focused {
		return f.theme.FieldFocused.Paint(f.theme.Glyphs.Select) + " "
	}
	return "  "
}

// rowLines returns the lines of row i: label, description, value, what it
// wants, what is wrong. Those without the cursor are kept from look to look.
func (f *Form) rowLines(i int) []string {
	r := &f.rows[i]
	focused := i == f.focus
	if !focused && r.cached != nil && r.cachedWidth == f.w {
		return r.cached
	}
	var lines []string
	add := func(rows ...string) {
		for _, row := range rows {
			lines = append(lines, f.gutter(focused)+row)
		}
	}
	wants := f.wants(r)
	label := f.label(r, focused) // behind the bar, but for our own rows
	if beside := label + f.theme.FieldHint.Paint("  "+wants); wants != "" && render.Width(beside) <= f.textWidth() {
		label, wants = beside, ""
	}
	add(label)
	for _, line := range f.tinted(wants, max(f.textWidth()-2, 1)) {
		if r.kind == fieldRow { // it holds words of the schema
			line = f.fieldBar() + line
		}
		add(line)
	}
	if r.kind == fieldRow {
		add(f.description(r, focused)...)
	}
	r.valueAt = len(lines)
	add(f.value(r, focused)...)
	add(f.beneath(r)...)
	if focused {
		add(f.tinted(f.hint(r), f.textWidth())...)
	}
	if r.problem != "" {
		for j, row := range render.Wrap(f.theme.Glyphs.Failed+" "+r.problem, f.textWidth()) {
			if j > 0 {
				row = "  " + row
			}
			add(f.theme.FieldError.Paint(row))
		}
	}
	if !focused && !r.isDate() { // what a date is sent as goes with the clock
		r.cached, r.cachedWidth = lines, f.w
	}
	return lines
}

// beneath says under a value what callboard makes of it.
func (f *Form) beneath(r *row) []string {
	t := f.theme
	var lines []string
	say := func(words string, role *themes.Role) {
		for _, row := range render.Wrap(words, max(f.textWidth()-2, 1)) {
			lines = append(lines, "  "+role.Paint(row))
		}
	}
	if words := f.sentDate(r); words != "" {
		say(words, &t.OK)
	}
	if words, over := f.measure(r); words != "" {
		role := &t.FieldHint
		if over {
			role, words = &t.Warning, t.Glyphs.Warning+" "+words
		}
		say(words, role)
	}
	if r.isSecret() {
		words := "masked, and kept on no disk"
		if f.revealed {
			words = "shown, and kept on no disk"
		}
		say(t.Glyphs.Warning+" secret: "+words, &t.Warning)
	}
	return lines
}

// description shows the server's words about a field, cut so that its value
// stays in sight; the beginning is what one needs.
func (f *Form) description(r *row, focused bool) []string {
	words := r.field.Description.String()
	if cut := maxWords * f.w; len(words) > 4*cut {
		words = task.CleanMax(words, 4*cut).String() // more is never in sight
	}
	rows := f.tinted(words, max(f.textWidth()-2, 1))
	limit := maxIdleRows
	if focused {
		limit = max(min(maxWords, f.bodyHeight()/2-4), maxIdleRows)
	}
	hidden := max(len(rows)-limit, 0)
	rows = rows[:len(rows)-hidden]
	for i := range rows {
		rows[i] = f.fieldBar() + rows[i]
	}
	if hidden > 0 {
		words := f.theme.Glyphs.More + " " + counted(hidden, "more line")
		if focused {
			words += ": " + shown(f.keys.Form.Menu) + " " + shown(f.keys.Menu.Whole) + " shows all"
		}
		rows = append(rows, f.theme.FieldHint.Paint(render.Clip(words, f.textWidth(), f.theme.Glyphs.Ellipsis)))
	}
	return rows
}

// bar stands before words of a server, fieldBar before those about a field: the
// fields of a reply to a conversation are callboard's own.
func (f *Form) bar() string { return f.theme.Accent.Paint(f.theme.Glyphs.Bar) + " " }

func (f *Form) fieldBar() string {
	if f.spec.Sampling != nil {
		return ""
	}
	return f.bar()
}

func (f *Form) tinted(words string, width int) []string {
	words = strings.TrimSpace(words)
	if words == "" {
		return nil
	}
	rows := render.Wrap(words, width)
	for i, row := range rows {
		rows[i] = f.theme.FieldHint.Paint(row)
	}
	return rows
}

func (f *Form) label(r *row, focused bool) string {
	role := &f.theme.FieldLabel
	if focused {
		role = &f.theme.FieldFocused
	}
	name := ""
	switch r.kind {
	case modeRow:
		name = "How to run it"
	case ttlRow:
		name = "Keep the task for (TTL)"
	case fieldRow:
		name = r.field.Label.Line()
	}
	mark := ""
	if r.required() {
		mark = " " + f.theme.FieldError.Paint(f.theme.Glyphs.Required)
	}
	if r.kind == fieldRow {
		return f.fieldBar() + role.Paint(render.Clip(name, f.textWidth()-4, f.theme.Glyphs.Ellipsis)) + mark
	}
	return role.Paint(render.Clip(name, f.textWidth()-2, f.theme.Glyphs.Ellipsis)) + mark
}

// wants says what the row wants, "" for nothing in particular.
func (f *Form) wants(r *row) string {
	switch {
	case r.kind == fieldRow:
		return r.field.Constraint().Line()
	case r.kind == ttlRow && f.asTask():
		return "90s, 30m, 1h30m, 2d; none leaves it to the server"
	case r.kind == ttlRow:
		return "not used by a plain call"
	}
	return ""
}

// hint says what can be done with the row under the cursor.
func (f *Form) hint(r *row) string {
	var parts []string
	if r.isChoice() && len(r.choices()) > manyChoices {
		parts = append(parts, "type to search")
	}
	switch {
	case r.isMany():
		parts = append(parts, shown(f.keys.Form.Toggle)+" chooses")
	case r.isChoice() && !r.set:
		parts = append(parts, "the arrows or "+shown(f.keys.Form.Toggle)+" choose")
	case r.isBool():
		parts = append(parts, f.yesOrNo())
	}
	if r.bare() {
		parts = append(parts, shown(f.keys.Form.Menu)+" "+shown(f.keys.Menu.Keys)+" writes its shape")
	}
	if r.isDate() && r.set && r.text != "" && f.sentDate(r) == "" {
		parts = append(parts, "no date yet")
	}
	switch {
	case r.kind != fieldRow:
	case r.isNull():
		parts = append(parts, "null is sent")
	case r.set && r.text == "" && r.isText() && !r.isNumber():
		parts = append(parts, "empty text is sent")
	case !r.set && !r.required():
		parts = append(parts, "it is left out")
	}
	if r.kind == fieldRow && (r.set && !r.required() || r.takesNull()) {
		parts = append(parts, shown(f.keys.Form.Unset)+" "+map[string]string{
			"send null": "makes it null", "leave it out": "leaves it out",
		}[f.unsetWords(r)])
	}
	return strings.Join(parts, " "+f.theme.Glyphs.Dot+" ")
}
