package form

import (
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Update takes a key or a paste; all other messages mean nothing to a form.
func (f *Form) Update(msg tea.Msg) (Event, tea.Cmd) {
	k, ok := msg.(tea.KeyMsg)
	if !ok {
		return Event{}, nil
	}
	f.message = ""
	if !k.Paste {
		f.pasted = -1
	}
	e := f.key(k)
	f.touched = f.touched || e.Kind == Changed
	return e, nil
}

func (f *Form) key(k tea.KeyMsg) Event {
	keys := &f.keys.Form
	switch {
	case f.menu != nil:
		return f.menuKey(k)
	case f.reading != nil:
		return f.readingKey(k)
	case k.Paste:
		return f.paste(k)
	case key.Matches(k, keys.Leave):
		f.store()
		return Event{Kind: Leave}
	case key.Matches(k, keys.Menu):
		f.openMenu()
		return Event{}
	case key.Matches(k, f.beside(1)):
		return f.leaveFor(NextAsk)
	case key.Matches(k, f.beside(-1)):
		return f.leaveFor(PrevAsk)
	case key.Matches(k, keys.PageUp):
		f.page(-1)
		return Event{}
	case key.Matches(k, keys.PageDown):
		f.page(1)
		return Event{}
	case f.locked():
		return Event{}
	case f.isURL():
		return f.urlKey(k)
	case key.Matches(k, keys.Send):
		return f.send()
	case key.Matches(k, keys.Hold):
		return f.hold()
	case key.Matches(k, keys.Sample):
		return f.sampleKey()
	}
	f.follow = true
	return f.fieldKey(k)
}

// fieldKey takes the keys of the row under the cursor, or of the JSON.
func (f *Form) fieldKey(k tea.KeyMsg) Event {
	keys := &f.keys.Form
	switch {
	case key.Matches(k, keys.Fault):
		return f.nextFault()
	case f.json:
		return f.textKey(k)
	case key.Matches(k, keys.Next):
		return f.step(1)
	case key.Matches(k, keys.Prev):
		return f.step(-1)
	}
	r := f.current()
	if r == nil {
		does := " says yes, "
		if f.spec.Kind == Call {
			does = " starts it, "
		}
		f.say("There is nothing to fill in: " + shown(keys.Send) + does + shown(keys.Menu) + " has more.")
		return Event{}
	}
	if key.Matches(k, keys.Unset) {
		return f.leaveOut(r)
	}
	var changed, taken bool
	switch {
	case r.isChoice():
		changed, taken = r.updateChoice(k, keys)
	case r.isBool():
		changed, taken = r.updateBool(k, keys)
	case f.edit != nil && (f.edit.multi || !verticalKey(k)):
		return f.textKey(k)
	}
	switch {
	case changed:
		for i := range f.rows {
			if f.rows[i].kind == ttlRow { // what it says depends on the mode
				f.rows[i].changed()
			}
		}
		return Event{Kind: Changed}
	case taken:
		return Event{}
	case k.Type == tea.KeyEnter, key.Matches(k, keys.Down):
		return f.step(1)
	case key.Matches(k, keys.Up):
		return f.step(-1)
	}
	f.refuse(r)
	return Event{}
}

func verticalKey(k tea.KeyMsg) bool {
	return k.Type == tea.KeyEnter || k.Type == tea.KeyUp || k.Type == tea.KeyDown
}

// refuse says why a key does nothing on the row.
func (f *Form) refuse(r *row) {
	switch {
	case r.isText():
		f.say("This text is edited in $EDITOR: " + shown(f.keys.Form.Menu) + ".")
	case r.isBool():
		f.say("Yes or no: " + f.yesOrNo() + ".")
	case r.isMany():
		f.say(shown(f.keys.Form.Toggle) + " chooses, the arrows move.")
	default:
		f.say("The arrows choose.")
	}
}

// textKey gives a key to the editor.
func (f *Form) textKey(k tea.KeyMsg) Event {
	if f.edit == nil {
		if why := f.hidesSecrets(); f.json && why != "" {
			f.say(why)
			return Event{}
		}
		f.say("This is too much to edit here: " + shown(f.keys.Form.Menu) + " opens it in $EDITOR.")
		return Event{}
	}
	if !f.edit.update(k, f.editWidth()) {
		return Event{}
	}
	f.clearProblem()
	f.store()
	if !inline(f.edit.value()) {
		f.enter() // it grew beyond what is edited here
	}
	return Event{Kind: Changed}
}

func (f *Form) clearProblem() {
	if r := f.current(); r != nil && r.problem != "" {
		r.problem = ""
		r.changed()
	}
	f.whole = nil
}

// unsetWords says what the key that unsets would do to the row.
func (f *Form) unsetWords(r *row) string {
	switch {
	case r.takesNull() && (!r.set || r.required() && !r.isNull()):
		return "send null"
	default:
		return "leave it out"
	}
}

// setNull makes the row under the cursor null.
func (f *Form) setNull() Event {
	r := f.current()
	r.assign(task.TypedNull)
	f.enter()
	return Event{Kind: Changed}
}

// leaveOut unsets a row, or where it is unset already and may be null makes it
// null.
func (f *Form) leaveOut(r *row) Event {
	switch {
	case r.takesNull() && !r.isNull() && (!r.set || r.required()):
		return f.setNull()
	case r.kind != fieldRow:
		f.say("This is always sent; \"none\" leaves the ttl to the server.")
		return Event{}
	case !r.set:
		f.say("It is left out already.")
		return Event{}
	case r.required():
		f.say("It must be given: it is not left out.")
		return Event{}
	}
	r.unset()
	f.enter()
	return Event{Kind: Changed}
}

// step moves the cursor by rows and judges the one it leaves.
func (f *Form) step(by int) Event {
	to := f.focus + by
	f.judge()
	if to < 0 || to >= len(f.rows) {
		if by > 0 {
			f.say("This is the last field: " + shown(f.keys.Form.Send) + " sends.")
		} else {
			f.say("This is the first field.")
		}
		return Event{}
	}
	f.move(to)
	return Event{}
}

func (f *Form) move(to int) {
	f.store()
	if r := f.current(); r != nil {
		r.search = ""
		r.changed()
	}
	f.focus = to
	f.follow = true
	f.enter()
}

// judge shows what is wrong with the row under the cursor, as one leaves it.
func (f *Form) judge() {
	r := f.current()
	if r == nil {
		return
	}
	f.store()
	r.problem = ""
	switch r.kind {
	case fieldRow:
		_, problems := task.Assemble(f.form(), f.content())
		for _, p := range problems {
			if p.Field == r.field.Name && p.Field != "" {
				r.problem = p.Text.Line()
				break
			}
		}
	case ttlRow:
		if _, err := f.ttl(); err != nil && f.asTask() {
			r.problem = err.Error()
		}
	case modeRow:
	}
	r.changed()
}

// locked reports whether the form takes no more answers, and says why.
func (f *Form) locked() bool {
	switch f.state.Phase {
	case Sending:
		f.say("It is being sent.")
	case Sent:
		f.say("It was sent.")
	case Withdrawn:
		if f.say("It can no longer be answered."); f.touched {
			f.say("It can no longer be answered; what you typed is kept.")
		}
	case Complete:
		f.say("It is complete.")
	case Asking, Failed, Held, Waiting:
		return false
	}
	return true
}

func (f *Form) page(by int) {
	f.follow = false
	f.scroll += by * max(f.bodyHeight()-1, 1)
}

func (f *Form) say(line string) { f.message = line }

// shown names a key as the help does.
func shown(b key.Binding) string { return b.Help().Key }
