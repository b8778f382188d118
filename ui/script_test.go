package ui

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"callboard/keymap"
	"callboard/leaktest"
	"callboard/model"
	"callboard/model/task"
	"callboard/ui/uitest"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // golden views hold times of day
	leaktest.Main(m)
}

// script is a server whose answers a test sets.
type script struct {
	mu      sync.Mutex
	about   task.About
	tasks   []task.Task
	results map[task.ID]task.Result
	tools   []task.Tool
	fail    error         // of every request, where set
	slow    time.Duration // of each tasks/get
	late    time.Duration // of each answer
	lost    error         // of each answer, where set
	memory  *memory       // nil: nothing is kept
	resume  task.Resume
	wishes  bool // a cancel is taken as a wish, and changes nothing
	guard   string
	refuse  error         // of each cancel, where set
	held    time.Duration // each cancel
	sampler func(ctx context.Context, params json.RawMessage) (string, error)
	replies []task.Reply
	cancels []task.ID
	calls   []task.Call
	frames  []task.Frame

	events chan task.Event
	closed chan struct{}
	once   sync.Once
}

// server is a script, or one with something of its own.
type server interface {
	model.Endpoint
	scripted() *script
}

func (s *script) scripted() *script { return s }

func newScript() *script {
	return &script{
		about: task.About{
			Version: "2025-11-25", Name: task.Own("Operations"), ServerVersion: task.Own("2.1"),
			List: task.CanYes, Cancel: task.CanYes, TaskCalls: task.CanYes, Tools: task.CanYes, Session: true,
		},
		results: map[task.ID]task.Result{},
		events:  make(chan task.Event, 1000),
		closed:  make(chan struct{}),
	}
}

func (s *script) Dial(context.Context, task.Resume) (model.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	return s, nil
}

func (s *script) Frames(after uint64, limit int) []task.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return newest(s.frames, limit, func(f task.Frame) bool { return f.Seq > after })
}

func (s *script) FramesBefore(before uint64, limit int) []task.Frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return newest(s.frames, limit, func(f task.Frame) bool { return f.Seq < before })
}

func newest(frames []task.Frame, limit int, which func(task.Frame) bool) []task.Frame {
	var out []task.Frame
	for _, f := range slices.Backward(frames) {
		if which(f) && len(out) < limit {
			out = append(out, f)
		}
	}
	slices.Reverse(out)
	return out
}

func (s *script) Note(string)       {}
func (s *script) About() task.About { return s.about }

func (s *script) Next(ctx context.Context) (task.Batch, error) {
	select {
	case e := <-s.events:
		batch := task.Batch{Events: []task.Event{e}}
		for {
			select {
			case e := <-s.events:
				batch.Events = append(batch.Events, e)
			default:
				return batch, nil
			}
		}
	case <-ctx.Done():
		return task.Batch{}, ctx.Err()
	case <-s.closed:
		return task.Batch{}, &task.Error{Kind: task.Unreachable, Message: task.Own("closed")}
	}
}

func (s *script) Page(context.Context, task.Cursor) (task.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return task.Page{Tasks: append([]task.Task(nil), s.tasks...), SentAt: time.Now()}, s.fail
}

func (s *script) Get(_ context.Context, id task.ID) (task.Task, error) {
	s.mu.Lock()
	slow := s.slow
	s.mu.Unlock()
	time.Sleep(slow) // virtual: synctest
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tasks {
		if t.ID == id {
			return t, s.fail
		}
	}
	return task.Task{}, &task.Error{Kind: task.RPC, Code: -32602, Message: task.Own("task not found")}
}

func (s *script) Result(_ context.Context, id task.ID) (task.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.results[id]; ok {
		return r, s.fail
	}
	return task.Result{}, &task.Error{Kind: task.RPC, Code: -32603, Message: task.Own("no result stored")}
}

func (s *script) Attend([]task.ID) {}

func (s *script) Answer(_ context.Context, replies ...task.Reply) (task.Receipt, error) {
	s.mu.Lock()
	late := s.late
	s.mu.Unlock()
	time.Sleep(late) // virtual: synctest
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
	if s.lost != nil {
		return task.Receipt{}, s.lost
	}
	return task.Receipt{At: time.Now()}, s.fail
}

