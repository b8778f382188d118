package form

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// choiceOfMenu is one line of the menu. why says why it does not work now, ""
// where it does.
type choiceOfMenu struct {
	key  key.Binding
	text string
	why  string
	do   func() Event
	// final says that it cannot be taken back.
	final bool
}

func (f *Form) openMenu() {
	k := &f.keys.Menu
	var m []choiceOfMenu
	if f.spec.Kind == Question {
		why := ""
		switch f.state.Phase {
		case Sending, Sent, Withdrawn, Complete:
			f.locked()
			why, f.message = f.message, ""
		case Waiting:
			why = "You agreed already."
		case Asking, Failed, Held:
			why = f.spec.NoRefusal
		}
		m = append(m,
			choiceOfMenu{k.Decline, "decline: tell the server no", why, func() Event { return f.end(Decline) }, true},
			choiceOfMenu{k.Dismiss, "dismiss: close it without an answer", why, func() Event { return f.end(Dismiss) }, true},
		)
		if f.isURL() && f.state.Phase == Waiting {
			m[1] = choiceOfMenu{k.Dismiss, "wait no longer for the other side", "", func() Event { return Event{Kind: GiveUp} }, true}
		}
	}
	switch {
	case f.isURL() && f.state.Phase == Waiting:
		refuse := ""
		if f.url.noCopy {
			refuse = f.url.refuse
		}
		m = append(m,
			choiceOfMenu{k.Copy, "copy the URL", refuse, func() Event { return Event{Kind: CopyText, Text: f.url.raw} }, false},
			choiceOfMenu{k.Open, "open the URL again", f.url.refuse, func() Event { return Event{Kind: Reopen, Text: f.url.raw} }, false},
		)
	case f.isURL():
		m = append(m,
			choiceOfMenu{k.Copy, "agree, and copy the URL", f.urlRefusal(CopyURL), func() Event { return f.consent(CopyURL) }, true},
			choiceOfMenu{k.Open, "agree, and open the URL", f.urlRefusal(OpenURL), func() Event { return f.consent(OpenURL) }, true},
		)
	default:
		m = append(m, f.editChoices()...)
	}
	if f.isURL() {
		m = append(m, f.wholeChoice()...)
	}
	f.menu, f.menuAt = m, 0
	if f.spec.Kind == Question { // nobody says no by pressing enter twice
		f.menuAt = 2
		if f.among.Of > 1 && !f.isURL() {
			f.menu = slices.Insert(m, 2, choiceOfMenu{k.Hold, "keep this answer, and send all together", f.canHold(), f.hold, false})
			m = f.menu
		}
		for f.menuAt < len(m)-1 && m[f.menuAt].why != "" {
			f.menuAt++
		}
	}
}

// editChoices are the lines of the menu about what is typed.
func (f *Form) editChoices() []choiceOfMenu {
	k := &f.keys.Menu
	edit := "edit in $EDITOR, as JSON"
	if r := f.current(); r != nil && r.isText() && r.kind == fieldRow {
		edit = "edit this field in $EDITOR"
	}
	view, why := "show and edit as JSON", ""
	if f.json {
		view = "back to the fields"
		if f.spec.Form.JSONOnly != "" {
			why = "There are no fields: " + f.spec.Form.JSONOnly
		}
	}
	locked := ""
	if f.locked() {
		locked, f.message = f.message, ""
		why = locked
	}
	var m []choiceOfMenu
	m = append(m, choiceOfMenu{k.Review, "review what will be sent", locked, f.review, false})
	if r := f.current(); r != nil && r.takesNull() && !r.isNull() {
		m = append(m, choiceOfMenu{k.Null, "send null for this field", locked, f.setNull, false})
	}
	if r := f.current(); r != nil && r.bare() {
		m = append(m, choiceOfMenu{k.Keys, "write the shape of what it takes", locked, f.writeSkeleton, false})
	}
	m = append(m, []choiceOfMenu{
		{k.Editor, edit, cmp.Or(locked, f.noEditor(f.outsideRow())), f.askEditor, false},
		{k.JSON, view, cmp.Or(why, f.hidesSecrets()), f.switchJSON, false},
		{k.Copy, "copy what is typed, as JSON", f.hidesSecrets(), func() Event {
			content, _ := task.Assemble(f.form(), f.content())
			return Event{Kind: CopyText, Text: pretty(content)}
		}, false},
	}...)
	if len(f.rows) > 1 {
		m = append(m, choiceOfMenu{k.Fault, "go to the next field that fails or is missing", locked, f.nextFault, false})
	}
	if f.hasSecrets() {
		m = append(m, choiceOfMenu{k.Reveal, f.revealWords(), "", f.reveal, false})
	}
	if f.spec.Sampling != nil {
		why := f.canSample()
		if why == "" {
			why = locked
		}
		m = append(m, choiceOfMenu{k.Sample, f.sampleWords(), why, f.sampleKey, false})
	}
	if f.other != nil {
		m = append(m, choiceOfMenu{k.Swap, f.swapWords(), locked, f.swap, false})
	}
	m = append(m, f.wholeChoice()...)
	if f.touched {
		m = append(m, choiceOfMenu{k.Discard, "throw away what is typed, and close", "", func() Event { return Event{Kind: Discard} }, true})
	}
	return m
}

