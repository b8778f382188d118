package mcptest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON-RPC and MCP error codes that the server uses.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeNoMethod       = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeURLRequired    = -32042 // the call needs URL elicitations first; Data holds them (2025-11-25 only)

	CodeHeaderMismatch    = -32020 // 2026-07-28: a header differs from the body, or is missing
	CodeMissingCapability = -32021 // 2026-07-28: Data holds requiredCapabilities
	CodeVersion           = -32022 // 2026-07-28: Data holds supported and requested
)

// Error is a JSON-RPC error object.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error says code and message.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

func errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// incoming is any message a client may send; which one it is follows from the fields that are there.
type incoming struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}

func (m *incoming) kind() Kind {
	switch {
	case m.Method == "":
		return KindResponse
	case len(m.ID) == 0 || bytes.Equal(m.ID, []byte("null")):
		return KindNotification
	default:
		return KindRequest
	}
}

// outgoing is any message the server sends. Params and Result are marshalled as they are.
type outgoing struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// encode makes the bytes of m. method names what it is (of a reply: the method of its request) for the faults that
// change messages on their way out.
func (s *Server) encode(method string, m outgoing) []byte {
	m.JSONRPC = "2.0"
	raw, err := json.Marshal(m)
	if err != nil {
		// A script handed over something that is not JSON; the client is told rather than left waiting.
		raw, _ = json.Marshal(outgoing{JSONRPC: "2.0", ID: m.ID, Error: errorf(CodeInternal, "encoding the answer: %v", err)})
		return raw
	}
	return s.faults.Load().disturb(method, raw)
}

func (s *Server) encodeNote(method string, params any) []byte {
	return s.encode(method, outgoing{Method: method, Params: params})
}
