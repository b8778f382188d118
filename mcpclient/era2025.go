package mcpclient

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"callboard/model/task"
)

// version2025 is the revision that era2025 speaks.
const version2025 = "2025-11-25"

// streamPatience is how long work waits for the GET stream to open first, or to
// come back: prompts may come on it at once, and servers that number no events
// lose what nobody listens to. Some send no header before they have something to
// say.
const streamPatience = 2 * time.Second

// era2025 is a session of MCP 2025-11-25: initialize, a GET stream, tasks in
// the core protocol.
type era2025 struct {
	engine

	streamTried chan struct{} // closed once the GET stream was tried
	nudge       chan struct{} // tells the GET stream to come back now
	tried       sync.Once
	replies     chan ownMessage // responses and notifications on their way out, see outbox2025.go

	// Guarded by engine.mu.
	session   task.Secret
	lastEvent string
	postOnly  bool                  // another callboard holds the GET stream
	modest    bool                  // the session was begun read-only, so that nothing is asked in it
	onlooker  bool                  // read-only, in a session that was begun by who answers
	unasked   bool                  // the GET stream is left until something is asked for
	wasUp     bool                  // the GET stream was open before
	retryAt   time.Time             // when the GET stream is tried again, where the network failed it; else zero
	backAt    time.Time             // when it is tried again, where what the server says until then may be lost; else zero
	triedNow  chan struct{}         // closed with the outcome of that try, and made anew
	asking    map[task.ID]time.Time // the tasks seen in input_required, and their lastUpdatedAt then
	attended  map[task.ID]*attendance
	sweep     sweep
	received  receivedTable
	came      int          // questions, those that came again left out
	kept      []place      // of questions that were open when the session was left, and have not come again
	reopens   []*reopening // the streams that are resumed for them
	left      *task.Resume // as the session was when it ended
}

func (ep *Endpoint) new2025() (*era2025, error) {
	e := &era2025{
		streamTried: make(chan struct{}),
		nudge:       make(chan struct{}, 1),
		triedNow:    make(chan struct{}),
		replies:     make(chan ownMessage, maxOutbox),
		asking:      make(map[task.ID]time.Time),
		attended:    make(map[task.ID]*attendance),
		received:    newReceivedTable(),
	}
	return e, e.begin(ep, e, task.About{Era: task.Legacy, Version: version2025})
}

// dress is manners.dress: the headers of a session are the transport's.
func (e *era2025) dress(r *request) (fields, http.Header, error) { return r.params, nil, nil }

// accept is manners.accept: results have no type of their own here.
func (e *era2025) accept(*request, json.RawMessage) error { return nil }

// lives is manners.lives: news of every task come by themselves here.
func (e *era2025) lives(task.ID, bool) {}

// detail is manners.detail: a task's questions come in messages of their own.
func (e *era2025) detail(t task.Task, _ json.RawMessage) task.Task { return t }

func (e *era2025) resume() task.Resume {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left != nil {
		return *e.left
	}
	return e.now()
}

// now is what the session can be rejoined with. e.mu is held.
func (e *era2025) now() task.Resume {
	r := task.Resume{
		Era: task.Legacy, Session: e.session, Joined: e.info.Joined, PostOnly: e.postOnly, LastEvent: task.Secret(e.lastEvent), About: e.info,
	}
	r.About.ReadOnly = e.modest
	if e.info.Unsampled {
		r.About.Note, r.About.Unsampled = task.Text{}, false // the next one may not answer them either
	}
	if e.session != "" {
		last, lines := e.places()
		r.LastEvent, r.Streams = task.Secret(last), task.Secret(lines)
	}
	return r
}

// ending is manners.ending: what is asked now is not answered in this session
// any more, but may be by who rejoins it.
func (e *era2025) ending() {
	if e.left == nil {
		left := e.now()
		e.left = &left
		for _, r := range e.received.order {
			r.timer.Stop()
		}
	}
}

// close ends the session. Streams that are closed are not cancelled by that, so
// that a session that is kept goes on; tasks/result alone are given up in so
// many words, which no task minds.
func (e *era2025) close(ctx context.Context, keep bool) {
	e.awaitFetch(ctx)
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
	e.halt()
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
