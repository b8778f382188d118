package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// Env is what a command has of the world.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	// Terminal says that a person sits at In and Err.
	Terminal bool
	// OpenURL opens a page in the person's browser.
	OpenURL func(page string) error
	// Quiet keeps what is typed off the terminal until the returned function
	// is called; nil where it cannot be kept off.
	Quiet func() func()
}

// Do carries out a command on the one server of m, whose Target watches a.IDs;
// Watch without an ID on all servers.
// What was asked for goes to env.Out, notes to env.Err. It ends when that is
// done, out of time, or when ctx ends, whose cause it then returns; other errors
// are *Usage and *Exit. It does not shut m down.
func Do(ctx context.Context, a *Args, m *model.Model, env Env) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, err := confirm(ctx, a, env)
	if err != nil {
		return (&desk{a: a, env: env}).ended(err)
	}
	if a.Timeout > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, a.Timeout, errLate)
		defer cancel()
	}
	if a.Command == Watch && len(a.IDs) == 0 {
		if err := WatchModel(ctx, m, env.Out, a.JSON); err != nil {
			return err
		}
		return (&desk{a: a}).ended(context.Cause(ctx))
	}
	d := &desk{loop: begin(ctx, m), a: a, env: env, server: a.Servers[0].Name, asked: map[task.PromptID]bool{}, lines: lines}
	return d.ended(d.carryOut()) //nolint:contextcheck // the model's commands end with its Shutdown
}

func (d *desk) carryOut() error {
	switch d.a.Command {
	case List:
		return d.list()
	case Get:
		return d.get()
	case Result, Watch:
		return d.follow()
	case Answer:
		return d.answer()
	case Cancel:
		return d.cancel()
	case Run:
		return d.call()
	case Tools:
		return d.tools()
	default:
		return usage("%s is no command of one server", commandOf(d.a.Command).name)
	}
}

// desk is where one command is carried out: its steps stand one below the other,
// and between them the model is fed.
type desk struct {
	*loop
	a      *Args
	env    Env
	server string // the link's name
	// patient: the link broke after the server was reached once, and is waited
	// for.
	patient bool
	asked   map[task.PromptID]bool // prompts that were dealt with
	sought  model.Instant          // since when the row asks whose question was asked for
	lines   chan string            // what is typed; nil before anything was asked
	limit   <-chan time.Time       // of within, else nil
	told    bool                   // the one document was written
	trouble string                 // with what is kept, as it was told last
	// unlocked: the name of a server with a guard was typed.
	unlocked bool
	watch    *watcher // of watch ID: what happens is printed
	// untrailed is the trouble with the audit trail, as it was told last.
	untrailed string
}

// until feeds the model until done says so. It ends early with the reason why
// nothing more can come of it.
func (d *desk) until(done func() bool) error {
	_, _, err := d.await(done, nil)
	return err
}

// await is until, which a typed line ends, too. typed is false where done ended
// it.
func (d *desk) await(done func() bool, lines <-chan string) (line string, typed bool, err error) {
	for {
		if d.watch != nil {
			if err := d.watch.look(time.Now()); err != nil {
				return "", false, err
			}
		}
		d.warn()
		if done() {
			return "", false, nil
		}
		if err := d.broken(); err != nil {
			return "", false, err
		}
		select {
		case <-d.ctx.Done():
			return "", false, context.Cause(d.ctx)
		case <-d.limit:
			return "", false, errEnough
		case msg := <-d.msgs:
			d.send(msg)
		case line, open := <-lines:
			switch {
			case !open && d.ctx.Err() != nil: // whoever reads them ended with it
				return "", false, context.Cause(d.ctx)
			case !open:
				return "", false, errNobody
			}
			return line, true, nil
		}
	}
}

