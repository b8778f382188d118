package ui

import (
	"strings"

	"callboard/keymap"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// keyOf is the key of a binding in a sentence, or what the command line takes.
func keyOf(b key.Binding) string { return b.Help().Key }

// keysOr are the keys of a binding in a sentence.
func keysOr(b key.Binding) string {
	var shown []string
	for _, k := range b.Keys() {
		shown = append(shown, keymap.Shown(k))
	}
	return strings.Join(shown, " or ")
}

// enoughKeys is how many keys a person presses before callboard stops telling
// which there are.
const enoughKeys = 4

// greeting is the sentence for who has never used callboard, "" for who has, and
// in the demo, which has one of its own.
func (r *Root) greeting() string {
	if r.taste.Met || r.o.Title != "" {
		return ""
	}
	e, l := &r.k.Everywhere, &r.k.List
	return "New here? " + keyOf(e.New) + " starts a task, " + keyOf(l.Open) + " opens one, " + keyOf(e.Answer) + " answers, " +
		keyOf(l.Filter) + " filters, " + keyOf(e.Command) + " commands, " + keyOf(e.Help) + " all keys."
}

// meet counts the keys of who has never used callboard.
func (r *Root) meet() tea.Cmd {
	if r.taste.Met || r.o.Title != "" {
		return nil
	}
	if r.pressedKeys++; r.pressedKeys < enoughKeys {
		return nil
	}
	r.taste.Met = true
	return r.keepTaste()
}
