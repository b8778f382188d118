package model

import (
	"context"
	"fmt"
	"slices"

	"callboard/model/task"
)

// answer sends a reply to a prompt, unless one is on its way. hold keeps it
// until the row's other questions are answered; then all go together.
func (m *Model) answer(reply task.Reply, hold bool) {
	a := m.asks[reply.Prompt]
	if a == nil {
		m.tell(true, "That question is not known any more.")
		return
	}
	l := m.byName[a.Server]
	switch why := m.unable(l); {
	case l.target.ReadOnly:
		m.tell(true, "Nothing is sent: %s.", l.readOnlyWhy())
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
	case reply.Action != task.Accept && m.CanRefuse(reply.Prompt) != "":
		m.tell(true, "Not refused: %s.", m.CanRefuse(reply.Prompt))
		return
	}
	a.reply = &reply
	r := m.Row(a.Row)
	if hold && waitsFor(r, a) > 0 {
		m.hold(a, byModel)
		return
	}
	group := []*Ask{a}
	if waitsFor(r, a) == 0 {
		group = append(heldHere(r, a), a)
	}
	m.sendAnswers(l, r, group)
}

// sendAnswers sends the replies of a row's prompts in one message, as far as the
// generation lets them go together.
func (m *Model) sendAnswers(l *link, r *Row, asks []*Ask) {
	replies := make([]task.Reply, len(asks))
	for i, a := range asks {
		replies[i] = *a.reply
		w := m.wish(r, verbOf(a.reply.Action))
		w.ask, w.maybe = a, a.unsure()
		a.State, a.Why, a.Wish, a.holder, a.tooLate, a.untaken = Answering, "", w, nobody, "", nil
		m.recordWish(w)
	}
	if r != nil {
		m.asksChanged(r)
	}
	// Each is a message of its own in the Legacy era, with a fate of its own.
	oneByOne := l.about.Era != task.Modern
	m.ask(l, callLimit, func(ctx context.Context, s Server) any {
		var n answered
		for _, reply := range replies {
			n.prompts = append(n.prompts, reply.Prompt)
		}
		if !oneByOne {
			receipt, err := s.Answer(ctx, replies...)
			n.receipt, n.err = receipt, asError(err)
			return n
		}
		for _, reply := range replies {
			_, err := s.Answer(ctx, reply)
			n.each = append(n.each, asError(err))
			if err != nil && n.err == nil {
				n.err = asError(err)
			}
		}
		return n
	})
}

func verbOf(action task.Action) string {
	switch action {
	case task.Decline:
		return "decline"
	case task.Dismiss:
		return "dismiss"
	case task.Accept:
	}
	return "answer"
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
		m.answer(task.Reply{Prompt: id, Action: task.Accept}, false)
	}
}

// answered takes in how the sending of answers went. Where they are held by the
// session for want of others, the last receipt speaks for all.
func (m *Model) answered(l *link, n answered) {
	var row task.Key
	for i, id := range n.prompts {
		err := n.err
		if n.each != nil {
			err = n.each[i]
		}
		a := m.asks[id]
		if a == nil || a.State != Answering {
			continue
		}
		row = a.Row
		if err == nil && n.receipt.Waits > 0 && a.tooLate == "" {
			m.unwish(a)
			m.hold(a, bySession)
			continue
		}
		m.answeredOne(a, err)
	}
	m.keepNow(l) // what is answered is not asked again
	r := m.Row(row)
	m.heldAnswered(r, n)
	if r != nil {
		if n.err == nil && n.receipt.Waits == 0 {
			m.release(r)
		}
		if r.Key.ID != "" && r.Live() {
			l.sched.want(r.Key.ID, m.now) // what did it do?
		}
	}
	if n.err != nil {
		m.troubled(l, n.err)
	}
}

