package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// pushing is a scripted server of 2026-07-28 whose streams of
// subscriptions/listen a test holds in its hands.
type pushing struct {
	*scripted
	session *Session
	left    []task.Event

	mu   sync.Mutex
	ears []*ear
	// agree makes the acknowledgement of a stream, "" for none.
	agree func(*ear) string
}

// ear is one stream of subscriptions/listen.
type ear struct {
	n      int
	id     string // of the request
	asked  []string
	at     time.Time
	out    chan string // what is written to the stream
	closed chan struct{}
}

func (e *ear) is(closed bool) bool {
	select {
	case <-e.closed:
		return closed
	default:
		return !closed
	}
}

// agreeToAll is the acknowledgement of a server that pushes all it is asked for.
func agreeToAll(e *ear) string {
	raw, _ := json.Marshal(map[string]any{"toolsListChanged": true, "taskIds": e.asked}) // always encodes
	return string(raw)
}

func newPushing(t *testing.T, agree func(*ear) string) *pushing {
	t.Helper()
	p := &pushing{scripted: newScripted(t), agree: agree}
	p.on("server/discover", result(modern))
	p.on("tools/list", result(noTool))
	p.on("tasks/get", func(w http.ResponseWriter, q *scriptedRequest) {
		var in struct {
			ID string `json:"taskId"`
		}
		_ = json.Unmarshal(q.params, &in) // an empty id is no task
		result(`{"resultType":"complete",`+state(in.ID, "working", "got")+`}`)(w, q)
	})
	p.on("subscriptions/listen", p.listen)
	return p
}

// state is a task, without braces.
func state(id, status, message string) string {
	return fmt.Sprintf(`"taskId":%q,"status":%q,"statusMessage":%q,"createdAt":"2026-11-01T00:00:00Z","lastUpdatedAt":"2026-11-01T00:00:00Z","ttlMs":null`, id, status, message)
}

func note(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`
}

// push is notifications/tasks.
func (e *ear) push(id, status, message string) string {
	return note("notifications/tasks", fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},%s}`, e.id, state(id, status, message)))
}

// What ends a stream, see listen.
const (
	breakOff = "break"
	endsWell = "end"
)

func (p *pushing) listen(w http.ResponseWriter, q *scriptedRequest) {
	var in struct {
		Notifications struct {
			Tools *bool    `json:"toolsListChanged"`
			Tasks []string `json:"taskIds"`
		} `json:"notifications"`
	}
	if err := json.Unmarshal(q.params, &in); err != nil || in.Notifications.Tools == nil {
		p.t.Errorf("%s: %v", q.params, err)
	}
	p.mu.Lock()
	e := &ear{n: len(p.ears), id: q.id, asked: in.Notifications.Tasks, at: q.at, out: make(chan string, 10_000), closed: make(chan struct{})}
	p.ears = append(p.ears, e)
	p.mu.Unlock()
	defer close(e.closed)
	w.Header().Set("Content-Type", "text/event-stream")
	if agreed := p.agree(e); agreed != "" {
		_, _ = fmt.Fprintf(w, "data: %s\n\n", note("notifications/subscriptions/acknowledged", `{"notifications":`+agreed+`}`))
	}
	w.(http.Flusher).Flush()
	for {
		select {
		case <-q.Context().Done():
			return
		case text := <-e.out:
			switch text {
			case breakOff:
				panic(http.ErrAbortHandler)
			case endsWell:
				_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\"}}\n\n", e.id)
				return
			case ":":
				_, _ = io.WriteString(w, ": still here\n\n")
			default:
				_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
			}
			w.(http.Flusher).Flush()
		}
	}
}

func (p *pushing) begin() { p.session = p.dial(Config{}, task.Resume{}) }

// held are the tasks that push is trusted with, and those that the server agreed
// to.
func (p *pushing) held() (covered, granted []task.ID) {
	synctest.Wait()
	s := p.session.era.(*era2026).push
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cur != nil {
		granted = slices.Sorted(maps.Keys(s.cur.granted))
	}
	return slices.Sorted(maps.Keys(s.covered)), granted
}

// ear returns the nth stream, counted from 0, once it is there.
func (p *pushing) ear(n int) *ear {
	p.t.Helper()
	for range 1000 {
		p.mu.Lock()
		if len(p.ears) > n {
			defer p.mu.Unlock()
			return p.ears[n]
		}
		p.mu.Unlock()
		p.pass(100 * time.Millisecond)
	}
	p.t.Fatalf("no stream %d", n)
	return nil
}

