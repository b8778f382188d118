package model

import (
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
	// intent: the server took a cancel as a wish and told nothing of the task.
	intent bool
	// patient: the task asks for other things too, so that nobody can tell when
	// it should have shown an effect.
	patient bool
	// maybe: it was sent before, and that may have arrived.
	maybe bool
	// bulk: it is one of the Bulk's that are on their way; tries counts the times
	// that it was sent for that.
	bulk  bool
	tries uint8
}

// effectAfter is how long a task may show no effect of what was delivered,
// intentAfter of a cancel that is an intent and no more.
const (
	effectAfter = 10 * time.Second
	intentAfter = 30 * time.Second
)

// settles returns when w is given up to show an effect, zero for never.
func (w *Wish) settles() time.Time {
	switch {
	case w.patient, w.State == WishUnknown:
		return time.Time{}
	case w.intent:
		return w.At.Add(intentAfter)
	}
	return w.At.Add(effectAfter)
}

const unknownWhy = "the link broke after sending; nobody knows whether it arrived"

// wish begins a wish about a row; r may be nil for a prompt of no row.
func (m *Model) wish(r *Row, verb string) *Wish {
	w := &Wish{Verb: verb, State: Sending, At: m.now}
	if r != nil {
		w.key, w.from = r.Key, r.Task.Status
		if !r.Cancelling() || verb == "cancel" {
			if r.Wish != nil && r.Wish.bulk {
				m.bulkMoved(r.Wish, WishUnknown, "something else was wanted of it while the cancel was on its way")
			}
			r.Wish = w // while a cancel is waited for, an answer shows at its question
		}
		if l := m.byName[r.Key.Server]; m.now.Before(l.busyTo) {
			w.Why = "the server asked to be left alone until " + l.busyTo.Format("15:04:05") + "; it is sent then"
		}
		m.changed(r)
	}
	m.rev++
	switch verb {
	case "cancel", "start":
		m.recordWish(w)
	}
	return w
}

// wishMoved takes a wish on to its next state.
func (m *Model) wishMoved(w *Wish, state WishState, why string) {
	moved := state != w.State
	w.State, w.Why, w.At = state, why, m.now
	if moved {
		m.recordWish(w)
	}
	m.rev++
	if r := m.Row(w.key); r != nil {
		m.changed(r)
	}
	m.unwatch(w)
	if w.bulk && state != Sending {
		m.bulkMoved(w, state, why)
	}
	switch {
	case state == Delivered:
		m.watchWish(w)
	case state == WishUnknown && w.ask != nil:
		m.watchWish(w)
		m.draftUnsure(w.ask)
	case state == Taken && w.ask != nil:
		m.draftTaken(w.ask)
	}
}

// watchWish lets an effect of w be waited for.
func (m *Model) watchWish(w *Wish) {
	m.watched = append(m.watched, w)
	if at := w.settles(); !at.IsZero() && (m.watchDue.IsZero() || at.Before(m.watchDue)) {
		m.watchDue = at
	}
}

// unwatch ends that an effect of w is waited for.
func (m *Model) unwatch(w *Wish) {
	m.watched = slices.DeleteFunc(m.watched, func(o *Wish) bool { return o == w })
}

// failedWish says of an error whether the wish failed or its fate is unknown. A
// reply that cannot be read proves nothing, nor does a gateway that got none.
func failedWish(e *task.Error) (WishState, string) {
	switch e.Kind {
	case task.Lost, task.Timeout:
		return WishUnknown, unknownWhy
	case task.Protocol:
		return WishUnknown, unreadable(e)
	case task.NotMCP, task.HTTP:
		if e.Status >= 200 && e.Status < 300 || e.Status == 502 || e.Status == 504 {
			return WishUnknown, unreadable(e)
		}
	default:
	}
	return WishFailed, e.Message.Line()
}

func unreadable(e *task.Error) string {
	return "nobody knows whether it arrived: " + e.Message.Line()
}

// effect looks whether a report about r shows what became of its wishes.
func (m *Model) effect(r *Row, c change) {
	if !c.heard || !(c.moved || c.said) {
		return
	}
	if r.Wish != nil {
		m.effectOn(r.Wish, r, c)
	}
	if c.moved && len(m.watched) > 0 {
		for _, w := range slices.Clone(m.watched) {
			if w.key == r.Key && w != r.Wish {
				m.effectOn(w, r, c)
			}
		}
	}
}

func (m *Model) effectOn(w *Wish, r *Row, c change) {
	switch w.State {
	case Delivered, NoEffect, WishUnknown:
	case Sending, Taken, WishFailed:
		return
	}
	switch {
	case w.ask != nil && w.ask.Prompt.Polled:
		// It is taken once the server fetches it; a task can go on without.
	case w.ask != nil:
		if w.from == task.InputRequired && r.Task.Status == task.InputRequired {
			return
		}
		if w.State == WishUnknown {
			if c.moved {
				m.truthOf(w, r)
			}
			return
		}
		m.wishMoved(w, Taken, "")
	case w.Verb == "cancel" && r.Task.Status.Terminal():
		m.cancelTaken(w, r)
	}
}

