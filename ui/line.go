package ui

import (
	"slices"
	"strings"

	"callboard/model"
	"callboard/model/task"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// lineOverlay is a line of text in the place of the footer: the filter, or a
// command.
type lineOverlay struct {
	input   textinput.Model
	command bool
	before  string // the filter that esc brings back
	history *[]string
	at      int // in the history; its length for the line being typed
}

// histories are what was entered before.
type histories struct{ filter, command []string }

func (r *Root) newLine(prompt, text string, history *[]string) *lineOverlay {
	in := textinput.New()
	in.Prompt = prompt
	in.CharLimit = 500
	in.Width = max(r.width-width(prompt)-2, 1)
	in.PromptStyle, in.TextStyle = r.t.Key.Style(), r.t.Text.Style()
	in.Cursor.Style, in.Cursor.TextStyle = r.t.Cursor.Style(), r.t.Text.Style()
	in.Cursor.SetMode(cursor.CursorStatic)
	in.SetValue(text)
	in.CursorEnd()
	in.KeyMap.Paste.SetEnabled(false) // the terminal pastes
	in.Focus()
	return &lineOverlay{input: in, history: history, at: len(*history)}
}

// openFilter opens the filter line.
func (r *Root) openFilter() {
	l := r.newLine(" / ", r.m.Board().Filter(), &r.lines.filter)
	l.before = l.input.Value()
	r.over = l
}

// openCommand opens the command line.
func (r *Root) openCommand() {
	l := r.newLine(" : ", "", &r.lines.command)
	l.command = true
	r.over = l
}

func (l *lineOverlay) typing() bool { return true }

func (l *lineOverlay) update(r *Root, msg tea.Msg) tea.Cmd {
	k, ok := msg.(tea.KeyMsg)
	keys := &r.k.Line
	switch {
	case !ok:
	case key.Matches(k, keys.Leave):
		r.over = nil
		if !l.command && l.input.Value() != l.before {
			return r.m.Update(model.FilterMsg{Text: l.before})
		}
		return nil
	case key.Matches(k, keys.Accept):
		r.over = nil
		return l.accept(r)
	case key.Matches(k, keys.Complete):
		return l.complete(r)
	case key.Matches(k, keys.Older):
		return l.recall(r, -1)
	case key.Matches(k, keys.Newer):
		return l.recall(r, 1)
	}
	was := l.input.Value()
	var cmd tea.Cmd
	l.input, cmd = l.input.Update(msg)
	return tea.Batch(cmd, l.changed(r, was))
}

// changed filters while one types.
func (l *lineOverlay) changed(r *Root, was string) tea.Cmd {
	if l.command || l.input.Value() == was {
		return nil
	}
	return r.m.Update(model.FilterMsg{Text: l.input.Value()})
}

func (l *lineOverlay) set(r *Root, text string) tea.Cmd {
	was := l.input.Value()
	l.input.SetValue(text)
	l.input.CursorEnd()
	return l.changed(r, was)
}

// recall steps through what was entered before.
func (l *lineOverlay) recall(r *Root, step int) tea.Cmd {
	at := l.at + step
	switch {
	case at < 0:
		r.say("There is nothing older.")
		return nil
	case at >= len(*l.history):
		l.at = len(*l.history)
		return l.set(r, "")
	}
	l.at = at
	return l.set(r, (*l.history)[at])
}

// complete completes a command, or says which there are.
func (l *lineOverlay) complete(r *Root) tea.Cmd {
	if !l.command {
		r.say("The filter is plain text: part of a status, an id, a tool, a message or a server.")
		return nil
	}
	typed := strings.TrimLeft(l.input.Value(), " ")
	if rest, ok := strings.CutPrefix(typed, "watch "); ok {
		return l.completeServer(r, strings.TrimSpace(rest))
	}
	var found []string
	for _, c := range commands {
		if strings.HasPrefix(c.name, typed) {
			found = append(found, c.name)
		}
	}
	switch {
	case len(found) == 1 && found[0] == "watch":
		return l.set(r, "watch ")
	case len(found) == 1:
		return l.set(r, found[0])
	case len(found) > 1 && typed != "":
		r.say("Commands: :" + strings.Join(found, " :"))
		return nil
	}
	r.say("Commands: " + commandNames())
	return nil
}

// completeServer completes the server of :watch, where there are several.
func (l *lineOverlay) completeServer(r *Root, typed string) tea.Cmd {
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
		return l.set(r, "watch "+found[0]+" ")
	case len(found) == 0:
		r.say("The id of the task stands here, or a server and the id.")
	default:
		r.say("Servers: " + task.CleanLine(strings.Join(found, " "), 400).Line())
	}
	return nil
}

// maxHistory is how many lines are remembered.
const maxHistory = 100

func (l *lineOverlay) accept(r *Root) tea.Cmd {
	text := strings.TrimSpace(l.input.Value())
	if h := *l.history; text != "" && (len(h) == 0 || h[len(h)-1] != text) {
		*l.history = append(h[max(len(h)-maxHistory+1, 0):], text)
	}
	if l.command {
		return r.run(text)
	}
	return nil
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
