package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"callboard/model/task"
)

// page is not offered: this generation has no tasks/list.
func (e *era2026) page(context.Context, task.Cursor) (task.Page, error) {
	return task.Page{}, &task.Error{
		Kind:    task.Unsupported,
		Message: task.Own("MCP " + version2026 + " has no list of tasks"),
		Advice:  task.Own("a task is known by its id: start one, or watch one"),
		Err:     errors.ErrUnsupported,
	}
}

// cancel sends tasks/cancel, which is a wish and no more: what becomes of the
// task shows later.
func (e *era2026) cancel(ctx context.Context, id task.ID) (task.Task, error) {
	_, err := e.do(ctx, request{method: "tasks/cancel", params: onTask(id), task: id})
	if err != nil {
		return task.Task{}, e.unsupported(err, func(a *task.About) *task.Can { return &a.Cancel })
	}
	e.learn(func(a *task.About) *task.Can { return &a.Cancel }, task.CanYes)
	return task.Task{}, nil
}

// result returns what tasks/get said of an ended task, now or before.
func (e *era2026) result(ctx context.Context, id task.ID) (task.Result, error) {
	if r, ok := e.keptResult(id); ok {
		return r, nil
	}
	raw, err := e.read(ctx, request{method: "tasks/get", params: onTask(id), task: id})
	if err != nil {
		return task.Result{}, err
	}
	t, err := e.oneTask("tasks/get", id, raw)
	if err != nil {
		return task.Result{}, err
	}
	if r, ok := e.outcome(t, raw); ok { // it may be too large to be kept
		return r.result(), nil
	}
	var out *task.Error
	switch {
	case !t.Status.Terminal():
		out = fail(task.Unsupported, "the task has not ended: it has no result yet")
	case t.Status == task.Cancelled:
		out = fail(task.Unsupported, "the task was cancelled: it has no result")
	default:
		out = fail(task.Protocol, "the task is %s, and the server gives no result with it", t.Status)
	}
	out.Tried = task.Own("tasks/get to " + e.ep.shown)
	return task.Result{}, out
}

func (e *era2026) keptResult(id task.ID) (task.Result, bool) {
	e.mu.Lock()
	r, ok := e.results.results[id]
	e.mu.Unlock()
	if !ok {
		return task.Result{}, false
	}
	return r.result(), true
}

// detail is manners.detail: the state of a task says what it asks. What was
// pushed may leave that out; it is fetched then.
func (e *era2026) detail(t task.Task, raw json.RawMessage) task.Task {
	e.push.polled(t.ID)
	if !t.Status.Terminal() { // what an ended task asked is withdrawn with it
		e.inquire(t, member(body(raw), "inputRequests"))
	}
	return t
}

// toolList is a list of tools, kept for as long as the server lets it (Caching).
// It goes with the session, and so with the credentials: that is as far as a
// private one may go.
type toolList struct {
	tools []task.Tool
	until time.Time
	epoch int // counts the times that it was to be forgotten
}

func (e *era2026) tools(ctx context.Context) ([]task.Tool, error) {
	e.mu.Lock()
	kept, fresh, epoch := e.listed.tools, time.Now().Before(e.listed.until), e.listed.epoch
	e.mu.Unlock()
	if fresh {
		return slices.Clone(kept), nil
	}
	all, until, err := e.listTools(ctx)
	if err != nil {
		return nil, err
	}
	offered := make(map[string]bool, len(all))
	for _, t := range all {
		offered[t.Name] = true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for name := range e.mirrors {
		if !offered[name] {
			delete(e.mirrors, name)
		}
	}
	if epoch == e.listed.epoch {
		e.listed.tools, e.listed.until = slices.Clone(all), until
	}
	return all, nil
}

// forgetTools makes the next look at the tools ask the server.
func (e *era2026) forgetTools() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listed = toolList{epoch: e.listed.epoch + 1}
}

// tool is manners.tool: any call may become a task, and some arguments go into
// headers.
func (e *era2026) tool(t *task.Tool, raw json.RawMessage) bool {
	t.Support = task.ServerDecides
	found, fault := findMirrors(member(raw, "inputSchema"))
	if fault != "" {
		e.ep.Note(fmt.Sprintf("the tool %s was left out: %s", task.CleanLine(t.Name, maxName).Line(), task.CleanLine(fault, 300).Line()))
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(found) == 0 {
		delete(e.mirrors, t.Name)
	} else {
		e.mirrors[t.Name] = found
	}
	return true
}
