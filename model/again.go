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

// reopen opens the prompts of a task that asks again, where only the task's
// going on had spoken against them.
func (m *Model) reopen(r *Row) {
	for _, a := range m.askOrder {
		if a.Row == r.Key && a.State == Withdrawn && a.inferred {
			a.State, a.Why, a.inferred = Open, "", false
			if r.Past != nil && r.Past.id == a.Prompt.ID {
				r.Past = nil
			}
			m.tie(a, r)
		}
	}
}
