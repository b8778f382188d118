package mcpclient

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"callboard/model/task"
)

const (
	maxQuestions = 1000 // keys remembered of one task
	// A key is for one question. One server asks again by the same, though:
	// then it is a new prompt if its content changed, or if it is still listed
	// after so many looks, and so many times.
	askedAfter = 5
	maxAskings = 3
	// settling is how long after an answer was taken reports may still be on their
	// way that are from before it: they are no such looks.
	settling = 3 * time.Second
)

// inquiry is what one task asked so far. engine.mu guards it.
type inquiry struct {
	questions map[string]*question // by key
	updated   time.Time            // the newest lastUpdatedAt of a list of questions
	whole     bool                 // the server takes all answers together only
	parts     bool                 // it took a part of them
	told      bool                 // that it asks for too much
	fetching  bool                 // a tasks/get for the questions is on its way
	doubting  bool                 // one because it is not known which of two reports is the newer
	reports   uint64               // lists of questions that were taken in
}

// question is one key of a task's inputRequests.
type question struct {
	prompt   *prompt // open, nil where there is none
	waiting  *prompt // waits for its turn, nil where there is none
	params   uint64  // hash of what was asked last
	answer   json.RawMessage
	answered bool // an answer was sent and taken
	took     time.Time
	looks    int // how often it was listed since
	askings  int // how often it became a prompt
}

// inquire takes what a task that lives asks, nil for nothing said. Lists can
// overtake each other: one that is older than another is left alone, and one that
// is as old withdraws nothing before the task was looked at.
func (e *era2026) inquire(t task.Task, requests json.RawMessage) { e.inquired(t, requests, nil) }

// inquired is inquire. after, nil for any other report, is how many reports there
// were when this one was asked for because of two that are as old: where there are
// as many still, it is the newest.
func (e *era2026) inquired(t task.Task, requests json.RawMessage, after *uint64) {
	asks := t.Status == task.InputRequired
	e.mu.Lock()
	q := e.asking[t.ID]
	if q == nil {
		if !asks || e.ended.ids[t.ID] || len(e.asking) >= maxTasks {
			e.mu.Unlock()
			return
		}
		q = &inquiry{questions: make(map[string]*question)}
		e.asking[t.ID] = q
	}
	if !t.Updated.IsZero() && t.Updated.Before(q.updated) {
		e.mu.Unlock()
		return
	}
	if asks && !isObject(requests) {
		fetch := !q.fetching
		q.fetching = true
		e.mu.Unlock()
		if fetch {
			e.spawn(func() { e.fetchQuestions(t.ID, q) })
		}
		return
	}
	listed := make(map[string]json.RawMessage)
	members(requests, func(k, v []byte) bool {
		if _, twice := listed[string(k)]; asks && !twice {
			listed[string(k)] = v
		}
		return true
	})
	sure := after != nil && *after == q.reports
	if !sure && !t.Updated.IsZero() && t.Updated.Equal(q.updated) && q.misses(listed) {
		look := !q.doubting
		q.doubting = true
		e.mu.Unlock()
		if look {
			e.spawn(func() { e.lookAgain(t.ID, q) })
		}
		return
	}
	q.reports++
	if q.fetching = false; !t.Updated.IsZero() {
		q.updated = t.Updated
	}
	gone := e.unlisted(q, listed) // first, which makes room
	var asked []task.Prompt
	var notes []string
	members(requests, func(k, _ []byte) bool {
		v, is := listed[string(k)]
		if !is || v == nil {
			return true
		}
		listed[string(k)] = nil // taken
		p, note := e.listedQuestion(t.ID, q, string(k), v)
		if p != nil {
			asked = append(asked, p.Prompt)
		}
		if note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
		return true
	})
	e.mu.Unlock()
	for _, n := range notes {
		e.ep.Note(n)
	}
	for _, id := range gone {
		e.feed.add(task.Withdrawn{Prompt: id, Why: task.Own("its task no longer asks for it"), Inferred: true})
	}
	if len(gone) > 0 {
		e.sendHeld(t.ID)
	}
	e.paced()
	e.feed.ask(asked)
}