// answeredOne takes in how the sending of one answer went.
func (m *Model) answeredOne(a *Ask, err *task.Error) {
	r := m.Row(a.Row)
	if err == nil {
		err = a.untaken
	}
	switch {
	case a.tooLate != "" && !(err == nil && wentOn(r)):
		m.wishMoved(a.Wish, WishFailed, "it came too late: "+a.tooLate)
		m.closeAsk(a, Withdrawn, "the answer came too late: "+a.tooLate)
	case err == nil:
		m.wishMoved(a.Wish, Delivered, fetchedLater(a))
		m.closeAsk(a, Answered, "")
		switch {
		case a.fetched: // before the receipt came
			m.wishMoved(a.Wish, Taken, "")
		case r == nil, a.Prompt.Polled:
		case r.Key.ID == "" && !r.Live() && r.Outcome != nil: // so was its end
			m.lastAnswers(r, r.Outcome.Err)
		case a.Wish.from == task.InputRequired && r.Task.Status != task.InputRequired || !r.Live():
			m.wishMoved(a.Wish, Taken, "") // it went on before the receipt came
		}
	default:
		state, why := failedWish(err)
		if state == WishFailed && a.Wish.maybe {
			state, why = WishUnknown, "it was not sent again ("+why+"), and nobody knows whether it arrived before"
		}
		a.State, a.Why = Open, why
		m.wishMoved(a.Wish, state, why)
		if r != nil && !r.Live() {
			m.closeAsk(a, Withdrawn, "the task has ended; the answer: "+why)
			break
		}
		if r != nil {
			m.asksChanged(r)
		}
		m.tell(true, "The answer to %s: %s. :retry sends it again.", a.Server, why)
	}
}

// fetchedLater says of the answer to a Polled prompt how it goes on.
func fetchedLater(a *Ask) string {
	if a.Prompt.Polled {
		return "it is ready, and kept until the server fetches it"
	}
	return ""
}

// heldAnswered takes in what a receipt means for the answers of the row that the
// session holds.
func (m *Model) heldAnswered(r *Row, n answered) {
	if r == nil {
		return
	}
	lost := n.err != nil && (n.err.Kind == task.Lost || n.err.Kind == task.Timeout)
	for _, a := range slices.Clone(r.Asks) {
		switch {
		case a.State != Held || a.holder != bySession:
		case n.err == nil && n.receipt.Waits > 0:
			a.Why = more(n.receipt.Waits)
		case n.err == nil || lost: // they went out, or may have
			m.wentOut(r, a, n.err)
		}
	}
}

// wentOut takes in how the sending of an answer went that the session held.
func (m *Model) wentOut(r *Row, a *Ask, err *task.Error) {
	a.Wish = m.wish(r, verbOf(a.reply.Action))
	a.Wish.ask, a.State, a.holder = a, Answering, nobody
	m.recordWish(a.Wish)
	m.answeredOne(a, err)
}

// delivered takes in what became of answers that the session held and sent by
// itself.
func (m *Model) delivered(l *link, e task.Delivered) {
	for _, id := range e.Prompts {
		a := m.asks[id]
		if a == nil || a.reply == nil {
			continue
		}
		r := m.Row(a.Row)
		switch {
		case a.State == Held && a.holder == bySession:
			m.wentOut(r, a, e.Err)
		case a.State == Answered && a.Wish != nil && e.Err != nil:
			m.notTaken(r, a, e.Err)
		case a.State == Answering && e.Err != nil:
			a.untaken = e.Err // its receipt is still to come
		case a.State == Answered && a.Wish == nil && e.Err != nil && e.Err.Kind != task.Lost && e.Err.Kind != task.Timeout:
			// It was taken for sent, since its task went on.
			m.closeAsk(a, Withdrawn, "the answer was not taken: "+e.Err.Message.Line())
		}
		if r != nil && r.Key.ID != "" && r.Live() {
			l.sched.want(r.Key.ID, m.now)
		}
	}
	if e.Err != nil {
		m.troubled(l, e.Err)
	}
}

