package task

import "time"

// Event is what a server's feed reports: one of the types of this file.
type Event interface{ event() }

// Batch is what Next returns: events in the order in which they happened, at
// most one Changed a task.
type Batch struct {
	Events []Event
	// Skew is the server's clock less ours, from the Date headers of its
	// replies; 0 until one was seen.
	Skew time.Duration
}

type (
	// Changed is the newest state of a task that was pushed, or that came with
	// the reply to one of our calls. Steps are the changes merged into it,
	// oldest first, at most 32; Dropped counts those before.
	Changed struct {
		Task    Task
		How     How
		SentAt  time.Time // when it was received (a push), our clock
		Steps   []Step
		Dropped int
	}

	// Prompted is a question for the person.
	Prompted struct{ Prompt Prompt }

	// Withdrawn says that a prompt can no longer be answered: the server
	// cancelled it, or the session that asked it ended. Inferred: nobody said so,
	// its task asks it no longer.
	Withdrawn struct {
		Prompt   PromptID
		Why      Text
		Inferred bool
	}

	// Flooding says that the server asks faster than a person could read, so
	// that Waiting of its questions are taken in later. 0: it does no longer.
	Flooding struct{ Waiting int }

	// Delivered says what became of answers that the session held (Receipt.Waits)
	// and sent by itself, since what they waited for is not asked any more. Err
	// is as that of Answer; where there is one, the prompts can be answered again.
	Delivered struct {
		Prompts []PromptID
		Err     *Error
	}

	// Fetched says that the server came for the answer to a Polled prompt, which
	// was kept for it until then. Never is why it never will, zero where it did.
	Fetched struct {
		Prompt PromptID
		Never  Text
	}

	// URLDone is notifications/elicitation/complete for a prompt of URL mode
	// (client/elicitation, "Completion Notifications").
	URLDone struct{ Prompt PromptID }

	// Started says that a call of ours became a task. Note is the text that
	// the server offers meanwhile (io.modelcontextprotocol/model-immediate-response).
	Started struct {
		Call CallID
		Task Task
		Note Text
	}

	// Returned is the end of a call that did not become a task. Exactly one
	// of Result and Err is set. Err of kind Lost means that nobody knows what
	// became of the call.
	Returned struct {
		Call   CallID
		Result *Result
		Err    *Error
	}

	// Progressed is progress of a call of ours, task or not. Merged: the
	// newest one counts.
	Progressed struct {
		Call     CallID
		Progress Progress
	}

	// ToolsChanged is notifications/tools/list_changed.
	ToolsChanged struct{}

	// Logged is a notifications/message of the server, kept to 4 KiB.
	Logged struct {
		Level string
		Text  Text
		At    time.Time
	}

	// Stream says how push is doing. Up is a stream that is open. Gap: what
	// was pushed since the last event may be lost, resync. Never: the server
	// has no such stream (405); nothing is tried again. RetryAt is zero where
	// nothing is planned. Partial: push brings news of Tasks and of no others,
	// since the server agreed to no more (subscriptions/listen); it is sent
	// again whenever that changes.
	Stream struct {
		Up, Gap, Never bool
		Why            string
		RetryAt        time.Time
		Partial        bool
		Tasks          []ID
	}
)

func (Changed) event()      {}
func (Prompted) event()     {}
func (Withdrawn) event()    {}
func (Flooding) event()     {}
func (Delivered) event()    {}
func (Fetched) event()      {}
func (URLDone) event()      {}
func (Started) event()      {}
func (Returned) event()     {}
func (Progressed) event()   {}
func (ToolsChanged) event() {}
func (Logged) event()       {}
func (Stream) event()       {}
