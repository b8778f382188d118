package mcptest

import "encoding/json"

const metaRelated = "io.modelcontextprotocol/related-task"

// Elicitation is a question to a person: a form (Schema) or, when URL is set, a page to visit.
type Elicitation struct {
	Message string
	Schema  json.RawMessage // requestedSchema; nil: an object with no properties
	URL     string
	ID      string // elicitationId of URL mode; empty: made by the server
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

// params is schema type ElicitRequestParams.
func (e Elicitation) params() map[string]any {
	if e.URL != "" {
		return map[string]any{"mode": "url", "message": e.Message, "url": e.URL, "elicitationId": e.ID}
	}
	schema := e.Schema
	if schema == nil {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return map[string]any{"mode": "form", "message": e.Message, "requestedSchema": schema}
}
