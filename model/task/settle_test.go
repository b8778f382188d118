package task

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
)

// berlin has a day of 25 hours on 2026-10-25 and one of 23 on 2026-03-29.
func berlin(t *testing.T) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestSettle(t *testing.T) {
	now := time.Date(2026, 11, 30, 15, 4, 5, 6, berlin(t))
	for _, c := range []struct{ typed, stamp, date string }{
		// What is RFC 3339 goes as it was typed, good or not.
		{"2026-12-01T09:00:00Z", "", "2026-12-01"},
		{"2026-12-01t09:00:00.10z", "", "2026-12-01"},
		{"2026-12-01T09:00:00+05:45", "", "2026-12-01"},
		{"2016-12-31T23:59:60Z", "", ""},
		{" 2026-12-01T09:00:00Z ", "2026-12-01T09:00:00Z", "2026-12-01"},
		{"2026-12-01", "2026-12-01T00:00:00+01:00", ""},
		{" 2026-12-01 ", "2026-12-01T00:00:00+01:00", "2026-12-01"},
		{"2026-12-01 09:00", "2026-12-01T09:00:00+01:00", "2026-12-01"},
		{"2026-7-1 9:05", "2026-07-01T09:05:00+02:00", "2026-07-01"},
		{"2026-12-01T09:00", "2026-12-01T09:00:00+01:00", "2026-12-01"},
		{"2026-12-01 09:00:30.250", "2026-12-01T09:00:30.25+01:00", "2026-12-01"},
		{"2026-12-01 09:00Z", "2026-12-01T09:00:00Z", "2026-12-01"},
		{"2026-12-01 09:00 UTC", "2026-12-01T09:00:00Z", "2026-12-01"},
		{"2026-12-01 23:30-08:00", "2026-12-01T23:30:00-08:00", "2026-12-01"},
		{"2026-12-01 23:30 +0530", "2026-12-01T23:30:00+05:30", "2026-12-01"},
		{"now", "2026-11-30T15:04:05+01:00", "2026-11-30"},
		{"today", "2026-11-30T00:00:00+01:00", "2026-11-30"},
		{"Today 09:00", "2026-11-30T09:00:00+01:00", "2026-11-30"},
		{"tomorrow", "2026-12-01T00:00:00+01:00", "2026-12-01"},
		{"tomorrow at 18:30", "2026-12-01T18:30:00+01:00", "2026-12-01"},
		{"yesterday 09:00Z", "2026-11-29T09:00:00Z", "2026-11-29"},
		{"+2h", "2026-11-30T17:04:05+01:00", "2026-11-30"},
		{"+9h", "2026-12-01T00:04:05+01:00", "2026-12-01"},
		{"+90m", "2026-11-30T16:34:05+01:00", "2026-11-30"},
		{"-1d", "2026-11-29T15:04:05+01:00", "2026-11-29"},
		{"+1w", "2026-12-07T15:04:05+01:00", "2026-12-07"},
		{"+1d 6h", "2026-12-01T21:04:05+01:00", "2026-12-01"},
		{"+ 30 s", "2026-11-30T15:04:35+01:00", "2026-11-30"},
		{"in 2 hours", "2026-11-30T17:04:05+01:00", "2026-11-30"},
		{"-30d", "2026-10-31T15:04:05+01:00", "2026-10-31"},
		{"-60d", "2026-10-01T15:04:05+02:00", "2026-10-01"},
		{"1850-01-01", "1849-12-31T23:06:32Z", ""},
		// Left as it is: for the check to judge.
		{"2026-02-30 09:00", "", ""},
		{"2026-13-01 09:00", "", ""},
		{"2026-12-01 24:00", "", ""},
		{"2026-12-01 09:60", "", ""},
		{"2026-12-01 09:00+99:00", "", ""},
		{"01/02/2026", "", ""},
		{"1.2.2026", "", ""},
		{"friday", "", ""},
		{"9pm", "", ""},
		{"09:00", "", ""},
		{"2h", "", ""},
		{"+2", "", ""},
		{"+2y", "", ""},
		{"+1M x", "", ""},
		{"+99999w", "3943-06-07T15:04:05+02:00", "3943-06-07"},
		{"-99999d 99999d", "1479-05-04T14:10:37Z", "1479-05-04"},
		{"+99999w 99999w 99999w 99999w 99999w", "", ""},
		{"+999999999999999999999d", "", ""},
		{"", "", ""},
		{"soon", "", ""},
		{TypedNull, "", ""},
	} {
		for format, want := range map[string]string{"date-time": c.stamp, "date": c.date} {
			f := &Field{Kind: StringField, Format: format}
			got, differs := f.Settle(c.typed, now)
			if want == "" {
				want = c.typed
			}
			if got != want || differs != (want != c.typed) {
				t.Errorf("%s %q is sent as %q (%v), want %q", format, c.typed, got, differs, want)
			}
		}
	}
	for _, f := range []Field{{Kind: StringField}, {Kind: StringField, Format: "email"}, {Kind: NumberField, Format: "date"}, {Kind: ChoiceField, Format: "date"}} {
		if got, differs := f.Settle("now", now); got != "now" || differs {
			t.Errorf("%+v settles: %q", f, got)
		}
	}
}

