package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"callboard/leaktest"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// asked is one request that a script got.
type asked struct {
	what string // get, page, answer, cancel, start, result, tools, abandon, dial
	id   string
	at   time.Time
}

// script is a server as a test tells it to be: Endpoint and Server in one, for
// all sessions.
type script struct {
	mu     sync.Mutex
	about  task.About
	tasks  map[task.ID]task.Task
	order  []task.ID
	size   int // of a page, 0: all on one
	log    []asked
	notes  []string
	attend [][]task.ID
	closed []bool // keep, of each Close
	resume []task.Resume
	sent   [][]task.Reply // the replies of each Answer
	leaves task.Resume    // what a session gives as its Resume

	feed chan fed // of the newest session

	// What answers a request in place of the script's own ways; nil: its own.
	onDial   func(n int) error
	onGet    func(task.ID) (task.Task, error)
	onPage   func(task.Cursor) (task.Page, error)
	onClose  func()
	onAnswer func(context.Context, task.Reply) error
	onAll    func([]task.Reply) (task.Receipt, error)
	onCancel func(task.ID) (task.Task, error)
	onStart  func(task.Call) error
	onResult func(task.ID) (task.Result, error)
	dials    int
}

func newScript() *script {
	return &script{
		about: task.About{Version: "2025-11-25", List: task.CanYes, Cancel: task.CanYes, TaskCalls: task.CanYes, Tools: task.CanYes, Session: true},
		tasks: map[task.ID]task.Task{}, leaves: task.Resume{Era: task.Legacy, Session: "s1"},
	}
}

// newModern is a script of a server of the Modern era.
func newModern() *script {
	s := newScript()
	s.about = task.About{Era: task.Modern, Version: "2026-07-28", List: task.CanNo, Cancel: task.CanYes, TaskCalls: task.CanYes, Tools: task.CanYes}
	s.leaves = task.Resume{Era: task.Modern}
	return s
}

func (s *script) record(what, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, asked{what, id, time.Now()})
}

// times returns when the script was asked for what of id; "" for any id.
func (s *script) times(what, id string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	var at []time.Time
	for _, a := range s.log {
		if a.what == what && (id == "" || a.id == id) {
			at = append(at, a.at)
		}
	}
	return at
}

func (s *script) count(what, id string) int { return len(s.times(what, id)) }

// set lets f change what answers while requests may be under way.
func (s *script) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// put makes a task what the server answers for it.
func (s *script) put(tasks ...task.Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range tasks {
		if _, ok := s.tasks[t.ID]; !ok {
			s.order = append(s.order, t.ID)
		}
		s.tasks[t.ID] = t
	}
}

func (s *script) drop(id task.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tasks, id)
	s.order = slices.DeleteFunc(s.order, func(o task.ID) bool { return o == id })
}

func (s *script) Dial(ctx context.Context, r task.Resume) (Server, error) {
	s.record("dial", "")
	s.mu.Lock()
	s.dials++
	n := s.dials
	s.resume = append(s.resume, r)
	on := s.onDial
	s.mu.Unlock()
	if on != nil {
		if err := on(n); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := &session{script: s, feed: make(chan fed, 1000), over: make(chan struct{})}
	s.feed = v.feed
	return v, nil
}

func (s *script) Frames(uint64, int) []task.Frame       { return nil }
func (s *script) FramesBefore(uint64, int) []task.Frame { return nil }

func (s *script) Note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, line)
}

// session is one session with a script.
type session struct {
	*script
	feed chan fed
	over chan struct{}
}

func (v *session) About() task.About {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.about
}

func (v *session) Next(ctx context.Context) (task.Batch, error) {
	select {
	case f := <-v.feed:
		if f.err != nil {
			return f.batch, f.err
		}
		return f.batch, nil
	case <-v.over:
		return task.Batch{}, &task.Error{Kind: task.Internal, Message: task.Own("closed")}
	case <-ctx.Done():
		return task.Batch{}, ctx.Err()
	}
}

