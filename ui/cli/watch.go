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
// known. It ends with ctx, or when out takes no more. It does not shut m down.
func WatchModel(ctx context.Context, m *model.Model, out io.Writer) error {
	w := &watcher{m: m, out: bufio.NewWriter(out), rows: map[task.Key]*seenRow{}, asks: map[task.PromptID]seenAsk{}, links: map[string]string{}}
	return run(ctx, m, w.look)
}

// watcher remembers what was printed.
type watcher struct {
	m      *model.Model
	out    *bufio.Writer
	rows   map[task.Key]*seenRow
	asks   map[task.PromptID]seenAsk
	links  map[string]string
	notice time.Time
	passes uint64
	lines  []line
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

// line is one event, before it is printed in order.
type line struct {
	at   time.Time
	text string
}

// progressEvery keeps a chatty task from hiding the others.
const progressEvery = time.Second

func (w *watcher) say(at time.Time, server, word, what string, more ...string) {
	text := fmt.Sprintf("%s  %s  %-14s", at.Format(time.TimeOnly), server, word)
	for _, part := range append([]string{what}, more...) {
		if part != "" {
			text += "  " + part
		}
	}
	w.lines = append(w.lines, line{at, strings.TrimRight(text, " ")})
}

// look prints what changed since the last look.
func (w *watcher) look(now time.Time) error {
	w.passes++
	w.lookAtLinks(now)
	board := w.m.Board()
	for i := range board.Len() {
		w.lookAtRow(board.At(i), now)
	}
	w.lookAtAsks(now)
	w.forget()
	if text, bad, at := w.m.Notice(); text != "" && at.After(w.notice) {
		w.notice = at
		word := "note"
		if bad {
			word = "error"
		}
		w.say(at, "callboard", word, text)
	}
	slices.SortStableFunc(w.lines, func(a, b line) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	for _, l := range w.lines {
		_, _ = w.out.WriteString(l.text + "\n") // Flush tells the error
	}
	w.lines = w.lines[:0]
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
		if l.SweepErr != "" {
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
		w.say(now, l.Name, linkWords[l.State], parts[0], parts[1:]...)
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
			w.say(now, r.Key.Server, word, name(r.Key), why)
		}
	}
	if p := r.Progress; p != nil && p.At.Sub(seen.progress) >= progressEvery {
		seen.progress = p.At
		w.say(p.At, r.Key.Server, "progress", name(r.Key), r.Tool.Line(), amount(*p), p.Message.Line())
	}
}

// steps prints the steps of the time line that were not printed yet.
func (w *watcher) steps(r *model.Row, seen *seenRow) {
	total := r.Dropped + len(r.Steps)
	if total == 0 && seen.status != r.Task.Status { // a row without a time line: a plain call
		w.say(r.Since, r.Key.Server, word(r.Task.Status), name(r.Key), r.Tool.Line(), r.Task.Message.Line())
	}
	seen.status = r.Task.Status
	if missed := r.Dropped - seen.steps; missed > 0 && seen.steps > 0 {
		w.say(r.Steps[0].At, r.Key.Server, "note", name(r.Key), fmt.Sprintf("%d changes were too fast to be shown", missed))
	}
	for _, s := range r.Steps[max(0, min(seen.steps-r.Dropped, len(r.Steps))):] {
		how := s.How.String()
		switch {
		case s.Late:
			how += ", after its end"
		case s.Gap:
			how += ", after a gap"
		}
		if how != "" {
			how = "(" + how + ")"
		}
		w.say(s.At, r.Key.Server, word(s.Status), name(r.Key), r.Tool.Line(), how, s.Message.Line())
	}
	seen.steps = total
}

func (w *watcher) lookAtAsks(now time.Time) {
	for _, a := range w.m.Inbox() {
		id := a.Prompt.ID
		seen, known := w.asks[id]
		next := seenAsk{state: a.State, done: a.Done, pass: w.passes}
		w.asks[id] = next
		who := "server's own"
		if a.Prompt.Task != "" {
			who = a.Prompt.Task.Text().Line()
		}
		switch {
		case !known && a.State != model.Withdrawn:
			w.say(a.Prompt.At, a.Server, "asks", who, a.Prompt.Message.Line(), question(a.Prompt))
		case a.State != seen.state && a.State == model.Withdrawn:
			w.say(now, a.Server, "withdrawn", who, a.Prompt.Message.Line(), a.Why)
		case a.Done != seen.done:
			w.say(now, a.Server, "done", who, "the page of the prompt is complete")
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
	return "(fields: " + strings.Join(names, ", ") + ")"
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
		return "unknown", "the link broke before the reply: nobody knows what became of the call"
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
