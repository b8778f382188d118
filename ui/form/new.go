package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/themes"

	"github.com/charmbracelet/bubbles/key"
)

// Names of a Call's own rows in its draft. A tool whose argument is called so
// loses that argument's draft, and nothing else.
const (
	draftMode = "\x00mode"
	draftTTL  = "\x00ttl"
)

// Form is a form on the screen. New makes one.
type Form struct {
	theme    *themes.Theme
	keys     *keymap.Map
	spec     Spec
	url      address  // of URL mode
	urlRows  []string // the address laid out for urlWidth cells
	urlWidth int

	rows  []row
	rest  map[string]string // of the draft: JSON of properties that are no fields
	focus int
	edit  *editor // of the row under the cursor, or of the JSON; nil for none

	json     bool   // the whole content is edited as JSON
	jsonText string // while json

	menu    []choiceOfMenu // open while not nil
	menuAt  int
	outside int // what EditText was asked for: a row, or wholeForm

	sample sample      // the person's command
	other  model.Draft // what menu.Swap puts in place of what is typed, nil for nothing
	came   bool        // other came from outside, and was never in the form

	pasted   int  // where the next piece of a paste goes into a text that is not edited here, -1 for nowhere
	touched  bool // something was typed, now or before
	revealed bool // secret fields are shown

	reading *reading  // what is read in place of the fields, nil for nothing
	head    keptLines // of this look
	said    keptLines // what the server wrote of its question
	state   State
	among   Place
	whole   []string // problems of the whole
	message string   // why the last key did nothing

	w, h   int
	tall   int // the most lines of body so far, of Snug
	scroll int
	spans  []extent // of the body, in the last look
	follow bool     // the window follows the cursor
}

// wholeForm stands for the content as JSON where a row is meant.
const wholeForm = -1

// New returns the form that spec describes.
func New(theme *themes.Theme, keys *keymap.Map, spec Spec) *Form {
	if spec.Now == nil {
		spec.Now = time.Now
	}
	if spec.Form.Now == nil {
		spec.Form.Now = spec.Now
	}
	f := &Form{theme: theme, keys: keys, spec: spec, rest: map[string]string{}, outside: wholeForm, pasted: -1, touched: spec.Draft != nil}
	if f.isURL() {
		f.url = inspect(spec.URL)
		return f
	}
	for i := range spec.Form.Fields {
		f.rows = append(f.rows, row{field: &f.spec.Form.Fields[i]})
	}
	draft := f.firstDraft()
	if spec.Kind == Call {
		f.addCallRows(draft)
	}
	if text, ok := draft[""]; ok {
		if f.json, f.jsonText = true, text; f.hasSecrets() && f.toFields(text) == nil {
			f.json, f.jsonText = false, "" // the fields mask what is secret
		}
	} else if spec.Form.JSONOnly != "" {
		content, _ := task.Assemble(spec.Form, draft)
		f.json, f.jsonText = true, pretty(content)
	} else {
		f.fill(draft)
	}
	f.enter()
	if spec.Draft != nil {
		f.wrongRows() // marked from the first look, as they were when one left it
	}
	return f
}

// firstDraft returns what the form begins with, for the caller to change.
func (f *Form) firstDraft() map[string]string {
	switch {
	case f.spec.Draft != nil:
		return maps.Clone(map[string]string(f.spec.Draft))
	case len(f.spec.Args) > 0:
		if draft, err := task.Split(f.spec.Form, f.spec.Args); err == nil {
			return draft
		}
		return map[string]string{"": pretty(f.spec.Args)}
	}
	return task.Prefill(f.spec.Form)
}

// fill puts a draft into the rows.
func (f *Form) fill(draft map[string]string) {
	f.rest = maps.Clone(draft)
	for i := range f.rows {
		r := &f.rows[i]
		if r.kind != fieldRow {
			continue
		}
		if text, ok := draft[r.field.Name]; ok {
			delete(f.rest, r.field.Name)
			r.assign(text)
		} else {
			r.unset()
		}
	}
}

// Draft returns what is typed, for SaveDraft and a later Spec. It is nil where
// nothing was typed yet.
func (f *Form) Draft() model.Draft {
	if f.isURL() || !f.touched {
		return nil
	}
	draft := f.content()
	for i := range f.rows {
		switch r := &f.rows[i]; r.kind {
		case modeRow:
			draft[draftMode] = r.text
		case ttlRow:
			draft[draftTTL] = r.text
		case fieldRow:
		}
	}
	return model.Draft(draft)
}

// content returns the draft of the content alone, as task.Assemble takes it.
func (f *Form) content() map[string]string {
	f.store()
	if f.json {
		return map[string]string{"": f.jsonText}
	}
	draft := maps.Clone(f.rest)
	for i := range f.rows {
		if r := &f.rows[i]; r.kind == fieldRow && r.set {
			draft[r.field.Name] = r.text
		}
	}
	return draft
}

// SetState tells the form what became of its question.
func (f *Form) SetState(s State) {
	if s.Phase == f.state.Phase && s.Why == f.state.Why {
		f.state.At = s.At
		return
	}
	f.state, f.menu, f.message, f.reading = s, nil, "", nil
	f.scroll, f.follow = 0, s.Phase == Asking || s.Phase == Failed || s.Phase == Held
}

// SetPlace tells the form where its question stands among those of its task.
func (f *Form) SetPlace(p Place) { f.among = p }

// Message says why the last key did nothing, "" where it did something.
func (f *Form) Message() string { return f.message }

