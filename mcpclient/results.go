package mcpclient

import (
	"encoding/json"
	"time"

	"callboard/model/task"
)

const (
	maxCachedResult = 4 << 20
	maxCached       = 16 << 20
	// resultBefore is how long before its task's end a result may have come:
	// one that came earlier was given by a server that does not block.
	resultBefore = 5 * time.Second
)

// resultCache keeps results of attended tasks, so that opening one asks nothing.
// engine.mu guards it.
type resultCache struct {
	results map[task.ID]cachedResult
	order   []task.ID
	bytes   int
}

type cachedResult struct {
	raw json.RawMessage
	at  time.Time
}

func newResultCache() resultCache { return resultCache{results: make(map[task.ID]cachedResult)} }

func (c *resultCache) add(id task.ID, raw json.RawMessage) {
	c.remove(id)
	if len(raw) > maxCachedResult {
		return
	}
	c.results[id] = cachedResult{raw, time.Now()}
	c.order = append(c.order, id)
	c.bytes += len(raw)
	for c.bytes > maxCached {
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
