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

func TestStreamEvents(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		if s := any1[task.Stream](r); !s.Up || s.Gap || s.Never {
			t.Errorf("opened: %+v", s)
		}
		r.srv.CutStreams()
		down := any1[task.Stream](r)
		if down.Up || down.Why == "" || down.RetryAt.Before(time.Now()) {
			t.Errorf("cut: %+v", down)
		}
		up := any1[task.Stream](r)
		if !up.Up {
			t.Errorf("back: %+v", up)
		}
		id := r.srv.AddTask(mcptest.Task{})
		r.srv.SetStatus(id, mcptest.Completed, "")
		wait1(r, func(c task.Changed) bool { return c.Task.Status == task.Completed })
	})
}

func TestStreamNever(t *testing.T) {
	for what, c := range map[string]struct {
		answer mcptest.Interception
		asked  int
	}{
		"405": {mcptest.HTTPError("GET", -1, 405, 0), 1}, "404": {mcptest.HTTPError("GET", -1, 404, 0), refusedTries},
		"400": {mcptest.HTTPError("GET", -1, 400, 0), refusedTries}, "a page": {mcptest.HTMLPage("GET", -1, 200), refusedTries},
	} {
		t.Run(what, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := newRig(t, Config{})
				r.srv.Intercept(c.answer)
				r.dial(task.Resume{})
				s, ok := next(r, time.Minute, func(s task.Stream) bool { return s.Never })
				if !ok || s.Up || s.Why == "" || !s.RetryAt.IsZero() {
					t.Errorf("%+v", s)
				}
				time.Sleep(10 * time.Minute)
				if n := r.count("GET"); n != c.asked {
					t.Errorf("asked %d times for a stream that there is not", n)
				}
				if _, err := r.s.Page(t.Context(), task.Cursor{}); err != nil {
					t.Errorf("the session is gone: %v", err)
				}
			})
		})
	}
}

// TestStreamIsTriedAgain: a refusal that somebody may mend is no last word.
func TestStreamIsTriedAgain(t *testing.T) {
	answers := map[string]mcptest.Interception{"a page": mcptest.HTMLPage("GET", 1, 200)}
	for _, status := range []int{400, 401, 403, 404, 409, 503} {
		answers[fmt.Sprint(status)] = mcptest.HTTPError("GET", 1, status, 0)
	}
	for what, answer := range answers {
		t.Run(what, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := newRig(t, Config{})
				r.srv.Intercept(answer)
				r.dial(task.Resume{})
				down := any1[task.Stream](r)
				if down.Up || down.Never || down.RetryAt.Before(time.Now()) {
					t.Errorf("%+v", down)
				}
				if _, ok := next(r, 2*time.Minute, func(s task.Stream) bool { return s.Up }); !ok {
					t.Error("the stream did not come back")
				}
			})
		})
	}
}

// TestStreamTellsOfLostSession: where a stream was, a 404 is the session's end.
func TestStreamTellsOfLostSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		r.srv.Intercept(mcptest.HTTPError("GET", -1, 404, 0))
		r.srv.CutStreams()
		if end := r.ending(); end.Kind != task.SessionLost || end.Status != 404 {
			t.Errorf("%+v", end)
		}
	})
}

// TestStreamComesBackWithTheServer: once a request is answered again, the stream
// does not sit out its back-off.
func TestStreamComesBackWithTheServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithEventStore(0))
		any1[task.Stream](r)
		r.srv.Intercept(mcptest.Interception{Method: "GET", Times: 7, Drop: true})
		r.srv.CutStreams()
		time.Sleep(100 * time.Second) // the back-off is at its longest
		if _, err := r.s.Page(t.Context(), task.Cursor{}); err != nil {
			t.Fatal(err)
		}
		r.srv.ClearInterceptions()
		if _, err := r.s.Page(t.Context(), task.Cursor{}); err != nil {
			t.Fatal(err)
		}
		up, ok := next(r, 3*time.Second, func(s task.Stream) bool { return s.Up })
		if !ok {
			t.Error("the stream still waits")
		} else if !up.Gap {
			t.Error("without event ids what was missed is a gap")
		}
	})
}

