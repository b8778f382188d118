package model

import (
	"cmp"
	"slices"
	"time"

	"callboard/model/task"
)

// AskState is the state of a prompt.
type AskState uint8

// The states of a prompt. Withdrawn: it can no longer be answered (Why says
// so); the draft is kept. Held: it is answered, and the answer waits for those
// to other questions of the same row (Why says for how many); TakeBackMsg opens
// it again.
const (
	Open AskState = iota
	Answering
	Answered
	Withdrawn
	Held
)

// Ask is one prompt and what is known of it.
type Ask struct {
	Prompt task.Prompt
	Server string
	Row    task.Key // the row it is tied to, zero for none
	State  AskState
	Why    string // of Withdrawn, or why the answer failed
	Wish   *Wish
	// URL prompts: the person consented at Opened; Done is the server's word
	// that it is complete.
	Opened time.Time
	Done   bool
	Since  time.Time
	// Before: its draft was typed when the same was asked before, and is filled in.
	Before bool
	// Offered grows with each change of its draft that did not come by SaveDraft.
	Offered uint64
	// Sample is how far the command is that writes a draft, SamplingMode only.
	Sample Sample

	asked   string    // Prompt.Asked
	typed   bool      // its draft was typed here, or written by a command of the person
	draftAt time.Time // of the last key press
	source  draftName // the draft of another task that was filled in, zero for none

	reply  *task.Reply // what was sent last, for R
	closed time.Time   // when it was answered or withdrawn
	// inferred: it was withdrawn since the task went on, not on the server's
	// word; it opens again where the task asks again.
	inferred bool
	tooLate  string // the server withdrew it while the answer was on its way
	// untaken: the session says that the answer did not go out after all.
	untaken *task.Error
	unknown bool   // its task is not on the board yet
	holder  holder // of Held
	// again: its answer was held when the link broke, and is held again where
	// the same is asked.
	again bool
	// fetched: the server came for the answer to a Polled prompt.
	fetched bool
}

// Bounds of the inbox.
const (
	asksShown = time.Minute // how long an answered or withdrawn prompt is shown
	asksKept  = 1000        // closed prompts that can still be looked up
	// askedKept bounds the schemas and conversations of the closed ones, in bytes.
	askedKept = 32 << 20
)

// Ask returns the prompt with that id, nil where there is none.
func (m *Model) Ask(id task.PromptID) *Ask { return m.asks[id] }

// Inbox returns the prompts that wait, those whose answer is held last, most
// urgent first (Ends, then age), then those that were answered or withdrawn less
// than a minute ago, and all withdrawn ones whose draft is still kept.
func (m *Model) Inbox() []*Ask {
	var open, closed []*Ask
	for _, a := range m.askOrder {
		switch {
		case a.waits():
			open = append(open, a)
		case m.now.Sub(a.closed) < asksShown, a.State == Withdrawn && m.drafts[a.Prompt.ID] != nil:
			closed = append(closed, a)
		}
	}
	far := time.Unix(1<<40, 0)
	ends := make(map[*Ask]time.Time, len(open))
	for _, a := range open {
		ends[a] = far
		if end := m.Ends(a); !end.IsZero() {
			ends[a] = end
		}
	}
	slices.SortStableFunc(open, func(a, b *Ask) int {
		return cmp.Or(cmp.Compare(b2i(a.State == Held), b2i(b.State == Held)), ends[a].Compare(ends[b]), a.Since.Compare(b.Since))
	})
	slices.SortStableFunc(closed, func(a, b *Ask) int { return b.closed.Compare(a.closed) })
	return append(open, closed...)
}

// Ends returns when a prompt can no longer be answered, as far as that is known:
// the earliest of its task's ttl and of Prompt.Until; zero where neither is.
func (m *Model) Ends(a *Ask) time.Time {
	end := a.Prompt.Until
	if r := m.Row(a.Row); r != nil {
		if expiry, limited := r.Expiry(); limited && (end.IsZero() || expiry.Before(end)) {
			end = expiry
		}
	}
	return end
}

