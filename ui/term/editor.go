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
	return t.visit(&editing{text: text, name: name, program: editor}, done)
}

// View lets the person read text in their editor, as a copy that is not read
// back: its file cannot be written. All else is as with Edit.
func (t *Terminal) View(text, name string, done func(error) tea.Msg) tea.Cmd {
	return t.visit(&editing{text: text, name: name, program: editor, copied: true}, func(_ string, err error) tea.Msg { return done(err) })
}

// Page lets the person read text in $PAGER, less or more, as a copy in a file of
// that name. less may start no other program (LESSSECURE). All else is as with
// View.
func (t *Terminal) Page(text, name string, done func(error) tea.Msg) tea.Cmd {
	return t.visit(&editing{text: text, name: name, program: pager, copied: true}, func(_ string, err error) tea.Msg { return done(err) })
}

func (t *Terminal) visit(e *editing, done func(text string, err error) tea.Msg) tea.Cmd {
	e.t, e.name = t, filepath.Base(e.name)
	return func() tea.Msg {
		return tea.Exec(e, func(err error) tea.Msg {
			if e.err != nil {
				err = e.err
			}
			return done(e.text, err)
		})()
	}
}

// editing is the tea.ExecCommand of one visit to the editor, or the pager.
type editing struct {
	t          *Terminal
	text, name string
	program    func(ctx context.Context, getenv func(string) string, path string) (*exec.Cmd, error)
	copied     bool // the text is for reading
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
	mode := os.FileMode(0o600)
	if e.copied {
		mode = 0o400
	}
	if err := os.WriteFile(path, []byte(e.text), mode); err != nil {
		return "", fmt.Errorf("the editor's file: %w", err)
	}
	cmd, err := e.program(e.t.ctx, e.t.o.Getenv, path)
	if err != nil {
		return "", err
	}
	// The real files: with our writers the editor would get pipes.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.t.o.In, e.t.o.Out, e.t.o.Out
	if err := cmd.Run(); err != nil && e.copied {
		return "", fmt.Errorf("%s failed: %w", filepath.Base(cmd.Path), err)
	} else if err != nil {
		return "", fmt.Errorf("the editor %s failed, the text is as it was: %w", filepath.Base(cmd.Path), err)
	}
	if e.copied {
		return "", nil
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
	words, ok := program(choice)
	if !ok {
		return nil, fmt.Errorf("no editor %q here: set $VISUAL or $EDITOR", words[0])
	}
	return onTerminal(ctx, words, path), nil
}

// pager returns the person's pager on that file: $PAGER, which may hold
// arguments, else less or more.
func pager(ctx context.Context, getenv func(string) string, path string) (*exec.Cmd, error) {
	choices := []string{"less -R", "more"}
	if choice := strings.TrimSpace(getenv("PAGER")); choice != "" {
		choices = []string{choice}
	}
	for _, choice := range choices {
		if words, ok := program(choice); ok {
			cmd := onTerminal(ctx, words, path)
			cmd.Env = append(os.Environ(), "LESSSECURE=1")
			return cmd, nil
		}
	}
	return nil, fmt.Errorf("no pager %q here: set $PAGER", strings.Fields(choices[0])[0])
}

// program cuts a command into its words, and reports whether it is there.
func program(choice string) ([]string, bool) {
	words := []string{choice}
	if _, err := exec.LookPath(choice); err != nil {
		words = strings.Fields(choice)
	}
	_, err := exec.LookPath(words[0])
	return words, err == nil
}

// onTerminal returns the command that gets the terminal.
func onTerminal(ctx context.Context, words []string, path string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(terminate) }
	cmd.WaitDelay = time.Second
	return cmd
}
