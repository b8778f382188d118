package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model"
	"callboard/model/task"
)

// What stands against keeping things is told to scripts, too.
func TestTroubleWithWhatIsKept(t *testing.T) {
	inEras(t, []mcptest.Tool{digging}, func(t *testing.T, p *place, _ *mcptest.Server) {
		id := p.well("run", "dig", "--arg", "end=never")
		files, _ := filepath.Glob(filepath.Join(p.dir, "servers", "*.json"))
		if len(files) != 1 {
			t.Fatalf("files %q", files)
		}
		good, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		write := func(content string) {
			if err := os.WriteFile(files[0], []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(strings.Replace(string(good), `"version": 1`, `"version": 99`, 1))
		if s := p.do("ls"); s.code != 0 || strings.Count(s.errs, "a newer callboard") != 1 {
			t.Errorf("a newer file: %+v", s)
		}
		write("{")
		if s := p.do("ls"); s.code != 0 || strings.Count(s.errs, "is set aside as") != 1 || strings.Contains(s.out, id) {
			t.Errorf("a damaged file: %+v", s)
		}
		if s := p.do("ls"); s.code != 0 || strings.Contains(s.errs, "damaged") {
			t.Errorf("it was set aside: %+v", s)
		}
	})
}

// A row of other credentials says so, whatever became of its task.
func TestCellsOfWhatIsNotOurs(t *testing.T) {
	for _, status := range []task.Status{task.Working, task.Completed} {
		r := &model.Row{Key: task.Key{Server: "s", ID: "t"}, Task: task.Task{Status: status}, Mark: model.NotOurs}
		if got := cells(r, time.Now())[0]; got != "not ours" {
			t.Errorf("%s: %q", status, got)
		}
	}
}

// JSON calls a tool by its name, whoever started it and when.
func TestJSONHasTheNameOfTheTool(t *testing.T) {
	titled := digging
	titled.Title = "Dig a hole"
	inEras(t, []mcptest.Tool{titled}, func(t *testing.T, p *place, _ *mcptest.Server) {
		for _, line := range [][]string{{"run", "dig", "--arg", "end=well", "--wait", "--json"}, {"ls", "--json"}} {
			if s := p.do(line...); !strings.Contains(s.out, `"tool": "dig"`) {
				t.Errorf("%q: %s%s", line, s.out, s.errs)
			}
		}
	})
}

// A slip is told in words that help.
func TestSlips(t *testing.T) {
	inEras(t, []mcptest.Tool{asking, digging}, func(t *testing.T, p *place, _ *mcptest.Server) {
		s := p.do("run", "dig", "--arg", "end=well", "--arg", "depht=3", "--wait")
		if s.code != 0 || !strings.Contains(s.errs, "the tool names no argument depht (it has ") {
			t.Errorf("%+v", s)
		}
		id := p.well("run", "ask")
		p.awaits(id)
		p.badly(exitUsage, "(Mon, Tue)", "answer", id, "--field", "name=Ada", "--field", "days=Wed")
	})
}
