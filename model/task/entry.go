package task

import "time"

// What is the kind of an Entry.
type What string

// The kinds of entries of the audit trail.
const (
	TaskSeen       What = "seen"      // a task was first seen: To, How
	StatusChanged  What = "status"    // From, To, How
	TaskGone       What = "gone"      // expired, or gone before its time: Text
	PromptCame     What = "prompt"    // a question came: Prompt
	PromptClosed   What = "withdrawn" // a question can no longer be answered: Prompt, Text
	PersonAnswered What = "answer"    // the person accepted, declined or dismissed: Prompt, Action, Effect
	PersonCanceled What = "cancel"    // the person cancelled a task or call: Effect
	PersonStarted  What = "start"     // the person called a tool: Effect
	ResultRead     What = "result"    // a result was fetched: Text says of what kind
	AuditGap       What = "lost"      // entries were lost: Text says how many and why
)

// Entry is one line of the audit trail. It holds no answer, no argument, no
// result, and no digest of one; nor what a server wrote, beside the names of
// its tasks, tools and questions.
type Entry struct {
	At     time.Time // our clock
	What   What
	Server string // the URL, as it may be shown
	Task   ID     // "" for a call that is no task
	Call   CallID // of ours; "" for none
	Tool   string // raw; "" where not known
	From   Status // StatusChanged
	To     Status // StatusChanged, TaskSeen
	How    How    // StatusChanged, TaskSeen: how it was learnt
	Prompt string // Prompt.Key
	Action Action // PersonAnswered
	// Effect is what became of what the person wanted, one entry for each
	// step: "sent", "delivered", "taken", "no effect seen", "failed", "unknown".
	Effect string
	Text   string // words of ours
}
