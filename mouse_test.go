//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"callboard/mcpclient/mcptest"
	"callboard/ui/term/termtest"
)

// pressAt sends a press and a release of the left button in the middle of words on
// the screen, as a terminal does (SGR coordinates); in pieces, as a slow line does,
// but none that could be a key: how long its rest may take is a matter of time.
func pressAt(t *testing.T, s *termtest.Session, words string) {
	t.Helper()
	s.See(words)
	for y, line := range strings.Split(s.Screen(), "\n") {
		before, _, found := strings.Cut(line, words)
		if !found {
			continue
		}
		at := fmt.Sprintf("%d;%d", utf8.RuneCountInString(before)+len(words)/2+1, y+1)
		for _, piece := range []string{"\x1b[<0;", at, "M\x1b[<", "0;" + at + "m"} {
			s.Type(piece)
		}
		return
	}
	t.Fatalf("the screen does not show %q:\n%s", words, s.Screen())
}

// The whole way from the terminal's bytes to the screen, and back to a terminal
// whose mouse is its own again.
func TestTheMouseOnATerminal(t *testing.T) {
	server, url := serve(t)
	for _, id := range []string{"t-1", "t-2", "t-3"} {
		server.AddTask(mcptest.Task{ID: id, Status: mcptest.Working, Message: "digs " + id})
	}
	s := dashboardOn(t, url)
	s.See("digs t-1")
	s.SeeRaw("\x1b[?1002h")
	for _, id := range []string{"t-2", "t-3", "t-1", "t-2"} { // after four presses nobody is new
		pressAt(t, s, "digs "+id)
		s.See("▌ ◐ working     " + id)
	}
	pressAt(t, s, "? help")
	s.See("─ Help")
	s.SeeNot("digs t-2")
	s.Type("q")
	if code := s.Exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	s.GivenBack()
}

func TestNoMouse(t *testing.T) {
	server, url := serve(t)
	server.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digs"})
	s := dashboardOn(t, "--no-mouse", url)
	s.See("digs")
	s.Type("?")
	s.See("─ Help")
	s.Type("q")
	s.Exit()
	if strings.Contains(s.Raw(), "\x1b[?1002h") {
		t.Error("the mouse was switched on")
	}
}
