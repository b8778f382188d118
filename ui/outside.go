package ui

import (
	"strings"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/form"

	tea "github.com/charmbracelet/bubbletea"
)

// What happens outside of the program: the browser and the editor.

type openedMsg struct{ err error }

// openURL opens a page in the browser.
func (r *Root) openURL(page string) tea.Cmd {
	if r.o.OpenURL == nil {
		r.say("There is no browser here: copy the URL.")
		return nil
	}
	open := r.o.OpenURL
	return func() tea.Msg { return openedMsg{open(page)} }
}

func (r *Root) opened(msg openedMsg) {
	if msg.err != nil {
		why := "Not opened: " + strings.TrimSuffix(task.CleanMax(msg.err.Error(), 400).Line(), ".") + "."
		if f, ok := r.over.(*formOverlay); ok && f.url {
			why += " " + r.k.URL.Copy.Help().Key + " copies the URL."
		}
		r.fail(why)
		return
	}
	r.say("Opened in your browser.")
}

type editedMsg struct {
	form *form.Form
	text string
	err  error
}

// edit lets the person edit a text in $EDITOR.
func (f *formOverlay) edit(r *Root, e form.Event) tea.Cmd {
	if r.o.Editor == nil {
		r.say("There is no editor here.")
		return nil
	}
	of := f.form
	return r.o.Editor(e.Text, "callboard-text"+e.Ext, func(text string, err error) tea.Msg {
		return editedMsg{of, text, err}
	})
}

// edited puts what came of the editor into its form.
func (r *Root) edited(msg editedMsg) tea.Cmd {
	r.viewOf = viewKey{}
	again := r.m.Update(model.RefreshMsg{}) // nothing was heard while the editor ran
	f, ok := r.over.(*formOverlay)
	switch {
	case msg.err != nil:
		r.fail(task.CleanMax(msg.err.Error(), 400).Line())
	case !ok || f.form != msg.form:
		r.fail("The form was closed meanwhile: the edited text was not taken over.")
	default:
		return tea.Batch(again, f.happened(r, msg.form.Edited(msg.text)))
	}
	return again
}
