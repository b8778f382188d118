package form

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/uitest"
)

// All scripts are typed and sent as they are; the cursor goes over what is seen
// as one character in one step, in the order in which it is stored.
func TestTextOfAllScripts(t *testing.T) {
	for _, c := range []struct{ typed, keys, want string }{
		{"日本", "left X", "日X本"},
		{"日本", "backspace", "日"},
		{"שלום", "left left X", "שלXום"},
		{"مرحبا", "home X", "Xمرحبا"},
		{"e\u0301a", "left left X", "Xe\u0301a"},
		{"ae\u0301", "backspace", "a"},
		{"👩‍👩‍👧‍👦!", "left left X", "X👩‍👩‍👧‍👦!"},
		{"a👩‍👩‍👧‍👦", "backspace", "a"},
		{"🇩🇪🇫🇷", "left X", "🇩🇪X🇫🇷"},
		{"a👩‍👩‍👧‍👦b", "home right delete", "ab"},
		{"a\tb", "left X", "a\tXb"},
		{"\u202ex\u202c", "end X", "\u202ex\u202cX"},
	} {
		for _, name := range []string{"email", "notes"} { // a line, and a text of several
			f := open(t, question(everyField()))
			to(t, f, name)
			paste(f, c.typed)
			press(f, strings.Fields(c.keys)...)
			if got := f.Draft()[name]; got != c.want {
				t.Errorf("%s: %q and %s make %q, want %q", name, c.typed, c.keys, got, c.want)
			}
			view := f.View(80, 24)
			uitest.Exact(t, view, 80, 24)
			if strings.ContainsAny(view, "\u202e\t") {
				t.Errorf("%q is on the screen", c.typed)
			}
		}
	}
}

// Tabs and line breaks that were there stay what they are.
func TestTabsAndLinesAreKept(t *testing.T) {
	spec := question(everyField())
	spec.Draft = model.Draft{"name": "a\tb", "notes": "x\ty\nz"}
	f := open(t, spec)
	press(f, "!")
	to(t, f, "notes")
	press(f, "!")
	if got := f.Draft(); got["name"] != "a\tb!" || got["notes"] != "x\ty\nz!" {
		t.Errorf("draft %q", got)
	}
}

// A megabyte is pasted without being felt: into a line, a text, JSON, and the
// JSON of the whole; it is kept whole, and shown by its beginning and its size.
func TestAMegabyteIsPasted(t *testing.T) {
	big := strings.Repeat("0123456789abcde\n", 1<<16)
	for _, name := range []string{"name", "notes", "extra", "whole", "age", "price"} {
		f := open(t, question(everyField()))
		if name == "whole" {
			press(f, "ctrl+o", "j")
		} else {
			to(t, f, name)
		}
		if took := uitest.Spent(t, func() {
			paste(f, big)
			f.View(120, 40)
			press(f, "x", "left")
			f.View(120, 40)
		}); took > 2*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
		draft := f.Draft()
		switch name {
		case "whole":
			if !strings.Contains(draft[""], big) {
				t.Errorf("%s: %d bytes", name, len(draft[""]))
			}
		case "age", "price":
			if len(draft[name]) > 10 || f.Message() == "" && draft[name] == "" {
				t.Errorf("%s: %d bytes, %q", name, len(draft[name]), f.Message())
			}
			continue
		default:
			if draft[name] != big {
				t.Errorf("%s: %d bytes", name, len(draft[name]))
			}
		}
		if view := look(t, f, 120, 40); !strings.Contains(view, "1.0 MiB of text: ctrl+o opens it in $EDITOR") {
			t.Errorf("%s:\n%s", name, view)
		}
	}
}

// Text that grows beyond what is edited here is not laid out with each key any
// more, however it grew.
func TestTextThatGrowsIsCollapsed(t *testing.T) {
	f := open(t, question(everyField()))
	to(t, f, "notes")
	part := strings.Repeat("x", 5000)
	paste(f, part)
	if f.edit == nil {
		t.Fatal("5 KB are too much")
	}
	paste(f, part)
	if f.edit != nil || f.Draft()["notes"] != part+part {
		t.Errorf("10 KB are edited here: %v, %d bytes", f.edit != nil, len(f.Draft()["notes"]))
	}
}

