// Command callboard is a terminal dashboard for MCP tasks.
//
// This package wires the rooms together; it is the only one that knows both the
// screen (ui) and the wire (mcpclient).
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"

	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui"
	"callboard/ui/cli"
	"callboard/ui/term"

	tea "github.com/charmbracelet/bubbletea"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(callboard(os.Args[1:], os.Stdout, os.Stderr))
}

// gcPercent is how much garbage may gather, of what is in use, before it is
// collected. Most of what is in use are the rows, which stay, and most of the
// garbage are lists of the same tasks that come every few seconds: Go's default
// of 100 would hold nearly twice the memory. It costs about 1 % of a core more
// with 10,000 polled tasks, and nothing that can be measured at the start.
const gcPercent = 40

// callboard does what the command line says and returns the exit code.
func callboard(args []string, stdout, stderr io.Writer) int {
	a, err := cli.Parse(args, os.Getenv, loadConfig)
	if err != nil {
		return fail(stderr, err)
	}
	switch a.Command {
	case cli.Help:
		_, err = io.WriteString(stdout, cli.HelpText(a.Topic))
	case cli.Man:
		_, err = io.WriteString(stdout, cli.ManPage(version()))
	case cli.Completion:
		_, err = io.WriteString(stdout, cli.CompletionScript(a.Shell))
	case cli.Version:
		_, err = fmt.Fprintf(stdout, "callboard %s (MCP %s and %s)\n", version(), task.Legacy, task.Modern)
	case cli.Audit:
		err = audit(a, stdout, stderr)
	case cli.Info:
		err = facts(a).Write(stdout, a.JSON)
	case cli.Keys:
		err = printKeys(a, stdout)
	case cli.Config:
		err = configure(a, stdout)
	case cli.Demo:
		err = demo(a, stdout, stderr)
	case cli.Dashboard:
		err = dashboard(a, stderr)
	default:
		err = perform(a, stdout, stderr)
	}
	if err != nil && !term.Hangup(err) { // "callboard watch URL | head" is no error
		return fail(stderr, err)
	}
	return 0
}

// version returns the version that the Go tool knows: a tag, or a revision.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// fail says what went wrong, in one line where it is no fault of ours, and
// returns the exit code.
func fail(stderr io.Writer, err error) int {
	var (
		fault  *term.Panic
		signal *term.Interrupted
		text   = "callboard: " + err.Error() + "\n"
		code   = cmp.Or(cli.ExitCode(err), term.ExitCode(err))
	)
	switch {
	case errors.As(err, &fault):
		text = fault.Report()
	case errors.As(err, &signal):
		text = "" // the one who sent it knows
	case errors.Is(err, term.ErrNoTerminal), errors.Is(err, term.ErrDumb):
		text = "callboard: " + err.Error() + "; callboard watch URL prints what happens as lines\n"
	}
	_, _ = io.WriteString(stderr, text) // there is nowhere else to say it
	return code
}

// openTerminal takes the terminal in hand; why it cannot be suspended is said in
// the footer.
func openTerminal() (*term.Terminal, error) {
	return term.Open(term.Options{Refused: func(why string) tea.Msg { return ui.NoteMsg{Text: why, Bad: true} }})
}

// dashboard shows the tasks of the servers on the command line.
func dashboard(a *cli.Args, stderr io.Writer) error {
	t, err := openTerminal()
	if err != nil {
		return err
	}
	return show(t, a, ui.Options{}, nil, stderr)
}

