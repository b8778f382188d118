package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// remote is a task of the server's that we receive, as it sees it.
type remote struct {
	TaskID        string    `json:"taskId"`
	Status        string    `json:"status"`
	StatusMessage string    `json:"statusMessage"`
	CreatedAt     time.Time `json:"createdAt"`
	LastUpdatedAt time.Time `json:"lastUpdatedAt"`
	TTL           int64     `json:"ttl"`
	PollInterval  int64     `json:"pollInterval"`
}

// serverAsks sends a request of the server on the GET stream and returns what it is
// answered.
func (r *rig) serverAsks(method, params string) (json.RawMessage, error) {
	r.t.Helper()
	ctx, cancel := contextFor(r.t, within)
	defer cancel()
	return r.srv.SendRequest(ctx, "", method, json.RawMessage(params))
}

// pose puts a question as a task, with these further members of the params.
func (r *rig) pose(more string) (remote, task.Prompt) {
	r.t.Helper()
	t := r.poseOnly(more)
	return t, any1[task.Prompted](r).Prompt
}

func (r *rig) poseOnly(more string) remote {
	r.t.Helper()
	raw, err := r.serverAsks("elicitation/create", `{"message":"Who?","requestedSchema":`+string(nameForm.Schema)+`,`+more+`}`)
	if err != nil {
		r.t.Fatal(err)
	}
	var res struct{ Task remote }
	if err := json.Unmarshal(raw, &res); err != nil || res.Task.TaskID == "" {
		r.t.Fatalf("%s is no CreateTaskResult: %v", raw, err)
	}
	return res.Task
}

// look is tasks/get of the server.
func (r *rig) look(id string) (remote, error) {
	r.t.Helper()
	return r.ofTask("tasks/get", id)
}

func (r *rig) ofTask(method, id string) (t remote, err error) {
	r.t.Helper()
	raw, err := r.serverAsks(method, `{"taskId":"`+id+`"}`)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(raw, &t); err != nil || t.TaskID != id {
		r.t.Errorf("%s of %s gives %s", method, id, raw)
	}
	return t, nil
}

// code is the code of a JSON-RPC error, 0 for none.
func code(err error) int {
	var e *mcptest.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// statuses are the states of a task that were pushed to the server.
func (r *rig) statuses(id string) []string {
	synctest.Wait()
	var all []string
	for _, q := range r.srv.Requests("notifications/tasks/status") {
		var t remote
		if err := json.Unmarshal(q.Params, &t); err == nil && t.TaskID == id {
			all = append(all, t.Status)
		}
	}
	return all
}

// receiving is attach once the GET stream is open.
func receiving(t *testing.T, cfg Config, opts ...mcptest.Option) *rig {
	t.Helper()
	r := newRig(t, cfg, opts...)
	r.dial(task.Resume{})
	wait1(r, func(s task.Stream) bool { return s.Up })
	return r
}

// TestReceiver goes the whole way: asked with `task`, polled, answered, fetched.
func TestReceiver(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		asked := time.Now()
		got, p := r.pose(`"task":{"ttl":60000}`)
		if got.Status != "working" || got.TTL != 60_000 || got.PollInterval != 1000 || len(got.TaskID) < 26 ||
			!got.CreatedAt.Equal(asked.Truncate(time.Millisecond)) || !got.LastUpdatedAt.Equal(got.CreatedAt) {
			t.Errorf("created as %+v", got)
		}
		if !p.Polled || !p.Until.Equal(got.CreatedAt.Add(time.Minute)) || len(p.Form.Fields) != 1 {
			t.Errorf("asked as %+v", p)
		}
		time.Sleep(time.Second)
		if now, err := r.look(got.TaskID); err != nil || now != got {
			t.Errorf("while the person thinks: %+v, %v", now, err)
		}
		receipt, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept, Content: json.RawMessage(`{"name":"Ann"}`)})
		if err != nil || receipt.Waits != 0 || receipt.At.IsZero() {
			t.Errorf("%+v, %v", receipt, err)
		}
		never(r, time.Second, func(task.Fetched) bool { return true })
		now, err := r.look(got.TaskID)
		if err != nil || now.Status != "completed" || now.LastUpdatedAt.Before(got.CreatedAt.Add(time.Second)) {
			t.Errorf("once answered: %+v, %v", now, err)
		}
		never(r, time.Second, func(task.Fetched) bool { return true })
		for range 2 { // as often as the server likes
			raw, err := r.serverAsks("tasks/result", `{"taskId":"`+got.TaskID+`"}`)
			want := `{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + got.TaskID + `"}},"action":"accept","content":{"name":"Ann"}}`
			if err != nil || string(raw) != want {
				t.Errorf("the result is %s, %v; want %s", raw, err, want)
			}
		}
		if f := any1[task.Fetched](r); f.Prompt != p.ID || !f.Never.IsZero() {
			t.Errorf("%+v", f)
		}
		never(r, time.Second, func(task.Fetched) bool { return true })
		if got := r.statuses(got.TaskID); !slices.Equal(got, []string{"completed"}) {
			t.Errorf("pushed %v", got)
		}
		_, err = r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline})
		kind(t, err, task.Unsupported)
	})
}

