package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const receiverCaps = `{"elicitation":{"form":{}},"sampling":{},"tasks":{"list":{},"cancel":{},` +
	`"requests":{"elicitation":{"create":{}},"sampling":{"createMessage":{}}}}}`

// surveyor asks as a task and says how that went.
func surveyor(e Elicitation, how AsTask) Tool {
	return Tool{Name: "survey", TaskSupport: Optional, Run: func(ctx context.Context, c *Call) Outcome {
		reply, err := c.ElicitAsTask(ctx, e, how)
		if err != nil {
			return ToolError(err.Error())
		}
		return Answered(reply.Action + " " + string(reply.Content))
	}}
}

// remoteTask is the state of the client's task.
func remoteTask(status string) string {
	return `{"taskId":"mine","status":"` + status + `","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":500}`
}

// asksAsTask reads the question and holds it against the schema, where that is given.
func asksAsTask(t *testing.T, st *openStream, method string) msg {
	t.Helper()
	m := st.until(method)
	if os.Getenv("CALLBOARD_SCHEMAS") != "" {
		newJudge(t).hold(map[string]string{"elicitation/create": "ElicitRequest", "sampling/createMessage": "CreateMessageRequest"}[method], m.Raw)
	}
	return m
}

func TestAskingAsTask(t *testing.T) {
	for _, c := range []struct {
		name, method, result, want string
		e                          Elicitation
		how                        AsTask
		asks                       []string
	}{
		{
			name: "polls", method: "elicitation/create", e: Elicitation{Message: "Who?", Schema: nameForm}, how: AsTask{TTL: time.Minute},
			result: `{"action":"accept","content":{"name":"Ann"}}`, want: `accept {\"name\":\"Ann\"}`,
			asks: []string{"tasks/get", "tasks/get", "tasks/result"},
		},
		{
			name: "blocks", method: "sampling/createMessage", how: AsTask{Block: true},
			e:      Elicitation{Sampling: json.RawMessage(`{"messages":[],"maxTokens":9}`)},
			result: `{"role":"assistant","model":"m","content":{"type":"text","text":"ho"}}`, want: "ho", asks: []string{"tasks/result"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(WithTools(surveyor(c.e, c.how)))
				t.Cleanup(func() { _ = s.Close() })
				client := raw(t, MemoryURL, s.Transport())
				client.initialize(receiverCaps)
				st, _ := client.post("tools/call", `{"name":"survey"}`)
				m := asksAsTask(t, st, c.method)
				if want := map[bool]string{true: `"task":{"ttl":60000}`, false: `"task":{}`}[c.how.TTL > 0]; !strings.Contains(string(m.Params), want) {
					t.Errorf("asked by %s, want %s", m.Params, want)
				}
				client.answer(m, `{"task":`+remoteTask("working")+`}`)
				for i, method := range c.asks {
					m := st.until(method)
					if !strings.Contains(string(m.Params), `"mine"`) {
						t.Errorf("%s of %s", method, m.Params)
					}
					switch {
					case method == "tasks/result":
						client.answer(m, c.result)
					case i == len(c.asks)-2:
						client.answer(m, remoteTask("completed"))
					default:
						client.answer(m, remoteTask("working"))
					}
				}
				if res := st.until(""); !strings.Contains(string(res.Result), c.want) {
					t.Errorf("%s, want %s", res.Result, c.want)
				}
			})
		})
	}
}

func TestAskingAsTaskGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(WithTools(surveyor(Elicitation{Message: "Who?"}, AsTask{Limit: 2 * time.Second, GET: true})))
		t.Cleanup(func() { _ = s.Close() })
		c := raw(t, MemoryURL, s.Transport())
		c.initialize(receiverCaps)
		get := c.get()
		done := make(chan msg, 1)
		go func() { done <- c.call("tools/call", `{"name":"survey"}`) }()
		c.answer(get.until("elicitation/create"), `{"task":`+remoteTask("working")+`}`)
		polls := 0
		for {
			m := get.must()
			if m.Method == "tasks/cancel" {
				break
			}
			polls++
			c.answer(m, remoteTask("working"))
		}
		if polls < 4 || polls > 5 {
			t.Errorf("polled %d times in two seconds, twice a second is asked for", polls)
		}
		if res := <-done; !strings.Contains(string(res.Result), ErrUnanswered.Error()) {
			t.Errorf("%s", res.Result)
		}
	})
}

// TestAskingPlainly: a client that did not declare it is asked as usual, in both eras.
func TestAskingPlainly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := memory(t, WithTools(surveyor(Elicitation{Message: "Who?", Schema: nameForm}, AsTask{})))
		_ = s
		st, _ := c.post("tools/call", `{"name":"survey"}`)
		m := st.until("elicitation/create")
		if strings.Contains(string(m.Params), `"task"`) {
			t.Errorf("asked by %s", m.Params)
		}
		c.answer(m, `{"action":"decline"}`)
		if res := st.until(""); !strings.Contains(string(res.Result), "decline") {
			t.Errorf("%s", res.Result)
		}
	})
}

// TestScriptedRequests: a script asks what it likes, and gets the client's error.
func TestScriptedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := memory(t, WithTools(Tool{Name: "rude", Run: func(ctx context.Context, c *Call) Outcome {
			_, err := c.Request(ctx, "tasks/list", map[string]any{"cursor": "foreign"})
			var refused *Error
			return Answered(fmt.Sprint(errors.As(err, &refused), err))
		}}))
		_ = s
		st, _ := c.post("tools/call", `{"name":"rude"}`)
		m := st.until("tasks/list")
		if status := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"bad cursor"}}`, m.ID)); status != 202 {
			t.Errorf("status %d", status)
		}
		if res := st.until(""); !strings.Contains(string(res.Result), "true bad cursor (-32602)") {
			t.Errorf("%s", res.Result)
		}
	})
}
