package render

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Names makes each of names, clean and on one line, at most w cells wide, so that
// they can still be told from each other: those that are too long lose their
// middle, their head, their tail, or what all of them have in common, whichever
// of these first leaves them distinct.
func Names(names []string, w int, ellipsis string) map[string]string {
	short := make(map[string]string, len(names))
	var long []string
	for _, n := range names {
		if Width(n) <= w {
			short[n] = n
		} else {
			long = append(long, n)
		}
	}
	if len(long) == 0 {
		return short
	}
	room := w - Width(ellipsis)
	prefix, suffix := common(long)
	cuts := []func(string) string{
		func(n string) string { // the middle
			tail := ansi.TruncateLeft(n, Width(n)-room/2, "")
			return ansi.Truncate(n, room-Width(tail), "") + ellipsis + tail
		},
		func(n string) string { return ellipsis + ansi.TruncateLeft(n, Width(n)-room, "") },
		func(n string) string { return ansi.Truncate(n, w, ellipsis) },
		func(n string) string { return ansi.Truncate(ellipsis+n[prefix:len(n)-suffix], w, ellipsis) },
	}
	if room < 2 {
		cuts = cuts[2:3]
	}
	best := map[string]string{}
	for _, cut := range cuts {
		made, seen := make(map[string]string, len(long)), make(map[string]bool, len(long))
		for _, n := range long {
			made[n] = cut(n)
			seen[made[n]] = true
		}
		if len(seen) > distinct(best) {
			best = made
		}
		if len(seen) == len(made) {
			break
		}
	}
	for n, s := range best {
		short[n] = s
	}
	return short
}

func distinct(of map[string]string) int {
	seen := make(map[string]bool, len(of))
	for _, s := range of {
		seen[s] = true
	}
	return len(seen)
}

// common returns how many bytes all names begin and end with; the two never
// overlap in any of them.
func common(names []string) (prefix, suffix int) {
	first := names[0]
	prefix, suffix = len(first), len(first)
	for _, n := range names[1:] {
		prefix = min(prefix, len(n))
		for !strings.HasPrefix(n, first[:prefix]) {
			prefix--
		}
	}
	for _, n := range names {
		suffix = min(suffix, len(n)-prefix)
		for !strings.HasSuffix(first, n[len(n)-suffix:]) {
			suffix--
		}
	}
	for prefix > 0 && !boundary(first, prefix) {
		prefix--
	}
	for suffix > 0 && !boundary(first, len(first)-suffix) {
		suffix--
	}
	return prefix, suffix
}

// boundary reports whether a character begins at byte i of s, or s ends there.
func boundary(s string, i int) bool { return i >= len(s) || s[i]&0xc0 != 0x80 }
