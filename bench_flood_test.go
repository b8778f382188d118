//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"testing"
	"time"

	"callboard/keymap"
	"callboard/mcpclient"
	"callboard/mcpclient/mcptest"
	"callboard/model"
	"callboard/model/task"
	"callboard/themes"
	"callboard/ui"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	floodID  = "786512e2-9e0d-44bd-8f29-%012d"
	floodEnd = "the end of the flood"
)

// statuses is a stream of n status notifications about so many tasks. The last
// one tells by its message that it is.
func statuses(n, tasks int) []byte {
	var b bytes.Buffer
	for i := range n {
		message := fmt.Sprintf("Step %d of the work", i/tasks)
		if i == n-1 {
			message = floodEnd
		}
		fmt.Fprintf(&b, "id: %d\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks/status\",\"params\":{\"taskId\":\""+floodID+
			"\",\"status\":\"working\",\"statusMessage\":%q,\"createdAt\":\"2026-01-02T03:04:05.678Z\",\"lastUpdatedAt\":\"2026-01-02T03:%02d:%02d.%03dZ\","+
			"\"ttl\":null,\"pollInterval\":60000}}\n\n", i, i%tasks, message, 5+i/60_000, i/1000%60, i%1000)
	}
	return b.Bytes()
}

// bare is the least that anybody could do with the same bytes: to find the
// events and decode them.
func bare(b *testing.B, stream []byte) time.Duration {
	began := time.Now()
	for sc := bufio.NewScanner(bytes.NewReader(stream)); sc.Scan(); {
		data, ok := bytes.CutPrefix(sc.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var m struct {
			Method string
			Params struct {
				TaskID, Status, StatusMessage, CreatedAt, LastUpdatedAt string
				TTL, PollInterval                                       *float64
			}
		}
		if err := json.Unmarshal(data, &m); err != nil || m.Params.TaskID == "" {
			b.Fatal("the stream is faulty: ", err)
		}
	}
	return time.Since(began)
}

// flood serves as mcptest does, but pours stream into the GET stream once it
// is let go.
func flood(b *testing.B, stream []byte, tasks int, letGo <-chan struct{}) (url string) {
	server := mcptest.New(mcptest.WithSharedTasks(), mcptest.WithPageSize(0), mcptest.WithRecord(0), mcptest.WithTTL(mcptest.Unlimited, mcptest.Unlimited))
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	for i := range tasks {
		server.AddTask(mcptest.Task{ID: fmt.Sprintf(floodID, i), Status: mcptest.Working, Created: at, Updated: at, Poll: time.Minute})
	}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			server.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-letGo:
			_, _ = w.Write(stream)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case <-r.Context().Done():
		}
	}))
	b.Cleanup(func() { host.CloseClientConnections(); host.Close(); _ = server.Close() })
	return host.URL
}

// timedKey is a key with the time at which it was pressed.
type timedKey struct{ at time.Time }

// watcher is the screen, watched from within the program's loop.
type watcher struct {
	root    tea.Model
	m       *model.Model
	tasks   int
	last    task.ID       // the task of the last notification
	ready   chan struct{} // closed when all tasks are listed and push is open
	over    chan struct{} // closed when the last notification is stored
	pressed time.Time
	keys    []time.Duration
	at      [2]bool // ready, over
}

func (w *watcher) Init() tea.Cmd { return w.root.Init() }

func (w *watcher) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(timedKey); ok {
		w.pressed, msg = k.at, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'j'}}
	}
	root, cmd := w.root.Update(msg)
	w.root = root
	if !w.at[0] && w.m.Board().Total() == w.tasks && w.m.Links()[0].State == model.Live {
		w.at[0] = true
		close(w.ready)
	}
	if w.at[0] && !w.at[1] {
		r := w.m.Row(task.Key{Server: "flood", ID: w.last})
		if w.at[1] = r != nil && r.Task.Message.Line() == floodEnd; w.at[1] {
			close(w.over)
		}
	}
	return w, cmd
}

func (w *watcher) View() string {
	view := w.root.View()
	if !w.pressed.IsZero() {
		w.keys = append(w.keys, time.Since(w.pressed))
		w.pressed = time.Time{}
	}
	return view
}

// BenchmarkFlood takes 100,000 status notifications in: from a TCP connection
// through transport, session and model to the view, in the program's own loop
// at its own rate of frames, five times. "of-bare" is the speed as a part of that of
// scanning and decoding the same bytes and nothing else; keys are pressed
// meanwhile, and ms-key-p99 is how long one waits until it is drawn.
func BenchmarkFlood(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent)) // as in the program
	const n = 100_000
	for _, tasks := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("tasks=%d", tasks), func(b *testing.B) {
			stream := statuses(n, tasks)
			var took, least, keys []time.Duration
			for b.Loop() {
				for range 5 {
					least = append(least, bare(b, stream))
					d, k := floodOnce(b, stream, tasks)
					took, keys = append(took, d), append(keys, k...)
				}
			}
			whole, reference := quantile(took, 0.5), quantile(least, 0.5)
			b.ReportMetric(n/whole*1000, "events/s")
			b.ReportMetric(reference/whole, "of-bare")
			b.ReportMetric(quantile(keys, 0.99), "ms-key-p99")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func floodOnce(b *testing.B, stream []byte, tasks int) (took time.Duration, keys []time.Duration) {
	letGo := make(chan struct{})
	e, err := mcpclient.NewEndpoint(mcpclient.Config{URL: flood(b, stream, tasks, letGo)})
	if err != nil {
		b.Fatal(err)
	}
	m := model.New(model.Options{Targets: []model.Target{{Name: "flood", Endpoint: endpoint{e}}}})
	theme, err := themes.New("ansi", false, false)
	if err != nil {
		b.Fatal(err)
	}
	root := ui.New(m, ui.Options{Settings: ui.Settings{Theme: theme, Keys: keymap.Default()}})
	w := &watcher{root: root, m: m, tasks: tasks, last: task.ID(fmt.Sprintf(floodID, tasks-1)), ready: make(chan struct{}), over: make(chan struct{})}
	ctx, stop := context.WithTimeout(b.Context(), time.Minute)
	defer stop()
	p := tea.NewProgram(w, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithFPS(30), tea.WithoutSignalHandler())
	ended := make(chan error, 1)
	go func() { _, err := p.Run(); ended <- err }()
	p.Send(tea.WindowSizeMsg{Width: 120, Height: 40})
	await(ctx, b, w.ready)
	began := time.Now()
	close(letGo)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for going := true; going; {
		select {
		case <-tick.C:
			p.Send(timedKey{time.Now()})
		case <-w.over:
			going = false
		case <-ctx.Done():
			b.Fatal("the flood did not come to its end")
		}
	}
	took = time.Since(began)
	p.Quit()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	root.Close()
	m.Shutdown()
	return took, w.keys
}

func await(ctx context.Context, b *testing.B, c <-chan struct{}) {
	b.Helper()
	select {
	case <-c:
	case <-ctx.Done():
		b.Fatal("the program did not become ready")
	}
}
