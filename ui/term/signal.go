package term

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// Heed returns a context for a program without a screen, which the signals that
// end a program cancel, with an *Interrupted as the cause. A second one ends the
// process at once. A reader of standard output that went away is an error of the
// write then, not the end of the process.
func Heed(ctx context.Context) (heeding context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	for _, s := range deadly {
		if !signal.Ignored(s) { // nohup stays in force
			signal.Notify(signals, s)
		}
	}
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(&Interrupted{Signal: s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

// Hangup reports whether err says that whoever reads what we write went away.
func Hangup(err error) bool { return errors.Is(err, syscall.EPIPE) }