// TestReceiverDeclares: the capability is declared as far as it is served.
func TestReceiverDeclares(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"by default", Config{}, `{"cancel":{},"list":{},"requests":{"elicitation":{"create":{}}}}`},
		{"with sampling", Config{Sampling: true}, `{"cancel":{},"list":{},"requests":{"elicitation":{"create":{}},"sampling":{"createMessage":{}}}}`},
		{"read-only", Config{ReadOnly: true, Sampling: true}, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := receiving(t, c.cfg)
				got := member(member(r.srv.Requests("initialize")[0].Params, "capabilities"), "tasks")
				if string(got) != c.want {
					t.Errorf("declared %s, want %s", got, c.want)
				}
				if !c.cfg.ReadOnly {
					return
				}
				for _, method := range []string{"tasks/get", "tasks/list", "tasks/result", "tasks/cancel"} {
					if _, err := r.serverAsks(method, `{"taskId":"x"}`); code(err) != -32601 {
						t.Errorf("%s: %v", method, err)
					}
				}
			})
		})
	}
}

// TestReceiverUndeclared: where the capability was not declared, or the revision
// has no tasks, `task` is ignored and the question put plainly.
func TestReceiverUndeclared(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{}, mcptest.WithVersion("2025-06-18"))
		r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"m","task":{"ttl":60000}}}`))
		p := any1[task.Prompted](r).Prompt
		if p.Polled || !p.Until.IsZero() || r.count("") != 0 {
			t.Errorf("taken as a task: %+v", p)
		}
		r.accept(p)
		if got := r.srv.Requests("")[0]; string(got.ID) != "7" || !strings.Contains(string(got.Params), "accept") {
			t.Errorf("%+v", got)
		}
		if _, err := r.serverAsks("tasks/list", `{}`); code(err) != -32601 {
			t.Errorf("tasks/list: %v", err)
		}
	})
}

// TestReceiverRefuses: what is no question that can be shown becomes no task.
func TestReceiverRefuses(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		for params, want := range map[string]int{
			`{"mode":"voice","message":"m","task":{}}`:      -32602,
			`{"message":"m","task":true}`:                   -32602,
			`{"message":"m","task":{"ttl":"soon"}}`:         -32602,
			`{"mode":"url","message":"m","task":{"ttl":1}}`: -32602,
		} {
			if _, err := r.serverAsks("elicitation/create", params); code(err) != want {
				t.Errorf("%s: %v", params, err)
			}
		}
		if _, err := r.serverAsks("sampling/createMessage", `{"messages":[],"maxTokens":1,"task":{}}`); code(err) != -32601 {
			t.Errorf("sampling that was not declared: %v", err)
		}
		if raw, err := r.serverAsks("tasks/list", `{}`); err != nil || string(raw) != `{"tasks":[]}` {
			t.Errorf("the list is %s, %v", raw, err)
		}
	})
}

// TestReceiverTTL: what is asked for is brought within the limits, and told.
func TestReceiverTTL(t *testing.T) {
	for params, want := range map[string]time.Duration{
		`"task":{}`:                 time.Hour,
		`"task":{"ttl":null}`:       24 * time.Hour,
		`"task":{"ttl":1}`:          time.Second,
		`"task":{"ttl":0}`:          time.Second,
		`"task":{"ttl":-5}`:         time.Second,
		`"task":{"ttl":90000}`:      90 * time.Second,
		`"task":{"ttl":1e300}`:      24 * time.Hour,
		`"task":{"ttl":2000.7}`:     2 * time.Second,
		`"task":{"ttl":999999999}`:  24 * time.Hour,
		`"task":{"ttl":3,"x":null}`: time.Second,
	} {
		t.Run(params, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := receiving(t, Config{})
				got, p := r.pose(params)
				if d := time.Duration(got.TTL) * time.Millisecond; d != want || !p.Until.Equal(got.CreatedAt.Add(want)) {
					t.Errorf("ttl %v, want %v; until %v", d, want, p.Until)
				}
			})
		})
	}
}

// TestReceiverTimeIsUp: with its ttl a task is gone, whatever its state.
func TestReceiverTimeIsUp(t *testing.T) {
	for _, answered := range []bool{false, true} {
		t.Run(fmt.Sprint("answered ", answered), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := receiving(t, Config{})
				got, p := r.pose(`"task":{"ttl":60000}`)
				blocked := make(chan error, 1)
				if answered {
					r.accept(p)
				} else {
					go func() {
						_, err := r.srv.SendRequest(t.Context(), "", "tasks/result", json.RawMessage(`{"taskId":"`+got.TaskID+`"}`))
						blocked <- err
					}()
				}
				time.Sleep(time.Minute + time.Millisecond)
				if answered {
					if f := any1[task.Fetched](r); f.Prompt != p.ID || !strings.Contains(f.Never.Line(), "time for it is up") {
						t.Errorf("%+v", f)
					}
					if !noted(r, "never fetched") {
						t.Error("the log does not say that the answer was never fetched")
					}
				} else {
					if w := any1[task.Withdrawn](r); w.Prompt != p.ID || !strings.Contains(w.Why.Line(), "time for it is up") {
						t.Errorf("%+v", w)
					}
					if err := <-blocked; code(err) != -32602 {
						t.Errorf("the tasks/result that waited: %v", err)
					}
					_, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline})
					if te := failure(t, err, task.Unsupported); !strings.Contains(te.Error(), "time") {
						t.Errorf("%v", te)
					}
				}
				for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
					if _, err := r.ofTask(method, got.TaskID); code(err) != -32602 {
						t.Errorf("%s of a task that is gone: %v", method, err)
					}
				}
				if raw, err := r.serverAsks("tasks/list", `{}`); err != nil || string(raw) != `{"tasks":[]}` {
					t.Errorf("the list is %s, %v", raw, err)
				}
			})
		})
	}
}

// TestReceiverBlocks: tasks/result waits for the person, several at once, holds up
// nothing, and can be given up.
func TestReceiverBlocks(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		got, p := r.pose(`"task":{}`)
		session := r.srv.Sessions()[0]
		for i := range 10 {
			r.srv.PushRaw(session, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"w%d","method":"tasks/result","params":{"taskId":%q}}`, i, got.TaskID))
		}
		time.Sleep(time.Second)
		if now, err := r.look(got.TaskID); err != nil || now.Status != "working" {
			t.Errorf("beside ten that wait: %+v, %v", now, err)
		}
		r.srv.Push(session, "notifications/cancelled", map[string]any{"requestId": "w3", "reason": "enough"})
		never(r, time.Second, func(task.Withdrawn) bool { return true })
		r.accept(p)
		synctest.Wait()
		answers := map[string]string{}
		for _, q := range r.srv.Requests("") {
			if id := string(q.ID); strings.HasPrefix(id, `"w`) {
				answers[id] += string(member(q.Params, "action"))
			}
		}
		if len(answers) != 9 || answers[`"w3"`] != "" || answers[`"w0"`] != `"accept"` {
			t.Errorf("answered %v", answers)
		}
	})
}

