package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// listening is one subscriptions/listen and its stream.
type listening struct {
	id     jsonrpc.ID
	asked  []task.ID // taskIds of the request
	begun  time.Time
	ctx    context.Context // its end closes the stream
	cancel context.CancelFunc

	// Guarded by subscription.mu.
	open     bool             // the headers have come
	acked    bool             // its acknowledgement has
	granted  map[task.ID]bool // what was asked for and agreed to
	tools    bool             // and changes of the list of tools
	news     int              // notifications since
	strange  bool             // it brought news of a task that was not asked for
	over     bool
	graceful bool  // the server ended it on purpose
	err      error // why it ended; nil where that was graceful
}

// promise says what the server agreed to. subscription.mu is held.
func (l *listening) promise() string {
	words := "no changes of the tools"
	if l.tools {
		words = "changes of the tools"
	}
	if len(l.asked) > 0 {
		words = fmt.Sprintf("%d of %d tasks, %s", len(l.granted), len(l.asked), words)
	}
	return words
}

// listen sends subscriptions/listen and reads its stream to the end.
func (s *subscription) listen(l *listening) {
	r := request{method: "subscriptions/listen", id: l.id}
	err := s.post(l, &r)
	l.cancel()
	s.mu.Lock()
	l.over = true
	if !l.graceful && l.err == nil {
		l.err = err
	}
	err = l.err
	s.mu.Unlock()
	if err != nil {
		_ = s.e.lost(&r, err) // Next tells it
	}
	s.poke()
}

func (s *subscription) post(l *listening, r *request) error {
	wish := fields{"toolsListChanged": true}
	if len(l.asked) > 0 {
		wish["taskIds"] = l.asked
	}
	r.params = fields{"notifications": wish}
	params, header, err := s.e.dress(r)
	if err != nil {
		return err
	}
	body, err := encode(l.id, r.method, params)
	if err != nil {
		return err
	}
	s.e.ep.log.request(false, l.id, r.method, subject{})
	return s.e.tr.Post(l.ctx, transport.Call{
		Body: body, Header: header, Final: true, Patient: true, Idle: listenIdle,
		Handle: func(m *jsonrpc.Message) bool { return s.take(l, m) },
		Head: func(h transport.Head) {
			s.e.skew.sample(h.Date, h.Sent, h.Received)
			s.mu.Lock()
			l.open = true
			s.mu.Unlock()
			s.poke()
		},
	})
}

// take handles one message of a stream. That it came on this one says which
// subscription it belongs to, whatever id the server has for that.
func (s *subscription) take(l *listening, m *jsonrpc.Message) (reply bool) {
	defer s.e.recover()
	if m.Response() {
		if m.ID != l.id && (m.ID != jsonrpc.Null || m.Error == nil) {
			return false
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if m.Error != nil {
			l.err = m.Error
		} else {
			l.graceful = true
		}
		return true
	}
	if m.Request() {
		s.e.asked(m, &origin{})
		return false
	}
	switch m.Method {
	case "notifications/subscriptions/acknowledged":
		s.acknowledged(l, member(m.Params, "notifications"))
		return false
	case "notifications/cancelled":
		if id := jsonrpc.ID(member(m.Params, "requestId")); id == l.id || id == jsonrpc.ID(member(member(m.Params, "_meta"), metaSubscription)) {
			s.mu.Lock()
			l.graceful = true
			s.mu.Unlock()
			l.cancel()
		}
		return false
	case "notifications/tasks", "notifications/tasks/status":
		if !s.concerns(l, task.ID(text(member(m.Params, "taskId")))) || s.repeated(l, m.Params) {
			return false
		}
	}
	s.e.notified(m, &origin{})
	s.mu.Lock()
	defer s.mu.Unlock()
	l.news++
	if id, ok := unquote(member(m.Params, "taskId")); ok && s.cur == l {
		s.cover(task.ID(id))
	}
	return false
}

// concerns reports whether a stream may tell of a task: one that it was asked
// for, or that was met since. More would let a server fill the board, and have
// its own tasks polled before ours.
func (s *subscription) concerns(l *listening, id task.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.wanted[id]
	if !known {
		_, known = slices.BinarySearch(l.asked, id)
	}
	if !known && !l.strange {
		l.strange = true
		s.e.ep.Note("dropped: the server pushes news of tasks that it was not asked for, such as " + task.CleanLine(string(id), 64).Line())
	}
	return known
}

// metaSubscription is where messages name their subscription.
const metaSubscription = "io.modelcontextprotocol/subscriptionId"

// acknowledged reads what the server agreed to. More than was asked for does not
// count.
func (s *subscription) acknowledged(l *listening, agreed json.RawMessage) {
	asked := make(map[task.ID]task.ID, len(l.asked))
	for _, id := range l.asked {
		asked[id] = id
	}
	granted := make(map[task.ID]bool)
	elements(member(agreed, "taskIds"), func(v []byte) bool {
		if id, ok := asked[task.ID(text(v))]; ok {
			granted[id] = true
		}
		return len(granted) < len(asked)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.acked {
		return
	}
	l.acked, l.granted, l.tools = true, granted, isTrue(member(agreed, "toolsListChanged"))
	s.poke()
}

// repeats tells what two streams brought from what came twice, while one takes
// over from the other. A task may come to the same state again, so that it is
// counted how often each stream brought it, and how often it was taken.
type repeats struct {
	brought map[repeat]int
	taken   map[uint64]int
}

type repeat struct {
	state uint64 // hash
	on    *listening
}

func newRepeats() *repeats {
	return &repeats{brought: make(map[repeat]int), taken: make(map[uint64]int)}
}

// repeated reports whether a state that a stream brings was taken before, from
// another stream.
func (s *subscription) repeated(l *listening, params json.RawMessage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repeats
	if r == nil {
		return false
	}
	if len(r.brought) >= maxRepeats {
		clear(r.brought)
		clear(r.taken)
	}
	var h maphash.Hash
	h.SetSeed(s.seed)
	members(params, func(k, v []byte) bool {
		if string(k) != "_meta" { // which names the subscription
			_, _ = h.Write(k) // never fails
			_, _ = h.Write(v)
			_ = h.WriteByte(0)
		}
		return true
	})
	state := h.Sum64()
	key := repeat{state, l}
	r.brought[key]++
	if r.brought[key] <= r.taken[state] {
		return true
	}
	r.taken[state]++
	return false
}
