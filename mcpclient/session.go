package mcpclient

import (
	"context"
	"errors"
	"fmt"

	"callboard/model/task"
)

// Session is one session with a server. Its methods may be called by many
// goroutines; their errors are *task.Error, or that of a context.
type Session struct {
	ep   *Endpoint
	era  era
	feed *feed
}

// About returns what is known of the server now; a rejoined session learns.
func (s *Session) About() task.About { return s.era.about() }

// Next blocks until something happened, then returns it: the first batch at
// once, further ones not more often than once in 33 ms. After the session ended
// it returns what is left, then the error that ended it.
func (s *Session) Next(ctx context.Context) (task.Batch, error) { return s.feed.next(ctx) }

// Page reads one page of tasks/list. A server without it is an error of kind
// Unsupported that matches errors.ErrUnsupported.
func (s *Session) Page(ctx context.Context, from task.Cursor) (task.Page, error) {
	return s.era.page(ctx, from)
}

// Get is tasks/get.
func (s *Session) Get(ctx context.Context, id task.ID) (task.Task, error) { return s.era.get(ctx, id) }

// Result is tasks/result of a task that has ended. It waits for as long as ctx
// lets it. A JSON-RPC error that stands for the result is Result.Err.
func (s *Session) Result(ctx context.Context, id task.ID) (task.Result, error) {
	return s.era.result(ctx, id)
}

// Attend holds tasks/result open for the first 32 of these tasks and for no
// others, so that their prompts reach us. Read-only sessions attend nothing, nor
// do those of 2026-07-28, where prompts stand in the state of their task.
func (s *Session) Attend(ids []task.ID) {
	if !s.ep.cfg.ReadOnly {
		s.era.attend(ids)
	}
}

// Answer sends replies to prompts: those of a task, or of a call that asks before
// it is one, together where the era lets it, else one after the other, up to the
// first that fails. An error of kind Lost means that nobody knows whether it
// arrived. Receipt.Waits counts the other prompts that must be answered first
// where the server takes all answers together only.
func (s *Session) Answer(ctx context.Context, replies ...task.Reply) (task.Receipt, error) {
	if err := s.writable("answers no prompt"); err != nil {
		return task.Receipt{}, err
	}
	return s.era.answer(ctx, replies)
}

// Cancel is tasks/cancel; it returns the task as the server then has it, or the
// zero Task where it took the wish and no more (tasks extension, "Task
// Cancellation").
func (s *Session) Cancel(ctx context.Context, id task.ID) (task.Task, error) {
	if err := s.writable("cancels nothing"); err != nil {
		return task.Task{}, err
	}
	return s.era.cancel(ctx, id)
}

// Tools is tools/list, all pages.
func (s *Session) Tools(ctx context.Context) ([]task.Tool, error) { return s.era.tools(ctx) }

// Start sends a tools/call and returns when it is on its way. What comes of it
// arrives by Next as Started or Returned, under call.ID.
func (s *Session) Start(ctx context.Context, call task.Call) error {
	if err := s.writable("starts nothing"); err != nil {
		return err
	}
	return s.era.start(ctx, call)
}

// Abandon cancels a plain call, by notifications/cancelled or, in 2026-07-28, by
// closing its stream. The call then ends by Returned: with its reply where the
// two crossed, else with an error of kind Lost, or of kind Unsupported where it
// waited for an answer and nothing runs for it.
func (s *Session) Abandon(ctx context.Context, id task.CallID) error {
	if err := s.writable("cancels nothing"); err != nil {
		return err
	}
	return s.era.abandon(ctx, id)
}

// Resume returns what a later Dial needs to rejoin this session.
func (s *Session) Resume() task.Resume { return s.era.resume() }

// Close ends the session's goroutines and waits for them, for as long as ctx
// lets it. Unless keep is set, a session of our own gets its DELETE.
func (s *Session) Close(ctx context.Context, keep bool) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.era.close(ctx, keep)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("closing the session: %w", ctx.Err())
	}
}

// writable is the guard of a read-only session.
func (s *Session) writable(does string) error {
	if !s.ep.cfg.ReadOnly {
		return nil
	}
	e := fail(task.Unsupported, "read-only: callboard %s here", does)
	e.Advice = task.Own("start it without --read-only")
	e.Err = errors.ErrUnsupported
	return e
}
