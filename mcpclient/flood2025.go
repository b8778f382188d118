package mcpclient

import (
	"bytes"
	"encoding/json"
	"fmt"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// admit lets a question in, at once or in its turn. What is repeated on a stream
// that was resumed is no new one.
func (e *era2025) admit(m *jsonrpc.Message, o *origin) {
	silent := e.silent()
	if !silent && !e.takes(m) {
		return
	}
	if a, fault := e.augmented(m.Params); a != nil || fault != "" {
		e.prompted(m, o) // it has its response at once, and is shown in its turn
		return
	}
	p := &prompt{request: m.ID, params: sumOf(m.Params), size: len(m.Params)}
	p.Task, p.Call = relatedTask(m.Params), o.call
	if p.Task == "" {
		p.Task = o.task
	}
	e.mu.Lock()
	same := e.prompts.waits(func(w *prompt) bool { return w.request == p.request })
	switch {
	case same != nil && same.params == p.params:
		e.mu.Unlock()
		return
	case same != nil:
		e.prompts.leave(task.Own("the server asked something else under the same id"), func(w *prompt) bool { return w == same.prompt })
	case tooLong(m.Method, m.Params) != "" || e.prompts.replay(m.ID, p.params, o):
		e.mu.Unlock()
		e.prompted(m, o) // says so, or drops it
		return
	}
	if e.prompts.turn(p) {
		e.mu.Unlock()
		e.prompted(m, o)
		return
	}
	came := o.now()
	later := &jsonrpc.Message{ID: m.ID, Method: m.Method, Params: bytes.Clone(m.Params)} // without what else came in its event
	waits := e.prompts.wait(&queued{prompt: p, size: p.size, let: func() { e.prompted(later, came) }})
	e.mu.Unlock()
	e.paced()
	if !waits && !silent {
		e.refuse(m.ID, m.Method, codeFlood, fmt.Sprintf("slow down: %d questions wait already, and one in %s is shown to a person", maxWaiting, floodEvery))
	}
}

// unqueued takes the question that notifications/cancelled speaks of out of those
// that wait for their turn. It reports false where it is none of them.
func (e *era2025) unqueued(params json.RawMessage) bool {
	id := jsonrpc.ID(member(params, "requestId"))
	which := func(p *prompt) bool { return p.request == id && p.received == nil }
	e.mu.Lock()
	found := e.prompts.waits(which) != nil
	if found {
		e.prompts.leave(withdrawal(params), which)
	}
	e.mu.Unlock()
	if found {
		e.paced()
	}
	return found
}

// withdrawal is why a server withdraws a question.
func withdrawal(params json.RawMessage) task.Text {
	why := task.CleanLine(text(member(params, "reason")), 300)
	if why.IsZero() {
		why = task.Own("the server no longer waits for it")
	}
	return why
}
