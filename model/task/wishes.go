package task

import (
	"fmt"
	"strconv"
	"strings"
)

// Wishes says what a server would like of the model and of its reply
// (client/sampling, "Model Preferences"), joined by sep; "" for nothing. Names
// that the server gave stand in quotes of which they hold none.
func (s *Sampling) Wishes(sep string) string {
	var parts []string
	if s.MaxTokens >= 0 {
		parts = append(parts, "at most "+strconv.FormatInt(s.MaxTokens, 10)+" tokens")
	}
	if s.Temperature != "" {
		parts = append(parts, "temperature "+CleanLine(s.Temperature, 32).Line())
	}
	if len(s.Hints) > 0 {
		parts = append(parts, "a model like "+quotes(s.Hints))
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"cost", s.Cost}, {"speed", s.Speed}, {"intelligence", s.Intelligence}} {
		if p.value >= 0 {
			parts = append(parts, p.name+" "+strconv.FormatFloat(p.value, 'g', 3, 64)+" of 1")
		}
	}
	if len(s.Stop) > 0 {
		parts = append(parts, "stop at "+quotes(s.Stop))
	}
	if !s.Context.IsZero() && s.Context.Line() != "none" {
		parts = append(parts, "context "+quote(s.Context)+" (callboard adds none)")
	}
	return strings.Join(parts, sep)
}

// maxQuoted is how many names one list of them shows.
const maxQuoted = 8

func quotes(names []Text) string {
	shown := make([]string, 0, maxQuoted)
	for _, n := range names[:min(len(names), maxQuoted)] {
		shown = append(shown, quote(n))
	}
	words := strings.Join(shown, ", ")
	if n := len(names) - maxQuoted; n > 0 {
		words += fmt.Sprintf(" and %d more", n)
	}
	return words
}

func quote(name Text) string {
	s := name.String()
	if strings.ContainsAny(s, "\n\t") {
		s = strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s)
	}
	return `"` + strings.ReplaceAll(CleanMax(s, 128).Line(), `"`, "'") + `"`
}
