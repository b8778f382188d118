// Package model is the thinking half of callboard's Bubble Tea program: Init
// and Update, no View. It subscribes to notifications/tasks/status through the
// port that server.go defines, falls back to tasks/get and tasks/list, and
// carries out what the person wishes. It imports model/task and no other room,
// so that it runs without a terminal and without a network, in virtual time.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// Target is one server to attach to.
type Target struct {
	Name     string // the link's name, unique
	URL      string // as shown: without user info and query secrets
	Endpoint Endpoint
	Resume   task.Resume // zero: a new session
	// Refreshes says that the credentials are read anew for each try (a token
	// file), so that trying again can help where they were refused.
	Refreshes bool
	// Guard is a word that stands before the server's name ("prod"), which the person
	// then types before anything is written there; "" for none. The model only hands
	// it on.
	Guard string
	// Memory is what outlives the program; nil keeps nothing.
	Memory Memory
	// Watch are tasks that the person named by their ids (--task): they are
	// asked for as soon as the server is reached.
	Watch []task.ID
	// OnDemand attends only what the person opens, ReadOnly changes nothing at
	// the server. Options have both for all servers.
	OnDemand, ReadOnly bool
	// Sampler is Options.Sampler for this server, nil for that one.
	Sampler Sampler
}

// Sampler writes a draft of what a sampling request asks for, whose params it
// gets. Its error is in words for a person.
type Sampler func(ctx context.Context, params json.RawMessage) (string, error)

// Options configure a Model.
type Options struct {
	Targets  []Target
	OnDemand bool // --prompts on-demand: attend only what the person opens
	ReadOnly bool // --read-only
	// Audit gets what is to be written down; nil for nothing.
	Audit Audit
	// Sampler is that of servers without one of their own (--sampling-command);
	// nil where there is none.
	Sampler Sampler
}

// Model is the thinking half of the program. One goroutine owns it (the Bubble
// Tea loop); commands get values of it, never itself.
type Model struct {
	options Options
	ctx     context.Context // of all that the model begins
	stop    context.CancelFunc
	crew    *crew
	// unclaimed: see there.
	unclaimed *unclaimed
	cmds      []tea.Cmd // what Update is about to return
	alarm     alarm
	now       time.Time // of the message that is being handled

	links  []*link
	byName map[string]*link // also those whose rows are still being cleared away
	// byIndex are the same by their numbers, which are never used twice; linked is
	// how many there were so far.
	byIndex map[int]*link
	linked  int
	closing map[string]chan struct{} // links that were left and are being closed

	board    *Board
	counts   [classes]int
	selected task.Key
	watched  []*Wish   // delivered, and no effect seen yet
	watchDue time.Time // when one of them settles at the earliest, zero for never
	kept     []*Row    // rows whose result is kept, in the order of their coming
	marks    marks
	bulk     *Bulk // the last cancel of many, nil for none

	asks     map[task.PromptID]*Ask
	askOrder []*Ask // as they came
	drafts   map[task.PromptID]Draft
	sampling []*Ask // whose command runs or waits, in their order
	samples  uint64 // commands so far

	rev, rings uint64
	updates    uint64 // so far
	views      views
	diary      diary
	born       time.Time // when the first server was reached for
	losing     losing
	hushed     bool // what is withdrawn now is no news
	notice     notice
	untold     []string // of Shutdown

	entries  []task.Entry // of this Update, for the audit trail
	auditWhy string       // the last trouble with it
}

// New returns a Model; Init starts it.
func New(o Options) *Model {
	m := &Model{
		options: o, crew: newCrew(), unclaimed: &unclaimed{sessions: map[attempt]Server{}}, byName: map[string]*link{}, byIndex: map[int]*link{}, closing: map[string]chan struct{}{}, now: time.Now(),
		asks: map[task.PromptID]*Ask{}, drafts: map[task.PromptID]Draft{},
		losing: losing{before: warnBefore},
	}
	m.ctx, m.stop = context.WithCancel(context.Background())
	m.board = newBoard(m.Row, func(s sliceMsg) { m.do(func() tea.Msg { return s }) })
	m.board.looked = func() task.Key { return m.selected }
	for _, t := range o.Targets {
		m.attach(t)
	}
	return m
}

