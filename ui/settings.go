package ui

import (
	"reflect"
	"slices"
	"time"

	"callboard/keymap"
	"callboard/model"
	"callboard/themes"
	"callboard/ui/render"

	tea "github.com/charmbracelet/bubbletea"
)

// Settings are what the person may change while the program runs. The zero
// value of a field, and nil, is its default.
type Settings struct {
	Theme *themes.Theme
	Keys  *keymap.Map

	// Columns are the columns of the table in their order, each a name and perhaps
	// its width in cells ("tool:14", see CheckColumn); nil: those that fit.
	// ServerColumns are those where the table is about one server, by its name.
	Columns       []string
	ServerColumns map[string][]string
	// Filters are filters that have names.
	Filters map[string]string
	// LogHide are methods that the log leaves out from the beginning.
	LogHide []string
	// NoMouse leaves the mouse to the terminal, whose own selection of text works
	// then without shift.
	NoMouse bool

	// Notify are the events of which the desktop is notified while the terminal has
	// not the focus, of Events; nil is prompt, failed and down, an empty list none.
	Notify []string
	// NoTitle leaves the title of the terminal's window alone.
	NoTitle bool
	// TTLWarning is how long before its end a person is told of what will be lost, 0
	// for a minute.
	TTLWarning time.Duration
	// Images is the protocol in which the terminal draws images, "kitty" or
	// "sixel"; "" and "off" draw none.
	Images string
}

// SettingsMsg brings new settings. Note is a sentence about them for the footer,
// "" for none.
type SettingsMsg struct {
	Settings Settings
	Note     string
}

// resettle takes new settings. Forms, documents and lists hold the theme and the
// keys by their pointers, so these are changed where they are.
func (r *Root) resettle(msg SettingsMsg) tea.Cmd {
	s := msg.Settings
	if s.Theme != nil {
		r.look(s.Theme)
	}
	if s.Keys != nil {
		*r.k = *s.Keys
	}
	var cmd tea.Cmd
	if s.NoMouse != r.o.Settings.NoMouse {
		r.o.Settings.NoMouse = s.NoMouse
		r.mouse = mouse{shape: r.mouse.shape, turned: r.now}
		cmd = r.pointing()
	}
	r.o.Settings.Columns, r.o.Settings.ServerColumns, r.o.Settings.Filters = s.Columns, s.ServerColumns, s.Filters
	if !slices.Equal(s.LogHide, r.o.Settings.LogHide) {
		r.o.Settings.LogHide = s.LogHide
		r.log.hide(s.LogHide)
	}
	r.o.Settings.Notify, r.o.Settings.NoTitle, r.o.Settings.TTLWarning = s.Notify, s.NoTitle, s.TTLWarning
	cmd = tea.Batch(cmd, r.m.Update(model.WarnMsg{Before: s.TTLWarning}))
	r.o.Settings.Images = s.Images
	r.repaint()
	if msg.Note != "" {
		r.say(msg.Note)
		r.said.keep = true
	}
	return cmd
}

// look takes the theme of new settings, unless it is the old one: then the theme that
// was chosen on the screen stays, as it is defined now.
func (r *Root) look(t *themes.Theme) {
	if r.picked == "" || !reflect.DeepEqual(*t, r.settled) {
		*r.t, r.picked = *t, ""
	} else if chosen, err := r.o.Theme(r.picked); err == nil {
		*r.t = *chosen
	}
	r.settled = *t
}

// repaint has everything drawn anew: the look is another one.
func (r *Root) repaint() {
	for _, d := range []*render.Document{r.result.doc, r.result.shown(), r.log.doc} {
		d.Repaint()
	}
	r.viewOf, r.tasks.linesOf = viewKey{}, tableKey{}
}
