package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// served handles a request of the server for the tasks that we receive from it,
// on whichever stream it came (basic/utilities/tasks, "Protocol Messages"). It
// reports false for what is no such request, or not for a session like this.
//
// The session is the authorization context: a server sees what it asked in this
// session, and nothing else.
func (e *era2025) served(m *jsonrpc.Message, o *origin) bool {
	switch m.Method {
	case "tasks/get", "tasks/list", "tasks/result", "tasks/cancel":
	default:
		return false
	}
	if !e.receives() {
		return false
	}
	if m.Method == "tasks/list" {
		e.listReceived(m)
		return true
	}
	id := task.ID(text(member(m.Params, "taskId")))
	e.mu.Lock()
	r := e.received.tasks[id]
	if r == nil {
		others, note := e.ofOthers(id)
		e.mu.Unlock()
		if note != "" {
			e.ep.Note(note)
		}
		if others {
			return true
		}
		e.refuse(m.ID, m.Method, jsonrpc.CodeInvalidParams, "Failed to retrieve task: Task not found, or it has expired")
		return true
	}
	r.readOn(o)
	switch m.Method {
	case "tasks/get":
		r.gets = append(r.gets, m.ID)
		more := len(r.gets) <= maxGets
		if !more {
			r.gets = r.gets[1:] // there are as many messages as are left
		}
		e.mu.Unlock()
		if more && !e.post(ownMessage{method: "the answer to tasks/get", late: r.polled}) {
			e.mu.Lock()
			r.gets = slices.DeleteFunc(r.gets, func(id jsonrpc.ID) bool { return id == m.ID })
			e.mu.Unlock()
		}
	case "tasks/result":
		e.giveResult(r, m) // unlocks
	case "tasks/cancel":
		e.cancelReceived(r, m) // unlocks
	}
	return true
}

// maxForeign is of how many tasks of others it is remembered that the log has them.
const maxForeign = 100

// ofOthers reports whether a task that is not known here may be one that another
// program receives in this session: a server sends a request on one stream of a
// session, and not on that of the program which the task belongs to. Who may answer
// does; that there is no such task would take that answer away. note is for the
// log. engine.mu is held.
func (e *era2025) ofOthers(id task.ID) (others bool, note string) {
	mark, own := markOf(id), e.mark()
	switch {
	case e.session == "", mark == own, mark.session == own.session && e.received.marks[mark]:
		return false, ""
	case mark.session != own.session && !e.info.Joined:
		return false, "" // whoever has it, it is not of this session
	}
	if !e.received.foreign[id] && len(e.received.foreign) < maxForeign && len(id) <= maxID {
		e.received.foreign[id] = true
		note = fmt.Sprintf("left to others in this session: the server asks for the task %s, which is not received here", task.CleanLine(string(id), 64).Line())
	}
	return true, note
}

// polled is the response to the tasks/get of r that waits longest, with the state
// in which r is now.
func (r *received) polled() []byte {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if len(r.gets) == 0 {
		return nil
	}
	id := r.gets[0]
	r.gets = r.gets[1:]
	body, err := jsonrpc.Result(id, r.wire())
	if err != nil {
		return nil // strings and numbers always encode
	}
	return body
}

// respond answers a request of the server with a result.
func (e *era2025) respond(m *jsonrpc.Message, result any) {
	body, err := jsonrpc.Result(m.ID, result)
	if err != nil {
		e.refuse(m.ID, m.Method, jsonrpc.CodeInternal, "the result could not be encoded")
		return
	}
	e.post(ownMessage{method: "the answer to " + m.Method, body: body})
}

// giveResult answers tasks/result, now or when the task has ended. Those that
// wait hold up nothing but themselves. e.mu is held, and is not after it.
func (e *era2025) giveResult(r *received, m *jsonrpc.Message) {
	if r.status.Terminal() {
		out := r.give(m.ID)
		e.mu.Unlock()
		e.post(out)
		return
	}
	waiting := 0
	for _, o := range e.received.order {
		waiting += len(o.waits)
	}
	known := slices.Contains(r.waits, m.ID) // a stream was resumed, and repeats it
	full := waiting >= maxResultWaits && !known
	if !full && !known {
		r.waits = append(r.waits, m.ID)
	}
	e.mu.Unlock()
	if full {
		e.refuse(m.ID, m.Method, jsonrpc.CodeInternal, fmt.Sprintf("%d tasks/result wait already", maxResultWaits))
	}
}

