package ui

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// cancelProves is what a person should know about a cancel.
const cancelProves = "An acknowledgement proves neither that the work stopped nor that its side effects were undone."

// note is a sentence for the footer.
type note struct {
	text string
	bad  bool
	at   time.Time
	keep bool // came by itself: keys do not put it away before it can be read
}

// say puts a sentence into the footer until the next key.
func (r *Root) say(words string) { r.said = note{text: oneLine(words), at: r.now} }

// refuse says why a key does nothing now, in the model's words, which are part
// of a sentence.
func (r *Root) refuse(why string) { r.say(asSentence(oneLine(why))) }

// asSentence begins words with a capital letter and ends them.
func asSentence(words string) string {
	first, _, _ := strings.Cut(words, " ")
	if c, n := utf8.DecodeRuneInString(words); n > 0 && !strings.ContainsFunc(first, notInWords) {
		words = string(unicode.ToUpper(c)) + words[n:]
	}
	if words != "" && !strings.HasSuffix(words, ".") && !strings.HasSuffix(words, "?") {
		words += "."
	}
	return words
}

// notInWords reports whether a character stands in ids and not in the words that
// begin a sentence: an id stays as it is written.
func notInWords(c rune) bool { return !unicode.IsLetter(c) && !strings.ContainsRune("',:;.?", c) }

// fail says what went wrong.
func (r *Root) fail(words string) { r.said = note{text: oneLine(words), bad: true, at: r.now} }

func (r *Root) told(msg NoteMsg) {
	r.said = note{text: oneLine(task.CleanMax(msg.Text, 2000).Line()), bad: msg.Bad, at: r.now}
}

// taskKey takes the keys that work on a task.
func (r *Root) taskKey(k tea.KeyMsg) (tea.Cmd, bool) {
	t := &r.k.Task
	switch {
	case key.Matches(k, t.Copy):
		return r.copy(), true
	case key.Matches(k, r.k.Log.Task):
		r.openTaskLog()
	case key.Matches(k, t.Cancel) && r.many():
		return r.askCancelMany(), true
	case key.Matches(k, t.Cancel):
		r.askCancel()
	case key.Matches(k, t.Save):
		cmd := r.save()
		r.alone()
		return cmd, true
	case key.Matches(k, t.Again):
		r.again()
		r.alone()
	case key.Matches(k, t.Diff):
		return r.compare(), true
	default:
		return nil, false
	}
	return nil, true
}

// selectedRow returns the row that keys act on. Where there is none, or no row
// is to be seen, it says so.
func (r *Root) selectedRow() *model.Row {
	if !r.hasSide() {
		r.say("No task is to be seen here. " + r.k.Everywhere.Back.Help().Key + " leads back to them.")
		return nil
	}
	row := r.m.Row(r.row())
	if row == nil {
		r.say("No task is selected.")
	}
	return row
}

// openRow shows the result of a row that has ended, the question of one that
// asks, else the detail.
func (r *Root) openRow(key task.Key) tea.Cmd {
	row := r.m.Row(key)
	if row == nil {
		r.say("No task is selected.")
		return nil
	}
	switch {
	case hasResult(row):
		return r.openResult(key)
	case row.Asking() && r.m.CanAnswer(key) == "":
		return r.answerRow(row)
	}
	r.side, r.onSide = r.detail, true
	return nil
}

// openResult shows a row's result, and asks for it where it is not there yet.
func (r *Root) openResult(key task.Key) tea.Cmd {
	row := r.m.Row(key)
	switch {
	case row == nil:
		r.say("No task is selected.")
		return nil
	case row.Outcome == nil && row.Live():
		r.say("It has not ended: there is no result yet.")
		return nil
	case row.Outcome == nil && !row.Task.Status.Terminal():
		r.say("There is no result: " + markWords(row) + ".")
		return nil
	}
	r.result.show(row.Key)
	r.result.fromDetail = r.onSide && r.side == r.detail
	r.side, r.onSide = r.result, true
	return r.m.Update(model.ResultMsg{Key: row.Key})
}

