// Package keymap names every key of callboard once. Matching, the footer and
// the help read the same bindings, and every binding has a name, made of its
// scope and its field ("list.half-up"), by which the configuration and the command
// line know it.
//
// Bindings stand in scopes. A scope that takes all keys (a form, the filter, a
// confirmation) is alone while it is open; the others add up: a list has the
// keys of Everywhere, List and what it lists.
package keymap

import "github.com/charmbracelet/bubbles/key"

// Everywhere works but in forms, filter, confirmation and command line.
type Everywhere struct {
	Answer, Inbox, New, Log, Servers, Refresh, Retry, NextPane, PrevPane key.Binding
	Back                                                                 key.Binding
	// Away shows what happened while the person was away.
	Away key.Binding
	// The panes: Zoom gives the one that has the keys all the room, Shrink and Grow
	// are of the side pane.
	Zoom, Shrink, Grow                  key.Binding
	Command, Help, Suspend, Quit, Abort key.Binding
}

// List works in whatever scrolls.
type List struct {
	Up, Down, Top, Bottom, PageUp, PageDown, HalfUp, HalfDown key.Binding
	Left, Right, Open, Filter                                 key.Binding
	// Of a text that is searched.
	NextMatch, PrevMatch key.Binding
}

// Table works in the table of tasks. Many shows how far the cancel of many tasks
// has come.
type Table struct {
	Mark, Range, MarkAll, MarkNone, Many, Pause, Follow, Filters, Columns key.Binding
}

// Sort sorts the table of tasks; the same again reverses.
type Sort struct {
	Status, Task, Tool, Message, Progress, Age, TTL, Server key.Binding
}

// Task works on the selected task.
type Task struct{ Cancel, Copy, Save, Again, Diff key.Binding }

// Result works in a result, Editor and Pager in what else can be read.
type Result struct{ Source, Image, Editor, Pager key.Binding }

// Servers works on the server under the cursor.
type Servers struct{ Connect, Disconnect key.Binding }

// Log works in the log. Task shows the messages of one task, Owner goes to the
// task of a message.
type Log struct{ Task, Owner, Hide, Unhide, Export, Curl, Reveal key.Binding }

// Form works in a form.
type Form struct {
	Next, Prev, Send key.Binding
	// Of a task that asks several things at once.
	Hold, NextAsk, PrevAsk key.Binding
	Menu                   key.Binding
	// Fault goes to the next field that fails or must still be given; Sample has
	// the person's command write a draft, takes the draft that came, or stops
	// the command.
	Fault, Sample                                  key.Binding
	Unset, Toggle, Yes, No                         key.Binding
	Up, Down, Left, Right, PageUp, PageDown, Leave key.Binding
}

// Menu is what ctrl+o opens in a form.
type Menu struct {
	Decline, Dismiss, Hold, Review, Whole, Keys, Editor, JSON, Copy, Open key.Binding
	Fault, Null, Reveal, Sample, Swap, Discard, Up, Down, Choose, Leave   key.Binding
}

// URL works in a prompt that asks the person to visit an address.
type URL struct{ Open, Copy, Done, Retry, Menu, NextAsk, PrevAsk, Up, Down, Leave key.Binding }

// Confirm works in a question of callboard's own.
type Confirm struct{ Yes, No key.Binding }

// Line works in the filter line and the command line.
type Line struct{ Accept, Leave, Complete, Older, Newer, Above, Below key.Binding }

// Saved works in the list of saved filters.
type Saved struct{ Up, Down, Apply, Delete, Leave key.Binding }

// Columns works in the choice of the table's columns.
type Columns struct{ Up, Down, Toggle, Earlier, Later, Wider, Narrower, Reset, Scope, Leave key.Binding }

// Many works in what became of the cancel of many tasks, and where it is asked for.
type Many struct{ Up, Down, PageUp, PageDown, Open, Retry, Stop, Leave key.Binding }

// Map is all keys. Each scope is a field, and each binding a field of its scope, in
// the order of the help; what a scope is called stands in scopes.
type Map struct {
	Everywhere Everywhere
	List       List
	Task       Task
	Table      Table
	Result     Result
	Sort       Sort
	Servers    Servers
	Log        Log
	Form       Form
	Menu       Menu
	URL        URL
	Confirm    Confirm
	Line       Line
	Saved      Saved
	Columns    Columns
	Many       Many
}

