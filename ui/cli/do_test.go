package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient"
	"callboard/mcpclient/mcptest"
	"callboard/model"
	"callboard/model/state"
)

// place is where command lines are carried out one after the other, each as a
// process of its own would: what they know of each other is on disk.
type place struct {
	t        *testing.T
	url, dir string
	memory   http.RoundTripper                                      // not nil: the server, without a network
	sampler  func(context.Context, json.RawMessage) (string, error) // what --sampling-command would be
	in       io.Reader                                              // not nil: a person types it
	quiet    func() func()
}

// said is what a command line printed, and how it ended.
type said struct {
	out, errs string
	code      int
	err       error
}

func (p *place) do(words ...string) said {
	p.t.Helper()
	return p.doUntil(p.t.Context(), words...)
}

func (p *place) doUntil(ctx context.Context, words ...string) said {
	p.t.Helper()
	a, err := Parse(append(words[:1:1], append([]string{p.url}, words[1:]...)...), lookup(), nil)
	if err != nil {
		p.t.Fatalf("%q: %v", words, err)
	}
	ep, err := mcpclient.NewEndpoint(mcpclient.Config{URL: p.url, RoundTripper: p.memory, Protocol: a.Protocol, Sampling: a.Servers[0].Samples()})
	if err != nil {
		p.t.Fatal(err)
	}
	folder, err := state.Open(p.dir)
	if err != nil {
		p.t.Fatal(err)
	}
	memory := folder.Server(p.url, state.Credentials{})
	if a.Beside(p.in != nil) {
		memory = memory.Aside()
	}
	m := model.New(model.Options{OnDemand: a.OnDemand, ReadOnly: a.ReadOnly, Sampler: p.sampler, Targets: []model.Target{{
		Name: a.Servers[0].Name, URL: a.Servers[0].Shown, Endpoint: endpoint{ep}, Memory: memory, Watch: append(a.Tasks, a.IDs...),
	}}})
	var out, errs bytes.Buffer
	env := Env{In: p.in, Out: &out, Err: &errs, Terminal: p.in != nil, Quiet: p.quiet}
	if env.In == nil {
		env.In = strings.NewReader("")
	}
	err = Do(ctx, a, m, env)
	m.Shutdown() //nolint:contextcheck // it has its own time
	s := said{out.String(), errs.String(), ExitCode(err), err}
	if err != nil {
		s.errs += err.Error() + "\n"
	}
	if a.JSON && a.Command != Watch {
		var doc any
		d := json.NewDecoder(strings.NewReader(s.out))
		if err := d.Decode(&doc); err != nil && s.code != exitUsage {
			p.t.Errorf("%q: not JSON: %v\n%s", words, err, s.out)
		} else if _, err := d.Token(); !errors.Is(err, io.EOF) {
			p.t.Errorf("%q: more than one document: %s", words, s.out)
		}
	}
	return s
}

// well runs a command that must go well, and returns what it printed.
func (p *place) well(words ...string) string {
	p.t.Helper()
	s := p.do(words...)
	if s.err != nil {
		p.t.Fatalf("%q: %v\n%s%s", words, s.err, s.out, s.errs)
	}
	return strings.TrimSpace(s.out)
}

// badly runs a command that must end with code, and say these words.
func (p *place) badly(code int, words string, line ...string) said {
	p.t.Helper()
	s := p.do(line...)
	if s.code != code || !strings.Contains(s.out+s.errs, words) {
		p.t.Errorf("%q: code %d, want %d and %q:\n%s%s", line, s.code, code, words, s.out, s.errs)
	}
	return s
}

var eras = map[string]mcptest.Era{"2025-11-25": mcptest.LegacyEra, "2026-07-28": mcptest.ModernEra}

// inEras runs a test on a server of each generation, which binds its tasks to
// sessions where there are some.
func inEras(t *testing.T, tools []mcptest.Tool, test func(t *testing.T, p *place, s *mcptest.Server)) {
	for name, era := range eras {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inMemory(t, func(p *place, s *mcptest.Server) { test(p.t, p, s) }, mcptest.WithEra(era), mcptest.WithTools(tools...))
		})
	}
}

