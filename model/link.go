package model

import (
	"cmp"
	"context"
	"time"

	"callboard/model/task"
)

// LinkState says how a server is reached.
type LinkState uint8

// The states. Live: push is open. Quiet: answers polls, pushes nothing (the
// Why says so). Down: not reached; NextTry says when it is tried again.
const (
	Connecting LinkState = iota
	Live
	Quiet
	Down
)

// String returns the state in one word.
func (s LinkState) String() string {
	return [...]string{"connecting", "live", "quiet", "down"}[s]
}

// LinkView is what may be known of one link, a value.
type LinkView struct {
	Name, URL string
	State     LinkState
	Why       string      // one line, "" when all is well
	Err       *task.Error // the error behind Down, or nil: Tried, Message, Advice
	NextTry   time.Time   // zero: nothing planned (the person must act: r)
	About     task.About
	Since     time.Time // since when State holds
	Swept     time.Time // the end of the last whole sweep, zero for never
	SweepErr  string    // why the board cannot be listed, "" where it can
	Stalled   bool      // an open sweep or poll is overdue
	Faults    int       // errors on the link so far, all kinds
	// FaultKinds are the same by their kind.
	FaultKinds Faults
	// Requests is how many were sent; RoundTrip and SlowestTrip are the median and
	// the longest of the last answers, zero where there was none.
	Requests               int
	RoundTrip, SlowestTrip time.Duration
	SweepTook              time.Duration // the last whole sweep, zero for none
	// Live, Asking and Ended are its rows: those that may still change, those of
	// them that ask, and the others.
	Live, Asking, Ended int
	// Pushed says that push brings news of its tasks, so that they are polled
	// seldom.
	Pushed bool
	Tries  int // attempts in vain since a session made progress
	// Guard is a word that stands before the server's name, which the person has to
	// type before something is written there; "" for none.
	Guard string
	// Rejoined says that the session is one that was kept from before callboard
	// was started; PostOnly that another callboard has its stream of pushed news.
	Rejoined, PostOnly bool
	// Keeps says that what is known of tasks outlives the program, and Trouble in
	// one line what stands against it now, "" for nothing.
	Keeps   bool
	Trouble string
	// Flood is how many questions wait to be taken in, since the server asks
	// faster than a person could read; 0 while it does not.
	Flood int
}

// link is one server: the session to it, or the way to the next one.
type link struct {
	index  int // its number, never used twice
	target Target

	// life ends with the link. left: the person let go of it; its rows in leaving
	// are still to be cleared away, and next is connected to after that. after is
	// closed when what had its name before is closed; nil for nothing.
	life    context.Context
	end     context.CancelFunc
	left    bool
	leaving []*Row
	// called: the person asked for it while callboard ran, and is told when it is reached.
	called bool
	next   *Target
	after  <-chan struct{}
	// readOnlyAll: no server is written to, this one is no exception.
	readOnlyAll bool

	// attempt numbers the sessions and the ways to them: what an earlier one
	// still brings is dropped at one gate (Model.replied).
	attempt uint64
	ctx     context.Context // of the attempt
	cancel  context.CancelFunc
	server  Server // nil: not connected
	dialing bool
	resume  task.Resume
	about   task.About
	begun   time.Time // when the session was reached
	// sessionFrom is when it was reached first: rejoined, it is the same.
	sessionFrom time.Time

	state   LinkState
	since   time.Time
	why     string      // of Down, and after a lost session
	err     *task.Error // of Down
	nextTry time.Time   // of the next dial
	busyTo  time.Time   // the server asked to be left alone until then
	retries int         // dials in vain, since a session made progress
	faults  Faults
	load    load
	counts  [classes]int // of its rows
	lost    bool         // it was told that it is lost
	met     bool         // a session was reached before
	// rejoined: the session that was reached first was kept from before, and it
	// is that one still.
	rejoined bool
	// estate is what another callboard left of the session, zero for nothing;
	// quiet: the session is rejoined for that, which is no news.
	estate   task.Resume
	estateAt time.Time // since when
	quiet    bool

	// mute says that the session's server does not answer, though the session
	// may live on; nil while it does.
	mute  *task.Error
	mutes int

	stream task.Stream

	sched   *schedule
	store   *store
	sweep   *sweep
	swept   time.Time
	listErr string
	getting map[uint64]time.Time
	gets    uint64
	noList  bool // tasks/list was refused as an unknown method
	missing missing
	sure    time.Time // when list or get last knew a task
	heard   time.Time // when the session last brought anything
	full    bool      // the person was told that the table is full
	// vanished: the last session was given up since it knew none of the live
	// tasks; in this one they are taken at their word.
	vanished bool

	gaps      []gap            // the last ones, oldest first
	named     map[task.ID]bool // asked for by the person, and not heard of yet
	forgotten map[task.ID]bool // forgotten by the person: no row comes of what is told of them

	// What is kept beyond the program's life.
	session    task.Secret       // of server, "" for none
	unkept     map[task.ID]bool  // handles that changed since they were kept
	recorded   map[task.Key]bool // what was kept when it was last read
	keptResume task.Resume       // the last one that was kept
	keepDue    time.Time         // when changes are kept, zero where there are none
	warning    string            // the last trouble with it

	drafts     map[draftName]*typed    // what was typed and not taken, here and elsewhere
	draftsRead map[draftName]bool      // what was kept of it when it was last read
	dropped    map[draftName]time.Time // what was taken from the disk, and when
	flood      int

	asking    *askQueue
	wanted    []task.ID // questions that the person opened, the newest first
	attended  []task.ID
	forceStop map[task.ID]bool // tasks whose cancel is tried though not declared
	starts    int              // calls without an end, or a task, yet

	// Of the Bulk: what waits to be sent, and what is on its way.
	cancels    []queued
	cancelling map[*Wish]bool

	tools    ToolsView
	toolsOld bool
	toolsDue time.Time
}

