package mcpclient

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// Limits on what a server may have us keep for it as the receiver of its tasks
// (basic/utilities/tasks, "Resource Management"). A ttl beyond them is brought
// within; the task says which it has.
const (
	// maxReceived is how many tasks a session receives at a time, those that have
	// ended included. Where one more comes, the oldest that has ended leaves.
	maxReceived = 100
	// receivedTTL is the ttl of a task for which the server wants none.
	receivedTTL = time.Hour
	// minReceivedTTL and maxReceivedTTL bound what it may want.
	minReceivedTTL = time.Second
	maxReceivedTTL = 24 * time.Hour
	// receivedPoll is the pollInterval.
	receivedPoll = time.Second
	// maxResultWaits is how many tasks/result of the server wait at a time.
	maxResultWaits = 64
	// maxGets is how many tasks/get of one task are answered at a time. A server that
	// polls faster than it takes the answers gets those to the newest.
	maxGets = 16
	// receivedPage is how many tasks a page of tasks/list has.
	receivedPage = 50
)

// received is a task that we are the receiver of: a question that the server put
// with `task`, and for whose answer it polls (basic/utilities/tasks). It works
// while a person thinks; input_required would mean that we need the server.
type received struct {
	of      *era2025
	id      task.ID
	seq     uint64 // counts up with each task of the session
	prompt  *prompt
	created time.Time // as updated, to the millisecond
	ttl     time.Duration
	timer   *time.Timer // ends it with its ttl

	// Guarded by engine.mu.
	updated time.Time
	status  task.Status
	message string
	outcome json.RawMessage // of a completed one: what tasks/result returns
	failure *jsonrpc.Error  // of one that failed or was cancelled: the same
	answer  bool            // the outcome is a person's
	waits   []jsonrpc.ID    // the tasks/result that wait for it
	gets    []jsonrpc.ID    // the tasks/get that are not answered
	fetched bool            // the server took the outcome
	over    chan struct{}   // closed once it was fetched, or cannot be any more
}

// receivedTable is the tasks that a session receives. engine.mu guards it.
type receivedTable struct {
	tasks map[task.ID]*received
	order []*received // as they came
	last  uint64      // the newest seq
	mark  string      // of our cursors, and of our ids
	// marks are those of the ids that are or were served here; foreign the ids of
	// others that were asked for.
	marks   map[idMark]bool
	foreign map[task.ID]bool
}

func newReceivedTable() receivedTable {
	return receivedTable{
		tasks: make(map[task.ID]*received), mark: rand.Text()[:8], marks: make(map[idMark]bool), foreign: make(map[task.ID]bool),
	}
}

// augment is `task` of a request: schema type TaskMetadata.
type augment struct{ ttl time.Duration }

// augmented returns what a request says of the task that it asks for, nil where
// it asks for none, or for what this session does not receive: a receiver without
// the capability ignores it ("Task Support and Handling"). What was declared in a
// session that another program began is not known; but its server was told
// something, and who sends `task` waits for a task.
func (e *era2025) augmented(params json.RawMessage) (a *augment, fault string) {
	raw := member(params, "task")
	if raw == nil || string(raw) == "null" || !e.receives() {
		return nil, ""
	}
	if !isObject(raw) {
		return nil, "task must be an object"
	}
	a = &augment{ttl: receivedTTL}
	switch ttl := member(raw, "ttl"); {
	case ttl == nil:
	case string(ttl) == "null": // no limit, in the words of a Task
		a.ttl = maxReceivedTTL
	default:
		if _, ok := number(ttl); !ok {
			return nil, "the ttl of a task must be a number of milliseconds"
		}
		a.ttl = min(max(millis(ttl).Truncate(time.Millisecond), minReceivedTTL), maxReceivedTTL)
	}
	return a, ""
}

// receives reports whether the session receives tasks: only revision 2025-11-25
// knows of it, and one that was begun read-only declared nothing.
func (e *era2025) receives() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.ep.cfg.ReadOnly && !e.onlooker && !e.modest && e.info.Version == version2025
}

// room makes room for one more task, and reports whether there is some.
// engine.mu is held.
func (t *receivedTable) room() bool {
	if len(t.order) < maxReceived {
		return true
	}
	i := slices.IndexFunc(t.order, func(r *received) bool { return r.status.Terminal() && (r.fetched || !r.answer) })
	if i < 0 {
		i = slices.IndexFunc(t.order, func(r *received) bool { return r.status.Terminal() })
	}
	if i < 0 {
		return false
	}
	r := t.order[i]
	t.remove(r)
	if r.answer && !r.fetched {
		r.of.ep.Note("an answer was never fetched: its task had to leave for newer ones")
	}
	return true
}

