package interop

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"callboard/mcpclient"
	"callboard/model"
	"callboard/model/task"
)

// everyField is an answer to all that trigger-elicitation-request asks for.
const everyField = `{"name":"Ann","check":true,"firstLine":"Call me Ishmael.","email":"ann@example.com","homepage":"https://example.com/~ann",` +
	`"birthdate":"2000-02-29","integer":7,"number":1.5,"untitledSingleSelectEnum":"Ross","untitledMultipleSelectEnum":["Piano","Drums"],` +
	`"titledSingleSelectEnum":"hero-3","titledMultipleSelectEnum":["fish-2","fish-3"],"legacyTitledEnum":"pet-2"}`

// rawResult returns the object that the tools of server-everything append to what
// they say.
func rawResult(t *testing.T, said string) (raw map[string]any) {
	t.Helper()
	_, tail, found := strings.Cut(said, "Raw result: ")
	if err := json.Unmarshal([]byte(tail), &raw); !found || err != nil {
		t.Fatalf("no result in %q: %v", said, err)
	}
	return raw
}

// A plain call that asks for a field of each type: each one is answered, and comes
// out as it was typed.
func TestEverythingElicits(t *testing.T) {
	c := attach(t, serveNpm(t, everything, "streamableHttp").url)
	call := c.call("trigger-elicitation-request", `{}`, false, 0)
	p := wait(c, "the question", any1[task.Prompted]).Prompt
	if p.Call != call || p.Task != "" || p.Form.JSONOnly != "" {
		t.Fatalf("prompt: %+v", p)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(everyField), &want); err != nil {
		t.Fatal(err)
	}
	var names []string
	kinds := map[task.FieldKind]bool{}
	for _, f := range p.Form.Fields {
		names = append(names, f.Name)
		kinds[f.Kind] = true
	}
	if slices.Sort(names); !slices.Equal(names, slices.Sorted(maps.Keys(want))) || len(kinds) < 5 {
		t.Errorf("fields %v of kinds %v", names, kinds)
	}
	for _, wrong := range []string{
		`{}`, `{"name":"Ann","integer":1000}`, `{"name":"Ann","integer":1.5}`, `{"name":"Ann","number":1001}`, `{"name":"Ann","email":"ann"}`,
		`{"name":"Ann","homepage":"nowhere"}`, `{"name":"Ann","birthdate":"2001-02-29"}`, `{"name":"Ann","check":"yes"}`,
		`{"name":"Ann","untitledSingleSelectEnum":"Gunther"}`, `{"name":"Ann","untitledMultipleSelectEnum":[]}`,
		`{"name":"Ann","titledMultipleSelectEnum":["Tuna"]}`, `{"name":"Ann","legacyTitledEnum":"Dogs"}`,
	} {
		if len(p.Form.Check(json.RawMessage(wrong))) == 0 {
			t.Errorf("our check lets %s pass", wrong)
		}
	}
	c.accept(p, everyField)
	r := wait(c, "the result", func(e task.Returned) bool { return e.Call == call })
	if r.Result == nil {
		t.Fatalf("%+v", r)
	}
	if got := rawResult(t, text(r.Result)); got["action"] != "accept" || !reflect.DeepEqual(got["content"], want) {
		t.Errorf("it arrived as %v", got)
	}
}

// A page to visit: no, yes, and by the error that says that it must be visited
// first, after which the same call goes on.
func TestEverythingURL(t *testing.T) {
	c := attach(t, serveNpm(t, everything, "streamableHttp").url)
	const page = "https://example.com/consent?a=1"
	for action, want := range map[task.Action]string{task.Decline: "declined", task.Dismiss: "cancelled", task.Accept: "completed"} {
		id := "e-" + action.String()
		call := c.call("trigger-url-elicitation", `{"url":"`+page+`","elicitationId":"`+id+`"}`, false, 0)
		p := wait(c, "the question", func(e task.Prompted) bool { return e.Prompt.Call == call }).Prompt
		if p.Mode != task.URLMode || p.URL != page || p.ElicitationID != id {
			t.Fatalf("prompt: %+v", p)
		}
		if _, err := c.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: action}); err != nil {
			t.Fatal(err)
		}
		if r := wait(c, "the result", func(e task.Returned) bool { return e.Call == call }); r.Result == nil || !strings.Contains(text(r.Result), want) {
			t.Errorf("%s: %+v", action, r)
		}
	}
	const args = `{"url":"` + page + `","elicitationId":"e-2","errorPath":true}`
	call := c.call("trigger-url-elicitation", args, false, 0)
	p := wait(c, "the page to visit first", func(e task.Prompted) bool { return e.Prompt.Call == call }).Prompt
	if p.Mode != task.URLMode || p.URL != "https://modelcontextprotocol.io" {
		t.Errorf("prompt: %+v", p)
	}
	if r := wait(c, "the error", func(e task.Returned) bool { return e.Call == call }); r.Err == nil || r.Err.Code != -32042 {
		t.Errorf("%+v", r)
	}
	again := c.call("trigger-url-elicitation", args, false, 0)
	if p = wait(c, "the question itself", func(e task.Prompted) bool { return e.Prompt.Call == again }).Prompt; p.URL != page {
		t.Errorf("prompt: %+v", p)
	}
}

