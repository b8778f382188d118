package form

import (
	"strings"
	"testing"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/uitest"
)

// asksForASecret is a form that a server must not send.
func asksForASecret() Spec {
	s := question(task.Form{
		Fields: []task.Field{
			field("user", task.StringField),
			field("password", task.StringField, required, func(f *task.Field) { f.Secret = true }),
			field("pin", task.IntegerField, func(f *task.Field) { f.Secret = true }),
		},
		Warnings: []task.Text{task.Own(`"password", "pin" seem to ask for secrets. The protocol forbids a server to ask for passwords, keys or tokens by a form: give none unless you trust this server.`)},
	})
	s.Message = task.Own("Sign in, please.")
	return s
}

func TestASecretIsMasked(t *testing.T) {
	f := open(t, asksForASecret())
	press(f, "ada", "tab", "hunter2")
	uitest.Golden(t, "secret-80x24", look(t, f, 80, 24))
	press(f, "tab", "4711")
	for range 3 {
		view := look(t, f, 80, 24)
		if strings.Contains(view, "hunter2") || strings.Contains(view, "4711") {
			t.Errorf("a secret is shown:\n%s", view)
		}
		press(f, "tab", "shift+tab", "shift+tab")
	}
	press(f, "ctrl+o", "v")
	if view := look(t, f, 80, 24); strings.Contains(view, "hunter2") || strings.Contains(view, "4711") || !strings.Contains(view, "••••••••") {
		t.Errorf("the review:\n%s", view)
	}
	uitest.Golden(t, "secret-review-80x24", look(t, f, 80, 24))
	if e := press(f, "ctrl+s"); string(e.Content) != `{"user":"ada","password":"hunter2","pin":4711}` {
		t.Errorf("content %s (%s)", e.Content, f.Message())
	}
}

// Nothing takes a secret to where it can be read, before the person shows it.
func TestASecretIsTakenNowhere(t *testing.T) {
	f := open(t, asksForASecret())
	press(f, "ada", "tab", "hunter2")
	for keys, why := range map[string]string{"y": "ctrl+o r shows it first", "j": "ctrl+o r shows it first", "e": "writes to the disk"} {
		if e := press(f, "ctrl+o", keys); e.Kind != Nothing || !strings.Contains(f.Message(), why) {
			t.Errorf("%s: %+v %q", keys, e, f.Message())
		}
		f.menu = nil
	}
	press(f, "ctrl+o", "r")
	if view := look(t, f, 80, 24); !strings.Contains(view, "hunter2") {
		t.Errorf("it is not shown:\n%s", view)
	}
	if e := press(f, "ctrl+o", "y"); e.Kind != CopyText || !strings.Contains(e.Text, "hunter2") {
		t.Errorf("copied: %+v %q", e, f.Message())
	}
	// An editor's file is on the disk, shown or not; so is that of the whole.
	if e := press(f, "ctrl+o", "e"); e.Kind != Nothing {
		t.Errorf("edited outside: %+v", e)
	}
	f.menu = nil
	if press(f, "ctrl+o", "j"); !f.json {
		t.Fatalf("no JSON: %s", f.Message())
	}
	if e := press(f, "ctrl+o", "e"); e.Kind != Nothing || !strings.Contains(f.Message(), "disk") {
		t.Errorf("the whole: %+v %q", e, f.Message())
	}
	f.menu = nil
	press(f, "ctrl+o", "r")
	if view := look(t, f, 80, 24); strings.Contains(view, "hunter2") {
		t.Errorf("it is still shown:\n%s", view)
	}
	if f.json || f.Draft()["password"] != "hunter2" {
		t.Errorf("json %v, draft lost", f.json)
	}
	to(t, f, "user")
	if e := press(f, "ctrl+o", "e"); e.Kind != EditText || e.Text != "ada" {
		t.Errorf("a field that is none: %+v %q", e, f.Message())
	}
}

// JSON that was typed comes back into the fields, which mask it.
func TestAJSONDraftWithASecretIsMasked(t *testing.T) {
	spec := asksForASecret()
	spec.Draft = model.Draft{"": `{"password":"hunter2"}`}
	f := open(t, spec)
	if view := look(t, f, 80, 24); strings.Contains(view, "hunter2") || f.json {
		t.Errorf("view:\n%s", view)
	}
	spec.Draft = model.Draft{"": `{"password":"hunter2"`} // not whole
	f = open(t, spec)
	view := look(t, f, 80, 24)
	if strings.Contains(view, "hunter2") || !strings.Contains(view, "ctrl+o r shows it first") {
		t.Errorf("view:\n%s", view)
	}
	if press(f, "x"); f.Message() == "" || f.Draft()[""] != spec.Draft[""] {
		t.Errorf("%q", f.Message())
	}
	press(f, "ctrl+o", "r")
	if view := look(t, f, 80, 24); !strings.Contains(view, "hunter2") {
		t.Errorf("revealed:\n%s", view)
	}
}

func TestALongSecretIsMasked(t *testing.T) {
	f := open(t, asksForASecret())
	press(f, "tab")
	paste(f, "-----BEGIN KEY-----\n"+strings.Repeat("c2VjcmV0", 2000))
	for _, keys := range []string{"up", "tab"} {
		if view := look(t, f, 80, 24); strings.Contains(view, "BEGIN") || strings.Contains(view, "c2Vj") {
			t.Errorf("view:\n%s", view)
		}
		press(f, keys)
	}
	f.rows[1].assign("")
	f.move(1)
	paste(f, "alpha\nomega")
	if view := look(t, f, 80, 24); strings.Contains(view, "alpha") || strings.Contains(view, "omega") {
		t.Errorf("view:\n%s", view)
	}
}
