package model

import (
	"slices"

	"callboard/model/task"
)

// same reports whether a and b ask the same.
func (a *Ask) same(b *Ask) bool { return a.Server == b.Server && a.asked == b.asked }

// sameKey reports whether a and b have one key of inputRequests, which outlives
// the link; the ids of requests in the Legacy era do not.
func (m *Model) sameKey(a, b *Ask) bool {
	l := m.byName[a.Server]
	return l.about.Era != task.Modern || a.Prompt.Key == b.Prompt.Key
}

// inherit gives a question that is asked again what was typed for it, and holds
// the answer that was held when the link broke. That one goes out with the next
// answer of the person, never by itself.
func (m *Model) inherit(l *link, a *Ask) {
	m.offerDraft(l, a)
	m.askedStill(a)
	for _, old := range slices.Backward(m.askOrder[:len(m.askOrder)-1]) {
		if old.again && old.State == Withdrawn && old.same(a) && old.Prompt.Task == a.Prompt.Task && m.sameKey(old, a) {
			reply := *old.reply
			reply.Prompt = a.Prompt.ID
			a.State, a.holder, a.reply = Held, byModel, &reply
			old.again = false
			return
		}
	}
}

// stillAsks is what a question means that is asked after an answer whose fate is
// not known.
const (
	stillAsks = "it still asks: the answer did not arrive, or is being looked at"
	// In the Legacy era nobody can see which of its questions a task still asks.
	mayAsk = "the task asks other things too, so that nobody can see whether the answer arrived"
)

// unsure reports whether nobody knows what became of a's answer.
func (a *Ask) unsure() bool { return a.Wish != nil && a.Wish.State == WishUnknown }

// askedStill takes in that a asks what was answered when the link broke: the
// answer hangs on a now, so that R sends it again there, on the person's word.
func (m *Model) askedStill(a *Ask) {
	for _, old := range slices.Backward(m.askOrder[:len(m.askOrder)-1]) {
		if old.State != Withdrawn || !old.unsure() || old.reply == nil || !old.same(a) ||
			old.Prompt.Task != a.Prompt.Task || !m.sameKey(old, a) {
			continue
		}
		reply := *old.reply
		reply.Prompt = a.Prompt.ID
		a.reply, a.Wish, a.Why = &reply, old.Wish, stillAsks
		a.Wish.ask, old.Wish = a, nil
		m.wishMoved(a.Wish, WishUnknown, stillAsks)
		return
	}
}

// asksStill takes in that r was seen to ask after answers whose fate is not known.
func (m *Model) asksStill(r *Row, rep report) {
	for _, a := range r.Asks {
		if a.State != Open || !a.unsure() || !rep.sentAt.After(a.Wish.At) {
			continue
		}
		why := stillAsks
		if m.byName[a.Server].about.Era != task.Modern && slices.ContainsFunc(r.Asks, func(o *Ask) bool { return o.State == Open && !o.unsure() }) {
			why = mayAsk
		}
		if a.Why == why {
			continue
		}
		a.Why = why
		m.wishMoved(a.Wish, WishUnknown, why)
		m.tell(true, "The answer to %s: %s. :retry sends it again.", a.Server, why)
	}
}

// reopen opens the prompts of a task that asks again, where only the task's
// going on had spoken against them.
func (m *Model) reopen(r *Row) {
	for _, a := range m.askOrder {
		if a.Row == r.Key && a.State == Withdrawn && a.inferred {
			a.State, a.Why, a.inferred = Open, "", false
			if r.Past != nil && r.Past.id == a.Prompt.ID {
				r.Past = nil
			}
			m.offerDraft(m.byName[a.Server], a)
			m.recordAsk(a, task.Entry{What: task.PromptCame, Text: "the task asks it again"})
			m.tie(a, r)
		}
	}
}
