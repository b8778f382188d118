package mcpclient

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// prompt is one question of the server that can be answered.
type prompt struct {
	task.Prompt
	request  jsonrpc.ID      // to be echoed
	related  json.RawMessage // `_meta` related-task, as it came, nil for none
	size     int             // of what was asked: bytes
	params   uint64          // hash of what was asked, the same in every process
	key      string          // of 2026-07-28: its name among the inputRequests of its task or call
	round    *round          // of 2026-07-28: the round of a call that it belongs to, nil for none
	sending  bool            // an answer is on its way
	orphan   bool            // the server said that it does not know the task
	refused  bool            // the answer that was sent last is a refusal
	on       *carrier        // that brought it first; nil for none
	opening  int32           // of on, that brought it
	place    place           // of 2025-11-25: where it stands in a stream
	reopens  *reopening      // of 2025-11-25: what brought it again, nil for nothing
	received *received       // of 2025-11-25: the task that it is to the server, nil for none
}

// closedPrompt is what is remembered of a prompt that ended.
type closedPrompt struct {
	request jsonrpc.ID
	params  uint64
	why     string
	on      *carrier // as of the prompt
	opening int32
	url     string // elicitationId, for what completes later
	id      task.PromptID
	at      time.Time // when it came
	refused bool      // by a person
	ended   time.Time
}

// wasAnswered is why a prompt is closed whose answer the server took.
const wasAnswered = "it was answered"

// promptTable is the prompts of a session. engine.mu guards it.
type promptTable struct {
	seed   maphash.Seed
	open   map[task.PromptID]*prompt
	asked  map[jsonrpc.ID]*prompt // the open ones, by request
	closed []closedPrompt         // oldest first
	early  []earlyEnd             // oldest first
	limiter
}

func newPromptTable() promptTable {
	return promptTable{
		seed:    maphash.MakeSeed(),
		open:    make(map[task.PromptID]*prompt),
		asked:   make(map[jsonrpc.ID]*prompt),
		limiter: newLimiter(),
	}
}

// room reports whether one more prompt may be open. What is open is kept whole.
func (t *promptTable) room(p *prompt) bool {
	bytes := p.size
	for _, o := range t.open {
		bytes += o.size
	}
	return len(t.open) < maxPrompts && bytes <= maxOpenBytes
}

// earlyEnd is a request that the server withdrew before it came: what is on one
// stream overtakes what is on another.
type earlyEnd struct {
	request jsonrpc.ID
	on      *carrier
	at      time.Time
}

// maxEarly is how many withdrawals wait for their requests.
const maxEarly = 64

// withdrawnEarly notes that a request was withdrawn, which is not open. One that
// was here before has ended.
func (t *promptTable) withdrawnEarly(id jsonrpc.ID, o *origin) {
	if slices.ContainsFunc(t.closed, func(c closedPrompt) bool { return c.request == id }) || id.Absent() || len(id) > maxRequestID {
		return
	}
	if len(t.early) >= maxEarly {
		t.early = append(t.early[:0:0], t.early[maxEarly/2:]...)
	}
	t.early = append(t.early, earlyEnd{id, o.stream, time.Now()})
}

// tooLate reports whether the request that comes was withdrawn before: on another
// stream, while the one on which it comes was asked for already.
func (t *promptTable) tooLate(id jsonrpc.ID, o *origin) bool {
	return slices.ContainsFunc(t.early, func(w earlyEnd) bool {
		return w.request == id && w.on != o.stream && o.crosses(w.at)
	})
}

// close takes a prompt out of the open ones.
func (t *promptTable) close(p *prompt, why string) {
	delete(t.open, p.ID)
	if t.asked[p.request] == p {
		delete(t.asked, p.request)
	}
	if len(t.closed) >= maxClosed {
		t.closed = append(t.closed[:0:0], t.closed[maxClosed/2:]...)
	}
	t.closed = append(t.closed, closedPrompt{p.request, p.params, why, p.on, p.opening, p.ElicitationID, p.ID, p.At, p.refused, time.Now()})
	p.reopens.closed()
	if p.received != nil {
		p.received.moot()
	}
}

// answeredAfterAll notes that the server took the answer to a prompt that was
// withdrawn meanwhile.
func (t *promptTable) answeredAfterAll(p *prompt) {
	for i := len(t.closed) - 1; i >= 0; i-- {
		if c := &t.closed[i]; c.id == p.ID {
			c.why, c.ended = wasAnswered, time.Now()
			return
		}
	}
}

// drop closes all prompts that which chooses, those that wait for their turn
// included, and returns the ids of those that were open.
func (t *promptTable) drop(which func(*prompt) bool) []task.PromptID {
	var gone []task.PromptID
	for _, p := range t.open {
		if which(p) {
			gone = append(gone, p.ID)
			t.close(p, "it was withdrawn")
		}
	}
	t.leave(task.Own("it was withdrawn"), which)
	return gone
}

// became notes that a call is a task now: its prompts are the task's.
func (t *promptTable) became(call task.CallID, id task.ID) {
	for _, p := range t.open {
		if p.Call == call && p.Task == "" {
			p.Task = id
		}
	}
	for _, q := range t.queue {
		if q.Call == call && q.Task == "" {
			q.Task = id
		}
	}
}

// replay reports whether the request was seen before: it is open, or, on a
// stream that may repeat itself, was. So is one that was answered where it comes
// on another stream, which was asked for before the server took the answer: it
// was on its way. An id is used once in a session (basic, "Requests").
func (t *promptTable) replay(id jsonrpc.ID, params uint64, o *origin) bool {
	if t.tooLate(id, o) {
		return true
	}
	if p := t.asked[id]; p != nil && p.params == params {
		return !p.orphan
	}
	for i := len(t.closed) - 1; i >= 0; i-- {
		if c := &t.closed[i]; c.request == id && c.params == params {
			return o.repeats(c.ended) || c.why == wasAnswered && (c.on != o.stream || o.reopened(c.opening)) && o.crosses(c.ended)
		}
	}
	return false
}

// known takes in whether the server knows a task. Where it does not, it may have
// been started anew, and use the ids of what it asked before for something else.
func (t *promptTable) known(id task.ID, known bool) {
	for _, p := range t.open {
		if p.Task == id && p.received == nil {
			p.orphan = !known
		}
	}
}
