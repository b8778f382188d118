package ui

import (
	"cmp"
	"fmt"
	"slices"

	"callboard/model"
	"callboard/model/task"
	"callboard/ui/form"

	tea "github.com/charmbracelet/bubbletea"
)

// A task may ask several things at once (2026-07-28, "inputRequests"); so may a
// call. Their questions stand together in the inbox, and one form leads to the
// next.

// among returns the questions of a's row that are to be answered together, as
// they came: those that wait, and those that were answered while a waited.
func among(m *model.Model, a *model.Ask) []*model.Ask {
	if a.Row.IsZero() {
		return []*model.Ask{a}
	}
	var all []*model.Ask
	for _, o := range m.Inbox() {
		answered := o.State == model.Answered && o.Wish != nil && !o.Wish.At.Before(a.Since)
		if o == a || o.Row == a.Row && (unanswered(o) || o.State == model.Answering || o.State == model.Held || answered) {
			all = append(all, o)
		}
	}
	slices.SortStableFunc(all, func(a, b *model.Ask) int {
		return cameBefore(a, b)
	})
	return all
}

// cameBefore orders questions as they came, those of one message by their names.
func cameBefore(a, b *model.Ask) int {
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Prompt.Key, b.Prompt.Key), cmp.Compare(a.Prompt.ID, b.Prompt.ID))
}

// unanswered reports whether a waits for the person.
func unanswered(a *model.Ask) bool { return a.State == model.Open && a.Opened.IsZero() }

// placeOf returns where a stands among the questions of its row.
func placeOf(m *model.Model, a *model.Ask) form.Place {
	all := among(m, a)
	p := form.Place{Number: slices.Index(all, a) + 1, Of: len(all)}
	for _, o := range all {
		switch {
		case o == a:
		case unanswered(o):
			p.Others++
		case o.State == model.Held:
			p.Held++
		}
	}
	return p
}

// beside returns the next question that is not closed, by steps of 1 or -1, nil
// where a is the only one. open: that waits for the person.
func beside(m *model.Model, a *model.Ask, by int, open bool) *model.Ask {
	all := among(m, a)
	at := slices.Index(all, a)
	for i := 1; i < len(all); i++ {
		o := all[(at+by*i+len(all)*i)%len(all)]
		if unanswered(o) || !open && (o.State == model.Open || o.State == model.Held) {
			return o
		}
	}
	return nil
}

// step leaves the form for another question of its task.
func (f *formOverlay) step(r *Root, by int) tea.Cmd {
	a := r.m.Ask(f.ask)
	if a == nil {
		return nil
	}
	next := beside(r.m, a, by, false)
	if next == nil {
		r.say("The other questions of this task were answered.")
		return nil
	}
	return r.openAsk(next.Prompt.ID)
}

// goOn opens the next question of the task whose question was just answered,
// held, or put aside: they are asked together. It reports whether there is one.
func (r *Root) goOn(from *model.Ask, done string) (tea.Cmd, bool) {
	next := beside(r.m, from, 1, true)
	if next == nil {
		return nil, false
	}
	cmd := r.openAsk(next.Prompt.ID)
	if r.at == atInbox {
		r.inbox.at = next.Prompt.ID
	}
	p := placeOf(r.m, next)
	r.say(fmt.Sprintf("%s Question %d of %d is next.", done, p.Number, p.Of))
	return cmd, true
}

// grouped puts the questions of one row behind the first of them.
func grouped(asks []*model.Ask) []*model.Ask {
	first := map[task.Key]int{}
	for i, a := range asks {
		if _, ok := first[a.Row]; !ok {
			first[a.Row] = i
		}
	}
	if len(first) == len(asks) {
		return asks
	}
	place := func(a *model.Ask, i int) int {
		if a.Row.IsZero() || a.State == model.Answered || a.State == model.Withdrawn {
			return i
		}
		return first[a.Row]
	}
	places := make(map[*model.Ask]int, len(asks))
	for i, a := range asks {
		places[a] = place(a, i)
	}
	slices.SortStableFunc(asks, func(a, b *model.Ask) int {
		if places[a] == places[b] && !a.Row.IsZero() {
			return cameBefore(a, b)
		}
		return cmp.Compare(places[a], places[b])
	})
	return asks
}

// heldWords says what a held answer waits for.
func heldWords(m *model.Model, a *model.Ask) string {
	n := placeOf(m, a).Others
	switch n {
	case 0:
		return oneLine(a.Why)
	case 1:
		return "1 more answer before it goes out"
	}
	return fmt.Sprintf("%d more answers before it goes out", n)
}