// TestReceiverManyWait: how many tasks/result wait is bounded.
func TestReceiverManyWait(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		got, _ := r.pose(`"task":{}`)
		for i := range maxResultWaits + 3 {
			r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"w%d","method":"tasks/result","params":{"taskId":%q}}`, i, got.TaskID))
		}
		r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"w0","method":"tasks/result","params":{"taskId":%q}}`, got.TaskID)) // a replay
		synctest.Wait()
		refused := 0
		for _, q := range r.srv.Requests("") {
			if q.Error != nil && q.Error.Code == -32603 {
				refused++
			}
		}
		if refused != 3 {
			t.Errorf("%d were refused, want 3", refused)
		}
		if t1, err := r.ofTask("tasks/cancel", got.TaskID); err != nil || t1.Status != "cancelled" {
			t.Errorf("%+v, %v", t1, err)
		}
	})
}

// TestReceiverIsCancelled: the server takes its question back by tasks/cancel,
// and by nothing else.
func TestReceiverIsCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		got, p := r.pose(`"task":{}`)
		ask := r.srv.Requests("")[0].ID // of elicitation/create
		r.srv.Push("", "notifications/cancelled", map[string]any{"requestId": ask})
		never(r, time.Second, func(task.Withdrawn) bool { return true })
		blocked := make(chan error, 1)
		go func() {
			_, err := r.srv.SendRequest(t.Context(), "", "tasks/result", json.RawMessage(`{"taskId":"`+got.TaskID+`"}`))
			blocked <- err
		}()
		time.Sleep(time.Second)
		now, err := r.ofTask("tasks/cancel", got.TaskID)
		if err != nil || now.Status != "cancelled" || now.StatusMessage == "" {
			t.Errorf("%+v, %v", now, err)
		}
		if w := any1[task.Withdrawn](r); w.Prompt != p.ID || !strings.Contains(w.Why.Line(), "cancelled") {
			t.Errorf("%+v", w)
		}
		if err := <-blocked; code(err) != -32603 {
			t.Errorf("the tasks/result that waited: %v", err)
		}
		if _, err := r.ofTask("tasks/cancel", got.TaskID); code(err) != -32602 {
			t.Errorf("cancelled again: %v", err)
		}
		_, err = r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Accept})
		kind(t, err, task.Unsupported)
		if now, err := r.look(got.TaskID); err != nil || now.Status != "cancelled" {
			t.Errorf("it is not kept as it is: %+v, %v", now, err)
		}
		if got := r.statuses(got.TaskID); !slices.Equal(got, []string{"cancelled"}) {
			t.Errorf("pushed %v", got)
		}

		done, p := r.pose(`"task":{"ttl":5000}`)
		r.accept(p)
		if _, err := r.ofTask("tasks/cancel", done.TaskID); code(err) != -32602 {
			t.Errorf("an answered one was cancelled: %v", err)
		}
	})
}

