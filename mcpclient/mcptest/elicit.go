package mcptest

import "encoding/json"

const metaRelated = "io.modelcontextprotocol/related-task"

// Elicitation is a question to a person: a form (Schema) or, when URL is set, a page to visit.
type Elicitation struct {
	Message string
	Schema  json.RawMessage // requestedSchema; nil: an object with no properties
	URL     string
	ID      string // elicitationId of URL mode; empty: made by the server
	// Sampling makes it a question to a model instead: the params of sampling/createMessage. The Content of the reply
	// is then the whole CreateMessageResult.
	Sampling json.RawMessage
}

// Question is one of several asked at once.
type Question struct {
	Key string // of the reply, and of inputRequests in the modern era; empty: made by the server
	Elicitation
}

// Reply is what a person answered.
type Reply struct {
	Action  string          // accept, decline or cancel
	Content json.RawMessage // of an accepted form, else empty
}

// Accepted reports whether the question was answered.
func (r Reply) Accepted() bool { return r.Action == "accept" }

// Bind decodes the answer into v.
func (r Reply) Bind(v any) error { return json.Unmarshal(r.Content, v) }

// method is the request that asks.
func (e Elicitation) method() string {
	if e.Sampling != nil {
		return "sampling/createMessage"
	}
	return "elicitation/create"
}

// request is schema type InputRequest (2026-07-28), which knows no elicitationId.
func (e Elicitation) request() map[string]any {
	if e.Sampling != nil {
		return map[string]any{"method": e.method(), "params": e.Sampling}
	}
	params := e.params()
	delete(params, "elicitationId")
	return map[string]any{"method": e.method(), "params": params}
}

// reply reads the result of the request.
func (e Elicitation) reply(raw json.RawMessage, f *Faults) promptAnswer {
	if e.Sampling != nil {
		return promptAnswer{reply: Reply{Action: "accept", Content: f.calm(raw)}}
	}
	var res struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &res) != nil {
		return promptAnswer{err: errorf(CodeInvalidRequest, "the answer is no ElicitResult")}
	}
	return promptAnswer{reply: Reply{Action: res.Action, Content: f.calm(res.Content)}}
}

// params is schema type ElicitRequestParams of 2025-11-25, or CreateMessageRequestParams.
func (e Elicitation) params() map[string]any {
	if e.Sampling != nil {
		var p map[string]any
		if json.Unmarshal(e.Sampling, &p) == nil && p != nil {
			return p
		}
		return map[string]any{}
	}
	if e.URL != "" {
		return map[string]any{"mode": "url", "message": e.Message, "url": e.URL, "elicitationId": e.ID}
	}
	schema := e.Schema
	if schema == nil {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return map[string]any{"mode": "form", "message": e.Message, "requestedSchema": schema}
}
