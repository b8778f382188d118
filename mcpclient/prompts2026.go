package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
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
)

// inquiry is what one task asked so far. engine.mu guards it.
type inquiry struct {
	questions map[string]*question // by key
	updated   time.Time            // the newest lastUpdatedAt of a list of questions
	whole     bool                 // the server takes all answers together only
	parts     bool                 // it took a part of them
	fetching  bool                 // a tasks/get for the questions is on its way
}

// question is one key of a task's inputRequests.
type question struct {
	prompt   *prompt // open, nil where there is none
	params   uint64  // hash of what was asked last
	answer   json.RawMessage
	answered bool // an answer was sent and taken
	looks    int  // how often it was listed since
	askings  int  // how often it became a prompt
}

// inquire takes what a task that lives asks, nil for nothing said. Lists can
// overtake each other: one that is older than another is left alone.
func (e *era2026) inquire(t task.Task, requests json.RawMessage) {
	asks := t.Status == task.InputRequired
	e.mu.Lock()
	q := e.asking[t.ID]
	if q == nil {
		if !asks || len(e.asking) >= maxTasks {
			e.mu.Unlock()
			return
		}
		q = &inquiry{questions: make(map[string]*question)}
		e.asking[t.ID] = q
	}
	if t.Updated.Before(q.updated) {
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
	q.updated, q.fetching = t.Updated, false
	listed := make(map[string]bool)
	var asked []task.Prompt
	var notes []string
	members(requests, func(k, v []byte) bool {
		key := string(k)
		if listed[key] || !asks {
			return true
		}
		listed[key] = true
		p, note := e.listedQuestion(t.ID, q, key, v)
		if p != nil {
			asked = append(asked, p.Prompt)
		}
		if note != "" {
			notes = append(notes, note)
		}
		return true
	})
	gone := e.unlisted(q, listed)
	held, waits := q.given()
	e.mu.Unlock()
	if len(gone) > 0 && len(held) > 0 && waits == 0 {
		e.spawn(func() { e.sendHeld(t.ID, q, held) })
	}
	for _, n := range notes {
		e.ep.Note(n)
	}
	for _, id := range gone {
		e.feed.add(task.Withdrawn{Prompt: id, Why: task.Own("its task no longer asks for it")})
	}
	for _, p := range asked {
		e.feed.add(task.Prompted{Prompt: p})
	}
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
			return nil, ""
		}
		known = &question{}
	case known.prompt != nil:
		return nil, ""
	case known.answered && known.params == hash:
		if known.looks++; known.looks < askedAfter {
			return nil, "" // the answer takes effect later
		}
	case !known.answered && known.params == hash && known.askings == 0:
		return nil, "" // it cannot be shown
	}
	if known.askings >= maxAskings {
		return nil, ""
	}
	full := len(e.prompts.open) >= maxPrompts
	p, why := e.inputPrompt(raw)
	switch {
	case full:
		e.prompts.flood++
		if e.prompts.flood == 1 {
			note = fmt.Sprintf("the server floods with prompts: %d are open, more are left alone", maxPrompts)
		}
		return nil, note // to be looked at again
	case why != "":
		q.questions[key] = &question{params: hash}
		return nil, fmt.Sprintf("task %s asks for %s: it is left open", task.CleanLine(string(id), 64).Line(), why)
	}
	e.prompts.flood = 0
	p.Task, p.key, p.Key = id, key, key
	if kept, ok := e.live[id]; ok {
		p.Task = kept
	}
	if c := e.calls.byTask[id]; c != nil {
		p.Call = c.id
	}
	*known = question{prompt: p, params: hash, askings: known.askings + 1}
	q.questions[key] = known
	e.prompts.open[p.ID] = p
	return p, ""
}

