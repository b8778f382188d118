package mcpclient

import (
	"context"
	"encoding/json"
	"errors"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// maxURLs is how many pages of one error -32042 are shown.
const maxURLs = 20

// urlsRequired takes the pages that a call needs first (-32042; client/elicitation,
// "URL Elicitation Required Error"), and returns how many there are. of has the call,
// or the task that it became. They have no request that an answer could go to: the
// person sends the call again.
func (e *engine) urlsRequired(of task.Prompt, data json.RawMessage) int {
	n := 0
	elements(member(data, "elicitations"), func(raw []byte) bool {
		parsed, fault := parsePrompt(methodElicit, raw)
		if fault != "" || parsed.Mode != task.URLMode {
			return true
		}
		parsed.ID, parsed.Call, parsed.Task, parsed.Visit = task.PromptID(newName("q")), of.Call, of.Task, true
		p := &prompt{Prompt: parsed, params: sumOf(raw), size: len(raw)}
		e.mu.Lock()
		now := e.prompts.turn(p)
		if now {
			e.prompts.open[p.ID] = p
		}
		full := !now && !e.prompts.wait(&queued{prompt: p, size: len(raw)})
		e.mu.Unlock()
		if now {
			e.feed.add(task.Prompted{Prompt: parsed})
		}
		if !full {
			n++
		}
		return !full && n < maxURLs
	})
	e.paced()
	return n
}

// pagesOf takes the pages that the call needs first whose task ended by an error.
// They are asked for once, however often the outcome is told.
func (e *engine) pagesOf(id task.ID, rpc *jsonrpc.Error) {
	if rpc == nil || rpc.Code != jsonrpc.CodeURLElicitationRequired || e.ep.cfg.ReadOnly {
		return
	}
	e.mu.Lock()
	known := e.paged.ids[id]
	e.paged.add(id)
	e.mu.Unlock()
	if !known {
		e.urlsRequired(task.Prompt{Task: id}, rpc.Data)
	}
}

// refusal returns the JSON-RPC error by which the server answered a request, nil
// where it did otherwise: it may come with an HTTP status of its own.
func refusal(m *jsonrpc.Message, err error) *jsonrpc.Error {
	var te *task.Error
	switch {
	case err == nil:
		return m.Error
	case errors.As(err, &te) && te.Kind == task.RPC:
		return &jsonrpc.Error{Code: te.Code, Message: te.Message.String(), Data: te.Data}
	}
	return nil
}

// fetchFailed gets the outcome of a task that failed and that a call of ours became:
// what the call needs first stands there alone.
func (e *era2025) fetchFailed(id task.ID) {
	ctx, cancel := context.WithTimeout(e.life, requestTimeout)
	defer cancel()
	a := &attendance{cancel: cancel, left: true}
	e.mu.Lock()
	if e.attended[id] != nil {
		e.mu.Unlock()
		return // it comes there
	}
	e.attended[id] = a
	e.mu.Unlock()
	_, _ = e.ask(ctx, id, a) // who opens the result is told
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.attended[id] == a {
		delete(e.attended, id)
	}
}
