package form

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// look returns the form's view without its looks, and fails where it is not
// exactly w by h.
func look(t *testing.T, f *Form, w, h int) string {
	t.Helper()
	view := f.View(w, h)
	uitest.Exact(t, view, w, h)
	return ansi.Strip(view)
}

var start = time.Date(2026, 1, 2, 14, 3, 22, 0, time.UTC)

func choices(words ...string) []task.Choice {
	out := make([]task.Choice, 0, len(words))
	for _, w := range words {
		value, _ := json.Marshal(strings.ToLower(w))
		out = append(out, task.Choice{Value: value, Label: task.Own(w)})
	}
	return out
}

func field(name string, kind task.FieldKind, change ...func(*task.Field)) task.Field {
	f := task.Field{
		Name: name, Label: task.Own(strings.ToUpper(name[:1]) + name[1:]), Kind: kind,
		MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1,
	}
	for _, c := range change {
		c(&f)
	}
	return f
}

func required(f *task.Field) { f.Required = true }

// everyField is a form with each kind of field. Its check knows what the tests
// need: what is required, and lengths.
func everyField() task.Form {
	form := task.Form{Fields: []task.Field{
		field("name", task.StringField, required, func(f *task.Field) {
			f.Description, f.MinLength, f.MaxLength = task.Own("As it stands in your passport."), 3, 20
		}),
		field("email", task.StringField, func(f *task.Field) { f.Format = "email" }),
		field("age", task.IntegerField, func(f *task.Field) { f.Minimum, f.Maximum = "0", "150" }),
		field("price", task.NumberField, func(f *task.Field) { f.Default = json.RawMessage("1.50") }),
		field("urgent", task.BooleanField, required),
		field("colour", task.ChoiceField, func(f *task.Field) { f.Choices = choices("Red", "Green", "Blue") }),
		field("country", task.ChoiceField, func(f *task.Field) {
			f.Choices = choices("Austria", "Belgium", "Chile", "Denmark", "Estonia", "France", "Ghana", "Hungary", "Iceland", "Japan")
			f.Default = json.RawMessage(`"denmark"`)
		}),
		field("toppings", task.ChoicesField, func(f *task.Field) {
			f.Choices, f.MinItems, f.MaxItems = choices("Cheese", "Ham", "Olives"), 1, 2
		}),
		field("notes", task.StringField, func(f *task.Field) { f.MaxLength = 2000 }),
		field("extra", task.JSONField, func(f *task.Field) { f.Shape = "a JSON object" }),
	}}
	form.Check = func(content json.RawMessage) []task.Problem {
		var got map[string]json.RawMessage
		if json.Unmarshal(content, &got) != nil {
			return []task.Problem{{Text: task.Own("The content must be a JSON object.")}}
		}
		var problems []task.Problem
		for _, f := range form.Fields {
			v, ok := got[f.Name]
			switch {
			case !ok && f.Required:
				problems = append(problems, task.Problem{Field: f.Name, Text: task.Own("is required")})
			case ok && f.MinLength > len(v)-2:
				problems = append(problems, task.Problem{Field: f.Name, Text: task.Own("must be at least 3 characters")})
			}
		}
		return problems
	}
	return form
}

func question(form task.Form) Spec {
	return Spec{
		Server: "ops", Name: task.Own("Everything Server"), Tool: task.Own("deploy"), Task: task.Own("786512e2-9e0d-44bd"),
		Message: task.Own("Please fill in what is missing before I go on."),
		Since:   start.Add(-3 * time.Minute), Form: form, Now: func() time.Time { return start },
	}
}

func open(tb testing.TB, spec Spec) *Form {
	tb.Helper()
	f := New(uitest.Mono(tb, false), keymap.Default(), spec)
	f.View(80, 24)
	return f
}

