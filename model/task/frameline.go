package task

import (
	"encoding/json"
	"time"
)

// frameLine is a line of the log as JSON. ms is how long a reply took.
type frameLine struct {
	Time   time.Time       `json:"time"`
	Server string          `json:"server,omitempty"`
	Dir    string          `json:"dir"`
	Stream string          `json:"stream,omitempty"`
	Method string          `json:"method,omitempty"`
	ID     string          `json:"id,omitempty"`
	Task   ID              `json:"task,omitempty"`
	Size   int             `json:"size"`
	Took   int64           `json:"ms,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
	Text   string          `json:"text,omitempty"`
}

// Line returns f as a line of JSON that ends with a newline, for files: answers and
// secrets as dots. What is no whole JSON, as a message that was cut, is "text" in
// place of "body". server names whose it is, "" leaves that out.
func (f *Frame) Line(server string) ([]byte, error) {
	l := frameLine{
		Time: f.At, Server: server, Stream: f.Stream, Method: f.Method, ID: f.ID, Task: f.Task,
		Size: f.Size, Took: f.Took.Milliseconds(),
	}
	l.Dir = [...]string{Note: "note", Out: "out", In: "in"}[f.Dir]
	body := f.Body
	if f.Masked != "" {
		body = f.Masked
	}
	if f.Dir != Note && json.Valid([]byte(body)) {
		l.Body = json.RawMessage(body)
	} else {
		l.Text = body
	}
	line, err := json.Marshal(l)
	return append(line, '\n'), err
}
