package ui

import (
	"callboard/model"

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
	n := r.m.Unsent() + len(r.forms)
	if n == 0 {
		return r.quit()
	}
	e := &r.k.Everywhere
	r.over = &confirm{
		title: "Quit?",
		lines: []string{
			count(n, "form holds", "forms hold") + " something that was typed and not sent. Quitting loses it.", "",
			"Questions are in the inbox (" + e.Inbox.Help().Key + "), calls with their tools (" + e.New.Help().Key + ").",
		},
		yes: func(r *Root) tea.Cmd { return r.quit() },
	}
	return nil
}

func (r *Root) suspend() tea.Cmd {
	if r.o.Suspend == nil {
		r.say("Suspending is not possible here.")
		return nil
	}
	return r.o.Suspend
}