// Init returns the command that dials all targets.
func (m *Model) Init() tea.Cmd {
	m.now = time.Now()
	m.born = m.now
	for _, l := range m.links {
		m.begin(l)
	}
	m.hearAudit()
	return m.pursue()
}

// Update takes in a message: a wish of the person (the exported ...Msg types)
// or news (unexported). Unknown messages are ignored.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	m.now = time.Now()
	switch msg := msg.(type) {
	case AnswerMsg:
		m.answer(msg.Reply, msg.Hold)
	case AttendMsg:
		m.attendTo(msg.Key)
	case OpenedMsg:
		m.opened(msg.Prompt)
	case TakeBackMsg:
		m.takeBack(msg.Prompt)
	case SampleMsg:
		m.sample(msg.Prompt)
	case StopSampleMsg:
		m.stopSample(msg.Prompt)
	case TakeSampleMsg:
		m.takeSample(msg.Prompt)
	case WatchMsg:
		m.watchTask(msg.Server, msg.ID)
	case ForgetMsg:
		m.forget(msg.Key)
	case CancelMsg:
		m.cancel(msg.Key)
	case CancelManyMsg:
		m.cancelMany(msg.Keys)
	case RetryBulkMsg:
		m.retryBulk()
	case StopBulkMsg:
		m.stopBulk()
	case MarkMsg:
		m.markRows(msg.Keys, msg.On)
	case MarkAllMsg:
		m.markAll(msg.On)
	case StartMsg:
		m.start(msg.Server, msg.Call)
	case ResultMsg:
		m.fetch(msg.Key)
	case ToolsMsg:
		m.listTools(msg.Server)
	case SelectMsg:
		m.look(msg.Key)
	case RefreshMsg:
		m.refresh()
	case RetryMsg:
		m.retry(msg.Key)
	case ForceMsg:
		m.force(msg.Key)
	case ConnectMsg:
		m.connect(msg.Target)
	case DisconnectMsg:
		m.disconnect(msg.Name)
	case RefreshServerMsg:
		m.refreshServer(msg.Name)
	case SortMsg:
		m.sort(msg.By)
	case WarnMsg:
		m.warnBy(msg.Before)
	case FilterMsg:
		m.filter(msg.Text)
	case PauseMsg:
		m.pause(msg.On)
	case reply:
		m.replied(msg)
	case closedLink:
		m.closed(msg)
	case clearSlice:
		m.clear(msg)
	case recalled:
		m.recalled(msg)
	case sampled:
		m.sampled(msg)
	case auditTrouble:
		m.auditFailed(msg)
	case alarmMsg:
		m.woke(msg)
	case sliceMsg:
		m.slice(msg)
	case markSlice:
		m.markOn(msg)
	case bulkSlice:
		m.deal(msg)
	default:
		return nil
	}
	return m.pursue()
}

// replied is the one gate for what commands bring back: what answers an
// earlier attempt at a link is dropped.
func (m *Model) replied(r reply) {
	l := m.byIndex[r.link]
	if l == nil || r.attempt != l.attempt {
		m.discard(r)
		return
	}
	switch n := r.news.(type) {
	case dialed:
		m.unclaimed.claim(r.dial())
		m.dialed(l, n)
	case fed:
		m.fed(l, n)
	case paged:
		m.paged(l, n)
	case got:
		m.got(l, n)
	case answered:
		m.answered(l, n)
	case cancelledNews:
		m.cancelled(l, n)
	case begun:
		m.begun(l, n)
	case abandoned:
		m.abandoned(l, n)
	case fetched:
		m.fetched(l, n)
	case toolsListed:
		m.toolsListed(l, n)
	case panicked:
		m.panicked(l, n)
	}
}

// discard drops stale news; a session that nobody waits for is closed.
func (m *Model) discard(r reply) {
	if d, ok := r.news.(dialed); ok && d.server != nil {
		m.do(func() tea.Msg {
			closeSession(d.server)
			m.unclaimed.claim(r.dial())
			return nil
		})
	}
}

