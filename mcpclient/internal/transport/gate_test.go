package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// through is what comes out of a gate, with n bytes a read going in.
func through(in string, max int) (string, *gate) {
	g := newGate(strings.NewReader(in), max)
	out, err := io.ReadAll(g)
	if err != nil {
		panic(err)
	}
	return string(out), g
}

func TestGateForms(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "id: 1\ndata: a\n\n", "id: 1\ndata: a\n\n"},
		{"crlf", "id: 1\r\ndata: a\r\n\r\n", "id: 1\ndata: a\n\n"},
		{"cr", "id: 1\rdata: a\r\r", "id: 1\ndata: a\n\n"},
		{"mixed", "id: 1\rdata: a\r\n\ndata:b\n\r\n", "id: 1\ndata: a\n\ndata:b\n\n"},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\n", "data: a\n\n"},
		{"half a mark", "\xef\xbbdata: a\n\ndata: b\n\n", "data: b\n\n"},
		{"mark behind the start", "data: a\n\n\xef\xbb\xbfdata: b\n\n", "data: a\n\n"},
		{"comments", ": hi\n\n:\ndata: a\n: in between\ndata: b\n\n:\n\n", "data: a\ndata: b\n\n"},
		{"unknown fields", "foo: 1\nDATA: x\n data: y\ndata: a\nidx: 4\n\nfoo\n\n", "data: a\n\n"},
		{"bare names", "data\nid\nevent\nretry\n\n", "data\nid:\x00\n\n"},
		{"empty id", "id:\ndata: a\n\nid: \n\n", "id:\x00\ndata: a\n\nid:\x00\n\n"},
		{"id with NUL", "id: a\x00b\ndata: a\n\n", "data: a\n\n"},
		{"id too long for a header", "id: " + strings.Repeat("x", maxEventID+1) + "\ndata: a\n\n", "id:\x00\ndata: a\n\n"},
		{"priming", "id: 1\ndata:\n\nretry: 10\n\n", "id: 1\ndata:\n\nretry: 10\n\n"},
		{"the default type", "event: message\ndata: a\n\nevent:message\nid: 1\n\n", "data: a\n\nid: 1\n\n"},
		{"two types", "event: ping\nevent: message\ndata: a\n\ndata: b\nevent: ping\nevent: message\n\n", "event: ping\nevent: message\ndata: a\n\ndata: b\nevent: ping\nevent: message\n\n"},
		{"blank lines", "\n\n\r\n\r\r\n\ndata: a\n\n\n\n", "data: a\n\n"},
		{"cut in a line", "data: a\n\nid: 2\ndata: b", "data: a\n\n"},
		{"cut behind a line", "data: a\n\nid: 2\ndata: b\n", "data: a\n\n"},
		{"cut in crlf", "data: a\r\n\r\nid: 2\r\ndata: b\r\n", "data: a\n\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, r := range []struct {
				name string
				wrap func(io.Reader) io.Reader
			}{
				{"whole", func(r io.Reader) io.Reader { return r }},
				{"a byte at a time", iotest.OneByteReader},
				{"end with the last bytes", iotest.DataErrReader},
			} {
				g := newGate(r.wrap(strings.NewReader(tc.in)), 1<<20)
				out, err := io.ReadAll(g)
				if err != nil || string(out) != tc.want {
					t.Errorf("%s: got %.200q, %v; want %.200q", r.name, out, err, tc.want)
				}
				if cut := strings.HasPrefix(tc.name, "cut"); g.cut != cut {
					t.Errorf("%s: cut is %v", r.name, g.cut)
				}
			}
		})
	}
}

// A Read never crosses the end of an event, or r3labs would search its buffer
// again and again.
func TestGateOneEventARead(t *testing.T) {
	g := newGate(strings.NewReader("data: a\n\ndata: b\n\n"), 1<<20)
	buf := make([]byte, 1000)
	for _, want := range []string{"data: a\n\n", "data: b\n\n"} {
		if n, err := g.Read(buf); err != nil || string(buf[:n]) != want {
			t.Errorf("got %q, %v; want %q", buf[:n], err, want)
		}
	}
}

func TestGateLargeEvent(t *testing.T) {
	big := strings.Repeat("x", 2000)
	for _, tc := range []struct{ name, in, want string }{
		{"one line", "id: 7\ndata: " + big + "\n\ndata: b\n\n", "id: 7\n\ndata: b\n\n"},
		{"many lines", "id: 7\n" + strings.Repeat("data: 123456\n", 200) + "\ndata: b\n\n", "id: 7\n\ndata: b\n\n"},
		{"id behind", "data: " + big + "\nid: 7\ndata: a\nid: 8\nretry: 5\n\ndata: b\n\n", "id: 8\n\ndata: b\n\n"},
		{"no id", "data: " + big + "\n\ndata: b\n\n", "data: b\n\n"},
		{"many ids", strings.Repeat("id: 1234567890\n", 1000) + "\ndata: b\n\n", "id: 1234567890\n\ndata: b\n\n"},
		{"a line beyond all", "id: 7\ndata: " + strings.Repeat("y", 100_000) + "\n\ndata: b\n\n", "id: 7\n\ndata: b\n\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := 0
			g := newGate(iotest.HalfReader(strings.NewReader(tc.in)), 1000)
			g.onLarge = func() bool { calls++; return true }
			out, err := io.ReadAll(g)
			if err != nil || string(out) != tc.want || calls != 1 {
				t.Errorf("got %.200q, %v after %d calls; want %.200q after one", out, err, calls, tc.want)
			}
			if cap(g.ev) > 20_000 {
				t.Errorf("%d bytes are held", cap(g.ev))
			}
			// The end of the stream may come together with its last bytes.
			g = newGate(iotest.DataErrReader(strings.NewReader(tc.in)), 1000)
			if out, err := io.ReadAll(g); err != nil || string(out) != tc.want {
				t.Errorf("end with the last bytes: got %.200q, %v; want %.200q", out, err, tc.want)
			}
			g = newGate(strings.NewReader("data: a\n\n"+tc.in), 1000)
			g.onLarge = func() bool { return false }
			if out, err = io.ReadAll(g); err != nil || string(out) != "data: a\n\n" {
				t.Errorf("stopping: got %.200q, %v", out, err)
			}
		})
	}
}

