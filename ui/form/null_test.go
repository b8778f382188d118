package form

import (
	"strings"
	"testing"

	"callboard/model/task"
)

func nullable(f *task.Field) { f.Nullable = true }

// null, empty text and left out are three things, each seen and each typed.
func TestNullEmptyAndAbsentAreToldApart(t *testing.T) {
	form := task.Form{Fields: []task.Field{
		field("text", task.StringField, nullable),
		field("number", task.NumberField, nullable),
		field("flag", task.BooleanField, nullable),
		field("one", task.ChoiceField, nullable, func(f *task.Field) { f.Choices = choices("Red", "Green") }),
		field("many", task.ChoicesField, nullable, func(f *task.Field) { f.Choices = choices("Red", "Green") }),
		field("must", task.StringField, nullable, required),
		field("plain", task.StringField),
	}}
	spec := question(form)
	f := open(t, spec)
	see := func(word string) {
		t.Helper()
		f.View(80, 40)
		if got := strings.Join(f.rowLines(f.focus), "\n"); !strings.Contains(got, word) {
			t.Errorf("no %q in\n%s", word, got)
		} else if strings.Contains(got, "also ") {
			t.Errorf("more than is there:\n%s", got)
		}
	}
	see("(not set)")
	press(f, "x", "backspace")
	see("empty text is sent")
	press(f, "ctrl+x")
	see("(not set)")
	press(f, "ctrl+x")
	see("(null)")
	see("null is sent")
	for _, name := range []string{"number", "flag", "one", "many"} {
		to(t, f, name)
		press(f, "ctrl+x")
		see("(null)")
	}
	to(t, f, "must")
	press(f, "ctrl+x")
	see("(null)")
	to(t, f, "plain")
	if press(f, "ctrl+x"); f.Message() != "It is left out already." {
		t.Errorf("of what takes no null: %q", f.Message())
	}
	const nulls = `{"text":null,"number":null,"flag":null,"one":null,"many":null,"must":null}`
	if content, _ := task.Assemble(f.form(), f.content()); string(content) != nulls {
		t.Errorf("content %s", content)
	}
	spec.Draft = f.Draft()
	f = open(t, spec)
	if content, _ := task.Assemble(f.form(), f.content()); string(content) != nulls {
		t.Errorf("after coming back %s", content)
	}
	for i, name := range []string{"text", "number", "flag", "one", "many", "must"} {
		f.move(i)
		see("(null)")
		press(f, map[bool]string{true: "2", false: "y"}[name == "number"])
		if name == "one" || name == "many" {
			press(f, " ")
		}
		if f.current().isNull() {
			t.Errorf("%s stays null", name)
		}
	}
	if e := press(f, "ctrl+s"); string(e.Content) != `{"text":"y","number":2,"flag":true,"one":"red","many":["red"],"must":"y"}` {
		t.Errorf("content %s (%s)", e.Content, f.Message())
	}
}

func TestNullFromTheMenuAndTheJSON(t *testing.T) {
	spec := question(task.Form{Fields: []task.Field{field("text", task.StringField, nullable), field("plain", task.StringField)}})
	f := open(t, spec)
	if e := press(f, "ctrl+o", "n"); e.Kind != Changed || !f.current().isNull() {
		t.Errorf("%+v", e)
	}
	press(f, "ctrl+o", "j")
	if !strings.Contains(f.jsonText, `"text": null`) {
		t.Errorf("JSON %s", f.jsonText)
	}
	press(f, "ctrl+o", "j")
	if f.json || !f.rows[0].isNull() {
		t.Errorf("and back: %+v", f.rows[0])
	}
	press(f, "tab")
	if e := press(f, "ctrl+o", "n"); e.Kind != Nothing || f.Message() == "" {
		t.Errorf("of what takes no null: %+v", e)
	}
}
