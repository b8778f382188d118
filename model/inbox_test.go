package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

func TestPrompts(t *testing.T) {
	t.Run("rings for new ones, not for replays", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			asks(st)
			if st.Rings() != 1 {
				t.Errorf("%d rings", st.Rings())
			}
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Task: "t"}})
			if st.Rings() != 1 || len(st.Inbox()) != 1 || len(st.row("t").Asks) != 1 {
				t.Errorf("%d rings, %d in the inbox", st.Rings(), len(st.Inbox()))
			}
		})
	})
	t.Run("a poll that was sent before a question does not withdraw it", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.InputRequired))
			st.settle()
			st.tell(push(a("t", task.InputRequired)))
			hold := make(chan struct{})
			s.mu.Lock()
			s.onGet = func(task.ID) (task.Task, error) { <-hold; return a("t", task.Working), nil }
			s.mu.Unlock()
			st.pass(3 * time.Second) // a get is on its way
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Task: "t", At: time.Now()}})
			close(hold)
			st.settle()
			if st.row("t").Task.Status != task.Working || st.Ask("p").State != Open {
				t.Errorf("%v, %v %q", st.row("t").Task.Status, st.Ask("p").State, st.Ask("p").Why)
			}
		})
	})
	t.Run("one that comes before its task fetches it", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		s.put(a("t", task.Working))
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Task: "t", At: time.Now()}})
			if r := st.row("t"); len(r.Asks) != 1 || !r.Asking() || st.Counts().Asking != 1 {
				t.Errorf("%d asks", len(r.Asks))
			}
		})
	})
	t.Run("eager: asking tasks are attended, selected and oldest first, 32 at most", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			for i := range 40 {
				x := a(fmt.Sprintf("t%02d", i), task.InputRequired)
				s.put(x)
				st.tell(push(x))
			}
			ids := s.attendedIDs()
			if len(ids) != 32 || ids[0] != "t00" || ids[31] != "t31" {
				t.Errorf("%v", ids)
			}
			st.wish(SelectMsg{task.Key{Server: "ops", ID: "t39"}})
			if ids = s.attendedIDs(); len(ids) != 32 || ids[0] != "t39" {
				t.Errorf("%v", ids)
			}
			st.tell(push(a("t39", task.Working)), push(a("t00", task.Completed)))
			if ids = s.attendedIDs(); slices.Contains(ids, "t39") || slices.Contains(ids, "t00") || ids[0] != "t01" {
				t.Errorf("%v", ids)
			}
		})
	})
	t.Run("eager: of more than 32, those that end soonest are attended", func(t *testing.T) {
		s := newScript()
		s.about.List = task.CanNo
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			for i := range 40 {
				x := a(fmt.Sprintf("t%02d", i), task.InputRequired)
				if x.TTL = 0; i%2 == 0 { // without a limit, or the later ones sooner
					x.TTL = time.Hour - time.Duration(i)*time.Minute
				}
				s.put(x)
				st.tell(push(x))
			}
			ids := s.attendedIDs()
			if len(ids) != 32 || ids[0] != "t38" || ids[19] != "t00" || ids[20] != "t01" || ids[31] != "t23" {
				t.Errorf("%v", ids)
			}
			x := a("t39", task.InputRequired)
			x.TTL = time.Minute
			st.tell(push(x))
			if ids = s.attendedIDs(); len(ids) != 32 || ids[0] != "t39" {
				t.Errorf("a ttl that shrank: %v", ids)
			}
		})
	})
	t.Run("on-demand: only what the person opens", func(t *testing.T) {
		s := newScript()
		play(t, Options{OnDemand: true}, s, func(st *stage) {
			s.put(a("t", task.InputRequired), a("u", task.InputRequired))
			st.pass(6 * time.Second)
			st.wish(SelectMsg{task.Key{Server: "ops", ID: "t"}})
			if len(s.attendedIDs()) != 0 || st.Rings() == 0 {
				t.Fatalf("attended %v, %d rings", s.attendedIDs(), st.Rings())
			}
			if why := st.CanAnswer(task.Key{Server: "ops", ID: "u"}); why != "" {
				t.Errorf("cannot answer: %s", why)
			}
			st.wish(AttendMsg{task.Key{Server: "ops", ID: "u"}})
			if !slices.Equal(s.attendedIDs(), []task.ID{"u"}) {
				t.Errorf("%v", s.attendedIDs())
			}
		})
	})
	t.Run("the inbox has the most urgent first and forgets after a minute", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			st.settle()
			for i, ttl := range []time.Duration{task.NoTTL, time.Hour, time.Minute, task.NoTTL} {
				x := a(fmt.Sprint("t", i), task.InputRequired)
				x.TTL, x.Created = ttl, time.Now()
				s.put(x)
				st.tell(push(x), task.Prompted{Prompt: task.Prompt{ID: task.PromptID(fmt.Sprint("p", i)), Task: x.ID, At: time.Now()}})
			}
			st.tell(task.Withdrawn{Prompt: "p3"})
			var ids []string
			for _, x := range st.Inbox() {
				ids = append(ids, string(x.Prompt.ID))
			}
			if got := strings.Join(ids, " "); got != "p2 p1 p0 p3" {
				t.Errorf("%s", got)
			}
			st.pass(55 * time.Second)
			st.wish(SelectMsg{task.Key{Server: "ops", ID: "t0"}})
			st.pass(10 * time.Second)
			if n := len(st.Inbox()); n != 3 {
				t.Errorf("%d after a minute", n)
			}
		})
	})
	t.Run("a URL is accepted on consent, and done on the server's word", func(t *testing.T) {
		s := newScript()
		play(t, Options{}, s, func(st *stage) {
			s.put(a("t", task.InputRequired))
			st.settle()
			st.tell(task.Prompted{Prompt: task.Prompt{ID: "p", Task: "t", Mode: task.URLMode, URL: "https://x", At: time.Now()}})
			var sent task.Reply
			s.onAnswer = func(_ context.Context, r task.Reply) error { sent = r; return nil }
			st.wish(OpenedMsg{"p"})
			ask := st.Ask("p")
			if sent.Action != task.Accept || sent.Content != nil || ask.Opened.IsZero() || ask.Done {
				t.Errorf("%+v", ask)
			}
			st.tell(task.URLDone{Prompt: "p"}, task.URLDone{Prompt: "nobody's"})
			if !ask.Done {
				t.Error("not done")
			}
		})
	})
}

