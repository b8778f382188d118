package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/internal/transport"
	"callboard/model/task"
)

// probePatience is how long a server of unknown generation may take to answer
// server/discover. One that does not know the method may say nothing at all.
const probePatience = 5 * time.Second

// find begins a session of the generation that the person wants, or that the
// server turns out to speak, or rejoins one. A generation that was found before
// is tried without a question: some servers pay for each.
func (ep *Endpoint) find(ctx context.Context, resume task.Resume) (*Session, error) {
	switch want := ep.cfg.Protocol; {
	case want == task.Legacy, want == task.AnyEra && !resume.IsZero():
		return ep.dial2025(ctx, resume, "")
	case want == task.Modern:
		return ep.findModern(ctx)
	}
	var refused *task.Error // by initialize
	if resume.Era == task.Legacy {
		s, err := ep.dial2025(ctx, resume, "")
		if !otherGeneration(err) {
			return s, err
		}
		ep.Note("the server no longer speaks " + version2025 + ": looking for the generation anew")
		refused = ep.explain("initialize", err)
	}
	if s, err := ep.again(ctx); s != nil || err != nil {
		return s, err
	}
	patience := probePatience
	if resume.Era == task.Modern {
		patience = requestTimeout
	}
	v := ep.probe(ctx, patience)
	if v.era == task.Legacy {
		return ep.fallBack(ctx, v, refused)
	}
	if v.era == task.Modern {
		return ep.confirm(ctx, v)
	}
	return nil, v.err
}

// fallBack begins a session of the earlier generation, after a probe that spoke
// for it. refused is what initialize came to before, nil where it was not tried.
func (ep *Endpoint) fallBack(ctx context.Context, v verdict, refused *task.Error) (*Session, error) {
	if refused == nil {
		note := ""
		if v.found.modern {
			note = "it knows " + version2026 + " too, but declares its tasks for " + version2025
		}
		s, err := ep.dial2025(ctx, task.Resume{}, note)
		if err == nil {
			return s, nil
		}
		refused = ep.explain("initialize", err)
	}
	switch {
	case ctx.Err() != nil:
		return nil, refused
	case v.found.modern && decided(refused):
		v.era, v.found.note = task.Modern, "its tasks are out of reach: it declares them for "+version2025+" and begins no session of that"
		return ep.confirm(ctx, v)
	case otherGeneration(refused) && v.err != nil && v.err.Kind == task.Timeout:
		// It is of the later generation, and merely slow.
		if v = ep.probe(ctx, requestTimeout); v.era == task.Modern {
			return ep.confirm(ctx, v)
		}
	}
	return nil, moreTelling(v.err, refused)
}

// decided reports whether an error is the server's word and not the network's
// or that of a moment.
func decided(e *task.Error) bool {
	switch e.Kind {
	case task.Version, task.RPC, task.Protocol, task.HTTP, task.NotMCP:
		return e.Status < 500
	case task.Internal, task.Unreachable, task.TLS, task.Unauthorized, task.Denied, task.SessionLost, task.Busy, task.Limit,
		task.Timeout, task.Lost, task.Unsupported:
	}
	return false
}

// findModern is find for a person who asks for 2026-07-28.
func (ep *Endpoint) findModern(ctx context.Context) (*Session, error) {
	if s, err := ep.again(ctx); s != nil || err != nil {
		return s, err
	}
	v := ep.probe(ctx, requestTimeout)
	switch {
	case v.era == task.Modern:
	case v.found.modern:
		v.found.note = "it declares its tasks for " + version2025 + ": here they are out of reach"
	case v.found.known:
		e := v.err
		if e == nil {
			e = versionError(v.found.versions)
		}
		e.Advice = task.Own("--protocol auto chooses what the server speaks")
		return nil, e
	case v.era == task.AnyEra, v.err.Kind == task.Timeout, v.err.Kind == task.NotMCP:
		return nil, v.err
	default:
		v.found.note = "it says nothing of itself: " + v.err.Message.Line()
	}
	v.era = task.Modern
	return ep.confirm(ctx, v)
}

// confirm begins a session of the later generation. It needs no handshake, so
// that a server that told nothing of itself has to answer something else first.
func (ep *Endpoint) confirm(ctx context.Context, v verdict) (*Session, error) {
	if v.found.known {
		s, err := ep.dial2026(ctx, v.found)
		if err == nil {
			ep.found.keep(v.found, ep.token.latest())
		}
		return s, err
	}
	s, err := ep.contact(ctx, v.found)
	var te *task.Error
	if errors.As(err, &te) && te.Advice.IsZero() {
		te.Advice = task.Own("--protocol says which revision to speak, where this is not the one")
	}
	return s, err
}

