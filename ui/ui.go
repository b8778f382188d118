// Package ui is the looking half of callboard: Root, the only tea.Model, and
// its panes. It reads model.Model and sends it the person's wishes; it never
// meets the protocol (mcpclient). A pane owns how it looks (cursor, scroll),
// never the state.
//
// Whatever a server wrote reaches a cell only as a task.Text.
package ui

import (
	"image"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/model/task"
	"callboard/themes"

	tea "github.com/charmbracelet/bubbletea"
)

// Options configure a Root. Settings.Theme and Settings.Keys must be set; a nil
// hook makes its key say that it is not possible here.
type Options struct {
	Settings Settings
	// Taste is what the person chose before. Keep keeps it; it is called in
	// commands, one at a time or not. nil keeps nothing.
	Taste Taste
	Keep  func(Taste) error
	// Title stands in the header where the program is more than callboard
	// ("callboard demo"); "" for the plain name. Note is a sentence for the
	// footer of the first screen, "" for none.
	Title, Note string

	// Bell rings the terminal's bell. Clipboard puts text on the clipboard and
	// names the way that it took, OpenURL opens a page in a browser. All are
	// called in commands, one at a time or not.
	Bell      func()
	Clipboard func(text string) (way string, err error)
	OpenURL   func(page string) error
	// Editor returns the command that lets the person edit text in $EDITOR, in
	// a file of that name, and makes a message of what came of it.
	Editor func(text, name string, done func(text string, err error) tea.Msg) tea.Cmd
	// Viewer and Pager return the command that lets the person read text in
	// $EDITOR or $PAGER, as a copy in a file of that name.
	Viewer, Pager func(text, name string, done func(error) tea.Msg) tea.Cmd
	// ShowImage draws an image over a part of the screen, in cells, by the protocol
	// "kitty" or "sixel"; HideImage takes it away. Both are called in commands.
	ShowImage func(protocol string, img image.Image, x, y, w, h int) error
	HideImage func(protocol string)
	// Connect returns the server that a word stands for: a URL, or a name of the
	// configuration. Servers returns those names. Connect is called in commands.
	Connect func(word string) (model.Target, error)
	Servers func() []string
	// Theme returns the theme of that name, Themes the names that there are.
	Theme  func(name string) (*themes.Theme, error)
	Themes func() []string
	// Changes waits until settings change while the program runs, and returns a
	// SettingsMsg, or a NoteMsg about ones that do not hold; nil where there is no
	// more to come. It is called in a command, again after each message.
	Changes func() tea.Msg
	// Window names the terminal's window, "" for its own name. Notify shows a
	// sentence as a notification of the desktop. Both are called in commands, one at
	// a time or not; nil where there is no such thing.
	Window, Notify func(text string)
	// Suspend returns the command that stops the process (ctrl+z).
	Suspend tea.Cmd

	// SaveDir is the folder into which results are saved, "" for the working
	// directory.
	SaveDir string
	// Now is the clock, time.Now where it is nil.
	Now func() time.Time
}

// NoteMsg is a sentence of the program for the footer. Bad is for what failed.
type NoteMsg struct {
	Text string
	Bad  bool
}

// place is what the main part of the screen shows.
type place uint8

const (
	atTasks place = iota
	atInbox
	atLog
	atServers
	atTools
	atHelp
	atAway
)

// Root is the screen: the only tea.Model of the program. One goroutine owns
// it, the Bubble Tea loop.
type Root struct {
	m *model.Model
	o Options
	t *themes.Theme
	// picked names the theme that the person chose on the screen, "" for none;
	// settled is that of the settings.
	picked  string
	settled themes.Theme
	k       *keymap.Map
	taste   Taste
	panes   map[place]pane
	side    pane // detail, or result

	// bulkOn are the servers of the cancel of many; bulkSeen is when the person
	// looked at what became of it.
	bulkOn   []string
	bulkSeen time.Time

	tasks    *tasksPane
	inbox    *inboxPane
	detail   *detailPane
	result   *resultPane
	log      *logPane
	tools    *toolsPane
	help     *helpPane
	awayPane *awayPane
	servers  *serversPane

	width, height int
	at            place
	back          place // where esc leads from log, servers, tools and help
	onSide        bool  // the side pane has the keys
	over          overlay

	now        time.Time
	ticking    bool
	stopped    chan struct{}
	quitting   bool
	keepFailed bool
	keeping    bool // a Taste is on its way to where it is kept
	keepAgain  bool // another has to follow it
	said       note
	read       time.Time // the model's notices up to then were put away
	heeds      heed
	away       away
	selected   task.Key  // the last one told to the model
	under      under     // what keys act on
	moved      time.Time // when that became another by itself, zero for long ago

	mouse       mouse
	zoom        bool   // the pane that has the keys has all the room
	laid        boxes  // where things stand in the last View
	view        string // the last View, and what it was made of
	still       bool   // nothing can have changed since
	viewOf      viewKey
	searches    []string               // what was looked for, oldest first
	forms       map[callForm]bool      // those of calls with something that was typed here
	sampled     map[task.PromptID]bool // those for which the person's command began by itself
	lastTTL     time.Duration
	pressedKeys int
	wanted      task.Key // the row whose question the person waits for
	sought      task.Key // the task that the person named by its id
}

// New returns the screen of m.
func New(m *model.Model, o Options) *Root {
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Root{
		m: m, o: o, t: o.Settings.Theme, k: o.Settings.Keys, taste: o.Taste.clone(), now: o.Now(),
		stopped: make(chan struct{}), forms: map[callForm]bool{}, sampled: map[task.PromptID]bool{}, lastTTL: time.Hour,
		tasks: &tasksPane{}, inbox: &inboxPane{}, detail: &detailPane{}, result: &resultPane{}, log: &logPane{}, help: &helpPane{}, awayPane: &awayPane{}, servers: &serversPane{},
		heeds: newHeed(),
	}
	r.settled = *r.t
	r.away.keyed = r.now
	r.log.hide(o.Settings.LogHide)
	r.tools = newToolsPane(r)
	r.panes = map[place]pane{
		atTasks: r.tasks, atInbox: r.inbox, atLog: r.log, atTools: r.tools,
		atServers: r.servers, atHelp: r.help, atAway: r.awayPane,
	}
	r.side = r.detail
	if o.Note != "" {
		r.say(o.Note)
	}
	return r
}

// changed is what Options.Changes brought.
type changed struct{ msg tea.Msg }

// awaitChange waits for what Options.Changes brings next.
func (r *Root) awaitChange() tea.Cmd {
	if r.o.Changes == nil {
		return nil
	}
	wait := r.o.Changes
	return func() tea.Msg {
		msg := wait()
		if msg == nil {
			return nil
		}
		return changed{msg}
	}
}

// took takes in what changed, and waits for more.
func (r *Root) took(msg changed) tea.Cmd {
	var cmd tea.Cmd
	switch m := msg.msg.(type) {
	case SettingsMsg:
		cmd = r.resettle(m)
	case NoteMsg:
		r.told(m)
	}
	return tea.Batch(cmd, r.awaitChange())
}

// Init starts the model and the clock.
func (r *Root) Init() tea.Cmd {
	return tea.Batch(r.m.Init(), r.m.Update(model.WarnMsg{Before: r.o.Settings.TTLWarning}), r.clock(), r.pointing(), r.awaitChange())
}

// Close ends the clock. It is called after the program's loop has ended, or
// not at all where the process ends anyway.
func (r *Root) Close() {
	if !r.quitting {
		r.quitting = true
		close(r.stopped)
	}
}