// CanRefuse returns "" where a prompt can be declined or dismissed, else the
// reason why it cannot.
func (m *Model) CanRefuse(id task.PromptID) string {
	a := m.asks[id]
	if a != nil && a.Prompt.Mode == task.SamplingMode && m.byName[a.Server].about.Era == task.Modern {
		return "2026-07-28 has no form for a refusal of a sampling request; leave it open, or cancel the task"
	}
	return ""
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// waits reports whether a person can still do something about it.
func (a *Ask) waits() bool { return a.State == Open || a.State == Answering || a.State == Held }

// prompted takes in a question. One that is known already (a replay) is no
// new one.
func (m *Model) prompted(l *link, p task.Prompt) {
	if m.asks[p.ID] != nil {
		return
	}
	a := &Ask{Prompt: p, Server: l.target.Name, Since: orNow(p.At, m.now), asked: p.Asked()}
	m.asks[p.ID] = a
	m.askOrder = append(m.askOrder, a)
	m.rings++
	m.rev++
	var r *Row
	switch {
	case p.Task != "":
		a.Row = task.Key{Server: l.target.Name, ID: p.Task}
		if r = l.store.tasks[p.Task]; r == nil {
			a.unknown = true
			l.sched.want(p.Task, m.now)
		}
	case p.Call != "":
		if r = l.store.calls[p.Call]; r != nil {
			m.revive(l, r)
		}
	}
	m.inherit(l, a)
	if r != nil {
		m.tie(a, r)
		if p.Visit {
			m.fetchVisit(r)
		}
	}
	m.recordAsk(a, task.Entry{What: task.PromptCame})
	m.trimAsks()
}

// tie hangs an open prompt on its row.
func (m *Model) tie(a *Ask, r *Row) {
	a.Row, a.unknown = r.Key, false
	if w := r.Wish; w != nil && w.ask != nil && w.ask != a && (w.State == Delivered || w.State == NoEffect) {
		switch {
		case w.ask.same(a):
			m.wishMoved(w, NoEffect, "the same is asked again")
		case !slices.ContainsFunc(r.Asks, w.ask.same): // else what it asks besides says nothing
			m.wishMoved(w, Taken, "") // it asks something else now
		}
	}
	r.Asks = append(r.Asks, a)
	m.asksChanged(r)
}

// asksChanged lets what hangs on r's prompts follow.
func (m *Model) asksChanged(r *Row) {
	for _, a := range r.Asks {
		if a.State == Held && a.holder == byModel {
			a.Why = more(waitsFor(r, a))
		}
	}
	if l := m.byName[r.Key.Server]; l != nil && r.Key.ID != "" && r.Live() {
		if w := l.sched.watches[r.Key.ID]; w != nil && w.asking != r.Asking() {
			w.asking = r.Asking()
			if !w.asked {
				l.sched.enqueue(w)
			}
		}
	}
	m.changed(r)
}

// tieLoose ties prompts that came before their task.
func (m *Model) tieLoose(r *Row) {
	for _, a := range m.askOrder {
		if a.unknown && a.Row == r.Key && a.waits() {
			m.tie(a, r)
		}
	}
}

// trimAsks forgets the prompts that came first of those that are closed, where
// they are too many, or ask too much in all.
func (m *Model) trimAsks() {
	closed, size := 0, 0
	gone := map[*Ask]bool{}
	for _, a := range slices.Backward(m.askOrder) {
		if a.waits() {
			continue
		}
		closed++
		if size += a.size(); closed > asksKept || size > askedKept {
			gone[a] = true
		}
	}
	if len(gone) == 0 {
		return
	}
	m.askOrder = slices.DeleteFunc(m.askOrder, func(a *Ask) bool {
		if gone[a] {
			delete(m.asks, a.Prompt.ID)
			delete(m.drafts, a.Prompt.ID)
			m.draftTaken(a)
		}
		return gone[a]
	})
}

// size is about how many bytes a question holds.
func (a *Ask) size() int {
	n := len(a.Prompt.Form.Schema)
	if s := a.Prompt.Sampling; s != nil {
		n += len(s.Raw)
	}
	return n
}

// withdrawn takes in the server's word that a prompt needs no answer any more.
func (m *Model) withdrawn(e task.Withdrawn) {
	a := m.asks[e.Prompt]
	if a == nil || !a.waits() {
		if a != nil {
			a.inferred = false // that the task asks something else now does not open it again
		}
		return
	}
	why := "the server withdrew the question"
	switch {
	case e.Inferred:
		why = m.wentWithout(a)
	case !e.Why.IsZero():
		why += ": " + e.Why.Line()
	}
	if a.State == Answering {
		a.tooLate = why // the answer's own reply tells how it went
		return
	}
	m.closeAsk(a, Withdrawn, why)
	if r := m.Row(a.Row); r != nil {
		m.release(r) // what waited for it alone goes out
	}
}

// What can be known of a question that nobody answered here, and that is asked no
// longer.
const (
	wentOnWhy  = "the task went on without an answer from here: it was answered elsewhere, or given up"
	droppedWhy = "the task does not ask it any more: it was answered elsewhere, or given up"
)

// wentWithout says why a's task asks it no longer, though nobody said so.
func (m *Model) wentWithout(a *Ask) string {
	switch r := m.Row(a.Row); {
	case r != nil && r.Task.Status.Terminal():
		return endedWhy(r.Task.Status)
	case r != nil && r.Task.Status == task.Working:
		return wentOnWhy
	}
	return droppedWhy
}

func endedWhy(s task.Status) string {
	return "the task ended (" + s.String() + ") without an answer from here"
}

// closeAsk ends a prompt and takes it off its row.
func (m *Model) closeAsk(a *Ask, state AskState, why string) {
	a.State, a.Why, a.closed, a.holder = state, why, m.now, nobody
	m.rev++
	m.endSample(a)
	switch {
	case state == Answered && a.Prompt.Polled && !a.fetched:
		// Until the server has it the answer is in our hands alone, and asked for
		// again where these let go of it.
	case state == Answered:
		m.draftSent(a)
	default:
		m.recordAsk(a, task.Entry{What: task.PromptClosed, Text: ownWords(why)})
	}
	kept := ""
	if m.drafts[a.Prompt.ID] != nil {
		kept = "; what was typed is kept"
	}
	if kept == "" && state == Withdrawn && a.again {
		kept = "; the answer is held again where the same is asked"
	}
	if state == Withdrawn && !m.hushed && !m.cancelling(a) {
		key := a.Row
		if key.IsZero() {
			key.Server = a.Server
		}
		m.diary.happened(AwayRow{Kind: AwayWithdrawn, At: m.now, Key: key, Why: ownWords(why)})
	}
	if state == Withdrawn && (kept != "" || !m.cancelling(a)) {
		m.tell(true, "%s can no longer be answered: %s%s.", m.withdrawnNews(a), why, kept)
	}
	if r := m.Row(a.Row); r != nil {
		r.Past = a.past()
		r.Asks = slices.DeleteFunc(r.Asks, func(o *Ask) bool { return o == a })
		m.asksChanged(r)
	}
}

// cancelling reports whether the person wants a's task cancelled: that its
// question goes with it is no news.
func (m *Model) cancelling(a *Ask) bool {
	r := m.Row(a.Row)
	return r != nil && r.Wish != nil && r.Wish.Verb == "cancel" && r.Wish.State != WishFailed && r.Wish.State != NoEffect
}

// closePrompts withdraws all open prompts of a row; answers on their way tell
// their own tale.
func (m *Model) closePrompts(r *Row, why string) {
	for _, a := range slices.Clone(r.Asks) {
		switch {
		case a.Prompt.Visit, a.Prompt.Mode == task.URLMode && needsVisit(r):
			// The call failed for want of this visit, and is sent again after it.
			m.fetchVisit(r)
		case a.State == Answering:
			// It may well have ended because of that answer.
		case a.unsure() && r.Task.Status.Terminal():
			// What became of its answer is told beside it (effect).
		case a.Wish != nil && a.Wish.State == Taken:
			m.closeAsk(a, Answered, "")
		case a.sentWithout(r):
			m.closeAsk(a, Answered, "")
		case a.Prompt.Polled && a.State == Open && (r.Key.ID == "" || a.Prompt.Guessed):
			m.untie(a, r)
		default:
			m.closeAsk(a, Withdrawn, why)
		}
	}
}

// untie makes a question the server's own: the call that it came with has ended,
// and the server has another way to take it back, and can still fetch its answer.
func (m *Model) untie(a *Ask, r *Row) {
	a.Row = task.Key{}
	r.Asks = slices.DeleteFunc(r.Asks, func(o *Ask) bool { return o == a })
	m.asksChanged(r)
	m.rev++
}

// fetchVisit gets the outcome of a task that failed for want of a visit: that, and
// not the task's message, says so.
func (m *Model) fetchVisit(r *Row) {
	if r.Key.ID != "" && r.Task.Status.Terminal() && r.Outcome == nil {
		m.fetch(r.Key)
	}
}

// needsVisit reports whether a call was refused until the person has visited
// an address (-32042; client/elicitation, "URL Elicitation Required Error").
func needsVisit(r *Row) bool {
	const urlElicitationRequired = -32042
	if slices.ContainsFunc(r.Asks, func(a *Ask) bool { return a.Prompt.Visit }) {
		return true
	}
	if r.Outcome == nil {
		return false
	}
	e := r.Outcome.Err
	if e == nil && r.Outcome.Result != nil {
		e = r.Outcome.Result.Err
	}
	return e != nil && e.Code == urlElicitationRequired
}

// promptsMoved keeps a row's prompts in step with its status, which was from
// before a report sent at sentAt.
func (m *Model) promptsMoved(r *Row, from task.Status, sentAt time.Time) {
	switch {
	case r.Task.Status.Terminal():
		m.closePrompts(r, endedWhy(r.Task.Status))
	case r.Task.Status == task.InputRequired:
		m.reopen(r)
	case from == task.InputRequired:
		for _, a := range slices.Clone(r.Asks) {
			switch {
			case a.sentWithout(r):
				m.closeAsk(a, Answered, "")
			case (a.State == Open || a.State == Held) && !a.Prompt.Polled && !sentAt.Before(a.Since) && !m.moving(a):
				a.inferred = true
				m.closeAsk(a, Withdrawn, wentOnWhy)
			}
		}
	}
}

// sentWithout reports whether an answer that the session held went out without a
// receipt: nothing that it waited for is asked any more, and the task went on. A
// call that is no task goes on by the last answer alone.
func (a *Ask) sentWithout(r *Row) bool {
	return r.Key.ID != "" && a.State == Held && a.holder == bySession && waitsFor(r, a) == 0
}

// moving reports whether an answer, to a or to another question of its task,
// may be why the task went on.
func (m *Model) moving(a *Ask) bool {
	if a.Wish != nil && a.Wish.State == WishUnknown {
		return true
	}
	return slices.ContainsFunc(m.askOrder, func(o *Ask) bool {
		return o != a && o.Row == a.Row && o.State != Withdrawn && o.Wish != nil && !o.Wish.At.Before(a.Since)
	})
}

// urlDone takes in that what a URL prompt was for is complete.
func (m *Model) urlDone(id task.PromptID) {
	if a := m.asks[id]; a != nil && a.Prompt.Mode == task.URLMode && !a.Done {
		a.Done = true
		m.rev++
		m.tell(false, "%s says that what the link was for is complete.", a.Server)
	}
}
