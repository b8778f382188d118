package model

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"callboard/model/task"
)

// filter is what the text of a filter means: a row passes that all terms let
// through. It is never changed.
type filter struct {
	text  string // as typed
	terms []term
	timed bool // time alone lets rows in or out
}

// term is one word of a filter.
type term struct {
	not  bool
	test test
}

// test is what a term asks of a row. Tests that go by the clock are timed too.
type test interface {
	passes(r *Row, now time.Time) bool
}

// timed is a test whose answer time alone changes.
type timed interface {
	// next returns when the answer for r changes after now, in ns, 0 for never.
	next(r *Row, now time.Time) int64
}

// noFilter lets all rows through.
var noFilter = &filter{}

// passes reports whether r passes at now.
func (f *filter) passes(r *Row, now time.Time) bool {
	for i := range f.terms {
		if t := &f.terms[i]; t.test.passes(r, now) == t.not {
			return false
		}
	}
	return true
}

// next returns when time alone may change whether r passes, in ns of our clock, 0
// for never.
func (f *filter) next(r *Row, now time.Time) int64 {
	if !f.timed {
		return 0
	}
	first := int64(0)
	for _, t := range f.terms {
		if c, ok := t.test.(timed); ok {
			if at := c.next(r, now); at != 0 && (first == 0 || at < first) {
				first = at
			}
		}
	}
	return first
}

// filterError is why a text is no filter. at is the character, from 1, of the word
// that is wrong.
type filterError struct {
	at  int
	why string
}

// line returns the error on one line, fit for a cell.
func (e *filterError) line() string {
	return task.CleanLine(fmt.Sprintf("%s (at character %d)", e.why, e.at), 300).Line()
}

// CheckFilter says in one line why a text is no filter, nil where it is one.
func CheckFilter(text string) error {
	if _, err := parseFilter(text); err != nil {
		return errors.New(err.line())
	}
	return nil
}

// filterMost is how many bytes a filter's text may have.
const filterMost = 1000

// parseFilter returns what text means. Its grammar, all words of which have to let
// a row through:
//
//	word    = ["!"] ( token | regex | text )
//	token   = name ":" value {"," value} | ("age" | "ttl" | "progress") op value
//	op      = "<" | "<=" | ">" | ">="
//	regex   = "/" RE2 "/"       as far as the next space where it is not closed
//	text    = letters without a space, or anything in double quotes
//
// A word with a colon whose name is no token is text, since ids hold colons; one
// that is nearly a token (stat:failed) is an error. A token without its value yet
// (status:) lets all rows through.
func parseFilter(text string) (*filter, *filterError) {
	if len(text) > filterMost {
		return nil, &filterError{1, fmt.Sprintf("the filter is longer than %d bytes", filterMost)}
	}
	f := &filter{text: text}
	for _, w := range splitFilter(text) {
		t, why := w.test()
		if why != "" {
			return nil, &filterError{1 + utf8.RuneCountInString(text[:w.at]), why}
		}
		if t == nil {
			continue
		}
		if _, ok := t.(timed); ok {
			f.timed = true
		}
		f.terms = append(f.terms, term{w.not, t})
	}
	return f, nil
}

// word is one word of a filter's text.
type word struct {
	at, end int // its bytes
	not     bool
	kind    wordKind
	body    string // without "!", quotes, and the slashes of a regex
}

type wordKind uint8

const (
	bareWord wordKind = iota
	quotedWord
	regexWord
)

// splitFilter returns the words of text, those that are not closed as far as they
// go.
func splitFilter(text string) []word {
	var words []word
	for i := 0; i < len(text); {
		if c, n := utf8.DecodeRuneInString(text[i:]); unicode.IsSpace(c) {
			i += n
			continue
		}
		w := word{at: i}
		if text[i] == '!' {
			w.not = true
			i++
		}
		switch {
		case strings.HasPrefix(text[i:], `"`):
			w.kind = quotedWord
			w.body, i = bare(text, i)
		case strings.HasPrefix(text[i:], "/") && len(text) > i+1 && !startsSpace(text[i+1:]):
			w.kind = regexWord
			w.body, i = regex(text, i+1)
		default:
			w.body, i = bare(text, i)
		}
		w.end = i
		words = append(words, w)
	}
	return words
}