// answerFetched takes in that the server came for an answer that was kept for it,
// or never will.
func (m *Model) answerFetched(l *link, e task.Fetched) {
	a := m.asks[e.Prompt]
	if a == nil || a.Wish == nil {
		return
	}
	if e.Never.IsZero() {
		a.fetched = true
		if a.State == Answered {
			m.draftSent(a)
			m.wishMoved(a.Wish, Taken, "")
		}
		return
	}
	m.wishMoved(a.Wish, NoEffect, e.Never.Line())
	m.tell(true, "The answer to %s: %s.", l.target.Name, e.Never.Line())
}

// notTaken takes in that an answer did not go out after all, though it was taken
// for sent: it can be sent again.
func (m *Model) notTaken(r *Row, a *Ask, err *task.Error) {
	state, why := failedWish(err)
	a.State, a.Why = Open, why
	m.wishMoved(a.Wish, state, why)
	if r != nil {
		if r.Past != nil && r.Past.id == a.Prompt.ID {
			r.Past = nil
		}
		r.Wish, r.Asks = a.Wish, append(r.Asks, a)
		m.asksChanged(r)
	}
	m.tell(true, "The answer to %s: %s. :retry sends it again.", a.Server, why)
}

// unwish takes away the wish of an answer that did not go out.
func (m *Model) unwish(a *Ask) {
	if r := m.Row(a.Row); r != nil && r.Wish == a.Wish {
		r.Wish = nil
	}
	a.Wish = nil
}

// holder says who holds an answer.
type holder uint8

const (
	nobody    holder = iota
	byModel          // on the person's wish
	bySession        // the server takes all answers together
)

// hold keeps an answer until those to the row's other questions are there.
func (m *Model) hold(a *Ask, by holder) {
	a.State, a.holder = Held, by
	m.rev++
	if r := m.Row(a.Row); r != nil {
		m.asksChanged(r)
	}
}

// waitsFor returns how many questions of r beside a are open.
func waitsFor(r *Row, a *Ask) int {
	n := 0
	if r != nil {
		for _, o := range r.Asks {
			if o != a && o.State == Open {
				n++
			}
		}
	}
	return n
}

// heldHere returns the questions of r beside a whose answers we hold.
func heldHere(r *Row, a *Ask) []*Ask {
	var held []*Ask
	if r != nil {
		for _, o := range r.Asks {
			if o != a && o.State == Held && o.holder == byModel {
				held = append(held, o)
			}
		}
	}
	return held
}

// release sends what is held for r where nothing is open any more.
func (m *Model) release(r *Row) {
	l := m.byName[r.Key.Server]
	if l.server == nil || !r.Live() || waitsFor(r, nil) > 0 {
		return
	}
	if held := heldHere(r, nil); len(held) > 0 {
		m.sendAnswers(l, r, held)
	}
}

// more says for how many answers one waits.
func more(n int) string {
	switch n {
	case 0:
		return "nothing else is asked any more: open it, and send it"
	case 1:
		return "1 more answer before it goes out"
	}
	return fmt.Sprintf("%d more answers before it goes out", n)
}

// takeBack opens a prompt again whose answer is held.
func (m *Model) takeBack(id task.PromptID) {
	a := m.asks[id]
	switch {
	case a == nil || a.State != Held:
		m.tell(true, "No answer is held there.")
		return
	case a.holder == bySession:
		m.tell(false, "The answer waits for the others; a new one takes its place.")
		return
	}
	a.State, a.Why, a.holder, a.reply = Open, "", nobody, nil
	m.rev++
	if r := m.Row(a.Row); r != nil {
		m.asksChanged(r)
	}
}

// wentOn reports whether a task whose question was withdrawn while an answer
// was on its way shows that the answer came in time.
func wentOn(r *Row) bool {
	return r != nil && (r.Task.Status == task.Working || r.Task.Status == task.Completed)
}
