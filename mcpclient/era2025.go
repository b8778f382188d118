package mcpclient

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// version2025 is the revision that era2025 speaks.
const version2025 = "2025-11-25"

const (
	requestTimeout = 30 * time.Second
	// streamPatience is how long work waits for the GET stream to open first:
	// prompts may come on it at once, and some servers send no header before
	// they have something to say.
	streamPatience = 2 * time.Second
)

// unique makes request ids and progress tokens that no other process and no
// other session of this one ever used: sessions can be rejoined, and ids must
// not repeat in one.
var unique struct {
	prefix string
	last   atomic.Uint64
}

func init() { unique.prefix = strings.ToLower(rand.Text()[:10]) }

func newName(kind string) string {
	return fmt.Sprintf("%s-%s%d", unique.prefix, kind, unique.last.Add(1))
}

// era2025 is a session of MCP 2025-11-25: initialize, a GET stream, tasks in
// the core protocol.
type era2025 struct {
	ep      *Endpoint
	tr      *transport.Transport
	feed    *feed
	skew    skew
	strings interner

	life context.Context // of the goroutines below, ends with close or a lost session
	end  context.CancelFunc
	wg   sync.WaitGroup

	streamTried chan struct{} // closed once the GET stream was tried
	nudge       chan struct{} // tells the GET stream to come back now
	tried       sync.Once
	replies     chan ownMessage // responses and notifications on their way out, see outbox.go

	mu        sync.Mutex
	closed    bool // no goroutine is started any more; guards wg
	info      task.About
	session   task.Secret
	lastEvent string
	wasUp     bool      // the GET stream was open before
	retryAt   time.Time // when the GET stream is tried again, where the network failed it; else zero
	pending   map[jsonrpc.ID]*pending
	live      map[task.ID]task.ID   // live tasks that we know of, each by the one copy of its id
	asking    map[task.ID]time.Time // the ones seen in input_required, and their lastUpdatedAt then
	calls     callTable
	prompts   promptTable
	attended  map[task.ID]*attendance
	results   resultCache
	sweep     sweep
}

func (ep *Endpoint) new2025() (*era2025, error) {
	e := &era2025{
		ep:          ep,
		streamTried: make(chan struct{}),
		nudge:       make(chan struct{}, 1),
		replies:     make(chan ownMessage, maxOutbox),
		pending:     make(map[jsonrpc.ID]*pending),
		live:        make(map[task.ID]task.ID),
		asking:      make(map[task.ID]time.Time),
		calls:       newCallTable(),
		prompts:     newPromptTable(),
		attended:    make(map[task.ID]*attendance),
		results:     newResultCache(),
		info:        task.About{Era: task.Legacy, Version: version2025, ReadOnly: ep.cfg.ReadOnly},
	}
	e.feed = newFeed(e.skew.value)
	tr, err := transport.New(ep.transport(func(err error) { ep.Note("left out: " + task.CleanLine(err.Error(), 300).Line()) }))
	if err != nil {
		return nil, err
	}
	e.tr = tr
	e.life, e.end = context.WithCancel(context.Background())
	return e, nil
}

// spawn runs f in a goroutine that close waits for. A panic ends the session,
// not the program.
func (e *era2025) spawn(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.wg.Go(func() {
		defer e.recover()
		f()
	})
}

// recover keeps a fault of ours from taking the terminal with it.
func (e *era2025) recover() {
	if p := recover(); p != nil {
		e.lose(fail(task.Internal, "callboard has a fault: %.300s", fmt.Sprint(p)))
	}
}

// lose ends the session for a reason that no further request can mend.
func (e *era2025) lose(err *task.Error) {
	e.mu.Lock()
	gone := e.prompts.drop(func(*prompt) bool { return true })
	e.mu.Unlock()
	events := make([]task.Event, 0, len(gone))
	for _, id := range gone {
		events = append(events, task.Withdrawn{Prompt: id, Why: task.Own("the session that asked has ended")})
	}
	e.feed.finish(err, events...)
	e.end()
}

func (e *era2025) about() task.About {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// learn notes what a rejoined session turned out to be able to do.
func (e *era2025) learn(can func(*task.About) *task.Can, is task.Can) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := can(&e.info); *c == task.CanUnknown {
		*c = is
	}
}

func (e *era2025) resume() task.Resume {
	e.mu.Lock()
	defer e.mu.Unlock()
	return task.Resume{Era: task.Legacy, Session: e.session, Joined: e.info.Joined, LastEvent: task.Secret(e.lastEvent), About: e.info}
}

// observe notes the state of a task that any message told of. It returns the
// task with the one copy of its id that is kept. Prompts of a task that has
// ended, or no longer asks, can not be answered any more and are withdrawn.
func (e *era2025) observe(t task.Task) task.Task {
	e.mu.Lock()
	known, ok := e.live[t.ID]
	if ok {
		t.ID = known
	}
	var gone []task.PromptID
	why := "its task has ended: " + t.Status.String()
	switch {
	case t.Status.Terminal():
		delete(e.live, t.ID)
		delete(e.asking, t.ID)
		e.calls.ended(t.ID)
		e.results.ended(t.ID)
		if len(e.prompts.open) > 0 {
			gone = e.prompts.drop(func(p *prompt) bool { return p.Task == t.ID && !p.Guessed })
		}
	default:
		if !ok && len(e.live) < maxTasks {
			e.live[t.ID] = t.ID
		}
		if e.stoppedAsking(t) {
			gone, why = e.prompts.drop(func(p *prompt) bool { return p.Task == t.ID }), "its task goes on without an answer"
		}
	}
	e.mu.Unlock()
	for _, id := range gone {
		e.feed.add(task.Withdrawn{Prompt: id, Why: task.Own(why)})
	}
	return t
}

// stoppedAsking reports whether a task that waited for its open prompts went on
// without an answer of ours, as servers do that lose their patience in silence.
// Reports can overtake each other, so that only a later lastUpdatedAt counts;
// and with an answer of ours in play it is not known which prompt went with it.
// e.mu is held.
func (e *era2025) stoppedAsking(t task.Task) bool {
	since, asked := e.asking[t.ID]
	switch {
	case t.Status == task.InputRequired:
		if !asked || t.Updated.After(since) {
			e.asking[t.ID] = t.Updated
		}
		return false
	case !asked || !t.Updated.After(since):
		return false
	}
	delete(e.asking, t.ID)
	for _, p := range e.prompts.open {
		if p.Task == t.ID && p.sending {
			return false
		}
	}
	return true
}

// close ends the session. Streams that are closed are not cancelled by that, so
// that a session that is kept goes on; tasks/result alone are given up in so
// many words, which no task minds.
func (e *era2025) close(ctx context.Context, keep bool) {
	e.mu.Lock()
	e.closed = true
	own := e.session != "" && !e.info.Joined
	e.mu.Unlock()
	lost := e.life.Err() != nil
	if !lost && keep {
		e.giveUpAll(ctx)
	}
	e.lose(errClosed)
	if !lost && !keep && own {
		e.delete(ctx)
	}
	e.wg.Wait()
	e.tr.Close()
}

// delete tells the server that the session is over. That it does not let us, or
// does not answer, is no reason to stay.
func (e *era2025) delete(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := e.tr.Delete(ctx); err != nil {
		e.ep.Note("the session could not be ended: " + e.ep.explain("DELETE", err).Error())
		return
	}
	e.ep.Note("the session was ended (DELETE)")
}
