package schema

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// pattern is a pattern of ECMA-262 that Go's regexp can run, in time linear to
// the text. Lookaheads at its beginning are patterns of their own, which have
// to match there, or must not.
type pattern struct {
	source string
	whole  *regexp.Regexp
	also   []*regexp.Regexp
	not    []*regexp.Regexp
}

// String returns the pattern as the schema writes it.
func (p *pattern) String() string { return p.source }

// MatchString reports whether s has a match of p.
func (p *pattern) MatchString(s string) bool {
	matches := func(re *regexp.Regexp) bool { return re.MatchString(s) }
	return p.whole.MatchString(s) && !slices.ContainsFunc(p.not, matches) &&
		!slices.ContainsFunc(p.also, func(re *regexp.Regexp) bool { return !matches(re) })
}

// maxAhead bounds the lookaheads of one pattern.
const maxAhead = 20

var errPattern = errors.New("cannot be run")

// compilePattern compiles a pattern of ECMA-262, with its flag u as JSON Schema
// has it. What Go writes otherwise is translated; what means nothing there, or
// something else in each language, is an error, and so is what cannot be done
// in linear time: looking around in the middle, and references back.
func compilePattern(source string) (*pattern, error) {
	p := &pattern{source: source}
	rest := source
	for strings.HasPrefix(rest, "^(?=") || strings.HasPrefix(rest, "^(?!") {
		body, after, ok := group(rest[1:])
		if !ok || len(p.also)+len(p.not) == maxAhead || quantified(after) || alternates(after) {
			return nil, errPattern
		}
		re, err := translate("^(?:" + body[2:] + ")")
		if err != nil {
			return nil, err
		}
		if body[1] == '=' {
			p.also = append(p.also, re)
		} else {
			p.not = append(p.not, re)
		}
		rest = "^" + after
	}
	var err error
	p.whole, err = translate(rest)
	return p, err
}

// group splits s, which begins with a group, into the inside of that and what
// follows it.
func group(s string) (body, after string, ok bool) {
	depth := 0
	ok = walk(s, func(i int) bool {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				body, after = s[1:i], s[i+1:]
				return false
			}
		}
		return true
	})
	return body, after, !ok && depth == 0
}

// alternates reports whether s has alternatives outside groups.
func alternates(s string) bool {
	depth := 0
	return !walk(s, func(i int) bool {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		return s[i] != '|' || depth > 0
	})
}

// walk calls f for the bytes of a pattern that are neither escaped nor in a
// class, until it returns false. It reports whether all were seen.
func walk(s string, f func(i int) bool) bool {
	class := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case class:
			class = s[i] != ']'
		case s[i] == '[':
			class = true
		case !f(i):
			return false
		}
	}
	return true
}

func quantified(s string) bool { return s != "" && strings.IndexByte("*+?{", s[0]) >= 0 }