func (p *pushing) streams() int {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ears)
}

// pass lets virtual time go by.
func (p *pushing) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// know makes tasks known to the session.
func (p *pushing) know(ids ...string) {
	p.t.Helper()
	for _, id := range ids {
		if _, err := p.session.Get(p.t.Context(), task.ID(id)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// stream returns the next Stream event that match accepts.
func (p *pushing) stream(match func(task.Stream) bool) task.Stream {
	p.t.Helper()
	return pushed(p, match)
}

func pushed[E task.Event](p *pushing, match func(E) bool) E {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Minute)
	defer cancel()
	for {
		for i, e := range p.left {
			if e, is := e.(E); is && match(e) {
				p.left = p.left[i+1:]
				return e
			}
		}
		b, err := p.session.Next(ctx)
		if err != nil {
			var none E
			p.t.Fatalf("no such %T: %v", none, err)
		}
		p.left = append(p.left, b.Events...)
	}
}

func covers(ids ...task.ID) func(task.Stream) bool {
	return func(e task.Stream) bool { return e.Up && e.Partial && slices.Equal(e.Tasks, ids) }
}

// TestFollow: the set of tasks that are listened to goes with the tasks, and a
// stream is closed only when the next one was acknowledged.
func TestFollow(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, agreeToAll)
		p.begin()
		if e := p.stream(func(task.Stream) bool { return true }); !e.Up || !e.Partial || e.Gap || len(e.Tasks) != 0 {
			t.Errorf("first: %+v", e)
		}
		first := p.ear(0)
		if len(first.asked) != 0 {
			t.Errorf("asked for %v", first.asked)
		}
		p.know("b", "a")
		gets := len(p.requests("tasks/get"))
		p.stream(covers("a", "b"))
		second := p.ear(1)
		if !slices.Equal(second.asked, []string{"a", "b"}) {
			t.Errorf("asked for %v", second.asked)
		}
		if n := len(p.requests("tasks/get")) - gets; n != 2 {
			t.Errorf("%d states were fetched for what changed just before", n)
		}
		if !first.is(false) {
			t.Error("the first stream was closed at once")
		}
		p.pass(2 * handover)
		if !first.is(true) || !second.is(false) {
			t.Error("the first stream is still open, or the second not")
		}
		// One push of each kind.
		second.out <- second.push("a", "completed", "done")
		if e := pushed(p, func(e task.Changed) bool { return e.Task.Message.Line() == "done" }); e.How != task.Pushed || e.Task.Status != task.Completed {
			t.Errorf("%+v", e)
		}
		second.out <- note("notifications/tools/list_changed", `{}`)
		pushed(p, func(task.ToolsChanged) bool { return true })
		third := p.ear(2)
		if !slices.Equal(third.asked, []string{"b"}) {
			t.Errorf("after the end of a: %v", third.asked)
		}
		p.stream(covers("b"))
		// A task that has gone before its turn changes nothing.
		p.know("c")
		third.out <- third.push("c", "completed", "")
		p.pass(time.Minute)
		if n := p.streams(); n != 3 {
			t.Errorf("%d streams", n)
		}
		p.pass(time.Hour)
		if n := p.streams(); n > 3+int(time.Hour/listenIdle)+1 {
			t.Errorf("%d streams in an hour without changes", n)
		}
	})
}

