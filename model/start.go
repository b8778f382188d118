package model

import (
	"context"
	"crypto/rand"
	"slices"

	"callboard/model/task"
)

// startMost is how many calls may be under way to one server.
const startMost = 64

// NewCallID returns a CallID never used before.
func NewCallID() task.CallID { return task.CallID("call-" + rand.Text()) }

// News of starting.
type begun struct {
	call task.CallID
	err  *task.Error
	kept error // why it could not be noted that it goes out
}

// start sends a tools/call; its row stands at once.
func (m *Model) start(server string, call task.Call) {
	l := m.byName[server]
	if why := m.CanStart(server); why != "" {
		m.tell(true, "Not started: %s.", why)
		return
	}
	if l.store.calls[call.ID] != nil {
		m.tell(true, "That call was sent already.")
		return
	}
	r := &Row{
		Key: task.Key{Server: server, Call: call.ID}, Call: &call, Tool: task.CleanLine(call.Tool, 256), known: true,
	}
	for _, t := range l.tools.Tools {
		if t.Name == call.Tool && !t.Title.IsZero() {
			r.Tool = t.Title
		}
	}
	m.board.add(r)
	m.send(l, r, call)
}

// startAgain sends the call of a start that failed again, under a new id; the
// row stays.
func (m *Model) startAgain(r *Row) {
	l := m.byName[r.Key.Server]
	if why := m.CanStart(r.Key.Server); why != "" {
		m.tell(true, "Not started: %s.", why)
		return
	}
	m.settle(r)
	call := *r.Call
	call.ID = NewCallID()
	if m.selected == r.Key {
		m.selected.Call = call.ID
	}
	m.board.rename(r, func() { r.Key.Call, r.Call = call.ID, &call }) // the old id goes on to name the row
	m.send(l, r, call)
}

// send puts a call on its way.
func (m *Model) send(l *link, r *Row, call task.Call) {
	l.store.calls[call.ID] = r
	l.starts++
	r.Plain = !call.AsTask
	r.Task, r.How, r.Mark, r.Outcome = task.Task{Status: task.Working}, task.Created, NoMark, nil
	r.First, r.Since, r.Began, r.Heard = At(m.now), At(m.now), At(m.now), At(m.now)
	r.addStep(task.Step{Status: task.Working, At: m.now, How: task.Created})
	m.wish(r, "start")
	r.Sent = &task.Sent{Call: call.ID, Tool: call.Tool, Digest: task.Digest(call.Args), Session: l.session, At: m.now}
	m.keep(l, m.resumeChange(l)...)
	sent, mem := *r.Sent, l.target.Memory
	m.ask(l, callLimit, func(ctx context.Context, s Server) any {
		n := begun{call: call.ID, kept: noteSent(ctx, mem, sent)}
		n.err = asError(s.Start(ctx, call))
		return n
	})
}

// noteSent writes down that a call goes out, so that it is not forgotten where
// callboard dies before its reply. The call goes out all the same where that
// does not work.
func noteSent(ctx context.Context, mem Memory, sent task.Sent) error {
	if mem == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushLimit)
	defer cancel()
	return safely(func() error {
		mem.Keep(task.KeepSent{Sent: sent})
		return mem.Flush(ctx)
	})
}

// settle notes that it is known what became of a row's call, or that the person
// has seen that it is not.
func (m *Model) settle(r *Row) {
	if r.Sent != nil {
		m.keep(m.byName[r.Key.Server], task.Settled{Call: r.Sent.Call})
	}
}

// begun takes in that a call is on its way, or could not be sent.
func (m *Model) begun(l *link, n begun) {
	if n.kept != nil {
		m.warned(l, n.kept)
	}
	r := l.store.calls[n.call]
	if r == nil || r.Wish == nil || r.Wish.Verb != "start" || r.Wish.State != Sending {
		return
	}
	if n.err == nil {
		m.wishMoved(r.Wish, Delivered, "")
		return
	}
	l.starts--
	state, why := failedWish(n.err)
	if state == WishUnknown {
		r.Mark = UnknownOutcome
	} else {
		m.callEnded(r, task.Failed)
	}
	r.Outcome = &Outcome{Err: n.err, At: m.now}
	m.wishMoved(r.Wish, state, why)
	m.tell(true, "Start of %s: %s. :retry sends it again.", r.Tool.Line(), why)
	m.troubled(l, n.err)
}