// TestCallWaitsForStreamToComeBack: what a tool asks may come on the GET stream at
// once, and a server that numbers no events keeps nothing for who does not listen.
func TestCallWaitsForStreamToComeBack(t *testing.T) {
	for what, tt := range map[string]struct {
		store     int // of events, 0 for none
		down      func(*rig)
		from, to  time.Duration // when the call is sent
		streaming bool          // the stream is up by then
	}{
		"broken long ago": {0, func(r *rig) {
			r.srv.Intercept(mcptest.Interception{Method: "GET", Times: -1, Drop: true})
			r.srv.CutStreams()
			time.Sleep(100 * time.Second) // the back-off is at its longest
			r.srv.ClearInterceptions()
			r.srv.Intercept(mcptest.Interception{Method: "GET", Delay: time.Second})
		}, time.Second, 1500 * time.Millisecond, true},
		"closed in good order": {0, func(r *rig) {
			r.srv.EndStreams()
			time.Sleep(100 * time.Millisecond)
		}, 500 * time.Millisecond, 1500 * time.Millisecond, true}, // the pause is the server's to want
		"closed in good order, events are numbered": {100, func(r *rig) {
			r.srv.Push("", "notifications/message", map[string]any{"level": "info", "data": "x"})
			any1[task.Logged](r)
			r.srv.EndStreams()
			time.Sleep(100 * time.Millisecond)
		}, 0, 0, false}, // what is said meanwhile is said again
		"asked to wait": {0, func(r *rig) {
			r.srv.Intercept(mcptest.HTTPError("GET", 1, 503, time.Minute))
			r.srv.EndStreams()
			time.Sleep(5 * time.Second)
		}, 0, 0, false},
		"the server sends no headers": {0, func(r *rig) {
			r.srv.Intercept(mcptest.Interception{Method: "GET", Times: -1, Hang: true})
			r.srv.CutStreams()
			time.Sleep(100 * time.Millisecond)
		}, streamPatience, streamPatience, false},
		"it sends none for long": {0, func(r *rig) {
			r.srv.Intercept(mcptest.Interception{Method: "GET", Times: -1, Hang: true})
			r.srv.CutStreams()
			time.Sleep(10 * time.Second)
		}, 0, 0, false},
		"the server is gone": {0, func(r *rig) {
			r.srv.Intercept(mcptest.Interception{Method: "GET", Times: -1, Drop: true})
			r.srv.CutStreams()
			time.Sleep(100 * time.Millisecond)
		}, 0, 100 * time.Millisecond, false},
		"the stream is refused": {0, func(r *rig) {
			r.srv.Intercept(mcptest.HTTPError("GET", -1, 403, 0))
			r.srv.CutStreams()
			time.Sleep(5 * time.Second)
		}, 0, 0, false},
	} {
		t.Run(what, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := attach(t, mcptest.WithEventStore(tt.store))
				wait1(r, func(s task.Stream) bool { return s.Up })
				tt.down(r)
				begun := time.Now()
				r.start("greet")
				if err := r.srv.WaitFor(t.Context(), "tools/call", 1); err != nil {
					t.Fatal(err)
				}
				if d := time.Since(begun); d < tt.from || d > tt.to {
					t.Errorf("the call is sent after %v, want %v to %v", d, tt.from, tt.to)
				}
				synctest.Wait()
				up := false
				for e, ok := next(r, 0, func(task.Stream) bool { return true }); ok; e, ok = next(r, 0, func(task.Stream) bool { return true }) {
					up = e.Up
				}
				if up != tt.streaming {
					t.Errorf("the stream is up: %v", up)
				}
			})
		})
	}
}

// TestGap: what the server cannot repeat is a gap.
func TestGap(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithEventStore(2))
		any1[task.Stream](r)
		r.srv.Push("", "notifications/message", map[string]any{"level": "info", "data": "x"})
		any1[task.Logged](r)
		r.srv.Intercept(mcptest.Interception{Method: "GET", Status: 400, Body: "unknown event id"})
		r.srv.CutStreams()
		wait1(r, func(s task.Stream) bool { return s.Up && s.Gap })
		if got := r.srv.Requests("GET"); got[len(got)-1].Header.Get("Last-Event-ID") != "" {
			t.Error("an id that the server does not know was named again")
		}
	})
}

// TestResumedSessionSeedsItsStream: what was missed between two processes comes
// by the last event id.
func TestResumedSessionSeedsItsStream(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t)
		any1[task.Stream](r)
		session := r.srv.Sessions()[0]
		r.srv.Push(session, "notifications/message", map[string]any{"level": "info", "data": "before"})
		any1[task.Logged](r)
		resume := r.s.Resume()
		if resume.LastEvent == "" || strings.Contains(fmt.Sprintf("%+v", resume), session) {
			t.Errorf("%+v", resume)
		}
		r.close(true)
		synctest.Wait()
		r.srv.Push(session, "notifications/message", map[string]any{"level": "info", "data": "meanwhile"})
		r.dial(resume)
		if l := any1[task.Logged](r); l.Text.String() != "meanwhile" {
			t.Errorf("%v", l.Text)
		}
	})
}

