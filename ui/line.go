package ui

import (
	"slices"
	"strings"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// lineOverlay is the command line, in the place of the footer.
type lineOverlay struct {
	input textinput.Model
	at    int // in the history; its length for the line being typed
}

// openCommand opens the command line.
func (r *Root) openCommand() {
	r.over = &lineOverlay{input: r.textLine(" : ", ""), at: len(r.taste.Commands)}
}

func (l *lineOverlay) typing() bool { return true }

func (l *lineOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	keys := &r.k.Line
	switch {
	case !ok:
	case key.Matches(k, keys.Leave):
		r.over = nil
		return nil
	case key.Matches(k, keys.Accept):
		r.over = nil
		return l.accept(r)
	case key.Matches(k, keys.Complete):
		l.complete(r)
		return nil
	case key.Matches(k, keys.Older):
		l.recall(r, -1)
		return nil
	case key.Matches(k, keys.Newer):
		l.recall(r, 1)
		return nil
	}
	var cmd tea.Cmd
	l.input, cmd = l.input.Update(msg)
	return cmd
}

func (l *lineOverlay) set(text string) {
	l.input.SetValue(text)
	l.input.CursorEnd()
}

// recall steps through what was entered before.
func (l *lineOverlay) recall(r *Root, step int) {
	at, history := l.at+step, r.taste.Commands
	switch {
	case at < 0:
		r.say("There is nothing older.")
	case at >= len(history):
		l.at = len(history)
		l.set("")
	default:
		l.at = at
		l.set(history[at])
	}
}

// complete completes a command, or says which there are.
func (l *lineOverlay) complete(r *Root) {
	typed := strings.TrimLeft(l.input.Value(), " ")
	if rest, ok := strings.CutPrefix(typed, "watch "); ok {
		l.completeServer(r, strings.TrimSpace(rest))
		return
	}
	var found []string
	for _, c := range commands {
		if strings.HasPrefix(c.name, typed) {
			found = append(found, c.name)
		}
	}
	switch {
	case len(found) == 1 && found[0] == "watch":
		l.set("watch ")
	case len(found) == 1:
		l.set(found[0])
	case len(found) > 1 && typed != "":
		r.say("Commands: :" + strings.Join(found, " :"))
	default:
		r.say("Commands: " + commandNames())
	}
}

// completeServer completes the server of :watch, where there are several.
func (l *lineOverlay) completeServer(r *Root, typed string) {
	var found []string
	for _, s := range r.m.Links() {
		if strings.HasPrefix(s.Name, typed) {
			found = append(found, s.Name)
		}
	}
	switch {
	case len(r.m.Links()) < 2:
		r.say("The id of the task stands here.")
	case len(found) == 1:
		l.set("watch " + found[0] + " ")
	case len(found) == 0:
		r.say("The id of the task stands here, or a server and the id.")
	default:
		r.say("Servers: " + task.CleanLine(strings.Join(found, " "), 400).Line())
	}
}

func (l *lineOverlay) accept(r *Root) tea.Cmd {
	text := strings.TrimSpace(l.input.Value())
	var kept tea.Cmd
	if remember(&r.taste.Commands, text) {
		kept = r.keepTaste()
	}
	return tea.Batch(kept, r.run(text))
}

func (l *lineOverlay) draw(*Root, *scene, []string) {}

func (l *lineOverlay) foot(r *Root, s *scene) string {
	l.input.Width = max(r.width-width(l.input.Prompt)-2, 1)
	return l.input.View()
}

// commands are what the command line knows.
var commands = []struct{ name, help string }{
	{"q", "quit"},
	{"refresh", "ask all servers now"},
	{"force", "try once what the server did not declare: cancel of the selected task, else the list of tasks"},
	{"watch", "ID, or SERVER ID: follow a task that somebody else started"},
	{"forget", "take the selected row away; its task is not cancelled"},
}

func commandNames() string {
	var names []string
	for _, c := range commands {
		names = append(names, ":"+c.name)
	}
	return strings.Join(names, " ")
}

// run carries out a command.
func (r *Root) run(text string) tea.Cmd {
	name, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	if name == "watch" {
		return r.watchTask(rest)
	}
	switch text {
	case "":
		return nil
	case "q", "quit":
		return r.askQuit()
	case "refresh":
		return r.refresh()
	case "force":
		return r.force()
	case "forget":
		return r.askForget()
	}
	if slices.ContainsFunc(commands, func(c struct{ name, help string }) bool { return c.name == name }) {
		r.fail(":" + name + " takes nothing behind it.")
		return nil
	}
	r.fail("There is no command :" + task.CleanLine(text, 40).Line() + ". There are " + commandNames() + ".")
	return nil
}

// force allows one try of what the server did not declare.
func (r *Root) force() tea.Cmd {
	if row := r.m.Row(r.row()); row != nil && row.Live() && r.m.CanCancel(row.Key) != "" {
		cmd := r.m.Update(model.ForceMsg{Key: row.Key})
		if why := r.m.CanCancel(row.Key); why != "" {
			r.refuse(why)
			return cmd
		}
		r.say("Allowed once: " + r.k.Task.Cancel.Help().Key + " cancels " + r.scene().rowName(row) + ".")
		return cmd
	}
	r.say("Asking each server once for its list of tasks, declared or not.")
	return r.m.Update(model.ForceMsg{})
}