func bind(shown, help string, keys ...string) key.Binding {
	if len(keys) == 0 {
		keys = []string{shown}
	}
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, help))
}

// Default returns the keys as they are without configuration.
func Default() *Map {
	return &Map{
		Everywhere: Everywhere{
			Answer:   bind("a", "answer"),
			Inbox:    bind("i", "inbox"),
			New:      bind("n", "new: tools"),
			Log:      bind("l", "log"),
			Servers:  bind("s", "servers"),
			Away:     bind("W", "while I was away"),
			Refresh:  bind("r", "refresh"),
			Retry:    bind("R", "retry what failed"),
			NextPane: bind("tab", "next pane"),
			PrevPane: bind("shift+tab", "pane before"),
			Back:     bind("esc", "back"),
			Zoom:     bind("z", "all the room, and back"),
			Shrink:   bind("<", "side pane smaller"),
			Grow:     bind(">", "side pane larger"),
			Command:  bind(":", "command"),
			Help:     bind("?", "help"),
			Suspend:  bind("ctrl+z", "suspend"),
			Quit:     bind("q", "quit"),
			Abort:    bind("ctrl+c", "quit at once"),
		},
		List: List{
			Up:       bind("k", "up", "k", "up"),
			Down:     bind("j", "down", "j", "down"),
			Top:      bind("g", "first", "g", "home"),
			Bottom:   bind("G", "last", "G", "end"),
			PageUp:   bind("pgup", "page up"),
			PageDown: bind("pgdn", "page down", "pgdown"),
			HalfUp:   bind("ctrl+u", "half a page up"),
			HalfDown: bind("ctrl+d", "half a page down"),
			Left:     bind("left", "to the left", "left"),
			Right:    bind("right", "to the right", "right"),
			Open:     bind("enter", "open"),
			Filter:   bind("/", "filter, search"),

			NextMatch: bind("ctrl+n", "next match"),
			PrevMatch: bind("ctrl+p", "match before"),
		},
		Table: Table{
			Mark:     bind("space", "mark", " "),
			Range:    bind("ctrl+space", "mark from the last mark to here", "ctrl+@"),
			MarkAll:  bind("*", "mark all of the filter"),
			MarkNone: bind("-", "take all marks away"),
			Many:     bind("b", "what became of the cancel of many"),
			Pause:    bind("p", "pause: rows hold still"),
			Follow:   bind("f", "follow the newest"),
			Filters:  bind("F", "saved filters"),
			Columns:  bind("C", "columns"),
		},
		Sort: Sort{
			Status:   bind("S", "by status"),
			Task:     bind("T", "by task"),
			Tool:     bind("O", "by tool"),
			Message:  bind("M", "by message"),
			Progress: bind("P", "by progress"),
			Age:      bind("A", "by age"),
			TTL:      bind("L", "by TTL left"),
			Server:   bind("V", "by server"),
		},
		Task: Task{
			Cancel: bind("c", "cancel"),
			Copy:   bind("y", "copy"),
			Save:   bind("w", "save the result"),
			Again:  bind("X", "run again"),
			Diff:   bind("D", "compare results"),
		},
		Result: Result{
			Source: bind("u", "rendered, or its source"),
			Image:  bind("I", "show the image"),
			Editor: bind("e", "a copy in $EDITOR"),
			Pager:  bind("o", "a copy in $PAGER"),
		},
		Servers: Servers{Connect: bind("o", "connect"), Disconnect: bind("d", "disconnect")},
		Log: Log{
			Task:   bind("t", "log of the selected task, and of all"),
			Owner:  bind("T", "go to the task of the message"),
			Hide:   bind("H", "hide messages of this method"),
			Unhide: bind("u", "show what was hidden last"),
			Export: bind("w", "save what the log shows as JSON lines"),
			Curl:   bind("Y", "copy the request as a curl command"),
			Reveal: bind("v", "show what is masked"),
		},
		Form: Form{
			Next:     bind("tab", "next field"),
			Prev:     bind("shift+tab", "field before"),
			Send:     bind("ctrl+s", "send"),
			Menu:     bind("ctrl+o", "more"),
			Leave:    bind("esc", "leave, keep what is typed"),
			Unset:    bind("ctrl+x", "leave the field out"),
			Toggle:   bind("space", "choose", " "),
			Yes:      bind("y", "yes, of a yes or no", "y", "Y"),
			No:       bind("n", "no, of a yes or no", "n", "N"),
			Up:       bind("up", "field or choice above"),
			Down:     bind("down", "field or choice below"),
			Left:     bind("left", "choice before"),
			Right:    bind("right", "next choice"),
			PageUp:   bind("pgup", "page up"),
			PageDown: bind("pgdn", "page down", "pgdown"),
			NextAsk:  bind("ctrl+n", "next question", "ctrl+n", "alt+n"),
			PrevAsk:  bind("ctrl+p", "question before", "ctrl+p", "alt+p"),
			Hold:     bind("ctrl+t", "hold, send together"),
			Fault:    bind("ctrl+g", "next field that fails or is missing"),
			Sample:   bind("ctrl+r", "have your command write a draft"),
		},
		Menu: Menu{
			Decline: bind("d", "decline"),
			Dismiss: bind("c", "dismiss"),
			Hold:    bind("t", "hold, send together"),
			Keys:    bind("k", "write the shape of a value"),
			Editor:  bind("e", "edit in $EDITOR"),
			JSON:    bind("j", "show as JSON"),
			Copy:    bind("y", "copy the URL"),
			Open:    bind("o", "open the URL"),
			Discard: bind("x", "throw away what is typed"),
			Review:  bind("v", "review what will be sent"),
			Whole:   bind("m", "the whole conversation, or question"),
			Fault:   bind("f", "next field that fails or is missing"),
			Null:    bind("n", "send null for the field"),
			Reveal:  bind("r", "show or mask secret text"),
			Sample:  bind("w", "have your command write a draft"),
			Swap:    bind("u", "back to what was typed before"),
			Up:      bind("up", "line above"),
			Down:    bind("down", "line below"),
			Choose:  bind("enter", "choose"),
			Leave:   bind("esc", "back"),
		},
		URL: URL{
			Open:  bind("o", "agree and open"),
			Copy:  bind("y", "agree and copy"),
			Done:  bind("d", "done"),
			Retry: bind("r", "open again"),
			Menu:  bind("ctrl+o", "more"),

			NextAsk: bind("ctrl+n", "next question", "ctrl+n", "alt+n", "n"),
			PrevAsk: bind("ctrl+p", "question before", "ctrl+p", "alt+p", "p"),

			Up:    bind("up", "scroll up", "up", "k"),
			Down:  bind("down", "scroll down", "down", "j"),
			Leave: bind("esc", "leave"),
		},
		Confirm: Confirm{
			Yes: bind("y", "yes"),
			No:  bind("n", "no", "n", "esc"),
		},
		Line: Line{
			Accept:   bind("enter", "apply"),
			Leave:    bind("esc", "leave"),
			Complete: bind("tab", "complete"),
			Older:    bind("up", "older"),
			Newer:    bind("down", "newer"),
			Above:    bind("ctrl+p", "line above in the list"),
			Below:    bind("ctrl+n", "line below in the list"),
		},
		Saved: Saved{
			Up:     bind("up", "line above", "up", "k"),
			Down:   bind("down", "line below", "down", "j"),
			Apply:  bind("enter", "apply"),
			Delete: bind("d", "delete"),
			Leave:  bind("esc", "leave", "esc", "F"),
		},
		Columns: Columns{
			Up:       bind("up", "line above", "up", "k"),
			Down:     bind("down", "line below", "down", "j"),
			Toggle:   bind("space", "show or hide", " "),
			Earlier:  bind("K", "move to the left", "K", "shift+up"),
			Later:    bind("J", "move to the right", "J", "shift+down"),
			Wider:    bind("+", "wider"),
			Narrower: bind("-", "narrower"),
			Reset:    bind("r", "as they were"),
			Scope:    bind("s", "all servers, or this one"),
			Leave:    bind("esc", "leave", "esc", "enter", "C"),
		},
		Many: Many{
			Up:       bind("up", "line above", "up", "k"),
			Down:     bind("down", "line below", "down", "j"),
			PageUp:   bind("pgup", "page up"),
			PageDown: bind("pgdn", "page down", "pgdown"),
			Open:     bind("enter", "go to the task"),
			Retry:    bind("R", "cancel those again that failed"),
			Stop:     bind("x", "stop: send no more"),
			Leave:    bind("esc", "leave", "esc", "b"),
		},
	}
}