// TestNothingIsLostOrDoubled: states that are pushed while one stream takes over
// from another arrive, each once, also where the old stream lags behind.
func TestNothingIsLostOrDoubled(t *testing.T) {
	for _, lag := range []time.Duration{0, 20 * time.Millisecond, 200 * time.Millisecond} {
		t.Run(lag.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := newPushing(t, agreeToAll)
				p.begin()
				p.know("x")
				p.stream(covers("x"))
				const states = 500
				done := make(chan struct{})
				go func() {
					defer close(done)
					for i := range states {
						p.mu.Lock()
						for _, e := range p.ears {
							if !e.is(false) || !slices.Contains(e.asked, "x") {
								continue
							}
							text, wait := e.push("x", "working", fmt.Sprint("s", i)), time.Duration(0)
							if e.n%2 == 1 {
								wait = lag
							}
							time.AfterFunc(wait, func() { e.out <- text })
						}
						p.mu.Unlock()
						<-time.After(20 * time.Millisecond)
					}
					<-time.After(2 * lag)
				}()
				go func() { // a new task now and then
					for i := range 12 {
						<-time.After(time.Duration(400+i%2*700) * time.Millisecond)
						_, _ = p.session.Get(context.Background(), task.ID(fmt.Sprint("t", i))) // it answers
					}
				}()
				seen := map[string]int{}
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					<-done
					<-time.After(time.Second)
					cancel()
				}()
				for {
					b, err := p.session.Next(ctx)
					if err != nil {
						break
					}
					for _, e := range b.Events {
						if c, ok := e.(task.Changed); ok && c.Task.ID == "x" {
							if c.Dropped > 0 {
								t.Errorf("%d steps in one batch", c.Dropped)
							}
							for _, s := range c.Steps {
								seen[s.Message.Line()]++
							}
						}
					}
				}
				delete(seen, "got")
				for i := range states {
					if n := seen[fmt.Sprint("s", i)]; n != 1 {
						t.Errorf("state %d came %d times", i, n)
					}
				}
				if n := p.streams(); n < 6 {
					t.Errorf("only %d streams: nothing was put to the test", n)
				}
			})
		})
	}
}

// TestPushBreaks: a stream that breaks, or that the server ends, comes back, and
// says that something may have been missed.
func TestPushBreaks(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(e *ear) string
		words string
	}{
		"break":     {func(*ear) string { return breakOff }, "broke"},
		"result":    {func(*ear) string { return endsWell }, "server ended"},
		"cancelled": {func(e *ear) string { return note("notifications/cancelled", `{"requestId":`+e.id+`,"reason":"bye"}`) }, "server ended"},
		"an error": {func(e *ear) string {
			return `{"jsonrpc":"2.0","id":` + e.id + `,"error":{"code":-32603,"message":"oops"}}`
		}, "oops"},
		"an error, of no": {func(*ear) string { return `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"oops"}}` }, "oops"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := newPushing(t, agreeToAll)
				p.begin()
				p.know("x")
				p.stream(covers("x"))
				p.pass(time.Minute)
				n := p.streams()
				e := p.ear(n - 1)
				e.out <- note("notifications/cancelled", `{"requestId":"another","reason":"no business of ours"}`)
				p.pass(time.Second)
				if p.streams() != n {
					t.Fatal("what ends another ended this")
				}
				e.out <- c.end(e)
				down := p.stream(func(e task.Stream) bool { return !e.Up })
				if down.Never || down.RetryAt.IsZero() || !strings.Contains(down.Why, c.words) {
					t.Errorf("%+v", down)
				}
				if up := p.stream(func(e task.Stream) bool { return e.Up }); !up.Gap || len(up.Tasks) != 0 {
					t.Errorf("push is trusted over a gap: %+v", up)
				}
				if d := p.ear(n).at.Sub(e.at); d > time.Minute+10*time.Second {
					t.Errorf("came back after %v", d)
				}
				// The resync's polls make it whole again: the second of them,
				// since the first may have been asked for before.
				p.know("x")
				p.pass(time.Second)
				if tasks, _ := p.held(); len(tasks) != 0 {
					t.Errorf("%v are trusted after one poll", tasks)
				}
				p.know("x")
				p.stream(covers("x"))
			})
		})
	}
}

// TestNoPush: a server without such a stream is asked once, or thrice where it
// ends the stream in good order, and it is told why there is no push.
func TestNoPush(t *testing.T) {
	for name, c := range map[string]struct {
		listen answer
		words  string
		asked  int
	}{
		"method not found":  {jsonRPCError(404, -32601, "Method not found"), "does not know", 1},
		"the same with 200": {jsonRPCError(200, -32601, "Method not found"), "does not know", 1},
		"404":               {plainStatus(404), "404", 1},
		"405":               {plainStatus(405), "405", 1},
		"a missing ability": {jsonRPCError(400, -32021, "needs roots"), "needs roots", 1},
		"a web page": {func(w http.ResponseWriter, _ *scriptedRequest) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<p>")
		}, "web page", 1},
		"an end at once":      {result(`{"resultType":"complete"}`), "ends each stream at once", maxHasty},
		"refused, ever again": {jsonRPCError(400, -32602, "Invalid params"), "Invalid params", maxHasty},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := newPushing(t, agreeToAll)
				p.on("subscriptions/listen", c.listen)
				p.begin()
				e := p.stream(func(e task.Stream) bool { return e.Never })
				if e.Up || !e.RetryAt.IsZero() || !strings.Contains(e.Why, c.words) {
					t.Errorf("%+v", e)
				}
				p.know("x", "y")
				p.pass(time.Hour)
				if n := len(p.requests("subscriptions/listen")); n != c.asked {
					t.Errorf("asked %d times", n)
				}
			})
		})
	}
}