// truthOf takes in that the task of an answer whose fate was not known asks no
// longer. Only from one that goes on can be seen that it arrived.
func (m *Model) truthOf(w *Wish, r *Row) {
	a := w.ask
	if a.Wish != w {
		m.unwatch(w) // it was sent again since
		return
	}
	if !wentOn(r) {
		why := "the task ended (" + r.Task.Status.String() + "); nobody knows whether the answer arrived"
		if a.waits() {
			m.closeAsk(a, Withdrawn, why)
		}
		m.wishMoved(w, WishUnknown, why)
		m.unwatch(w)
		return
	}
	if a.State != Answered {
		m.closeAsk(a, Answered, "")
	}
	m.wishMoved(w, Taken, "")
}

// settleWishes tells of what was delivered long ago and shows no effect.
func (m *Model) settleWishes() {
	if m.watchDue.IsZero() || m.now.Before(m.watchDue) {
		return // there may be very many, as of a cancel of many
	}
	defer m.watchAgain()
	for _, w := range slices.Clone(m.watched) {
		if at := w.settles(); at.IsZero() || m.now.Before(at) {
			continue
		}
		r := m.Row(w.key)
		switch {
		case r == nil, w.ask != nil && w.from != task.InputRequired:
			// A task that never said that it asks cannot show that it goes on.
			if w.ask != nil {
				m.draftTaken(w.ask)
			}
			m.unwatch(w)
		case w.ask != nil && len(r.Asks) > 0:
			w.patient = true
		case w.ask != nil && r.Task.Status == task.InputRequired:
			m.wishMoved(w, NoEffect, "the task still asks")
		case w.Verb == "cancel" && r.Live():
			m.wishMoved(w, NoEffect, "the server acknowledged, but the task goes on")
		default:
			m.unwatch(w)
		}
	}
}

// watchAgain works out when settleWishes has something to do next.
func (m *Model) watchAgain() {
	m.watchDue = time.Time{}
	for _, w := range m.watched {
		if at := w.settles(); !at.IsZero() && (m.watchDue.IsZero() || at.Before(m.watchDue)) {
			m.watchDue = at
		}
	}
}

// News of wishes.
type (
	answered struct {
		prompts []task.PromptID
		receipt task.Receipt
		err     *task.Error
		each    []*task.Error // of each prompt, where they went out one by one; else nil
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

// retry sends a row's wish again, on the person's word alone.
func (m *Model) retry(key task.Key) {
	_, r := m.rowLink(key)
	if r == nil || r.Wish == nil {
		m.tell(true, "There is nothing to send again.")
		return
	}
	w := r.Wish
	if w.State != WishFailed && w.State != WishUnknown || w.ask != nil && w.ask.State != Open {
		w = unsent(r, w) // the answer to another question of the row may have failed
	}
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
		m.answerAgain(w, r)
	case w.Verb == "cancel":
		m.cancel(key)
	case w.Verb == "start":
		m.startAgain(r)
	case w.Verb == "result":
		m.fetch(key)
	}
}

// unsent returns the wish of an answer to a question of r that failed, or of which
// nobody knows what became; w where there is none.
func unsent(r *Row, w *Wish) *Wish {
	for _, a := range r.Asks {
		if a.State == Open && a.reply != nil && a.Wish != nil && (a.Wish.State == WishFailed || a.Wish.State == WishUnknown) {
			return a.Wish
		}
	}
	return w
}

// answerAgain sends the answer of a wish again, and with it those of the row that
// failed beside it.
func (m *Model) answerAgain(w *Wish, r *Row) {
	l := m.byName[w.ask.Server]
	var asks []*Ask
	for _, a := range r.Asks {
		if a.State == Open && a.reply != nil && a.Wish != nil && (a.Wish.State == WishFailed || a.Wish.State == WishUnknown) {
			asks = append(asks, a)
		}
	}
	if len(asks) < 2 || l.target.ReadOnly || m.unable(l) != "" {
		m.answer(*w.ask.reply, false)
		return
	}
	m.sendAnswers(l, r, asks)
}

// force allows one try of what the server did not declare.
func (m *Model) force(key task.Key) {
	if key.IsZero() {
		for _, l := range m.links {
			if l.server != nil && l.about.Era == task.Modern {
				m.tell(true, "There is no list to force: %s.", modernList)
				continue
			}
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
	m.tell(false, "One cancel of %s will be tried although the server did not declare it: cancel it now.", r.Key.ID.Text().Line())
}
