package model

import (
	"context"

	"callboard/model/task"
)

// answer sends a reply to a prompt, unless one is on its way. hold keeps it
// until the row's other questions are answered.
func (m *Model) answer(reply task.Reply, hold bool) {
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
		m.answer(task.Reply{Prompt: id, Action: task.Accept}, false)
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

// takeBack opens a prompt again whose answer is held.
func (m *Model) takeBack(id task.PromptID) {
	a := m.asks[id]
	if a == nil || a.State != Held {
		m.tell(true, "No answer is held there.")
		return
	}
	a.State, a.Why, a.reply = Open, "", nil
	m.rev++
	if r := m.Row(a.Row); r != nil {
		m.asksChanged(r)
	}
}
