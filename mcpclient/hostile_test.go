package mcpclient

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// hears has the session take in a notification of the server.
func (r *rig) hears(method, params string) {
	r.s.era.(*era2025).take(&jsonrpc.Message{Method: method, Params: json.RawMessage(params)}, &origin{}, "")
}

// TestHostileServer: whatever it asks, in whatever order, the session lives, keeps
// little, and answers what is right afterwards.
func TestHostileServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{Protocol: task.Legacy, Sampling: true}, sleeping())
		r.dial(task.Resume{})
		wait1(r, func(s task.Stream) bool { return s.Up })
		r.start("work")
		ours := any1[task.Started](r).Task.ID
		ask := func(id, method, params string) { r.sends(id, method, []byte(params)) }
		form := `"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}`
		before := runtime.NumGoroutine()
		nested := strings.Repeat(`{"type":"tool_result","toolUseId":"u","content":[`, 200) + strings.Repeat(`]}`, 200)
		shapes := []string{
			``, `[]`, `{}`, `null`, `{"message":7,"requestedSchema":[]}`, `{"mode":"unknown",` + form + `}`, `{"mode":7,` + form + `}`,
			`{"message":"m","requestedSchema":{"type":"object","description":"` + strings.Repeat("d", 900<<10) + `"}}`,
			`{"mode":"url","url":"javascript:alert(1)","message":"m","elicitationId":"j"}`, `{"mode":"url","message":"m"}`,
		}
		for _, ttl := range []string{`0`, `-1`, `-1e300`, `1e300`, `"1"`, `null`, `1.5`, `[]`, `{}`, `true`, `9223372036854775808`} {
			shapes = append(shapes, `{`+form+`,"task":{"ttl":`+ttl+`}}`)
		}
		for i, params := range shapes {
			ask(fmt.Sprint("e", i), methodElicit, params)
			if len(params) < 1<<10 {
				ask(fmt.Sprint("e", i), methodElicit, params) // the same id twice
				ask("same", methodElicit, params)
			}
		}
		for i, params := range []string{
			``, `[]`, `{"messages":{}}`, `{"messages":[` + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":{"type":"text","text":"m"}},`, 100_000), ",") + `]}`,
			`{"messages":[{"role":"user","content":` + nested + `}]}`, `{"messages":[{"role":"user","content":[` + nested + `]}],"maxTokens":1e999,"temperature":"hot"}`,
			string(pictured("", 9<<20)), string(pictured(`,"tools":[{}]`, 4)), string(pictured(`,"task":{"ttl":-5},"modelPreferences":[[]]`, 4)),
		} {
			ask(fmt.Sprint("s", i), methodSample, params)
		}
		for i := range 1000 {
			ask(fmt.Sprint("r", i), "tasks/result", `{"taskId":"unknown"}`)
			ask(fmt.Sprint("g", i), "tasks/get", fmt.Sprintf(`{"taskId":%d}`, i))
			ask(fmt.Sprint("l", i), "tasks/list", `{"cursor":"`+strings.Repeat("c", i)+`"}`)
			ask(fmt.Sprint("c", i), "tasks/cancel", `{"taskId":{"a":[]}}`)
			r.hears("notifications/cancelled", fmt.Sprintf(`{"requestId":"e%d","reason":"no"}`, i))
			r.hears("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, i))
			r.hears("notifications/elicitation/complete", fmt.Sprintf(`{"elicitationId":"%d"}`, i))
			r.hears("notifications/tasks/status", fmt.Sprintf(`{"taskId":%q,"status":"working","createdAt":%d,"lastUpdatedAt":"x","ttl":"x"}`, ours, i))
		}
		for _, params := range []string{``, `7`, `[]`, `{}`, `{"requestId":null}`, `{"requestId":{}}`, `{"requestId":"same","reason":{}}`} {
			r.hears("notifications/cancelled", params)
			r.hears("notifications/elicitation/complete", params)
		}
		e := r.s.era.(*era2025)
		e.mu.Lock()
		mine := len(e.received.order)
		for _, k := range e.received.order {
			if k.ttl < minReceivedTTL || k.ttl > maxReceivedTTL {
				t.Errorf("a ttl of %v", k.ttl)
			}
		}
		if n := len(e.prompts.open); n > maxPrompts || mine > maxReceived || mine == 0 {
			t.Errorf("%d prompts, %d tasks", n, mine)
		}
		e.mu.Unlock()
		if n := runtime.NumGoroutine() - before; n > 100 {
			t.Errorf("%d goroutines", n)
		}
		if notes(r, "not sent, the server asks faster than it takes answers") == 0 {
			t.Error("the log does not tell that answers were left out")
		}
		r.came(2 * time.Minute) // what waits for its turn, and what is sent again
		got, p := r.pose(`"task":{}`)
		r.say(p, "A")
		if now, err := r.look(got.TaskID); err != nil || now.Status != "completed" {
			t.Errorf("afterwards: %+v, %v", now, err)
		}
		if now, err := r.s.Get(t.Context(), ours); err != nil || now.Status != task.Working {
			t.Errorf("ours: %+v, %v", now, err)
		}
	})
}

