package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// answer sends replies: those of one task together, those of a call once there
// are all that its round asks for.
func (e *era2026) answer(ctx context.Context, replies []task.Reply) (task.Receipt, error) {
	out := task.Receipt{}
	claimed := make([]*prompt, 0, len(replies))
	answers := make(map[*prompt]json.RawMessage, len(replies))
	for _, r := range replies {
		p, err := e.claim(r)
		if err != nil {
			e.release(claimed)
			return out, err
		}
		if p.Visit {
			e.mu.Lock()
			e.prompts.close(p, "it was answered")
			e.mu.Unlock()
			continue // nobody waits for an answer: the call is sent again
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
		if err == nil && waits > 0 && same[0].round == nil {
			e.sendHeld(same[0].Task) // what they wait for may have left meanwhile
		}
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

// inputResponse is schema type InputResponse for a reply. It is a result always:
// there is none that refuses to sample.
func inputResponse(p *prompt, r task.Reply) (json.RawMessage, error) {
	result, refused, err := replyTo(&p.Prompt, r, nil)
	if refused != nil {
		out := fail(task.Unsupported, "MCP %s has no answer that refuses a sampling request", version2026)
		out.Advice = task.Own("leave it open, or cancel the task or call that asks")
		return nil, out
	}
	return result, err
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
	if !q.whole {
		q.without(held, ps)
	}
	waiting := q.whole && waits > 0
	var along []*prompt
	if !waiting {
		along = q.send()
	}
	e.mu.Unlock()
	defer e.release(along)
	if len(held) == 0 {
		return 0, fail(task.Unsupported, "this prompt can no longer be answered")
	}
	if waiting {
		return waits, nil
	}
	return e.deliver(ctx, id, q, ps, held, waits)
}

// deliver sends answers, for which those to other prompts are not waited for.
// waits is how many of these there are; ps are the prompts to be answered anew
// where it fails. It returns how many others the answers wait for after all.
func (e *era2026) deliver(
	ctx context.Context, id task.ID, q *inquiry, ps []*prompt, held map[string]json.RawMessage, waits int,
) (int, error) {
	err := e.update(ctx, id, held)
	if err == nil {
		e.taken(q, held, waits > 0)
		return 0, nil
	}
	var te *task.Error
	switch {
	case errors.As(err, &te) && te.Kind == task.RPC && te.Code != codeHeaderMismatch && te.Code != jsonrpc.CodeParse:
		return e.refusedAnswer(ctx, id, q, ps, te)
	case te != nil && (te.Kind == task.Lost || te.Kind == task.Timeout):
		e.dropAll(q, held) // they may have arrived, so that they do not go along with another
	default:
		e.drop(q, ps)
	}
	return 0, err
}

// given returns the answers that are there, and how many prompts have none.
func (q *inquiry) given() (held map[string]json.RawMessage, waits int) {
	held = make(map[string]json.RawMessage)
	for key, k := range q.questions {
		switch {
		case k.waiting != nil:
			waits++
		case k.prompt == nil:
		case k.answer != nil:
			held[key] = k.answer
		default:
			waits++
		}
	}
	return held, waits
}

// without leaves out of held what is on its way by another request: no answer is
// sent twice. ours are the prompts of this one. engine.mu is held.
func (q *inquiry) without(held map[string]json.RawMessage, ours []*prompt) {
	for key := range held {
		if p := q.questions[key].prompt; p.sending && !slices.Contains(ours, p) {
			delete(held, key)
		}
	}
}

// send marks the answers that are there as being on their way, and returns those
// prompts that were not marked before. engine.mu is held.
func (q *inquiry) send() []*prompt {
	var ps []*prompt
	for _, k := range q.questions {
		if k.prompt != nil && k.answer != nil && !k.prompt.sending {
			k.prompt.sending = true
			ps = append(ps, k.prompt)
		}
	}
	return ps
}

// sending reports whether answers are on their way. engine.mu is held.
func (q *inquiry) sending() bool {
	for _, k := range q.questions {
		if k.prompt != nil && k.prompt.sending {
			return true
		}
	}
	return false
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
		k.prompt, k.answer, k.answered, k.looks, k.took = nil, nil, true, 0, time.Now()
	}
}

// sendHeld sends answers that waited for others, unless some still do: those are
// not asked for any more. What becomes of it is told as task.Delivered.
func (e *era2026) sendHeld(id task.ID) {
	e.mu.Lock()
	q := e.asking[id]
	if q == nil || q.sending() {
		e.mu.Unlock()
		return
	}
	held, waits := q.given()
	if len(held) == 0 || waits > 0 {
		e.mu.Unlock()
		return
	}
	ps := q.send()
	e.mu.Unlock()
	e.spawn(func() {
		out := task.Delivered{}
		for _, p := range ps {
			out.Prompts = append(out.Prompts, p.ID)
		}
		_, err := e.deliver(e.life, id, q, ps, held, 0)
		e.release(ps)
		if err != nil {
			out.Err = e.ep.explain("tasks/update", err)
		}
		e.feed.add(out)
	})
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

// dropAll forgets all answers that were sent.
func (e *era2026) dropAll(q *inquiry, sent map[string]json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key := range sent {
		if k := q.questions[key]; k != nil {
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
	held, waits := q.given()
	q.whole = waits > 0 && !q.parts
	whole := q.whole
	together := waits == 0 && len(held) > len(ps) && !q.parts
	e.mu.Unlock()
	if together && e.update(ctx, id, held) == nil { // another was on its way, and was refused as well
		e.taken(q, held, false)
		return 0, nil
	}
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