var named = map[string]tea.KeyType{
	"tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "enter": tea.KeyEnter, "esc": tea.KeyEsc,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
	"ctrl+n": tea.KeyCtrlN, "ctrl+p": tea.KeyCtrlP, "ctrl+t": tea.KeyCtrlT, "ctrl+r": tea.KeyCtrlR, "ctrl+g": tea.KeyCtrlG,
	"ctrl+s": tea.KeyCtrlS, "ctrl+o": tea.KeyCtrlO, "ctrl+x": tea.KeyCtrlX, "ctrl+u": tea.KeyCtrlU,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
}

// press gives keys to the form: names of keys, else text that is typed letter
// by letter. It returns the last event.
func press(f *Form, keys ...string) Event {
	var e Event
	for _, k := range keys {
		if t, ok := named[k]; ok {
			e, _ = f.Update(tea.KeyMsg{Type: t})
			continue
		}
		for _, r := range k {
			if r == ' ' {
				e, _ = f.Update(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
			} else {
				e, _ = f.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
			}
		}
	}
	return e
}

func paste(f *Form, text string) Event {
	e, _ := f.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
	return e
}

// to moves the cursor to a field.
func to(t *testing.T, f *Form, name string) {
	t.Helper()
	for range 2 * len(f.rows) {
		if r := f.current(); r.kind == fieldRow && r.field.Name == name {
			return
		}
		if press(f, "tab"); f.message != "" && f.focus == len(f.rows)-1 {
			for f.focus > 0 {
				press(f, "shift+tab")
			}
		}
	}
	t.Fatalf("no field %s", name)
}

func TestEveryKindOfFieldIsFilledIn(t *testing.T) {
	f := open(t, question(everyField()))
	press(f, "Ada Lovelace", "enter", "a@b.example", "tab", "36", "tab", "tab", "y", "tab")
	press(f, "down", "tab")                      // colour: green
	press(f, "ja", "tab")                        // country: by search
	press(f, " ", "down", "down", " ", "tab")    // toppings: the first and the third
	press(f, "one", "enter", "two", "tab", "{}") // notes of two lines, and JSON
	e := press(f, "ctrl+s")
	want := `{"name":"Ada Lovelace","email":"a@b.example","age":36,"price":1.50,"urgent":true,"colour":"green",` +
		`"country":"japan","toppings":["cheese","olives"],"notes":"one\ntwo","extra":{}}`
	if e.Kind != Submit || string(e.Content) != want {
		t.Errorf("event %d %s\nwant   %s\n%s", e.Kind, e.Content, want, f.Message())
	}
	if press(f, "ctrl+s").Kind != Nothing {
		t.Error("it is sent twice")
	}
}

func TestWhatIsNotSetIsLeftOut(t *testing.T) {
	f := open(t, question(everyField()))
	press(f, "Ada", "tab", "x", "backspace") // email: empty, which is not unset
	to(t, f, "age")
	press(f, "1", "backspace") // an empty number is unset
	to(t, f, "price")
	press(f, "ctrl+x")
	to(t, f, "urgent")
	press(f, "n")
	to(t, f, "country")
	press(f, "ctrl+x")
	if e := press(f, "ctrl+s"); string(e.Content) != `{"name":"Ada","email":"","urgent":false}` {
		t.Errorf("content %s (%s)", e.Content, f.Message())
	}
}

func TestNothingInvalidIsSent(t *testing.T) {
	f := open(t, question(everyField()))
	to(t, f, "price")
	press(f, "ctrl+u", "1,5")
	e := press(f, "ctrl+s")
	if e.Kind != Nothing || f.current().field.Name != "name" {
		t.Errorf("event %d at %s", e.Kind, f.current().field.Name)
	}
	if got := f.Message(); got != "Not sent: 3 things are wrong." {
		t.Errorf("message %q", got)
	}
	uitest.Golden(t, "problems-80x24", look(t, f, 80, 24))
	press(f, "Ada")
	if f.current().problem != "" {
		t.Error("the problem stays while one types")
	}
	to(t, f, "price")
	press(f, "ctrl+u", "15")
	to(t, f, "urgent")
	press(f, "y")
	if e := press(f, "ctrl+s"); e.Kind != Submit {
		t.Errorf("not sent: %s", f.Message())
	}
}

func TestProblemShowsWhenTheFieldIsLeft(t *testing.T) {
	f := open(t, question(everyField()))
	press(f, "ab")
	if strings.Contains(look(t, f, 80, 24), "at least 3 characters\n") {
		t.Error("it nags while one types")
	}
	press(f, "tab")
	if !strings.Contains(look(t, f, 80, 24), "✗ must be at least 3 characters") {
		t.Errorf("no problem is shown:\n%s", look(t, f, 80, 24))
	}
}

func TestViews(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {40, 12}, {40, 8}} {
		f := open(t, question(everyField()))
		name := "question-" + itoa(size[0]) + "x" + itoa(size[1])
		uitest.Golden(t, name, look(t, f, size[0], size[1]))
		to(t, f, "country")
		uitest.Golden(t, name+"-country", look(t, f, size[0], size[1]))
		to(t, f, "toppings")
		press(f, " ", "ctrl+o")
		uitest.Golden(t, name+"-menu", look(t, f, size[0], size[1]))
	}
	f := New(uitest.Mono(t, true), keymap.Default(), question(everyField()))
	uitest.Golden(t, "question-80x24-ascii", look(t, f, 80, 24))
}