// TestReceiverRefusals: to decline a question is an answer, to decline a sampling
// request is an error, and tasks/result gives what the request would have got.
func TestReceiverRefusals(t *testing.T) {
	for _, c := range []struct {
		name, method, params string
		reply                task.Reply
		status, result       string
		code                 int
	}{
		{
			name: "declined", method: "elicitation/create", params: `{"message":"m","task":{}}`,
			reply: task.Reply{Action: task.Decline}, status: "completed", result: `"decline"`,
		},
		{
			name: "dismissed", method: "elicitation/create", params: `{"message":"m","task":{}}`,
			reply: task.Reply{Action: task.Dismiss}, status: "completed", result: `"cancel"`,
		},
		{
			name: "a page", method: "elicitation/create", params: `{"mode":"url","message":"m","url":"https://x.example","elicitationId":"1","task":{}}`,
			reply: task.Reply{Action: task.Accept}, status: "completed", result: `"accept"`,
		},
		{
			name: "sampled", method: "sampling/createMessage", params: `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9,"task":{}}`,
			reply: task.Reply{Action: task.Accept, Content: json.RawMessage(`{"text":"ho","model":"m"}`)}, status: "completed", result: `"assistant"`,
		},
		{
			name: "sampling refused", method: "sampling/createMessage", params: `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9,"task":{}}`,
			reply: task.Reply{Action: task.Decline}, status: "failed", code: -1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := receiving(t, Config{Sampling: true})
				raw, err := r.serverAsks(c.method, c.params)
				if err != nil {
					t.Fatal(err)
				}
				id := text(member(member(raw, "task"), "taskId"))
				c.reply.Prompt = any1[task.Prompted](r).Prompt.ID
				if _, err := r.s.Answer(t.Context(), c.reply); err != nil {
					t.Fatal(err)
				}
				if now, err := r.look(id); err != nil || now.Status != c.status || now.StatusMessage == "" {
					t.Errorf("%+v, %v", now, err)
				}
				raw, err = r.serverAsks("tasks/result", `{"taskId":"`+id+`"}`)
				if code(err) != c.code || c.code == 0 && err != nil {
					t.Errorf("%v", err)
				}
				if !strings.Contains(string(raw), c.result) || c.code == 0 && relatedTask([]byte(raw)) != task.ID(id) {
					t.Errorf("the result is %s", raw)
				}
				any1[task.Fetched](r)
			})
		})
	}
}

