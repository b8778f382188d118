package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	nightLag    = 700 * time.Millisecond // between the acknowledgement of an answer or a cancel and its effect
	nightPause  = 25 * time.Second       // between two questions of one task, at least
	pushOutage  = time.Minute            // for which stop_push stops it
	nightRounds = 1 << 20                // of a task that never ends: more than any night has
)

// DemoModern makes a server of the modern era that plays a night at the same desk for as long as it is open: tasks that
// ask two questions at once, that ask to open a page, on which a cancel is lost, that fail and that end with a tool
// error; and tools for a person to start, among them one that asks before there is a task, one with a header of its
// own, and one that stops the push.
//
// This generation has no list of tasks. Whoever shows the demo hands the ids of the night's tasks to the client
// ([Server.TaskIDs], right after this call): they are all there from the beginning, and those that ask go on for ever.
// The same seed plays the same night. opts come after its own.
//
//	day, night := mcptest.Demo(seed), mcptest.DemoModern(seed)
//	dayURL, err := day.Start()
//	nightURL, err := night.Start() // and watch night.TaskIDs() there
func DemoModern(seed uint64, opts ...Option) *Server {
	d := &show{seed: seed, rng: rand.New(rand.NewPCG(seed, 2))}
	ids := rand.New(rand.NewPCG(seed, 3))
	own := []Option{
		WithEra(ModernEra), WithInfo("callboard-demo-night", "The night desk", "1.0.0"),
		WithInstructions("A made-up operations desk at night. Nothing here touches anything real: start, answer and cancel as you like."),
		WithTTL(handTTL, handTTLMost), WithPollInterval(showPollRate), WithKeepAlive(15 * time.Second), WithRecord(0),
		WithFaults(Faults{EffectLag: nightLag}), WithTools(append(d.nightTools(), d.tools()...)...),
		WithTaskIDs(func() string { return uuid(ids) }),
	}
	d.s = New(append(own, opts...)...)
	d.openNight()
	return d.s
}