// askCancel asks whether the selected task should be cancelled.
func (r *Root) askCancel() {
	row := r.selectedRow()
	if row == nil {
		return
	}
	if why := r.m.CanCancel(row.Key); why != "" {
		r.refuse(why)
		return
	}
	s := r.scene()
	what, line := "Cancel ", cancelProves
	if s.links[row.Key.Server].About.Era == task.Modern {
		line = "The server takes a cancel as a wish: the task may still end otherwise. " + cancelProves
	}
	if row.Plain {
		what = "Give up "
		line = "The server is told that nobody waits any more. That proves neither that the work stops nor that its side effects are undone."
	}
	lines := []string{"on " + s.guard(row.Key.Server) + task.CleanLine(row.Key.Server, 100).Line() + ", " + s.statusOf(row).word + " " + lasting(s.since(row.Since.Time())) + "."}
	of := row.Key
	r.over = &confirm{
		title: what + s.rowName(row) + "?",
		lines: append(lines, "", line),
		quote: s.cut(message(row), 300),
		yes: func(r *Root) tea.Cmd {
			if why := r.m.CanCancel(of); why != "" {
				r.refuse(why)
				return nil
			}
			return r.guarded([]string{of.Server}, "A task is cancelled.", func(r *Root) tea.Cmd {
				return r.m.Update(model.CancelMsg{Key: of})
			})
		},
	}
}

// again opens the form of a call that was made here with the same arguments;
// where its tool is not known any more, it asks whether to send the same.
func (r *Root) again() {
	row := r.selectedRow()
	switch {
	case row == nil:
	case row.Call == nil && earlier(row) != "":
		tool := earlier(row)
		words := "An earlier callboard ran " + task.CleanLine(tool, 100).Line() + ", and kept no arguments: "
		t := r.tool(row.Key.Server, tool)
		switch why := r.m.CanStart(row.Key.Server); {
		case why != "":
			r.refuse(why)
		case t == nil:
			r.say(words + r.k.Everywhere.New.Help().Key + " lists the tools.")
		default:
			r.openCall(row.Key.Server, t, nil)
			r.say(words + "give them again.")
		}
	case row.Call == nil:
		r.say("It was not started here: its tool and arguments are not known.")
	default:
		if t := r.tool(row.Key.Server, row.Call.Tool); t != nil {
			r.openCall(row.Key.Server, t, row.Call)
			return
		}
		r.askAgainOf(row)
	}
}

// earlier is the tool that made a row when callboard ran before, "" where that is
// not so.
func earlier(row *model.Row) string {
	switch {
	case row.Sent != nil:
		return row.Sent.Tool
	case row.Handle != nil:
		return row.Handle.Tool
	}
	return ""
}

// tool returns what is known of a tool, nil for nothing.
func (r *Root) tool(server, name string) *task.Tool {
	known := r.m.Tools(server).Tools
	if i := slices.IndexFunc(known, func(t task.Tool) bool { return t.Name == name }); i >= 0 {
		return &known[i]
	}
	return nil
}

func (r *Root) askAgainOf(row *model.Row) {
	server, call := row.Key.Server, *row.Call
	if why := r.m.CanStart(server); why != "" {
		r.refuse(why)
		return
	}
	r.over = &confirm{
		title: "Run " + task.CleanLine(call.Tool, 100).Line() + " again?",
		lines: []string{
			"on " + r.scene().guard(server) + task.CleanLine(server, 100).Line() + ", with the same arguments:",
		},
		quote: task.CleanMax(string(call.Args), 400).Line(),
		yes:   func(r *Root) tea.Cmd { return r.start(server, call) },
	}
}

// start sends a call under a new name, and selects its row.
func (r *Root) start(server string, call task.Call) tea.Cmd { return r.startFrom(server, call, nil) }

// startFrom is start; sent, where it is not nil, runs as the call goes out.
func (r *Root) startFrom(server string, call task.Call, sent func()) tea.Cmd {
	words := "A call of " + task.CleanLine(call.Tool, 100).Line() + " is started."
	return r.guarded([]string{server}, words, func(r *Root) tea.Cmd {
		if sent != nil {
			sent()
		}
		call.ID = model.NewCallID()
		cmd := r.m.Update(model.StartMsg{Server: server, Call: call})
		r.started(task.Key{Server: server, Call: call.ID})
		return cmd
	})
}

