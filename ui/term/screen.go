package term

import (
	"io"
	"os"
	"sync"
	"time"
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

// Write draws one frame; Bubble Tea's renderer writes each with one call. It is whole
// by itself: a shell or an editor finds wrapping switched on.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame = append(aligned(append(s.frame[:0], beginFrame+wrapOff...), p), wrapOn+endFrame...)
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
	escWait  time.Duration
	pastes   pastes
	cut      bool // a paste is to be cut here
	pieces   pieces
}

// Read reads what was typed. A long paste comes as several, one right after the
// other.
func (k *keyboard) Read(p []byte) (int, error) {
	if k.cut {
		k.cut = false
		return copy(p, pasteEnd+pasteStart), nil // a read of its own, which is shorter than p: nothing is in doubt behind it
	}
	n := copy(p, k.pieces.before())
	for more := true; more; more = n < len(p) && !k.pastes.in && doubtful(p[:n]) && readable(k.File, k.escWait) {
		got, err := k.File.Read(p[n:])
		if err != nil {
			k.vanished()
			return 0, io.EOF // the one error on which Bubble Tea's reader just ends
		}
		n += got
	}
	n = k.pieces.whole(p[:n], k.pastes.in)
	k.cut = k.pastes.take(p[:n])
	return n, nil
}

// Bell rings the terminal's bell.
func (t *Terminal) Bell() {
	if !t.isAway() {
		_, _ = t.screen.WriteString("\a") // a vanished terminal ends the program
	}
}
