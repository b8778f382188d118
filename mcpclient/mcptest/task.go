package mcptest

import (
	"crypto/rand"
	"encoding/json"
	"time"
)

// Status is the state of a task as the wire names it.
type Status string

// The states of a task. The last three are terminal.
const (
	Working       Status = "working"
	InputRequired Status = "input_required"
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Terminal reports whether a task in this state has ended.
func (s Status) Terminal() bool { return s == Completed || s == Failed || s == Cancelled }

// Values of [Task.TTL] and [Task.Poll] beside plain durations.
const (
	Unlimited time.Duration = -1 // TTL: null on the wire, the task is kept until it is removed
	NoPoll    time.Duration = -1 // Poll: no pollInterval on the wire
)

// Task is a task as scripts and tests see it.
type Task struct {
	ID      string // empty when added: the server makes one
	Status  Status // empty when added: working
	Message string // statusMessage
	// Created and Updated are by the server's clock. Zero when added: now. A Created in the past ages the task.
	Created, Updated time.Time
	TTL              time.Duration // retention from Created; zero when added: the server's default; or [Unlimited]
	Poll             time.Duration // pollInterval; zero when added: the server's default; or [NoPoll]
	Session          string        // legacy session that owns it; empty: every session sees it
	Account          string        // bearer token that owns it; empty: whoever knows its id
	Outcome          Outcome       // what tasks/result or tasks/get gives once it has ended
}

// wireTask is schema type Task.
type wireTask struct {
	TaskID        string `json:"taskId"`
	Status        Status `json:"status"`
	StatusMessage string `json:"statusMessage,omitempty"`
	CreatedAt     string `json:"createdAt"`
	LastUpdatedAt string `json:"lastUpdatedAt"`
	TTL           *int64 `json:"ttl"`
	PollInterval  *int64 `json:"pollInterval,omitempty"`
}

const millis = "2006-01-02T15:04:05.000Z07:00"

// wire is the task as a client is shown it.
func (s *Server) wire(r *record) wireTask {
	f, layout := s.faults.Load(), millis
	if f.WholeSeconds {
		layout = time.RFC3339
	}
	w := wireTask{TaskID: r.ID, Status: r.Status, StatusMessage: r.Message, CreatedAt: r.Created.UTC().Format(layout), LastUpdatedAt: r.Updated.UTC().Format(layout)}
	if f.FrozenTime {
		w.LastUpdatedAt = w.CreatedAt
	}
	if r.TTL >= 0 {
		ms := r.TTL.Milliseconds()
		w.TTL = &ms
	}
	if r.Poll > 0 {
		ms := r.Poll.Milliseconds()
		w.PollInterval = &ms
	}
	return w
}

// record is a task as the server keeps it. Its fields belong to Server.mu.
type record struct {
	Task
	seq     uint64 // place in the list
	queue   int    // place in the expiry heap; -1: not in it
	script  func() // ends the script that runs it, nil where there is none
	waits   []*wait
	prompts []*prompt
	keys    map[string]bool // of inputRequests used so far
	deaf    bool            // a modern tasks/cancel comes too late
	asked   bool            // tasks/cancel was acknowledged
}

// wait is one tasks/result held open.
type wait struct {
	sess *session
	id   json.RawMessage
	st   *stream
}

// expires says when the task may be deleted; never reports that it is kept.
func (r *record) expires() (at time.Time, never bool) {
	return r.Created.Add(r.TTL), r.TTL < 0
}

// expiryHeap orders tasks by when they expire (container/heap).
type expiryHeap []*record

func (h expiryHeap) Len() int { return len(h) }
func (h expiryHeap) Less(i, j int) bool {
	a, _ := h[i].expires()
	b, _ := h[j].expires()
	return a.Before(b)
}
func (h expiryHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].queue, h[j].queue = i, j
}

// Push and Pop are for container/heap alone.
func (h *expiryHeap) Push(x any) {
	r := x.(*record)
	r.queue = len(*h)
	*h = append(*h, r)
}

// Pop is for container/heap alone.
func (h *expiryHeap) Pop() any {
	old := *h
	r := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	r.queue = -1
	return r
}

// randomID is an unguessable handle: session and task ids are secrets where no authorization binds them.
func randomID() string { return rand.Text() }