// sampled is what the tools of server-everything that want a text ask for.
func sampled(t *testing.T, p task.Prompt) {
	t.Helper()
	s := p.Sampling
	if p.Mode != task.SamplingMode || s == nil || len(s.Messages) != 1 || len(s.Messages[0].Content) != 1 {
		t.Fatalf("prompt: %+v", p)
	}
	if s.System.Line() != "You are a helpful test server." || s.MaxTokens != 50 || s.Temperature != "0.7" ||
		!strings.Contains(s.Messages[0].Content[0].Text, "tides") {
		t.Errorf("sampling: %+v", s)
	}
}

const (
	tides   = `{"prompt":"tides","maxTokens":50}`
	written = `{"text":"They come and go.","model":"human"}`
)

// What a server wants from a model a person writes, or refuses.
func TestEverythingSamples(t *testing.T) {
	c := sampling(t, serveNpm(t, everything, "streamableHttp").url)
	call := c.call("trigger-sampling-request", tides, false, 0)
	p := wait(c, "the request", func(e task.Prompted) bool { return e.Prompt.Call == call }).Prompt
	sampled(t, p)
	c.accept(p, written)
	r := wait(c, "the result", func(e task.Returned) bool { return e.Call == call })
	if r.Result == nil || !strings.Contains(text(r.Result), "They come and go.") || !strings.Contains(text(r.Result), `"model": "human"`) ||
		!strings.Contains(text(r.Result), `"role": "assistant"`) {
		t.Errorf("%+v", r)
	}
	call = c.call("trigger-sampling-request", tides, false, 0)
	p = wait(c, "the second request", func(e task.Prompted) bool { return e.Prompt.Call == call }).Prompt
	if _, err := c.Answer(t.Context(), task.Reply{Prompt: p.ID, Action: task.Decline}); err != nil {
		t.Fatal(err)
	}
	if r = wait(c, "the result", func(e task.Returned) bool { return e.Call == call }); r.Result == nil || !r.Result.IsError || !strings.Contains(text(r.Result), "rejected") {
		t.Errorf("refused: %+v", r)
	}
}

// The server asks with a task, and polls us for the answer.
func TestEverythingAsksByTask(t *testing.T) {
	c := sampling(t, serveNpm(t, everything, "streamableHttp").url)
	for _, tt := range []struct {
		name, tool, args string
		reply            task.Reply
		want             []string
	}{
		{
			"answered", "trigger-elicitation-request-async", `{}`,
			task.Reply{Action: task.Accept, Content: json.RawMessage(`{"name":"Ann","favoriteColor":"Blue","agreeToTerms":false}`)},
			[]string{"[COMPLETED]", "Name: Ann", "Favorite Color: Blue", "Agreed to terms: false", "io.modelcontextprotocol/related-task"},
		},
		{"declined", "trigger-elicitation-request-async", `{}`, task.Reply{Action: task.Decline}, []string{"[DECLINED]"}},
		{"dismissed", "trigger-elicitation-request-async", `{}`, task.Reply{Action: task.Dismiss}, []string{"[CANCELLED]"}},
		{
			"written", "trigger-sampling-request-async", tides, task.Reply{Action: task.Accept, Content: json.RawMessage(written)},
			[]string{"[COMPLETED]", "They come and go.", `"model": "human"`, "io.modelcontextprotocol/related-task"},
		},
		{"refused", "trigger-sampling-request-async", tides, task.Reply{Action: task.Decline}, []string{"[FAILED]"}},
	} {
		call := c.call(tt.tool, tt.args, false, 0)
		p := wait(c, "the question", func(e task.Prompted) bool { return e.Prompt.Call == call }).Prompt
		if !p.Polled || p.Until.IsZero() {
			t.Errorf("%s: prompt: %+v", tt.name, p)
		}
		if tt.args == tides {
			sampled(t, p)
		}
		tt.reply.Prompt = p.ID
		if _, err := c.Answer(t.Context(), tt.reply); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		r := wait(c, "the result", func(e task.Returned) bool { return e.Call == call })
		if r.Result == nil {
			t.Fatalf("%s: %+v", tt.name, r)
		}
		for _, want := range tt.want {
			if !strings.Contains(text(r.Result), want) {
				t.Errorf("%s: no %q in %s", tt.name, want, text(r.Result))
			}
		}
	}
}

