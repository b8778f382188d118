package mcpclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// asks pushes a question with the id "q<i>" for each i of [from, to).
func (r *rig) asks(from, to int) {
	r.t.Helper()
	for i := from; i < to; i++ {
		r.pushed(fmt.Sprintf("q%d", i), "m")
	}
	synctest.Wait()
}

func (r *rig) pushed(id, message string) {
	r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%q,"method":"elicitation/create","params":{"message":%q}}`, id, message))
}

// came takes what Next has within d, and returns the prompts of it and how many
// questions wait according to the last report.
func (r *rig) came(d time.Duration) (ps []task.Prompt, waiting, reports int) {
	r.t.Helper()
	ctx, cancel := contextFor(r.t, d)
	defer cancel()
	waiting = -1
	for {
		for _, e := range r.left {
			switch e := e.(type) {
			case task.Prompted:
				ps = append(ps, e.Prompt)
			case task.Flooding:
				waiting = e.Waiting
				reports++
			}
		}
		r.left = nil
		b, err := r.s.Next(ctx)
		if err != nil {
			return ps, waiting, reports
		}
		r.left = b.Events
	}
}

// notes counts the notes of the log that have these words.
func notes(r *rig, words string) (n int) {
	for _, f := range r.ep.Frames(0, ringFrames) {
		if f.Dir == task.Note && strings.Contains(f.Body, words) {
			n++
		}
	}
	return n
}

// TestFloodIsSlowed: what a server asks faster than a person reads waits, comes
// in order, and holds up nothing else.
func TestFloodIsSlowed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithInfo("eager", "The eager one", "1"))
		any1[task.Stream](r)
		r.asks(0, 100)
		r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":"p","method":"ping"}`))
		if n := r.count(""); n != 1 {
			t.Error("a ping behind the questions is held up")
		}
		ps, waiting, reports := r.came(500 * time.Millisecond)
		if len(ps) != floodBurst || waiting != 100-floodBurst || reports > 2 {
			t.Fatalf("%d prompts came, %d wait, told %d times", len(ps), waiting, reports)
		}
		if notes(r, "eager one (http") != 1 || notes(r, "floods with prompts: 6") != 1 {
			t.Error("the log does not name server and rate, once")
		}
		// Another answers what waits, and the server withdraws it.
		r.srv.Push("", "notifications/cancelled", map[string]any{"requestId": "q70"})
		more, waiting, _ := r.came(10 * time.Second)
		if len(more) < 9 || len(more) > 11 || more[0].Key != "q64" || more[6].Key != "q71" || waiting != 100-floodBurst-1-len(more) {
			t.Errorf("then %d came, %d wait", len(more), waiting)
		}
		if age := time.Since(more[8].At); age < 8*time.Second {
			t.Errorf("it is as old as the time at which it came, %v", age)
		}
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: more[8].ID, Action: task.Decline}); err != nil {
			t.Error(err)
		}
		rest, waiting, _ := r.came(time.Hour)
		if len(more)+len(rest) != 100-floodBurst-1 || waiting != 0 {
			t.Errorf("in the end %d came, %d wait", len(more)+len(rest), waiting)
		}
		if notes(r, "no longer floods") != 1 || notes(r, "floods") != 2 {
			t.Error("the log does not say once that it is over")
		}
		r.asks(100, 100+floodBurst) // as many as ever
		if again, _, reports := r.came(500 * time.Millisecond); len(again) != floodBurst || reports != 0 {
			t.Errorf("%d prompts came after the flood", len(again))
		}
	})
}

// TestFloodIsBounded: beyond what is open, and what may wait, the server is told.
func TestFloodIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		r.asks(0, floodBurst+maxWaiting+5)
		refused := r.srv.Requests("")
		if len(refused) != 5 || refused[0].Error == nil || refused[0].Error.Code != codeFlood || !strings.Contains(refused[0].Error.Message, "slow down") {
			t.Errorf("%d refusals: %+v", len(refused), refused)
		}
		ps, waiting, _ := r.came(time.Hour)
		if len(ps) != maxPrompts || waiting != floodBurst+maxWaiting-maxPrompts {
			t.Errorf("%d prompts are open, %d wait", len(ps), waiting)
		}
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: ps[0].ID, Action: task.Accept}); err != nil {
			t.Fatal(err)
		}
		if more, _, _ := r.came(time.Minute); len(more) != 1 || more[0].Key != fmt.Sprint("q", maxPrompts) {
			t.Errorf("once one was answered, %d came", len(more))
		}
	})
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		r.asks(0, floodBurst)
		large := `{"message":"` + strings.Repeat("m", maxAsked-100) + `"}`
		for i := range maxWaitingBytes/maxAsked + 2 {
			r.sends(fmt.Sprint("large", i), methodElicit, []byte(large))
		}
		synctest.Wait()
		if n := r.count(""); n == 0 || n > 2 {
			t.Errorf("%d refusals of what is too large to wait", n)
		}
	})
}

