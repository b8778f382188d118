package mcpclient

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// TestAnsweredStaysAnswered: a stream that is resumed brings what was answered
// before, too.
func TestAnsweredStaysAnswered(t *testing.T) {
	for name, route := range map[string]mcptest.Route{"tasks/result": mcptest.ByResult, "GET": mcptest.ByGET} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, once(mcptest.WithPromptRoute(route), tool("deploy", func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
					_, _ = c.ElicitAll(mcptest.Question{Elicitation: nameForm}, mcptest.Question{Elicitation: nameForm})
					return mcptest.Answered("done")
				}))...)
				any1[task.Stream](r)
				id, ps := r.askedMany(2)
				r.accept(ps[1])
				for range 2 {
					resume := r.s.Resume()
					r.kill()
					time.Sleep(time.Second)
					if p := r.again(resume, id); p.Key != ps[0].Key {
						t.Errorf("%q comes first, want %q", p.Key, ps[0].Key)
					}
					never(r, 3*time.Second, func(task.Prompted) bool { return true })
				}
			})
		})
	}
}

// TestQuestionWithoutAPlace: a server whose events have no ids cannot send it
// again; the answer is a message of its own all the same.
func TestQuestionWithoutAPlace(t *testing.T) {
	faults := mcptest.Faults{PromptsOnce: true}
	anonymous := faults
	anonymous.NoRelatedTask = true
	for name, opts := range map[string][]mcptest.Option{
		"tasks/result": {mcptest.WithFaults(anonymous), mcptest.WithEventStore(0)},
		"GET":          {mcptest.WithFaults(faults), mcptest.WithEventStore(0), mcptest.WithPromptRoute(mcptest.ByGET)},
		"first on GET": {mcptest.WithFaults(faults), mcptest.WithTransitions(mcptest.NoTransitions), mcptest.WithPromptRoute(mcptest.ByGET)},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, append(opts, asking("deploy", nameForm), sleeping())...)
				r.start("work") // so that nothing is guessed
				any1[task.Started](r)
				id, first := r.asked()
				for range 2 {
					resume := r.s.Resume()
					if (resume.LastEvent != "") != (name == "first on GET") {
						t.Errorf("the last event is %q", string(resume.LastEvent))
					}
					r.kill()
					time.Sleep(time.Second)
					p := r.again(resume, id)
					if p.Key != first.Key || p.Task != id || p.At.UnixMilli() != first.At.UnixMilli() || len(p.Form.Fields) != 1 {
						t.Errorf("%+v, want %+v", p, first)
					}
					first = p
				}
				r.accept(first)
				if got := r.result(id); got != `accept {"name":"a"}` {
					t.Errorf("the result is %q", got)
				}
			})
		})
	}
	t.Run("of a call", func(t *testing.T) { // whose reply nobody will have
		inBubble(t, func(t *testing.T) {
			r := attach(t, mcptest.WithEventStore(0), asking("deploy", nameForm))
			r.call(task.Call{ID: "c", Tool: "deploy"})
			any1[task.Prompted](r)
			if now := r.s.Resume(); now.Streams != "" {
				t.Errorf("kept: %q", string(now.Streams))
			}
		})
	})
}

// TestOnlooker: what is asked in a session in which others answer is shown by one
// that only reads, refused by none, and comes again to who answers.
func TestOnlooker(t *testing.T) {
	for _, keep := range []int{0, 1024} {
		inBubble(t, func(t *testing.T) {
			r := attach(t, once(mcptest.WithPromptRoute(mcptest.ByGET), mcptest.WithEventStore(keep), asking("deploy", nameForm))...)
			any1[task.Stream](r)
			id, first := r.asked()
			resume := r.s.Resume()
			r.kill()
			for range 2 { // its own Resume is as good
				reader := newReader(t, r)
				reader.dial(resume)
				if p := any1[task.Prompted](reader).Prompt; p.Key != first.Key {
					t.Errorf("%+v", p)
				}
				time.Sleep(10 * time.Second)
				resume = reader.s.Resume()
				reader.kill()
			}
			if n := r.count(""); n != 0 {
				t.Errorf("%d answers were sent", n)
			}
			if p := r.again(resume, id); p.Key != first.Key {
				t.Errorf("%+v", p)
			}
		})
	}
}

// TestNothingIsAskedInAReaderSession: what was not declared is refused, also by
// who rejoins such a session.
func TestNothingIsAskedInAReaderSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		reader := newReader(t, r)
		reader.dial(task.Resume{})
		for range 2 {
			any1[task.Stream](reader)
			r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m"}}`))
			if p, ok := next(reader, time.Second, func(task.Prompted) bool { return true }); ok {
				t.Errorf("%+v", p)
			}
			resume := reader.s.Resume()
			reader.kill()
			resume.Streams = task.Secret(fmt.Sprintf(`{"ask":2,"sum":%d,"asks":"{}"}`, sumOf([]byte("{}"))))
			reader.dial(resume)
		}
		reader.kill()
		if n := len(r.srv.Requests("")); n != 2 {
			t.Errorf("refused %d times", n)
		}
	})
}

// TestAskedWhileLeaving: a question that comes after the places of all others were
// noted, before the stream is closed, is left to who rejoins the session, too.
func TestAskedWhileLeaving(t *testing.T) {
	for name, opts := range map[string][]mcptest.Option{"with event ids": {mcptest.WithPriming(0)}, "without": nil} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, opts...)
				any1[task.Stream](r)
				e := r.s.era.(*era2025)
				e.mu.Lock()
				e.ending()
				e.mu.Unlock()
				for range 2 { // a replay is one question
					r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":"late","method":"elicitation/create","params":{"message":"m"}}`))
				}
				synctest.Wait()
				r.kill()
				r.dial(e.resume())
				if p := any1[task.Prompted](r).Prompt; p.Key != "late" {
					t.Errorf("%+v", p)
				}
			})
		})
	}
}

