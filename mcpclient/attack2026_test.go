package mcpclient

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

// A reply that says of itself that it is a task is one, whatever else is in it:
// the work has begun, and its handle must not be lost.
func TestTaskWithContentIsATask(t *testing.T) {
	for _, more := range []string{`"content":[],`, `"content":[],"structuredContent":{},`, ``} {
		raw := `{"resultType":"task",` + more + state("a", "working", "") + `}`
		if got, _, ok := (&interner{}).createdTask([]byte(raw)); !ok || got.ID != "a" {
			t.Errorf("%s: %+v, %v", raw, got, ok)
		}
	}
	for _, raw := range []string{
		`{"content":[],` + state("a", "working", "") + `}`, // the result of a tool that speaks of tasks
		`{"resultType":"complete","content":[],` + state("a", "working", "") + `}`,
		`{"resultType":"task","content":[]}`,
	} {
		if got, _, ok := (&interner{}).createdTask([]byte(raw)); ok {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}

func TestResultTypeOfEachKind(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", result(modern))
		s.on("subscriptions/listen", plainStatus(404))
		session := s.dial(Config{}, task.Resume{})
		r := &rig{t: t, s: session}
		for raw, want := range map[string]string{
			`null`: "", `"complete"`: "", `1`: `"1"`, `1e308`: `"1e308"`, `true`: `"true"`, `[]`: `"[]"`, `{"a":1}`: "a",
			`""`: `""`, `"\u001b[31mx"`: `"x"`, `"` + strings.Repeat("x", 1<<20) + `"`: "xxx…", `"task"`: "without an id",
		} {
			s.on("tools/call", result(`{"resultType":`+raw+`,"content":[{"type":"text","text":"ok"}]}`))
			s.on("tasks/get", result(`{"resultType":`+raw+`,`+state("a", "working", "")+`}`))
			r.call(task.Call{ID: "c", Tool: "t"})
			got := any1[task.Returned](r)
			_, err := session.Get(t.Context(), "a")
			switch {
			case want == "":
				if got.Err != nil || got.Result == nil || err != nil {
					t.Errorf("%.40s: %v, %v", raw, got.Err, err)
				}
			case got.Err == nil || got.Err.Kind != task.Protocol || !strings.Contains(got.Err.Message.Line(), want):
				t.Errorf("%.40s: %v, want one that says %s", raw, got.Err, want)
			case err == nil && raw != `"task"`:
				t.Errorf("%.40s: taken for a state", raw)
			}
		}
	})
}

// What a server repeats of our credentials is not for an error, which stands on
// the screen and in the logs of scripts.
func TestErrorsDoNotRepeatSecrets(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const secret = "t0ken-of-ours"
		s := newScripted(t)
		echo := fmt.Sprintf(`{"code":-32000,"message":"you sent Bearer %s","data":{"auth":"Bearer %[1]s"}}`, secret)
		s.on("server/discover", result(modern))
		s.on("subscriptions/listen", rpcAnswer(200, echo))
		s.on("tools/call", rpcAnswer(200, echo))
		s.on("tools/list", rpcAnswer(400, echo))
		s.on("tasks/get", result(`{"resultType":"complete",`+state("a", "failed", "")+`,"error":`+echo+`}`))
		session := s.dial(Config{Token: secret}, task.Resume{})
		clean := func(what string, err *task.Error) {
			t.Helper()
			if err == nil {
				t.Fatalf("%s did not fail", what)
			}
			if all := fmt.Sprintf("%v %s %s %v", err, err.Message, err.Data, err.Err); strings.Contains(all, secret) || !strings.Contains(all, "you sent") {
				t.Errorf("%s: %s", what, all)
			}
		}
		r := &rig{t: t, s: session}
		r.call(task.Call{ID: "c", Tool: "t"})
		clean("tools/call", any1[task.Returned](r).Err)
		_, err := session.Tools(t.Context())
		clean("tools/list", failure(t, err, task.RPC))
		for range 2 { // the second is kept from the first
			got, err := session.Result(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			clean("a failed task", got.Err)
			if strings.Contains(string(got.Raw), secret) {
				t.Errorf("%s", got.Raw)
			}
		}
		s.on("server/discover", rpcAnswer(200, strings.Replace(echo, "-32000", "-32022", 1)))
		clean("server/discover", s.refused(Config{Token: secret, Protocol: task.Modern}, task.Resume{}, task.RPC))
	})
}