// TestQuestionThatWaits is one, however often it comes, until it leaves.
func TestQuestionThatWaits(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		id := r.srv.AddTask(mcptest.Task{Session: r.srv.Sessions()[0]})
		r.asks(0, floodBurst)
		ofTask := `{"jsonrpc":"2.0","id":"t","method":"elicitation/create","params":{"message":"m","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + id + `"}}}}`
		r.srv.PushRaw("", []byte(ofTask))
		r.pushed("again", "m")
		r.pushed("again", "m")
		r.pushed("other", "old")
		r.pushed("other", "new")
		synctest.Wait()
		if n := len(r.s.era.(*era2025).prompts.queue); n != 3 {
			t.Errorf("%d wait, want 3", n)
		}
		r.srv.SetStatus(id, mcptest.Completed, "") // takes what it asked along
		ps, waiting, _ := r.came(time.Minute)
		if len(ps) != floodBurst+2 || waiting != 0 || ps[floodBurst].Key != "again" || ps[floodBurst+1].Message.Line() != "new" {
			t.Errorf("%d came, %d wait", len(ps), waiting)
		}
		r.asks(1000, 1000+3*floodBurst)
		r.srv.LoseSessions()
		_, _ = r.s.Get(t.Context(), task.ID(id))
		_ = r.ending()
		waiting = -1
		for _, e := range r.left {
			if f, ok := e.(task.Flooding); ok {
				waiting = f.Waiting
			}
		}
		if waiting != 0 {
			t.Errorf("the session has ended, and %d wait", waiting)
		}
	})
}

// TestRefusedAndAskedAgain: a server that will have an answer by asking the same
// again at once is slowed down sooner.
func TestRefusedAndAskedAgain(t *testing.T) {
	eras(t, func(t *testing.T, era mcptest.Era) {
		var asked atomic.Int64
		r := sampling(t, era, mcptest.WithTools(mcptest.Tool{Name: "pushy", TaskSupport: mcptest.Optional,
			Run: func(ctx ctx, c *mcptest.Call) mcptest.Outcome {
				for ctx.Err() == nil {
					asked.Add(1)
					if reply, err := c.Elicit(nameForm); err != nil || reply.Accepted() {
						return mcptest.Answered("so be it")
					}
				}
				return mcptest.Answered()
			}}))
		r.start("pushy")
		id := any1[task.Started](r).Task.ID
		r.s.Attend([]task.ID{id})
		begun := time.Now()
		const spell = 80 * time.Second
		for n := 0; time.Since(begun) < spell; n++ {
			p, ok := next(r, time.Minute, func(task.Prompted) bool { return true })
			if !ok {
				break
			}
			time.Sleep(100 * time.Millisecond) // a person who is quick
			if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.Prompt.ID, Action: task.Decline}); err != nil {
				t.Fatal(err)
			}
		}
		if most := (floodBurst + int64(spell/floodEvery)) / againCost; asked.Load() > most+4 || asked.Load() < most/2 {
			t.Errorf("asked %d times in %v, want about %d", asked.Load(), spell, most)
		}
		if notes(r, "floods with prompts") != 1 {
			t.Error("the log does not name it")
		}
		if p, ok := next(r, time.Minute, func(task.Prompted) bool { return true }); ok {
			r.accept(p.Prompt)
		}
		r.ends(id)
	})
}

// severalQuestions is n questions.
func severalQuestions(n int) (qs []mcptest.Question) {
	for i := range n {
		qs = append(qs, mcptest.Question{Key: fmt.Sprintf("k%03d", i), Elicitation: nameForm})
	}
	return qs
}

// TestModernFlood: the questions of a task, or of a call that is none, wait too.
func TestModernFlood(t *testing.T) {
	const n = 100
	all := func(_ ctx, c *mcptest.Call) mcptest.Outcome {
		rs, err := c.ElicitAll(severalQuestions(n)...)
		if err != nil {
			return mcptest.ToolError(err.Error())
		}
		said := ""
		for i, reply := range rs {
			if string(reply.Content) != fmt.Sprintf(`{"name":"k%03d"}`, i) {
				said += string(reply.Content)
			}
		}
		return mcptest.Answered("wrong: " + said)
	}
	answer := func(r *rig, ps []task.Prompt) {
		for _, p := range ps {
			reply := task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(fmt.Sprintf(`{"name":%q}`, p.Key))}
			if _, err := r.s.Answer(r.t.Context(), reply); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	for name, asTask := range map[string]bool{"task": true, "call": false} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				opt := tool("all", all)
				if !asTask {
					opt = plainTool("all", all)
				}
				r := attach2026(t, opt)
				r.start("all")
				ps, waiting, _ := r.came(500 * time.Millisecond)
				if len(ps) != floodBurst || waiting != n-floodBurst {
					t.Fatalf("%d came, %d wait", len(ps), waiting)
				}
				answer(r, ps)
				rest, waiting, _ := r.came(2 * time.Minute)
				if len(rest) != n-floodBurst || waiting != 0 {
					t.Fatalf("then %d came, %d wait", len(rest), waiting)
				}
				answer(r, rest[1:])
				answer(r, rest[:1])
				if !asTask {
					if ret := any1[task.Returned](r); ret.Result == nil || ret.Result.Content[0].Text != "wrong: " {
						t.Errorf("%+v", ret)
					}
					return
				}
				r.ends(rest[0].Task)
				if got := r.result(rest[0].Task); got != "wrong: " {
					t.Errorf("%s", got)
				}
			})
		})
		t.Run(name+" that ends", func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				opt := tool("all", all)
				if !asTask {
					opt = plainTool("all", all)
				}
				r := attach2026(t, opt)
				r.start("all")
				ps, _, _ := r.came(500 * time.Millisecond)
				if asTask {
					if _, err := r.s.Cancel(t.Context(), ps[0].Task); err != nil {
						t.Fatal(err)
					}
					r.ends(ps[0].Task)
				} else if err := r.s.Abandon(t.Context(), "all"); err != nil {
					t.Fatal(err)
				}
				if more, waiting, _ := r.came(time.Minute); len(more) > 1 || waiting != 0 {
					t.Errorf("%d came, %d wait", len(more), waiting)
				}
			})
		})
	}
}