func itoa(n int) string { return string(json.RawMessage(mustJSON(n))) }

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestEscLeavesAndTheDraftComesBack(t *testing.T) {
	f := open(t, question(everyField()))
	if f.Draft() != nil {
		t.Errorf("a draft of what nobody typed: %v", f.Draft())
	}
	press(f, "Ad", "tab", "x", "backspace", "tab", "tab", "ctrl+x")
	if e := press(f, "esc"); e.Kind != Leave {
		t.Fatalf("event %d", e.Kind)
	}
	want := model.Draft{"name": "Ad", "email": "", "country": `"denmark"`}
	if got := f.Draft(); !maps.Equal(got, want) {
		t.Errorf("draft %v, want %v", got, want)
	}
	spec := question(everyField())
	spec.Draft = want
	again := open(t, spec)
	if got := again.Draft(); !maps.Equal(got, want) {
		t.Errorf("after coming back %v, want %v", got, want)
	}
	if got := look(t, again, 80, 24); !strings.Contains(got, "✗ must be at least 3 characters") || !strings.Contains(got, "1 wrong") {
		t.Errorf("what came back is wrong and looks right:\n%s", got)
	}
}

func TestWhatIsKeptIsSaidWhereSomethingWasTyped(t *testing.T) {
	f := open(t, question(everyField()))
	f.SetState(State{Phase: Withdrawn, Why: "the task ended"})
	if press(f, "x"); strings.Contains(look(t, f, 80, 24)+f.Message(), "typed") {
		t.Errorf("nothing was typed: %q\n%s", f.Message(), look(t, f, 80, 24))
	}
	f = open(t, question(everyField()))
	press(f, "Ada")
	f.SetState(State{Phase: Withdrawn, Why: "the task ended"})
	if press(f, "x"); !strings.Contains(look(t, f, 80, 24), "What you typed is kept.") || !strings.Contains(f.Message(), "what you typed is kept") {
		t.Errorf("%q\n%s", f.Message(), look(t, f, 80, 24))
	}
}

func TestMenu(t *testing.T) {
	for keys, want := range map[string]EventKind{"d": Decline, "c": Dismiss, "y": CopyText, "e": EditText} {
		f := open(t, question(everyField()))
		press(f, "Ada", "ctrl+o")
		e := press(f, keys)
		if e.Kind != want {
			t.Errorf("%s: event %d, want %d", keys, e.Kind, want)
		}
	}
	f := open(t, question(everyField()))
	if e := press(f, "ctrl+o", "up", "enter"); e.Kind != Dismiss {
		t.Errorf("the line above the first harmless one: event %d", e.Kind)
	}
	if press(f, "ctrl+o", "d").Kind != Nothing || f.Message() == "" {
		t.Error("it is declined after it was cancelled")
	}
	f = open(t, question(everyField()))
	press(f, "ctrl+o", "esc", "Ada")
	if f.current().text != "Ada" {
		t.Error("esc does not close the menu")
	}
}