// warn tells of trouble with what is kept, once for each that is new.
func (d *desk) warn() {
	if why := d.m.AuditTrouble(); why != d.untrailed {
		d.untrailed = why
		if why != "" && d.watch == nil {
			d.note("%s", why)
		}
	}
	if why := d.link().Trouble; why != d.trouble {
		d.trouble = why
		if why != "" && d.watch == nil { // which prints it among what happens
			d.note("%s", why)
		}
	}
}

// errEnough says that what was waited for within a while did not come.
var errEnough = errors.New("waited long enough")

// errNobody says that nobody types any more.
var errNobody = errors.New("standard input has ended")

// broken returns why nothing more can come from the server, nil where it can.
func (d *desk) broken() error {
	l := d.link()
	switch {
	case l.State != model.Down || l.Err == nil:
		return nil
	case l.Err.Kind == task.SessionLost && !l.NextTry.IsZero():
		return nil // a kept session that is over; a new one is on its way
	case d.patient && !l.NextTry.IsZero():
		return nil
	}
	return failure("", l.Err)
}

func (d *desk) link() model.LinkView { return d.m.Links()[0] }

func (d *desk) key(id task.ID) task.Key { return task.Key{Server: d.server, ID: id} }

// connected waits for the server.
func (d *desk) connected() error {
	return d.until(func() bool { s := d.link().State; return s == model.Live || s == model.Quiet })
}

// row waits until it is known what the server says of a task that was named.
func (d *desk) row(id task.ID) (*model.Row, error) {
	if err := d.connected(); err != nil {
		return nil, err
	}
	key := d.key(id)
	said := func() bool {
		r := d.m.Row(key)
		if r == nil {
			return !d.m.Sought(d.server, id)
		}
		return r.Mark != model.NoMark || r.PollError != "" || fresh(r) || r.Task.Status.Terminal() && !d.m.Sought(d.server, id)
	}
	if err := d.until(said); err != nil {
		return nil, err
	}
	r := d.m.Row(key)
	switch {
	case r == nil:
		return nil, exit(exitFailed, "%s knows no task %s: it may have run out, or belong to another session or account", d.server, id.Text().Line())
	case r.Mark == model.NoMark && r.PollError != "" && !fresh(r):
		return nil, exit(exitFailed, "the state of %s is not known: %s", id.Text().Line(), r.PollError)
	}
	return r, nil
}

// note says something beside the result.
func (d *desk) note(format string, args ...any) {
	_, _ = fmt.Fprintf(d.env.Err, "callboard: "+format+"\n", args...) // there is nowhere else to say it
}

// ended turns the error of a command into one of those that Do returns.
func (d *desk) ended(err error) error {
	var misuse *Usage
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errLate):
		err = exit(exitLate, "out of time after %s%s", d.a.Timeout, d.late())
	case errors.As(err, &misuse):
		return err
	}
	var end *Exit
	if errors.As(err, &end) && d.a.JSON && !d.told && d.watch == nil {
		if werr := d.print(errorDoc(end)); werr != nil {
			return werr
		}
	}
	return err
}

// late says what was still waited for.
func (d *desk) late() string {
	if d.loop == nil {
		return ""
	}
	l := d.link()
	if l.State == model.Connecting || l.State == model.Down {
		return ": " + l.Name + " has not answered yet"
	}
	switch d.a.Command {
	case Answer:
		return ": no question of that task came; some servers hand one out once, to the first who asks"
	case Run, Result, Watch:
		return ": the task goes on"
	default:
		return ": " + l.Name + " has not said all that was asked"
	}
}

// again is the command line that goes on with a task.
func (d *desk) again(command string, r *model.Row) string {
	return strings.Join([]string{"callboard", command, d.a.Servers[0].Word(), r.Key.ID.Text().Line()}, " ")
}

// open returns the prompts of a row that nobody answered yet, oldest first.
func open(r *model.Row) []*model.Ask {
	return slices.DeleteFunc(slices.Clone(r.Asks), func(a *model.Ask) bool { return a.State != model.Open })
}

// fresh reports whether r was heard of since callboard began.
func fresh(r *model.Row) bool { return r.How != task.Remembered && r.How != 0 }