// panicked takes in a fault of ours in a command: the link begins anew, since
// nobody knows what is under way on it.
func (m *Model) panicked(l *link, p panicked) {
	m.note(l, "a fault of callboard: "+p.what)
	what, _, _ := strings.Cut(p.what, "\n")
	m.down(l, &task.Error{Kind: task.Internal, Message: task.CleanMax("a fault of callboard: "+what, 300)})
}

// pursue begins what is due now, sets the alarm for what is due next, and
// returns the commands that came together.
func (m *Model) pursue() tea.Cmd {
	m.updates++
	var next time.Time
	sooner := func(at time.Time) {
		if !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	for _, l := range m.links {
		m.drive(l)
		sooner(m.wake(l))
	}
	m.settleWishes()
	m.tellLosses()
	sooner(m.losing.wake())
	sooner(m.watchDue)
	if m.board.tick(m.now) {
		m.rev++
	}
	sooner(m.board.due())
	m.arm(next)
	m.writeAudit()
	cmds := m.cmds
	m.cmds = nil
	return tea.Batch(cmds...)
}

// drive begins what is due on l.
func (m *Model) drive(l *link) {
	if !l.keepDue.IsZero() && !m.now.Before(l.keepDue) {
		m.keepNow(l)
	}
	m.takeOver(l)
	m.sendCancels(l)
	if l.server == nil {
		if !l.dialing && !l.nextTry.IsZero() && !m.now.Before(l.nextTry) {
			m.dial(l)
		}
		return
	}
	m.judgeMissing(l)
	if l.server == nil {
		return
	}
	p := l.sched.next(m.now)
	if p.sweep {
		m.startSweep(l)
	}
	for _, ids := range p.gets {
		m.get(l, ids)
	}
	m.attend(l)
	if !l.toolsDue.IsZero() && !m.now.Before(l.toolsDue) && !l.tools.Loading {
		m.askTools(l)
	}
}

// wake returns when l has to be driven again, zero for only after news.
func (m *Model) wake(l *link) time.Time {
	at := l.keepDue
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if l.server == nil {
		sooner(l.nextTry)
		return at
	}
	sooner(l.sched.wake(m.now))
	if at := l.estateAt.Add(patience); l.estate.Session != "" && m.now.Before(at) {
		sooner(at)
	}
	sooner(l.missing.due())
	sooner(l.cancelsDue(m.now))
	if !l.tools.Loading {
		sooner(l.toolsDue)
	}
	return at
}

// notice is the newest sentence for the footer.
type notice struct {
	line string
	bad  bool
	at   time.Time
}

// tell sets the sentence for the footer.
func (m *Model) tell(bad bool, format string, args ...any) {
	m.notice = notice{task.CleanLine(fmt.Sprintf(format, args...), 500).Line(), bad, m.now}
	m.rev++
}

// note adds a line about a link to its log.
func (m *Model) note(l *link, line string) {
	_ = safely(func() error { l.target.Endpoint.Note(line); return nil })
}

// refresh asks all links now, as far as they let themselves be asked.
func (m *Model) refresh() {
	for _, l := range m.links {
		m.refreshLink(l)
	}
	m.rev++
}

// refreshServer asks one link now.
func (m *Model) refreshServer(name string) {
	l := m.byName[name]
	if l == nil || l.left {
		m.tell(true, "There is no server named %q.", name)
		return
	}
	m.refreshLink(l)
	m.rev++
}

// refreshLink asks a link now, as far as it lets itself be asked.
func (m *Model) refreshLink(l *link) {
	switch {
	case l.server == nil && m.now.Before(l.busyTo):
		m.tell(true, "%s asked not to be tried before %s.", l.target.Name, l.busyTo.Format("15:04:05"))
	case l.server == nil && !l.dialing:
		l.retries = 0
		m.dial(l)
	case l.server == nil:
	case m.now.Before(l.busyTo):
		m.tell(true, "%s asked to be left alone until %s.", l.target.Name, l.busyTo.Format("15:04:05"))
		l.sched.resync(m.now)
	default:
		l.noList, l.sched.hold = false, m.now
		l.sched.listable = l.listable()
		l.sched.resync(m.now)
	}
}
