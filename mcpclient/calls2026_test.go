package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// attach2026 is a session with a server that speaks 2026-07-28 alone.
func attach2026(t *testing.T, opts ...mcptest.Option) *rig {
	t.Helper()
	r := newRig(t, Config{Protocol: task.Modern}, append(opts, mcptest.WithEra(mcptest.ModernEra))...)
	r.dial(task.Resume{})
	return r
}

// plainTool never becomes a task.
func plainTool(name string, run func(context.Context, *mcptest.Call) mcptest.Outcome) mcptest.Option {
	return mcptest.WithTools(mcptest.Tool{Name: name, Run: run})
}

// say answers a prompt by a name.
func (r *rig) say(p task.Prompt, name string) task.Receipt {
	r.t.Helper()
	receipt, err := r.s.Answer(r.t.Context(), accepted(p, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return receipt
}

func accepted(p task.Prompt, name string) task.Reply {
	return task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{"name":"` + name + `"}`)}
}

// ends polls a task until it has ended.
func (r *rig) ends(id task.ID) task.Task {
	r.t.Helper()
	for range 100 {
		got, err := r.s.Get(r.t.Context(), id)
		if err != nil {
			r.t.Fatal(err)
		}
		if got.Status.Terminal() {
			return got
		}
		time.Sleep(time.Second)
	}
	r.t.Fatal("the task does not end")
	return task.Task{}
}

func TestModernMainPath(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, asking("ask", nameForm))
		a := r.s.About()
		if a.Era != task.Modern || a.Version != version2026 || a.TaskCalls != task.CanYes || a.List != task.CanNo || a.Name.IsZero() {
			t.Errorf("%+v", a)
		}
		r.call(task.Call{ID: "c", Tool: "ask", AsTask: true, TTL: time.Hour, Args: json.RawMessage(`{"a":1}`)})
		started := any1[task.Started](r)
		if started.Call != "c" || started.Task.TTL == 0 || started.Task.Poll != time.Second {
			t.Errorf("%+v", started)
		}
		id := started.Task.ID
		p := any1[task.Prompted](r).Prompt
		if p.Task != id || p.Call != "c" || p.Message.Line() != "Who?" || len(p.Form.Fields) != 1 {
			t.Errorf("%+v", p)
		}
		if got := r.say(p, "Ann"); got.Waits != 0 || got.At.IsZero() {
			t.Errorf("%+v", got)
		}
		if got := r.ends(id); got.Status != task.Completed {
			t.Errorf("%v", got.Status)
		}
		asked := r.count("tasks/get")
		res, err := r.s.Result(t.Context(), id)
		if err != nil || len(res.Content) != 1 || res.Content[0].Text != `accept {"name":"Ann"}` {
			t.Errorf("%+v, %v", res, err)
		}
		if n := r.count("tasks/get"); n != asked {
			t.Error("the result came with the state, and was asked for again")
		}
		q := r.srv.Requests("tools/call")[0]
		if member(q.Params, "task") != nil || text(member(member(q.Params, "_meta"), "progressToken")) == "" {
			t.Errorf("the call says %s", q.Params)
		}
		if got := r.s.Resume(); got.Era != task.Modern || !got.IsZero() || got.About.Era != task.Modern {
			t.Errorf("%+v", got)
		}
		if _, err := r.s.Page(t.Context(), task.Cursor{}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("there is a list: %v", err)
		}
	})
}

// TestRounds: a call that asks before it is anything is sent again with the
// answers, and becomes a task or ends under the same CallID.
func TestRounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults mcptest.Faults
		sent   int // tools/call
	}{
		{"with a state", mcptest.Faults{}, 2},
		{"without a state", mcptest.Faults{NoState: true}, 2},
		{"after rounds that ask nothing", mcptest.Faults{EmptyRounds: 3}, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				two := func(_ context.Context, c *mcptest.Call) *mcptest.Outcome {
					rs, err := c.ElicitAll(mcptest.Question{Key: "a", Elicitation: nameForm}, mcptest.Question{Key: "b", Elicitation: nameForm})
					if err != nil {
						o := mcptest.ToolError(err.Error())
						return &o
					}
					c.Data = string(rs[0].Content) + string(rs[1].Content)
					return nil
				}
				r := attach2026(t, mcptest.WithFaults(c.faults), mcptest.WithTools(
					mcptest.Tool{Name: "t", TaskSupport: mcptest.Required, Before: two,
						Run: func(_ context.Context, c *mcptest.Call) mcptest.Outcome { return mcptest.Answered(c.Data.(string)) }}))
				r.call(task.Call{ID: "c", Tool: "t", Args: json.RawMessage(`{"x":[1.50]}`)})
				first, second := any1[task.Prompted](r).Prompt, any1[task.Prompted](r).Prompt
				if first.Call != "c" || first.Task != "" {
					t.Errorf("%+v", first)
				}
				if got := r.say(first, "old"); got.Waits != 1 {
					t.Errorf("%+v", got)
				}
				if got := r.say(first, "A"); got.Waits != 1 { // thought better of it
					t.Errorf("%+v", got)
				}
				if n := r.count("tools/call"); n != c.sent-1 {
					t.Errorf("%d calls were sent before all was answered", n)
				}
				if got := r.say(second, "B"); got.Waits != 0 {
					t.Errorf("%+v", got)
				}
				started := any1[task.Started](r)
				if started.Call != "c" {
					t.Errorf("%+v", started)
				}
				r.ends(started.Task.ID)
				res, err := r.s.Result(t.Context(), started.Task.ID)
				if err != nil || res.Content[0].Text != `{"name":"A"}{"name":"B"}` {
					t.Errorf("%+v, %v", res, err)
				}
				calls := r.srv.Requests("tools/call")
				if len(calls) != c.sent {
					t.Fatalf("%d calls were sent, want %d", len(calls), c.sent)
				}
				last := calls[len(calls)-1].Params
				if got := member(last, "requestState") != nil; got == c.faults.NoState {
					t.Errorf("the last call says %s", last)
				}
				if string(member(last, "arguments")) != `{"x":[1.50]}` {
					t.Errorf("the arguments are now %s", member(last, "arguments"))
				}
				if _, err := r.s.Answer(t.Context(), accepted(first, "late")); err == nil {
					t.Error("a question of a round that is over can be answered")
				}
			})
		})
	}
}

// TestRoundEnds: a call that waits for a person can be cancelled, and ends with
// the session; what it asks cannot be answered any more.
func TestRoundEnds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, plainTool("ask", func(_ context.Context, c *mcptest.Call) mcptest.Outcome {
			_, _ = c.Elicit(nameForm)
			return mcptest.Answered("x")
		}))
		r.start("ask")
		p := any1[task.Prompted](r).Prompt
		if err := r.s.Abandon(t.Context(), "ask"); err != nil {
			t.Fatal(err)
		}
		wait1(r, func(w task.Withdrawn) bool { return w.Prompt == p.ID })
		if e := any1[task.Returned](r); e.Err == nil || e.Err.Kind != task.Unsupported || !strings.Contains(e.Err.Message.Line(), "nothing runs") {
			t.Errorf("%+v", e)
		}
		if err := r.s.Abandon(t.Context(), "ask"); err == nil {
			t.Error("a call that has ended can be cancelled")
		}
	})
}

// TestAbandon: the one time that a call's stream is closed on purpose.
func TestModernAbandon(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ended := make(chan struct{})
		r := attach2026(t, plainTool("work", func(ctx context.Context, _ *mcptest.Call) mcptest.Outcome {
			<-ctx.Done()
			close(ended)
			return mcptest.Answered("stopped")
		}))
		r.start("work")
		time.Sleep(10 * time.Minute) // a call waits for as long as it takes
		synctest.Wait()
		select {
		case <-ended:
			t.Fatal("the stream of the call was dropped")
		default:
		}
		if err := r.s.Abandon(t.Context(), "work"); err != nil {
			t.Fatal(err)
		}
		if e := any1[task.Returned](r); e.Err == nil || e.Err.Kind != task.Lost || !errors.Is(e.Err, context.Canceled) {
			t.Errorf("%+v", e)
		}
		<-ended
	})
}

func TestCloseSaysWhatBecomesOfCalls(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := attach2026(t, plainTool("work", func(ctx context.Context, _ *mcptest.Call) mcptest.Outcome {
			<-ctx.Done()
			return mcptest.Answered("stopped")
		}))
		r.start("work")
		r.count("tools/call")
		r.close(false)
		if !noted(r, "calls that are on their way (1) end with their streams") {
			t.Error("nothing is said of the call")
		}
		if n := r.srv.Count("DELETE"); n != 0 {
			t.Error("there is no session to DELETE")
		}
	})
}

// TestResultTypes: what a call may return, by the letter and beyond.
func TestResultTypes(t *testing.T) {
	const aTask = `"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null`
	for _, c := range []struct{ name, result, want string }{
		{"complete", `{"resultType":"complete","content":[]}`, "returned"},
		{"none", `{"content":[{"type":"text","text":"x"}]}`, "returned"},
		{"a task", `{"resultType":"task",` + aTask + `}`, "started t1"},
		{"a task as before", `{"resultType":"task","task":{` + aTask + `}}`, "started t1"},
		{"a task without an id", `{"resultType":"task","status":"working"}`, "without an id"},
		{"another", `{"resultType":"telegram","content":[]}`, `resultType "telegram"`},
		{"no word", `{"resultType":7,"content":[]}`, `resultType "7"`},
		{"for ever", `{"resultType":"input_required","requestState":"x"}`, "sent again 20 times"},
		{"sampling", `{"resultType":"input_required","inputRequests":{"k":{"method":"sampling/createMessage","params":{}}}}`, "sampling/createMessage, which callboard did not declare"},
		{"a mode of tomorrow", `{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"voice","message":"m"}}}}`, "mode of elicitation was not declared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := newScripted(t)
				s.on("server/discover", result(modern))
				s.on("tools/call", result(c.result))
				r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
				r.start("x")
				var got string
				for got == "" {
					b, err := r.s.Next(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range b.Events {
						switch e := e.(type) {
						case task.Started:
							got = "started " + string(e.Task.ID)
						case task.Returned:
							if got = "returned"; e.Err != nil {
								got = e.Err.Message.Line()
							}
						}
					}
				}
				if !strings.Contains(got, c.want) {
					t.Errorf("%s, want %s", got, c.want)
				}
				for _, q := range s.requests("tools/call") {
					if state := text(member(q.params, "requestState")); c.name == "for ever" && state != "x" && q != s.requests("tools/call")[0] {
						t.Errorf("the state went back as %q", state)
					}
				}
			})
		})
	}
}

