package model

import (
	"context"
	"errors"

	"callboard/model/task"
)

// readOnlyWhy is why nothing is written.
const readOnlyWhy = "callboard was started with --read-only"

// readOnly is a Server that only reads: it refuses whatever would change
// something at the server, or make it wait for us.
type readOnly struct{ Server }

func refused() error {
	return &task.Error{Kind: task.Unsupported, Message: task.Own(readOnlyWhy), Err: errors.ErrUnsupported}
}

// Attend does nothing: a question that is asked of us would wait for ever.
func (readOnly) Attend([]task.ID) {}

// Answer refuses.
func (readOnly) Answer(context.Context, ...task.Reply) (task.Receipt, error) {
	return task.Receipt{}, refused()
}

// Cancel refuses.
func (readOnly) Cancel(context.Context, task.ID) (task.Task, error) { return task.Task{}, refused() }

// Start refuses.
func (readOnly) Start(context.Context, task.Call) error { return refused() }

// Abandon refuses.
func (readOnly) Abandon(context.Context, task.CallID) error { return refused() }
