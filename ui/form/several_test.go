package form

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"callboard/model/task"
	"callboard/ui/uitest"
)

// second returns the form of the second of three questions, two of which wait.
func second(t *testing.T) *Form {
	t.Helper()
	f := open(t, question(short(everyField())))
	f.SetPlace(Place{Number: 2, Of: 3, Others: 1})
	return f
}

// short is the first two fields of a form.
func short(form task.Form) task.Form {
	check := form.Check
	form.Fields = form.Fields[:2]
	form.Check = func(content json.RawMessage) []task.Problem {
		return slices.DeleteFunc(check(content), func(p task.Problem) bool { return p.Field == "urgent" })
	}
	return form
}

func TestAQuestionOfSeveralSaysWhichItIs(t *testing.T) {
	f := second(t)
	uitest.Golden(t, "several-80x24", look(t, f, 80, 24))
	uitest.Golden(t, "several-40x12", look(t, f, 40, 12))
	f.SetPlace(Place{Number: 1, Of: 1})
	if view := look(t, f, 80, 24); strings.Contains(view, "question 1") {
		t.Errorf("the only question is counted:\n%s", view)
	}
}

// The keys that lead to the other questions leave what is typed where it is.
func TestTheOtherQuestionsAreReached(t *testing.T) {
	for key, want := range map[string]EventKind{"ctrl+n": NextAsk, "ctrl+p": PrevAsk} {
		f := second(t)
		if e := press(f, "Ada", key); e.Kind != want {
			t.Errorf("%s: %+v (%s)", key, e, f.Message())
		}
		if d := f.Draft(); d["name"] != "Ada" {
			t.Errorf("%s: draft %v", key, d)
		}
	}
	f := open(t, question(everyField()))
	if e := press(f, "ctrl+n"); e.Kind != Nothing || f.Message() != "This is the only question of its task." {
		t.Errorf("alone: %+v (%s)", e, f.Message())
	}
	f = open(t, call(task.Optional))
	if e := press(f, "ctrl+p"); e.Kind != Nothing || f.Message() == "" {
		t.Errorf("of a call: %+v (%s)", e, f.Message())
	}
}

// What is held was checked, like what is sent.
func TestAnAnswerIsHeld(t *testing.T) {
	f := second(t)
	if e := press(f, "ctrl+t"); e.Kind != Nothing || !strings.Contains(f.Message(), "wrong") {
		t.Errorf("nothing typed: %+v (%s)", e, f.Message())
	}
	if e := press(f, "Ada", "ctrl+t"); e.Kind != Hold || string(e.Content) != `{"name":"Ada"}` {
		t.Errorf("by its key: %+v %s (%s)", e, e.Content, f.Message())
	}
	f = second(t)
	if e := press(f, "Ada", "ctrl+o", "t"); e.Kind != Hold || string(e.Content) != `{"name":"Ada"}` {
		t.Errorf("from the menu: %+v %s (%s)", e, e.Content, f.Message())
	}
	f.SetState(State{Phase: Held, Why: "1 more answer before it goes out"})
	uitest.Golden(t, "held-80x14", look(t, f, 80, 14))
	if e := press(f, " L", "ctrl+s"); e.Kind != Submit || string(e.Content) != `{"name":"Ada L"}` {
		t.Errorf("changed and sent: %+v %s (%s)", e, e.Content, f.Message())
	}
}

// The last answer says what goes out with it.
func TestTheLastAnswerTakesTheHeldOnesAlong(t *testing.T) {
	for want, place := range map[string]Place{
		"An answer is held: it goes out with this one.":  {Number: 2, Of: 2, Held: 1},
		"2 answers are held: they go out with this one.": {Number: 3, Of: 3, Held: 2},
	} {
		f := second(t)
		f.SetPlace(place)
		if view := look(t, f, 80, 24); !strings.Contains(view, want) {
			t.Errorf("no %q:\n%s", want, view)
		}
		place.Others, place.Of = 1, 4
		f.SetPlace(place)
		if view := look(t, f, 80, 24); strings.Contains(view, "held") {
			t.Errorf("others wait:\n%s", view)
		}
	}
}

func TestWhereNothingCanBeHeldTheKeySaysWhy(t *testing.T) {
	last := second(t)
	last.SetPlace(Place{Number: 3, Of: 3})
	page := open(t, visit("https://example.com/"))
	page.SetPlace(Place{Number: 1, Of: 2, Others: 1})
	for name, f := range map[string]*Form{
		"the last": last, "alone": open(t, question(everyField())), "a call": open(t, call(task.Optional)), "an address": page,
	} {
		e := press(f, "Ada", "ctrl+t")
		if e.Kind != Nothing || f.Message() == "" {
			t.Errorf("%s: %+v (%s)", name, e, f.Message())
		}
		for _, h := range f.Hints() {
			if slices.Contains(h.Keys(), "ctrl+t") {
				t.Errorf("%s: the footer offers it", name)
			}
		}
	}
}

// In a question to visit a page letters are keys.
func TestAPageAmongSeveralQuestions(t *testing.T) {
	for _, key := range []string{"n", "ctrl+n"} {
		f := open(t, visit("https://example.com/"))
		f.SetPlace(Place{Number: 1, Of: 2, Others: 1})
		if e := press(f, key); e.Kind != NextAsk {
			t.Errorf("%s: %+v", key, e)
		}
		if !strings.Contains(look(t, f, 80, 24), "asks you to visit a page · question 1 of 2") {
			t.Errorf("view:\n%s", look(t, f, 80, 24))
		}
	}
}

// What the server decides is not asked.
func TestAToolOfWhichTheServerDecides(t *testing.T) {
	s := call(task.ServerDecides)
	s.Form = short(s.Form)
	f := open(t, s)
	uitest.Golden(t, "start-decides-80x14", look(t, f, 80, 14))
	if e := press(f, "Ada", "ctrl+s"); e.Kind != Start || e.AsTask || e.TTL != 0 {
		t.Errorf("%+v (%s)", e, f.Message())
	}
}