// show runs the dashboard, with what o lacks filled in. named are tasks to be
// asked for on the servers of those names; nil for the person's own servers,
// whose state is kept.
func show(t *term.Terminal, a *cli.Args, o ui.Options, named map[string][]task.ID, stderr io.Writer) error {
	set, err := settings(a, a.Config)
	if err != nil {
		return err
	}
	m, at, err := attach(a, named, stderr)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	l := newLive(a, t)
	o.Settings = set
	o.Changes = l.changes(ctx)
	o.Taste, o.Keep = taste(at, stderr)
	if o.Note == "" && len(a.Config.Warnings) > 0 {
		o.Note = a.Config.Warnings[0].String()
	}
	o.Window, o.Notify = t.Title, t.Notify
	o.Bell, o.Clipboard, o.Editor, o.Suspend = t.Bell, t.Copy, t.Edit, tea.Suspend
	o.Viewer, o.Pager = t.View, t.Page
	o.ShowImage = func(protocol string, img image.Image, x, y, w, h int) error {
		return t.ShowImage(protocol, img, term.Area{X: x, Y: y, W: w, H: h})
	}
	o.HideImage = t.HideImage
	o.Themes = func() []string { return themeNames(l.cfg.Load()) }
	o.Theme = func(name string) (*themes.Theme, error) {
		cfg := l.cfg.Load()
		return themeOf(a.With(cfg), cfg, name)
	}
	o.OpenURL = func(page string) error { return term.OpenURL(ctx, page) }
	o.Servers = func() []string { return serverNames(l.cfg.Load()) }
	o.Connect = func(word string) (model.Target, error) {
		server, err := a.With(l.cfg.Load()).Find(word, os.Getenv)
		if err != nil {
			return model.Target{}, err
		}
		return at.target(server, nil)
	}
	root := ui.New(m, o)
	_, err = t.Run(ctx, root)
	stop()
	var fault *term.Panic
	if errors.As(err, &fault) {
		return err // what is broken is not asked to end in good order
	}
	root.Close()
	if o.Keep != nil { // the last of it may still have been on its way
		if err := o.Keep(root.Taste()); err != nil {
			_, _ = fmt.Fprintf(stderr, "callboard: what you chose is not kept: %s\n", err)
		}
	}
	for _, line := range slices.Concat(at.end(m), m.Untold()) {
		_, _ = fmt.Fprintln(stderr, line)
	}
	return err
}

// perform carries out a command without a screen, until it is done, a signal
// ends it, or whoever reads what it prints.
func perform(a *cli.Args, stdout, stderr io.Writer) error {
	for _, w := range a.Config.Warnings {
		_, _ = fmt.Fprintf(stderr, "callboard: %s\n", w)
	}
	m, at, err := attach(a, nil, stderr)
	if err != nil {
		return err
	}
	ctx, stop := term.Heed(context.Background())
	defer stop()
	err = cli.Do(ctx, a, m, cli.Env{
		In: os.Stdin, Out: stdout, Err: stderr, Terminal: attended(),
		OpenURL: func(page string) error { return term.OpenURL(ctx, page) },
		Quiet:   term.Quiet,
	})
	for _, line := range at.end(m) {
		if a.Command == cli.Watch && len(a.IDs) == 0 { // the others said themselves what goes on
			_, _ = fmt.Fprintln(stderr, line)
		}
	}
	for _, line := range m.Untold() {
		_, _ = fmt.Fprintf(stderr, "callboard: %s\n", line)
	}
	return err
}

// attended reports whether questions of a command can be asked.
func attended() bool { return term.Attended(os.Stdin, os.Stderr) }

// audit prints the audit trail.
func audit(a *cli.Args, stdout, stderr io.Writer) error {
	folder, err := keepsake()
	if err != nil {
		return err
	}
	ctx, stop := term.Heed(context.Background())
	defer stop()
	trail := folder.Trail()
	err = cli.PrintAudit(stdout, a, func(yield func(cli.Record) bool) {
		for r := range trail.All(ctx) {
			if !yield(cli.Record(r)) {
				return
			}
		}
	})
	if err == nil {
		err = trail.Err()
	}
	if trail.Damaged > 0 {
		_, _ = fmt.Fprintf(stderr, "callboard: damaged lines in the audit trail, left out: %d\n", trail.Damaged)
	}
	return err
}

// facts are what info prints.
func facts(a *cli.Args) *cli.Facts {
	f := &cli.Facts{Version: version(), Go: runtime.Version(), Config: a.Config.Path}
	if a.Config.Path != "" {
		f.Themes = filepath.Join(filepath.Dir(a.Config.Path), "themes")
	}
	folder, err := keepsake()
	if err != nil {
		f.Problem = err.Error()
		return f
	}
	f.State, f.Audit, f.Taste = folder.Dir(), folder.AuditPath(), folder.TastePath()
	files, err := folder.Files(context.Background())
	if err != nil {
		f.Problem = err.Error()
	}
	for _, file := range files {
		f.Files = append(f.Files, cli.FactsFile{
			Path: file.Path, Size: file.Size, Folder: file.Folder, Drafts: file.Drafts, URL: file.URL, Handles: file.Handles, Sessions: file.Sessions, Sent: file.Sent, Problem: file.Problem,
		})
	}
	return f
}
