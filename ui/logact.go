package ui

import (
	"path/filepath"
	"slices"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// openTaskLog shows the messages of the selected task.
func (r *Root) openTaskLog() {
	row := r.selectedRow()
	if row == nil {
		return
	}
	only := onlyOf(row)
	r.visit(atLog)
	r.log.doc = nil
	r.log.showOnly(r, only)
	r.log.called = true
}

// entered shows the messages of all tasks again where those of one were asked for
// at the task.
func (p *logPane) entered() {
	if p.called {
		p.called, p.held, p.lines.only = false, false, logOnly{}
		p.lines.sort(&p.find)
	}
}

// toggleTask shows the messages of the selected task, or those of all again.
func (p *logPane) toggleTask(r *Root) {
	if p.lines.only.on() {
		p.showOnly(r, logOnly{})
		r.say("The messages of all tasks are shown.")
		return
	}
	key := r.tasks.at
	if r.back == atInbox {
		key = r.inbox.row(r.m)
	}
	row := r.m.Row(key)
	if row == nil {
		r.say("No task is selected among the tasks.")
		return
	}
	p.doc = nil
	p.showOnly(r, onlyOf(row))
}

// showOnly shows the messages of one task, or of all.
func (p *logPane) showOnly(r *Root, only logOnly) {
	p.called = p.called && !only.on()
	p.keepCursor(r, func() { p.lines.only = only })
}

// toOwner goes to the task of the message under the cursor.
func (p *logPane) toOwner(r *Root) {
	line, ok := p.current(r)
	if !ok {
		r.say("There is no message here.")
		return
	}
	row := ownerOf(r.m, &line)
	switch {
	case row == nil && line.Task != "":
		r.say("That task is on no row any more: :watch " + task.CleanLine(line.Server, 60).Line() + " " + line.Task.Text().Line() + " asks for it.")
		return
	case row == nil:
		r.say("The message speaks of no task.")
		return
	}
	r.goTo(row)
	if _, seen := r.m.Board().Rank(row.Key); !seen {
		r.say("The table does not show its row: the filter hides it, or the table is paused.")
	}
}

// hide has the log leave out these methods.
func (p *logPane) hide(methods []string) {
	p.lines.hide = slices.Clone(methods)
	p.lines.sort(&p.find)
}

// hideMethod leaves out the method of the message under the cursor.
func (p *logPane) hideMethod(r *Root) {
	line, ok := p.current(r)
	switch {
	case !ok:
		r.say("There is no message here.")
		return
	case line.Method == "":
		r.say("This line has no method by which it could be hidden.")
		return
	case slices.Contains(p.lines.hide, line.Method):
		r.say(methodWord(line.Method) + " is hidden.")
		return
	}
	p.doc = nil
	p.keepCursor(r, func() { p.lines.hide = append(slices.Clone(p.lines.hide), line.Method) })
	r.say(methodWord(line.Method) + " is hidden, with its replies. " + keyOf(r.k.Log.Unhide) + " shows it again.")
}

// unhide shows the method again that was hidden last.
func (p *logPane) unhide(r *Root) {
	n := len(p.lines.hide)
	if n == 0 {
		r.say("No method is hidden.")
		return
	}
	method := p.lines.hide[n-1]
	p.keepCursor(r, func() { p.lines.hide = slices.Clone(p.lines.hide[:n-1]) })
	r.say(methodWord(method) + " is shown again.")
}

// export saves what the log shows as JSON lines: the open message, or all lines
// to which one can scroll. Answers and secrets are dots, revealed or not.
func (p *logPane) export(r *Root) tea.Cmd {
	lines := func() []model.LogLine { return nil }
	if p.doc != nil {
		one := p.docOf
		lines = func() []model.LogLine { return []model.LogLine{one} }
	} else {
		all, choice := p.history(r.m), p.lines.logChoice
		lines = func() []model.LogLine {
			return slices.DeleteFunc(all(), func(l model.LogLine) bool { shown, _ := choice.judge(&l); return !shown })
		}
	}
	path := filepath.Join(r.o.SaveDir, "callboard-log-"+r.now.Format("20060102-150405")+".jsonl")
	return func() tea.Msg {
		lines := lines()
		if len(lines) == 0 {
			return NoteMsg{Text: "There is no line to save."}
		}
		var data []byte
		for i := range lines {
			line, err := lines[i].Line(lines[i].Server)
			if err != nil {
				return savedMsg{err: err}
			}
			data = append(data, line...)
		}
		path, err := writeNew(path, data)
		return savedMsg{path: path, what: count(len(lines), "line", "lines"), size: len(data), err: err}
	}
}

// history returns what reads all lines to which one can scroll. It is for a command:
// those that are not held have to be read first.
func (p *logPane) history(m *model.Model) func() []model.LogLine {
	p.rows(m, 1) // what came is taken in, where lines are held
	l := &p.lines
	if l.began && !l.unread {
		held := linesOf(l.all)
		return func() []model.LogLine { return held }
	}
	mark, held := m.LogEnd(), linesOf(l.all)
	if l.began {
		mark = l.mark
	}
	return func() []model.LogLine {
		before, _ := mark.Before(maxShownFrames-len(held), maxShownBytes)
		return append(before, held...)
	}
}

func linesOf(entries []*logEntry) []model.LogLine {
	lines := make([]model.LogLine, len(entries))
	for i, e := range entries {
		lines[i] = e.LogLine
	}
	return lines
}

// copyCurl puts the request under the cursor on the clipboard as a curl command; at
// a reply of a server, the one that it answers.
func (p *logPane) copyCurl(r *Root) tea.Cmd {
	line, ok := p.current(r)
	switch {
	case !ok:
		r.say("There is no request here.")
		return nil
	case r.o.Clipboard == nil:
		r.say("There is no clipboard here.")
		return nil
	}
	clipboard, all := r.o.Clipboard, func() []model.LogLine { return nil }
	if line.Dir == task.In && line.Reply {
		all = p.history(r.m)
	}
	return func() tea.Msg {
		line := asked(all(), line)
		if why := notForCurl(&line); why != "" {
			return NoteMsg{Text: why}
		}
		text, vars, masked := curl(&line.Frame)
		way, err := clipboard(text)
		return copiedMsg{what: "the curl command", way: way, size: len(text), more: curlWords(vars, masked), err: err}
	}
}

// asked is the request among lines that a reply of a server answers, the reply itself
// where they do not have that any more.
func asked(lines []model.LogLine, reply model.LogLine) model.LogLine {
	for _, l := range slices.Backward(lines) {
		if l.Server == reply.Server && l.Dir == task.Out && !l.Reply && l.ID == reply.ID && !l.At.After(reply.At) {
			return l
		}
	}
	return reply
}

// notForCurl says why a line is no request that could be sent again, "" where it is.
func notForCurl(l *model.LogLine) string {
	switch {
	case l.Dir == task.Note:
		return "A note is no request."
	case l.Dir == task.In:
		return "The server sent this: a curl command is made of requests of callboard only."
	case l.Reply:
		return "This is an answer: a curl command is made of requests of callboard only."
	case l.ID == "" || l.Wire == nil:
		return "This is a notification: a curl command is made of requests of callboard only."
	case l.Size > maxLogged:
		return "The log holds the beginning of this message only: it is too long to be sent again from here."
	}
	return ""
}

// maxLogged is how many bytes of a message the log holds.
const maxLogged = 64 << 10
