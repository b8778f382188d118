package form

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"callboard/model/task"
)

// modeChoices are the ways to call a tool.
var modeChoices = []task.Choice{
	{Value: json.RawMessage(`"task"`), Label: task.Own("as a task: it goes on by itself")},
	{Value: json.RawMessage(`"plain"`), Label: task.Own("plainly: a call that waits for its result")},
}

// addCallRows adds what a Call asks beside the arguments: how to run where the
// tool leaves it open, and the ttl where it may run as a task. It takes what
// the draft holds of these.
func (f *Form) addCallRows(draft map[string]string) {
	mode, ttl := string(modeChoices[0].Value), ttlText(f.spec.TTL)
	if f.spec.Support == task.Forbidden {
		mode = string(modeChoices[1].Value)
	}
	if was, ok := draft[draftMode]; f.spec.Support == task.Optional && (was == string(modeChoices[1].Value) || !ok && f.spec.Plain) {
		mode = string(modeChoices[1].Value)
	}
	if v, ok := draft[draftTTL]; ok {
		ttl = v
	}
	delete(draft, draftMode)
	delete(draft, draftTTL)
	if f.spec.Support == task.Optional {
		r := row{kind: modeRow, set: true, text: mode}
		if mode == string(modeChoices[1].Value) {
			r.cursor = 1
		}
		f.rows = append(f.rows, r)
	}
	if f.spec.Support == task.Optional || f.spec.Support == task.Required {
		f.rows = append(f.rows, row{kind: ttlRow, set: true, text: ttl})
	}
}

// asTask reports whether the call is to run as a task.
func (f *Form) asTask() bool {
	for i := range f.rows {
		if r := &f.rows[i]; r.kind == modeRow {
			return r.text == string(modeChoices[0].Value)
		}
	}
	return f.spec.Support == task.Optional || f.spec.Support == task.Required
}

// ttl returns what the ttl row says, 0 for leaving it to the server.
func (f *Form) ttl() (time.Duration, error) {
	for i := range f.rows {
		if r := &f.rows[i]; r.kind == ttlRow {
			return parseTTL(r.text)
		}
	}
	return 0, nil
}

const maxTTL = 10 * 365 * 24 * time.Hour

// parseTTL reads a ttl: a duration as "90s", "30m", "1h30m" or "2d", or "none"
// (or nothing) for what the server thinks best.
func parseTTL(typed string) (time.Duration, error) {
	typed = strings.ToLower(strings.ReplaceAll(typed, " ", ""))
	switch typed {
	case "", "none":
		return 0, nil
	}
	if _, err := strconv.ParseFloat(typed, 64); err == nil {
		return 0, errors.New("needs a unit: 90s, 30m, 1h30m, 2d")
	}
	var days time.Duration
	if n, after, ok := strings.Cut(typed, "d"); ok {
		v, err := strconv.ParseUint(n, 10, 16)
		if err != nil {
			return 0, errors.New("must be a time such as 90s, 30m, 1h30m, 2d, or none")
		}
		days, typed = time.Duration(v)*24*time.Hour, after
	}
	var d time.Duration
	if typed != "" {
		v, err := time.ParseDuration(typed)
		if err != nil {
			return 0, errors.New("must be a time such as 90s, 30m, 1h30m, 2d, or none")
		}
		d = v
	}
	d += days
	switch {
	case d < time.Millisecond:
		return 0, errors.New("must be longer than nothing; none leaves it to the server")
	case d > maxTTL:
		return 0, errors.New("must be at most ten years")
	}
	return d, nil
}

// ttlText is the reverse of parseTTL.
func ttlText(d time.Duration) string {
	if d <= 0 {
		return "none"
	}
	text := d.String()
	if s, ok := strings.CutSuffix(text, "m0s"); ok {
		text = s + "m"
	}
	if s, ok := strings.CutSuffix(text, "h0m"); ok {
		text = s + "h"
	}
	return text
}