// TestReceiverList: pages follow each other, and a cursor that is not of this
// session is refused.
func TestReceiverList(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		var ids []string
		for range receivedPage + 5 {
			time.Sleep(2 * time.Second) // not as fast as a flood
			got, _ := r.pose(`"task":{}`)
			ids = append(ids, got.TaskID)
		}
		var seen []string
		params := `{}`
		for range 3 {
			raw, err := r.serverAsks("tasks/list", params)
			if err != nil {
				t.Fatal(err)
			}
			var page struct {
				Tasks      []remote
				NextCursor *string
			}
			if err := json.Unmarshal(raw, &page); err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Tasks {
				seen = append(seen, e.TaskID)
			}
			if page.NextCursor == nil {
				break
			}
			params = fmt.Sprintf(`{"cursor":%q}`, *page.NextCursor)
		}
		if !slices.Equal(seen, ids) {
			t.Errorf("listed %d of %d, in that order: %v", len(seen), len(ids), slices.Equal(seen, ids))
		}
		for _, bad := range []string{`"x"`, `""`, `7`, `null`, `"AAAA.3"`, strings.TrimSuffix(strings.TrimPrefix(params, `{"cursor":`), `"}`) + `x"`} {
			if _, err := r.serverAsks("tasks/list", `{"cursor":`+bad+`}`); code(err) != -32602 {
				t.Errorf("the cursor %s: %v", bad, err)
			}
		}
	})
}

// TestReceiverLimit: of more tasks than a session receives the ended ones leave
// first, and the server is told where none can.
func TestReceiverLimit(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		var first, second string
		for i := range maxReceived {
			time.Sleep(2 * time.Second)
			got := r.poseOnly(`"task":{"ttl":86400000}`)
			switch i {
			case 0:
				first = got.TaskID
			case 1:
				second = got.TaskID
			}
		}
		_, err := r.serverAsks("elicitation/create", `{"message":"m","task":{}}`)
		if code(err) != -32603 || !strings.Contains(err.Error(), fmt.Sprint(maxReceived)) {
			t.Errorf("one too many: %v", err)
		}
		if _, err := r.ofTask("tasks/cancel", second); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if _, err := r.serverAsks("elicitation/create", `{"message":"m","task":{}}`); err != nil {
			t.Errorf("beside one that has ended: %v", err)
		}
		if _, err := r.look(second); code(err) != -32602 {
			t.Errorf("the one that had ended: %v", err)
		}
		if now, err := r.look(first); err != nil || now.Status != "working" {
			t.Errorf("%+v, %v", now, err)
		}
	})
}

// TestReceiverIsolation: a server sees what it asked in its session, and unknown
// ids tell nothing.
func TestReceiverIsolation(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		one, two := receiving(t, Config{}), receiving(t, Config{})
		got, _ := one.pose(`"task":{}`)
		for _, params := range []string{`{"taskId":"` + got.TaskID + `"}`, `{"taskId":"x"}`, `{"taskId":7}`, `{}`} {
			for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
				if _, err := two.serverAsks(method, params); code(err) != -32602 {
					t.Errorf("%s of %s: %v", method, params, err)
				}
			}
		}
		if raw, err := two.serverAsks("tasks/list", `{}`); err != nil || string(raw) != `{"tasks":[]}` {
			t.Errorf("the list is %s, %v", raw, err)
		}
	})
}

// TestReceiverOnStreamOfCall: the server may ask and poll on the stream of a call
// of ours, as soon as it has the task.
func TestReceiverOnStreamOfCall(t *testing.T) {
	for _, c := range []struct {
		name string
		how  mcptest.AsTask
	}{
		{"polls", mcptest.AsTask{}},
		{"polls fast", mcptest.AsTask{Poll: 50 * time.Millisecond}},
		{"blocks", mcptest.AsTask{Block: true}},
		{"on GET", mcptest.AsTask{GET: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := receiving(t, Config{}, tool("survey", func(run ctx, call *mcptest.Call) mcptest.Outcome {
					reply, err := call.ElicitAsTask(run, nameForm, c.how)
					if err != nil {
						return mcptest.ToolError(err.Error())
					}
					return mcptest.Answered(reply.Action + " " + string(reply.Content))
				}))
				r.call(task.Call{ID: "c", Tool: "survey"})
				p := any1[task.Prompted](r).Prompt
				if !p.Polled || !c.how.GET && p.Call != "c" {
					t.Errorf("%+v", p)
				}
				time.Sleep(5 * time.Second)
				r.accept(p)
				time.Sleep(20 * time.Second)
				if ret := any1[task.Returned](r); ret.Result == nil || ret.Result.Content[0].Text != `accept {"name":"a"}` {
					t.Errorf("%+v", ret)
				}
			})
		})
	}
}