// TestPushRefusedForNow: what may pass is tried again, later and later, and not
// before the server lets us.
func TestPushRefusedForNow(t *testing.T) {
	for name, c := range map[string]struct {
		listen answer
		most   int // tries in ten minutes
	}{
		"401": {plainStatus(401), 11},
		"503": {plainStatus(503), 20},
		"503 with a wait": {func(w http.ResponseWriter, _ *scriptedRequest) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(503)
		}, 6},
		"a broken stream": {func(http.ResponseWriter, *scriptedRequest) { panic(http.ErrAbortHandler) }, 20},
		"one that lasts a second": {func(w http.ResponseWriter, q *scriptedRequest) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: %s\n\n", note("notifications/subscriptions/acknowledged", `{"notifications":{"toolsListChanged":true}}`))
			w.(http.Flusher).Flush()
			afterwards(time.Second, func(http.ResponseWriter, *scriptedRequest) {})(w, q)
		}, 20},
		"an acknowledged one": {func(w http.ResponseWriter, q *scriptedRequest) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: %s\n\n", note("notifications/subscriptions/acknowledged", `{"notifications":{"toolsListChanged":true}}`))
		}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := newPushing(t, agreeToAll)
				p.on("subscriptions/listen", c.listen)
				p.begin()
				if e := p.stream(func(e task.Stream) bool { return !e.Up }); e.Never || e.RetryAt.IsZero() {
					t.Errorf("%+v", e)
				}
				p.pass(10 * time.Minute)
				if n := len(p.requests("subscriptions/listen")); n < 3 || n > c.most {
					t.Errorf("tried %d times in ten minutes", n)
				}
				p.on("subscriptions/listen", p.listen)
				if e := p.stream(func(e task.Stream) bool { return e.Up }); e.Never {
					t.Errorf("%+v", e)
				}
			})
		})
	}
}

