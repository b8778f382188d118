package config

import (
	"errors"
	"strconv"
	"strings"
)

// Package toml checks a document, but does not tell on which lines its keys
// stand. A locator reads it once more for that alone. It wants no more than
// TOML's outline, and gives up in silence where a document is none: then
// package toml says so, with the line.
type locator struct {
	s     string
	at    int
	line  int
	lines map[string]int // by path
	deep  bool           // it is nested too deeply to be read
}

// deepest is how many levels a configuration may have. Package toml descends by
// recursion and would not mind a million.
const deepest = 16

var (
	errDeep   = errors.New("it is nested too deeply")
	errNoTOML = errors.New("no TOML")
)

// path is where a value stands: keys, and numbers of elements of arrays.
type path []string

// String returns the path as it is written in a document.
func (p path) String() string {
	var b strings.Builder
	for i, key := range p {
		switch {
		case key != "" && strings.Trim(key, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") == "":
		default:
			key = strconv.Quote(key)
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(key)
	}
	return b.String()
}

func (p path) join() string { return strings.Join(p, "\x00") }

// with returns p with more keys, sharing nothing.
func (p path) with(keys ...string) path {
	return append(append(make(path, 0, len(p)+len(keys)), p...), keys...)
}

// locate returns the line on which each key and element of a document stands,
// the first where it stands on several.
func locate(document string) (map[string]int, error) {
	l := &locator{s: document, line: 1, lines: map[string]int{}}
	err := l.document()
	if l.deep {
		return nil, errDeep
	}
	_ = err // what is wrong with it, package toml says
	return l.lines, nil
}

func (l *locator) set(p path) {
	for i := 1; i <= len(p); i++ {
		if _, known := l.lines[p[:i].join()]; !known {
			l.lines[p[:i].join()] = l.line
		}
	}
}

func (l *locator) document() error {
	var table path
	elements := map[string]int{}
	for {
		l.blank(true)
		switch {
		case l.at >= len(l.s):
			return nil
		case strings.HasPrefix(l.s[l.at:], "[["):
			l.at += 2
			key, err := l.key()
			if err != nil {
				return err
			}
			table = key.with(strconv.Itoa(elements[key.join()]))
			elements[key.join()]++
			l.set(table)
			l.at += len("]]")
		case l.s[l.at] == '[':
			l.at++
			key, err := l.key()
			if err != nil {
				return err
			}
			if n := elements[key[:1].join()]; n > 0 && len(key) > 1 { // a table of the last element
				key = path{key[0], strconv.Itoa(n - 1)}.with(key[1:]...)
			}
			table = key
			l.set(table)
			l.at++
		default:
			if err := l.pair(table, 0); err != nil {
				return err
			}
		}
	}
}

// pair reads KEY = VALUE.
func (l *locator) pair(table path, depth int) error {
	key, err := l.key()
	if err != nil {
		return err
	}
	if l.at >= len(l.s) || l.s[l.at] != '=' {
		return errNoTOML
	}
	l.at++
	p := table.with(key...)
	l.set(p)
	return l.value(p, depth)
}

// key reads a key, dotted or not, and the blanks behind it.
func (l *locator) key() (path, error) {
	var p path
	for {
		l.blank(false)
		if l.at >= len(l.s) {
			return nil, errNoTOML
		}
		from := l.at
		switch l.s[l.at] {
		case '"', '\'':
			text, err := l.text()
			if err != nil {
				return nil, err
			}
			p = append(p, text)
		default:
			for l.at < len(l.s) && !strings.ContainsRune(" \t\r\n.=]#\"',[{}", rune(l.s[l.at])) {
				l.at++
			}
			if l.at == from {
				return nil, errNoTOML
			}
			p = append(p, l.s[from:l.at])
		}
		if len(p) > deepest {
			l.deep = true
			return nil, errDeep
		}
		l.blank(false)
		if l.at >= len(l.s) || l.s[l.at] != '.' {
			return p, nil
		}
		l.at++
	}
}

func (l *locator) value(p path, depth int) error {
	if depth > deepest {
		l.deep = true
		return errDeep
	}
	l.blank(false)
	if l.at >= len(l.s) {
		return errNoTOML
	}
	switch l.s[l.at] {
	case '"', '\'':
		_, err := l.text()
		return err
	case '[':
		return l.several(']', func(n int) error {
			q := p.with(strconv.Itoa(n))
			l.set(q)
			return l.value(q, depth+1)
		})
	case '{':
		return l.several('}', func(int) error { return l.pair(p, depth+1) })
	default:
		for l.at < len(l.s) && !strings.ContainsRune(",]}#\r\n", rune(l.s[l.at])) {
			l.at++
		}
		return nil
	}
}

// several reads what stands between brackets.
func (l *locator) several(end byte, each func(n int) error) error {
	l.at++
	for n := 0; ; n++ {
		l.blank(true)
		switch {
		case l.at >= len(l.s):
			return errNoTOML
		case l.s[l.at] == end:
			l.at++
			return nil
		}
		if err := each(n); err != nil {
			return err
		}
		l.blank(true)
		if l.at < len(l.s) && l.s[l.at] == ',' {
			l.at++
		} else if l.at >= len(l.s) || l.s[l.at] != end {
			return errNoTOML
		}
	}
}

// text reads a string of any kind.
func (l *locator) text() (string, error) {
	quote := l.s[l.at : l.at+1]
	if long := strings.Repeat(quote, 3); strings.HasPrefix(l.s[l.at:], long) {
		quote = long
	}
	l.at += len(quote)
	from := l.at
	for ; l.at < len(l.s); l.at++ {
		switch {
		case strings.HasPrefix(l.s[l.at:], quote):
			text := l.s[from:l.at]
			l.at += len(quote)
			for len(quote) == 3 && l.at < len(l.s) && l.s[l.at] == quote[0] {
				l.at++ // up to two more belong to the text
			}
			if quote == `"` {
				if plain, err := strconv.Unquote(`"` + text + `"`); err == nil {
					text = plain
				}
			}
			return text, nil
		case l.s[l.at] == '\n' && len(quote) == 1:
			return "", errNoTOML
		case l.s[l.at] == '\n':
			l.line++
		case l.s[l.at] == '\\' && quote[0] == '"':
			l.at++
			if l.at < len(l.s) && l.s[l.at] == '\n' {
				l.line++
			}
		}
	}
	return "", errNoTOML
}

// blank passes over blanks, and with lines over comments and ends of lines.
func (l *locator) blank(lines bool) {
	for l.at < len(l.s) {
		switch c := l.s[l.at]; {
		case c == ' ' || c == '\t' || c == '\r':
		case c == '\n' && lines:
			l.line++
		case c == '#' && lines:
			end := strings.IndexByte(l.s[l.at:], '\n')
			if end < 0 {
				l.at = len(l.s)
				return
			}
			l.at += end - 1
		default:
			return
		}
		l.at++
	}
}