// Ages reports whether something on the form grows older as one looks.
func (f *Form) Ages() bool {
	if !f.json && slices.ContainsFunc(f.rows, func(r row) bool { return r.set && r.isDate() }) {
		return true
	}
	return !f.spec.Since.IsZero() || !f.spec.Ends.IsZero() || !f.state.At.IsZero() || f.sample.running
}

// Hints are the keys that work now, the most useful first.
func (f *Form) Hints() []key.Binding {
	k := f.keys
	switch {
	case f.reading != nil:
		hints := []key.Binding{relabel(k.List.Down, shown(k.List.Up)+"/"+shown(k.List.Down), "scroll"), relabel(k.Form.Leave, "", "back")}
		if f.reading.send && f.takesKeys() {
			hints = append([]key.Binding{k.Form.Send}, hints...)
		}
		return hints
	case f.menu != nil:
		return []key.Binding{relabel(k.Menu.Up, shown(k.Menu.Up)+"/"+shown(k.Menu.Down), "choose"), relabel(k.Menu.Choose, "", "do it"), k.Menu.Leave}
	case f.state.Phase == Sending, f.state.Phase == Sent, f.state.Phase == Complete, f.state.Phase == Withdrawn:
		return []key.Binding{k.Form.Leave, k.Form.Menu}
	case f.isURL() && f.state.Phase == Waiting:
		return []key.Binding{k.URL.Done, k.URL.Retry, relabel(k.URL.Copy, "", "copy"), k.URL.Menu, k.URL.Leave}
	case f.isURL():
		hints := []key.Binding{k.URL.Open, k.URL.Copy, relabel(k.URL.Menu, "", declineMore)}
		if f.among.Of > 1 {
			hints = append(hints, k.URL.NextAsk)
		}
		return append(hints, k.URL.Leave)
	}
	hints := []key.Binding{k.Form.Send}
	menu := k.Form.Menu
	if f.spec.Kind == Question && f.spec.NoRefusal == "" {
		menu = relabel(menu, "", declineMore)
		hints = append(hints, menu) // who wants to say no looks for it first
	}
	if f.among.Of > 1 {
		hints = append(hints, relabel(k.Form.NextAsk, "", "next question"))
	}
	if f.canHold() == "" {
		hints = append(hints, relabel(k.Form.Hold, "", "hold"))
	}
	if len(f.rows) > 1 && !f.json {
		hints = append(hints, k.Form.Next)
	}
	if r := f.current(); r != nil {
		switch {
		case r.isMany():
			hints = append(hints, k.Form.Toggle)
		case r.isBool():
			hints = append(hints, relabel(k.Form.Yes, f.yesOrNo(), "choose"))
		}
		if r.kind == fieldRow && (r.set && !r.required() || r.takesNull()) {
			hints = append(hints, relabel(k.Form.Unset, "", f.unsetWords(r)))
		}
	}
	if missing, failing := f.faults(); len(f.rows) > 5 && missing+failing > 0 {
		hints = append(hints, relabel(k.Form.Fault, "", "next to mend"))
	}
	if f.canSample() == "" {
		words := "draft by your command"
		if f.sample.running {
			words = "stop your command"
		}
		hints = append(hints, relabel(k.Form.Sample, "", words))
	}
	if f.spec.Kind != Question || f.spec.NoRefusal != "" {
		hints = append(hints, menu)
	}
	return append(hints, relabel(k.Form.Leave, "", "keep and leave")) // short, as a footer is
}

// declineMore is what the menu of a question has.
const declineMore = "decline, more"

// relabel returns a binding under other words for a footer, "" for its own.
func relabel(b key.Binding, shown, desc string) key.Binding {
	h := b.Help()
	b.SetHelp(cmp.Or(shown, h.Key), cmp.Or(desc, h.Desc))
	return b
}

// yesOrNo names the keys of a yes or no.
func (f *Form) yesOrNo() string {
	k := &f.keys.Form
	return shown(k.Yes) + " / " + shown(k.No) + ", arrows or " + shown(k.Toggle)
}

// takesKeys reports whether an answer can be given now.
func (f *Form) takesKeys() bool {
	return f.state.Phase == Asking || f.state.Phase == Failed || f.state.Phase == Held
}

// isReply reports whether the row is the text that goes on with a conversation.
func (f *Form) isReply(r *row) bool {
	return f.spec.Sampling != nil && r.kind == fieldRow && r.field.Name == task.SampledText
}

func (f *Form) isURL() bool { return f.spec.Kind == Question && f.spec.Mode == task.URLMode }

// current returns the row under the cursor, nil where there is none.
func (f *Form) current() *row {
	if f.json || f.focus < 0 || f.focus >= len(f.rows) {
		return nil
	}
	return &f.rows[f.focus]
}

// enter puts an editor on what is under the cursor.
func (f *Form) enter() {
	f.edit = nil
	if f.json {
		if inline(f.jsonText) && f.hidesSecrets() == "" {
			f.edit = newEditor(f.jsonText, true, true)
		}
		return
	}
	if r := f.current(); r != nil && r.isText() && inline(r.shown()) {
		f.edit = newEditor(r.shown(), r.multi() || f.isReply(r), false)
		f.edit.masked = f.secret(r)
	}
}

// store takes the text out of the editor.
func (f *Form) store() {
	if f.edit == nil {
		return
	}
	text := f.edit.value()
	if f.json {
		f.jsonText = text
		return
	}
	r := f.current()
	if r == nil || text == r.shown() {
		return
	}
	r.set, r.text = true, text
	if text == "" && r.isNumber() {
		r.set = false // an empty number means nothing
	}
	r.changed()
}

// pretty writes a JSON value over several lines, or as it is where it is none.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) > maxInline*8 || json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return strings.TrimSpace(b.String())
}
