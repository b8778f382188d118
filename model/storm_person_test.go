package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// person is who answers. What they do with a question hangs on its text, which
// they know it by.
type person struct {
	dice dice
	pace time.Duration
	plan map[string]*intention
	sent map[string]int // texts: how often an answer was given, or sent again
	did  map[string]int // counts, for the summary
	// willing: whatever is asked is answered at once, until it is taken.
	willing bool
	// again starts act n once more, after a visit without which it was refused.
	again func(st *stage, w *stormWire, n int)
	typed map[string]bool // texts: into whose form something was typed
	wrong []string
}

// intention is what a person means to do about a question.
type intention struct {
	due    time.Time
	what   string
	hold   bool
	tries  int
	typed  string
	nextAt time.Time // of sending it again
}

func newPerson(d dice, pace time.Duration) *person {
	return &person{dice: d, pace: pace, plan: map[string]*intention{}, sent: map[string]int{}, typed: map[string]bool{}, did: map[string]int{}}
}

// What a person does with a question.
const (
	answers   = "answer"
	declines  = "decline"
	dismisses = "dismiss"
	types     = "type and leave"
	ignores   = "ignore"
	cancels   = "cancel"
)

func (p *person) intends(text string, now time.Time) *intention {
	i := p.plan[text]
	if i == nil {
		r := p.dice.of("person "+text, 0)
		i = &intention{
			due:  now.Add(between(r, p.pace/5, 15*p.pace)),
			what: []string{answers, answers, answers, answers, answers, declines, dismisses, types, ignores, cancels}[r.IntN(10)],
			hold: r.IntN(6) == 0, tries: r.IntN(4), typed: "typed for " + text,
		}
		p.plan[text] = i
	}
	return i
}

// lookAt goes through the inbox once.
func (p *person) lookAt(st *stage, w *stormWire) {
	now := time.Now()
	for _, a := range st.Inbox() {
		text := a.Prompt.Message.String()
		i := p.intends(text, now)
		if p.willing && (i.what == types || i.what == ignores || i.what == cancels) {
			i.what, i.due = answers, now
		}
		if p.willing {
			i.tries, i.hold = 1, false
		}
		p.finds(st, a, i)
		if p.willing && a.State == Held && a.holder == byModel && waitsFor(st.Row(a.Row), a) == 0 {
			w.tell("person: sends what is held, " + i.typed)
			p.reply(st, w, a, i)
			continue
		}
		if a.State != Open || now.Before(i.due) {
			continue
		}
		switch {
		case a.Wish != nil && (a.Wish.State == WishFailed || a.Wish.State == WishUnknown):
			p.sends(st, w, a, i)
		case a.Wish != nil && a.Wish.State == Sending:
		default:
			p.act(st, w, a, i)
		}
	}
	if l := st.Links()[0]; l.State == Down && l.NextTry.IsZero() && now.Sub(l.Since) > 5*p.pace {
		p.did["refresh"]++
		w.tell("person: r")
		p.does(st, RefreshMsg{})
	}
}

// finds looks whether what was typed is still there, where nothing else became of
// it.
func (p *person) finds(st *stage, a *Ask, i *intention) {
	text := a.Prompt.Message.String()
	if a.State != Open || !p.typed[text] || p.sent[text] > 0 && (a.Wish == nil || a.Wish.State != WishFailed) {
		return
	}
	if d := st.Draft(a.Prompt.ID); d[fieldOf(a)] != i.typed {
		p.wrong = append(p.wrong, fmt.Sprintf("%s has the draft %q in its form, %q was typed (%s, task %s)", text, d[fieldOf(a)], i.typed, wishOf(a), a.Prompt.Task))
		delete(p.typed, text)
	}
}

// fieldOf is the field into which the person types.
func fieldOf(a *Ask) string {
	if a.Prompt.Mode == task.SamplingMode {
		return task.SampledText
	}
	return "v"
}

// types types something into a form, not all at once.
func (p *person) types(st *stage, a *Ask, i *intention) {
	for _, n := range []int{1, len(i.typed) / 2, len(i.typed)} {
		st.SaveDraft(a.Prompt.ID, Draft{fieldOf(a): i.typed[:n]})
	}
	p.typed[a.Prompt.Message.String()] = true
}

// sends sends what failed, as often as the person likes to.
func (p *person) sends(st *stage, w *stormWire, a *Ask, i *intention) {
	now := time.Now()
	if i.tries == 0 || now.Before(i.nextAt) {
		return
	}
	i.tries--
	i.nextAt = now.Add(3 * p.pace)
	p.did["R"]++
	w.tell("person: R " + i.typed)
	if a.Row.IsZero() {
		p.reply(st, w, a, i)
		return
	}
	p.does(st, RetryMsg{a.Row})
}

// does lets the person do something, and counts the answers that go out by it.
func (p *person) does(st *stage, msg tea.Msg) {
	open := map[*Ask]bool{}
	for _, a := range st.askOrder {
		if a.State == Open {
			open[a] = true
		}
	}
	cmd := st.Update(msg)
	for _, a := range st.askOrder {
		if open[a] && (a.State == Answering || a.State == Held) {
			p.sent[a.Prompt.Message.String()]++
		}
	}
	st.run(cmd)
	st.settle()
}

func (p *person) act(st *stage, w *stormWire, a *Ask, i *intention) {
	if i.what == declines || i.what == dismisses {
		if why := st.CanRefuse(a.Prompt.ID); why != "" {
			i.what = ignores
		}
	}
	w.tell("person: " + i.what + " " + i.typed)
	switch i.what {
	case types:
		if st.Draft(a.Prompt.ID) == nil && a.Prompt.Mode != task.URLMode {
			p.did[i.what]++
			p.types(st, a, i)
		}
		i.due = time.Now().Add(time.Hour)
		return
	case ignores:
		p.did[i.what]++
		i.due = time.Now().Add(time.Hour)
		return
	case cancels:
		p.did[i.what]++
		i.due = time.Now().Add(5 * p.pace)
		if r := st.Row(a.Row); r != nil {
			p.does(st, CancelMsg{r.Key})
		}
		return
	}
	p.did[i.what]++
	p.reply(st, w, a, i)
	i.due = time.Now().Add(2 * p.pace)
}

func (p *person) reply(st *stage, w *stormWire, a *Ask, i *intention) {
	reply := task.Reply{Prompt: a.Prompt.ID, Action: task.Accept}
	switch i.what {
	case declines:
		reply.Action = task.Decline
	case dismisses:
		reply.Action = task.Dismiss
	default:
		if a.Prompt.Mode == task.URLMode {
			p.does(st, OpenedMsg{a.Prompt.ID})
			if a.Prompt.Visit {
				p.again(st, w, number(a.Prompt.Message.String()))
			}
			return
		}
		p.types(st, a, i)
		reply.Content = fmt.Appendf(nil, `{%q:%q}`, fieldOf(a), i.typed)
	}
	p.does(st, AnswerMsg{Server: "ops", Reply: reply, Hold: i.hold})
}

// tally is counts in the order of their names.
func tally(counts map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%s %d", k, counts[k]))
	}
	return strings.Join(out, ", ")
}
