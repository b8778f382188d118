package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

const (
	// MaxDepth is how deep a message may nest, the envelope counted.
	MaxDepth = 128
	// MaxBatch is how many messages one array may hold (MCP 2025-03-26 had
	// batches; later versions do not, but are decoded all the same).
	MaxBatch = 10_000
)

// ErrDepth is in the error of a text that nests deeper than MaxDepth.
var ErrDepth = fmt.Errorf("nested deeper than %d levels", MaxDepth)

// SyntaxError says where and why a text is not JSON, or why the JSON is no
// message. Its text holds none of the input.
type SyntaxError struct {
	Offset int // in bytes, of the fault or of the message that has it
	Err    error
}

func (e *SyntaxError) Error() string {
	return "jsonrpc: " + e.Err.Error() + " (at byte " + strconv.Itoa(e.Offset) + ")"
}

func (e *SyntaxError) Unwrap() error { return e.Err }

// Decode reads the text of one message. The raw members of the result alias
// data, which must not be written to afterwards.
func Decode(data []byte) (Message, error) {
	s := scanner{data: data}
	s.space()
	m, err := s.message()
	if err == nil {
		err = s.end()
	}
	return m, err
}

// DecodeAll reads the text of one message, or of an array of them. It is all or
// nothing: one faulty message makes the array an error.
func DecodeAll(data []byte) ([]Message, error) {
	s := scanner{data: data}
	s.space()
	if s.peek() != '[' {
		m, err := s.message()
		if err == nil {
			err = s.end()
		}
		if err != nil {
			return nil, err
		}
		return []Message{m}, nil
	}
	ms, err := s.batch()
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, err
	}
	return ms, nil
}

func (s *scanner) batch() ([]Message, error) {
	start := s.pos
	s.pos++
	s.depth++
	var ms []Message
	for s.space(); s.peek() != ']'; s.space() {
		if len(ms) > 0 {
			if s.peek() != ',' {
				return nil, s.fault("expected a comma or the end of the array")
			}
			s.pos++
			s.space()
		}
		if len(ms) == MaxBatch {
			return nil, &SyntaxError{start, fmt.Errorf("more than %d messages in one array", MaxBatch)}
		}
		m, err := s.message()
		if err != nil {
			return nil, err
		}
		ms = append(ms, m)
	}
	s.pos++
	s.depth--
	if len(ms) == 0 {
		return nil, &SyntaxError{start, errors.New("an empty array is no message")}
	}
	return ms, nil
}

// message reads one object and sorts out its kind.
func (s *scanner) message() (Message, error) {
	start := s.pos
	if s.peek() != '{' {
		return Message{}, s.fault("a message is an object")
	}
	var (
		m       Message
		version bool
		rawErr  []byte
	)
	err := s.object(func(key, value []byte) error {
		switch string(key) {
		case "jsonrpc":
			version = string(value) == `"2.0"`
		case "id":
			return m.ID.UnmarshalJSON(value)
		case "method":
			method, ok := unquote(value)
			if !ok || method == "" {
				return errors.New("the method is no name")
			}
			m.Method = method
		case "params":
			if value[0] == 'n' {
				return nil // some servers write null for none
			}
			if value[0] != '{' && value[0] != '[' {
				return errors.New("params must be an object")
			}
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			if value[0] != 'n' { // some servers write null beside a result
				rawErr = value
			}
		}
		return nil
	})
	if err != nil {
		return Message{}, err
	}
	if !version {
		return Message{}, &SyntaxError{start, errors.New(`a message says "jsonrpc": "2.0", this does not`)}
	}
	if rawErr != nil {
		if m.Error, err = decodeError(rawErr); err != nil {
			return Message{}, &SyntaxError{start, err}
		}
	}
	if err := m.check(); err != nil {
		return Message{}, &SyntaxError{start, err}
	}
	return m, nil
}

// check makes sure that exactly one kind holds.
func (m *Message) check() error {
	if m.Error != nil && string(m.Result) == "null" {
		m.Result = nil // some servers write null beside an error
	}
	outcome := m.Result != nil || m.Error != nil
	switch {
	case m.Method != "" && outcome:
		return errors.New("a message has a method or an outcome, not both")
	case m.Method != "":
		return nil
	case !outcome:
		return errors.New("a message has a method, a result or an error, this has none")
	case m.Result != nil && m.Error != nil:
		return errors.New("a response has a result or an error, not both")
	case m.Result != nil && m.ID.Absent():
		return errors.New("a result without an id answers nothing")
	case m.ID == "":
		m.ID = Null
	}
	return nil
}

// decodeError reads the error member. Servers differ in how they write it, so
// only what cannot be understood is refused: a code that is no whole number.
func decodeError(raw []byte) (*Error, error) {
	if raw[0] != '{' {
		return nil, errors.New("the error is no object")
	}
	e := &Error{}
	s := scanner{data: raw}
	err := s.object(func(key, value []byte) error {
		switch string(key) {
		case "code":
			f, err := strconv.ParseFloat(string(value), 64)
			if err != nil || f != float64(int32(f)) {
				return errors.New("the error's code is no whole number")
			}
			e.Code = int(f)
		case "message":
			if text, ok := unquote(value); ok {
				e.Message = text
			}
		case "data":
			e.Data = value
		}
		return nil
	})
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	return e, nil
}

// common holds the methods that come in floods, so that each of these messages
// costs one allocation less.
var common = map[string]string{
	`"notifications/tasks/status"`: "notifications/tasks/status",
	`"notifications/progress"`:     "notifications/progress",
	`"notifications/message"`:      "notifications/message",
}

// unquote gives the text of a JSON string.
func unquote(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if text, ok := common[string(raw)]; ok {
		return text, true
	}
	for _, c := range raw {
		if c == '\\' || c >= 0x80 {
			var text string
			err := json.Unmarshal(raw, &text)
			return text, err == nil
		}
	}
	return string(raw[1 : len(raw)-1]), true
}