// What ECMA-262 means by classes that Go has narrower, to stand inside
// brackets, and what is outside of them.
const (
	spaces    = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	notSpaces = `\x00-\x08\x0e-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
	lines     = `\n\r\x{2028}\x{2029}`
)

// translator writes a pattern of ECMA-262 as one of Go.
type translator struct {
	s   string
	at  int
	out strings.Builder
}

func translate(source string) (*regexp.Regexp, error) {
	if !utf8.ValidString(source) {
		return nil, errPattern
	}
	t := &translator{s: source}
	for t.at < len(t.s) {
		if err := t.next(); err != nil {
			return nil, err
		}
	}
	return regexp.Compile(t.out.String())
}

// rest is what was not read yet.
func (t *translator) rest() string { return t.s[t.at:] }

// take writes out in place of the next n bytes.
func (t *translator) take(n int, out string) {
	t.at += n
	t.out.WriteString(out)
}

// next translates one piece outside a class.
func (t *translator) next() error {
	rest := t.rest()
	switch rest[0] {
	case '\\':
		return t.escape(false)
	case '.':
		t.take(1, "[^"+lines+"]")
	case '[':
		return t.class()
	case '(':
		return t.open()
	default:
		t.take(1, rest[:1])
	}
	return nil
}

// open translates the beginning of a group: names mean nothing without
// references, and looking around is none.
func (t *translator) open() error {
	rest := t.rest()
	if !strings.HasPrefix(rest, "(?") {
		t.take(1, "(?:")
		return nil
	}
	for _, prefix := range [...]string{"(?<", "(?P<"} {
		name, _, ok := strings.Cut(strings.TrimPrefix(rest, prefix), ">")
		if strings.HasPrefix(rest, prefix) && ok && name != "" && name[0] != '=' && name[0] != '!' {
			t.take(len(prefix)+len(name)+1, "(?:")
			return nil
		}
	}
	flags := strings.TrimLeft(rest[2:], "i-")
	if flags == "" || flags[0] != ':' && flags[0] != ')' {
		return errPattern
	}
	t.take(len(rest)-len(flags)+1, rest[:len(rest)-len(flags)+1])
	return nil
}

// class translates a class in brackets.
func (t *translator) class() error {
	rest := t.rest()
	switch {
	case strings.HasPrefix(rest, "[^]"):
		t.take(3, `[\x00-\x{10ffff}]`)
		return nil
	case strings.HasPrefix(rest, "[]"):
		t.take(2, `[^\x00-\x{10ffff}]`)
		return nil
	case strings.HasPrefix(rest, "[^"):
		t.take(2, "[^")
	default:
		t.take(1, "[")
	}
	for t.at < len(t.s) {
		switch c := t.s[t.at]; c {
		case ']':
			t.take(1, "]")
			return nil
		case '[': // Go has names of classes in brackets
			t.take(1, `\[`)
		case '\\':
			if err := t.escape(true); err != nil {
				return err
			}
		default:
			t.take(1, t.s[t.at:t.at+1])
		}
	}
	return errPattern
}

// escape translates what begins with a backslash.
func (t *translator) escape(class bool) error {
	rest := t.rest()
	if len(rest) < 2 {
		return errPattern
	}
	inside := func(set string) string {
		if class {
			return set
		}
		return "[" + set + "]"
	}
	switch c := rest[1]; c {
	case 's':
		t.take(2, inside(spaces))
	case 'S':
		t.take(2, inside(notSpaces))
	case 'd', 'D', 'w', 'W', 'f', 'n', 'r', 't', 'v':
		t.take(2, rest[:2])
	case 'b', 'B':
		switch {
		case !class:
			t.take(2, rest[:2])
		case c == 'b':
			t.take(2, `\x08`)
		default:
			return errPattern
		}
	case '0':
		if len(rest) > 2 && rest[2] >= '0' && rest[2] <= '9' {
			return errPattern
		}
		t.take(2, `\x00`)
	case 'c':
		if len(rest) < 3 || !letter(rest[2]) {
			return errPattern
		}
		t.take(3, point(int64(rest[2]%32)))
	case 'x':
		if len(rest) < 4 || !hex(rest[2:4]) {
			return errPattern
		}
		t.take(4, rest[:4])
	case 'u':
		return t.unicode()
	case 'p', 'P':
		return t.property()
	default:
		if c >= utf8.RuneSelf || c >= '1' && c <= '9' || letter(c) {
			return errPattern
		}
		t.take(2, rest[:2])
	}
	return nil
}

// unicode translates \uXXXX, pairs of surrogates, and \u{X}.
func (t *translator) unicode() error {
	rest := t.rest()[2:]
	if strings.HasPrefix(rest, "{") {
		digits, _, ok := strings.Cut(rest[1:], "}")
		n, err := strconv.ParseInt(digits, 16, 32)
		if !ok || err != nil || !hex(digits) || n > utf8.MaxRune {
			return errPattern
		}
		t.take(len(digits)+4, point(n))
		return nil
	}
	unit := func(s string) (int64, bool) {
		if len(s) < 4 || !hex(s[:4]) {
			return 0, false
		}
		n, err := strconv.ParseInt(s[:4], 16, 32)
		return n, err == nil
	}
	n, ok := unit(rest)
	if !ok {
		return errPattern
	}
	if n < 0xd800 || n > 0xdfff {
		t.take(6, point(n))
		return nil
	}
	if len(rest) < 6 || rest[4:6] != `\u` {
		return errPattern
	}
	low, ok := unit(rest[6:])
	if !ok || n > 0xdbff || low < 0xdc00 || low > 0xdfff {
		return errPattern
	}
	t.take(12, point(0x10000+(n-0xd800)<<10+low-0xdc00))
	return nil
}

// property translates \p{...}: Go knows scripts and general categories, by
// their names alone.
func (t *translator) property() error {
	rest := t.rest()
	name, _, ok := strings.Cut(rest[2:], "}")
	if !ok || name == "" || name[0] != '{' {
		return errPattern
	}
	short := name[1:]
	if key, value, ok := strings.Cut(short, "="); ok {
		switch key {
		case "Script", "sc", "General_Category", "gc":
			short = value
		default:
			return errPattern
		}
	}
	if short == "" || strings.Trim(short, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return errPattern
	}
	t.take(len(name)+3, rest[:2]+"{"+short+"}")
	return nil
}

// point writes one character as Go does.
func point(n int64) string { return `\x{` + strconv.FormatInt(n, 16) + `}` }

func hex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// positive reports whether a sane number of JSON is above zero.
func positive(number string) bool {
	r, ok := new(big.Rat).SetString(number)
	return ok && r.Sign() > 0
}
