package ui

import (
	"fmt"
	"slices"
	"strings"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// command is what the command line knows beside the actions of the keymap.
type command struct {
	name string
	// args names what is typed behind it; "[...]" may be left out, "" is nothing.
	args string
	help string
	// complete returns what the last of the words behind the name may be, nil for
	// what nobody can list.
	complete func(r *Root, words []string) []string
	run      func(r *Root, args string) tea.Cmd
}

// commands returns all commands, in the order of the help.
func commands() []command {
	return []command{
		{name: "q", help: "quit", run: func(r *Root, _ string) tea.Cmd { return r.askQuit() }},
		{
			name: "filter", args: "[TEXT]", help: "show the tasks that match; nothing shows all",
			run: (*Root).setFilter,
		},
		{
			name: "save", args: "NAME", help: "save the filter that holds under a name",
			complete: func(r *Root, words []string) []string { return firstOf(words, r.filterNames) },
			run:      (*Root).saveFilter,
		},
		{
			name: "saved", args: "NAME", help: "filter by a saved filter",
			complete: func(r *Root, words []string) []string { return firstOf(words, r.filterNames) },
			run:      (*Root).applySaved,
		},
		{
			name: "sort", args: "COLUMN [reverse]", help: "sort the tasks by a column", complete: sortWords,
			run: (*Root).sortBy,
		},
		{
			name: "theme", args: "NAME", help: "other colours, for this run",
			complete: func(r *Root, words []string) []string { return firstOf(words, r.o.Themes) },
			run:      (*Root).setTheme,
		},
		{
			name: "watch", args: "[SERVER] ID", help: "follow a task that somebody else started",
			complete: func(r *Root, words []string) []string { return firstOf(words, r.serverNames) },
			run:      (*Root).watchTask,
		},
		{
			name: "connect", args: "SERVER", help: "attach to a further server by its URL, or its name in the configuration",
			complete: func(r *Root, words []string) []string { return firstOf(words, r.o.Servers) },
			run:      (*Root).connect,
		},
		{
			name: "disconnect", args: "SERVER", help: "let go of a server; its tasks go on",
			complete: func(r *Root, words []string) []string { return firstOf(words, r.serverNames) },
			run:      (*Root).disconnect,
		},
		{
			name: "force", help: "try once what the server did not declare: cancel of the selected task, else the list of tasks",
			run: func(r *Root, _ string) tea.Cmd { return r.force() },
		},
		{
			name: "forget", help: "take the selected row away; its task is not cancelled",
			run: func(r *Root, _ string) tea.Cmd { return r.askForget() },
		},
		{name: "help", args: "[WORDS]", help: "keys, commands and words, those that match", run: (*Root).helpOn},
	}
}

// firstOf returns all, where the first word is being typed.
func firstOf(words []string, all func() []string) []string {
	if len(words) > 1 || all == nil {
		return nil
	}
	return all()
}

func commandOf(name string) (command, bool) {
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

// split takes a line apart: the name, and what stands behind it.
func split(text string) (name, args string) {
	name, args, _ = strings.Cut(typedIn(text), " ")
	return name, strings.TrimSpace(args)
}

// typedIn is a line without what may stand before the name.
func typedIn(text string) string { return strings.TrimLeft(strings.TrimLeft(text, " "), ":") }

// run carries out a line: a command, or an action by its name, of which the scope
// may be left out.
func (r *Root) run(text string) tea.Cmd {
	name, args := split(text)
	if name == "" {
		return nil
	}
	if c, ok := commandOf(name); ok {
		switch {
		case c.args == "" && args != "":
			r.fail(":" + name + " takes nothing behind it.")
			return nil
		case c.args != "" && c.args[0] != '[' && args == "":
			r.fail(":" + name + " " + c.args + ": " + c.help + ".")
			return nil
		}
		return c.run(r, args)
	}
	found := r.actionsOf(name)
	switch {
	case len(found) == 0:
		r.fail("There is no command :" + task.CleanLine(name, 40).Line() + r.meant(name))
	case len(found) > 1:
		var names []string
		for _, a := range found {
			names = append(names, ":"+a.Name)
		}
		r.fail(":" + name + " may be " + strings.Join(names, " or ") + ".")
	case args != "":
		r.fail(":" + name + " takes nothing behind it.")
	default:
		return r.act(found[0])
	}
	return nil
}

// meant ends a sentence about a command that does not exist.
func (r *Root) meant(name string) string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	for _, a := range r.k.Actions() {
		if !a.Alone {
			names = append(names, a.Name)
		}
	}
	near := keymap.Nearest(name, names)
	if len(near) == 0 {
		return ". " + r.k.Everywhere.Help.Help().Key + " shows what there is."
	}
	return ": did you mean :" + strings.Join(near, " or :") + "?"
}

// actionsOf returns the actions of a name: the one, or those that work here of
// which it is the part behind the scope.
func (r *Root) actionsOf(name string) []keymap.Action {
	var found []keymap.Action
	for _, a := range r.k.Actions() {
		if a.Name == name {
			return []keymap.Action{a}
		}
		if _, short, _ := strings.Cut(a.Name, "."); short == name && a.In(r.where()) {
			found = append(found, a)
		}
	}
	return found
}

// where is the place of the keymap that has the keys.
func (r *Root) where() string {
	switch {
	case r.hasSide() && r.onSide && r.side == r.result:
		return keymap.AtResult
	case r.hasSide() && r.onSide:
		return keymap.AtDetail
	}
	return map[place]string{
		atTasks: keymap.AtTasks, atInbox: keymap.AtInbox, atLog: keymap.AtLog,
		atServers: keymap.AtServers, atTools: keymap.AtTools, atHelp: keymap.AtHelp, atAway: keymap.AtAway,
	}[r.at]
}

// elsewhere says where an action works, "" for here.
func elsewhere(a *keymap.Action, here string) string {
	switch {
	case a.In(here):
		return ""
	case a.Alone:
		return "only in " + strings.ToLower(a.Scope[:1]) + a.Scope[1:]
	}
	words := strings.Fields(a.Place)
	return "only in: " + strings.Join(words, ", ")
}

// trigger begins a key that no keyboard sends, behind which stands the name of
// an action.
const trigger = "\x00:"

// act does what the key of an action does here, whether it has one or not.
func (r *Root) act(a keymap.Action) tea.Cmd {
	if why := elsewhere(&a, r.where()); why != "" {
		r.fail(":" + a.Name + " works " + why + ".")
		return nil
	}
	b := r.k.Binding(a.Name)
	was := *b
	defer func() { *b = was }()
	b.SetKeys(trigger + a.Name)
	return r.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(trigger + a.Name)})
}

