package mcpclient

import (
	"encoding/json"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// elicitResult is schema type ElicitResult.
type elicitResult struct {
	Meta    map[string]json.RawMessage `json:"_meta,omitempty"`
	Action  string                     `json:"action"`
	Content json.RawMessage            `json:"content,omitempty"`
}

// sampledResult is schema type CreateMessageResult, with one block of text.
type sampledResult struct {
	Meta    map[string]json.RawMessage `json:"_meta,omitempty"`
	Role    string                     `json:"role"`
	Content sampledText                `json:"content"`
	Model   string                     `json:"model"`
	Stop    string                     `json:"stopReason"`
}

// sampledText is schema type TextContent.
type sampledText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// replyTo returns what a reply to p is on the wire: exactly one of the result of
// the request that asked, and the error in its place. related is the value of the
// related-task `_meta` that the result has, nil for none. err says that the reply
// is none that p can have.
func replyTo(p *task.Prompt, r task.Reply, related json.RawMessage) (result json.RawMessage, refused *jsonrpc.Error, err error) {
	var meta map[string]json.RawMessage
	if related != nil {
		meta = map[string]json.RawMessage{metaRelated: related}
	}
	var out any
	switch {
	case p.Mode != task.SamplingMode:
		out = elicited(p, r, meta)
	case r.Action != task.Accept:
		// The words are those of client/sampling, "Error Handling".
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeUserRejected, Message: "User rejected sampling request"}, nil
	default:
		if out, err = sampled(r, meta); err != nil {
			return nil, nil, err
		}
	}
	if result, err = json.Marshal(out); err != nil {
		return nil, nil, fail(task.Internal, "the answer is not valid JSON")
	}
	return result, nil, nil
}

// answerTo is the message that answers a request of the server: with the result,
// or with the error where there is one.
func answerTo(id jsonrpc.ID, result json.RawMessage, refused *jsonrpc.Error) ([]byte, error) {
	var body []byte
	var err error
	if refused != nil {
		body, err = jsonrpc.Refusal(id, refused)
	} else {
		body, err = jsonrpc.Result(id, result)
	}
	if err != nil {
		return nil, fail(task.Internal, "the answer is not valid JSON")
	}
	return body, nil
}

func elicited(p *task.Prompt, r task.Reply, meta map[string]json.RawMessage) elicitResult {
	out := elicitResult{Meta: meta, Action: r.Action.String()}
	if r.Action == task.Accept && p.Mode == task.FormMode {
		if out.Content = r.Content; out.Content == nil {
			out.Content = json.RawMessage(`{}`)
		}
	}
	return out
}

func sampled(r task.Reply, meta map[string]json.RawMessage) (sampledResult, error) {
	said, ok := unquote(member(r.Content, task.SampledText))
	if !ok {
		return sampledResult{}, fail(task.Internal, "the answer to a sampling request needs a %q, a string", task.SampledText)
	}
	model := text(member(r.Content, task.SampledModel))
	if model == "" {
		model = "human"
	}
	return sampledResult{meta, "assistant", sampledText{"text", said}, model, "endTurn"}, nil
}
