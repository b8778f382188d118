package mcpclient

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// kill ends the session as kill -9 ends it: nothing is sent.
func (r *rig) kill() {
	r.t.Helper()
	e := r.s.era.(*era2025)
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.halt()
	synctest.Wait() // the server sees that nobody reads
	r.s = nil
}

// once makes a server that hands each question out once, whose streams can be
// resumed from before their first message.
func once(opts ...mcptest.Option) []mcptest.Option {
	return append(opts, mcptest.WithPriming(0), mcptest.WithFaults(mcptest.Faults{PromptsOnce: true}))
}

// asked starts "deploy" as a task, attends it and returns its question.
func (r *rig) asked() (task.ID, task.Prompt) {
	r.t.Helper()
	id, ps := r.askedMany(1)
	return id, ps[0]
}

// askedMany is asked for n questions, which may come before the task is known.
func (r *rig) askedMany(n int) (id task.ID, ps []task.Prompt) {
	r.t.Helper()
	r.start("deploy")
	ctx, cancel := contextFor(r.t, within)
	defer cancel()
	for id == "" || len(ps) < n {
		b, err := r.s.Next(ctx)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, e := range b.Events {
			switch e := e.(type) {
			case task.Started:
				id = e.Task.ID
				r.s.Attend([]task.ID{id})
			case task.Prompted:
				ps = append(ps, e.Prompt)
			}
		}
	}
	return id, ps
}

// again rejoins the session, attends the task and returns the question.
func (r *rig) again(resume task.Resume, id task.ID) task.Prompt {
	r.t.Helper()
	r.dial(resume)
	r.s.Attend([]task.ID{id})
	return any1[task.Prompted](r).Prompt
}

func (r *rig) accept(p task.Prompt) {
	r.t.Helper()
	if _, err := r.s.Answer(r.t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept, Content: []byte(`{"name":"a"}`)}); err != nil {
		r.t.Fatal(err)
	}
}

// result is the text of a task's result, once it has one.
func (r *rig) result(id task.ID) string {
	r.t.Helper()
	ctx, cancel := contextFor(r.t, within)
	defer cancel()
	res, err := r.s.Result(ctx, id)
	if err != nil || len(res.Content) == 0 {
		r.t.Fatalf("%+v, %v", res, err)
	}
	return res.Content[0].Text
}

// TestQuestionComesAgain: one that came on the stream of tasks/result comes to
// who rejoins the session, by kill -9 or not, though the server does not send it
// again on a new tasks/result.
func TestQuestionComesAgain(t *testing.T) {
	for name, leave := range map[string]func(*rig){
		"killed": (*rig).kill,
		"left":   func(r *rig) { r.close(true) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, once(asking("deploy", nameForm))...)
				id, first := r.asked()
				for range 2 { // the one that rejoined leaves it to others, too
					ended := r.s
					leave(r)
					resume := ended.Resume()
					time.Sleep(time.Second)
					p := r.again(resume, id)
					if p.Key != first.Key || p.Task != id || p.Message != first.Message || p.At.UnixMilli() != first.At.UnixMilli() {
						t.Fatalf("%+v, want %+v", p, first)
					}
					if now := r.s.Resume(); now.Streams != resume.Streams {
						t.Errorf("its place is %q, was %q", string(now.Streams), string(resume.Streams))
					}
					first = p
				}
				r.accept(first)
				if got := r.result(id); got != `accept {"name":"a"}` {
					t.Errorf("the result is %q", got)
				}
				if now := r.s.Resume(); now.Streams != "" {
					t.Errorf("nothing is open any more: %q", string(now.Streams))
				}
			})
		})
	}
}

