package model

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// samplesMost is how many commands write drafts at a time.
const samplesMost = 2

// Sample is how far Options.Sampler is with a sampling request.
type Sample struct {
	Running bool
	Since   time.Time // since when; zero while it waits for another one to end
	Err     string    // why there is no draft of it, in words; "" for none
	// Text was written while the person typed something else: TakeSampleMsg puts
	// it in that one's place. "" for none.
	Text string

	n     uint64 // of the run
	over  Draft  // what it may replace: what was typed when it was asked for
	begun bool
	stop  context.CancelFunc
}

// sampled is what a command wrote.
type sampled struct {
	prompt task.PromptID
	n      uint64
	text   string
	err    error
}

// HasSampler reports whether a command of the person writes drafts for the
// questions of a server.
func (m *Model) HasSampler(server string) bool {
	l := m.byName[server]
	return l != nil && l.target.Sampler != nil
}

// CanSample returns "" where SampleMsg works on a prompt, else the reason why it
// does not.
func (m *Model) CanSample(id task.PromptID) string {
	switch a := m.asks[id]; {
	case a == nil || a.Prompt.Mode != task.SamplingMode || a.Prompt.Sampling == nil:
		return "the question asks for no text of a model"
	case m.byName[a.Server].target.ReadOnly:
		return m.byName[a.Server].readOnlyWhy()
	case !m.HasSampler(a.Server):
		return "no command was named that writes one (--sampling-command)"
	case a.State != Open:
		return "the question cannot be answered now"
	}
	return ""
}

// sample has the command of the person write a draft.
func (m *Model) sample(id task.PromptID) {
	if why := m.CanSample(id); why != "" {
		m.tell(true, "No draft is made: %s.", why)
		return
	}
	a := m.asks[id]
	if a.Sample.Running {
		m.tell(false, "The command is at it already.")
		return
	}
	m.samples++
	a.Sample = Sample{Running: true, n: m.samples, over: maps.Clone(m.drafts[id])}
	m.sampling = append(m.sampling, a)
	m.rev++
	m.nextSample()
}

// nextSample begins the commands that waited for others to end.
func (m *Model) nextSample() {
	for i, a := range m.sampling {
		if i >= samplesMost {
			return
		}
		if !a.Sample.begun {
			m.runSample(a)
		}
	}
}

func (m *Model) runSample(a *Ask) {
	ctx, stop := context.WithCancel(m.ctx)
	s := &a.Sample
	s.begun, s.Since, s.stop = true, m.now, stop
	n, sampler, params := sampled{prompt: a.Prompt.ID, n: s.n}, m.byName[a.Server].target.Sampler, json.RawMessage(a.Prompt.Sampling.Raw)
	m.rev++
	m.do(func() tea.Msg {
		defer stop()
		n.err = safely(func() (err error) { n.text, err = sampler(ctx, params); return err })
		return n
	})
}

// sampled takes in what a command wrote. It replaces nothing that was typed since
// it was asked for.
func (m *Model) sampled(n sampled) {
	a := m.asks[n.prompt]
	if a == nil || a.Sample.n != n.n || !a.Sample.Running {
		return
	}
	over := a.Sample.over
	m.endSample(a)
	text := strings.TrimRight(strings.ToValidUTF8(n.text, "\uFFFD"), "\r\n")
	switch {
	case n.err != nil:
		a.Sample.Err = task.CleanLine(asError(n.err).Message.Line(), 300).Line()
		m.tell(true, "No draft: %s.", strings.TrimSuffix(a.Sample.Err, "."))
	case text == "":
		a.Sample.Err = "the command wrote nothing"
		m.tell(true, "No draft: %s.", a.Sample.Err)
	case maps.Equal(m.drafts[n.prompt], over):
		m.putSample(a, text)
	default:
		a.Sample.Text = text
		m.tell(false, "The command has written a draft; what you typed meanwhile is left as it is.")
	}
}

// takeSample puts the text of the command in the place of what is typed.
func (m *Model) takeSample(id task.PromptID) {
	a := m.asks[id]
	if a == nil || a.Sample.Text == "" || a.State != Open {
		m.tell(true, "There is no draft of a command.")
		return
	}
	text := a.Sample.Text
	a.Sample.Text = ""
	m.putSample(a, text)
}

// putSample makes text what is typed; the name of the model stays.
func (m *Model) putSample(a *Ask, text string) {
	d := maps.Clone(m.drafts[a.Prompt.ID])
	if d == nil {
		d = Draft{}
		for i := range a.Prompt.Form.Fields {
			if f := &a.Prompt.Form.Fields[i]; f.Default != nil {
				d[f.Name] = f.Typed(f.Default)
			}
		}
	}
	delete(d, "") // the text of a JSON editor would hide it
	d[task.SampledText] = text
	m.setDraft(a, d, m.now)
	a.Offered++
	m.rev++
}

// stopSample ends a command on the person's word.
func (m *Model) stopSample(id task.PromptID) {
	if a := m.asks[id]; a != nil && a.Sample.Running {
		m.endSample(a)
		m.tell(false, "The command was stopped.")
	}
}

// endSample ends a command that runs, or its turn in the queue.
func (m *Model) endSample(a *Ask) {
	if !a.Sample.Running {
		return
	}
	if a.Sample.stop != nil {
		a.Sample.stop()
	}
	text := a.Sample.Text
	a.Sample = Sample{Text: text}
	for i, o := range m.sampling {
		if o == a {
			m.sampling = append(m.sampling[:i:i], m.sampling[i+1:]...)
			break
		}
	}
	m.rev++
	m.nextSample()
}
