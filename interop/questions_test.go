package interop

import (
	"bufio"
	"strings"
	"testing"
	"time"
)

// Servers hand a question out once: one by the stream of tasks/result, one by the
// GET stream. It comes again to who rejoins the session, after a command that did
// not answer it and after a kill.
func TestQuestionsOutliveCallboard(t *testing.T) {
	for name, c := range map[string]struct {
		serve  func(*testing.T) *child
		run    []string
		answer []string
		result string
	}{
		"everything": {
			func(t *testing.T) *child { return serveNpm(t, everything, "streamableHttp") },
			[]string{"simulate-research-query", "--arg", "topic=python", "--arg", "ambiguous=true"},
			[]string{"--field", "interpretation=snake"}, "python (snake)",
		},
		"simple": {
			func(t *testing.T) *child { return serveNpm(t, simple) },
			[]string{"collect-user-info-task", "--arg", "infoType=preferences"},
			[]string{"--field", "theme=dark", "--field", "notifications=false"}, `"theme": "dark"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t)
			url := c.serve(t).url
			id := p.run(0, append([]string{"run", url}, c.run...)...).Task.ID
			for deadline := time.Now().Add(patience); !p.run(0, "get", url, id).Task.Asks; {
				if time.Now().After(deadline) {
					t.Fatal("it never asked")
				}
			}
			p.run(2, "answer", url, id, "--field", "nonsense=1")
			for range 2 {
				p.killed(id, "watch", url)
			}
			p.run(0, append([]string{"answer", url, id}, c.answer...)...)
			if d := p.run(0, "result", url, id); len(d.Result.Content) == 0 || !strings.Contains(d.Result.Content[0].Text, c.result) {
				t.Errorf("the answer did not arrive: %+v", d.Result)
			}
		})
	}
}

// killed runs a command and kills it once it tells of the question of a task.
func (p *program) killed(id string, args ...string) {
	p.t.Helper()
	watch := p.command(p.t.Context(), args...)
	lines, err := watch.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		p.t.Fatal(err)
	}
	hang := time.AfterFunc(patience, func() { _ = watch.Process.Kill() }) // then nothing was seen
	defer hang.Stop()
	seen, said := false, ""
	for scan := bufio.NewScanner(lines); !seen && scan.Scan(); said += scan.Text() + "\n" {
		seen = strings.Contains(scan.Text(), "asks ") && strings.Contains(scan.Text(), id)
	}
	_ = watch.Process.Kill() // it may have ended
	_ = watch.Wait()         // it was killed
	if !seen {
		p.t.Errorf("%s: no question in\n%s", strings.Join(args, " "), said)
	}
}
