package ui

import (
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/render"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// clockMsg is the tick of the clock.
type clockMsg struct{}

// Update takes in a message. What is not the screen's belongs to the model,
// and to an open form, whose cursor may blink.
func (r *Root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	r.now, r.still = r.o.Now(), false
	var cmd tea.Cmd
	keyed := false
	switch msg := msg.(type) {
	case tea.KeyMsg:
		keyed = true
		r.touched()
		cmd = tea.Batch(r.pressed(msg), r.meet())
	case tea.MouseMsg:
		if cmd, keyed = r.pointed(msg); !keyed {
			r.still = true
			return r, nil
		}
	case tea.WindowSizeMsg:
		r.width, r.height = msg.Width, msg.Height
		if o, ok := r.over.(*imageOverlay); ok { // it would stand in the wrong place
			r.over = nil
			cmd = o.hide(r)
		}
	case clockMsg:
		r.ticking = false
	case tea.FocusMsg:
		r.focus(true)
	case tea.BlurMsg:
		r.focus(false)
	case tea.ResumeMsg:
		cmd = r.m.Update(model.RefreshMsg{}) // much may have happened meanwhile
		r.cameBack(r.away.keyed, true)
	case NoteMsg:
		r.told(msg)
	case savedMsg:
		cmd = r.saved(msg)
	case copiedMsg:
		r.copied(msg)
	case connectMsg:
		cmd = r.connected(msg)
	case openedMsg:
		r.opened(msg)
	case editedMsg:
		cmd = r.edited(msg)
		r.cameBack(r.away.keyed, true)
	case SettingsMsg:
		cmd = r.resettle(msg)
	case imageMsg:
		cmd = r.imageShown(msg)
	case readMsg:
		cmd = r.wasRead(msg)
		r.cameBack(r.away.keyed, true)
	case comparedMsg:
		r.compared(msg)
	case rowsMsg:
		cmd = r.rowsFound(msg)
	case render.FoundMsg:
		cmd = r.searchFound(msg)
	case olderMsg:
		r.log.older(r, msg)
	case logFoundMsg:
		cmd = r.log.searchOn(r, msg)
	case changed:
		cmd = r.took(msg)
	case keptMsg:
		cmd = r.kept(msg)
	default:
		cmd = r.passed(msg)
	}
	return r, tea.Batch(cmd, r.settle(keyed))
}

// passed hands on what is not the screen's.
func (r *Root) passed(msg tea.Msg) tea.Cmd {
	cmd := r.m.Update(msg)
	if r.over != nil {
		cmd = tea.Batch(cmd, r.over.update(r, msg))
	}
	return cmd
}

// settle runs after each message: cursors follow what they stand on, the model
// learns what is looked at, the bell rings, the clock goes on. keyed: it was a
// key, so that the person expects the cursor to move.
func (r *Root) settle(keyed bool) tea.Cmd {
	r.found()
	r.chooseColumns()
	r.tasks.settle(r.m)
	r.inbox.settle(r.m)
	r.watch(keyed)
	r.welcome()
	var cmds []tea.Cmd
	row := r.row()
	if row != r.selected {
		r.selected = row
		cmds = append(cmds, r.m.Update(model.SelectMsg{Key: row}))
	}
	r.detail.show(row)
	if of := r.m.Row(r.result.of); of != nil {
		r.result.of = of.Key
	}
	if r.side == r.result && r.result.of != row {
		r.side, r.onSide = r.detail, r.onSide && r.width >= sideBySide
	}
	r.turnedInto()
	if f, ok := r.over.(*formOverlay); ok {
		cmds = append(cmds, f.settle(r))
	}
	cmds = append(cmds, r.log.settle(r), r.arrived(), r.comparing(), r.heed(), r.clock())
	return tea.Batch(cmds...)
}

// row returns the key of the row that keys act on, zero for none.
func (r *Root) row() task.Key {
	if r.at == atInbox {
		return r.inbox.row(r.m)
	}
	return r.tasks.at
}

// clock returns the command that ticks at the next whole second, nil while one
// is under way or nothing on the screen ages.
func (r *Root) clock() tea.Cmd {
	if r.ticking || r.quitting || !r.ages() {
		return nil
	}
	r.ticking = true
	now, stopped := r.o.Now(), r.stopped
	wait := now.Truncate(time.Second).Add(time.Second).Sub(now)
	return func() tea.Msg {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			return clockMsg{}
		case <-stopped:
			return nil
		}
	}
}

// ages reports whether anything in sight changes with time alone: ages of rows
// and links, the clock, a sentence that will go.
func (r *Root) ages() bool {
	return r.m.Board().Total() > 0 || len(r.m.Links()) > 0 || r.said.text != "" || r.width >= clockFrom
}