func (v *session) Page(_ context.Context, c task.Cursor) (task.Page, error) {
	v.record("page", c.Value)
	v.mu.Lock()
	on := v.onPage
	v.mu.Unlock()
	if on != nil {
		return on(c)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	from := 0
	if c.Set {
		if _, err := fmt.Sscan(c.Value, &from); err != nil {
			return task.Page{}, err
		}
	}
	to := len(v.order)
	p := task.Page{SentAt: time.Now()}
	if v.size > 0 && from+v.size < to {
		to = from + v.size
		p.Next = task.Cursor{Value: fmt.Sprint(to), Set: true}
	}
	for _, id := range v.order[from:to] {
		p.Tasks = append(p.Tasks, v.tasks[id])
	}
	return p, nil
}

func notFound() error {
	return &task.Error{Kind: task.RPC, Code: codeInvalidParams, Message: task.Own("task not found")}
}

func (v *session) Get(_ context.Context, id task.ID) (task.Task, error) {
	v.record("get", string(id))
	v.mu.Lock()
	on := v.onGet
	v.mu.Unlock()
	if on != nil {
		return on(id)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	t, ok := v.tasks[id]
	if !ok {
		return t, notFound()
	}
	return t, nil
}

func (v *session) Result(_ context.Context, id task.ID) (task.Result, error) {
	v.record("result", string(id))
	if v.onResult != nil {
		return v.onResult(id)
	}
	return task.Result{Content: []task.Content{{Kind: task.TextContent, Text: "done"}}}, nil
}

func (v *session) Attend(ids []task.ID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.attend = append(v.attend, ids)
}

func (v *session) attended() []task.ID {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.attend) == 0 {
		return nil
	}
	return v.attend[len(v.attend)-1]
}

func (v *session) Answer(ctx context.Context, r ...task.Reply) (task.Receipt, error) {
	v.record("answer", string(r[0].Prompt))
	v.mu.Lock()
	v.sent = append(v.sent, r)
	all := v.onAll
	v.mu.Unlock()
	if all != nil {
		return all(r)
	}
	if v.onAnswer != nil {
		if err := v.onAnswer(ctx, r[0]); err != nil {
			return task.Receipt{}, err
		}
	}
	return task.Receipt{At: time.Now()}, nil
}

func (v *session) Cancel(_ context.Context, id task.ID) (task.Task, error) {
	v.record("cancel", string(id))
	v.mu.Lock()
	on, t := v.onCancel, v.tasks[id]
	v.mu.Unlock()
	if on != nil {
		return on(id)
	}
	t.Status, t.Updated = task.Cancelled, time.Now()
	v.put(t)
	return t, nil
}

func (v *session) Tools(context.Context) ([]task.Tool, error) {
	v.record("tools", "")
	return []task.Tool{{Name: "deploy", Title: task.Own("Deploy")}}, nil
}

func (v *session) Start(_ context.Context, c task.Call) error {
	v.record("start", string(c.ID))
	if v.onStart != nil {
		return v.onStart(c)
	}
	return nil
}

func (v *session) Abandon(_ context.Context, id task.CallID) error {
	v.record("abandon", string(id))
	return nil
}

func (v *session) Resume() task.Resume {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.leaves
}

func (v *session) Close(_ context.Context, keep bool) error {
	if v.onClose != nil {
		v.onClose()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = append(v.closed, keep)
	select {
	case <-v.over:
		return errors.New("closed twice")
	default:
	}
	close(v.over)
	return nil
}

// stage runs a Model as the Bubble Tea loop does; its test is the one
// goroutine that owns it.
type stage struct {
	*Model
	t    *testing.T
	s    *script
	msgs chan tea.Msg
	over chan struct{}
}

// play runs f with a model attached to s, in virtual time.
func play(t *testing.T, o Options, s *script, f func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Targets == nil {
			o.Targets = []Target{{Name: "ops", URL: "http://localhost/mcp", Endpoint: s}}
		}
		st := &stage{Model: New(o), t: t, s: s, msgs: make(chan tea.Msg), over: make(chan struct{})}
		defer func() { // also when f gives up
			close(st.over)
			st.Shutdown()
		}()
		st.run(st.Init())
		f(st)
	})
}

// run begins a command, as the loop does.
func (st *stage) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				st.run(c)
			}
			return
		}
		select {
		case st.msgs <- msg:
		case <-st.over:
		}
	}()
}

// atOnce is more messages than any test has at one moment of virtual time: a
// model that goes on at it spins, and time would never pass.
const atOnce = 50_000

// pass lets d go by.
func (st *stage) pass(d time.Duration) {
	end := time.After(d)
	var moment time.Time
	for n := 0; ; n++ {
		select {
		case msg := <-st.msgs:
			if now := time.Now(); !now.Equal(moment) {
				moment, n = now, 0
			} else if n > atOnce {
				st.t.Fatalf("the model spins at %s; its last message: %+v", now, msg)
			}
			if msg != nil {
				st.run(st.Update(msg))
			}
		case <-end:
			return
		}
	}
}

// settle lets everything happen that needs no time to pass.
func (st *stage) settle() { st.pass(time.Millisecond) }

// wish sends a message of the person.
func (st *stage) wish(msg tea.Msg) {
	st.run(st.Update(msg))
	st.settle()
}

// tell lets the session's feed bring events.
func (st *stage) tell(events ...task.Event) {
	st.s.feed <- fed{batch: task.Batch{Events: events}}
	st.settle()
}

// lose ends the session's feed with an error.
func (st *stage) lose(kind task.ErrorKind) {
	st.s.feed <- fed{err: &task.Error{Kind: kind, Message: task.Own("it broke")}}
	st.settle()
}

func (st *stage) row(id task.ID) *Row {
	st.t.Helper()
	r := st.Row(task.Key{Server: "ops", ID: id})
	if r == nil {
		st.t.Fatalf("no row %s", id)
	}
	return r
}

func (st *stage) link() LinkView { return st.Links()[0] }

func (st *stage) line() string { line, _, _ := st.Notice(); return line }

// push is a pushed state of t, now.
func push(t task.Task) task.Changed {
	return task.Changed{Task: t, How: task.Pushed, SentAt: time.Now()}
}

// a makes a task that was born at the beginning of virtual time and updated
// now.
func a(id string, s task.Status) task.Task {
	return task.Task{ID: task.ID(id), Status: s, Created: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), Updated: time.Now(), TTL: task.NoTTL}
}

// within fails unless d is in [low, high].
func within(t *testing.T, what string, d, low, high time.Duration) {
	t.Helper()
	if d < low || d > high {
		t.Errorf("%s after %v, want %v to %v", what, d, low, high)
	}
}
