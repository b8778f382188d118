package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Encode returns the JSON text of m, on one line. It fails where m is no
// message of any kind, or where one of its raw members is not JSON.
func Encode(m *Message) ([]byte, error) {
	switch {
	case m.Method != "" && (m.Result != nil || m.Error != nil):
		return nil, errors.New("jsonrpc: a message has a method or an outcome, not both")
	case m.Method == "" && (m.Result != nil) == (m.Error != nil):
		return nil, errors.New("jsonrpc: a response has a result or an error, one of the two")
	case m.Method == "" && m.ID == "":
		return nil, errors.New("jsonrpc: a response needs an id")
	}
	w := struct {
		Version string          `json:"jsonrpc"`
		ID      *ID             `json:"id,omitempty"`
		Method  string          `json:"method,omitempty"`
		Params  json.RawMessage `json:"params,omitempty"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *Error          `json:"error,omitempty"`
	}{Version: Version, Method: m.Method, Params: m.Params, Result: m.Result, Error: m.Error}
	if m.ID != "" {
		w.ID = &m.ID
	}
	return marshal(w)
}

// Request returns the text of a request. params may be nil, and is otherwise
// something that encodes to an object.
func Request(id ID, method string, params any) ([]byte, error) {
	if id.Absent() {
		return nil, errors.New("jsonrpc: a request needs an id")
	}
	raw, err := rawParams(params)
	if err != nil {
		return nil, err
	}
	return Encode(&Message{ID: id, Method: method, Params: raw})
}

// Notification returns the text of a notification. params is as for Request.
func Notification(method string, params any) ([]byte, error) {
	raw, err := rawParams(params)
	if err != nil {
		return nil, err
	}
	return Encode(&Message{Method: method, Params: raw})
}

// Result returns the text of the response to id that succeeded. A nil result
// becomes the empty object, as MCP knows no result without members.
func Result(id ID, result any) ([]byte, error) {
	if result == nil {
		result = struct{}{}
	}
	raw, err := marshal(result)
	if err != nil {
		return nil, fmt.Errorf("jsonrpc: result: %w", err)
	}
	return Encode(&Message{ID: id, Result: raw})
}

// Refusal returns the text of the response to id that failed.
func Refusal(id ID, e *Error) ([]byte, error) {
	return Encode(&Message{ID: id, Error: e})
}

func rawParams(params any) (json.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	raw, err := marshal(params)
	if err != nil {
		return nil, fmt.Errorf("jsonrpc: params: %w", err)
	}
	if len(raw) == 0 || (raw[0] != '{' && raw[0] != '[') {
		return nil, fmt.Errorf("jsonrpc: params must be an object, not %.20q", raw)
	}
	return raw, nil
}

// marshal is json.Marshal without the escapes for HTML: what a person typed
// should be legible in the log of frames.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
