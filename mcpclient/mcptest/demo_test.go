package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// audience watches the demo in virtual time and notes what it saw.
type audience struct {
	t       *testing.T
	c       *client
	answers bool
	open    map[string]bool // tasks/result held open
	mu      sync.Mutex
	notes   map[string]bool
	prompts int
	pushed  int
}

func (a *audience) note(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notes[what] = true
}

// sit watches for a while, looking each second.
func (a *audience) sit(s *Server, d time.Duration) {
	a.t.Helper()
	for began := time.Now(); time.Since(began) < d; time.Sleep(time.Second) {
		synctest.Wait()
		waiting, shown := 0, 0
		for _, task := range s.Tasks() {
			shown++
			a.note(string(task.Status))
			for _, c := range task.Outcome.Content {
				a.note(fmt.Sprint(c["type"]))
			}
			if task.Outcome.Structured != nil {
				a.note("structured")
			}
			if task.Outcome.Err != nil {
				a.note("error")
			}
			if task.Outcome.IsError {
				a.note("isError")
			}
			if task.Status == InputRequired {
				waiting++
				if !a.open[task.ID] && a.answers {
					a.open[task.ID] = true
					go a.attend(task.ID)
				}
			}
		}
		if waiting > maxWaiting || shown > maxShown+5 {
			a.t.Fatalf("%v in: %d wait, %d shown", time.Since(began), waiting, shown)
		}
	}
}

// attend holds tasks/result open and answers what is asked.
func (a *audience) attend(id string) {
	st, _ := a.c.post("tasks/result", idParams(id))
	if st == nil {
		return
	}
	defer st.close()
	for {
		m, err := st.next()
		if err != nil || m.Method == "" {
			return
		}
		if m.Method != "elicitation/create" {
			continue
		}
		a.mu.Lock()
		a.prompts++
		a.mu.Unlock()
		content := `{"approve":true,"ticket":"OPS-1234","region":"eu-west","severity":"low"}`
		if strings.Contains(string(m.Params), `"mode":"url"`) {
			a.note("url")
			a.c.answer(m, `{"action":"accept"}`)
			continue
		}
		for _, kind := range []string{"pattern", "format", "integer", "number", "boolean", "oneOf", "enumNames", "anyOf", "minItems", "default"} {
			if strings.Contains(string(m.Params), kind) {
				a.note(kind)
			}
		}
		a.c.answer(m, `{"action":"accept","content":`+content+`}`)
	}
}

func TestDemoPlaysEverythingAndStaysBounded(t *testing.T) {
	var j *judge
	if dir := os.Getenv("CALLBOARD_SCHEMAS"); dir != "" {
		j = newJudge(t)
	}
	synctest.Test(t, func(t *testing.T) {
		s := Demo(7)
		defer s.Close()
		began := time.Now()
		if n := len(s.Tasks()); n < 8 {
			t.Errorf("the stage is set with %d tasks", n)
		}
		tr := s.Transport()
		c := raw(t, MemoryURL, tr)
		if j != nil {
			c.check = j.see
		}
		c.initialize(allCaps)
		a := &audience{t: t, c: c, answers: true, open: map[string]bool{}, notes: map[string]bool{}}
		get := c.get()
		go func() {
			for {
				if _, err := get.next(); err != nil {
					return
				}
				a.mu.Lock()
				a.pushed++
				a.mu.Unlock()
			}
		}()
		a.sit(s, 5*time.Second)
		if len(a.open) < 2 {
			t.Errorf("%d questions within the first %v", len(a.open), time.Since(began))
		}
		a.sit(s, 12*time.Minute)
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, want := range []string{
			"working", "input_required", "completed", "failed", "cancelled", "text", "image", "audio", "resource_link", "resource", "structured", "error", "isError",
			"url", "pattern", "format", "integer", "number", "boolean", "oneOf", "enumNames", "anyOf", "minItems", "default",
		} {
			if !a.notes[want] {
				t.Errorf("never seen: %s", want)
			}
		}
		if a.prompts < 20 || a.pushed < 300 {
			t.Errorf("%d prompts, %d notifications", a.prompts, a.pushed)
		}
		get.close()
		tr.CloseIdleConnections()
	})
}

func TestDemoUnattendedStaysBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Demo(3)
		defer s.Close()
		a := &audience{t: t, open: map[string]bool{}, notes: map[string]bool{}}
		a.sit(s, time.Hour)
		if n := len(s.Tasks()); n < 6 {
			t.Errorf("after an hour %d tasks are left", n)
		}
	})
}