func TestJSONAndBack(t *testing.T) {
	f := open(t, question(everyField()))
	press(f, "Ada", "ctrl+o", "j")
	if !f.json || !strings.Contains(f.jsonText, `"name": "Ada"`) {
		t.Fatalf("json %v %s", f.json, f.jsonText)
	}
	uitest.Golden(t, "json-80x24", look(t, f, 80, 24))
	f.Edited(`{"name":"Bob","urgent":true,"unasked":[1]}`)
	if e := press(f, "ctrl+s"); string(e.Content) != `{"name":"Bob","urgent":true,"unasked":[1]}` {
		t.Errorf("content %s (%s)", e.Content, f.Message())
	}
	f = open(t, question(everyField()))
	press(f, "ctrl+o", "j")
	f.Edited(`{"name":"Bob","urgent":true,"unasked":[1]}`)
	press(f, "ctrl+o", "j")
	if f.json {
		t.Fatal("it stays JSON")
	}
	if e := press(f, "ctrl+s"); string(e.Content) != `{"name":"Bob","urgent":true,"unasked":[1]}` {
		t.Errorf("content %s (%s)", e.Content, f.Message())
	}
}

func TestBrokenJSONIsNotLostAndNotSent(t *testing.T) {
	f := open(t, question(everyField()))
	press(f, "ctrl+o", "j")
	f.Edited(`{"name":`)
	if press(f, "ctrl+s").Kind != Nothing || !strings.Contains(look(t, f, 80, 24), "✗ The content must be a JSON object.") {
		t.Errorf("broken JSON:\n%s", look(t, f, 80, 24))
	}
	press(f, "ctrl+o", "j")
	if !f.json || f.jsonText != `{"name":` || f.Message() == "" {
		t.Errorf("json %v %q %q", f.json, f.jsonText, f.Message())
	}
	if got := f.Draft(); got[""] != `{"name":` {
		t.Errorf("draft %v", got)
	}
}

func TestFormWithoutFields(t *testing.T) {
	f := open(t, question(task.Form{JSONOnly: "the schema has an array at its top."}))
	if e := press(f, "ctrl+s"); e.Kind != Submit || string(e.Content) != "{}" {
		t.Errorf("event %d %s (%s)", e.Kind, e.Content, f.Message())
	}
	f = open(t, question(task.Form{JSONOnly: "the schema has an array at its top."}))
	if press(f, "ctrl+o", "j"); !f.json || f.Message() == "" {
		t.Error("there are fields where there are none")
	}
	f = open(t, question(task.Form{}))
	uitest.Golden(t, "confirm-80x14", look(t, f, 80, 14))
	if press(f, "y").Kind != Nothing || f.Message() == "" {
		t.Error("a stray key agrees")
	}
	if e := press(f, "ctrl+s"); e.Kind != Submit || string(e.Content) != "{}" {
		t.Errorf("event %d %s", e.Kind, e.Content)
	}
}

func TestStates(t *testing.T) {
	f := open(t, question(everyField()))
	press(f, "Ada")
	var all []string
	for _, s := range []State{
		{Phase: Sending}, {Phase: Sent}, {Phase: Failed, Why: "the server refused it: -32602 bad value"},
		{Phase: Held, Why: "2 more answers before it goes out"},
		{Phase: Withdrawn, Why: "the task ended"}, {Phase: Asking},
	} {
		f.SetState(s)
		all = append(all, look(t, f, 60, 8))
		_, phase := press(f, "x"), f.state.Phase
		if open := phase == Asking || phase == Failed || phase == Held; open != (f.Message() == "") {
			t.Errorf("phase %d: message %q", phase, f.Message())
		}
	}
	if f.current().text != "Adaxxx" {
		t.Errorf("text %q", f.current().text)
	}
	uitest.Golden(t, "states", strings.Join(all, "\n"))
}

