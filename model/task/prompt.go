package task

import (
	"encoding/json"
	"time"
)

// PromptID is our own name for one question of a server, unique in the
// program's life.
type PromptID string

// Mode is the kind of a prompt (client/elicitation, client/sampling).
type Mode uint8

// The two modes of elicitation/create, and sampling/createMessage.
const (
	FormMode Mode = iota
	URLMode
	SamplingMode
)

// Prompt is one elicitation/create or sampling/createMessage that waits for a
// person.
type Prompt struct {
	ID   PromptID
	Mode Mode
	// Key is the server's own name for it, raw, the same for each process that
	// sees it: the key of inputRequests, or the id of the JSON-RPC request as
	// text. It is unique among the prompts of a task at a time.
	Key string
	// Task is the task that asks, "" where the server did not tie the prompt
	// to one. Guessed marks a tie that we inferred (a single candidate).
	Task    ID
	Guessed bool
	// Call is the call of ours on whose stream the prompt came, if any.
	Call    CallID
	Message Text
	At      time.Time // when it arrived, our clock
	// Until is when the server stops waiting for an answer, our clock, as far
	// as it said so; zero where it did not. The ttl of Task is not in it.
	Until time.Time
	// Polled says that the server does not hold a request open for the answer:
	// it asked us for a task of ours (basic/utilities/tasks, "Augmented
	// Requests"), and fetches the result when it likes.
	Polled bool

	Form Form // FormMode; SamplingMode: of SampledText and SampledModel

	Sampling *Sampling // SamplingMode

	// Visit marks a page that a call needs first: the call, or the task that it
	// became, ended by the error -32042 ("URL Elicitation Required Error"). Nobody
	// waits for the answer; the same call is sent again after the visit. URLMode only.
	Visit bool

	// URL is raw and whole, ElicitationID raw; both URLMode only.
	URL, ElicitationID string
}

// Action is what a person does with a prompt ("Response Actions").
type Action uint8

// The three actions. Decline is an explicit no, Dismiss is the protocol's
// "cancel": the person chose neither.
const (
	Accept Action = iota + 1
	Decline
	Dismiss
)

// String returns the protocol's word for a.
func (a Action) String() string {
	switch a {
	case Accept:
		return "accept"
	case Decline:
		return "decline"
	case Dismiss:
		return "cancel"
	}
	return ""
}

// Reply is the answer to one prompt. Content is a JSON object, for Accept of
// FormMode and SamplingMode only; else nil. To decline or dismiss a sampling
// request is an error of kind Unsupported in the Modern era, which has no form
// for it (an InputResponse is a result).
type Reply struct {
	Prompt  PromptID
	Action  Action
	Content json.RawMessage
}

// Receipt says that the server's transport took a reply (202, or the like);
// what the server does with it shows later.
type Receipt struct {
	At time.Time
	// Waits is how many other prompts must be answered before the replies go
	// out, since the server takes all of them in one message: until then they
	// are held by the session. 0: they were sent.
	Waits int
}
