package ui

import (
	"bytes"
	"encoding/json"
	"strings"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// readable is a pane whose text can be read in a program of the person's.
type readable interface {
	// reading returns the text and the name of its file; where there is none, why.
	// text is called in a command, and cleaned there.
	reading(r *Root) (text func() string, name, why string)
}

// readKey takes the keys that open a copy of what is shown in the person's editor
// or pager.
func (r *Root) readKey(k tea.KeyMsg) (tea.Cmd, bool) {
	p, ok := r.focused().(readable)
	editor := key.Matches(k, r.k.Result.Editor)
	if !ok || !editor && !key.Matches(k, r.k.Result.Pager) {
		return nil, false
	}
	open, what := r.o.Pager, "pager"
	if editor {
		open, what = r.o.Viewer, "editor"
	}
	text, name, why := p.reading(r)
	switch {
	case why != "":
		r.say(why)
		return nil, true
	case open == nil:
		r.say("There is no " + what + " here.")
		return nil, true
	}
	return func() tea.Msg {
		// Cleaned: a pager may hand on what a server wrote to the terminal.
		return open(task.Clean(text()).String(), name, func(err error) tea.Msg { return readMsg{err, editor} })()
	}, true
}

// readMsg says that the person came back from their editor or pager.
type readMsg struct {
	err    error
	editor bool
}

func (r *Root) wasRead(msg readMsg) tea.Cmd {
	r.viewOf = viewKey{}
	switch {
	case msg.err != nil:
		r.fail(asSentence(task.CleanMax(msg.err.Error(), 400).Line()))
	case msg.editor:
		r.say("That was a copy: it is gone, and no change to it was sent. " + keyOf(r.k.Task.Save) + " saves the result.")
	}
	return r.m.Update(model.RefreshMsg{}) // nothing was heard meanwhile
}

func (p *resultPane) reading(r *Root) (text func() string, name, why string) {
	if p.diff != nil {
		if p.diff.text == nil {
			return nil, "", "The results are still being compared."
		}
		return func() string { return string(p.diff.text) }, "callboard.diff", ""
	}
	switch {
	case p.result != nil:
		result := p.result
		name, data := render.Save(result)
		if !isText(data) {
			return nil, "", "The result is no text: " + keyOf(r.k.Task.Save) + " saves it."
		}
		return func() string { return pretty(data) }, "callboard-" + name, ""
	case p.err != nil:
		words := p.err.Error()
		return func() string { return words }, "callboard-error.txt", ""
	}
	return nil, "", "There is no result yet."
}

// pretty indents what is JSON.
func pretty(data []byte) string {
	var b bytes.Buffer
	if len(data) > 0 && (data[0] == '{' || data[0] == '[') && json.Indent(&b, data, "", "  ") == nil {
		return b.String() + "\n"
	}
	return string(data)
}

func (p *logPane) reading(r *Root) (text func() string, name, why string) {
	if p.doc == nil {
		return nil, "", keyOf(r.k.List.Open) + " opens the line first."
	}
	body := shown(&p.docOf, p.reveal)
	return func() string { return pretty([]byte(body)) }, "callboard-message.json", ""
}

func (p *detailPane) reading(r *Root) (text func() string, name, why string) {
	row := r.m.Row(p.of)
	if row == nil {
		return nil, "", "No task is selected."
	}
	lines := detailLines(r.scene(), row, 100)
	return func() string { return ansi.Strip(strings.Join(lines, "\n")) + "\n" }, "callboard-task.txt", ""
}
