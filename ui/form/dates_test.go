package form

import (
	"strings"
	"testing"
	"time"

	"callboard/model/task"
	"callboard/ui/uitest"
)

func calendar(now *time.Time) Spec {
	s := question(task.Form{Fields: []task.Field{
		field("at", task.StringField, required, func(f *task.Field) { f.Format = "date-time" }),
		field("day", task.StringField, func(f *task.Field) { f.Format = "date" }),
	}})
	s.Now = func() time.Time { return *now }
	return s
}

// What a date will be sent as is seen while it is typed, with its zone and in
// words, and that is what is sent.
func TestWhatADateIsSentAs(t *testing.T) {
	now := start.In(time.FixedZone("CET", 3600)) // 15:03:22
	for typed, want := range map[string]string{
		"+2h":                       "is sent as 2026-01-02T17:03:22+01:00, in 2 hours (your zone, CET)",
		"2026-01-01 09:00":          "is sent as 2026-01-01T09:00:00+01:00, 30 hours ago (your zone, CET)",
		"2026-01-02T14:00:00Z":      "is sent as 2026-01-02T14:00:00Z, 3 minutes ago (2026-01-02 15:00 your time)",
		"2026-01-05T14:00:00-05:00": "is sent as 2026-01-05T14:00:00-05:00, in 3 days (2026-01-05 20:00 your time)",
		"now":                       "is sent as 2026-01-02T15:03:22+01:00, now (your zone, CET)",
		"tomorrow 9:00":             "is sent as 2026-01-03T09:00:00+01:00, in 18 hours (your zone, CET)",
	} {
		f := open(t, calendar(&now))
		press(f, typed)
		if view := look(t, f, 100, 24); !strings.Contains(view, want) {
			t.Errorf("%q: no %q in\n%s", typed, want, view)
		}
		sent, _, _ := strings.Cut(strings.TrimPrefix(want, "is sent as "), ",")
		if e := press(f, "ctrl+s"); string(e.Content) != `{"at":"`+sent+`"}` {
			t.Errorf("%q: sent %s (%s)", typed, e.Content, f.Message())
		}
	}
	for typed, want := range map[string]string{
		"tomorrow": "is sent as 2026-01-03, tomorrow, a Saturday", "2026-01-01": "is sent as 2026-01-01, yesterday",
		"2026-01-02": "is sent as 2026-01-02, today", "+10d": "is sent as 2026-01-12, a Monday in 10 days", "2025-01-02": "is sent as 2025-01-02, 12 months ago",
	} {
		f := open(t, calendar(&now))
		press(f, "tab", typed)
		if view := look(t, f, 100, 24); !strings.Contains(view, want) {
			t.Errorf("%q: no %q in\n%s", typed, want, view)
		}
	}
	f := open(t, calendar(&now))
	if press(f, "next week"); !strings.Contains(look(t, f, 80, 24), "no date yet") {
		t.Errorf("what is no date:\n%s", look(t, f, 80, 24))
	}
}

// A distance goes with the clock, also while the cursor is elsewhere; what is
// reviewed is what goes out.
func TestADistanceGoesWithTheClock(t *testing.T) {
	now := start
	f := open(t, calendar(&now))
	press(f, "+2h", "tab", "tomorrow")
	uitest.Golden(t, "dates-80x24", look(t, f, 80, 24))
	now = now.Add(time.Minute)
	if view := look(t, f, 80, 24); !strings.Contains(view, "is sent as 2026-01-02T16:04:22Z, in 2 hours") {
		t.Errorf("a minute later:\n%s", view)
	}
	press(f, "ctrl+o", "v")
	uitest.Golden(t, "review-80x24", look(t, f, 80, 24))
	now = now.Add(10 * time.Minute)
	if e := press(f, "ctrl+s"); string(e.Content) != `{"at":"2026-01-02T16:04:22Z","day":"2026-01-03"}` {
		t.Errorf("sent %s (%s)", e.Content, f.Message())
	}
}
