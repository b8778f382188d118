package cli

import (
	"errors"
	"fmt"

	"callboard/model/task"
)

// Exit is how a command ended that did not do what was wanted. The codes are
// those of the table exitCodes.
type Exit struct {
	Code int
	Line string      // what to say of it, "" for nothing
	Err  *task.Error // what the server or the link said, or nil
}

// Error returns the line.
func (e *Exit) Error() string { return e.Line }

// The exit codes that the commands know.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitAuth        = 3
	exitUnreachable = 4
	exitAsks        = 6
	exitLate        = 7
)

// errLate is why a command's context ends when its --timeout is over.
var errLate = errors.New("out of time")

func exit(code int, format string, args ...any) *Exit {
	return &Exit{Code: code, Line: fmt.Sprintf(format, args...)}
}

// failure is e as the end of a command.
func failure(what string, e *task.Error) *Exit {
	line := e.Message.Line()
	switch {
	case what != "":
		line = what + ": " + line
	case !e.Tried.IsZero():
		line = e.Tried.Line() + ": " + line
	}
	if e.Code != 0 {
		line += fmt.Sprintf(" (%d)", e.Code)
	}
	if !e.Advice.IsZero() {
		line += "; " + e.Advice.Line()
	}
	return &Exit{Code: exitCode(e), Line: line, Err: e}
}

// ExitCode returns the exit code that stands for err, 0 for one that this
// package does not know.
func ExitCode(err error) int {
	var (
		misuse *Usage
		end    *Exit
		fault  *task.Error
	)
	switch {
	case errors.As(err, &misuse):
		return exitUsage
	case errors.As(err, &end):
		return end.Code
	case errors.As(err, &fault):
		return exitCode(fault)
	}
	return 0
}

func exitCode(e *task.Error) int {
	switch e.Kind {
	case task.Unauthorized, task.Denied:
		return exitAuth
	case task.Unreachable, task.TLS, task.NotMCP, task.HTTP, task.Busy:
		return exitUnreachable
	case task.Timeout:
		return exitLate
	default:
		return exitFailed
	}
}
