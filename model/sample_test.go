package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"callboard/model/task"
)

// writer is a command that writes drafts: each waits until the test lets it.
type writer struct {
	mu      sync.Mutex
	running int
	most    int
	params  []string
	stopped int
	replies chan func() (string, error)
}

func (w *writer) sampler(ctx context.Context, params json.RawMessage) (string, error) {
	w.mu.Lock()
	w.running++
	w.most = max(w.most, w.running)
	w.params = append(w.params, string(params))
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.running--
		w.mu.Unlock()
	}()
	select {
	case f := <-w.replies:
		return f()
	case <-ctx.Done():
		w.mu.Lock()
		w.stopped++
		w.mu.Unlock()
		return "", ctx.Err()
	}
}

func (w *writer) count() (running, stopped int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running, w.stopped
}

// begun returns what the commands got, and how many ran at a time at most.
func (w *writer) begun() (params []string, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.params), w.most
}

// write lets one command end.
func (w *writer) write(st *stage, text string, err error) {
	w.replies <- func() (string, error) { return text, err }
	st.settle()
}

// sampling lets a task ask for what a model would say.
func sampling(st *stage, of task.ID, id task.PromptID) *Ask {
	st.s.put(a(string(of), task.InputRequired))
	st.tell(push(a(string(of), task.InputRequired)), task.Prompted{Prompt: task.Prompt{
		ID: id, Task: of, Mode: task.SamplingMode, Message: task.Own("say " + string(id)), At: time.Now(),
		Sampling: &task.Sampling{Raw: []byte(`{"maxTokens":10,"n":"` + string(id) + `"}`)},
		Form: task.Form{Fields: []task.Field{
			{Name: task.SampledText, Required: true}, {Name: task.SampledModel, Required: true, Default: []byte(`"human"`)},
		}},
	}})
	return st.Ask(id)
}

func withSampler(t *testing.T, s *script, f func(*stage, *writer)) {
	w := &writer{}
	play(t, Options{Sampler: w.sampler}, s, func(st *stage) {
		w.replies = make(chan func() (string, error), 10)
		st.settle()
		f(st, w)
	})
}

