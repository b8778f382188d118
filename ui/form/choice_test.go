package form

import (
	"strings"
	"testing"

	"callboard/model/task"
)

// colour returns a form with the cursor on a choice of one of three.
func colour(t *testing.T) *Form {
	t.Helper()
	f := open(t, question(everyField()))
	to(t, f, "colour")
	return f
}

// What the arrows reach is chosen at once; what stands under the cursor is
// marked before anything is chosen.
func TestTheArrowsChooseOneOfFew(t *testing.T) {
	for keys, want := range map[string]string{
		"down": `"green"`, "right": `"green"`, "down down": `"blue"`, "down up": `"red"`, "up": `"red"`,
		"b": `"blue"`, "r": `"red"`, "g g": `"green"`, "r b": `"blue"`, "down b": `"blue"`, "B": `"blue"`,
	} {
		f := colour(t)
		if view := look(t, f, 80, 24); !strings.Contains(view, "› ○ Red    ○ Green    ○ Blue   (not set)") {
			t.Fatalf("the cursor is not to be seen:\n%s", view)
		}
		press(f, strings.Fields(keys)...)
		if got := f.content()["colour"]; got != want {
			t.Errorf("%s: %s, want %s", keys, got, want)
		}
	}
	f := colour(t)
	press(f, " ")
	if got := f.content()["colour"]; got != `"red"` {
		t.Errorf("space: %s", got)
	}
	if view := look(t, f, 80, 24); !strings.Contains(view, "› ● Red    ○ Green    ○ Blue") {
		t.Errorf("what is chosen is not to be seen:\n%s", view)
	}
}

func TestALetterThatBeginsNoChoiceSaysSo(t *testing.T) {
	f := colour(t)
	press(f, "z")
	if f.Message() == "" || f.content()["colour"] != "" {
		t.Errorf("message %q, chosen %q", f.Message(), f.content()["colour"])
	}
}

// Of several, letters and arrows move and space chooses.
func TestSpaceChoosesSomeOfSeveral(t *testing.T) {
	f := open(t, question(everyField()))
	to(t, f, "toppings")
	press(f, "o", " ", "c", " ")
	if got := f.content()["toppings"]; got != `["cheese","olives"]` {
		t.Errorf("chosen %s\n%s", got, look(t, f, 80, 24))
	}
}

func TestYAndNAnswerAYesOrNo(t *testing.T) {
	f := open(t, question(everyField()))
	to(t, f, "urgent")
	for key, want := range map[string]string{"y": "true", "n": "false", "Y": "true", "N": "false"} {
		if press(f, key); f.content()["urgent"] != want {
			t.Errorf("%s: %s", key, f.content()["urgent"])
		}
	}
}

// A form that is as high as it needs to be holds still: it grows, and shrinks
// only when the window does.
func TestASnugFormHoldsStill(t *testing.T) {
	f := open(t, question(everyField()))
	height := func(h int) int { return strings.Count(f.Snug(80, h), "\n") + 1 }
	if got := height(20); got != 20 {
		t.Errorf("a form with much to fill in takes %d lines of 20", got)
	}
	spec := question(everyField())
	spec.Form.Fields = spec.Form.Fields[5:7] // short without the cursor, long with it
	f = open(t, spec)
	first := height(40)
	press(f, "tab")
	high := height(40)
	press(f, "shift+tab")
	if last := height(40); first >= high || last != high || high >= 40 {
		t.Errorf("%d lines, then %d, then %d", first, high, last)
	}
	if got := height(8); got != 8 {
		t.Errorf("in a lower window it takes %d lines", got)
	}
}

// A form without fields says what its one key does.
func TestNothingToFillInSaysWhatSends(t *testing.T) {
	for kind, want := range map[Kind]string{Question: "ctrl+s says yes", Call: "ctrl+s starts it"} {
		f := open(t, Spec{Kind: kind, Server: "ops"})
		f.rows = nil
		if press(f, "x"); !strings.Contains(f.Message(), want) {
			t.Errorf("message %q, want %q", f.Message(), want)
		}
	}
}

// A yes or no is worded alike at the field, in the footer and where a key does
// nothing.
func TestAYesOrNoHasOneWording(t *testing.T) {
	f := open(t, question(task.Form{Fields: []task.Field{field("urgent", task.BooleanField)}}))
	const words = "y / n, arrows or space"
	if got := look(t, f, 80, 24); !strings.Contains(got, words) {
		t.Errorf("the field says\n%s", got)
	}
	press(f, "z")
	if got := f.Message(); got != "Yes or no: "+words+"." {
		t.Errorf("a dead key says %q", got)
	}
	footer := ""
	for _, b := range f.Hints() {
		footer += b.Help().Key + " " + b.Help().Desc + "  "
	}
	if !strings.Contains(footer, words+" choose") || !strings.Contains(footer, "ctrl+o decline, more") {
		t.Errorf("the footer says %q", footer)
	}
}

// What must be given is not left out: what was typed stays.
func TestARequiredFieldIsNotLeftOut(t *testing.T) {
	f := open(t, question(task.Form{Fields: []task.Field{field("name", task.StringField, required)}}))
	press(f, "Ada")
	press(f, "ctrl+x")
	if d := f.Draft(); d["name"] != "Ada" || !strings.Contains(f.Message(), "must be given") {
		t.Errorf("draft %v, %q", d, f.Message())
	}
}