// Wherever the reads are split, the outcome is the same; wherever the stream is
// cut, what comes is a whole number of its events.
func TestGateEveryPosition(t *testing.T) {
	for _, nl := range []string{"\n", "\r", "\r\n"} {
		var in string
		var events []string
		for i := range 6 {
			in += strings.ReplaceAll(fmt.Sprintf(":c\nid: %d\nevent: message\ndata: a%d\ndata: b\nretry: 3\n\n", i, i), "\n", nl)
			events = append(events, fmt.Sprintf("id: %d\ndata: a%d\ndata: b\nretry: 3\n\n", i, i))
		}
		whole := strings.Join(events, "")
		for i := range len(in) + 1 {
			g := newGate(io.MultiReader(strings.NewReader(in[:i]), strings.NewReader(in[i:])), 1<<20)
			if out, _ := io.ReadAll(g); string(out) != whole {
				t.Fatalf("%q split at %d: %q", nl, i, out)
			}
			out, _ := through(in[:i], 1<<20)
			n := strings.Count(out, "\n\n")
			if strings.Join(events[:n], "") != out {
				t.Fatalf("%q cut at %d: %q", nl, i, out)
			}
			// Each event comes no later than with its last byte but one, where
			// the last is the LF of a CRLF.
			if n < len(events) && i == len(in) {
				t.Fatalf("%q: %d events of %d", nl, n, len(events))
			}
		}
	}
}

// FuzzGate compares the gate with a slow reading of the HTML standard.
func FuzzGate(f *testing.F) {
	for _, s := range []string{"id: 1\ndata: a\n\n", "data: a\r\n\r\ndata\r\r", "\xef\xbb\xbf:c\ndata: a\n\nid\n\n", "id: \x00\n\n", "retry: 5\rfoo\n\ndata: x", "event: message\nevent: x\nevent:message\n\n"} {
		f.Add([]byte(s), uint64(1))
	}
	files, err := filepath.Glob("../../testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no conversations: %v", err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if i := bytes.Index(content, []byte("text/event-stream")); i >= 0 {
			f.Add(content[i:], uint64(2)) // what is no stream of it is noise, which is as good
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		limit := 64
		if seed%2 == 0 {
			limit += len(in)
		}
		g := newGate(&randomReader{bytes.NewReader(in), rnd}, limit)
		g.onLarge = func() bool { return true }
		var out []byte
		for {
			p := make([]byte, 1+rnd.IntN(50))
			n, err := g.Read(p)
			out = append(out, p[:n]...)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(in) <= limit {
			if want := slowGate(string(in)); string(out) != want {
				t.Fatalf("in %q\n got %q\nwant %q", in, out, want)
			}
		}
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n\n")) || bytes.Contains(out, []byte("\n\n\n")) || bytes.HasPrefix(out, []byte("\n")) {
			t.Fatalf("no whole events: %q", out)
		}
	})
}

type randomReader struct {
	r   io.Reader
	rnd *rand.Rand
}

func (r *randomReader) Read(p []byte) (int, error) {
	return r.r.Read(p[:1+r.rnd.IntN(min(len(p), 20))])
}

func slowGate(in string) string {
	in = strings.TrimPrefix(in, "\xef\xbb\xbf")
	in = strings.ReplaceAll(in, "\r\n", "\n")
	in = strings.ReplaceAll(in, "\r", "\n")
	lines := strings.Split(in, "\n")
	var out, event strings.Builder
	for _, line := range lines[:len(lines)-1] { // the last one has no end
		name, value, colon := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if event.Len() > 0 {
				out.WriteString(event.String() + "\n")
			}
			event.Reset()
		case name == "id" && strings.Contains(value, "\x00"):
		case name == "id" && value == "":
			event.WriteString("id:\x00\n")
		case line == "event: message" || line == "event:message":
			if strings.HasPrefix(event.String(), "event:") || strings.Contains(event.String(), "\nevent:") {
				event.WriteString(line + "\n")
			}
		case name == "data" || colon && (name == "id" || name == "event" || name == "retry"):
			event.WriteString(line + "\n")
		}
	}
	return out.String()
}
