package form

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// conversation is a sampling request and the form that answers it.
func conversation() Spec {
	form := task.Form{Fields: []task.Field{
		field(task.SampledText, task.StringField, required, func(f *task.Field) { f.Label = task.Own("Reply") }),
		field(task.SampledModel, task.StringField, required, func(f *task.Field) {
			f.Default = json.RawMessage(`"human"`)
		}),
	}}
	s := question(form)
	s.Mode, s.Message = task.SamplingMode, task.Text{}
	s.Sampling = &task.Sampling{
		System: task.Clean("You are a careful release engineer."),
		Messages: []task.SamplingMessage{
			{Role: task.Own("user"), Content: []task.Content{{Kind: task.TextContent, Text: "May build 1127 go out?", Size: 22}}},
		},
		Cost: -1, Speed: 0.5, Intelligence: 0.9, MaxTokens: 100, Temperature: "0.7",
		Hints: []task.Text{task.Own("claude-3-sonnet")}, Stop: []task.Text{task.Own("END")},
	}
	s.Sampler = true
	return s
}

func TestACommandWritesADraft(t *testing.T) {
	f := open(t, conversation())
	if e := press(f, "ctrl+r"); e.Kind != Sample {
		t.Fatalf("ctrl+r: %+v (%s)", e, f.Message())
	}
	f.SetSample(true, start.Add(-12*time.Second), "")
	if view := look(t, f, 80, 24); !strings.Contains(view, "Your command writes a draft, for 12 s. ctrl+r stops it.") {
		t.Errorf("while it runs:\n%s", view)
	}
	if e := press(f, "ctrl+r"); e.Kind != StopSample {
		t.Errorf("ctrl+r again: %+v", e)
	}
	f.SetSample(false, time.Time{}, "exit status 3: no key")
	if view := look(t, f, 80, 24); !strings.Contains(view, "Your command wrote no draft: exit status 3: no key.") {
		t.Errorf("after it failed:\n%s", view)
	}
	press(f, "ctrl+o", "w")
	f.SetSample(true, start, "")
	f.SetSample(false, time.Time{}, "")
	if e := f.SetDraft(model.Draft{task.SampledText: "Yes.", task.SampledModel: "gpt"}); e.Kind != Changed {
		t.Errorf("the draft: %+v", e)
	}
	if e := press(f, "ctrl+s"); string(e.Content) != `{"text":"Yes.","model":"gpt"}` {
		t.Errorf("content %s (%s)", e.Content, f.Message())
	}
}

// What was typed before the command began is replaced, which is said, and comes
// back; what is typed while it runs stays.
func TestADraftLosesNothingTyped(t *testing.T) {
	f := open(t, conversation())
	press(f, "mine")
	f.SetSample(true, start, "")
	f.SetSample(false, time.Time{}, "")
	f.SetDraft(model.Draft{task.SampledText: "the command's", task.SampledModel: "m"})
	if f.current().text != "the command's" || !strings.Contains(f.Message(), "ctrl+o u brings that back") {
		t.Errorf("text %q, message %q", f.current().text, f.Message())
	}
	if e := press(f, "ctrl+o", "u"); e.Kind != Changed || f.current().text != "mine" {
		t.Errorf("undone: %+v %q", e, f.current().text)
	}
	press(f, "ctrl+o", "u")
	if f.current().text != "the command's" {
		t.Errorf("and back: %q", f.current().text)
	}

	f = open(t, conversation())
	press(f, "mi")
	f.SetSample(true, start, "")
	press(f, "ne")
	f.SetSample(false, time.Time{}, "")
	if e := f.SetDraft(model.Draft{task.SampledText: "the command's"}); e.Kind != Changed || f.Draft()[task.SampledText] != "mine" {
		t.Errorf("typed meanwhile: %+v %v", e, f.Draft())
	}
	if view := look(t, f, 80, 24); !strings.Contains(view, "A draft came. ctrl+o u puts it in place of what you typed.") {
		t.Errorf("view:\n%s", view)
	}
	if press(f, "ctrl+o", "u"); f.Draft()[task.SampledText] != "the command's" {
		t.Errorf("taken: %v", f.Draft())
	}
}

func TestWithoutACommandTheKeySaysWhy(t *testing.T) {
	spec := conversation()
	spec.Sampler = false
	f := open(t, spec)
	if e := press(f, "ctrl+r"); e.Kind != Nothing || !strings.Contains(f.Message(), "--sampling-command") {
		t.Errorf("%+v %q", e, f.Message())
	}
	f = open(t, question(everyField()))
	if e := press(f, "ctrl+r"); e.Kind != Nothing || f.Message() == "" {
		t.Errorf("%+v %q", e, f.Message())
	}
}

func TestAQuestionThatCannotBeRefusedSaysWhy(t *testing.T) {
	spec := conversation()
	spec.NoRefusal = "This protocol has no refusal."
	for _, k := range []string{"d", "c"} {
		f := open(t, spec)
		if e := press(f, "ctrl+o", k); e.Kind != Nothing || f.Message() != spec.NoRefusal {
			t.Errorf("%s: %+v %q", k, e, f.Message())
		}
	}
}
