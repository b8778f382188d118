package task

import (
	"encoding/json"
	"time"
)

// Support says whether a tool may run as a task (execution.taskSupport).
type Support uint8

// Forbidden is also what an absent or unknown taskSupport means.
const (
	Forbidden Support = iota
	Optional
	Required
	// ServerDecides is every tool of the Modern era: whether a call becomes a
	// task shows in its result.
	ServerDecides
)

// String returns the protocol's word for s.
func (s Support) String() string {
	switch s {
	case Optional:
		return "optional"
	case Required:
		return "required"
	case ServerDecides:
		return "the server decides"
	case Forbidden:
	}
	return "forbidden"
}

// Tool is one entry of tools/list.
type Tool struct {
	Name        string // raw
	Title       Text   // title, annotations.title, or the name
	Description Text
	Support     Support
	Input       Form // from inputSchema
	// ReadOnly and Destructive are the server's own hints (annotations),
	// untrusted.
	ReadOnly, Destructive bool
}

// Call is a tools/call to be sent. ID is new for each sending.
type Call struct {
	ID   CallID
	Tool string          // raw
	Args json.RawMessage // a JSON object
	// AsTask augments the call with task:{ttl}. TTL 0 leaves the ttl to the
	// server. Both mean nothing in the Modern era.
	AsTask bool
	TTL    time.Duration
}
