package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"callboard/mcpclient/schema"
	"callboard/model/task"
)

const (
	maxSampled = 1000 // messages of one sampling request; its blocks are bounded by maxBlocks
	maxHints   = 64   // of model hints and of stop sequences that are kept
)

// sampledForm is the schema of what a person writes for a sampling request.
const sampledForm = `{"type":"object","properties":{
	"text":{"type":"string","title":"Reply","description":"what the assistant says next","minLength":1},
	"model":{"type":"string","title":"Model","description":"who wrote it: the server is told","default":"human","minLength":1,"maxLength":200}},
	"required":["text","model"],"additionalProperties":false}`

// parseSampling decodes schema type CreateMessageRequestParams. fault says why
// it cannot be shown, "" for nothing. What only advises a model may be missing or
// wrong, and is then as not given.
func parseSampling(params json.RawMessage) (p task.Prompt, fault string) {
	if !isObject(params) {
		return p, "a sampling request has params, an object"
	}
	s := &task.Sampling{MaxTokens: -1, Cost: -1, Speed: -1, Intelligence: -1, Raw: params}
	var messages json.RawMessage
	members(params, func(k, v []byte) bool {
		switch string(k) {
		case "messages":
			messages = v
		case "systemPrompt":
			s.System = task.Clean(text(v))
		case "modelPreferences":
			prefer(s, v)
		case "maxTokens":
			if n, err := strconv.ParseInt(string(v), 10, 64); err == nil && n >= 0 {
				s.MaxTokens = n
			}
		case "temperature":
			if _, ok := number(v); ok {
				s.Temperature = string(v[:min(len(v), 32)])
			}
		case "stopSequences":
			s.Stop = lines(v)
		case "includeContext":
			s.Context = task.CleanLine(text(v), maxName)
		case "tools", "toolChoice":
			if string(v) != "null" && fault == "" {
				// The schema has it so for clients that do not declare sampling.tools.
				fault = fmt.Sprintf("%s in a sampling request: sampling.tools was not declared", k)
			}
		}
		return true
	})
	if fault != "" {
		return p, fault
	}
	if s.Messages, fault = sampledMessages(messages); fault != "" {
		return p, fault
	}
	p.Mode, p.Sampling, p.At = task.SamplingMode, s, time.Now()
	p.Form = schema.Form(json.RawMessage(sampledForm))
	p.Message = lastWords(s)
	return p, ""
}

// lastWords is what a line has room for of a sampling request: the text of what
// is to be replied to.
func lastWords(s *task.Sampling) task.Text {
	if n := len(s.Messages); n > 0 {
		for _, c := range s.Messages[n-1].Content {
			if t := task.CleanMax(c.Text, maxProse); c.Kind == task.TextContent && t.Line() != "" {
				return t
			}
		}
	}
	return task.Own("a reply in the place of a model is asked for")
}

// prefer decodes schema type ModelPreferences.
func prefer(s *task.Sampling, raw json.RawMessage) {
	members(raw, func(k, v []byte) bool {
		f, ok := number(v)
		if !ok || f < 0 || f > 1 {
			f = -1
		}
		switch string(k) {
		case "hints":
			elements(v, func(hint []byte) bool {
				if name := task.CleanLine(text(member(hint, "name")), maxName); !name.IsZero() {
					s.Hints = append(s.Hints, name)
				}
				return len(s.Hints) < maxHints
			})
		case "costPriority":
			s.Cost = f
		case "speedPriority":
			s.Speed = f
		case "intelligencePriority":
			s.Intelligence = f
		}
		return true
	})
}

// lines decodes a list of strings.
func lines(raw json.RawMessage) []task.Text {
	var all []task.Text
	elements(raw, func(e []byte) bool {
		if s, ok := unquote(e); ok {
			all = append(all, task.CleanMax(s, maxName))
		}
		return len(all) < maxHints
	})
	return all
}

// sampledMessages decodes the messages of a sampling request: schema type
// SamplingMessage, with one block of content or several.
func sampledMessages(raw json.RawMessage) (all []task.SamplingMessage, fault string) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, "a sampling request has messages, an array"
	}
	blocks := 0
	var uses []string // of tools, in the message before
	elements(raw, func(e []byte) bool {
		var m task.SamplingMessage
		var turn toolTurn
		m, turn, fault = sampledMessage(e)
		if fault == "" {
			fault = turn.after(uses)
		}
		uses, blocks = turn.uses, blocks+len(m.Content)
		switch {
		case fault != "":
			fault = fmt.Sprintf("messages[%d]: %s", len(all), fault)
		case len(all) == maxSampled:
			fault = fmt.Sprintf("callboard takes sampling requests of at most %d messages", maxSampled)
		case blocks > maxBlocks:
			fault = fmt.Sprintf("callboard takes sampling requests of at most %d blocks of content", maxBlocks)
		}
		all = append(all, m)
		return fault == ""
	})
	if fault == "" && len(uses) > 0 {
		fault = "Tool result missing in request"
	}
	return all, fault
}

// sampledMessage decodes one message.
func sampledMessage(raw json.RawMessage) (m task.SamplingMessage, turn toolTurn, fault string) {
	role := text(member(raw, "role"))
	if role != "user" && role != "assistant" {
		return m, turn, "its role must be user or assistant"
	}
	m.Role = task.Own(role)
	content := member(raw, "content")
	block := func(e []byte) bool {
		if !isObject(e) || text(member(e, "type")) == "" {
			fault = "its content must be blocks that have a type"
			return false
		}
		c := parseContent(e)
		c.Base64 = "" // it stands in the request: a second copy would do no more
		m.Content = append(m.Content, c)
		turn.saw(e)
		return len(m.Content) <= maxBlocks
	}
	if len(content) > 0 && content[0] == '[' {
		elements(content, block)
	} else {
		block(content)
	}
	return m, turn, fault
}

// toolTurn is what the blocks of a message say of the use of tools
// (client/sampling, "Message Content Constraints").
type toolTurn struct {
	uses, results []string // ids
	other         bool     // there are blocks of another type
}

func (t *toolTurn) saw(block json.RawMessage) {
	switch text(member(block, "type")) {
	case "tool_use":
		t.uses = append(t.uses, text(member(block, "id")))
	case "tool_result":
		t.results = append(t.results, text(member(block, "toolUseId")))
	default:
		t.other = true
	}
}

// after returns what is wrong with the message behind one that used these tools,
// in the protocol's words (client/sampling, "Error Handling").
func (t *toolTurn) after(uses []string) string {
	if len(t.results) > 0 && (t.other || len(t.uses) > 0) {
		return "Tool results mixed with other content"
	}
	slices.Sort(uses)
	given := slices.Sorted(slices.Values(t.results))
	if !slices.Equal(uses, given) {
		if len(given) > len(uses) {
			return "Tool result without its tool use in request"
		}
		return "Tool result missing in request"
	}
	return ""
}
