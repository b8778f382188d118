package mcptest

import (
	"context"
	"encoding/json"
	"time"
)

// Support says whether a tool may run as a task (`execution.taskSupport`).
type Support string

// The three kinds of task support; the empty one is left out on the wire and means forbidden.
const (
	Forbidden Support = "forbidden"
	Optional  Support = "optional"
	Required  Support = "required"
)

// Tool is a scripted tool.
type Tool struct {
	Name, Title, Description string
	InputSchema              json.RawMessage // nil: an object with no properties
	OutputSchema             json.RawMessage // nil: left out
	Annotations              json.RawMessage // nil: left out
	TaskSupport              Support
	Immediate                string        // text for `_meta["io.modelcontextprotocol/model-immediate-response"]` of CreateTaskResult
	Poll                     time.Duration // pollInterval of its tasks; zero: the server's default; or [NoPoll]
	// Deaf lets a modern tasks/cancel come too late: it is acknowledged, and the work goes on to its end.
	Deaf bool
	// Before runs first and may ask, or end the call by an outcome that is not nil. In the modern era no task exists
	// yet, so that its questions are multi round trips of the call; in the legacy era it is the first part of Run.
	Before func(ctx context.Context, c *Call) *Outcome
	// Run is the tool's work, in a goroutine of its own. ctx ends when the task or call is cancelled, expires, or the
	// server closes; what Run returns then is used only where the server flips terminal states ([Faults.FlipTerminal]).
	Run func(ctx context.Context, c *Call) Outcome
}

// Outcome is what a call comes to: a tool result, or a JSON-RPC error when Err is set.
type Outcome struct {
	Content    []Content
	Structured any  // structuredContent, an object; nil: left out
	IsError    bool // a tool result that reports failure; its task ends as failed, in the modern era as completed
	Err        *Error
	Message    string         // statusMessage of the ended task; empty: none, or the message of Err
	Meta       map[string]any // `_meta` of the result

	urls []Elicitation // of URLRequired: in the modern era they are asked, and the tool runs anew
}

// status is the terminal state the outcome leads to.
func (o Outcome) status() Status {
	if o.Err != nil || o.IsError {
		return Failed
	}
	return Completed
}

// result is schema type CallToolResult. taskID, if any, is added as the related task.
func (o Outcome) result(taskID string) map[string]any {
	res := map[string]any{"content": o.Content}
	if o.Content == nil {
		res["content"] = []Content{}
	}
	if o.Structured != nil {
		res["structuredContent"] = o.Structured
	}
	if o.IsError {
		res["isError"] = true
	}
	meta := map[string]any{}
	for k, v := range o.Meta {
		meta[k] = v
	}
	if taskID != "" {
		meta[metaRelated] = map[string]any{"taskId": taskID}
	}
	if len(meta) > 0 {
		res["_meta"] = meta
	}
	return res
}

// Answered is a plain successful outcome with the texts as content.
func Answered(texts ...string) Outcome {
	var o Outcome
	for _, t := range texts {
		o.Content = append(o.Content, Text(t))
	}
	return o
}

// ToolError is an outcome with isError set.
func ToolError(text string) Outcome {
	return Outcome{Content: []Content{Text(text)}, IsError: true, Message: text}
}

// Refused is an outcome that is a JSON-RPC error.
func Refused(code int, message string, data any) Outcome {
	return Outcome{Err: &Error{Code: code, Message: message, Data: data}}
}

// URLRequired is the error -32042 with the URL elicitations the call needs first. The modern era, which has no such
// error, asks them instead and runs the tool again once all are accepted.
func URLRequired(message string, es ...Elicitation) Outcome {
	list := make([]any, 0, len(es))
	for _, e := range es {
		list = append(list, e.params())
	}
	o := Refused(CodeURLRequired, message, map[string]any{"elicitations": list})
	o.urls = es
	return o
}