// TestReceiverServerGivesUp: a server whose patience ends cancels its task.
func TestReceiverServerGivesUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{}, tool("survey", func(run ctx, call *mcptest.Call) mcptest.Outcome {
			_, err := call.ElicitAsTask(run, nameForm, mcptest.AsTask{Limit: time.Minute})
			return mcptest.ToolError(err.Error())
		}))
		r.call(task.Call{ID: "c", Tool: "survey"})
		p := any1[task.Prompted](r).Prompt
		time.Sleep(time.Minute)
		if w := any1[task.Withdrawn](r); w.Prompt != p.ID {
			t.Errorf("%+v", w)
		}
	})
}

// TestReceiverOfTask: with the task of the server's own that a question names, it
// ends; that this goes on without an answer says nothing where the server polls.
func TestReceiverOfTask(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		id := r.srv.AddTask(mcptest.Task{})
		related := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + id + `"}}`
		got, p := r.pose(`"task":{},` + related)
		if p.Task != task.ID(id) {
			t.Errorf("of the task %q", p.Task)
		}
		for _, status := range []mcptest.Status{mcptest.InputRequired, mcptest.Working} {
			time.Sleep(time.Second)
			r.srv.SetStatus(id, status, "")
		}
		never(r, time.Second, func(task.Withdrawn) bool { return true })
		r.srv.SetStatus(id, mcptest.Completed, "")
		if w := any1[task.Withdrawn](r); w.Prompt != p.ID {
			t.Errorf("%+v", w)
		}
		if now, err := r.look(got.TaskID); err != nil || now.Status != "cancelled" {
			t.Errorf("%+v, %v", now, err)
		}
	})
}

// TestReceiverUntold: a CreateTaskResult that did not arrive is sent again; where
// it never does, the question is withdrawn, as nobody will come for its answer.
func TestReceiverUntold(t *testing.T) {
	ask := []byte(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","task":{}}}`)
	for _, times := range []int{2, -1} {
		t.Run(fmt.Sprint(times, " times"), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := receiving(t, Config{})
				r.srv.Intercept(mcptest.Interception{Method: "", Times: times, Drop: true})
				r.srv.PushRaw("", ask)
				p := any1[task.Prompted](r).Prompt
				if times > 0 {
					time.Sleep(time.Minute)
					if n := r.count(""); n != times+1 {
						t.Errorf("sent %d times", n)
					}
					never(r, time.Second, func(task.Withdrawn) bool { return true })
					return
				}
				time.Sleep(time.Minute)
				if w := any1[task.Withdrawn](r); w.Prompt != p.ID {
					t.Errorf("%+v", w)
				}
				r.srv.ClearInterceptions()
			})
		})
	}
}

// TestReceiverComesBack: the tasks of a session that was left are received by who
// rejoins it, under the same ids; an answer that was not fetched is asked for
// again, since it stands on no disk.
func TestReceiverComesBack(t *testing.T) {
	for name, leave := range map[string]func(*rig){
		"killed": (*rig).kill,
		"left":   func(r *rig) { r.close(true) },
	} {
		for _, answered := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", answered ", answered), func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					r := receiving(t, Config{})
					got, first := r.pose(`"task":{"ttl":3600000}`)
					if answered {
						r.accept(first)
					}
					ended := r.s
					leave(r)
					time.Sleep(time.Minute)
					for range 2 { // who rejoined leaves it to others, too
						r.dial(ended.Resume())
						p := any1[task.Prompted](r).Prompt
						if p.Key != first.Key || !p.Polled || !p.Until.Equal(first.Until) {
							t.Errorf("%+v, want %+v", p, first)
						}
						wait1(r, func(s task.Stream) bool { return s.Up })
						if now, err := r.look(got.TaskID); err != nil || now.Status != "working" || now.TTL != got.TTL || !now.CreatedAt.Equal(got.CreatedAt) {
							t.Errorf("%+v, %v; want %+v", now, err, got)
						}
						first, ended = p, r.s
						if n := r.count(""); answered && n < 1 {
							t.Errorf("%d answers", n)
						}
						r.close(true)
					}
					r.dial(ended.Resume())
					p := any1[task.Prompted](r).Prompt
					wait1(r, func(s task.Stream) bool { return s.Up })
					r.accept(p)
					raw, err := r.serverAsks("tasks/result", `{"taskId":"`+got.TaskID+`"}`)
					if err != nil || text(member(raw, "action")) != "accept" {
						t.Errorf("%s, %v", raw, err)
					}
					any1[task.Fetched](r)
					if left := r.s.Resume().Streams; left != "" {
						t.Errorf("still kept: %q", string(left))
					}
				})
			})
		}
	}
}