// TestPartlyAcknowledged: what the server did not agree to is not counted upon.
func TestPartlyAcknowledged(t *testing.T) {
	for name, c := range map[string]struct {
		agreed string
		tasks  []task.ID
	}{
		"one of two":   {`{"toolsListChanged":true,"taskIds":["b"]}`, []task.ID{"b"}},
		"tools alone":  {`{"toolsListChanged":true}`, nil},
		"more":         {`{"toolsListChanged":true,"taskIds":["z","b","b"]}`, []task.ID{"b"}},
		"no tools":     {`{"taskIds":["b"]}`, []task.ID{"b"}},
		"wrong types":  {`{"toolsListChanged":"yes","taskIds":[1,null,{"b":1},["b"],"b"]}`, []task.ID{"b"}},
		"wrong shapes": {`{"toolsListChanged":true,"taskIds":{"b":true}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := newPushing(t, func(*ear) string { return c.agreed })
				p.begin()
				p.know("a", "b")
				p.stream(covers(c.tasks...))
				p.pass(time.Minute)
				if _, granted := p.held(); !slices.Equal(granted, c.tasks) {
					t.Errorf("counts upon %v", granted)
				}
				if n := p.streams(); n > 3 {
					t.Errorf("%d streams", n)
				}
			})
		})
	}
}

// TestAgreesLater: a server that agreed to no task is asked again, later and
// later, though no other task comes.
func TestAgreesLater(t *testing.T) {
	for _, agreed := range []string{`{"toolsListChanged":true,"taskIds":[]}`, `{}`} {
		inBubble(t, func(t *testing.T) {
			p := newPushing(t, func(*ear) string { return agreed })
			p.begin()
			p.know("x")
			p.pass(time.Hour)
			if n := p.streams(); n < 5 || n > 5+2*int(time.Hour/listenIdle) {
				t.Errorf("asked %d times in an hour", n)
			}
			p.mu.Lock()
			p.agree = agreeToAll
			p.mu.Unlock()
			p.pass(slowMost + time.Second)
			p.know("x", "x")
			p.stream(covers("x"))
		})
	}
}

// TestNothingAcknowledged: a stream that promises nothing is closed, and tried
// again when there are other tasks, at leisure.
func TestNothingAcknowledged(t *testing.T) {
	for _, agreed := range []string{`{}`, `null`, `[]`, `7`, `{"toolsListChanged":false}`, ""} {
		t.Run(agreed, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := newPushing(t, func(*ear) string { return agreed })
				p.begin()
				if e := p.stream(func(e task.Stream) bool { return e.Never }); e.Up || !strings.Contains(e.Why, "nothing") {
					t.Errorf("%+v", e)
				}
				p.know("a")
				p.pass(time.Minute)
				for i := range 100 {
					p.know(fmt.Sprint("t", i))
					p.pass(time.Second)
				}
				if n := p.streams(); n < 3 || n > 7 {
					t.Errorf("%d streams", n)
				}
				p.pass(time.Minute)
				open := 0
				p.mu.Lock()
				for _, e := range p.ears {
					if e.is(false) {
						open++
					}
				}
				p.agree = agreeToAll
				p.mu.Unlock()
				if open > 0 {
					t.Errorf("%d streams are open", open)
				}
				// It is not given up for good.
				p.know("late")
				p.stream(func(e task.Stream) bool { return e.Up })
			})
		})
	}
}

// TestPushWithoutAWord: one that pushes without an acknowledgement is listened
// to all the same, and trusted with nothing.
func TestPushWithoutAWord(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, func(*ear) string { return "" })
		p.begin()
		p.know("x")
		e := p.ear(0)
		e.out <- e.push("x", "working", "pushed")
		pushed(p, func(e task.Changed) bool { return e.Task.Message.Line() == "pushed" })
		if e := p.stream(func(e task.Stream) bool { return e.Up }); !e.Partial || len(e.Tasks) != 0 {
			t.Errorf("%+v", e)
		}
	})
}

// TestOwnSubscriptionID: a server may name the subscription as it likes.
func TestOwnSubscriptionID(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, agreeToAll)
		p.begin()
		p.know("x")
		p.stream(covers("x"))
		e := p.ear(p.streams() - 1)
		e.out <- strings.Replace(e.push("x", "working", "pushed"), e.id, `"sub-1"`, 1)
		pushed(p, func(e task.Changed) bool { return e.Task.Message.Line() == "pushed" })
		e.out <- note("notifications/cancelled", `{"requestId":"sub-1","_meta":{"io.modelcontextprotocol/subscriptionId":"sub-1"}}`)
		if e := p.stream(func(e task.Stream) bool { return !e.Up }); !strings.Contains(e.Why, "ended") {
			t.Errorf("%+v", e)
		}
		p.stream(func(e task.Stream) bool { return e.Up && e.Gap })
		// What is pushed needs no poll to be trusted.
		e = p.ear(p.streams() - 1)
		e.out <- e.push("x", "working", "pushed again")
		p.stream(covers("x"))
	})
}

// TestPushIsSilent: comments keep a stream alive, and silence ends it.
func TestPushIsSilent(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, agreeToAll)
		p.begin()
		e := p.ear(0)
		for range 30 {
			p.pass(time.Minute)
			e.out <- ":"
		}
		if n := p.streams(); n != 1 {
			t.Fatalf("%d streams", n)
		}
		p.pass(listenIdle + time.Second)
		if e := p.stream(func(e task.Stream) bool { return !e.Up }); !strings.Contains(e.Why, "silent") {
			t.Errorf("%+v", e)
		}
		p.stream(func(e task.Stream) bool { return e.Up && e.Gap })
	})
}

// TestManyTasks: the newest are listened to, and polls, not a flood of requests,
// tell their states.
func TestManyTasks(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, agreeToAll)
		p.begin()
		p.ear(0)
		for i := range maxFollowed + 50 {
			p.know(fmt.Sprintf("t%04d", i))
		}
		p.pass(time.Minute)
		gets := len(p.requests("tasks/get"))
		last := p.ear(p.streams() - 1)
		if len(last.asked) != maxFollowed || last.asked[0] != "t0050" {
			t.Errorf("%d tasks from %s on", len(last.asked), last.asked[0])
		}
		if gets > maxFollowed+50+maxRefreshed {
			t.Errorf("%d states were fetched", gets-maxFollowed-50)
		}
		p.know("t1000", "t1000")
		e := p.stream(func(e task.Stream) bool { return slices.Contains(e.Tasks, "t1000") })
		if len(e.Tasks) > 100 {
			t.Errorf("%d tasks count as covered", len(e.Tasks))
		}
	})
}

// TestPushedQuestion: a pushed task may say that it asks and not what.
func TestPushedQuestion(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, agreeToAll)
		p.begin()
		p.know("x")
		p.stream(covers("x"))
		p.on("tasks/get", result(`{"resultType":"complete",`+state("x", "input_required", "")+
			`,"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}}}}}}}`))
		e := p.ear(p.streams() - 1)
		e.out <- e.push("x", "input_required", "")
		if e := pushed(p, func(task.Prompted) bool { return true }); e.Prompt.Task != "x" || e.Prompt.Message.Line() != "Who?" {
			t.Errorf("%+v", e)
		}
	})
}

// TestPushOfAnotherVersion: a server that was replaced says so here first, when
// nothing else is asked.
func TestPushOfAnotherVersion(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, agreeToAll)
		p.begin()
		e := p.ear(0)
		p.on("subscriptions/listen", rpcAnswer(400, `{"code":-32022,"message":"unsupported","data":{"supported":["2025-11-25"]}}`))
		e.out <- breakOff
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		for {
			if _, err := p.session.Next(ctx); err != nil {
				kind(t, err, task.SessionLost)
				return
			}
		}
	})
}

