package model

import (
	"slices"
	"time"

	"callboard/model/task"
)

// Mark says what happened to a row beyond its status.
type Mark uint8

// The marks. Expired: its ttl had run out when the server forgot it. Gone: it
// had not. PushOnly: known by push alone, tasks/get fails. UnknownOutcome: a
// call whose link broke before its reply, or that was on its way when an
// earlier callboard ended. NotOurs: other credentials made its handle; it is
// not asked for.
const (
	NoMark Mark = iota
	Expired
	Gone
	PushOnly
	UnknownOutcome
	NotOurs
)

// Row is one line of the table: a task, or a plain call. There may be 100,000
// of them, so its small fields stand together: that is 5 % of its size.
type Row struct {
	Key      task.Key
	Task     task.Task // for a plain call: Status and Message in the same terms
	Heard    Instant   // last heard of
	First    Instant   // first seen
	Since    Instant   // Status holds since
	Began    Instant   // createdAt on our clock (skew applied), else First
	Plain    bool      // kind call: it never was a task
	How      task.How
	Mark     Mark
	Later    task.Status // a later report that contradicts the end; Unknown for none
	Marked   bool        // the person chose it, to act on many at once
	foreign  bool        // Handle is of other credentials
	known    bool        // list, get or a reply of ours told of it, not push alone
	class    class
	markAt   int32       // its place among the marked rows, plus one
	doubts   uint8       // polls in a row that were asked later, but tell of an earlier lastUpdatedAt
	seen     task.How    // how First came, while that is the only step and steps is empty, see Steps; else 0
	Dropped  int32       // steps before the first of Steps that are no longer kept
	steps    []task.Step // see Steps
	Tool     task.Text   // zero where not known
	Call     *task.Call  // what was sent, where it was started here
	Note     task.Text   // the server's immediate response
	Progress *task.Progress
	Wish     *Wish // the newest wish about this row, nil for none
	Outcome  *Outcome
	// PollError is why the last tasks/get failed, "" when it did not.
	PollError string
	// Asks are the prompts tied to this row that wait, oldest first.
	Asks []*Ask
	Past *Past  // the prompt of this row that closed last, nil for none
	Rev  uint64 // grows with each change of this row
	// Handle is what is kept of it beyond the program's life, nil for nothing;
	// Sent the call that it began with, as it is kept until its outcome is
	// known, also where an earlier callboard sent it. nil for the tasks of
	// others.
	Handle *task.Handle
	Sent   *task.Sent

	// sentAt is when the report that holds was sent (asked for, or received
	// by push), pushedAt when the last push came, both in ns of our clock.
	sentAt, pushedAt int64
	place            place
	stood            int64   // its moment in the heap of ended rows, ms of the server's clock
	warns            Instant // when its loss is told, 0: never, warned: it was
	queued           Instant // its moment in the queue of asking tasks, 0: not in it
	urgent           int64   // its end there, see urgency
}

// Asking reports whether the row waits for a person: input_required, an open
// prompt of its own, or an address to be visited before its call can be sent
// again (MustVisit).
func (r *Row) Asking() bool {
	return r.Live() && (r.Task.Status == task.InputRequired || len(r.Asks) > 0) || r.MustVisit()
}

// MustVisit reports whether the row's call was refused until the person has
// visited an address, and that prompt is open (-32042; client/elicitation, "URL
// Elicitation Required Error").
func (r *Row) MustVisit() bool {
	return len(r.Asks) > 0 && !r.Live() && needsVisit(r)
}

// Live reports whether the row may still change.
func (r *Row) Live() bool {
	return !r.Task.Status.Terminal() && (r.Mark == NoMark || r.Mark == PushOnly)
}

// Cancelling reports whether the person wants the task cancelled, and nobody
// knows yet whether it will be: a cancel is an intent, and until the task has
// ended it may still end otherwise. One that goes on to ask after its cancel
// showed no effect asks.
func (r *Row) Cancelling() bool {
	w := r.Wish
	if w == nil || w.Verb != "cancel" || r.Key.ID == "" || !r.Live() {
		return false
	}
	switch w.State {
	case Sending, Delivered:
		return true
	case NoEffect:
		return !r.Asking()
	case Taken, WishFailed, WishUnknown:
	}
	return false
}