// inMemory runs a test on a server without a network, in virtual time: a busy
// machine changes nothing of what is said when time is over.
func inMemory(t *testing.T, test func(p *place, s *mcptest.Server), options ...mcptest.Option) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := mcptest.New(append([]mcptest.Option{mcptest.WithPollInterval(500 * time.Millisecond)}, options...)...)
		defer func() { _ = s.Close() }()
		test(&place{t: t, url: mcptest.MemoryURL, memory: s.Transport(), dir: dir}, s)
	})
}

const nameSchema = `{"type":"object","properties":{"name":{"type":"string","title":"Name","minLength":2},
	"n":{"type":"integer","default":1},"days":{"type":"array","items":{"type":"string","enum":["Mon","Tue"]}}},"required":["name"]}`

// asking asks for a name and answers with what it got.
var asking = mcptest.Tool{Name: "ask", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
	r, err := c.Elicit(mcptest.Elicitation{Message: "Who?", Schema: []byte(nameSchema)})
	if err != nil {
		return mcptest.ToolError(err.Error())
	}
	return mcptest.Answered(r.Action + " " + string(r.Content))
}}

// digging ends as its argument says.
var digging = mcptest.Tool{
	Name: "dig", TaskSupport: mcptest.Optional,
	InputSchema: []byte(`{"type":"object","properties":{"end":{"type":"string"},"deep":{"type":"number"}},"required":["end"]}`),
	Run: func(ctx context.Context, c *mcptest.Call) mcptest.Outcome {
		var args struct {
			End  string
			Deep float64
		}
		_ = c.Bind(&args)
		switch args.End {
		case "well":
			return mcptest.Answered(fmt.Sprintf("dug %g\x1b[31m deep", args.Deep))
		case "badly":
			return mcptest.ToolError("the spade broke")
		case "error":
			return mcptest.Refused(-32010, "no spade", nil)
		}
		<-ctx.Done()
		return mcptest.Answered()
	},
}

// What one process starts, others list, answer and read: also where the tasks
// are a session's, and where none are listed.
func TestRunLsAnswerResult(t *testing.T) {
	inEras(t, []mcptest.Tool{asking}, func(t *testing.T, p *place, s *mcptest.Server) {
		id := p.well("run", "ask")
		synctest.Wait()
		streams := s.Count("GET")
		p.awaits(id)
		if list := p.well("ls"); !strings.Contains(list, "asking") || !strings.Contains(list, id) || !strings.Contains(list, "ask") {
			t.Errorf("ls:\n%s", list)
		}
		p.badly(exitAsks, "callboard answer "+p.url+" "+id, "result", id)
		synctest.Wait()
		if n := s.Count("GET"); n != streams {
			t.Errorf("who only looks took the stream %d times", n-streams)
		}
		p.badly(exitUsage, "answer with what?", "answer", id)
		p.badly(exitUsage, "there is no field nope (it has name, n, days)", "answer", id, "--field", "nope=1")
		if out := p.well("answer", id, "--field", "name=Ada", "--field", "days=Tue", "--field", "days=Mon"); !strings.Contains(out, "Who?") || !strings.Contains(out, "accept") {
			t.Errorf("answer:\n%s", out)
		}
		if out := p.well("result", id); out != `accept {"name":"Ada","n":1,"days":["Tue","Mon"]}` {
			t.Errorf("result: %q", out)
		}
		if out := p.well("get", id); !strings.Contains(out, "completed") {
			t.Errorf("get:\n%s", out)
		}
		p.badly(exitFailed, "asks nothing any more: it is completed", "answer", id, "--decline")
	})
}

// awaits waits until the server says that a task asks.
func (p *place) awaits(id string) {
	p.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if strings.Contains(p.well("get", id), "input_required") {
			return
		}
	}
	p.t.Fatalf("%s never asks", id)
}