// A paste goes in where the cursor is.
func TestALongPasteGoesInAtTheCursor(t *testing.T) {
	f := open(t, question(everyField()))
	to(t, f, "notes")
	press(f, "日b", "left")
	big := strings.Repeat("y", maxInline+1)
	paste(f, big)
	if got := f.Draft()["notes"]; got != "日"+big+"b" {
		t.Errorf("%d bytes: %.20q", len(got), got)
	}
}

// manyFields is a form of 200 fields, every tenth of which must be given, and
// every seventh a number.
func manyFields() Spec {
	var form task.Form
	for i := range 200 {
		kind, change := task.StringField, []func(*task.Field){}
		if i%7 == 0 {
			kind = task.IntegerField
		}
		if i%10 == 0 {
			change = append(change, required)
		}
		form.Fields = append(form.Fields, field("f"+itoa(i), kind, change...))
	}
	form.Check = func(content json.RawMessage) []task.Problem {
		var got map[string]json.RawMessage
		if json.Unmarshal(content, &got) != nil {
			return []task.Problem{{Text: task.Own("The content must be a JSON object.")}}
		}
		var problems []task.Problem
		for _, f := range form.Fields {
			if _, ok := got[f.Name]; !ok && f.Required {
				problems = append(problems, task.Problem{Field: f.Name, Text: task.Own("is required")})
			}
		}
		return problems
	}
	return question(form)
}

// Of 200 fields the lower edge says how many are still to be given and how many
// are wrong, and a key goes from one of these to the next, round again.
func TestTheNextFaultOfManyIsReached(t *testing.T) {
	f := open(t, manyFields())
	f.move(7)
	press(f, "x", "tab")
	if view := look(t, f, 80, 24); !strings.Contains(view, "field 9 of 200 · 20 to give · 1 wrong") {
		t.Errorf("view:\n%s", view)
	}
	uitest.Golden(t, "many-80x24", look(t, f, 80, 24))
	uitest.Golden(t, "many-120x40", look(t, f, 120, 40))
	for _, want := range []string{"f10", "f20", "f30"} {
		if press(f, "ctrl+g"); f.current().field.Name != want {
			t.Errorf("at %s, want %s", f.current().field.Name, want)
		}
		if view := look(t, f, 80, 24); !strings.Contains(view, "▌ ✗ is required") {
			t.Errorf("%s:\n%s", want, view)
		}
	}
	f.move(199)
	press(f, "ctrl+g", "1", "ctrl+o", "f")
	if f.current().field.Name != "f7" {
		t.Errorf("round again at %s", f.current().field.Name)
	}
	press(f, "backspace", "7")
	for i := range f.rows {
		if r := &f.rows[i]; r.required() && i > 0 {
			r.assign("1")
		}
	}
	if press(f, "ctrl+g"); !strings.Contains(f.Message(), "Nothing is missing or wrong") {
		t.Errorf("at %s: %q", f.current().field.Name, f.Message())
	}
}

func TestTheFaultsOfJSON(t *testing.T) {
	f := open(t, question(everyField()))
	press(f, "ctrl+o", "j", "ctrl+g")
	if view := look(t, f, 80, 24); !strings.Contains(view, "✗ Name is required") {
		t.Errorf("view:\n%s", view)
	}
}

