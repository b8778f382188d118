package mcpclient

import (
	"encoding/json"
	"fmt"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// take handles one message of the server, whatever stream it came on. It
// reports whether the message is the response that the request awaited is
// waiting for.
func (e *era2025) take(m *jsonrpc.Message, o *origin, awaited jsonrpc.ID) (reply bool) {
	defer e.recover()
	switch {
	case m.Response():
		return e.response(m, awaited)
	case m.Request():
		e.asked(m, o)
	default:
		e.told(m)
	}
	return false
}

// response gives a response to the request it belongs to. A server that could
// not read a request answers with the id null: on the request's own stream that
// counts too. Anything else is a replay, or nonsense, and dropped.
func (e *era2025) response(m *jsonrpc.Message, awaited jsonrpc.ID) bool {
	id := m.ID
	if id == jsonrpc.Null && m.Error != nil {
		id = awaited
	}
	e.mu.Lock()
	p := e.pending[id]
	e.mu.Unlock()
	if p == nil {
		return id == awaited && awaited != ""
	}
	p.reply.CompareAndSwap(nil, m)
	if id != awaited {
		p.cancel() // its own stream has nothing more to bring
	}
	return id == awaited
}

// maxRequestID bounds what is remembered of a request of the server.
const maxRequestID = 1 << 10

// asked handles a request of the server.
func (e *era2025) asked(m *jsonrpc.Message, o *origin) {
	if len(m.ID) > maxRequestID {
		e.ep.Note(fmt.Sprintf("a request of the server was dropped: its id has %d bytes", len(m.ID)))
		return
	}
	e.ep.log.request(true, m.ID, task.CleanLine(m.Method, maxName).Line(), "")
	silent := e.silent()
	switch m.Method {
	case "ping":
		body, err := jsonrpc.Result(m.ID, nil)
		if err == nil {
			e.post(ownMessage{method: "the answer to ping", body: body})
		}
	case "elicitation/create":
		e.elicited(m, o)
	default:
		if !silent { // in another program's session that program answers
			e.refuse(m.ID, m.Method, jsonrpc.CodeMethodNotFound, "callboard does not offer this method")
		}
	}
}

// silent reports whether the session belongs to another program and we only
// look on.
func (e *era2025) silent() bool {
	if !e.ep.cfg.ReadOnly {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info.Joined
}

// told handles a notification of the server. What is not known is in the log,
// and dropped.
func (e *era2025) told(m *jsonrpc.Message) {
	switch m.Method {
	case "notifications/tasks/status":
		if t, ok := e.strings.task(m.Params); ok {
			e.feed.change(e.observe(t), time.Now())
		}
	case "notifications/progress":
		e.progressed(m.Params)
	case "notifications/cancelled":
		e.withdrawn(m.Params)
	case "notifications/elicitation/complete":
		e.completed(m.Params)
	case "notifications/tools/list_changed":
		e.feed.add(task.ToolsChanged{})
	case "notifications/message":
		e.feed.add(logMessage(m.Params))
	}
}

// logMessage decodes notifications/message. Its data is a string, or any JSON.
func logMessage(params json.RawMessage) task.Logged {
	l := task.Logged{At: time.Now(), Level: "info"}
	prefix := ""
	members(params, func(k, v []byte) bool {
		switch string(k) {
		case "level":
			if s := task.CleanLine(text(v), 32).Line(); s != "" {
				l.Level = s
			}
		case "logger":
			prefix = text(v)
		case "data":
			s, ok := unquote(v)
			if !ok {
				s = string(v[:min(len(v), maxMessage)])
			}
			l.Text = task.CleanMax(s, maxMessage)
		}
		return true
	})
	if prefix != "" {
		l.Text = task.CleanMax(prefix[:min(len(prefix), 128)]+": "+l.Text.String(), maxMessage)
	}
	return l
}

// progressed handles notifications/progress for a call of ours. The token stays
// good for the whole life of the task that the call became.
func (e *era2025) progressed(params json.RawMessage) {
	p := task.Progress{At: time.Now()}
	token := ""
	members(params, func(k, v []byte) bool {
		switch string(k) {
		case "progressToken":
			token = text(v)
		case "progress":
			p.Done, _ = number(v)
		case "total":
			p.Total, _ = number(v)
		case "message":
			p.Message = e.strings.message(v)
		}
		return true
	})
	e.mu.Lock()
	c := e.calls.byToken[token]
	e.mu.Unlock()
	if c != nil {
		e.feed.add(task.Progressed{Call: c.id, Progress: p})
	}
}