// keyWord is a key in words.
func keyWord(k tea.KeyMsg) string {
	name := k.String()
	if action, ok := strings.CutPrefix(name, trigger); ok {
		return ":" + action
	}
	return task.CleanLine(keymap.Shown(name), 20).Line()
}

func (r *Root) serverNames() []string {
	var names []string
	for _, l := range r.m.Links() {
		names = append(names, l.Name)
	}
	return names
}

// toTasks shows the table of tasks.
func (r *Root) toTasks() { r.at, r.back, r.onSide, r.side = atTasks, atTasks, false, r.detail }

// goTo shows a row in the table, under the cursor.
func (r *Root) goTo(row *model.Row) {
	r.toTasks()
	r.tasks.take(r.m, row.Key)
	r.watch(true)
}

func (r *Root) setFilter(text string) tea.Cmd {
	r.toTasks()
	cmd := r.m.Update(model.FilterMsg{Text: text})
	if why := filterFault(r.m); why != "" {
		r.fail(why)
		return cmd
	}
	if remember(&r.taste.Filters, text) {
		return tea.Batch(cmd, r.keepTaste())
	}
	return cmd
}

// sortNames are the columns as :sort names them.
func sortNames() []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

func sortWords(_ *Root, words []string) []string {
	switch len(words) {
	case 0, 1:
		return sortNames()
	case 2:
		return []string{"reverse"}
	}
	return nil
}

func (r *Root) sortBy(args string) tea.Cmd {
	name, order, _ := strings.Cut(args, " ")
	order = strings.TrimSpace(order)
	i := slices.Index(sortNames(), strings.ToLower(name))
	if i < 0 || order != "" && order != "reverse" {
		r.fail(":sort COLUMN, or :sort COLUMN reverse. Columns are " + strings.Join(sortNames(), ", ") + ".")
		return nil
	}
	r.toTasks()
	var cmds []tea.Cmd
	for range 2 { // the same again reverses
		if by, reversed := r.m.Board().Sort(); by != columns[i].by || reversed != (order != "") {
			cmds = append(cmds, r.m.Update(model.SortMsg{By: columns[i].by}))
		}
	}
	return tea.Batch(cmds...)
}

func (r *Root) setTheme(name string) tea.Cmd {
	if r.o.Theme == nil {
		r.say("Other colours are not possible here.")
		return nil
	}
	t, err := r.o.Theme(name)
	if err != nil {
		r.fail(asSentence(task.CleanLine(err.Error(), 400).Line()))
		return nil
	}
	*r.t, r.picked = *t, name
	r.repaint()
	r.say(fmt.Sprintf("The theme is %s, for this run.", task.CleanLine(name, 60).Line()))
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
