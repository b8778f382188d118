package model

import (
	"context"
	"fmt"
	"slices"
	"time"

	"callboard/model/task"
)

// WishState is how far a wish got.
type WishState uint8

// The states of a wish (design: Acting).
const (
	Sending     WishState = iota + 1
	Delivered             // acknowledged
	Taken                 // the task moved on
	NoEffect              // no effect seen
	WishFailed            // failed: Why; R sends it again
	WishUnknown           // the link broke after sending; the truth is polled
)

// String returns the state in a few words.
func (s WishState) String() string {
	return [...]string{"", "sending", "delivered", "taken", "no effect seen", "failed", "unknown"}[s]
}

// Wish is one thing that the person wanted and what became of it.
type Wish struct {
	Verb  string // "answer", "decline", "dismiss", "cancel", "start", "result"
	State WishState
	Why   string // one line for WishFailed, NoEffect, WishUnknown; what is not proved, or what Sending waits for
	At    time.Time

	key  task.Key    // the row, zero for none
	ask  *Ask        // of an answer
	from task.Status // the task's status when it was sent
}

// effectAfter is how long a task may show no effect of what was delivered.
const effectAfter = 10 * time.Second

const unknownWhy = "the link broke after sending; nobody knows whether it arrived"

// wish begins a wish about a row; r may be nil for a prompt of no row.
func (m *Model) wish(r *Row, verb string) *Wish {
	w := &Wish{Verb: verb, State: Sending, At: m.now}
	if r != nil {
		w.key, w.from = r.Key, r.Task.Status
		r.Wish = w
		if l := m.byName[r.Key.Server]; m.now.Before(l.busyTo) {
			w.Why = "the server asked to be left alone until " + l.busyTo.Format("15:04:05") + "; it is sent then"
		}
		m.changed(r)
	}
	m.rev++
	return w
}

// wishMoved takes a wish on to its next state.
func (m *Model) wishMoved(w *Wish, state WishState, why string) {
	w.State, w.Why, w.At = state, why, m.now
	m.rev++
	if r := m.Row(w.key); r != nil {
		m.changed(r)
	}
	m.watched = slices.DeleteFunc(m.watched, func(o *Wish) bool { return o == w })
	if state == Delivered {
		m.watched = append(m.watched, w)
	}
}

// failedWish says of an error whether the wish failed or its fate is unknown.
func failedWish(e *task.Error) (WishState, string) {
	if e.Kind == task.Lost || e.Kind == task.Timeout {
		return WishUnknown, unknownWhy
	}
	return WishFailed, e.Message.Line()
}

// effect looks whether a report about r shows what became of its wish.
func (m *Model) effect(r *Row, c change) {
	w := r.Wish
	if w == nil || !c.heard || !(c.moved || c.said) {
		return
	}
	switch w.State {
	case Delivered, NoEffect, WishUnknown:
	case Sending, Taken, WishFailed:
		return
	}
	switch {
	case w.ask != nil:
		if w.from == task.InputRequired && r.Task.Status == task.InputRequired {
			return
		}
		if w.State == WishUnknown {
			if !c.moved {
				return
			}
			if w.ask.waits() {
				m.closeAsk(w.ask, Answered, "")
			}
		}
		m.wishMoved(w, Taken, "")
	case w.Verb == "cancel" && r.Task.Status.Terminal():
		m.cancelTaken(w, r)
	}
}

// settleWishes tells of what was delivered long ago and shows no effect.
func (m *Model) settleWishes() {
	for _, w := range slices.Clone(m.watched) {
		if m.now.Sub(w.At) < effectAfter {
			continue
		}
		r := m.Row(w.key)
		switch {
		case r == nil, w.ask != nil && w.from != task.InputRequired:
			// A task that never said that it asks cannot show that it goes on.
			m.watched = slices.DeleteFunc(m.watched, func(o *Wish) bool { return o == w })
		case w.ask != nil && r.Task.Status == task.InputRequired:
			m.wishMoved(w, NoEffect, "the task still asks")
		case w.Verb == "cancel" && r.Live():
			m.wishMoved(w, NoEffect, "the server acknowledged, but the task goes on")
		default:
			m.watched = slices.DeleteFunc(m.watched, func(o *Wish) bool { return o == w })
		}
	}
}

