package mcpclient

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// TestHeldAnswersGoOut: what waited for another question goes out when that one
// is not asked any more, and what becomes of it is told.
func TestHeldAnswersGoOut(t *testing.T) {
	ask := func(second string, keys ...string) answer {
		var requests []string
		for _, k := range keys {
			requests = append(requests, `"`+k+`":{"method":"elicitation/create","params":{"message":"`+k+`"}}`)
		}
		return result(`{"resultType":"complete","taskId":"t","status":"input_required","lastUpdatedAt":"2026-01-01T00:00:0` + second + `Z",` +
			`"inputRequests":{` + strings.Join(requests, ",") + `}}`)
	}
	for name, c := range map[string]struct {
		update answer
		fails  bool
		kind   task.ErrorKind // of Delivered.Err, where it fails
	}{
		"taken":   {update: result(`{"resultType":"complete"}`)},
		"refused": {jsonRPCError(200, -32602, "no such name"), true, task.RPC},
		"lost":    {func(http.ResponseWriter, *scriptedRequest) { panic(http.ErrAbortHandler) }, true, task.Lost},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := newScripted(t)
				s.on("server/discover", result(modern))
				s.on("tasks/get", ask("1", "a", "b"))
				s.on("tasks/update", jsonRPCError(200, -32602, "all of them, please"))
				r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
				get := func() {
					t.Helper()
					if _, err := r.s.Get(t.Context(), "t"); err != nil {
						t.Fatal(err)
					}
				}
				get()
				a, b := any1[task.Prompted](r).Prompt, any1[task.Prompted](r).Prompt
				if got := r.say(a, "A"); got.Waits != 1 {
					t.Fatalf("%+v", got)
				}
				on := make(chan struct{})
				s.on("tasks/update", func(w http.ResponseWriter, q *scriptedRequest) { <-on; c.update(w, q) })
				s.on("tasks/get", ask("2", "a"))
				get()
				wait1(r, func(w task.Withdrawn) bool { return w.Prompt == b.ID })
				s.on("tasks/get", ask("3", "a", "c"))
				get()
				s.on("tasks/get", ask("4", "a"))
				get() // it is on its way: that another question left sends nothing more
				wait1(r, func(w task.Withdrawn) bool { return w.Prompt != b.ID })
				if _, err := r.s.Answer(t.Context(), accepted(a, "other")); err == nil {
					t.Error("another answer goes out while one is on its way")
				}
				close(on)
				d := any1[task.Delivered](r)
				if len(d.Prompts) != 1 || d.Prompts[0] != a.ID || (d.Err != nil) != c.fails || d.Err != nil && d.Err.Kind != c.kind {
					t.Errorf("%+v", d)
				}
				get()
				never(r, time.Second, func(task.Delivered) bool { return true })
				sent := s.requests("tasks/update")
				if len(sent) != 2 || !strings.Contains(string(sent[1].params), `"A"`) {
					t.Errorf("%d updates", len(sent))
				}
				s.on("tasks/update", result(`{"resultType":"complete"}`))
				if _, err := r.s.Answer(t.Context(), accepted(a, "again")); (err == nil) != c.fails {
					t.Errorf("answered again: %v", err)
				}
			})
		})
	}
}

// TestALostAnswerIsNotSentAlong: what went out with an answer that was lost may
// have arrived, and does not go out by itself.
func TestALostAnswerIsNotSentAlong(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", result(modern))
		asks := func(keys string) answer {
			return result(`{"resultType":"complete","taskId":"t","status":"input_required","inputRequests":{` + keys + `}}`)
		}
		one, two := `"a":{"method":"elicitation/create","params":{"message":"a"}}`, `"b":{"method":"elicitation/create","params":{"message":"b"}}`
		s.on("tasks/get", asks(one+","+two))
		s.on("tasks/update", jsonRPCError(200, -32602, "all of them, please"))
		r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
		if _, err := r.s.Get(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		a, b := any1[task.Prompted](r).Prompt, any1[task.Prompted](r).Prompt
		r.say(a, "A")
		s.on("tasks/update", func(http.ResponseWriter, *scriptedRequest) { panic(http.ErrAbortHandler) })
		_, err := r.s.Answer(t.Context(), accepted(b, "B"))
		kind(t, err, task.Lost)
		s.on("tasks/get", asks(one))
		if _, err := r.s.Get(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		wait1(r, func(w task.Withdrawn) bool { return w.Prompt == b.ID })
		never(r, time.Second, func(task.Delivered) bool { return true })
		if n := len(s.requests("tasks/update")); n != 2 {
			t.Errorf("%d updates", n)
		}
	})
}
