package cli

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"callboard/leaktest"
	"callboard/mcpclient"
	"callboard/mcpclient/mcptest"
	"callboard/model"
	"callboard/model/task"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// endpoint is the client as the model wants it.
type endpoint struct{ *mcpclient.Endpoint }

func (e endpoint) Dial(ctx context.Context, resume task.Resume) (model.Server, error) {
	s, err := e.Endpoint.Dial(ctx, resume)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// paper is what was printed.
type paper struct {
	mu      sync.Mutex
	text    string
	refuses error
	changed chan struct{}
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses != nil {
		return 0, p.refuses
	}
	p.text += string(b)
	close(p.changed)
	p.changed = make(chan struct{})
	return len(b), nil
}

// see waits for a line that matches.
func (p *paper) see(t *testing.T, pattern string) {
	t.Helper()
	line := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  srv  ` + pattern + `$`)
	for deadline := time.After(time.Minute); ; {
		p.mu.Lock()
		found, changed, text := line.MatchString(p.text), p.changed, p.text
		p.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("no line %s in:\n%s", line, text)
		}
	}
}

// printed returns what was printed so far.
func (p *paper) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

// watched runs WatchModel on a server until the end of the test.
func watched(t *testing.T, s *mcptest.Server, o model.Options) (*paper, <-chan error) {
	t.Helper()
	const url = mcptest.MemoryURL
	ep, err := mcpclient.NewEndpoint(mcpclient.Config{URL: url, RoundTripper: s.Transport(), ReadOnly: o.ReadOnly})
	if err != nil {
		t.Fatal(err)
	}
	o.Targets = []model.Target{{Name: "srv", URL: url, Endpoint: endpoint{ep}}}
	m := model.New(o)
	p := &paper{changed: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ended <- WatchModel(ctx, m, p, false)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		m.Shutdown()
	})
	return p, ended
}

func serve(t *testing.T, options ...mcptest.Option) (*mcptest.Server, string) {
	t.Helper()
	s := mcptest.New(append([]mcptest.Option{mcptest.WithSharedTasks(), mcptest.WithPollInterval(500 * time.Millisecond)}, options...)...)
	t.Cleanup(func() { _ = s.Close() })
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	return s, url
}

// watching runs a test on a server that has tasks for all, in virtual time: how a
// task is heard of depends on what comes first.
func watching(t *testing.T, test func(t *testing.T, s *mcptest.Server), options ...mcptest.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := mcptest.New(append([]mcptest.Option{mcptest.WithSharedTasks(), mcptest.WithPollInterval(500 * time.Millisecond)}, options...)...)
		t.Cleanup(func() { _ = s.Close() })
		test(t, s)
	})
}

func TestWatch(t *testing.T) { watching(t, watchTasks) }

func watchTasks(t *testing.T, s *mcptest.Server) {
	s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working, Message: "digging\x1b[31m"})
	s.AddTask(mcptest.Task{ID: "t-2", Status: mcptest.Working})
	p, _ := watched(t, s, model.Options{ReadOnly: true})
	p.see(t, `live            http://.*`)
	p.see(t, `working         t-1  \(listed\)  digging.*`)
	if strings.Contains(p.printed(), "\x1b") {
		t.Error("an escape sequence of the server was printed")
	}
	if !s.SetStatus("t-1", mcptest.InputRequired, "which one?") {
		t.Fatal("no such task")
	}
	p.see(t, `asking          t-1  \(pushed\)  which one\?`)
	s.SetStatus("t-1", mcptest.Completed, "dug")
	p.see(t, `completed       t-1  \(pushed\)  dug`)
	s.AddTask(mcptest.Task{ID: "t-3", Status: mcptest.Working})
	s.Announce("t-3")
	p.see(t, `working         t-3  \(pushed\)`)
	s.RemoveTask("t-2")
	p.see(t, `gone            t-2  the server does not know it any more`)
	_ = s.Close()
	p.see(t, `down            .*connection refused.*next try .*`)
	if n := strings.Count(p.printed(), "completed"); n != 1 {
		t.Errorf("the end was told %d times:\n%s", n, p.printed())
	}
	if n := strings.Count(p.printed(), "working         t-2"); n != 1 {
		t.Errorf("a status was told %d times, and the server told it once:\n%s", n, p.printed())
	}
}

// Where nothing is tried any more, nobody is left waiting for it.
func TestWatchSaysWhatIsHopeless(t *testing.T) {
	watching(t, watchInVain, mcptest.WithToken("s3cret"))
}

func watchInVain(t *testing.T, s *mcptest.Server) {
	p, ended := watched(t, s, model.Options{ReadOnly: true})
	p.see(t, `down            .*wants a token.*no next try by itself`)
	select {
	case err := <-ended:
		if ExitCode(err) != exitAuth {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for nothing")
	}
}

func TestWatchPrompts(t *testing.T) { watching(t, watchPrompts) }

func watchPrompts(t *testing.T, s *mcptest.Server) {
	s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working})
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan struct{})
	p, _ := watched(t, s, model.Options{})
	p.see(t, `working         t-1.*`)
	go func() {
		defer close(asked)
		_, _ = s.Ask(ctx, "t-1", mcptest.Elicitation{Message: "Who?", Schema: []byte(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
	}()
	p.see(t, `asks            t-1  Who\?  \(fields: name\)`)
	cancel()
	<-asked
	p.see(t, `withdrawn       t-1  Who\?.*`)
}

func TestWatchEndsWhenNobodyReads(t *testing.T) { watching(t, watchUnread) }

func watchUnread(t *testing.T, s *mcptest.Server) {
	p, ended := watched(t, s, model.Options{ReadOnly: true})
	p.see(t, `live .*`)
	gone := errors.New("nobody reads")
	p.mu.Lock()
	p.refuses = gone
	p.mu.Unlock()
	s.AddTask(mcptest.Task{ID: "t-1", Status: mcptest.Working})
	s.Announce("t-1")
	select {
	case err := <-ended:
		if !errors.Is(err, gone) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on printing to nobody")
	}
}

func TestWatchSaysWhyThereIsNoServer(t *testing.T) {
	watching(t, func(t *testing.T, s *mcptest.Server) {
		p, _ := watched(t, s, model.Options{ReadOnly: true})
		p.see(t, `down            .*401.*`)
	}, mcptest.WithToken("right"))
}
