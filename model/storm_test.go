package model

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// A storm is a scenario that one number decides: a server of either generation
// whose tools ask, a person who answers, and faults between them. After it the
// faults end, and within two due times of the schedule the board must agree with
// the server. `go test ./model -run TestStorm -storm.seed=7 -v` tells number 7
// again.
var (
	stormSeeds = flag.Int("storm.seeds", 25, "how many storms there are")
	stormSeed  = flag.Uint64("storm.seed", 0, "the one storm to run; 0: all")
	stormFrom  = flag.Uint64("storm.from", 1, "the first of them")
	stormTCP   = flag.Int("storm.tcp", 0, "how many storms there are over TCP, in real time: half a minute, however many")
)

// scenario is what a seed decides beforehand.
type scenario struct {
	seed          uint64
	dice          dice
	modern        bool
	shared        bool
	opts          []mcptest.Option
	ways          []string
	starts        []time.Duration
	lives         int
	heavy         float64
	length        time.Duration
	about         string
	called        map[int]task.CallID
	life          map[int]int // in which an act was called
	calls         int         // that were started, those of an act that is called again included
	begun, killed int
}

func newScenario(seed uint64, pace time.Duration, b *book) *scenario {
	sc := &scenario{seed: seed, dice: dice(seed), called: map[int]task.CallID{}, life: map[int]int{}}
	r := sc.dice.of("scenario", 0)
	sc.modern = r.IntN(2) == 0
	sc.lives = 1 + max(0, r.IntN(4)-1)
	sc.heavy = []float64{0.02, 0.05, 0.1, 0.2}[r.IntN(4)]
	sc.length = between(r, 20*pace, 90*pace)
	var f mcptest.Faults
	if sc.modern {
		sc.opts = append(sc.opts, modern)
		f.Listen = []mcptest.ListenMode{mcptest.ListenTasks, mcptest.ListenTasks, mcptest.ListenTasks, mcptest.ListenNoTasks, mcptest.ListenRefused}[r.IntN(5)]
		f.PushWithoutInput = r.IntN(4) == 0
		f.AckDelay = between(r, 0, 2*pace) * time.Duration(r.IntN(2))
		f.EffectLag = between(r, 0, 2*pace) * time.Duration(r.IntN(2))
	} else {
		sc.shared = r.IntN(2) == 0
		if sc.shared {
			sc.opts = append(sc.opts, mcptest.WithSharedTasks())
		}
		f.GET = []mcptest.GETMode{mcptest.GETOpen, mcptest.GETOpen, mcptest.GETOpen, mcptest.GET405}[r.IntN(4)]
		f.StealGET = r.IntN(2) == 0
		if r.IntN(3) == 0 && f.GET == mcptest.GETOpen {
			sc.opts = append(sc.opts, mcptest.WithPromptRoute(mcptest.ByGET))
		}
		if r.IntN(3) == 0 {
			sc.opts = append(sc.opts, mcptest.WithPriming(between(r, 0, 3*time.Second)))
		}
		sc.opts = append(sc.opts, mcptest.WithEventStore([]int{1000, 1000, 0}[r.IntN(3)]))
		f.Loss = []mcptest.LossMode{mcptest.Loss404, mcptest.Loss404, mcptest.Loss400}[r.IntN(3)]
	}
	f.Replies = []mcptest.ReplyMode{mcptest.ReplyAuto, mcptest.ReplyAuto, mcptest.ReplySSE, mcptest.ReplyTurns}[r.IntN(4)]
	f.Noise = r.IntN(4) == 0
	if r.IntN(4) == 0 {
		sc.opts = append(sc.opts, mcptest.WithTransitions(mcptest.NoTransitions))
	}
	ids := 0
	sc.opts = append(sc.opts, mcptest.WithFaults(f), mcptest.WithTools(b.tools()...), mcptest.WithTTL(mcptest.Unlimited, mcptest.Unlimited),
		mcptest.WithTaskIDs(func() string { ids++; return fmt.Sprintf("t%d", ids) }))
	kinds := slicesOfActs()
	for n := range 2 + r.IntN(6) {
		a := act{kinds[r.IntN(len(kinds))], sc.dice}
		b.acts = append(b.acts, a)
		sc.ways = append(sc.ways, ways[r.IntN(len(ways))])
		sc.starts = append(sc.starts, between(r, 0, sc.length*2/3))
		sc.about += fmt.Sprintf(", %d: %s (%s)", n, a.kind, sc.ways[n])
	}
	sc.about = fmt.Sprintf("modern %v, shared %v, lives %d, heavy %v, length %v%s", sc.modern, sc.shared, sc.lives, sc.heavy, sc.length, sc.about)
	return sc
}

