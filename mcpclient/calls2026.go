package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

const (
	maxRounds = 100 // of one call: a person answers each
	// maxAgain bounds the rounds in a row in which a call is only to be sent
	// again. againPause is the wait before the second of them, and then grows.
	maxAgain   = 20
	againPause = 100 * time.Millisecond
)

// call is manners.call. A result of the type input_required sends the call
// round again with what it asks for (Multi Round-Trip Requests).
func (e *era2026) call(ctx context.Context, c *call, p fields) (*jsonrpc.Message, error) {
	p = maps.Clone(p)
	delete(p, "task") // the server decides
	next, again, listed := p, 0, false
	var asked *round // whose answers go along, nil for none
	var state json.RawMessage
	for rounds := 1; ; rounds++ {
		m, err := e.exchange(ctx, request{method: "tools/call", params: next, id: c.request, patient: true, outcome: true, call: c.id})
		if headersMissed(m, err) && !listed {
			listed = true
			e.ep.Note("the server wants other headers for this tool: its tools are listed anew, and the call is sent once more")
			e.forgetTools()
			if _, err := e.tools(ctx); err != nil {
				return nil, err
			}
			e.renumber(c)
			continue
		}
		if err != nil && asked != nil && untaken(err) {
			if err = e.answeredAnew(ctx, c, asked, err); err != nil {
				return nil, err
			}
			next = sentAgain(p, asked.answers, state)
			e.renumber(c)
			continue
		}
		if err != nil || m.Error != nil {
			return m, err
		}
		switch kind := resultType(m.Result); {
		case kind == complete:
			return m, nil
		case kind == becameTask:
			if _, _, ok := e.strings.createdTask(m.Result); !ok {
				return nil, fail(task.Protocol, "the reply to tools/call is a task without an id")
			}
			return m, nil
		case kind != inputRequired:
			return nil, fail(task.Protocol, "the reply to tools/call has the resultType %q, which callboard does not know", task.CleanLine(kind, 32).Line())
		case rounds == maxRounds:
			return nil, fail(task.Limit, "the call was sent %d times, and still asks for more", maxRounds)
		}
		var answers map[string]json.RawMessage
		if asked, err = e.askRound(ctx, c, m.Result); err != nil {
			return nil, err
		}
		if again++; asked != nil {
			again, answers = 0, asked.answers
		}
		if again > maxAgain {
			return nil, fail(task.Limit, "the server had the call sent again %d times without asking for anything", maxAgain)
		}
		if again > 1 && !wait(ctx, time.Duration(again-1)*againPause) {
			return nil, ctx.Err()
		}
		state = member(m.Result, "requestState")
		next = sentAgain(p, answers, state)
		e.renumber(c)
	}
}

// sentAgain returns the params of a call for its next round: those of the first,
// the answers, and the exact state that the server gave; none where it gave none.
func sentAgain(p fields, answers map[string]json.RawMessage, state json.RawMessage) fields {
	next := maps.Clone(p)
	if answers != nil {
		next["inputResponses"] = answers
	}
	if s, ok := unquote(state); ok {
		next["requestState"] = s
	}
	return next
}

// renumber gives a call the id of its next request.
func (e *era2026) renumber(c *call) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.request = jsonrpc.StringID(newName("c"))
}

// headersMissed reports whether a reply says that headers do not fit the body.
func headersMissed(m *jsonrpc.Message, err error) bool {
	var te *task.Error
	switch {
	case err != nil:
		return errors.As(err, &te) && te.Kind == task.RPC && te.Code == codeHeaderMismatch
	case m.Error != nil:
		return m.Error.Code == codeHeaderMismatch
	}
	return false
}

// round is what one result of a call asks for. engine.mu guards it.
type round struct {
	waits   map[string]*prompt // without an answer so far, by key
	prompts []*prompt
	sizes   map[string]int // of what asks, by key: bytes
	answers map[string]json.RawMessage
	full    chan struct{} // closed once nothing waits
}

// askRound asks the person what a result asks for, and waits for all of it. It
// returns the round with its answers, nil where nothing is asked for.
func (e *era2026) askRound(ctx context.Context, c *call, result json.RawMessage) (*round, error) {
	r, err := e.newRound(c, member(result, "inputRequests"))
	if r == nil || err != nil {
		return nil, err
	}
	var asked []task.Prompt
	full := false
	e.mu.Lock()
	for _, p := range r.prompts {
		switch {
		case e.prompts.turn(p):
			e.prompts.open[p.ID] = p
			asked = append(asked, p.Prompt)
		case !e.prompts.wait(&queued{prompt: p, size: r.sizes[p.key]}):
			full = true
		}
	}
	e.mu.Unlock()
	e.paced()
	e.feed.ask(asked)
	if full {
		e.withdrawRound(r)
		return nil, fail(task.Limit, "the call asks for more, and %d prompts wait for their turn already", maxWaiting)
	}
	return r, e.awaitRound(ctx, c, r)
}

