package model

import (
	"container/heap"
	"slices"
	"strings"
	"time"

	"callboard/model/task"
)

// taskLimit is how many tasks of one server are kept; then the oldest ended
// ones go.
const taskLimit = 100_000

// store is what is known of one server's tasks and calls.
type store struct {
	server string
	tasks  map[task.ID]*Row
	// calls finds a row by the call that it came from, also after that call
	// became a task.
	calls map[task.CallID]*Row
	ended endedHeap
	limit int
	skew  time.Duration // the server's clock less ours
	gapAt time.Time     // when the link was last broken, zero for never
}

func newStore(server string) *store {
	return &store{server: server, tasks: map[task.ID]*Row{}, calls: map[task.CallID]*Row{}, limit: taskLimit}
}

// report is one thing that a server told about a task. at is now, sentAt when
// it was asked for or, of a push, when it came.
type report struct {
	task       task.Task
	how        task.How
	sentAt, at time.Time
}

// change is what a report did.
type change struct {
	row   *Row
	from  task.Status // before
	fresh bool        // the row is new
	heard bool        // the report holds now; else it was stale, or came late
	moved bool        // another status
	said  bool        // another message
	terms bool        // another ttl, begin or mark
	live  bool        // the row was live before
}

// apply takes a report in. The row of the change is nil where the task is not
// taken in, since the table is full of newer ones.
//
// Newer is what has the later lastUpdatedAt, ties by when the request was
// sent; a poll sent before a push never beats it. Some servers bump
// lastUpdatedAt at each poll or reuse it, so a report that was asked for after
// all that is known, and that contradicts it twice, holds whatever its time.
func (s *store) apply(rep report) change {
	r := s.tasks[rep.task.ID]
	if r == nil {
		return s.add(rep)
	}
	c := change{row: r, from: r.Task.Status, live: r.Live()}
	if rep.how != task.Pushed {
		r.known = true
	}
	if r.Task.Status.Terminal() {
		s.afterEnd(r, rep, &c)
		return c
	}
	t := rep.task
	switch r.judge(rep) {
	case stale:
		return c
	case confirms:
		t.Updated = r.Task.Updated
	case holds:
	}
	gap := At(s.gapAt) > r.Heard || r.How == task.Remembered
	c.heard = true
	c.moved = t.Status != r.Task.Status
	c.said = t.Message != r.Task.Message
	if c.moved || c.said {
		r.unfold()
	}
	before, mark, began := r.Task, r.Mark, r.Began
	s.take(r, t, rep)
	c.terms = before.TTL != t.TTL || before.Poll != t.Poll || mark != r.Mark || began != r.Began
	if c.moved || c.said {
		r.addStep(task.Step{Status: t.Status, Message: t.Message, At: rep.at, How: rep.how, Gap: gap})
	}
	if c.moved {
		r.Since = At(rep.at)
	}
	if t.Status.Terminal() {
		s.latch(r)
	}
	return c
}

// add makes the row of a task that was not known.
func (s *store) add(rep report) change {
	t := rep.task
	if len(s.tasks) >= s.limit {
		if len(s.ended) == 0 || t.Status.Terminal() && t.Updated.UnixMilli() <= s.ended[0].stood {
			return change{} // nothing may go for it, or it is older than all that are kept
		}
	}
	r := &Row{
		Key: task.Key{Server: s.server, ID: t.ID}, First: At(rep.at), Since: At(rep.at), Began: At(rep.at),
		known: rep.how != task.Pushed,
	}
	if since := t.Updated.Add(-s.skew); !t.Updated.IsZero() && since.Before(rep.at) {
		r.Since = At(since)
	}
	s.tasks[t.ID] = r
	s.take(r, t, rep)
	r.seen = rep.how
	if t.Status.Terminal() {
		s.latch(r)
	}
	return change{row: r, fresh: true, heard: true, moved: true}
}

// take makes t what is known of r.
func (s *store) take(r *Row, t task.Task, rep report) {
	r.Task = t
	r.doubts = 0
	s.hear(r, rep)
	r.rebase(s.skew)
}

// hear notes by what and when r was last heard of.
func (s *store) hear(r *Row, rep report) {
	r.How, r.Heard = rep.how, At(rep.at)
	r.sentAt = rep.sentAt.UnixNano()
	if rep.how == task.Pushed {
		r.pushedAt = r.sentAt
	} else {
		r.PollError = ""
	}
	if r.Mark == PushOnly && rep.how == task.Pushed {
		return
	}
	r.Mark = NoMark
}

// latch notes the end of r.
func (s *store) latch(r *Row) {
	r.stood = r.Task.Updated.UnixMilli()
	heap.Push(&s.ended, r)
}