// TestResultComesOnResumedStream: a server that was not told otherwise goes on
// with the tasks/result that was sent before.
func TestResultComesOnResumedStream(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, once(asking("deploy", nameForm))...)
		id, _ := r.asked()
		resume := r.s.Resume()
		r.kill()
		r.dial(resume)
		r.s.Attend([]task.ID{id})
		p := any1[task.Prompted](r).Prompt
		r.srv.Intercept(mcptest.Interception{Method: "notifications/cancelled", Times: -1, Delay: time.Second})
		r.srv.Intercept(mcptest.Interception{Method: "tasks/result", Times: -1, Hang: true})
		r.accept(p)
		wait1(r, func(c task.Changed) bool { return c.Task.Status == task.Completed })
		time.Sleep(time.Second)
		if got := r.result(id); got != `accept {"name":"a"}` {
			t.Errorf("the result is %q", got)
		}
	})
}

// askingTwice is a tool, "deploy", that goes on asking a minute after the first
// answer.
func askingTwice() mcptest.Option {
	return tool("deploy", func(ctx context.Context, c *mcptest.Call) mcptest.Outcome {
		_, _ = c.Elicit(nameForm)
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
		}
		_, _ = c.Elicit(mcptest.Elicitation{Message: "And?", Schema: nameForm.Schema})
		return mcptest.Answered("done")
	})
}

// TestNextQuestionComes: after the one that came again, a task that goes on
// asking has a tasks/result of its own, and the server knows of no other.
func TestNextQuestionComes(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, once(askingTwice())...)
		id, _ := r.asked()
		held := r.srv.Requests("tasks/result")[0].ID
		resume := r.s.Resume()
		r.kill()
		r.accept(r.again(resume, id))
		time.Sleep(time.Second)
		if left := r.srv.Requests("notifications/cancelled"); len(left) != 1 || string(member(left[0].Params, "requestId")) != string(held) {
			t.Errorf("given up: %+v", left)
		}
		if n := r.count("tasks/result"); n != 2 {
			t.Errorf("%d tasks/result", n)
		}
		time.Sleep(time.Minute)
		if p := any1[task.Prompted](r).Prompt; p.Message.Line() != "And?" {
			t.Errorf("%+v", p)
		}
	})
}

// TestCallGoesOn: a plain call whose question was open has its question and its
// reply after all.
func TestCallGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, once(asking("deploy", nameForm))...)
		r.call(task.Call{ID: "c", Tool: "deploy"})
		first := any1[task.Prompted](r).Prompt
		resume := r.s.Resume()
		r.kill()
		r.dial(resume)
		p := any1[task.Prompted](r).Prompt
		if p.Call != "c" || p.Guessed || p.Key != first.Key {
			t.Errorf("%+v", p)
		}
		time.Sleep(time.Minute) // nobody hurries
		r.accept(p)
		ret := any1[task.Returned](r)
		if ret.Call != "c" || ret.Err != nil || ret.Result == nil || ret.Result.Content[0].Text != `accept {"name":"a"}` {
			t.Errorf("%+v", ret)
		}
		if n := r.count("tools/call"); n != 1 {
			t.Errorf("%d calls were sent", n)
		}
	})
}

