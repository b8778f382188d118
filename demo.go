package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"callboard/keymap"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
	"callboard/ui"
	"callboard/ui/cli"
	"callboard/ui/term"
)

// desk is one server of the demo.
type desk struct {
	name   string
	era    task.Era
	server *mcptest.Server
	url    string
	tasks  []task.ID // of a server that lists none
}

// desks starts the demo's servers, one of each generation, at a TCP address:
// with port 0 at free ports, else the second behind the first.
func desks(address string) (all []*desk, closing func(), err error) {
	seed := uint64(os.Getpid())
	day, night := mcptest.Demo(seed), mcptest.DemoModern(seed)
	closing = func() { _, _ = day.Close(), night.Close() }
	all = []*desk{{name: "demo-2025", era: task.Legacy, server: day}, {name: "demo-2026", era: task.Modern, server: night}}
	for _, id := range night.TaskIDs() {
		all[1].tasks = append(all[1].tasks, task.ID(id))
	}
	for i, d := range all {
		at, err := behind(address, i)
		if err == nil {
			d.url, err = d.server.StartOn(at)
		}
		if err != nil {
			closing()
			return nil, nil, fmt.Errorf("the demo's server cannot listen: %w", err)
		}
	}
	return all, closing, nil
}

// behind is address with a port that is higher by n, unless it is 0.
func behind(address string, n int) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", &cli.Usage{Line: "--listen has the form HOST:PORT, such as 127.0.0.1:8900"}
	}
	p, err := strconv.ParseUint(port, 10, 16)
	if err != nil || p > 0xffff-1 {
		return "", &cli.Usage{Line: "--listen needs a port between 0 and 65534"}
	}
	if p > 0 {
		p += uint64(n)
	}
	return net.JoinHostPort(host, strconv.FormatUint(p, 10)), nil
}

// demo shows the tasks of servers that run inside this program, or with --listen
// serves them to others.
func demo(a *cli.Args, stdout, stderr io.Writer) error {
	if a.Listen != "" {
		return serveDemo(a.Listen, stdout, stderr)
	}
	t, err := openTerminal()
	if err != nil {
		return err
	}
	all, closing, err := desks("127.0.0.1:0")
	if err != nil {
		return err
	}
	defer closing()
	keys, err := keysOf(a.Config)
	if err != nil {
		return err
	}
	named := map[string][]task.ID{}
	for _, d := range all {
		a.Servers = append(a.Servers, a.At(d.name, d.url, d.url))
		named[d.name] = d.tasks
	}
	// What is left open ends with the servers, so there is nothing to tell.
	return show(t, a, ui.Options{
		Title: "callboard demo",
		Note:  demoNote(keys),
	}, named, io.Discard)
}

// demoNote says to a newcomer what this is and what to press; on one line of 80
// cells.
func demoNote(k *keymap.Map) string {
	e := &k.Everywhere
	return fmt.Sprintf("Made-up servers of both generations: %s answers, %s starts, %s cancels, %s helps.",
		e.Answer.Help().Key, e.New.Help().Key, k.Task.Cancel.Help().Key, e.Help.Help().Key)
}

// serveDemo serves the demo until a signal ends it.
func serveDemo(address string, stdout, stderr io.Writer) error {
	all, closing, err := desks(address)
	if err != nil {
		return err
	}
	defer closing()
	ctx, stop := term.Heed(context.Background())
	defer stop()
	for _, d := range all {
		if _, err := fmt.Fprintf(stdout, "%s %s\n", d.era, d.url); err != nil {
			return err
		}
	}
	_, _ = io.WriteString(stderr, waysIn(all))
	<-ctx.Done()
	return context.Cause(ctx)
}

// waysIn says to a person what to do with the demo's servers: commands to copy, each
// with what it is for.
func waysIn(all []*desk) string {
	urls := make([]string, len(all))
	for i, d := range all {
		urls[i] = d.url
	}
	words := "callboard: made-up servers, until ctrl+c ends them. In another terminal:\n"
	way := func(command, what string) { words += "  callboard " + command + "\n      " + what + "\n" }
	way(strings.Join(urls, " "), "shows their tasks")
	way("ls "+urls[0], "lists tasks for a script; callboard -h names the other commands")
	for _, d := range all {
		if len(d.tasks) > 0 {
			way(d.url+" --task "+string(d.tasks[0]), fmt.Sprintf("shows one of the %d tasks that were there before you: %s has no list of tasks", len(d.tasks), d.era))
		}
	}
	return words
}