func TestRunWait(t *testing.T) {
	inEras(t, []mcptest.Tool{digging}, func(t *testing.T, p *place, _ *mcptest.Server) {
		s := p.do("run", "dig", "--arg", "end=well", "--arg", "deep=3", "--wait")
		if s.code != 0 || s.out != "dug 3 deep\n" || !strings.Contains(s.errs, "callboard: task ") {
			t.Errorf("%+v", s)
		}
		var doc struct {
			Task struct {
				ID, Status, Tool string
				TTL              *int64 `json:"ttlMs"`
			}
			Result struct{ Content []struct{ Text string } }
			Error  struct {
				Code    int
				Message string
			}
		}
		read := func(s said) {
			t.Helper()
			if err := json.Unmarshal([]byte(s.out), &doc); err != nil {
				t.Fatal(err)
			}
		}
		s = p.do("run", "dig", "--arg", "end=well", "--wait", "--json")
		read(s)
		if doc.Task.ID == "" || doc.Task.Status != "completed" || doc.Task.TTL == nil || doc.Result.Content[0].Text != "dug 0\x1b[31m deep" || strings.Contains(s.out, "\x1b") {
			t.Errorf("%s", s.out)
		}
		s = p.badly(exitFailed, "the spade broke", "run", "dig", "--arg", "end=badly", "--wait")
		if s.out != "the spade broke\n" {
			t.Errorf("what the tool says of its failure is its result: %q", s.out)
		}
		read(p.badly(exitFailed, "no spade", "run", "dig", "--arg", "end=error", "--wait", "--json"))
		if doc.Error.Code != -32010 || doc.Error.Message != "no spade" {
			t.Errorf("%+v", doc)
		}
		p.badly(exitUsage, "end is required", "run", "dig")
		p.badly(exitUsage, `no tool "nope"`, "run", "nope")
		p.badly(exitUsage, "deep must be a number", "run", "dig", "--arg", "end=well", "--arg", "deep=far")
	})
}

// A prompt that nobody can answer ends the waiting, not the task.
func TestPromptWithoutATerminal(t *testing.T) {
	inEras(t, []mcptest.Tool{asking}, func(t *testing.T, p *place, _ *mcptest.Server) {
		var doc struct {
			Task    struct{ ID, Status string }
			Prompts []struct{ Key, Message string }
		}
		s := p.badly(exitAsks, "waits for an answer", "run", "ask", "--wait", "--json")
		if err := json.Unmarshal([]byte(s.out), &doc); err != nil || doc.Task.Status != "input_required" {
			t.Fatalf("%v %s", err, s.out)
		}
		if p.badly(exitAsks, "waits for an answer", "watch", doc.Task.ID); doc.Task.ID == "" {
			t.Error("no id")
		}
		p.badly(exitAsks, "what was given does not answer it: name must be at least 2", "run", "ask", "--wait", "--field", "name=A")
		if out := p.well("answer", doc.Task.ID, "--cancel", "--json"); !strings.Contains(out, `"action": "cancel"`) {
			t.Error(out)
		}
		if out := p.well("result", doc.Task.ID); out != "cancel" {
			t.Errorf("result: %q", out)
		}
		if out := p.well("run", "ask", "--wait", "--decline"); out != "decline" {
			t.Errorf("run --decline: %q", out)
		}
		p.in = strings.NewReader(`{"name":"Bob","n":7}`)
		id := p.well("run", "ask")
		if p.well("answer", id, "--data", "-"); p.well("result", id) != `accept {"name":"Bob","n":7}` {
			t.Error("--data is not what the server got")
		}
	})
}

// On a terminal a prompt is asked line by line.
func TestPromptOnATerminal(t *testing.T) {
	inEras(t, []mcptest.Tool{asking}, func(t *testing.T, p *place, _ *mcptest.Server) {
		p.in = strings.NewReader("\nA\nAda\nx\n5\n1,Tue\nno\n\n:skip\n\nyes\n")
		s := p.do("run", "ask", "--wait")
		if s.code != 0 || s.out != `accept {"name":"Ada","days":["Mon","Tue"]}`+"\n" {
			t.Errorf("%+v", s)
		}
		for _, want := range []string{"asks, for", "Who?", ":decline tells the server no, :cancel dismisses the question,", "Name: ", "! it is required", "! name must be at least 2", "! n must be a number", "n (optional) [1]: ", "  1  \"Mon\"", `"n":5`} {
			if !strings.Contains(s.errs, want) {
				t.Errorf("no %q in:\n%s", want, s.errs)
			}
		}
		p.in = strings.NewReader("::x\n:later\n")
		s = p.badly(exitAsks, "waits for an answer", "run", "ask", "--wait")
		_, rest, _ := strings.Cut(s.errs, "callboard: task ")
		id, _, _ := strings.Cut(rest, "\n")
		p.in = strings.NewReader(":decline\n")
		p.well("answer", id)
		if out := p.well("result", id); out != "decline" {
			t.Errorf("result: %q", out)
		}
	})
}

