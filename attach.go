package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"callboard/mcpclient"
	"callboard/model"
	"callboard/model/state"
	"callboard/model/task"
	"callboard/ui/cli"
	"callboard/ui/term"
)

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

// attachment is what the servers of one run have in common. Targets may be made
// on any goroutine.
type attachment struct {
	a      *cli.Args
	folder *state.Folder // nil: nothing is kept
	trail  *state.Audit  // nil: nothing is written down
	stderr io.Writer

	mu        sync.Mutex
	log       *os.File   // of --log-file, or nil
	endpoints []endpoint // that write into log, also when they were let go of
}

// attach makes the model of the servers on the command line; nothing is sent
// yet. named are tasks to be asked for on the servers of those names; nil for the
// person's own servers, whose state is kept.
func attach(a *cli.Args, named map[string][]task.ID, stderr io.Writer) (*model.Model, *attachment, error) {
	at := &attachment{a: a, stderr: stderr}
	var err error
	if a.LogFile != "" {
		if at.log, err = os.OpenFile(a.LogFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err != nil {
			return nil, nil, &cli.Usage{Line: "--log-file: " + err.Error()}
		}
	}
	if named == nil {
		if at.folder, err = keepsake(); err != nil {
			_, _ = fmt.Fprintf(stderr, "callboard: nothing is kept beyond this run: %s\n", err)
		}
	}
	o := model.Options{OnDemand: a.OnDemand, ReadOnly: a.ReadOnly}
	for _, server := range a.Servers {
		target, err := at.target(server, slices.Concat(a.Tasks, a.IDs, named[server.Name]))
		if err != nil {
			return nil, nil, err
		}
		o.Targets = append(o.Targets, target)
	}
	if at.folder != nil && a.Audits() {
		at.trail = at.folder.Audit()
		o.Audit = at.trail
	}
	return model.New(o), at, nil
}

// target makes the model's Target of a server.
func (at *attachment) target(server cli.Server, watch []task.ID) (model.Target, error) {
	at.mu.Lock()
	defer at.mu.Unlock()
	config := mcpclient.Config{
		URL: server.URL, Header: server.Header, Token: server.Token, TokenFile: server.TokenFile, AllowInsecureToken: server.AllowInsecureToken,
		CAFile: server.CAFile, ClientCert: server.ClientCert, ClientKey: server.ClientKey, InsecureSkipVerify: server.InsecureSkipVerify,
		Protocol: server.Protocol, ReadOnly: server.ReadOnly, OnDemand: server.OnDemand, Sampling: server.Samples(), ClientVersion: version(),
	}
	if at.log != nil { // not a nil *os.File in an interface
		config.LogFile = at.log
	}
	e, err := mcpclient.NewEndpoint(config)
	if err != nil {
		return model.Target{}, misconfigured(server, err)
	}
	if at.log != nil {
		at.endpoints = append(at.endpoints, endpoint{e})
	}
	target := model.Target{
		Name: server.Name, URL: server.Shown, Endpoint: endpoint{e}, Refreshes: server.TokenFile != "",
		Memory: at.memory(server), Watch: watch,
		OnDemand: server.OnDemand, ReadOnly: server.ReadOnly, Guard: server.Guard,
	}
	if server.Sampling == "command" && server.SamplingCommand != "" {
		target.Sampler = term.Sampler(server.SamplingCommand)
	}
	if server.Session != "" {
		target.Resume = task.Resume{Session: server.Session, Joined: true}
	}
	return target, nil
}

// memory is what is kept of a server for the account that its credentials make,
// nil where nothing is.
func (at *attachment) memory(server cli.Server) model.Memory {
	if at.folder == nil {
		return nil
	}
	mem := at.folder.Server(server.URL, state.Credentials{
		Header: server.Header, Token: server.Token, TokenFile: server.TokenFile, ClientCert: server.ClientCert,
	})
	if at.a.Beside(attended()) {
		return mem.Aside()
	}
	return mem
}

// end ends all sessions and returns what the person should know of them.
func (at *attachment) end(m *model.Model) []string {
	said := m.Shutdown()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if at.trail != nil {
		if err := at.trail.Close(ctx); err != nil {
			_, _ = fmt.Fprintf(at.stderr, "callboard: %s\n", err)
		}
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.log == nil {
		return said
	}
	for _, e := range at.endpoints {
		_ = e.Flush(ctx) // what is left after a second is left out
	}
	_ = at.log.Close()
	return said
}

// keepsake is the folder of what outlives the program.
func keepsake() (*state.Folder, error) {
	dir, err := state.Dir()
	if err != nil {
		return nil, err
	}
	return state.Open(dir)
}

// misconfigured says in one line why an endpoint cannot be made of the options,
// or of what the configuration has of a server.
func misconfigured(server cli.Server, err error) error {
	var e *task.Error
	if !errors.As(err, &e) {
		return err
	}
	line := strings.TrimSpace(e.Message.Line() + ". " + e.Advice.Line())
	if server.Config != nil {
		line = server.Config.Where() + ": " + server.Name + ": " + line
	}
	return &cli.Usage{Line: line}
}