// storm is a scenario under way.
type storm struct {
	*scenario
	t    *testing.T
	pace time.Duration
	srv  *mcptest.Server
	b    *book
	p    *person
	k    *keeper
	from time.Time
	dial *net.Dialer // nil: in memory
	next int
	sum  *summary
}

// wireOf makes the way of one life's client to the server.
func (s *storm) wireOf() (*stormWire, *mcpclient.Endpoint) {
	dial := s.srv.DialContext
	if s.dial != nil {
		dial = s.dial.DialContext
	}
	w := newStormWire(newWeather(s.dice+dice(s.begun)<<32, dial), s.heavy)
	e, err := mcpclient.NewEndpoint(mcpclient.Config{URL: s.srv.URL(), RoundTripper: w, Sampling: true})
	if err != nil {
		s.t.Fatal(err)
	}
	return w, e
}

// noted is an Endpoint whose notes are kept: what callboard finds wrong with
// itself stands there.
type noted struct {
	wire
	w  *stormWire
	mu *sync.Mutex
	ok *[]string
}

func (n noted) Note(line string) {
	n.w.tell("note: " + line)
	if strings.Contains(line, "fault of callboard") {
		n.mu.Lock()
		defer n.mu.Unlock()
		*n.ok = append(*n.ok, line)
	}
	n.wire.Note(line)
}

// live runs one life of callboard, and reports what is wrong at its end.
func (s *storm) live(old *stormWire, last bool) (*stormWire, []string) {
	s.begun++
	w, e := s.wireOf()
	if old != nil { // one story
		w.inherit(old)
	}
	w.tell(fmt.Sprintf("life %d begins", s.begun))
	var faults []string
	n := noted{wire{e}, w, new(sync.Mutex), &faults}
	st := &stage{
		Model: New(Options{Targets: []Target{{Name: "ops", URL: s.srv.URL(), Endpoint: n, Memory: s.k}}}),
		t:     s.t, msgs: make(chan tea.Msg), over: make(chan struct{}),
	}
	r := s.dice.of("life", s.begun)
	kill := !last && r.IntN(2) == 0
	s.k.mu.Lock()
	s.k.dead = false
	s.k.mu.Unlock()
	st.run(st.Init())
	s.weather(st, w, r, last)
	c := &checks{st: st, srv: s.srv, w: w, b: s.b, p: s.p, sc: s.scenario}
	if last {
		s.calm(st, w, c)
	}
	c.sent()
	c.drafts(s.k)
	c.bounds()
	c.wrong = append(c.wrong, s.p.wrong...)
	w.tell("life ends")
	if kill {
		s.killed++
		w.tell("killed")
		s.k.mu.Lock()
		s.k.dead = true
		s.k.mu.Unlock()
		w.each((*stormConn).reset)
	}
	close(st.over)
	st.Shutdown()
	w.end()
	if last {
		time.Sleep(time.Minute * time.Duration(s.pace/time.Second)) // what was left behind when its time was up ends by itself
	}
	return w, append(c.wrong, faults...)
}

// weather lets a life pass, in the storm.
func (s *storm) weather(st *stage, w *stormWire, r *rand.Rand, last bool) {
	end := time.Now().Add(s.length / time.Duration(s.lives))
	strike := time.Now().Add(between(r, 0, 30*s.pace))
	for time.Now().Before(end) || last && s.next < len(s.starts) && time.Now().Before(end.Add(time.Minute)) {
		st.pass(between(r, s.pace/20, s.pace/2))
		s.start(st, w)
		s.p.lookAt(st, w)
		if time.Now().After(strike) {
			s.strike(w, r)
			strike = time.Now().Add(between(r, s.pace, time.Duration(float64(s.pace)*3/s.heavy)))
		}
	}
}

