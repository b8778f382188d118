package task

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Settle returns what is sent for the text typed into a field of format date
// or date-time (client/elicitation, "Requested Schema"), RFC 3339, and whether
// that differs from typed. Besides RFC 3339 a person may write
//
//	2026-12-01 09:00   in the zone of now, or with one: 09:00Z, 09:00+02:00
//	2026-12-01         its first moment, for a date-time
//	now, today 09:00, tomorrow, yesterday
//	+2h, -1d, +1d6h, in 90m; w, d, h, m and s
//
// Days and weeks keep the time of day, hours do not care for the clocks. Text
// that is none of these is returned as it is, for Form.Check to judge, and so
// is what is typed into all other fields.
func (f *Field) Settle(typed string, now time.Time) (string, bool) {
	sent, _ := f.settle(typed, now)
	return sent, sent != typed
}

// SettleNote says in a sentence what had to be decided to settle typed: local
// times that come twice, or never, where the clocks change. It is empty where
// nothing had to be.
func (f *Field) SettleNote(typed string, now time.Time) string {
	_, note := f.settle(typed, now)
	return note
}

const clockPattern = `(?:[Tt]|\s+(?:at\s+)?)(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,9})?)?\s*([Zz]|UTC|[+-]\d\d:?\d\d)?`

var (
	fullStamp = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`)
	fullDate  = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	dayStamp  = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})(?:` + clockPattern + `)?$`)
	dayWord   = regexp.MustCompile(`^(?i:(today|tomorrow|yesterday))(?:` + clockPattern + `)?$`)
	distance  = regexp.MustCompile(`^(?i:(\+|-|in\s)\s*((?:\d{1,5}\s*[a-z]+\s*)+))$`)
	step      = regexp.MustCompile(`(\d+)\s*([A-Za-z]+)`)
)

// settle returns what is sent for typed, and what had to be decided.
func (f *Field) settle(typed string, now time.Time) (sent, note string) {
	t := strings.TrimSpace(typed)
	if f.Kind != StringField || f.Format != "date" && f.Format != "date-time" || t == "" || len(t) > 64 {
		return typed, ""
	}
	whole := fullStamp
	if f.Format == "date" {
		whole = fullDate
	}
	if whole.MatchString(t) {
		return t, ""
	}
	m, ok := read(t, now)
	if !ok {
		return typed, ""
	}
	if f.Format == "date" {
		// The day that was named is meant, in whatever zone.
		return m.at.Format("2006-01-02"), ""
	}
	if _, offset := m.at.Zone(); offset%60 != 0 { // before there were zones
		m.at = m.at.UTC()
	}
	return m.at.Format(time.RFC3339Nano), m.note
}

// moment is a point in time, with what had to be decided to find it.
type moment struct {
	at   time.Time
	note string
}

// read reads what people write in place of RFC 3339.
func read(t string, now time.Time) (moment, bool) {
	if strings.EqualFold(t, "now") {
		return within(moment{at: now.Truncate(time.Second)})
	}
	if p := dayStamp.FindStringSubmatch(t); p != nil {
		year, month, day := number(p[1]), number(p[2]), number(p[3])
		if noon := time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC); noon.Day() != day || int(noon.Month()) != month {
			return moment{}, false
		}
		return clock(year, time.Month(month), day, p[4:], now.Location())
	}
	if p := dayWord.FindStringSubmatch(t); p != nil {
		year, month, day := now.Date()
		switch strings.ToLower(p[1]) {
		case "tomorrow":
			day++
		case "yesterday":
			day--
		}
		return clock(year, month, day, p[2:], now.Location())
	}
	if p := distance.FindStringSubmatch(t); p != nil {
		return away(p[1] == "-", p[2], now)
	}
	return moment{}, false
}

// clock is a time of a day, by the groups of clockPattern.
func clock(year int, month time.Month, day int, p []string, loc *time.Location) (moment, bool) {
	hour, minute, second := number(p[0]), number(p[1]), number(p[2])
	if hour > 23 || minute > 59 || second > 59 {
		return moment{}, false
	}
	nanos := 0
	if p[3] != "" {
		nanos = number((p[3][1:] + "000000000")[:9])
	}
	utc := time.Date(year, month, day, hour, minute, second, nanos, time.UTC)
	switch zone := strings.ReplaceAll(p[4], ":", ""); {
	case zone == "":
		return within(wall(utc, loc))
	case len(zone) == 5:
		hours, minutes := number(zone[1:3]), number(zone[3:])
		if hours > 23 || minutes > 59 {
			return moment{}, false
		}
		offset := 3600*hours + 60*minutes
		if zone[0] == '-' {
			offset = -offset
		}
		utc = utc.Add(-time.Duration(offset) * time.Second).In(time.FixedZone("", offset))
	}
	return within(moment{at: utc})
}

// away is a distance from now, such as 1d6h.
func away(back bool, steps string, now time.Time) (moment, bool) {
	days, rest := 0, time.Duration(0)
	for _, p := range step.FindAllStringSubmatch(steps, -1) {
		n := number(p[1])
		if back {
			n = -n
		}
		switch strings.ToLower(p[2]) {
		case "w", "week", "weeks":
			days += 7 * n
		case "d", "day", "days":
			days += n
		case "h", "hour", "hours":
			rest += time.Duration(n) * time.Hour
		case "m", "min", "mins", "minute", "minutes":
			rest += time.Duration(n) * time.Minute
		case "s", "sec", "secs", "second", "seconds":
			rest += time.Duration(n) * time.Second
		default:
			return moment{}, false
		}
	}
	m := moment{at: now.Truncate(time.Second)}
	if days != 0 {
		year, month, day := now.Date()
		hour, minute, second := now.Clock()
		m = wall(time.Date(year, month, day+days, hour, minute, second, 0, time.UTC), now.Location())
	}
	if m.at = m.at.Add(rest); rest != 0 {
		m.note = ""
	}
	return within(m)
}

// within refuses what RFC 3339 cannot write.
func within(m moment) (moment, bool) {
	year, utc := m.at.Year(), m.at.UTC().Year()
	return m, min(year, utc) >= 0 && max(year, utc) <= 9999
}

// wall is the moment at which clocks in loc show what utc shows. Of two such
// the first is taken; where the clocks skip it, as much later as they skip.
func wall(utc time.Time, loc *time.Location) moment {
	shows := utc.Format("15:04")
	guess := time.Date(utc.Year(), utc.Month(), utc.Day(), utc.Hour(), utc.Minute(), utc.Second(), utc.Nanosecond(), loc)
	start, end := guess.ZoneBounds()
	for _, change := range [...]time.Time{start, end} {
		if change.IsZero() {
			continue
		}
		first, then := shown(utc, change.Add(-time.Second), loc), shown(utc, change, loc)
		switch early, late := first.Before(change), !then.Before(change); {
		case early && late:
			return moment{first, shows + " comes twice that day, for the clocks go back: the first is meant (the second is " + then.Format("15:04Z07:00") + ")."}
		case !early && !late:
			return moment{first, shows + " does not exist that day, for the clocks go forward: " + first.Format("2006-01-02 15:04") + " is meant."}
		}
	}
	return moment{at: guess}
}

// shown is the moment at which clocks show what utc shows that are set as
// those of loc are at when.
func shown(utc, when time.Time, loc *time.Location) time.Time {
	_, offset := when.In(loc).Zone()
	return utc.Add(-time.Duration(offset) * time.Second).In(loc)
}

// number reads digits; none are 0. The patterns above let no others through.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