// remove forgets a task. engine.mu is held.
func (t *receivedTable) remove(r *received) {
	r.timer.Stop()
	delete(t.tasks, r.id)
	t.order = slices.DeleteFunc(t.order, func(o *received) bool { return o == r })
	r.settled()
}

// settled notes that nothing is left to fetch. engine.mu is held.
func (r *received) settled() {
	select {
	case <-r.over:
	default:
		close(r.over)
	}
}

// receive makes the task of a question, or of one that was left when the session
// was, which keeps its id. It returns the CreateTaskResult, without a body where
// the server has it. e.mu is held, and there is room.
func (e *era2025) receive(p *prompt, a *augment, params json.RawMessage) ownMessage {
	again := p.place.Mine != ""
	now := p.At.Truncate(time.Millisecond)
	r := &received{
		of: e, id: p.place.Mine, prompt: p, created: now, updated: now, ttl: a.ttl,
		status: task.Working, message: "a person was asked", over: make(chan struct{}),
	}
	if again {
		r.ttl = time.Duration(p.place.TTL) * time.Millisecond
	} else {
		r.id = e.mark().id()
		p.place.Mine, p.place.TTL = r.id, r.ttl.Milliseconds()
		e.putReceived(p, params)
	}
	e.received.last++
	r.seq = e.received.last
	p.received, p.Polled, p.Until = r, true, r.created.Add(r.ttl)
	e.received.tasks[r.id] = r
	e.received.marks[markOf(r.id)] = true
	e.received.order = append(e.received.order, r)
	r.timer = time.AfterFunc(time.Until(p.Until), func() { e.spawn(func() { e.expire(r) }) })
	if again {
		return ownMessage{}
	}
	m := ownMessage{
		method: "the task that a question became", again: true,
		failed: func() { e.forgetReceived(r, "the server could not be told that its question was taken") },
	}
	body, err := jsonrpc.Result(p.request, struct {
		Task ownTask `json:"task"`
	}{r.wire()})
	if err == nil {
		m.body = body
	}
	return m
}

// ownTask is schema type Task, with all that a receiver must say.
type ownTask struct {
	ID      task.ID `json:"taskId"`
	Status  string  `json:"status"`
	Message string  `json:"statusMessage,omitempty"`
	Created string  `json:"createdAt"`
	Updated string  `json:"lastUpdatedAt"`
	TTL     int64   `json:"ttl"`
	Poll    int64   `json:"pollInterval"`
}

// wire is the task as it is. engine.mu is held.
func (r *received) wire() ownTask {
	const layout = "2006-01-02T15:04:05.000Z07:00" // RFC 3339, with milliseconds
	return ownTask{
		ID: r.id, Status: r.status.String(), Message: r.message, Created: r.created.UTC().Format(layout),
		Updated: r.updated.UTC().Format(layout), TTL: r.ttl.Milliseconds(), Poll: receivedPoll.Milliseconds(),
	}
}

// move takes the task to a terminal state, and returns what the server is to be
// told: its status, and the outcome to those who wait for it. engine.mu is held.
func (r *received) move(to task.Status, message string) []ownMessage {
	r.status, r.message = to, message
	// A clock that was set back does not make the change older than the task.
	r.updated = time.Now().Truncate(time.Millisecond)
	if r.updated.Before(r.created) {
		r.updated = r.created
	}
	var out []ownMessage
	if body, err := jsonrpc.Notification("notifications/tasks/status", r.wire()); err == nil {
		out = append(out, ownMessage{method: "notifications/tasks/status", body: body})
	}
	for _, id := range r.waits {
		out = append(out, r.give(id))
	}
	r.waits = nil
	return out
}

// give is the response to a tasks/result: exactly what the request would have
// returned, result or error ("Result Retrieval"). engine.mu is held.
func (r *received) give(id jsonrpc.ID) ownMessage {
	body, err := answerTo(id, r.outcome, r.failure)
	if err != nil {
		body = nil // what was encoded before encodes again
	}
	return ownMessage{method: "the result of a task of the server", body: body, again: true, sent: func() { r.of.fetched(r) }}
}

// fetched notes that the server took the outcome of a task.
func (e *era2025) fetched(r *received) {
	e.mu.Lock()
	first := !r.fetched
	r.fetched = true
	r.settled()
	e.mu.Unlock()
	if first && r.answer {
		e.ep.Note("the server fetched an answer that was kept for it")
		e.feed.add(task.Fetched{Prompt: r.prompt.ID})
	}
}

