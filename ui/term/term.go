// Package term owns the terminal: it runs a Bubble Tea program on it and gives
// it back in the state it was in, however the program ends. It knows nothing of
// tasks; its wall is that only the terminal itself is touched here, so that no
// other package writes an escape sequence that is not part of a frame.
//
// It never asks the terminal anything: a terminal that answers nothing must not
// hold the start up, and a late answer would arrive as typed text.
package term

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"time"

	// Stops the question for the background colour that Bubble Tea asks the
	// terminal when it is initialised.
	_ "callboard/themes/background"

	tea "github.com/charmbracelet/bubbletea"
	xterm "golang.org/x/term"
)

// framesPerSecond is how often a changed view is drawn at most: at 60 the
// renderer alone costs twice as much of a core.
const framesPerSecond = 30

// stuck is how long a program may take to end after it was told to; then the
// terminal is given back over its head.
const stuck = 3 * time.Second

// Options configure a Terminal. The zero Options stand for the process's own
// standard input, output and environment.
type Options struct {
	In, Out *os.File
	Getenv  func(string) string
	// Refused makes the message that tells the model why the program could not
	// be suspended; nil: the model is not told.
	Refused func(why string) tea.Msg
}

// Terminal is the terminal that the process was started on. Its methods may be
// called from several goroutines.
type Terminal struct {
	o      Options
	screen *screen
	keys   *keyboard
	title  title
	before *xterm.State // as it was found

	ctx    context.Context // ends when the program is to end
	cancel context.CancelFunc

	mu     sync.Mutex
	reason error     // why the program ends, nil for a plain quit
	away   bool      // an editor has the terminal
	back   time.Time // when one gave it back
	mouse  bool      // the model wants the mouse
	lent   bool      // another program had the terminal, and the mouse may be off
	by     Clipboard // how text is copied

	pictured bool // an image of kitty's is shown

	// As the constants of these names, but where a test says otherwise.
	stuck, copyPatience time.Duration
}

// ErrNoTerminal says that there is no terminal that could show a dashboard.
var ErrNoTerminal = errors.New("standard input and output are not a terminal")

// ErrDumb says that the terminal cannot move its cursor.
var ErrDumb = errors.New("the terminal cannot show a dashboard (TERM=dumb)")

// Open takes the terminal in hand, without changing it yet. The error is
// ErrNoTerminal or ErrDumb.
func Open(o Options) (*Terminal, error) {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if !xterm.IsTerminal(int(o.In.Fd())) || !xterm.IsTerminal(int(o.Out.Fd())) {
		return nil, ErrNoTerminal
	}
	if o.Getenv("TERM") == "dumb" {
		return nil, ErrDumb
	}
	before, err := xterm.GetState(int(o.In.Fd()))
	if err != nil {
		return nil, ErrNoTerminal
	}
	t := &Terminal{o: o, before: before, stuck: stuck, copyPatience: copyPatience}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.screen = &screen{File: o.Out, vanished: t.vanish}
	t.keys = &keyboard{File: o.In, vanished: t.vanish, escWait: escWait}
	return t, nil
}

// Run shows the model until it quits, and returns it as it was last. ctrl+c
// always quits, whatever the model does with other keys. The error is nil after
// a quit, an *Interrupted, a *Panic, or an error of the terminal; in each case
// the terminal is as it was before. Run is called once.
func (t *Terminal) Run(ctx context.Context, m tea.Model) (final tea.Model, err error) {
	g := &guard{t: t, inner: m, size: t.size()}
	stop := t.heed()
	defer stop()
	unhook := context.AfterFunc(ctx, func() { t.end(context.Cause(ctx)) })
	defer unhook()
	defer t.cancel()

	p := tea.NewProgram(g,
		tea.WithInput(t.keys), tea.WithOutput(t.screen), tea.WithAltScreen(), tea.WithFPS(framesPerSecond),
		tea.WithReportFocus(),
		// Bubble Tea's own handlers lose exit codes, and print what panicked
		// onto a screen that is then thrown away.
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFilter(t.filter))
	defer func() {
		if r := recover(); r != nil { // of Bubble Tea itself: the guard catches ours
			t.end(newPanic(r))
			t.giveBack()
			final, err = g.inner, t.why()
		}
	}()
	_, err = p.Run()
	if why := t.why(); why != nil {
		err = why
	}
	if err != nil {
		t.giveBack()
	} else if seq := t.unpictured() + t.untitled(); seq != "" {
		_, _ = t.screen.WriteString(seq)
	}
	return g.inner, err
}