// started selects the row of a call that was just sent; where there is none, the
// model says why.
func (r *Root) started(key task.Key) {
	r.toTasks()
	row := r.m.Row(key)
	if row == nil {
		return
	}
	r.goTo(row)
	switch _, seen := r.m.Board().Rank(row.Key); {
	case seen:
	case r.m.Board().Paused():
		r.say("Started. Its row shows when the table goes on.")
	case r.m.Board().Filter() != "":
		r.say("Started. The filter hides its row.")
	}
}

// retry sends the failed wish of the selected row again.
func (r *Root) retry() tea.Cmd {
	row := r.selectedRow()
	switch {
	case row == nil:
		return nil
	case row.Wish == nil || row.Wish.State != model.WishFailed && row.Wish.State != model.WishUnknown:
		r.say("Nothing failed here that could be tried again.")
		return nil
	}
	of, servers := row.Key, []string{row.Key.Server}
	if row.Wish.Verb == "result" {
		servers = nil // it is read, and nothing is written
	}
	return r.guarded(servers, asSentence(row.Wish.Verb+" is sent again"), func(r *Root) tea.Cmd {
		return r.m.Update(model.RetryMsg{Key: of})
	})
}

type copiedMsg struct {
	what, way string
	more      string // sentences behind it
	size      int
	err       error
}

// copyText puts text on the clipboard.
func (r *Root) copyText(what, text string) tea.Cmd {
	if r.o.Clipboard == nil {
		r.say("There is no clipboard here.")
		return nil
	}
	clipboard := r.o.Clipboard
	return func() tea.Msg {
		way, err := clipboard(text)
		return copiedMsg{what: what, way: way, size: len(text), err: err}
	}
}

// copyResult puts a result on the clipboard, where it is text.
func (r *Root) copyResult(result *task.Result) tea.Cmd {
	if r.o.Clipboard == nil {
		r.say("There is no clipboard here.")
		return nil
	}
	clipboard, no := r.o.Clipboard, noText(r.k)
	return func() tea.Msg {
		_, data := render.Save(result)
		if !isText(data) {
			return no
		}
		way, err := clipboard(string(data))
		return copiedMsg{what: "the result", way: way, size: len(data), err: err}
	}
}

// noText says that a result is none, which is found out in a command: it may be
// long.
func noText(k *keymap.Map) NoteMsg {
	return NoteMsg{Text: "The result is no text: " + keyOf(k.Task.Save) + " saves it."}
}

func (r *Root) copied(msg copiedMsg) {
	if msg.err != nil {
		r.fail("Not copied: " + task.CleanMax(msg.err.Error(), 400).Line())
		return
	}
	// No terminal tells whether it took it, hence no more than "handed".
	r.say("Handed " + msg.what + " to your clipboard: " + size(msg.size) + " by " + task.CleanMax(msg.way, 400).Line() + "." + msg.more)
}

// copy copies the result where it is shown, the line of the log, else the id.
func (r *Root) copy() tea.Cmd {
	if r.at == atLog {
		line, ok := r.log.current(r)
		if !ok {
			r.say("There is no line to copy.")
			return nil
		}
		return r.copyText("the line", shown(&line, r.log.reveal))
	}
	if r.many() {
		return r.copyIDs()
	}
	row := r.selectedRow()
	if row == nil {
		return nil
	}
	if c := r.diffShown(); c != nil && c.doc != nil {
		return r.copyText("the comparison ("+size(len(c.text))+")", string(c.text))
	}
	if r.onSide && r.side == r.result && row.Outcome != nil && row.Outcome.Result != nil {
		return r.copyResult(row.Outcome.Result)
	}
	if row.Key.ID == "" {
		r.say("A plain call has no id.")
		return nil
	}
	return r.copyText("the id "+r.scene().cut(row.Key.ID.Text().Line(), 40), string(row.Key.ID))
}
