package cli

import (
	"context"

	"callboard/model"
	"callboard/model/task"
)

// Aside makes a memory that lets a kept session be joined without its GET
// stream: a command that looks for a moment must not take away what the server
// sends there once, such as a question.
func Aside(of model.Memory) model.Memory { return aside{of} }

// Beside reports whether the command is such a one. terminal is as in Env.
func (a *Args) Beside(terminal bool) bool {
	switch a.Command {
	case List, Get, Result, Tools, Cancel:
		return true
	case Watch:
		return len(a.IDs) > 0 && !terminal
	default:
		return false
	}
}

type aside struct{ model.Memory }

// Recall is the memory's, with a session that is used by POST only.
func (a aside) Recall(ctx context.Context) (task.Kept, error) {
	kept, err := a.Memory.Recall(ctx)
	kept.Resume.PostOnly = kept.Resume.Session != ""
	return kept, err
}