func (s *script) Cancel(_ context.Context, id task.ID) (task.Task, error) {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	time.Sleep(held) // virtual: synctest
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancels = append(s.cancels, id)
	if s.refuse != nil {
		return task.Task{}, s.refuse
	}
	if s.wishes {
		return task.Task{}, s.fail
	}
	for i := range s.tasks {
		if s.tasks[i].ID == id {
			s.tasks[i].Status, s.tasks[i].Updated = task.Cancelled, time.Now()
			return s.tasks[i], s.fail
		}
	}
	return task.Task{}, errors.New("no such task")
}

func (s *script) Tools(context.Context) ([]task.Tool, error) { return s.tools, s.fail }

func (s *script) Start(_ context.Context, c task.Call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	return s.fail
}

func (s *script) Abandon(context.Context, task.CallID) error { return nil }
func (s *script) Resume() task.Resume                        { return s.resume }

func (s *script) Close(context.Context, bool) error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// push reports a task as pushed, and lets polls agree.
func (s *script) push(t task.Task) {
	s.mu.Lock()
	found := false
	for i := range s.tasks {
		if s.tasks[i].ID == t.ID {
			s.tasks[i], found = t, true
		}
	}
	if !found {
		s.tasks = append(s.tasks, t)
	}
	s.mu.Unlock()
	s.events <- task.Changed{Task: t, How: task.Pushed, SentAt: time.Now(), Steps: []task.Step{
		{Status: t.Status, Message: t.Message, At: time.Now(), Updated: t.Updated, How: task.Pushed},
	}}
}

// stage is a Root whose commands run, in the virtual time of a synctest bubble.
type stage struct {
	t    testing.TB
	r    *Root
	m    *model.Model
	msgs chan tea.Msg
	// what the hooks were given
	rung   int
	copies []string
	pages  []string
	notes  []string // notifications
	titles []string // of the window
}

// play runs f on a stage with the given servers, in virtual time.
// servers is called within, since channels belong to their bubble.
func play(t *testing.T, w, h int, servers func() map[string]*script, f func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, servers())
		defer s.end()
		s.settle()
		s.size(w, h)
		f(s)
	})
}

func newStage[S server](t testing.TB, servers map[string]S) *stage {
	s := &stage{t: t, msgs: make(chan tea.Msg, 10_000)}
	var targets []model.Target
	names := slices.Sorted(maps.Keys(servers))
	slices.Reverse(names) // ops before lab
	for _, name := range names {
		srv := servers[name].scripted()
		target := model.Target{Name: name, URL: "https://" + name + ".example.com/mcp", Endpoint: servers[name], Guard: srv.guard}
		if srv.memory != nil {
			target.Memory = srv.memory
		}
		targets = append(targets, target)
	}
	o := model.Options{Targets: targets}
	for _, srv := range servers {
		o.Sampler = srv.scripted().sampler
	}
	s.m = model.New(o)
	s.r = New(s.m, Options{
		Settings: Settings{Theme: uitest.Mono(t, false), Keys: keymap.Default()}, SaveDir: t.TempDir(), Taste: Taste{Met: true},
		Bell:      func() { s.rung++ },
		Notify:    func(text string) { s.notes = append(s.notes, text) },
		Window:    func(title string) { s.titles = append(s.titles, title) },
		Clipboard: func(text string) (string, error) { s.copies = append(s.copies, text); return "OSC 52", nil },
		OpenURL:   func(page string) error { s.pages = append(s.pages, page); return nil },
	})
	s.run(s.r.Init())
	return s
}

func (s *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		if msg := cmd(); msg != nil {
			s.msgs <- msg
		}
	}()
}

// send gives Root a message and lets everything come to rest.
func (s *stage) send(msg tea.Msg) {
	s.take(msg)
	s.settle()
}

