//go:build unix

package term

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"callboard/leaktest"

	tea "github.com/charmbracelet/bubbletea"
)

// childEnv makes the test binary the program under test.
const childEnv = "CALLBOARD_TERM_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childEnv); mode != "" {
		os.Exit(child(mode))
	}
	leaktest.Main(m)
}

// child runs the test's model as main does.
func child(mode string) int {
	if mode == "deaf" { // a terminal that vanishes without a SIGHUP
		signal.Ignore(syscall.SIGHUP)
	}
	t, err := Open(Options{Refused: func(why string) tea.Msg { return refused(why) }})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return ExitCode(err)
	}
	if mode == "patient" { // a second signal ends it, or nothing does
		t.stuck = time.Hour
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	final, err := t.Run(ctx, &sample{t: t, mode: mode, cancel: cancel})
	var fault *Panic
	if errors.As(err, &fault) {
		fmt.Fprint(os.Stderr, fault.Report())
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "callboard:", err)
	}
	fmt.Printf("bye after %d keys\n", final.(*sample).keys)
	return ExitCode(err)
}

type (
	refused string
	edited  struct {
		text string
		err  error
	}
)

// sample is a model with a key for each way to end.
type sample struct {
	t      *Terminal
	mode   string
	cancel context.CancelCauseFunc
	size   tea.WindowSizeMsg
	sizes  int // how often it was told its size
	keys   int
	note   string
	broken bool
}

func (s *sample) Init() tea.Cmd {
	if s.mode == "init" {
		panic("in Init")
	}
	if s.mode == "mouse" {
		return tea.EnableMouseCellMotion
	}
	if s.mode == "titled" {
		s.t.Title("sample: 3 asking")
	}
	return nil
}

func (s *sample) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.size = msg
		s.sizes++
	case tea.FocusMsg:
		s.note = "focus"
	case tea.BlurMsg:
		s.note = "blur"
	case refused:
		s.note = string(msg)
	case edited:
		s.note = fmt.Sprintf("edited %q err %v", msg.text, msg.err)
	case tea.ResumeMsg:
		s.note = "back"
	case tea.MouseMsg:
		s.note = fmt.Sprintf("%s at %d,%d", msg, msg.X, msg.Y)
	case tea.KeyMsg:
		s.keys++
		return s, s.key(msg.String())
	}
	return s, nil
}

func (s *sample) key(key string) tea.Cmd {
	fail := func() tea.Msg { panic("in a command") }
	switch key {
	case "q":
		return tea.Quit
	case "z":
		return tea.Suspend
	case "e":
		return s.t.Edit("before", "note.json", func(text string, err error) tea.Msg { return edited{text, err} })
	case "i", "I":
		protocol := map[string]string{"i": "kitty", "I": "sixel"}[key]
		return func() tea.Msg {
			err := s.t.ShowImage(protocol, image.NewGray(image.Rect(0, 0, 300, 200)), Area{X: 2, Y: 4, W: 20, H: 5})
			return refused(fmt.Sprint("shown ", err))
		}
	case "d":
		return func() tea.Msg { s.t.HideImage("kitty"); return tea.ClearScreen() }
	case "E":
		return s.t.View("before", "note.txt", func(err error) tea.Msg { return edited{"", err} })
	case "P":
		return s.t.Page("before", "note.txt", func(err error) tea.Msg { return edited{"", err} })
	case "u":
		panic("in Update\x1b[31m")
	case "v":
		s.broken = true
	case "c":
		return fail
	case "b":
		return tea.Batch(func() tea.Msg { return nil }, tea.Batch(fail, nil))
	case "s":
		return tea.Sequence(func() tea.Msg { return nil }, fail)
	case "g":
		go func() {
			defer func() { s.t.Fail(newPanic(recover())) }()
			panic("in a goroutine")
		}()
	case "x":
		s.cancel(errors.New("the context ended"))
	case "y":
		return func() tea.Msg {
			s.t.Bell()
			way, err := s.t.Copy("text")
			return refused(fmt.Sprint("copied ", way, " ", err))
		}
	case "t":
		s.t.Title(fmt.Sprint("key ", s.keys))
	case "n":
		s.t.Title("")
	case "o":
		s.t.Notify("it\x1b[31m failed\x07\u202e; 4;1")
	case "h":
		_, _ = s.t.screen.WriteString("stuck")
		select {}
	}
	return nil
}

func (s *sample) View() string {
	if s.broken {
		panic("in View")
	}
	lines := make([]string, s.size.Height)
	lines[0] = fmt.Sprintf("sample %dx%d", s.size.Width, s.size.Height)
	lines[1] = fmt.Sprintf("keys %d", s.keys)
	lines[2] = s.note
	lines[3] = fmt.Sprintf("told %d times", s.sizes)
	return strings.Join(lines, "\n")
}
