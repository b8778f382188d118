package form

import (
	"strings"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// paste puts pasted text into the text under the cursor and nowhere else: it
// is never taken for keys.
func (f *Form) paste(k tea.KeyMsg) Event {
	if f.locked() {
		return Event{}
	}
	r := f.current()
	if f.isURL() || !f.json && (r == nil || !r.isText()) {
		f.say("What is pasted goes into text fields only.")
		return Event{}
	}
	text := strings.ReplaceAll(strings.ReplaceAll(string(k.Runes), "\r\n", "\n"), "\r", "\n")
	f.follow = true
	if f.edit == nil && f.pasted >= 0 {
		return f.pasteMore(text)
	}
	if f.edit == nil {
		return f.textKey(k) // which says why
	}
	at := f.edit.offset() + len(text)
	e := f.pasteHere(k, r, text)
	switch {
	case e.Kind != Changed:
	case f.edit == nil:
		f.pasted = at
	case f.edit.multi:
		f.edit.moveTo(at)
	}
	return e
}

// pasteMore puts in the next piece of a paste that was too long to be edited
// here: it goes on where the one before ended.
func (f *Form) pasteMore(text string) Event {
	into := &f.jsonText
	if !f.json {
		into = &f.current().text
	}
	at := min(f.pasted, len(*into))
	*into = (*into)[:at] + text + (*into)[at:]
	f.pasted = at + len(text)
	return Event{Kind: Changed}
}

// pasteHere puts pasted text in at the cursor of the editor.
func (f *Form) pasteHere(k tea.KeyMsg, r *row, text string) Event {
	whole := f.json || r.kind == fieldRow && (r.field.Kind == task.StringField || r.field.Kind == task.JSONField)
	switch {
	case !whole && len(text) > maxTyped:
		f.say("That is too much for this field: nothing was pasted.")
		return Event{}
	case f.json && len(text) > maxInline:
		f.jsonText = f.edit.with(text)
		f.enter()
		return Event{Kind: Changed}
	case whole && !f.json && (len(text) > maxInline || f.losesLines(r, text)):
		r.assign(f.edit.with(text))
		f.enter()
		return Event{Kind: Changed}
	}
	k.Runes = []rune(text)
	return f.textKey(k)
}

// maxTyped is how much is pasted into a number or a duration at most.
const maxTyped = 1 << 10

// losesLines reports whether the line under the cursor would lose line breaks
// of text that is pasted into it.
func (f *Form) losesLines(r *row, text string) bool {
	return !f.edit.multi && r.field.Format == "" && strings.Contains(strings.TrimRight(text, "\n"), "\n")
}
