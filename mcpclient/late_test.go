package mcpclient

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// begins starts tool as a task and attends it, and returns the task. Questions
// that came before it was known to be one stay to be taken.
func (r *rig) begins(tool string) task.ID {
	r.t.Helper()
	r.start(tool)
	var id task.ID
	ctx, cancel := contextFor(r.t, within)
	defer cancel()
	for id == "" {
		for _, e := range r.left {
			if s, ok := e.(task.Started); ok {
				id = s.Task.ID
			}
		}
		if id == "" {
			b, err := r.s.Next(ctx)
			if err != nil {
				r.t.Fatal(err)
			}
			r.left = append(r.left, b.Events...)
		}
	}
	r.s.Attend([]task.ID{id})
	return id
}

// polls asks for the state of a task, as a schedule does.
func (r *rig) polls(id task.ID) task.Task {
	r.t.Helper()
	got, err := r.s.Get(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

// keepsWorking is a tool that asks with a server's patience, and goes on without
// an answer.
func keepsWorking(name string) mcptest.Option {
	return tool(name, func(ctx ctx, c *mcptest.Call) mcptest.Outcome {
		_, _ = c.Elicit(nameForm)
		<-ctx.Done()
		return mcptest.Answered()
	})
}

// TestServerGivesUp: after a minute the server no longer waits. It says so, with
// a reason or without, or only moves on; the question is closed by words, and a
// late answer goes nowhere.
func TestServerGivesUp(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults mcptest.Faults
		era    mcptest.Era
		why    string
	}{
		{"by a notification", mcptest.Faults{AskPatience: time.Minute}, mcptest.LegacyEra, "nobody answered in time"},
		{"in silence", mcptest.Faults{AskPatience: time.Minute, AskSilently: true}, mcptest.LegacyEra, "its task goes on without an answer"},
		{"2026-07-28", mcptest.Faults{AskPatience: time.Minute}, mcptest.ModernEra, "its task no longer asks for it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := sampling(t, c.era, keepsWorking("deploy"), mcptest.WithFaults(c.faults), mcptest.WithTransitions(mcptest.NoTransitions))
				id := r.begins("deploy")
				p := any1[task.Prompted](r).Prompt
				r.polls(id)
				time.Sleep(time.Minute)
				if !strings.HasPrefix(c.name, "by") {
					r.polls(id)
				}
				w := any1[task.Withdrawn](r)
				if w.Prompt != p.ID || w.Why.Line() != c.why {
					t.Errorf("%+v, want %q", w, c.why)
				}
				_, err := r.s.Answer(t.Context(), accepted(p, "late"))
				if te := failure(t, err, task.Unsupported); !strings.Contains(te.Error(), "no longer") {
					t.Errorf("%v", te)
				}
				if n := r.count("") + r.count("tasks/update"); n != 0 {
					t.Errorf("%d answers were sent to nobody", n)
				}
			})
		})
	}
	t.Run("without a reason", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			r := attach(t)
			any1[task.Stream](r)
			r.asks(1, 2)
			p := any1[task.Prompted](r).Prompt
			r.srv.Push("", "notifications/cancelled", map[string]any{"requestId": "q1"})
			if w := any1[task.Withdrawn](r); w.Prompt != p.ID || w.Why.Line() != "the server no longer waits for it" {
				t.Errorf("%+v", w)
			}
		})
	})
}

// TestTaskGoesOnByItself: that its state is working, heard by whatever means, is
// the end of what it asked.
func TestTaskGoesOnByItself(t *testing.T) {
	eras(t, func(t *testing.T, era mcptest.Era) {
		r := sampling(t, era, keepsWorking("deploy"), mcptest.WithTransitions(mcptest.NoTransitions))
		id := r.begins("deploy")
		p := any1[task.Prompted](r).Prompt
		r.polls(id)
		time.Sleep(time.Second)
		r.srv.SetStatus(string(id), mcptest.Working, "by itself")
		if era == mcptest.ModernEra {
			// What a working task asks is nothing, whatever it lists.
			r.srv.Announce(string(id))
		}
		r.polls(id)
		if w := any1[task.Withdrawn](r); w.Prompt != p.ID || w.Why.IsZero() {
			t.Errorf("%+v", w)
		}
	})
}

