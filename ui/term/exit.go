package term

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"callboard/model/task"
)

// deadly are the signals that end a program.
var deadly = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// Interrupted is why a program ended that nobody quit.
type Interrupted struct {
	Signal   os.Signal // nil for a vanished terminal
	Vanished bool
}

// Error says in words what ended the program.
func (e *Interrupted) Error() string {
	if e.Vanished {
		return "the terminal vanished"
	}
	return "ended by signal: " + e.Signal.String()
}

// Panic is a fault of ours that ended the program.
type Panic struct {
	Value string // what was panicked with, cleaned
	Stack []byte // of the goroutine that panicked
}

// newPanic is called by the function that recovered, for the sake of the stack.
func newPanic(r any) *Panic {
	return &Panic{Value: task.CleanMax(fmt.Sprint(r), 4096).Line(), Stack: debug.Stack()}
}

// Error names what was panicked with.
func (e *Panic) Error() string { return "panic: " + e.Value }

// Report is what the person should send to those who can mend it. What happened
// comes last: the rest may scroll away.
func (e *Panic) Report() string {
	return fmt.Sprintf("%s\n\ncallboard met a fault of its own and had to end: %s\n", strings.TrimSpace(string(e.Stack)), e.Value)
}

// ExitCode returns the exit code of a process whose program ended so: 0 for nil,
// 128 and the signal's number for signals, 129 for a vanished terminal, 2 for no
// terminal, else 1.
func ExitCode(err error) int {
	var interrupted *Interrupted
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrNoTerminal), errors.Is(err, ErrDumb):
		return 2
	case errors.As(err, &interrupted):
		if s, ok := interrupted.Signal.(syscall.Signal); ok {
			return 128 + int(s)
		}
		return 128 + int(syscall.SIGHUP)
	}
	return 1
}