// start starts the calls whose time has come.
func (s *storm) start(st *stage, w *stormWire) {
	for s.next < len(s.starts) && time.Since(s.from) >= s.starts[s.next] && st.CanStart("ops") == "" {
		w.tell(fmt.Sprintf("person: start %d", s.next))
		s.next++
		s.call(st, s.next-1)
	}
}

// call starts act n.
func (s *storm) call(st *stage, n int) {
	c := stormCall(s.ways[n], n)
	s.called[n], s.life[n] = c.ID, s.begun
	s.calls++
	st.run(st.Update(StartMsg{"ops", c}))
	st.settle()
}

// again starts an act that was refused until the person had visited a page.
func (s *storm) again(st *stage, w *stormWire, n int) {
	if st.CanStart("ops") != "" {
		return // the person tries no second time
	}
	w.tell(fmt.Sprintf("person: start %d again", n))
	s.call(st, n)
}

// strike is a fault of the whole server, or of the whole way to it.
func (s *storm) strike(w *stormWire, r *rand.Rand) {
	switch r.IntN(8) {
	case 0, 1:
		w.cutAll(between(r, 0, 10*s.pace))
	case 2, 3:
		w.stallAll(between(r, s.pace, 40*s.pace))
	case 4:
		w.struck("streams cut")
		s.srv.CutStreams()
	case 5:
		w.struck("streams ended")
		s.srv.EndStreams()
	case 6:
		w.struck("busy")
		s.srv.Intercept(mcptest.HTTPError("", 1+r.IntN(3), 503, 2*s.pace))
	case 7:
		if r.IntN(3) == 0 {
			w.struck("sessions lost")
			s.srv.LoseSessions()
		}
	}
}

// calm ends the storm; what must then be so is checked, and once more after the
// person has answered all that is asked.
func (s *storm) calm(st *stage, w *stormWire, c *checks) {
	w.tell("calm")
	w.clear()
	s.srv.ClearInterceptions()
	for range 2 {
		if l := st.Links()[0]; l.State == Down && l.NextTry.IsZero() {
			st.wish(RefreshMsg{})
		}
		s.wait(st, c, st.dueTime()+getLimit+s.pace)
	}
	w.tell("check")
	if c.all(); len(c.wrong) > 0 {
		return
	}
	w.tell("all is answered")
	s.p.willing = true
	for n, idle := 0, 0; n < 200 && idle < 20; n++ {
		st.pass(s.pace)
		s.p.lookAt(st, w)
		if idle++; len(s.srv.Asking()) > 0 || !s.idle() {
			idle = 0
		}
	}
	s.wait(st, c, st.dueTime()+s.pace)
	w.tell("check at the end")
	c.all()
	for _, t := range s.srv.Tasks() {
		if c.known(t) && !t.Status.Terminal() {
			c.fault("task %s is %s, and nobody can end it", t.ID, t.Status)
		}
	}
}

// wait lets d pass. In real time it waits no longer than until all is as it must be.
func (s *storm) wait(st *stage, c *checks, d time.Duration) {
	if s.dial == nil {
		st.pass(d)
		return
	}
	for end := time.Now().Add(d); time.Now().Before(end); {
		st.pass(s.pace)
		if c.once(); len(c.wrong) == 0 {
			return
		}
	}
}

func (s *storm) idle() bool {
	for _, t := range s.srv.Tasks() {
		if !t.Status.Terminal() {
			return false
		}
	}
	return true
}

// summary is what all storms together were.
type summary struct {
	mu                    sync.Mutex
	seeds, lives, kills   int
	faults, acts, persons map[string]int
	requests              int
	most                  int // requests in one minute
}

