package tools

import (
	"strings"

	"callboard/model/task"
	"callboard/ui/render"
)

// sideBySide is from how many cells on the tool stands beside the list.
const sideBySide = 88

// View returns h lines of w cells, without a frame.
func (p *Pane) View(w, h int, focused bool) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	var lines []string
	notes := p.notes(w)
	notes = notes[:min(len(notes), max(h/2, 1))]
	lines = append(lines, notes...)
	if p.typing || p.filter != "" {
		lines = append(lines, p.filterLine())
	}
	lines = lines[:min(len(lines), h)]
	room := h - len(lines)
	p.listAt, p.listRows, p.listWidth = len(lines), 0, w
	switch {
	case len(p.shown) == 0 || room == 0:
		if len(p.all) > 0 && room > 0 {
			lines = append(lines, p.theme.Dim.Paint("No tool matches. "+p.keys.Everywhere.Back.Help().Key+" shows them all."))
		}
	case w >= sideBySide:
		left := min(max(w*2/5, 34), 56)
		p.listWidth = left
		list, doc := p.list(left, room, focused), p.about(w-left-3, room)
		bar := p.theme.Border.Paint(p.theme.Glyphs.Border.Left)
		for i := range room {
			lines = append(lines, at(list, i, left)+" "+bar+" "+at(doc, i, w-left-3))
		}
	case room < 8:
		lines = append(lines, p.list(w, room, focused)...)
	default:
		n := min(len(p.shown), max(room*2/5, 3))
		lines = append(lines, p.list(w, n, focused)...)
		lines = append(lines, p.theme.Border.Paint(strings.Repeat(p.theme.Glyphs.Border.Top, w)))
		lines = append(lines, p.about(w, room-n-1)...)
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	for i, l := range lines {
		lines[i] = render.Fit(l, w, p.theme.Glyphs.Ellipsis)
	}
	return strings.Join(lines, "\n")
}

func at(lines []string, i, w int) string {
	if i < len(lines) {
		return render.Fit(lines[i], w, "")
	}
	return render.Fit("", w, "")
}

// notes say what is so of the servers whose tools are not simply there.
func (p *Pane) notes(w int) []string {
	t := p.theme
	var lines []string
	add := func(words string) { lines = append(lines, render.Wrap(words, w)...) }
	if len(p.sources) == 0 {
		add("No server is attached: there are no tools to start.")
	}
	for i := range p.sources {
		s := &p.sources[i]
		switch {
		case s.View.Err != nil:
			from := len(lines)
			add(t.Glyphs.Failed + " " + s.Server + ": its tools cannot be listed: " + s.View.Err.Message.Line())
			for j := from; j < len(lines); j++ {
				lines[j] = t.Error.Paint(lines[j])
			}
			if advice := s.View.Err.Advice.Line(); advice != "" {
				add(advice)
			}
			add(p.keys.Everywhere.Refresh.Help().Key + " asks again.")
		case s.View.Loading && len(s.View.Tools) == 0:
			add(t.Glyphs.Working + " " + s.Server + ": asking for its tools" + t.Glyphs.Ellipsis)
		case len(s.View.Tools) == 0 && s.View.At.IsZero():
			add(s.Server + ": its tools are not known yet.")
		case len(s.View.Tools) == 0:
			add(s.Server + " has no tools: nothing can be started there.")
		}
		if s.Cannot != "" && len(s.View.Tools) > 0 {
			add(t.Glyphs.Warning + " " + s.Server + ": " + s.Cannot)
		}
	}
	return lines
}

func (p *Pane) filterLine() string {
	t := p.theme
	line := t.Key.Paint("/") + " " + t.Text.Paint(task.CleanLine(p.filter, 4*maxFilter).Line())
	if p.typing {
		line += t.Cursor.Paint(" ")
	} else {
		line += t.Dim.Paint("  (" + p.keys.Everywhere.Back.Help().Key + " shows all)")
	}
	return line
}

// how says in a word how a tool is run.
func how(t *task.Tool) string {
	switch t.Support {
	case task.Required:
		return "task"
	case task.Optional:
		return "task, call"
	case task.ServerDecides:
		return "task?"
	case task.Forbidden:
	}
	return "call"
}

const howWidth = 10 // of the widest word of how

