package cli

import (
	"context"
	"time"

	"callboard/model"

	tea "github.com/charmbracelet/bubbletea"
)

// loop runs a model without Bubble Tea: one goroutine owns the model, commands
// run beside it, and what they return comes back as messages.
type loop struct {
	ctx  context.Context
	m    *model.Model
	msgs chan tea.Msg
}

// begin starts m's commands. They bring nothing back after ctx has ended.
func begin(ctx context.Context, m *model.Model) *loop {
	l := &loop{ctx: ctx, m: m, msgs: make(chan tea.Msg)}
	l.start(m.Init()) //nolint:contextcheck // the model's commands end with its Shutdown
	return l
}

// lookEvery is how long changes are gathered before they are looked at.
const lookEvery = 100 * time.Millisecond

// run feeds the model until ctx ends or look fails, whose error it returns. look
// is called when the model has changed, on the goroutine that owns it.
func run(ctx context.Context, m *model.Model, look func(now time.Time) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := begin(ctx, m)
	var (
		seen  uint64
		timer = time.NewTimer(0)
		due   = true
	)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case msg := <-l.msgs:
			l.send(msg) //nolint:contextcheck // as above
			if m.Revision() != seen && !due {
				due = true
				timer.Reset(lookEvery)
			}
		case began := <-timer.C:
			due, seen = false, m.Revision()
			if err := look(began); err != nil {
				return err
			}
			// Looking at many rows takes a while: it gets a tenth of the time.
			if took := time.Since(began); took > lookEvery/10 {
				due = true
				timer.Reset(10 * took)
			}
		}
	}
}

// send hands the model a message: news, or a wish.
func (l *loop) send(msg tea.Msg) {
	l.start(l.m.Update(msg))
}

// start runs a command beside the loop.
func (l *loop) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, each := range msg {
				l.start(each)
			}
		default:
			select {
			case l.msgs <- msg:
			case <-l.ctx.Done():
			}
		}
	}()
}
