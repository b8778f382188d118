package mcpclient

import (
	"encoding/json"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

const (
	maxCachedResult = 4 << 20
	maxCached       = 16 << 20
	maxCachedOnes   = 1000 // to take one out costs a walk over them
	// resultBefore is how long before its task's end a result may have come:
	// one that came earlier was given by a server that does not block.
	resultBefore = 5 * time.Second
)

// resultCache keeps results that came with a task, or for one that was attended,
// so that opening one asks nothing.
// engine.mu guards it.
type resultCache struct {
	results map[task.ID]cachedResult
	order   []task.ID
	bytes   int
}

type cachedResult struct {
	raw json.RawMessage
	rpc *jsonrpc.Error // stands in the place of a result; nil for none
	at  time.Time
}

func (r *cachedResult) result() task.Result {
	if r.rpc != nil {
		return failedResult(r.rpc)
	}
	return parseResult(r.raw)
}

// toolError reports whether the tool itself says that it failed (isError).
func (r *cachedResult) toolError() bool { return r.rpc == nil && isTrue(member(r.raw, "isError")) }

func newResultCache() resultCache { return resultCache{results: make(map[task.ID]cachedResult)} }

func (c *resultCache) add(id task.ID, r cachedResult) {
	c.remove(id)
	if len(r.raw) > maxCachedResult {
		return
	}
	r.at = time.Now()
	c.results[id] = r
	c.order = append(c.order, id)
	c.bytes += len(r.raw)
	for c.bytes > maxCached || len(c.order) > maxCachedOnes {
		c.remove(c.order[0])
	}
}

func (c *resultCache) remove(id task.ID) {
	r, ok := c.results[id]
	if !ok {
		return
	}
	delete(c.results, id)
	c.bytes -= len(r.raw)
	for i, o := range c.order {
		if o == id {
			c.order = append(c.order[:i], c.order[i+1:]...)
			return
		}
	}
}

// ended notes that a task has ended just now, as far as we know.
func (c *resultCache) ended(id task.ID) {
	if r, ok := c.results[id]; ok && time.Since(r.at) > resultBefore {
		c.remove(id)
	}
}

// body returns the task in a message: some servers wrap it.
func body(raw json.RawMessage) json.RawMessage {
	if wrapped := member(raw, "task"); isObject(wrapped) {
		return wrapped
	}
	return raw
}

// outcome is outcomeOf for a message.
func (e *engine) outcome(t task.Task, raw json.RawMessage) (cachedResult, bool) {
	r, ok := outcomeOf(t, body(raw))
	if r.rpc != nil {
		e.ep.log.conceal(r.rpc)
	}
	return r, ok
}

// outcomeOf returns the result, or the error in its place, that stands in the
// state of an ended task (schema types CompletedTask and FailedTask).
func outcomeOf(t task.Task, raw json.RawMessage) (cachedResult, bool) {
	if !t.Status.Terminal() {
		return cachedResult{}, false
	}
	if result := member(raw, "result"); isObject(result) {
		return cachedResult{raw: result}, true
	}
	failure := member(raw, "error")
	if !isObject(failure) {
		return cachedResult{}, false
	}
	rpc := &jsonrpc.Error{Message: text(member(failure, "message")), Data: member(failure, "data")}
	code, _ := number(member(failure, "code"))
	rpc.Code = int(code)
	return cachedResult{raw: failure, rpc: rpc}, true
}
