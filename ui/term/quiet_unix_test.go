//go:build unix

package term

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestMute types a word that shows, one that does not, and one that does again.
func TestMute(t *testing.T) {
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal:", err)
	}
	defer func() { _ = ours.Close() }()
	line := make([]byte, 64)
	typed := func(word string) {
		t.Helper()
		if _, err := io.WriteString(ours, word+"\n"); err != nil {
			t.Fatal(err)
		}
		if n, err := theirs.Read(line); err != nil || string(line[:n]) != word+"\n" {
			t.Fatalf("read %q, %v", line[:n], err)
		}
	}
	typed("seen")
	back := mute(theirs)
	typed("hidden")
	back()
	typed("again")
	if _, err := io.WriteString(theirs, "END"); err != nil {
		t.Fatal(err)
	}
	shown := ""
	for !strings.Contains(shown, "END") {
		n, err := ours.Read(line)
		if err != nil {
			t.Fatalf("%q: %v", shown, err)
		}
		shown += string(line[:n])
	}
	_ = theirs.Close()
	if shown != "seen\r\nagain\r\nEND" {
		t.Errorf("the terminal shows %q", shown)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	mute(file)() // no terminal: nothing happens
}