// TestBrokenModernStreams: an answer to a read is asked for again under a new
// id, a call or an answer never; and nothing is resumed.
func TestBrokenModernStreams(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", result(modern))
		broken := func(w http.ResponseWriter, _ *scriptedRequest) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, "id: 7\ndata: {}\n\n")
		}
		for _, m := range []string{"tools/call", "tasks/get", "tasks/update"} {
			s.on(m, broken)
		}
		r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
		r.start("x")
		if e := any1[task.Returned](r); e.Err == nil || e.Err.Kind != task.Lost {
			t.Errorf("%+v", e)
		}
		if n := len(s.requests("tools/call")); n != 1 {
			t.Errorf("the call was sent %d times", n)
		}
		_, err := r.s.Get(t.Context(), "t1")
		kind(t, err, task.Unreachable)
		gets := s.requests("tasks/get")
		if len(gets) != 2 || gets[0].id == gets[1].id {
			t.Errorf("%d reads", len(gets))
		}
		if n := len(s.requests("GET")); n != 0 {
			t.Errorf("%d streams were resumed", n)
		}
	})
}

// TestHeaderMismatch: the tools are listed anew, and the call goes out once more.
func TestHeaderMismatch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", result(modern))
		s.on("tools/list", result(`{"resultType":"complete","ttlMs":1000000,"cacheScope":"public","tools":[{"name":"x","inputSchema":{"type":"object"}}]}`))
		s.on("tools/call", func(w http.ResponseWriter, q *scriptedRequest) {
			if q.Header.Get("Mcp-Param-Region") != "" {
				result(`{"resultType":"complete","content":[]}`)(w, q)
				return
			}
			jsonRPCError(400, codeHeaderMismatch, "Mcp-Param-Region is missing")(w, q)
		})
		r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
		if _, err := r.s.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		call := task.Call{ID: "1", Tool: "x", Args: json.RawMessage(`{"region":"eu"}`)}
		r.call(call)
		if e := any1[task.Returned](r); e.Err == nil || e.Err.Code != codeHeaderMismatch || e.Err.Advice.IsZero() {
			t.Errorf("%+v", e)
		}
		if n := len(s.requests("tools/call")); n != 2 {
			t.Errorf("the call was sent %d times", n)
		}
		s.on("tools/list", result(`{"resultType":"complete","ttlMs":1000000,"cacheScope":"public","tools":[{"name":"x","inputSchema":`+
			`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}`))
		call.ID = "2"
		r.call(call)
		if e := any1[task.Returned](r); e.Err != nil {
			t.Errorf("%+v", e)
		}
		all := s.requests("tools/call")
		ids := map[string]bool{}
		for _, q := range all {
			ids[q.id] = true
		}
		if len(ids) != 4 {
			t.Errorf("%d ids for %d calls", len(ids), len(all))
		}
	})
}