// What goes out is read before it goes, and goes from there.
func TestWhatGoesOutIsReviewed(t *testing.T) {
	f := open(t, question(everyField()))
	press(f, "ctrl+o", "v")
	if view := look(t, f, 80, 24); !strings.Contains(view, "It cannot go out yet: 2 things to mend.") {
		t.Errorf("view:\n%s", view)
	}
	if e := press(f, "ctrl+s"); e.Kind != Nothing || f.reading != nil {
		t.Errorf("it went: %+v", e)
	}
	press(f, "Ada")
	to(t, f, "urgent")
	press(f, "y", "ctrl+o", "v")
	uitest.Golden(t, "review-40x12", look(t, f, 40, 12))
	uitest.Golden(t, "review-120x40", look(t, f, 120, 40))
	if press(f, "x"); f.Message() == "" || f.Draft()["name"] != "Ada" {
		t.Errorf("a key while it is read: %q %v", f.Message(), f.Draft())
	}
	if paste(f, "x"); f.Message() == "" {
		t.Error("a paste says nothing")
	}
	if press(f, "esc"); f.reading != nil {
		t.Error("esc does not go back")
	}
	press(f, "ctrl+o", "v")
	if e := press(f, "ctrl+s"); e.Kind != Submit || !strings.HasPrefix(string(e.Content), `{"name":"Ada"`) {
		t.Errorf("%+v (%s)", e, f.Message())
	}
	f = open(t, question(everyField())) // a long line is wrapped, not cut
	press(f, "Ada")
	to(t, f, "notes")
	press(f, strings.Repeat("words and ", 12)+"an end", "ctrl+o", "v")
	if view := look(t, f, 80, 24); !strings.Contains(view, "an end") {
		t.Errorf("a long line:\n%s", view)
	}
	f = open(t, call(task.Optional))
	press(f, "ctrl+o", "v")
	if view := look(t, f, 80, 24); strings.Contains(view, `"action"`) || !strings.Contains(view, "These are the arguments") {
		t.Errorf("of a call:\n%s", view)
	}
	f = open(t, conversation())
	press(f, "Yes.", "ctrl+o", "v")
	if view := look(t, f, 80, 24); !strings.Contains(view, `"stopReason": "endTurn"`) || !strings.Contains(view, `"text": "Yes."`) {
		t.Errorf("of a conversation:\n%s", view)
	}
}

// Text of several lines breaks at spaces, and the cursor goes by what is seen.
func TestTextBreaksAtSpaces(t *testing.T) {
	for _, c := range []struct {
		text string
		rows []string
	}{
		{"one two three four", []string{"one two ", "three ", "four"}},
		{"one twothreefour five", []string{"one ", "twothreef", "our five"}},
		{"日本語のテキスト", []string{"日本語の", "テキスト"}},
		{"a\n\nb ", []string{"a", "", "b "}},
		{strings.Repeat("x", 25), []string{"xxxxxxxxx", "xxxxxxxxx", "xxxxxxx"}},
	} {
		rows := layRows(c.text, 10)
		var got []string
		for _, r := range rows {
			text := ""
			for _, cell := range r.cells {
				text += cell.text
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.rows) {
			t.Errorf("%q: %q", c.text, got)
		}
		// Each place of the cursor is in one row.
		for n, line := range strings.Split(c.text, "\n") {
			for col := range len([]rune(line)) + 1 {
				r := rows[rowOf(rows, n, col)]
				if r.line != n || col < r.from || col > r.to {
					t.Errorf("%q: column %d of line %d is in %d..%d of %d", c.text, col, n, r.from, r.to, r.line)
				}
			}
		}
	}
}

// A paste that comes in pieces goes on where the piece before ended; a key in
// between ends it.
func TestAPasteInPieces(t *testing.T) {
	for _, name := range []string{"notes", "name", "whole"} {
		f := open(t, question(everyField()))
		if name == "whole" {
			press(f, "ctrl+o", "j", "down", "right", "right")
		} else {
			to(t, f, name)
			press(f, "ab", "left")
		}
		before := f.content()[map[bool]string{true: "", false: name}[name == "whole"]]
		want := ""
		for i := range 8 {
			piece := strings.Repeat(string(rune('0'+i)), 3000) + "\n日"
			want += piece
			if e := paste(f, piece); e.Kind != Changed {
				t.Fatalf("%s: piece %d: %+v %q", name, i, e, f.Message())
			}
			f.View(80, 24)
		}
		got := f.content()[map[bool]string{true: "", false: name}[name == "whole"]]
		at := strings.Index(got, want)
		if at < 0 || got[:at]+got[at+len(want):] != before {
			t.Errorf("%s: %d bytes of %d: %.40q", name, len(got), len(before)+len(want), got)
		}
		press(f, "up")
		if name != "name" {
			if e := paste(f, "more"); e.Kind != Nothing || f.Message() == "" {
				t.Errorf("%s: after a key: %+v", name, e)
			}
		}
	}
}
