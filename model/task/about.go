package task

import "time"

// Can says whether a server is able to do something.
type Can uint8

// CanUnknown is what a joined session knows before it tried.
const (
	CanUnknown Can = iota
	CanYes
	CanNo
)

// About is what a session knows of its server.
type About struct {
	Version       string // of the protocol, such as "2025-11-25"
	Name          Text   // serverInfo.title, or its name
	ServerVersion Text
	Instructions  Text
	// What it declared: tasks.list, tasks.cancel, tasks.requests.tools.call,
	// tools.
	List, Cancel, TaskCalls, Tools Can
	// Session says that the server gave us a session id; Joined that the
	// session is another program's.
	Session, Joined bool
	ReadOnly        bool
}

// Secret is a string that formats as dots, so that it cannot slip into a log
// or an error by %v.
type Secret string

// String returns dots, or "" for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "••••"
}

// GoString keeps %#v from showing the secret.
func (s Secret) GoString() string { return s.String() }

// Resume is what a session needs to be rejoined. It is a secret. The zero
// Resume asks for a new session.
type Resume struct {
	Session Secret
	// Joined marks a session that another program began: it is neither
	// initialised nor deleted by us.
	Joined bool
	// LastEvent is the id of the last event of the GET stream, "" for none.
	LastEvent Secret
}

// IsZero reports whether r asks for a new session.
func (r Resume) IsZero() bool { return r == Resume{} }

// Frame is one line of the log: a message of the wire, or a note about the
// link.
type Frame struct {
	Seq    uint64 // counts up from 1, over all sessions of one server
	At     time.Time
	Dir    Dir
	Stream string // "POST", "GET", "DELETE"; "" for a note
	// Method is the request's or notification's method, also on the reply to
	// it; ID the JSON-RPC id as text; Task the task it speaks of. All raw, ""
	// where there is none.
	Method, ID string
	Task       ID
	Size       int           // bytes of the whole message
	Took       time.Duration // of a reply: since its request; else 0
	// Body is the message, cut after 64 KiB, or the note. Masked is the same
	// with answers and secrets as dots, "" where there is nothing to mask.
	// Both raw: clean them when shown.
	Body, Masked string
}

// Dir is the direction of a Frame.
type Dir uint8

// Directions.
const (
	Note Dir = iota
	Out
	In
)