// contact begins a session of the later generation with a server that answers.
func (ep *Endpoint) contact(ctx context.Context, found discovery) (*Session, error) {
	s, err := ep.dial2026(ctx, found)
	if err != nil {
		return nil, err
	}
	var te *task.Error
	if _, err = s.Tools(ctx); err == nil || errors.As(err, &te) && te.Kind == task.Unsupported {
		return s, nil
	}
	_ = s.Close(context.WithoutCancel(ctx), false) // what is told is why
	return nil, err
}

// again begins another session with what the server said of itself before, as
// long as that holds (Caching). It returns neither session nor error where it
// does not.
func (ep *Endpoint) again(ctx context.Context) (*Session, error) {
	d, ok := ep.found.recall(ep.token.latest())
	if !ok {
		return nil, nil
	}
	s, err := ep.contact(ctx, d)
	if err == nil {
		if _, ok = ep.found.recall(ep.token.latest()); ok {
			return s, nil
		}
		return nil, s.Close(context.WithoutCancel(ctx), false) // it was said to another account
	}
	ep.found.forget()
	if te := ep.explain("tools/list", err); ctx.Err() != nil || !decided(te) && te.Kind != task.SessionLost {
		return nil, te
	}
	return nil, nil // it has changed
}

// finding is what a server said of itself, for as long as that holds.
type finding struct {
	mu    sync.Mutex
	found discovery
	until time.Time
	token string // that it was said to; a secret
}

func (f *finding) keep(d discovery, token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found, f.token, f.until = d, token, time.Now().Add(d.fresh)
}

func (f *finding) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until = time.Time{}
}

func (f *finding) recall(token string) (discovery, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.found, time.Now().Before(f.until) && (f.found.public || f.token == token)
}

// probe asks server/discover and decides by the answer.
func (ep *Endpoint) probe(ctx context.Context, patience time.Duration) verdict {
	begun := time.Now()
	raw, err := ep.discover(ctx, patience)
	v := ep.decide(raw, err)
	switch {
	case ctx.Err() != nil:
		v = verdict{err: ep.explain("server/discover", ctx.Err())}
	case v.err != nil && v.err.Kind == task.Timeout && v.era != task.AnyEra:
		v.err = timedOut(patience)
		v.err.Tried = task.Own("server/discover to " + ep.shown)
	}
	words := "server/discover decides nothing"
	switch {
	case v.found.known && v.era != task.AnyEra:
		words = "server/discover was answered: " + v.era.String() + " is spoken"
	case v.era != task.AnyEra:
		words = "server/discover tells nothing: " + v.era.String() + " is tried"
	}
	if v.err != nil {
		words += " (" + v.err.Message.Line() + ")"
	}
	ep.Note(words + ", after " + time.Since(begun).Round(time.Millisecond).String())
	return v
}

// discover sends server/discover. Its error is the transport's, or a
// *jsonrpc.Error.
func (ep *Endpoint) discover(ctx context.Context, patience time.Duration) (json.RawMessage, error) {
	tr, err := transport.New(ep.transport(nil))
	if err != nil {
		return nil, err
	}
	defer tr.Close()
	if err := tr.SetSession("", version2026); err != nil {
		return nil, err
	}
	id := jsonrpc.StringID(newName("d"))
	body, err := jsonrpc.Request(id, "server/discover", map[string]any{"_meta": ep.meta2026()})
	if err != nil {
		return nil, err
	}
	ep.log.request(false, id, "server/discover", subject{})
	run, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var reply *jsonrpc.Message
	err = tr.Post(run, transport.Call{
		Body:   body,
		Header: http.Header{"Mcp-Method": {"server/discover"}},
		Final:  true,
		Handle: func(m *jsonrpc.Message) bool {
			if !m.Response() || m.ID != id && (m.ID != jsonrpc.Null || m.Error == nil) {
				return false
			}
			if reply == nil { // what comes behind it may come after Post returned
				reply = m
			}
			return true
		},
	})
	switch {
	case err != nil:
		return nil, err
	case reply.Error != nil:
		ep.log.conceal(reply.Error)
		return nil, reply.Error
	}
	return reply.Result, nil
}