// TestReplyOfAMuteStream: a server may give a stream that is resumed what is
// there, and nothing that comes.
func TestReplyOfAMuteStream(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("tasks/list", result(`{"tasks":[]}`))
		var answered atomic.Bool
		s.on("", func(w http.ResponseWriter, _ *scriptedRequest) {
			answered.Store(true)
			w.WriteHeader(http.StatusAccepted)
		})
		s.on(http.MethodGet, func(w http.ResponseWriter, q *scriptedRequest) {
			switch after := q.Header.Get("Last-Event-Id"); {
			case after == "":
				http.Error(w, "no", http.StatusMethodNotAllowed)
				return
			case after == "1":
				sse(w, "2", `{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"m"}}`)
			case after == "2" && answered.Load():
				sse(w, "3", `{"jsonrpc":"2.0","id":"r","result":{"content":[]}}`)
			default:
				sse(w, "", "")
			}
			for { // as if it were alive
				_, _ = fmt.Fprint(w, ":\n\n") // the client may be gone
				_ = http.NewResponseController(w).Flush()
				select {
				case <-q.Context().Done():
					return
				case <-time.After(5 * time.Second):
				}
			}
		})
		sum := sumOf([]byte(`{"message":"m"}`))
		kept := fmt.Sprintf(`{"ask":0,"sum":%d,"at":1,"of":"r","after":"1","call":"c"}`, sum)
		r := &rig{t: t, s: s.dial(Config{Protocol: task.Legacy}, task.Resume{Era: task.Legacy, Session: "s", Streams: task.Secret(kept)})}
		p := any1[task.Prompted](r).Prompt
		time.Sleep(time.Minute)
		begun := len(s.requests(http.MethodGet))
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline}); err != nil {
			t.Fatal(err)
		}
		if ret, ok := next(r, reopenLook+5*time.Second, func(task.Returned) bool { return true }); !ok || ret.Call != "c" || ret.Result == nil {
			t.Errorf("%+v", ret)
		}
		if begun > 2 {
			t.Errorf("%d streams within a minute", begun)
		}
		if n := len(s.requests("notifications/cancelled")); n != 0 {
			t.Errorf("%d requests were given up", n)
		}
	})
}

// sse sends one event, or only opens the stream.
func sse(w http.ResponseWriter, id, data string) {
	w.Header().Set("Content-Type", "text/event-stream")
	if data != "" {
		_, _ = fmt.Fprintf(w, "id: %s\ndata: %s\n\n", id, data) // the client may be gone
	}
	_ = http.NewResponseController(w).Flush()
}

// TestCallThatIsLost: what became of a call whose stream is gone is not known,
// and nothing is said of it a second time.
func TestCallThatIsLost(t *testing.T) {
	for _, silent := range []bool{false, true} {
		inBubble(t, func(t *testing.T) {
			r := attach(t, mcptest.WithPriming(0), mcptest.WithFaults(mcptest.Faults{UnknownID: silent}), asking("deploy", nameForm))
			r.call(task.Call{ID: "c", Tool: "deploy"})
			any1[task.Prompted](r)
			resume := r.s.Resume()
			resume.Streams = elsewhere(resume.Streams)
			r.kill()
			r.dial(resume)
			never(r, 10*time.Second, func(task.Returned) bool { return true })
			if now := r.s.Resume(); now.Streams != "" {
				t.Errorf("kept: %q", string(now.Streams))
			}
			if n := len(r.s.era.(*era2025).calls.running); n != 0 {
				t.Errorf("%d calls are on their way", n)
			}
		})
	}
}

// TestCallOfOthers: the call of a session that only looks on, or that has
// another's stream, is left alone.
func TestCallOfOthers(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		inBubble(t, func(t *testing.T) {
			r := attach(t, once(asking("deploy", nameForm))...)
			r.call(task.Call{ID: "c", Tool: "deploy"})
			any1[task.Prompted](r)
			resume := r.s.Resume()
			r.kill()
			other, streams := &rig{t: t, srv: r.srv, ep: r.ep}, r.count("GET")
			if resume.PostOnly = !readOnly; readOnly {
				other, streams = newReader(t, r), streams+1
			}
			other.dial(resume)
			never(other, 10*time.Second, func(task.Prompted) bool { return true })
			if n := r.count("GET"); n != streams {
				t.Errorf("%d streams are open", n-streams)
			}
			other.kill()
		})
	}
}

// elsewhere makes the places be ones that no server knows.
func elsewhere(lines task.Secret) task.Secret {
	return task.Secret(strings.ReplaceAll(string(lines), `"after":"`, `"after":"un`))
}