// TestAnsweredElsewhere: by another client on the same task.
func TestAnsweredElsewhere(t *testing.T) {
	eras(t, func(t *testing.T, era mcptest.Era) {
		r := sampling(t, era, mcptest.WithSharedTasks(), asking("deploy", nameForm))
		id := r.begins("deploy")
		p := any1[task.Prompted](r).Prompt
		ep, err := NewEndpoint(Config{URL: mcptest.MemoryURL, RoundTripper: r.srv.Transport(), Protocol: r.ep.cfg.Protocol})
		if err != nil {
			t.Fatal(err)
		}
		other := &rig{t: t, srv: r.srv, ep: ep}
		other.dial(task.Resume{})
		defer other.close(false)
		other.s.Attend([]task.ID{id})
		other.polls(id)
		theirs := any1[task.Prompted](other).Prompt
		other.accept(theirs)
		if _, ok := next(r, time.Second, func(w task.Withdrawn) bool { return w.Prompt == p.ID && !w.Why.IsZero() }); !ok {
			r.polls(id)
			wait1(r, func(w task.Withdrawn) bool { return w.Prompt == p.ID })
		}
		_, err = r.s.Answer(t.Context(), accepted(p, "mine"))
		kind(t, err, task.Unsupported)
		r.ends(id)
		if got := r.result(id); got != `accept {"name":"a"}` {
			t.Errorf("the result is %q", got)
		}
	})
}

// TestSameQuestionAgain: under a new id it is a new prompt, of the same words.
func TestSameQuestionAgain(t *testing.T) {
	eras(t, func(t *testing.T, era mcptest.Era) {
		r := sampling(t, era, mcptest.WithFaults(mcptest.Faults{AskPatience: time.Minute}), tool("deploy", func(ctx ctx, c *mcptest.Call) mcptest.Outcome {
			for ctx.Err() == nil {
				if reply, err := c.Elicit(nameForm); err == nil {
					return mcptest.Answered(string(reply.Content))
				}
			}
			return mcptest.Answered()
		}))
		id := r.begins("deploy")
		first := any1[task.Prompted](r).Prompt
		time.Sleep(time.Minute)
		r.polls(id)
		second := any1[task.Prompted](r).Prompt
		if second.ID == first.ID || second.Key == first.Key || second.Message != first.Message || string(second.Form.Schema) != string(first.Form.Schema) {
			t.Errorf("%+v after %+v", second, first)
		}
		if _, err := r.s.Answer(t.Context(), accepted(first, "late")); err == nil {
			t.Error("the first can still be answered")
		}
		r.accept(second)
		if r.ends(id); r.result(id) != `{"name":"a"}` {
			t.Errorf("the result is %q", r.result(id))
		}
	})
}

// TestPromptsOfOneTask: at once, in whichever order they are answered, and one
// after the other.
func TestPromptsOfOneTask(t *testing.T) {
	const many = 50
	run := func(_ ctx, c *mcptest.Call) mcptest.Outcome {
		rs, err := c.ElicitAll(severalQuestions(many)...)
		if err != nil {
			return mcptest.ToolError(err.Error())
		}
		said := ""
		for _, reply := range rs {
			said += string(reply.Content)
		}
		for range 2 {
			reply, err := c.Elicit(nameForm)
			if err != nil {
				return mcptest.ToolError(err.Error())
			}
			said += string(reply.Content)
		}
		return mcptest.Answered(said)
	}
	eras(t, func(t *testing.T, era mcptest.Era) {
		r := sampling(t, era, tool("deploy", run))
		id := r.begins("deploy")
		ps, waiting, _ := r.came(time.Second)
		if len(ps) != many || waiting > 0 {
			t.Fatalf("%d prompts came, %d wait", len(ps), waiting)
		}
		want := make([]string, many)
		// The last one first; all are different requests of the server.
		for i := many - 1; i >= 0; i-- {
			name := fmt.Sprint("answer ", i)
			r.say(ps[i], name)
			want[i] = `{"name":"` + name + `"}`
		}
		for range 2 {
			r.polls(id)
			r.accept(any1[task.Prompted](r).Prompt)
		}
		r.ends(id)
		if got := r.result(id); got != strings.Join(want, "")+`{"name":"a"}{"name":"a"}` {
			t.Errorf("the result is %q", got)
		}
		if n := r.count("") + r.count("tasks/update"); n != many+2 {
			t.Errorf("%d answers were sent", n)
		}
	})
}

