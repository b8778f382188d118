package mcpclient

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"callboard/leaktest"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// rig is a session with a scripted server, in virtual time and without a
// network. What its session sends is held against the official schema.
type rig struct {
	t    *testing.T
	srv  *mcptest.Server
	ep   *Endpoint
	s    *Session
	left []task.Event // taken from Next and not waited for so far
}

// inBubble runs f in virtual time. All goroutines have to end with it.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// newRig makes a server and an endpoint; it dials nothing.
func newRig(t *testing.T, cfg Config, opts ...mcptest.Option) *rig {
	t.Helper()
	srv := mcptest.New(opts...)
	r := &rig{t: t, srv: srv}
	cfg.URL, cfg.RoundTripper = mcptest.MemoryURL, srv.Transport()
	if cfg.Protocol == task.AnyEra {
		cfg.Protocol = task.Legacy // how the generation is found out has tests of its own
	}
	var err error
	if r.ep, err = NewEndpoint(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.close(false)
		checkRequests(t, srv.Requests())
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// attach is newRig with a session.
func attach(t *testing.T, opts ...mcptest.Option) *rig {
	t.Helper()
	r := newRig(t, Config{}, opts...)
	r.dial(task.Resume{})
	return r
}

func (r *rig) dial(resume task.Resume) {
	r.t.Helper()
	s, err := r.ep.Dial(r.t.Context(), resume)
	if err != nil {
		r.t.Fatal(err)
	}
	r.s, r.left = s, nil
}

func (r *rig) close(keep bool) {
	if r.s == nil {
		return
	}
	begun := time.Now()
	if err := r.s.Close(context.Background(), keep); err != nil {
		r.t.Error(err)
	}
	if d := time.Since(begun); d > 4*time.Second {
		r.t.Errorf("Close took %v", d)
	}
	r.s = nil
}

// within is how long a test waits for what should happen.
const within = 10 * time.Second

// wait returns the first event of type E that match accepts, and takes it and
// all before it away.
func wait1[E task.Event](r *rig, match func(E) bool) E {
	r.t.Helper()
	e, ok := next[E](r, within, match)
	if !ok {
		r.t.Fatalf("no such %T came", e)
	}
	return e
}

func any1[E task.Event](r *rig) E {
	r.t.Helper()
	return wait1(r, func(E) bool { return true })
}

// never fails the test if an event of type E that match accepts comes in d.
func never[E task.Event](r *rig, d time.Duration, match func(E) bool) {
	r.t.Helper()
	if e, ok := next(r, d, match); ok {
		r.t.Errorf("came, but should not: %+v", e)
	}
}

func next[E task.Event](r *rig, patience time.Duration, match func(E) bool) (found E, ok bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	for {
		for i, e := range r.left {
			if e, is := e.(E); is && match(e) {
				r.left = r.left[i+1:]
				return e, true
			}
		}
		b, err := r.s.Next(ctx)
		if err != nil {
			return found, false
		}
		r.left = append(r.left, b.Events...)
	}
}

// ending returns the error that ended the session.
func (r *rig) ending() *task.Error {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer cancel()
	for {
		b, err := r.s.Next(ctx)
		if err == nil {
			r.left = append(r.left, b.Events...)
			continue
		}
		var te *task.Error
		if !errors.As(err, &te) {
			r.t.Fatalf("the session did not end: %v", err)
		}
		return te
	}
}

// start sends a call of tool, as a task.
func (r *rig) start(tool string) {
	r.t.Helper()
	r.call(task.Call{ID: task.CallID(tool), Tool: tool, AsTask: true})
}

func (r *rig) call(c task.Call) {
	r.t.Helper()
	if err := r.s.Start(r.t.Context(), c); err != nil {
		r.t.Fatal(err)
	}
}

// count says how many messages of a method the server got, once all is quiet.
func (r *rig) count(method string) int {
	synctest.Wait()
	return r.srv.Count(method)
}

// kind asserts the kind of an error.
func kind(t *testing.T, err error, want task.ErrorKind) {
	t.Helper()
	_ = failure(t, err, want)
}

// failure is kind, and gives the error.
func failure(t *testing.T, err error, want task.ErrorKind) *task.Error {
	t.Helper()
	var te *task.Error
	if !errors.As(err, &te) {
		t.Fatalf("%v is no *task.Error", err)
	}
	if te.Kind != want {
		t.Errorf("kind %d, want %d: %v", te.Kind, want, te)
	}
	return te
}

// tool makes a tool that may run as a task or plainly.
func tool(name string, run func(context.Context, *mcptest.Call) mcptest.Outcome) mcptest.Option {
	return mcptest.WithTools(mcptest.Tool{Name: name, TaskSupport: mcptest.Optional, Run: run})
}

// asking is a tool that asks once and tells what it was told.
func asking(name string, e mcptest.Elicitation) mcptest.Option {
	return tool(name, func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
		reply, err := c.Elicit(e)
		if err != nil {
			return mcptest.ToolError("not answered: " + err.Error())
		}
		return mcptest.Answered(reply.Action + " " + string(reply.Content))
	})
}

// sleeping is a tool, "work", that works until it is cancelled.
func sleeping() mcptest.Option {
	return tool("work", func(ctx context.Context, _ *mcptest.Call) mcptest.Outcome {
		<-ctx.Done()
		return mcptest.Answered("stopped")
	})
}

var nameForm = mcptest.Elicitation{
	Message: "Who?",
	Schema:  []byte(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
}

func contextFor(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
