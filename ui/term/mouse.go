package term

import (
	"reflect"

	tea "github.com/charmbracelet/bubbletea"
)

// What the model asks of the mouse, as messages: their types are not exported.
var (
	mouseOn  = reflect.TypeOf(tea.EnableMouseCellMotion())
	mouseOff = reflect.TypeOf(tea.DisableMouse())
)

// heedMouse remembers whether the mouse is wanted: Bubble Tea forgets it where
// another program had the terminal.
func (t *Terminal) heedMouse(msg tea.Msg) {
	switch reflect.TypeOf(msg) {
	case mouseOn, mouseOff:
		t.mu.Lock()
		t.mouse = reflect.TypeOf(msg) == mouseOn
		t.mu.Unlock()
	}
}

// lend notes that another program had the terminal.
func (t *Terminal) lend() {
	t.mu.Lock()
	t.lent = true
	t.mu.Unlock()
}

// mouseAgain returns the command that switches the mouse on again after another
// program had the terminal, nil where that is not so or the mouse is not wanted.
func (t *Terminal) mouseAgain() tea.Cmd {
	t.mu.Lock()
	defer t.mu.Unlock()
	lent := t.lent
	t.lent = false
	if !lent || !t.mouse {
		return nil
	}
	return tea.EnableMouseCellMotion
}