// ctrl+c while a question is open leaves it open.
func TestInterruptedQuestion(t *testing.T) {
	inEras(t, []mcptest.Tool{asking}, func(t *testing.T, p *place, s *mcptest.Server) {
		in, typing := io.Pipe()
		defer typing.Close()
		p.in = in
		gone := errors.New("ctrl+c")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { // the first line is read once the question stands
			_, _ = typing.Write([]byte("Ada\n"))
			cancel(gone)
		}()
		if s := p.doUntil(ctx, "run", "ask", "--wait"); !errors.Is(s.err, gone) {
			t.Errorf("%+v", s)
		}
		tasks := s.Tasks()
		if len(tasks) != 1 || tasks[0].Status != mcptest.InputRequired {
			t.Errorf("%+v", tasks)
		}
	})
}

func TestCancelTasks(t *testing.T) {
	deaf := digging
	deaf.Name, deaf.Deaf = "deaf", true
	inEras(t, []mcptest.Tool{digging, deaf}, func(t *testing.T, p *place, s *mcptest.Server) {
		one, two := p.well("run", "dig", "--arg", "end=never"), p.well("run", "dig", "--arg", "end=well")
		p.well("result", two)
		said := p.badly(exitFailed, "had ended before: completed", "cancel", one, two, "nope")
		for _, want := range []string{one, two, "nope", "unknown", "ended"} {
			if !strings.Contains(said.out, want) {
				t.Errorf("no %q in:\n%s", want, said.out)
			}
		}
		p.badly(exitFailed, "was cancelled", "result", one)
		_, modern := eras[t.Name()[strings.LastIndex(t.Name(), "/")+1:]]
		if id := p.well("run", "deaf", "--arg", "end=never"); modern && s.Count("tasks/cancel") > 0 {
			if out := p.well("cancel", id); !strings.Contains(out, "requested") && !strings.Contains(out, "cancelled") {
				t.Errorf("cancel: %s", out)
			}
		}
	})
}

// Several questions at once are told apart by their keys.
func TestSeveralPrompts(t *testing.T) {
	both := mcptest.Tool{Name: "both", TaskSupport: mcptest.Required, Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
		schema := []byte(`{"type":"object","properties":{"ok":{"type":"boolean","default":true}}}`)
		rs, err := c.ElicitAll(mcptest.Question{Key: "first", Elicitation: mcptest.Elicitation{Message: "One?", Schema: schema}},
			mcptest.Question{Key: "second", Elicitation: mcptest.Elicitation{Message: "Two?", Schema: schema}})
		if err != nil {
			return mcptest.ToolError(err.Error())
		}
		return mcptest.Answered(fmt.Sprintf("%s %s, %s %s", rs[0].Action, rs[0].Content, rs[1].Action, rs[1].Content))
	}}
	inMemory(t, func(p *place, s *mcptest.Server) { severalPrompts(t, p, s) }, mcptest.WithEra(mcptest.ModernEra), mcptest.WithTools(both))
}

