package model

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// birth is when virtual time begins.
var birth = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// keeper is a Memory in memory: it outlives a stage.
type keeper struct {
	mu      sync.Mutex
	kept    task.Kept
	changes []task.Keep
	flushed int // changes that were there at the last Flush
	closed  int
	dead    bool // killed: takes nothing in any more
	news    chan error

	recallErr, flushErr, closeErr error
	hang                          bool // Flush and Close do not come back by themselves
}

func newKeeper() *keeper { return &keeper{} }

func (k *keeper) state() task.Kept {
	out := k.kept
	out.Handles, out.Foreign, out.Unsettled = slices.Clone(out.Handles), slices.Clone(out.Foreign), slices.Clone(out.Unsettled)
	out.Drafts = slices.Clone(out.Drafts)
	slices.SortStableFunc(out.Drafts, func(a, b task.KeptDraft) int { return b.At.Compare(a.At) })
	return out
}

func (k *keeper) Recall(context.Context) (task.Kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.news == nil {
		k.news = make(chan error, 10) // of the bubble in which it is waited for
	}
	return k.state(), k.recallErr
}

func (k *keeper) Keep(changes ...task.Keep) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		return
	}
	k.changes = append(k.changes, changes...)
	for _, c := range changes {
		switch c := c.(type) {
		case task.KeepHandle:
			k.drop(c.Handle.Task.ID)
			k.kept.Handles = append(k.kept.Handles, c.Handle)
		case task.DropHandle:
			k.drop(c.ID)
		case task.KeepDraft:
			k.dropDraft(task.DropDraft{Asked: c.Draft.Asked, Task: c.Draft.Task, Tool: c.Draft.Tool})
			k.kept.Drafts = append(k.kept.Drafts, c.Draft)
		case task.DropDraft:
			k.dropDraft(c)
		case task.KeepSent:
			k.kept.Unsettled = append(k.kept.Unsettled, c.Sent)
		case task.Settled:
			k.kept.Unsettled = slices.DeleteFunc(k.kept.Unsettled, func(s task.Sent) bool { return s.Call == c.Call })
		case task.KeepResume:
			if c.Resume.Session == "" && c.Gone != k.kept.Resume.Session {
				k.kept.Resume.Era = c.Resume.Era
			} else {
				k.kept.Resume = c.Resume
			}
		}
	}
}

func (k *keeper) dropDraft(c task.DropDraft) {
	k.kept.Drafts = slices.DeleteFunc(k.kept.Drafts, func(d task.KeptDraft) bool {
		return task.DropDraft{Asked: d.Asked, Task: d.Task, Tool: d.Tool} == c
	})
}

// drafts returns the fields of what is kept, the newest first.
func (k *keeper) drafts() (all []map[string]string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range k.state().Drafts {
		all = append(all, d.Fields)
	}
	return all
}

func (k *keeper) drop(id task.ID) {
	k.kept.Handles = slices.DeleteFunc(k.kept.Handles, func(h task.Handle) bool { return h.Task.ID == id })
}

func (k *keeper) Flush(ctx context.Context) error {
	k.mu.Lock()
	k.flushed = len(k.changes)
	hang, err := k.hang, k.flushErr
	k.mu.Unlock()
	if hang {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

func (k *keeper) News(ctx context.Context) (task.Kept, error) {
	select {
	case err := <-k.news:
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.state(), err
	case <-ctx.Done():
		return task.Kept{}, ctx.Err()
	}
}

func (k *keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed++
	hang, err := k.hang, k.closeErr
	k.mu.Unlock()
	if hang {
		<-ctx.Done()
	}
	return cmp.Or(ctx.Err(), err)
}

// another lets another process change what is kept.
func (k *keeper) another(st *stage, change func(*task.Kept)) {
	k.mu.Lock()
	change(&k.kept)
	k.mu.Unlock()
	k.news <- nil
	st.settle()
}

func (k *keeper) handle(id task.ID) (task.Handle, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range k.kept.Handles {
		if h.Task.ID == id {
			return h, true
		}
	}
	return task.Handle{}, false
}

func (k *keeper) resume() task.Resume {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept.Resume
}

func (k *keeper) unsettled() []task.Sent {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.kept.Unsettled)
}

// lives begins another callboard with the same server and memory, as a start
// after the last one does, and runs f with it. killed: it dies without a word.
func lives(t *testing.T, o Options, s *script, k *keeper, f func(*stage), killed bool) (told []string) {
	t.Helper()
	k.mu.Lock()
	k.dead = false
	k.mu.Unlock()
	if o.Targets == nil {
		o.Targets = []Target{{Name: "ops", URL: "http://localhost/mcp", Endpoint: s, Memory: k}}
	}
	st := &stage{Model: New(o), t: t, s: s, msgs: make(chan tea.Msg), over: make(chan struct{})}
	defer func() {
		if killed {
			k.mu.Lock()
			k.dead = true
			k.mu.Unlock()
		}
		close(st.over)
		told = st.Shutdown()
		synctest.Wait()
	}()
	st.run(st.Init())
	f(st)
	return nil // what Shutdown tells
}

// remembering plays with a memory.
func remembering(t *testing.T, s *script, k *keeper, f func(*stage)) {
	t.Helper()
	play(t, Options{Targets: []Target{{Name: "ops", URL: "http://localhost/mcp", Endpoint: s, Memory: k}}}, s, f)
}

// started starts a call that becomes task id.
func started(st *stage, call task.CallID, id string) *Row {
	st.wish(StartMsg{"ops", task.Call{ID: call, Tool: "deploy", Args: []byte(`{"n":1}`), AsTask: true}})
	st.s.put(a(id, task.Working))
	st.tell(task.Started{Call: call, Task: a(id, task.Working)})
	return st.row(task.ID(id))
}
