package mcpclient

import (
	"bytes"
	"encoding/json"
	"time"

	"callboard/mcpclient/schema"
	"callboard/model/task"
)

const (
	maxPrompts = 200     // open at once
	maxClosed  = 1024    // closed ones that are still known, so that a replay is no new prompt
	maxAsked   = 1 << 20 // bytes of one
	// maxSampledBytes is maxAsked for a sampling request, which may hold images.
	maxSampledBytes = 8 << 20
	maxOpenBytes    = 64 << 20 // of all that are open
)

// The methods by which a server asks a person.
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
)

// parsePrompt makes a prompt of the params of a request that asks a person, of
// whichever generation and in whatever message it came. Its ID, Key, Task and Call
// are the caller's to fill. fault says what is wrong with the params, "" for
// nothing; the code for that is -32602. A `task` in them is the caller's business.
func parsePrompt(method string, params json.RawMessage) (p task.Prompt, fault string) {
	if fault = tooLong(method, params); fault != "" {
		return p, fault
	}
	params = bytes.Clone(params) // what else is in its message is not kept with it
	if method == methodSample {
		return parseSampling(params)
	}
	return parseElicitation(params)
}

// tooLong is the fault of params that are more than callboard takes, "" for others.
func tooLong(method string, params json.RawMessage) string {
	switch {
	case method == methodSample && len(params) > maxSampledBytes:
		return "callboard takes sampling requests of at most 8 MiB"
	case method != methodSample && len(params) > maxAsked:
		return "callboard takes prompts of at most 1 MiB"
	}
	return ""
}

// parseElicitation decodes schema type ElicitRequestParams. fault says why it
// cannot be shown, "" for nothing.
func parseElicitation(params json.RawMessage) (p task.Prompt, fault string) {
	var requested json.RawMessage
	mode := ""
	members(params, func(k, v []byte) bool {
		switch string(k) {
		case "mode":
			mode = text(v)
		case "message":
			p.Message = task.CleanMax(text(v), maxProse)
		case "requestedSchema":
			requested = v
		case "url":
			p.URL = text(v)
		case "elicitationId":
			p.ElicitationID = text(v)
		}
		return true
	})
	p.At = time.Now()
	switch mode {
	case "", "form":
		p.URL, p.ElicitationID = "", ""
		if requested == nil {
			requested = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		p.Form = schema.Question(p.Message.String(), requested)
		return p, ""
	case "url":
		p.Mode = task.URLMode
		if len(p.ElicitationID) > maxID {
			return p, "an elicitationId has at most 4 KiB"
		}
		if p.URL == "" || len(p.URL) > maxProse {
			return p, "an elicitation of mode url needs a url of at most 16 KiB"
		}
		return p, ""
	}
	return p, "this mode of elicitation was not declared"
}

// claim finds the open prompt of a reply and marks it as being answered.
func (e *engine) claim(r task.Reply) (*prompt, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.feed.over(); err != nil {
		return nil, err
	}
	p := e.prompts.open[r.Prompt]
	if p == nil {
		for i := len(e.prompts.closed) - 1; i >= 0; i-- {
			if c := e.prompts.closed[i]; c.id == r.Prompt {
				return nil, fail(task.Unsupported, "this prompt can no longer be answered: %s", c.why)
			}
		}
		return nil, fail(task.Unsupported, "this prompt can no longer be answered")
	}
	if p.sending {
		return nil, fail(task.Unsupported, "an answer to this prompt is on its way already")
	}
	p.sending, p.refused = true, r.Action != task.Accept
	return p, nil
}