// unlisted withdraws the prompts whose keys are not listed any more, and returns
// their ids. One whose answer is on its way went with that. engine.mu is held.
func (e *era2026) unlisted(q *inquiry, listed map[string]bool) []task.PromptID {
	var gone []task.PromptID
	for key, k := range q.questions {
		if listed[key] {
			continue
		}
		if p := k.prompt; p != nil && !p.sending {
			e.prompts.close(p, "its task no longer asks for it")
			k.prompt, k.answer = nil, nil
			gone = append(gone, p.ID)
		}
	}
	return gone
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

// answer sends replies: those of one task together, those of a call once there
// are all that its round asks for.
func (e *era2026) answer(ctx context.Context, replies []task.Reply) (task.Receipt, error) {
	out := task.Receipt{}
	claimed := make([]*prompt, 0, len(replies))
	answers := make(map[*prompt]json.RawMessage, len(replies))
	for _, r := range replies {
		p, err := e.claim(r.Prompt)
		if err != nil {
			e.release(claimed)
			return out, err
		}
		claimed = append(claimed, p)
		if answers[p], err = inputResponse(p, r); err != nil {
			e.release(claimed)
			return out, err
		}
	}
	for len(claimed) > 0 {
		var same, rest []*prompt
		for _, p := range claimed {
			if p.round == claimed[0].round && p.Task == claimed[0].Task {
				same = append(same, p)
			} else {
				rest = append(rest, p)
			}
		}
		waits, err := e.answerSame(ctx, same, answers)
		e.release(same)
		if err != nil {
			e.release(rest)
			return out, err
		}
		out.Waits += waits
		claimed = rest
	}
	out.At = time.Now()
	return out, nil
}

// inputResponse is schema type InputResponse for a reply.
func inputResponse(p *prompt, r task.Reply) (json.RawMessage, error) {
	result := elicitationResult(p, r)
	raw, err := json.Marshal(result)
	if err != nil {
		return nil, fail(task.Internal, "the answer is not valid JSON")
	}
	return raw, nil
}

func (e *era2026) release(ps []*prompt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range ps {
		p.sending = false
	}
}

// answerSame answers prompts of one task, or of one round of a call, and returns
// how many others the answers wait for.
func (e *era2026) answerSame(ctx context.Context, ps []*prompt, answers map[*prompt]json.RawMessage) (waits int, err error) {
	if r := ps[0].round; r != nil {
		return e.answerRound(r, ps, answers), nil
	}
	id := ps[0].Task
	e.mu.Lock()
	q := e.asking[id]
	if q == nil {
		e.mu.Unlock()
		return 0, tooLate(nil)
	}
	for _, p := range ps {
		if k := q.questions[p.key]; k != nil && k.prompt == p {
			k.answer = answers[p]
		}
	}
	held, waits := q.given()
	whole := q.whole
	e.mu.Unlock()
	if len(held) == 0 {
		return 0, fail(task.Unsupported, "this prompt can no longer be answered")
	}
	if whole && waits > 0 {
		return waits, nil
	}
	err = e.update(ctx, id, held)
	if err == nil {
		e.taken(q, held, waits > 0)
		return 0, nil
	}
	var te *task.Error
	if !errors.As(err, &te) || te.Kind != task.RPC || te.Code == codeHeaderMismatch {
		e.drop(q, ps)
		return 0, err
	}
	return e.refusedAnswer(ctx, id, q, ps, te)
}

// given returns the answers that are there, and how many prompts have none.
func (q *inquiry) given() (held map[string]json.RawMessage, waits int) {
	held = make(map[string]json.RawMessage)
	for key, k := range q.questions {
		switch {
		case k.prompt == nil:
		case k.answer != nil:
			held[key] = k.answer
		default:
			waits++
		}
	}
	return held, waits
}

// update sends tasks/update. It is never sent twice by itself: whether a lost
// one arrived is not known.
func (e *era2026) update(ctx context.Context, id task.ID, answers map[string]json.RawMessage) error {
	_, err := e.do(ctx, request{method: "tasks/update", params: fields{"taskId": id, "inputResponses": answers}, task: id})
	return err
}

// taken notes that the server took answers, a part of them or all.
func (e *era2026) taken(q *inquiry, sent map[string]json.RawMessage, part bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	q.parts = q.parts || part
	for key := range sent {
		k := q.questions[key]
		if k == nil {
			continue
		}
		if k.prompt != nil {
			e.prompts.close(k.prompt, "it was answered")
		}
		k.prompt, k.answer, k.answered, k.looks = nil, nil, true, 0
	}
}

// sendHeld sends answers that waited for others which are not asked for any more.
func (e *era2026) sendHeld(id task.ID, q *inquiry, held map[string]json.RawMessage) {
	if err := e.update(e.life, id, held); err != nil {
		e.ep.Note("the answers that were held could not be sent: " + e.ep.explain("tasks/update", err).Message.Line())
		return
	}
	e.taken(q, held, false)
}

// drop forgets answers that did not go out.
func (e *era2026) drop(q *inquiry, ps []*prompt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range ps {
		if k := q.questions[p.key]; k != nil && k.prompt == p {
			k.answer = nil
		}
	}
}

// refusedAnswer finds out what it means that tasks/update was refused: the task
// has ended; or the server takes all answers together only, so that these are
// held until the others are there.
func (e *era2026) refusedAnswer(ctx context.Context, id task.ID, q *inquiry, ps []*prompt, refused *task.Error) (waits int, err error) {
	t, err := e.get(ctx, id)
	var te *task.Error
	switch {
	case errors.As(err, &te) && te.Kind == task.RPC, err == nil && t.Status.Terminal():
		e.drop(q, ps)
		return 0, tooLate(refused)
	case err != nil:
		e.drop(q, ps)
		return 0, refused
	}
	e.mu.Lock()
	_, waits = q.given()
	q.whole = waits > 0 && !q.parts
	whole := q.whole
	e.mu.Unlock()
	if !whole {
		e.drop(q, ps)
		return 0, refused
	}
	e.ep.Note(fmt.Sprintf("the server takes the answers of a task together only (%s): %d more are waited for", refused.Message.Line(), waits))
	return waits, nil
}

// tooLate is the error of an answer to a task that has ended.
func tooLate(refused *task.Error) *task.Error {
	out := fail(task.Unsupported, "the answer came too late: the task has ended")
	if refused != nil {
		out.Message = task.CleanMax(out.Message.Line()+" (the server says: "+refused.Message.Line()+")", maxMessage)
		out.Tried, out.Err = refused.Tried, refused
	}
	return out
}

// answerRound takes answers to what a call asks for. The last one lets the call
// go on, see call.
func (e *era2026) answerRound(r *round, ps []*prompt, answers map[*prompt]json.RawMessage) (waits int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range ps {
		if e.prompts.open[p.ID] == p {
			r.answers[p.key] = answers[p]
			delete(r.waits, p.key)
		}
	}
	if len(r.waits) > 0 || len(r.answers) < len(r.prompts) {
		return len(r.waits)
	}
	for _, p := range r.prompts {
		if e.prompts.open[p.ID] == p {
			e.prompts.close(p, "it was answered")
		}
	}
	select {
	case <-r.full:
	default:
		close(r.full)
	}
	return 0
}