func (s *summary) add(o *storm, w *stormWire) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seeds++
	s.lives += o.lives
	s.kills += o.killed
	w.weather.mu.Lock()
	defer w.weather.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	for k, n := range w.counts {
		k, _, _ = strings.Cut(k, " ")
		s.faults[k] += n
	}
	for _, a := range o.b.acts {
		s.acts[a.kind]++
	}
	for k, n := range o.p.did {
		s.persons[k] += n
	}
	s.most = max(s.most, w.busiest())
	for _, n := range w.seen {
		s.requests += n
	}
}

// tell runs the storm of a seed.
func (s *summary) tell(t *testing.T, seed uint64, tcp bool) {
	b := &book{posed: map[string]*posed{}, overs: map[int]bool{}, pace: time.Second}
	if tcp {
		b.pace = 100 * time.Millisecond
	}
	sc := newScenario(seed, b.pace, b)
	srv := mcptest.New(sc.opts...)
	defer func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	}()
	o := &storm{scenario: sc, t: t, pace: b.pace, srv: srv, b: b, p: newPerson(sc.dice, b.pace), k: newKeeper(), from: time.Now(), sum: s}
	if tcp {
		if _, err := srv.Start(); err != nil {
			t.Fatal(err)
		}
		o.dial = new(net.Dialer)
	}
	o.p.again = o.again
	var w *stormWire
	for n := range sc.lives {
		var wrong []string
		w, wrong = o.live(w, n == sc.lives-1)
		if len(wrong) > 0 {
			again := fmt.Sprintf("-run 'TestStorm$' -storm.seed=%d", seed)
			if tcp {
				again = fmt.Sprintf("-run 'TestStormTCP$' -storm.tcp=1 -storm.from=%d", seed)
			}
			t.Errorf("seed %d, again by: go test ./model %s -v (what happened: %s)\n%s\n%s",
				seed, again, kept(t, seed, w.story()), sc.about, strings.Join(wrong, "\n"))
			break
		}
		if n < sc.lives-1 {
			time.Sleep(between(sc.dice.of("away", n), 0, 20*b.pace))
		}
	}
	if *stormSeed != 0 && testing.Verbose() {
		t.Log(strings.Join(w.story(), "\n"))
	}
	s.add(o, w)
}

// kept writes what happened in a storm that failed to a file: the pauses of the
// client are random, so that the next time may differ.
func kept(t *testing.T, seed uint64, trace []string) string {
	f, err := os.CreateTemp("", fmt.Sprintf("storm-%d-*.log", seed))
	if err != nil {
		t.Error(err)
		return "not kept"
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(trace, "\n") + "\n"); err != nil {
		t.Error(err)
	}
	return f.Name()
}

func newSummary() *summary {
	return &summary{faults: map[string]int{}, acts: map[string]int{}, persons: map[string]int{}}
}

// TestStorm is the storms in virtual time.
func TestStorm(t *testing.T) {
	s := newSummary()
	from, to := *stormFrom, *stormFrom+uint64(*stormSeeds)-1
	if *stormSeed != 0 {
		from, to = *stormSeed, *stormSeed
	}
	began := time.Now()
	t.Run("seeds", func(t *testing.T) {
		for seed := from; seed <= to; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { s.tell(t, seed, false) })
			})
		}
	})
	s.print(t, began)
}

// TestStormTCP is storms over TCP, in real time.
func TestStormTCP(t *testing.T) {
	s, began := newSummary(), time.Now()
	var all sync.WaitGroup // they wait most of the time, so that none waits for another
	for seed := range uint64(*stormTCP) {
		all.Go(func() { s.tell(t, *stormFrom+seed, true) })
	}
	all.Wait()
	s.print(t, began)
}

// print says what the storms were.
func (s *summary) print(t *testing.T, began time.Time) {
	t.Logf("%d storms in %v with %d lives (%d killed) and %d messages; faults: %s; acts: %s; the person: %s; "+
		"at most %d requests in a minute; "+
		"checked: no panic, no leak, no answer and no draft lost, none sent or offered twice, no spin, board and questions agree with the server within two due times",
		s.seeds, time.Since(began).Round(time.Millisecond), s.lives, s.kills, s.requests, tally(s.faults), tally(s.acts), tally(s.persons), s.most)
}
