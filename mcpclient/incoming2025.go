package mcpclient

import (
	"cmp"
	"fmt"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// maxRequestID bounds what is remembered of a request of the server.
const maxRequestID = 1 << 10

// asked is manners.asked: it handles a request of the server.
func (e *era2025) asked(m *jsonrpc.Message, o *origin) {
	if len(m.ID) > maxRequestID {
		e.ep.Note(fmt.Sprintf("a request of the server was dropped: its id has %d bytes", len(m.ID)))
		return
	}
	e.ep.log.request(true, m.ID, task.CleanLine(m.Method, maxName).Line(), subject{task: cmp.Or(relatedTask(m.Params), o.task), call: o.call})
	silent := e.silent()
	switch m.Method {
	case "ping":
		body, err := jsonrpc.Result(m.ID, nil)
		if err == nil {
			e.post(ownMessage{method: "the answer to ping", body: body})
		}
	case methodElicit, methodSample:
		e.admit(m, o)
	default:
		if !silent && !e.served(m, o) { // who may answer does
			e.refuse(m.ID, m.Method, jsonrpc.CodeMethodNotFound, "callboard does not offer this method")
		}
	}
}

// silent reports whether the session belongs to another program, or to those who
// answer in it, and we only look on.
func (e *era2025) silent() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.onlooker
}

// told is manners.told.
func (e *era2025) told(m *jsonrpc.Message, o *origin) {
	switch m.Method {
	case "notifications/cancelled":
		if !e.unqueued(m.Params) {
			e.withdrawn(m.Params, o)
		}
	case "notifications/elicitation/complete":
		e.completed(m.Params)
	}
}