// TestStreamOfAPromptDies: the answer is a message of its own, and the question,
// once the streams are back, still the same.
func TestStreamOfAPromptDies(t *testing.T) {
	for _, early := range []bool{true, false} {
		eras(t, func(t *testing.T, era mcptest.Era) {
			r := sampling(t, era, asking("deploy", nameForm))
			id := r.begins("deploy")
			p := any1[task.Prompted](r).Prompt
			r.srv.CutStreams()
			if early {
				r.accept(p)
			} else {
				never(r, time.Minute, func(task.Prompted) bool { return true })
				r.polls(id)
				never(r, time.Second, func(task.Withdrawn) bool { return true })
				r.accept(p)
			}
			r.ends(id)
			if got := r.result(id); got != `accept {"name":"a"}` {
				t.Errorf("the result is %q", got)
			}
			if n := r.count("") + r.count("tasks/update"); n != 1 {
				t.Errorf("%d answers were sent", n)
			}
			never(r, time.Second, func(task.Prompted) bool { return true })
		})
	}
}

// TestSessionOfAPromptDies: the question is withdrawn with its session, and comes
// again in the next one. (2026-07-28 has none that could.)
func TestSessionOfAPromptDies(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithSharedTasks(), asking("deploy", nameForm))
		id := r.begins("deploy")
		p := any1[task.Prompted](r).Prompt
		r.srv.LoseSessions()
		_, err := r.s.Get(t.Context(), id)
		kind(t, err, task.SessionLost)
		if w := any1[task.Withdrawn](r); w.Prompt != p.ID || !strings.Contains(w.Why.Line(), "session") {
			t.Errorf("%+v", w)
		}
		if _, err := r.s.Answer(t.Context(), accepted(p, "late")); err == nil {
			t.Error("an answer is sent into a session that has ended")
		}
		r.close(true)
		r.dial(task.Resume{})
		r.s.Attend([]task.ID{id})
		again := any1[task.Prompted](r).Prompt
		if again.ID == p.ID || again.Message != p.Message || again.Task != id {
			t.Errorf("%+v", again)
		}
		r.accept(again)
		r.ends(id)
		if got := r.result(id); got != `accept {"name":"a"}` {
			t.Errorf("the result is %q", got)
		}
	})
}

// TestAnswerIsTakenLate: a server that takes its time to say that it has an
// answer has it once.
func TestAnswerIsTakenLate(t *testing.T) {
	const delay = 25 * time.Second
	eras(t, func(t *testing.T, era mcptest.Era) {
		r := sampling(t, era, asking("deploy", nameForm), mcptest.WithFaults(mcptest.Faults{AckDelay: delay}))
		id := r.begins("deploy")
		p := any1[task.Prompted](r).Prompt
		if era == mcptest.LegacyEra {
			r.srv.Intercept(mcptest.Interception{Method: "", Times: 1, Delay: delay})
		}
		begun := time.Now()
		r.accept(p)
		if took := time.Since(begun); took < delay {
			t.Errorf("taken within %v", took)
		}
		r.ends(id)
		if n := r.count("") + r.count("tasks/update"); n != 1 {
			t.Errorf("%d answers were sent", n)
		}
		never(r, time.Second, func(task.Prompted) bool { return true })
	})
}