// awaitRound waits for all answers of a round.
func (e *era2026) awaitRound(ctx context.Context, c *call, r *round) error {
	select {
	case <-r.full:
		return nil
	case <-ctx.Done():
	}
	e.withdrawRound(r)
	if c.abandoned.Load() {
		return errNothingRuns
	}
	return ctx.Err()
}

// withdrawRound ends what a round still asks.
func (e *era2026) withdrawRound(r *round) {
	e.mu.Lock()
	gone := e.prompts.drop(func(p *prompt) bool { return p.round == r })
	e.mu.Unlock()
	e.paced()
	for _, id := range gone {
		e.feed.add(task.Withdrawn{Prompt: id, Why: task.Own("its call was given up")})
	}
}

// untaken reports whether an error says for sure that the server did not take a
// request.
func untaken(err error) bool {
	var te *task.Error
	if !errors.As(err, &te) {
		return false
	}
	switch te.Kind {
	case task.Unreachable, task.TLS, task.Unauthorized, task.Denied, task.Busy:
		return true
	case task.RPC:
		return te.Code == jsonrpc.CodeParse // it was damaged on its way
	default:
		return false
	}
}

// answeredAnew tells that the answers of a round did not reach the server, and
// waits until the person has given them again: nothing runs there meanwhile, and
// what was asked stands.
func (e *era2026) answeredAnew(ctx context.Context, c *call, r *round, cause error) error {
	out := task.Delivered{Err: e.ep.explain("tools/call", cause)}
	e.mu.Lock()
	r.answers, r.full = make(map[string]json.RawMessage), make(chan struct{})
	for _, p := range r.prompts {
		r.waits[p.key], e.prompts.open[p.ID] = p, p
		out.Prompts = append(out.Prompts, p.ID)
	}
	e.mu.Unlock()
	e.feed.add(out)
	return e.awaitRound(ctx, c, r)
}

// errNothingRuns is the end of a call that was cancelled while it waited for a
// person.
var errNothingRuns = fail(task.Unsupported, "cancelled here, while the call waited for an answer: nothing runs on the server for it")

// newRound reads inputRequests. It returns nil where there are none. One that
// asks for what was not declared cannot be gone through: nothing runs on the
// server meanwhile, so that the call ends here.
func (e *era2026) newRound(c *call, requests json.RawMessage) (*round, error) {
	r := &round{
		waits: make(map[string]*prompt), sizes: make(map[string]int), answers: make(map[string]json.RawMessage), full: make(chan struct{}),
	}
	var fault *task.Error
	members(requests, func(k, v []byte) bool {
		key := string(k)
		switch {
		case len(key) > maxID || len(r.prompts) == maxPrompts:
			fault = fail(task.Limit, "the call asks for more than callboard takes: %d prompts with keys of %d bytes", maxPrompts, maxID)
		case r.waits[key] != nil:
			return true
		default:
			p, why := e.inputPrompt(v)
			if why != "" {
				fault = fail(task.Protocol, "the call asks for what it cannot be given: %s", why)
				fault.Advice = task.Own("nothing runs on the server for this call any more")
				break
			}
			p.Call, p.key, p.Key, p.round = c.id, key, key, r
			r.waits[key], r.sizes[key] = p, len(v)
			r.prompts = append(r.prompts, p)
		}
		return fault == nil
	})
	switch {
	case fault != nil:
		return nil, fault
	case len(r.prompts) == 0:
		return nil, nil
	}
	return r, nil
}

// inputPrompt makes a prompt of one entry of inputRequests; why says why it
// cannot.
func (e *era2026) inputPrompt(raw json.RawMessage) (p *prompt, why string) {
	method := text(member(raw, "method"))
	switch {
	case method != methodElicit && (method != methodSample || !e.ep.cfg.Sampling):
		return nil, fmt.Sprintf("%s, which callboard did not declare", task.CleanLine(method, maxName).Line())
	case e.ep.cfg.ReadOnly:
		return nil, "an answer, which read-only sessions do not give"
	}
	parsed, fault := parsePrompt(method, member(raw, "params"))
	if fault != "" {
		return nil, fault
	}
	p = &prompt{Prompt: parsed, params: sumOf(raw), size: len(raw)}
	p.ID = task.PromptID(newName("q"))
	return p, ""
}

// abandon cancels a call the way that this generation has: its stream is closed.
func (e *era2026) abandon(_ context.Context, id task.CallID) error {
	e.mu.Lock()
	c := e.calls.running[id]
	e.mu.Unlock()
	if c == nil {
		return fail(task.Unsupported, "the call is not on its way any more")
	}
	c.abandoned.Store(true)
	e.ep.Note("the stream of the call is closed, which cancels it")
	c.cancel()
	return nil
}
