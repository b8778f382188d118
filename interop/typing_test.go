//go:build unix

package interop

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"callboard/ui/term/termtest"
)

// dashboard runs the dashboard on a terminal.
func (p *program) dashboard(url string) *termtest.Session {
	p.t.Helper()
	cmd := p.command(p.t.Context(), url)
	cmd.Env = termtest.Environ(p.env...)
	return termtest.Start(p.t, cmd, 120, 40)
}

// drafts counts the drafts on disk that hold text.
func (p *program) drafts(text string) (n int) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.state, "callboard", "drafts", "*", "*.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, path := range files {
		if content, err := os.ReadFile(path); err == nil && bytes.Contains(content, []byte(text)) {
			n++
		}
	}
	return n
}

// callboard is killed while a person types: the next one has it in the form of the
// same question, which the server hands out once, and what it sends arrives.
func TestKilledWhileTyping(t *testing.T) {
	for name, tt := range map[string]struct {
		serve  func(*testing.T) *child
		run    []string
		asks   string // part of the question
		keys   string
		shown  string // on the screen, what the keys come to
		kept   string // on the disk, the same
		rest   string // the keys after the restart
		result string
	}{
		"everything": {
			func(t *testing.T) *child { return serveNpm(t, everything, "streamableHttp") },
			[]string{"simulate-research-query", "--arg", "topic=python", "--arg", "ambiguous=true"},
			"multiple interpretations", "\x1b[B", "● Python snake", "snake", "\x13", "python (snake)",
		},
		"simple": {
			func(t *testing.T) *child { return serveNpm(t, simple) },
			[]string{"collect-user-info-task", "--arg", "infoType=contact"},
			"provide your contact", "Ada Lovelace", "› Ada Lovelace", "Lovelace", "\tada@example.com\x13", "Ada Lovelace",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t)
			url := tt.serve(t).url
			id := p.run(0, append([]string{"run", url}, tt.run...)...).Task.ID
			d := p.dashboard(url)
			d.See("1 prompt")
			d.Type("a")
			d.See(tt.asks)
			d.Type(tt.keys)
			d.See(tt.shown)
			for began := time.Now(); p.drafts(tt.kept) == 0; <-time.After(10 * time.Millisecond) {
				if time.Since(began) > patience { // a second, where the machine is not busy
					t.Fatalf("what was typed is not on disk; the screen:\n%s", d.Screen())
				}
			}
			d.Signal(syscall.SIGKILL)
			d.Exit()

			d = p.dashboard(url)
			d.See("1 prompt")
			d.Type("a")
			d.See(tt.asks)
			d.See(tt.shown)
			d.Type(tt.rest)
			d.SeeNot(tt.asks)
			d.Type("q")
			d.Exit()
			if r := p.run(0, "result", url, id).Result; len(r.Content) == 0 || !strings.Contains(r.Content[0].Text, tt.result) {
				t.Errorf("the answer did not arrive: %+v", r)
			}
			if n := p.drafts(tt.kept); n > 0 {
				t.Errorf("what was sent is still in %d drafts", n)
			}
		})
	}
}
