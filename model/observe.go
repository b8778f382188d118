package model

import (
	"context"
	"math"
	"time"

	"callboard/model/task"

	"golang.org/x/sync/errgroup"
)

// fed takes in a batch of the feed.
func (m *Model) fed(l *link, f fed) {
	m.learn(l)
	m.skewed(l, f.batch.Skew)
	news, asked, life := false, false, false
	for _, e := range f.batch.Events {
		switch e := e.(type) {
		case task.Stream:
		case task.Returned:
			// A call whose stream broke tells of the network, not of the server.
			news, life = true, life || e.Err == nil || e.Err.Kind == task.RPC
		case task.Prompted, task.Withdrawn, task.Delivered, task.Fetched:
			news, asked, life = true, true, true
		default:
			news, life = true, true
		}
		m.happened(l, e)
	}
	if life {
		m.progressed(l)
	}
	if news {
		m.keepSoon(l)
	}
	if f.err != nil {
		m.down(l, f.err)
		return
	}
	if asked {
		m.keepNow(l) // a server may ask once: who comes after us must find it
	}
	m.follow(l)
}

// happened takes in one event of the feed. Log messages stand in the log.
func (m *Model) happened(l *link, event task.Event) {
	switch e := event.(type) {
	case task.Changed:
		m.pushed(l, e)
	case task.Prompted:
		m.prompted(l, e.Prompt)
	case task.Withdrawn:
		m.withdrawn(e)
	case task.Delivered:
		m.delivered(l, e)
	case task.Flooding:
		m.flooding(l, e)
	case task.Fetched:
		m.answerFetched(l, e)
	case task.URLDone:
		m.urlDone(e.Prompt)
	case task.Started:
		m.started(l, e)
	case task.Returned:
		m.returned(l, e)
	case task.Progressed:
		m.progress(l, e)
	case task.ToolsChanged:
		m.toolsChanged(l)
	case task.Stream:
		m.streamed(l, e)
	}
}

// flooding tells when a server begins to ask faster than a person could read, and
// when it has ended.
func (m *Model) flooding(l *link, e task.Flooding) {
	switch {
	case e.Waiting > 0 && l.flood == 0:
		m.note(l, "the server floods: its questions are taken in slowly")
		m.tell(true, "%s asks faster than anybody could read: its questions are taken in slowly, those of other servers at once.", l.target.Name)
	case e.Waiting == 0 && l.flood > 0:
		m.note(l, "the server does not flood any more")
	}
	l.flood = max(e.Waiting, 0)
	m.rev++
}

// pushed takes in the newest state of a task with the changes before it.
func (m *Model) pushed(l *link, e task.Changed) {
	for i, s := range e.Steps {
		t := e.Task
		if i == len(e.Steps)-1 && s.Status == t.Status && s.Message == t.Message {
			break // that is the newest state itself
		}
		t.Status, t.Message, t.Updated = s.Status, s.Message, s.Updated
		m.take(l, report{task: t, how: e.How, sentAt: orNow(s.At, e.SentAt), at: orNow(s.At, m.now)})
	}
	if r := m.take(l, report{task: e.Task, how: e.How, sentAt: orNow(e.SentAt, m.now), at: m.now}); r != nil {
		r.Dropped += int32(min(e.Dropped, math.MaxInt32/2))
	}
}

func orNow(at, now time.Time) time.Time {
	if at.IsZero() {
		return now
	}
	return at
}

// take lets a report be stored and all that hangs on it follow. It returns the
// row, nil where the task was not taken in.
func (m *Model) take(l *link, rep report) *Row {
	if l.forgotten[rep.task.ID] {
		return nil
	}
	c := l.store.apply(rep)
	r := c.row
	if r == nil {
		m.turnedAway(l)
		return nil
	}
	polled := rep.how == task.Polled || rep.how == task.Listed
	switch {
	case !c.heard && polled && r.Live() && r.Task.Status != rep.task.Status:
		l.sched.want(r.Key.ID, m.now) // the truth is not known: ask once more
	case !c.heard:
	case rep.how == task.Pushed:
		l.sched.brought(r.Key.ID)
	case polled && c.moved && !c.fresh && c.live:
		l.sched.found(r.Key.ID, m.now)
	}
	if c.heard && rep.how != task.Pushed {
		l.sure = m.now
		delete(l.missing.ids, r.Key.ID)
	}
	if c.fresh {
		m.adopt(l, r)
	}
	m.recordReport(l, c, rep)
	if c.heard && l.named[rep.task.ID] {
		m.named(l, r)
	}
	if c.moved && !c.fresh {
		m.promptsMoved(r, c.from, rep.sentAt)
	}
	if c.heard && (c.moved || c.terms) && r.Handle != nil {
		m.handleMoved(l, r)
	}
	m.effect(r, c)
	if len(r.Asks) > 0 && c.heard && r.Task.Status == task.InputRequired {
		m.asksStill(r, rep)
	}
	if c.heard {
		m.watch(l, r, rep.how)
	}
	if c.fresh || c.moved || c.said || c.terms {
		m.changed(r)
	} else {
		m.rev++
	}
	return r
}

// watch keeps the schedule and the queue of asking tasks in step with r.
func (m *Model) watch(l *link, r *Row, how task.How) {
	if r.Live() {
		l.sched.heard(r.Task, how, r.Asking(), m.now)
	} else {
		l.sched.forget(r.Key.ID)
	}
	if l.asking.follow(r) && (l.target.OnDemand || l.target.ReadOnly) {
		m.rings++ // nothing else will tell that somebody is asked
	}
}

