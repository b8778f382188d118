package term

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// typed reads all that a keyboard gives for what is written to its terminal, as
// Bubble Tea does: 256 bytes at a time.
func typed(t *testing.T, in string) []string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(w, in) // the reader is read to its end
		_ = w.Close()
	}()
	k := &keyboard{File: r, vanished: func() {}}
	defer func() { _ = r.Close() }()
	var reads []string
	for {
		var b [256]byte
		n, err := k.Read(b[:])
		if err != nil {
			return reads
		}
		reads = append(reads, string(b[:n]))
	}
}

// A long paste comes in pieces that together are the paste, cut neither within a
// character nor within a line break; what is not pasted is left as it is.
func TestALongPasteIsCut(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("0123456789abcde\r\n", 4000), strings.Repeat("日本語👩‍👩‍👧‍👦", 3000), strings.Repeat("\x1b[20", 5000), strings.Repeat("\r", 9000) + "x",
	} {
		all := strings.Join(typed(t, "ab"+pasteStart+text+pasteEnd+"cd\x1b[A"), "")
		inside, begins := strings.CutPrefix(all, "ab"+pasteStart)
		inside, ends := strings.CutSuffix(inside, pasteEnd+"cd\x1b[A")
		if !begins || !ends {
			t.Fatalf("%.20q: its ends are lost", text)
		}
		pieces := strings.Split(inside, pasteEnd+pasteStart)
		if strings.Join(pieces, "") != text {
			t.Errorf("%.20q: it is not what was pasted", text)
		}
		if len(pieces) < 2 && text[0] >= '0' { // the others may end within something at each read
			t.Errorf("%.20q: it is in one piece", text)
		}
		for _, p := range pieces {
			if !utf8.ValidString(p) || strings.HasSuffix(p, "\r") && p[0] != '\r' {
				t.Errorf("%.20q: cut within something: %q", text, p[max(len(p)-4, 0):])
			}
			if len(p) > 2*pastePiece && text[0] >= '0' {
				t.Errorf("%.20q: a piece of %d bytes", text, len(p))
			}
		}
	}
	long := strings.Repeat("typed, not pasted ", 1000)
	if got := strings.Join(typed(t, long), ""); got != long {
		t.Error("what is typed is changed")
	}
	short := pasteStart + "short" + pasteEnd
	if got := strings.Join(typed(t, short), ""); got != short {
		t.Errorf("a short paste is changed: %q", got)
	}
}

// Marks are found wherever the reads of them end.
func TestMarksOfAPasteAcrossReads(t *testing.T) {
	for at := range 14 {
		var p pastes
		data := []byte(pasteStart + "x" + pasteEnd + "y")
		p.take(data[:at])
		p.take(data[at:])
		if p.in {
			t.Errorf("cut at %d: the paste does not end", at)
		}
	}
	var p pastes
	p.take([]byte(pasteStart))
	cuts := 0
	for range 64 {
		if p.take(bytes.Repeat([]byte("x"), 256)) {
			cuts++
		}
	}
	if want := 64 * 256 / pastePiece; cuts != want {
		t.Errorf("%d cuts, want %d", cuts, want)
	}
}
