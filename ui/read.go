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
	// reading returns what makes the text and the name of its file; where there is
	// none, why. text is called in a command, and the text is cleaned there; it
	// reports false for what is no text.
	reading(r *Root) (text func() (text, name string, ok bool), why string)
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
	text, why := p.reading(r)
	switch {
	case why != "":
		r.say(why)
		return nil, true
	case open == nil:
		r.say("There is no " + what + " here.")
		return nil, true
	}
	no := noText(r.k)
	return func() tea.Msg {
		words, name, ok := text()
		if !ok {
			return no
		}
		// Cleaned: a pager may hand on what a server wrote to the terminal.
		return open(task.Clean(words).String(), name, func(err error) tea.Msg { return readMsg{err, editor} })()
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

func (p *resultPane) reading(*Root) (text func() (text, name string, ok bool), why string) {
	if p.diff != nil {
		diff := p.diff.text
		if diff == nil {
			return nil, "The results are still being compared."
		}
		return func() (string, string, bool) { return string(diff), "callboard.diff", true }, ""
	}
	switch {
	case p.result != nil:
		result := p.result
		return func() (string, string, bool) {
			name, data := render.Save(result)
			if !isText(data) {
				return "", "", false
			}
			return pretty(data), "callboard-" + name, true
		}, ""
	case p.err != nil:
		words := p.err.Error()
		return func() (string, string, bool) { return words, "callboard-error.txt", true }, ""
	}
	return nil, "There is no result yet."
}

// pretty indents what is JSON.
func pretty(data []byte) string {
	var b bytes.Buffer
	if len(data) > 0 && (data[0] == '{' || data[0] == '[') && json.Indent(&b, data, "", "  ") == nil {
		return b.String() + "\n"
	}
	return string(data)
}

func (p *logPane) reading(r *Root) (text func() (text, name string, ok bool), why string) {
	if p.doc == nil {
		return nil, keyOf(r.k.List.Open) + " opens the line first."
	}
	body := shown(&p.docOf, p.reveal)
	return func() (string, string, bool) { return pretty([]byte(body)), "callboard-message.json", true }, ""
}

func (p *detailPane) reading(r *Root) (text func() (text, name string, ok bool), why string) {
	row := r.m.Row(p.of)
	if row == nil {
		return nil, "No task is selected."
	}
	lines := detailLines(r.scene(), row, 100)
	return func() (string, string, bool) {
		return ansi.Strip(strings.Join(lines, "\n")) + "\n", "callboard-task.txt", true
	}, ""
}
