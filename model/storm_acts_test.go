package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// posed is one question of a server's tool, and what became of it there.
type posed struct {
	text  string
	url   bool
	model bool // sampling
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

// got reports whether the reply is what was typed.
func (p *posed) got(typed string) bool {
	want := fmt.Sprintf(`{"v":%q}`, typed)
	if p.model {
		return strings.Contains(string(p.reply.Content), fmt.Sprintf(`"text":%q`, typed))
	}
	return string(p.reply.Content) == want
}

// turn is one run of an act.
type turn struct {
	*mcptest.Call
	ctx    context.Context //nolint:containedctx // that of the run
	before bool            // there is no task yet
}

// pageFirst ends an act that works once a page was visited.
type pageFirst struct{ page mcptest.Elicitation }

func (pageFirst) Error() string { return "a page is to be visited first" }

// acts are what tools do; a new one needs no more than a line here.
var acts = map[string]func(b *book, c *turn, n int, r *rand.Rand) error{
	"one": func(b *book, c *turn, n int, r *rand.Rand) error {
		_, err := b.ask(c, n, "a", r)
		return err
	},
	"two at once": func(b *book, c *turn, n int, r *rand.Rand) error {
		return b.askAll(c, stormForm(questionName(n, "a")), stormForm(questionName(n, "b")))
	},
	"one after another": func(b *book, c *turn, n int, r *rand.Rand) error {
		if _, err := b.ask(c, n, "a", r); err != nil {
			return err
		}
		if !b.sleep(c, r, 6) {
			return context.Canceled
		}
		_, err := b.ask(c, n, "b", r)
		return err
	},
	"a page": func(b *book, c *turn, n int, r *rand.Rand) error {
		_, err := b.elicit(c, stormPage(questionName(n, "url")), 0)
		return err
	},
	"given up": func(b *book, c *turn, n int, r *rand.Rand) error {
		_, err := b.elicit(c, stormForm(questionName(n, "a")), b.time(r, 20))
		if errors.Is(err, mcptest.ErrUnanswered) {
			b.sleep(c, r, 5)
			return nil
		}
		return err
	},
	"given up, then another": func(b *book, c *turn, n int, r *rand.Rand) error {
		if _, err := b.elicit(c, stormForm(questionName(n, "a")), b.time(r, 20)); err != nil && !errors.Is(err, mcptest.ErrUnanswered) {
			return err
		}
		_, err := b.ask(c, n, "b", r)
		return err
	},
	"a reply of a model": func(b *book, c *turn, n int, _ *rand.Rand) error {
		_, err := b.elicit(c, stormSampling(questionName(n, "s")), 0)
		return refusedIsFine(err)
	},
	"given up: a reply": func(b *book, c *turn, n int, r *rand.Rand) error {
		_, err := b.elicit(c, stormSampling(questionName(n, "s")), b.time(r, 20))
		return refusedIsFine(err)
	},
	"two kinds at once": func(b *book, c *turn, n int, _ *rand.Rand) error {
		return refusedIsFine(b.askAll(c, stormForm(questionName(n, "a")), stormSampling(questionName(n, "s"))))
	},
	"a form and a page": func(b *book, c *turn, n int, _ *rand.Rand) error {
		return b.askAll(c, stormForm(questionName(n, "a")), stormPage(questionName(n, "url")))
	},
	"as a task": func(b *book, c *turn, n int, r *rand.Rand) error {
		return b.asTask(c, stormForm(questionName(n, "t")), r)
	},
	"a reply, as a task": func(b *book, c *turn, n int, r *rand.Rand) error {
		return b.asTask(c, stormSampling(questionName(n, "t")), r)
	},
	"a page first": func(b *book, c *turn, n int, _ *rand.Rand) error {
		page := stormPage(questionName(n, "page"))
		if c.before {
			_, err := b.elicit(c, page, 0)
			return err
		}
		if b.visited(page) {
			return nil
		}
		return pageFirst{page}
	},
	"nothing": func(b *book, c *turn, n int, r *rand.Rand) error {
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

func stormPage(text string) mcptest.Elicitation {
	return mcptest.Elicitation{Message: text, URL: "https://example.com/" + text}
}

// stormSampling is known by its text, as all questions are. The server's side of it
// has that in Message, which does not go out.
func stormSampling(text string) mcptest.Elicitation {
	return mcptest.Elicitation{Message: text, Sampling: fmt.Appendf(nil,
		`{"messages":[{"role":"user","content":{"type":"text","text":%q}}],"maxTokens":100}`, text)}
}

// time is a chance of up to so many seconds, in the pace of the scenario.
func (b *book) time(r *rand.Rand, seconds int) time.Duration {
	return between(r, b.pace/10, time.Duration(seconds)*b.pace)
}

func (b *book) sleep(c *turn, r *rand.Rand, seconds int) bool {
	return c.Sleep(b.time(r, seconds))
}

// ask poses a question, and now and then says how far it got meanwhile.
func (b *book) ask(c *turn, n int, what string, r *rand.Rand) (mcptest.Reply, error) {
	if r.IntN(2) == 0 {
		c.Progress(1, 2, "asking")
		c.Status("about to ask")
	}
	return b.elicit(c, stormForm(questionName(n, what)), 0)
}

func (b *book) pose(e mcptest.Elicitation) *posed {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := &posed{text: e.Message, url: e.URL != "", model: e.Sampling != nil}
	b.posed[e.Message] = p
	return p
}

func (b *book) got(p *posed, reply mcptest.Reply, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.over, p.reply, p.err = true, reply, err
}

func (b *book) elicit(c *turn, e mcptest.Elicitation, patience time.Duration) (reply mcptest.Reply, err error) {
	p := b.pose(e)
	if patience > 0 {
		reply, err = c.ElicitWithin(patience, e)
	} else {
		reply, err = c.Elicit(e)
	}
	b.got(p, reply, err)
	return reply, err
}

// askAll poses several questions in one round.
func (b *book) askAll(c *turn, es ...mcptest.Elicitation) error {
	var ps []*posed
	var qs []mcptest.Question
	for _, e := range es {
		ps, qs = append(ps, b.pose(e)), append(qs, mcptest.Question{Elicitation: e})
	}
	replies, err := c.ElicitAll(qs...)
	for i, p := range ps {
		var r mcptest.Reply
		if err == nil {
			r = replies[i]
		}
		b.got(p, r, err)
	}
	return err
}

// asTask poses a question as a task of the client's, where that takes some.
func (b *book) asTask(c *turn, e mcptest.Elicitation, r *rand.Rand) error {
	p := b.pose(e)
	limit := b.time(r, 60)
	how := mcptest.AsTask{TTL: limit + 10*b.pace, Limit: limit, Block: r.IntN(3) == 0, Poll: time.Duration(r.IntN(3)) * b.pace, GET: r.IntN(3) == 0}
	reply, err := c.ElicitAsTask(c.ctx, e, how)
	b.got(p, reply, err)
	if c.ctx.Err() != nil {
		return context.Canceled
	}
	return nil // whatever became of it: the server goes on without
}

// visited reports whether a page was posed before, so that this is the call that
// comes after the visit.
func (b *book) visited(page mcptest.Elicitation) bool {
	b.mu.Lock()
	p := b.posed[page.Message]
	b.mu.Unlock()
	if p == nil {
		b.pose(page)
		return false
	}
	b.got(p, mcptest.Reply{Action: "accept"}, nil)
	return true
}

// refusedIsFine takes a refusal of a person, or that nobody answered, for no error.
func refusedIsFine(err error) error {
	var e *mcptest.Error
	if errors.As(err, &e) && e.Code == -1 || errors.Is(err, mcptest.ErrUnanswered) {
		return nil
	}
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
	play := func(c *turn) mcptest.Outcome {
		var args struct{ N int }
		if err := c.Bind(&args); err != nil || args.N >= len(b.acts) {
			return mcptest.Refused(mcptest.CodeInvalidParams, "no such act", nil)
		}
		a := b.acts[args.N]
		r := a.dice.of("act", args.N)
		if !b.sleep(c, r, 5) {
			b.end(args.N)
			return mcptest.ToolError("cancelled")
		}
		err := acts[a.kind](b, c, args.N, r)
		var first pageFirst
		if errors.As(err, &first) {
			return mcptest.URLRequired("visit it first", first.page)
		}
		defer b.end(args.N)
		if err != nil {
			return mcptest.ToolError(err.Error())
		}
		if !b.sleep(c, r, 8) {
			return mcptest.ToolError("cancelled")
		}
		return mcptest.Answered("done")
	}
	run := func(ctx context.Context, c *mcptest.Call) mcptest.Outcome { return play(&turn{c, ctx, false}) }
	rest := func(ctx context.Context, c *mcptest.Call) mcptest.Outcome {
		b.sleep(&turn{c, ctx, false}, rand.New(rand.NewPCG(1, 1)), 5)
		return mcptest.Answered("done")
	}
	first := func(ctx context.Context, c *mcptest.Call) *mcptest.Outcome {
		if o := play(&turn{c, ctx, true}); o.IsError || o.Err != nil {
			return &o
		}
		return nil
	}
	return []mcptest.Tool{
		{Name: asTask, TaskSupport: mcptest.Required, Run: run},
		{Name: before, TaskSupport: mcptest.Required, Before: first, Run: rest},
		{Name: asCall, TaskSupport: mcptest.Forbidden, Run: run},
	}
}

// call is the call that plays act n.
func stormCall(way string, n int) task.Call {
	return task.Call{ID: NewCallID(), Tool: way, Args: fmt.Appendf(nil, `{"n":%d}`, n), AsTask: way != asCall, TTL: time.Hour}
}
