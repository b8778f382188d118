package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"callboard/model"
	"callboard/model/task"
)

// taskFields are what the members of a task in JSON mean. They are promised.
var taskFields = [...][2]string{
	{"id", "the task's id, raw; a call that never became a task has plain: true instead"},
	{"status", "working, input_required, completed, failed, cancelled or unknown"},
	{"mark", "what happened beyond the status: expired, gone, push only, unknown, not ours; absent for nothing"},
	{"asks", "true where it waits for a person"},
	{"tool, message", "the tool's name, and the server's words; where they are known"},
	{"created, updated", "on the server's clock (RFC 3339)"},
	{"ttlMs, pollMs", "milliseconds; ttlMs null is no limit"},
	{"sent, digest", "of what an earlier callboard called: when a call was sent whose outcome is unknown, and the digest of the arguments"},
	{"known, heard", "how it was last heard of (pushed, polled, listed, started here, cancel reply, kept from before, its reply), and when, our clock"},
	{"toolError", "true where it completed with a result that says isError, as far as that is known"},
	{"later", "a status that was reported after the end"},
	{"progress", "done, total and message, where it is told"},
}

// promptFields are what the members of a question in JSON mean, promised as well.
var promptFields = [...][2]string{
	{"key", "what --prompt names it by"},
	{"mode", "form, url or sampling"},
	{"message", "the server's words; of sampling the last of the conversation"},
	{"schema", "of form and sampling: what the answer must fit, which --field and --data give"},
	{"url, elicitationId", "of url: the page to visit"},
	{"request", "of sampling: the params of sampling/createMessage (systemPrompt, messages, modelPreferences, maxTokens, ...), raw"},
}

// taskDoc is a task in JSON: see taskFields.
type taskDoc struct {
	ID       string       `json:"id,omitempty"`
	Plain    bool         `json:"plain,omitempty"`
	Status   string       `json:"status"`
	Mark     string       `json:"mark,omitempty"`
	Asks     bool         `json:"asks,omitempty"`
	Tool     string       `json:"tool,omitempty"`
	Message  string       `json:"message,omitempty"`
	Created  *time.Time   `json:"created,omitempty"`
	Updated  *time.Time   `json:"updated,omitempty"`
	TTL      any          `json:"ttlMs,omitempty"`
	Poll     int64        `json:"pollMs,omitempty"`
	Known    string       `json:"known,omitempty"`
	Heard    *time.Time   `json:"heard,omitempty"`
	Sent     *time.Time   `json:"sent,omitempty"`
	Digest   string       `json:"digest,omitempty"`
	Failed   bool         `json:"toolError,omitempty"`
	Later    string       `json:"later,omitempty"`
	Progress *progressDoc `json:"progress,omitempty"`
}

type progressDoc struct {
	Done    float64 `json:"done"`
	Total   float64 `json:"total,omitempty"`
	Message string  `json:"message,omitempty"`
}

// promptDoc is a question in JSON.
type promptDoc struct {
	Key           string          `json:"key"`
	Mode          string          `json:"mode"`
	Message       string          `json:"message"`
	Schema        json.RawMessage `json:"schema,omitempty"`
	URL           string          `json:"url,omitempty"`
	ElicitationID string          `json:"elicitationId,omitempty"`
	// Request is what a prompt of the mode sampling asks: the params of
	// sampling/createMessage as the server sent them. Schema is that of the
	// answer, whose members callboard makes the reply of.
	Request json.RawMessage `json:"request,omitempty"`
}