// wholeChoice is the line of the menu that shows all that the server wrote.
func (f *Form) wholeChoice() []choiceOfMenu {
	words := "read the whole question"
	switch {
	case f.spec.Sampling != nil:
		words = "read the whole conversation"
	case f.spec.Message.IsZero() && f.current() == nil:
		return nil
	case f.spec.Kind == Call:
		words = "read the whole description"
	}
	return []choiceOfMenu{{f.keys.Menu.Whole, words, "", f.readWhole, false}}
}

func (f *Form) menuKey(k tea.KeyMsg) Event {
	keys := &f.keys.Menu
	switch {
	case k.Paste:
		f.say("What is pasted goes into text fields only.")
	case key.Matches(k, keys.Leave), key.Matches(k, f.keys.Form.Menu):
		f.menu = nil
	case key.Matches(k, keys.Up):
		f.menuAt = max(f.menuAt-1, 0)
	case key.Matches(k, keys.Down):
		f.menuAt = min(f.menuAt+1, len(f.menu)-1)
	case key.Matches(k, keys.Choose):
		return f.pick(f.menuAt)
	default:
		for i := range f.menu {
			if key.Matches(k, f.menu[i].key) {
				return f.pick(i)
			}
		}
		f.say("Not in this menu; " + shown(keys.Leave) + " closes it.")
	}
	return Event{}
}

func (f *Form) pick(i int) Event {
	if i < 0 || i >= len(f.menu) {
		return Event{}
	}
	c := f.menu[i]
	if c.why != "" {
		f.menuAt = i
		f.say(c.why)
		return Event{}
	}
	f.menu = nil
	return c.do()
}

// end declines or dismisses the question.
func (f *Form) end(kind EventKind) Event {
	f.store()
	f.state = State{Phase: Sending, At: f.spec.Now()}
	return Event{Kind: kind}
}

// outsideRow is the row whose text an editor gets, nil for the whole.
func (f *Form) outsideRow() *row {
	if r := f.current(); r != nil && r.isText() && r.kind == fieldRow {
		return r
	}
	return nil
}

// askEditor asks for an editor on the text under the cursor, or on all of it.
func (f *Form) askEditor() Event {
	f.store()
	if r := f.outsideRow(); r != nil {
		f.outside = f.focus
		ext := ".txt"
		if r.field.Kind == task.JSONField {
			ext = ".json"
		}
		return Event{Kind: EditText, Text: r.shown(), Ext: ext}
	}
	f.outside = wholeForm
	text := f.jsonText
	if !f.json {
		content, _ := task.Assemble(f.form(), f.content())
		text = pretty(content)
	}
	return Event{Kind: EditText, Text: text, Ext: ".json"}
}

// Edited takes what came back from the editor that EditText asked for.
func (f *Form) Edited(text string) Event {
	f.message = ""
	if f.isURL() {
		return Event{}
	}
	f.store()
	e := f.takeEdited(text)
	f.touched = f.touched || e.Kind == Changed
	return e
}

func (f *Form) takeEdited(text string) Event {
	if i := f.outside; i != wholeForm && i < len(f.rows) && !f.json {
		r := &f.rows[i]
		if !strings.HasSuffix(r.text, "\n") {
			text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r") // editors end the last line
		}
		if text == r.shown() && (r.set || text == "") {
			return Event{}
		}
		r.assign(text)
		f.focus = i
		f.enter()
		f.judge()
		return Event{Kind: Changed}
	}
	return f.takeJSON(strings.TrimSpace(text))
}

// takeJSON takes a whole content: into the fields where these are shown and it
// fits them, else as JSON.
func (f *Form) takeJSON(text string) Event {
	if !f.json {
		if err := f.toFields(text); err == nil {
			f.enter()
			return Event{Kind: Changed}
		}
		f.json = true
		f.say("It is shown as JSON: it does not fit the fields.")
	}
	f.jsonText = text
	f.enter()
	return Event{Kind: Changed}
}

// errNoFields is why a JSON-only form stays JSON.
var errNoFields = errors.New("there are no fields for it")

// toFields fills the rows from a whole content.
func (f *Form) toFields(text string) error {
	if f.spec.Form.JSONOnly != "" {
		return errNoFields
	}
	draft, err := task.Split(f.spec.Form, json.RawMessage(text))
	if err != nil {
		return err
	}
	f.fill(draft)
	return nil
}

// switchJSON changes between the fields and the JSON editor.
func (f *Form) switchJSON() Event {
	f.store()
	f.whole = nil
	f.scroll, f.follow = 0, true
	if !f.json {
		content, _ := task.Assemble(f.form(), maps.Clone(f.content()))
		f.json, f.jsonText = true, pretty(content)
		f.enter()
		return Event{Kind: Changed}
	}
	if err := f.toFields(f.jsonText); err != nil {
		f.say("It stays JSON: " + err.Error() + ".")
		return Event{}
	}
	f.json = false
	f.enter()
	return Event{Kind: Changed}
}
