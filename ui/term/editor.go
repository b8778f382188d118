package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// editLimit is how much of an edited file is read back, in bytes.
const editLimit = 16 << 20

// Edit lets the person edit text in $VISUAL or $EDITOR, in a file of that name
// (its ending tells the editor what it is), then makes a message of what they
// left there. The update loop stands still meanwhile: after it, the model looks
// anew at what happened. done's err says why there is no edited text.
//
// SIGTERM and SIGHUP end editor and program; SIGINT is the editor's, since
// ctrl+c means something to most of them.
func (t *Terminal) Edit(text, name string, done func(text string, err error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		e := &editing{t: t, text: text, name: filepath.Base(name)}
		return tea.Exec(e, func(err error) tea.Msg {
			if e.err != nil {
				err = e.err
			}
			return done(e.text, err)
		})()
	}
}

// editing is the tea.ExecCommand of one visit to the editor.
type editing struct {
	t          *Terminal
	text, name string
	err        error
}

// Run writes the file, runs the editor and reads the file. The error is kept in
// e.err: Bubble Tea hides it where it then fails to take the terminal back.
func (e *editing) Run() error {
	e.t.setAway(true)
	defer e.t.setAway(false)
	defer e.t.lendTitle()()
	edited, err := e.run()
	if err != nil {
		e.err = err
		return err
	}
	e.text = edited
	return nil
}

func (e *editing) run() (string, error) {
	dir, err := os.MkdirTemp("", "callboard-") // mode 0700
	if err != nil {
		return "", fmt.Errorf("no place for the editor's file: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, e.name)
	if err := os.WriteFile(path, []byte(e.text), 0o600); err != nil {
		return "", fmt.Errorf("the editor's file: %w", err)
	}
	cmd, err := editor(e.t.ctx, e.t.o.Getenv, path)
	if err != nil {
		return "", err
	}
	// The real files: with our writers the editor would get pipes.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.t.o.In, e.t.o.Out, e.t.o.Out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor %s failed, the text is as it was: %w", filepath.Base(cmd.Path), err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the editor's file: %w", err)
	}
	defer func() { _ = f.Close() }()
	edited, err := io.ReadAll(io.LimitReader(f, editLimit+1))
	if err == nil && len(edited) > editLimit {
		err = errors.New("too long: the text is as it was")
	}
	if err != nil {
		return "", fmt.Errorf("the editor's file: %w", err)
	}
	return string(edited), nil
}

// SetStdin does nothing: the editor gets the real files.
func (*editing) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (*editing) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (*editing) SetStderr(io.Writer) {}

// editor returns the person's editor on that file. $EDITOR may hold arguments
// ("code --wait"), or be a path with spaces in it.
func editor(ctx context.Context, getenv func(string) string, path string) (*exec.Cmd, error) {
	choice := strings.TrimSpace(getenv("VISUAL"))
	if choice == "" {
		choice = strings.TrimSpace(getenv("EDITOR"))
	}
	if choice == "" {
		choice = "vi"
	}
	words := []string{choice}
	if _, err := exec.LookPath(choice); err != nil {
		words = strings.Fields(choice)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("no editor %q here: set $VISUAL or $EDITOR", words[0])
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(terminate) }
	cmd.WaitDelay = time.Second
	return cmd, nil
}
