package term

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// handedOn returns what comes of these reads.
func handedOn(reads ...string) string {
	r := &pieces{}
	var out strings.Builder
	for _, read := range reads {
		p := make([]byte, 256)
		held := copy(p, r.before())
		n := r.whole(p[:held+copy(p[held:], read)], false)
		out.Write(p[:n])
	}
	return out.String()
}

func TestAReportOfTheMouseIsWhole(t *testing.T) {
	report := "\x1b[<64;10;20M"
	for cut := 2; cut < len(report); cut++ {
		if got := handedOn("j"+report[:cut], report[cut:]+"k"); got != "j"+report+"k" {
			t.Errorf("cut at %d: %q", cut, got)
		}
		if got := handedOn(report[:cut], report[cut:]); got != report {
			t.Errorf("alone, cut at %d: %q", cut, got)
		}
	}
	for _, c := range []struct {
		name  string
		reads []string
		want  string
	}{
		{"esc by itself is a key", []string{"\x1b"}, "\x1b"},
		{"and the rest of its report is no text", []string{"\x1b", "[<64;1;1Mj"}, "\x1bj"},
		{"what goes on as none is dropped", []string{"\x1b[<64;1", "q"}, "q"},
		{"a key of the terminal goes through", []string{"\x1b[", "A"}, "\x1b[A"},
		{"keys go through", []string{"jjj\x1b[A\x1b[1;5B"}, "jjj\x1b[A\x1b[1;5B"},
		{"of any kind", []string{"j\x1b[1;", "5", "Cj", "\x1b[", "[", "A"}, "j\x1b[1;5Cj\x1b[[A"},
		{"and the focus", []string{"\x1b[", "I"}, "\x1b[I"},
		{"a character", []string{"\xe6", "\x97", "\xa5j\xc3", "\xa9"}, "日jé"},
		{"and what is none", []string{"\xe6", "j\xff", "\x80\x80"}, "\xe6j\xff\x80\x80"},
		{"alt with O is a key", []string{"\x1bO"}, "\x1bO"},
		{"nothing is longer than a report", []string{"\x1b[<" + strings.Repeat("1", 40)}, "\x1b[<" + strings.Repeat("1", 40)},
	} {
		if got := handedOn(c.reads...); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// However a line cuts it: keys and reports come out as they went in, and no read
// ends within one.
func TestReportsAnyhowCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var all strings.Builder
		for range 30 {
			if random.IntN(3) == 0 {
				all.WriteString([]string{"j", "\x1b[A", "é", "G", "\x1b[1;5B", "\x1b[200~", "日本", "\x1b[I", "\x1b[[A", "🚀"}[random.IntN(10)])
			} else {
				fmt.Fprintf(&all, "\x1b[<%d;%d;%dM", random.IntN(70), random.IntN(300), random.IntN(100))
			}
		}
		var reads []string
		for rest := all.String(); rest != ""; {
			n := min(1+random.IntN(20), len(rest))
			for n < len(rest) && rest[n-1] == '\x1b' {
				n++ // an esc that ends a read is a key
			}
			reads = append(reads, rest[:n])
			rest = rest[n:]
		}
		if got := handedOn(reads...); got != all.String() {
			t.Fatalf("%q came out as %q", reads, got)
		}
	}
}

// Where a mark of a paste is cut, the paste is still one, and no key.
func TestNoReadEndsWithinAPiece(t *testing.T) {
	for _, piece := range []string{"\x1b[200~", "\x1b[1;5C", "\x1b[15~", "\x1b[I", "🚀"} {
		r := &pieces{}
		for cut := 1; cut < len(piece); cut++ {
			if piece[:cut] == "\x1b" {
				continue // a key of its own, for which the keyboard waits
			}
			if n := r.whole([]byte(piece[:cut]), false); n != 0 || string(r.before()) != piece[:cut] {
				t.Errorf("%q is handed on as %d bytes", piece[:cut], n)
			}
		}
	}
}