// TestResumedSessionAsksAgain: a question that was left open comes again, though
// the server sends it once, and events came after it.
func TestResumedSessionAsksAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, mcptest.WithPromptRoute(mcptest.ByGET), asking("deploy", nameForm))
		any1[task.Stream](r)
		note := func() {
			r.srv.Push(r.srv.Sessions()[0], "notifications/message", map[string]any{"level": "info", "data": "x"})
			any1[task.Logged](r)
		}
		note()
		r.start("deploy")
		first := any1[task.Prompted](r).Prompt
		note()
		resume := r.s.Resume()
		r.close(true)
		synctest.Wait() // the server sees that nobody reads
		r.dial(resume)
		again := any1[task.Prompted](r).Prompt
		if again.Key != first.Key || again.Message != first.Message {
			t.Errorf("%+v, want %+v", again, first)
		}
		if _, err := r.s.Answer(t.Context(), task.Reply{Prompt: again.ID, Action: task.Decline}); err != nil {
			t.Fatal(err)
		}
		note()
		if now := r.s.Resume(); now.LastEvent == resume.LastEvent {
			t.Error("what is answered is not to come again")
		}
	})
}

// TestHostile: a server whose every string and type is wrong harms nothing.
func TestHostile(t *testing.T) {
	for name, f := range map[string]mcptest.Faults{
		"escapes":        {Hostile: true, Replies: mcptest.ReplyTurns, Noise: true, Duplicate: true},
		"wrong types":    {Mangle: mcptest.WrongTypes},
		"unknown fields": {Mangle: mcptest.UnknownFields},
		"deep":           {Mangle: mcptest.Deep(300)},
		"huge":           {Mangle: mcptest.Huge(100 << 10)},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := newRig(t, Config{}, asking("deploy", nameForm))
				r.dial(task.Resume{})
				r.srv.Fault(func(now *mcptest.Faults) { *now = f })
				id := task.ID(r.srv.AddTask(mcptest.Task{Message: "m\x1b[31m"}))
				r.srv.SetStatus(string(id), mcptest.InputRequired, "\x1b]52;c;eA==\x07x")
				r.start("deploy")
				for range 3 {
					_, _ = r.s.Page(t.Context(), task.Cursor{})
					_, _ = r.s.Get(t.Context(), id)
					_, _ = r.s.Tools(t.Context())
				}
				r.s.Attend([]task.ID{id})
				_, _ = next(r, 3*time.Second, func(e task.Event) bool {
					if c, ok := e.(task.Changed); ok && strings.ContainsRune(c.Task.Message.String(), 0x1b) {
						t.Errorf("an escape came through: %q", c.Task.Message)
					}
					return false
				})
				for _, f := range r.ep.Frames(0, 1000) {
					if f.Dir == task.Note && strings.ContainsRune(f.Body, 0x1b) {
						t.Errorf("an escape is in a note: %q", f.Body)
					}
				}
			})
		})
	}
}

func TestHangingServerDoesNotHoldCloseUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach(t, sleeping())
		r.start("work")
		id := any1[task.Started](r).Task.ID
		r.s.Attend([]task.ID{id})
		if err := r.srv.WaitFor(t.Context(), "tasks/result", 1); err != nil {
			t.Fatal(err)
		}
		r.srv.Intercept(mcptest.Interception{Times: -1, Hang: true})
		for _, keep := range []bool{true, false} {
			if keep {
				r.close(true) // which takes the time
				r.srv.ClearInterceptions()
				r.dial(task.Resume{})
				r.srv.Intercept(mcptest.Interception{Times: -1, Hang: true})
				continue
			}
			r.close(false)
		}
		r.srv.ClearInterceptions()
	})
}

// TestDeleteRefused: that a server does not let us end the session is no error.
func TestDeleteRefused(t *testing.T) {
	for _, mode := range []mcptest.DeleteMode{mcptest.Delete405, mcptest.Delete404HTML, mcptest.DeleteIgnored} {
		inBubble(t, func(t *testing.T) {
			r := attach(t, mcptest.WithFaults(mcptest.Faults{Delete: mode}))
			r.close(false)
			if n := r.count("DELETE"); n != 1 {
				t.Errorf("%d DELETE", n)
			}
		})
	}
}