// TestUnknownPlace: where the server does not know it, tasks/result is sent anew.
func TestUnknownPlace(t *testing.T) {
	for name, c := range map[string]struct {
		silent bool
		within time.Duration
	}{
		"refused": {false, time.Second}, "silent": {true, reopenPatience + time.Second}, "not found": {false, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, asking("deploy", nameForm), mcptest.WithPriming(0), mcptest.WithFaults(mcptest.Faults{UnknownID: c.silent}))
				id, first := r.asked()
				resume := r.s.Resume()
				resume.Streams = elsewhere(resume.Streams)
				r.kill()
				r.dial(resume)
				any1[task.Stream](r)
				if name == "not found" { // the session is
					r.srv.Intercept(mcptest.Interception{Method: "GET", Times: 1, Status: 404})
				}
				r.s.Attend([]task.ID{id})
				p, ok := next(r, c.within, func(task.Prompted) bool { return true })
				if !ok || p.Prompt.Key != first.Key {
					t.Fatalf("%+v", p)
				}
				if n := r.count("notifications/cancelled"); n != 1 {
					t.Errorf("the tasks/result before was given up %d times", n)
				}
				if now := r.s.Resume(); now.Streams == resume.Streams {
					t.Error("a place that the server does not know is kept")
				}
				r.accept(p.Prompt)
				_ = r.result(id)
			})
		})
	}
}

// TestPlaceIsTriedAgain: a server that is busy, or down, is asked again.
func TestPlaceIsTriedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, once(asking("deploy", nameForm))...)
		id, first := r.asked()
		resume := r.s.Resume()
		r.kill()
		r.dial(resume)
		any1[task.Stream](r)
		r.srv.Intercept(mcptest.Interception{Method: "GET", Times: 2, Status: 503})
		r.s.Attend([]task.ID{id})
		if p := any1[task.Prompted](r).Prompt; p.Key != first.Key {
			t.Errorf("%+v", p)
		}
	})
}

// TestPlaceIsLeft: a server that does not answer at all may do so another time.
// What is another process's tasks/result is not given up for that.
func TestPlaceIsLeft(t *testing.T) {
	for _, guest := range []bool{false, true} {
		inBubble(t, func(t *testing.T) {
			r := attach(t, once(asking("deploy", nameForm))...)
			id, first := r.asked()
			resume := r.s.Resume()
			r.kill()
			resume.PostOnly = guest
			r.dial(resume)
			any1[task.Stream](r)
			r.srv.Intercept(mcptest.Interception{Method: "GET", Times: 1, Hang: true})
			r.s.Attend([]task.ID{id})
			if guest {
				time.Sleep(time.Second)
				r.close(true)
				if n := r.count("notifications/cancelled"); n != 0 {
					t.Errorf("%d tasks/result were given up", n)
				}
				return
			}
			time.Sleep(reopenPatience + time.Second)
			if n := r.count("tasks/result"); n != 2 {
				t.Errorf("%d tasks/result", n)
			}
			resume = r.s.Resume()
			r.kill()
			if p := r.again(resume, id); p.Key != first.Key {
				t.Errorf("%+v", p)
			}
		})
	}
}

// TestPlaceOfOthers: a session whose stream is another's lets the question be
// answered here or there, and takes nothing away.
func TestPlaceOfOthers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, once(askingTwice())...)
		id, first := r.asked()
		guest := &rig{t: t, srv: r.srv, ep: r.ep}
		resume := r.s.Resume()
		resume.PostOnly = true
		p := guest.again(resume, id)
		if p.Key != first.Key {
			t.Errorf("%+v", p)
		}
		time.Sleep(100 * time.Millisecond)
		if n := r.count("tasks/result"); n != 2 {
			t.Errorf("%d tasks/result: the stream of the other one is kept", n)
		}
		time.Sleep(10 * time.Second)
		if n := r.count("notifications/cancelled"); n != 0 {
			t.Errorf("%d tasks/result were given up", n)
		}
		guest.accept(p)
		guest.close(true)
		time.Sleep(time.Minute)
		p = wait1(r, func(p task.Prompted) bool { return p.Prompt.Key != first.Key }).Prompt
		r.accept(p)
		if got := r.result(id); got != "done" {
			t.Errorf("the result is %q", got)
		}
	})
}
