package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

func (e *era2025) page(ctx context.Context, at task.Cursor) (task.Page, error) {
	sent := time.Now()
	raw, err := e.read(ctx, request{method: "tasks/list", params: from(at)})
	if err != nil {
		return task.Page{}, e.unsupported(err, func(a *task.About) *task.Can { return &a.List })
	}
	e.learn(func(a *task.About) *task.Can { return &a.List }, task.CanYes)
	p, dropped := e.strings.page(raw)
	p.SentAt = sent
	if dropped > 0 {
		e.ep.Note(fmt.Sprintf("tasks/list: %d entries without a usable id were left out", dropped))
	}
	for i, t := range p.Tasks {
		p.Tasks[i] = e.observe(t)
	}
	e.polled(p.Tasks...)
	e.mu.Lock()
	if !at.Set {
		e.sweep = newSweep()
	}
	next, why := e.sweep.next(at, p.Next, member(raw, "tasks"), len(p.Tasks) == 0)
	e.mu.Unlock()
	if why != "" {
		e.ep.Note("tasks/list was cut short: " + why)
	}
	p.Next = next
	return p, nil
}

func (e *era2025) get(ctx context.Context, id task.ID) (task.Task, error) {
	t, err := e.engine.get(ctx, id)
	if err == nil {
		e.polled(t)
	}
	var te *task.Error
	gone := errors.As(err, &te) && te.Kind == task.RPC && noSuchTask(&jsonrpc.Error{Code: te.Code, Message: te.Message.Line()})
	if err == nil || gone {
		e.mu.Lock()
		e.prompts.known(id, !gone)
		if c := e.calls.byTask[id]; c != nil {
			c.unknown = gone
		}
		e.mu.Unlock()
	}
	return t, err
}

func (e *era2025) cancel(ctx context.Context, id task.ID) (task.Task, error) {
	raw, err := e.do(ctx, request{method: "tasks/cancel", params: onTask(id), task: id})
	if err != nil {
		return task.Task{}, e.unsupported(err, func(a *task.About) *task.Can { return &a.Cancel })
	}
	e.learn(func(a *task.About) *task.Can { return &a.Cancel }, task.CanYes)
	t, err := e.oneTask("tasks/cancel", id, raw)
	if err != nil {
		// It was acknowledged all the same: what it came to, a poll will tell.
		return task.Task{}, nil
	}
	return t, nil
}

func (e *era2025) result(ctx context.Context, id task.ID) (task.Result, error) {
	if r, ok := e.cached(ctx, id); ok {
		return r.result(), nil
	}
	m, err := e.exchange(ctx, resultRequest(id))
	var te *task.Error
	if errors.As(err, &te) && te.Kind == task.Lost && ctx.Err() == nil {
		m, err = e.exchange(ctx, resultRequest(id))
	}
	if rpc := refusal(m, err); rpc != nil {
		e.pagesOf(id, rpc)
		return e.rpcResult(rpc)
	}
	if err != nil {
		return task.Result{}, err
	}
	return parseResult(m.Result), nil
}

// rpcResult tells an error that stands for a result from one that says that
// there is none to be had.
func (e *era2025) rpcResult(rpc *jsonrpc.Error) (task.Result, error) {
	if noSuchTask(rpc) || rpc.Code == jsonrpc.CodeMethodNotFound {
		out := rpcError(rpc)
		out.Tried = task.Own("tasks/result to " + e.ep.shown)
		return task.Result{}, out
	}
	return failedResult(rpc), nil
}

// tool is manners.tool: execution.taskSupport has said it all.
func (e *era2025) tool(*task.Tool, json.RawMessage) bool { return true }

func (e *era2025) tools(ctx context.Context) ([]task.Tool, error) {
	all, _, err := e.listTools(ctx)
	return all, err
}