// afterEnd takes in a report about a task that has ended. The first terminal
// state stays; what contradicts it is kept beside it.
func (s *store) afterEnd(r *Row, rep report, c *change) {
	t := rep.task
	if s.late(r, rep) {
		return
	}
	if t.Status == r.Task.Status {
		c.heard, c.terms = true, r.Mark != NoMark || r.Task.TTL != t.TTL
		s.hear(r, rep)
		if r.Task.Message.IsZero() && !t.Message.IsZero() {
			r.unfold()
			r.Task.Message, c.said = t.Message, true
		}
		if t.ToolError && !r.Task.ToolError {
			r.Task.ToolError, c.said = true, true
		}
		r.Task.TTL = t.TTL
		return
	}
	if r.Later == t.Status && t.Status != task.Unknown {
		return
	}
	r.Later = t.Status
	c.said = true
	r.addStep(task.Step{Status: t.Status, Message: t.Message, At: rep.at, How: rep.how, Late: true})
}

// late reports whether a report about an ended task speaks of the time before
// its end, and so contradicts nothing.
func (s *store) late(r *Row, rep report) bool {
	t := rep.task
	if t.Status == r.Task.Status {
		return false
	}
	if rep.how != task.Pushed && rep.sentAt.UnixNano() < r.sentAt {
		return true
	}
	c := compareTimes(t.Updated, r.Task.Updated)
	if rep.how == task.Pushed && !t.Status.Terminal() {
		return c <= 0 // pushes of several streams overtake each other
	}
	return c < 0
}

type verdict uint8

const (
	stale    verdict = iota
	confirms         // what it says is known already; only its time is odd
	holds
)

// judge says what a report about a live task is worth.
func (r *Row) judge(rep report) verdict {
	sent := rep.sentAt.UnixNano()
	asked := rep.how == task.Polled || rep.how == task.Listed || rep.how == task.Created
	if rep.how == task.Created {
		sent-- // what a call begins with is older than all that was told since
	}
	if asked && sent < r.pushedAt {
		return stale
	}
	switch c := compareTimes(rep.task.Updated, r.Task.Updated); {
	case c > 0:
		return holds
	case c < 0:
		if rep.how == task.Pushed || sent < r.Heard.Time().UnixNano() {
			return stale
		}
		if rep.task.Status == r.Task.Status {
			return confirms
		}
		if r.doubts++; r.doubts < 2 {
			return stale
		}
		return holds
	}
	if sent < r.sentAt {
		return stale
	}
	return holds
}

// compareTimes compares two times of a server; one that is not known is as
// good as any other.
func compareTimes(a, b time.Time) int {
	if a.IsZero() || b.IsZero() {
		return 0
	}
	return a.Compare(b)
}

// unknown marks r as one that the server does not know any more, at now.
func (s *store) unknown(r *Row, now time.Time) {
	end, limited := r.Expiry()
	switch {
	case !r.known:
		r.Mark = PushOnly
	case limited && !now.Before(end):
		r.Mark = Expired
	default:
		r.Mark = Gone
	}
	r.sentAt = max(r.sentAt, now.UnixNano()) // what was asked before proves nothing
}

// evict returns the ended row that has to go, nil while there is room. keep
// names rows that stay.
func (s *store) evict(keep func(*Row) bool) *Row {
	if len(s.tasks) <= s.limit {
		return nil
	}
	var spared []*Row
	defer func() {
		for _, r := range spared {
			heap.Push(&s.ended, r)
		}
	}()
	for len(s.ended) > 0 {
		r := heap.Pop(&s.ended).(*Row)
		if keep(r) && len(spared) < 100 {
			spared = append(spared, r)
			continue
		}
		s.forget(r)
		return r
	}
	return nil
}

func (s *store) forget(r *Row) {
	if s.tasks[r.Key.ID] == r {
		delete(s.tasks, r.Key.ID)
	}
	if r.Call != nil {
		delete(s.calls, r.Call.ID)
	}
	delete(s.calls, r.Key.Call)
}

// drop forgets r before its time.
func (s *store) drop(r *Row) {
	s.forget(r)
	if i := slices.Index(s.ended, r); i >= 0 {
		heap.Remove(&s.ended, i)
	}
}

// endedHeap has the row that ended first on top.
type endedHeap []*Row

func (h endedHeap) Len() int           { return len(h) }
func (h endedHeap) Less(i, j int) bool { return h[i].stood < h[j].stood }
func (h endedHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *endedHeap) Push(x any)        { *h = append(*h, x.(*Row)) }
func (h *endedHeap) Pop() any {
	old := *h
	r := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return r
}

// unknownTask reports whether e says that the server does not know the task:
// -32602, or -32603 with words to that effect.
func unknownTask(e *task.Error) bool {
	if e == nil || e.Kind != task.RPC {
		return false
	}
	return e.Code == codeInvalidParams || e.Code == codeInternal && saysUnknown(e)
}

// saysUnknown reports whether the words of e say that something is not there.
func saysUnknown(e *task.Error) bool {
	words := strings.ToLower(e.Message.Line())
	for _, w := range []string{"not found", "unknown", "expired", "no such", "does not exist", "doesn't exist"} {
		if strings.Contains(words, w) {
			return true
		}
	}
	return false
}

// Codes of JSON-RPC and of MCP that the thinking half tells apart.
const (
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeMethodNotFound = -32601
)