func TestACommandWritesADraft(t *testing.T) {
	t.Run("into an empty form", func(t *testing.T) {
		withSampler(t, newScript(), func(st *stage, w *writer) {
			x := sampling(st, "t", "p")
			if why := st.CanSample("p"); why != "" {
				t.Fatal(why)
			}
			st.wish(SampleMsg{"p"})
			if params, _ := w.begun(); !x.Sample.Running || x.Sample.Since.IsZero() || params[0] != `{"maxTokens":10,"n":"p"}` {
				t.Fatalf("%+v, params %q", x.Sample, params)
			}
			st.wish(SampleMsg{"p"})
			if n, _ := w.count(); n != 1 {
				t.Errorf("%d run for one question", n)
			}
			w.write(st, "Four.\n", nil)
			isDraft(t, "written", st.Draft("p"), Draft{"text": "Four.", "model": "human"})
			if x.Sample.Running || x.Offered != 1 {
				t.Errorf("%+v, offered %d times", x.Sample, x.Offered)
			}
		})
	})
	t.Run("in place of what is typed; the model stays", func(t *testing.T) {
		withSampler(t, newScript(), func(st *stage, w *writer) {
			sampling(st, "t", "p")
			st.SaveDraft("p", Draft{"text": "Fo", "model": "me"})
			st.wish(SampleMsg{"p"})
			w.write(st, "Four.", nil)
			isDraft(t, "written", st.Draft("p"), Draft{"text": "Four.", "model": "me"})
		})
	})
	t.Run("nothing that was typed meanwhile is lost", func(t *testing.T) {
		withSampler(t, newScript(), func(st *stage, w *writer) {
			x := sampling(st, "t", "p")
			st.wish(SampleMsg{"p"})
			st.SaveDraft("p", Draft{"text": "mine"})
			w.write(st, "Four.", nil)
			isDraft(t, "typed meanwhile", st.Draft("p"), Draft{"text": "mine"})
			if x.Sample.Text != "Four." || !strings.Contains(st.line(), "left as it is") {
				t.Fatalf("%+v %q", x.Sample, st.line())
			}
			st.wish(TakeSampleMsg{"p"})
			isDraft(t, "taken", st.Draft("p"), Draft{"text": "Four."})
			if st.wish(TakeSampleMsg{"p"}); x.Sample.Text != "" || !strings.Contains(st.line(), "no draft") {
				t.Errorf("%q", st.line())
			}
		})
	})
	t.Run("errors, nothing, a panic", func(t *testing.T) {
		withSampler(t, newScript(), func(st *stage, w *writer) {
			x := sampling(st, "t", "p")
			for _, c := range []struct {
				err  error
				want string
			}{{errors.New("it ended with 1: no key"), "no key"}, {nil, "wrote nothing"}} {
				st.wish(SampleMsg{"p"})
				w.write(st, "", c.err)
				if !strings.Contains(x.Sample.Err, c.want) || !strings.Contains(st.line(), c.want) || x.Sample.Running {
					t.Errorf("%+v %q", x.Sample, st.line())
				}
			}
			st.wish(SampleMsg{"p"})
			w.replies <- func() (string, error) { panic("oh") }
			st.settle()
			if x.Sample.Running || !strings.Contains(x.Sample.Err, "oh") || st.Draft("p") != nil {
				t.Errorf("%+v", x.Sample)
			}
		})
	})
	t.Run("is stopped by the person, and when the question closes", func(t *testing.T) {
		withSampler(t, newScript(), func(st *stage, w *writer) {
			x := sampling(st, "t", "p")
			st.wish(SampleMsg{"p"})
			st.wish(StopSampleMsg{"p"})
			if _, stopped := w.count(); stopped != 1 || x.Sample.Running || x.Sample.Err != "" {
				t.Errorf("%d stopped, %+v", stopped, x.Sample)
			}
			st.wish(SampleMsg{"p"})
			st.tell(task.Withdrawn{Prompt: "p"})
			if _, stopped := w.count(); stopped != 2 || x.Sample.Running || st.Draft("p") != nil {
				t.Errorf("%d stopped, %+v", stopped, x.Sample)
			}
		})
	})
	t.Run("two at a time", func(t *testing.T) {
		withSampler(t, newScript(), func(st *stage, w *writer) {
			for i := range 4 {
				id := fmt.Sprint("p", i)
				sampling(st, task.ID(id), task.PromptID(id))
				st.wish(SampleMsg{task.PromptID(id)})
			}
			if x := st.Ask("p2"); !x.Sample.Running || !x.Sample.Since.IsZero() {
				t.Errorf("one that waits: %+v", x.Sample)
			}
			st.wish(StopSampleMsg{"p3"}) // one that has not begun
			for range 3 {
				w.write(st, "x", nil)
			}
			if params, most := w.begun(); st.Draft("p2")["text"] != "x" || len(params) != 3 || most != 2 || st.Draft("p3") != nil {
				t.Errorf("%q, %d ran, %d at a time", st.Draft("p2"), len(params), most)
			}
		})
	})
	t.Run("its end ends with the program", func(t *testing.T) {
		w := &writer{}
		play(t, Options{Sampler: w.sampler}, newScript(), func(st *stage) {
			st.settle()
			sampling(st, "t", "p")
			st.wish(SampleMsg{"p"})
			st.Shutdown()
			if n, stopped := w.count(); n != 0 || stopped != 1 {
				t.Errorf("%d run on, %d stopped", n, stopped)
			}
		})
	})
	t.Run("not without one, and for no other question", func(t *testing.T) {
		play(t, Options{}, newScript(), func(st *stage) {
			st.settle()
			sampling(st, "t", "p")
			st.wish(SampleMsg{"p"})
			if !strings.Contains(st.line(), "--sampling-command") || st.Ask("p").Sample.Running {
				t.Errorf("%q", st.line())
			}
		})
		withSampler(t, newScript(), func(st *stage, w *writer) {
			question(st, "t", "p", "who?")
			st.wish(SampleMsg{"p"})
			if n, _ := w.count(); n != 0 || !strings.Contains(st.line(), "asks for no text") {
				t.Errorf("%d run: %q", n, st.line())
			}
		})
	})
}

// The Modern era has no form for a refusal of a sampling request: nothing is sent.
func TestSamplingIsRefused(t *testing.T) {
	for _, c := range []struct {
		s     *script
		sends bool
	}{{newModern(), false}, {newScript(), true}} {
		play(t, Options{}, c.s, func(st *stage) {
			st.settle()
			x := sampling(st, "t", "p")
			for _, action := range []task.Action{task.Decline, task.Dismiss} {
				st.wish(AnswerMsg{Server: "ops", Reply: task.Reply{Prompt: "p", Action: action}})
				if c.sends {
					break
				}
				if x.State != Open || !strings.Contains(st.line(), "no form for a refusal") {
					t.Errorf("%v %q", x.State, st.line())
				}
			}
			if sent := len(sentOf(c.s)) > 0; sent != c.sends || (st.CanRefuse("p") == "") != c.sends {
				t.Errorf("sent %v: %q", sent, st.CanRefuse("p"))
			}
			if question(st, "u", "q", "who?"); st.CanRefuse("q") != "" {
				t.Errorf("a question of another kind: %q", st.CanRefuse("q"))
			}
		})
	}
}
