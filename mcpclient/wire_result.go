package mcpclient

import (
	"encoding/json"
	"math"
	"strings"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/schema"
	"callboard/model/task"
)

const (
	maxBlocks   = 10_000 // content blocks of a result
	maxTools    = 10_000
	maxAudience = 16
)

// parseResult decodes CallToolResult. Nothing in it is refused: what is no
// content block is shown as its JSON.
func parseResult(raw json.RawMessage) task.Result {
	r := task.Result{Raw: raw}
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "content":
			elements(v, func(e []byte) bool {
				if len(r.Content) == maxBlocks {
					r.Content = append(r.Content, task.Content{Size: -1,
						Raw: json.RawMessage(`"more blocks follow than callboard shows"`)})
					return false
				}
				r.Content = append(r.Content, parseContent(e))
				return true
			})
		case "structuredContent":
			r.Structured = v
		case "isError":
			r.IsError = isTrue(v)
		}
		return true
	})
	return r
}

// parseContent decodes schema type ContentBlock.
func parseContent(raw json.RawMessage) task.Content {
	c := task.Content{Size: -1, Raw: raw}
	var resource json.RawMessage
	kind := ""
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "type":
			kind = text(v)
		case "text":
			c.Text = text(v)
		case "data":
			c.Base64 = text(v)
		case "mimeType":
			c.MIME = text(v)
		case "uri":
			c.URI = text(v)
		case "name":
			c.Name = text(v)
		case "title":
			c.Title = text(v)
		case "description":
			c.Description = text(v)
		case "size":
			if f, ok := number(v); ok && f >= 0 && f < math.MaxInt64/2 {
				c.Size = int64(f)
			}
		case "resource":
			resource = v
		case "annotations":
			elements(member(v, "audience"), func(e []byte) bool {
				if s, ok := unquote(e); ok {
					c.Audience = append(c.Audience, s)
				}
				return len(c.Audience) < maxAudience
			})
		}
		return true
	})
	switch kind {
	case "text":
		c.Kind, c.Size = task.TextContent, int64(len(c.Text))
	case "image":
		c.Kind, c.Size = task.ImageContent, decodedSize(c.Base64)
	case "audio":
		c.Kind, c.Size = task.AudioContent, decodedSize(c.Base64)
	case "resource_link":
		c.Kind = task.ResourceLink
	case "resource":
		c.Kind = task.EmbeddedResource
		embed(&c, resource)
	}
	return c
}

// embed takes over the members of schema types TextResourceContents and
// BlobResourceContents.
func embed(c *task.Content, raw json.RawMessage) {
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "uri":
			c.URI = text(v)
		case "mimeType":
			c.MIME = text(v)
		case "text":
			c.Text = text(v)
			c.Size = int64(len(c.Text))
		case "blob":
			c.Base64 = text(v)
			c.Size = decodedSize(c.Base64)
		}
		return true
	})
}

// decodedSize returns how many bytes base64 text stands for.
func decodedSize(s string) int64 {
	n := len(s)
	for n > 0 && s[n-1] == '=' {
		n--
	}
	return int64(n) * 3 / 4
}

// parseTool decodes schema type Tool. It reports false where there is no name
// to call it by.
func parseTool(raw json.RawMessage) (task.Tool, bool) {
	var t task.Tool
	var title, hinted, input json.RawMessage
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "name":
			t.Name = text(v)
		case "title":
			title = v
		case "description":
			t.Description = task.CleanMax(text(v), maxProse)
		case "inputSchema":
			input = v
		case "execution":
			t.Support = parseSupport(text(member(v, "taskSupport")))
		case "annotations":
			hinted = member(v, "title")
			t.ReadOnly = isTrue(member(v, "readOnlyHint"))
			t.Destructive = isTrue(member(v, "destructiveHint"))
		}
		return true
	})
	for _, name := range []string{text(title), text(hinted), t.Name} {
		if t.Title.IsZero() {
			t.Title = task.CleanLine(name, maxName)
		}
	}
	t.Input = schema.Form(input)
	return t, t.Name != ""
}

func parseSupport(word string) task.Support {
	switch word {
	case "optional":
		return task.Optional
	case "required":
		return task.Required
	}
	return task.Forbidden
}

// rpcError makes a task.Error of the error member of a response.
func rpcError(e *jsonrpc.Error) *task.Error {
	msg := task.CleanMax(e.Message, maxMessage)
	if msg.IsZero() {
		msg = task.Own("the server gives no reason")
	}
	return &task.Error{Kind: task.RPC, Code: e.Code, Message: msg, Data: e.Data, Advice: adviceFor(e)}
}

// adviceFor says what the errors mean that MCP 2026-07-28 defines (Basic, "Error
// Codes"); zero for others.
func adviceFor(e *jsonrpc.Error) task.Text {
	switch e.Code {
	case codeHeaderMismatch:
		return task.Own("its headers do not fit the request: something in between may change them, or the tools have changed")
	case codeMissingCapability:
		var needs []string
		members(member(e.Data, "requiredCapabilities"), func(k, v []byte) bool {
			if string(k) != "extensions" {
				needs = append(needs, string(k))
			} else {
				members(v, func(k, _ []byte) bool {
					needs = append(needs, string(k))
					return len(needs) < 8
				})
			}
			return len(needs) < 8
		})
		if len(needs) > 0 {
			return task.CleanLine("it needs a client that offers "+strings.Join(needs, ", ")+", which this one does not, or not read-only", maxMessage)
		}
		return task.Own("it needs a client that offers more than this one, or than a read-only one")
	case codeUnsupportedVersion:
		if vs := versions(supportedIn(e.Data)); len(vs) > 0 {
			return task.CleanLine("it speaks "+strings.Join(vs, ", "), maxMessage)
		}
	}
	return task.Text{}
}

// failedResult is the result of a call that ended by a JSON-RPC error.
func failedResult(e *jsonrpc.Error) task.Result {
	raw, err := json.Marshal(e)
	if err != nil {
		raw = nil // only data that was no JSON could do that
	}
	return task.Result{Err: rpcError(e), Raw: raw}
}
