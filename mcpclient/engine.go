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

const requestTimeout = 30 * time.Second

// engine is what the generations have in common: requests and the replies that
// belong to them, the calls, prompts and results of a session, and what it knows
// of its tasks. What it does not know how to do it asks of its manners.
type engine struct {
	ep      *Endpoint
	tr      *transport.Transport
	feed    *feed
	skew    skew
	strings interner
	manners manners

	life context.Context // of the goroutines below, ends with close or a lost session
	end  context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	closed  bool // no goroutine is started any more; guards wg
	info    task.About
	pending map[jsonrpc.ID]*pending
	live    map[task.ID]task.ID // live tasks that we know of, each by the one copy of its id
	ended   endedTasks
	paged   endedTasks // those whose outcome asked for pages (-32042)
	calls   callTable
	prompts promptTable
	results resultCache

	telling sync.Mutex // of what became of the pace of prompts, see paced; taken before mu
}

// begin makes the engine of a session whose generation has these manners.
func (e *engine) begin(ep *Endpoint, m manners, info task.About) error {
	info.ReadOnly = ep.cfg.ReadOnly
	e.ep, e.manners, e.info = ep, m, info
	e.pending = make(map[jsonrpc.ID]*pending)
	e.live = make(map[task.ID]task.ID)
	e.calls, e.prompts, e.results = newCallTable(), newPromptTable(), newResultCache()
	e.feed = newFeed(e.skew.value)
	tr, err := transport.New(ep.transport(func(err error) { ep.Note("left out: " + task.CleanLine(err.Error(), 300).Line()) }))
	if err != nil {
		return err
	}
	e.tr = tr
	e.life, e.end = context.WithCancel(context.Background())
	return nil
}

// halt ends what runs, and waits for it.
func (e *engine) halt() {
	e.lose(errClosed)
	e.wg.Wait()
	e.tr.Close()
}

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

// spawn runs f in a goroutine that close waits for. A panic ends the session,
// not the program.
func (e *engine) spawn(f func()) {
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
func (e *engine) recover() {
	if p := recover(); p != nil {
		e.lose(fail(task.Internal, "callboard has a fault: %.300s", fmt.Sprint(p)))
	}
}

// lose ends the session for a reason that no further request can mend.
func (e *engine) lose(err *task.Error) {
	e.mu.Lock()
	e.manners.ending()
	waited := e.prompts.told > 0
	gone := e.prompts.drop(func(*prompt) bool { return true })
	e.mu.Unlock()
	events := make([]task.Event, 0, len(gone)+1)
	if waited {
		events = append(events, task.Flooding{})
	}
	for _, id := range gone {
		events = append(events, task.Withdrawn{Prompt: id, Why: task.Own("the session that asked has ended")})
	}
	e.feed.finish(err, events...)
	e.end()
}

func (e *engine) about() task.About {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.info
}

// learn notes what a rejoined session turned out to be able to do.
func (e *engine) learn(can func(*task.About) *task.Can, is task.Can) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := can(&e.info); *c == task.CanUnknown {
		*c = is
	}
}

// maxEnded is how many tasks that have ended are remembered as such.
const maxEnded = 10_000

// endedTasks are the tasks that ended last. A state that another message overtook
// must not bring one to life again.
type endedTasks struct {
	ids    map[task.ID]bool
	oldest []task.ID // a ring, once it is full
	next   int
}

func (d *endedTasks) add(id task.ID) {
	if d.ids[id] {
		return
	}
	if d.ids == nil {
		d.ids = make(map[task.ID]bool)
	}
	if len(d.oldest) < maxEnded {
		d.oldest = append(d.oldest, id)
	} else {
		delete(d.ids, d.oldest[d.next])
		d.oldest[d.next] = id
		d.next = (d.next + 1) % maxEnded
	}
	d.ids[id] = true
}

// observe notes the state of a task that any message told of. It returns the
// task with the one copy of its id that is kept. Prompts of a task that has
// ended, or no longer asks, can not be answered any more and are withdrawn.
func (e *engine) observe(t task.Task) task.Task {
	e.mu.Lock()
	known, ok := e.live[t.ID]
	if ok {
		t.ID = known
	}
	var gone []task.PromptID
	why := "its task has ended: " + t.Status.String()
	left, look := e.manners.stoppedAsking(t)
	switch {
	case t.Status.Terminal():
		delete(e.live, t.ID)
		e.ended.add(t.ID)
		e.calls.ended(t.ID)
		if ok {
			e.results.ended(t.ID)
		}
		if len(e.prompts.open) > 0 {
			gone = e.prompts.drop(func(p *prompt) bool { return p.Task == t.ID && !p.Guessed && !p.Visit })
		}
	case e.ended.ids[t.ID]: // overtaken
	default:
		if !ok && len(e.live) < maxTasks {
			e.live[t.ID] = t.ID
		}
		if left != nil {
			gone, why = e.prompts.drop(left), goesOn
		}
	}
	lives := !t.Status.Terminal() && !e.ended.ids[t.ID]
	e.mu.Unlock()
	if lives != ok {
		e.manners.lives(t.ID, lives)
	}
	for _, id := range gone {
		e.feed.add(task.Withdrawn{Prompt: id, Why: task.Own(why), Inferred: true})
	}
	if look != nil {
		e.spawn(look)
	}
	return t
}
