package task

import (
	"strconv"
	"strings"
)

// Constraint says in words what a field wants, for a hint below it: "3 to 20
// characters, e-mail address", "whole number, 1 to 10", "choose 1 to 3". It is
// empty where the field wants nothing in particular.
func (f *Field) Constraint() Text {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	switch f.Kind {
	case StringField:
		add(span(f.MinLength, f.MaxLength, "", " character", " characters"))
		add(formatWords(f.Format))
		if f.Pattern != "" {
			add("pattern " + CleanLine(f.Pattern, 120).Line())
		}
	case NumberField, IntegerField:
		if f.Kind == IntegerField {
			add("whole number")
		}
		add(f.limits())
		if f.MultipleOf != "" {
			add("multiple of " + f.MultipleOf)
		}
		if len(parts) == 0 {
			add("number")
		}
	case ChoicesField:
		if s := span(f.MinItems, f.MaxItems, "choose ", "", ""); s != "" {
			add(s)
		} else {
			add("choose any number")
		}
	case JSONField:
		add(f.Shape)
		add(span(f.MinItems, f.MaxItems, "", " item", " items"))
	case BooleanField, ChoiceField:
	}
	if f.Nullable {
		add("or null")
	}
	if len(f.Examples) > 0 {
		words := make([]string, len(f.Examples))
		for i, e := range f.Examples {
			words[i] = e.Line()
		}
		add("for example " + strings.Join(words, " or "))
	}
	if f.ReadOnly {
		add("meant to be read only")
	}
	if f.Deprecated {
		add("deprecated")
	}
	return Text{strings.Join(parts, ", ")}
}

// limits words the bounds of a number.
func (f *Field) limits() string {
	if f.Minimum != "" && f.Maximum != "" && f.Above == "" && f.Below == "" {
		return f.Minimum + " to " + f.Maximum
	}
	var parts []string
	for _, p := range [...][2]string{{"at least ", f.Minimum}, {"more than ", f.Above}, {"at most ", f.Maximum}, {"less than ", f.Below}} {
		if p[1] != "" {
			parts = append(parts, p[0]+p[1])
		}
	}
	return strings.Join(parts, ", ")
}

// span words a count between low and high, each -1 for none. A low of 0 is
// none too.
func span(low, high int, before, one, many string) string {
	unit := func(n int) string {
		if n == 1 {
			return strconv.Itoa(n) + one
		}
		return strconv.Itoa(n) + many
	}
	switch {
	case low > 0 && low == high:
		return before + "exactly " + unit(low)
	case low > 0 && high >= 0:
		return before + strconv.Itoa(low) + " to " + unit(high)
	case low > 0:
		return before + "at least " + unit(low)
	case high >= 0:
		return before + "at most " + unit(high)
	}
	return ""
}

// formatWords words the formats of client/elicitation; another one is named.
func formatWords(format string) string {
	switch format {
	case "email":
		return "e-mail address"
	case "uri":
		return "URI such as https://example.com/"
	case "date":
		return "date such as 2026-01-31, tomorrow or +3d"
	case "date-time":
		return "date and time such as 2026-01-31 14:00, now or +2h"
	}
	return CleanLine(format, 60).Line()
}