// TestCommandsNeedNoPush: a session that is over at once opens no stream.
func TestCommandsNeedNoPush(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, agreeToAll)
		p.begin()
		p.know("x")
		if err := p.session.Close(t.Context(), false); err != nil {
			t.Error(err)
		}
		p.pass(time.Minute)
		if n := p.streams(); n != 0 {
			t.Errorf("%d streams", n)
		}
	})
}

// TestRepeated: a state that one stream brings twice is two; one that two
// streams bring is one.
func TestRepeated(t *testing.T) {
	a, b := &listening{}, &listening{}
	s := &subscription{repeats: newRepeats()}
	s.seed = maphash.MakeSeed()
	type got struct {
		on *listening
		is string
	}
	for i, c := range []struct {
		got
		repeated bool
	}{
		{got{a, "1"}, false}, {got{b, "1"}, true}, {got{b, "2"}, false}, {got{a, "2"}, true}, {got{a, "1"}, false},
		{got{b, "1"}, true}, {got{b, "1"}, false}, {got{a, "3"}, false}, {got{a, "3"}, false}, {got{b, "3"}, true},
	} {
		params := fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":"%p"},"taskId":"t","statusMessage":%q}`, c.on, c.is)
		if r := s.repeated(c.on, json.RawMessage(params)); r != c.repeated {
			t.Errorf("%d: repeated %v", i, r)
		}
	}
	s.repeats = nil
	if s.repeated(a, json.RawMessage(`{"taskId":"t"}`)) || s.repeated(b, json.RawMessage(`{"taskId":"t"}`)) {
		t.Error("without a handover there is nothing to compare")
	}
}

// FuzzPushStream: whatever comes on a stream does no harm.
func FuzzPushStream(f *testing.F) {
	for _, m := range []string{
		note("notifications/subscriptions/acknowledged", `{"notifications":{"taskIds":["x"]}}`), note("notifications/subscriptions/acknowledged", `[]`),
		note("notifications/cancelled", `{"requestId":7}`), note("notifications/tasks", `null`), `{"jsonrpc":"2.0","id":"l","result":null}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
	} {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ms, err := jsonrpc.DecodeAll([]byte(text))
		if err != nil {
			return
		}
		ep, err := NewEndpoint(Config{URL: "http://127.0.0.1/mcp"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := ep.new2026(task.About{})
		if err != nil {
			t.Fatal(err)
		}
		e.push = newSubscription(e)
		ctx, cancel := context.WithCancel(t.Context())
		l := &listening{id: `"l"`, asked: []task.ID{"x"}, ctx: ctx, cancel: cancel}
		for i := range ms {
			e.push.take(l, &ms[i])
		}
		e.close(t.Context(), true)
	})
}