// News of tasks that nobody asked for would fill the board, and have them polled.
func TestPushOfTasksNotAskedFor(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := newPushing(t, func(*ear) string { return `{"toolsListChanged":true,"taskIds":["a","other"]}` })
		p.begin()
		p.know("a")
		p.stream(covers("a"))
		e := p.ear(p.streams() - 1)
		for i := range 100 {
			e.out <- e.push(fmt.Sprintf("other-%d", i), "working", "")
		}
		e.out <- e.push("a", "working", "mine")
		pushed(p, func(c task.Changed) bool {
			if c.Task.ID != "a" {
				t.Errorf("news of %s", c.Task.ID)
			}
			return c.Task.Message.Line() == "mine"
		})
		p.pass(time.Minute)
		if n := p.streams(); n > e.n+1 {
			t.Errorf("%d streams more, for tasks of others", n-e.n-1)
		}
		told := 0
		for _, f := range p.session.ep.Frames(0, 1000) {
			if f.Dir == task.Note && strings.Contains(f.Body, "was not asked for") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("told %d times, want once", told)
		}
	})
}

// Small results of many tasks cost little, however often each comes again.
func TestKeptResultsAreFew(t *testing.T) {
	c := newResultCache()
	for i := range 3 * maxCachedOnes {
		c.add(task.ID(fmt.Sprint(i)), cachedResult{raw: []byte(`{}`)})
	}
	if len(c.results) != maxCachedOnes || len(c.order) != maxCachedOnes {
		t.Errorf("%d are kept, %d in order", len(c.results), len(c.order))
	}
}

// newAsking is a server with one task, and says by ask what that asks next.
func newAsking(t *testing.T, ask func() string) (s *scripted, look func() []task.Event) {
	s = newScripted(t)
	s.on("server/discover", result(modern))
	s.on("subscriptions/listen", plainStatus(404))
	s.on("tasks/get", func(w http.ResponseWriter, q *scriptedRequest) { result(ask())(w, q) })
	session := s.dial(Config{}, task.Resume{})
	return s, func() []task.Event {
		t.Helper()
		if _, err := session.Get(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		b, err := session.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return b.Events
	}
}

func prompts(events []task.Event) (keys []string) {
	for _, e := range events {
		if p, ok := e.(task.Prompted); ok {
			keys = append(keys, p.Prompt.Key)
		}
	}
	return keys
}

// A server that asks by other keys each time is heard for as long as it does.
func TestKeysThatChangeEachTime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := 0
		_, look := newAsking(t, func() string {
			n++
			var all []string
			for i := range 60 {
				all = append(all, fmt.Sprintf(`"k%d-%d":%s`, n, i, question1))
			}
			return fmt.Sprintf(`{"resultType":"complete","taskId":"a","status":"input_required","lastUpdatedAt":"2026-11-01T00:%02d:00Z","inputRequests":{%s}}`,
				n, strings.Join(all, ","))
		})
		for range 2 * maxQuestions / 60 {
			if keys := prompts(look()); len(keys) != 60 {
				t.Fatalf("%d prompts at look %d, want 60", len(keys), n)
			}
			time.Sleep(time.Minute) // or it would be a flood
		}
	})
}

const question1 = `{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}`

// A report without a date is no older than one with a date.
func TestQuestionWithoutADate(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		n := 0
		_, look := newAsking(t, func() string {
			date := `"lastUpdatedAt":"2026-11-01T00:00:00Z",`
			if n++; n > 1 {
				date = ""
			}
			return fmt.Sprintf(`{"taskId":"a","status":"input_required",%s"inputRequests":{"k%d":%s}}`, date, n, question1)
		})
		for _, want := range []string{"k1", "k2"} {
			if keys := prompts(look()); len(keys) != 1 || keys[0] != want {
				t.Errorf("asked %q, want %s", keys, want)
			}
		}
	})
}

// What is more than can be taken is said once, and the rest is asked.
func TestTooManyQuestionsAndTooLongKeys(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var all []string
		for i := range 3 * maxQuestions {
			all = append(all, fmt.Sprintf(`"k%d":{"method":"sampling/createMessage"}`, i))
		}
		raw := `{` + state("a", "input_required", "") + `,"inputRequests":{"first":` + question1 + `,"` + strings.Repeat("k", 1<<20) + `":` + question1 + `,` + strings.Join(all, ",") + `}}`
		s := newScripted(t)
		s.on("server/discover", result(modern))
		s.on("subscriptions/listen", plainStatus(404))
		s.on("tasks/get", result(raw))
		session := s.dial(Config{}, task.Resume{})
		for range 3 {
			if _, err := session.Get(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
		}
		b, err := session.Next(t.Context())
		if keys := prompts(b.Events); err != nil || len(keys) != 1 || keys[0] != "first" {
			t.Errorf("asked %q, %v", keys, err)
		}
		notes := 0
		for _, f := range session.ep.Frames(0, 10_000) {
			if f.Dir == task.Note && (strings.Contains(f.Body, "more than callboard takes") || strings.Contains(f.Body, "did not declare")) {
				notes++
			}
		}
		if notes != 2 {
			t.Errorf("%d notes, want one of each kind", notes)
		}
	})
}