func severalPrompts(t *testing.T, p *place, s *mcptest.Server) {
	t.Helper()
	id := p.well("run", "both")
	p.awaits(id)
	if out := p.well("get", id); !strings.Contains(out, "--prompt first") || !strings.Contains(out, "--prompt second") {
		t.Errorf("get:\n%s", out)
	}
	p.badly(exitUsage, "say which by --prompt (first: One?; second: Two?)", "answer", id, "--field", "ok=no")
	p.badly(exitUsage, "there is no question third: first: One?", "answer", id, "--field", "ok=no", "--prompt", "third", "--timeout", "500ms")
	p.well("answer", id, "--field", "ok=no", "--prompt", "second")
	p.well("answer", id, "--accept-defaults")
	if out := p.well("result", id); out != `accept {"ok":true}, accept {"ok":false}` {
		t.Errorf("result: %q", out)
	}
	id = p.well("run", "both")
	p.awaits(id)
	before := s.Count("tasks/update")
	if out := p.well("answer", id, "--decline", "--json"); strings.Count(out, `"decline"`) != 2 || s.Count("tasks/update") != before+1 {
		t.Errorf("answer, in %d messages: %s", s.Count("tasks/update")-before, out)
	}
}

func TestFailures(t *testing.T) {
	p := &place{t: t, url: "http://127.0.0.1:1/mcp", dir: t.TempDir()}
	s := p.badly(exitUnreachable, `"kind": "unreachable"`, "ls", "--json")
	if !strings.Contains(s.errs, "refused") {
		t.Error(s.errs)
	}
	_, p.url = serve(t, mcptest.WithToken("s3cret"))
	p.badly(exitAuth, "401", "tools")
	inMemory(t, func(p *place, s *mcptest.Server) { taskFailures(t, p, s) }, mcptest.WithSharedTasks())
}

func taskFailures(t *testing.T, p *place, server *mcptest.Server) {
	t.Helper()
	p.badly(exitFailed, "knows no task nope", "get", "nope")
	p.badly(exitFailed, "knows no task nope", "watch", "nope")
	server.AddTask(mcptest.Task{ID: "t-1\x1b[31m", Status: mcptest.Working, Message: "a\u202eb"})
	p.badly(exitLate, "out of time after 300ms: the task goes on", "result", "t-1\x1b[31m", "--timeout", "300ms")
	s := p.do("ls", "--json")
	if strings.ContainsAny(s.out, "\x1b\u202e") || !strings.Contains(s.out, `"t-1\u001b[31m"`) {
		t.Errorf("ids are raw, and nothing acts on the terminal: %s", s.out)
	}
	if s = p.do("ls"); strings.Contains(s.out, "\x1b") || !strings.Contains(s.out, "t-1 ") {
		t.Errorf("%q", s.out)
	}
}

// watch ID ends with the task; --json is an object a line.
func TestWatchOne(t *testing.T) {
	inEras(t, []mcptest.Tool{digging}, func(t *testing.T, p *place, _ *mcptest.Server) {
		id := p.well("run", "dig", "--arg", "end=badly")
		s := p.do("watch", id, "--json")
		if s.code != exitFailed {
			t.Errorf("code %d: %s", s.code, s.errs)
		}
		last := map[string]string{}
		for line := range strings.Lines(s.out) {
			var e struct{ At, Server, Event, Word, Task string }
			if err := json.Unmarshal([]byte(line), &e); err != nil || e.At == "" || e.Server == "" {
				t.Errorf("%v: %s", err, line)
			}
			last[e.Event] = e.Word + " " + e.Task
		}
		if last["status"] != "failed "+id && last["status"] != "completed "+id {
			t.Errorf("%v\n%s", last, s.out)
		}
	})
}

func TestWatchInTime(t *testing.T) {
	inMemory(t, func(p *place, s *mcptest.Server) {
		s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working})
		if said := p.badly(exitLate, "out of time", "watch", "--timeout", "1s"); !strings.Contains(said.out, "t-1") {
			t.Error(said.out)
		}
	}, mcptest.WithSharedTasks())
}

func TestTTL(t *testing.T) {
	s, url := serve(t, mcptest.WithTools(digging))
	p := &place{t: t, url: url, dir: t.TempDir()}
	p.well("run", "dig", "--arg", "end=never", "--ttl", "7m")
	if tasks := s.Tasks(); len(tasks) != 1 || tasks[0].TTL != 7*time.Minute {
		t.Errorf("%+v", tasks)
	}
	p.badly(exitUsage, "--ttl is for tasks", "run", "dig", "--arg", "end=well", "--plain", "--ttl", "7m")
	if out := p.well("run", "dig", "--arg", "end=well", "--plain"); out != "dug 0 deep" {
		t.Errorf("a plain call: %q", out)
	}
	if n := len(s.Tasks()); n != 1 {
		t.Errorf("a plain call made a task: %d", n)
	}
}