// News of wishes.
type (
	answered struct {
		prompt task.PromptID
		err    *task.Error
	}
	cancelledNews struct {
		id          task.ID
		before      *task.Task
		after       task.Task
		asked, sent time.Time
		err         *task.Error
	}
	abandoned struct {
		call task.CallID
		err  *task.Error
	}
)

// answer sends a reply to a prompt, unless one is on its way.
func (m *Model) answer(reply task.Reply) {
	a := m.asks[reply.Prompt]
	if a == nil {
		m.tell(true, "That question is not known any more.")
		return
	}
	l := m.byName[a.Server]
	switch why := m.unable(l); {
	case m.options.ReadOnly:
		m.tell(true, "Nothing is sent: %s.", readOnlyWhy)
		return
	case a.State == Answering:
		m.tell(true, "That answer is being sent already.")
		return
	case a.State == Answered:
		m.tell(true, "That question was answered already.")
		return
	case a.State == Withdrawn:
		m.tell(true, "Too late: %s. What was typed is kept.", a.Why)
		return
	case why != "":
		m.tell(true, "Nothing is sent: %s. What was typed is kept.", why)
		return
	}
	verb := "answer"
	switch reply.Action {
	case task.Decline:
		verb = "decline"
	case task.Dismiss:
		verb = "dismiss"
	case task.Accept:
	}
	w := m.wish(m.Row(a.Row), verb)
	w.ask = a
	a.State, a.Why, a.Wish, a.reply, a.tooLate = Answering, "", w, &reply, ""
	m.ask(l, callLimit, func(ctx context.Context, s Server) any {
		_, err := s.Answer(ctx, reply)
		return answered{reply.Prompt, asError(err)}
	})
}

// opened sends accept for a URL prompt that the person consented to.
func (m *Model) opened(id task.PromptID) {
	a := m.asks[id]
	if a == nil || a.Prompt.Mode != task.URLMode {
		return
	}
	if a.Opened.IsZero() {
		a.Opened = m.now
	}
	if a.State != Answered {
		m.answer(task.Reply{Prompt: id, Action: task.Accept})
	}
}

// answered takes in how the sending of an answer went.
func (m *Model) answered(l *link, n answered) {
	a := m.asks[n.prompt]
	if a == nil || a.State != Answering {
		return
	}
	r := m.Row(a.Row)
	switch {
	case a.tooLate != "" && !(n.err == nil && wentOn(r)):
		m.wishMoved(a.Wish, WishFailed, "it came too late: "+a.tooLate)
		m.closeAsk(a, Withdrawn, "the answer came too late: "+a.tooLate)
	case n.err == nil:
		m.wishMoved(a.Wish, Delivered, "")
		m.closeAsk(a, Answered, "")
		if r != nil && (a.Wish.from == task.InputRequired && r.Task.Status != task.InputRequired || !r.Live()) {
			m.wishMoved(a.Wish, Taken, "") // it went on before the receipt came
		}
	default:
		state, why := failedWish(n.err)
		a.State, a.Why = Open, why
		m.wishMoved(a.Wish, state, why)
		if r != nil && !r.Live() {
			m.closeAsk(a, Withdrawn, "the task has ended; the answer: "+why)
			break
		}
		m.tell(true, "The answer to %s: %s. R sends it again.", a.Server, why)
	}
	if r != nil && r.Key.ID != "" && r.Live() {
		l.sched.want(r.Key.ID, m.now) // what did it do?
	}
	if n.err != nil {
		m.troubled(l, n.err)
	}
}

// wentOn reports whether a task whose question was withdrawn while an answer
// was on its way shows that the answer came in time.
func wentOn(r *Row) bool {
	return r != nil && (r.Task.Status == task.Working || r.Task.Status == task.Completed)
}

