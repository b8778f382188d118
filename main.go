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
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"callboard/keymap"
	"callboard/mcpclient"
	"callboard/model"
	"callboard/model/state"
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
	a, err := cli.Parse(args, os.Getenv)
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
		err = facts().Write(stdout, a.JSON)
	case cli.Keys:
		err = cli.PrintKeys(stdout, keyScopes(keymap.Default()), a.JSON)
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
	theme, err := themes.New(a.Theme, a.ASCII, os.Getenv("NO_COLOR") != "")
	if err != nil {
		return &cli.Usage{Line: err.Error()}
	}
	m, end, err := attach(a, named, stderr)
	if err != nil {
		return err
	}
	ctx := context.Background()
	o.Settings = ui.Settings{Theme: theme, Keys: keymap.Default(), NoMouse: a.NoMouse}
	o.Bell, o.Clipboard, o.Editor, o.Suspend = t.Bell, t.Copy, t.Edit, tea.Suspend
	o.Themes = themes.Names
	o.Theme = func(name string) (*themes.Theme, error) {
		return themes.New(name, a.ASCII, os.Getenv("NO_COLOR") != "")
	}
	o.OpenURL = func(page string) error { return term.OpenURL(ctx, page) }
	root := ui.New(m, o)
	_, err = t.Run(ctx, root)
	var fault *term.Panic
	if errors.As(err, &fault) {
		return err // what is broken is not asked to end in good order
	}
	root.Close()
	for _, line := range slices.Concat(end(), m.Untold()) {
		_, _ = fmt.Fprintln(stderr, line)
	}
	return err
}

// perform carries out a command without a screen, until it is done, a signal
// ends it, or whoever reads what it prints.
func perform(a *cli.Args, stdout, stderr io.Writer) error {
	m, end, err := attach(a, nil, stderr)
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
	for _, line := range end() {
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

// endpoint makes an mcpclient.Endpoint the model's: its sessions are its Server.
type endpoint struct{ *mcpclient.Endpoint }

var (
	_ model.Endpoint = endpoint{}
	_ model.Server   = (*mcpclient.Session)(nil)
	_ model.Memory   = (*state.Memory)(nil)
	_ model.Audit    = (*state.Audit)(nil)
)

// Dial begins or rejoins a session.
func (e endpoint) Dial(ctx context.Context, resume task.Resume) (model.Server, error) {
	s, err := e.Endpoint.Dial(ctx, resume)
	if err != nil {
		return nil, err // not a nil *Session in an interface
	}
	return s, nil
}

// attach makes the model of the servers on the command line; nothing is sent
// yet. named is as for show. end ends all sessions and returns what the person
// should know of them.
func attach(a *cli.Args, named map[string][]task.ID, stderr io.Writer) (m *model.Model, end func() []string, err error) {
	var log *os.File
	if a.LogFile != "" {
		if log, err = os.OpenFile(a.LogFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
			return nil, nil, &cli.Usage{Line: "--log-file: " + err.Error()}
		}
	}
	var folder *state.Folder
	if named == nil {
		if folder, err = keepsake(); err != nil {
			_, _ = fmt.Fprintf(stderr, "callboard: nothing is kept beyond this run: %s\n", err)
		}
	}
	o := model.Options{OnDemand: a.OnDemand, ReadOnly: a.ReadOnly}
	if a.SamplingCommand != "" {
		o.Sampler = term.Sampler(a.SamplingCommand)
	}
	var endpoints []endpoint
	for _, server := range a.Servers {
		config := mcpclient.Config{
			URL: server.URL, Header: a.Header, Token: a.Token, TokenFile: a.TokenFile, AllowInsecureToken: a.AllowInsecureToken,
			CAFile: a.CAFile, ClientCert: a.ClientCert, ClientKey: a.ClientKey, InsecureSkipVerify: a.InsecureSkipVerify,
			Protocol: a.Protocol, ReadOnly: a.ReadOnly, OnDemand: a.OnDemand, Sampling: a.Samples(), ClientVersion: version(),
		}
		if log != nil { // not a nil *os.File in an interface
			config.LogFile = log
		}
		e, err := mcpclient.NewEndpoint(config)
		if err != nil {
			return nil, nil, misconfigured(err)
		}
		endpoints = append(endpoints, endpoint{e})
		target := model.Target{
			Name: server.Name, URL: server.Shown, Endpoint: endpoint{e}, Refreshes: a.TokenFile != "",
			Memory: memory(folder, a, server), Watch: slices.Concat(a.Tasks, a.IDs, named[server.Name]),
		}
		if a.Session != "" {
			target.Resume = task.Resume{Session: a.Session, Joined: true}
		}
		o.Targets = append(o.Targets, target)
	}
	var trail *state.Audit
	if folder != nil && a.Audits() {
		trail = folder.Audit()
		o.Audit = trail
	}
	m = model.New(o)
	end = func() []string {
		said := m.Shutdown()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if trail != nil {
			if err := trail.Close(ctx); err != nil {
				_, _ = fmt.Fprintf(stderr, "callboard: %s\n", err)
			}
		}
		if log == nil {
			return said
		}
		for _, e := range endpoints {
			_ = e.Flush(ctx) // what is left after a second is left out
		}
		_ = log.Close()
		return said
	}
	return m, end, nil
}

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

// keepsake is the folder of what outlives the program.
func keepsake() (*state.Folder, error) {
	dir, err := state.Dir()
	if err != nil {
		return nil, err
	}
	return state.Open(dir)
}

// memory is what is kept of a server for the account of the command line, nil
// where nothing is.
func memory(folder *state.Folder, a *cli.Args, server cli.Server) model.Memory {
	if folder == nil {
		return nil
	}
	mem := folder.Server(server.URL, state.Credentials{Header: a.Header, Token: a.Token, TokenFile: a.TokenFile, ClientCert: a.ClientCert})
	if a.Beside(attended()) {
		return mem.Aside()
	}
	return mem
}

// facts are what info prints.
func facts() *cli.Facts {
	f := &cli.Facts{Version: version(), Go: runtime.Version()}
	folder, err := keepsake()
	if err != nil {
		f.Problem = err.Error()
		return f
	}
	f.State, f.Audit = folder.Dir(), folder.AuditPath()
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

// misconfigured says in one line why an endpoint cannot be made of the options.
func misconfigured(err error) error {
	var e *task.Error
	if !errors.As(err, &e) {
		return err
	}
	return &cli.Usage{Line: strings.TrimSpace(e.Message.Line() + ". " + e.Advice.Line())}
}
