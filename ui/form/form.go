// Package form is what a person fills in: the answer to a server's question
// (client/elicitation, form and URL mode) and the arguments of a tool's call.
//
// A Form owns what was typed and how it looks. It sends nothing: it tells by
// an Event what the person wants, and is told by SetState what became of it.
// Whatever a server wrote stands behind a bar of its own within a frame that
// nothing else has, so that it cannot pass for words of callboard.
package form

import (
	"encoding/json"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// Kind says what a form is for.
type Kind uint8

// The kinds of forms. A Question is an elicitation of either mode, a Call the
// start form of a tool.
const (
	Question Kind = iota
	Call
)

// Spec is what a Form is made from.
type Spec struct {
	Kind   Kind
	Server string // the link's name
	// Guard is the word of the server's guard, as it is shown before its name, ""
	// for none.
	Guard string
	// ServerURL is where the server is, as it may be shown; "" for not known.
	ServerURL string
	Name      task.Text // what the server calls itself, zero for not known
	Tool      task.Text // zero where not known
	Task      task.Text // the id of the task that asks, zero for none
	// Guessed marks a Task that we inferred. Calling says that it is not a task
	// that asks but a call, Unborn that the call may become a task once it is
	// answered.
	Guessed, Calling, Unborn bool
	// Message is the server's question, or the tool's description.
	Message task.Text
	Since   time.Time // when the question arrived, our clock; zero for none
	// Ends is when it can no longer be answered, our clock, as far as that is
	// known; zero where it is not.
	Ends time.Time
	// NoRefusal says why the question can neither be declined nor dismissed, as
	// a sentence; "" where it can.
	NoRefusal string
	// Warn are sentences of callboard that stand above the fields.
	Warn []string
	// Notes are quiet sentences of callboard below them. Unkept is one below the
	// fields once something is typed: why that does not outlive callboard, "" where
	// it does.
	Notes  []string
	Unkept string

	Mode task.Mode // of a Question
	Form task.Form // of a Question in FormMode, and of a Call
	URL  string    // of a Question in URLMode: raw and whole
	// Visit says that the page of URL is what a call needs first: no answer goes
	// to the server, and the call is sent again after the visit.
	Visit bool

	// Sampling is the conversation of a Question in SamplingMode, whose Form is
	// of task.SampledText and task.SampledModel. Sampler says that a command of
	// the person's can write a draft.
	Sampling *task.Sampling
	Sampler  bool

	// Support is the tool's, of a Call: where it is Optional the person
	// chooses between a task and a plain call, which is offered where Plain
	// says so. TTL is offered as the ttl of the task: 0 leaves it to the
	// server.
	Support task.Support
	Plain   bool
	TTL     time.Duration
	// Args prefill a Call with those of an earlier one, nil for none. A Draft
	// goes before them.
	Args json.RawMessage

	// Draft is what was typed before, nil for nothing: then the defaults of
	// the fields are filled in.
	Draft model.Draft

	// Now is the clock of the ages, time.Now where it is nil.
	Now func() time.Time
}

// EventKind says what the person wants.
type EventKind uint8

// The events. Nothing and Changed ask nothing of the owner but to look anew;
// with Changed the draft is worth saving.
const (
	Nothing EventKind = iota
	Changed
	// Submit answers a question with Content, which was checked. Hold is the
	// same for an answer that waits until the other questions of its task are
	// answered too, so that all go together.
	Submit
	Hold
	// NextAsk and PrevAsk leave the form, keep the draft, and open another
	// question of the same task.
	NextAsk
	PrevAsk
	// Start calls the tool with Content as its arguments, AsTask and TTL.
	Start
	// Leave closes the form and keeps the draft.
	Leave
	// Decline and Dismiss tell the server so (task.Decline, task.Dismiss).
	Decline
	Dismiss
	// EditText opens Text in $EDITOR; Edited takes what came of it.
	EditText
	// CopyText copies Text: of the form, not consent to anything.
	CopyText
	// OpenURL and CopyURL are the consent to a question in URL mode: accept is
	// sent, and Text (the raw URL) opened or copied.
	OpenURL
	CopyURL
	// Done, Reopen and GiveUp are what the person says while the other side of
	// an URL is waited for: it is done; open Text once more; wait no longer.
	Done
	Reopen
	GiveUp
	// Discard throws the draft away and closes the form.
	Discard
	// Sample has the person's command write a draft, StopSample ends it;
	// SetSample and SetDraft tell what comes of it.
	Sample
	StopSample
)

// Event is what one message made of the form.
type Event struct {
	Kind    EventKind
	Content json.RawMessage // Submit, Hold, Start: a JSON object
	AsTask  bool            // Start
	TTL     time.Duration   // Start: 0 leaves it to the server
	Text    string          // EditText, CopyText, OpenURL, CopyURL, Reopen; raw
	// Ext is the file name extension that suits Text, for EditText: ".txt" or
	// ".json".
	Ext string
}

// Phase is how far a form's question got.
type Phase uint8

// The phases. Asking and Failed take keys; in Failed the Why says why it was
// not sent, or that nobody knows whether it arrived. Sending and Sent wait.
// Held takes keys too: the answer is complete, and goes with those of the other
// questions. Withdrawn can no longer be answered: the Why says so, and what was
// typed is kept. Waiting and Complete are those of an URL that the person
// consented to.
const (
	Asking Phase = iota
	Sending
	Sent
	Failed
	Held
	Withdrawn
	Waiting
	Complete
)

// Place is where a question stands among those that its task asks at once.
type Place struct {
	// Number counts from 1; Of is how many there are, 0 or 1 for no others.
	Number, Of int
	// Others is how many of the others wait for an answer, Held how many have
	// one that is held.
	Others, Held int
}

// State is what became of a form's question.
type State struct {
	Phase Phase
	Why   string // a sentence, cleaned
	// Unknown says, of Failed, that the answer may have arrived all the same.
	Unknown bool
	At      time.Time // since when the phase holds, zero for not known
}