func startsSpace(s string) bool {
	c, _ := utf8.DecodeRuneInString(s)
	return s == "" || unicode.IsSpace(c)
}

// bare reads a word that ends at a space. Quotes that stand at its beginning, or
// behind a colon or a comma, hold spaces.
func bare(text string, i int) (body string, end int) {
	var b strings.Builder
	begin := i
	for i < len(text) && !startsSpace(text[i:]) {
		if text[i] == '"' && (i == begin || text[i-1] == ':' || text[i-1] == ',') {
			inside, rest, _ := strings.Cut(text[i+1:], `"`)
			b.WriteString(inside)
			i = len(text) - len(rest)
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String(), i
}

// regex reads a regular expression as far as the slash that a space or the end
// follows, or as the next space where there is none.
func regex(text string, i int) (body string, end int) {
	for j := i; j < len(text); j++ {
		switch {
		case text[j] == '\\':
			j++
		case text[j] == '/' && startsSpace(text[j+1:]):
			return text[i:j], j + 1
		}
	}
	if n := strings.IndexFunc(text[i:], unicode.IsSpace); n >= 0 {
		return text[i : i+n], i + n
	}
	return text[i:], len(text)
}

// test returns what a word asks, nil for nothing, or why it is wrong.
func (w *word) test() (t test, why string) {
	switch w.kind {
	case quotedWord:
		if w.body == "" {
			return nil, ""
		}
		return newTextTest(w.body, false), ""
	case regexWord:
		return newRegexTest(w.body)
	case bareWord:
	}
	if w.body == "" {
		return nil, `"!" inverts the word right behind it`
	}
	if name, op, value, ok := cutMeasure(w.body); ok {
		return newMeasure(name, op, value)
	}
	name, value, ok := strings.Cut(w.body, ":")
	if !ok {
		return newTextTest(w.body, true), ""
	}
	return newToken(strings.ToLower(name), value, w.body)
}

// newToken returns the test of name:value.
func newToken(name, value, body string) (t test, why string) {
	switch name {
	case "status":
		return newStatusTest(value)
	case "is":
		return newKindTest(value)
	case "tool", "server", "id", "message":
		return newFieldTest(name, value), ""
	case "age", "ttl", "progress":
		return nil, fmt.Sprintf("%s is compared: %s>%s", name, name, measureExample[name])
	}
	if meant := nearToken(name); meant != "" {
		return nil, fmt.Sprintf("there is no %s:, but %s; in quotes it is text", name, meant)
	}
	return newTextTest(body, true), ""
}

// nearToken returns the token that name was probably meant to be, "" for none: one
// that it begins, by three letters at least, or that is one letter away.
func nearToken(name string) string {
	for _, t := range FilterTokens() {
		full, ok := strings.CutSuffix(t.Token, ":")
		if ok && len(name) >= 3 && (strings.HasPrefix(full, name) || len(full) > 3 && oneOff(full, name)) {
			return t.Token
		}
	}
	return ""
}

// oneOff reports whether a becomes b by one letter that is added, left out or
// another one, or by two that change places.
func oneOff(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// newRegexTest returns the test of a regular expression, which looks at letters of
// either case unless it holds an upper case one itself.
func newRegexTest(body string) (t test, why string) {
	if body == "" {
		return nil, ""
	}
	expr := body
	if !hasUpper(body) {
		expr = "(?i)" + body
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	}
	x := &regexTest{re: re}
	for i, n := range statusNames {
		if re.MatchString(n) {
			x.words |= 1 << i
		}
	}
	return x, ""
}

// hasUpper reports whether a regular expression holds an upper case letter that is
// no class such as \S.
func hasUpper(expr string) bool {
	escaped := false
	for _, c := range expr {
		if unicode.IsUpper(c) && !escaped {
			return true
		}
		escaped = c == '\\' && !escaped
	}
	return false
}
