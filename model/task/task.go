// Package task is the nouns of callboard: what a server, the thinking half and
// the screen all speak of. It imports the standard library only, so that the
// wire (mcpclient) and the screen (ui) can both depend on it and never meet.
//
// Section numbers in comments are those of the MCP specification 2025-11-25,
// under basic/utilities/tasks where nothing else is said.
package task

import "time"

// ID is a task's identifier, raw as the server made it. It goes to the wire
// as it is and to the screen through Text.
type ID string

// Text returns the id as it may be shown: cleaned, on one line.
func (id ID) Text() Text { return CleanLine(string(id), 256) }

// CallID is our own name for a tools/call that we sent. It never leaves the
// program.
type CallID string

// Key names a row of the board. Exactly one of ID and Call is set: ID for a
// task, Call for a call that is no task (yet).
type Key struct {
	Server string // the link's name, "" never
	ID     ID
	Call   CallID
}

// IsZero reports whether k names nothing.
func (k Key) IsZero() bool { return k == Key{} }

// Status is a task's status ("Task Status Lifecycle").
type Status uint8

// The statuses of the protocol. Unknown is a word that the protocol does not
// know; such a task counts as live, so that it goes on being polled.
const (
	Unknown Status = iota
	Working
	InputRequired
	Completed
	Failed
	Cancelled
)

var statusWords = [...]string{"unknown", "working", "input_required", "completed", "failed", "cancelled"}

// String returns the protocol's word for s.
func (s Status) String() string {
	if int(s) < len(statusWords) {
		return statusWords[s]
	}
	return statusWords[Unknown]
}

// ParseStatus returns the status that the protocol's word names, Unknown for
// any other word.
func ParseStatus(word string) Status {
	for s := Working; s <= Cancelled; s++ {
		if statusWords[s] == word {
			return s
		}
	}
	return Unknown
}

// Terminal reports whether a task in status s never changes again.
func (s Status) Terminal() bool { return s >= Completed }

// NoTTL is the TTL of a task that its server keeps without limit (ttl: null).
const NoTTL time.Duration = -1

// Task is one task as a server told it ("Task").
type Task struct {
	ID     ID
	Status Status

	// ToolError says that the result which came with the state of a completed
	// task says isError: the tool itself failed. In the Modern era that is no
	// failed task; in the Legacy era results come by themselves, and this is
	// false.
	ToolError bool

	Message Text // statusMessage, at most 4 KiB kept

	// Created and Updated are createdAt and lastUpdatedAt on the server's
	// clock; zero where the server told none that can be read.
	Created, Updated time.Time

	// TTL counts from Created on the server's clock. NoTTL is no limit, 0 is
	// not told.
	TTL time.Duration

	// Poll is the server's pollInterval, 0 where it told none.
	Poll time.Duration
}

// How says by which way something was learnt.
type How uint8

// The ways, in the order of the words that the screen uses for them.
const (
	Pushed     How = iota + 1 // notifications/tasks/status, or the stream of an earlier run's call
	Polled                    // tasks/get
	Listed                    // tasks/list
	Created                   // CreateTaskResult of a call of ours
	Acted                     // the reply to our tasks/cancel
	Remembered                // kept from before callboard was started; not heard of since
	Replied                   // the reply to a call of ours that was no task
)

var howWords = [...]string{"", "pushed", "polled", "listed", "started here", "cancel reply", "kept from before", "its reply"}

// String returns one or two words for h, "" for the zero How.
func (h How) String() string {
	if int(h) < len(howWords) {
		return howWords[h]
	}
	return ""
}

// StepKind says what a step tells of.
type StepKind uint8

// The kinds. All but Told happened to what is known of the task, not to the
// task: the step has the status that held then.
const (
	Told      StepKind = iota // the server told of the task
	Forgotten                 // the server does not know the task any more; its ttl had not run out
	RanOut                    // as Forgotten, and its ttl had run out
	LinkLost                  // the link to the server broke (Message: why)
	LinkBack                  // it stood again
)

// String returns a few words for k, "" for Told.
func (k StepKind) String() string {
	return [...]string{"", "gone", "expired", "link lost", "link back"}[k]
}

// Step is one seen change of a task, or one contradiction: a report that is
// kept in the time line but does not change the state any more.
type Step struct {
	Kind    StepKind
	Status  Status
	Message Text
	At      time.Time // when we learnt it, our clock
	Updated time.Time // what the server said, its clock
	How     How
	// Late marks a report that contradicts the terminal state seen first.
	Late bool
	// Gap marks that the link was broken between the step before and this
	// one, so that steps may be missing.
	Gap bool
}

// Progress is the newest notifications/progress of a call. Total is 0 where
// the server told none.
type Progress struct {
	Done, Total float64
	Message     Text
	At          time.Time
}

// Cursor is an opaque place in tasks/list. The empty string is a cursor too;
// Set tells it from the start of the list, or from its end.
type Cursor struct {
	Value string
	Set   bool
}

// Page is one page of tasks/list. Next is not Set on the last one. SentAt is
// when its request was sent, our clock.
type Page struct {
	Tasks  []Task
	Next   Cursor
	SentAt time.Time
}