// pressed takes a key. Keys that were read together come as one message, and
// esc with the key behind it as alt; outside of text each is a key of its own. In
// text they stay together, unless they spell the name of a key: who types "end"
// over a slow line means the word.
func (r *Root) pressed(k tea.KeyMsg) tea.Cmd {
	if k.Alt && (k.Type == tea.KeyEsc || !r.typing()) { // esc twice is so wherever it is typed
		esc := r.press(tea.KeyMsg{Type: tea.KeyEsc})
		k.Alt = false
		return tea.Batch(esc, r.pressed(k))
	}
	if k.Type != tea.KeyRunes || k.Alt || k.Paste || len(k.Runes) < 2 {
		return r.press(k)
	}
	var cmds []tea.Cmd
	for all := k.Runes; len(all) > 0; all = all[1:] {
		if k.Runes = all; r.typing() && !namesKey(k) {
			return tea.Batch(append(cmds, r.press(k))...)
		}
		cmds = append(cmds, r.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: all[:1:1]}))
	}
	return tea.Batch(cmds...)
}

// namesKey reports whether text reads like a key: bindings are matched by that.
func namesKey(k tea.KeyMsg) bool {
	name := k.String()
	return keyNames[name] || strings.HasPrefix(name, "alt+")
}

// keyNames are the names of Bubble Tea's keys that are longer than a letter.
var keyNames = func() map[string]bool {
	names := map[string]bool{}
	for t := tea.KeyType(-128); t < 128; t++ {
		if name := (tea.Key{Type: t}).String(); len(name) > 1 {
			names[name] = true
		}
	}
	return names
}()

// typing reports whether keys are text now.
func (r *Root) typing() bool {
	if r.over != nil {
		return r.over.typing()
	}
	return r.at == atTools && r.tools.typing()
}

// press takes one key: an overlay's, the pane's, the task's, then those that
// work everywhere. A key that does nothing says why.
func (r *Root) press(k tea.KeyMsg) tea.Cmd {
	if key.Matches(k, r.k.Everywhere.Abort) {
		return r.quit()
	}
	r.turn()
	r.wanted, r.sought = task.Key{}, task.Key{}
	r.viewOf = viewKey{}
	if r.over != nil {
		return r.over.update(r, r.asShown(k))
	}
	if k.Paste && !r.typing() {
		r.say("Pasted text goes into fields only.")
		return nil
	}
	r.tasks.touched = true
	if r.startled(k) {
		return nil
	}
	if r.searchKey(k) {
		return nil
	}
	if cmd, ok := r.readKey(k); ok {
		return cmd
	}
	if cmd, ok := r.focused().key(r, k); ok {
		return cmd
	}
	if cmd, ok := r.taskKey(k); ok {
		return cmd
	}
	if cmd, ok := r.everywhere(k); ok {
		return cmd
	}
	if key.Matches(k, r.k.List.NextMatch, r.k.List.PrevMatch) {
		r.say("There is no text here that can be searched.")
		return nil
	}
	r.say(keyWord(k) + " does nothing here. " + r.k.Everywhere.Help.Help().Key + " shows the keys.")
	return nil
}

// asShown makes text that goes into a line what the screen would show of it: what
// was pasted may turn the writing around or be seen by nobody, and the line looks
// for what is on the screen. A form takes it as it is.
func (r *Root) asShown(k tea.KeyMsg) tea.KeyMsg {
	if _, form := r.over.(*formOverlay); !form && k.Type == tea.KeyRunes && r.typing() {
		k.Runes = []rune(task.Clean(string(k.Runes)).Line())
	}
	return k
}

// focused returns the pane that has the keys.
func (r *Root) focused() pane {
	if r.hasSide() && r.onSide {
		return r.side
	}
	return r.panes[r.at]
}

// hasSide reports whether the place has a side pane.
func (r *Root) hasSide() bool { return r.at == atTasks || r.at == atInbox }

// everywhere takes the keys that work in all panes.
func (r *Root) everywhere(k tea.KeyMsg) (tea.Cmd, bool) {
	e := &r.k.Everywhere
	switch {
	case key.Matches(k, e.Help):
		r.openHelp()
	case key.Matches(k, e.Log):
		r.visit(atLog)
	case key.Matches(k, e.Servers):
		r.visit(atServers)
	case key.Matches(k, e.Away):
		r.visit(atAway)
	case key.Matches(k, e.Inbox):
		r.visit(atInbox)
	case key.Matches(k, e.New):
		return r.openTools(), true
	case key.Matches(k, e.Answer):
		cmd := r.answer()
		r.alone()
		return cmd, true
	case key.Matches(k, e.NextPane), key.Matches(k, e.PrevPane):
		r.otherPane()
	case key.Matches(k, e.Back):
		return r.leave(), true
	case key.Matches(k, e.Zoom):
		r.zoomIn()
	case key.Matches(k, e.Shrink):
		return r.widen(-shareStep), true
	case key.Matches(k, e.Grow):
		return r.widen(shareStep), true
	case key.Matches(k, e.Command):
		r.openCommand()
	case key.Matches(k, e.Refresh):
		return r.refresh(), true
	case key.Matches(k, e.Retry):
		cmd := r.retry()
		r.alone()
		return cmd, true
	case key.Matches(k, e.Suspend):
		return r.suspend(), true
	case key.Matches(k, e.Quit):
		return r.askQuit(), true
	default:
		return nil, false
	}
	return nil, true
}