// reportDoc is what the commands of one task print.
type reportDoc struct {
	Task    *taskDoc        `json:"task,omitempty"`
	Prompts []promptDoc     `json:"prompts,omitempty"`
	Answers []answerDoc     `json:"answers,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

type answerDoc struct {
	Prompt string `json:"prompt"`
	Action string `json:"action"`
	State  string `json:"state"`
	Why    string `json:"why,omitempty"`
}

// faultDoc is what went wrong on our side of the server.
type faultDoc struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Code    int    `json:"code,omitempty"`
	Advice  string `json:"advice,omitempty"`
}

func errorDoc(e *Exit) reportDoc {
	f := faultDoc{Kind: map[int]string{
		exitAuth: "auth", exitUnreachable: "unreachable", exitAsks: "input_required", exitLate: "timeout", exitUsage: "usage",
	}[e.Code], Message: e.Line}
	if f.Kind == "" {
		f.Kind = "failed"
	}
	if e.Err != nil {
		f.Message, f.Code, f.Advice = e.Err.Message.Line(), e.Err.Code, e.Err.Advice.Line()
	}
	return reportDoc{Error: f}
}

func newTaskDoc(r *model.Row) *taskDoc {
	t := &taskDoc{
		ID: string(r.Key.ID), Plain: r.Key.ID == "", Status: r.Task.Status.String(), Asks: r.Asking(), Tool: toolName(r),
		Message: r.Task.Message.String(), Created: moment(r.Task.Created), Updated: moment(r.Task.Updated),
		Poll: r.Task.Poll.Milliseconds(), Known: r.How.String(), Heard: moment(r.Heard.Time()),
	}
	t.Mark, _ = markWords(r.Mark)
	t.Failed = r.ToolFailed()
	if r.Call == nil {
		t.Digest = r.Digest()
		if r.Sent != nil {
			t.Sent = moment(r.Sent.At)
		}
	}
	switch {
	case r.Task.TTL == task.NoTTL:
		t.TTL = json.RawMessage("null")
	case r.Task.TTL > 0:
		t.TTL = r.Task.TTL.Milliseconds()
	}
	if r.Later != task.Unknown {
		t.Later = r.Later.String()
	}
	if p := r.Progress; p != nil {
		t.Progress = &progressDoc{p.Done, p.Total, p.Message.String()}
	}
	return t
}

// toolName is the name of the tool that made a row, which Row.Tool may have by its
// title.
func toolName(r *model.Row) string {
	switch {
	case r.Call != nil:
		return r.Call.Tool
	case r.Sent != nil:
		return r.Sent.Tool
	case r.Handle != nil && r.Handle.Tool != "":
		return r.Handle.Tool
	}
	return r.Tool.Line()
}

// moment is t in UTC, nil for none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func newPromptDocs(asks []*model.Ask) []promptDoc {
	var docs []promptDoc
	for i, a := range asks {
		p := promptDoc{Key: promptKey(asks, i), Mode: "form", Message: a.Prompt.Message.String(), Schema: a.Prompt.Form.Schema}
		switch a.Prompt.Mode {
		case task.URLMode:
			p.Mode, p.Schema, p.URL, p.ElicitationID = "url", nil, a.Prompt.URL, a.Prompt.ElicitationID
		case task.SamplingMode:
			p.Mode, p.Request = "sampling", a.Prompt.Sampling.Raw
		case task.FormMode:
		}
		docs = append(docs, p)
	}
	return docs
}

// promptKey is by what --prompt names a question: the server's own name for it
// where it is the only one of that name, else its number.
func promptKey(asks []*model.Ask, i int) string {
	key, same := asks[i].Prompt.Key, 0
	for _, a := range asks {
		if a.Prompt.Key == key {
			same++
		}
	}
	if key == "" || same > 1 {
		return fmt.Sprint(i + 1)
	}
	return key
}

// print writes the one document of --json.
func (d *desk) print(doc any) error {
	d.told = true
	return writeJSON(d.env.Out, doc, "  ")
}

// writeJSON writes doc and a newline. What a terminal would act on, or hide,
// goes as an escape, which is the same to those who read JSON.
func writeJSON(w io.Writer, doc any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, visible(b.String()))
	return err
}

// visible replaces, in JSON, characters that control a terminal or cannot be
// seen by their escapes, and bytes that are no UTF-8.
func visible(text string) string {
	hidden := func(r rune) bool {
		return r >= 0x7f && (r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp))
	}
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
