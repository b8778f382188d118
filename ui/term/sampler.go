package term

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"callboard/model/task"
)

// Bounds of the person's command for sampling.
const (
	samplerPatience = 2 * time.Minute
	samplerLimit    = 1 << 20 // bytes of standard output
	samplerTail     = 4 << 10 // bytes of standard error that are kept
	// samplerDelay is how long the output of a command that has ended is waited
	// for, where a child of its own holds it open.
	samplerDelay = time.Second
)

// Sampler returns the function that lets the person's command write a draft of
// what a sampling request asks for (client/sampling): model.Options.Sampler.
//
// The command is the person's own words to a shell, as those of $EDITOR are.
// What the server wrote reaches it by standard input alone, the params of the
// request as one JSON object and a line break, and never as an argument or in
// the environment, where a shell could take it for words of the person. What it
// writes to standard output is the draft, at most 1 MiB, without the line
// breaks at its end. It has no part of the terminal, and 2 minutes; when that is
// over, or ctx ends, it and what it started is killed.
//
// Errors are in words for a person, with the last line that the command wrote
// to standard error.
func Sampler(command string) func(ctx context.Context, params json.RawMessage) (string, error) {
	return func(ctx context.Context, params json.RawMessage) (string, error) {
		return runSampler(ctx, command, params, samplerPatience)
	}
}

// errTooMuch ends a command that writes too much.
var errTooMuch = errors.New("the command wrote more than 1 MiB")

func runSampler(ctx context.Context, command string, params json.RawMessage, patience time.Duration) (string, error) {
	tooLong := fmt.Errorf("the command took longer than %s, and was ended", patience)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, tooLong)
	defer cancel()
	cmd := shell(ctx, command)
	alone(cmd)
	cmd.Cancel = func() error { killAll(cmd); return nil }
	cmd.WaitDelay = samplerDelay
	out := &bounded{limit: samplerLimit, full: func() { stop(errTooMuch) }}
	var said tail
	cmd.Stdin = bytes.NewReader(append(bytes.Clone(params), '\n'))
	cmd.Stdout, cmd.Stderr = out, &said
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		killAll(cmd) // it went well, and left something running
		err = nil
	}
	var exit *exec.ExitError
	switch {
	case out.over:
		return "", errTooMuch
	case err != nil && ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.As(err, &exit):
		return "", withLast(fmt.Errorf("the command failed (%s)", exit.ProcessState), &said)
	case err != nil:
		return "", fmt.Errorf("the command cannot be run: %w", err)
	}
	return draftOf(out.kept, &said)
}

// draftOf returns what a command wrote, as text that a form can hold.
func draftOf(wrote []byte, said *tail) (string, error) {
	text := strings.TrimRight(string(wrote), "\r\n")
	switch {
	case strings.TrimSpace(text) == "":
		return "", withLast(errors.New("the command wrote nothing"), said)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", errors.New("what the command wrote is no text (UTF-8)")
	}
	return text, nil
}

// withLast adds the last line of a command's standard error.
func withLast(err error, said *tail) error {
	if line := said.last(); line != "" {
		return fmt.Errorf("%w: %s", err, line)
	}
	return err
}

// bounded keeps what is written up to a limit, and says once that it is full.
// A bytes.Buffer within would take in all by its ReadFrom.
type bounded struct {
	kept  []byte
	limit int
	over  bool
	full  func()
}

// Write fails where it would be too much.
func (b *bounded) Write(p []byte) (int, error) {
	if len(b.kept)+len(p) > b.limit {
		if !b.over {
			b.over = true
			b.full()
		}
		return 0, errTooMuch
	}
	b.kept = append(b.kept, p...)
	return len(p), nil
}

// tail keeps the end of what is written.
type tail struct{ kept []byte }

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(len(p)-samplerTail, 0):]...)
	if n := len(t.kept) - samplerTail; n > 0 {
		t.kept = append(t.kept[:0], t.kept[n:]...)
	}
	return len(p), nil
}

// last returns the last line that is not empty, cleaned.
func (t *tail) last() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), ""))
	return task.CleanLine(text[strings.LastIndexByte(text, '\n')+1:], 300).Line()
}