func TestDemoIsDeterministic(t *testing.T) {
	play := func(seed uint64) (seen []string) {
		synctest.Test(t, func(t *testing.T) {
			s := Demo(seed)
			defer s.Close()
			for range 60 {
				time.Sleep(time.Second)
				synctest.Wait()
			}
			for _, task := range s.Tasks() {
				seen = append(seen, fmt.Sprint(task.ID, task.Status, task.Message, task.TTL))
			}
		})
		return seen
	}
	a, b, other := play(1), play(1), play(2)
	if !slices.Equal(a, b) {
		t.Errorf("the same seed plays\n%s\nand\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
	if slices.Equal(a, other) {
		t.Error("another seed plays the same")
	}
}

func TestDemoTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Demo(1)
		defer s.Close()
		tr := s.Transport()
		c := dial(t, MemoryURL, tr)
		for _, tc := range []struct{ tool, args, want string }{
			{"deploy_service", `{"service":"search","version":"1.2.3"}`, "live in staging"},
			{"deploy_service", `{"service":"search","version":"1.2.3","environment":"production"}`, "Rolled out"},
			{"deploy_service", `{}`, "are needed"},
			{"backup_database", `{"database":"audit"}`, "Backup of audit"},
			{"research_topic", `{"topic":"Go","ambiguous":true}`, "Go, the company"},
			{"rebuild_index", `{}`, "All shards rebuilt"},
			{"ask_everything", `{}`, "Understood"},
			{"connect_calendar", `{}`, "is connected"},
			{"render_report", `{"kind":"text"}`, "fine in Q3"},
			{"render_report", `{"kind":"long text"}`, "wider than any terminal"},
			{"render_report", `{"kind":"structured"}`, `"quarter":"Q3"`},
			{"render_report", `{"kind":"image"}`, "image/png"},
			{"render_report", `{"kind":"audio"}`, "audio/wav"},
			{"render_report", `{"kind":"link"}`, "resource_link"},
			{"render_report", `{"kind":"embedded"}`, `"blob"`},
			{"import_records", `{"source":{"bucket":"b"},"mapping":[{"from":"a","to":"b"}]}`, "1 fields mapped"},
			{"import_records", `{"source":{}}`, "at least one mapping"},
			{"fail_on_purpose", `{"how":"error"}`, "-32013"},
			{"fail_on_purpose", `{"how":"isError"}`, `"isError":true`},
			{"fail_on_purpose", `{"how":"panic"}`, "panicked"},
		} {
			id := c.start(tc.tool, tc.args).TaskID
			st, _ := c.post("tasks/result", idParams(id))
			for {
				m := st.must()
				if m.Method == "elicitation/create" {
					c.answer(m, `{"action":"accept","content":{"approve":true,"comment":"ok","meaning":"the company"}}`)
				}
				if m.Method == "" {
					if !strings.Contains(string(m.Raw), tc.want) {
						t.Errorf("%s %s: %.300s", tc.tool, tc.args, m.Raw)
					}
					break
				}
			}
			st.close()
		}
		if m := c.call("tools/call", `{"name":"check_health","_meta":{"progressToken":1}}`); !strings.Contains(string(m.Result), `"healthy":true`) {
			t.Errorf("check_health: %s", m.Raw)
		}
		if m := c.call("tools/call", `{"name":"read_vault"}`); m.Error == nil || m.Error.Code != CodeURLRequired {
			t.Errorf("locked vault: %s", m.Raw)
		}
		time.Sleep(10 * time.Second)
		if m := c.call("tools/call", `{"name":"read_vault"}`); m.Error != nil {
			t.Errorf("open vault: %s", m.Raw)
		}
		st, _ := c.post("tools/call", `{"name":"page_somebody"}`)
		c.answer(st.until("elicitation/create"), `{"action":"decline"}`)
		if m := st.until(""); !strings.Contains(string(m.Result), "left alone") {
			t.Errorf("page_somebody: %s", m.Raw)
		}
		st.close()
		tr.CloseIdleConnections()
	})
}

func TestDemoOverTCP(t *testing.T) {
	s := Demo(1)
	defer s.Close()
	url, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, url, &http.Transport{})
	var p tasksPage
	c.call("tasks/list", "").bind(t, &p)
	if len(p.Tasks) < 8 {
		t.Errorf("%d tasks at once", len(p.Tasks))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.WaitUntil(ctx, func() bool { return false }); err == nil {
		t.Error("waited for ever")
	}
}

func TestMedia(t *testing.T) {
	if _, err := png.Decode(bytes.NewReader(chart(rand.New(rand.NewPCG(1, 1))))); err != nil {
		t.Error(err)
	}
	wav := tone(440)
	if !bytes.HasPrefix(wav, []byte("RIFF")) || len(wav) != 44+2667 {
		t.Errorf("wav of %d bytes", len(wav))
	}
	raw, err := json.Marshal(Outcome{}.result("x"))
	if err != nil || !strings.Contains(string(raw), `"content":[]`) {
		t.Errorf("%s, %v", raw, err)
	}
}
