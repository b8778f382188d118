package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"callboard/model"
	"callboard/model/task"
)

// WatchModel prints what happens on the servers of m as lines, one an event, in
// the order in which it was learnt: time, server, status, task, and what else is
// known. It ends with ctx, when out takes no more, or with an *Exit when no server
// is connected and none is tried again by itself. It does not shut m down.
// With asJSON each line is an object.
func WatchModel(ctx context.Context, m *model.Model, out io.Writer, asJSON bool) error {
	w := newWatcher(m, out, asJSON)
	return run(ctx, m, func(now time.Time) error {
		if err := w.look(now); err != nil {
			return err
		}
		return hopeless(m.Links())
	})
}

// hopeless returns why nothing more can happen on any server before a person acts,
// nil where something can.
func hopeless(links []model.LinkView) error {
	for _, l := range links {
		if l.State != model.Down || !l.NextTry.IsZero() || l.Err == nil {
			return nil
		}
	}
	if len(links) == 0 {
		return nil
	}
	return failure("", links[0].Err)
}

func newWatcher(m *model.Model, out io.Writer, asJSON bool) *watcher {
	return &watcher{
		m: m, out: bufio.NewWriter(out), json: asJSON,
		rows: map[task.Key]*seenRow{}, asks: map[task.PromptID]seenAsk{}, links: map[string]string{},
	}
}

// watcher remembers what was printed.
type watcher struct {
	m      *model.Model
	out    *bufio.Writer
	json   bool
	only   task.Key // the row that matters, zero for all
	rows   map[task.Key]*seenRow
	asks   map[task.PromptID]seenAsk
	links  map[string]string
	notice time.Time
	passes uint64
	events []event
}

type seenRow struct {
	rev, pass uint64
	steps     int // printed, those that the model dropped included
	status    task.Status
	mark      model.Mark
	progress  time.Time // of the newest that was printed
}

type seenAsk struct {
	state model.AskState
	done  bool
	pass  uint64
}

// event is one thing that happened: a line, or with --json an object.
type event struct {
	At       time.Time    `json:"at"`
	Server   string       `json:"server,omitempty"`
	Event    string       `json:"event"`
	Word     string       `json:"word"`
	Task     string       `json:"task,omitempty"`
	Tool     string       `json:"tool,omitempty"`
	How      string       `json:"how,omitempty"`
	Text     string       `json:"text,omitempty"`
	Progress *progressDoc `json:"progress,omitempty"`
	Prompt   *promptDoc   `json:"prompt,omitempty"`

	key   task.Key // of the row it is about
	texts []string // what Text is made of, in columns
}

// progressEvery keeps a chatty task from hiding the others.
const progressEvery = time.Second

func (w *watcher) say(e event, texts ...string) {
	e.texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
	w.events = append(w.events, e)
}

// about is an event of a row.
func about(at time.Time, kind, word string, key task.Key) event {
	return event{At: at, Server: key.Server, Event: kind, Word: word, Task: string(key.ID), key: key}
}

// line is e as people read it.
func (e *event) line() string {
	parts := []string{e.At.Format(time.TimeOnly), cmp.Or(e.Server, "callboard"), fmt.Sprintf("%-14s", e.Word)}
	if !e.key.IsZero() {
		parts = append(parts, name(e.key))
	}
	parts = append(parts, e.Tool)
	if e.How != "" {
		parts = append(parts, "("+e.How+")")
	}
	parts = append(parts, e.texts...)
	return strings.TrimRight(strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "  "), " ")
}

