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
	if to == atLog {
		r.log.entered()
	}
	r.at, r.onSide, r.side = to, false, r.detail
}

// leave goes one step back. It never quits, cancels or declines.
func (r *Root) leave() tea.Cmd {
	switch {
	case r.zoom && r.hasSide() && !(r.onSide && r.side == r.result):
		r.zoom = false
	case r.diffShown() != nil:
		r.endDiff()
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

// zoomIn gives the pane that has the keys all the room, or takes it back.
func (r *Root) zoomIn() {
	_, shown := r.sideSize()
	switch {
	case !r.hasSide():
		r.say("The pane has all the room already. " + r.k.Everywhere.Back.Help().Key + " leads back.")
	case r.onSide && r.side == r.result:
		r.say("A result has all the room already. " + r.k.Everywhere.NextPane.Help().Key + " shows it beside the tasks.")
	case !r.zoom && shown:
		r.zoom = true
		r.say(r.k.Everywhere.Zoom.Help().Key + " or " + r.k.Everywhere.Back.Help().Key + " shows both panes again.")
	case !r.zoom:
		r.say("The screen has room for one pane at a time. " + r.k.Everywhere.NextPane.Help().Key + " shows the other.")
	default:
		r.zoom = false
	}
}

// sideSize returns how many columns or lines the side pane has where both panes are
// to be seen; false where they are not.
func (r *Root) sideSize() (int, bool) {
	w := r.wishes()
	w.zoom = false
	b := arrange(r.width, r.height, 1, w)
	switch {
	case b.main.w == 0 || b.side.w == 0:
		return 0, false
	case b.side.x > 0:
		return b.side.w, true
	}
	return b.side.h, true
}

// widen makes the side pane larger by some percent of the screen, or smaller, and
// keeps that.
func (r *Root) widen(by int) tea.Cmd {
	was, shown := r.sideSize()
	if shown && (r.zoom || r.onSide && r.side == r.result) {
		r.say("One pane has all the room. " + r.k.Everywhere.Back.Help().Key + " shows both.")
		return nil
	}
	if !shown {
		r.say("There is no side pane to be seen beside another.")
		return nil
	}
	before := r.taste.Side
	step := r.share() / shareStep * shareStep
	if by < 0 && step < r.share() {
		step += shareStep // the step below comes next
	}
	for step += by; step >= leastShare && step <= mostShare; step += by {
		r.taste.Side = step
		if now, _ := r.sideSize(); now != was { // a step may be less than a line
			return r.keepTaste()
		}
	}
	r.taste.Side = before
	r.say(map[bool]string{true: "The other pane would get too small.", false: "The side pane is as small as it gets."}[by > 0])
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
// what becomes of it; or where the cancel of many is under way.
func (r *Root) askQuit() tea.Cmd {
	lines := r.cancelsLeft()
	if unsent := r.unsent(); len(unsent) > 0 {
		if lines != nil {
			lines = append(lines, "")
		}
		lines = append(lines, r.unsentWords(unsent)...)
	}
	if lines == nil {
		return r.quit()
	}
	r.over = &confirm{title: "Quit?", lines: lines, yes: func(r *Root) tea.Cmd { return r.quit() }}
	return nil
}

// cancelsLeft says that a cancel of many is under way, nil where none is.
func (r *Root) cancelsLeft() []string {
	b := r.m.Bulk()
	if b == nil || !b.Running || b.Left() == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Many are being cancelled, %d of %d have no outcome yet. Quitting sends no further cancel.", b.Left(), b.Total)}
}

// unsentWords says what was typed and not sent, and what becomes of it.
func (r *Root) unsentWords(unsent []unsentForm) []string {
	n := len(unsent)
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
	return slices.Concat([]string{words, ""}, names, []string{
		"", "Questions are in the inbox (" + e.Inbox.Help().Key + "), calls with their tools (" + e.New.Help().Key + ").",
	})
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
		name := s.asker(a, 60) + `: "` + s.cut(a.Prompt.Message.Line(), 60) + `"`
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
