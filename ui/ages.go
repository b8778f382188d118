package ui

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"callboard/ui/render"
)

// ageStep is how coarse ages are under a minute: a cell changes no oftener.
const ageStep = 5 * time.Second

// age words how long something lasts: "now", "15s", "3m", "2h", "5d".
func age(d time.Duration) string {
	switch {
	case d < ageStep:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d.Truncate(ageStep)/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 1000*24*time.Hour:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return fmt.Sprintf("%dy", d/(365*24*time.Hour))
}

// left words how long something will last. It is never less than the truth by
// more than a step, and "over" only when nothing is left.
func left(d time.Duration) string {
	switch {
	case d <= 0:
		return "over"
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(d.Truncate(ageStep), time.Second)/time.Second)
	}
	return age(d)
}

// span words a time that is over, with two units where that helps.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d/time.Millisecond)
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return two(d, time.Minute, "m", time.Second, "s")
	case d < 48*time.Hour:
		return two(d, time.Hour, "h", time.Minute, "m")
	}
	return two(d, 24*time.Hour, "d", time.Hour, "h")
}

// two words d in a large and a small unit, the latter left out where it is 0.
func two(d, large time.Duration, l string, small time.Duration, s string) string {
	if rest := d % large / small; rest > 0 {
		return fmt.Sprintf("%d%s%02d%s", d/large, l, rest, s)
	}
	return fmt.Sprintf("%d%s", d/large, l)
}

// lasting words for how long something has been so.
func lasting(d time.Duration) string {
	if d < ageStep {
		return "just now"
	}
	return "for " + age(d)
}

// ago words when something was.
func ago(d time.Duration) string {
	if d < ageStep {
		return "just now"
	}
	return age(d) + " ago"
}

// size words a number of bytes.
func size(n int) string { return render.Size(int64(n)) }

// count words a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// soon is when what is left of a time to live is shown as a warning.
const soon = 5 * time.Minute

// number words a number of a server in at most nine cells.
func number(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e9 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}
