// Command callboard is a terminal dashboard for MCP tasks.
//
// This package wires the rooms together; it is the only one that knows both the
// screen (ui) and the wire (mcpclient).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"callboard/keymap"
	"callboard/mcpclient"
	"callboard/mcpclient/mcptest"
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
	a, err := cli.Parse(args, os.Getenv)
	if err != nil {
		return fail(stderr, err)
	}
	switch a.Command {
	case cli.Help:
		_, err = io.WriteString(stdout, cli.HelpText)
	case cli.Version:
		_, err = fmt.Fprintf(stdout, "callboard %s (MCP %s)\n", version(), protocol)
	case cli.Watch:
		err = watch(a, stdout, stderr)
	case cli.Demo:
		err = demo(a)
	case cli.Dashboard:
		err = dashboard(a, stderr)
	}
	if err != nil {
		return fail(stderr, err)
	}
	return 0
}

// protocol is the revision of MCP that this callboard speaks.
const protocol = "2025-11-25"

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
		misuse *cli.Usage
		fault  *term.Panic
		signal *term.Interrupted
		text   = "callboard: " + err.Error() + "\n"
		code   = term.ExitCode(err)
	)
	switch {
	case errors.As(err, &misuse):
		code = 2
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
	return show(t, a, ui.Options{}, stderr)
}

// demo shows the tasks of a server that runs inside this program.
func demo(a *cli.Args) error {
	t, err := openTerminal()
	if err != nil {
		return err
	}
	server := mcptest.Demo(uint64(os.Getpid()))
	defer func() { _ = server.Close() }()
	address, err := server.Start()
	if err != nil {
		return fmt.Errorf("the demo's server cannot listen: %w", err)
	}
	a.Servers = []cli.Server{{Name: "demo", Shown: address, URL: address}}
	// What is left open ends with the server, so there is nothing to tell.
	return show(t, a, ui.Options{
		Title: "callboard demo",
		Note:  "A made-up server: start, answer and cancel as you like.",
	}, io.Discard)
}

// show runs the dashboard, with what o lacks filled in.
func show(t *term.Terminal, a *cli.Args, o ui.Options, stderr io.Writer) error {
	theme, err := themes.New(a.Theme, a.ASCII, os.Getenv("NO_COLOR") != "")
	if err != nil {
		return &cli.Usage{Line: err.Error()}
	}
	m, end, err := attach(a)
	if err != nil {
		return err
	}
	ctx := context.Background()
	o.Theme, o.Keys = theme, keymap.Default()
	o.Bell, o.Clipboard, o.Editor, o.Suspend = t.Bell, t.Copy, t.Edit, tea.Suspend
	o.OpenURL = func(page string) error { return term.OpenURL(ctx, page) }
	root := ui.New(m, o)
	_, err = t.Run(ctx, root)
	var fault *term.Panic
	if errors.As(err, &fault) {
		return err // what is broken is not asked to end in good order
	}
	root.Close()
	for _, line := range end() {
		_, _ = fmt.Fprintln(stderr, line)
	}
	return err
}

// watch prints what happens as lines until a signal ends it, or whoever reads
// the lines.
func watch(a *cli.Args, stdout, stderr io.Writer) error {
	m, end, err := attach(a)
	if err != nil {
		return err
	}
	ctx, stop := term.Heed(context.Background())
	defer stop()
	err = cli.WatchModel(ctx, m, stdout)
	if err != nil && term.Hangup(err) {
		err = nil // "callboard watch URL | head" is no error
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	for _, line := range end() {
		_, _ = fmt.Fprintln(stderr, line)
	}
	return err
}

// endpoint makes an mcpclient.Endpoint the model's: its sessions are its Server.
type endpoint struct{ *mcpclient.Endpoint }

var (
	_ model.Endpoint = endpoint{}
	_ model.Server   = (*mcpclient.Session)(nil)
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
// yet. end ends all sessions and returns what the person should know of them.
func attach(a *cli.Args) (m *model.Model, end func() []string, err error) {
	var log *os.File
	if a.LogFile != "" {
		if log, err = os.OpenFile(a.LogFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
			return nil, nil, &cli.Usage{Line: "--log-file: " + err.Error()}
		}
	}
	o := model.Options{OnDemand: a.OnDemand, ReadOnly: a.ReadOnly}
	var endpoints []endpoint
	for _, server := range a.Servers {
		config := mcpclient.Config{
			URL: server.URL, Header: a.Header, Token: a.Token, TokenFile: a.TokenFile, AllowInsecureToken: a.AllowInsecureToken,
			CAFile: a.CAFile, ClientCert: a.ClientCert, ClientKey: a.ClientKey, InsecureSkipVerify: a.InsecureSkipVerify,
			ReadOnly: a.ReadOnly, ClientVersion: version(),
		}
		if log != nil { // not a nil *os.File in an interface
			config.LogFile = log
		}
		e, err := mcpclient.NewEndpoint(config)
		if err != nil {
			return nil, nil, misconfigured(err)
		}
		endpoints = append(endpoints, endpoint{e})
		target := model.Target{Name: server.Name, URL: server.Shown, Endpoint: endpoint{e}, Refreshes: a.TokenFile != ""}
		if a.Session != "" {
			target.Resume = task.Resume{Session: a.Session, Joined: true}
		}
		o.Targets = append(o.Targets, target)
	}
	m = model.New(o)
	end = func() []string {
		said := m.Shutdown()
		if log == nil {
			return said
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		for _, e := range endpoints {
			_ = e.Flush(ctx) // what is left after a second is left out
		}
		_ = log.Close()
		return said
	}
	return m, end, nil
}

// misconfigured says in one line why an endpoint cannot be made of the options.
func misconfigured(err error) error {
	var e *task.Error
	if !errors.As(err, &e) {
		return err
	}
	return &cli.Usage{Line: strings.TrimSpace(e.Message.Line() + ". " + e.Advice.Line())}
}