// Digest returns the digest of the arguments with which the row was begun, ""
// where it is not known.
func (r *Row) Digest() string {
	switch {
	case r.Handle != nil:
		return r.Handle.Digest
	case r.Sent != nil:
		return r.Sent.Digest
	}
	return ""
}

// ToolFailed reports whether a task that completed holds a result in which the tool
// says that it failed (isError), as far as that is known.
func (r *Row) ToolFailed() bool {
	if r.Task.Status != task.Completed {
		return false
	}
	return r.Task.ToolError || r.Outcome != nil && r.Outcome.Result != nil && r.Outcome.Result.IsError
}

// Expiry returns when the row's ttl ends, our clock, false where there is none.
func (r *Row) Expiry() (time.Time, bool) {
	if r.Plain || r.Task.TTL <= 0 {
		return time.Time{}, false
	}
	return r.Began.Time().Add(r.Task.TTL), true
}

// Outcome is a row's result as far as it was fetched.
type Outcome struct {
	Loading bool
	Result  *task.Result
	Err     *task.Error // why it could not be fetched
	At      time.Time
}

// The time line keeps the last stepLimit steps. A step that changed the
// message alone is dropped first once there are more than wordLimit steps: a
// chatty server must not cost memory, nor push the changes of status out.
const (
	stepLimit = 32
	wordLimit = 8
)

// Steps returns the time line, oldest first. Updated is not set in it.
//
// Most rows have one step only, which says what the row itself says: it is kept
// apart only once that is going to change (unfold).
func (r *Row) Steps() []task.Step {
	if r.seen == 0 {
		return r.steps
	}
	return []task.Step{{Status: r.Task.Status, Message: r.Task.Message, At: r.First.Time(), How: r.seen}}
}

// unfold comes before each change of First, or of the status or message in Task.
func (r *Row) unfold() {
	r.steps, r.seen = r.Steps(), 0
}

func (r *Row) addStep(s task.Step) {
	r.unfold()
	if len(r.steps) >= wordLimit {
		r.Dropped += r.makeRoom()
	}
	r.steps = append(r.steps, s)
}

// precede puts steps in front of the time line: the row began before it was
// known by its name.
func (r *Row) precede(steps []task.Step) {
	r.steps = slices.Concat(steps, r.steps)
	for len(r.steps) > wordLimit {
		n := r.makeRoom()
		if n == 0 {
			return
		}
		r.Dropped += n
	}
}

// makeRoom drops a step that may go and returns how many it dropped.
func (r *Row) makeRoom() int32 {
	for i := 1; i < len(r.steps); i++ {
		if s := r.steps[i]; s.Status == r.steps[i-1].Status && !s.Late && !s.Gap && s.Kind == task.Told {
			r.steps = slices.Delete(r.steps, i, i+1)
			return 1
		}
	}
	if len(r.steps) < stepLimit {
		return 0
	}
	r.steps = slices.Delete(r.steps, 0, 1)
	return 1
}

// rebase sets Began from createdAt, the server's clock being ahead by skew.
func (r *Row) rebase(skew time.Duration) {
	if r.Task.Created.IsZero() {
		return
	}
	began := At(r.Task.Created.Add(-skew))
	if d := began.Time().Sub(r.Began.Time()); r.Began == 0 || d > time.Second || d < -time.Second {
		r.Began = began // a skew that trembles must not move rows
	}
}

// class is what the header counts a row as.
type class uint8

const (
	uncounted class = iota
	working
	asking
	completed
	failed
	cancelled
	gone
	calls
	classes
)

func (r *Row) classOf() class {
	switch {
	case r.Mark == NotOurs:
		return uncounted
	case r.MustVisit():
		return asking
	case r.Task.Status == task.Completed && !r.ToolFailed():
		return completed
	case r.Task.Status == task.Failed, r.Task.Status == task.Completed:
		return failed
	case r.Task.Status == task.Cancelled:
		return cancelled
	case !r.Live():
		return gone
	case r.Asking():
		return asking
	case r.Plain:
		return calls
	}
	return working
}
