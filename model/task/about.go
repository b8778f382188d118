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

// Era is a generation of the protocol.
type Era uint8

// The generations. AnyEra is one that was not found out yet.
const (
	AnyEra Era = iota
	Legacy     // MCP 2025-11-25 and before: initialize, sessions, tasks in the core protocol
	Modern     // MCP 2026-07-28: no sessions, tasks in the extension io.modelcontextprotocol/tasks
)

var eraWords = [...]string{"auto", "2025-11-25", "2026-07-28"}

// String returns the revision of the protocol that stands for e, "auto" for
// AnyEra.
func (e Era) String() string {
	if int(e) < len(eraWords) {
		return eraWords[e]
	}
	return eraWords[AnyEra]
}

// ParseEra reads what String writes.
func ParseEra(word string) (Era, bool) {
	for e, w := range eraWords {
		if w == word {
			return Era(e), true
		}
	}
	return AnyEra, false
}

// About is what a session knows of its server.
type About struct {
	Era           Era
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
	// Sampling says that the session was begun by who declared that a person
	// answers sampling requests: in another one the server asks for none. Unsampled
	// says that this is such another one, which who would answer them has rejoined.
	Sampling, Unsampled bool
	// Note is what a person should know of this server before they wonder,
	// such as that its version of the protocol has no tasks; mostly zero.
	Note Text
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

// Resume is what a session needs to be rejoined. It is a secret. Without a
// session it asks for a new one.
type Resume struct {
	// Era is the generation found out before; AnyEra has it found out.
	Era     Era
	Session Secret
	// Joined marks a session that another program began: it is neither
	// initialised nor deleted by us.
	Joined bool
	// PostOnly says that another callboard holds the session's GET stream, so
	// that this one opens none.
	PostOnly bool
	// LastEvent is the id of the last event of the GET stream, "" for none.
	LastEvent Secret
	// Streams are the places in the session's streams at which questions stand
	// that are not answered, one a line, in no order; "" for none. What a line
	// says is the era's affair.
	Streams Secret
	// About is what was known of the session's server when it was left, zero
	// for nothing.
	About About
}

// IsZero reports whether r asks for a new session.
func (r Resume) IsZero() bool { return r.Session == "" }

// Afresh returns what begins a new session with the same server.
func (r Resume) Afresh() Resume { return Resume{Era: r.Era} }

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
	// Call is the call of ours that it belongs to, also once that is a task; Reply
	// says that it answers a request.
	Call  CallID
	Reply bool
	Size  int           // bytes of the whole message
	Took  time.Duration // of a reply: since its request; else 0
	// Body is the message, cut after 64 KiB, or the note. Masked is the same
	// with answers and secrets as dots, "" where there is nothing to mask.
	// Both raw: clean them when shown.
	Body, Masked string
	// Wire is how a message of ours went out, nil for what the server sent.
	// It is shared, and not to be written to.
	Wire *Wire
}

// Wire is how a message went out over HTTP. There is no secret in it.
type Wire struct {
	// URL is without name, password and query; Query says that there is one.
	Method, URL string
	Query       bool
	Header      []Header
}

// Header is one header of a request. Of a secret one, Value is what may be seen:
// the scheme in front of it ("Bearer"), or nothing.
type Header struct {
	Name, Value string
	Secret      bool
}

// Dir is the direction of a Frame.
type Dir uint8

// Directions.
const (
	Note Dir = iota
	Out
	In
)