// TestCancelledCrossesTheAnswer: the server gave up while the answer was on its
// way. The answer counts as taken by its 202, as far as that goes, the question is
// closed once, and nothing more is sent.
func TestCancelledCrossesTheAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, keepsWorking("deploy"))
		r.begins("deploy")
		p := any1[task.Prompted](r).Prompt
		r.srv.Intercept(mcptest.Interception{Method: "", Times: 1, Delay: 5 * time.Second})
		answered := make(chan error, 1)
		go func() {
			_, err := r.s.Answer(t.Context(), accepted(p, "on its way"))
			answered <- err
		}()
		synctest.Wait()
		id := strings.Trim(p.Key, `"`)
		r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"too slow"}}`, id))
		if w := any1[task.Withdrawn](r); w.Prompt != p.ID || w.Why.Line() != "too slow" {
			t.Errorf("%+v", w)
		}
		if err := <-answered; err != nil {
			t.Errorf("the server took it: %v", err)
		}
		if n := r.count(""); n != 1 {
			t.Errorf("%d answers were sent", n)
		}
		never(r, time.Second, func(task.Withdrawn) bool { return true })
	})
}

// TestUnknownAnswer: the link broke behind the answer. Nobody knows, nothing is
// sent twice by itself, and the person may.
func TestUnknownAnswer(t *testing.T) {
	eras(t, func(t *testing.T, era mcptest.Era) {
		r := sampling(t, era, asking("deploy", nameForm))
		id := r.begins("deploy")
		p := any1[task.Prompted](r).Prompt
		method := ""
		if era == mcptest.ModernEra {
			method = "tasks/update"
		}
		r.srv.Intercept(mcptest.Interception{Method: method, Times: 1, Drop: true})
		_, err := r.s.Answer(t.Context(), accepted(p, "x"))
		kind(t, err, task.Lost)
		never(r, 5*time.Minute, func(task.Prompted) bool { return true })
		if got := r.polls(id); got.Status != task.InputRequired {
			t.Errorf("the task is %v", got.Status)
		}
		if n := r.count(method); n > 1 {
			t.Errorf("it was sent %d times", n)
		}
		never(r, time.Second, func(task.Withdrawn) bool { return true })
		r.accept(p)
		r.ends(id)
	})
}

// TestNothingUnasked: on demand a session takes nothing that was not asked for:
// no tasks/result, and of a session that another program began no stream.
func TestNothingUnasked(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		theirs := attach(t, mcptest.WithPromptRoute(mcptest.ByGET), mcptest.WithTTL(24*time.Hour, 24*time.Hour), asking("deploy", nameForm), sleeping())
		any1[task.Stream](theirs)
		theirs.start("work")
		id := any1[task.Started](theirs).Task.ID
		resume := theirs.s.Resume()
		resume.Joined = true
		theirs.kill()
		for _, cfg := range []Config{{OnDemand: true}, {ReadOnly: true}, {ReadOnly: true, OnDemand: true}} {
			cfg.URL, cfg.RoundTripper, cfg.Protocol = mcptest.MemoryURL, theirs.srv.Transport(), task.Legacy
			ep, err := NewEndpoint(cfg)
			if err != nil {
				t.Fatal(err)
			}
			r := &rig{t: t, srv: theirs.srv, ep: ep}
			before := r.count("GET") + r.count("tasks/result")
			r.dial(resume)
			defer r.close(true)
			if st := any1[task.Stream](r); st.Up || st.Why == "" {
				t.Errorf("%+v", st)
			}
			if _, err := r.s.Page(t.Context(), task.Cursor{}); err != nil {
				t.Error(err)
			}
			r.polls(id)
			r.s.Attend(nil)
			time.Sleep(10 * time.Minute)
			if n := r.count("GET") + r.count("tasks/result"); n != before {
				t.Errorf("%+v: %d requests that nobody asked for", cfg, n-before)
			}
			if !cfg.ReadOnly { // asked
				r.s.Attend([]task.ID{id})
				wait1(r, func(s task.Stream) bool { return s.Up })
				if n := r.count("tasks/result"); n != 1 {
					t.Errorf("%d tasks/result", n)
				}
				r.start("deploy")
				r.accept(any1[task.Prompted](r).Prompt)
			}
			r.close(true)
		}
	})
	inBubble(t, func(t *testing.T) { // in one of our own only attending waits
		r := newRig(t, Config{OnDemand: true}, asking("deploy", nameForm))
		r.dial(task.Resume{})
		wait1(r, func(s task.Stream) bool { return s.Up })
		r.start("deploy")
		id := any1[task.Started](r).Task.ID
		never(r, time.Minute, func(task.Prompted) bool { return true })
		if n := r.count("tasks/result"); n != 0 {
			t.Errorf("%d tasks/result", n)
		}
		r.s.Attend([]task.ID{id})
		any1[task.Prompted](r)
	})
}

// TestAskedAnewBeforeTheNews: the question that comes anew may be here before the
// news that its task gave up the one before.
func TestAskedAnewBeforeTheNews(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithTransitions(mcptest.NoTransitions))
		any1[task.Stream](r)
		id := r.srv.AddTask(mcptest.Task{Session: r.srv.Sessions()[0]})
		ask := func(n int) task.Prompt {
			r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"m","_meta":{%q:{"taskId":%q}}}}`, n, metaRelated, id))
			return any1[task.Prompted](r).Prompt
		}
		r.srv.SetStatus(id, mcptest.InputRequired, "")
		r.polls(task.ID(id))
		first := ask(1)
		time.Sleep(time.Minute)
		second := ask(2)
		r.srv.SetStatus(id, mcptest.Working, "") // the first was given up
		r.srv.Announce(id)
		r.srv.SetStatus(id, mcptest.InputRequired, "")
		if w := any1[task.Withdrawn](r); w.Prompt != first.ID {
			t.Errorf("%+v", w)
		}
		never(r, time.Minute, func(task.Withdrawn) bool { return true })
		r.accept(second)
		third := ask(3)
		r.polls(task.ID(id))
		time.Sleep(time.Second)
		r.srv.SetStatus(id, mcptest.Working, "") // and so was this one, at once
		r.srv.Announce(id)
		if w := any1[task.Withdrawn](r); w.Prompt != third.ID || !w.Inferred {
			t.Errorf("%+v", w)
		}
	})
}
