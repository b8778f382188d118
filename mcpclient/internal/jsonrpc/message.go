// Package jsonrpc is the codec of JSON-RPC 2.0 as MCP uses it: bytes to
// messages and back, and nothing of what the messages mean. It imports the
// standard library only, so that the transport and the session can both stand
// on it.
//
// Decoding makes one pass over the bytes, which checks the whole text and finds
// the members of the envelope; params, result and data stay raw and alias the
// input. What arrives here was written by a server: garbage is an error, never
// a panic, and nesting is bounded by MaxDepth.
package jsonrpc

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Version is the value of the member "jsonrpc" in every message.
const Version = "2.0"

// Codes of JSON-RPC 2.0, and those of MCP 2025-11-25 that callboard acts upon.
// The codes -32000 to -32019 mean nothing in particular.
const (
	CodeParse                  = -32700
	CodeInvalidRequest         = -32600 // also: a tool that must run as a task was called plainly
	CodeMethodNotFound         = -32601
	CodeInvalidParams          = -32602 // also: unknown or expired task, bad cursor, cancel of an ended task
	CodeInternal               = -32603
	CodeURLElicitationRequired = -32042
	CodeUserRejected           = -1
)

// ID is the raw JSON text of a message's id, such as `0`, `17` or `"srv-1"`.
// It is kept as it came, because a response must echo it verbatim. The zero ID
// means that the message has none. IDs can be compared and be keys of a map.
type ID string

// Null is the id of a response to something the peer could not read.
const Null ID = "null"

// StringID is the ID whose JSON text is the string s.
func StringID(s string) ID {
	b, err := json.Marshal(s)
	if err != nil {
		// A string always has a JSON text; invalid UTF-8 is replaced.
		return ID(strconv.QuoteToASCII(s))
	}
	return ID(b)
}

// IntID is the ID whose JSON text is the number n.
func IntID(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// Absent reports whether there is no id at all, or only null: nothing that an
// answer could be matched to.
func (id ID) Absent() bool { return id == "" || id == Null }

// MarshalJSON gives the text as it came; an absent ID becomes null.
func (id ID) MarshalJSON() ([]byte, error) {
	if id == "" {
		return []byte(Null), nil
	}
	return []byte(id), nil
}

// UnmarshalJSON takes the text as it comes. It refuses what cannot be an id.
func (id *ID) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] == '{' || b[0] == '[' || b[0] == 't' || b[0] == 'f' {
		return fmt.Errorf("jsonrpc: an id is a string or a number, not %.20q", b)
	}
	*id = ID(b)
	return nil
}

// Message is one JSON-RPC message of any kind: see Request, Notification and
// Response. Exactly one of these three holds for a message that Decode
// returned.
type Message struct {
	ID     ID              // zero for a notification
	Method string          // empty for a response
	Params json.RawMessage // an object or an array, or nil; aliases the input
	Result json.RawMessage // set in a response that succeeded, perhaps to `null`; aliases the input
	Error  *Error          // set in a response that failed
}

// Request reports whether the message wants an answer.
func (m *Message) Request() bool { return m.Method != "" && !m.ID.Absent() }

// Notification reports whether the message wants no answer. A method with the
// id null is one too: some servers write the member although they mean none.
func (m *Message) Notification() bool { return m.Method != "" && m.ID.Absent() }

// Response reports whether the message answers a request. Its ID is Null where
// the peer could not tell which.
func (m *Message) Response() bool { return m.Method == "" }

// Error is the error member of a response. It is a Go error, whose text quotes
// the server's message, so that control characters in it do no harm; show
// Message itself only after cleaning it.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"` // aliases the input
}

// maxShown is how many bytes of a server's message go into an error's text.
const maxShown = 300

func (e *Error) Error() string {
	msg := e.Message
	if len(msg) > maxShown {
		msg = msg[:maxShown] + "..."
	}
	return fmt.Sprintf("error %d: %s", e.Code, strconv.QuoteToGraphic(msg))
}
