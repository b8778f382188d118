package cli

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// since reads --since: how long ago, or when; zero for "".
func since(word string, now time.Time) (time.Time, error) {
	if word == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(word, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(word); err == nil && d >= 0 && d < math.MaxInt64 {
		return now.Add(-d), nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(form, word, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since takes a duration such as 90m or 7d, or a time such as 2026-12-01T09:00:00Z")
}
