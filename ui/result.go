package ui

import (
	"strings"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// resultPane shows how a task or a call ended, or how two results differ.
type resultPane struct {
	of  task.Key
	doc *render.Document
	// of which outcome the document was made: it is made once.
	result *task.Result
	err    *task.Error
	source bool        // Markdown is not rendered
	diff   *comparison // in the place of the result, nil for none
	// fromDetail: esc leads back to the detail. save is the row whose result
	// is to be saved when it has been read.
	fromDetail bool
	save       task.Key
}

// shown returns the document that is looked at, nil for none.
func (p *resultPane) shown() *render.Document {
	if p.diff != nil {
		return p.diff.doc
	}
	return p.doc
}

func (p *resultPane) title(s *scene) string {
	if p.diff != nil {
		return "Two results compared"
	}
	row := s.m.Row(p.of)
	if row == nil {
		return "Result"
	}
	title := "Result of " + s.rowName(row)
	if p.source {
		title += " " + s.t.Glyphs.Dot + " source"
	}
	return title
}

func (p *resultPane) note(s *scene) string { return s.docNote(p.shown()) }

// docNote says of a document what was found in it, whether it goes on to the
// right, and where the window stands; nil is none.
func (s *scene) docNote(d *render.Document) string {
	if d == nil {
		return ""
	}
	note := d.Status()
	if d.Beyond() {
		note = "more to the right " + s.t.Glyphs.Dot + " " + note
	}
	return s.withFound(d.Found(), note)
}

// show turns the pane to a row.
func (p *resultPane) show(key task.Key) {
	if p.of != key {
		*p = resultPane{of: key, save: p.save}
	}
}

func (p *resultPane) view(s *scene, w, h int, _ bool) []string {
	row := s.m.Row(p.of)
	switch {
	case p.diff != nil && p.diff.doc != nil:
		return strings.Split(p.diff.doc.View(w, h), "\n")
	case p.diff != nil && p.diff.running:
		return s.centred([]string{"The two results are being compared."}, w, h)
	case p.diff != nil:
		return s.centred([]string{"Both results are being read."}, w, h)
	case row == nil:
		return s.centred([]string{"No task is selected."}, w, h)
	case row.Outcome == nil || row.Outcome.Loading:
		return s.centred([]string{"The result is being read."}, w, h)
	}
	p.load(row, s.t)
	if p.doc == nil {
		return s.centred([]string{"There is no result."}, w, h)
	}
	return strings.Split(p.doc.View(w, h), "\n")
}

// load lays a new outcome of a row out, or keeps what stands.
func (p *resultPane) load(row *model.Row, t *themes.Theme) {
	o := row.Outcome
	if o == nil || o.Loading || o.Result == p.result && o.Err == p.err {
		return
	}
	p.result, p.err = o.Result, o.Err
	p.lay(t)
}

func (p *resultPane) lay(t *themes.Theme) {
	p.doc = nil
	switch {
	case p.result != nil && p.source:
		p.doc = render.Source(p.result, t)
	case p.result != nil:
		p.doc = render.Result(p.result, t)
	case p.err != nil:
		p.doc = render.Error(p.err, t)
	}
}

func (p *resultPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	keys := &r.k.Result
	switch {
	case key.Matches(k, r.k.List.Open) && p.diff == nil:
		r.say("This is the whole result: " + keyOf(r.k.Task.Save) + " saves it, " + keyOf(r.k.Task.Copy) + " copies it.")
		return nil, true
	case key.Matches(k, keys.Image):
		if p.diff != nil {
			return r.showImage(nil), true
		}
		return r.showImage(p.result), true
	case key.Matches(k, keys.Source):
		p.turn(r)
		return nil, true
	}
	doc := p.shown()
	return nil, doc != nil && doc.Update(k, &r.k.List)
}

// turn shows Markdown as it came, or rendered again.
func (p *resultPane) turn(r *Root) {
	if p.diff != nil || p.doc == nil || !p.source && !p.doc.Rich() {
		r.say("Nothing is rendered here: this is how it came.")
		return
	}
	p.source = !p.source
	p.lay(r.t)
}

func (p *resultPane) hints(r *Root) []key.Binding {
	if row := r.m.Row(p.of); row != nil {
		p.load(row, r.t) // the footer is drawn before the pane
	}
	t, keys := &r.k.Task, &r.k.Result
	hints := []key.Binding{named(t.Save, "save"), t.Copy, named(r.k.List.Filter, "search")}
	if p.diff == nil && r.drawsImages() && p.result != nil && len(render.Images(p.result)) > 0 {
		hints = append(hints, named(keys.Image, "image"))
	}
	switch {
	case p.diff != nil:
	case p.source:
		hints = append(hints, named(keys.Source, "rendered"))
	case p.doc != nil && p.doc.Rich():
		hints = append(hints, named(keys.Source, "source"))
	}
	hints = append(hints, r.k.Everywhere.Back, named(r.k.List.PageDown, "page"))
	if p.diff == nil {
		hints = append(hints, named(t.Diff, "compare"))
	}
	return append(hints, named(keys.Editor, "editor"), named(keys.Pager, "pager"))
}
