package ui

import (
	"slices"
	"strings"

	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// watchTask follows a task that the person names: by its id, behind the name of
// its server where there are several.
func (r *Root) watchTask(text string) tea.Cmd {
	links := r.m.Links()
	server, id, two := strings.Cut(text, " ")
	known := slices.ContainsFunc(links, func(l model.LinkView) bool { return l.Name == server })
	switch {
	case text == "":
		r.fail("Which task? :watch ID follows it.")
		return nil
	case two && known:
		id = strings.TrimSpace(id)
	case len(links) == 1:
		server, id = links[0].Name, text
	case r.row().Server != "" && !two:
		server, id = r.row().Server, text
	default:
		r.fail("Whose task? :watch SERVER ID; servers are " + serverNames(links) + ".")
		return nil
	}
	key := task.Key{Server: server, ID: task.ID(id)}
	r.said = note{}
	cmd := r.m.Update(model.WatchMsg{Server: server, ID: key.ID})
	if row := r.m.Row(key); row != nil {
		r.at, r.onSide, r.side = atTasks, false, r.detail
		r.tasks.take(r.m, row.Key)
		r.watch(true)
		return cmd
	}
	if line, _, at := r.m.Notice(); line == "" || at.Before(r.now) {
		r.say("Asking " + task.CleanLine(server, 100).Line() + " for " + r.scene().shortID(key.ID.Text().Line(), 40) + ".")
	}
	r.sought = key
	return cmd
}

func serverNames(links []model.LinkView) string {
	var names []string
	for _, l := range links {
		names = append(names, task.CleanLine(l.Name, 100).Line())
	}
	return strings.Join(names, ", ")
}

// found puts the cursor onto the task that the person asked for by its id, as
// soon as it is there, unless a key is pressed first.
func (r *Root) found() {
	row := r.m.Row(r.sought)
	if row == nil || r.over != nil {
		return
	}
	r.sought = task.Key{}
	r.at, r.onSide, r.side = atTasks, false, r.detail
	r.tasks.take(r.m, row.Key)
	r.watch(true)
	r.say("Following " + r.scene().rowName(row) + ".")
}

// askForget takes the selected row away, and asks first where its task goes on.
func (r *Root) askForget() tea.Cmd {
	row := r.selectedRow()
	if row == nil {
		return nil
	}
	if why := r.m.CanForget(row.Key); why != "" {
		r.refuse(why)
		return nil
	}
	of := row.Key
	forget := func(r *Root) tea.Cmd { return r.m.Update(model.ForgetMsg{Key: of}) }
	if !row.Live() {
		return forget(r)
	}
	s := r.scene()
	lines := []string{
		"on " + task.CleanLine(of.Server, 100).Line() + ", " + s.statusOf(row).word + " " + lasting(s.since(row.Since.Time())) + ".", "",
		"The task is not cancelled: it goes on at the server, and callboard looks at it no more.",
		"Its id is all that leads back to it:", ":watch " + of.ID.Text().Line(),
	}
	if len(row.Asks) > 0 {
		lines = append(lines, "It asks something: nobody here will answer.")
	}
	r.over = &confirm{title: "Forget " + s.rowName(row) + "?", lines: lines, quote: s.cut(message(row), 300), yes: forget}
	return nil
}
