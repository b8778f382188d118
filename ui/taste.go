package ui

import (
	"maps"
	"slices"

	"callboard/model/task"

	tea "github.com/charmbracelet/bubbletea"
)

// Taste is what the person chose on the screen, as it outlives the program. Maps
// by server have "" for all servers.
type Taste struct {
	Commands []string `json:"commands,omitempty"` // history of the command line, oldest first
	Filters  []string `json:"filters,omitempty"`  // history of the filter
	// Named are filters that were saved by name.
	Named map[string]string `json:"named,omitempty"`
	// Columns are the columns of the table by server, as in the configuration.
	Columns map[string][]string `json:"columns,omitempty"`
	// Side is the share of the screen that the side pane takes, in percent, 0
	// for the default.
	Side int `json:"side,omitempty"`
	// Met says that this person has used callboard before.
	Met bool `json:"met,omitempty"`
}

// keptMsg says what came of keeping a Taste.
type keptMsg struct{ err error }

// keepTaste returns the command that keeps what the person chose. One is on its
// way at a time, so that what was chosen last is what is kept.
func (r *Root) keepTaste() tea.Cmd {
	switch {
	case r.o.Keep == nil:
		return nil
	case r.keeping:
		r.keepAgain = true
		return nil
	}
	r.keeping = true
	keep, taste := r.o.Keep, r.taste.clone()
	return func() tea.Msg { return keptMsg{keep(taste)} }
}

// Taste returns what the person has chosen by now. It is for the end, after the
// program's loop.
func (r *Root) Taste() Taste { return r.taste.clone() }

// kept says once that what the person chose is not kept, and keeps what was
// chosen meanwhile.
func (r *Root) kept(msg keptMsg) tea.Cmd {
	r.keeping = false
	again := r.keepAgain
	r.keepAgain = false
	if msg.err != nil && !r.keepFailed {
		r.keepFailed = true
		r.fail("What you chose here is not kept beyond this run: " + task.CleanMax(msg.err.Error(), 400).Line())
	}
	if again {
		return r.keepTaste()
	}
	return nil
}

// clone returns a copy that shares nothing.
func (t Taste) clone() Taste {
	t.Commands, t.Filters = slices.Clone(t.Commands), slices.Clone(t.Filters)
	t.Named = maps.Clone(t.Named)
	t.Columns = maps.Clone(t.Columns)
	for server, cols := range t.Columns {
		t.Columns[server] = slices.Clone(cols)
	}
	return t
}
