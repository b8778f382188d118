package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-osc52/v2"
)

// screen is the terminal as a program writes to it. It embeds *os.File, which
// Bubble Tea needs to know a terminal by, and overrides both ways of writing:
// io.WriteString prefers WriteString, and would bypass the lock.
type screen struct {
	*os.File
	vanished func()

	mu    sync.Mutex
	frame []byte // reused
}

// The bounds of synchronized output: the terminal shows what is between them at
// once. Terminals that do not know it ignore it.
const (
	beginFrame = "\x1b[?2026h"
	endFrame   = "\x1b[?2026l"
)

// Write draws one frame; Bubble Tea's renderer writes each with one call.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame = append(append(append(s.frame[:0], beginFrame...), p...), endFrame...)
	if _, err := s.File.Write(s.frame); err != nil {
		s.vanished()
		return 0, err
	}
	return len(p), nil
}

// WriteString writes a sequence that stands for itself.
func (s *screen) WriteString(seq string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.File.WriteString(seq)
	if err != nil {
		s.vanished()
	}
	return n, err
}

// keyboard is the terminal as a program reads from it. A terminal that ended, or
// that can no longer be read, is one that vanished: Bubble Tea would live on.
type keyboard struct {
	*os.File
	vanished func()
	pastes   pastes
	cut      bool // a paste is to be cut here
}

// Read reads what was typed. A long paste comes as several, one right after the
// other.
func (k *keyboard) Read(p []byte) (int, error) {
	if k.cut {
		k.cut = false
		return copy(p, pasteEnd+pasteStart), nil // a read of its own, which is shorter than p: nothing is in doubt behind it
	}
	n, err := k.File.Read(p)
	if err != nil {
		k.vanished()
		return n, io.EOF // the one error on which Bubble Tea's reader just ends
	}
	k.cut = k.pastes.take(p[:n])
	return n, nil
}

// Bell rings the terminal's bell.
func (t *Terminal) Bell() {
	if !t.isAway() {
		_, _ = t.screen.WriteString("\a") // a vanished terminal ends the program
	}
}

// CopyLimit is the most bytes that Copy takes: terminals cut off longer
// sequences, or refuse them.
const CopyLimit = 74994

// Copy asks the terminal to put text into its clipboard (OSC 52), which works
// over ssh, too. Whether it does is not known: the terminal is never asked.
// Inside tmux and screen the sequence is wrapped, so that they pass it on.
func (t *Terminal) Copy(text string) error {
	if len(text) > CopyLimit {
		return fmt.Errorf("%d bytes are more than a terminal takes for its clipboard (%d): save it instead", len(text), CopyLimit)
	}
	if t.isAway() {
		return errors.New("an editor has the terminal")
	}
	_, err := t.screen.WriteString(clipboard(text, t.o.Getenv))
	return err
}

// clipboard returns the sequence for the terminal that the environment tells of.
func clipboard(text string, getenv func(string) string) string {
	seq := osc52.New(text)
	switch {
	case getenv("TMUX") != "":
		// tmux acts on the bare sequence with set-clipboard on, and passes the
		// wrapped one on with allow-passthrough on; one of the two may be off.
		return seq.String() + seq.Tmux().String()
	case strings.HasPrefix(getenv("TERM"), "screen"):
		return seq.Screen().String()
	}
	return seq.String()
}
