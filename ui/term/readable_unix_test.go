//go:build unix

package term

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// The rest of a key that comes a little after its esc belongs to it; an esc with
// nothing behind it is a key, without another key being pressed.
func TestTheRestOfAKeyMayComeLater(t *testing.T) {
	for _, c := range []struct {
		pieces []string
		want   string
	}{
		{[]string{"\x1b", "[A"}, "\x1b[A"},
		{[]string{"\x1b", "[", "1;", "5C"}, "\x1b[1;5C"},
		{[]string{"\x1b", "O", "P"}, "\x1bOP"},
		{[]string{"j\x1b", "[I"}, "j\x1b[I"},
		{[]string{"\x1b", "[<0;1", ";1M"}, "\x1b[<0;1;1M"},
		{[]string{"\x1b", "[20", "0~a\nb\x1b", "[201~"}, "\x1b[200~a\nb\x1b[201~"},
	} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		k := &keyboard{File: in, vanished: func() {}, escWait: time.Minute}
		got := make(chan string)
		go func() {
			var all string
			for p := make([]byte, 256); len(all) < len(c.want); {
				n, err := k.Read(p)
				if err != nil {
					break
				}
				all += string(p[:n])
			}
			got <- all
		}()
		for _, piece := range c.pieces {
			if _, err := out.WriteString(piece); err != nil {
				t.Fatal(err)
			}
			for readable(in, 0) { // until it is taken
				runtime.Gosched()
			}
		}
		if all := <-got; all != c.want {
			t.Errorf("%q came out as %q", c.pieces, all)
		}
		_, _ = out.WriteString("j\x1b")
		k.escWait = time.Nanosecond
		p := make([]byte, 256)
		if n, err := k.Read(p); err != nil || string(p[:n]) != "j\x1b" {
			t.Errorf("esc by itself: %q, %v", p[:n], err)
		}
		_ = in.Close()
		_ = out.Close()
	}
}