func TestTheEditorsText(t *testing.T) {
	f := open(t, question(everyField()))
	to(t, f, "notes")
	if e := press(f, "ctrl+o", "e"); e.Kind != EditText || e.Ext != ".txt" {
		t.Fatalf("event %+v", e)
	}
	f.Edited("from the editor\n")
	if got := f.Draft()["notes"]; got != "from the editor" {
		t.Errorf("notes %q", got)
	}
	to(t, f, "colour")
	if e := press(f, "ctrl+o", "e"); e.Ext != ".json" || !strings.Contains(e.Text, `"notes": "from the editor"`) {
		t.Fatalf("event %+v", e)
	}
	f.Edited(`{"name":"Eve","colour":"blue"}`)
	if got := f.Draft(); f.json || got["name"] != "Eve" || got["colour"] != `"blue"` {
		t.Errorf("json %v, draft %v", f.json, got)
	}
}

func TestLongTextIsCollapsed(t *testing.T) {
	spec := question(everyField())
	long := strings.Repeat("long text ", 10000)
	spec.Draft = model.Draft{"name": "Ada", "urgent": "true", "notes": long}
	f := open(t, spec)
	to(t, f, "notes")
	if got := look(t, f, 80, 24); !strings.Contains(got, "97.7 KiB of text: ctrl+o opens it in $EDITOR") || strings.Contains(got, " more\n") || strings.Contains(got, "↓ 3") {
		t.Errorf("view:\n%s", got)
	}
	if press(f, "x"); f.Message() == "" {
		t.Error("a key that does nothing does not say why")
	}
	e := press(f, "ctrl+s")
	if !strings.Contains(string(e.Content), long) {
		t.Errorf("it is not sent whole: %d bytes (%s)", len(e.Content), f.Message())
	}
}

func TestPasteIsTextOnly(t *testing.T) {
	f := open(t, question(everyField()))
	if paste(f, "ctrl+s"); f.current().text != "ctrl+s" {
		t.Errorf("text %q", f.current().text)
	}
	paste(f, "\none\ntwo")
	if got := f.Draft()["name"]; got != "ctrl+s\none\ntwo" {
		t.Errorf("lines: %q", got)
	}
	to(t, f, "urgent")
	if paste(f, "y"); f.current().set || f.Message() == "" {
		t.Error("a paste answers a yes or no")
	}
	press(f, "ctrl+o")
	if e := paste(f, "d"); e.Kind != Nothing || f.menu == nil {
		t.Error("a paste declines")
	}
}

func TestTwoHundredFieldsScroll(t *testing.T) {
	var form task.Form
	for i := range 200 {
		form.Fields = append(form.Fields, field("f"+itoa(i), task.StringField))
	}
	f := open(t, question(form))
	for i := range 199 {
		press(f, "tab")
		if i%20 == 0 && !strings.Contains(look(t, f, 80, 24), "▌ ┃ F"+itoa(i+1)+" ") {
			t.Errorf("field %d is not in sight:\n%s", i+1, look(t, f, 80, 24))
		}
	}
	view := look(t, f, 80, 24)
	if !strings.Contains(view, "field 200 of 200") {
		t.Errorf("view:\n%s", view)
	}
	press(f, "pgup")
	if strings.Contains(look(t, f, 80, 24), "▌ ┃ F199") {
		t.Error("pgup does not scroll")
	}
	press(f, "x")
	if !strings.Contains(look(t, f, 80, 24), "▌ ┃ F199") {
		t.Error("a key does not come back to the field")
	}
}

func BenchmarkKeyOf200Fields(b *testing.B) {
	var form task.Form
	for i := range 200 {
		form.Fields = append(form.Fields, field("f"+itoa(i), task.StringField))
	}
	f := open(b, question(form))
	for b.Loop() {
		press(f, "x", "tab")
		if f.focus == 199 {
			f.move(0)
		}
		f.View(120, 40)
	}
}
