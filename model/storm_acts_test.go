package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// posed is one question of a server's tool, and what became of it there.
type posed struct {
	text  string
	url   bool
	over  bool
	reply mcptest.Reply
	err   error // why there was no reply
}

// book is what the tools of a scenario asked, and what they got.
type book struct {
	mu    sync.Mutex
	posed map[string]*posed
	overs map[int]bool // acts that have ended
	acts  []act
	pace  time.Duration // of what takes a second: less in real time
}

// act is what one call does.
type act struct {
	kind string
	dice dice
}

// acts are what tools do; a new one needs no more than a line here.
var acts = map[string]func(b *book, c *mcptest.Call, n int, r *rand.Rand) error{
	"one": func(b *book, c *mcptest.Call, n int, r *rand.Rand) error {
		_, err := b.ask(c, n, "a", r)
		return err
	},
	"two at once": func(b *book, c *mcptest.Call, n int, r *rand.Rand) error {
		return b.askTwo(c, n)
	},
	"one after another": func(b *book, c *mcptest.Call, n int, r *rand.Rand) error {
		if _, err := b.ask(c, n, "a", r); err != nil {
			return err
		}
		if !b.sleep(c, r, 6) {
			return context.Canceled
		}
		_, err := b.ask(c, n, "b", r)
		return err
	},
	"a page": func(b *book, c *mcptest.Call, n int, r *rand.Rand) error {
		_, err := b.elicit(c, mcptest.Elicitation{Message: questionName(n, "url"), URL: "https://example.com/" + questionName(n, "url")}, 0)
		return err
	},
	"given up": func(b *book, c *mcptest.Call, n int, r *rand.Rand) error {
		_, err := b.elicit(c, stormForm(questionName(n, "a")), b.time(r, 20))
		if errors.Is(err, mcptest.ErrUnanswered) {
			b.sleep(c, r, 5)
			return nil
		}
		return err
	},
	"given up, then another": func(b *book, c *mcptest.Call, n int, r *rand.Rand) error {
		if _, err := b.elicit(c, stormForm(questionName(n, "a")), b.time(r, 20)); err != nil && !errors.Is(err, mcptest.ErrUnanswered) {
			return err
		}
		_, err := b.ask(c, n, "b", r)
		return err
	},
	"nothing": func(b *book, c *mcptest.Call, n int, r *rand.Rand) error {
		b.sleep(c, r, 40)
		return nil
	},
}

// Of the acts some begin before there is a task, and some are plain calls.
const (
	asTask = "task"
	before = "task, asks first" // 2026-07-28: in rounds of the call
	asCall = "call"
)

var ways = []string{asTask, asTask, asTask, before, asCall}

func questionName(n int, what string) string { return fmt.Sprintf("q%d%s", n, what) }

func stormForm(text string) mcptest.Elicitation {
	return mcptest.Elicitation{Message: text, Schema: json.RawMessage(`{"type":"object","properties":{"v":{"type":"string"}},"required":["v"]}`)}
}

// time is a chance of up to so many seconds, in the pace of the scenario.
func (b *book) time(r *rand.Rand, seconds int) time.Duration {
	return between(r, b.pace/10, time.Duration(seconds)*b.pace)
}

func (b *book) sleep(c *mcptest.Call, r *rand.Rand, seconds int) bool {
	return c.Sleep(b.time(r, seconds))
}

// ask poses a question, and now and then says how far it got meanwhile.
func (b *book) ask(c *mcptest.Call, n int, what string, r *rand.Rand) (mcptest.Reply, error) {
	if r.IntN(2) == 0 {
		c.Progress(1, 2, "asking")
		c.Status("about to ask")
	}
	return b.elicit(c, stormForm(questionName(n, what)), 0)
}

func (b *book) pose(e mcptest.Elicitation) *posed {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := &posed{text: e.Message, url: e.URL != ""}
	b.posed[e.Message] = p
	return p
}

func (b *book) got(p *posed, reply mcptest.Reply, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.over, p.reply, p.err = true, reply, err
}

func (b *book) elicit(c *mcptest.Call, e mcptest.Elicitation, patience time.Duration) (reply mcptest.Reply, err error) {
	p := b.pose(e)
	if patience > 0 {
		reply, err = c.ElicitWithin(patience, e)
	} else {
		reply, err = c.Elicit(e)
	}
	b.got(p, reply, err)
	return reply, err
}

func (b *book) askTwo(c *mcptest.Call, n int) error {
	one, two := stormForm(questionName(n, "a")), stormForm(questionName(n, "b"))
	p, q := b.pose(one), b.pose(two)
	replies, err := c.ElicitAll(mcptest.Question{Elicitation: one}, mcptest.Question{Elicitation: two})
	if err != nil {
		replies = make([]mcptest.Reply, 2)
	}
	b.got(p, replies[0], err)
	b.got(q, replies[1], err)
	return err
}

// question returns what is known of one.
func (b *book) question(text string) (posed, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.posed[text]
	if p == nil {
		return posed{}, false
	}
	return *p, true
}

func (b *book) end(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overs[n] = true
}

// ended reports whether an act has.
func (b *book) ended(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.overs[n]
}

// slicesOfActs are the names of all acts, in one order.
func slicesOfActs() []string { return slices.Sorted(maps.Keys(acts)) }

// tools are the server's: one for each way.
func (b *book) tools() []mcptest.Tool {
	play := func(_ context.Context, c *mcptest.Call) (o mcptest.Outcome) {
		var args struct{ N int }
		if err := c.Bind(&args); err != nil || args.N >= len(b.acts) {
			return mcptest.Refused(mcptest.CodeInvalidParams, "no such act", nil)
		}
		defer b.end(args.N)
		a := b.acts[args.N]
		r := a.dice.of("act", args.N)
		if !b.sleep(c, r, 5) {
			return mcptest.ToolError("cancelled")
		}
		if err := acts[a.kind](b, c, args.N, r); err != nil {
			return mcptest.ToolError(err.Error())
		}
		if !b.sleep(c, r, 8) {
			return mcptest.ToolError("cancelled")
		}
		return mcptest.Answered("done")
	}
	rest := func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
		b.sleep(c, rand.New(rand.NewPCG(1, 1)), 5)
		return mcptest.Answered("done")
	}
	first := func(ctx context.Context, c *mcptest.Call) *mcptest.Outcome {
		if o := play(ctx, c); o.IsError || o.Err != nil {
			return &o
		}
		return nil
	}
	return []mcptest.Tool{
		{Name: asTask, TaskSupport: mcptest.Required, Run: play},
		{Name: before, TaskSupport: mcptest.Required, Before: first, Run: rest},
		{Name: asCall, TaskSupport: mcptest.Forbidden, Run: play},
	}
}

// call is the call that plays act n.
func stormCall(way string, n int) task.Call {
	return task.Call{ID: NewCallID(), Tool: way, Args: fmt.Appendf(nil, `{"n":%d}`, n), AsTask: way != asCall, TTL: time.Hour}
}
