package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// prompted handles elicitation/create and sampling/createMessage once they are
// let in.
func (e *era2025) prompted(m *jsonrpc.Message, o *origin) {
	silent := e.silent()
	if !silent && !e.takes(m) {
		return
	}
	parsed, fault := parsePrompt(m.Method, m.Params)
	if fault != "" {
		if !silent {
			e.refuse(m.ID, m.Method, jsonrpc.CodeInvalidParams, fault)
		}
		return
	}
	asTask, fault := e.augmented(m.Params)
	if fault != "" {
		e.refuse(m.ID, m.Method, jsonrpc.CodeInvalidParams, fault)
		return
	}
	p := &prompt{Prompt: parsed, request: m.ID, params: sumOf(m.Params), size: len(m.Params)}
	p.ID, p.Key = task.PromptID(newName("q")), strings.Trim(string(m.ID), `"`)
	p.related = bytes.Clone(member(member(m.Params, "_meta"), metaRelated))
	p.Task, p.on, p.opening = relatedTask(m.Params), o.stream, o.opening()
	e.mu.Lock()
	if e.prompts.replay(m.ID, p.params, o) {
		e.cameAgain(askedAs{m.ID, p.params}, e.prompts.asked[m.ID])
		e.mu.Unlock()
		return
	}
	if !e.prompts.room(p) {
		n := len(e.prompts.open)
		e.mu.Unlock()
		if !silent {
			e.refuse(m.ID, m.Method, codeFlood, fmt.Sprintf("%d prompts wait for an answer already", n))
		}
		return
	}
	if asTask != nil && !e.received.room() {
		e.mu.Unlock()
		e.refuse(m.ID, m.Method, jsonrpc.CodeInternal, fmt.Sprintf("callboard receives %d tasks at a time, and as many wait for a person", maxReceived))
		return
	}
	old := e.prompts.asked[m.ID]
	if old != nil && old.received != nil {
		old = nil // its request has its response
	}
	replaced := "the server asked something else under the same id"
	if old != nil {
		if old.orphan {
			replaced = "the server does not know the task that asked any more"
		}
		e.prompts.close(old, replaced)
	}
	e.put(p, o, m.Params)
	e.tie(p, o)
	if e.left != nil {
		e.leave(p)
		e.mu.Unlock()
		return
	}
	var created ownMessage
	waits := false
	if asTask != nil {
		again := p.place.Mine != ""
		created = e.receive(p, asTask, m.Params)
		waits = !again && !e.prompts.turn(p) && e.prompts.wait(&queued{prompt: p, size: len(m.Params)})
	}
	if !waits {
		e.prompts.open[p.ID] = p
	}
	e.prompts.asked[m.ID] = p
	e.cameAgain(askedAs{m.ID, p.params}, p)
	told := p.Prompt // the tie may change as soon as the lock is gone
	e.mu.Unlock()
	posted := e.post(created) // before the person sees it
	if old != nil {
		e.feed.add(task.Withdrawn{Prompt: old.ID, Why: task.Own(replaced)})
	}
	if waits {
		e.paced()
	} else {
		e.feed.add(task.Prompted{Prompt: told})
	}
	if !posted {
		created.failed()
	}
}

// takes reports whether requests of m's method were declared, and refuses m where
// they were not. In a session that another program began, that one may have
// declared them, and answers.
func (e *era2025) takes(m *jsonrpc.Message) bool {
	switch _, declared := e.ep.declared()[strings.Split(m.Method, "/")[0]]; {
	case declared:
		return true
	case m.Method == methodElicit:
		e.refuse(m.ID, m.Method, jsonrpc.CodeInvalidParams, "elicitation was not declared")
	case e.about().Joined:
		e.ep.Note("left to others in this session: a sampling request, which callboard takes with --sampling only")
	default:
		// As for roots, which has the code in writing (client/roots, "Error Handling").
		e.refuse(m.ID, m.Method, jsonrpc.CodeMethodNotFound, "sampling was not declared")
	}
	return false
}

// tie finds out which task or call a prompt belongs to: the one it names, else
// the one on whose stream it came, else the only one that can have asked. e.mu
// is held.
func (e *era2025) tie(p *prompt, o *origin) {
	if o.call != "" {
		p.Call = o.call
		for _, c := range e.calls.byTask {
			if c.id == o.call && p.Task == "" {
				p.Task = c.task
			}
		}
	}
	if p.Task != "" {
		if kept, ok := e.live[p.Task]; ok {
			p.Task = kept
		}
		return
	}
	switch {
	case o.task != "":
		p.Task = o.task
	case p.Call == "":
		e.guess(p)
	}
}