// A server offers what needs an answer only to who declared that it takes the
// question.
func TestEverythingOffersWhatIsDeclared(t *testing.T) {
	url := serveNpm(t, everything, "streamableHttp").url
	for name, tt := range map[string]struct {
		config mcpclient.Config
		want   []string
	}{
		"read only": {mcpclient.Config{URL: url, ReadOnly: true, Sampling: true}, nil},
		"no sampling": {mcpclient.Config{URL: url}, []string{
			"trigger-elicitation-request", "trigger-elicitation-request-async", "trigger-url-elicitation",
		}},
		"sampling": {mcpclient.Config{URL: url, Sampling: true}, []string{
			"trigger-elicitation-request", "trigger-elicitation-request-async", "trigger-sampling-request", "trigger-sampling-request-async",
			"trigger-url-elicitation",
		}},
	} {
		tools, err := dial(t, tt.config, task.Resume{}).Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, each := range tools {
			if strings.HasPrefix(each.Name, "trigger-") && each.Name != "trigger-long-running-operation" {
				got = append(got, each.Name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What the dashboard knows of a question that the server polls for: it is answered
// once the server has fetched the answer.
func TestEverythingPollsTheModel(t *testing.T) {
	url := serveNpm(t, everything, "streamableHttp").url
	b := runModelOn(t, mcpclient.Config{URL: url, Sampling: true}, model.Options{})
	b.until("the link", func() bool { return b.Links()[0].State == model.Live })
	for tool, content := range map[string]string{"trigger-elicitation-request-async": `{"name":"Ann"}`, "trigger-sampling-request-async": written} {
		call := task.Call{ID: model.NewCallID(), Tool: tool, Args: json.RawMessage(`{}`)}
		if content == written {
			call.Args = json.RawMessage(tides)
		}
		b.wish(model.StartMsg{Server: "srv", Call: call})
		key := task.Key{Server: "srv", Call: call.ID}
		b.until("the question", func() bool { r := b.Row(key); return r != nil && len(r.Asks) == 1 })
		ask := b.Row(key).Asks[0]
		if b.Ends(ask).IsZero() || !b.Row(key).Asking() {
			t.Errorf("%s: %+v", tool, ask)
		}
		b.wish(model.AnswerMsg{Server: "srv", Reply: task.Reply{Prompt: ask.Prompt.ID, Action: task.Accept, Content: json.RawMessage(content)}})
		b.until("the answer's effect", func() bool { return ask.Wish != nil && ask.Wish.State == model.Taken })
		b.until("the end of the call", func() bool { o := b.Row(key).Outcome; return o != nil && o.Result != nil })
		if got := text(b.Row(key).Outcome.Result); !strings.Contains(got, "[COMPLETED]") || ask.State != model.Answered {
			t.Errorf("%s: the question is %v; %s", tool, ask.State, got)
		}
	}
}

// The same by commands.
func TestEverythingAsksCommands(t *testing.T) {
	url := serveNpm(t, everything, "streamableHttp").url
	run := func(t *testing.T, code int, args ...string) string {
		t.Helper()
		said := ""
		for _, c := range newProgram(t).run(code, append([]string{"run", url}, args...)...).Result.Content {
			said += c.Text
		}
		return said
	}
	var fields []string
	var want map[string]any
	if err := json.Unmarshal([]byte(everyField), &want); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		values, ok := want[name].([]any)
		if !ok {
			values = []any{want[name]}
		}
		for _, v := range values {
			typed, isText := v.(string)
			if !isText {
				written, _ := json.Marshal(v) // numbers and truth values: this cannot fail
				typed = string(written)
			}
			fields = append(fields, "--field", name+"="+typed)
		}
	}
	t.Run("every field", func(t *testing.T) {
		said := run(t, 0, append([]string{"trigger-elicitation-request", "--wait"}, fields...)...)
		if got := rawResult(t, said); got["action"] != "accept" || !reflect.DeepEqual(got["content"], want) {
			t.Errorf("it arrived as %v", got)
		}
	})
	t.Run("a link", func(t *testing.T) {
		if said := run(t, 0, "trigger-url-elicitation", "--arg", "url=https://example.com/a", "--accept-defaults"); !strings.Contains(said, "completed") {
			t.Error(said)
		}
	})
	for _, tool := range []string{"trigger-sampling-request", "trigger-sampling-request-async"} {
		t.Run(tool, func(t *testing.T) {
			args := []string{tool, "--arg", "prompt=tides", "--arg", "maxTokens=50", "--field", "text=They come and go."}
			if said := run(t, 0, append(args, "--sampling", "manual")...); !strings.Contains(said, "They come and go.") {
				t.Error(said)
			}
			run(t, 2, args...) // it is not offered without
		})
	}
	t.Run("by task", func(t *testing.T) {
		if said := run(t, 0, "trigger-elicitation-request-async", "--field", "name=Ann"); !strings.Contains(said, "[COMPLETED]") {
			t.Error(said)
		}
	})
}
