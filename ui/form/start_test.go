package form

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/uitest"
)

func call(support task.Support) Spec {
	s := question(everyField())
	s.Kind, s.Support, s.TTL, s.Since, s.Task = Call, support, time.Hour, time.Time{}, task.Text{}
	s.Message = task.Own("Deploys the thing.")
	return s
}

// toMode moves the cursor to how the tool is to be run.
func toMode(t *testing.T, f *Form) {
	t.Helper()
	for range f.rows {
		if f.current().kind == modeRow {
			return
		}
		press(f, "tab")
	}
	t.Fatal("it does not ask how to run")
}

func TestParseTTL(t *testing.T) {
	for typed, want := range map[string]time.Duration{
		"": 0, "none": 0, " None ": 0, "90s": 90 * time.Second, "30m": 30 * time.Minute, "1h30m": 90 * time.Minute,
		"1h 30m": 90 * time.Minute, "2d": 48 * time.Hour, "1d12h": 36 * time.Hour, "500ms": 500 * time.Millisecond,
	} {
		if got, err := parseTTL(typed); err != nil || got != want {
			t.Errorf("%q: %v %v", typed, got, err)
		}
		if got, err := parseTTL(ttlText(want)); err != nil || got != want {
			t.Errorf("%q is written %q", typed, ttlText(want))
		}
	}
	for _, typed := range []string{"5", "-1s", "0s", "abc", "d", "1x", "99999d", "1e9h", "1.5"} {
		if got, err := parseTTL(typed); err == nil {
			t.Errorf("%q: %v", typed, got)
		}
	}
	if got := ttlText(time.Hour); got != "1h" {
		t.Errorf("an hour is %q", got)
	}
}

func TestNothingInvalidIsStarted(t *testing.T) {
	f := open(t, call(task.Optional))
	press(f, "ctrl+u")
	if e := press(f, "ctrl+s"); e.Kind != Nothing || !strings.HasPrefix(f.Message(), "Not started: ") {
		t.Errorf("event %d, message %q", e.Kind, f.Message())
	}
}

func TestStart(t *testing.T) {
	f := open(t, call(task.Optional))
	press(f, "Ada")
	to(t, f, "urgent")
	press(f, "y")
	e := press(f, "ctrl+s")
	if e.Kind != Start || !e.AsTask || e.TTL != time.Hour || string(e.Content) != `{"name":"Ada","price":1.50,"urgent":true,"country":"denmark"}` {
		t.Errorf("event %+v %s (%s)", e, e.Content, f.Message())
	}
	toMode(t, f)
	uitest.Golden(t, "start-80x24", look(t, f, 80, 24))
	if e := press(f, "down", "ctrl+s"); e.Kind != Start || e.AsTask || e.TTL != 0 {
		t.Errorf("plainly: %+v (%s)", e, f.Message())
	}
	press(f, "up", "tab", "ctrl+u", "5")
	if e := press(f, "ctrl+s"); e.Kind != Nothing || f.current().problem != "needs a unit: 90s, 30m, 1h30m, 2d" {
		t.Errorf("a ttl without a unit: %+v %q", e, f.current().problem)
	}
	if e := press(f, "m", "ctrl+s"); e.TTL != 5*time.Minute {
		t.Errorf("5m: %+v", e)
	}
}

func TestHowToRunIsAskedOnlyWhereItIsOpen(t *testing.T) {
	for support, want := range map[task.Support]Event{
		task.Forbidden: {Kind: Start}, task.ServerDecides: {Kind: Start}, task.Required: {Kind: Start, AsTask: true, TTL: time.Hour},
	} {
		s := call(support)
		s.Form = task.Form{}
		f := open(t, s)
		for i := range f.rows {
			if f.rows[i].kind == modeRow {
				t.Errorf("%v: it asks how to run", support)
			}
		}
		e := press(f, "ctrl+s")
		if e.Kind != want.Kind || e.AsTask != want.AsTask || e.TTL != want.TTL {
			t.Errorf("%v: %+v (%s)", support, e, f.Message())
		}
	}
	s := call(task.Forbidden)
	s.Form = task.Form{}
	uitest.Golden(t, "start-nothing", look(t, open(t, s), 60, 14))
}

func TestArgumentsOfAnEarlierCall(t *testing.T) {
	s := call(task.Optional)
	s.Args = json.RawMessage(`{"name":"Bob","urgent":false,"unasked":{"a":1}}`)
	if e := press(open(t, s), "ctrl+s"); string(e.Content) != string(s.Args) {
		t.Errorf("content %s", e.Content)
	}
}

func TestDraftOfACallKeepsHowToRun(t *testing.T) {
	f := open(t, call(task.Optional))
	press(f, "Ada")
	toMode(t, f)
	press(f, "down", "tab", "ctrl+u", "2d")
	s := call(task.Optional)
	s.Draft = f.Draft()
	again := open(t, s)
	if again.asTask() || again.rows[len(again.rows)-1].text != "2d" {
		t.Errorf("draft %v", s.Draft)
	}
	if got := again.content(); got[draftMode] != "" || got[draftTTL] != "" {
		t.Errorf("content %v", got)
	}
	s.Draft = model.Draft{draftMode: `"nonsense"`, "name": "x"}
	if again = open(t, s); !again.asTask() {
		t.Error("a mode that there is none of")
	}
}