// callEnded gives a call's row its last status.
func (m *Model) callEnded(r *Row, s task.Status) {
	from := r.Task.Status
	r.Task.Status, r.Since, r.Heard, r.How = s, At(m.now), At(m.now), task.Replied
	m.recordRow(m.byName[r.Key.Server], r, task.Entry{What: task.StatusChanged, From: from, To: s, How: task.Replied})
	r.addStep(task.Step{Status: s, At: m.now, How: task.Replied})
	m.settle(r)
	m.closePrompts(r, "the call ended")
	m.changed(r)
}

// started takes in that a call became a task. Its row is found by both names
// from now on.
func (m *Model) started(l *link, e task.Started) {
	call := l.store.calls[e.Call]
	rep := report{task: e.Task, how: task.Created, sentAt: m.now, at: m.now}
	if call == nil || call.Key.ID != "" {
		m.take(l, rep)
		return
	}
	m.revive(l, call)
	m.goesOn(l, call)
	if call.Live() {
		l.starts--
	}
	rep.sentAt = call.First.Time() // a push that came meanwhile is newer
	r := l.store.tasks[e.Task.ID]
	if r == nil {
		r = m.becomes(l, call, rep)
		m.recordRow(l, r, task.Entry{What: task.TaskSeen, To: e.Task.Status, How: task.Created})
	} else {
		m.merge(l, r, call)
		m.take(l, rep)
	}
	if r.Note = e.Note; r.How == task.Created {
		r.How = r.told()
	}
	m.handled(l, r, task.Handle{Tool: call.Sent.Tool, Digest: call.Sent.Digest})
	m.settle(call)
	if r.Wish != nil && r.Wish.Verb == "start" {
		m.wishMoved(r.Wish, Taken, "")
	}
	m.changed(r)
}

// becomes turns the row of a call into that of its task.
func (m *Model) becomes(l *link, r *Row, rep report) *Row {
	if m.selected == r.Key {
		m.selected = task.Key{Server: r.Key.Server, ID: rep.task.ID}
		l.sched.selected = rep.task.ID
	}
	m.board.rename(r, func() {
		r.Key = task.Key{Server: r.Key.Server, ID: rep.task.ID}
		r.Plain, r.known = false, true
	})
	l.store.tasks[rep.task.ID] = r
	for _, a := range r.Asks {
		a.Row = r.Key
	}
	m.rekeyWish(r)
	m.take(l, rep)
	m.tieLoose(r)
	m.watch(l, r, task.Created)
	return r
}

// merge lets the row of a task that was pushed before our call's reply take
// over what the call's row holds.
func (m *Model) merge(l *link, r, call *Row) {
	m.board.replace(call, r)
	m.uncount(call)
	if m.selected == call.Key {
		m.selected = r.Key
		l.sched.selected = r.Key.ID
	}
	m.marks.moveMark(m, call, r)
	l.store.calls[call.Key.Call] = r
	r.Call, r.Tool, r.Progress, r.known, r.Sent = call.Call, call.Tool, call.Progress, true, call.Sent
	r.unfold()
	r.Wish, r.First = call.Wish, call.First
	r.precede(call.Steps())
	if r.Mark == PushOnly {
		r.Mark = NoMark
	}
	if call.Past != nil {
		r.Past = call.Past
	}
	for _, a := range call.Asks {
		a.Row = r.Key
		r.Asks = append(r.Asks, a)
	}
	m.rekeyWish(r)
}

// rekeyWish lets a row's wish name the row by its new key.
func (m *Model) rekeyWish(r *Row) {
	if r.Wish != nil {
		r.Wish.key = r.Key
	}
}

// told is how the reply to a call is learnt: of one that an earlier run sent, by the
// stream that was resumed.
func (r *Row) told() task.How {
	if r.Call == nil {
		return task.Pushed
	}
	return task.Created
}

// revive takes in that a call whose outcome was not known is heard of again: its
// stream was resumed.
func (m *Model) revive(l *link, r *Row) {
	if r.Key.ID != "" || r.Mark != UnknownOutcome || r.Task.Status.Terminal() {
		return
	}
	l.starts++
	r.Mark, r.Outcome, r.How, r.Heard = NoMark, nil, r.told(), At(m.now)
	m.changed(r)
}