// TestHostileInputRequests: thousands of keys that change with each report, sampling
// beside forms, and what was not declared.
func TestHostileInputRequests(t *testing.T) {
	for _, cfg := range []Config{{}, {Sampling: true}} {
		inBubble(t, func(t *testing.T) {
			n := 0
			s := newScripted(t)
			s.on("server/discover", result(modern))
			s.on("subscriptions/listen", plainStatus(404))
			kinds := []string{question1, `{"method":"sampling/createMessage","params":` + string(pictured("", 4)) + `}`, `{"method":"roots/list"}`, `7`, `{"method":{}}`}
			s.on("tasks/get", func(w http.ResponseWriter, q *scriptedRequest) {
				n++
				var all []string
				for i := range 5000 {
					all = append(all, fmt.Sprintf(`"k%d-%d":%s`, n, i, kinds[i%len(kinds)]))
				}
				result(fmt.Sprintf(`{"resultType":"complete","taskId":"a","status":"input_required","lastUpdatedAt":"2026-11-01T00:%02d:00Z","inputRequests":{%s}}`,
					n, strings.Join(all, ",")))(w, q)
			})
			r := &rig{t: t, s: s.dial(cfg, task.Resume{})}
			r.ep = r.s.era.(*era2026).ep
			asked := 0
			for range 6 {
				if _, err := r.s.Get(t.Context(), "a"); err != nil {
					t.Fatal(err)
				}
				ps, _, _ := r.came(time.Second)
				asked += len(ps)
				e := r.s.era.(*era2026)
				e.mu.Lock()
				q := e.asking["a"]
				if len(q.questions) > maxQuestions+5000 || len(e.prompts.open) > maxPrompts || len(e.prompts.queue) > maxWaiting {
					t.Errorf("%d questions, %d open, %d wait", len(q.questions), len(e.prompts.open), len(e.prompts.queue))
				}
				e.mu.Unlock()
			}
			if asked == 0 || notes(r, "more than callboard takes") == 0 || notes(r, "did not declare") == 0 {
				t.Errorf("%d prompts; the notes: %d, %d", asked, notes(r, "more than callboard takes"), notes(r, "did not declare"))
			}
		})
	}
}

// TestAnswersStayOutOfTheLogOfAll: what a person says is in no line of the log, nor
// of its file, by whichever way it goes out.
func TestAnswersStayOutOfTheLogOfAll(t *testing.T) {
	const secret = "xyzzy-4711"
	eras(t, func(t *testing.T, era mcptest.Era) {
		file := &lockedBuffer{}
		cfg := Config{Protocol: task.Legacy, Sampling: true, LogFile: file}
		if era == mcptest.ModernEra {
			cfg.Protocol = task.Modern
		}
		r := newRig(t, cfg, asking("form", nameForm), asking("summarise", summaryAsked), mcptest.WithEra(era))
		r.dial(task.Resume{})
		for _, name := range []string{"form", "summarise"} {
			r.start(name)
			id := any1[task.Started](r).Task.ID
			r.s.Attend([]task.ID{id})
			p := any1[task.Prompted](r).Prompt
			reply := written(p, secret)
			if p.Mode == task.FormMode {
				reply.Content = json.RawMessage(`{"name":"` + secret + `"}`)
			}
			if _, err := r.s.Answer(t.Context(), reply); err != nil {
				t.Fatal(err)
			}
			r.polls(id)
		}
		if era == mcptest.LegacyEra {
			got, p := r.pose(`"task":{}`)
			r.say(p, secret)
			if raw, err := r.serverAsks("tasks/result", `{"taskId":"`+got.TaskID+`"}`); err != nil || !strings.Contains(string(raw), secret) {
				t.Errorf("%s, %v", raw, err)
			}
		}
		for _, f := range r.ep.Frames(0, ringFrames) {
			// What the server tells of it in a result is its own.
			if shown := cmp.Or(f.Masked, f.Body); f.Dir != task.In && strings.Contains(shown, secret) {
				t.Error(shown)
			}
		}
		r.close(true)
		for line := range strings.Lines(file.String()) {
			if strings.Contains(line, secret) && !strings.Contains(line, `"dir":"in"`) {
				t.Errorf("%.300s", line)
			}
		}
		if file.String() == "" {
			t.Error("there is no file")
		}
	})
}