// TestReceiverFetchedAtTheEnd: the end of a session waits a moment for a server
// that comes for its answer.
func TestReceiverFetchedAtTheEnd(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		got, p := r.pose(`"task":{}`)
		r.accept(p)
		fetched := make(chan error, 1)
		go func() {
			time.Sleep(fetchPatience / 2)
			_, err := r.srv.SendRequest(t.Context(), "", "tasks/result", json.RawMessage(`{"taskId":"`+got.TaskID+`"}`))
			fetched <- err
		}()
		s := r.s
		r.close(true)
		if err := <-fetched; err != nil {
			t.Error(err)
		}
		if left := s.Resume().Streams; left != "" {
			t.Errorf("kept: %q", string(left))
		}
	})
}

// TestReceiverTooLate: a task whose time was up meanwhile does not come back, nor
// do those of a session whose stream another callboard reads.
func TestReceiverTooLate(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		r.pose(`"task":{"ttl":60000}`)
		ended := r.s
		r.kill()
		resume := ended.Resume()
		resume.PostOnly = true
		r.dial(resume)
		never(r, time.Second, func(task.Prompted) bool { return true })
		if now := r.s.Resume(); now.Streams != resume.Streams {
			t.Errorf("who looks in leaves %q, found %q", string(now.Streams), string(resume.Streams))
		}
		r.close(true)
		time.Sleep(time.Minute)
		r.dial(ended.Resume())
		never(r, time.Second, func(task.Prompted) bool { return true })
		if now := r.s.Resume(); now.Streams != "" {
			t.Errorf("kept: %q", string(now.Streams))
		}
	})
}

// TestReceiverCallComesBack: a call on whose stream the server asks and polls goes
// on with who rejoins the session, though some servers give a stream that was
// resumed nothing that comes.
func TestReceiverCallComesBack(t *testing.T) {
	for _, mute := range []bool{false, true} {
		t.Run(fmt.Sprint("mute ", mute), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := receiving(t, Config{}, mcptest.WithPriming(0), mcptest.WithFaults(mcptest.Faults{MuteResumed: mute}),
					tool("survey", func(run ctx, call *mcptest.Call) mcptest.Outcome {
						reply, err := call.ElicitAsTask(run, nameForm, mcptest.AsTask{})
						if err != nil {
							return mcptest.ToolError(err.Error())
						}
						return mcptest.Answered(reply.Action + " " + string(reply.Content))
					}))
				r.call(task.Call{ID: "c", Tool: "survey"})
				first := any1[task.Prompted](r).Prompt
				time.Sleep(10 * time.Second)
				ended := r.s
				r.kill()
				time.Sleep(time.Minute)
				before := r.srv.Count("")
				r.dial(ended.Resume())
				p := any1[task.Prompted](r).Prompt
				if p.Key != first.Key || !p.Polled || p.Call != "c" {
					t.Errorf("%+v", p)
				}
				time.Sleep(9 * time.Second)
				if n := r.count("") - before; n < 3 || n > 14 {
					t.Errorf("%d answers in 9 seconds: the stream of the call is not read on, or from too far back", n)
				}
				r.accept(p)
				if ret := any1[task.Returned](r); ret.Result == nil || ret.Result.Content[0].Text != `accept {"name":"a"}` {
					t.Errorf("%+v", ret)
				}
			})
		})
	}
}

// TestReceiverJoined: in a session that another program began, `task` is taken as
// it is meant.
func TestReceiverJoined(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		other := r.s.Resume()
		r.close(true)
		synctest.Wait() // the server sees that nobody reads
		r.dial(task.Resume{Era: task.Legacy, Session: other.Session, Joined: true})
		wait1(r, func(s task.Stream) bool { return s.Up })
		got, p := r.pose(`"task":{}`)
		if !p.Polled || got.Status != "working" {
			t.Errorf("%+v, %+v", got, p)
		}
	})
}

