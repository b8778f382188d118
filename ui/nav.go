package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// askQuit quits, but asks once where something that was typed would be lost.
func (r *Root) askQuit() tea.Cmd {
	unsent := r.unsent()
	n := len(unsent)
	if n == 0 {
		return r.quit()
	}
	e := &r.k.Everywhere
	const most = 6
	if n > most {
		unsent = append(unsent[:most-1], fmt.Sprintf("and %d more", n-most+1))
	}
	r.over = &confirm{
		title: "Quit?",
		lines: slices.Concat([]string{
			count(n, "form holds", "forms hold") + " something that was typed and not sent. Quitting loses it.", "",
		}, unsent, []string{
			"", "Questions are in the inbox (" + e.Inbox.Help().Key + "), calls with their tools (" + e.New.Help().Key + ").",
		}),
		yes: func(r *Root) tea.Cmd { return r.quit() },
	}
	return nil
}

// unsent names the forms that hold something that was typed and not sent.
func (r *Root) unsent() []string {
	s := r.scene()
	var names []string
	for _, a := range r.m.Inbox() {
		held := a.State == model.Held
		if a.State == model.Answered || !held && r.m.Draft(a.Prompt.ID) == nil {
			continue
		}
		name := s.asker(a) + `: "` + s.cut(a.Prompt.Message.Line(), 60) + `"`
		switch {
		case held:
			name += ", an answer that is held"
		case a.State == model.Withdrawn:
			name += ", withdrawn"
		}
		names = append(names, s.t.Glyphs.Bullet+" "+name)
	}
	calls := slices.Sorted(maps.Keys(r.forms))
	for _, kept := range calls {
		part := strings.Split(kept, "\x00")
		names = append(names, s.t.Glyphs.Bullet+" the call of "+task.CleanLine(part[1], 60).Line()+" on "+task.CleanLine(part[0], 60).Line())
	}
	return names
}

func (r *Root) suspend() tea.Cmd {
	if r.o.Suspend == nil {
		r.say("Suspending is not possible here.")
		return nil
	}
	return r.o.Suspend
}
