package form

import (
	"strconv"
	"strings"
	"time"

	"callboard/model/task"
)

// isDate reports whether the row takes a date or a point in time.
func (r *row) isDate() bool {
	return r.kind == fieldRow && r.field.Kind == task.StringField && (r.field.Format == "date" || r.field.Format == "date-time")
}

// sentDate says what a date row will be sent as, with its zone and how far it
// is from now: "" where nothing is typed that is a date.
func (f *Form) sentDate(r *row) string {
	if !r.isDate() || !r.set || r.isNull() {
		return ""
	}
	now := f.form().Now()
	sent, _ := r.field.Settle(r.text, now)
	if r.field.Format == "date" {
		day, err := time.ParseInLocation(time.DateOnly, sent, now.Location())
		if err != nil {
			return ""
		}
		return "is sent as " + sent + ", " + daysAway(day, now)
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(sent))
	if err != nil {
		return ""
	}
	words := "is sent as " + sent + ", " + timeAway(at, now) + " (" + zoneWords(at, now) + ")"
	if note := r.field.SettleNote(r.text, now); note != "" {
		words += ". " + note
	}
	return words
}

// zoneWords names the zone of at, as seen by a person whose clock shows now:
// what their own clock will show, where it is another zone.
func zoneWords(at, now time.Time) string {
	here := at.In(now.Location())
	_, offset := at.Zone()
	name, local := here.Zone()
	if offset == local {
		if name == "" || strings.ContainsAny(name[:1], "+-") { // a zone without a name
			return "your zone"
		}
		return "your zone, " + name
	}
	return here.Format("2006-01-02 15:04") + " your time"
}

// timeAway says how far at is: "in 2 hours", "3 days ago". It does not change
// faster than a form's other ages.
func timeAway(at, now time.Time) string {
	d := at.Sub(now).Round(time.Second)
	switch {
	case d > -5*time.Second && d < 5*time.Second:
		return "now"
	case d < 0:
		return distance(-d) + " ago"
	}
	return "in " + distance(d)
}

func distance(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return seconds(int(d / time.Second))
	case d < 90*time.Minute:
		return counted(int((d+30*time.Second)/time.Minute), "minute")
	case d < 36*time.Hour:
		return counted(int((d+30*time.Minute)/time.Hour), "hour")
	case d < 60*day:
		return counted(int((d+day/2)/day), "day")
	case d < 2*365*day:
		return counted(int(d/(30*day)), "month")
	}
	return counted(int(d/(365*day)), "year")
}

// daysAway names a day as people do.
func daysAway(day, now time.Time) string {
	y, m, d := now.Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	y, m, d = day.Date()
	n := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Sub(today) / (24 * time.Hour))
	weekday := day.Weekday().String()
	switch {
	case n == 0:
		return "today"
	case n == 1:
		return "tomorrow, a " + weekday
	case n == -1:
		return "yesterday"
	case n < 0:
		return distance(time.Duration(-n)*24*time.Hour) + " ago"
	}
	return "a " + weekday + " in " + distance(time.Duration(n)*24*time.Hour)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