// listedQuestion takes one entry of inputRequests, and returns the prompt that
// it is, nil where it is none that is new. note is for the log. engine.mu is
// held.
func (e *era2026) listedQuestion(id task.ID, q *inquiry, key string, raw json.RawMessage) (_ *prompt, note string) {
	hash := maphash.Bytes(e.prompts.seed, raw)
	known := q.questions[key]
	switch {
	case known == nil:
		if len(q.questions) >= maxQuestions || len(key) > maxID {
			if !q.told {
				q.told = true
				note = fmt.Sprintf("task %s asks for more than callboard takes, %d questions with keys of %d bytes: the rest is left open",
					task.CleanLine(string(id), 64).Line(), maxQuestions, maxID)
			}
			return nil, note
		}
		known = &question{}
	case known.prompt != nil, known.waiting != nil:
		return nil, ""
	case known.answered && known.params == hash:
		if time.Since(known.took) >= settling {
			known.looks++
		}
		if known.looks < askedAfter {
			return nil, "" // the answer takes effect later
		}
	case !known.answered && known.params == hash && known.askings == 0:
		return nil, "" // it cannot be shown
	}
	if known.askings >= maxAskings {
		return nil, ""
	}
	p, why := e.inputPrompt(raw)
	if why != "" {
		q.questions[key] = &question{params: hash}
		return nil, fmt.Sprintf("task %s asks for %s: it is left open", task.CleanLine(string(id), 64).Line(), why)
	}
	p.Task, p.key, p.Key = id, key, key
	if kept, ok := e.live[id]; ok {
		p.Task = kept
	}
	if c := e.calls.byTask[id]; c != nil {
		p.Call = c.id
	}
	next := question{prompt: p, params: hash, askings: known.askings + 1}
	if e.prompts.turn(p) {
		*known, q.questions[key] = next, known
		e.prompts.open[p.ID] = p
		return p, ""
	}
	waits := e.prompts.wait(&queued{prompt: p, size: len(raw), opened: func() { *known = next }})
	if waits { // else it is looked at again
		known.waiting, q.questions[key] = p, known
	}
	return nil, ""
}

// unlisted withdraws the prompts whose keys are not listed any more, and returns
// their ids. One whose answer is on its way went with that. Where too many keys
// are remembered these leave: a server that asks each time by other keys must not
// come to where nothing it asks is seen any more. engine.mu is held.
func (e *era2026) unlisted(q *inquiry, listed map[string]json.RawMessage) []task.PromptID {
	var gone []task.PromptID
	full := len(q.questions)+len(listed) > maxQuestions
	for key, k := range q.questions {
		if _, still := listed[key]; still {
			continue
		}
		if p := k.waiting; p != nil {
			e.prompts.leave(task.Text{}, func(o *prompt) bool { return o == p })
			k.waiting = nil
		}
		if p := k.prompt; p != nil && !p.sending {
			e.prompts.close(p, "its task no longer asks for it")
			k.prompt, k.answer = nil, nil
			gone = append(gone, p.ID)
		}
		if full && k.prompt == nil && k.waiting == nil {
			delete(q.questions, key)
		}
	}
	return gone
}

// misses reports whether a question that is open is not listed any more.
// engine.mu is held.
func (q *inquiry) misses(listed map[string]json.RawMessage) bool {
	for key, k := range q.questions {
		if _, still := listed[key]; !still && k.prompt != nil && !k.prompt.sending {
			return true
		}
	}
	return false
}

// lookAgain looks what a task asks, since two reports of it contradict each other.
func (e *era2026) lookAgain(id task.ID, q *inquiry) {
	e.mu.Lock()
	after := q.reports
	e.mu.Unlock()
	raw, err := e.read(e.life, request{method: "tasks/get", params: onTask(id), task: id})
	t, ok := e.strings.sameTask(id, raw)
	e.mu.Lock()
	q.doubting = false
	e.mu.Unlock()
	if err != nil || !ok {
		return // the next poll doubts anew
	}
	if !t.Status.Terminal() {
		e.inquired(t, member(body(raw), "inputRequests"), &after)
	}
	e.feed.change(e.heard(t, raw), time.Now())
}

// fetchQuestions looks what a task asks, since what was pushed did not say.
func (e *era2026) fetchQuestions(id task.ID, q *inquiry) {
	raw, err := e.read(e.life, request{method: "tasks/get", params: onTask(id), task: id})
	t, ok := e.strings.sameTask(id, raw)
	if err != nil || !ok || t.Status == task.InputRequired && !isObject(member(body(raw), "inputRequests")) {
		return // and not again by itself: a poll will
	}
	e.mu.Lock()
	q.fetching = false
	e.mu.Unlock()
	e.feed.change(e.heard(t, raw), time.Now())
}