// TestReceiverPolledFast: a server that polls faster than it takes the answers
// does not keep others from theirs.
func TestReceiverPolledFast(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		got, _ := r.pose(`"task":{}`)
		r.srv.Intercept(mcptest.Interception{Method: "", Times: outboxWorkers, Delay: 5 * time.Second})
		for i := range 2 * maxOutbox {
			r.srv.PushRaw("", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"g%d","method":"tasks/get","params":{"taskId":%q}}`, i, got.TaskID))
		}
		r.srv.PushRaw("", []byte(`{"jsonrpc":"2.0","id":"p","method":"ping"}`))
		time.Sleep(10 * time.Second)
		ids := map[string]bool{}
		for _, q := range r.srv.Requests("") {
			ids[string(q.ID)] = true
		}
		if newest := fmt.Sprintf(`"g%d"`, 2*maxOutbox-1); !ids[newest] || !ids[`"p"`] {
			t.Errorf("answered: the newest poll %v, a ping behind it %v", ids[newest], ids[`"p"`])
		}
	})
}

// TestReceiverCrossing: of an answer and a cancel that cross, one counts.
func TestReceiverCrossing(t *testing.T) {
	for i := range 20 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				r := receiving(t, Config{})
				got, p := r.pose(`"task":{}`)
				cancelled := make(chan error, 1)
				go func() {
					_, err := r.srv.SendRequest(context.WithoutCancel(t.Context()), "", "tasks/cancel", json.RawMessage(`{"taskId":"`+got.TaskID+`"}`))
					cancelled <- err
				}()
				_, err := r.s.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline})
				lost := <-cancelled
				if (err == nil) == (lost == nil) {
					t.Errorf("the answer: %v; the cancel: %v", err, lost)
				}
				now, gone := r.look(got.TaskID)
				if gone != nil || now.Status != map[bool]string{true: "completed", false: "cancelled"}[err == nil] {
					t.Errorf("%+v, %v", now, gone)
				}
			})
		})
	}
}

// TestReceiverFlood: each question of a flood is a task at once, and shown in its
// turn; one that the server takes back meanwhile is not.
func TestReceiverFlood(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		const more = 5
		var last string
		begun := time.Now()
		for range floodBurst + more {
			last = r.poseOnly(`"task":{"ttl":60000}`).TaskID
		}
		if d := time.Since(begun); d >= floodEvery {
			t.Errorf("the last was a task after %v", d)
		}
		if !noted(r, "floods") {
			t.Error("the flood is not named")
		}
		if now, err := r.look(last); err != nil || now.Status != "working" {
			t.Errorf("%+v, %v", now, err)
		}
		if now, err := r.ofTask("tasks/cancel", last); err != nil || now.Status != "cancelled" {
			t.Errorf("%+v, %v", now, err)
		}
		shown := 0
		for {
			if _, ok := next(r, within, func(task.Prompted) bool { return true }); !ok {
				break
			}
			shown++
		}
		if shown != floodBurst+more-1 {
			t.Errorf("%d were shown, want %d", shown, floodBurst+more-1)
		}
	})
}

// TestReceiverOfAnotherInTheSession: two callboards use a session, and the server
// asks the one for the task of the other. That there is none would lose an answer.
func TestReceiverOfAnotherInTheSession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := receiving(t, Config{})
		mark := r.s.era.(*era2025).mark()
		other := idMark{mark.session, "OTHER"}.id()
		for range 3 {
			for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
				if _, err := r.serverAsks(method, `{"taskId":"`+string(other)+`"}`); err == nil || code(err) != 0 {
					t.Errorf("%s: %v", method, err)
				}
			}
		}
		if n := notes(r, "left to others in this session"); n != 1 {
			t.Errorf("%d notes", n)
		}
		for _, id := range []task.ID{mark.id(), idMark{"00000000", "OTHER"}.id(), "callboard-" + "x", other[:len(other)-30]} {
			if _, err := r.serverAsks("tasks/get", `{"taskId":"`+string(id)+`"}`); code(err) != -32602 {
				t.Errorf("%s: %v", id, err)
			}
		}
		for range 2 * maxForeign {
			r.sends("g", "tasks/get", []byte(`{"taskId":"`+string(idMark{mark.session, "OTHER"}.id())+`"}`))
		}
		if n := notes(r, "left to others in this session"); n > maxForeign {
			t.Errorf("%d notes", n)
		}
		// In the session of another program it is that which may have the task.
		joined := r.s.Resume()
		r.close(true)
		synctest.Wait() // the server sees that nobody reads
		r.dial(task.Resume{Era: task.Legacy, Session: joined.Session, Joined: true})
		wait1(r, func(s task.Stream) bool { return s.Up })
		if _, err := r.serverAsks("tasks/get", `{"taskId":"task-1"}`); err == nil || code(err) != 0 {
			t.Errorf("joined: %v", err)
		}
		if _, err := r.serverAsks("tasks/get", `{"taskId":"`+string(r.s.era.(*era2025).mark().id())+`"}`); code(err) != -32602 {
			t.Errorf("its own: %v", err)
		}
	})
}