// adopt takes a new row into the table.
func (m *Model) adopt(l *link, r *Row) {
	m.board.add(r)
	m.tieLoose(r)
	gone := l.store.evict(func(r *Row) bool { return r.Key == m.selected || r.Call != nil })
	if gone == nil {
		return
	}
	m.parted(gone)
	m.uncount(gone)
	m.board.remove(gone)
}

// turnedAway tells once that a server has more tasks than are kept.
func (m *Model) turnedAway(l *link) {
	if !l.full {
		l.full = true
		m.tell(true, "%s has more than %d tasks: the oldest that ended are not shown.", l.target.Name, l.store.limit)
	}
}

// changed notes that a view of r would look different now.
func (m *Model) changed(r *Row) {
	m.rev++
	r.Rev = m.rev
	if k := r.classOf(); k != r.class {
		m.counts[r.class]--
		m.counts[k]++
		early := r.How == task.Remembered
		if l := m.byName[r.Key.Server]; l != nil {
			l.counts[r.class]--
			l.counts[k]++
			early = early || l.swept.IsZero() && r.Call == nil && r.Sent == nil // a question may come before its task is listed
		}
		m.classed(r, r.class, k, early)
		r.class = k
	}
	m.board.touch(r)
	m.mayLose(r)
}

// uncount counts r no longer.
func (m *Model) uncount(r *Row) {
	m.counts[r.class]--
	if l := m.byName[r.Key.Server]; l != nil {
		l.counts[r.class]--
	}
	r.class = uncounted
}

// skewed takes over how far the server's clock is ahead of ours. Many rows are
// set right by the next sweep rather than at once.
func (m *Model) skewed(l *link, skew time.Duration) {
	d := skew - l.store.skew
	if d > -time.Second && d < time.Second {
		return
	}
	l.store.skew = skew
	if len(l.store.tasks) > sliceRows {
		return
	}
	for _, r := range l.store.tasks {
		r.rebase(skew)
		m.changed(r)
	}
}

// streamed takes in how push is doing.
func (m *Model) streamed(l *link, e task.Stream) {
	if !e.Up && l.stream.Up {
		l.faults.Broken++
	}
	lost := !e.Up && l.stream.Up && l.about.Era == task.Modern
	l.stream = e
	l.sched.pushes(e.Up)
	l.sched.cover(e.Up && e.Partial, e.Tasks)
	if lost && !e.Gap { // nothing brings back what is pushed meanwhile
		l.sched.resync(m.now)
		m.note(l, "push was cut off: all tasks are polled")
	}
	if e.Gap {
		l.store.gapAt = m.now
		l.sched.resync(m.now)
		m.note(l, "pushed messages may be lost: all tasks are asked for anew")
	}
	m.settleState(l)
}

// News of polling.
type (
	got struct {
		n       uint64
		answers []answer
	}
	answer struct {
		id     task.ID
		task   task.Task
		err    *task.Error
		sentAt time.Time
		took   time.Duration
	}
)

// get asks for tasks, several at a time, in one command.
func (m *Model) get(l *link, ids []task.ID) {
	l.gets++
	n := l.gets
	l.getting[n] = m.now
	l.load.requests += len(ids) - 1
	m.ask(l, 2*getLimit, func(ctx context.Context, s Server) any {
		answers := make([]answer, len(ids))
		var g errgroup.Group
		g.SetLimit(getsAtATime)
		for i, id := range ids {
			g.Go(func() error {
				ctx, cancel := context.WithTimeout(ctx, getLimit)
				defer cancel()
				a := answer{id: id, sentAt: time.Now()}
				a.err = asError(safely(func() (err error) { a.task, err = s.Get(ctx, id); return err }))
				a.took = time.Since(a.sentAt)
				answers[i] = a
				return nil
			})
		}
		_ = g.Wait() // each answer has its own error
		return got{n, answers}
	})
}

func (m *Model) got(l *link, g got) {
	delete(l.getting, g.n)
	m.learn(l)
	for _, a := range g.answers {
		l.sched.replied(a.id, a.err == nil, m.now)
		l.answered(a.took, a.err)
		switch r := l.store.tasks[a.id]; {
		case a.err == nil && a.task.ID != a.id:
			m.pollFailed(r, "the server answered for another task")
		case a.err == nil:
			m.take(l, report{task: a.task, how: task.Polled, sentAt: a.sentAt, at: m.now})
			if l.sched.recalls(a.id) { // once is enough, whatever the server says of an ended task
				l.sched.forget(a.id)
			}
			m.progressed(l)
		case m.troubled(l, a.err):
			if l.server == nil {
				return
			}
		case unknownTask(a.err):
			m.progressed(l)
			m.unknown(l, a.id)
		case r == nil && l.named[a.id] && refuses(a.err):
			m.unnamed(l, a.id, a.err.Message.Line())
			l.sched.forget(a.id)
		case m.unanswered(l, a.err, a.sentAt):
			m.pollFailed(r, a.err.Message.Line())
		default:
			m.pollFailed(r, a.err.Message.Line())
			if r != nil && !r.Live() && refuses(a.err) {
				l.sched.forget(a.id) // it has ended: the answer stays the same
			}
		}
	}
	m.judgeMissing(l)
}

// refuses reports whether asking once more cannot bring another answer.
func refuses(e *task.Error) bool { return e.Kind == task.RPC || e.Kind == task.Unsupported }

// pollFailed notes why a task could not be got. A prompt's task that never
// had a row has none to note it at, and is left alone.
func (m *Model) pollFailed(r *Row, why string) {
	if r == nil || r.PollError == why {
		return
	}
	r.PollError = why
	m.changed(r)
}
