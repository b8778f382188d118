package mcpclient

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"callboard/model/task"
)

// Limits on what one answer may make us hold, beyond those of the transport.
const (
	maxID       = 4 << 10 // bytes of a task id
	maxTasks    = 100_000 // tasks of a page, and live tasks of a session
	maxMessage  = 4 << 10 // bytes kept of a statusMessage, a progress or log message
	maxName     = 256     // bytes kept of a name or title
	maxProse    = 16 << 10
	maxDuration = 100 * 365 * 24 * time.Hour
)

const (
	metaRelated   = "io.modelcontextprotocol/related-task"
	metaImmediate = "io.modelcontextprotocol/model-immediate-response"
)

// interner keeps one copy of texts that many tasks share, such as the status
// messages that a server has a handful of, and spares cleaning them again.
type interner struct {
	mu    sync.Mutex
	texts map[string]task.Text
}

const (
	maxInterned    = 2048
	maxInternedLen = 256
)

// message makes a Text of a JSON string, zero where raw is none.
func (in *interner) message(raw []byte) task.Text {
	b, ok := plainString(raw)
	if !ok || len(b) > maxInternedLen {
		return task.CleanMax(text(raw), maxMessage)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if t, ok := in.texts[string(b)]; ok {
		return t
	}
	if in.texts == nil || len(in.texts) >= maxInterned {
		in.texts = make(map[string]task.Text)
	}
	s := string(b)
	t := task.CleanMax(s, maxMessage)
	in.texts[s] = t
	return t
}

// task decodes schema type Task of either generation. It reports false where there is no id that
// could be sent back. All else may be missing or wrong and is then zero.
func (in *interner) task(raw []byte) (task.Task, bool) {
	var t task.Task
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "taskId":
			if s, ok := unquote(v); ok && len(s) <= maxID {
				t.ID = task.ID(s)
			}
		case "status":
			if b, ok := plainString(v); ok {
				t.Status = task.ParseStatus(string(b))
			}
		case "statusMessage":
			t.Message = in.message(v)
		case "createdAt":
			t.Created = timestamp(v)
		case "lastUpdatedAt":
			t.Updated = timestamp(v)
		case "ttl", "ttlMs": // of the two generations
			if t.TTL = millis(v); string(v) == "null" {
				t.TTL = task.NoTTL
			}
		case "pollInterval", "pollIntervalMs":
			t.Poll = millis(v)
		}
		return true
	})
	return t, t.ID != ""
}

// timestamp reads an ISO 8601 time, with or without fractions of a second; zero
// where it cannot be read.
func timestamp(raw []byte) time.Time {
	b, ok := plainString(raw)
	if !ok || len(b) > 40 {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// millis reads a number of milliseconds; 0 where there is none, or none above 0.
func millis(raw []byte) time.Duration {
	f, ok := number(raw)
	if !ok || !(f > 0) {
		return 0
	}
	if f >= float64(maxDuration/time.Millisecond) {
		return maxDuration
	}
	return time.Duration(f * float64(time.Millisecond))
}

// page decodes the result of tasks/list. Tasks without an id are left out and
// counted.
func (in *interner) page(raw []byte) (p task.Page, dropped int) {
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "tasks":
			// Grown by appending, a large page would leave four of its size
			// behind.
			p.Tasks = make([]task.Task, 0, min(bytes.Count(v, []byte(`"taskId"`)), maxTasks))
			elements(v, func(e []byte) bool {
				t, ok := in.task(e)
				if ok && len(p.Tasks) < maxTasks {
					p.Tasks = append(p.Tasks, t)
				} else {
					dropped++
				}
				return true
			})
		case "nextCursor":
			p.Next = cursor(v)
		}
		return true
	})
	return p, dropped
}

// cursor reads a nextCursor. "" is a cursor too, only absence is the end of a
// list; some servers write null for it.
func cursor(raw []byte) task.Cursor {
	s, ok := unquote(raw)
	return task.Cursor{Value: s, Set: ok}
}

// createdTask decodes CreateTaskResult, which holds the task, or is one, with
// resultType "task" (2026-07-28). It reports false for any other result, such as
// the plain one that a server may give to a call with `task`.
func (in *interner) createdTask(raw []byte) (t task.Task, note task.Text, ok bool) {
	var body, meta json.RawMessage
	flat, named, content := 0, false, false // two marks make a task: its id and its state, or its resultType
	members(raw, func(k, v []byte) bool {
		switch string(k) {
		case "task":
			body = v
		case "_meta":
			meta = v
		case "resultType":
			named = text(v) == becameTask
		case "taskId", "status":
			flat++
		case "content":
			content = true
		}
		return true
	})
	if body == nil && (named || flat >= 2) {
		body = raw
	}
	if body == nil || content && !named { // some servers give each result a content
		return task.Task{}, task.Text{}, false
	}
	t, ok = in.task(body)
	return t, task.CleanMax(text(member(meta, metaImmediate)), maxMessage), ok
}

// relatedTask returns the task that `_meta` of params names, "" for none.
func relatedTask(params []byte) task.ID {
	id := text(member(member(member(params, "_meta"), metaRelated), "taskId"))
	if len(id) > maxID {
		return ""
	}
	return task.ID(id)
}
