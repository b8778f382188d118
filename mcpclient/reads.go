package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// maxPages bounds a list whose cursor never ends.
const maxPages = 10_000

// onTask is the parameters of tasks/get, tasks/result and tasks/cancel. They
// carry no related-task: the id alone counts.
func onTask(id task.ID) fields { return fields{"taskId": id} }

// from is schema type PaginatedRequestParams. The empty string is a cursor too.
func from(c task.Cursor) fields {
	if !c.Set {
		return fields{}
	}
	return fields{"cursor": c.Value}
}

// sweep remembers the pages of one tour through a list, so that one that goes
// round in circles ends.
type sweep struct {
	seed    maphash.Seed
	cursors map[uint64]bool // hashes: a cursor may be as long as the server likes
	pages   map[uint64]bool
}

func newSweep() sweep {
	return sweep{seed: maphash.MakeSeed(), cursors: make(map[uint64]bool), pages: make(map[uint64]bool)}
}

// next returns the cursor to go on with, not Set where the tour is over. why
// says what cut it short, "" for nothing.
func (s *sweep) next(at, next task.Cursor, page []byte, empty bool) (c task.Cursor, why string) {
	if s.cursors == nil {
		*s = newSweep()
	}
	if at.Set {
		s.cursors[maphash.String(s.seed, at.Value)] = true
	}
	if !next.Set {
		return next, ""
	}
	h := maphash.Bytes(s.seed, page)
	switch {
	case s.cursors[maphash.String(s.seed, next.Value)]:
		return task.Cursor{}, "the list's cursor repeats itself"
	case !empty && s.pages[h]:
		return task.Cursor{}, "the list repeats a page"
	case len(s.pages) >= maxPages || len(s.cursors) >= maxPages:
		return task.Cursor{}, fmt.Sprintf("the list has more than %d pages", maxPages)
	}
	s.pages[h] = true
	return next, ""
}

// unsupported makes of -32601 the error of a server that lacks a method, and
// takes note.
func (e *engine) unsupported(err error, can func(*task.About) *task.Can) error {
	var te *task.Error
	if !errors.As(err, &te) || te.Kind != task.RPC || te.Code != jsonrpc.CodeMethodNotFound {
		return err
	}
	e.learn(can, task.CanNo)
	te.Kind = task.Unsupported
	te.Message = task.CleanLine("the server does not offer it: "+te.Message.Line(), maxMessage)
	te.Err = errors.ErrUnsupported
	return te
}

func (e *engine) get(ctx context.Context, id task.ID) (task.Task, error) {
	raw, err := e.read(ctx, request{method: "tasks/get", params: onTask(id), task: id})
	if err != nil {
		return task.Task{}, err
	}
	return e.oneTask("tasks/get", id, raw)
}

// sameTask decodes a result that is the Task id. Some servers wrap it.
func (in *interner) sameTask(id task.ID, raw json.RawMessage) (task.Task, bool) {
	t, ok := in.task(raw)
	if !ok {
		t, ok = in.task(member(raw, "task"))
	}
	return t, ok && t.ID == id
}

// oneTask takes in a result that is a Task.
func (e *engine) oneTask(method string, id task.ID, raw json.RawMessage) (task.Task, error) {
	t, ok := e.strings.sameTask(id, raw)
	if !ok {
		out := fail(task.Protocol, "the reply is not the task that was asked for")
		out.Tried = task.Own(method + " to " + e.ep.shown)
		return task.Task{}, out
	}
	return e.heard(t, raw), nil
}

// heard notes what a message tells of a task. Its result may be in it, in some
// legacy sessions too.
func (e *engine) heard(t task.Task, raw json.RawMessage) task.Task {
	r, ended := e.outcome(t, raw)
	if ended {
		t.ToolError = r.toolError()
		e.mu.Lock()
		e.results.add(t.ID, r)
		e.mu.Unlock()
	}
	t = e.observe(e.manners.detail(t, raw))
	e.pagesOf(t.ID, r.rpc)
	return t
}

// noSuchTask reports whether an error speaks of the task and not of its work.
func noSuchTask(rpc *jsonrpc.Error) bool {
	if rpc.Code != jsonrpc.CodeInvalidParams && rpc.Code != jsonrpc.CodeInternal {
		return false
	}
	s := strings.ToLower(rpc.Message[:min(len(rpc.Message), 1000)])
	if strings.Contains(s, "no result") || strings.Contains(s, "result not") {
		return true
	}
	if !strings.Contains(s, "task") {
		return false
	}
	for _, w := range []string{"not found", "unknown", "expired", "no such", "does not exist", "invalid task", "no longer"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// listTools is tools/list, all pages. until is how long the server lets the list
// be used, zero where it does not say (schema type CacheableResult).
func (e *engine) listTools(ctx context.Context) (all []task.Tool, until time.Time, err error) {
	tour := newSweep()
	for at := (task.Cursor{}); ; {
		raw, err := e.read(ctx, request{method: "tools/list", params: from(at)})
		if err != nil {
			return nil, time.Time{}, e.unsupported(err, func(a *task.About) *task.Can { return &a.Tools })
		}
		e.learn(func(a *task.About) *task.Can { return &a.Tools }, task.CanYes)
		if page := time.Now().Add(millis(member(raw, "ttlMs"))); !at.Set || page.Before(until) {
			until = page
		}
		list := member(raw, "tools")
		before := len(all)
		elements(list, func(v []byte) bool {
			if t, ok := parseTool(v); ok && e.manners.tool(&t, v) {
				all = append(all, t)
			}
			return len(all) < maxTools
		})
		next, why := tour.next(at, cursor(member(raw, "nextCursor")), list, len(all) == before)
		if why != "" || len(all) >= maxTools {
			e.ep.Note(strings.TrimSuffix(fmt.Sprintf("tools/list was cut short after %d tools: %s", len(all), why), ": "))
			return all, until, nil
		}
		if !next.Set {
			return all, until, nil
		}
		at = next
	}
}
