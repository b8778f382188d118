package form

import (
	"strings"
	"testing"
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