// cancel cancels a task, or gives a plain call up.
func (m *Model) cancel(key task.Key) {
	l, r := m.rowLink(key)
	if why := m.CanCancel(key); why != "" {
		m.tell(true, "Not cancelled: %s.", why)
		return
	}
	if r.Wish != nil && r.Wish.Verb == "cancel" && r.Wish.State == Sending {
		m.tell(true, "That cancel is being sent already.")
		return
	}
	if r.Key.ID == "" {
		m.abandon(l, r)
		return
	}
	m.wish(r, "cancel")
	id := r.Key.ID
	delete(l.forceStop, id) // forced once
	m.ask(l, callLimit, func(ctx context.Context, s Server) any {
		n := cancelledNews{id: id, asked: time.Now()}
		// A cancelled task may be gone at once: what it says now is fetched first.
		first, done := context.WithTimeout(ctx, stalledAfter)
		if t, err := s.Get(first, id); err == nil {
			n.before = &t
		}
		done()
		n.sent = time.Now()
		t, err := s.Cancel(ctx, id)
		n.after, n.err = t, asError(err)
		return n
	})
}

// notProof is what an acknowledged cancel leaves open.
const notProof = "it does not prove that the work stopped, or that what was done is undone"

func (m *Model) cancelled(l *link, n cancelledNews) {
	if n.before != nil && n.before.ID == n.id {
		m.take(l, report{task: *n.before, how: task.Polled, sentAt: n.asked, at: m.now})
	}
	r := l.store.tasks[n.id]
	if r == nil || r.Wish == nil || r.Wish.Verb != "cancel" || r.Wish.State != Sending {
		return
	}
	w := r.Wish
	if n.err != nil {
		state, why := failedWish(n.err)
		if n.err.Kind == task.RPC {
			why = "the server refused: " + why
		}
		m.wishMoved(w, state, why)
		m.tell(true, "Cancel of %s: %s.", r.Key.ID.Text().Line(), why)
		if r.Live() {
			l.sched.want(n.id, m.now)
		}
		m.troubled(l, n.err)
		return
	}
	m.wishMoved(w, Delivered, notProof)
	if n.after.ID == n.id {
		m.take(l, report{task: n.after, how: task.Acted, sentAt: n.sent, at: m.now})
	}
	switch {
	case !r.Live() && w.State == Delivered:
		m.cancelTaken(w, r)
	case r.Live():
		l.sched.want(n.id, m.now)
	}
}

func (m *Model) cancelTaken(w *Wish, r *Row) {
	why := notProof
	if r.Task.Status != task.Cancelled {
		why = fmt.Sprintf("the task had ended otherwise (%s)", r.Task.Status)
	}
	m.wishMoved(w, Taken, why)
}

// retry sends a row's wish again, on the person's word alone.
func (m *Model) retry(key task.Key) {
	_, r := m.rowLink(key)
	if r == nil || r.Wish == nil {
		m.tell(true, "There is nothing to send again.")
		return
	}
	w := r.Wish
	switch w.State {
	case WishFailed, WishUnknown, NoEffect:
	case Sending, Delivered, Taken:
		m.tell(true, "There is nothing to send again: %s, %s.", w.Verb, w.State)
		return
	}
	switch {
	case w.ask != nil && w.State == NoEffect:
		m.tell(true, "The answer was delivered; it is not sent twice.")
	case w.ask != nil:
		m.answer(*w.ask.reply)
	case w.Verb == "cancel":
		m.cancel(key)
	case w.Verb == "start":
		m.startAgain(r)
	case w.Verb == "result":
		m.fetch(key)
	}
}

// force allows one try of what the server did not declare.
func (m *Model) force(key task.Key) {
	if key.IsZero() {
		for _, l := range m.links {
			if l.server != nil && l.sweep == nil && !m.now.Before(l.sched.hold) {
				l.sched.sweeping, l.sched.sweepFrom = true, m.now
				m.startSweep(l)
			}
		}
		return
	}
	l, r := m.rowLink(key)
	if r == nil || r.Key.ID == "" || l.about.Cancel != task.CanNo {
		m.tell(true, "There is nothing to force here.")
		return
	}
	l.forceStop[r.Key.ID] = true
	m.rev++
	m.tell(false, "One cancel of %s will be tried although the server did not declare it: press c.", r.Key.ID.Text().Line())
}
