//go:build unix

package term

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"callboard/model/task"
)

// tool is a program that puts its standard input onto the clipboard.
type tool struct {
	name  string
	words []string
}

// nativeTool returns the program for the clipboard of this desktop.
func nativeTool(getenv func(string) string) (*tool, error) {
	if onMac() {
		return &tool{ofMac[0], ofMac}, nil
	}
	var missing []string
	for _, d := range desktops {
		if getenv(d.needs) == "" {
			continue
		}
		if _, err := exec.LookPath(d.words[0]); err == nil {
			return &tool{d.words[0], d.words}, nil
		}
		missing = append(missing, d.words[0])
	}
	if missing == nil {
		return nil, errNoDisplay
	}
	return nil, errNoTool(missing...)
}

// take hands text to the program. On X11 and Wayland that leaves a copy of itself
// behind, which owns the clipboard until somebody else does: it has no part of the
// terminal, and nobody waits for it or ends it.
func (c *tool) take(text string, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	said, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = said.Close() }()
	cmd := exec.CommandContext(ctx, c.words[0], c.words[1:]...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), theirs
	if onMac() {
		cmd.Env = append(os.Environ(), "LC_CTYPE=UTF-8") // it takes other text for MacRoman
	}
	alone(cmd)
	cmd.Cancel = func() error { killAll(cmd); return nil }
	cmd.WaitDelay = patience / 4 // for what does not read its input
	err = cmd.Run()
	_ = theirs.Close()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not take it within %s", c.name, patience)
	}
	// What it left behind may hold the pipe open: what is there is read, no more.
	words := make([]byte, 400)
	_ = said.SetReadDeadline(time.Now().Add(patience / 4))
	n, _ := io.ReadFull(said, words)
	if why := task.CleanLine(string(words[:n]), 400).Line(); why != "" {
		return fmt.Errorf("%s: %s", c.name, why)
	}
	return fmt.Errorf("%s: %w", c.name, err)
}
