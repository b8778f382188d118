package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// The pace of the show, and what keeps it bounded.
const (
	showBeat     = time.Second      // how often the show looks at its tasks
	firstAsk     = 2 * time.Second  // the first question after the opening, which needs a moment more to be asked
	askEvery     = 20 * time.Second // the next ones, while fewer than maxWaiting wait
	maxWaiting   = 4
	maxLive      = 8  // tasks at work that the show started
	maxShown     = 18 // tasks in the list; then the old ones expire before new ones come
	showTTL      = 150 * time.Second
	questionTTL  = 4 * time.Minute
	handTTL      = 10 * time.Minute // of tasks that a person starts
	handTTLMost  = 24 * time.Hour
	stallTTL     = 40 * time.Second // of the one that never ends
	showPollRate = 2 * time.Second
)

// Demo makes a server that plays a day at an operations desk for as long as it is open: tasks of others begin,
// progress, ask each kind of question, fail, are cancelled, expire, and end with each kind of content; and there are
// tools for a person to start. The same seed plays the same tasks in the same order. opts come after its own. It is of
// the legacy era; [DemoModern] is its neighbour.
func Demo(seed uint64, opts ...Option) *Server {
	d := &show{seed: seed, rng: rand.New(rand.NewPCG(seed, 0))}
	ids := rand.New(rand.NewPCG(seed, 1))
	own := []Option{
		WithInfo("callboard-demo", "The day desk", "1.0.0"),
		WithInstructions("A made-up operations desk. Nothing here touches anything real: start, answer and cancel as you like."),
		WithSharedTasks(), WithTTL(handTTL, handTTLMost), WithPollInterval(showPollRate), WithKeepAlive(15 * time.Second),
		WithRecord(0), WithTools(d.tools()...),
		WithTaskIDs(func() string { return uuid(ids) }),
	}
	d.s = New(append(own, opts...)...)
	d.open()
	if d.s.begin() {
		go func() {
			defer d.s.work.Done()
			d.run()
		}()
	}
	return d.s
}

// uuid is a version 4 UUID from r. The demo's tasks are everybody's, so nobody need be unable to guess it.
func uuid(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0x3fff|0x8000, b&0xffffffffffff)
}

// show directs the demo.
type show struct {
	s    *Server
	seed uint64

	mu  sync.Mutex
	n   uint64
	rng *rand.Rand // of the director

	work, ask deck
}

// script is the work of a tool of the demo; r decides whatever is left to chance.
type script func(ctx context.Context, c *Call, r *rand.Rand) Outcome

// chance is the source of randomness of the next script.
func (d *show) chance() *rand.Rand {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	return rand.New(rand.NewPCG(d.seed, 1000+d.n))
}

// launch starts a scene as somebody else's task.
func (d *show) launch(sc scene, t Task) {
	r := d.chance()
	if t.TTL == 0 {
		t.TTL = sc.ttl
	}
	if t.TTL == 0 {
		t.TTL = showTTL + time.Duration(r.IntN(30))*time.Second
	}
	t.Message = sc.title
	d.s.Launch(Tool{Name: sc.title, Run: func(ctx context.Context, c *Call) Outcome {
		return sc.play(ctx, c, r)
	}}, t, json.RawMessage("{}"))
}

// scene is one task of somebody else.
type scene struct {
	title string
	ttl   time.Duration // zero: showTTL and a bit
	play  script
}

// deck deals scenes in random order, each once before any comes again.
type deck struct {
	scenes []scene
	left   []int
}

func (k *deck) deal(r *rand.Rand) scene {
	if len(k.left) == 0 {
		k.left = r.Perm(len(k.scenes))
	}
	i := k.left[0]
	k.left = k.left[1:]
	return k.scenes[i]
}

