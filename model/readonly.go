package model

import (
	"context"
	"errors"

	"callboard/model/task"
)

// Why nothing is written: to any server, and to one.
const (
	readOnlyWhy    = "callboard was started with --read-only"
	readOnlyServer = "the configuration has this server read-only"
)

// readOnlyWhy is why nothing is written to l.
func (l *link) readOnlyWhy() string {
	if l.readOnlyAll {
		return readOnlyWhy
	}
	return readOnlyServer
}

// readOnly is a Server that only reads: it refuses whatever would change
// something at the server, or make it wait for us.
type readOnly struct {
	Server
	why string
}

func (r readOnly) refused() error {
	return &task.Error{Kind: task.Unsupported, Message: task.Own(r.why), Err: errors.ErrUnsupported}
}

// Attend does nothing: a question that is asked of us would wait for ever.
func (readOnly) Attend([]task.ID) {}

// Answer refuses.
func (r readOnly) Answer(context.Context, ...task.Reply) (task.Receipt, error) {
	return task.Receipt{}, r.refused()
}

// Cancel refuses.
func (r readOnly) Cancel(context.Context, task.ID) (task.Task, error) {
	return task.Task{}, r.refused()
}

// Start refuses.
func (r readOnly) Start(context.Context, task.Call) error { return r.refused() }

// Abandon refuses.
func (r readOnly) Abandon(context.Context, task.CallID) error { return r.refused() }