func TestModernErrorsInWords(t *testing.T) {
	for raw, want := range map[string]string{
		`{"code":-32021,"message":"no","data":{"requiredCapabilities":{"sampling":{},"extensions":{"a.b/c":{}}}}}`: "sampling, a.b/c",
		`{"code":-32020,"message":"no"}`:                                     "headers do not fit",
		`{"code":-32602,"message":"Unknown tool: x"}`:                        "list of tools",
		`{"code":-32022,"message":"no","data":{"supported":["2027-01-01"]}}`: "2027-01-01",
	} {
		inBubble(t, func(t *testing.T) {
			s := newScripted(t)
			s.on("server/discover", result(modern))
			s.on("tools/list", result(noTool))
			s.on("tools/call", rpcAnswer(400, raw))
			r := &rig{t: t, s: s.dial(Config{}, task.Resume{})}
			r.start("x")
			if strings.Contains(raw, "32022") {
				if e := r.ending(); e.Kind != task.SessionLost || !strings.Contains(e.Advice.Line(), want) {
					t.Errorf("%v, %v", e, e.Advice)
				}
				return
			}
			if e := any1[task.Returned](r); e.Err == nil || !strings.Contains(e.Err.Advice.Line(), want) {
				t.Errorf("%s: %+v", raw, e.Err)
			}
		})
	}
}

// TestReadOnlyDeclares: no prompts are taken, but tasks can be read.
func TestReadOnlyDeclares(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{Protocol: task.Modern, ReadOnly: true}, mcptest.WithEra(mcptest.ModernEra))
		r.dial(task.Resume{})
		id := r.srv.AddTask(mcptest.Task{})
		if _, err := r.s.Get(t.Context(), task.ID(id)); err != nil {
			t.Error(err)
		}
		for _, q := range r.srv.Requests("tasks/get") {
			can := member(member(q.Params, "_meta"), metaCapabilities)
			if member(can, "elicitation") != nil || member(member(can, "extensions"), extensionTasks) == nil {
				t.Errorf("declared: %s", can)
			}
		}
		kind(t, r.s.Start(t.Context(), task.Call{ID: "c", Tool: "x"}), task.Unsupported)
	})
}
