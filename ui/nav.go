package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// refresh asks all servers now, for their tools too where these are shown.
func (r *Root) refresh() tea.Cmd {
	r.say("Asking all servers now.")
	cmd := r.m.Update(model.RefreshMsg{})
	if r.at == atTools {
		cmd = tea.Batch(cmd, r.listTools())
	}
	return cmd
}

// visit shows a place; the key of the place that is shown leads back.
func (r *Root) visit(to place) {
	if r.at == to {
		r.leave()
		return
	}
	if r.at == atTasks || r.at == atInbox {
		r.back = r.at
	}
	if to == atInbox {
		r.back = atTasks
	}
	r.at, r.onSide, r.side = to, false, r.detail
}

// leave goes one step back. It never quits, cancels or declines.
func (r *Root) leave() tea.Cmd {
	switch {
	case r.hasSide() && r.onSide && r.side == r.result && r.result.fromDetail:
		r.side = r.detail
	case r.hasSide() && (r.onSide || r.side == r.result):
		r.side, r.onSide = r.detail, false
	case r.at == atHelp:
		r.closeHelp()
	case r.at == atInbox:
		r.at = atTasks
	case r.at != atTasks:
		r.at, r.back = r.back, atTasks
	case r.m.Board().Filter() != "":
		return r.m.Update(model.FilterMsg{})
	default:
		r.say("There is nothing to go back to. " + r.k.Everywhere.Quit.Help().Key + " quits.")
	}
	return nil
}

func (r *Root) otherPane() {
	if !r.hasSide() {
		r.say("There is one pane here. " + r.k.Everywhere.Back.Help().Key + " leads back.")
		return
	}
	r.onSide = !r.onSide
}

// quit ends the program.
func (r *Root) quit() tea.Cmd {
	r.Close()
	return tea.Quit
}

// askQuit quits, but asks once where something was typed and not sent, and says
// what becomes of it.
func (r *Root) askQuit() tea.Cmd {
	unsent := r.unsent()
	n := len(unsent)
	if n == 0 {
		return r.quit()
	}
	lost, kept := r.m.Unsent(), r.m.KeptUnsent()
	words := count(n, "form holds", "forms hold") + " something that was typed and not sent. "
	switch {
	case kept == 0:
		words += "Quitting loses it."
	case lost == 0:
		words += "It is kept for 7 days, and filled in where the same is asked again."
	default:
		words += fmt.Sprintf("Quitting loses %d of them, the rest is kept for 7 days.", lost)
		for i := range unsent {
			if unsent[i].lost {
				unsent[i].name += " (lost)"
			}
		}
	}
	var names []string
	const most = 6
	for i, u := range unsent {
		if i == most-1 && n > most {
			names = append(names, fmt.Sprintf("and %d more", n-i))
			break
		}
		names = append(names, r.t.Glyphs.Bullet+" "+u.name)
	}
	e := &r.k.Everywhere
	r.over = &confirm{
		title: "Quit?",
		lines: slices.Concat([]string{words, ""}, names, []string{
			"", "Questions are in the inbox (" + e.Inbox.Help().Key + "), calls with their tools (" + e.New.Help().Key + ").",
		}),
		yes: func(r *Root) tea.Cmd { return r.quit() },
	}
	return nil
}

// unsentForm is a form that holds something that was typed and not sent.
type unsentForm struct {
	name string
	lost bool // quitting loses it, or part of it
}

// unsent names the forms that hold something that was typed and not sent, those
// first that quitting loses.
func (r *Root) unsent() []unsentForm {
	s := r.scene()
	var all []unsentForm
	for _, a := range r.m.Inbox() {
		held := a.State == model.Held
		d := r.m.Draft(a.Prompt.ID)
		if a.State == model.Answered || !held && d == nil {
			continue
		}
		name := s.asker(a) + `: "` + s.cut(a.Prompt.Message.Line(), 60) + `"`
		switch {
		case held:
			name += ", an answer that is held"
		case a.State == model.Withdrawn:
			name += ", withdrawn"
		}
		all = append(all, unsentForm{name, held || a.Prompt.Mode == task.URLMode || !r.m.KeepsAll(a.Server, &a.Prompt.Form, d)})
	}
	calls := slices.SortedFunc(maps.Keys(r.forms), func(a, b callForm) int {
		return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.tool, b.tool), cmp.Compare(a.like, b.like))
	})
	for _, of := range calls {
		d := r.m.CallDraft(of.server, of.tool, of.like)
		if d == nil {
			continue
		}
		name := "the call of " + task.CleanLine(of.tool, 60).Line() + " on " + task.CleanLine(of.server, 60).Line()
		lost := true
		if t := r.tool(of.server, of.tool); t != nil {
			lost = !r.m.KeepsAll(of.server, &t.Input, d)
		}
		all = append(all, unsentForm{name, lost})
	}
	slices.SortStableFunc(all, func(a, b unsentForm) int {
		switch {
		case a.lost == b.lost:
			return 0
		case a.lost:
			return -1
		}
		return 1
	})
	return all
}

func (r *Root) suspend() tea.Cmd {
	if r.o.Suspend == nil {
		r.say("Suspending is not possible here.")
		return nil
	}
	return r.o.Suspend
}
