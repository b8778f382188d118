package interop

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient"
	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// endpoint is the client as the model wants it.
type endpoint struct{ *mcpclient.Endpoint }

func (e endpoint) Dial(ctx context.Context, resume task.Resume) (model.Server, error) {
	s, err := e.Endpoint.Dial(ctx, resume)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// board is a model that runs without a screen, on the test's goroutine.
type board struct {
	*model.Model
	t    *testing.T
	msgs chan tea.Msg
	done chan struct{}
}

func runModel(t *testing.T, url string, o model.Options) *board {
	t.Helper()
	return runModelOn(t, mcpclient.Config{URL: url}, o)
}

func runModelOn(t *testing.T, config mcpclient.Config, o model.Options) *board {
	t.Helper()
	ep, err := mcpclient.NewEndpoint(config)
	if err != nil {
		t.Fatal(err)
	}
	o.Targets = []model.Target{{Name: "srv", URL: config.URL, Endpoint: endpoint{ep}}}
	b := &board{Model: model.New(o), t: t, msgs: make(chan tea.Msg), done: make(chan struct{})}
	t.Cleanup(func() {
		close(b.done)
		b.Shutdown()
		tellFrames(t, ep)
	})
	b.start(b.Init())
	return b
}

func (b *board) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, each := range batch {
				b.start(each)
			}
			return
		}
		select {
		case b.msgs <- msg:
		case <-b.done:
		}
	}()
}

// wish sends what a person wants.
func (b *board) wish(msg tea.Msg) { b.start(b.Update(msg)) }

// until runs the model until ok.
func (b *board) until(what string, ok func() bool) {
	b.t.Helper()
	look := time.NewTicker(100 * time.Millisecond) // some things become true by the passing of time alone
	defer look.Stop()
	for deadline := time.After(patience); !ok(); {
		select {
		case <-look.C:
		case msg := <-b.msgs:
			b.start(b.Update(msg))
		case <-deadline:
			b.t.Fatalf("%s: not in %s; links %+v", what, patience, b.Links())
		}
	}
}

// The main job: start, be asked, answer, read; as the dashboard does it.
func TestEverythingByModel(t *testing.T) {
	b := runModel(t, serveNpm(t, everything, "streamableHttp").url, model.Options{})
	b.until("the link", func() bool { return b.Links()[0].State == model.Live })
	call := task.Call{ID: model.NewCallID(), Tool: "simulate-research-query", Args: json.RawMessage(`{"topic":"python","ambiguous":true}`), AsTask: true}
	b.wish(model.StartMsg{Server: "srv", Call: call})
	key := task.Key{Server: "srv", Call: call.ID}
	b.until("the row", func() bool { r := b.Row(key); return r != nil && r.Key.ID != "" })
	b.until("the prompt", func() bool { return len(b.Row(key).Asks) == 1 })
	ask := b.Inbox()[0]
	if !b.Row(key).Asking() || b.Rings() != 1 || ask.Prompt.Task != b.Row(key).Key.ID {
		t.Errorf("row %+v, ask %+v, rings %d", b.Row(key), ask, b.Rings())
	}
	b.wish(model.AnswerMsg{Server: "srv", Reply: task.Reply{
		Prompt: ask.Prompt.ID, Action: task.Accept, Content: json.RawMessage(`{"interpretation":"technical"}`),
	}})
	b.until("the answer's effect", func() bool { return ask.Wish != nil && ask.Wish.State == model.Taken })
	b.until("the end", func() bool { return b.Row(key).Task.Status == task.Completed })
	b.wish(model.ResultMsg{Key: b.Row(key).Key})
	b.until("the result", func() bool { o := b.Row(key).Outcome; return o != nil && o.Result != nil })
	if got := text(b.Row(key).Outcome.Result); !strings.Contains(got, "technical") {
		t.Errorf("the answer did not arrive: %.200s", got)
	}
}

// Tasks of others appear by themselves where nothing is pushed.
func TestMCPGoStatelessByModel(t *testing.T) {
	g := serveGo(t, 50, stateless()...)
	b := runModel(t, g.url(), model.Options{})
	b.until("the link", func() bool { return b.Links()[0].State == model.Quiet })
	theirs := attach(t, g.url())
	id := theirs.start("waits", "{}", time.Minute).ID
	key := task.Key{Server: "srv", ID: id}
	b.until("the row", func() bool { return b.Row(key) != nil })
	g.letGo()
	b.until("the end", func() bool { return b.Row(key).Task.Status == task.Completed })
	b.wish(model.ResultMsg{Key: key})
	b.until("the result", func() bool { o := b.Row(key).Outcome; return o != nil && o.Result != nil })
	if got := text(b.Row(key).Outcome.Result); got != "waited" {
		t.Errorf("the result is %q", got)
	}
}