// TestBegunWithoutSampling: a session that declared no sampling is not asked for
// texts by being rejoined by who would answer, and says so, as long as that is so.
func TestBegunWithoutSampling(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		said := func(sampling bool, resume task.Resume) (string, task.Resume) {
			t.Helper()
			ep, err := NewEndpoint(Config{URL: mcptest.MemoryURL, RoundTripper: r.srv.Transport(), Sampling: sampling, Protocol: task.Legacy})
			if err != nil {
				t.Fatal(err)
			}
			s, err := ep.Dial(t.Context(), resume)
			if err != nil {
				t.Fatal(err)
			}
			note := s.About().Note.Line()
			resume = s.Resume()
			if err := s.Close(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			return note, resume
		}
		begun := func(sampling bool) task.Resume {
			t.Helper()
			note, resume := said(sampling, task.Resume{})
			if note != "" {
				t.Errorf("a new session says %q", note)
			}
			return resume
		}
		without := begun(false)
		for range 2 { // what it says is not kept
			var note string
			if note, without = said(true, without); !strings.Contains(note, "without sampling") {
				t.Errorf("rejoined: %q", note)
			}
		}
		for _, each := range []struct {
			sampling bool
			resume   task.Resume
		}{{false, without}, {true, begun(true)}, {true, task.Resume{Session: without.Session, Joined: true}}} {
			if note, _ := said(each.sampling, each.resume); note != "" {
				t.Errorf("%+v says %q", each, note)
			}
		}
	})
}

// TestPlacesUnasked: nothing is resumed of a task that nobody attends, nor in a
// read-only session; and who comes later finds it still.
func TestPlacesUnasked(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		inBubble(t, func(t *testing.T) {
			r := attach(t, once(asking("deploy", nameForm))...)
			id, first := r.asked()
			resume := r.s.Resume()
			r.kill()
			before := r.count("GET")
			other := &rig{t: t, srv: r.srv, ep: r.ep}
			if readOnly {
				other = newReader(t, r)
			}
			other.dial(resume)
			if readOnly {
				other.s.Attend([]task.ID{id})
			}
			never(other, 10*time.Second, func(task.Prompted) bool { return true })
			if n := r.count("GET"); n != before+1 {
				t.Errorf("%d streams were opened", n-before)
			}
			resume = other.s.Resume()
			other.kill()
			if p := r.again(resume, id); p.Key != first.Key {
				t.Errorf("%+v", p)
			}
		})
	}
}

func newReader(t *testing.T, r *rig) *rig {
	ep, err := NewEndpoint(Config{URL: mcptest.MemoryURL, RoundTripper: r.srv.Transport(), ReadOnly: true, Protocol: task.Legacy})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, srv: r.srv, ep: ep}
}

// TestPlacesEnd: what a task that went on asked before is not kept.
func TestPlacesEnd(t *testing.T) {
	for name, status := range map[string]mcptest.Status{"goes on": mcptest.Working, "ended": mcptest.Completed} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, once(asking("deploy", nameForm))...)
				id, _ := r.asked()
				resume := r.s.Resume()
				r.kill()
				r.srv.SetStatus(string(id), status, "")
				r.dial(resume)
				if now := r.s.Resume(); now.Streams != "" {
					t.Errorf("kept: %q", string(now.Streams))
				}
			})
		})
	}
}

// TestQuestionsOfOneMoment: who rejoins the session reads on behind the event before
// the one that came first, whatever their ids are.
func TestQuestionsOfOneMoment(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithPriming(0))
		any1[task.Stream](r)
		for _, id := range []int{9, 10} {
			r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"m"}}`, id))
		}
		for range 2 {
			any1[task.Prompted](r)
		}
		resume := r.s.Resume()
		r.kill()
		time.Sleep(time.Second)
		r.dial(resume)
		for _, key := range []string{"9", "10"} {
			if p := any1[task.Prompted](r).Prompt; p.Key != key {
				t.Errorf("%q, want %q", p.Key, key)
			}
		}
	})
}

// TestPlacesAreBounded: neither what a server asks nor what a file holds makes
// them grow.
func TestPlacesAreBounded(t *testing.T) {
	long := strings.Repeat("x", maxPlace)
	many := strings.Repeat(`{"ask":1,"sum":1,"of":"r","after":"a"}`+"\n"+`{"ask":2,"sum":1,"done":true}`+"\n", 3*maxPlaces)
	kept, done := readPlaces("\n{}\n[]\nnull\n{\"ask\":null,\"after\":\"a\"}\n{\"ask\":1}\n{\"ask\":1,\"after\":\"" + long + "\"}\n" + many)
	if len(kept) != maxPlaces || len(done) != maxPlaces {
		t.Errorf("%d places, %d done", len(kept), len(done))
	}
	if line := (place{Ask: "1", After: long}).line(); line != "" {
		t.Errorf("a line of %d bytes", len(line))
	}
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithPriming(0))
		any1[task.Stream](r)
		for i := range 3 * maxPlaces {
			r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"%d"}}`, i, i))
			p := any1[task.Prompted](r).Prompt
			if i > 0 && i%2 == 0 {
				r.accept(p)
			}
		}
		kept, done := readPlaces(string(r.s.Resume().Streams))
		if len(kept) != maxPlaces || len(done) != maxPlaces {
			t.Errorf("%d places, %d done", len(kept), len(done))
		}
	})
}