// newLink returns the link to a target, of which o says what holds for all.
func newLink(i int, t Target, o Options) *link {
	t.OnDemand, t.ReadOnly = t.OnDemand || o.OnDemand, t.ReadOnly || o.ReadOnly
	if t.Sampler == nil {
		t.Sampler = o.Sampler
	}
	return &link{
		readOnlyAll: o.ReadOnly,
		index:       i, target: t, resume: t.Resume, sched: newSchedule(), store: newStore(t.Name),
		getting: map[uint64]time.Time{}, asking: newAskQueue(),
		forceStop: map[task.ID]bool{}, cancel: func() {}, named: map[task.ID]bool{}, forgotten: map[task.ID]bool{},
		unkept: map[task.ID]bool{}, drafts: map[draftName]*typed{}, dropped: map[draftName]time.Time{},
	}
}

// settleState works out the link's state.
func (m *Model) settleState(l *link) {
	state := Quiet
	switch {
	case l.server == nil && l.dialing:
		state = Connecting
	case l.server == nil || l.mute != nil:
		state = Down
	case l.stream.Up && l.sched.coversAny():
		state = Live
	}
	if l.since.IsZero() || state != l.state {
		l.state, l.since = state, m.now
	}
	m.lostOrBack(l)
	m.rev++
}

// view returns what may be known of l at now.
func (l *link) view(now time.Time) LinkView {
	v := LinkView{
		Name: l.target.Name, URL: l.target.URL, State: l.state, Why: l.why, Err: l.err, NextTry: l.nextTry,
		About: l.about, Since: l.since, Swept: l.swept, SweepErr: l.listErr, Faults: l.faults.Total(),
		Rejoined: l.rejoined, PostOnly: l.resume.PostOnly && l.rejoined,
		Keeps: l.target.Memory != nil, Trouble: l.warning, Flood: l.flood,
		FaultKinds: l.faults, Requests: l.load.requests, SweepTook: l.load.swept, Tries: l.retries, Guard: l.target.Guard,
		Asking: l.counts[asking], Live: l.counts[asking] + l.counts[working] + l.counts[calls],
		Ended:  l.counts[completed] + l.counts[failed] + l.counts[cancelled] + l.counts[gone],
		Pushed: l.state == Live && !l.sched.push.missed,
	}
	v.RoundTrip, v.SlowestTrip = l.load.roundTrip()
	switch {
	case l.mute != nil:
		v.Why, v.Err, v.NextTry = l.mute.Message.Line(), l.mute, l.sched.hold
	case l.server != nil && now.Before(l.sched.hold):
		v.Why, v.NextTry = l.why, l.sched.hold
		if v.Why == "" {
			v.Why = "the server is busy"
		}
	case l.state == Quiet:
		v.Why, v.NextTry = l.quietWhy(), l.stream.RetryAt
	case l.state == Live:
		v.Why = ""
	}
	v.Stalled = l.stalled(now)
	return v
}

func (l *link) quietWhy() string {
	switch {
	case l.stream.Up:
		return cmp.Or(l.stream.Why, "the server pushes no news of these tasks; they are polled")
	case l.stream.Never && l.stream.Why != "":
		return l.stream.Why
	case l.stream.Never:
		return "the server pushes nothing; it is polled"
	case l.stream.Why != "":
		return "push is not open: " + l.stream.Why
	}
	return "push is not open yet; the server is polled"
}

// stalledAfter is how long a request may take before the screen says so.
const stalledAfter = 5 * time.Second

func (l *link) stalled(now time.Time) bool {
	if l.sweep != nil && now.Sub(l.sweep.asked) > stalledAfter {
		return true
	}
	for _, at := range l.getting {
		if now.Sub(at) > stalledAfter {
			return true
		}
	}
	return false
}