// guess ties a prompt to the only task or call that can have asked, where there is
// one. e.mu is held.
func (e *era2025) guess(p *prompt) {
	var able []*call
	for _, c := range e.calls.byTask {
		if !c.unknown {
			able = append(able, c)
		}
	}
	for _, c := range e.calls.running {
		able = append(able, c)
	}
	switch {
	case len(able) == 1:
		p.Task, p.Call, p.Guessed = able[0].task, able[0].id, true
	case len(able) == 0 && len(e.live) == 1:
		for id := range e.live {
			p.Task, p.Guessed = id, true
		}
	}
}

// withdrawn handles notifications/cancelled: the server no longer waits for an
// answer, and is sent none.
func (e *era2025) withdrawn(params json.RawMessage, o *origin) {
	id := jsonrpc.ID(member(params, "requestId"))
	why := withdrawal(params)
	e.mu.Lock()
	if e.received.resultGivenUp(id) {
		e.mu.Unlock()
		return
	}
	p := e.prompts.asked[id]
	if p == nil {
		e.prompts.withdrawnEarly(id, o)
	}
	if p != nil && p.received != nil {
		p = nil // a task is cancelled by tasks/cancel alone (basic/utilities/cancellation)
	}
	if p != nil {
		e.prompts.close(p, "the server no longer waits for it")
	}
	e.mu.Unlock()
	if p != nil {
		e.feed.add(task.Withdrawn{Prompt: p.ID, Why: why})
	}
}

// completed handles notifications/elicitation/complete, which may come before
// the person said anything, or long after.
func (e *era2025) completed(params json.RawMessage) {
	url := text(member(params, "elicitationId"))
	if url == "" {
		return
	}
	var id task.PromptID
	e.mu.Lock()
	for _, p := range e.prompts.open {
		if p.ElicitationID == url {
			id = p.ID
		}
	}
	for i := len(e.prompts.closed) - 1; i >= 0 && id == ""; i-- {
		if e.prompts.closed[i].url == url {
			id = e.prompts.closed[i].id
		}
	}
	e.mu.Unlock()
	if id != "" {
		e.feed.add(task.URLDone{Prompt: id})
	}
}

func (e *era2025) answer(ctx context.Context, replies []task.Reply) (task.Receipt, error) {
	for _, r := range replies {
		if err := e.answerOne(ctx, r); err != nil {
			return task.Receipt{}, err
		}
	}
	return task.Receipt{At: time.Now()}, nil
}

func (e *era2025) answerOne(ctx context.Context, r task.Reply) error {
	p, err := e.claim(r)
	if err != nil {
		return err
	}
	err = e.send(ctx, p, r)
	var te *task.Error
	sent := err == nil || errors.As(err, &te) && te.Kind == task.Lost
	e.mu.Lock()
	defer e.mu.Unlock()
	p.sending = false
	if e.prompts.open[p.ID] != p {
		if err != nil {
			return err
		}
		e.prompts.answeredAfterAll(p)
		return nil // withdrawn meanwhile: the two crossed, and the server took it
	}
	// An answer that may have arrived leaves the prompt open to a person who
	// sends it again; nothing here does so.
	if sent && err == nil {
		e.prompts.close(p, wasAnswered)
	}
	if sent {
		delete(e.asking, p.Task) // that it goes on is our doing
	}
	return err
}

// send sends the response to a prompt.
func (e *era2025) send(ctx context.Context, p *prompt, r task.Reply) error {
	if p.Visit {
		return nil // nobody waits for an answer: the call is sent again
	}
	if p.received != nil {
		return e.settle(p, r)
	}
	result, refused, err := replyTo(&p.Prompt, r, p.related)
	if err != nil {
		return err
	}
	body, err := answerTo(p.request, result, refused)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)() //nolint:contextcheck // the session's end ends it too
	err = e.oneWay(ctx, body)
	if err == nil {
		return nil
	}
	if e.lostBy(err) {
		return e.gone("the answer", err)
	}
	return e.ep.explain("POST of the answer", err)
}