// TestSettleWhereClocksChange holds that what is ambiguous or does not exist
// is decided in the open.
func TestSettleWhereClocksChange(t *testing.T) {
	const twice = " comes twice that day, for the clocks go back: the first is meant (the second is "
	for _, c := range []struct{ zone, now, typed, sent, note string }{
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25 02:30", "2026-10-25T02:30:00+02:00", "02:30" + twice + "02:30+01:00)."},
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25 02:30+01:00", "2026-10-25T02:30:00+01:00", ""},
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25 03:00", "2026-10-25T03:00:00+01:00", ""},
		{"Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25 02:00", "2026-10-25T02:00:00+02:00", "02:00" + twice + "02:00+01:00)."},
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29 02:30", "2026-03-29T03:30:00+02:00", "02:30 does not exist that day, for the clocks go forward: 2026-03-29 03:30 is meant."},
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29 01:59", "2026-03-29T01:59:00+01:00", ""},
		{"Europe/Berlin", "2026-03-28T01:30:00Z", "+1d", "2026-03-29T03:30:00+02:00", "02:30 does not exist that day, for the clocks go forward: 2026-03-29 03:30 is meant."},
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "+24h", "2026-03-29T14:00:00+02:00", ""},
		{"Europe/Berlin", "2026-03-28T12:00:00Z", "+1d", "2026-03-29T13:00:00+02:00", ""},
		{"America/New_York", "2026-10-31T12:00:00Z", "tomorrow 01:30", "2026-11-01T01:30:00-04:00", "01:30" + twice + "01:30-05:00)."},
		{"America/New_York", "2026-03-07T12:00:00Z", "tomorrow 02:15", "2026-03-08T03:15:00-04:00", "02:15 does not exist that day, for the clocks go forward: 2026-03-08 03:15 is meant."},
		{"Australia/Lord_Howe", "2026-04-04T00:00:00Z", "2026-04-05 01:45", "2026-04-05T01:45:00+11:00", "01:45" + twice + "01:45+10:30)."},
		{"Pacific/Apia", "2011-12-01T00:00:00Z", "2011-12-30 09:00", "2011-12-31T09:00:00+14:00", "09:00 does not exist that day, for the clocks go forward: 2011-12-31 09:00 is meant."},
		{"UTC", "2026-03-28T12:00:00Z", "2026-03-29 02:30", "2026-03-29T02:30:00Z", ""},
	} {
		loc, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		f := &Field{Kind: StringField, Format: "date-time"}
		sent, _ := f.Settle(c.typed, now.In(loc))
		if note := f.SettleNote(c.typed, now.In(loc)); sent != c.sent || note != c.note {
			t.Errorf("%s %q is sent as %s (%s), want %s (%s)", c.zone, c.typed, sent, note, c.sent, c.note)
		}
	}
}

func TestAssembleSettles(t *testing.T) {
	form := Form{
		Fields: []Field{{Name: "at", Kind: StringField, Format: "date-time"}, {Name: "on", Kind: StringField, Format: "date"}, {Name: "said", Kind: StringField}},
		Now:    func() time.Time { return time.Date(2026, 11, 30, 15, 0, 0, 0, berlin(t)) },
	}
	content, problems := Assemble(form, map[string]string{"at": "+2h", "on": "tomorrow", "said": "tomorrow"})
	if want := `{"at":"2026-11-30T17:00:00+01:00","on":"2026-12-01","said":"tomorrow"}`; string(content) != want || problems != nil {
		t.Errorf("got %s %v", content, problems)
	}
	form.Now = nil
	before := time.Now()
	content, _ = Assemble(form, map[string]string{"at": "now"})
	var sent struct{ At time.Time }
	if err := json.Unmarshal(content, &sent); err != nil || sent.At.Before(before.Truncate(time.Second)) || sent.At.After(time.Now()) {
		t.Errorf("by the clock of the machine: %s", content)
	}
}

// FuzzSettle holds that what is settled is RFC 3339, and stays what it is.
func FuzzSettle(f *testing.F) {
	for _, s := range []string{"2026-12-01 09:00", "+1d6h", "in 90m", "tomorrow 09:00+02:00", "2026-03-29 02:30", "now", "0000-01-01", "9999-12-31 23:59-12:00", "-99999w"} {
		f.Add(s, int64(1_800_000_000), "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, typed string, at int64, zone string) {
		loc, err := time.LoadLocation(zone)
		if err != nil || at < 0 || at > 4e9 {
			t.Skip()
		}
		now := time.Unix(at, 0).In(loc)
		for format, layout := range map[string]string{"date-time": time.RFC3339Nano, "date": time.DateOnly} {
			field := &Field{Kind: StringField, Format: format}
			sent, differs := field.Settle(typed, now)
			if again, _ := field.Settle(sent, now.Add(time.Hour)); differs && again != sent {
				t.Errorf("%s %q is sent as %q, and that as %q", format, typed, sent, again)
			}
			if !differs || strings.TrimSpace(typed) == sent {
				continue // as it was typed, right or wrong
			}
			if _, err := time.Parse(layout, sent); err != nil {
				t.Errorf("%s %q is sent as %q: %v", format, typed, sent, err)
			}
		}
	})
}