func (s *stage) take(msg tea.Msg) {
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range batch {
			s.run(cmd)
		}
		return
	}
	_, cmd := s.r.Update(msg)
	s.r.View() // as the program does
	s.run(cmd)
}

func (s *stage) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-s.msgs:
			s.take(msg)
		default:
			return
		}
	}
}

// wait lets virtual time pass.
func (s *stage) wait(d time.Duration) {
	s.settle()    // what came before is taken in at its time, not at the end of the wait
	time.Sleep(d) // virtual: synctest
	s.settle()
}

func (s *stage) size(w, h int) { s.send(tea.WindowSizeMsg{Width: w, Height: h}) }

func (s *stage) end() {
	s.r.Close()
	s.m.Shutdown()
	synctest.Wait() // the loop has ended: what still comes is nobody's
}

// named keys of press; anything else is typed.
var keyTypes = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "ctrl+c": tea.KeyCtrlC,
	"ctrl+n": tea.KeyCtrlN, "ctrl+p": tea.KeyCtrlP, "ctrl+r": tea.KeyCtrlR, "ctrl+t": tea.KeyCtrlT, "ctrl+s": tea.KeyCtrlS, "ctrl+o": tea.KeyCtrlO, "ctrl+z": tea.KeyCtrlZ, "ctrl+u": tea.KeyCtrlU, "ctrl+d": tea.KeyCtrlD, "home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace, "ctrl+@": tea.KeyCtrlAt,
}

func keyMsg(k string) tea.KeyMsg {
	if typ, ok := keyTypes[k]; ok {
		if typ == tea.KeySpace {
			return tea.KeyMsg{Type: typ, Runes: []rune{' '}}
		}
		return tea.KeyMsg{Type: typ}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
}

// press presses keys, one after the other.
func (s *stage) press(keys ...string) {
	for _, k := range keys {
		s.send(keyMsg(k))
	}
}

// see returns the screen without its colours.
func (s *stage) see() string {
	var lines []string
	for line := range strings.SplitSeq(ansi.Strip(s.r.View()), "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// shows fails where the screen does not hold the words; hides the reverse.
func (s *stage) shows(words ...string) {
	s.t.Helper()
	screen := s.see()
	for _, w := range words {
		if !strings.Contains(screen, w) {
			s.t.Errorf("the screen does not show %q:\n%s", w, screen)
		}
	}
}

func (s *stage) hides(words ...string) {
	s.t.Helper()
	screen := s.see()
	for _, w := range words {
		if strings.Contains(screen, w) {
			s.t.Errorf("the screen shows %q:\n%s", w, screen)
		}
	}
}

// fitsScreen fails where a line is wider than the screen, or there are too
// many or too few of them.
func (s *stage) fitsScreen() {
	s.t.Helper()
	view := s.r.View()
	lines := strings.Split(view, "\n")
	if len(lines) > s.r.height || s.r.width >= minWidth && s.r.height >= minHeight && len(lines) != s.r.height {
		s.t.Fatalf("%dx%d: %d lines", s.r.width, s.r.height, len(lines))
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > s.r.width {
			s.t.Fatalf("%dx%d: line %d is %d wide: %q", s.r.width, s.r.height, i, w, line)
		}
	}
}

// golden compares the screen with a file of testdata.
func (s *stage) golden(name string) {
	s.t.Helper()
	s.fitsScreen()
	uitest.Golden(s.t, name, s.see())
}

// memory is what outlives the program, as a test sets it.
type memory struct {
	mu   sync.Mutex
	kept task.Kept
	took []task.Keep
	news chan error // the trouble that stands, as it changes; nil: none ever does
}

func (m *memory) Recall(context.Context) (task.Kept, error) { return m.kept, nil }

func (m *memory) Keep(changes ...task.Keep) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took = append(m.took, changes...)
}

func (m *memory) Flush(context.Context) error { return nil }
func (m *memory) Close(context.Context) error { return nil }

func (m *memory) News(ctx context.Context) (task.Kept, error) {
	select {
	case err := <-m.news:
		return m.kept, err
	case <-ctx.Done():
		return task.Kept{}, ctx.Err()
	}
}
