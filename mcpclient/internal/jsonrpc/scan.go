package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
)

// scanner walks over a JSON text once, checking it as RFC 8259 says. encoding/json
// would need three passes (validity, values, depth) and matches the names of
// members without regard to case; a flood of notifications pays for each pass.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

func (s *scanner) fault(why string) error {
	if s.pos >= len(s.data) {
		why = "the text ends too early"
	}
	return &SyntaxError{s.pos, errors.New(why)}
}

// peek returns the byte at hand, or 0 at the end. A NUL in the input is no
// valid start of anything, so the two need no telling apart.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) end() error {
	s.space()
	if s.pos != len(s.data) {
		return s.fault("more follows after the message")
	}
	return nil
}

// object reads the object at hand and calls member for each of its members.
// The key is without quotes and escapes, the value is raw and not empty.
func (s *scanner) object(member func(key, value []byte) error) error {
	if s.depth++; s.depth > MaxDepth {
		return &SyntaxError{s.pos, ErrDepth}
	}
	s.pos++
	s.space()
	if s.peek() == '}' {
		s.pos++
		s.depth--
		return nil
	}
	for {
		keyAt := s.pos
		if s.peek() != '"' {
			return s.fault("expected the name of a member")
		}
		if err := s.str(); err != nil {
			return err
		}
		rawKey := s.data[keyAt:s.pos]
		s.space()
		if s.peek() != ':' {
			return s.fault("expected a colon")
		}
		s.pos++
		s.space()
		valueAt := s.pos
		if err := s.value(); err != nil {
			return err
		}
		if member != nil {
			// The capacity is cut off, so that an append to a raw member
			// cannot write into its neighbour.
			if err := member(plainKey(rawKey), s.data[valueAt:s.pos:s.pos]); err != nil {
				return &SyntaxError{valueAt, err}
			}
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
		case '}':
			s.pos++
			s.depth--
			return nil
		default:
			return s.fault("expected a comma or the end of the object")
		}
	}
}

func plainKey(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var key string
	if json.Unmarshal(raw, &key) != nil {
		return nil
	}
	return []byte(key)
}

func (s *scanner) array() error {
	if s.depth++; s.depth > MaxDepth {
		return &SyntaxError{s.pos, ErrDepth}
	}
	s.pos++
	s.space()
	if s.peek() == ']' {
		s.pos++
		s.depth--
		return nil
	}
	for {
		if err := s.value(); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.pos++
			s.space()
		case ']':
			s.pos++
			s.depth--
			return nil
		default:
			return s.fault("expected a comma or the end of the array")
		}
	}
}

func (s *scanner) value() error {
	switch c := s.peek(); {
	case c == '{':
		return s.object(nil)
	case c == '[':
		return s.array()
	case c == '"':
		return s.str()
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	}
	return s.fault("expected a value")
}

func (s *scanner) literal(word string) error {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		return s.fault("expected a value")
	}
	s.pos += len(word)
	return nil
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return s.fault("a number lacks its digits")
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.fault("a number lacks its digits")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.fault("a number lacks its digits")
		}
	}
	return nil
}

// plain holds for each byte whether a string may contain it without a second
// look: everything but quote, backslash and control characters.
var plain = func() (t [256]bool) {
	for i := range t {
		t[i] = i >= 0x20 && i != '"' && i != '\\'
	}
	return t
}()

// str reads the string at hand. Invalid UTF-8 passes, as in encoding/json,
// which replaces it when the string is decoded.
func (s *scanner) str() error {
	data := s.data
	i := s.pos + 1
	for {
		for i < len(data) && plain[data[i]] {
			i++
		}
		s.pos = i
		switch {
		case i >= len(data):
			return s.fault("a string does not end")
		case data[i] == '"':
			s.pos = i + 1
			return nil
		case data[i] != '\\':
			return s.fault("a control character in a string")
		}
		if i+1 >= len(data) {
			s.pos = len(data)
			return s.fault("a string does not end")
		}
		switch data[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i += 2
		case 'u':
			if i+6 > len(data) || !hex4(data[i+2:i+6]) {
				return s.fault("a faulty escape in a string")
			}
			i += 6
		default:
			return s.fault("a faulty escape in a string")
		}
	}
}

func hex4(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}
