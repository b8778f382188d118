package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"callboard/model/task"
)

// A server may have a guard in the configuration. Before a command starts, answers
// or cancels something there, the person types the server's name, as on the
// screen, or --confirm says it.

// confirmed checks --confirm. ask is true where the name must be typed.
func (a *Args) confirmed(terminal bool) (ask bool, err error) {
	s := &a.Servers[0]
	switch {
	case a.Confirm == s.Name, s.Guard == "" && a.Confirm == "":
		return false, nil
	case a.Confirm != "":
		return false, usage("--confirm is not for this server: it is %s", s.Name)
	case !terminal:
		return false, usage("%s is guarded: say --confirm %s (there is no terminal to ask on)", s.Name, s.Name)
	}
	return true, nil
}

// confirm has the person type the name of a server with a guard, before the
// command's time begins. It returns what is typed then on, nil where nothing was
// asked.
func confirm(ctx context.Context, a *Args, env Env) (lines chan string, err error) {
	if !slices.Contains([]Command{Run, Answer, Cancel}, a.Command) {
		return nil, nil
	}
	ask, err := a.confirmed(env.Terminal)
	if err != nil || !ask {
		return nil, err
	}
	lines = listen(ctx, env.In)
	invite(a, env)
	select {
	case line, open := <-lines:
		if !open && ctx.Err() == nil {
			return nil, errGuard(a)
		}
		return lines, checkGuard(a, line)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func invite(a *Args, env Env) {
	s, what := &a.Servers[0], "answer there"
	switch a.Command {
	case Run:
		what = "call " + task.CleanLine(a.Tool, 80).Line()
	case Cancel:
		what = "cancel " + a.IDs[0].Text().Line()
		if n := len(a.IDs) - 1; n > 0 {
			what += fmt.Sprintf(" and %d more", n)
		}
	default:
	}
	_, _ = fmt.Fprintf(env.Err, "%s is guarded. Type %s to %s: ", s.Name, s.Name, what) // who does not see it types nothing
}

func checkGuard(a *Args, line string) error {
	if strings.TrimSpace(line) != a.Servers[0].Name {
		return errGuard(a)
	}
	return nil
}

func errGuard(a *Args) error {
	return usage("nothing was done: that is not the name %s", a.Servers[0].Name)
}

// unlock has the name typed once, before the first answer of watch.
func (d *desk) unlock() error {
	if d.unlocked || d.a.Command != Watch {
		return nil // the other commands asked before they began
	}
	ask, err := d.a.confirmed(d.env.Terminal)
	if err != nil {
		return err
	}
	if ask {
		if d.lines == nil {
			d.lines = listen(d.ctx, d.env.In)
		}
		invite(d.a, d.env)
		line, _, err := d.await(func() bool { return false }, d.lines)
		if err != nil {
			return err
		}
		if err := checkGuard(d.a, line); err != nil {
			return err
		}
	}
	d.unlocked = true
	return nil
}

// listen reads lines, beside the loop.
func listen(ctx context.Context, in io.Reader) chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		s := bufio.NewScanner(in)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			select {
			case lines <- strings.TrimSuffix(s.Text(), "\r"):
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