// list shows the tools around the cursor.
func (p *Pane) list(w, h int, focused bool) []string {
	t := p.theme
	p.page = h
	if p.at < p.top {
		p.top = p.at
	}
	p.top = max(min(max(p.top, p.at-h+1), len(p.shown)-h), 0)
	serverWidth := 0
	if len(p.sources) > 1 && w >= 40 {
		serverWidth = min(w/4, 18)
	}
	nameWidth := w - 2 - 4 - howWidth
	var servers map[string]string
	if serverWidth > 0 {
		servers = p.servers(serverWidth)
		nameWidth -= serverWidth + 1
	}
	p.listRows = min(h, len(p.shown)-p.top)
	var lines []string
	for i := p.top; i < min(p.top+h, len(p.shown)); i++ {
		it := &p.shown[i]
		glyph, role := t.Glyphs.Working, &t.Working
		if it.tool.Support == task.Forbidden {
			glyph, role = t.Glyphs.Call, &t.Dim
		}
		name := render.Fit(task.CleanLine(it.tool.Name, 256).Line(), max(nameWidth, 1), t.Glyphs.Ellipsis)
		row := glyph + " " + name
		if serverWidth > 0 {
			row += " " + render.Fit(servers[it.server], serverWidth, "")
		}
		tail := "  " + render.Fit(how(it.tool), howWidth, "")
		switch {
		case i == p.at && focused:
			row = t.Selected.Paint(render.Fit(t.Glyphs.Select+row+tail, w-1, ""))
		case i == p.at:
			row = t.SelectedBlurred.Paint(render.Fit(t.Glyphs.Select+row+tail, w-1, ""))
		default:
			row = " " + role.Paint(glyph) + strings.TrimPrefix(row, glyph) + t.Dim.Paint(tail)
		}
		lines = append(lines, row)
	}
	return lines
}

// servers are the names of all servers for a column of w cells.
func (p *Pane) servers(w int) map[string]string {
	all := make([]string, len(p.sources))
	for i := range p.sources {
		all[i] = p.sources[i].Server
	}
	return render.Names(all, w, p.theme.Glyphs.Ellipsis)
}

// about shows the tool under the cursor.
func (p *Pane) about(w, h int) []string {
	it := p.current()
	if it == nil || w < 1 || h < 1 {
		return nil
	}
	if p.doc == nil || p.docOf != it.id() || !p.docAt.Equal(it.listed) {
		p.doc, p.docOf, p.docAt = p.describe(it), it.id(), it.listed
	}
	return strings.Split(p.doc.View(w, h), "\n")
}

// describe writes down what is known of a tool.
func (p *Pane) describe(it *item) *render.Document {
	t, tool := p.theme, it.tool
	d := render.Blank(t)
	d.AddText(tool.Title.Line(), &t.Strong)
	if name := task.CleanLine(tool.Name, 256).Line(); name != tool.Title.Line() {
		d.AddText(name, &t.Dim)
	}
	if len(p.sources) > 1 {
		d.AddText("on "+it.server, &t.Text)
	}
	words := map[task.Support]string{
		task.Required:      "Runs as a task: it goes on by itself, and its row stays.",
		task.Optional:      "Runs as a task, or is called plainly: you choose.",
		task.Forbidden:     "Is called plainly: its row lives as long as the call.",
		task.ServerDecides: "The server decides with each call whether it runs as a task.",
	}[tool.Support]
	d.AddText(words, &t.Accent)
	switch {
	case tool.Destructive:
		d.AddText(t.Glyphs.Warning+" Its server says that it may destroy something.", &t.Warning)
	case tool.ReadOnly:
		d.AddText("Its server says that it only reads.", &t.Dim)
	}
	if !tool.Description.IsZero() {
		d.AddText("", &t.Text)
		d.AddText(tool.Description.String(), &t.Text)
	}
	d.AddText("", &t.Text)
	p.describeFields(d, &tool.Input)
	if len(tool.Input.Schema) > 0 {
		d.AddText("", &t.Text)
		d.AddText("schema", &t.Header)
		d.AddJSON(tool.Input.Schema)
	}
	return d
}

var kindWords = map[task.FieldKind]string{
	task.StringField: "text", task.NumberField: "number", task.IntegerField: "whole number", task.BooleanField: "yes or no",
	task.ChoiceField: "one of", task.ChoicesField: "some of", task.JSONField: "JSON",
}

// describeFields lists the arguments, or says why there are none to list.
func (p *Pane) describeFields(d *render.Document, form *task.Form) {
	t := p.theme
	switch {
	case form.JSONOnly != "":
		d.AddText("arguments: edited as JSON, since "+form.JSONOnly, &t.Dim)
		return
	case len(form.Fields) == 0:
		d.AddText("It takes no arguments.", &t.Dim)
		return
	}
	d.AddText("arguments ("+t.Glyphs.Required+" must be given)", &t.Header)
	for i := range form.Fields {
		f := &form.Fields[i]
		line := task.CleanLine(f.Name, 256).Line()
		if f.Required {
			line += " " + t.Glyphs.Required
		}
		line += "  " + kindWords[f.Kind]
		for j, c := range f.Choices {
			if j == maxNamed {
				line += " " + t.Glyphs.Ellipsis
				break
			}
			line += map[bool]string{true: " ", false: ", "}[j == 0] + c.Label.Line()
		}
		if wants := f.Constraint().Line(); wants != "" && wants != kindWords[f.Kind] {
			line += " (" + strings.TrimPrefix(wants, kindWords[f.Kind]+", ") + ")"
		}
		d.AddText(line, &t.Text)
		if about := f.Description.Line(); about != "" {
			d.AddIndented(about, 4, &t.Dim)
		}
	}
}

// maxNamed is how many choices a tool's description names.
const maxNamed = 8
