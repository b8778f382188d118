package ui

import (
	"strings"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// resultPane shows how a task or a call ended.
type resultPane struct {
	of  task.Key
	doc *render.Document
	// of which outcome the document was made: it is made once.
	result *task.Result
	err    *task.Error
	// fromDetail: esc leads back to the detail. save is the row whose result
	// is to be saved when it has been read.
	fromDetail bool
	save       task.Key
}

func (p *resultPane) title(s *scene) string {
	row := s.m.Row(p.of)
	if row == nil {
		return "Result"
	}
	return "Result of " + s.rowName(row)
}

func (p *resultPane) note(s *scene) string {
	if p.doc == nil {
		return ""
	}
	return s.withFound(p.doc.Found(), p.doc.Status())
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
	case row == nil:
		return s.centred([]string{"No task is selected."}, w, h)
	case row.Outcome == nil || row.Outcome.Loading:
		return s.centred([]string{"The result is being read."}, w, h)
	}
	p.load(s, row.Outcome)
	if p.doc == nil {
		return s.centred([]string{"There is no result."}, w, h)
	}
	return strings.Split(p.doc.View(w, h), "\n")
}

// load lays a new outcome out, or keeps what stands.
func (p *resultPane) load(s *scene, o *model.Outcome) {
	if o.Result == p.result && o.Err == p.err {
		return
	}
	p.result, p.err, p.doc = o.Result, o.Err, nil
	switch {
	case o.Result != nil:
		p.doc = render.Result(o.Result, s.t)
	case o.Err != nil:
		p.doc = render.Error(o.Err, s.t)
	}
}

func (p *resultPane) key(r *Root, k tea.KeyMsg) (tea.Cmd, bool) {
	if key.Matches(k, r.k.List.Open) {
		r.say("This is the whole result: " + keyOf(r.k.Task.Save) + " saves it, " + keyOf(r.k.Task.Copy) + " copies it.")
		return nil, true
	}
	return nil, p.doc != nil && p.doc.Update(k, &r.k.List)
}

func (p *resultPane) hints(r *Root) []key.Binding {
	return []key.Binding{named(r.k.Task.Save, "save"), r.k.Task.Copy, named(r.k.List.Filter, "search"), named(r.k.List.PageDown, "page"), r.k.Everywhere.Back}
}