// cancelReceived ends a task on the server's wish: its question with it, before
// the server is told so. e.mu is held, and is not after it.
func (e *era2025) cancelReceived(r *received, m *jsonrpc.Message) {
	if r.status.Terminal() {
		status := r.status
		e.mu.Unlock()
		e.refuse(m.ID, m.Method, jsonrpc.CodeInvalidParams, "Cannot cancel task: already in terminal status '"+status.String()+"'")
		return
	}
	// There is no outcome of its own for a request that was cancelled.
	r.failure = &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: "the task was cancelled"}
	out := r.move(task.Cancelled, "the server cancelled it")
	shown := e.closeReceived(r, "the server cancelled it")
	t := r.wire()
	e.mu.Unlock()
	e.respond(m, t)
	e.postAll(out)
	e.tellClosed(r, shown, "the server cancelled it")
}

// listReceived answers tasks/list.
func (e *era2025) listReceived(m *jsonrpc.Message) {
	after := uint64(0)
	if raw := member(m.Params, "cursor"); raw != nil {
		at, ok := unquote(raw)
		number, ours := strings.CutPrefix(at, e.received.mark+".")
		seq, err := strconv.ParseUint(number, 10, 64)
		if !ok || !ours || err != nil {
			e.refuse(m.ID, m.Method, jsonrpc.CodeInvalidParams, "Invalid cursor: it is none of this session's")
			return
		}
		after = seq
	}
	page := struct {
		Tasks []ownTask `json:"tasks"`
		Next  string    `json:"nextCursor,omitempty"`
	}{Tasks: []ownTask{}}
	e.mu.Lock()
	for i, r := range e.received.order {
		if r.seq <= after {
			continue
		}
		page.Tasks = append(page.Tasks, r.wire())
		if len(page.Tasks) == receivedPage && i+1 < len(e.received.order) {
			page.Next = e.received.cursor(r)
			break
		}
	}
	e.mu.Unlock()
	e.respond(m, page)
}

// resultGivenUp takes a tasks/result of the server out of those that wait, and
// reports whether it was one. Its task goes on (basic/utilities/cancellation,
// "Behavior Requirements"). engine.mu is held.
func (t *receivedTable) resultGivenUp(id jsonrpc.ID) bool {
	for _, r := range t.order {
		if i := slices.Index(r.waits, id); i >= 0 {
			r.waits = slices.Delete(r.waits, i, i+1)
			return true
		}
	}
	return false
}

// readOn notes how far the stream was read on which the server polls for r: who
// takes over from us goes on reading behind that. engine.mu is held.
func (r *received) readOn(o *origin) {
	if p := &r.prompt.place; p.Of != "" && p.Of == o.request && o.last != "" {
		p.After = o.last
	}
}

// putReceived notes where the question of a task stands. The question itself is
// kept where it is not too long: the server has its response, and need not send it
// again. What it asks next comes on the same stream. engine.mu is held.
func (e *era2025) putReceived(p *prompt, params json.RawMessage) {
	after := p.place.After
	p.place.Asks = string(params)
	if p.Mode == task.SamplingMode {
		p.place.How = methodSample
	}
	if p.place.Of == "" {
		p.place.After = "" // all polls since would come again
	}
	if p.place.line() == "" {
		p.place.Asks, p.place.After = "", after
	}
}

// mine reports whether the task of a question that was left is for us to serve:
// not where another callboard has the stream on which the server polls for it, nor
// once its time is up, when it is forgotten.
func (e *era2025) mine(k place) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if time.Until(time.UnixMilli(k.At).Add(time.Duration(k.TTL)*time.Millisecond)) <= 0 {
		e.kept = slices.DeleteFunc(e.kept, func(o place) bool { return o.as() == k.as() })
		return false
	}
	return !e.postOnly
}

// unfetched are the answers that the server has not taken. e.mu is held.
func (e *era2025) unfetched() []*received {
	var left []*received
	for _, r := range e.received.order {
		if r.answer && !r.fetched {
			left = append(left, r)
		}
	}
	return left
}

// fetchPatience is how long the end of a session waits for the server to take the
// answers that are kept for it. It was told of them, and polls each second; what it
// has not taken by then, a person is asked again where the session is rejoined.
const fetchPatience = 700 * time.Millisecond

// awaitFetch waits a moment until the server has taken the answers that are kept.
func (e *era2025) awaitFetch(ctx context.Context) {
	e.mu.Lock()
	left := e.unfetched()
	e.mu.Unlock()
	if len(left) == 0 {
		return
	}
	t := time.NewTimer(fetchPatience)
	defer t.Stop()
	for _, r := range left {
		select {
		case <-r.over:
		case <-t.C:
			return
		case <-e.life.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}