// Fail ends the program: the terminal is given back and Run returns err. It is
// for goroutines that are no commands, which call it with what they recovered
// from: t.Fail(term.Recovered(r)).
func (t *Terminal) Fail(err error) { t.end(err) }

// end makes the program end for this reason, or for the one that was first.
func (t *Terminal) end(why error) {
	t.mu.Lock()
	if t.reason == nil && t.ctx.Err() == nil {
		t.reason = why
	}
	t.mu.Unlock()
	t.cancel()
}

func (t *Terminal) why() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reason
}

// vanish is called when the terminal can no longer be read or written.
func (t *Terminal) vanish() { t.end(&Interrupted{Vanished: true}) }

// size returns the size of the terminal in cells, 80x24 where it has none.
func (t *Terminal) size() tea.WindowSizeMsg {
	w, h, err := xterm.GetSize(int(t.o.Out.Fd()))
	if err != nil {
		w, h = 0, 0
	}
	return sized(tea.WindowSizeMsg{Width: w, Height: h})
}

// sized replaces the size of a terminal that does not know its own (a serial
// line, some containers: 0x0).
func sized(m tea.WindowSizeMsg) tea.WindowSizeMsg {
	if m.Width <= 0 || m.Height <= 0 {
		return tea.WindowSizeMsg{Width: 80, Height: 24}
	}
	return m
}

// reset undoes all that a frame or Bubble Tea may have left on, or off: synchronized
// output, wrapping, the alternate screen, mouse, reports of focus, bracketed paste,
// colours, and last the hidden cursor, which some terminals keep for each screen.
// Each is harmless where it was off.
const reset = "\x1b[?2026l" + wrapOn + "\x1b[?1049l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?25h"

// giveBack puts the terminal into the state in which it was found, where Bubble
// Tea did not, or may not have. It does not wait for a terminal that takes no
// bytes.
func (t *Terminal) giveBack() {
	_ = xterm.Restore(int(t.o.In.Fd()), t.before) // a vanished terminal needs none
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = t.o.Out.WriteString(t.unpictured() + reset + t.untitled())
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}

// heed lets signals end the program until the returned function is called. A
// second one, or a program that does not end, ends the process.
func (t *Terminal) heed() (stop func()) {
	signals := make(chan os.Signal, 4)
	for _, s := range deadly {
		if !signal.Ignored(s) { // nohup stays in force
			signal.Notify(signals, s)
		}
	}
	done := make(chan struct{})
	go func() {
		var late <-chan time.Time
		asked, before := t.ctx.Done(), false
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if s == os.Interrupt && t.forEditor() {
					continue // ctrl+c was typed into the editor
				}
				if before {
					t.abandon()
				}
				before = true
				t.end(&Interrupted{Signal: s})
			case <-asked:
				asked, late = nil, time.After(t.stuck)
			case <-late:
				t.abandon()
			}
		}
	}()
	return func() { signal.Stop(signals); close(done) }
}

// abandon ends the process over the head of a program that is stuck.
func (t *Terminal) abandon() {
	t.giveBack()
	os.Exit(ExitCode(t.why()))
}

func (t *Terminal) isAway() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.away
}

func (t *Terminal) setAway(away bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.away = away
	if !away {
		t.back, t.lent = time.Now(), true
	}
}

// signalLag is how late a signal may be heard of on a busy machine. Without an
// editor ctrl+c is a key here, so that no more than an interrupt sent by a program
// in this time is lost.
const signalLag = time.Second

// forEditor reports whether an interrupt that is heard of now was an editor's.
func (t *Terminal) forEditor() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.away || time.Since(t.back) < signalLag
}