// run keeps the show going until the server closes.
func (d *show) run() {
	beat := time.NewTicker(showBeat)
	defer beat.Stop()
	now := time.Now()
	nextAsk, nextWork, nextSummary := now.Add(firstAsk), now.Add(3*time.Second), now.Add(firstAsk)
	for {
		select {
		case now = <-beat.C:
		case <-d.s.ctx.Done():
			return
		}
		waiting, live, shown := d.census()
		switch {
		case !now.Before(nextAsk) && waiting < maxWaiting:
			d.launch(d.ask.deal(d.rng), Task{})
			nextAsk = now.Add(askEvery)
		case !now.Before(nextSummary) && waiting < maxWaiting && d.s.samples():
			d.launch(handOver, Task{})
			nextSummary = now.Add(summaryEvery)
		case !now.Before(nextWork) && live < maxLive && shown < maxShown:
			d.launch(d.work.deal(d.rng), Task{})
			nextWork = now.Add(time.Duration(4+d.rng.IntN(5)) * time.Second)
		}
	}
}

// census counts the tasks that ask, those at work, and all.
func (d *show) census() (waiting, live, shown int) {
	for _, t := range d.s.Tasks() {
		shown++
		switch {
		case t.Status == InputRequired:
			waiting++
		case !t.Status.Terminal():
			live++
		}
	}
	return waiting, live, shown
}

// open sets the stage: what was there before anybody looked.
func (d *show) open() {
	d.work.scenes, d.ask.scenes = workScenes(), askScenes()
	now := d.s.now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	r := d.chance()
	d.s.AddTask(Task{
		Status: Completed, Message: "Nightly backup of orders: 41.2 GB in 6m12s", Created: ago(9 * time.Minute), Updated: ago(170 * time.Second),
		TTL: 12 * time.Minute, Outcome: backupReport(r, "orders"),
	})
	d.s.AddTask(Task{
		Status: Failed, Message: "Replica lag check: db-3 does not answer", Created: ago(7 * time.Minute), Updated: ago(6 * time.Minute), TTL: 9 * time.Minute,
		Outcome: Refused(-32010, "db-3 does not answer", map[string]any{"host": "db-3.internal.example", "attempts": 5, "last": "connection refused"}),
	})
	d.s.AddTask(Task{
		Status: Cancelled, Message: "Cancelled by the night shift: wrong cluster", Created: ago(6 * time.Minute), Updated: ago(5 * time.Minute), TTL: 8 * time.Minute,
	})
	d.s.AddTask(Task{
		Status: Completed, Message: "Latency chart of checkout drawn", Created: ago(4 * time.Minute), Updated: ago(200 * time.Second), TTL: 7 * time.Minute,
		Outcome: Outcome{Content: []Content{Text("p95 of checkout over the last hour."), Image("image/png", chart(r))}},
	})
	d.s.AddTask(Task{
		Status: Failed, Message: "Invoice run: 3 of 214 invoices were refused", Created: ago(3 * time.Minute), Updated: ago(100 * time.Second), TTL: 6 * time.Minute,
		Outcome: Outcome{IsError: true, Content: []Content{Text("211 invoices sent, 3 refused:\n- INV-2291: unknown VAT number\n- INV-2304: address incomplete\n- INV-2350: amount is negative")}},
	})
	for i, age := range []time.Duration{95 * time.Second, 50 * time.Second, 20 * time.Second} {
		d.launch(d.work.scenes[i], Task{Created: ago(age), TTL: showTTL + age})
	}
	d.launch(scene{title: "Deploy checkout 2.14.1 to production", play: approveDeploy(0)}, Task{Created: ago(2 * time.Minute), TTL: questionTTL + 2*time.Minute})
}

// pause waits between least and most.
func pause(c *Call, r *rand.Rand, least, most time.Duration) bool {
	return c.Sleep(least + time.Duration(r.Int64N(int64(most-least)+1)))
}

// steps goes through the labels at a calm pace, as status and as progress, and reports whether the task still goes on.
func steps(c *Call, r *rand.Rand, what string, labels ...string) bool {
	total := float64(len(labels))
	for i, l := range labels {
		c.Status(fmt.Sprintf("%s: %s (%d/%d)", what, l, i+1, len(labels)))
		c.Progress(float64(i), total, l)
		if !pause(c, r, 2*time.Second, 5*time.Second) {
			return false
		}
	}
	c.Progress(total, total, "")
	return true
}

// stopped is the outcome of work that was cut short; the task has ended already, so nobody reads it.
func stopped() Outcome { return ToolError("stopped") }

// unanswered is the outcome of work whose question got no answer.
func unanswered(err error) Outcome { return ToolError("no answer: " + err.Error()) }
