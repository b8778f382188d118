package mcpclient

import (
	"encoding/json"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// take handles one message of the server, whatever stream it came on. It
// reports whether the message is the response that the request awaited is
// waiting for.
func (e *engine) take(m *jsonrpc.Message, o *origin, awaited jsonrpc.ID) (reply bool) {
	defer e.recover()
	switch {
	case m.Response():
		return e.response(m, awaited)
	case m.Request():
		e.manners.asked(m, o)
	default:
		e.notified(m, o)
	}
	return false
}

// response gives a response to the request it belongs to. A server that could
// not read a request answers with the id null: on the request's own stream that
// counts too. Anything else is a replay, or nonsense, and dropped.
func (e *engine) response(m *jsonrpc.Message, awaited jsonrpc.ID) bool {
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
	if m.Error != nil {
		e.ep.log.conceal(m.Error)
	}
	p.reply.CompareAndSwap(nil, m)
	if id != awaited {
		p.cancel() // its own stream has nothing more to bring
	}
	return id == awaited
}

// notified handles a notification of the server. What is not known is in the
// log, and dropped.
func (e *engine) notified(m *jsonrpc.Message, o *origin) {
	e.manners.told(m, o)
	switch m.Method {
	// Some servers push the shapes of one generation in sessions of the other.
	case "notifications/tasks/status", "notifications/tasks":
		if t, ok := e.strings.task(m.Params); ok {
			e.feed.change(e.heard(t, m.Params), time.Now())
		}
	case "notifications/progress":
		e.progressed(m.Params)
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
func (e *engine) progressed(params json.RawMessage) {
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