// look prints what changed since the last look.
func (w *watcher) look(now time.Time) error {
	w.passes++
	w.lookAtLinks(now)
	if r := w.m.Row(w.only); r != nil {
		w.lookAtRow(r, now)
	}
	if w.only.IsZero() {
		board := w.m.Board()
		for i := range board.Len() {
			w.lookAtRow(board.At(i), now)
		}
	}
	w.lookAtAsks(now)
	w.forget()
	if text, bad, at := w.m.Notice(); text != "" && at.After(w.notice) {
		w.notice = at
		word := "note"
		if bad {
			word = "error"
		}
		w.say(event{At: at, Event: "note", Word: word}, text)
	}
	slices.SortStableFunc(w.events, func(a, b event) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	for _, e := range w.events {
		if !w.json {
			_, _ = w.out.WriteString(e.line() + "\n") // Flush tells the error
			continue
		}
		e.At, e.Text = e.At.UTC(), strings.Join(e.texts, "; ")
		if err := writeJSON(w.out, e, ""); err != nil {
			return err
		}
	}
	w.events = w.events[:0]
	return w.out.Flush()
}

// forget drops what is remembered of rows and prompts that the model dropped.
func (w *watcher) forget() {
	for key, seen := range w.rows {
		if seen.pass != w.passes {
			delete(w.rows, key)
		}
	}
	for id, seen := range w.asks {
		if seen.pass != w.passes {
			delete(w.asks, id)
		}
	}
}

var linkWords = [...]string{model.Connecting: "connecting", model.Live: "live", model.Quiet: "quiet", model.Down: "down"}

func (w *watcher) lookAtLinks(now time.Time) {
	for _, l := range w.m.Links() {
		parts := []string{l.URL, l.Why}
		if l.State == model.Down && l.Err != nil {
			parts = []string{l.Err.Tried.Line(), l.Err.Message.Line(), l.Err.Advice.Line()}
		}
		if l.SweepErr != "" && w.only.IsZero() {
			parts = append(parts, "no list of tasks: "+l.SweepErr)
		}
		key := linkWords[l.State] + strings.Join(parts, "\x00")
		if w.links[l.Name] == key {
			continue
		}
		w.links[l.Name] = key
		if l.State == model.Down {
			parts = append(parts, retryWords(l.NextTry, now))
		}
		w.say(event{At: now, Server: l.Name, Event: "link", Word: linkWords[l.State]}, parts...)
	}
}

// retryWords says when the next try is. Nobody can press r here.
func retryWords(at, now time.Time) string {
	switch wait := at.Sub(now); {
	case at.IsZero():
		return "no next try by itself"
	case wait <= time.Second:
		return "next try now"
	default:
		return "next try in " + wait.Round(time.Second).String()
	}
}

func (w *watcher) lookAtRow(r *model.Row, now time.Time) {
	seen, known := w.rows[r.Key]
	if !known {
		seen = &seenRow{}
		w.rows[r.Key] = seen
	}
	seen.pass = w.passes
	if known && seen.rev == r.Rev {
		return
	}
	seen.rev = r.Rev
	w.steps(r, seen)
	if r.Mark != seen.mark {
		seen.mark = r.Mark
		if word, why := markWords(r.Mark); word != "" {
			w.say(about(now, "mark", word, r.Key), why)
		}
	}
	if p := r.Progress; p != nil && p.At.Sub(seen.progress) >= progressEvery {
		seen.progress = p.At
		e := about(p.At, "progress", "progress", r.Key)
		e.Tool, e.Progress = r.Tool.Line(), &progressDoc{p.Done, p.Total, p.Message.String()}
		w.say(e, amount(*p), p.Message.Line())
	}
}

// steps prints the steps of the time line that were not printed yet.
func (w *watcher) steps(r *model.Row, seen *seenRow) {
	steps := r.Steps()
	total := int(r.Dropped) + len(steps)
	moved := func(at time.Time, status task.Status, how string, message task.Text) {
		e := about(at, "status", word(status), r.Key)
		e.Tool, e.How = r.Tool.Line(), how
		w.say(e, message.Line())
	}
	if total == 0 && seen.status != r.Task.Status { // a row without a time line: a plain call
		moved(r.Since.Time(), r.Task.Status, "", r.Task.Message)
	}
	seen.status = r.Task.Status
	if missed := int(r.Dropped) - seen.steps; missed > 0 && seen.steps > 0 {
		w.say(about(steps[0].At, "note", "note", r.Key), fmt.Sprintf("%d changes were too fast to be shown", missed))
	}
	for _, s := range steps[max(0, min(seen.steps-int(r.Dropped), len(steps))):] {
		if s.Kind != task.Told { // links and marks have lines of their own
			continue
		}
		how := s.How.String()
		switch {
		case s.Late:
			how += ", after its end"
		case s.Gap:
			how += ", after a gap"
		}
		moved(s.At, s.Status, how, s.Message)
	}
	seen.steps = total
}

func (w *watcher) lookAtAsks(now time.Time) {
	inbox := w.m.Inbox()
	for i, a := range inbox {
		if !w.only.IsZero() && a.Row != w.only {
			continue
		}
		id := a.Prompt.ID
		seen, known := w.asks[id]
		next := seenAsk{state: a.State, done: a.Done, pass: w.passes}
		w.asks[id] = next
		e := event{At: now, Server: a.Server, Event: "prompt", Word: "asks", Task: string(a.Prompt.Task)}
		who := "server's own"
		if a.Prompt.Task != "" {
			who = a.Prompt.Task.Text().Line()
		}
		switch {
		case !known && a.State != model.Withdrawn:
			e.At, e.Prompt = a.Prompt.At, &newPromptDocs(inbox[i : i+1])[0]
			w.say(e, who, a.Prompt.Message.Line(), question(a.Prompt))
		case a.State != seen.state && a.State == model.Withdrawn:
			e.Event, e.Word = "withdrawn", "withdrawn"
			w.say(e, who, a.Prompt.Message.Line(), a.Why)
		case a.Done != seen.done:
			e.Event, e.Word = "done", "done"
			w.say(e, who, "the page of the prompt is complete")
		}
	}
}

// question says what kind of answer a prompt wants.
func question(p task.Prompt) string {
	if p.Mode == task.URLMode {
		return "(visit " + task.CleanLine(p.URL, 4096).Line() + ")"
	}
	var names []string
	for _, f := range p.Form.Fields {
		names = append(names, task.CleanLine(f.Name, 80).Line())
	}
	fields := "fields: " + strings.Join(names, ", ")
	if p.Mode == task.SamplingMode {
		fields = "a reply in place of a model; " + fields
	}
	return "(" + fields + ")"
}

// name is how a row is called: a task by its whole id, so that it can be copied.
func name(k task.Key) string {
	if k.ID != "" {
		return k.ID.Text().Line()
	}
	return "call"
}

// word is the dashboard's word for a status.
func word(s task.Status) string {
	if s == task.InputRequired {
		return "asking"
	}
	return s.String()
}

func markWords(m model.Mark) (word, why string) {
	switch m {
	case model.Expired:
		return "expired", "its ttl ran out and the server forgot it"
	case model.Gone:
		return "gone", "the server does not know it any more"
	case model.PushOnly:
		return "push only", "the server tells of it, but answers nothing about it"
	case model.UnknownOutcome:
		return "unknown", "the link, or callboard, ended before the reply came: nobody knows what became of the call"
	case model.NotOurs:
		return "not ours", "other credentials made it; it is not asked for"
	case model.NoMark:
	}
	return "", ""
}

func amount(p task.Progress) string {
	if p.Total > 0 {
		return fmt.Sprintf("%g of %g", p.Done, p.Total)
	}
	return fmt.Sprintf("%g", p.Done)
}