// attendedIDs returns what the newest session was told to attend.
func (s *script) attendedIDs() []task.ID { return (&session{script: s}).attended() }

// A row keeps its last closed question: which, when, how it ended and why.
func TestARowKeepsItsLastQuestion(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		asked := asks(st).Since
		st.pass(time.Minute)
		st.tell(task.Withdrawn{Prompt: "p", Why: task.Own("timed out")})
		p := st.row("t").Past
		if p == nil || p.State != Withdrawn || p.Why != "the server withdrew the question: timed out" ||
			!p.Asked.Equal(asked) || p.Closed.Sub(asked) < time.Minute {
			t.Fatalf("%+v", p)
		}
		if !strings.Contains(st.line(), "of task t on ops can no longer be answered") {
			t.Errorf("%s", st.line())
		}
		st.tell(task.Prompted{Prompt: task.Prompt{ID: "q", Task: "t", Message: task.Own(strings.Repeat("x", 5000)), At: time.Now()}})
		st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "q", Action: task.Decline}})
		if p = st.row("t").Past; p.State != Answered || p.Action != task.Decline || p.Why != "" || len(p.Words) != 200 {
			t.Errorf("%+v", p)
		}
	})
}

// A question that opens again is not told as closed.
func TestAQuestionThatOpensAgainIsNotPast(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		asks(st)
		st.pass(time.Second)
		x := a("t", task.Working)
		s.put(x)
		st.tell(push(x))
		if st.row("t").Past == nil {
			t.Fatal("nothing is told of it")
		}
		st.pass(time.Second)
		x = a("t", task.InputRequired)
		x.Updated = time.Now()
		s.put(x)
		st.tell(push(x))
		if st.Ask("p").State != Open || st.row("t").Past != nil {
			t.Errorf("%v, %+v", st.Ask("p").State, st.row("t").Past)
		}
	})
}

// TestClosedQuestionsAreBounded: what was asked and is over is forgotten where it
// is much, the oldest first, and never what waits.
func TestClosedQuestionsAreBounded(t *testing.T) {
	play(t, Options{}, newScript(), func(st *stage) {
		st.settle()
		schema := make([]byte, 1<<20)
		id := func(i int) task.PromptID { return task.PromptID(fmt.Sprint("p", i)) }
		for i := range 100 {
			st.tell(task.Prompted{Prompt: task.Prompt{ID: id(i), Form: task.Form{Schema: schema}, At: time.Now()}})
			if i > 0 {
				st.tell(task.Withdrawn{Prompt: id(i)})
			}
		}
		if n := len(st.askOrder); n > 2+askedKept>>20 || len(st.asks) != n {
			t.Errorf("%d questions are kept, %d of them in order", len(st.asks), n)
		}
		for _, i := range []int{0, 99} {
			if st.Ask(id(i)) == nil {
				t.Errorf("question %d is forgotten", i)
			}
		}
	})
}
