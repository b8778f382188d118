package render

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// Pattern is what is searched for. It may be used by several goroutines.
type Pattern struct {
	plain string // "" where it is a regular expression
	fold  bool   // plain is of ASCII without capitals, and matches these too
	re    *regexp.Regexp
}

// NewPattern reads what a person typed: plain text, or a regular expression
// between two slashes. Capitals matter where there is one among the letters. It
// is nil for nothing; the error is a sentence without a full stop.
func NewPattern(typed string) (*Pattern, error) {
	typed = strings.ToValidUTF8(typed, "\uFFFD") // no expression may hold other bytes
	if n := len(typed); n > 2 && typed[0] == '/' && typed[n-1] == '/' {
		expr := typed[1 : n-1]
		if !capital(expr) {
			expr = "(?i)" + expr
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return nil, fmt.Errorf("not a regular expression yet: %s", reason(err))
		}
		return &Pattern{re: re}, nil
	}
	switch {
	case typed == "":
		return nil, nil
	case capital(typed):
		return &Pattern{plain: typed}, nil
	case strings.IndexFunc(typed, func(c rune) bool { return c >= 0x80 }) >= 0:
		return &Pattern{re: regexp.MustCompile("(?i)" + regexp.QuoteMeta(typed))}, nil
	}
	return &Pattern{plain: typed, fold: true}, nil
}

// capital reports whether there is a capital letter that is not part of an
// escape as \W.
func capital(expr string) bool {
	escaped := false
	for _, c := range expr {
		if unicode.IsUpper(c) && !escaped {
			return true
		}
		escaped = c == '\\' && !escaped
	}
	return false
}

func reason(err error) string {
	if e, ok := err.(*syntax.Error); ok { //nolint:errorlint // regexp.Compile wraps nothing
		return e.Code.String()
	}
	return err.Error()
}

// find returns all matches in text that are not empty, up to limit.
func (p *Pattern) find(text string, limit int) []cut {
	var out []cut
	if p.re != nil {
		for _, m := range p.re.FindAllStringIndex(text, limit) {
			if m[1] > m[0] {
				out = append(out, cut{m[0], m[1]})
			}
		}
		return out
	}
	if p.fold {
		text = lowered(text)
	}
	for at := 0; len(out) < limit; {
		i := strings.Index(text[at:], p.plain)
		if i < 0 {
			break
		}
		out = append(out, cut{at + i, at + i + len(p.plain)})
		at += i + len(p.plain)
	}
	return out
}

// lowered is text with its ASCII capitals made small: as long as before.
func lowered(text string) string {
	for i := range len(text) {
		if c := text[i]; c >= 'A' && c <= 'Z' {
			b := []byte(text)
			for ; i < len(b); i++ {
				if c := b[i]; c >= 'A' && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return text
}

// First returns where in text p matches first, -1 and -1 where it does not.
func (p *Pattern) First(text string) (from, to int) {
	if found := p.find(text, 1); len(found) > 0 {
		return found[0].from, found[0].to
	}
	return -1, -1
}

// All returns where in text p matches, each from and to, at most limit.
func (p *Pattern) All(text string, limit int) [][2]int {
	var out [][2]int
	for _, c := range p.find(text, limit) {
		out = append(out, [2]int{c.from, c.to})
	}
	return out
}
