package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// dueTime is how long it takes until all that is known was asked for once more, as
// the schedule stands; what is under way may take its own time.
func (st *stage) dueTime() time.Duration {
	now, late := time.Now(), time.Now()
	latest := func(at time.Time) {
		if at.After(late) {
			late = at
		}
	}
	for _, l := range st.links {
		if l.server == nil {
			latest(l.nextTry)
			continue
		}
		relaxed := l.sched.relaxed(now)
		latest(l.sched.hold)
		if l.sched.listable {
			latest(l.sched.boardDue(relaxed))
		}
		for k, q := range l.sched.queues {
			if e := q.Back(); e != nil {
				latest(l.sched.due(k, e.Value.(*watch).from, relaxed))
			}
		}
	}
	return late.Sub(now)
}

// checks is what is wrong after a storm.
type checks struct {
	st    *stage
	srv   *mcptest.Server
	w     *stormWire
	b     *book
	p     *person
	sc    *scenario
	wrong []string
}

func (c *checks) fault(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// all looks at everything. Scripts go on while it looks: what has changed just now
// has a due time more to show.
func (c *checks) all() {
	for range 2 {
		if c.once(); len(c.wrong) == 0 {
			return
		}
		c.st.pass(c.st.dueTime() + time.Second)
	}
}

func (c *checks) once() {
	c.wrong = nil
	c.answers()
	c.board()
	c.open()
}

// sent: nothing was sent more often than the person sent it.
func (c *checks) sent() {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	for text, n := range c.w.answer {
		if strings.HasPrefix(text, "unknown") || n > c.p.sent[text] {
			c.fault("the answer to %s went out %d times, the person gave it %d times", text, n, c.p.sent[text])
		}
	}
}

// drafts: what was typed and never sent is kept, whatever became of its question,
// and what was delivered is kept no more.
func (c *checks) drafts(k *keeper) {
	kept := map[string]bool{} // by what was typed
	for _, d := range k.drafts() {
		for _, typed := range d {
			kept[typed] = true
		}
	}
	for text := range c.p.typed {
		typed := c.p.plan[text].typed
		if c.p.sent[text] == 0 && !kept[typed] {
			c.fault("what was typed for %s is on no disk: %s", text, c.why(text))
		}
	}
	for _, a := range c.st.askOrder {
		text := a.Prompt.Message.String()
		if a.State == Answered && a.Wish != nil && a.Wish.State == Taken && !c.asked(text) && kept[c.p.plan[text].typed] {
			c.fault("the answer to %s was taken, and its draft is still kept", text)
		}
	}
}

// asked reports whether a question stands open on the board.
func (c *checks) asked(text string) bool {
	return slices.ContainsFunc(c.st.askOrder, func(a *Ask) bool { return a.waits() && a.Prompt.Message.String() == text })
}

// The most that a life may do and keep: the server has each task asked for once a
// second, and some of them send a ping with each reply; and of what was asked as
// much as there was.
const (
	stormRate    = 240 // requests a minute
	stormTask    = 130 // and for each task
	stormHolding = 4   // for each question that was posed
)

// bounds: nothing spins, and nothing piles up.
func (c *checks) bounds() {
	c.w.mu.Lock()
	most := c.w.busiest()
	c.w.mu.Unlock()
	if tasks := len(c.srv.Tasks()); most > stormRate+stormTask*tasks {
		c.fault("%d requests in a minute, for %d tasks", most, tasks)
	}
	c.b.mu.Lock()
	posed := len(c.b.posed)
	c.b.mu.Unlock()
	l := c.st.links[0]
	for what, n := range map[string]int{
		"questions": len(c.st.askOrder), "questions by name": len(c.st.asks), "drafts": len(c.st.drafts), "drafts of the server": len(l.drafts),
		"drafts that were dropped": len(l.dropped),
	} {
		if n > stormHolding*posed {
			c.fault("%d %s are held, %d were posed", n, what, posed)
		}
	}
	if tasks, calls := len(l.store.tasks), len(l.store.calls); max(tasks, calls) > c.sc.calls {
		c.fault("%d tasks and %d calls are held, %d were started", tasks, calls, c.sc.calls)
	}
}

// answers: what is said to be delivered arrived, and what did not arrive is still
// there.
func (c *checks) answers() {
	open := map[string]bool{}
	for _, a := range c.srv.Asking() {
		open[a.Message] = a.Open
	}
	newest := map[string]*Ask{}
	for _, a := range c.st.askOrder {
		newest[a.Prompt.Message.String()] = a
	}
	for text, a := range newest {
		q, ok := c.b.question(text)
		if !ok {
			c.fault("%q was never asked", text)
			continue
		}
		i := c.p.plan[text]
		arrived := q.over && q.err == nil
		switch {
		case arrived && c.p.sent[text] == 0:
			c.fault("%s has an answer that nobody gave", text)
		case arrived && i.what == answers && !q.url && q.reply.Action == "accept" && !q.got(i.typed):
			c.fault("%s got %s", text, q.reply.Content)
		case a.State == Answered && open[text] && (a.Wish == nil || a.Wish.State != WishUnknown):
			c.fault("%s is said to be answered (%s), and the server still asks it; its row: %s", text, wishOf(a), c.rowOf(a))
		case a.State == Answering:
			c.fault("the answer to %s is on its way for ever", text)
		case c.p.sent[text] == 0 || arrived || q.over:
		case a.State == Open && a.reply == nil && c.sc.lives > 1: // given in an earlier life, and asked anew
		case a.State == Open && a.reply == nil && (i.what == declines || i.what == dismisses): // asked anew, and nothing was typed
		case a.State == Open && a.Before: // asked anew: its draft is there
			if c.st.Draft(a.Prompt.ID) == nil {
				c.fault("%s is asked anew without its draft", text)
			}
		case a.State == Open && (a.reply == nil || a.Wish == nil || a.Wish.State != WishFailed && a.Wish.State != WishUnknown):
			c.fault("the answer to %s did not arrive, and nothing says so: %s", text, wishOf(a))
		case a.State == Withdrawn && a.reply == nil && a.Prompt.Mode != task.URLMode && c.st.Draft(a.Prompt.ID) == nil:
			c.fault("the answer to %s was lost with its question: %s", text, a.Why)
		}
	}
}

func (c *checks) rowOf(a *Ask) string {
	r := c.st.Row(a.Row)
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("%s %s, mark %d, %d asks", r.Key.ID, r.Task.Status, r.Mark, len(r.Asks))
}

func wishOf(a *Ask) string {
	if a.Wish == nil {
		return "no wish"
	}
	return a.Wish.State.String() + " " + a.Wish.Why
}

// known reports whether the client is to know a task of the server.
func (c *checks) known(t mcptest.Task) bool {
	if c.sc.modern {
		return slices.ContainsFunc(c.st.links, func(l *link) bool { return l.store.tasks[task.ID(t.ID)] != nil })
	}
	return c.sc.shared || t.Session == "" || t.Session == string(c.st.links[0].session)
}

func (c *checks) status(t mcptest.Task) string {
	if c.sc.modern && t.Status == mcptest.Failed && t.Outcome.IsError {
		return "completed"
	}
	return string(t.Status)
}

// board: it agrees with the server.
func (c *checks) board() {
	l := c.st.links[0]
	if l.server == nil {
		c.fault("the server is not reached: %s %v", l.why, time.Until(l.nextTry))
		return
	}
	there := map[task.ID]mcptest.Task{}
	for _, t := range c.srv.Tasks() {
		if !c.known(t) {
			continue
		}
		there[task.ID(t.ID)] = t
		r := l.store.tasks[task.ID(t.ID)]
		switch {
		case r == nil:
			c.fault("task %s (%s) is not on the board", t.ID, t.Status)
		case r.Task.Status.String() != c.status(t):
			c.fault("task %s is %s on the board and %s at the server; heard %v ago, %s", t.ID, r.Task.Status, c.status(t), time.Since(r.Heard.Time()), r.PollError)
		case r.Mark != NoMark:
			c.fault("task %s has mark %v, and the server knows it", t.ID, r.Mark)
		}
	}
	for id, r := range l.store.tasks {
		if _, ok := there[id]; !ok && r.Live() {
			c.fault("task %s is %s on the board, and the server does not know it", id, r.Task.Status)
		}
	}
	for n, call := range c.sc.called {
		r := c.st.Row(task.Key{Server: "ops", Call: call})
		if r != nil && r.Key.ID == "" && r.Live() && c.b.ended(n) && !c.betweenRounds(n) && !c.leftUnsure(r) {
			c.fault("call %d is %s on the board, and has ended at the server (%v)", n, r.Task.Status, r.Wish)
		}
	}
}

// open: what is asked on the board is what the server asks.
func (c *checks) open() {
	there := map[string]bool{}
	asks := map[string][]*Ask{}
	for _, a := range c.st.askOrder {
		if a.waits() {
			text := a.Prompt.Message.String()
			if asks[text] = append(asks[text], a); len(asks[text]) == 2 {
				c.fault("%s stands twice on the board", text)
			}
		}
	}
	for _, a := range c.srv.Asking() {
		there[a.Message] = true
		if len(asks[a.Message]) > 0 || !a.Open {
			continue
		}
		if a.Task == "" {
			if n := number(a.Message); c.sc.life[n] == c.sc.lives && !c.betweenRounds(n) && c.st.Row(task.Key{Server: "ops", Call: c.sc.called[n]}).Live() {
				c.fault("%s is asked in a call, and not on the board", a.Message)
			}
			continue
		}
		if t, ok := c.srv.Task(a.Task); ok && c.known(t) {
			status := "none"
			if r := c.st.links[0].store.tasks[task.ID(a.Task)]; r != nil {
				status = r.Task.Status.String()
			}
			c.fault("%s of task %s is asked, and not on the board: %v, row %s", a.Message, a.Task, c.why(a.Message), status)
		}
	}
	for text, as := range asks {
		a := as[0]
		if a.Wish != nil && a.Wish.State == WishUnknown && c.st.Row(a.Row) != nil && c.st.Row(a.Row).Task.Status == task.InputRequired {
			continue // it may have arrived: what the task asks now says nothing of it, and the person is told so
		}
		if r := c.st.Row(a.Row); r == nil && a.unsure() || r != nil && c.leftUnsure(r) {
			continue
		}
		if c.p.sent[text] > 0 && a.reply == nil && c.sc.lives > 1 {
			continue // a stream that an earlier life left brings it again: nobody knows whether its answer arrived
		}
		if a.Prompt.Visit {
			continue // the call was refused, and nobody waits for an answer
		}
		if a.Prompt.Polled {
			// The server asks for what became of it, and takes it back, in messages that
			// may be lost; it ends with its time.
			if q, _ := c.b.question(text); q.over && time.Now().After(a.Prompt.Until.Add(time.Second)) {
				c.fault("%s is on the board, and its time is over: %v", text, a.Prompt.Until)
			}
			continue
		}
		if !there[text] && !c.betweenRounds(number(text)) && !c.lostWord(text, c.st.Row(a.Row)) {
			c.fault("%s is on the board (%v, %s), and the server does not ask it; its row: %s", text, a.State, wishOf(a), c.rowOf(a))
		}
	}
}

// betweenRounds reports whether act n gives up what it asks: in a call of
// 2026-07-28 no request is open then, so that nobody can be told.
func (c *checks) betweenRounds(n int) bool {
	return c.sc.modern && strings.HasPrefix(c.b.acts[n].kind, "given up") && c.sc.ways[n] != asTask
}

// leftUnsure reports whether r is a call of an earlier life whose stream nobody can
// read any more, and the answer to its question went out, or may have: the person is told
// so, and nothing tells more.
func (c *checks) leftUnsure(r *Row) bool {
	return r.Key.ID == "" && c.sc.lives > 1 && (slices.ContainsFunc(r.Asks, (*Ask).unsure) || r.Wish != nil && r.Wish.ask != nil)
}

// lostWord reports whether text was given up by a server of 2025-11-25, which tells it once: where that word
// is lost, and the task asks another thing, or there is no row that goes on, nobody can see it.
func (c *checks) lostWord(text string, r *Row) bool {
	if r == nil && !c.sc.modern && strings.HasPrefix(c.b.acts[number(text)].kind, "given up") {
		return true
	}
	return !c.sc.modern && c.b.acts[number(text)].kind == "given up, then another" && strings.HasSuffix(text, "a")
}

// why says what the board last knew of a question.
func (c *checks) why(text string) string {
	for _, a := range slices.Backward(c.st.askOrder) {
		if a.Prompt.Message.String() == text {
			return fmt.Sprintf("state %d, %s, %s", a.State, a.Why, wishOf(a))
		}
	}
	return "it never came"
}

// number is the act that a question is of.
func number(text string) (n int) {
	_, _ = fmt.Sscanf(text, "q%d", &n)
	return n
}