// settle takes in the person's answer: the server fetches it when it likes. It
// fails where the server stopped waiting meanwhile.
func (e *era2025) settle(p *prompt, reply task.Reply) error {
	related, err := json.Marshal(map[string]task.ID{"taskId": p.received.id})
	if err != nil {
		return fail(task.Internal, "the answer is not valid JSON")
	}
	e.mu.Lock()
	asked := p.Prompt // it leaves with its task
	e.mu.Unlock()
	result, refused, err := replyTo(&asked, reply, related)
	if err != nil {
		return err
	}
	r, to, message := p.received, task.Completed, "the person answered"
	if refused != nil {
		to, message = task.Failed, refused.Message
	}
	e.mu.Lock()
	if r.status.Terminal() || e.received.tasks[r.id] != r {
		why := cmp.Or(r.message, "its time is up")
		e.mu.Unlock()
		return fail(task.Unsupported, "this prompt can no longer be answered: %s", why)
	}
	r.outcome, r.failure, r.answer = result, refused, true
	out := r.move(to, message)
	e.mu.Unlock()
	e.postAll(out)
	return nil
}

// moot notes that the question of a task is not open any more. Where the task was
// not why, it ends with it. engine.mu is held.
func (r *received) moot() {
	r.prompt.Sampling, r.prompt.Form = nil, task.Form{} // the task may be kept for long
	if r.of.left == nil {
		as := askedAs{r.prompt.request, r.prompt.params}
		r.of.kept = slices.DeleteFunc(r.of.kept, func(k place) bool { return k.as() == as })
	}
	if r.status.Terminal() || r.of.left != nil || r.of.received.tasks[r.id] != r {
		return
	}
	r.failure = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "the question was withdrawn"}
	r.of.postAll(r.move(task.Cancelled, "what it was asked for has ended"))
}

// expire ends a task with its ttl, whatever its state.
func (e *era2025) expire(r *received) { e.forgetReceived(r, "the server's time for it is up") }

// forgetReceived takes a task away, and withdraws its question.
func (e *era2025) forgetReceived(r *received, why string) {
	e.mu.Lock()
	if e.received.tasks[r.id] != r {
		e.mu.Unlock()
		return
	}
	e.received.remove(r)
	asked, shown := !r.status.Terminal(), false
	if asked {
		r.message = why
		r.status = task.Cancelled // to us: it is in no list any more
		shown = e.closeReceived(r, why)
	}
	waits := r.waits
	r.waits = nil
	never := r.answer && !r.fetched
	e.mu.Unlock()
	for _, id := range waits {
		e.refuse(id, "tasks/result", jsonrpc.CodeInvalidParams, "Failed to retrieve task: Task has expired")
	}
	if asked {
		e.tellClosed(r, shown, why)
	}
	if never {
		e.ep.Note("an answer was never fetched: " + why)
		e.feed.add(task.Fetched{Prompt: r.prompt.ID, Never: task.Own("the server never fetched the answer: " + why)})
	}
}

// closeReceived closes the question of a task that has ended. It reports false
// where that was not shown yet. e.mu is held.
func (e *era2025) closeReceived(r *received, why string) (shown bool) {
	shown = e.prompts.open[r.prompt.ID] == r.prompt
	e.prompts.leave(task.Own(why), func(p *prompt) bool { return p == r.prompt })
	e.prompts.close(r.prompt, why)
	return shown
}

// tellClosed tells the person of it, once e.mu is not held any more.
func (e *era2025) tellClosed(r *received, shown bool, why string) {
	if shown {
		e.feed.add(task.Withdrawn{Prompt: r.prompt.ID, Why: task.Own(why)})
	} else {
		e.paced()
	}
}

// postAll posts messages in order. engine.mu may be held.
func (e *era2025) postAll(out []ownMessage) {
	for _, m := range out {
		e.post(m)
	}
}

// idMark is what the id of a task that callboard receives tells beside that: in
// which session, by a hash, and by which user of it. It is zero for all other ids.
type idMark struct{ session, user string }

// mark is that of the ids that are made here.
func (e *era2025) mark() idMark {
	sum := sha256.Sum256([]byte(e.session))
	return idMark{hex.EncodeToString(sum[:4]), e.received.mark}
}

// id makes an id with 130 random bits.
func (m idMark) id() task.ID {
	return task.ID(strings.Join([]string{"callboard", m.session, m.user, rand.Text()}, "-"))
}

func markOf(id task.ID) idMark {
	parts := strings.Split(string(id[:min(len(id), maxID)]), "-")
	if len(parts) != 4 || parts[0] != "callboard" {
		return idMark{}
	}
	return idMark{parts[1], parts[2]}
}

// cursor is the place in tasks/list behind r, good for this session alone.
func (t *receivedTable) cursor(r *received) string {
	return t.mark + "." + strconv.FormatUint(r.seq, 10)
}