// A server from before tasks is good for plain calls.
func TestOlderServer(t *testing.T) {
	_, url := serve(t, mcptest.WithVersion("2025-06-18"), mcptest.WithTools(digging))
	p := &place{t: t, url: url, dir: t.TempDir()}
	if s := p.do("run", "dig", "--arg", "end=well"); s.code != 0 || s.out != "dug 0 deep\n" {
		t.Errorf("%+v", s)
	}
	if s := p.do("ls"); s.code != 0 || s.out != "" || !strings.Contains(s.errs, "2025-06-18") {
		t.Errorf("ls: %+v", s)
	}
}

// An answer that takes effect later is waited for, so that who asks for the
// task next is not told that it asks.
func TestAnswerTakesEffect(t *testing.T) {
	inMemory(t, func(p *place, _ *mcptest.Server) {
		id := p.well("run", "ask")
		p.awaits(id)
		p.well("answer", id, "--field", "name=Ada")
		if out := p.well("result", id); out != `accept {"name":"Ada","n":1}` {
			p.t.Errorf("result: %q", out)
		}
	}, mcptest.WithEra(mcptest.ModernEra), mcptest.WithTools(asking), mcptest.WithFaults(mcptest.Faults{EffectLag: time.Second}))
}

// A handle that is kept is not taken for the task: what the server forgot is gone.
func TestForgottenByTheServer(t *testing.T) {
	inEras(t, []mcptest.Tool{digging}, func(t *testing.T, p *place, s *mcptest.Server) {
		id := p.well("run", "dig", "--arg", "end=never")
		s.RemoveTask(id)
		const words = "is gone: the server does not know it any more"
		if got := p.badly(exitFailed, "the task "+id+" "+words, "get", id); !strings.Contains(got.out, "working (gone: ") {
			t.Errorf("get:\n%s", got.out)
		}
		if got := p.badly(exitFailed, words, "get", id, "--json"); !strings.Contains(got.out, `"mark": "gone"`) || !strings.Contains(got.out, `"error"`) {
			t.Errorf("get:\n%s", got.out)
		}
		if out := p.well("ls"); !strings.Contains(out, "gone") || !strings.Contains(out, id) || strings.Contains(out, "working") {
			t.Errorf("ls:\n%s", out)
		}
		p.badly(exitFailed, words, "result", id)
	})
}

// Who waits for a result waits for a server that is restarted, too.
func TestResultOutlivesARestart(t *testing.T) {
	s, url := serve(t)
	s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working})
	p := &place{t: t, url: url, dir: t.TempDir()}
	ended := make(chan said, 1)
	go func() { ended <- p.do("result", "t-1") }()
	// Before the second the first was answered: who never saw the task is not patient.
	if err := s.WaitFor(t.Context(), "tasks/get", 2); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	var lc net.ListenConfig
	proxy, err := lc.Listen(t.Context(), "tcp", host) // of a server that is down
	if err != nil {
		t.Fatal(err)
	}
	tried := make(chan struct{})
	go func() {
		defer close(tried)
		if c, err := proxy.Accept(); err == nil {
			_ = c.Close()
		}
	}()
	select {
	case <-tried:
		_ = proxy.Close()
	case r := <-ended:
		_ = proxy.Close()
		t.Fatalf("it did not wait: %+v", r)
	}
	again := mcptest.New(mcptest.WithSharedTasks())
	t.Cleanup(func() { _ = again.Close() })
	again.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Completed, Outcome: mcptest.Answered("done after all")})
	if _, err := again.StartOn(host); err != nil {
		t.Fatal(err)
	}
	if r := <-ended; r.code != 0 || r.out != "done after all\n" {
		t.Errorf("%+v", r)
	}
}