// TaskIDs gives the ids of all tasks, oldest first.
func (s *Server) TaskIDs() []string {
	tasks := s.Tasks()
	ids := make([]string, 0, len(tasks))
	for _, t := range tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

// openNight sets the stage: what ended before, and the tasks of the night.
func (d *show) openNight() {
	now := d.s.now()
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	d.s.AddTask(Task{
		Status: Completed, Message: "Day report filed", Created: ago(50 * time.Minute), Updated: ago(46 * time.Minute), TTL: 3 * time.Hour,
		Outcome: backupReport(d.chance(), "orders"),
	})
	d.s.AddTask(Task{
		Status: Failed, Message: "Standby check: db-4 does not answer", Created: ago(30 * time.Minute), Updated: ago(29 * time.Minute), TTL: 2 * time.Hour,
		Outcome: Refused(-32010, "db-4 does not answer", map[string]any{"host": "db-4.internal.example", "attempts": 5}),
	})
	d.s.AddTask(Task{
		Status: Failed, Message: "Ledger check: 2 entries differ", Created: ago(20 * time.Minute), Updated: ago(18 * time.Minute), TTL: 2 * time.Hour,
		Outcome: Outcome{IsError: true, Content: []Content{Text("2 of 8,114 entries differ:\n- L-5521: amount\n- L-7002: currency")}},
	})
	d.s.AddTask(Task{Status: Cancelled, Message: "Cancelled by the late shift: not tonight", Created: ago(15 * time.Minute), Updated: ago(14 * time.Minute), TTL: 2 * time.Hour})
	for _, a := range []struct {
		tool Tool
		age  time.Duration
	}{
		{Tool{Name: "Release train", Run: d.played(releaseTrain(nightRounds))}, 4 * time.Minute},
		{Tool{Name: "Shift wiki", Run: d.played(shiftWiki(nightRounds))}, 3 * time.Minute},
		{Tool{Name: "Capacity watch", Run: d.played(capacityWatch)}, 11 * time.Minute},
		{Tool{Name: "Ledger export", Run: d.played(exportLedger(nightRounds)), Deaf: true}, 2 * time.Minute},
		{Tool{Name: "Certificate renewal", Run: d.played(renewThenFail)}, 40 * time.Second},
		{Tool{Name: "Payment matching", Run: d.played(matchThenError)}, 20 * time.Second},
		{Tool{Name: "Night note", Run: d.played(d.nightNote(nightRounds))}, 10 * time.Second},
	} {
		d.s.Launch(a.tool, Task{Message: a.tool.Name, Created: ago(a.age), TTL: Unlimited}, nil)
	}
}

// played gives a script its own dice.
func (d *show) played(sc script) func(context.Context, *Call) Outcome {
	r := d.chance()
	return func(ctx context.Context, c *Call) Outcome { return sc(ctx, c, r) }
}

// nightTools are those of the night alone.
func (d *show) nightTools() []Tool {
	staff := func(t Tool, sc script) Tool {
		t.Run = func(ctx context.Context, c *Call) Outcome { return sc(ctx, c, d.chance()) }
		return t
	}
	return []Tool{
		staff(Tool{Name: "release_train", Title: "Send the release train", TaskSupport: Required, Description: "Asks for leave and for a notice at once; they may be answered one by one."}, releaseTrain(1)),
		staff(Tool{Name: "export_ledger", Title: "Export the ledger", TaskSupport: Required, Deaf: true, Description: "Half a minute that no cancel stops: it completes all the same."}, exportLedger(1)),
		staff(Tool{Name: "connect_wiki", Title: "Connect the shift wiki", TaskSupport: Required, Description: "Asks to open a page."}, shiftWiki(1)),
		staff(Tool{
			Name: "order_capacity", Title: "Order capacity", TaskSupport: Required, Before: askOrder,
			Description: "Asks how much before there is a task, and orders it as one.",
		}, orderCapacity),
		{
			Name: "query_region", Title: "Query a region", TaskSupport: Forbidden, Annotations: json.RawMessage(`{"readOnlyHint":true}`), Run: queryRegion,
			Description: "A plain call whose region travels in a header as well, for those on the way that route by it.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{
				"region":{"type":"string","title":"Region","enum":["eu-west","eu-north","us-east"],"default":"eu-west","x-mcp-header":"Region"},
				"query":{"type":"string","title":"Query","default":"uptime"}},"required":["region"]}`),
		},
		{Name: "stop_push", Title: "Stop the push for a minute", TaskSupport: Forbidden, Description: "Ends all subscriptions and agrees to none of the tasks for a minute, so that only polling shows them.", Run: d.stopPush},
	}
}

// stopPush ends what is subscribed, and subscribes nobody for a while.
func (d *show) stopPush(context.Context, *Call) Outcome {
	d.s.Fault(func(f *Faults) { f.Listen = ListenNoTasks })
	d.s.EndListens()
	d.s.later(pushOutage, func() {
		f := *d.s.faults.Load()
		f.Listen = ListenTasks
		d.s.faults.Store(&f)
		for _, l := range d.s.listens {
			d.s.endListen(l)
		}
		d.s.listens = nil
	})
	return Answered("Nothing is pushed for a minute.")
}

// askNotice is the second question of the release train.
var askNotice = Elicitation{
	Message: "Who is told of the release?",
	Schema: json.RawMessage(`{"type":"object","properties":{
		"channel":{"type":"string","title":"Channel","enum":["status page","mail","nobody"],"default":"status page"},
		"text":{"type":"string","title":"Text","maxLength":140}},"required":["channel"]}`),
}

// releaseTrain asks two questions at once, round after round.
func releaseTrain(rounds int) script {
	return func(_ context.Context, c *Call, r *rand.Rand) Outcome {
		var said string
		for i := range rounds {
			if !steps(c, r, fmt.Sprintf("Release train %d", i+1), "collecting changes", "building") {
				return stopped()
			}
			replies, err := c.ElicitAll(Question{Key: "leave", Elicitation: askApproval}, Question{Key: "notice", Elicitation: askNotice})
			if err != nil {
				return unanswered(err)
			}
			said = fmt.Sprintf("Leave: %s. Notice: %s.", replies[0].Action, replies[1].Action)
			if !steps(c, r, fmt.Sprintf("Release train %d", i+1), "acting on the answers") {
				return stopped()
			}
			if rounds > 1 && !pause(c, r, nightPause, 2*nightPause) {
				return stopped()
			}
		}
		return Outcome{Content: []Content{Text(said)}, Message: "The train has left"}
	}
}

// shiftWiki asks to open a page, round after round.
func shiftWiki(rounds int) script {
	return func(_ context.Context, c *Call, r *rand.Rand) Outcome {
		for range rounds {
			if !pause(c, r, 3*time.Second, 6*time.Second) {
				return stopped()
			}
			reply, err := c.Elicit(Elicitation{URL: fmt.Sprintf("https://wiki.example.com/connect?code=%04X", r.IntN(1<<16)), Message: "Sign in, so that the night's notes can be filed in the shift wiki."})
			switch {
			case err != nil:
				return unanswered(err)
			case !reply.Accepted():
				c.Status("Shift wiki: not connected, asks again later")
			case !steps(c, r, "Shift wiki", "waiting for the sign-in page", "filing notes"):
				return stopped()
			}
			if rounds > 1 && !pause(c, r, 2*nightPause, 3*nightPause) {
				return stopped()
			}
		}
		return Outcome{Content: []Content{Text("The notes are filed.")}, Message: "Notes filed"}
	}
}

// capacityWatch works and never ends; it can be cancelled.
func capacityWatch(_ context.Context, c *Call, r *rand.Rand) Outcome {
	for {
		c.Status(fmt.Sprintf("Capacity watch: %d%% of the workers are busy", 40+r.IntN(50)))
		if !pause(c, r, 4*time.Second, 9*time.Second) {
			return stopped()
		}
	}
}

// exportLedger goes on for some rounds; a cancel lets it end sooner, but completed.
func exportLedger(rounds int) script {
	return func(_ context.Context, c *Call, r *rand.Rand) Outcome {
		for i := range rounds {
			if !steps(c, r, fmt.Sprintf("Ledger export, part %d", i+1), "reading", "signing", "writing") {
				return stopped()
			}
			if c.CancelAsked() {
				return Outcome{Content: []Content{Text(fmt.Sprintf("The cancel came too late: part %d was written and cannot be taken back.", i+1))}, Message: "Exported; the cancel came too late"}
			}
		}
		return Outcome{Content: []Content{Text("The ledger is exported.")}, Message: "Exported"}
	}
}

// renewThenFail ends with a JSON-RPC error.
func renewThenFail(_ context.Context, c *Call, r *rand.Rand) Outcome {
	if !pause(c, r, 20*time.Second, 30*time.Second) || !steps(c, r, "Certificates", "asking the authority", "proving the domain") {
		return stopped()
	}
	return Refused(-32011, "The authority refused: rate limit reached", map[string]any{"domain": "shop.example.com", "retryAfterSeconds": 3600})
}

// matchThenError completes with a tool result that reports failure.
func matchThenError(_ context.Context, c *Call, r *rand.Rand) Outcome {
	if !pause(c, r, 30*time.Second, 45*time.Second) || !steps(c, r, "Payments", "loading the statement", "matching") {
		return stopped()
	}
	o := ToolError("17 payments have no invoice; the largest is 1,204.50 EUR.")
	o.Message = "17 payments have no invoice"
	return o
}

// askOrder is the multi round trip of order_capacity.
func askOrder(_ context.Context, c *Call) *Outcome {
	reply, err := c.Elicit(askScale)
	if err != nil {
		o := unanswered(err)
		return &o
	}
	var a struct {
		Workers int
		Budget  float64
	}
	if !reply.Accepted() || reply.Bind(&a) != nil {
		o := Answered("Nothing was ordered.")
		return &o
	}
	c.Data = fmt.Sprintf("%d workers for %.2f EUR an hour", a.Workers, a.Budget)
	return nil
}

func orderCapacity(_ context.Context, c *Call, r *rand.Rand) Outcome {
	what := fmt.Sprint(c.Data)
	if !steps(c, r, "Order of "+what, "asking the provider", "waiting for machines") {
		return stopped()
	}
	return Outcome{Content: []Content{Text("Ordered: " + what + ".")}, Message: "Ordered: " + what}
}

func queryRegion(_ context.Context, c *Call) Outcome {
	a := struct{ Region, Query string }{"eu-west", "uptime"}
	if err := c.Bind(&a); err != nil {
		return ToolError(err.Error())
	}
	return Outcome{Content: []Content{Text(a.Query + " of " + a.Region + ": 99.98 %")}, Structured: map[string]any{"region": a.Region, "percent": 99.98}}
}
