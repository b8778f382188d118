package state

import (
	"encoding/json"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"callboard/model/task"
)

// Limits of the audit trail.
const (
	auditSize   = 8 << 20   // bytes of audit.jsonl, before it becomes audit.1.jsonl
	auditOld    = 4         // how many older files are kept
	auditQueued = 1 << 15   // entries that wait to be written
	auditSpare  = 1 << 11   // entries whose room is kept for the next ones
	auditChunk  = 1 << 20   // bytes of one write, about
	auditLine   = 128 << 10 // bytes of a line that is read; those that are written are shorter
	auditWord   = 1 << 10   // bytes of one value; what is longer is cut
)

// lineJSON is one line of audit.jsonl, and the one place where its names are
// chosen. They are promised: what is empty is absent, more may be added.
type lineJSON struct {
	At     string `json:"at"`               // RFC 3339 with milliseconds, UTC
	What   string `json:"what"`             // a task.What
	Server string `json:"server,omitempty"` // its URL, without user and query
	Task   string `json:"task,omitempty"`   // the task's id, raw
	Call   string `json:"call,omitempty"`   // of ours
	Tool   string `json:"tool,omitempty"`   // raw
	From   string `json:"from,omitempty"`   // the protocol's word for a status
	To     string `json:"to,omitempty"`
	How    string `json:"how,omitempty"` // by what it was learnt: pushed, polled, listed, ...
	Prompt string `json:"prompt,omitempty"`
	Action string `json:"action,omitempty"` // accept, decline or cancel
	Effect string `json:"effect,omitempty"`
	Text   string `json:"text,omitempty"` // words of callboard's own
	By     string `json:"by,omitempty"`   // the user of the operating system
	PID    int    `json:"pid,omitempty"`  // the process
}

// millisecond is RFC 3339 with milliseconds.
const millisecond = "2006-01-02T15:04:05.000Z07:00"

// appendLine appends e as a line of the trail.
func appendLine(b []byte, e *task.Entry, by string, pid int) []byte {
	l := lineJSON{
		At: e.At.UTC().Format(millisecond), What: string(e.What), Server: word(e.Server), Task: word(string(e.Task)), Call: word(string(e.Call)),
		Tool: word(e.Tool), Prompt: word(e.Prompt), Action: e.Action.String(), Effect: word(e.Effect), Text: word(e.Text), By: by, PID: pid,
	}
	if e.From != task.Unknown {
		l.From = e.From.String()
	}
	if e.To != task.Unknown {
		l.To = e.To.String()
	}
	if e.How != 0 {
		l.How = e.How.String()
	}
	raw, err := json.Marshal(l)
	if err != nil {
		return b // strings and a number always can be written
	}
	return append(append(b, ascii(raw)...), '\n')
}

// word keeps a value short.
func word(s string) string {
	if len(s) > auditWord {
		s = strings.ToValidUTF8(s[:auditWord], "")
	}
	return s
}

// Record is one line of the trail, as it was read.
type Record struct {
	task.Entry
	By  string // the user of the operating system
	PID int
	// Line is the line as it is on disk, without its end: one JSON object, in
	// ASCII.
	Line []byte
}

// parseLine reads a line of the trail.
func parseLine(line []byte) (Record, bool) {
	var l lineJSON
	if json.Unmarshal(line, &l) != nil || l.What == "" {
		return Record{}, false
	}
	at, err := time.Parse(time.RFC3339, l.At)
	if err != nil {
		return Record{}, false
	}
	return Record{By: l.By, PID: l.PID, Line: line, Entry: task.Entry{
		At: at, What: task.What(l.What), Server: l.Server, Task: task.ID(l.Task), Call: task.CallID(l.Call), Tool: l.Tool,
		From: task.ParseStatus(l.From), To: task.ParseStatus(l.To), How: howNamed(l.How),
		Prompt: l.Prompt, Action: actionNamed(l.Action), Effect: l.Effect, Text: l.Text,
	}}, true
}

// howNamed returns the How of a word, 0 for none.
func howNamed(w string) task.How {
	for h := task.How(1); h != 0; h++ {
		name := h.String()
		if name == "" {
			break
		}
		if name == w {
			return h
		}
	}
	return 0
}

func actionNamed(w string) task.Action {
	i := slices.IndexFunc([]task.Action{task.Accept, task.Decline, task.Dismiss}, func(a task.Action) bool { return a.String() == w })
	return task.Action(i + 1)
}

// person returns the name of the user that callboard runs as, its number where
// it has none.
func person() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return word(u.Username)
	}
	return strconv.Itoa(os.Getuid())
}