// goesOn takes in that a call which was given up, and so was taken for cancelled,
// had become a task before that: the task goes on.
func (m *Model) goesOn(l *link, r *Row) {
	w := r.Wish
	if r.Task.Status != task.Cancelled || w == nil || w.Verb != "cancel" {
		return
	}
	l.starts++
	r.Task.Status, r.Since, r.Heard, r.How = task.Working, At(m.now), At(m.now), r.told()
	m.recordRow(l, r, task.Entry{What: task.StatusChanged, From: task.Cancelled, To: task.Working, How: r.How})
	r.addStep(task.Step{Status: task.Working, At: m.now, How: r.How})
	m.wishMoved(w, NoEffect, "it had become a task before, which goes on")
	m.tell(true, "%s had become a task before it was given up: it goes on, and can be cancelled as that.", r.Tool.Line())
	m.changed(r)
}

// returned takes in the end of a call that did not become a task.
func (m *Model) returned(l *link, e task.Returned) {
	r := l.store.calls[e.Call]
	if r == nil || r.Key.ID != "" || r.Task.Status.Terminal() {
		return
	}
	m.revive(l, r)
	l.starts--
	r.Plain = true
	if w := r.Wish; w != nil && w.Verb == "start" {
		m.wishMoved(w, Taken, "")
	}
	m.lastAnswers(r, e.Err)
	m.keepOutcome(r, &Outcome{Result: e.Result, Err: e.Err, At: m.now})
	if e.Err == nil || e.Err.Kind != task.Lost {
		m.recordResult(l, r, e.Result, e.Err)
	}
	switch {
	case r.Wish != nil && r.Wish.Verb == "cancel":
		m.wishMoved(r.Wish, Taken, notProof)
		m.callEnded(r, callStatus(e, task.Cancelled))
	case e.Err != nil && e.Err.Kind == task.Lost:
		r.Mark = UnknownOutcome
		if r.Wish != nil {
			m.wishMoved(r.Wish, WishUnknown, unknownWhy)
		}
		m.closePrompts(r, unknownWhy)
		m.changed(r)
	default:
		m.callEnded(r, callStatus(e, task.Failed))
	}
}

// lastAnswers takes in what the end of a call means for the answers that it went
// on with: they arrived where the server replied to it.
func (m *Model) lastAnswers(r *Row, e *task.Error) {
	for _, w := range slices.Clone(m.watched) {
		switch {
		case w.ask == nil || w.key != r.Key || w.ask.Prompt.Polled: // which the server fetches, or not
		case e == nil || e.Kind == task.RPC:
			m.wishMoved(w, Taken, "")
		default:
			state, why := failedWish(e)
			m.wishMoved(w, state, why)
			if state == WishFailed {
				m.draftUnsure(w.ask)
				m.closeAsk(w.ask, Withdrawn, "the answer did not reach the call: "+why)
			}
		}
	}
}

// callStatus is the status in which a call ended; without stands for one that
// brought no result.
func callStatus(e task.Returned, without task.Status) task.Status {
	switch {
	case e.Err != nil || e.Result == nil:
		return without
	case e.Result.IsError || e.Result.Err != nil:
		return task.Failed
	}
	return task.Completed
}

// progress takes in how far a call has come, task or not.
func (m *Model) progress(l *link, e task.Progressed) {
	r := l.store.calls[e.Call]
	if r == nil {
		return
	}
	p := e.Progress
	r.Progress, r.Heard = &p, At(m.now)
	m.changed(r)
}

// abandon gives a plain call up: the protocol's way to cancel a request.
func (m *Model) abandon(l *link, r *Row) {
	id := r.Key.Call
	m.ask(l, callLimit, func(ctx context.Context, s Server) any {
		return abandoned{id, asError(s.Abandon(ctx, id))}
	})
}

func (m *Model) abandoned(l *link, n abandoned) {
	r := l.store.calls[n.call]
	if r == nil || r.Wish == nil || r.Wish.Verb != "cancel" || r.Wish.State != Sending {
		return
	}
	if n.err != nil {
		if m.bulkBusy(l, r.Wish, n.err) {
			return
		}
		many := r.Wish.bulk
		state, why := failedWish(n.err)
		m.wishMoved(r.Wish, state, why)
		if !many {
			m.tell(true, "Cancel of %s: %s.", r.Tool.Line(), why)
		}
		m.troubled(l, n.err)
		return
	}
	m.wishMoved(r.Wish, Delivered, notProof)
	if r.Key.ID == "" && r.Live() {
		l.starts--
		m.callEnded(r, task.Cancelled) // no reply comes to a request that was given up
		m.wishMoved(r.Wish, Taken, notProof)
	}
}
